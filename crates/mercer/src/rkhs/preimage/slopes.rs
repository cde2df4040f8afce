//! Kernels of vectors with their gradients by the first point, through sums, products, powers and the rest of a formula.

use crate::data::Rows;
use crate::kernel::vector::{
    Cauchy, Exponential, GeneralPoly, Linear, Matern32, Matern52, Poly, RationalQuadratic, Rbf, Sigmoid, ThinPlate,
};
use crate::kernel::{Columns, KernelExpr, Kind, Leaf, Pair, Profile, Setting, Statistic};
use crate::linalg::dot;

/// A profile that has a slope wherever it is asked.
pub(super) trait Curve: Send + Sync {
    fn statistic(&self) -> Statistic;
    /// k and ∂k/∂s at a value of the statistic.
    fn at(&self, s: f64) -> (f64, f64);
}

impl<P: Profile> Curve for P {
    fn statistic(&self) -> Statistic {
        P::STATISTIC
    }

    fn at(&self, s: f64) -> (f64, f64) {
        // None of the profiles below looks at the norms.
        let at = Pair { s, xx: 0.0, yy: 0.0 };
        (self.value(at), self.slope(at))
    }
}

/// The profile of a leaf whose kernel is differentiable everywhere.
pub(super) fn curve(leaf: &Leaf) -> Option<Box<dyn Curve>> {
    let number = |name: &str| leaf.number(name);
    Some(match leaf.kind() {
        Kind::Linear => Box::new(Linear),
        Kind::Poly => {
            Box::new(Poly { gamma: number("gamma")?, coef0: number("coef0")?, degree: leaf.integer("degree") })
        }
        Kind::GeneralPoly => Box::new(GeneralPoly { coefficients: numbers(leaf, "coefficients")? }),
        Kind::Exponential => Box::new(Exponential { gamma: number("gamma")? }),
        Kind::Sigmoid => Box::new(Sigmoid { gamma: number("gamma")?, coef0: number("coef0")? }),
        Kind::Rbf => Box::new(Rbf),
        Kind::Cauchy => Box::new(Cauchy),
        Kind::RationalQuadratic => Box::new(RationalQuadratic { alpha: number("alpha")? }),
        Kind::Matern32 => Box::new(Matern32),
        Kind::Matern52 => Box::new(Matern52),
        Kind::ThinPlate => Box::new(ThinPlate),
        _ => return None,
    })
}

fn numbers(leaf: &Leaf, name: &str) -> Option<Vec<f64>> {
    match leaf.setting(name)? {
        Setting::Many(list) => list.iter().map(|p| p.number()).collect(),
        Setting::One(param) => Some(vec![param.number()?]),
        _ => None,
    }
}

/// 1/ℓⱼ² for each of so many columns.
pub(super) fn weights(leaf: &Leaf, ncols: usize) -> Option<Vec<f64>> {
    let square = |length: f64| 1.0 / (length * length);
    match numbers(leaf, "length_scale")?.as_slice() {
        [one] => Some(vec![square(*one); ncols]),
        list if list.len() == ncols => Some(list.iter().copied().map(square).collect()),
        _ => None,
    }
}

/// A kernel with its gradient.
pub(super) enum Smooth {
    Constant(f64),
    /// A function of ⟨x, y⟩.
    Dot(Box<dyn Curve>),
    /// A function of Σⱼ (xⱼ − yⱼ)²wⱼ.
    Distance(Box<dyn Curve>, Vec<f64>),
    Scale(f64, Box<Smooth>),
    Sum(Vec<Smooth>),
    Product(Vec<Smooth>),
    Power(Box<Smooth>, f64),
    Exp(Box<Smooth>),
    Normalize(Box<Smooth>),
}

impl Smooth {
    /// Of a kernel of so many columns; nothing where a part of it has kinks or names its columns.
    pub(super) fn of(kernel: &KernelExpr, ncols: usize) -> Option<Self> {
        let inner = |k: &KernelExpr| Self::of(k, ncols).map(Box::new);
        let all = |parts: &[KernelExpr]| parts.iter().map(|k| Self::of(k, ncols)).collect::<Option<Vec<_>>>();
        Some(match kernel {
            KernelExpr::Constant(c) => Smooth::Constant(c.number()?),
            KernelExpr::Scale { factor, inner: k } => Smooth::Scale(factor.number()?, inner(k)?),
            KernelExpr::Sum(parts) => Smooth::Sum(all(parts)?),
            KernelExpr::Product(parts) => Smooth::Product(all(parts)?),
            // A power below 1 has no slope where its base is 0.
            KernelExpr::Power { base, exponent } if *exponent >= 1.0 => Smooth::Power(inner(base)?, *exponent),
            KernelExpr::Exp(k) => Smooth::Exp(inner(k)?),
            KernelExpr::Normalize(k) => Smooth::Normalize(inner(k)?),
            KernelExpr::Leaf(leaf) if *leaf.columns() == Columns::All => Self::leaf(leaf, ncols)?,
            _ => return None,
        })
    }

