//! Binding: formula × data → matrix. The only lowering there is.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::data::{Inputs, Names, Rows};
use crate::error::{Error, Result};
use crate::kernel::{Columns, Domain, KernelExpr, Leaf, Param};
use crate::run::Run;

use super::columns::Place;
use super::gaps::{self, Sides};
use super::lower;
use super::matrix::{KernelGradient, KernelMatrix, TileMut};
use super::node::{Diagonals, Node, Scratch, Side, Slope, Source, Window};
use super::reads::alike;

/// A formula bound to data: a kernel matrix with a gradient.
pub struct Bound {
    pub(super) root: Node,
    pub(super) sources: Vec<Source>,
    nrows: usize,
    ncols: usize,
    symmetric: bool,
    n_params: usize,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bound({}×{})", self.nrows, self.ncols)
    }
}

impl KernelExpr {
    /// Binds this formula to one set of points: the Gram matrix K[i, j] = k(xᵢ, xⱼ).
    ///
    /// Every rule must have been resolved with [`resolve`](Self::resolve) before.
    pub fn bind(&self, x: &Inputs, run: &Run) -> Result<Bound> {
        self.bind_sides(x, None, run)
    }

    /// Binds this formula to two sets of points: the cross matrix K[i, j] = k(xᵢ, yⱼ).
    pub fn bind_cross(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Bound> {
        self.bind_sides(x, Some(y), run)
    }

    /// Binds this formula to one set or two.
    pub fn bind_sides(&self, x: &Inputs, y: Option<&Inputs>, run: &Run) -> Result<Bound> {
        let sides = y.map(|y| alike(self, x, y));
        let (x, y) = sides.as_ref().map_or((x, None), |(x, y)| (x.as_ref(), Some(y.as_ref())));
        let mut binder = Binder { y, ..Binder::new(self, x, run) };
        let root = binder.node(self)?;
        let bound = Bound {
            root,
            n_params: binder.params,
            sources: binder.sources.into_iter().map(|(_, source)| source).collect(),
            nrows: x.len(),
            ncols: y.map_or(x.len(), Inputs::len),
            symmetric: y.is_none(),
        };
        bound.check_diagonals(self, run)?;
        Ok(bound)
    }

    /// k(x, y) for two vectors whose coordinates are named `x0`, `x1`, ….
    pub fn at(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        let point = |v: &[f64]| Rows::new(v.to_vec(), 1, v.len()).map(Inputs::from);
        // Two points need no account of the memory, and to look for it would take longer than they do.
        static RUN: LazyLock<Run> = LazyLock::new(Run::new);
        let bound = self.bind_cross(&point(x)?, &point(y)?, &RUN)?;
        let mut value = [0.0];
        bound.block(0..1, 0..1, TileMut::contiguous(&mut value, 1, 1));
        Ok(value[0])
    }
}

impl Bound {
    /// |k(x, y)|² ≤ k(x, x)·k(y, y), so a finite diagonal means a finite matrix.
    fn check_diagonals(&self, expr: &KernelExpr, run: &Run) -> Result<()> {
        for (side, len) in [(Side::Rows, self.nrows), (Side::Cols, self.ncols)] {
            // Rows of no columns may be any number, and a constant kernel takes them.
            let (mut diag, _reserved) =
                crate::linalg::filled(len as u128, 0.0, "k(x, x) of every row", lower::FEWER_COLUMNS, run)?;
            self.root.diag(side, &mut diag);
            let bad = diag.iter().filter(|k| !k.is_finite()).count();
            if let Some(first_row) = diag.iter().position(|k| !k.is_finite()) {
                let place = format!("the diagonal of `{expr}`");
                return Err(Error::NonFinite {
                    place,
                    count: bad,
                    total: len,
                    first_row,
                    what: "too large for a number".into(),
                });
            }
        }
        Ok(())
    }

    /// Calls `visit` for windows of a few rows by many columns that cover the block, so that the
    /// tiles of a window stay in the nearest cache and the packed columns in the next.
    pub(super) fn windows(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut visit: impl FnMut(Range<usize>, Range<usize>),
    ) {
        const ROWS: usize = super::blocks::GROUP;
        const PACKED_BYTES: usize = 256 << 10;
        let depth = self.sources.iter().map(Source::depth).max().unwrap_or(1).max(1);
        let width =
            (PACKED_BYTES / (8 * depth)).clamp(24, super::tiling::TILE) / super::blocks::LANES * super::blocks::LANES;
        let mut start = cols.start;
        while start < cols.end {
            // Windows begin at multiples of the panel, so that no panel is computed twice.
            let end = ((start / width + 1) * width).min(cols.end);
            let mut top = rows.start;
            while top < rows.end {
                let bottom = (top + ROWS).min(rows.end);
                visit(top..bottom, start..end);
                top = bottom;
            }
            start = end;
        }
    }
}

impl KernelMatrix for Bound {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn ncols(&self) -> usize {
        self.ncols
    }

    fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
        let (top, left) = (rows.start, cols.start);
        let mut scratch = Scratch::default();
        self.windows(rows, cols, |rows, cols| {
            // Whole rows of a contiguous tile are written in place; other windows are copied.
            let in_place = out.contiguous_rows(rows.start - top..rows.end - top, cols.len());
            if let Some(tile) = in_place {
                let mut window = Window::new(&self.sources, rows, cols, &mut scratch);
                self.root.block(&mut window, tile);
                return;
            }
            let mut tile = scratch.take(rows.len() * cols.len());
            let mut window = Window::new(&self.sources, rows.clone(), cols.clone(), &mut scratch);
            self.root.block(&mut window, &mut tile);
            for (i, row) in rows.zip(tile.chunks(cols.len())) {
                out.row_mut(i - top)[cols.start - left..cols.end - left].copy_from_slice(row);
            }
            scratch.give(tile);
        });
    }

    fn diag(&self, out: &mut [f64]) {
        self.root.diag(Side::Rows, out);
    }

    fn product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<bool> {
        if !self.root.has_product() {
            return Ok(false);
        }
        self.root.add_product(v, k, out, run)?;
        Ok(true)
    }
}

impl KernelGradient for Bound {
    fn n_params(&self) -> usize {
        self.n_params
    }

    fn pull_back(&self, rows: Range<usize>, cols: Range<usize>, w: &[f64], out: &mut [f64]) -> Result<()> {
        let (top, left, stride) = (rows.start, cols.start, cols.len());
        let mut scratch = Scratch::default();
        let mut done = Ok(());
        self.windows(rows, cols, |rows, cols| {
            if done.is_err() {
                return;
            }
            let mut weights = scratch.take(rows.len() * cols.len());
            for (i, part) in rows.clone().zip(weights.chunks_mut(cols.len())) {
                let start = (i - top) * stride + cols.start - left;
                part.copy_from_slice(&w[start..start + cols.len()]);
            }
            let mut window = Window::new(&self.sources, rows, cols, &mut scratch);
            done = self.root.pull_back(&mut window, &weights, out);
            scratch.give(weights);
        });
        done
    }
}

/// What a source is made of; leaves with the same key share it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) columns: Names,
    pub(super) recipe: String,
    pub(super) weights: Option<Vec<f64>>,
}

/// Walks a formula, collecting sources and numbering parameters in the order of θ.
pub(super) struct Binder<'a> {
    pub(super) expr: &'a KernelExpr,
    pub(super) x: &'a Inputs,
    pub(super) y: Option<&'a Inputs>,
    pub(super) run: &'a Run,
    pub(super) sources: Vec<((usize, Key), Source)>,
    /// Number of the points that are read: those of each `with_gaps` are others, and share no source.
    points: usize,
    /// How many such numbers are given away.
    sets: usize,
    leaves: usize,
    params: usize,
}

impl<'a> Binder<'a> {
    pub(super) fn new(expr: &'a KernelExpr, x: &'a Inputs, run: &'a Run) -> Self {
        Binder { expr, x, y: None, run, sources: Vec::new(), points: 0, sets: 1, leaves: 0, params: 0 }
    }

    fn node(&mut self, expr: &'a KernelExpr) -> Result<Node> {
        Ok(match expr {
            KernelExpr::Leaf(leaf) => {
                let place = self.place(leaf);
                lower::leaf(self, place, leaf)?
            }
            KernelExpr::Custom(custom) => {
                let place = self.next_place(&custom.name, &custom.columns, custom.form.domain());
                lower::custom(self, place, custom)?
            }
            KernelExpr::Expression(expression) => {
                let place = self.next_place("expression", expression.columns(), Domain::Number);
                lower::expression(self, place, expression)?
            }
            KernelExpr::Constant(param) => {
                let (value, param) = self.param(param, "constant")?;
                Node::Constant { value, param }
            }
            KernelExpr::Scale { factor, inner } => {
                let (factor, param) = self.param(factor, "scale")?;
                Node::Scale { factor, param, inner: Box::new(self.node(inner)?) }
            }
            KernelExpr::Sum(terms) => Node::Sum(self.nodes(terms)?),
            KernelExpr::Product(factors) => Node::Product(self.nodes(factors)?),
            KernelExpr::Power { base, exponent } => {
                Node::Power { base: Box::new(self.node(base)?), exponent: *exponent }
            }
            KernelExpr::Exp(inner) => Node::Exp(Box::new(self.node(inner)?)),
            KernelExpr::Normalize(inner) => {
                self.check_own_values(inner)?;
                let inner = self.node(inner)?;
                let own = self.diagonals(&inner)?;
                Node::Normalize { inner: Box::new(inner), own }
            }
            KernelExpr::WithGaps(inner) => self.with_gaps(inner)?,
        })
    }

