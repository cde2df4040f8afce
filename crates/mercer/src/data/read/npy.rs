//! NumPy's `.npy`: one array becomes dense rows.
//!
//! Values are read in blocks, since the length a header claims is not to be trusted with an
//! allocation.

use crate::error::{Error, Result};

use super::super::{Inputs, Rows};
use super::npy_header::{self, Header};
use super::source::Source;
use super::watch::{BLOCK, Watch};

/// Longest header that is believed; real ones have about a hundred bytes.
const LONGEST_HEADER: usize = 1 << 20;

/// A plain array of numbers, in C order.
pub(super) struct Array {
    /// One or two sizes.
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// Reads a whole file: one column from a one-dimensional array, rows from a two-dimensional one.
pub(super) fn read(source: Source<'_>, watch: &Watch<'_>) -> Result<Inputs> {
    let array = array(source, watch)?;
    let (nrows, ncols) = (array.shape[0], array.shape.get(1).copied().unwrap_or(1));
    let _shared = watch.lend(8 * array.values.len() as u64)?;
    Ok(Rows::new(array.values, nrows, ncols)?.into())
}

/// Reads an array of at most two dimensions.
pub(super) fn array(mut source: Source<'_>, watch: &Watch<'_>) -> Result<Array> {
    let header = header(&mut source)?;
    let element = element(&header).map_err(|problem| problem.error(&source))?;
    let shape = shape(&header, &source)?;
    let bytes = shape.iter().try_fold(element.size, |n, s| n.checked_mul(*s));
    let bytes = bytes.filter(|n| isize::try_from(*n).is_ok()).ok_or_else(|| too_short(&source, &shape))?;
    if source.len.is_some_and(|len| len < bytes as u64) {
        return Err(too_short(&source, &shape));
    }
    let stored = values(&mut source, bytes, &element, watch)?.ok_or_else(|| too_short(&source, &shape))?;
    Ok(match (header.fortran_order, shape.as_slice()) {
        (true, [n, d]) => {
            let _beside = watch.lend(8 * stored.len() as u64)?;
            Array { values: transposed(&stored, *n, *d), shape }
        }
        _ => Array { values: stored, shape },
    })
}

/// Parses the header, having checked the length it claims.
fn header(source: &mut Source<'_>) -> Result<Header> {
    let mut bytes = vec![0; 12];
    let damaged = |source: &Source<'_>, why: &str| source.format_error(format!("not a whole NumPy file: {why}"));
    let filled = source.fill(&mut bytes)?;
    if filled < 12 || !bytes.starts_with(b"\x93NUMPY") {
        return Err(damaged(source, "the header is missing"));
    }
    let (start, length) = match bytes[6] {
        1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
        _ => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
    };
    if !(2..=LONGEST_HEADER).contains(&length) {
        return Err(damaged(source, "the header has an impossible length"));
    }
    bytes.resize(start + length, 0);
    if source.fill(&mut bytes[12..])? < start + length - 12 {
        return Err(damaged(source, "the header ends too early"));
    }
    let text = std::str::from_utf8(&bytes[start..]).map_err(|_| damaged(source, "the header is not text"))?;
    npy_header::parse(text).map_err(|expected| damaged(source, &format!("in the header, {expected} was expected")))
}

/// How one number is stored.
struct Element {
    /// NumPy's letter: `b` for truth values, `i` and `u` for whole numbers, `f` for others.
    kind: char,
    size: usize,
    big: bool,
}

/// Why a type is refused, and what to do.
struct Refused {
    what: &'static str,
    instead: &'static str,
}

impl Refused {
    fn error(&self, source: &Source<'_>) -> Error {
        Error::Unsupported {
            what: format!("{}: reading {}", source.path.display(), self.what),
            alternative: self.instead.into(),
        }
    }
}

/// Reads a type such as `<f8`: byte order, letter, bytes.
fn element(header: &Header) -> Result<Element, Refused> {
    let refused = |what, instead| Err(Refused { what, instead });
    let Some(descr) = &header.descr else {
        return refused("a structured array", "save its fields as columns of a Parquet or CSV file");
    };
    let plain = descr.trim_start_matches(['<', '>', '|', '=']);
    let mut letters = plain.chars();
    let (kind, size) = (letters.next().unwrap_or(' '), letters.as_str().parse().unwrap_or(0));
    match (kind, size) {
        ('b', 1) | ('i' | 'u', 1 | 2 | 4 | 8) | ('f', 4 | 8) => Ok(Element { kind, size, big: descr.starts_with('>') }),
        ('f', _) => refused("numbers of 2 or 16 bytes", "save the array with `.astype('float64')`"),
        ('O', _) => refused("an array of Python objects", "save the array with `.astype('float64')`"),
        ('c', _) => refused("complex numbers", "save real and imaginary parts as two columns"),
        ('S' | 'a' | 'U', _) => refused("an array of strings", "save the strings as a CSV file"),
        _ => refused("an array of dates, times or raw bytes", "save numbers, such as days since a fixed date"),
    }
}

fn shape(header: &Header, source: &Source<'_>) -> Result<Vec<usize>> {
    match header.shape.len() {
        1 | 2 => Ok(header.shape.clone()),
        0 => Err(source.format_error("the array is a single number; rows need one or two dimensions")),
        k => Err(Error::Unsupported {
            what: format!("{}: reading an array of {k} dimensions as rows", source.path.display()),
            alternative: "save it with `.reshape(len(a), -1)`".into(),
        }),
    }
}

fn too_short(source: &Source<'_>, shape: &[usize]) -> Error {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    source.format_error(format!(
        "the header promises {} values, the file holds fewer: it is truncated or damaged",
        sizes.join("×")
    ))
}

