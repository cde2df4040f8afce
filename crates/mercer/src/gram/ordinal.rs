//! Categories in an order: ranks of levels, and the order that a column knows.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::{Column, Inputs, Names};
use crate::error::{Error, Result, nearest, quote_list};
use crate::kernel::category::ordinal::LEVELS;
use crate::kernel::{Leaf, Ordinal, quoted, unresolved};

use super::bind::Binder;
use super::columns::Place;
use super::node::Node;
use super::pairs::{Paired, PointList};

/// Levels that an error names.
const NAMED: usize = 12;

/// The kernel of the ranks of levels.
pub(super) fn ordinal(binder: &Binder<'_>, place: Place<'_>, leaf: &Leaf) -> Result<Node> {
    let levels = leaf.words(LEVELS).ok_or_else(|| unresolved("ordinal.levels"))?;
    let columns = place.names(binder.x)?;
    let x = ranks(place, binder.x, &columns, levels)?;
    let y = match binder.y {
        None => None,
        Some(y) => {
            place.names(y)?;
            Some(ranks(place, y, &columns, levels)?)
        }
    };
    let points = PointList { depth: columns.len(), x, y, reserved: Vec::new() };
    let kernel = Ordinal { levels: levels.len() as u32 };
    Ok(Node::Pairs(Box::new(Paired { kernel, points, slopes: Vec::new() })))
}

/// The rank of every value, or the first one that is no level.
fn ranks(place: Place<'_>, inputs: &Inputs, columns: &Names, levels: &[String]) -> Result<Vec<u32>> {
    let ranked: HashMap<String, u32> = levels.iter().cloned().zip(0..).collect();
    let mut numbering = vec![ranked; columns.len()];
    let codes = place.codes(inputs, columns, &mut numbering)?;
    match codes.iter().position(|code| *code as usize >= levels.len()) {
        None => Ok(codes),
        Some(at) => {
            let (row, column) = (at / columns.len(), at % columns.len());
            let level = numbering[column].iter().find(|(_, code)| **code == codes[at]);
            let level = level.map(|(level, _)| level.as_str()).unwrap_or_default();
            Err(no_level(place, &columns.get(column).unwrap_or_default(), level, row, levels))
        }
    }
}

fn no_level(place: Place<'_>, column: &str, level: &str, row: usize, levels: &[String]) -> Error {
    let problem = format!("`{level}` in row {row} of `{column}` is none of the {} levels", levels.len());
    let help = match nearest(level, levels.iter().map(String::as_str)) {
        Some(near) => format!("the nearest is `{near}`; add `{level}` to `levels` where it belongs"),
        None if levels.len() <= NAMED => format!("levels are {}; add `{level}` where it belongs", quote_list(levels)),
        None => format!("add `{level}` to `levels` where it belongs"),
    };
    place.error(Some(column).filter(|_| place.names_columns()), problem, Some(help))
}

/// The levels of columns that say that theirs are in order, and how they were found.
pub(super) fn order(place: Place<'_>, inputs: &Inputs) -> Result<(Arc<[String]>, String)> {
    let columns = place.names(inputs)?;
    let Inputs::Table(table) = inputs else { return Err(place.wrong_data(inputs)) };
    let mut found: Option<Arc<[String]>> = None;
    for name in columns.iter() {
        let own = table.column(&name).and_then(Column::categories).and_then(|c| c.order());
        let (own, named) = match own {
            Some(own) if !own.is_empty() => (own, Some(name.as_ref()).filter(|_| place.names_columns())),
            _ => return Err(no_order(place, &name)),
        };
        if found.as_ref().is_some_and(|other| other[..] != own[..]) {
            let problem = format!("the columns {} do not have the same levels in the same order", columns.quoted());
            let help = format!("add one kernel for each: `ordinal({}) + …`", quoted(&name));
            return Err(place.error(named, problem, Some(help)));
        }
        found = Some(own);
    }
    let levels = found.unwrap_or_else(|| Arc::from(Vec::new()));
    let shown: Vec<&str> = levels.iter().take(NAMED).map(String::as_str).collect();
    let more = if levels.len() > NAMED { " < …" } else { "" };
    Ok((Arc::clone(&levels), format!("{}{more}, the order of {}", shown.join(" < "), columns.quoted())))
}

