//! A formula bound to data, as a tree that computes tiles.

use std::ops::Range;

use crate::error::Result;
use crate::kernel::{Pair, Statistic, norm_product};

use super::exponential::exponentials;
use super::gaps::Gaps;
use super::leaf_gradient::LeafGradient;
use super::map::{Strip, TileMap};
use super::pairs::Pairs;
use super::points::DenseStatistic;
use super::sparse::SparseStatistic;

/// A statistic that one or several leaves are functions of.
pub(crate) enum Source {
    Dense(DenseStatistic),
    Sparse(SparseStatistic),
}

impl Source {
    /// Coordinates per point that a tile reads from the packed columns.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Source::Dense(s) => s.depth(),
            Source::Sparse(_) => 1,
        }
    }

    /// A true coordinate is a computed one times this.
    pub(crate) fn unit(&self) -> f64 {
        match self {
            Source::Dense(s) => s.unit(),
            Source::Sparse(_) => 1.0,
        }
    }

    fn squares(&self, side: Side) -> &[f64] {
        match (self, side) {
            (Source::Dense(s), Side::Rows) => s.row_squares(),
            (Source::Dense(s), Side::Cols) => s.col_squares(),
            (Source::Sparse(s), Side::Rows) => s.row_squares(),
            (Source::Sparse(s), Side::Cols) => s.col_squares(),
        }
    }
}

/// Which points of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Rows,
    Cols,
}

/// A function of a statistic, bound.
pub(crate) struct Profiled {
    pub(crate) source: usize,
    pub(crate) map: Box<dyn TileMap>,
    /// The statistic is the computed one times this: the unit and the length scale.
    pub(crate) factor: f64,
    /// ⟨x, x⟩ of the rows and of the columns, for kernels of the dot product.
    pub(crate) own: Option<[Vec<f64>; 2]>,
    pub(crate) gradient: LeafGradient,
}

impl Profiled {
    /// A leaf that is a function of the statistic of the points divided by `scale`.
    pub(crate) fn new(
        source: usize,
        points: &Source,
        map: Box<dyn TileMap>,
        scale: f64,
        gradient: LeafGradient,
    ) -> Self {
        let unit = points.unit() / scale;
        let factor = match map.statistic() {
            Statistic::Dot => unit * unit,
            // Kept finite: 0·∞ would turn the exact zero of equal points into NaN.
            Statistic::ManhattanDistance => unit.min(1e300),
            Statistic::SquaredDistance => (unit * unit).min(1e300),
        };
        let own = (map.statistic() == Statistic::Dot)
            .then(|| [Side::Rows, Side::Cols].map(|side| points.squares(side).iter().map(|s| s * factor).collect()));
        Profiled { source, map, factor, own, gradient }
    }

    pub(crate) fn strip<'a>(&'a self, raw: &'a [f64], rows: Range<usize>, cols: Range<usize>) -> Strip<'a> {
        let xx = self.own.as_ref().map_or(&[][..], |[xx, _]| &xx[rows]);
        self.strip_of(raw, xx, cols)
    }

    /// The strip of rows with these ⟨x, x⟩.
    fn strip_of<'a>(&'a self, raw: &'a [f64], xx: &'a [f64], cols: Range<usize>) -> Strip<'a> {
        let width = cols.len();
        let yy = self.own.as_ref().map_or(&[][..], |[_, yy]| &yy[cols]);
        Strip { raw, factor: self.factor, xx, yy, width }
    }

    /// out = k, of rows that stand side by side or not.
    fn values(&self, raw: &[f64], window: &Window<'_>, out: &mut [f64]) {
        let cols = window.cols.clone();
        match (window.picked, &self.own) {
            (Some(picked), Some([xx, _])) => {
                let xx: Vec<f64> = picked.iter().map(|i| xx[*i]).collect();
                self.map.values(self.strip_of(raw, &xx, cols), out);
            }
            _ => self.map.values(self.strip(raw, window.rows.clone(), cols), out),
        }
    }

    fn diag(&self, side: Side, out: &mut [f64]) {
        match &self.own {
            Some(own) => {
                let squares = &own[usize::from(side == Side::Cols)];
                for (k, s) in out.iter_mut().zip(squares) {
                    *k = self.map.at(Pair { s: *s, xx: *s, yy: *s });
                }
            }
            None => out.fill(self.map.at(Pair { s: 0.0, xx: 0.0, yy: 0.0 })),
        }
    }
}

