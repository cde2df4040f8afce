//! The algebra of kernels, as data.

use std::ops::{Add, Mul};

use crate::error::{Error, Result};

use super::custom::Custom;
use super::expression::Expression;
use super::leaf::{Columns, Leaf, Setting};
use super::param::{Param, Transform};
use super::property::Standing;
use super::{Kind, Registry, formula};

/// A kernel, as a formula.
///
/// Every node keeps positive definiteness, so a `KernelExpr` is positive definite wherever its
/// leaves are. The constructors keep a normal form: sums and products are flat, the constants of
/// a product are merged and stand in front. With it, parsing what was printed gives the same tree.
///
/// ```
/// use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("rbf(age)")?.scale(0.5)? + KernelExpr::parse("linear(height)*delta(species)")?;
/// assert_eq!(k.to_string(), "0.5*rbf(age, length_scale=median) + linear(height)*delta(species)");
/// assert_eq!(KernelExpr::parse(&k.to_string())?, k);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum KernelExpr {
    /// A kernel of the catalogue.
    Leaf(Leaf),
    /// A user's kernel.
    Custom(Custom),
    /// An expression in x and y, on one numeric column.
    Expression(Box<Expression>),
    /// A constant c ≥ 0.
    Constant(Param),
    /// c·k with c ≥ 0.
    Scale {
        /// c.
        factor: Param,
        /// k.
        inner: Box<KernelExpr>,
    },
    /// k₁ + k₂ + ….
    Sum(Vec<KernelExpr>),
    /// k₁·k₂·….
    Product(Vec<KernelExpr>),
    /// k^β: a whole β ≥ 1, or any β > 0 where log k is conditionally positive definite.
    Power {
        /// k.
        base: Box<KernelExpr>,
        /// β.
        exponent: f64,
    },
    /// exp(k).
    Exp(Box<KernelExpr>),
    /// k(x, y)/√(k(x, x)·k(y, y)).
    Normalize(Box<KernelExpr>),
    /// k where neither point lacks a value that k reads, 1 where both do, 0 where one does.
    WithGaps(Box<KernelExpr>),
}

impl KernelExpr {
    /// The largest power.
    pub const MAX_EXPONENT: f64 = 64.0;

    /// Reads a formula.
    pub fn parse(source: &str) -> Result<Self> {
        Self::parse_with(source, &Registry::new())
    }

    /// Reads a formula that may name the kernels of `registry`.
    pub fn parse_with(source: &str, registry: &Registry) -> Result<Self> {
        formula::parse(source, registry)
    }

    /// The user's kernels that it carries, by which its text can be read again.
    pub fn registry(&self) -> Registry {
        Registry::of(&self.customs())
    }

    /// Whether it calls a function of the user's.
    pub fn has_own_kernels(&self) -> bool {
        !self.customs().is_empty()
    }

    fn customs(&self) -> Vec<&Custom> {
        let own = self.nodes().filter_map(|node| match node {
            KernelExpr::Custom(custom) => Some(custom),
            _ => None,
        });
        own.collect()
    }

    /// The formula, and the bytes in it of leaf number `leaf` (depth first) or of one of its columns.
    pub(crate) fn locate(&self, leaf: usize, column: Option<&str>) -> (String, std::ops::Range<usize>) {
        formula::locate(self, leaf, column)
    }

    /// The kernel of the catalogue on every column of its type, with default parameters.
    pub fn of(kind: Kind) -> Self {
        KernelExpr::Leaf(Leaf::new(kind))
    }

    /// A constant c ≥ 0.
    pub fn constant(value: f64) -> Result<Self> {
        Ok(KernelExpr::Constant(weight(value)?))
    }

    /// This leaf on the columns of these names. Other nodes have no columns of their own.
    pub fn on<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Result<Self> {
        let columns = Columns::Named(columns.into_iter().map(Into::into).collect());
        match self {
            KernelExpr::Leaf(leaf) => Ok(KernelExpr::Leaf(leaf.on(columns))),
            KernelExpr::Custom(custom) => Ok(KernelExpr::Custom(Custom { columns, ..custom })),
            KernelExpr::Expression(expression) => Ok(KernelExpr::Expression(Box::new(expression.on(columns)))),
            other => Err(Error::Unsupported {
                what: format!("choosing columns for the composite kernel `{other}`"),
                alternative: "choose the columns of its parts".into(),
            }),
        }
    }

