//! Laws of learners, held by everything in the catalogue.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::data::{Categories, Column, Rows, TargetKind, Weights};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{KernelExpr, Registry};
use crate::model::pipeline::{Pipeline, Prepare, Prepared};
use crate::model::{Fitted, Learner};
use crate::run::Run;
use crate::save::resealed;

use super::points;
use super::tol;

/// Rows of the samples: enough to learn from, and few enough for every law of every learner.
const ROWS: usize = 26;

/// Points with their target and its kind.
#[derive(Clone)]
struct Sample {
    x: Rows,
    y: Vec<(String, Column)>,
    kind: TargetKind,
}

impl Sample {
    fn take(&self, rows: &[usize]) -> Self {
        let y = self.y.iter().map(|(name, column)| (name.clone(), column.take(rows))).collect();
        Sample { x: self.x.take(rows), y, kind: self.kind }
    }
}

/// Holds a learner to every law, on each kind of target that it takes.
///
/// ```
/// use mercer::{model::catalogue, testkit::laws};
/// laws::learner(&catalogue::by_name("barycentre")?);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn learner(learner: &Learner) {
    for &kind in learner.spec().targets {
        for classes in [2, 3] {
            let sample = sample(kind, classes);
            let learner = exact(&learner.with_kernel(kernel()).usual_for(kind));
            let name = format!("{} on {kind:?}", learner.spec().name);
            settings_go_round(&name, &learner);
            same_bits(&name, &learner, &sample);
            weights_repeat(&name, &learner, &sample);
            let pipeline = fit(&learner, &sample, None, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
            survives_saving(&name, &pipeline, &sample);
            verifies(&name, &pipeline, &sample);
            stops(&name, &learner, &sample);
            odd_samples(&name, &learner, &sample);
        }
    }
}

/// The same, told to go further where it would stop at a gap that laws can see.
fn exact(learner: &Learner) -> Learner {
    let settings = [("tolerance", 1e-9), ("gap", 1e-10)].map(|(name, value)| (name.to_owned(), value.into()));
    match learner.spec().setting("gap") {
        Some(_) => learner.with_settings(settings.into_iter().collect()).unwrap_or_else(|e| panic!("{e}")),
        None => learner.clone(),
    }
}