fn no_order(place: Place<'_>, column: &str) -> Error {
    let problem = format!("the levels of `{column}` have no order that the data tells");
    let help = format!("give it, least first: `ordinal({}, levels=\"small<medium<large\")`", quoted(column));
    place.error(Some(column).filter(|_| place.names_columns()), problem, Some(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Table};
    use crate::gram::dense;
    use crate::kernel::KernelExpr;
    use crate::run::Run;

    fn sizes(ordered: bool) -> Inputs {
        let levels = ["small", "medium", "large"].map(String::from).to_vec();
        let column = Categories::from_codes(vec![2, 0, 1], levels);
        let column = if ordered { column.in_order() } else { column };
        Table::new(vec![("size".into(), column.into())]).expect("one column").into()
    }

    fn parse(formula: &str) -> KernelExpr {
        KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn the_order_is_that_of_the_formula_or_of_the_column() {
        let run = Run::new();
        let (found, how) = parse("ordinal(size)").resolve(&sizes(true).take(&[0, 1]), &run).expect("in order");
        assert_eq!(found, parse("ordinal(size, levels=\"small<medium<large\")"));
        assert_eq!(found.to_string(), "ordinal(size, levels=[\"small\", \"medium\", \"large\"])");
        assert_eq!(how[0].detail, "small < medium < large, the order of `size`");
        let gram = dense::<f64>(&found.bind(&sizes(false), &run).expect("binds"), &run).expect("fits");
        assert_eq!(gram.row(0), [1.0, 0.0, 0.5]);
        let turned = parse("ordinal(size, levels=\"medium<large<small<huge<vast\")");
        let gram = dense::<f64>(&turned.bind(&sizes(true), &run).expect("binds"), &run).expect("fits");
        assert_eq!(gram.row(0), [1.0, 0.75, 0.75]);
    }

    #[test]
    fn a_level_without_a_place_is_an_error_that_names_it() {
        let run = Run::new();
        let said = |error: Error| format!("{error} {}", error.hint().unwrap_or_default());
        let error = said(parse("ordinal(size)").resolve(&sizes(false), &run).expect_err("no order"));
        assert!(error.contains("have no order that the data tells") && error.contains("least first"), "{error}");
        let kernel = parse("ordinal(size, levels=\"small<medim<large\")");
        let error = said(kernel.bind(&sizes(true), &run).map(|_| ()).expect_err("no such level"));
        assert!(error.contains("`medium` in row 2 of `size` is none of the 3 levels"), "{error}");
        assert!(error.contains("the nearest is `medim`"), "{error}");
    }

    #[test]
    fn levels_are_checked_and_survive_printing() {
        let said = |formula: &str| KernelExpr::parse(formula).expect_err("refused").to_string();
        assert!(said("ordinal(levels=\"a<b<a\")").contains("`a` twice"));
        assert!(said("ordinal(levels=\"\")").contains("no levels"));
        assert!(said("ordinal(levels=[])").contains("no levels"));
        assert!(said("ordinal(levels=[1, 2])").contains("takes words in quotes"));
        for formula in
            ["ordinal", "ordinal(levels=data)", "ordinal(levels=[\"<5\", \"5 \"\"to\"\" 10\", \"median\", \"data\"])"]
        {
            let kernel = parse(formula);
            assert_eq!(parse(&kernel.to_string()), kernel, "{kernel}");
        }
        assert_eq!(parse("ordinal").to_string(), "ordinal(levels=data)");
        let changed = parse("ordinal").with_setting("levels", "\"a<b\"").expect("set");
        assert_eq!(changed, parse("ordinal(levels=[a, b])"));
    }
}
