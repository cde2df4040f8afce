//! FASTA and FASTQ: sequences under names.
//!
//! A record of FASTA is a line `>id description` and the lines of its sequence up to the next; of FASTQ, `@id description`, the
//! sequence, a line that begins with `+`, and as many marks of quality as the sequence has letters. The table has the columns
//! `id`, `description` where some record has one, `sequence` and, of FASTQ, `quality`. White space inside sequences and blank
//! lines are left out, and so are lines that begin with `;`; letters stay as they are. A record without letters is the empty sequence.

use crate::error::{Error, Result};

use super::super::text::TextBuilder;
use super::super::{ColumnType, Table};
use super::infer;
use super::options::ReadOptions;
use super::source::Source;
use super::watch::{BLOCK, Watch};

/// What is wrong with a line.
type Fault = (u64, String);

/// One record under way.
#[derive(Default)]
struct Record {
    line: u64,
    id: String,
    description: String,
    sequence: String,
    quality: String,
}

/// Where a line belongs to.
#[derive(PartialEq)]
enum Part {
    Nothing,
    Sequence,
    Quality,
}

/// The records so far.
struct Records {
    quality: bool,
    part: Part,
    record: Record,
    columns: [(&'static str, TextBuilder); 4],
    described: bool,
}

/// Reads a whole file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<Table> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    let wrong = |(line, problem): Fault| Error::Data {
        path: path.clone(),
        line: Some(line),
        column: None,
        problem,
        hint: Some("sequences stand under lines that begin with `>` (FASTA) or `@` (FASTQ)".into()),
    };
    let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
    let mut records = Records::new(first == Some(&b'@'));
    let (mut unseen, mut lines) = (0, 0);
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        unseen += line.len() + 1;
        if unseen >= BLOCK {
            watch.step()?;
            watch.hold(unseen)?;
            unseen = 0;
        }
        lines = i as u64 + 1;
        let text = std::str::from_utf8(line).map_err(|_| wrong((lines, "the line is not UTF-8 text".into())))?;
        records.line(lines, text.trim_end_matches('\r')).map_err(wrong)?;
    }
    records.end(lines).map_err(wrong)?;
    records.table(options).map_err(|(name, e)| Error::Data {
        path: path.clone(),
        line: None,
        column: Some(name),
        problem: e,
        hint: None,
    })?
}

impl Records {
    fn new(quality: bool) -> Self {
        let columns = ["id", "description", "sequence", "quality"].map(|name| (name, TextBuilder::default()));
        Records { quality, part: Part::Nothing, record: Record::default(), columns, described: false }
    }

    fn line(&mut self, at: u64, line: &str) -> Result<(), Fault> {
        let open = if self.quality { '@' } else { '>' };
        // Marks of quality may look like any line.
        let full = self.record.quality.len() >= self.record.sequence.len();
        match self.part {
            Part::Quality if !full => self.record.quality.extend(line.split_ascii_whitespace()),
            _ if line.trim().is_empty() => {}
            Part::Quality | Part::Nothing if line.starts_with(open) => self.begin(at, &line[1..])?,
            Part::Sequence if !self.quality && line.starts_with(open) => self.begin(at, &line[1..])?,
            Part::Sequence if self.quality && line.starts_with('+') => self.part = Part::Quality,
            _ if line.starts_with(';') && !self.quality => {}
            Part::Sequence => self.record.sequence.extend(line.split_whitespace()),
            Part::Nothing | Part::Quality => {
                let shown: String = line.chars().take(20).collect();
                return Err((at, format!("expected a line that begins with `{open}`, got `{shown}`")));
            }
        }
        Ok(())
    }

    /// Ends the record before, and begins one with this header.
    fn begin(&mut self, at: u64, header: &str) -> Result<(), Fault> {
        self.end(at)?;
        let (id, description) = header.trim().split_once(char::is_whitespace).unwrap_or((header.trim(), ""));
        self.record = Record { line: at, id: id.into(), description: description.trim().into(), ..Record::default() };
        self.part = Part::Sequence;
        Ok(())
    }

