//! Reading under a run: stopped, out of time, out of memory, and told of.

use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mercer::data::{FileFormat, ReadOptions, read_from};
use mercer::run::{Event, Observer};
use mercer::{Error, Run};

/// Many times `part` after `head`, made as it is read. A flag goes up on the way.
struct Generated {
    head: &'static [u8],
    part: Vec<u8>,
    parts: u64,
    given: Arc<AtomicU64>,
    raise: Option<(u64, Arc<AtomicBool>)>,
    left: std::collections::VecDeque<u8>,
}

impl Generated {
    fn new(head: &'static str, line: &str, parts: u64) -> Self {
        let part = line.repeat(1000).into_bytes();
        Generated { head: head.as_bytes(), part, parts, given: Arc::default(), raise: None, left: [].into() }
    }
}

impl Read for Generated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.left.extend(std::mem::take(&mut self.head));
        if self.left.is_empty() && self.parts > 0 {
            self.parts -= 1;
            self.left.extend(&self.part);
        }
        let read = self.left.read(buffer)?;
        let given = self.given.fetch_add(read as u64, Ordering::Relaxed);
        if let Some((after, flag)) = &self.raise
            && given >= *after
        {
            flag.store(true, Ordering::Relaxed);
        }
        Ok(read)
    }
}

const CSV: (FileFormat, &str, &str) = (FileFormat::Csv, "a,b,word\n", "1.25,2.5,hello there\n");
const LIBSVM: (FileFormat, &str, &str) = (FileFormat::Libsvm, "", "1 1:0.5 7:2 19:0.25\n");

fn told(format: FileFormat, source: Generated, run: &Run) -> Error {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    read_from(source, "large.csv", &options, run).map(|data| data.len()).expect_err("stopped")
}

#[test]
fn a_raised_flag_stops_a_read_that_would_be_long() {
    for (format, head, line) in [CSV, LIBSVM] {
        let cancel = Arc::new(AtomicBool::new(false));
        let run = Run::new().with_cancel(Arc::clone(&cancel));
        // More than any machine would hold, were it read to the end.
        let mut source = Generated::new(head, line, u64::MAX);
        source.raise = Some((3 << 20, cancel));
        let given = Arc::clone(&source.given);
        let error = told(format, source, &run);
        assert!(matches!(&error, Error::Cancelled { stage, .. } if stage == "reading"), "{error}");
        assert!(given.load(Ordering::Relaxed) < 8 << 20, "it stops within a few blocks");
    }
}

#[test]
fn parsing_is_stopped_as_reading_is() {
    for (format, head, line) in [CSV, LIBSVM] {
        let cancel = Arc::new(AtomicBool::new(false));
        let run = Run::new().with_cancel(Arc::clone(&cancel));
        let mut source = Generated::new(head, line, 500);
        let whole = head.len() as u64 + 500 * source.part.len() as u64;
        source.raise = Some((whole, cancel));
        let given = Arc::clone(&source.given);
        assert!(matches!(told(format, source, &run), Error::Cancelled { .. }));
        assert_eq!(given.load(Ordering::Relaxed), whole, "all bytes were there");
    }
}

#[test]
fn a_read_keeps_to_its_time_and_its_memory() {
    let (format, head, line) = CSV;
    let late = Run::new().with_deadline(Duration::ZERO);
    let error = told(format, Generated::new(head, line, u64::MAX), &late);
    assert!(error.to_string().starts_with("reading stopped by the deadline"), "{error}");
    let small = Run::new().with_memory_limit(4 << 20);
    let error = told(format, Generated::new(head, line, u64::MAX), &small);
    assert!(error.to_string().starts_with("reading the file needs"), "{error}");
    assert_eq!(small.memory_left(), 4 << 20, "what was held is given back");
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn on_event(&self, event: &Event<'_>) {
        let word = match event {
            Event::Begin { task, .. } => format!("begin {task}"),
            Event::Step { task, .. } => format!("step {task}"),
            Event::End { task } => format!("end {task}"),
            _ => return,
        };
        self.0.lock().expect("whole").push(word);
    }
}

#[test]
fn progress_is_told() {
    let heard = Arc::new(Heard::default());
    let run = Run::new().with_observer(heard.clone());
    let data = read_from(&b"a,b\n1,2\n3,4\n"[..], "small.csv", &ReadOptions::default(), &run).expect("two rows");
    assert_eq!((data.len(), run.memory_left()), (2, run.memory_limit()));
    let words = heard.0.lock().expect("whole").clone();
    assert_eq!((words[0].as_str(), words[words.len() - 1].as_str()), ("begin reading", "end reading"));
    assert!(words.iter().any(|w| w == "step reading"));
}
