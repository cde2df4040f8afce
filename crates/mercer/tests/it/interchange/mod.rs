//! Support vector machines of other programs: files that LIBSVM wrote, its decisions, and files that nobody should write.

mod decide;
mod hostile;
mod libsvm;
mod onnx;

use std::path::{Path, PathBuf};

use mercer::data::Csr;
use mercer::interchange::{MachineKind, StandardKernel, SupportMachine, SupportVectors, libsvm as format};
use serde::Deserialize;

/// What LIBSVM said of new points.
#[derive(Deserialize)]
struct Case {
    name: String,
    points: Vec<Vec<f64>>,
    labels: Vec<f64>,
    decisions: Vec<Vec<f64>>,
    #[serde(default)]
    probabilities: Vec<Vec<f64>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/libsvm-3.37")
}

fn cases() -> Vec<Case> {
    #[derive(Deserialize)]
    struct Fixture {
        cases: Vec<Case>,
    }
    let text = std::fs::read_to_string(folder().join("decisions.json")).expect("the fixture is there");
    serde_json::from_str::<Fixture>(&text).expect("the fixture has the shape of its script").cases
}

/// The file that LIBSVM wrote.
fn file(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.model"))).expect("the fixture is there")
}

fn read(bytes: &[u8]) -> mercer::Result<SupportMachine> {
    format::read(bytes, Path::new("a.model"))
}

/// Numbers that are hard to print: the ends of the range, signs of 0, and digits without end.
const HARD: [f64; 12] = [
    0.1,
    -1.0 / 3.0,
    5e-324,
    -2.2250738585072014e-308,
    f64::MAX,
    f64::MIN_POSITIVE,
    -0.0,
    0.0,
    1e-5,
    123_456_789.123_456_79,
    1e15,
    -9.999_999_999_999_998e22,
];

/// A machine of three classes made of hard numbers, one of its vectors empty.
fn hard() -> SupportMachine {
    let columns = vec![0, 3, 4, 1, 2, 4, 0, 1];
    let points = Csr::new(vec![0, 3, 3, 6, 8], columns, HARD[..8].to_vec(), 5).expect("valid");
    SupportMachine {
        kind: MachineKind::NuSvc,
        kernel: StandardKernel::Polynomial { degree: 7, gamma: 1.0 / 7.0, coef0: -0.3 },
        vectors: SupportVectors::Points(points),
        coefficients: vec![HARD[..4].to_vec(), HARD[8..].to_vec()],
        offsets: HARD[2..5].to_vec(),
        labels: vec![i64::from(i32::MAX), -i64::from(i32::MAX), 0],
        vectors_per_class: vec![2, 0, 2],
        prob_a: Some(HARD[..3].to_vec()),
        prob_b: Some(HARD[4..7].to_vec()),
        prob_density_marks: None,
    }
}
