//! NumPy's `.npy`, version 1: a short header, then the values in C order.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

use super::{FillRows, MatrixShape, each_block};

pub(super) fn write(out: &mut impl Write, path: &Path, shape: &MatrixShape<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let failed = |e| Error::io(path, e);
    out.write_all(&header(shape)).map_err(failed)?;
    let mut bytes = Vec::new();
    each_block(shape, fill, |values| {
        bytes.clear();
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        out.write_all(&bytes).map_err(failed)
    })
}

/// Magic, version, length, and a Python dictionary padded so that the values start at a multiple
/// of 64 bytes.
fn header(shape: &MatrixShape<'_>) -> Vec<u8> {
    let dictionary =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", shape.nrows, shape.ncols);
    let padding = 63 - (10 + dictionary.len()) % 64;
    let text = format!("{dictionary}{}\n", " ".repeat(padding));
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), text.as_bytes()].concat()
}