fn kernel() -> KernelExpr {
    KernelExpr::parse("rbf(length_scale=1)").unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers that a smooth function gives, or classes by its size, with no two rows the same.
fn sample(kind: TargetKind, classes: usize) -> Sample {
    let x = points::vectors(ROWS, 2, 5);
    let smooth = |i: usize| (2.0 * x.row(i)[0]).sin() + 0.5 * x.row(i)[1];
    let column = match kind {
        TargetKind::Classes => {
            let names = ["low", "middle", "high"];
            let place = |i: usize| if smooth(i) < -0.2 { 0 } else { 1 + usize::from(classes == 3 && smooth(i) > 0.6) };
            Column::Category(Categories::from_values((0..ROWS).map(|i| Some(names[place(i)]))))
        }
        _ => Column::Number((0..ROWS).map(smooth).collect()),
    };
    let y = if kind == TargetKind::None { Vec::new() } else { vec![("y".to_owned(), column)] };
    Sample { x, y, kind }
}

fn fit(learner: &Learner, sample: &Sample, weights: Option<&Weights>, run: &Run) -> Result<Pipeline> {
    let (prepared, fitted) = prepared_fit(learner, sample, weights, run)?;
    prepared.pipeline(fitted.model)
}

fn prepared_fit(
    learner: &Learner,
    sample: &Sample,
    weights: Option<&Weights>,
    run: &Run,
) -> Result<(Prepared, Fitted)> {
    let prepared = Prepare::default().fit_to(&sample.x.clone().into(), &sample.y, weights)?;
    let fitted = learner.fit(&prepared.inputs, prepared.target.clone(), prepared.weights.as_ref(), run)?;
    Ok((prepared, fitted))
}

fn predictions(pipeline: &Pipeline, x: &Rows) -> Vec<f64> {
    pipeline.predict(&x.clone().into(), &Run::new()).unwrap_or_else(|e| panic!("{e}")).values
}

fn bytes(name: &str, pipeline: &Pipeline) -> Vec<u8> {
    pipeline.to_bytes().unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Settings written and read again are the same settings.
fn settings_go_round(name: &str, learner: &Learner) {
    let again = learner.with_settings(learner.settings()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(again.settings(), learner.settings(), "{name}");
}

/// The file is the same, bit for bit, for any number of threads and run to run.
fn same_bits(name: &str, learner: &Learner, sample: &Sample) {
    let with = |threads: usize| {
        let run = Run::new().with_threads(threads).unwrap_or_else(|e| panic!("{e}"));
        bytes(name, &fit(learner, sample, None, &run).unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let one = with(1);
    let (_, fitted) = prepared_fit(learner, sample, None, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(fitted.report.rows, ROWS, "{name}: rows of the report");
    for threads in [1, 2, 5] {
        assert!(one == with(threads), "{name}: other bits with {threads} threads");
    }
}

/// A weight means repetition, and a row of weight 0 is as good as absent; or weights are refused.
fn weights_repeat(name: &str, learner: &Learner, sample: &Sample) {
    let weights: Vec<f64> = (0..ROWS).map(|i| [1.0, 2.0, 0.0, 3.0, 1.0][i % 5]).collect();
    let weights = Weights::new(weights).unwrap_or_else(|e| panic!("{e}"));
    let weighted = fit(learner, sample, Some(&weights), &Run::new());
    if !learner.spec().weights {
        assert!(matches!(weighted, Err(Error::InvalidParameter { .. })), "{name} takes weights");
        return;
    }
    let weighted = weighted.unwrap_or_else(|e| panic!("{name}: {e}"));
    let repeated: Vec<usize> = (0..ROWS).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let repeated = fit(learner, &sample.take(&repeated), None, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (a, b) = (predictions(&weighted, &sample.x), predictions(&repeated, &sample.x));
    let largest = a.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!((a - b).abs() <= tol::SOLVED * largest, "{name}: {a} with weights, {b} with repetitions, at {i}");
    }
}

/// A model read from its file predicts the same bits and writes the same file.
fn survives_saving(name: &str, pipeline: &Pipeline, sample: &Sample) {
    let file = bytes(name, pipeline);
    let read = Pipeline::from_bytes(&file, &Registry::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(predictions(&read, &sample.x), predictions(pipeline, &sample.x), "{name}");
    assert!(bytes(name, &read) == file, "{name}: another file");
    for place in (0..file.len()).step_by(file.len() / 40 + 1) {
        let mut damaged = file.clone();
        damaged[place] ^= 1;
        assert!(Pipeline::from_bytes(&damaged, &Registry::new()).is_err(), "{name}: byte {place} is not looked at");
    }
}

/// The certificate is found again on the rows of the fit, and on no others; a file that was altered is refused.
fn verifies(name: &str, pipeline: &Pipeline, sample: &Sample) {
    let verify = |pipeline: &Pipeline, sample: &Sample| {
        let found = pipeline.verify_on(&sample.x.clone().into(), sample.y.clone(), None, &Run::new());
        found.unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let found = verify(pipeline, sample);
    assert!(found.holds, "{name}: {}", found.verdict);
    let shifted: Vec<usize> = (1..ROWS).chain([0]).collect();
    let others = Sample { x: sample.x.take(&shifted), ..sample.clone() };
    assert!(!verify(pipeline, &others).holds, "{name}: holds for other points");
    let others = Sample { y: sample.take(&shifted).y, ..sample.clone() };
    assert!(sample.y.is_empty() || !verify(pipeline, &others).holds, "{name}: holds for other targets");
    for array in ["coefficients", "intercept"] {
        assert!(!verify(&altered(name, pipeline, array), sample).holds, "{name}: holds with other {array}");
    }
}

/// The model whose file has a tenth added to the first number of an array.
fn altered(name: &str, pipeline: &Pipeline, array: &str) -> Pipeline {
    let mut file = bytes(name, pipeline);
    let length = u64::from_le_bytes(file[..8].try_into().unwrap_or_default()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&file[8..8 + length]).unwrap_or_default();
    let start = header[array]["data_offsets"][0].as_u64().unwrap_or_else(|| panic!("{name} has no {array}"));
    let at = 8 + length + start as usize;
    let old = f64::from_le_bytes(file[at..at + 8].try_into().unwrap_or_default());
    file[at..at + 8].copy_from_slice(&(old + 0.1).to_le_bytes());
    Pipeline::from_bytes(&resealed(&file), &Registry::new()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Who cancels or has no time gets an error, or a model that says why it stopped; too little memory is an error.
fn stops(name: &str, learner: &Learner, sample: &Sample) {
    let cancelled = Run::new().with_cancel(Arc::new(AtomicBool::new(true)));
    let late = Run::new().with_deadline(Duration::ZERO);
    for run in [cancelled, late] {
        match prepared_fit(learner, sample, None, &run) {
            Err(Error::Cancelled { .. }) => {}
            Err(other) => panic!("{name}: {other}"),
            Ok((_, fitted)) => {
                let stop = fitted.report.tuned.map_or(fitted.model.certificate().stop, |tuned| tuned.stop);
                assert!(!stop.is_complete(), "{name}: {stop:?}");
            }
        }
    }
    let tight = fit(learner, sample, None, &Run::new().with_memory_limit(100));
    assert!(matches!(tight, Err(Error::Memory { .. })), "{name}: {:?}", tight.map(|_| ()));
}

/// Constant columns, huge numbers, few rows, one class, gaps: a model with finite predictions, or an error.
fn odd_samples(name: &str, learner: &Learner, sample: &Sample) {
    let with = |change: &dyn Fn(usize, f64) -> f64| Sample { x: changed(&sample.x, change), ..sample.clone() };
    let some_constant = with(&|place, value| if place % 2 == 0 { 7.0 } else { value });
    let all_constant = with(&|_, _| 3.0);
    let huge = with(&|_, value| value * 1e150);
    let tiny = with(&|_, value| value * 1e-150);
    let few = [vec![0], vec![0, 1], vec![3; 5]].map(|rows| sample.take(&rows));
    for odd in [some_constant, all_constant, huge, tiny].iter().chain(&few) {
        match fit(learner, odd, None, &Run::new()) {
            Ok(pipeline) => {
                let finite = predictions(&pipeline, &odd.x).iter().all(|v| v.is_finite());
                assert!(finite, "{name}: predictions that are not finite");
            }
            Err(e) => assert!(e.kind() != ErrorKind::Internal, "{name}: {e}"),
        }
    }
    let gap = with(&|place, value| if place == 3 { f64::NAN } else { value });
    assert!(fit(learner, &gap, None, &Run::new()).is_err(), "{name} learns from NaN");
    if sample.kind == TargetKind::Classes {
        let low = Column::Category(Categories::from_values((0..ROWS).map(|_| Some("low"))));
        let one = Sample { y: vec![("y".to_owned(), low)], ..sample.clone() };
        assert!(fit(learner, &one, None, &Run::new()).is_err(), "{name} learns one class");
    }
}

/// The points with every number changed, by its place.
fn changed(x: &Rows, change: &dyn Fn(usize, f64) -> f64) -> Rows {
    let values: Vec<f64> = x.values().iter().enumerate().map(|(place, v)| change(place, *v)).collect();
    Rows::new(values, x.nrows(), x.ncols()).unwrap_or_else(|e| panic!("{e}"))
}
