//! Bytes to arrays.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensorError, SafeTensors};

use crate::error::{Error, Result, human_bytes, quote_list};

use super::checksum::{Checksum, unsealed};
use super::{KEY, LONGEST_TEXT};

/// Hands out the arrays of a file, each once. Lengths are those of the file: nothing is reserved on the
/// word of a header.
#[derive(Debug)]
pub struct Reader<'a> {
    path: PathBuf,
    text: String,
    arrays: SafeTensors<'a>,
    left: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    /// Reads the header. `path` is for messages.
    pub fn new(bytes: &'a [u8], path: &Path) -> Result<Self> {
        let refuse = |problem: String| Error::Format { path: path.to_owned(), problem };
        // The library adds offsets up without looking for overflow.
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let (_, metadata) = SafeTensors::read_metadata(bytes)?;
            Ok::<_, SafeTensorError>((metadata, SafeTensors::deserialize(bytes)?))
        }));
        let (metadata, arrays) = match opened {
            Ok(Ok(read)) => read,
            Ok(Err(SafeTensorError::HeaderTooSmall)) => return Err(refuse("the file is cut off".into())),
            Ok(Err(SafeTensorError::MetadataIncompleteBuffer)) => {
                return Err(refuse("the file is cut off, or has bytes after its end".into()));
            }
            Ok(Err(error)) => return Err(refuse(format!("the file is damaged, or not safetensors: {error}"))),
            Err(_) => return Err(refuse("the file is damaged: its offsets make no sense".into())),
        };
        let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).cloned();
        let text = text.ok_or_else(|| refuse(format!("the file has no text under the key `{KEY}`")))?;
        if text.len() > LONGEST_TEXT {
            let size = human_bytes(text.len() as u128);
            return Err(refuse(format!("its text is {size} long, above {}", human_bytes(LONGEST_TEXT as u128))));
        }
        let left: BTreeSet<String> = arrays.names().into_iter().map(str::to_owned).collect();
        let Some((claimed, text)) = unsealed(&text) else {
            let problem = "the file has no checksum: it was written by another version of mercer, or is damaged";
            return Err(refuse(problem.into()));
        };
        let mut sum = Checksum::new(text);
        for name in &left {
            let array = arrays.tensor(name).map_err(|e| refuse(format!("the array `{name}`: {e}")))?;
            sum.add(name, array.dtype(), array.shape(), array.data());
        }
        if sum.value() != claimed {
            return Err(refuse("the file is damaged: its bytes are not those that were written".into()));
        }
        let text = text.to_owned();
        Ok(Reader { path: path.to_owned(), text, arrays, left })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is an array of this name that was not read yet.
    pub fn has(&self, name: &str) -> bool {
        self.left.contains(name)
    }

    /// Numbers of this shape, row-major.
    pub fn numbers(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let bytes = self.take(name, Dtype::F64, Some(shape))?;
        Ok(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }

    /// Numbers in rows of `width`, however many.
    pub fn rows(&mut self, name: &str, width: usize) -> Result<Vec<f64>> {
        let rows = self.arrays.tensor(name).ok().and_then(|t| t.shape().first().copied()).unwrap_or(0);
        self.numbers(name, &[rows, width])
    }

    /// A list of numbers, however many.
    pub fn list(&mut self, name: &str) -> Result<Vec<f64>> {
        let length = self.arrays.tensor(name).ok().and_then(|t| t.shape().first().copied()).unwrap_or(0);
        self.numbers(name, &[length])
    }

    /// So many positions.
    pub fn places(&mut self, name: &str, length: usize) -> Result<Vec<u64>> {
        let bytes = self.take(name, Dtype::U64, Some(&[length]))?;
        Ok(bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
    }

    /// So many codes.
    pub fn codes(&mut self, name: &str, length: usize) -> Result<Vec<u32>> {
        let bytes = self.take(name, Dtype::U32, Some(&[length]))?;
        Ok(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }

    /// Bytes, however many.
    pub fn bytes(&mut self, name: &str) -> Result<&'a [u8]> {
        self.take(name, Dtype::U8, None)
    }

    /// Fails if an array was not asked for.
    pub fn check_all_read(&self) -> Result<()> {
        if self.left.is_empty() {
            return Ok(());
        }
        let names: Vec<&String> = self.left.iter().collect();
        Err(self.refuse(format!("the arrays {} have no meaning here", quote_list(&names))))
    }

    /// The error of a file with this problem.
    pub fn refuse(&self, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), problem: problem.into() }
    }

    fn take(&mut self, name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Result<&'a [u8]> {
        if !self.left.remove(name) {
            return Err(self.refuse(format!("the array `{name}` is missing")));
        }
        let array = self.arrays.tensor(name).map_err(|e| self.refuse(format!("the array `{name}`: {e}")))?;
        if array.dtype() != dtype {
            return Err(self.refuse(format!("the array `{name}` holds {}, expected {dtype}", array.dtype())));
        }
        let fits = shape.map_or(array.shape().len() == 1, |s| s == array.shape());
        if !fits {
            let expected = shape.map_or_else(|| "a list".to_owned(), |s| format!("{s:?}"));
            return Err(self.refuse(format!("the array `{name}` has shape {:?}, expected {expected}", array.shape())));
        }
        Ok(array.data())
    }
}
