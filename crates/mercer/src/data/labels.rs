//! Classes of rows, as numbers from 0.

use crate::error::{Error, Result};

use super::Targets;

/// The class of every row, below the number of classes.
///
/// ```
/// use mercer::data::Labels;
/// let (labels, classes) = Labels::from_numbers(&[7.0, -1.0, 7.0])?;
/// assert_eq!((labels.codes(), &classes[..]), (&[1, 0, 1][..], &[-1.0, 7.0][..]));
/// assert!(Labels::from_numbers(&[1.0, f64::NAN]).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    codes: Vec<usize>,
    count: usize,
}

impl Labels {
    /// Codes below `count`.
    pub fn new(codes: Vec<usize>, count: usize) -> Result<Self> {
        match codes.iter().position(|c| *c >= count) {
            Some(row) => {
                let got = format!("{} at row {row}", codes[row]);
                Err(Error::shape("the labels", format!("codes below {count}, the number of classes"), got))
            }
            None => Ok(Labels { codes, count }),
        }
    }

    /// Numbers as classes, in their order, and the classes.
    pub fn from_numbers(values: &[f64]) -> Result<(Self, Vec<f64>)> {
        if let Some(first_row) = values.iter().position(|v| v.is_nan()) {
            return Err(Error::NonFinite {
                place: "the labels".into(),
                count: values.iter().filter(|v| v.is_nan()).count(),
                total: values.len(),
                first_row,
                what: "NaN".into(),
            });
        }
        let mut classes = values.to_vec();
        classes.sort_by(f64::total_cmp);
        // 0 and −0 are one class.
        classes.dedup_by(|a, b| a == b);
        let code = |v: &f64| classes.partition_point(|c| c < v);
        Ok((Labels { codes: values.iter().map(code).collect(), count: classes.len() }, classes))
    }

    /// The classes of targets coded as a task codes them: one output, −1 or 1, or an output a class, 1 in
    /// the row's own and −1 elsewhere.
    ///
    /// ```
    /// use mercer::data::{Labels, Targets};
    /// let two = Labels::from_targets(&Targets::new(vec![-1.0, 1.0], 1)?)?;
    /// assert_eq!((two.codes(), two.count()), (&[0, 1][..], 2));
    /// let three = Labels::from_targets(&Targets::new(vec![-1.0, -1.0, 1.0, 1.0, -1.0, -1.0], 3)?)?;
    /// assert_eq!(three.codes(), [2, 0]);
    /// assert!(Labels::from_targets(&Targets::new(vec![0.5], 1)?).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn from_targets(y: &Targets) -> Result<Self> {
        let code = |i: usize| {
            let row = y.row(i);
            let signs = row.iter().all(|v| *v == 1.0 || *v == -1.0);
            let own = row.iter().filter(|v| **v == 1.0).count();
            match (signs, row.len(), own) {
                (true, 1, own) => Ok(own),
                (true, _, 1) => Ok(row.iter().position(|v| *v == 1.0).unwrap_or(0)),
                _ => Err(Error::shape(
                    "the labels",
                    "−1 and 1, one 1 a row of several outputs",
                    format!("{row:?} at row {i}"),
                )),
            }
        };
        let codes = (0..y.nrows()).map(code).collect::<Result<Vec<usize>>>()?;
        Ok(Labels { codes, count: y.outputs().max(2) })
    }

    /// The codes of classes as numbers, as [`from_targets`](Self::from_targets) reads them: one output, −1 for the first
    /// of two classes and 1 for the second; for several an output each, 1 in the row's own and −1 elsewhere.
    pub fn signs(&self) -> Result<Targets> {
        let outputs = if self.count == 2 { 1 } else { self.count };
        let own = |code: usize, o: usize| if outputs == 1 { code == 1 } else { code == o };
        let sign = |code: usize, o: usize| if own(code, o) { 1.0 } else { -1.0 };
        let values: Vec<f64> = self.codes.iter().flat_map(|c| (0..outputs).map(move |o| sign(*c, o))).collect();
        Targets::new(values, outputs)
    }

    /// The classes of the rows.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Number of classes.
    pub fn count(&self) -> usize {
        self.count
    }
}
