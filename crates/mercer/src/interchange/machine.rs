//! A support vector machine as every program of them knows it.

use std::collections::HashSet;

use crate::data::Csr;
use crate::error::{Error, Result};

use super::StandardKernel;

/// How many marks LIBSVM keeps of the density of one class.
pub(super) const DENSITY_MARKS: usize = 10;

/// Which problem a machine solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Classification with the cost C.
    CSvc,
    /// Classification with the share ν of errors.
    NuSvc,
    /// The support of a distribution.
    OneClass,
    /// Regression with a tube of width ε.
    EpsilonSvr,
    /// Regression with the share ν outside of the tube.
    NuSvr,
}

impl MachineKind {
    /// Whether it tells classes apart.
    pub fn is_classifier(self) -> bool {
        matches!(self, MachineKind::CSvc | MachineKind::NuSvc)
    }

    /// Whether it predicts numbers.
    pub fn is_regressor(self) -> bool {
        matches!(self, MachineKind::EpsilonSvr | MachineKind::NuSvr)
    }
}

/// The points that a machine keeps.
#[derive(Clone, Debug)]
pub enum SupportVectors {
    /// Their coordinates, columns counted from 0.
    Points(Csr),
    /// Their rows in the training data, counted from 0: what a precomputed kernel needs to know of them.
    Rows(Vec<u32>),
}

impl SupportVectors {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            SupportVectors::Points(points) => points.nrows(),
            SupportVectors::Rows(rows) => rows.len(),
        }
    }

    /// Whether there are none: a machine that says the same of every point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A support vector machine, in the arrangement of LIBSVM's `svm_model`.
///
/// **Regression, one class** f(x) = Σᵢ aᵢk(xᵢ, x) − ρ, with a = `coefficients[0]` and ρ = `offsets[0]`. A point belongs to the one
/// class where f(x) > 0.
///
/// **Classes** 0 … m−1 are numbered by their place in `labels`, and the vectors stand in that order, `vectors_per_class` of each. The
/// pairs (a, b), a < b, stand in the order (0, 1), (0, 2), …, (1, 2), …; for the pair number p
///
/// f_p(x) = Σ_{i in a} c\[b−1\]ᵢ k(xᵢ, x) + Σ_{i in b} c\[a\]ᵢ k(xᵢ, x) − ρ_p,   c = `coefficients`, ρ = `offsets`.
///
/// A vote goes to a where f_p(x) > 0 and to b elsewhere; the class with most votes wins, the first of them where several have as many.
/// For two classes, f(x) > 0 thus means `labels[0]`.
#[derive(Clone, Debug)]
pub struct SupportMachine {
    /// Which problem it solves.
    pub kind: MachineKind,
    /// k.
    pub kernel: StandardKernel,
    /// xᵢ.
    pub vectors: SupportVectors,
    /// c: m − 1 rows for m classes, else one, each with a number for every vector.
    pub coefficients: Vec<Vec<f64>>,
    /// ρ: one a pair of classes, else one.
    pub offsets: Vec<f64>,
    /// The classes; empty without classes.
    pub labels: Vec<i64>,
    /// How many vectors are of each class; empty without classes.
    pub vectors_per_class: Vec<usize>,
    /// A of P(a | a or b, x) = 1/(1 + exp(A·f_p(x) + B)), one a pair of classes; for regression, the scale of the Laplace
    /// distribution of the errors.
    pub prob_a: Option<Vec<f64>>,
    /// B, one a pair of classes.
    pub prob_b: Option<Vec<f64>>,
    /// Ten decision values, ascending: where f(x) passes one of them, LIBSVM's probability to belong to the one class grows by 0.1.
    pub prob_density_marks: Option<Vec<f64>>,
}

impl SupportMachine {
    /// m(m−1)/2 for m classes, else 1: how many functions it is made of.
    pub fn pairs(&self) -> usize {
        match self.kind.is_classifier() {
            true => pairs_of(self.labels.len()),
            false => 1,
        }
    }

    /// Number of coordinates of a point; none where the kernel is precomputed.
    pub fn columns(&self) -> Option<usize> {
        match &self.vectors {
            SupportVectors::Points(points) => Some(points.ncols()),
            SupportVectors::Rows(_) => None,
        }
    }