    /// A part on points without gaps, whose values beside gaps are replaced.
    fn with_gaps(&mut self, inner: &'a KernelExpr) -> Result<Node> {
        match gaps::sides(self.expr, inner, self.x, self.y) {
            Sides::None => self.node(inner),
            Sides::All => {
                self.leaves += gaps::leaves(inner);
                self.params += inner.params().iter().filter(|p| p.param.free).count();
                Ok(Node::Constant { value: 1.0, param: None })
            }
            Sides::Some(whole, gaps) => {
                let mut binder = Binder {
                    expr: self.expr,
                    x: &whole.x,
                    y: whole.y.as_deref(),
                    run: self.run,
                    sources: std::mem::take(&mut self.sources),
                    points: self.sets,
                    sets: self.sets + 1,
                    leaves: self.leaves,
                    params: self.params,
                };
                let node = binder.node(inner);
                let Binder { sources, sets, leaves, params, .. } = binder;
                (self.sources, self.sets, self.leaves, self.params) = (sources, sets, leaves, params);
                Ok(Node::WithGaps { inner: Box::new(node?), gaps })
            }
        }
    }

    fn nodes(&mut self, parts: &'a [KernelExpr]) -> Result<Vec<Node>> {
        parts.iter().map(|part| self.node(part)).collect()
    }

    /// A precomputed matrix of new points against old ones does not hold k(x, x) of the new ones.
    fn check_own_values(&self, inner: &KernelExpr) -> Result<()> {
        if self.y.is_none() || !matches!(self.x, Inputs::Precomputed(_)) {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("normalising `{inner}` between two sets, with k(x, x) of the first unknown,"),
            alternative: "normalise the matrix before handing it over".into(),
        })
    }

    /// k(x, x) of both sides. A negative one, which no positive definite kernel has, has no root.
    fn diagonals(&self, inner: &Node) -> Result<Diagonals> {
        let mut rows = vec![0.0; self.x.len()];
        inner.diag(Side::Rows, &mut rows);
        let cols = self.y.map(|y| {
            let mut cols = vec![0.0; y.len()];
            inner.diag(Side::Cols, &mut cols);
            cols
        });
        let cols = cols.unwrap_or_else(|| rows.clone());
        match rows.iter().chain(&cols).find(|d| **d < 0.0) {
            Some(negative) => Err(Error::Unsupported {
                what: format!("normalising a kernel with k(x, x) = {negative} < 0"),
                alternative: "normalise positive definite kernels only".into(),
            }),
            None => Ok(Diagonals::new(rows, cols)),
        }
    }

    pub(super) fn place(&mut self, leaf: &'a Leaf) -> Place<'a> {
        self.next_place(leaf.spec().name, leaf.columns(), leaf.spec().domain)
    }

    fn next_place(&mut self, kernel: &'a str, columns: &'a Columns, domain: Domain) -> Place<'a> {
        let leaf = self.leaves;
        self.leaves += 1;
        Place { expr: self.expr, leaf, kernel, columns, domain }
    }

    /// The value of a parameter, and where its derivative goes if it is free.
    pub(super) fn param(&mut self, param: &Param, name: &str) -> Result<(f64, Option<Slope>)> {
        let Some(value) = param.number() else {
            return Err(Error::Unsupported {
                what: format!("binding `{}` while `{name}` is still a rule", self.expr),
                alternative: "call `resolve` with the data first, or give a number".into(),
            });
        };
        let slope = param.free.then(|| {
            self.params += 1;
            Slope { index: self.params - 1, chain: param.transform.slope(value) }
        });
        Ok((value, slope))
    }

    /// The number of the source with this key, made by `make` if there is none yet.
    pub(super) fn source(&mut self, key: Key, make: impl FnOnce(&Self) -> Result<Source>) -> Result<usize> {
        if let Some(at) = self.sources.iter().position(|((points, k), _)| *points == self.points && *k == key) {
            return Ok(at);
        }
        let source = make(self)?;
        self.sources.push(((self.points, key), source));
        Ok(self.sources.len() - 1)
    }

    /// Level numberings for as many category columns.
    pub(super) fn numberings(count: usize) -> Vec<HashMap<String, u32>> {
        vec![HashMap::new(); count]
    }
}
