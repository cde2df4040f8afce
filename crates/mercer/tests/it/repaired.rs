//! Fits with kernels that need a repair, from data to model file.

use mercer::data::{Dataset, Inputs, Targets, Weights, load};
use mercer::gram::{Repair, RepairMethod, dense};
use mercer::kernel::Registry;
use mercer::model::Learner;
use mercer::model::pipeline::Pipeline;
use mercer::model::regress::{Alpha, KernelRidge};
use mercer::select::{Asked, Job, Scores};
use mercer::{KernelExpr, Run};

/// 3 − |x − y| on standardised columns: one negative eigenvalue, that of the constant, since −|x − y| is positive definite beside it.
const INDEFINITE: &str = "energy + 3";

fn iris(target: &str) -> Dataset {
    load("iris").and_then(|d| d.with_target(target)).expect("iris")
}

fn job(learner: &str, repair: Option<RepairMethod>) -> Job {
    let kernel = Some(KernelExpr::parse(INDEFINITE).expect("reads"));
    Job { learner: Asked::named(learner).expect("there"), kernel, repair, ..Job::default() }
}

fn methods() -> [RepairMethod; 3] {
    [RepairMethod::Clip, RepairMethod::Flip, RepairMethod::Shift]
}

/// Every learner of functions takes it, judges it by folds, keeps it in its file and is verified.
#[test]
fn a_whole_job_is_done_with_an_indefinite_kernel() {
    for (learner, target) in [("ridge", "petal_width_cm"), ("logistic", "species"), ("svc", "species")] {
        for method in methods() {
            let (data, run) = (iris(target), Run::new());
            let done = job(learner, Some(method)).fit(&data, &run).unwrap_or_else(|e| panic!("{learner}: {e}"));
            let estimate = done.estimate.expect("an estimate");
            let good = match estimate.model {
                Scores::Regression { r2, .. } => r2 > 0.9,
                Scores::Classification { accuracy, .. } => accuracy > 0.9,
                _ => false,
            };
            assert!(good, "{learner}, {}: {:?}", method.name(), estimate.model);
            let repaired = done.pipeline.model().certificate().repaired.clone().expect("it was repaired");
            assert!(repaired.method == method.name() && repaired.negative == 1, "{repaired:?}");
            let read =
                Pipeline::from_bytes(&done.pipeline.to_bytes().expect("bytes"), &Registry::new()).expect("reads");
            let predict = |pipeline: &Pipeline| pipeline.predict_data(&data, &run).expect("values").values;
            assert_eq!(predict(&read), predict(&done.pipeline));
            let held = read.verify(&data, None, &run).expect("verified");
            assert!(held.holds, "{learner}, {}: {}", method.name(), held.verdict);
            let other = data.take(&(0..150).rev().collect::<Vec<_>>());
            assert!(!read.verify(&other, None, &run).is_ok_and(|v| v.holds));
        }
    }
}

/// The functions are those of the repaired matrix: (K̃ + alpha·I)·a = y and f(x) = k(x)ᵀ·M·a, written out.
#[test]
fn predictions_are_those_of_the_repaired_matrix() {
    let (data, run) = (iris("petal_width_cm"), Run::new());
    let Inputs::Table(_) = &data.inputs else { panic!("a table") };
    let kernel = KernelExpr::parse("energy + 3").expect("reads");
    let x = kernel.typed(&data.inputs);
    let y = Targets::new((0..150).map(|i| f64::from(i % 7)).collect::<Vec<_>>(), 1).expect("numbers");
    let learner: Learner = KernelRidge {
        kernel: kernel.clone(),
        alpha: Alpha::Value(0.5),
        fit_intercept: false,
        ..KernelRidge::default()
    }
    .into();
    let model = learner.fit_repaired(&x, &y, None, RepairMethod::Clip, &run).expect("fits").model;
    let k = dense::<f64>(&kernel.bind(&x, &run).expect("binds"), &run).expect("runs").into_values();
    let repair = Repair::fit(&k, 150, RepairMethod::Clip, &run).expect("a repair");
    let mut clipped = k.clone();
    repair.apply(&mut clipped, &run).expect("applied");
    let fitted = model.expansion().fitted_coefficients().expect("they are kept");
    for i in 0..150 {
        let sum: f64 = (0..150).map(|j| clipped[i * 150 + j] * fitted[j]).sum();
        let left = sum + 0.5 * fitted[i] - y.values()[i];
        assert!(left.abs() < 1e-9, "row {i}: {left}");
        let value = model.predict(&x.take(&[i]), &run).expect("a value")[0];
        assert!((value - sum).abs() < 1e-8 * (1.0 + sum.abs()), "row {i}: {value} for {sum}");
    }
}

/// A kernel that needs none is fitted as it is; a row of weight 0 is as good as absent.
#[test]
fn nothing_is_repaired_without_need_and_by_rows_that_count() {
    let (data, run) = (iris("petal_width_cm"), Run::new());
    let plain = Job { kernel: KernelExpr::parse("rbf").ok(), tune: false, estimate: false, ..job("ridge", None) };
    let own = plain.fit(&data, &run).expect("fits");
    let told = Job { repair: Some(RepairMethod::Flip), ..plain }.fit(&data, &run).expect("fits");
    assert!(told.pipeline.model().certificate().repaired.is_none());
    assert_eq!(own.pipeline.model().coefficients(), told.pipeline.model().coefficients());
    let kernel = KernelExpr::parse(INDEFINITE).expect("reads");
    let x = kernel.typed(&data.inputs);
    let y = Targets::new((0..150).map(|i| f64::from(i % 7)).collect::<Vec<_>>(), 1).expect("numbers");
    let learner: Learner = KernelRidge { kernel, alpha: Alpha::Value(0.5), ..KernelRidge::default() }.into();
    let fit = |x: &Inputs, y: &Targets, weights: Option<&Weights>| {
        learner.fit_repaired(x, y, weights, RepairMethod::Clip, &run).expect("fits").model
    };
    let weights = Weights::new((0..150).map(|i| f64::from(i % 3)).collect::<Vec<_>>()).expect("weights");
    let kept: Vec<usize> = (0..150).filter(|i| i % 3 > 0).collect();
    let part = Targets::new(kept.iter().map(|i| y.values()[*i]).collect::<Vec<_>>(), 1).expect("numbers");
    let all = fit(&x, &y, Some(&weights));
    let some = fit(&x.take(&kept), &part, weights.take(&kept).ok().as_ref());
    assert_eq!(all.coefficients(), some.coefficients());
}

#[test]
fn a_repair_is_asked_for_where_it_makes_sense() {
    let (data, run) = (iris("species"), Run::new());
    let told = |job: Job| job.fit(&data, &run).map(|_| ()).expect_err("refused").to_string();
    let repair = Some(RepairMethod::Clip);
    assert!(told(Job { kernel: None, ..job("logistic", repair) }).contains("without a kernel of your own"));
    assert!(told(job("gp", repair)).contains("repairing the kernel of the model `gp"));
}
