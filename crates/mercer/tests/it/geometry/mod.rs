//! Linear algebra, audit, repair, centring, spectrum and geometry of the RKHS.

mod audit;
mod center;
mod eigen;
mod examples;
mod factor;
mod functions;
mod repair;
mod sets;
mod spectrum;
mod top_eigen;

use mercer::data::{Categories, Column, Csr, Inputs, Precomputed, Rows, Table, Texts};
use mercer::gram::{KernelMatrix, dense};
use mercer::rkhs::Space;
use mercer::testkit::points::{self, Chance};
use mercer::{KernelExpr, Run};

fn run() -> Run {
    Run::new()
}

fn space(formula: &str, x: &Inputs) -> Space {
    KernelExpr::parse(formula).and_then(|k| Space::new(&k, x, &run())).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

/// All values of a matrix, row-major.
fn values(matrix: &dyn KernelMatrix) -> Vec<f64> {
    dense::<f64>(matrix, &run()).unwrap_or_else(|e| panic!("{e}")).into_values()
}

fn gram(space: &Space, x: &Inputs) -> Vec<f64> {
    values(&space.gram(x, &run()).unwrap_or_else(|e| panic!("{e}")))
}

fn cross(space: &Space, x: &Inputs, y: &Inputs) -> Vec<f64> {
    values(&space.cross(x, y, &run()).unwrap_or_else(|e| panic!("{e}")))
}

fn column(values: &[f64]) -> Inputs {
    Rows::new(values.to_vec(), values.len(), 1).expect("one column").into()
}

/// A symmetric matrix of normal numbers: indefinite for all n worth testing.
fn symmetric(n: usize, seed: u64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    let mut k = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            k[i * n + j] = chance.normal();
            k[j * n + i] = k[i * n + j];
        }
    }
    k
}

/// Numbers, a category and a text for each point, in three sizes of one law.
fn table(n: usize, seed: u64) -> Inputs {
    let x = points::vectors(n, 1, seed);
    let (_, notes) = points::texts();
    Table::new(vec![
        ("age".into(), Column::Number(x.values().to_vec().into())),
        ("kind".into(), Column::Category(Categories::from_values((0..n).map(|i| Some(["a", "b", "c"][i * i % 3]))))),
        ("note".into(), Column::from(Texts::from_values((0..n).map(|i| Some(notes[(i + seed as usize) % 8]))))),
    ])
    .expect("three columns")
    .into()
}

/// Rows with two values of six each.
fn sparse(n: usize, seed: u64) -> Inputs {
    let mut chance = Chance::new(seed);
    let starts = (0..=n).map(|i| 2 * i).collect::<Vec<_>>();
    let columns = (0..n).flat_map(|i| [(i % 3) as u32, 3 + (i * i % 3) as u32]).collect::<Vec<_>>();
    let values = (0..2 * n).map(|_| chance.normal()).collect::<Vec<_>>();
    Csr::new(starts, columns, values, 6).expect("sparse rows").into()
}

/// Pairs of sets of every type, with a kernel that fits.
fn cases() -> Vec<(&'static str, Inputs, Inputs)> {
    vec![
        ("rbf", points::vectors(23, 3, 51).into(), points::vectors(9, 3, 52).into()),
        ("linear + 0.5", points::vectors(23, 3, 53).into(), points::vectors(9, 3, 54).into()),
        ("matern32(length_scale=2)", points::vectors(300, 2, 55).into(), points::vectors(260, 2, 56).into()),
        ("rbf(age)*delta(kind) + 0.2*ngram(note, n=2)", table(17, 57), table(8, 58)),
        ("rbf(length_scale=1.5) + linear", sparse(15, 59), sparse(7, 60)),
    ]
}

/// Σ |vᵢ|, the size that the rounding of a sum is measured by.
fn size(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(f64::abs).sum()
}

fn precomputed(values: &[f64], nrows: usize, ncols: usize) -> Inputs {
    Precomputed::new(values.to_vec(), nrows, ncols).expect("a matrix").into()
}
