//! Pipelines and their files: what is saved predicts the same, what is damaged is refused.

mod explain;
mod hostile;
mod predict;
mod processes;
mod round_trip;
mod seeds;
mod task;
mod verify;

use mercer::data::{Categories, Column, Csr, Inputs, MissingPolicy, Rows, Table, Texts};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Run};

use crate::weigh;

pub(crate) fn numbers(values: impl IntoIterator<Item = f64>) -> Column {
    Column::Number(values.into_iter().collect())
}

pub(crate) fn words<'a>(values: impl IntoIterator<Item = &'a str>) -> Column {
    Column::Category(Categories::from_values(values.into_iter().map(Some)))
}

/// Rows of numbers, a category, text, and a second number with a gap if asked for.
pub(crate) fn mixed(n: usize, seed: u64, gaps: bool) -> Table {
    let mut chance = Chance::new(seed);
    let age: Vec<f64> = (0..n).map(|_| 40.0 + 12.0 * chance.normal()).collect();
    let income: Vec<f64> = (0..n).map(|i| if gaps && i % 5 == 2 { f64::NAN } else { chance.unit() }).collect();
    let city: Vec<&str> = (0..n).map(|_| ["Rome", "Oslo", "Köln"][chance.below(3)]).collect();
    let note: Vec<String> = (0..n).map(|i| ["größe", "a cat", "", "日本 cats"][i % 4].repeat(1 + i % 3)).collect();
    Table::new(vec![
        ("age".into(), numbers(age)),
        ("income".into(), numbers(income)),
        ("city".into(), words(city)),
        ("note".into(), Column::from(Texts::from_values(note.iter().map(Some)))),
    ])
    .expect("columns of one length")
}

pub(crate) const MIXED: &str = "rbf(age, income, length_scale=1.3) + 0.5*delta(city) + 0.1*ngram(note, n=2)";

/// Targets that depend on the row number in a way no constant does.
pub(crate) fn target(n: usize) -> (String, Column) {
    ("y".into(), numbers((0..n).map(|i| 100.0 + (i as f64 * 0.7).sin() * 5.0)))
}

pub(crate) fn class_target(n: usize, classes: &[&'static str]) -> (String, Column) {
    ("kind".into(), words((0..n).map(|i| classes[(i * i + i / 3) % classes.len()])))
}

pub(crate) fn dense(n: usize, d: usize, seed: u64) -> Rows {
    let mut chance = Chance::new(seed);
    Rows::new((0..n * d).map(|_| chance.normal()).collect::<Vec<_>>(), n, d).expect("n×d")
}

pub(crate) fn sparse(n: usize, width: usize, seed: u64) -> Csr {
    let mut chance = Chance::new(seed);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..n {
        for j in (0..width).filter(|_| chance.unit() < 0.4).collect::<Vec<_>>() {
            columns.push(j as u32);
            values.push(chance.normal());
        }
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, width).expect("in order")
}

/// A pipeline with a kernel, by the eigendecomposition: it has leave-one-out residuals.
pub(crate) fn fit(kernel: &str, x: impl Into<Inputs>, y: &[(String, Column)], weights: Option<&[f64]>) -> Pipeline {
    fit_with(Prepare::default(), RidgeSolver::Eigen, kernel, (x.into(), y, weights))
}

/// Points, targets and weights.
pub(crate) type Data<'a> = (Inputs, &'a [(String, Column)], Option<&'a [f64]>);

pub(crate) fn fit_with(prepare: Prepare, solver: RidgeSolver, kernel: &str, (x, y, weights): Data<'_>) -> Pipeline {
    let prepared = prepare.fit_to(&x, y, weights.map(weigh).as_ref()).expect("valid data");
    let kernel = KernelExpr::parse(kernel).expect("a kernel");
    let ridge = KernelRidge { kernel, alpha: Alpha::Value(0.1), fit_intercept: true, solver, ..KernelRidge::default() };
    let fitted = ridge.fit(&prepared.inputs, &prepared.target, prepared.weights.as_ref(), &Run::new());
    prepared.clone().pipeline(fitted.expect("a fit").model).expect("parts that fit")
}

pub(crate) fn imputing() -> Prepare {
    Prepare { missing: MissingPolicy::Impute, ..Prepare::default() }
}

pub(crate) fn reload(pipeline: &Pipeline) -> Pipeline {
    Pipeline::from_bytes(&pipeline.to_bytes().expect("a file"), &Registry::new()).expect("what was written")
}

pub(crate) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}
