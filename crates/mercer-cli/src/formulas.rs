//! Cells of text that a spreadsheet would compute.
//!
//! A class may be called `=1+1`, or worse. CSV has no way to say that a cell is text, so spreadsheets take it for a formula.
//! The cells are data and are written as they are; on request a `'` stands before them, which spreadsheets hide.

use mercer::Result;
use mercer::data::{Categories, Column, Table, Texts};

/// Whether a spreadsheet would compute a text. A number is none: `-1` is a usual name of a class.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

/// A name or a cell of a table that a spreadsheet would compute, if there is one.
pub fn first_formula(table: &Table) -> Option<String> {
    let name = table.names().iter().find(|name| is_formula(name)).cloned();
    name.or_else(|| table.iter().find_map(|(_, column)| in_column(column)))
}

fn in_column(column: &Column) -> Option<String> {
    match column {
        Column::Category(c) => c.levels().iter().find(|level| is_formula(level)).cloned(),
        Column::Structured(v) => v.cells().flatten().find(|cell| is_formula(cell)).map(|cell| cell.into_owned()),
        _ => None,
    }
}

/// The table with a `'` before all of them.
pub fn defused(table: &Table) -> Result<Table> {
    let quoted = |text: &str| if is_formula(text) { format!("'{text}") } else { text.to_owned() };
    let column = |column: &Column| match column {
        Column::Category(c) => {
            let levels = c.levels().iter().map(|level| quoted(level)).collect();
            Categories::from_codes(c.codes().to_vec(), levels).into()
        }
        Column::Structured(v) => Texts::from_values(v.cells().map(|cell| cell.map(|cell| quoted(&cell)))).into(),
        other => other.clone(),
    };
    Table::new(table.iter().map(|(name, own)| (quoted(name), column(own))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_numbers_and_names() {
        let formulas = ["=1+1", "+a", "-a", "@SUM(A1)", "\t=1", "-1+1"];
        assert!(formulas.iter().all(|cell| is_formula(cell)));
        assert!(!["-1", "+1.5e3", "a=b", ""].iter().any(|cell| is_formula(cell)));
    }
}
