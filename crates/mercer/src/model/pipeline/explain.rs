//! What made a prediction: columns, training points that are like the row, and the sum that it is.
//!
//! What the columns add goes from the mean prediction to that of the row, see `effects`. A prediction is also a sum over the points that
//! the model keeps, f(x) = Σ αᵢk(x, xᵢ) + b: in the units of the target, the shares of all points and the intercept add up to it.
//! Shares may be thousands of times the prediction and cancel, where the matrix is near singular; how like the row a point is, lies
//! between −1 and 1.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::data::{Column, Inputs};
use crate::error::Result;
use crate::gram::dense;
use crate::note::Note;
use crate::run::Run;

use super::{AddedEffect, ColumnEffect, Pipeline, Prediction};

/// Rows whose kernel values with all points are held at a time.
const BATCH: usize = 256;

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainParams {
    /// How many points to name for each row: the nearest, and for each output those of the largest shares.
    pub top: usize,
    /// Whether to look at the columns as well.
    pub columns: bool,
}

impl Default for ExplainParams {
    fn default() -> Self {
        ExplainParams { top: 5, columns: true }
    }
}

/// What made some predictions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Names of the outputs: the targets, or the classes whose decision values they are.
    pub outputs: Vec<String>,
    /// Names of what effects speak of: classes with their probabilities where the model has them, else the outputs.
    pub answers: Vec<String>,
    /// The mean of each answer over some rows of training, from where effects go; empty without effects.
    pub mean: Vec<f64>,
    /// One for each row, in order.
    pub rows: Vec<ExplainedRow>,
    /// The training points that are named, ascending.
    pub points: Vec<KeptPoint>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// What made one prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedRow {
    /// The prediction, one number an output.
    pub values: Vec<f64>,
    /// The predicted class.
    pub label: Option<String>,
    /// The answers: probabilities of the classes where the model has them, else the prediction once more.
    pub answers: Vec<f64>,
    /// What each column adds to the answers, from their mean on; with the mean they add up to the answers. Empty for points without columns.
    pub effects: Vec<AddedEffect>,
    /// The training points that are most like it to the kernel, the nearest first.
    pub nearest: Vec<NearPoint>,
    /// Its parts, one set an output.
    pub parts: Vec<Parts>,
    /// What the columns do to it, in their order; a number that is missing is left out.
    pub columns: Vec<ColumnEffect>,
}

/// A training point that is like a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearPoint {
    /// Its number among the points that the model keeps, from 0.
    pub point: usize,
    /// k(x, xᵢ)/√(k(x, x)·k(xᵢ, xᵢ)), at most 1.
    pub similarity: f64,
    /// What the model answers there.
    pub answers: Vec<f64>,
}

/// A value taken apart: points + others + intercept, in the units of the target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parts {
    /// The points of the largest shares, by size.
    pub points: Vec<PointPart>,
    /// The sum of the shares of all other points.
    pub others: f64,
    /// What there is without any point: the intercept, and the mean of a target that was scaled.
    pub intercept: f64,
}

/// The share of a training point in a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PointPart {
    /// Its number among the points that the model keeps, from 0: its row in training where the model
    /// keeps all rows.
    pub point: usize,
    /// αᵢ·k(x, xᵢ), in the units of the target.
    pub share: f64,
    /// k(x, xᵢ).
    pub kernel: f64,
}

/// A training point as it was: columns filled where they were missing, in their own units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeptPoint {
    /// Its number.
    pub point: usize,
    /// Names and values; nothing for sparse rows and precomputed matrices.
    pub columns: Vec<(String, Value)>,
}

