//! How fast eigenvalues fall: like a power of ℓ, or like an exponential.

use serde::Serialize;

/// A straight line through the logarithms of the eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayFit {
    /// p of λ̂_ℓ ≈ c·ℓ^(−p), or q of λ̂_ℓ ≈ c·e^(−qℓ).
    pub rate: f64,
    /// The share of the variance of log λ̂ that the line explains.
    pub r_squared: f64,
}

/// The form that fits better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecayKind {
    /// λ̂_ℓ ≈ c·ℓ^(−p): finitely smooth kernels.
    Polynomial,
    /// λ̂_ℓ ≈ c·e^(−qℓ): analytic kernels.
    Exponential,
    /// All eigenvalues are equal, as when the kernel sees no two points as similar.
    Flat,
    /// There are fewer than three eigenvalues to fit.
    TooFew,
}

impl DecayKind {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            DecayKind::Polynomial => "polynomial",
            DecayKind::Exponential => "exponential",
            DecayKind::Flat => "flat",
            DecayKind::TooFew => "too few eigenvalues",
        }
    }
}

/// Both fits, the range they were made over, and the better one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Decay {
    /// The form that fits better.
    pub kind: DecayKind,
    /// The fits are over ℓ = 1, …, last: the eigenvalues above rounding.
    pub last: usize,
    /// The fit of log λ̂ against log ℓ.
    pub polynomial: Option<DecayFit>,
    /// The fit of log λ̂ against ℓ.
    pub exponential: Option<DecayFit>,
}

/// Fits positive eigenvalues in decreasing order.
pub(super) fn decay(values: &[f64]) -> Decay {
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let none = |kind| Decay { kind, last: logs.len(), polynomial: None, exponential: None };
    if logs.len() < 3 {
        return none(DecayKind::TooFew);
    }
    // Eigenvalues that differ by rounding alone have no rate.
    if logs[0] - logs[logs.len() - 1] <= 1e-10 {
        return none(DecayKind::Flat);
    }
    let order: Vec<f64> = (1..=logs.len()).map(|l| l as f64).collect();
    let polynomial = line(&order.iter().map(|l| l.ln()).collect::<Vec<_>>(), &logs);
    let exponential = line(&order, &logs);
    let kind = match polynomial.r_squared >= exponential.r_squared {
        true => DecayKind::Polynomial,
        false => DecayKind::Exponential,
    };
    Decay { kind, last: logs.len(), polynomial: Some(polynomial), exponential: Some(exponential) }
}

/// The least-squares line of y against x; the rate is minus its slope.
fn line(x: &[f64], y: &[f64]) -> DecayFit {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    DecayFit { rate: -xy / xx, r_squared: xy * xy / (xx * yy) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    #[test]
    fn exact_laws_are_found() {
        let power: Vec<f64> = (1..=40).map(|l| 3.0 * f64::from(l).powf(-2.5)).collect();
        let found = decay(&power);
        assert_eq!((found.kind, found.last), (DecayKind::Polynomial, 40));
        let fit = found.polynomial.expect("a fit");
        assert!((fit.rate - 2.5).abs() <= tol::GOLDEN && (fit.r_squared - 1.0).abs() <= tol::GOLDEN);
        let falling: Vec<f64> = (1..=40).map(|l| 0.2 * (-0.7 * f64::from(l)).exp()).collect();
        let found = decay(&falling);
        assert_eq!(found.kind, DecayKind::Exponential);
        assert!((found.exponential.expect("a fit").rate - 0.7).abs() <= tol::GOLDEN);
    }

    #[test]
    fn short_and_flat_spectra_have_no_rate() {
        assert_eq!(decay(&[1.0, 0.5]).kind, DecayKind::TooFew);
        assert_eq!(decay(&[]).kind, DecayKind::TooFew);
        assert_eq!(decay(&[0.25; 4]).kind, DecayKind::Flat);
    }
}