/// A node of a bound formula.
// There is one for each part of a formula, so their size does not matter.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Node {
    Profile(Box<Profiled>),
    Pairs(Box<dyn Pairs>),
    Constant { value: f64, param: Option<Slope> },
    Scale { factor: f64, param: Option<Slope>, inner: Box<Node> },
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Power { base: Box<Node>, exponent: f64 },
    Exp(Box<Node>),
    Normalize { inner: Box<Node>, own: Diagonals },
    WithGaps { inner: Box<Node>, gaps: Gaps },
}

/// k(x, x) of the rows and of the columns, divided by a power of two that brings the largest near 1.
pub(crate) struct Diagonals {
    values: [Vec<f64>; 2],
    unit: f64,
}

impl Diagonals {
    pub(crate) fn new(rows: Vec<f64>, cols: Vec<f64>) -> Self {
        let largest = rows.iter().chain(&cols).fold(0.0f64, |a, b| a.max(*b));
        let unit = if largest > 0.0 { 2f64.powi(-(largest.log2().round() as i32)) } else { 1.0 };
        let scaled = |side: Vec<f64>| side.into_iter().map(|d| d * unit).collect();
        Diagonals { values: [scaled(rows), scaled(cols)], unit }
    }

    pub(crate) fn side(&self, side: Side) -> &[f64] {
        &self.values[usize::from(side == Side::Cols)]
    }

    /// √k(x, x) of the points of one side.
    pub(crate) fn roots(&self, side: Side) -> impl Iterator<Item = f64> + '_ {
        self.side(side).iter().map(|own| (own / self.unit).sqrt())
    }

    /// √(k(x, x)·k(y, y)), exact when x = y.
    pub(crate) fn norm(&self, row: usize, col: usize) -> f64 {
        norm_product(self.values[0][row], self.values[1][col]) / self.unit
    }

    /// k ← k/√(k(x, x)·k(y, y)), and 0 where either is 0.
    fn normalize(&self, window: &Window<'_>, out: &mut [f64]) {
        let cols = &self.values[1][window.cols.clone()];
        for (row, i) in out.chunks_mut(cols.len().max(1)).zip(window.places()) {
            let a = self.values[0][i];
            for (k, b) in row.iter_mut().zip(cols) {
                let norm = norm_product(a, *b);
                *k = if norm > 0.0 { *k * self.unit / norm } else { 0.0 };
            }
        }
    }
}

/// Where the derivative by a parameter goes, and dp/dθ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    pub(crate) index: usize,
    pub(crate) chain: f64,
}

/// A block of the matrix, and the scratch space to compute it.
pub(crate) struct Window<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) rows: Range<usize>,
    /// Where the rows stand, if not side by side; they count from 0 then.
    picked: Option<&'a [usize]>,
    /// The columns that are asked for, rising, if not all: pairs have no value in others.
    wanted: Option<&'a [usize]>,
    pub(crate) cols: Range<usize>,
    pub(crate) scratch: &'a mut Scratch,
}

/// Tiles that are used again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The statistics of the current window, by source.
    statistics: Vec<Option<Vec<f64>>>,
    free: Vec<Vec<f64>>,
}

impl Scratch {
    pub(crate) fn take(&mut self, len: usize) -> Vec<f64> {
        let mut tile = self.free.pop().unwrap_or_default();
        tile.resize(len, 0.0);
        tile
    }

    pub(crate) fn give(&mut self, tile: Vec<f64>) {
        self.free.push(tile);
    }
}

