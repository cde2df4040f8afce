//! The rows of classes around their means, as matrices of the rows.
//!
//! With the shares p of the rows, the matrix C that takes the mean of its class from each row and E = P^(½)·C, the covariance within
//! classes is S_w = ΦᵀEᵀEΦ, where Φ has the rows k(xᵢ, ·). A mean is Φᵀ of shares, and (S_w + alpha·I)·Φᵀb = Φᵀa follows from
//! (N·K + alpha·I)·b = a with N = EᵀE.

use crate::data::Labels;
use crate::error::{Error, Result};
use crate::gram::{DenseGram, KernelMatrix, apply};
use crate::linalg::eigen;
use crate::model::{LearnerSpec, Sample};
use crate::run::Run;

/// Variances between classes below this share of the largest are rounding.
const ROUNDING: f64 = 1e-12;

/// Classes of rows.
pub(super) struct Scatter {
    codes: Vec<usize>,
    classes: usize,
    /// The share of each row in all.
    shares: Vec<f64>,
    /// The share of each class.
    priors: Vec<f64>,
}

impl Scatter {
    /// Fails for a class without rows.
    pub(super) fn new(spec: &LearnerSpec, sample: &Sample) -> Result<Self> {
        let labels: Labels = sample.labels()?;
        let (codes, shares) = (labels.codes().to_vec(), sample.shares());
        let mut priors = vec![0.0; labels.count()];
        codes.iter().zip(&shares).for_each(|(c, p)| priors[*c] += p);
        if let Some(class) = priors.iter().position(|p| *p <= 0.0) {
            let owner = format!("class {class} of {}", spec.title());
            return Err(Error::shape(owner, "at least one row of positive weight", "none; two classes are needed"));
        }
        Ok(Scatter { codes, classes: priors.len(), shares, priors })
    }

    pub(super) fn n(&self) -> usize {
        self.codes.len()
    }