    fn leaf(leaf: &Leaf, ncols: usize) -> Option<Self> {
        if leaf.kind() == Kind::Cosine {
            return Some(Smooth::Normalize(Box::new(Smooth::Dot(Box::new(Linear)))));
        }
        let curve = curve(leaf)?;
        match curve.statistic() {
            Statistic::Dot => Some(Smooth::Dot(curve)),
            Statistic::SquaredDistance => Some(Smooth::Distance(curve, weights(leaf, ncols)?)),
            Statistic::ManhattanDistance => None,
        }
    }

    /// k(z, x), and c·∂k(z, x)/∂z added to `out`.
    fn add(&self, z: &[f64], x: &[f64], c: f64, out: &mut [f64]) -> f64 {
        match self {
            Smooth::Constant(value) => *value,
            Smooth::Dot(curve) => {
                let (value, slope) = curve.at(dot(z, x));
                out.iter_mut().zip(x).for_each(|(g, x)| *g += c * slope * x);
                value
            }
            Smooth::Distance(curve, weights) => {
                let parts = z.iter().zip(x).zip(weights);
                let (value, slope) = curve.at(parts.clone().map(|((z, x), w)| w * (z - x) * (z - x)).sum());
                let factor = 2.0 * c * slope;
                out.iter_mut().zip(parts).for_each(|(g, ((z, x), w))| *g += factor * w * (z - x));
                value
            }
            Smooth::Scale(factor, inner) => factor * inner.add(z, x, c * factor, out),
            Smooth::Sum(terms) => terms.iter().map(|term| term.add(z, x, c, out)).sum(),
            Smooth::Product(factors) => {
                let values: Vec<f64> = factors.iter().map(|f| f.value(z, x)).collect();
                for (i, factor) in factors.iter().enumerate() {
                    let others: f64 = values.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, v)| v).product();
                    factor.add(z, x, c * others, out);
                }
                values.iter().product()
            }
            Smooth::Power(base, exponent) => {
                let value = base.value(z, x);
                base.add(z, x, c * exponent * power(value, exponent - 1.0), out);
                power(value, *exponent)
            }
            Smooth::Exp(inner) => {
                let value = inner.value(z, x).exp();
                inner.add(z, x, c * value, out);
                value
            }
            Smooth::Normalize(inner) => inner.add_normalized(z, x, c, out),
        }
    }

    /// κ = k(z, x)/√(k(z, z)·k(x, x)), whose gradient is ∂k(z, x)/√… − κ·∂₁k(z, z)/k(z, z), as ∂k(z, z)/∂z = 2·∂₁k(z, z).
    fn add_normalized(&self, z: &[f64], x: &[f64], c: f64, out: &mut [f64]) -> f64 {
        let own = self.value(z, z);
        let norm = own.sqrt() * self.value(x, x).sqrt();
        if norm.is_nan() || norm <= 0.0 {
            return 0.0;
        }
        let value = self.add(z, x, c / norm, out) / norm;
        self.add(z, z, -c * value / own, out);
        value
    }

    fn value(&self, z: &[f64], x: &[f64]) -> f64 {
        self.add(z, x, 0.0, &mut [])
    }

    /// k(z, z) − 2Σ βᵢk(z, xᵢ), with its gradient.
    pub(super) fn energy(&self, z: &[f64], beta: &[f64], rows: &Rows, gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let own = self.add(z, z, 2.0, gradient);
        let inner = |(i, b): (usize, &f64)| b * self.add(z, rows.row(i), -2.0 * b, gradient);
        own - 2.0 * beta.iter().enumerate().map(inner).sum::<f64>()
    }
}

