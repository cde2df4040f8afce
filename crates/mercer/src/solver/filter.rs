//! Spectral filters: functions g that stand in for 1/σ where σ is too small to divide by.
//!
//! With the empirical operator T = K/n (eigenvalues σ), every one of these methods answers
//! f = g(T)·Sy, that is α = (1/n)·g(K/n)·y. What is left of an eigendirection is the residual
//! r(σ) = 1 − σ·g(σ). The qualification is the largest p for which σᵖ·r(σ) falls like λᵖ: smoothness
//! of the target beyond it is not rewarded. References: Bauer, Pereverzev & Rosasco (2007), *On
//! regularization algorithms in learning theory*; Engl, Hanke & Neubauer (1996), chapters 4 to 6.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

/// The share of the largest step without overshooting that is taken unless one is given.
pub(crate) const SAFE_STEP: f64 = 0.95;

/// Steps of the ν-method, which has no closed form, that may be asked for.
const MOST_STEPS: usize = 1_000_000;

/// A spectral filter.
///
/// ```
/// use mercer::solver::Filter;
/// let tikhonov = Filter::Tikhonov { lambda: 0.5 };
/// assert_eq!((tikhonov.value(1.5), tikhonov.residual(1.5)), (0.5, 0.25)); // 1/(σ + λ), λ/(σ + λ)
/// let once = Filter::IteratedTikhonov { lambda: 0.5, order: 1 };
/// assert!((once.value(1.5) - tikhonov.value(1.5)).abs() < 1e-15);
/// let landweber = Filter::Landweber { step_size: Some(0.1), iterations: 3 };
/// assert!((landweber.residual(2.0) - 0.8f64.powi(3)).abs() < 1e-15); // (1 − step·σ)ᵗ
/// let auto = Filter::Landweber { step_size: None, iterations: 3 }.on(2.0); // a spectrum up to 2
/// assert_eq!(auto, Filter::Landweber { step_size: Some(0.95 / 2.0), iterations: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "filter", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Filter {
    /// g = 1/(σ + λ): ridge regression with alpha = n·λ.
    Tikhonov {
        /// λ > 0.
        lambda: f64,
    },
    /// g = 1/σ where σ ≥ λ, 0 below: principal components regression.
    CutOff {
        /// λ > 0.
        lambda: f64,
    },
    /// g = (1 − (1 − step·σ)ᵗ)/σ: gradient descent from 0.
    Landweber {
        /// step·σ must be below 2 for every σ; 0.95 over the largest of them without one.
        step_size: Option<f64>,
        /// t.
        iterations: usize,
    },
    /// g = (1 − (λ/(σ + λ))^q)/σ: Tikhonov on the residuals, q times in all.
    IteratedTikhonov {
        /// λ > 0.
        lambda: f64,
        /// q ≥ 1.
        order: usize,
    },
    /// The ν-method of Brakhage: a two-step iteration whose t steps do what t² of Landweber do.
    NuMethod {
        /// ν > 0.
        nu: f64,
        /// t.
        iterations: usize,
        /// A number at or above every σ, by which they are divided; the largest of them without one.
        scale: Option<f64>,
    },
}

