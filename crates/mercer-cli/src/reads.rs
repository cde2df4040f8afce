//! Which columns each kernel of a formula reads.

use mercer::KernelExpr;
use mercer::data::{ColumnList, Inputs, Names, Table};
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
    let available = inputs.map(Inputs::columns);
    let mut found = Vec::new();
    walk(expr, "", &mut |path, leaf| {
        let columns = columns(leaf, available.as_ref());
        found.push(Reading { path: format!("{path}{}", leaf.spec().name), leaf, columns });
    });
    found
}

/// The columns of a table that the formula reads, in their order there.
pub fn columns_read(expr: &KernelExpr, table: &Table) -> Vec<String> {
    let readings = readings(expr, Some(&table.clone().into()));
    let read = |name: &&String| readings.iter().any(|r| r.columns.position(name).is_some());
    table.names().iter().filter(read).cloned().collect()
}

fn columns(leaf: &Leaf, available: Option<&ColumnList>) -> Names {
    match (leaf.columns(), available, leaf.spec().domain.column_type()) {
        (Columns::Named(names), _, _) => names.clone().into(),
        (Columns::All, Some(available), Some(wanted)) => available.of_type(wanted),
        (Columns::All, _, _) => Names::Numbered(0),
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
        // Constants read nothing, and the command line registers no kernels of its own.
        _ => {}
    }
}
