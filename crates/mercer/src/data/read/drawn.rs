//! Files that are drawn by chance, written by hand and read: sequences, and lists in cells and in Arrow. What was drawn is what must
//! be read. The same files with bytes changed must be read or refused, and nothing else.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;

use crate::data::{BAG, Column, ColumnType, Dataset, FileFormat, ReadOptions, SET, read_from};
use crate::error::Result;
use crate::run::Run;
use crate::testkit::points::Chance;
use crate::testkit::sequences::{any_seed, long_rounds};

fn read(bytes: &[u8], format: FileFormat, types: &[(&str, ColumnType)]) -> Result<Dataset> {
    let types = types.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    let options = ReadOptions { format: Some(format), types, max_bytes: Some(1 << 26), ..ReadOptions::default() };
    read_from(bytes, "drawn", &options, &Run::new())
}

/// The cells of a column as text.
fn cells(data: &Dataset, name: &str) -> Vec<Option<String>> {
    let table = data.table().expect("a table");
    let column = table.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
    match column {
        Column::Structured(v) => v.cells().map(|cell| cell.map(|c| c.to_string())).collect(),
        Column::Category(c) => (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect(),
        Column::Number(v) => v.iter().map(|v| (!v.is_nan()).then(|| v.to_string())).collect(),
    }
}

fn one_of<'a>(chance: &mut Chance, list: &[&'a str]) -> &'a str {
    list[chance.below(list.len())]
}

fn text(chance: &mut Chance, letters: &[char], most: usize) -> String {
    (0..chance.below(most + 1)).map(|_| letters[chance.below(letters.len())]).collect()
}

/// A file of sequences, and the sequences and marks of quality it holds.
fn sequences(chance: &mut Chance) -> (Vec<u8>, Vec<String>, Option<Vec<String>>) {
    let (marked, end) = (chance.below(2) == 0, one_of(chance, &["\n", "\r\n"]));
    let letters = ['A', 'c', 'G', 'T', 'N', '-', '*', 'é'];
    let marks: Vec<char> = ('!'..='~').collect();
    let (mut file, mut all, mut qualities) = (String::new(), Vec::new(), Vec::new());
    for at in 0..1 + chance.below(5) {
        let sequence = text(chance, if marked { &letters[..5] } else { &letters }, 30);
        let blank = if marked { "" } else { one_of(chance, &["", "\n", "  \n", "; a remark\n"]) };
        file += &format!("{}r{at}{}{end}{blank}", if marked { '@' } else { '>' }, one_of(chance, &["", " x", "\ty z"]));
        broken(chance, &sequence, end, &mut file);
        if marked {
            let quality: String = sequence.chars().map(|_| marks[chance.below(marks.len())]).collect();
            file += &format!("+{end}");
            broken(chance, &quality, end, &mut file);
            qualities.push(quality);
        }
        all.push(sequence);
    }
    (file.into_bytes(), all, marked.then_some(qualities))
}

/// The text in lines of any lengths.
fn broken(chance: &mut Chance, text: &str, end: &str, file: &mut String) {
    let letters: Vec<char> = text.chars().collect();
    for line in letters.chunks(1 + chance.below(12)) {
        file.extend(line);
        file.push_str(end);
    }
}

/// Bytes of a file changed, left out, doubled or cut off.
fn spoilt(chance: &mut Chance, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + chance.below(4) {
        let at = chance.below(bytes.len().max(1));
        match chance.below(5) {
            _ if bytes.is_empty() => {}
            0 => bytes[at] = chance.below(256) as u8,
            1 => bytes[at] ^= 1 << chance.below(8),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => bytes.extend_from_within(at..(at + chance.below(40)).min(bytes.len())),
        }
    }
    bytes
}

/// Any answer is fine but a panic and a table without rows.
fn answers(bytes: &[u8], format: FileFormat, types: &[(&str, ColumnType)]) {
    match read(bytes, format, types) {
        Ok(data) => assert!(!data.is_empty()),
        Err(e) => drop((e.to_string(), e.hint())),
    }
}

fn sequences_are_read(chance: &mut Chance) {
    let (file, sequences, qualities) = sequences(chance);
    let data =
        read(&file, FileFormat::Fasta, &[]).unwrap_or_else(|e| panic!("{e}: {:?}", String::from_utf8_lossy(&file)));
    let some = |list: Vec<String>| list.into_iter().map(Some).collect::<Vec<_>>();
    assert_eq!(cells(&data, "sequence"), some(sequences), "{:?}", String::from_utf8_lossy(&file));
    if let Some(qualities) = qualities {
        assert_eq!(cells(&data, "quality"), some(qualities), "{:?}", String::from_utf8_lossy(&file));
    }
    answers(&spoilt(chance, file), FileFormat::Fasta, &[]);
}

