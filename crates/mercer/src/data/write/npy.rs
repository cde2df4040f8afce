//! NumPy's `.npy`, version 1: a short header, then the values in C order.

use std::io::Write;

use crate::error::{Error, Result};

use super::{FillRows, Part, Precision, each_block};

pub(super) fn write(out: &mut impl Write, part: Part<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let failed = |e| Error::io(part.name, e);
    out.write_all(&header(part)).map_err(failed)?;
    let mut bytes = Vec::new();
    each_block(part, fill, |values| {
        match part.precision {
            Precision::Double => pack(&mut bytes, values, f64::to_le_bytes),
            Precision::Single => pack(&mut bytes, values, |v| (v as f32).to_le_bytes()),
        }
        out.write_all(&bytes).map_err(failed)
    })
}

/// Replaces `bytes` by the numbers, N bytes each.
fn pack<const N: usize>(bytes: &mut Vec<u8>, values: &[f64], bytes_of: impl Fn(f64) -> [u8; N]) {
    bytes.resize(N * values.len(), 0);
    bytes.chunks_exact_mut(N).zip(values).for_each(|(out, v)| out.copy_from_slice(&bytes_of(*v)));
}

/// Magic, version, length, and a Python dictionary padded so that the values start at a multiple
/// of 64 bytes.
fn header(part: Part<'_>) -> Vec<u8> {
    let kind = match part.precision {
        Precision::Double => "<f8",
        Precision::Single => "<f4",
    };
    let (nrows, ncols) = (part.shape.nrows, part.shape.ncols);
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({nrows}, {ncols}), }}");
    let padding = 63 - (10 + dictionary.len()) % 64;
    let text = format!("{dictionary}{}\n", " ".repeat(padding));
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), text.as_bytes()].concat()
}