impl Filter {
    /// All names, as [`parse`](Self::parse) reads them.
    pub const NAMES: [&'static str; 5] = ["tikhonov", "cut_off", "landweber", "iterated_tikhonov", "nu_method"];

    /// The filter of a name, with λ = 1e-3 or 100 iterations to begin with. `order` is q of
    /// `iterated_tikhonov`, by default 2, and ν of `nu_method`, by default 1.
    ///
    /// ```
    /// use mercer::solver::Filter;
    /// let twice = Filter::parse("iterated_tikhonov", None)?.with_strength(0.5);
    /// assert_eq!(twice, Filter::IteratedTikhonov { lambda: 0.5, order: 2 });
    /// assert!(Filter::parse("landwebber", None).unwrap_err().to_string().contains("the nearest is `landweber`"));
    /// assert!(Filter::parse("tikhonov", Some(2.0)).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn parse(name: &str, order: Option<f64>) -> Result<Self> {
        let (lambda, iterations) = (1e-3, 100);
        let whole = |q: f64| (1.0..=1e6).contains(&q) && q.fract() == 0.0;
        let bad = |value: f64, must: &str| Err(Error::invalid(format!("the filter `{name}`"), "order", value, must));
        match (name, order) {
            ("iterated_tikhonov", Some(q)) if !whole(q) => bad(q, "a whole number ≥ 1"),
            ("iterated_tikhonov", q) => Ok(Filter::IteratedTikhonov { lambda, order: q.map_or(2, |q| q as usize) }),
            ("nu_method", nu) => Ok(Filter::NuMethod { nu: nu.unwrap_or(1.0), iterations, scale: None }),
            (known, Some(value)) if Self::NAMES.contains(&known) => {
                bad(value, "left out: only `iterated_tikhonov` and `nu_method` have one")
            }
            ("tikhonov", _) => Ok(Filter::Tikhonov { lambda }),
            ("cut_off", _) => Ok(Filter::CutOff { lambda }),
            ("landweber", _) => Ok(Filter::Landweber { step_size: None, iterations }),
            (other, _) => {
                let near = nearest(other, Self::NAMES).map(|near| format!("; the nearest is `{near}`"));
                let must = format!("one of {}{}", Self::NAMES.join(", "), near.unwrap_or_default());
                Err(Error::invalid("the model `filter`", "filter", format!("`{other}`"), must))
            }
        }
    }

    /// Whether iterations keep it simple, and not λ.
    pub fn iterates(&self) -> bool {
        matches!(self, Filter::Landweber { .. } | Filter::NuMethod { .. })
    }

    /// With this λ, or number of iterations.
    pub fn with_strength(self, value: f64) -> Self {
        let times = value.round().clamp(0.0, 1e9) as usize;
        match self {
            Filter::Tikhonov { .. } => Filter::Tikhonov { lambda: value },
            Filter::CutOff { .. } => Filter::CutOff { lambda: value },
            Filter::IteratedTikhonov { order, .. } => Filter::IteratedTikhonov { lambda: value, order },
            Filter::Landweber { step_size, .. } => Filter::Landweber { step_size, iterations: times },
            Filter::NuMethod { nu, scale, .. } => Filter::NuMethod { nu, iterations: times, scale },
        }
    }

