//! Arrays to bytes.

use std::borrow::Cow;

use safetensors::{Dtype, View};

use crate::error::{Error, Result, human_bytes};

use super::checksum::{Checksum, sealed};
use super::{KEY, LONGEST_TEXT};

/// Collects named arrays, little-endian whatever the machine.
#[derive(Debug)]
pub struct Writer {
    text: String,
    arrays: Vec<(String, Array)>,
}

#[derive(Debug)]
struct Array {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for &Array {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.bytes.as_slice().into()
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

impl Writer {
    /// Begins with the text.
    pub fn new(text: impl Into<String>) -> Self {
        Writer { text: text.into(), arrays: Vec::new() }
    }

    /// Adds numbers, row-major, of a shape with as many places.
    pub fn numbers(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        self.add(name, Dtype::F64, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect());
    }

    /// Adds positions.
    pub fn places(&mut self, name: &str, values: &[u64]) {
        self.add(name, Dtype::U64, &[values.len()], values.iter().flat_map(|v| v.to_le_bytes()).collect());
    }

    /// Adds codes.
    pub fn codes(&mut self, name: &str, values: &[u32]) {
        self.add(name, Dtype::U32, &[values.len()], values.iter().flat_map(|v| v.to_le_bytes()).collect());
    }

    /// Adds bytes.
    pub fn bytes(&mut self, name: &str, values: &[u8]) {
        self.add(name, Dtype::U8, &[values.len()], values.to_vec());
    }

    fn add(&mut self, name: &str, dtype: Dtype, shape: &[usize], bytes: Vec<u8>) {
        self.arrays.push((name.to_owned(), Array { dtype, shape: shape.to_vec(), bytes }));
    }

    /// The file.
    pub fn finish(self) -> Result<Vec<u8>> {
        let too_long = |bytes: usize| Error::Unsupported {
            what: format!("a model file with {} of names and settings", human_bytes(bytes as u128)),
            alternative: "use fewer columns, categories or settings".into(),
        };
        let length = self.text.len();
        if length > LONGEST_TEXT {
            return Err(too_long(length));
        }
        let mut sum = Checksum::new(&self.text);
        let mut arrays: Vec<&(String, Array)> = self.arrays.iter().collect();
        arrays.sort_by(|a, b| a.0.cmp(&b.0));
        arrays.iter().for_each(|(name, array)| sum.add(name, array.dtype, &array.shape, &array.bytes));
        let text = std::iter::once((KEY.to_owned(), sealed(&self.text, sum))).collect();
        // The one thing that can be wrong is a header that is too long: shapes are those of the arrays.
        safetensors::serialize(self.arrays.iter().map(|(n, a)| (n.as_str(), a)), Some(text))
            .map_err(|_| too_long(length))
    }
}
