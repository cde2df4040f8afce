//! Elementary symmetric polynomials of one-dimensional Gaussian kernels.

use std::ops::RangeInclusive;

use crate::kernel::elementary::decay;

/// The largest degree, which bounds the scratch space of one pair.
pub(crate) const MAX_DEGREE: usize = 16;

/// E₀ … E_p, in the slots up to `MAX_DEGREE`.
pub(crate) type Polynomials = [f64; MAX_DEGREE + 1];

/// zⱼ = exp(−(xⱼ − yⱼ)²/(2ℓⱼ²)).
#[inline(always)]
fn factor(x: f64, y: f64, length_scale: f64) -> f64 {
    let u = (x - y) / length_scale;
    decay(-0.5 * u * u)
}

/// E₀ … E_degree of the zⱼ by the forward recurrence E_q ← E_q + zⱼE_{q−1}, which adds only
/// non-negative terms.
#[inline(always)]
pub(crate) fn polynomials(x: &[f64], y: &[f64], length_scales: &[f64], degree: usize) -> Polynomials {
    let mut e = [0.0; MAX_DEGREE + 1];
    e[0] = 1.0;
    for ((&x, &y), &l) in x.iter().zip(y).zip(length_scales) {
        push(&mut e, factor(x, y, l), degree);
    }
    e
}

#[inline(always)]
fn push(e: &mut Polynomials, z: f64, degree: usize) {
    for q in (1..=degree.min(MAX_DEGREE)).rev() {
        e[q] = z.mul_add(e[q - 1], e[q]);
    }
}

/// ∂/∂ℓⱼ of Σ_{q in degrees} E_q, for every j.
///
/// ∂E_q/∂zⱼ is E_{q−1} of all z but zⱼ, joined from the polynomials of the columns before and
/// after j; ∂zⱼ/∂ℓⱼ = zⱼ(xⱼ − yⱼ)²/ℓⱼ³.
pub(crate) fn gradient(x: &[f64], y: &[f64], length_scales: &[f64], degrees: RangeInclusive<usize>, out: &mut [f64]) {
    let d = length_scales.len();
    let degree = *degrees.end();
    let z: Vec<f64> = (0..d).map(|j| factor(x[j], y[j], length_scales[j])).collect();
    let mut after = vec![[0.0; MAX_DEGREE + 1]; d + 1];
    after[d][0] = 1.0;
    for j in (0..d).rev() {
        after[j] = after[j + 1];
        push(&mut after[j], z[j], degree);
    }
    let mut before = [0.0; MAX_DEGREE + 1];
    before[0] = 1.0;
    for j in 0..d {
        let without_j = |q: usize| (0..=q).map(|a| before[a] * after[j + 1][q - a]).sum::<f64>();
        let slope: f64 = degrees.clone().map(|q| without_j(q - 1)).sum();
        let delta = x[j] - y[j];
        out[j] = slope * z[j] * delta * delta / length_scales[j].powi(3);
        push(&mut before, z[j], degree);
    }
}
