//! Stein's kernel of a score function and a base kernel.

use std::ops::Range;

use crate::data::Rows;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::kernel::KernelExpr;
use crate::run::Run;

/// The base kernel of Stein's, a function φ of s = ‖x − y‖².
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteinBase {
    /// (1 + s/ℓ²)^β with −1 < β < 0, whose discrepancy sees every kind of misfit (Gorham & Mackey 2017, *Measuring sample quality
    /// with kernels*).
    InverseMultiquadric {
        /// ℓ > 0; the median distance of the points without one.
        length_scale: Option<f64>,
        /// β.
        beta: f64,
    },
    /// exp(−s/(2ℓ²)).
    Rbf {
        /// ℓ > 0; the median distance of the points without one.
        length_scale: Option<f64>,
    },
}

impl Default for SteinBase {
    fn default() -> Self {
        SteinBase::InverseMultiquadric { length_scale: None, beta: -0.5 }
    }
}

impl SteinBase {
    /// The length scale, if it was given.
    pub fn length_scale(&self) -> Option<f64> {
        match *self {
            SteinBase::InverseMultiquadric { length_scale, .. } | SteinBase::Rbf { length_scale } => length_scale,
        }
    }

    /// The base kernel in words, with its numbers.
    pub fn describe(&self) -> String {
        let scale = self.length_scale().map_or_else(|| "median".to_owned(), |l| l.to_string());
        match self {
            SteinBase::InverseMultiquadric { beta, .. } => format!("imq(length_scale={scale}, beta={beta})"),
            SteinBase::Rbf { .. } => format!("rbf(length_scale={scale})"),
        }
    }

    fn with_length_scale(self, found: f64) -> Self {
        match self {
            SteinBase::InverseMultiquadric { beta, .. } => {
                SteinBase::InverseMultiquadric { length_scale: Some(found), beta }
            }
            SteinBase::Rbf { .. } => SteinBase::Rbf { length_scale: Some(found) },
        }
    }

    fn check(&self) -> Result<()> {
        if let Some(l) = self.length_scale().filter(|l| !(*l > 0.0 && l.is_finite())) {
            return Err(Error::invalid("the base kernel", "length_scale", l, "> 0"));
        }
        match self {
            SteinBase::InverseMultiquadric { beta, .. } if !(*beta > -1.0 && *beta < 0.0) => {
                Err(Error::invalid("the base kernel", "beta", beta, "between −1 and 0"))
            }
            _ => Ok(()),
        }
    }

    /// This kernel with numbers alone, and how the length scale was found.
    fn resolved(self, points: &Rows, run: &Run) -> Result<(Self, Option<String>)> {
        self.check()?;
        if self.length_scale().is_some() {
            return Ok((self, None));
        }
        let (_, found) = KernelExpr::parse("rbf")?.resolve(&points.clone().into(), run)?;
        Ok(found.first().map_or((self, None), |f| (self.with_length_scale(f.value), Some(f.detail.clone()))))
    }

    /// φ, φ′ and φ″ at s.
    #[inline(always)]
    fn profile(&self, s: f64) -> [f64; 3] {
        match *self {
            SteinBase::InverseMultiquadric { length_scale, beta } => {
                let w = length_scale.map_or(1.0, |l| 1.0 / (l * l));
                let q = s.mul_add(w, 1.0);
                let phi = if beta == -0.5 { 1.0 / q.sqrt() } else { q.powf(beta) };
                let first = beta * w * phi / q;
                [phi, first, (beta - 1.0) * w * first / q]
            }
            SteinBase::Rbf { length_scale } => {
                let w = length_scale.map_or(0.5, |l| 0.5 / (l * l));
                let phi = crate::kernel::elementary::exp(-s * w);
                [phi, -w * phi, w * w * phi]
            }
        }
    }
}

/// u(x, y) = φ·⟨s_x, s_y⟩ − 2φ′·⟨s_x − s_y, x − y⟩ − 2dφ′ − 4φ″·‖x − y‖², whose mean over y of the density p is 0 for every x when
/// s = ∇ log p (Chwialkowski, Strathmann & Gretton 2016, *A kernel test of goodness of fit*; Liu, Lee & Jordan 2016).
///
/// Differences of coordinates are taken before they are squared: no digits are lost to a common offset.
pub(crate) struct Stein {
    n: usize,
    d: usize,
    /// Coordinate by coordinate, and the scores the same: d×n.
    points: Vec<f64>,
    scores: Vec<f64>,
    base: SteinBase,
    /// How the length scale was found.
    pub(super) detail: Option<String>,
}