/// vᵉ, of a whole e also where v is negative.
fn power(v: f64, e: f64) -> f64 {
    if e.fract() == 0.0 { v.powi(e as i32) } else { v.max(0.0).powf(e) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points;
    use crate::testkit::tol;

    const FORMULAS: [&str; 14] = [
        "linear",
        "poly(degree=3, gamma=0.5, coef0=1)",
        "general_poly(coefficients=[1, 0.5, 0.25])",
        "exponential(gamma=0.3)",
        "sigmoid(gamma=0.2, coef0=0.1)",
        "rbf(length_scale=[1, 2, 0.7])",
        "cauchy(length_scale=1.5)",
        "rational_quadratic(length_scale=2, alpha=0.5)",
        "matern32(length_scale=2)",
        "matern52(length_scale=2)",
        "cosine",
        "2*rbf(length_scale=2)*linear + 3*poly(degree=2)",
        "normalize(poly(degree=2, coef0=1))^2",
        "exp(0.1*linear) + rbf(length_scale=1)^1.5 + 0.5",
    ];

    fn case(formula: &str) -> (KernelExpr, Smooth) {
        let kernel = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{formula}: {e}"));
        let smooth = Smooth::of(&kernel, 3).unwrap_or_else(|| panic!("{formula} has slopes"));
        (kernel, smooth)
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let (rows, z) = (points::vectors(6, 3, 41), [0.3, -0.8, 0.5]);
        let beta = [0.5, -0.2, 0.3, 0.1, -0.4, 0.2];
        for formula in FORMULAS {
            let (kernel, smooth) = case(formula);
            let k = |a: &[f64], b: &[f64]| kernel.at(a, b).expect("a value");
            let energy = |z: &[f64]| k(z, z) - 2.0 * (0..6).map(|i| beta[i] * k(z, rows.row(i))).sum::<f64>();
            let mut gradient = [0.0; 3];
            let value = smooth.energy(&z, &beta, &rows, &mut gradient);
            assert!((value - energy(&z)).abs() <= tol::round(64) * (1.0 + value.abs()), "{formula}: {value}");
            for (j, found) in gradient.iter().enumerate() {
                let moved = |by: f64| std::array::from_fn::<f64, 3, _>(|l| if l == j { z[l] + by } else { z[l] });
                // Of fourth order: the error is that of rounding over the step.
                let h = 1e-3;
                let [a, b, c, d] = [2.0, 1.0, -1.0, -2.0].map(|s| energy(&moved(s * h)));
                let slope = (-a + 8.0 * b - 8.0 * c + d) / (12.0 * h);
                assert!((found - slope).abs() <= 1e-9 * (1.0 + slope.abs()), "{formula}: {found} {slope}");
            }
        }
    }

    /// By mpmath 1.3.0 with 50 digits.
    #[test]
    fn gradients_are_those_of_fifty_digits() {
        let rows = Rows::new(vec![0.5, -1.0, 1.5, 0.25, -0.75, 2.0], 3, 2).expect("rows");
        for (formula, value, slopes) in [
            ("rbf(length_scale=2)", -0.7824509774305183, [0.395739037807829, -0.22186642203771006]),
            (
                "2*matern52(length_scale=3)*linear + poly(degree=3, gamma=0.5, coef0=1)",
                -9.286849976904646,
                [12.616969864866979, -15.78366246997225],
            ),
            (
                "normalize(poly(degree=2, gamma=1, coef0=1))",
                -0.16583744446100324,
                [1.3135618475400164, -0.8430045959150434],
            ),
            (
                "rational_quadratic(length_scale=2, alpha=1.5)^2",
                -0.36109567046002755,
                [0.5360014655032606, -0.340204640173546],
            ),
        ] {
            let kernel = KernelExpr::parse(formula).expect("a formula");
            let smooth = Smooth::of(&kernel, 2).expect("slopes");
            let mut gradient = [0.0; 2];
            let found = smooth.energy(&[0.125, 0.75], &[0.5, -0.25, 1.0], &rows, &mut gradient);
            // The terms that cancel are a few times as large as what is left.
            for (ours, theirs) in [(found, value), (gradient[0], slopes[0]), (gradient[1], slopes[1])] {
                assert!((ours - theirs).abs() <= tol::round(64) * (1.0 + theirs.abs()), "{formula}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn what_has_kinks_or_names_columns_has_no_slopes() {
        for formula in [
            "laplace(length_scale=1)",
            "laplace_l1(length_scale=1)",
            "min",
            "rbf(x0, length_scale=1)",
            "rbf(length_scale=1)^0.5",
        ] {
            let kernel = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{formula}: {e}"));
            assert!(Smooth::of(&kernel, 3).is_none(), "{formula}");
        }
    }

    #[test]
    fn at_a_point_of_zero_norm_nothing_is_divided_by_it() {
        let (_, smooth) = case("cosine");
        let rows = Rows::new(vec![1.0, 0.0, 0.0], 1, 3).expect("a row");
        let mut gradient = [f64::NAN; 3];
        assert_eq!(smooth.energy(&[0.0; 3], &[1.0], &rows, &mut gradient), 0.0);
        assert_eq!(gradient, [0.0; 3]);
    }
}