/// A list of words or of points, as JSON spells it; `None` is missing.
type Lists<T> = Vec<Option<Vec<T>>>;

fn lists<T>(chance: &mut Chance, mut element: impl FnMut(&mut Chance) -> T) -> Lists<T> {
    let rows = 2 + chance.below(6);
    (0..rows).map(|_| (chance.below(6) > 0).then(|| (0..chance.below(4)).map(|_| element(chance)).collect())).collect()
}

fn word(chance: &mut Chance) -> String {
    let letters = ['a', 'b', '"', ',', '|', '\\', ' ', '[', 'ß', '語'];
    format!("x{}", text(chance, &letters, 5)).trim().to_owned()
}

fn number(chance: &mut Chance) -> f64 {
    [0.0, 1.0, -2.5, 1e300, 5e-324, 0.1][chance.below(6)] * f64::from(chance.below(3) as u32)
}

/// The cells that must be read: words sorted, with repetitions, or numbers in their order.
fn expected_words(lists: &Lists<String>) -> Vec<Option<Vec<String>>> {
    let sorted = |list: &Vec<String>| {
        let mut list = list.clone();
        list.sort();
        list
    };
    lists.iter().map(|list| list.as_ref().map(sorted)).collect()
}

fn read_words(data: &Dataset) -> Vec<Option<Vec<String>>> {
    let parse = |cell: String| {
        let mut list: Vec<String> = serde_json::from_str(&cell).unwrap_or_else(|e| panic!("{e}: {cell}"));
        list.sort();
        list
    };
    cells(data, "cell").into_iter().map(|cell| cell.map(parse)).collect()
}

fn read_numbers(data: &Dataset) -> Lists<f64> {
    let parse = |cell: String| {
        let list: Vec<Vec<f64>> = serde_json::from_str(&cell).unwrap_or_else(|e| panic!("{e}: {cell}"));
        list.concat()
    };
    cells(data, "cell").into_iter().map(|cell| cell.map(parse)).collect()
}

/// A CSV file with a column of lists beside numbers.
fn csv<T: serde::Serialize>(lists: &Lists<T>) -> Vec<u8> {
    let mut file = "cell,other\n".to_owned();
    for (i, list) in lists.iter().enumerate() {
        let cell = list.as_ref().map(|list| serde_json::to_string(list).expect("JSON")).unwrap_or_default();
        file += &format!("\"{}\",{i}\n", cell.replace('"', "\"\""));
    }
    file.into_bytes()
}

fn arrow(column: ArrayRef) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable([("cell", column, true)]).expect("a batch");
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("finished");
    drop(writer);
    file
}

fn words_in_arrow(lists: &Lists<String>) -> Vec<u8> {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for list in lists {
        list.iter().flatten().for_each(|word| builder.values().append_value(word));
        builder.append(list.is_some());
    }
    arrow(Arc::new(builder.finish()))
}

fn numbers_in_arrow(lists: &Lists<f64>) -> Vec<u8> {
    let mut builder = ListBuilder::new(Float64Builder::new());
    for list in lists {
        list.iter().flatten().for_each(|v| builder.values().append_value(*v));
        builder.append(list.is_some());
    }
    arrow(Arc::new(builder.finish()))
}

fn lists_are_read(chance: &mut Chance) {
    let (words, numbers) = (lists(chance, word), lists(chance, number));
    let (sets, bags) = ([("cell", ColumnType::Structured(&SET))], [("cell", ColumnType::Structured(&BAG))]);
    let files = [(csv(&words), FileFormat::Csv), (words_in_arrow(&words), FileFormat::Arrow)];
    for (file, format) in files {
        let data = read(&file, format, &sets).unwrap_or_else(|e| panic!("{e}: {words:?}"));
        assert_eq!(read_words(&data), expected_words(&words), "{format:?}");
        answers(&spoilt(chance, file), format, &sets);
    }
    let files = [(csv(&numbers), FileFormat::Csv), (numbers_in_arrow(&numbers), FileFormat::Arrow)];
    for (file, format) in files {
        let data = read(&file, format, &bags).unwrap_or_else(|e| panic!("{e}: {numbers:?}"));
        assert_eq!(read_numbers(&data), numbers, "{format:?}");
        answers(&spoilt(chance, file), format, &bags);
    }
}

fn attacked(seed: u64, rounds: usize) {
    let mut chance = Chance::new(seed);
    for _ in 0..rounds {
        sequences_are_read(&mut chance);
        lists_are_read(&mut chance);
    }
}

#[test]
fn what_was_drawn_is_read() {
    attacked(18, 300);
}

#[test]
#[ignore = "long; see CONTRIBUTING.md"]
fn readers_attacked_for_long() {
    attacked(any_seed(), long_rounds(20_000));
}
