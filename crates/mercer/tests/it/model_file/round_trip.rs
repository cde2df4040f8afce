//! What is read is what was written, to the bit.

use mercer::approx::NystromParams;
use mercer::certificate::Measure;
use mercer::data::{Column, Inputs, Precomputed, Rows};
use mercer::kernel::{CustomForm, CustomKernel, Kernel, Registry};
use mercer::model::Model;
use mercer::model::ModelParts;
use mercer::model::pipeline::{Pipeline, Prepare, Task};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::solver::CgParams;
use mercer::{Error, KernelExpr, Run};
use serde_json::json;

use super::*;

fn assert_same_points(a: &Inputs, b: &Inputs) {
    assert_eq!((a.len(), a.columns()), (b.len(), b.columns()));
    match (a, b) {
        (Inputs::Dense(a), Inputs::Dense(b)) => {
            assert_eq!((bits(a.values()), a.has_names()), (bits(b.values()), b.has_names()));
        }
        (Inputs::Sparse(a), Inputs::Sparse(b)) => {
            assert_eq!(a.ncols(), b.ncols());
            for i in 0..a.nrows() {
                assert_eq!((a.row(i).0, bits(a.row(i).1)), (b.row(i).0, bits(b.row(i).1)));
            }
        }
        (Inputs::Table(a), Inputs::Table(b)) => {
            for ((_, a), (_, b)) in a.iter().zip(b.iter()) {
                match (a, b) {
                    (Column::Number(a), Column::Number(b)) => assert_eq!(bits(a), bits(b)),
                    (Column::Category(a), Column::Category(b)) => assert_eq!(a, b),
                    (Column::Structured(a), Column::Structured(b)) => assert!(a.cells().eq(b.cells())),
                    _ => panic!("columns of two types"),
                }
            }
        }
        (Inputs::Precomputed(_), Inputs::Precomputed(_)) => {}
        _ => panic!("points of two kinds"),
    }
}

fn ridge_parts(pipeline: &Pipeline) -> &ModelParts {
    pipeline.model().parts()
}

fn assert_same(a: &Pipeline, b: &Pipeline) {
    assert_eq!((a.preparation(), a.task()), (b.preparation(), b.task()));
    assert_eq!(a.target_scaling(), b.target_scaling());
    assert_eq!((a.settings(), a.notes()), (b.settings(), b.notes()));
    let (f, g) = (a.model(), b.model());
    assert_eq!((f.learner(), f.kernel(), f.outputs()), (g.learner(), g.kernel(), g.outputs()));
    assert_same_points(f.points(), g.points());
    assert_eq!(bits(f.coefficients()), bits(g.coefficients()));
    assert_eq!(bits(f.intercept()), bits(g.intercept()));
    let (p, q) = (ridge_parts(a), ridge_parts(b));
    assert_eq!(p.learner, q.learner);
    assert_eq!(p.weights.as_deref().map(bits), q.weights.as_deref().map(bits));
    assert_eq!(p.certificate, q.certificate);
    let loo = |m: &Model| m.loo().map(|l| (bits(&l.residuals), bits(&l.predictions)));
    assert_eq!(loo(f), loo(g));
}

/// Saves, reads, compares, predicts `new` with both, saves again.
fn goes_round(pipeline: &Pipeline, new: &Inputs) {
    let bytes = pipeline.to_bytes().expect("a file");
    assert_eq!(bytes, pipeline.to_bytes().expect("a file"), "the same bytes twice");
    let again = reload(pipeline);
    assert_same(pipeline, &again);
    assert_eq!(bytes, again.to_bytes().expect("a file"), "the same bytes from what was read");
    let run = Run::new();
    let (p, q) = (pipeline.predict(new, &run).expect("rows"), again.predict(new, &run).expect("rows"));
    assert_eq!(bits(&p.values), bits(&q.values));
    assert_eq!((p.labels, p.notes), (q.labels, q.notes));
}

