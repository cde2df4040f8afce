//! Which columns each kernel of a formula reads.

use std::borrow::Cow;
use std::collections::HashSet;

use mercer::KernelExpr;
use mercer::data::{Inputs, Names, Table};
use mercer::kernel::{Columns, KernelSpec, Leaf};

/// A kernel in a formula, with the columns it reads.
#[derive(Debug)]
pub struct Reading<'a> {
    /// Its path, such as `0.rbf`.
    pub path: String,
    /// The kernel.
    pub leaf: &'a Leaf,
    /// Names of the columns, where there are data.
    pub columns: Names,
}

impl Reading<'_> {
    /// What the kernel's file says of it.
    pub fn spec(&self) -> &'static KernelSpec {
        self.leaf.spec()
    }
}

/// Every kernel of the formula, from left to right, with the columns of `inputs` it reads.
pub fn readings<'a>(expr: &'a KernelExpr, inputs: Option<&Inputs>) -> Vec<Reading<'a>> {
    let reading = |(path, node): (String, &'a KernelExpr)| {
        let KernelExpr::Leaf(leaf) = node else { return None };
        let columns = match (inputs, leaf.columns()) {
            (Some(x), columns) => expr.columns_of(columns, leaf.spec().domain, x),
            (None, Columns::Named(names)) => names.clone().into(),
            (None, Columns::All) => Names::Numbered(0),
        };
        Some(Reading { path: format!("{path}{}", leaf.spec().name), leaf, columns })
    };
    expr.paths().filter_map(reading).collect()
}

/// The columns of a table that the formula reads, in their order there.
pub fn columns_read(expr: &KernelExpr, table: &Table) -> Vec<String> {
    let inputs = Inputs::from(table.clone());
    let own = expr.nodes().filter_map(KernelExpr::own_columns);
    let read: Vec<Names> = own.map(|(columns, domain)| expr.columns_of(columns, domain, &inputs)).collect();
    // A set, not a search for each name: a table may have a million columns.
    let read: HashSet<Cow<'_, str>> = read.iter().flat_map(Names::iter).collect();
    table.names().iter().filter(|name| read.contains(name.as_str())).cloned().collect()
}
