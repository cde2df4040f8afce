//! Which columns each kernel of a formula reads.

use std::borrow::Cow;
use std::collections::HashSet;

use mercer::KernelExpr;
use mercer::data::{Inputs, Names, Table};
use mercer::kernel::{Columns, Domain, Expression, KernelSpec, Leaf};

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
    let mut found = Vec::new();
    walk(expr, "", &mut |path, leaf| {
        let columns = match (inputs, leaf.columns()) {
            (Some(x), columns) => expr.columns_of(columns, leaf.spec().domain, x),
            (None, Columns::Named(names)) => names.clone().into(),
            (None, Columns::All) => Names::Numbered(0),
        };
        found.push(Reading { path: format!("{path}{}", leaf.spec().name), leaf, columns });
    });
    found
}

/// The columns of a table that the formula reads, in their order there.
pub fn columns_read(expr: &KernelExpr, table: &Table) -> Vec<String> {
    let inputs = Inputs::from(table.clone());
    let mut read: Vec<Names> = readings(expr, Some(&inputs)).into_iter().map(|r| r.columns).collect();
    expressions(expr, &mut |expression| {
        read.push(expr.columns_of(expression.columns(), Domain::Number, &inputs));
    });
    // A set, not a search for each name: a table may have a million columns.
    let read: HashSet<Cow<'_, str>> = read.iter().flat_map(Names::iter).collect();
    table.names().iter().filter(|name| read.contains(name.as_str())).cloned().collect()
}

/// Every expression in x and y of the formula.
fn expressions<'a>(expr: &'a KernelExpr, visit: &mut dyn FnMut(&'a Expression)) {
    match expr {
        KernelExpr::Expression(expression) => visit(expression),
        KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.iter().for_each(|part| expressions(part, visit)),
        KernelExpr::Scale { inner, .. }
        | KernelExpr::Power { base: inner, .. }
        | KernelExpr::Exp(inner)
        | KernelExpr::Normalize(inner)
        | KernelExpr::WithGaps(inner) => expressions(inner, visit),
        _ => {}
    }
}

fn walk<'a>(expr: &'a KernelExpr, path: &str, visit: &mut dyn FnMut(&str, &'a Leaf)) {
    match expr {
        KernelExpr::Leaf(leaf) => visit(path, leaf),
        KernelExpr::Scale { inner, .. } => walk(inner, path, visit),
        KernelExpr::Sum(parts) | KernelExpr::Product(parts) => {
            for (i, part) in parts.iter().enumerate() {
                walk(part, &format!("{path}{i}."), visit);
            }
        }
        KernelExpr::Power { base, .. } => walk(base, &format!("{path}power."), visit),
        KernelExpr::Exp(inner) => walk(inner, &format!("{path}exp."), visit),
        KernelExpr::Normalize(inner) => walk(inner, &format!("{path}normalize."), visit),
        KernelExpr::WithGaps(inner) => walk(inner, &format!("{path}with_gaps."), visit),
        // Constants read nothing, and the command line registers no kernels of its own.
        _ => {}
    }
}