impl Stein {
    pub(super) fn new(points: &Rows, scores: &Rows, base: SteinBase, run: &Run) -> Result<Self> {
        let (n, d) = (points.nrows(), points.ncols());
        if [scores.nrows(), scores.ncols()] != [n, d] {
            let got = format!("{}×{}", scores.nrows(), scores.ncols());
            return Err(Error::shape("`score`", format!("{n}×{d} values, one for each coordinate of each point"), got));
        }
        if n < 2 || d == 0 {
            return Err(Error::shape("points with a score", "at least 2 rows and 1 column", format!("{n}×{d}")));
        }
        finite("the points", points)?;
        finite("the scores", scores)?;
        let (base, detail) = base.resolved(points, run)?;
        Ok(Stein { n, d, points: by_column(points), scores: by_column(scores), base, detail })
    }

    pub(super) fn base(&self) -> SteinBase {
        self.base
    }

    /// u(xᵢ, xⱼ) for a range of j.
    fn row(&self, i: usize, cols: Range<usize>, [r2, ss, sr]: [&mut [f64]; 3], out: &mut [f64]) {
        [&mut *r2, &mut *ss, &mut *sr].into_iter().for_each(|sums| sums.fill(0.0));
        for k in 0..self.d {
            let at = k * self.n;
            let columns = (&self.points[at..at + self.n], &self.scores[at..at + self.n]);
            let own = [columns.0[i], columns.1[i]];
            accumulate(own, &columns.0[cols.clone()], &columns.1[cols.clone()], r2, ss, sr);
        }
        let d = self.d as f64;
        for (j, u) in out.iter_mut().enumerate() {
            let [phi, first, second] = self.base.profile(r2[j]);
            *u = phi * ss[j] - 2.0 * first * (sr[j] + d) - 4.0 * second * r2[j];
        }
    }
}

impl KernelMatrix for Stein {
    fn nrows(&self) -> usize {
        self.n
    }

    fn ncols(&self) -> usize {
        self.n
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
        let width = cols.len();
        let mut sums = vec![0.0; 3 * width];
        let (r2, rest) = sums.split_at_mut(width);
        let (ss, sr) = rest.split_at_mut(width);
        for (at, i) in rows.enumerate() {
            self.row(i, cols.clone(), [&mut *r2, &mut *ss, &mut *sr], out.row_mut(at));
        }
    }

    fn diag(&self, out: &mut [f64]) {
        for (i, u) in out.iter_mut().enumerate() {
            let mut value = [0.0];
            self.block(i..i + 1, i..i + 1, TileMut::contiguous(&mut value, 1, 1));
            *u = value[0];
        }
    }
}

crate::linalg::simd::dispatch! {
    /// Adds what one coordinate gives to ‖x − y‖², ⟨s_x, s_y⟩ and ⟨s_x − s_y, x − y⟩.
    pub(crate) fn accumulate(
        own: [f64; 2],
        points: &[f64],
        scores: &[f64],
        r2: &mut [f64],
        ss: &mut [f64],
        sr: &mut [f64],
    ) {
        let [x, s] = own;
        let sums = r2.iter_mut().zip(ss.iter_mut()).zip(sr.iter_mut());
        for (((r2, ss), sr), (y, t)) in sums.zip(points.iter().zip(scores)) {
            let difference = x - y;
            *r2 = difference.mul_add(difference, *r2);
            *ss = s.mul_add(*t, *ss);
            *sr = (s - t).mul_add(difference, *sr);
        }
    }
}

fn by_column(rows: &Rows) -> Vec<f64> {
    (0..rows.ncols()).flat_map(|j| (0..rows.nrows()).map(move |i| rows.row(i)[j])).collect()
}

fn finite(place: &str, rows: &Rows) -> Result<()> {
    let bad = |v: &&f64| !v.is_finite();
    match rows.values().iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(first) => Err(Error::NonFinite {
            place: place.into(),
            count: rows.values().iter().filter(bad).count(),
            total: rows.values().len(),
            first_row: first / rows.ncols(),
            what: "missing or infinite".into(),
        }),
    }
}
