//! The test for time series: multipliers that remember.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix, TileMut, apply_block};
use crate::run::Run;

use super::fuse::Fuse;
use super::mmd::{Mmd, MmdEstimate, Samples};
use super::multipliers::{Kind, Multipliers};
use super::permuted::{FUSED, HYPOTHESIS};
use super::pvalue::count;
use super::result::{Ended, Null, TestResult, TestedKernel};
use super::splits::Groups;
use super::within::within;

/// Draws of a pass.
const PORTION: usize = 256;

/// Compares T = Σᵢⱼ hᵢⱼ/n² with T_b = Σᵢⱼ wᵢwⱼhᵢⱼ/n², where hᵢⱼ = k(xᵢ, xⱼ) + k(yᵢ, yⱼ) − k(xᵢ, yⱼ) − k(xⱼ, yᵢ) (Chwialkowski, Sejdinovic &
/// Gretton 2014, *A wild bootstrap for degenerate kernel tests*, Advances in Neural Information Processing Systems 27): the
/// multipliers w remember about as long as the series, and are centred.
pub(super) fn test(mmd: &Mmd, lag: f64, samples: &Samples<'_>, run: &Run) -> Result<(TestResult, usize)> {
    let mut drawn = Drawn::new(mmd, samples, run)?;
    drawn.draw(mmd, lag, run)?;
    Ok(drawn.result(mmd, lag, samples))
}

/// The draws so far.
struct Drawn {
    kernels: Vec<Contrast>,
    /// Σ|K| of each kernel.
    sizes: Vec<f64>,
    fuse: Fuse,
    n: usize,
    observed: f64,
    own: Vec<f64>,
    null: Vec<f64>,
    nulls: Vec<Vec<f64>>,
    /// The largest multiplier.
    largest: f64,
    stop: Ended,
}

impl Drawn {
    fn new(mmd: &Mmd, samples: &Samples<'_>, run: &Run) -> Result<Self> {
        let n = samples.m;
        let (mut kernels, mut squares, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for space in samples.spaces {
            let contrast = Contrast { matrix: space.gram(samples.z, run)?, n, estimate: mmd.estimate };
            let (_, pairs) = within(&contrast.matrix, &Groups::drawn(2 * n, 0, |_| false), run)?;
            squares.push(pairs.squares / (2 * n * (2 * n - 1)) as f64);
            sizes.push(pairs.size + contrast.trace());
            kernels.push(contrast);
        }
        let nulls = vec![Vec::new(); kernels.len()];
        let (observed, own, null) = (0.0, Vec::new(), Vec::new());
        let fuse = Fuse::new(n, &squares);
        Ok(Drawn { kernels, sizes, fuse, n, observed, own, null, nulls, largest: 1.0, stop: Ended::All })
    }

    /// Draws portions until there are as many as asked for, or a reason to stop.
    fn draw(&mut self, mmd: &Mmd, lag: f64, run: &Run) -> Result<()> {
        let mut multipliers = Multipliers::new(self.n, kind(lag), mmd.seed)?;
        while self.null.len() < mmd.n_permutations {
            let first = usize::from(self.null.is_empty());
            let width = PORTION.min(mmd.n_permutations - self.null.len()) + first;
            let w = columns(&mut multipliers, lag, [self.n, width], first == 1);
            match self.portion(&w, width, run) {
                Err(Error::Cancelled { .. }) if first == 0 => {
                    self.stop = run.stop_reason().map_or(Ended::Interrupted, Ended::from);
                    return Ok(());
                }
                other => other?,
            }
            if count(self.observed, &self.null, self.tolerance(), mmd.enough).enough {
                self.stop = Ended::Sequential;
                return Ok(());
            }
        }
        Ok(())
    }

    /// One product of each kernel. The data themselves are a column of ones in the first one, on the same path as all others.
    fn portion(&mut self, w: &[f64], columns: usize, run: &Run) -> Result<()> {
        let values = self.kernels.iter().map(|k| k.quadratic(w, columns, run)).collect::<Result<Vec<_>>>()?;
        let first = usize::from(self.null.is_empty());
        if first == 1 {
            self.own = values.iter().map(|v| v[0]).collect();
            self.observed = self.fuse.of(self.own.iter().copied());
        }
        self.largest = w.iter().fold(self.largest, |a, w| a.max(w.abs()));
        self.null.extend((first..columns).map(|b| self.fuse.of(values.iter().map(|v| v[b]))));
        self.nulls.iter_mut().zip(&values).for_each(|(null, v)| null.extend_from_slice(&v[first..]));
        Ok(())
    }

    /// |wᵢ| ≤ w: Σ|wᵢ||hᵢⱼ||wⱼ| ≤ w²·Σ|K|, and every value goes through at most 2n + 128 additions and multiplications.
    fn rounding(&self, k: usize) -> f64 {
        let unit = (2.0 * self.n as f64 + 128.0) * f64::EPSILON / 2.0;
        unit / (1.0 - unit) * self.largest * self.largest * self.sizes[k] / self.kernels[k].divisor()
    }

    fn tolerance(&self) -> f64 {
        let roundings: Vec<f64> = (0..self.kernels.len()).map(|k| self.rounding(k)).collect();
        2.0 * self.fuse.rounding(&roundings, self.observed)
    }

    fn result(mut self, mmd: &Mmd, lag: f64, samples: &Samples<'_>) -> (TestResult, usize) {
        let enough = if self.stop == Ended::Sequential { mmd.enough } else { None };
        let counted = count(self.observed, &self.null, self.tolerance(), enough);
        self.null.truncate(counted.of);
        self.nulls.iter_mut().for_each(|null| null.truncate(counted.of));
        let several = self.kernels.len() > 1;
        let mut estimate = mmd.estimate.describe();
        if several {
            (estimate.symbol, estimate.formula) = FUSED;
        }
        let told = format!(
            "rows are times of two series whose dependence fades within about {lag} rows: valid for long, stationary series"
        );
        let result = TestResult {
            test: "mmd",
            hypothesis: HYPOTHESIS.into(),
            statistic: self.observed,
            estimate,
            pvalue: counted.pvalue(),
            null: Null::WildBootstrap,
            reached: counted.reached,
            resolution: 1.0 / (counted.of + 1) as f64,
            n_permutations: counted.of,
            stop: self.stop,
            approximation: None,
            sizes: vec![self.n, self.n],
            kernels: (0..self.own.len()).map(|k| self.tested(k, samples)).collect(),
            aggregation: several.then_some("fuse"),
            tolerance: self.tolerance(),
            seed: mmd.seed,
            notes: vec![told.into()],
            null_distribution: Vec::new(),
        };
        let best = self.fuse.best(&self.own);
        (TestResult { null_distribution: self.null, ..result }, best)
    }

    fn tested(&self, k: usize, samples: &Samples<'_>) -> TestedKernel {
        let counted = count(self.own[k], &self.nulls[k], 2.0 * self.rounding(k), None);
        TestedKernel { statistic: Some(self.own[k]), pvalue: Some(counted.pvalue()), ..samples.tested(k) }
    }
}

/// Multipliers of a lag; signs without one.
fn kind(lag: f64) -> Kind {
    if lag > 0.0 { Kind::Correlated(lag) } else { Kind::Signs }
}

/// n×count multipliers, row by row: centred where they are series, after a column of ones for the data themselves where asked for.
fn columns(multipliers: &mut Multipliers, lag: f64, [n, count]: [usize; 2], with_data: bool) -> Vec<f64> {
    let mut all = vec![1.0; n * count];
    for b in usize::from(with_data)..count {
        let mut series = vec![0.0; n];
        multipliers.next_into(|t, w| series[t] = w);
        let mean = if lag > 0.0 { series.iter().sum::<f64>() / n as f64 } else { 0.0 };
        all.iter_mut().skip(b).step_by(count).zip(series).for_each(|(w, s)| *w = s - mean);
    }
    all
}

/// The matrix of the hᵢⱼ; its diagonal is 0 for the unbiased estimate.
struct Contrast {
    matrix: Bound,
    n: usize,
    estimate: MmdEstimate,
}

impl Contrast {
    fn divisor(&self) -> f64 {
        let n = self.n as f64;
        if self.estimate == MmdEstimate::Biased { n * n } else { n * (n - 1.0) }
    }

