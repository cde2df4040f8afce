//! The vectors and coefficients of a machine with their zeros, in single precision.

use crate::data::Csr;
use crate::error::{Error, Result};

use super::super::{SupportMachine, SupportVectors};
use super::LARGEST;

/// What the attributes of an SVM node hold.
pub(super) struct Dense {
    /// Row after row.
    pub(super) vectors: Vec<f32>,
    /// Number of coordinates, at least 1.
    pub(super) columns: usize,
    /// As in the machine, row after row.
    pub(super) coefficients: Vec<f32>,
    /// How many vectors are of each class; one class where there are none. None of them is 0.
    pub(super) per_class: Vec<usize>,
}

impl Dense {
    pub(super) fn new(machine: &SupportMachine) -> Result<Self> {
        let points = match &machine.vectors {
            SupportVectors::Points(points) => points,
            SupportVectors::Rows(_) => {
                return Err(Error::Unsupported {
                    what: "a precomputed kernel in ONNX".into(),
                    alternative: "write a model file of LIBSVM, or train with a kernel that LIBSVM computes".into(),
                });
            }
        };
        let order = order(machine);
        let columns = points.ncols().max(1);
        check_size(order.len(), columns, machine.coefficients.len())?;
        let per_class = match machine.kind.is_classifier() {
            true => machine.vectors_per_class.iter().map(|n| (*n).max(1)).collect(),
            false => vec![order.len()],
        };
        Ok(Dense { vectors: rows(points, &order, columns)?, columns, coefficients: pick(machine, &order)?, per_class })
    }

    /// How many vectors there are.
    pub(super) fn len(&self) -> usize {
        self.per_class.iter().sum()
    }
}

/// The vectors in their order, and `None` for one of zeros where a class has none.
fn order(machine: &SupportMachine) -> Vec<Option<usize>> {
    let counts = match machine.kind.is_classifier() {
        true => &machine.vectors_per_class[..],
        false => &[machine.vectors.len()],
    };
    let mut next = 0;
    let mut order = Vec::new();
    for &count in counts {
        match count {
            0 => order.push(None),
            _ => order.extend((next..next + count).map(Some)),
        }
        next += count;
    }
    order
}

fn check_size(vectors: usize, columns: usize, rows: usize) -> Result<()> {
    let numbers = vectors as u128 * (columns as u128 + rows as u128);
    match numbers <= LARGEST as u128 {
        true => Ok(()),
        false => Err(Error::Memory {
            needed: 4 * numbers,
            limit: 4 * LARGEST as u64,
            purpose: "an ONNX model, which holds the zeros of sparse points,".into(),
            alternative: "write a model file of LIBSVM, which leaves them out".into(),
        }),
    }
}

fn rows(points: &Csr, order: &[Option<usize>], columns: usize) -> Result<Vec<f32>> {
    let mut vectors = vec![0.0; order.len() * columns];
    for (row, place) in vectors.chunks_exact_mut(columns).zip(order) {
        let Some(i) = place else { continue };
        let (at, values) = points.row(*i);
        for (column, value) in at.iter().zip(values) {
            row[*column as usize] = single("vectors", *value)?;
        }
    }
    Ok(vectors)
}

fn pick(machine: &SupportMachine, order: &[Option<usize>]) -> Result<Vec<f32>> {
    let of = |row: &Vec<f64>, place: &Option<usize>| place.map_or(Ok(0.0), |i| single("coefficients", row[i]));
    machine.coefficients.iter().flat_map(|row| order.iter().map(move |place| of(row, place))).collect()
}

/// The number in single precision; fails where it is too large for that.
pub(super) fn single(name: &str, value: f64) -> Result<f32> {
    let single = value as f32;
    match single.is_finite() {
        true => Ok(single),
        false => Err(Error::invalid("an ONNX model", name, value, "at most 3.4e38, as single precision goes")),
    }
}

/// The numbers in single precision.
pub(super) fn singles(name: &str, values: &[f64]) -> Result<Vec<f32>> {
    values.iter().map(|value| single(name, *value)).collect()
}
