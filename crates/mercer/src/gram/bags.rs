//! Bags that are compared must have points of one kind.

use crate::data::PointSet;
use crate::error::{Error, Result};
use crate::kernel::bag::Bags;

use super::bind::Binder;
use super::columns::Place;
use super::structured::both;

/// Refuses columns whose bags have points of different numbers of coordinates; bags without points go with any.
pub(super) fn same_width(binder: &Binder<'_>, place: Place<'_>) -> Result<()> {
    let columns = place.names(binder.x)?;
    let (x, y) = both::<Bags>(binder, place, &columns)?;
    for (at, name) in columns.iter().enumerate() {
        let mut first = None;
        for bags in std::iter::once(&x).chain(&y).map(|side| &side[at]) {
            for row in (0..PointSet::len(bags)).filter(|row| !bags.point(*row).is_empty()) {
                let width = bags.point(row).width();
                if *first.get_or_insert(width) != width {
                    return Err(other_width(place, &name, row, width, first.unwrap_or(width)));
                }
            }
        }
    }
    Ok(())
}

fn other_width(place: Place<'_>, column: &str, row: usize, width: usize, first: usize) -> Error {
    let problem =
        format!("points of {width} in row {row} of `{column}`, and of {first} in the first bag that has points");
    let help =
        "give every bag points of as many coordinates: `[[1, 2]]` is one point of two, `[1, 2]` two points of one";
    place.error(Some(column).filter(|_| place.names_columns()), problem, Some(help.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::data::{Bag, CellValue, Inputs, Table, Values};
    use crate::kernel::KernelExpr;
    use crate::run::Run;

    fn bags(cells: &[&str]) -> Inputs {
        let column = Values::<Bag>::from_values(cells.iter().map(|c| Bag::parse(c).ok())).into();
        Table::new(vec![("cells".into(), column)]).expect("one column").into()
    }

    #[test]
    fn points_of_other_numbers_of_coordinates_are_refused() {
        let (k, run) = (KernelExpr::parse("mean_embedding(cells)").expect("a formula"), Run::new());
        let refused = k.bind(&bags(&["[]", "[[1, 2]]", "[1, 2]"]), &run).map(|_| ()).expect_err("refused").to_string();
        assert!(refused.contains("points of 1 in row 2"), "{refused}");
        let (x, y) = (bags(&["[[1, 2]]", "[]"]), bags(&["[]", "[[1, 2, 3]]"]));
        assert!(k.bind(&x, &run).is_ok() && k.bind(&y, &run).is_ok());
        assert!(k.bind_cross(&x, &y, &run).map(|_| ()).expect_err("refused").to_string().contains("in row 1"));
    }
}
