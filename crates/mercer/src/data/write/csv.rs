//! CSV with a header; every number is written so that it reads back the same.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

use super::{FillRows, MatrixShape, each_block};

pub(super) fn write(out: &mut impl Write, path: &Path, shape: &MatrixShape<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let failed = |e| Error::io(path, e);
    let mut header = csv::Writer::from_writer(Vec::new());
    let names = (0..shape.ncols).map(|j| shape.name(j));
    header.write_record(names).map_err(|e| failed(e.into()))?;
    out.write_all(&header.into_inner().map_err(|e| failed(e.into_error()))?).map_err(failed)?;
    let mut text = Vec::new();
    each_block(shape, fill, |values| {
        text.clear();
        for row in values.chunks_exact(shape.ncols.max(1)) {
            row_text(row, &mut text).map_err(failed)?;
        }
        out.write_all(&text).map_err(failed)
    })
}

fn row_text(row: &[f64], text: &mut Vec<u8>) -> std::io::Result<()> {
    for (j, value) in row.iter().enumerate() {
        let separator = if j == 0 { "" } else { "," };
        // The debug form is the shortest that reads back, with an exponent where it is shorter.
        write!(text, "{separator}{value:?}")?;
    }
    writeln!(text)
}
