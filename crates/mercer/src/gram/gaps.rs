//! Points that lack a value which a part of a formula reads, for `with_gaps`.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::data::{Inputs, Names, default_name};
use crate::kernel::{Columns, Custom, CustomForm, KernelExpr};

use super::node::{Node, Side, Window};

/// Which points have a gap, of the rows and of the columns of a matrix.
pub(crate) struct Gaps(pub(super) [Vec<bool>; 2]);

impl Gaps {
    /// k ← 1 where both points have a gap, 0 where one has.
    pub(super) fn value(row: bool, col: bool, k: f64) -> f64 {
        match (row, col) {
            (false, false) => k,
            (true, true) => 1.0,
            _ => 0.0,
        }
    }

    /// Replaces what is not between two whole points; `both` stands where both have a gap.
    pub(super) fn replace(&self, window: &Window<'_>, out: &mut [f64], both: f64) {
        let cols = &self.0[1][window.cols.clone()];
        for (row, i) in out.chunks_mut(cols.len().max(1)).zip(window.places()) {
            let own = self.0[0][i];
            for (k, other) in row.iter_mut().zip(cols) {
                *k = if own && *other { both } else { Gaps::value(own, *other, *k) };
            }
        }
    }

    pub(super) fn diag(&self, inner: &Node, side: Side, out: &mut [f64]) {
        inner.diag(side, out);
        let own = &self.0[usize::from(side == Side::Cols)];
        out.iter_mut().zip(own).for_each(|(k, gap)| *k = Gaps::value(*gap, *gap, *k));
    }
}

/// Two sides of a matrix without gaps.
pub(super) struct Completed<'a> {
    pub(super) x: Cow<'a, Inputs>,
    pub(super) y: Option<Cow<'a, Inputs>>,
}

/// What `with_gaps` makes of its data.
pub(super) enum Sides<'a> {
    /// No point has a gap.
    None,
    /// Every point has one.
    All,
    /// Some have. They are another point in the data, whose values are replaced afterwards.
    Some(Completed<'a>, Gaps),
}

/// The gaps of both sides in the columns that `part` of `expr` reads.
pub(super) fn sides<'a>(expr: &KernelExpr, part: &KernelExpr, x: &'a Inputs, y: Option<&'a Inputs>) -> Sides<'a> {
    let of = |x: &Inputs| gaps(expr, part, x);
    let (rows, cols) = (of(x), y.map(of));
    if rows.iter().chain(cols.iter().flatten()).all(|gap| !gap) {
        return Sides::None;
    }
    let whole = |gaps: &[bool]| gaps.iter().position(|gap| !gap);
    let beside = y.zip(cols.as_deref().and_then(whole)).or(whole(&rows).map(|i| (x, i)));
    let Some(other) = beside else { return Sides::All };
    let complete = |x: &'a Inputs, gaps: &[bool]| match whole(gaps) {
        _ if !gaps.contains(&true) => Cow::Borrowed(x),
        Some(first) => {
            let places: Vec<usize> = gaps.iter().enumerate().map(|(i, gap)| if *gap { first } else { i }).collect();
            Cow::Owned(x.take(&places))
        }
        // Nothing of these points is read, so that all of them may be one of the other side.
        None => Cow::Owned(other.0.take(&vec![other.1; gaps.len()])),
    };
    let whole = Completed { x: complete(x, &rows), y: y.zip(cols.as_deref()).map(|(y, cols)| complete(y, cols)) };
    Sides::Some(whole, Gaps([rows.clone(), cols.unwrap_or(rows)]))
}

/// The points without a gap in the columns that `part` of `expr` reads; nothing where all are.
pub(super) fn whole(expr: &KernelExpr, part: &KernelExpr, x: &Inputs) -> Option<Vec<usize>> {
    let gaps = gaps(expr, part, x);
    gaps.contains(&true).then(|| (0..x.len()).filter(|i| !gaps[*i]).collect())
}

impl KernelExpr {
    /// The points that lack no value which is read outside of `with_gaps(…)`: those that have kernel values.
    pub(crate) fn without_gaps(&self, x: &Inputs) -> Vec<usize> {
        whole(self, self, x).unwrap_or_else(|| (0..x.len()).collect())
    }
}

/// For each point whether it lacks a value that `part` of `expr` reads.
fn gaps(expr: &KernelExpr, part: &KernelExpr, x: &Inputs) -> Vec<bool> {
    let mut read = Vec::new();
    columns(expr, part, x, &mut read);
    let set = || -> HashSet<Cow<'_, str>> { read.iter().flat_map(Names::iter).collect() };
    match x {
        Inputs::Table(table) => {
            let (mut gaps, read) = (vec![false; x.len()], set());
            let columns = table.iter().filter(|(name, column)| read.contains(*name) && column.missing().is_some());
            columns.for_each(|(_, c)| gaps.iter_mut().enumerate().for_each(|(i, gap)| *gap |= c.is_missing(i)));
            gaps
        }
        Inputs::Dense(rows) => {
            let read = set();
            let places: Vec<usize> = (0..rows.ncols()).filter(|j| read.contains(rows.name(*j).as_str())).collect();
            (0..x.len()).map(|i| places.iter().any(|j| rows.row(i)[*j].is_nan())).collect()
        }
        // No list of their columns is made: they may be a hundred million.
        Inputs::Sparse(rows) => {
            let reads = |j: u32| read.iter().any(|names| names.position(&default_name(j as usize)).is_some());
            let lacks = |i: usize| {
                let (columns, values) = rows.row(i);
                columns.iter().zip(values).any(|(j, v)| v.is_nan() && reads(*j))
            };
            (0..x.len()).map(lacks).collect()
        }
        Inputs::Precomputed(_) => vec![false; x.len()],
    }
}

/// The columns that a part reads, without those whose gaps a `with_gaps` inside reads itself.
fn columns(expr: &KernelExpr, part: &KernelExpr, x: &Inputs, read: &mut Vec<Names>) {
    match part {
        KernelExpr::WithGaps(_) => {}
        // A function of whole matrices is handed every column, whatever its type.
        KernelExpr::Custom(Custom { form: CustomForm::Matrix(_), columns: Columns::All, .. }) => {
            read.push(x.columns().names());
        }
        part => {
            read.extend(part.own_columns().map(|(columns, domain)| expr.columns_of(columns, domain, x)));
            part.parts().iter().for_each(|part| columns(expr, part, x, read));
        }
    }
}

/// Kernels of a part that read columns, as places count them.
pub(super) fn leaves(part: &KernelExpr) -> usize {
    part.nodes().filter(|node| node.own_columns().is_some()).count()
}