    /// This leaf with the parameter of this name set to a number.
    pub fn with(mut self, name: &str, value: f64) -> Result<Self> {
        match &mut self {
            KernelExpr::Leaf(leaf) => leaf.set(name, Setting::One(Param::new(value, Transform::Log)))?,
            other => {
                return Err(Error::Unsupported {
                    what: format!("setting `{name}` of the composite kernel `{other}`"),
                    alternative: "set the parameters of its parts".into(),
                });
            }
        }
        Ok(self)
    }

    /// c·self, with the constants of nested scales merged. c must be ≥ 0.
    pub fn scale(self, factor: f64) -> Result<Self> {
        Ok(self.scaled_by(weight(factor)?))
    }

    pub(crate) fn scaled_by(self, factor: Param) -> Self {
        match self {
            KernelExpr::Constant(p) => KernelExpr::Constant(merge(factor, p)),
            KernelExpr::Scale { factor: p, inner } => KernelExpr::Scale { factor: merge(factor, p), inner },
            other => KernelExpr::Scale { factor, inner: Box::new(other) },
        }
    }

    /// self^β for a whole number β ≥ 1, or for any β > 0 where every power of this kernel is known
    /// to be positive definite, as of `rbf`.
    ///
    /// ```
    /// use mercer::kernel::KernelExpr;
    /// let k = KernelExpr::parse("rbf(length_scale=1)")?;
    /// assert!((k.clone().pow(0.5)?.at(&[0.0], &[2.0])? - (-1.0f64).exp()).abs() < 1e-15);
    /// assert!(KernelExpr::parse("linear")?.pow(0.5).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn pow(self, exponent: impl Into<f64>) -> Result<Self> {
        let exponent = exponent.into();
        let (base, total) = match self {
            KernelExpr::Power { base, exponent: inner } => (*base, inner * exponent),
            base => (base, exponent),
        };
        let in_range = exponent > 0.0 && total > 0.0 && total <= Self::MAX_EXPONENT;
        // A root of a square is an absolute value, so the power asked for decides, not the total.
        if !in_range || (exponent.fract() != 0.0 && base.powers_reason().is_none()) {
            let must = format!(
                "a whole number from 1 to {}, or any number > 0 up to it for kernels such as `rbf`",
                Self::MAX_EXPONENT
            );
            return Err(Error::invalid("a power of a kernel", "exponent", exponent, must));
        }
        Ok(if total == 1.0 { base } else { KernelExpr::Power { base: Box::new(base), exponent: total } })
    }

    /// exp(self).
    pub fn exp(self) -> Self {
        KernelExpr::Exp(Box::new(self))
    }

    /// self(x, y)/√(self(x, x)·self(y, y)), unless self is known not to be positive definite: its
    /// self(x, x) may be 0 or negative.
    pub fn normalize(self) -> Result<Self> {
        match self.standing() {
            Standing::PositiveDefinite | Standing::Unknown => Ok(KernelExpr::Normalize(Box::new(self))),
            other => Err(Error::Unsupported {
                what: format!("normalising `{self}`, which is {},", other.words()),
                alternative: "normalise positive definite kernels only".into(),
            }),
        }
    }

    /// self where both points have every value that self reads, 1 where both lack one, 0 where one of them does.
    ///
    /// Points with a gap and points without are two sets that share nothing, so that it is positive definite where
    /// self is, and needs no value in place of the missing ones. Gaps that a `with_gaps` inside reads are its own.
    ///
    /// ```
    /// use mercer::kernel::KernelExpr;
    /// let k = KernelExpr::parse("rbf(length_scale=2)")?.with_gaps()?;
    /// assert_eq!(k.at(&[1.0], &[1.0])?, 1.0);
    /// assert_eq!(k.at(&[f64::NAN], &[1.0])?, 0.0);
    /// assert_eq!(k.at(&[f64::NAN], &[f64::NAN])?, 1.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_gaps(self) -> Result<Self> {
        match self.standing() {
            Standing::PositiveDefinite | Standing::Unknown => Ok(KernelExpr::WithGaps(Box::new(self))),
            other => Err(Error::Unsupported {
                what: format!("reading gaps with `{self}`, which is {},", other.words()),
                alternative: "read gaps with positive definite kernels only".into(),
            }),
        }
    }

    /// Whether some part reads gaps.
    pub fn reads_gaps(&self) -> bool {
        self.nodes().any(|node| matches!(node, KernelExpr::WithGaps(_)))
    }
}