    fn trace(&self) -> f64 {
        let mut diagonal = vec![0.0; 2 * self.n];
        self.matrix.diag(&mut diagonal);
        diagonal.iter().map(|k| k.abs()).sum()
    }

    /// wᵀHw over the divisor for every column of w: n×count.
    fn quadratic(&self, w: &[f64], count: usize, run: &Run) -> Result<Vec<f64>> {
        let (mut products, _reserved) =
            crate::linalg::filled(w.len() as u128, 0.0, "the products with multipliers", "ask for fewer rows", run)?;
        apply_block(self, w, count, &mut products, run)?;
        let mut sums = vec![0.0; count];
        for (row, products) in w.chunks(count).zip(products.chunks(count)) {
            sums.iter_mut().zip(row).zip(products).for_each(|((sum, w), p)| *sum += w * p);
        }
        sums.iter_mut().for_each(|sum| *sum /= self.divisor());
        Ok(sums)
    }
}

impl KernelMatrix for Contrast {
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
        let (height, width) = (rows.len(), cols.len());
        let mut tile = vec![0.0; height * width];
        for (y_rows, y_cols, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
            let moved = |r: &Range<usize>, y: usize| r.start + y * self.n..r.end + y * self.n;
            let window = TileMut::contiguous(&mut tile, height, width);
            self.matrix.block(moved(&rows, y_rows), moved(&cols, y_cols), window);
            for (i, values) in tile.chunks(width.max(1)).enumerate().take(height) {
                let out = out.row_mut(i);
                if y_rows + y_cols == 0 {
                    out.fill(0.0);
                }
                out.iter_mut().zip(values).for_each(|(h, k)| *h += sign * k);
            }
        }
        if self.estimate != MmdEstimate::Biased {
            for (r, i) in rows.enumerate() {
                if cols.contains(&i) {
                    out.row_mut(r)[i - cols.start] = 0.0;
                }
            }
        }
    }

    fn diag(&self, out: &mut [f64]) {
        for (i, value) in out.iter_mut().enumerate() {
            let mut one = [0.0];
            self.block(i..i + 1, i..i + 1, TileMut::contiguous(&mut one, 1, 1));
            *value = one[0];
        }
    }
}