#[test]
fn dense_rows() {
    let plain = fit("rbf", dense(30, 3, 1), &[target(30)], None);
    goes_round(&plain, &dense(7, 3, 2).into());
    assert!(plain.notes().iter().any(|n| n.to_string().starts_with("rbf.length_scale = ")), "{:?}", plain.notes());
    let names = || ["a b".to_owned(), "ü".into(), "\"\\".into()].to_vec();
    let named = |n, seed| dense(n, 3, seed).with_names(names()).expect("distinct");
    goes_round(&fit("matern52(length_scale=[1, 2, 0.1])", named(30, 3), &[target(30)], None), &named(5, 4).into());
}

#[test]
fn sparse_rows() {
    let pipeline = fit("rbf(length_scale=3) + linear", sparse(25, 9, 5), &[target(25)], None);
    goes_round(&pipeline, &sparse(6, 9, 6).into());
}

#[test]
fn mixed_tables_with_gaps() {
    let y = [target(40)];
    let pipeline = fit_with(imputing(), RidgeSolver::Eigen, MIXED, (mixed(40, 7, true).into(), &y, None));
    goes_round(&pipeline, &mixed(9, 8, true).into());
    goes_round(&fit(MIXED, mixed(40, 7, false), &y, None), &mixed(9, 8, false).into());
}

#[test]
fn weights_and_several_outputs() {
    let y = [target(30), ("z".into(), numbers((0..30).map(|i| f64::from(i * i) * 1e-200)))];
    let weights: Vec<f64> = (0..30).map(|i| f64::from(i % 4) / 3.0).collect();
    let pipeline = fit("rbf(length_scale=1)", dense(30, 2, 9), &y, Some(&weights));
    assert_eq!(ridge_parts(&pipeline).weights.as_ref().map(|w| w.len()), Some(22), "rows of weight 0 are absent");
    goes_round(&pipeline, &dense(8, 2, 10).into());
    let run = Run::new();
    let x = Inputs::from(dense(4, 2, 11));
    let ask = |p: &Pipeline| p.predict_interval(&x, 0.8, &run).expect("all rows kept");
    let (a, b) = (ask(&pipeline), ask(&reload(&pipeline)));
    assert_eq!((bits(&a.lower), bits(&a.upper)), (bits(&b.lower), bits(&b.upper)));
    assert!(a.lower.iter().zip(&a.upper).all(|(l, u)| l < u) && a.lower.len() == 8);
}

#[test]
fn classes() {
    for classes in [&["no", "yes"][..], &["b", "a", "ç"]] {
        let pipeline = fit(MIXED, mixed(36, 12, false), &[class_target(36, classes)], None);
        assert!(matches!(pipeline.task(), Task::Classification { .. }) && pipeline.target_scaling().is_none());
        goes_round(&pipeline, &mixed(9, 13, false).into());
    }
}

#[test]
fn every_solver() {
    let solvers = [
        RidgeSolver::Cholesky,
        RidgeSolver::Cg(CgParams::default()),
        RidgeSolver::Nystrom(NystromParams { landmarks: Some(10) }),
    ];
    let weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
    for solver in solvers {
        let data = (dense(60, 2, 14).into(), &[target(60)][..], Some(&weights[..]));
        goes_round(&fit_with(Prepare::default(), solver, "rbf(length_scale=1)", data), &dense(5, 2, 15).into());
    }
}

#[test]
fn precomputed_matrices() {
    let x = dense(12, 2, 16);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() + 1.0;
    let gram = |n: usize| {
        let values: Vec<f64> =
            (0..n).flat_map(|i| (0..12).map(move |j| (i, j))).map(|(i, j)| dot(x.row(i), x.row(j))).collect();
        Precomputed::new(values, n, 12).expect("n×12")
    };
    let pipeline = fit("precomputed", gram(12), &[target(12)], None);
    goes_round(&pipeline, &gram(3).into());
    let narrow = Inputs::from(Precomputed::new(vec![1.0; 4], 1, 4).expect("1×4"));
    let message = pipeline.predict(&narrow, &Run::new()).expect_err("4 columns").to_string();
    assert!(message.contains("kernel values with the 12 training points"), "{message}");
}