impl<'a> Window<'a> {
    /// A window on a block. The statistics of the one before are forgotten.
    pub(crate) fn new(sources: &'a [Source], rows: Range<usize>, cols: Range<usize>, scratch: &'a mut Scratch) -> Self {
        for tile in scratch.statistics.drain(..).flatten() {
            scratch.free.push(tile);
        }
        scratch.statistics.resize_with(sources.len(), || None);
        Window { sources, rows, picked: None, wanted: None, cols, scratch }
    }

    /// A window on rows that need not stand side by side. It has values, and no gradient.
    pub(crate) fn picked(
        sources: &'a [Source],
        rows: &'a [usize],
        cols: Range<usize>,
        scratch: &'a mut Scratch,
    ) -> Self {
        Window { picked: Some(rows), ..Window::new(sources, 0..rows.len(), cols, scratch) }
    }

    /// The same, where these columns alone are asked for.
    pub(crate) fn of_columns(self, wanted: &'a [usize]) -> Self {
        Window { wanted: Some(wanted), ..self }
    }

    /// Writes the values of pairs.
    fn pairs(&self, pairs: &dyn Pairs, out: &mut [f64]) {
        match (self.wanted, self.picked) {
            (Some(wanted), _) => self.wanted_pairs(pairs, wanted, out),
            (None, None) => pairs.block(self.rows.clone(), self.cols.clone(), out),
            (None, Some(_)) => {
                for (row, i) in out.chunks_mut(self.cols.len().max(1)).zip(self.places()) {
                    pairs.block(i..i + 1, self.cols.clone(), row);
                }
            }
        }
    }

    /// Writes the values of pairs in the columns that are asked for, and 0 in others.
    fn wanted_pairs(&self, pairs: &dyn Pairs, wanted: &[usize], out: &mut [f64]) {
        let (start, width) = (self.cols.start, self.cols.len().max(1));
        let here = &wanted[wanted.partition_point(|j| *j < start)..wanted.partition_point(|j| *j < self.cols.end)];
        let mut values = vec![0.0; here.len()];
        out.fill(0.0);
        for (row, i) in out.chunks_mut(width).zip(self.places()) {
            pairs.some(i, here, &mut values);
            here.iter().zip(&values).for_each(|(j, k)| row[j - start] = *k);
        }
    }

    /// Where each row stands in the matrix.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.clone().map(|r| self.picked.map_or(r, |picked| picked[r]))
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len() * self.cols.len()
    }

    /// The tile of a statistic, computed once per window however many leaves ask for it. Hand it
    /// back with [`put_statistic`](Self::put_statistic).
    pub(crate) fn take_statistic(&mut self, source: usize) -> Vec<f64> {
        if let Some(tile) = self.scratch.statistics[source].take() {
            return tile;
        }
        let mut tile = self.scratch.take(self.len());
        let sources = self.sources;
        match (&sources[source], self.picked) {
            (Source::Dense(s), None) => s.tile(self.rows.clone(), self.cols.clone(), &mut tile),
            (Source::Dense(s), Some(picked)) => {
                let mut points = self.scratch.take(picked.len() * s.depth());
                s.picked_tile(picked, self.cols.clone(), &mut points, &mut tile);
                self.scratch.give(points);
            }
            (Source::Sparse(s), _) => s.tile(self.places(), self.cols.clone(), &mut tile),
        }
        tile
    }

    pub(crate) fn put_statistic(&mut self, source: usize, tile: Vec<f64>) {
        self.scratch.statistics[source] = Some(tile);
    }
}

