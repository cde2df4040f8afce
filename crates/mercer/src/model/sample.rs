//! The rows that a model is fitted to.

use crate::approx::landmarks;
use crate::data::{Inputs, Labels, Precomputed, Target, Targets, Weights};
use crate::error::{Error, Result};
use crate::gram::{AllPoints, Bound, SharedRows};
use crate::kernel::KernelExpr;
use crate::rkhs::Space;
use crate::run::Run;

use super::Expansion;

/// Points of positive weight with what they say, in the space of a kernel whose rules they resolved; checked once. A row of
/// weight 0 is as good as absent.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The space.
    pub(crate) space: Space,
    /// The points that count.
    pub(crate) x: Inputs,
    /// All points.
    pub(crate) all: Inputs,
    /// Which rows count, where not all do.
    pub(crate) kept: Option<Vec<usize>>,
    /// Number of rows that count.
    pub(crate) n: usize,
    /// Their weights, all positive; nothing without weights.
    pub(crate) weights: Option<Weights>,
    /// What all rows say.
    pub(crate) target: Target,
    /// Kernel rows that fits to it share, where several are to come.
    pub(crate) rows: Option<SharedRows>,
    /// Whether models of it are compared with others and thrown away, so that nobody reads their certificates.
    pub(crate) compared: bool,
}

impl Sample {
    /// Checks that there is a point, and a target and a weight for each; `owner` is named in errors.
    pub fn new(
        owner: &str,
        kernel: &KernelExpr,
        x: &Inputs,
        target: Target,
        weights: Option<&Weights>,
        run: &Run,
    ) -> Result<Self> {
        check_rows(owner, x, target.rows())?;
        weights.map_or(Ok(()), |w| w.check_len(x.len()))?;
        let kept = weights.filter(|w| w.contains(&0.0)).map(Weights::counting);
        let points = kept.as_ref().map_or_else(|| x.clone(), |kept| subset(x, kept));
        let space = Space::new(kernel, &points, run)?;
        let weights = match &kept {
            Some(kept) => weights.map(|w| w.take(kept)).transpose()?,
            None => weights.cloned(),
        };
        Ok(Sample {
            space,
            n: points.len(),
            x: points,
            all: x.clone(),
            kept,
            weights,
            target,
            rows: None,
            compared: false,
        })
    }

    /// The points that count.
    pub fn points(&self) -> &Inputs {
        &self.x
    }

    /// Their space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Number of rows that count.
    pub fn rows(&self) -> usize {
        self.n
    }

    /// What all rows say.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The numbers, or the codes of the classes, of the rows that count.
    pub fn numbers(&self) -> Result<Targets> {
        match &self.kept {
            None => self.target.numbers(),
            Some(kept) => self.target.take(kept)?.numbers(),
        }
    }

    /// The second input of the rows that count.
    pub fn second(&self) -> Result<Inputs> {
        let all = self.target.second()?;
        Ok(self.kept.as_ref().map_or_else(|| all.clone(), |kept| all.take(kept)))
    }

    /// The classes of the rows that count.
    pub fn labels(&self) -> Result<Labels> {
        match &self.kept {
            None => self.target.labels(),
            Some(kept) => self.target.take(kept)?.labels(),
        }
    }

    /// Some of the rows that count, in the same space.
    pub(crate) fn part(&self, rows: &[usize]) -> Result<Sample> {
        let x = subset(&self.x, rows);
        let weights = self.weights.as_ref().map(|w| w.take(rows)).transpose()?;
        let target = self.target.take(&rows.iter().map(|i| self.row(*i)).collect::<Vec<_>>())?;
        let space = self.space.clone();
        Ok(Sample {
            space,
            n: rows.len(),
            all: x.clone(),
            x,
            kept: None,
            weights,
            target,
            rows: None,
            compared: self.compared,
        })
    }

    /// The same, whose kernel rows are kept from one fit to the next: for several costs, or to go on from a model.
    pub fn sharing_rows(self) -> Self {
        Sample { rows: Some(SharedRows::default()), ..self }
    }

    /// The same, whose kernel rows are kept among those of more points, of which these are its rows.
    pub(crate) fn sharing_rows_of(self, whole: &AllPoints, points: &[usize]) -> Self {
        Sample { rows: Some(SharedRows::of_some(whole, points)), ..self }
    }

    /// The same, for models that are compared and thrown away: bounds in doubled precision, which cost as much as steps do, are left out.
    pub(crate) fn compared(self) -> Self {
        Sample { compared: true, ..self }
    }

    /// The sum of the weights: the number of rows without any.
    pub fn total_weight(&self) -> f64 {
        self.weights.as_ref().map_or(self.n as f64, Weights::total)
    }