    /// Ends the record under way.
    fn end(&mut self, at: u64) -> Result<(), Fault> {
        let record = std::mem::take(&mut self.record);
        if self.part == Part::Nothing {
            return Ok(());
        }
        let (letters, marks) = (record.sequence.len(), record.quality.len());
        if self.quality && letters != marks {
            let problem =
                format!("the record of line {} has {letters} letters and {marks} marks of quality", record.line);
            return Err((at, problem));
        }
        self.described |= !record.description.is_empty();
        let cells = [record.id, record.description, record.sequence, record.quality];
        self.columns.iter_mut().zip(cells).for_each(|((_, column), cell)| column.push(Some(&cell)));
        Ok(())
    }

    /// The columns that are kept; or the name of one that is not as it was asked for, and why.
    fn table(self, options: &ReadOptions) -> Result<Result<Table>, (String, String)> {
        let Records { quality, described, columns, .. } = self;
        let there = |name: &str| match name {
            "description" => described,
            "quality" => quality,
            _ => true,
        };
        let columns: Vec<(&str, TextBuilder)> = columns.into_iter().filter(|(name, _)| there(name)).collect();
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        if let Err(e) = options.check_names(&names) {
            return Ok(Err(e));
        }
        let mut finished = Vec::new();
        for (name, texts) in columns.into_iter().filter(|(name, _)| options.keeps(name)) {
            let plain = matches!(name, "sequence" | "quality").then_some(ColumnType::TEXT);
            let wanted = options.types.get(name).copied().or(plain);
            let column = infer::words(texts.finish(), wanted)
                .map_err(|bad| (name.to_owned(), format!("record {}: {}", bad.row + 1, bad.problem())))?;
            finished.push((name.to_owned(), column));
        }
        Ok(Table::new(finished))
    }
}

/// Whether text begins as FASTA or FASTQ does: a line that begins with `>`, or one with `@` and a later one with `+`.
pub(super) fn looks_like_it(head: &[u8]) -> bool {
    let content = |line: &&[u8]| line.iter().any(|b| !b.is_ascii_whitespace());
    let mut lines = head.split(|b| *b == b'\n').filter(content);
    match lines.next().and_then(|line| line.first()) {
        Some(b'>') => true,
        Some(b'@') => lines.any(|line| line.first() == Some(&b'+')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::read_from;
    use crate::data::{Column, Dataset};
    use crate::run::Run;

    fn read(text: &str) -> Result<Dataset> {
        read_from(text.as_bytes(), "reads", &ReadOptions::default(), &Run::new())
    }

    fn cells(data: &Dataset, name: &str) -> Vec<String> {
        let table = data.table().expect("a table");
        match table.column(name) {
            Some(Column::Structured(values)) => (0..values.len()).map(|i| values.cell(i).into_owned()).collect(),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn records_of_many_lines_are_joined() {
        let data = read("\n>one first of all\r\nACGT\r\nac gt\n\n>two\n; remark\n>three x\nNN\n").expect("records");
        assert_eq!(cells(&data, "id"), ["one", "two", "three"]);
        assert_eq!(cells(&data, "sequence"), ["ACGTacgt", "", "NN"]);
        assert_eq!(cells(&data, "description"), ["first of all", "", "x"]);
    }

    #[test]
    fn marks_of_quality_may_look_like_headers() {
        let data = read("@a\nACGT\nAC\n+a\n@II>\n+I\n@b x\nG\n+\n@\n").expect("records");
        assert_eq!(cells(&data, "sequence"), ["ACGTAC", "G"]);
        assert_eq!(cells(&data, "quality"), ["@II>+I", "@"]);
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        let problem = |text: &str| read(text).expect_err("refused").to_string();
        let said = problem("@a\nACGT\n+\nII\n");
        assert!(said.contains("line 5") && said.contains("of line 1 has 4 letters and 2 marks of quality"), "{said}");
        let bytes = b">a\nAC\xff\n";
        let refused = read_from(&bytes[..], "x.fa", &ReadOptions::default(), &Run::new()).expect_err("refused");
        assert!(refused.to_string().contains("line 2") && refused.to_string().contains("UTF-8"), "{refused}");
        let options = ReadOptions { format: Some(super::super::FileFormat::Fasta), ..ReadOptions::default() };
        let refused = read_from(&b"ACGT\n>a\nA\n"[..], "x", &options, &Run::new()).expect_err("refused");
        assert!(refused.to_string().contains("line 1") && refused.to_string().contains("begins with `>`"), "{refused}");
    }
}