/// The stored numbers, or `None` if there are fewer than promised.
fn values(source: &mut Source<'_>, bytes: usize, element: &Element, watch: &Watch<'_>) -> Result<Option<Vec<f64>>> {
    // An unknown length is not trusted: the vector then grows with what is really there.
    let known = source.len.map_or(0, |_| bytes / element.size);
    let mut values = Vec::with_capacity(known);
    let mut block = vec![0; BLOCK.min(bytes)];
    let mut left = bytes;
    while left > 0 {
        let part = &mut block[..left.min(BLOCK)];
        watch.step()?;
        watch.hold(part.len() / element.size * size_of::<f64>())?;
        if source.fill(part)? < part.len() {
            return Ok(None);
        }
        decode(part, element, &mut values);
        left -= left.min(BLOCK);
    }
    Ok(Some(values))
}

/// Appends the numbers of whole elements.
fn decode(bytes: &[u8], element: &Element, out: &mut Vec<f64>) {
    macro_rules! numbers {
        ($type:ty) => {{
            let chunks = bytes.chunks_exact(size_of::<$type>());
            let raw = |c: &[u8]| c.try_into().unwrap_or_default();
            match element.big {
                true => out.extend(chunks.map(|c| <$type>::from_be_bytes(raw(c)) as f64)),
                false => out.extend(chunks.map(|c| <$type>::from_le_bytes(raw(c)) as f64)),
            }
        }};
    }
    match (element.kind, element.size) {
        ('b', _) => out.extend(bytes.iter().map(|b| f64::from(u8::from(*b != 0)))),
        ('i', 1) => numbers!(i8),
        ('i', 2) => numbers!(i16),
        ('i', 4) => numbers!(i32),
        ('i', _) => numbers!(i64),
        ('u', 1) => numbers!(u8),
        ('u', 2) => numbers!(u16),
        ('u', 4) => numbers!(u32),
        ('u', _) => numbers!(u64),
        (_, 4) => numbers!(f32),
        _ => numbers!(f64),
    }
}

/// Row-major values of an array that is stored column after column.
fn transposed(stored: &[f64], nrows: usize, ncols: usize) -> Vec<f64> {
    (0..nrows).flat_map(|i| (0..ncols).map(move |j| stored[j * nrows + i])).collect()
}