    /// The same machine for points of `columns` coordinates. A file of LIBSVM holds no zeros, so that columns after the last one that a
    /// support vector needs are lost in it.
    pub fn with_columns(mut self, columns: usize) -> Result<Self> {
        if let SupportVectors::Points(points) = &self.vectors {
            self.vectors = SupportVectors::Points(points.widened(columns)?);
        }
        Ok(self)
    }

    /// Fails unless every length fits the others, every number is finite and every class has its own label.
    pub fn validate(&self) -> Result<()> {
        self.validate_kernel()?;
        self.validate_classes()?;
        self.validate_coefficients()?;
        self.validate_probabilities()
    }

    fn validate_kernel(&self) -> Result<()> {
        let by_rows = matches!(self.vectors, SupportVectors::Rows(_));
        if by_rows != (self.kernel == StandardKernel::Precomputed) {
            let expected = if by_rows { "a precomputed kernel" } else { "rows of the training data" };
            let got = if by_rows { "another kernel" } else { "points" };
            return Err(Error::shape("the support vectors of a machine", expected, got));
        }
        let (gamma, coef0) = match self.kernel {
            StandardKernel::Linear | StandardKernel::Precomputed => (0.0, 0.0),
            StandardKernel::Rbf { gamma } => (gamma, 0.0),
            StandardKernel::Polynomial { gamma, coef0, .. } | StandardKernel::Sigmoid { gamma, coef0 } => {
                (gamma, coef0)
            }
        };
        if !(gamma >= 0.0 && gamma.is_finite()) {
            return Err(invalid("gamma", gamma, "a finite number ≥ 0"));
        }
        finite("coef0", &[coef0])?;
        match &self.vectors {
            SupportVectors::Points(points) => finite("vectors", points.values()),
            SupportVectors::Rows(_) => Ok(()),
        }
    }

    fn validate_classes(&self) -> Result<()> {
        if !self.kind.is_classifier() {
            length("labels", 0, self.labels.len())?;
            return length("vectors_per_class", 0, self.vectors_per_class.len());
        }
        let classes = self.labels.len();
        if classes < 2 {
            return Err(invalid("labels", format!("{classes} of them"), "two or more classes"));
        }
        let mut seen = HashSet::new();
        if let Some(label) = self.labels.iter().find(|label| !seen.insert(**label)) {
            return Err(invalid("labels", format!("{label} twice"), "different from each other"));
        }
        length("vectors_per_class", classes, self.vectors_per_class.len())?;
        let total = self.vectors_per_class.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
        match total == Some(self.vectors.len()) {
            true => Ok(()),
            false => Err(invalid(
                "vectors_per_class",
                total.map_or("more than can be counted".into(), |t| format!("a sum of {t}")),
                format!("as many in sum as there are support vectors ({})", self.vectors.len()),
            )),
        }
    }

    fn validate_coefficients(&self) -> Result<()> {
        let rows = if self.kind.is_classifier() { self.labels.len() - 1 } else { 1 };
        length("coefficients", rows, self.coefficients.len())?;
        for row in &self.coefficients {
            length("a row of coefficients", self.vectors.len(), row.len())?;
            finite("coefficients", row)?;
        }
        length("offsets", self.pairs(), self.offsets.len())?;
        finite("offsets", &self.offsets)
    }

    fn validate_probabilities(&self) -> Result<()> {
        let (classifier, regressor) = (self.kind.is_classifier(), self.kind.is_regressor());
        if classifier && self.prob_a.is_some() != self.prob_b.is_some() {
            return Err(invalid("prob_a and prob_b", "one of them", "both there or both absent"));
        }
        optional("prob_a", &self.prob_a, classifier || regressor, self.pairs())?;
        optional("prob_b", &self.prob_b, classifier, self.pairs())?;
        let one_class = self.kind == MachineKind::OneClass;
        optional("prob_density_marks", &self.prob_density_marks, one_class, DENSITY_MARKS)
    }
}