#[test]
fn settings_notes_and_odd_certificates() {
    let mut parts = fit("linear", dense(10, 2, 17), &[target(10)], None).into_parts();
    parts.settings =
        json!({"cv": 5, "error": {"rmse": 0.1, "list": [1, null, "\u{1F600}"]}}).as_object().expect("a map").clone();
    parts.notes.push("a note\n\"in\" two lines".into());
    let certificate = parts.model.certificate().clone().with(Measure::RelativeResidual, f64::INFINITY);
    let certificate = certificate.with(Measure::Condition, f64::NEG_INFINITY).with(Measure::Primal, 5e-324);
    let model = ModelParts { certificate, ..parts.model.parts().clone() };
    parts.model = Model::from_parts(model).expect("the same sizes");
    goes_round(&Pipeline::from_parts(parts).expect("valid"), &dense(2, 2, 18).into());
}

#[test]
fn settings_that_would_not_read_back_are_not_written() {
    let mut parts = fit("linear", dense(10, 2, 17), &[target(10)], None).into_parts();
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    parts.settings.insert("deep".into(), deep);
    let error = Pipeline::from_parts(parts).expect("valid").to_bytes().expect_err("too deep");
    assert!(error.to_string().contains("do not read back"), "{error}");
}

#[test]
fn files_are_written_whole_and_read_by_path() {
    let folder = std::env::temp_dir().join(format!("mercer-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("m.safetensors");
    let pipeline = fit(MIXED, mixed(20, 19, false), &[target(20)], None);
    pipeline.save(&path).expect("written");
    pipeline.save(&path).expect("written over");
    assert_eq!(std::fs::read(&path).expect("there"), pipeline.to_bytes().expect("a file"));
    assert_same(&pipeline, &Pipeline::load(&path, &Registry::new(), &mercer::Run::new()).expect("read"));
    assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 1, "nothing else is left");
    std::fs::write(&path, b"x,y\n1,2\n").expect("written");
    let error = Pipeline::load(&path, &Registry::new(), &mercer::Run::new()).expect_err("a CSV file");
    assert!(matches!(error, Error::Format { .. }) && error.to_string().contains("m.safetensors"), "{error}");
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(matches!(Pipeline::load(&path, &Registry::new(), &mercer::Run::new()), Err(Error::Io { .. })));
}

struct Product;

impl Kernel<[f64]> for Product {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        1.0 + x[0] * y[0]
    }
}

#[test]
fn kernels_of_the_user_are_asked_for_by_name() {
    let mut registry = Registry::new();
    let form = CustomForm::Vector(std::sync::Arc::new(|_: &[f64]| Box::new(Product) as Box<dyn Kernel<[f64]>>));
    registry.add("product", CustomKernel { params: Vec::new(), form }).expect("a new name");
    let kernel = KernelExpr::parse_with("product + linear", &registry).expect("a kernel");
    let prepared = Prepare::default().fit_to(&dense(9, 1, 20).into(), &[target(9)], None).expect("valid");
    let ridge = KernelRidge { kernel, alpha: Alpha::Value(1.0), ..KernelRidge::default() };
    let fitted = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("a fit");
    let pipeline = prepared.clone().pipeline(fitted.model).expect("valid");
    let bytes = pipeline.to_bytes().expect("a file");
    let again = Pipeline::from_bytes(&bytes, &registry).expect("the kernel is there");
    let x: Inputs = Rows::new(vec![0.5], 1, 1).expect("1×1").into();
    let ask = |p: &Pipeline| bits(&p.predict(&x, &Run::new()).expect("a row").values);
    assert_eq!(ask(&pipeline), ask(&again));
    let error = Pipeline::from_bytes(&bytes, &Registry::new()).expect_err("no such kernel");
    assert!(matches!(&error, Error::Formula(e) if e.source.contains("product")), "{error}");
}
