//! Input that is wrong or odd: a clear error, or a sensible answer.

use mercer::data::{Inputs, Rows, Targets, Weights};
use mercer::model::Model;
use mercer::model::ModelParts;
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::testkit::tol;
use mercer::{Error, KernelExpr};

use super::{RBF, close, distinct, fit, ridge, run, targets};
use crate::weigh;

const EXACT_SOLVERS: [RidgeSolver; 3] = [RidgeSolver::Auto, RidgeSolver::Eigen, RidgeSolver::Cholesky];

fn column(values: &[f64]) -> Inputs {
    Rows::new(values.to_vec(), values.len(), 1).expect("a column").into()
}

fn refused(estimator: &KernelRidge, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> Error {
    let w = w.map(Weights::new).transpose();
    w.and_then(|w| estimator.fit(x, y, w.as_ref(), &run())).map(|_| ()).expect_err("refused")
}

#[test]
fn constant_targets() {
    let x = distinct(20, 2, 120);
    let y = Targets::new(vec![4.5; 20], 1).expect("finite");
    for solver in EXACT_SOLVERS {
        let with = fit(&ridge(RBF, 1.0, true, solver.clone()), &x, &y, None);
        assert!((with.model.intercept()[0] - 4.5).abs() <= tol::round(20));
        close(
            &with.model.predict(&distinct(5, 2, 121), &run()).expect("predicts"),
            &[4.5; 5],
            tol::round(20) * 10.0,
            "constant",
        );
        assert!(with.model.certificate().residual() <= 1e-12);
        let zero = fit(&ridge(RBF, 1.0, true, solver), &x, &Targets::new(vec![0.0; 20], 1).expect("finite"), None);
        assert!(zero.model.coefficients().iter().all(|a| *a == 0.0));
        assert_eq!(zero.model.certificate().residual(), 0.0);
    }
}

#[test]
fn one_row() {
    let (x, y) = (column(&[3.0]), Targets::new(vec![8.0], 1).expect("finite"));
    for solver in EXACT_SOLVERS {
        let without = fit(&ridge("rbf(length_scale=1)", 1.0, false, solver.clone()), &x, &y, None).model;
        assert!((without.predict(&x, &run()).expect("predicts")[0] - 4.0).abs() <= tol::round(1)); // 8/(1 + alpha)
        let with = fit(&ridge("rbf(length_scale=1)", 1.0, true, solver), &x, &y, None).model;
        assert!((with.predict(&column(&[99.0]), &run()).expect("predicts")[0] - 8.0).abs() <= tol::round(1));
        assert!(with.loo().is_none(), "nothing is left to predict the row from");
    }
    let loo =
        KernelRidge { alpha: Alpha::Loo(vec![1.0]), ..ridge("rbf(length_scale=1)", 1.0, true, RidgeSolver::Auto) };
    assert!(matches!(refused(&loo, &x, &y, None), Error::Shape { .. }));
}

#[test]
fn no_columns_and_no_rows() {
    let x: Inputs = Rows::new(Vec::new(), 4, 0).expect("4×0").into();
    let y = Targets::new(vec![1.0, 2.0, 3.0, 6.0], 1).expect("finite");
    let error = refused(&ridge("rbf(length_scale=1)", 1.0, true, RidgeSolver::Auto), &x, &y, None);
    assert!(error.to_string().contains("needs numeric columns, and the data has none"), "{error}");
    let none: Inputs = Rows::new(Vec::new(), 0, 2).expect("0×2").into();
    let error =
        refused(&ridge(RBF, 1.0, true, RidgeSolver::Auto), &none, &Targets::new(vec![], 1).expect("empty"), None);
    assert!(matches!(error, Error::Shape { .. }), "{error}");
}

#[test]
fn values_that_are_not_finite() {
    for bad in [f64::NAN, f64::INFINITY] {
        let error = Targets::new(vec![1.0, bad, 2.0], 1).expect_err("not finite");
        assert!(error.to_string().contains("the target") && error.to_string().contains("row 1"), "{error}");
        let (x, y) = (distinct(3, 1, 122), Targets::new(vec![1.0; 3], 1).expect("finite"));
        let error = refused(&ridge(RBF, 1.0, true, RidgeSolver::Auto), &x, &y, Some(&[1.0, bad, 1.0]));
        assert!(matches!(error, Error::InvalidParameter { .. }), "{error}");
        let error = refused(&ridge(RBF, 1.0, true, RidgeSolver::Auto), &column(&[0.0, bad, 1.0]), &y, None);
        assert!(matches!(error, Error::NonFinite { .. }), "{error}");
    }
}

#[test]
fn shapes_and_weights() {
    let (x, y) = (distinct(4, 2, 123), Targets::new(vec![1.0; 4], 1).expect("finite"));
    let estimator = ridge(RBF, 1.0, true, RidgeSolver::Auto);
    assert!(matches!(
        refused(&estimator, &x, &Targets::new(vec![1.0; 3], 1).expect("finite"), None),
        Error::Shape { .. }
    ));
    assert!(matches!(refused(&estimator, &x, &y, Some(&[1.0; 3])), Error::Shape { .. }));
    let zeros = refused(&estimator, &x, &y, Some(&[0.0; 4]));
    assert_eq!(zeros.to_string(), "`weights` of the rows must be positive somewhere, got only zeros");
    assert!(matches!(refused(&estimator, &x, &y, Some(&[1.0, -1.0, 1.0, 1.0])), Error::InvalidParameter { .. }));
    assert!(Targets::new(vec![1.0; 3], 2).is_err() && Targets::new(vec![], 0).is_err());
}

#[test]
fn alphas() {
    let (x, y) = (distinct(4, 2, 124), Targets::new(vec![1.0; 4], 1).expect("finite"));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(&ridge(RBF, bad, true, RidgeSolver::Auto), &x, &y, None);
        assert!(error.to_string().starts_with("`alpha` of the model `ridge` must be a finite number ≥ 0"), "{error}");
    }
    let list = |alphas: Vec<f64>, solver: RidgeSolver| KernelRidge {
        alpha: Alpha::Loo(alphas),
        ..ridge(RBF, 1.0, true, solver)
    };
    assert!(matches!(refused(&list(vec![], RidgeSolver::Auto), &x, &y, None), Error::InvalidParameter { .. }));
    assert!(matches!(refused(&list(vec![1.0, 2.0], RidgeSolver::Cholesky), &x, &y, None), Error::Unsupported { .. }));
    let landmarks = list(vec![1.0, 2.0], RidgeSolver::Nystrom(Default::default()));
    assert!(matches!(refused(&landmarks, &x, &y, None), Error::Unsupported { .. }));
    let zero = ridge(RBF, 0.0, true, RidgeSolver::Cg(Default::default()));
    assert!(matches!(refused(&zero, &x, &y, None), Error::Unsupported { .. }));
}

