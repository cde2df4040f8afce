//! Memory limit, deadline and interrupt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mercer::data::Inputs;
use mercer::gram::{apply, dense};
use mercer::run::{Event, Observer};
use mercer::testkit::points;
use mercer::{Error, KernelExpr, Run};

fn bound(n: usize, run: &Run) -> mercer::gram::Bound {
    let x: Inputs = points::vectors(n, 3, 41).into();
    KernelExpr::parse("rbf(length_scale=1)").and_then(|k| k.bind(&x, run)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_matrix_over_the_limit_is_refused_before_it_is_allocated() {
    let run = Run::new().with_memory_limit(1 << 20);
    let error = dense::<f64>(&bound(1000, &run), &run).map(|_| ()).expect_err("8 MB do not fit into 1 MiB");
    assert!(error.to_string().starts_with("the 1000×1000 kernel matrix needs 7.6"), "{error}");
    assert!(error.to_string().ends_with("limit 1.00 MiB"), "{error}");
    assert!(error.hint().is_some_and(|h| h.contains("stream")));
}

#[test]
fn a_streamed_product_needs_no_matrix() {
    let run = Run::new().with_memory_limit(4 << 20);
    let bound = bound(3000, &run);
    let mut out = vec![0.0; 3000];
    apply(&bound, &vec![1.0; 3000], 1, &mut out, &run).expect("72 MB of matrix are never stored");
    assert!(out.iter().all(|v| *v >= 1.0));
}

#[test]
fn memory_is_given_back() {
    let run = Run::new().with_memory_limit(9 << 20);
    let bound = bound(1000, &run);
    let before = run.memory_left();
    for _ in 0..3 {
        let gram = dense::<f64>(&bound, &run).expect("fits");
        assert_eq!(before - run.memory_left(), 8_000_000);
        drop(gram);
    }
    assert_eq!(run.memory_left(), before);
}

#[test]
fn a_deadline_and_an_interrupt_stop_the_work() {
    let late = Run::new().with_deadline(Duration::ZERO);
    let error = dense::<f64>(&bound(600, &Run::new()), &late).map(|_| ()).expect_err("no time at all");
    assert!(matches!(&error, Error::Cancelled { by, .. } if by == "the deadline"), "{error}");
    let interrupted = Run::new().with_cancel(Arc::new(AtomicBool::new(true)));
    let mut out = vec![0.0; 600];
    let error = apply(&bound(600, &Run::new()), &vec![1.0; 600], 1, &mut out, &interrupted).expect_err("interrupted");
    assert!(matches!(&error, Error::Cancelled { by, .. } if by == "an interrupt"), "{error}");
}

#[derive(Default)]
struct Count {
    steps: AtomicU64,
    total: AtomicU64,
    ended: AtomicBool,
}

impl Observer for Count {
    fn on_event(&self, event: &Event<'_>) {
        match event {
            Event::Begin { total, .. } => self.total.store(total.unwrap_or(0), Ordering::Relaxed),
            Event::Step { .. } => drop(self.steps.fetch_add(1, Ordering::Relaxed)),
            Event::End { .. } => self.ended.store(true, Ordering::Relaxed),
            _ => {}
        }
    }
}

#[test]
fn progress_runs_from_begin_to_end() {
    let count = Arc::new(Count::default());
    let run = Run::new().with_observer(count.clone());
    dense::<f64>(&bound(1000, &run), &run).expect("fits");
    assert_eq!(count.steps.load(Ordering::Relaxed), count.total.load(Ordering::Relaxed));
    assert!(count.steps.load(Ordering::Relaxed) > 1);
    assert!(count.ended.load(Ordering::Relaxed));
}
