//! The arrays of one column, each under the column's own name.

use crate::data::{ReadArrays, WriteArrays};
use crate::error::{Error, Result};

use super::{Reader, Writer};

/// A writer whose arrays are called `name.part`.
#[derive(Debug)]
pub struct ColumnWriter<'a> {
    name: &'a str,
    writer: &'a mut Writer,
}

impl Writer {
    /// Writes arrays of the column `name`.
    pub fn column<'a>(&'a mut self, name: &'a str) -> ColumnWriter<'a> {
        ColumnWriter { name, writer: self }
    }
}

impl WriteArrays for ColumnWriter<'_> {
    fn numbers(&mut self, part: &str, values: &[f64]) {
        self.writer.numbers(&join(self.name, part), &[values.len()], values);
    }

    fn places(&mut self, part: &str, values: &[u64]) {
        self.writer.places(&join(self.name, part), values);
    }

    fn codes(&mut self, part: &str, values: &[u32]) {
        self.writer.codes(&join(self.name, part), values);
    }

    fn bytes(&mut self, part: &str, values: &[u8]) {
        self.writer.bytes(&join(self.name, part), values);
    }
}

/// A reader whose arrays are called `name.part`.
#[derive(Debug)]
pub struct ColumnReader<'a, 'b> {
    name: &'a str,
    reader: &'a mut Reader<'b>,
}

impl<'b> Reader<'b> {
    /// Reads arrays of the column `name`.
    pub fn column<'a>(&'a mut self, name: &'a str) -> ColumnReader<'a, 'b> {
        ColumnReader { name, reader: self }
    }
}

impl ReadArrays for ColumnReader<'_, '_> {
    fn has(&self, part: &str) -> bool {
        self.reader.has(&join(self.name, part))
    }

    fn numbers(&mut self, part: &str, length: usize) -> Result<Vec<f64>> {
        self.reader.numbers(&join(self.name, part), &[length])
    }

    fn places(&mut self, part: &str, length: usize) -> Result<Vec<u64>> {
        self.reader.places(&join(self.name, part), length)
    }

    fn codes(&mut self, part: &str, length: usize) -> Result<Vec<u32>> {
        self.reader.codes(&join(self.name, part), length)
    }

    fn bytes(&mut self, part: &str) -> Result<Vec<u8>> {
        self.reader.bytes(&join(self.name, part)).map(<[u8]>::to_vec)
    }

    fn name(&self, part: &str) -> String {
        join(self.name, part)
    }

    fn refuse(&self, problem: String) -> Error {
        self.reader.refuse(problem)
    }
}

fn join(name: &str, part: &str) -> String {
    format!("{name}.{part}")
}