/// Equal rows with different targets: their mean, shrunk.
#[test]
fn contradictions() {
    let x = column(&[1.0, 1.0, 1.0]);
    let y = Targets::new(vec![1.0, 2.0, 6.0], 1).expect("finite");
    for solver in EXACT_SOLVERS {
        let model = fit(&ridge("rbf(length_scale=1)", 0.5, false, solver), &x, &y, None).model;
        // Σy/(n + alpha) at the point itself.
        close(
            &model.predict(&column(&[1.0]), &run()).expect("predicts"),
            &[9.0 / 3.5],
            tol::round(3) * 10.0,
            "contradictions",
        );
    }
}

#[test]
fn huge_and_tiny_numbers() {
    let x = distinct(12, 2, 125);
    let y = targets(&x, 1, 126);
    for solver in EXACT_SOLVERS {
        for intercept in [false, true] {
            let estimator = ridge(RBF, 0.3, intercept, solver.clone());
            let plain = fit(&estimator, &x, &y, None).model;
            for scale in [1e-150, 1e150] {
                let scaled = Targets::new(y.values().iter().map(|v| v * scale).collect::<Vec<_>>(), 1).expect("finite");
                let fitted = fit(&estimator, &x, &scaled, None);
                let got: Vec<f64> = fitted.model.coefficients().iter().map(|a| a / scale).collect();
                close(&got, plain.coefficients(), tol::GOLDEN, &format!("targets of {scale:e}"));
                assert!(fitted.model.certificate().residual() <= 1e-12);
                // Weights and alpha of one size cancel.
                let weighted = KernelRidge { alpha: Alpha::Value(0.3 * scale), ..estimator.clone() };
                let weighted = fit(&weighted, &x, &y, Some(&[scale; 12])).model;
                close(weighted.coefficients(), plain.coefficients(), tol::GOLDEN, &format!("weights of {scale:e}"));
            }
            for scale in [1e-150, 1e150] {
                let rows: Vec<f64> = super::rows(&x).values().iter().map(|v| v * scale).collect();
                let far: Inputs = Rows::new(rows, 12, 2).expect("12×2").into();
                let alpha = 0.3 * scale * scale;
                let linear = ridge("linear", alpha, intercept, solver.clone());
                let scaled = fit(&linear, &far, &y, None).model.predict(&far, &run()).expect("predicts");
                let plain = fit(&ridge("linear", 0.3, intercept, solver.clone()), &x, &y, None).model;
                close(
                    &scaled,
                    &plain.predict(&x, &run()).expect("predicts"),
                    tol::GOLDEN,
                    &format!("points of {scale:e}"),
                );
            }
        }
    }
}

#[test]
fn a_kernel_that_is_not_positive_definite() {
    let x = distinct(30, 3, 127);
    let y = targets(&x, 1, 128);
    let kernel = KernelExpr::parse("sigmoid(gamma=2, coef0=-1)");
    let Ok(kernel) = kernel else { return };
    for solver in EXACT_SOLVERS {
        let estimator =
            KernelRidge { kernel: kernel.clone(), solver, alpha: Alpha::Value(1e-3), ..KernelRidge::default() };
        let error = refused(&estimator, &x, &y, None);
        assert!(matches!(error, Error::Domain { .. } | Error::NotPositiveDefinite { .. }), "{error}");
    }
}

#[test]
fn a_model_has_a_weight_for_each_point() {
    let x = distinct(10, 2, 129);
    let y = targets(&x, 1, 130);
    let weights: Vec<f64> = (1..=10).map(f64::from).collect();
    let parts = fit(&ridge(RBF, 1.0, true, RidgeSolver::Eigen), &x, &y, Some(&weights)).model.parts().clone();
    let absent: Vec<f64> = (0..10).map(f64::from).collect();
    for (bad, word) in [(&[1.0; 9][..], "one a point"), (&absent, "> 0")] {
        let parts = ModelParts { weights: Some(weigh(bad)), ..parts.clone() };
        let error = Model::from_parts(parts).map(|_| ()).expect_err("weights that do not fit");
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!(Model::from_parts(parts).is_ok());
}