    /// Its name, as in settings.
    pub fn name(&self) -> &'static str {
        match self {
            Filter::Tikhonov { .. } => "tikhonov",
            Filter::CutOff { .. } => "cut_off",
            Filter::Landweber { .. } => "landweber",
            Filter::IteratedTikhonov { .. } => "iterated_tikhonov",
            Filter::NuMethod { .. } => "nu_method",
        }
    }

    /// The qualification; ∞ for those that are limited by nothing.
    pub fn qualification(&self) -> f64 {
        match self {
            Filter::Tikhonov { .. } => 1.0,
            Filter::CutOff { .. } | Filter::Landweber { .. } => f64::INFINITY,
            Filter::IteratedTikhonov { order, .. } => *order as f64,
            Filter::NuMethod { nu, .. } => *nu,
        }
    }

    /// Refuses values without a meaning, and steps that diverge on a spectrum up to `largest`.
    pub fn validate(&self, largest: f64) -> Result<()> {
        let bad = |name: &str, value: String, must: &str| Err(Error::invalid(self.name(), name, value, must));
        let positive = |v: f64| v > 0.0 && v.is_finite();
        match *self {
            Filter::Tikhonov { lambda } | Filter::CutOff { lambda } | Filter::IteratedTikhonov { lambda, .. }
                if !positive(lambda) =>
            {
                bad("lambda", lambda.to_string(), "a finite number above 0")
            }
            Filter::IteratedTikhonov { order: 0, .. } => bad("order", "0".into(), "at least 1"),
            Filter::NuMethod { iterations, .. } if iterations > MOST_STEPS => {
                let must = format!("at most {MOST_STEPS}: each is computed for every eigenvalue");
                bad("iterations", iterations.to_string(), &must)
            }
            Filter::NuMethod { nu, .. } if !positive(nu) => bad("nu", nu.to_string(), "a finite number above 0"),
            Filter::NuMethod { scale: Some(scale), .. } if !(positive(scale) && scale >= largest * (1.0 - 1e-12)) => {
                bad("scale", scale.to_string(), &format!("at least the largest eigenvalue of K/n, {largest:.6}"))
            }
            Filter::Landweber { step_size: Some(step_size), .. } if !positive(step_size) => {
                bad("step_size", step_size.to_string(), "a finite number above 0")
            }
            Filter::Landweber { step_size: Some(step_size), .. } if step_size * largest >= 2.0 => {
                let must = format!("below {:.6}, which is 2 over the largest eigenvalue of K/n", 2.0 / largest);
                bad("step_size", step_size.to_string(), &must)
            }
            _ => Ok(()),
        }
    }

    /// This filter for a spectrum up to `largest`.
    pub fn on(self, largest: f64) -> Self {
        match self {
            Filter::NuMethod { nu, iterations, scale: None } if largest > 0.0 => {
                Filter::NuMethod { nu, iterations, scale: Some(largest) }
            }
            Filter::Landweber { step_size: None, iterations } => {
                let step = if largest > 0.0 { SAFE_STEP / largest } else { 1.0 };
                Filter::Landweber { step_size: Some(step), iterations }
            }
            other => other,
        }
    }

    /// g(σ) for σ ≥ 0.
    pub fn value(&self, sigma: f64) -> f64 {
        match *self {
            Filter::Tikhonov { lambda } => 1.0 / (sigma + lambda),
            Filter::CutOff { lambda } => {
                if sigma >= lambda {
                    1.0 / sigma
                } else {
                    0.0
                }
            }
            Filter::Landweber { step_size, iterations } => {
                let step = step_size.unwrap_or(SAFE_STEP);
                quotient(one_minus_power(step * sigma, iterations as f64), sigma, step * iterations as f64)
            }
            Filter::IteratedTikhonov { lambda, order } => {
                let gone = -(-(order as f64) * (sigma / lambda).ln_1p()).exp_m1();
                quotient(gone, sigma, order as f64 / lambda)
            }
            Filter::NuMethod { nu, iterations, scale } => {
                let scale = scale.unwrap_or(1.0);
                nu_method(sigma / scale, nu, iterations) / scale
            }
        }
    }

    /// r(σ) = 1 − σ·g(σ).
    pub fn residual(&self, sigma: f64) -> f64 {
        match *self {
            Filter::Tikhonov { lambda } => lambda / (sigma + lambda),
            Filter::CutOff { lambda } => f64::from(u8::from(sigma < lambda)),
            Filter::Landweber { step_size, iterations } => {
                (1.0 - step_size.unwrap_or(SAFE_STEP) * sigma).powi(whole(iterations))
            }
            Filter::IteratedTikhonov { lambda, order } => (lambda / (sigma + lambda)).powi(whole(order)),
            Filter::NuMethod { .. } => 1.0 - sigma * self.value(sigma),
        }
    }
}

fn whole(t: usize) -> i32 {
    i32::try_from(t).unwrap_or(i32::MAX)
}

/// a/σ, and its limit where σ is 0 or so small that the quotient says nothing.
fn quotient(a: f64, sigma: f64, limit: f64) -> f64 {
    if sigma > f64::MIN_POSITIVE && a != 0.0 { a / sigma } else { limit }
}

/// 1 − (1 − x)ᵗ for 0 ≤ x < 2, without cancellation near 0.
fn one_minus_power(x: f64, t: f64) -> f64 {
    if x < 1.0 { -(t * (-x).ln_1p()).exp_m1() } else { 1.0 - (1.0 - x).powf(t) }
}

