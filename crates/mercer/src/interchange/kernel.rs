//! The kernels that every program of support vector machines knows.

use crate::error::Result;
use crate::kernel::{Columns, KernelExpr, Kind, Leaf};

/// A kernel as LIBSVM, scikit-learn and ONNX have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StandardKernel {
    /// ⟨x, y⟩.
    Linear,
    /// (γ⟨x, y⟩ + c)ᵈ.
    Polynomial {
        /// d.
        degree: u32,
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// exp(−γ‖x − y‖²).
    Rbf {
        /// γ = 1/(2ℓ²).
        gamma: f64,
    },
    /// tanh(γ⟨x, y⟩ + c).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// Values that come with the points.
    Precomputed,
}

impl StandardKernel {
    /// The kernel as a formula on every column.
    ///
    /// Fails where a formula would have no such kernel: LIBSVM allows γ = 0, a degree of 0 or above 64, and
    /// a polynomial with c < 0, which is not positive definite. The length scale ℓ = 1/√(2γ) is rounded, so that γ comes back
    /// with an error of some 10⁻¹⁶ of it.
    ///
    /// ```
    /// use mercer::interchange::StandardKernel;
    /// assert_eq!(StandardKernel::Rbf { gamma: 2.0 }.formula()?.to_string(), "rbf(length_scale=0.5)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn formula(&self) -> Result<KernelExpr> {
        match *self {
            StandardKernel::Linear => Ok(KernelExpr::of(Kind::Linear)),
            StandardKernel::Polynomial { degree, gamma, coef0 } => {
                KernelExpr::of(Kind::Poly).with("degree", degree.into())?.with("gamma", gamma)?.with("coef0", coef0)
            }
            StandardKernel::Rbf { gamma } => KernelExpr::of(Kind::Rbf).with("gamma", gamma),
            StandardKernel::Sigmoid { gamma, coef0 } => {
                KernelExpr::of(Kind::Sigmoid).with("gamma", gamma)?.with("coef0", coef0)
            }
            StandardKernel::Precomputed => Ok(KernelExpr::of(Kind::Precomputed)),
        }
    }

    /// The formula as one of these, if it is one: on every column, with numbers and not rules, and one length scale for all.
    ///
    /// A power of a linear function of ⟨x, y⟩ is a polynomial, however it is written.
    ///
    /// ```
    /// use mercer::KernelExpr;
    /// use mercer::interchange::StandardKernel;
    /// let of = |formula: &str| KernelExpr::parse(formula).map(|k| StandardKernel::of(&k));
    /// assert_eq!(of("rbf(length_scale=0.5)")?, Some(StandardKernel::Rbf { gamma: 2.0 }));
    /// assert_eq!(of("(2*linear + 1)^3")?, Some(StandardKernel::Polynomial { degree: 3, gamma: 2.0, coef0: 1.0 }));
    /// assert_eq!(of("matern32(length_scale=1)")?, None);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(kernel: &KernelExpr) -> Option<Self> {
        match kernel {
            KernelExpr::Leaf(leaf) if *leaf.columns() == Columns::All => of_leaf(leaf),
            KernelExpr::Power { base, exponent } if exponent.fract() == 0.0 => of_affine(base, *exponent as u32),
            other => of_affine(other, 1),
        }
    }

    /// The formula as a number times one of these: the number goes into the coefficients of a machine.
    ///
    /// ```
    /// use mercer::KernelExpr;
    /// use mercer::interchange::StandardKernel;
    /// let k = KernelExpr::parse("3*rbf(length_scale=1)")?;
    /// assert_eq!(StandardKernel::of_scaled(&k), Some((3.0, StandardKernel::Rbf { gamma: 0.5 })));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_scaled(kernel: &KernelExpr) -> Option<(f64, Self)> {
        match kernel {
            KernelExpr::Scale { factor, inner } => Some((factor.number()?, Self::of(inner)?)),
            other => Some((1.0, Self::of(other)?)),
        }
    }
}

fn of_leaf(leaf: &Leaf) -> Option<StandardKernel> {
    let number = |name| leaf.number(name);
    Some(match leaf.kind() {
        Kind::Linear => StandardKernel::Linear,
        Kind::Poly => StandardKernel::Polynomial {
            degree: leaf.integer("degree"),
            gamma: number("gamma")?,
            coef0: number("coef0")?,
        },
        Kind::Rbf => StandardKernel::Rbf { gamma: gamma_of(number("length_scale")?)? },
        Kind::Sigmoid => StandardKernel::Sigmoid { gamma: number("gamma")?, coef0: number("coef0")? },
        Kind::Precomputed => StandardKernel::Precomputed,
        _ => return None,
    })
}

