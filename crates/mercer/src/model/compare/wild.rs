//! The test for time series: multipliers that remember.

use std::ops::Range;

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix, TileMut, apply_block};
use crate::run::Run;

use super::fuse::Fuse;
use super::mmd::{Mmd, MmdEstimate, Samples};
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
pub(super) fn test(mmd: &Mmd, memory: f64, samples: &Samples<'_>, run: &Run) -> Result<(TestResult, usize)> {
    let n = samples.m;
    let bind = |space: &crate::rkhs::Space| {
        space.gram(samples.z, run).map(|matrix| Contrast { matrix, n, estimate: mmd.estimate })
    };
    let kernels = samples.spaces.iter().map(bind).collect::<Result<Vec<_>>>()?;
    let pairs = kernels.iter().map(|k| Ok(within(&k.matrix, &Groups::drawn(2 * n, 0, |_| false), run)?.1));
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    let rows = 2.0 * n as f64;
    let squares: Vec<f64> = pairs.iter().map(|p| p.squares / (rows * (rows - 1.0))).collect();
    let fuse = Fuse::new(n, &squares);
    let mut series = Multipliers { n, memory, chance: Chance::new(mmd.seed) };
    let (mut null, mut nulls) = (Vec::new(), vec![Vec::new(); kernels.len()]);
    let (mut observed, mut own, mut largest, mut stop) = (0.0, Vec::new(), 1.0f64, Ended::All);
    while null.len() < mmd.n_permutations {
        let first = null.is_empty();
        let columns = PORTION.min(mmd.n_permutations - null.len()) + usize::from(first);
        let w = series.columns(columns, first);
        largest = w.iter().fold(largest, |a, w| a.max(w.abs()));
        let values = match kernels.iter().map(|k| k.quadratic(&w, columns, run)).collect::<Result<Vec<_>>>() {
            Err(Error::Cancelled { .. }) if !first => {
                stop = run.stop_reason().map_or(Ended::Interrupted, Ended::from);
                break;
            }
            values => values?,
        };
        if first {
            own = values.iter().map(|v| v[0]).collect();
            observed = fuse.of(own.iter().copied());
        }
        for b in usize::from(first)..columns {
            null.push(fuse.of(values.iter().map(|v| v[b])));
        }
        nulls.iter_mut().zip(&values).for_each(|(null, v)| null.extend_from_slice(&v[usize::from(first)..]));
    }
    // |wᵢ| ≤ w: Σ|wᵢ||hᵢⱼ||wⱼ| ≤ w²·Σ|K|, and every value goes through at most 2n + 128 additions and multiplications.
    let unit = (2.0 * n as f64 + 128.0) * f64::EPSILON / 2.0;
    let size = |k: usize| pairs[k].size + kernels[k].trace();
    let roundings: Vec<f64> =
        (0..kernels.len()).map(|k| unit / (1.0 - unit) * largest * largest * size(k) / kernels[k].divisor()).collect();
    let tolerance = 2.0 * fuse.rounding(&roundings, observed);
    let counted = count(observed, &null, tolerance, mmd.enough);
    if counted.enough {
        stop = Ended::Sequential;
        null.truncate(counted.of);
        nulls.iter_mut().for_each(|null| null.truncate(counted.of));
    }
    let scaled = |k: &usize| fuse.scaled(*k, own[*k]);
    let best = (0..own.len()).max_by(|a, b| scaled(a).total_cmp(&scaled(b)).then(b.cmp(a))).unwrap_or(0);
    let tested = |k: usize| TestedKernel {
        statistic: Some(own[k]),
        pvalue: Some(count(own[k], &nulls[k], 2.0 * roundings[k], None).pvalue()),
        ..samples.tested(k)
    };
    let several = kernels.len() > 1;
    let mut estimate = mmd.estimate.describe();
    if several {
        (estimate.symbol, estimate.formula) = FUSED;
    }
    let note = format!(
        "rows are times of two series that remember about {memory} steps: valid for large samples of stationary series"
    );
    let result = TestResult {
        test: "mmd",
        hypothesis: HYPOTHESIS.into(),
        statistic: observed,
        estimate,
        pvalue: counted.pvalue(),
        null: Null::WildBootstrap,
        reached: counted.reached,
        resolution: 1.0 / (counted.of + 1) as f64,
        n_permutations: counted.of,
        stop,
        approximation: None,
        sizes: vec![n, n],
        kernels: (0..own.len()).map(tested).collect(),
        aggregation: several.then_some("fuse"),
        tolerance,
        seed: mmd.seed,
        notes: vec![note.into()],
        null_distribution: null,
    };
    Ok((result, best))
}

/// Multipliers: w_t = ρw_{t−1} + √(1 − ρ²)ε_t with ρ = e^(−1/memory), ε normal; signs by chance without a memory.
struct Multipliers {
    n: usize,
    memory: f64,
    chance: Chance,
}

impl Multipliers {
    /// n×count, row by row: centred series, after a column of ones for the data themselves where asked for.
    fn columns(&mut self, count: usize, with_data: bool) -> Vec<f64> {
        let mut all = vec![1.0; self.n * count];
        for b in usize::from(with_data)..count {
            let series = self.series();
            let mean = if self.memory > 0.0 { series.iter().sum::<f64>() / self.n as f64 } else { 0.0 };
            all.iter_mut().skip(b).step_by(count).zip(series).for_each(|(w, s)| *w = s - mean);
        }
        all
    }

    fn series(&mut self) -> Vec<f64> {
        let Multipliers { n, memory, chance } = self;
        if *memory == 0.0 {
            return (0..*n).map(|_| if chance.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        }
        let rho = (-1.0 / *memory).exp();
        let fresh = (1.0 - rho * rho).sqrt();
        let mut w = chance.normal();
        let mut next = || {
            let now = w;
            w = rho * w + fresh * chance.normal();
            now
        };
        (0..*n).map(|_| next()).collect()
    }
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