/// The value after t steps for 0 ≤ σ ≤ 1.
fn nu_method(sigma: f64, nu: f64, t: usize) -> f64 {
    let (mut before, mut now) = (0.0, 0.0);
    for step in 1..=t {
        let k = step as f64;
        let mu = if step == 1 {
            0.0
        } else {
            (k - 1.0) * (2.0 * k - 3.0) * (2.0 * k + 2.0 * nu - 1.0)
                / ((k + 2.0 * nu - 1.0) * (2.0 * k + 4.0 * nu - 1.0) * (2.0 * k + 2.0 * nu - 3.0))
        };
        let omega =
            4.0 * (2.0 * k + 2.0 * nu - 1.0) * (k + nu - 1.0) / ((k + 2.0 * nu - 1.0) * (2.0 * k + 4.0 * nu - 1.0));
        let next = now + mu * (now - before) + omega * (1.0 - sigma * now);
        (before, now) = (now, next);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECTRUM: [f64; 9] = [0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.03, 0.2, 0.7, 1.0];

    fn family() -> Vec<Filter> {
        vec![
            Filter::Tikhonov { lambda: 0.01 },
            Filter::CutOff { lambda: 0.01 },
            Filter::Landweber { step_size: Some(0.9), iterations: 40 },
            Filter::Landweber { step_size: Some(1.7), iterations: 40 },
            Filter::Landweber { step_size: None, iterations: 40 },
            Filter::IteratedTikhonov { lambda: 0.01, order: 3 },
            Filter::NuMethod { nu: 1.5, iterations: 12, scale: None },
        ]
    }

    #[test]
    fn the_residual_is_what_the_value_leaves_and_never_grows() {
        for filter in family() {
            for sigma in SPECTRUM {
                let (g, r) = (filter.value(sigma), filter.residual(sigma));
                assert!((1.0 - sigma * g - r).abs() <= 1e-14, "{filter:?} at {sigma}: {g} {r}");
                assert!(r.abs() <= 1.0 + 1e-14, "{filter:?} at {sigma}: {r}");
            }
        }
    }

    #[test]
    fn landweber_is_its_iteration_and_iterated_tikhonov_is_iterated() {
        for sigma in SPECTRUM {
            let (mut descent, mut tikhonov) = (0.0, 0.0);
            (0..40).for_each(|_| descent += 0.9 * (1.0 - sigma * descent));
            (0..3).for_each(|_| tikhonov += (1.0 - sigma * tikhonov) / (sigma + 0.01));
            let filters = [Filter::Landweber { step_size: Some(0.9), iterations: 40 }, family()[5]];
            for (filter, expected) in filters.into_iter().zip([descent, tikhonov]) {
                let got = filter.value(sigma);
                assert!((got - expected).abs() <= 1e-13 * expected, "{filter:?} at {sigma}: {got} {expected}");
            }
        }
    }

    #[test]
    fn the_nu_method_reaches_its_rate() {
        // σ^ν·|r_t(σ)| ≤ C·t^(−2ν) on [0, 1]: from t to 2t it falls by 4^ν.
        let worst = |nu: f64, t: usize| {
            let filter = Filter::NuMethod { nu, iterations: t, scale: None };
            (0..=2000).map(|i| f64::from(i) / 2000.0).map(|s| s.powf(nu) * filter.residual(s).abs()).fold(0.0, f64::max)
        };
        for nu in [0.5, 1.0, 2.0] {
            let fall = worst(nu, 30) / worst(nu, 60);
            assert!((fall.log2() / (2.0 * nu) - 1.0).abs() < 0.1, "ν = {nu}: falls by {fall}");
        }
    }

    #[test]
    fn values_without_a_meaning_are_refused() {
        let message = |f: Filter| f.validate(1.0).expect_err("refused").to_string();
        assert!(message(Filter::Landweber { step_size: Some(2.5), iterations: 3 }).contains("below 2"));
        assert!(message(Filter::Tikhonov { lambda: 0.0 }).contains("above 0"));
        assert!(message(Filter::IteratedTikhonov { lambda: 1.0, order: 0 }).contains("at least 1"));
        assert!(message(Filter::NuMethod { nu: 1.0, iterations: 3, scale: Some(0.5) }).contains("largest eigenvalue"));
        assert!(message(Filter::CutOff { lambda: f64::NAN }).contains("NaN"));
        assert!(family().iter().all(|f| f.validate(1.0).is_ok()));
    }
}