    /// One function for two classes, else one a class.
    pub(super) fn outputs(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// The coefficients a of m_c − m, or of m_2 − m_1, row-major: rows×outputs.
    pub(super) fn right_side(&self) -> Vec<f64> {
        let of = |i: usize, o: usize| {
            let (p, own) = (self.shares[i], self.codes[i]);
            match self.classes {
                2 => (if own == 1 { p } else { -p }) / self.priors[own],
                _ => (if own == o { p / self.priors[o] } else { 0.0 }) - p,
            }
        };
        let c = self.outputs();
        (0..self.n() * c).map(|at| of(at / c, at % c)).collect()
    }

    /// K·b.
    pub(super) fn values(&self, matrix: &dyn KernelMatrix, b: &[f64], run: &Run) -> Result<Vec<f64>> {
        let mut values = vec![0.0; b.len()];
        apply(matrix, b, self.outputs(), &mut values, run)?;
        Ok(values)
    }

    /// The coefficients of the rows that count, from wherever they stand.
    pub(super) fn of_rows(&self, kept: &[f64], at: impl Fn(usize) -> usize) -> Result<Vec<f64>> {
        let c = self.outputs();
        let row = |i: usize| kept.get(at(i) * c..(at(i) + 1) * c);
        let rows: Option<Vec<&[f64]>> = (0..self.n()).map(row).collect();
        Ok(rows.ok_or_else(|| Error::shape("the coefficients of the model", self.n() * c, kept.len()))?.concat())
    }

    /// a − (N·K + alpha·I)·b, from K·b.
    pub(super) fn left_over(&self, b: &[f64], values: &[f64], alpha: f64) -> Vec<f64> {
        let within = self.spread_back(&self.spread(values));
        let mut left = self.right_side();
        left.iter_mut().zip(within.iter().zip(b)).for_each(|(a, (n, b))| *a -= n + alpha * b);
        left
    }

    /// The largest over the outputs of ‖a − (N·K + alpha·I)·b‖/‖a‖.
    pub(super) fn residual(&self, b: &[f64], values: &[f64], alpha: f64) -> f64 {
        let (left, right, c) = (self.left_over(b, values, alpha), self.right_side(), self.outputs());
        let norm = |v: &[f64], o: usize| v.iter().skip(o).step_by(c).map(|x| x * x).sum::<f64>().sqrt();
        (0..c).map(|o| norm(&left, o) / norm(&right, o)).fold(0.0, f64::max)
    }

    /// E·v: every row less the mean of its class, times √p.
    pub(super) fn spread(&self, v: &[f64]) -> Vec<f64> {
        let c = self.outputs();
        let means = self.means_by_class(v, c);
        let of = |at: usize| self.shares[at / c].sqrt() * (v[at] - means[self.codes[at / c] * c + at % c]);
        (0..v.len()).map(of).collect()
    }

    /// Eᵀ·t.
    pub(super) fn spread_back(&self, t: &[f64]) -> Vec<f64> {
        let c = self.outputs();
        // Cᵀ takes from each row its share of what its class has in all.
        let mut sums = vec![0.0; self.classes * c];
        let rooted = |at: usize| self.shares[at / c].sqrt() * t[at];
        (0..t.len()).for_each(|at| sums[self.codes[at / c] * c + at % c] += rooted(at));
        let of = |at: usize| {
            let own = self.codes[at / c];
            rooted(at) - self.shares[at / c] / self.priors[own] * sums[own * c + at % c]
        };
        (0..t.len()).map(of).collect()
    }

    /// The means of columns over each class, row-major: classes×columns.
    fn means_by_class(&self, v: &[f64], columns: usize) -> Vec<f64> {
        let mut means = vec![0.0; self.classes * columns];
        for (i, own) in self.codes.iter().enumerate() {
            let share = self.shares[i] / self.priors[*own];
            (0..columns).for_each(|o| means[own * columns + o] += share * v[i * columns + o]);
        }
        means
    }

    /// ⟨k(xᵢ, ·), m_c⟩, row-major: rows×classes.
    pub(super) fn class_means(&self, gram: &DenseGram, run: &Run) -> Result<Vec<f64>> {
        let k = self.classes;
        let mut spread = vec![0.0; self.n() * k];
        for (i, own) in self.codes.iter().enumerate() {
            spread[i * k + own] = self.shares[i] / self.priors[*own];
        }
        let mut sums = vec![0.0; self.n() * k];
        apply(gram, &spread, k, &mut sums, run)?;
        Ok(sums)
    }

    /// Makes E·K·Eᵀ + alpha·I of K.
    pub(super) fn centre(&self, gram: &mut [f64], sums: &[f64], alpha: f64) {
        let (n, k) = (self.n(), self.classes);
        let between = self.means_by_class(sums, k);
        let root: Vec<f64> = self.shares.iter().map(|p| p.sqrt()).collect();
        for (i, row) in gram.chunks_mut(n).enumerate() {
            let own = self.codes[i];
            for (j, value) in row.iter_mut().enumerate() {
                let other = self.codes[j];
                let means = sums[i * k + other] + sums[j * k + own];
                *value = root[i] * root[j] * ((*value - means) + between[own * k + other]);
            }
            row[i] += alpha;
        }
    }

    /// The mean of each output over all rows.
    fn grand_means(&self, values: &[f64]) -> Vec<f64> {
        let c = self.outputs();
        let mut means = vec![0.0; c];
        values.iter().enumerate().for_each(|(at, v)| means[at % c] += self.shares[at / c] * v);
        means
    }

    /// ⟨m_c − m, f_d⟩ for all classes, row-major: classes×classes. Of two, both follow from f: f_1 = −π_2·f and f_2 = π_1·f.
    fn between(&self, values: &[f64]) -> Vec<f64> {
        let (c, k) = (self.outputs(), self.classes);
        let (by_class, grand) = (self.means_by_class(values, c), self.grand_means(values));
        let of = |class: usize, d: usize| match k {
            2 => [-self.priors[1], self.priors[0]][d] * (by_class[class] - grand[0]),
            _ => by_class[class * c + d] - grand[d],
        };
        (0..k * k).map(|at| of(at / k, at % k)).collect()
    }

    /// −½⟨m_c − m, f_c⟩ + ln π_c, for each output.
    fn offsets(&self, values: &[f64]) -> Vec<f64> {
        let (between, k) = (self.between(values), self.classes);
        let offset = |c: usize| self.priors[c].ln() - 0.5 * between[c * k + c];
        match k {
            2 => vec![offset(1) - offset(0)],
            _ => (0..k).map(offset).collect(),
        }
    }

    /// What is added to the functions.
    pub(super) fn intercept(&self, values: &[f64]) -> Vec<f64> {
        self.offsets(values).iter().zip(self.grand_means(values)).map(|(offset, mean)| offset - mean).collect()
    }

    /// How the discriminants follow from the outputs: a row for each output with its part in each discriminant, and a row
    /// of what is added. They are the eigenvectors of the variance between classes, of length 1 by S_w + alpha·I.
    pub(super) fn discriminants(&self, values: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (k, c) = (self.classes, self.outputs());
        let between = self.between(values);
        let root = |i: usize| self.priors[i].sqrt();
        let entry = |i: usize, j: usize| 0.5 * root(i) * root(j) * (between[i * k + j] + between[j * k + i]);
        let matrix: Vec<f64> = (0..k * k).map(|at| entry(at / k, at % k)).collect();
        let e = eigen(&matrix, k, run)?;
        let spectrum = e.values();
        let largest = spectrum.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (1..k).rev().filter(|l| spectrum[*l] > ROUNDING * largest).collect();
        let parts = |l: &usize| -> Vec<f64> {
            let v = e.vector(*l);
            let whole: Vec<f64> = (0..k).map(|i| root(i) * v[i] / spectrum[*l].sqrt()).collect();
            match k {
                // Σ_c π… f_c with f_1 = −π_2·f and f_2 = π_1·f.
                2 => vec![whole[1] * self.priors[0] - whole[0] * self.priors[1]],
                _ => whole,
            }
        };
        let columns: Vec<Vec<f64>> = kept.iter().map(parts).collect();
        let offsets = self.offsets(values);
        let mut map: Vec<f64> = (0..c).flat_map(|o| columns.iter().map(move |column| column[o])).collect();
        map.extend(columns.iter().map(|column| -column.iter().zip(&offsets).map(|(t, b)| t * b).sum::<f64>()));
        Ok(map)
    }
}