/// γ = 1/(2ℓ²), unless ℓ² is beyond what a number can hold.
fn gamma_of(length_scale: f64) -> Option<f64> {
    let gamma = 0.5 / (length_scale * length_scale);
    (gamma > 0.0 && gamma.is_finite()).then_some(gamma)
}

fn of_affine(base: &KernelExpr, degree: u32) -> Option<StandardKernel> {
    let (gamma, coef0) = affine(base)?;
    (gamma > 0.0).then_some(StandardKernel::Polynomial { degree, gamma, coef0 })
}

/// γ and c where the kernel is γ⟨x, y⟩ + c.
fn affine(kernel: &KernelExpr) -> Option<(f64, f64)> {
    match kernel {
        KernelExpr::Leaf(leaf) if leaf.kind() == Kind::Linear && *leaf.columns() == Columns::All => Some((1.0, 0.0)),
        KernelExpr::Constant(c) => Some((0.0, c.number()?)),
        KernelExpr::Scale { factor, inner } => {
            let (factor, (gamma, c)) = (factor.number()?, affine(inner)?);
            Some((factor * gamma, factor * c))
        }
        KernelExpr::Sum(terms) => terms.iter().try_fold((0.0, 0.0), |(gamma, c), term| {
            let (g, d) = affine(term)?;
            Some((gamma + g, c + d))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    const KERNELS: [StandardKernel; 5] = [
        StandardKernel::Linear,
        StandardKernel::Polynomial { degree: 4, gamma: 0.3, coef0: 1.5 },
        StandardKernel::Rbf { gamma: 0.7 },
        StandardKernel::Sigmoid { gamma: 0.2, coef0: -0.6 },
        StandardKernel::Precomputed,
    ];

    /// The definitions, typed again from the doc comments.
    fn definition(kernel: StandardKernel, x: &[f64], y: &[f64]) -> f64 {
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum();
        match kernel {
            StandardKernel::Linear => dot,
            StandardKernel::Polynomial { degree, gamma, coef0 } => (gamma * dot + coef0).powi(degree as i32),
            StandardKernel::Rbf { gamma } => (-gamma * r2).exp(),
            StandardKernel::Sigmoid { gamma, coef0 } => (gamma * dot + coef0).tanh(),
            StandardKernel::Precomputed => unreachable!("it has no definition"),
        }
    }

    #[test]
    fn formulas_are_the_kernels_they_stand_for() {
        let (x, y) = ([0.5, -1.25, 2.0], [1.5, 0.75, -0.5]);
        for kernel in &KERNELS[..4] {
            let value = kernel.formula().expect("a formula").at(&x, &y).expect("numbers");
            let expected = definition(*kernel, &x, &y);
            assert!((value - expected).abs() <= tol::GRAM_R2 * expected.abs().max(1.0), "{kernel:?}");
        }
    }

    #[test]
    fn formulas_are_recognised() {
        for kernel in KERNELS {
            let again = StandardKernel::of(&kernel.formula().expect("a formula")).expect("recognised");
            match (kernel, again) {
                (StandardKernel::Rbf { gamma }, StandardKernel::Rbf { gamma: again }) => {
                    assert!((gamma - again).abs() <= tol::round(1) * gamma);
                }
                (kernel, again) => assert_eq!(kernel, again),
            }
        }
    }

    #[test]
    fn other_formulas_are_not() {
        for formula in [
            "rbf",
            "rbf(x0, length_scale=1)",
            "rbf(length_scale=[1, 2])",
            "2*rbf(length_scale=1)",
            "laplace(length_scale=1)",
            "rbf(length_scale=1e200)",
            "linear(x0) + 1",
            "linear*linear",
            "rbf(length_scale=1)^0.5",
            "3",
        ] {
            assert_eq!(StandardKernel::of(&KernelExpr::parse(formula).expect("a formula")), None, "{formula}");
        }
    }

    #[test]
    fn what_no_formula_has_is_refused() {
        for kernel in [
            StandardKernel::Rbf { gamma: 0.0 },
            StandardKernel::Rbf { gamma: 1e-310 },
            StandardKernel::Polynomial { degree: 0, gamma: 1.0, coef0: 0.0 },
            StandardKernel::Polynomial { degree: 65, gamma: 1.0, coef0: 0.0 },
            StandardKernel::Polynomial { degree: 2, gamma: 1.0, coef0: -1.0 },
        ] {
            assert!(kernel.formula().is_err(), "{kernel:?}");
        }
    }
}
