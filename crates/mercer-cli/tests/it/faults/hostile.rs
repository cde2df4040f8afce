//! Small files that unpack to far more than they are. They are made in pieces: the memory of the test counts, too.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, StringArray, UInt8Array};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::Schema;
use mercer::data::{Categories, Column, Table, write_table};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::Folder;

const PIECE: usize = 1 << 16;

fn zeros(out: &mut impl Write, mut bytes: usize) {
    while bytes > 0 {
        let part = bytes.min(PIECE);
        out.write_all(&[0; PIECE][..part]).expect("written");
        bytes -= part;
    }
}

fn npy_header(numbers: usize, kind: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({numbers},), }}\n");
    [b"\x93NUMPY\x01\x00", (text.len() as u16).to_le_bytes().as_slice(), text.as_bytes()].concat()
}

/// An archive of two arrays of zeros, a byte each: they are packed to a thousandth, and numbers take eight bytes.
pub fn archive(folder: &Folder, name: &str, numbers: usize) {
    let mut zip = ZipWriter::new(File::create(folder.path(name)).expect("ours"));
    for array in ["a.npy", "b.npy"] {
        zip.start_file(array, SimpleFileOptions::default()).expect("begun");
        zip.write_all(&npy_header(numbers, "|u1")).expect("written");
        zeros(&mut zip, numbers);
    }
    zip.finish().expect("written");
}

/// The same number in a packed array.
pub fn packed_array(folder: &Folder, name: &str, numbers: usize) {
    let file = File::create(folder.path(name)).expect("ours");
    let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    out.write_all(&npy_header(numbers, "|u1")).expect("written");
    zeros(&mut out, numbers);
    out.finish().expect("written");
}

/// A packed table of text of which a line is a few bytes.
pub fn packed_text(folder: &Folder, name: &str, lines: usize) {
    let file = File::create(folder.path(name)).expect("ours");
    let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    out.write_all(b"a,b,c\n").expect("written");
    (0..lines).for_each(|i| writeln!(out, "{},w{},", i % 10, i % 7).expect("written"));
    out.finish().expect("written");
}

fn batch(folder: &Folder, name: &str, columns: Vec<(String, ArrayRef, bool)>, packing: Option<CompressionType>) {
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let options = IpcWriteOptions::default().try_with_compression(packing).expect("known");
    let file = File::create(folder.path(name)).expect("ours");
    let schema: &Schema = &batch.schema();
    let mut writer = FileWriter::try_new_with_options(file, schema, options).expect("begun");
    writer.write(&batch).expect("written");
    writer.finish().expect("written");
}

/// Columns of nothing, which have no bytes at all.
pub fn nulls(folder: &Folder, name: &str, rows: usize) {
    let columns = (0..3).map(|j| (format!("x{j}"), Arc::new(NullArray::new(rows)) as ArrayRef, true));
    batch(folder, name, columns.collect(), None);
}

/// Columns of the same number, packed.
pub fn packed_batch(folder: &Folder, name: &str, rows: usize, columns: usize) {
    let same: ArrayRef = Arc::new(UInt8Array::from(vec![7; rows]));
    let columns = (0..columns).map(|j| (format!("x{j}"), Arc::clone(&same), true));
    batch(folder, name, columns.collect(), Some(CompressionType::ZSTD));
}

/// One long word in every row, which a dictionary stores once.
pub fn repeated_word(folder: &Folder, name: &str, length: usize, rows: usize) {
    let codes = vec![0; rows];
    let word = Categories::from_codes(codes, vec!["w".repeat(length)]);
    write_table(folder.path(name), &Table::new(vec![("w".into(), Column::Category(word))]).expect("a table"))
        .expect("written");
}

/// The same text as an array of its own, for files that have no dictionary.
pub fn long_text(folder: &Folder, name: &str, length: usize, rows: usize) {
    let word = "w".repeat(length);
    let texts: ArrayRef = Arc::new(StringArray::from(vec![word.as_str(); rows]));
    batch(folder, name, vec![("w".into(), texts, true)], Some(CompressionType::ZSTD));
}