    /// The share of each row that counts in all of them: w/Σw, or 1/n.
    pub(crate) fn shares(&self) -> Vec<f64> {
        self.weights.as_ref().map_or_else(|| vec![1.0 / self.n as f64; self.n], Weights::shares)
    }

    /// The row of the data that row `i` of those that count is.
    pub(crate) fn row(&self, i: usize) -> usize {
        self.kept.as_ref().map_or(i, |k| k[i])
    }

    /// The functions with these coefficients (row-major, support×outputs) of the rows of `support`,
    /// or of all that count.
    ///
    /// Of a precomputed matrix the model keeps the number of all points and a coefficient for each,
    /// since that is how kernel values of new points come.
    pub fn expansion(
        &self,
        coefficients: Vec<f64>,
        intercept: Vec<f64>,
        support: Option<&[usize]>,
    ) -> Result<Expansion> {
        if let Inputs::Precomputed(_) = &self.all {
            let (total, c) = (self.all.len(), intercept.len());
            let mut all = vec![0.0; total * c];
            for (at, row) in coefficients.chunks(c.max(1)).enumerate() {
                let i = self.row(support.map_or(at, |s| s[at]));
                all[i * c..(i + 1) * c].copy_from_slice(row);
            }
            let points = Precomputed::new(Vec::new(), total, 0)?.into();
            let functions = Expansion::new(self.space.clone(), points, all, intercept)?;
            return Ok(if support.is_some() { functions.of_some_rows() } else { functions });
        }
        let Some(rows) = support else {
            return Expansion::new(self.space.clone(), self.x.clone(), coefficients, intercept);
        };
        Ok(Expansion::new(self.space.clone(), subset(&self.x, rows), coefficients, intercept)?.of_some_rows())
    }
}

/// Rows among which landmarks are looked for, for each landmark, and at least.
const ROWS_A_LANDMARK: usize = 10;
const LEAST_ROWS: usize = 10_000;

impl Sample {
    /// At most so many landmarks among the rows that count, by randomly pivoted Cholesky on evenly
    /// spread ones.
    pub(crate) fn landmarks(&self, count: usize, seed: u64, run: &Run) -> Result<Vec<usize>> {
        self.pivots(&self.rows_for_landmarks(count), count, seed, run)
    }

    /// Evenly spread rows, enough to look for so many landmarks among them.
    pub(crate) fn rows_for_landmarks(&self, count: usize) -> Vec<usize> {
        let sample = LEAST_ROWS.max(ROWS_A_LANDMARK.saturating_mul(count)).min(self.n);
        (0..sample).map(|i| i * self.n / sample).collect()
    }

    /// At most so many pivots of a randomly pivoted Cholesky factor of these rows.
    pub(crate) fn pivots(&self, rows: &[usize], count: usize, seed: u64, run: &Run) -> Result<Vec<usize>> {
        let gram = self.space.gram(&subset(&self.x, rows), run)?;
        Ok(landmarks(&gram, count, seed, run)?.into_iter().map(|p| rows[p]).collect())
    }

    /// The kernel values of some rows, or of all that count, against these.
    pub(crate) fn cross(&self, rows: Option<&[usize]>, columns: &[usize], run: &Run) -> Result<Bound> {
        let Inputs::Precomputed(k) = &self.x else {
            let left = rows.map_or_else(|| self.x.clone(), |rows| self.x.take(rows));
            return self.space.cross(&left, &self.x.take(columns), run);
        };
        let row = |i: usize| columns.iter().map(move |&j| k.row(i)[j]);
        let values: Vec<f64> = match rows {
            Some(rows) => rows.iter().flat_map(|&i| row(i)).collect(),
            None => (0..self.n).flat_map(row).collect(),
        };
        let known = Precomputed::new(values, rows.map_or(self.n, <[usize]>::len), columns.len())?;
        self.space.cross(&known.into(), &Precomputed::new(Vec::new(), columns.len(), 0)?.into(), run)
    }
}

fn check_rows(owner: &str, x: &Inputs, target_rows: Option<usize>) -> Result<()> {
    if x.is_empty() {
        return Err(Error::shape(format!("the points of {owner}"), "at least one row", "none"));
    }
    match target_rows.filter(|rows| *rows != x.len()) {
        None => Ok(()),
        Some(rows) => Err(Error::shape("the target", format!("{} rows, one a point", x.len()), rows)),
    }
}

/// These points; of a precomputed matrix, these rows and columns.
pub(crate) fn subset(x: &Inputs, rows: &[usize]) -> Inputs {
    match x {
        Inputs::Precomputed(k) if k.ncols() == k.nrows() => {
            let values: Vec<f64> = rows.iter().flat_map(|&i| rows.iter().map(move |&j| k.row(i)[j])).collect();
            // Sizes agree by construction.
            Precomputed::new(values, rows.len(), rows.len()).map_or_else(|_| x.clone(), Inputs::from)
        }
        other => other.take(rows),
    }
}
