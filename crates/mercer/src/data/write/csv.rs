//! CSV with a header; every number is written so that it reads back the same.

use std::io::Write;

use crate::error::{Error, Result};

use super::{FillRows, Part, Precision, each_block};

pub(super) fn write(out: &mut impl Write, part: Part<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let shape = part.shape;
    let failed = |e| Error::io(part.name, e);
    let mut header = csv::Writer::from_writer(Vec::new());
    let names = (0..shape.ncols).map(|j| shape.name(j));
    header.write_record(names).map_err(|e| failed(e.into()))?;
    out.write_all(&header.into_inner().map_err(|e| failed(e.into_error()))?).map_err(failed)?;
    let mut text = Vec::new();
    each_block(part, fill, |values| {
        text.clear();
        for row in values.chunks_exact(shape.ncols.max(1)) {
            row_text(row, part.precision, &mut text).map_err(failed)?;
        }
        out.write_all(&text).map_err(failed)
    })
}

fn row_text(row: &[f64], precision: Precision, text: &mut Vec<u8>) -> std::io::Result<()> {
    for (j, value) in row.iter().enumerate() {
        let separator = if j == 0 { "" } else { "," };
        // The debug form is the shortest that reads back, with an exponent where it is shorter.
        match precision {
            Precision::Double => write!(text, "{separator}{value:?}")?,
            Precision::Single => write!(text, "{separator}{:?}", *value as f32)?,
        }
    }
    writeln!(text)
}