/// A weight c ≥ 0, on the log scale unless it is 0.
pub(crate) fn weight(value: f64) -> Result<Param> {
    if !(value >= 0.0 && value.is_finite()) {
        return Err(Error::invalid(
            "a kernel",
            "a weight",
            value,
            "a finite number ≥ 0, so that the kernel stays positive definite",
        ));
    }
    Ok(Param::new(value, if value > 0.0 { Transform::Log } else { Transform::Identity }))
}

/// The product of two weights; two free weights of one product cannot be told apart. Its bounds
/// are those of the products, where both are bounded or one of them is fixed.
fn merge(a: Param, b: Param) -> Param {
    let value = a.number().unwrap_or(1.0) * b.number().unwrap_or(1.0);
    let transform = if value > 0.0 { Transform::Log } else { Transform::Identity };
    let ends = |p: &Param| p.bounds.or(p.number().filter(|_| !p.free).map(|v| (v, v)));
    let bounds = match (ends(&a), ends(&b)) {
        (Some((low, high)), Some((l, h))) if a.bounds.is_some() || b.bounds.is_some() => Some((low * l, high * h)),
        _ => None,
    };
    // Bounds of a product with 0, or beyond what a number can hold, bound nothing.
    let bounds = bounds.filter(|(low, high)| *low > 0.0 && low < high && high.is_finite());
    Param { free: a.free || b.free, bounds, ..Param::new(value, transform) }
}

impl Add for KernelExpr {
    type Output = KernelExpr;

    fn add(self, other: KernelExpr) -> KernelExpr {
        let terms = |k| match k {
            KernelExpr::Sum(terms) => terms,
            term => vec![term],
        };
        let mut all = terms(self);
        all.extend(terms(other));
        KernelExpr::Sum(all)
    }
}

impl Mul for KernelExpr {
    type Output = KernelExpr;

    fn mul(self, other: KernelExpr) -> KernelExpr {
        let (a, mut factors) = split(self);
        let (b, more) = split(other);
        factors.extend(more);
        let weight = match (a, b) {
            (Some(a), Some(b)) => Some(merge(a, b)),
            (a, b) => a.or(b),
        };
        let product = match factors.len() {
            0 => return KernelExpr::Constant(weight.unwrap_or_else(|| Param::new(1.0, Transform::Log))),
            1 => factors.remove(0),
            _ => KernelExpr::Product(factors),
        };
        match weight {
            Some(factor) => KernelExpr::Scale { factor, inner: Box::new(product) },
            None => product,
        }
    }
}

/// A kernel as a weight and the factors it multiplies.
fn split(k: KernelExpr) -> (Option<Param>, Vec<KernelExpr>) {
    match k {
        KernelExpr::Constant(c) => (Some(c), Vec::new()),
        KernelExpr::Scale { factor, inner } => (Some(factor), split(*inner).1),
        KernelExpr::Product(factors) => (None, factors),
        other => (None, vec![other]),
    }
}

impl std::str::FromStr for KernelExpr {
    type Err = Error;

    fn from_str(source: &str) -> Result<Self> {
        Self::parse(source)
    }
}

impl Default for KernelExpr {
    /// The Gaussian kernel of every number column, with the median distance as its length scale.
    fn default() -> Self {
        KernelExpr::of(Kind::Rbf)
    }
}

impl serde::Serialize for KernelExpr {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for KernelExpr {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Self::parse(&source).map_err(serde::de::Error::custom)
    }
}
