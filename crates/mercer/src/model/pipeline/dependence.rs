//! How predictions go with one column, whatever the others are.

use serde::Serialize;
use serde_json::Value;

use crate::data::{Categories, Column, Inputs};
use crate::error::Result;
use crate::run::Run;

use super::Pipeline;
use super::sensitivity::{columns, with_column};

/// Training rows that predictions are the mean over.
const ROWS: usize = 200;
/// Places along a column of numbers.
const PLACES: usize = 25;
/// Categories of a column.
const LEVELS: usize = 20;
/// The share of the rows that lies beyond each end of the places.
const BEYOND: f64 = 0.02;

/// The mean prediction over training rows in which one column has been given the same value everywhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartialDependence {
    /// The column.
    pub column: String,
    /// Names of the answers: the targets, or classes with their probabilities or decision values.
    pub answers: Vec<String>,
    /// The values of the column: numbers in its own units, or categories.
    pub at: Vec<Value>,
    /// The mean answers there, row-major: values×answers.
    pub values: Vec<f64>,
    /// Training rows that they are the mean over.
    pub rows: usize,
}

impl Pipeline {
    /// How predictions go with each of these columns. Numbers go from the 2nd to the 98th percentile of the points that the model keeps;
    /// columns that hold one value only, that are neither numbers nor categories, or that there are not, are left out.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data, model::{pipeline::Prepare, regress::KernelRidge}};
    /// let iris = data::load("iris")?.with_target("petal_width_cm")?;
    /// let prepared = Prepare::default().fit(&iris, None)?;
    /// let ridge = KernelRidge { kernel: KernelExpr::parse("linear + delta(species)")?, ..KernelRidge::default() };
    /// let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
    /// let found = prepared.pipeline(model)?.partial_dependence(&["petal_length_cm", "species"], &Run::new())?;
    /// let [first, .., last] = &found[0].values[..] else { panic!("places") };
    /// assert!(last > first && found[1].at.len() == 3);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn partial_dependence(&self, names: &[&str], run: &Run) -> Result<Vec<PartialDependence>> {
        let Some(background) = self.background(ROWS, run)? else { return Ok(Vec::new()) };
        let own = columns(self.model().points());
        let task = run.task("partial dependence", Some(names.len() as u64));
        let mut found = Vec::new();
        for name in names {
            let column = own.iter().find(|(n, _)| n == name).map(|(_, column)| column);
            if let Some(places) = column.and_then(|column| self.places(name, column)) {
                found.push(self.along(name, places, &background.points, run)?);
            }
            task.step_or_cancel()?;
        }
        Ok(found)
    }

    /// Values of a column as the kernel sees them, and as the data have them; nothing unless there are two.
    fn places(&self, name: &str, column: &Column) -> Option<(Column, Vec<Value>)> {
        match column {
            Column::Number(values) => {
                let numbers = spread(values)?;
                let raw = numbers.iter().map(|v| self.raw(name, *v).into()).collect();
                Some((numbers.into(), raw))
            }
            Column::Category(c) => {
                let levels = frequent(c);
                let codes = (0..levels.len() as u32).collect();
                let words = levels.iter().map(|l| l.clone().into()).collect();
                (levels.len() > 1).then(|| (Categories::from_codes(codes, levels).into(), words))
            }
            Column::Structured(_) => None,
        }
    }

    fn along(
        &self,
        name: &str,
        (places, at): (Column, Vec<Value>),
        points: &Inputs,
        run: &Run,
    ) -> Result<PartialDependence> {
        let (rows, count) = (points.len(), at.len());
        let everywhere: Vec<usize> = (0..count).flat_map(|_| 0..rows).collect();
        let value: Vec<usize> = (0..count).flat_map(|v| vec![v; rows]).collect();
        let mut x = with_column(&points.take(&everywhere), name, &places.take(&value))?;
        let marked = self.preparation().imputer.iter().flat_map(|i| i.indicators()).any(|n| n == name);
        if marked {
            let mark = format!("{name}_missing");
            x = with_column(&x, &mark, &vec![self.prepared(&mark, 0.0); rows * count].into())?;
        }
        let answers = self.answers_at(&x, run)?;
        let c = answers.len() / (rows * count).max(1);
        let mean = |v: usize, o: usize| (0..rows).map(|i| answers[(v * rows + i) * c + o]).sum::<f64>() / rows as f64;
        let values = (0..count).flat_map(|v| (0..c).map(move |o| (v, o))).map(|(v, o)| mean(v, o)).collect();
        Ok(PartialDependence { column: name.to_owned(), answers: self.answer_names(), at, values, rows })
    }

    /// A number as the data have it.
    pub(super) fn raw(&self, name: &str, value: f64) -> f64 {
        self.scale_of(name).map_or(value, |(mean, scale)| value * scale + mean)
    }

    /// A number as the kernel sees it.
    fn prepared(&self, name: &str, value: f64) -> f64 {
        self.scale_of(name).map_or(value, |(mean, scale)| (value - mean) / scale)
    }

    fn scale_of(&self, name: &str) -> Option<(f64, f64)> {
        let scaled = self.preparation().standardizer.as_ref()?;
        scaled.columns().find(|(n, _, _)| *n == name).map(|(_, mean, scale)| (mean, scale))
    }
}

/// Evenly spread numbers between two percentiles; of few different ones, those.
fn spread(values: &[f64]) -> Option<Vec<f64>> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |share: f64| sorted[(share * last as f64).round() as usize];
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= PLACES {
        return (distinct.len() > 1).then_some(distinct);
    }
    let (low, high) = (at(BEYOND), at(1.0 - BEYOND));
    let (low, high) = if low < high { (low, high) } else { (sorted[0], sorted[last]) };
    let place = |i: usize| low + (high - low) * (i as f64 / (PLACES - 1) as f64);
    Some((0..PLACES).map(place).collect())
}

/// The most frequent categories, in the order of their levels.
fn frequent(column: &Categories) -> Vec<String> {
    let mut counts = vec![0usize; column.levels().len()];
    for code in column.codes() {
        if let Some(count) = counts.get_mut(*code as usize) {
            *count += 1;
        }
    }
    let mut order: Vec<usize> = (0..counts.len()).filter(|c| counts[*c] > 0).collect();
    order.sort_by_key(|c| std::cmp::Reverse(counts[*c]));
    order.truncate(LEVELS);
    order.sort_unstable();
    order.into_iter().map(|c| column.levels()[c].clone()).collect()
}