impl Node {
    /// Writes the block of the window; `out` is row-major and contiguous.
    pub(crate) fn block(&self, window: &mut Window<'_>, out: &mut [f64]) {
        match self {
            Node::Profile(leaf) => {
                let raw = window.take_statistic(leaf.source);
                leaf.values(&raw, window, out);
                window.put_statistic(leaf.source, raw);
            }
            Node::Pairs(pairs) => window.pairs(pairs.as_ref(), out),
            Node::Constant { value, .. } => out.fill(*value),
            Node::Scale { factor, inner, .. } => {
                inner.block(window, out);
                out.iter_mut().for_each(|k| *k *= factor);
            }
            Node::Sum(terms) => self.fold(terms, window, out, |k, v| *k += v),
            Node::Product(factors) => self.fold(factors, window, out, |k, v| *k *= v),
            Node::Power { base, exponent } => {
                base.block(window, out);
                raise(out, *exponent);
            }
            Node::Exp(inner) => {
                inner.block(window, out);
                exponentials(out);
            }
            Node::Normalize { inner, own } => {
                inner.block(window, out);
                own.normalize(window, out);
            }
            Node::WithGaps { inner, gaps } => {
                inner.block(window, out);
                gaps.replace(window, out, 1.0);
            }
        }
    }

    /// Whether a part is computed from pairs that take long.
    pub(crate) fn is_costly(&self) -> bool {
        match self {
            Node::Pairs(pairs) => pairs.is_costly(),
            Node::Profile(_) | Node::Constant { .. } => false,
            Node::Scale { inner, .. }
            | Node::Exp(inner)
            | Node::Normalize { inner, .. }
            | Node::WithGaps { inner, .. } => inner.is_costly(),
            Node::Power { base, .. } => base.is_costly(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().any(Node::is_costly),
        }
    }

    fn fold(&self, parts: &[Node], window: &mut Window<'_>, out: &mut [f64], join: impl Fn(&mut f64, f64)) {
        let Some((first, rest)) = parts.split_first() else { return };
        first.block(window, out);
        for part in rest {
            let mut tile = window.scratch.take(out.len());
            part.block(window, &mut tile);
            out.iter_mut().zip(&tile).for_each(|(k, v)| join(k, *v));
            window.scratch.give(tile);
        }
    }

    /// Writes k(x, x) for the points of one side.
    pub(crate) fn diag(&self, side: Side, out: &mut [f64]) {
        match self {
            Node::Profile(leaf) => leaf.diag(side, out),
            Node::Pairs(pairs) => pairs.diag(side, out),
            Node::Constant { value, .. } => out.fill(*value),
            Node::Scale { factor, inner, .. } => {
                inner.diag(side, out);
                out.iter_mut().for_each(|k| *k *= factor);
            }
            Node::Sum(terms) => fold_diag(terms, side, out, |k, v| *k += v),
            Node::Product(factors) => fold_diag(factors, side, out, |k, v| *k *= v),
            Node::Power { base, exponent } => {
                base.diag(side, out);
                raise(out, *exponent);
            }
            Node::Exp(inner) => {
                inner.diag(side, out);
                exponentials(out);
            }
            Node::Normalize { own, .. } => {
                let own = own.side(side);
                out.iter_mut().zip(own).for_each(|(k, d)| *k = if *d > 0.0 { 1.0 } else { 0.0 });
            }
            Node::WithGaps { inner, gaps } => gaps.diag(inner, side, out),
        }
    }

    /// Adds Σ w·∂K/∂θ over the window to `out`.
    pub(crate) fn pull_back(&self, window: &mut Window<'_>, w: &[f64], out: &mut [f64]) -> Result<()> {
        super::gradient::pull_back(self, window, w, out)
    }
}

fn fold_diag(parts: &[Node], side: Side, out: &mut [f64], join: impl Fn(&mut f64, f64)) {
    let Some((first, rest)) = parts.split_first() else { return };
    first.diag(side, out);
    let mut values = vec![0.0; out.len()];
    for part in rest {
        part.diag(side, &mut values);
        out.iter_mut().zip(&values).for_each(|(k, v)| join(k, *v));
    }
}

/// k ← k^β; values are ≥ 0 where β is not a whole number.
fn raise(values: &mut [f64], exponent: f64) {
    if exponent.fract() == 0.0 {
        values.iter_mut().for_each(|k| *k = k.powi(exponent as i32));
    } else {
        values.iter_mut().for_each(|k| *k = k.powf(exponent));
    }
}