impl Pipeline {
    /// Takes the prediction of every row apart; see [`AddedEffect`], [`NearPoint`], [`Parts`] and [`ColumnEffect`].
    ///
    /// ```
    /// use mercer::{Run, data, model::{pipeline::{ExplainParams, Prepare}, regress::KernelRidge}};
    /// let flowers = data::load("iris")?.with_target("petal_width_cm")?;
    /// let prepared = Prepare::default().fit(&flowers, None)?;
    /// let kernel = mercer::KernelExpr::parse("rbf + delta(species)")?;
    /// let ridge = KernelRidge { kernel, fit_intercept: true, ..KernelRidge::default() };
    /// let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
    /// let found = prepared.pipeline(model)?.explain(&flowers.inputs, &ExplainParams::default(), &Run::new())?;
    /// let parts = &found.rows[0].parts[0];
    /// let sum = parts.points.iter().map(|p| p.share).sum::<f64>() + parts.others + parts.intercept;
    /// assert!((sum - found.rows[0].values[0]).abs() < 1e-12);
    /// let added: f64 = found.rows[0].effects.iter().map(|e| e.values[0]).sum();
    /// assert!((found.mean[0] + added - found.rows[0].answers[0]).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explain(&self, x: &Inputs, params: &ExplainParams, run: &Run) -> Result<Explanation> {
        let prediction = self.predict(x, run)?;
        let (selected, _) = self.schema().select(x)?;
        let (points, _) = self.preparation().apply(&selected)?;
        let mut rows = self.rows_apart(&points, &prediction, params.top, run)?;
        self.add_nearest(&points, &mut rows, params.top, run)?;
        let background = if params.columns { self.background(self.starts(), run)? } else { None };
        if let Some(background) = &background {
            let task = run.task("effects", Some(rows.len() as u64));
            for (i, row) in rows.iter_mut().enumerate() {
                row.effects = self.added_effects(&points, i, &row.answers, background, run)?;
                task.step_or_cancel()?;
            }
        }
        if params.columns {
            let effects = self.column_effects(&selected, run)?;
            rows.iter_mut().zip(effects).for_each(|(row, effects)| row.columns = effects);
        }
        let parts = rows.iter().flat_map(|row| &row.parts).flat_map(|parts| &parts.points);
        let near = rows.iter().flat_map(|row| &row.nearest).map(|near| near.point);
        let named: BTreeSet<usize> = parts.map(|part| part.point).chain(near).collect();
        Ok(Explanation {
            outputs: self.task().names(),
            answers: self.answer_names(),
            mean: background.map_or_else(Vec::new, |b| b.mean()),
            rows,
            points: named.into_iter().map(|i| KeptPoint { point: i, columns: self.kept_columns(i) }).collect(),
            notes: prediction.notes,
        })
    }

    fn rows_apart(&self, points: &Inputs, prediction: &Prediction, top: usize, run: &Run) -> Result<Vec<ExplainedRow>> {
        let (c, model) = (prediction.outputs, self.model());
        let task = run.task("explain", Some(points.len().div_ceil(BATCH) as u64));
        let mut rows = Vec::with_capacity(points.len());
        for start in (0..points.len()).step_by(BATCH) {
            let batch: Vec<usize> = (start..(start + BATCH).min(points.len())).collect();
            let cross = model.expansion().space().cross(&points.take(&batch), model.points(), run)?;
            let values = dense::<f64>(&cross, run)?;
            for (at, &i) in batch.iter().enumerate() {
                rows.push(ExplainedRow {
                    values: prediction.values[i * c..(i + 1) * c].to_vec(),
                    answers: match &prediction.probabilities {
                        Some(shares) => {
                            let classes = shares.len() / points.len();
                            shares[i * classes..(i + 1) * classes].to_vec()
                        }
                        None => prediction.values[i * c..(i + 1) * c].to_vec(),
                    },
                    effects: Vec::new(),
                    nearest: Vec::new(),
                    label: prediction.labels.as_ref().and_then(|l| l.get(i)).map(str::to_owned),
                    parts: (0..c).map(|o| self.parts_of(values.row(at), o, top)).collect(),
                    columns: Vec::new(),
                });
            }
            task.step_or_cancel()?;
        }
        Ok(rows)
    }

    /// The nearest points of each row; none where a point is at no distance from 0, as for kernels that are not positive definite.
    fn add_nearest(&self, points: &Inputs, rows: &mut [ExplainedRow], top: usize, run: &Run) -> Result<()> {
        let (model, space) = (self.model(), self.model().expansion().space());
        if top == 0 || rows.is_empty() || matches!(points, Inputs::Precomputed(_)) {
            return Ok(());
        }
        let (own, kept) = (space.diag(points, run)?, space.diag(model.points(), run)?);
        if !own.iter().chain(&kept).all(|k| *k > 0.0 && k.is_finite()) {
            return Ok(());
        }
        for start in (0..points.len()).step_by(BATCH) {
            let batch: Vec<usize> = (start..(start + BATCH).min(points.len())).collect();
            let values = dense::<f64>(&space.cross(&points.take(&batch), model.points(), run)?, run)?;
            for (at, &i) in batch.iter().enumerate() {
                let like = |j: usize| values.row(at)[j] / (own[i].sqrt() * kept[j].sqrt());
                let mut order: Vec<usize> = (0..kept.len()).collect();
                order.sort_by(|&a, &b| like(b).total_cmp(&like(a)).then(a.cmp(&b)));
                order.truncate(top);
                let near =
                    order.iter().map(|&j| NearPoint { point: j, similarity: like(j).min(1.0), answers: Vec::new() });
                rows[i].nearest = near.collect();
            }
        }
        let named: BTreeSet<usize> = rows.iter().flat_map(|row| &row.nearest).map(|near| near.point).collect();
        let named: Vec<usize> = named.into_iter().collect();
        let answers = self.answers_at(&model.points().take(&named), run)?;
        let c = answers.len() / named.len().max(1);
        for near in rows.iter_mut().flat_map(|row| &mut row.nearest) {
            let at = named.partition_point(|p| *p < near.point);
            near.answers = answers[at * c..(at + 1) * c].to_vec();
        }
        Ok(())
    }

    /// The parts of output `o` where the kernel has these values with the points.
    fn parts_of(&self, kernel: &[f64], o: usize, top: usize) -> Parts {
        let (c, model) = (self.model().outputs(), self.model());
        let (mean, scale) = self.target_scaling().map_or((0.0, 1.0), |s| (s.mean[o], s.scale[o]));
        let share = |i: usize| scale * (model.coefficients()[i * c + o] * kernel[i]);
        let mut order: Vec<usize> = (0..kernel.len()).collect();
        order.sort_by(|&i, &j| share(j).abs().total_cmp(&share(i).abs()).then(i.cmp(&j)));
        let (named, others) = order.split_at(top.min(order.len()));
        Parts {
            points: named.iter().map(|&i| PointPart { point: i, share: share(i), kernel: kernel[i] }).collect(),
            // The smallest first: they are the most, and would be lost beside the large ones.
            others: others.iter().rev().map(|&i| share(i)).sum(),
            intercept: scale * (model.intercept()[o] + model.shifts().map_or(0.0, |shifts| shifts[o])) + mean,
        }
    }

    /// The columns of a point that the model keeps, in the units of the data.
    fn kept_columns(&self, i: usize) -> Vec<(String, Value)> {
        let raw = |name: &str, value: f64| self.raw(name, value);
        match self.model().points() {
            Inputs::Dense(x) => (0..x.ncols()).map(|j| (x.name(j), raw(&x.name(j), x.row(i)[j]).into())).collect(),
            Inputs::Table(table) => table
                .iter()
                .map(|(name, column)| {
                    let value = match column {
                        Column::Number(v) => raw(name, v[i]).into(),
                        Column::Category(c) => c.get(i).into(),
                        Column::Structured(v) => v.describe(i).into(),
                    };
                    (name.to_owned(), value)
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}