/// m(m−1)/2; the largest number there is where it would be larger.
pub(super) fn pairs_of(classes: usize) -> usize {
    let pairs = classes as u128 * (classes as u128).saturating_sub(1) / 2;
    usize::try_from(pairs).unwrap_or(usize::MAX)
}

fn invalid(name: &str, value: impl std::fmt::Display, must: impl Into<String>) -> Error {
    Error::invalid("a support vector machine", name, value, must)
}

fn length(name: &str, expected: usize, got: usize) -> Result<()> {
    match expected == got {
        true => Ok(()),
        false => Err(Error::shape(format!("`{name}` of a support vector machine"), expected, got)),
    }
}

fn finite(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(v) => Err(invalid(name, v, "finite")),
    }
}

fn optional(name: &str, values: &Option<Vec<f64>>, allowed: bool, expected: usize) -> Result<()> {
    match values {
        None => Ok(()),
        Some(_) if !allowed => Err(invalid(name, "some", "absent from this kind of machine")),
        Some(values) => length(name, expected, values.len()).and_then(|()| finite(name, values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> SupportMachine {
        let points = Csr::new(vec![0, 1, 1, 3], vec![1, 0, 2], vec![0.5, 1.0, -2.0], 3).expect("valid");
        SupportMachine {
            kind: MachineKind::CSvc,
            kernel: StandardKernel::Rbf { gamma: 0.5 },
            vectors: SupportVectors::Points(points),
            coefficients: vec![vec![1.0, -0.25, 0.5], vec![0.5, -0.5, -1.0]],
            offsets: vec![0.0, 0.1, 0.2],
            labels: vec![3, -1, 0],
            vectors_per_class: vec![1, 1, 1],
            prob_a: None,
            prob_b: None,
            prob_density_marks: None,
        }
    }

    #[test]
    fn what_fits_is_valid() {
        machine().validate().expect("three classes");
        let regression = SupportMachine {
            kind: MachineKind::NuSvr,
            coefficients: vec![vec![1.0; 3]],
            offsets: vec![1.0],
            labels: Vec::new(),
            vectors_per_class: Vec::new(),
            prob_a: Some(vec![0.3]),
            ..machine()
        };
        regression.validate().expect("regression");
        let wide = machine().with_columns(7).expect("wider");
        assert_eq!(wide.columns(), Some(7));
        assert!(wide.with_columns(2).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let told = |change: &dyn Fn(&mut SupportMachine)| {
            let mut machine = machine();
            change(&mut machine);
            machine.validate().expect_err("refused").to_string()
        };
        for (message, named) in [
            (told(&|m| m.labels[1] = 3), "3 twice"),
            (told(&|m| m.labels.truncate(1)), "two or more classes"),
            (told(&|m| m.vectors_per_class[0] = 2), "a sum of 4"),
            (told(&|m| m.vectors_per_class = vec![usize::MAX, 2, 2]), "more than can be counted"),
            (told(&|m| m.coefficients.truncate(1)), "`coefficients` of a support vector machine: expected 2, got 1"),
            (told(&|m| m.coefficients[1].truncate(2)), "`a row of coefficients`"),
            (told(&|m| m.coefficients[1][2] = f64::NAN), "`coefficients` of a support vector machine must be finite"),
            (told(&|m| m.offsets.truncate(2)), "`offsets` of a support vector machine: expected 3, got 2"),
            (told(&|m| m.offsets[0] = f64::INFINITY), "got inf"),
            (told(&|m| m.prob_a = Some(vec![1.0; 3])), "both there or both absent"),
            (told(&|m| m.prob_density_marks = Some(vec![0.0; 10])), "`prob_density_marks`"),
            (told(&|m| m.kernel = StandardKernel::Precomputed), "rows of the training data"),
            (told(&|m| m.vectors = SupportVectors::Rows(vec![0, 1, 2])), "a precomputed kernel"),
            (told(&|m| m.kernel = StandardKernel::Rbf { gamma: -1.0 }), "`gamma`"),
            (told(&|m| m.kind = MachineKind::OneClass), "`labels`"),
        ] {
            assert!(message.contains(named), "{message}");
        }
    }
}
