//! Components from landmarks: those of k̂(x, y) = k_z(x)ᵀ·K_zz⁻¹·k_z(y), which lies below k.
//!
//! With K_zz = V·diag(s)·Vᵀ and B = V·diag(s)^(−½), the features Bᵀk_z(x) of a point have k̂ as their products; what is left is a
//! decomposition of their covariance. Sums of points z stay sums of points: the coefficients of e are B·e. Directions of K_zz that are
//! rounding are left out, or they would be divided by their smallness.

use crate::certificate::{Algorithm, Certificate, Measure};
use crate::data::Inputs;
use crate::error::{Error, Result, counted};
use crate::gram::{KernelMatrix, dense};
use crate::linalg::{LinearOperator, dot, eigen, filled, multiply, multiply_first_transposed};
use crate::model::{Certified, Components, Fitted, Learn, Model, Sample};
use crate::run::{Reservation, Run};
use crate::solver::{TopEigenParams, top_eigen};

use super::KernelPca;
use super::pairs::{Pairs, judge, larger, nothing_varies, sign};
use super::pca::rounding;

/// The features of all rows, weighted by √p and centred.
struct Features {
    /// Number of rows, and of features.
    n: usize,
    r: usize,
    /// Row-major: n×r.
    rows: Vec<f64>,
    /// B, row-major: landmarks×r.
    basis: Vec<f64>,
    /// s, one a feature.
    values: Vec<f64>,
    /// Σ pᵢ·features; zeros without centring.
    mean: Vec<f64>,
    /// tr of the covariance of k, and of what k̂ leaves of it without centring, over that of k.
    total: f64,
    missed: f64,
    /// Σ pᵢ|k(xᵢ, xᵢ)|.
    scale: f64,
    roots: Vec<f64>,
    _reserved: Reservation,
}

/// B and s of landmarks.
fn basis(sample: &Sample, points: &Inputs, run: &Run) -> Result<(Vec<f64>, Vec<f64>)> {
    let m = points.len();
    let gram = dense::<f64>(&sample.space.gram(points, run)?, run)?;
    let found = eigen(gram.values(), m, run)?;
    let least = rounding(m) * found.values().last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..m).rev().filter(|l| found.values()[*l] > least.max(0.0)).collect();
    let values: Vec<f64> = kept.iter().map(|l| found.values()[*l]).collect();
    let entry = |z: usize| kept.iter().map(move |l| (z, *l));
    let basis = (0..m).flat_map(entry).map(|(z, l)| found.vector(l)[z] / found.values()[l].sqrt()).collect();
    Ok((basis, values))
}

impl Features {
    /// Of the rows of a sample, against these points.
    fn new(sample: &Sample, points: &Inputs, center: bool, run: &Run) -> Result<Self> {
        let (n, m) = (sample.n, points.len());
        let (basis, values) = basis(sample, points, run)?;
        let r = values.len();
        let cross = dense::<f64>(&sample.space.cross(&sample.x, points, run)?, run)?;
        let purpose = format!("the {n}×{r} features of landmarks");
        let (mut rows, reserved) = filled(n as u128 * r as u128, 0.0, &purpose, "take fewer landmarks", run)?;
        multiply(cross.values(), &basis, [n, m, r], &mut rows, run)?;
        drop(cross);
        let shares = sample.shares();
        let mut own = vec![0.0; n];
        sample.space.gram(&sample.x, run)?.diag(&mut own);
        let whole: f64 = own.iter().zip(&shares).map(|(k, p)| p * k).sum();
        let kept: f64 = rows.chunks(r.max(1)).zip(&shares).map(|(row, p)| p * dot(row, row)).sum();
        let missed = if whole > 0.0 { ((whole - kept) / whole).max(0.0) } else { 0.0 };
        let scale = own.iter().zip(&shares).map(|(k, p)| p * k.abs()).sum();
        let roots: Vec<f64> = shares.iter().map(|p| p.sqrt()).collect();
        let mean = weigh_and_center(&mut rows, &shares, r, center);
        let total = whole - dot(&mean, &mean);
        Ok(Features { n, r, rows, basis, values, mean, total, missed, scale, roots, _reserved: reserved })
    }

    /// B·v for v: r×k, row-major: the coefficients of directions.
    fn of_points(&self, v: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let m = self.basis.len() / self.r.max(1);
        let mut out = vec![0.0; m * k];
        multiply(&self.basis, v, [m, self.r, k], &mut out, run)?;
        Ok(out)
    }

    /// diag(s)·Bᵀ·a for a: landmarks×k, which undoes it.
    fn directions(&self, a: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let m = self.basis.len() / self.r.max(1);
        if a.len() != m * k {
            return Err(Error::shape("the coefficients of the model", m * k, a.len()));
        }
        let mut out = vec![0.0; self.r * k];
        multiply_first_transposed(&self.basis, a, [self.r, m, k], &mut out, run)?;
        out.chunks_mut(k).zip(&self.values).for_each(|(row, s)| row.iter_mut().for_each(|v| *v *= s));
        Ok(out)
    }

    fn components(&self, variances: Vec<f64>, center: bool, run: &Run) -> Result<Components> {
        Ok(Components {
            variances,
            total: self.total,
            mean: if center { self.of_points(&self.mean, 1, run)? } else { Vec::new() },
            mean_norm: dot(&self.mean, &self.mean),
        })
    }
}

impl LinearOperator for Features {
    fn nrows(&self) -> usize {
        self.r
    }

