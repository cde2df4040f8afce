//! The seeds of the fuzz target `model`.

use std::path::Path;

use mercer::approx::NystromParams;
use mercer::data::{Precomputed, TargetKind};
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::{Learner, catalogue};

use super::*;

fn seeds() -> Vec<(&'static str, Pipeline)> {
    let y = |n| [target(n)];
    let weights: Vec<f64> = (0..6).map(|i| 1.0 + f64::from(i)).collect();
    let gram = Precomputed::new(vec![2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0], 3, 3).expect("3×3");
    let landmarks = RidgeSolver::Nystrom(NystromParams { landmarks: Some(3) });
    let mut all = vec![
        ("dense", fit("rbf", dense(5, 2, 1), &y(5), None)),
        ("weights", fit("linear + 1", dense(6, 1, 2), &y(6), Some(&weights))),
        ("sparse", fit("linear", sparse(5, 6, 3), &y(5), None)),
        ("mixed", fit(MIXED, mixed(6, 4, false), &y(6), None)),
        ("gaps", fit_with(imputing(), RidgeSolver::Cholesky, MIXED, (mixed(8, 5, true).into(), &y(8), None))),
        ("classes", fit("rbf", dense(6, 2, 6), &[class_target(6, &["a", "b", "c"])], None)),
        ("two_classes", fit("rbf", dense(6, 2, 6), &[class_target(6, &["a", "b"])], None)),
        ("precomputed", fit("precomputed", gram, &y(3), None)),
        ("landmarks", fit_with(Prepare::default(), landmarks, "rbf", (dense(9, 1, 7).into(), &y(9), None))),
    ];
    all.extend(catalogue::all().iter().map(|learner| (learner.spec().name, of_learner(learner))));
    all
}

/// A small model of any learner.
fn of_learner(learner: &Learner) -> Pipeline {
    let takes = |kind| learner.spec().takes(kind);
    let y = match (takes(TargetKind::Numbers) || takes(TargetKind::Second), takes(TargetKind::Classes)) {
        (true, _) => vec![target(8)],
        (false, true) => vec![class_target(8, &["a", "b"])],
        (false, false) => Vec::new(),
    };
    let prepared = Prepare::default().fit_to(&dense(8, 1, 8).into(), &y, None).expect("points");
    let learner = learner.with_kernel(KernelExpr::parse("rbf(length_scale=1)").expect("a formula"));
    let fitted = learner.fit(&prepared.inputs, prepared.target.clone(), None, &Run::new()).expect("a fit");
    prepared.pipeline(fitted.model).expect("fits together")
}

/// Writes them: `cargo nextest run --release --workspace --run-ignored only -E 'test(write_fuzz_seeds)'`.
#[test]
#[ignore = "writes fuzz/seeds/model"]
fn write_fuzz_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/model");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, pipeline) in seeds() {
        std::fs::write(folder.join(name), pipeline.to_bytes().expect("a file")).expect("writable");
    }
}

#[test]
fn seeds_are_small_and_go_through_the_check() {
    for (name, pipeline) in seeds() {
        let bytes = pipeline.to_bytes().expect("a file");
        assert!(bytes.len() < 8192, "{name}: {}", bytes.len());
        assert!(crate::fuzz_checks::model(&bytes), "{name} is read");
    }
}