    fn ncols(&self) -> usize {
        self.r
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let (n, r) = (self.n, self.r);
        let mut values = vec![0.0; n * k];
        multiply(&self.rows, v, [n, r, k], &mut values, run)?;
        multiply_first_transposed(&self.rows, &values, [r, n, k], out, run)?;
        run.task("product", Some(1)).step_or_cancel()
    }
}

pub(super) fn learn(pca: &KernelPca, sample: &Sample, run: &Run) -> Result<Fitted> {
    if matches!(sample.all, Inputs::Precomputed(_)) {
        return Err(Error::Unsupported {
            what: "the solver `nystrom` for kernel values that are there already".into(),
            alternative: "use the solver `iterative`, which is exact".into(),
        });
    }
    let rows = sample.landmarks(pca.landmarks.min(sample.n), pca.seed, run)?;
    if rows.is_empty() {
        return Err(nothing_varies(KernelPca::SPEC.title()));
    }
    let points = sample.x.take(&rows);
    let features = Features::new(sample, &points, pca.center, run)?;
    if features.r == 0 {
        return Err(nothing_varies(KernelPca::SPEC.title()));
    }
    let count = pca.components.min(features.r);
    let params = TopEigenParams { count, tolerance: pca.tolerance, seed: pca.seed, ..Default::default() };
    let found = top_eigen(&features, &params, run)?;
    let pairs = Pairs { values: found.values().to_vec(), vectors: found.vectors().to_vec() };
    let pairs = pairs.above(rounding(sample.n) * features.scale);
    if pairs.len() == 0 {
        return Err(nothing_varies(KernelPca::SPEC.title()));
    }
    let (coefficients, intercept) = functions(&features, &pairs, run)?;
    let (variances, residual) = judged(&features, &coefficients, &intercept, &run.without_stops())?;
    let leave = counted(rows.len(), "landmark leaves", "landmarks leave");
    let reason = format!("asked for; {leave} {:.1e} of the trace of K", features.missed);
    let certificate = Certificate::new(Algorithm::Nystrom, reason, found.stop())
        .of_system(pca.system(), residual)
        .with(Measure::ApproximationError, features.missed)
        .count(Measure::Iterations, found.products());
    let components = features.components(variances, pca.center, run)?;
    let expansion = sample.expansion(coefficients, intercept, Some(&rows))?;
    pca.fitted(sample, expansion, components, certificate)
}

pub(super) fn certify(
    pca: &KernelPca,
    model: &Model,
    claimed: &Components,
    sample: &Sample,
    run: &Run,
) -> Result<Certified> {
    let features = Features::new(sample, model.points(), pca.center, run)?;
    let (variances, residual) = judged(&features, model.coefficients(), model.intercept(), run)?;
    let found = features.components(variances, pca.center, run)?;
    let mut certified = pca.certified(model, claimed, &found, residual);
    certified.certificate = certified.certificate.with(Measure::ApproximationError, features.missed);
    Ok(certified)
}

/// a = B·e, with the sign of the farthest row, and b = −⟨e, mean⟩.
fn functions(features: &Features, pairs: &Pairs, run: &Run) -> Result<(Vec<f64>, Vec<f64>)> {
    let (r, k, n) = (features.r, pairs.len(), features.n);
    let mut directions = vec![0.0; r * k];
    for (l, e) in pairs.vectors.chunks(r).enumerate() {
        e.iter().enumerate().for_each(|(z, e)| directions[z * k + l] = *e);
    }
    let mut along = vec![0.0; n * k];
    multiply(&features.rows, &directions, [n, r, k], &mut along, run)?;
    let mut intercept = vec![0.0; k];
    for (l, b) in intercept.iter_mut().enumerate() {
        let coordinates = along.iter().skip(l).step_by(k).zip(&features.roots).map(|(f, r)| f / r);
        let sign = sign(coordinates);
        directions.iter_mut().skip(l).step_by(k).for_each(|e| *e *= sign);
        let inner: f64 = directions.iter().skip(l).step_by(k).zip(&features.mean).map(|(e, s)| e * s).sum();
        // Not −0.
        *b = 0.0 - inner;
    }
    Ok((features.of_points(&directions, k, run)?, intercept))
}

/// Variances, and the largest of residuals, angles, lengths and intercepts that ought to be 0.
fn judged(features: &Features, coefficients: &[f64], intercept: &[f64], run: &Run) -> Result<(Vec<f64>, f64)> {
    let k = intercept.len();
    let directions = features.directions(coefficients, k, run)?;
    let judged = judge(features, &directions, k, |value, square| value * (square - 1.0), run)?;
    let largest = judged.values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(*v));
    let off = |l: usize| {
        let inner: f64 = directions.iter().skip(l).step_by(k).zip(&features.mean).map(|(e, s)| e * s).sum();
        (intercept[l] + inner).abs() / largest.sqrt()
    };
    let worst = (0..k).map(off).fold(judged.worst, larger);
    Ok((judged.values, worst))
}

/// Takes the weighted mean out of rows of r features, if wanted, and multiplies them by √p; the mean.
fn weigh_and_center(rows: &mut [f64], shares: &[f64], r: usize, center: bool) -> Vec<f64> {
    let mut mean = vec![0.0; r];
    if center {
        for (row, p) in rows.chunks(r.max(1)).zip(shares) {
            mean.iter_mut().zip(row).for_each(|(s, f)| *s += p * f);
        }
    }
    for (row, p) in rows.chunks_mut(r.max(1)).zip(shares) {
        row.iter_mut().zip(&mean).for_each(|(f, s)| *f = p.sqrt() * (*f - s));
    }
    mean
}
