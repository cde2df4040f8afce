//! Components against a decomposition written here, by every road.

use mercer::certificate::Measure;
use mercer::data::{Column, Dataset, Inputs, Precomputed, Rows, Table, Texts};
use mercer::gram::dense;
use mercer::model::pipeline::Prepare;
use mercer::model::reduce::{KernelPca, PcaSolver};
use mercer::rkhs::{Barycentre, Space};
use mercer::testkit::points::{self, Chance};
use mercer::testkit::tol;

use super::{coordinates, fit, jacobi, pca, run, same_columns, with};
use crate::weigh;

/// Components by the definition: K̃ = K − means, its eigenvectors, and the coordinates √λ·u; for weights that are whole, rows are
/// repeated.
fn naive(gram: &[f64], n: usize, k: usize, center: bool) -> (Vec<f64>, Vec<f64>) {
    let mean = |i: usize| (0..n).map(|j| gram[i * n + j]).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    let value = |at: usize| match center {
        true => gram[at] - means[at / n] - means[at % n] + grand,
        false => gram[at],
    };
    let centred: Vec<f64> = (0..n * n).map(value).collect();
    let (values, vectors) = jacobi(&centred, n);
    let coordinates =
        (0..n).flat_map(|i| (0..k).map(move |l| (i, l))).map(|(i, l)| values[l].max(0.0).sqrt() * vectors[l][i]);
    (values.iter().take(k).map(|v| v / n as f64).collect(), coordinates.collect())
}

fn gram_of(learner: &KernelPca, x: &Inputs) -> Vec<f64> {
    let space = Space::new(&learner.kernel, x, &run()).expect("a space");
    dense::<f64>(&space.gram(x, &run()).expect("bound"), &run()).expect("stored").into_values()
}

#[test]
fn every_solver_finds_the_components_of_the_definition() {
    let x: Inputs = points::vectors(60, 3, 21).into();
    for formula in ["rbf(length_scale=1.5)", "linear", "poly(degree=2)", "matern32(length_scale=1)"] {
        for center in [true, false] {
            for solver in [PcaSolver::Auto, PcaSolver::Dense, PcaSolver::Iterative, PcaSolver::Nystrom] {
                let learner = KernelPca { center, ..with(formula, 3, solver) };
                let name = format!("{formula} {center} {solver:?}");
                let (variances, expected) = naive(&gram_of(&learner, &x), 60, 3, center);
                let model = fit(&learner, &x, None).model;
                let kept = model.components().expect("components");
                for (ours, theirs) in kept.variances.iter().zip(&variances) {
                    assert!((ours - theirs).abs() <= tol::GOLDEN * variances[0], "{name}: {ours} {theirs}");
                }
                same_columns(&coordinates(&model, &x), &expected, 3, 1e-7, &name);
                assert!(model.certificate().residual() <= 1e-8, "{name}: {}", model.certificate().residual());
            }
        }
    }
}

/// Enough rows that the search does not write the matrix out, stored and streamed.
#[test]
fn a_search_finds_what_a_decomposition_finds() {
    let x: Inputs = points::vectors(500, 4, 22).into();
    let whole = fit(&with("rbf(length_scale=1)", 4, PcaSolver::Dense), &x, None).model;
    let learner = pca("rbf(length_scale=1)", 4);
    let stored = fit(&learner, &x, None).model;
    assert_eq!(stored.certificate().algorithm.name(), "block_lanczos");
    let tight = mercer::Run::new().with_memory_limit(3_000_000);
    let streamed = learner.fit(&x, mercer::data::Target::None, None, &tight).expect("fits").model;
    assert!(streamed.certificate().reason.contains("does not fit"), "{}", streamed.certificate().reason);
    for (found, name) in [(&stored, "stored"), (&streamed, "streamed")] {
        same_columns(&coordinates(&whole, &x), &coordinates(found, &x), 4, 1e-7, name);
        assert!(found.certificate().residual() <= 1e-8, "{name}: {}", found.certificate().residual());
    }
}

#[test]
fn weights_mean_repetition_and_signs_do_not_change() {
    let mut chance = Chance::new(5);
    let x = points::vectors(40, 2, 23);
    let weights: Vec<f64> = (0..40).map(|_| chance.below(4) as f64).collect();
    let repeated: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let learner = pca("rbf(length_scale=1)", 3);
    let a = fit(&learner, &x.clone().into(), Some(&weigh(&weights))).model;
    let b = fit(&learner, &x.take(&repeated).into(), None).model;
    let (fa, fb) = (coordinates(&a, &x.clone().into()), coordinates(&b, &x.clone().into()));
    for (a, b) in fa.iter().zip(&fb) {
        assert!((a - b).abs() <= 1e-8, "{a} {b}");
    }
    let (ca, cb) = (a.components().expect("kept"), b.components().expect("kept"));
    assert!((ca.total - cb.total).abs() <= tol::round(100), "{} {}", ca.total, cb.total);
}

#[test]
fn components_beyond_the_rank_are_left_out_and_said() {
    let x: Inputs = points::vectors(30, 2, 24).into();
    for solver in [PcaSolver::Dense, PcaSolver::Iterative, PcaSolver::Nystrom] {
        let fitted = fit(&with("linear", 5, solver), &x, None);
        assert_eq!(fitted.model.outputs(), 2, "{solver:?}");
        let notes: Vec<String> = fitted.report.notes.iter().map(ToString::to_string).collect();
        assert!(notes.iter().any(|n| n.contains("2 components vary")), "{notes:?}");
        let share = fitted.model.components().expect("kept").explained().iter().sum::<f64>();
        assert!((share - 1.0).abs() <= tol::GOLDEN, "{share}");
    }
}

#[test]
fn texts_and_kernel_values_have_components_too() {
    let words: Vec<String> =
        (0..30).map(|i| format!("{} {}", "ab".repeat(i % 4 + 1), "cd".repeat(i % 3 + 1))).collect();
    let column = Column::from(Texts::from_values(words.iter().map(|w| Some(w.as_str()))));
    let x: Inputs = Table::new(vec![("note".into(), column)]).expect("one column").into();
    let learner = pca("ngram(note)", 2);
    let model = fit(&learner, &x, None).model;
    let gram = gram_of(&learner, &x);
    let (_, expected) = naive(&gram, 30, 2, true);
    same_columns(&coordinates(&model, &x), &expected, 2, 1e-7, "texts");
    let values: Inputs = Precomputed::new(gram, 30, 30).expect("square").into();
    let known = fit(&pca("precomputed", 2), &values, None).model;
    same_columns(&coordinates(&known, &values), &expected, 2, 1e-7, "kernel values");
    let refused = with("precomputed", 2, PcaSolver::Nystrom).fit(&values, mercer::data::Target::None, None, &run());
    assert!(refused.is_err_and(|e| e.hint().is_some_and(|h| h.contains("iterative"))));
}

/// ‖φ̃(x)‖² by its sum, and of all components of a kernel of finite rank nothing is left.
#[test]
fn distances_are_to_the_barycentre_and_to_the_components() {
    let (x, new): (Inputs, Inputs) = (points::vectors(40, 3, 25).into(), points::vectors(9, 3, 26).into());
    let model = fit(&pca("rbf(length_scale=1)", 4), &x, None).model;
    let none = model.outlier_distances(&new, Some(0), &run()).expect("distances");
    let mean = Barycentre::fit(model.expansion().space(), &x, None, &run()).expect("a mean");
    for (a, b) in none.iter().zip(mean.distances(&new, &run()).expect("distances")) {
        assert!((a - b).abs() <= tol::GOLDEN, "{a} {b}");
    }
    let (f, all) = (coordinates(&model, &new), model.outlier_distances(&new, None, &run()).expect("distances"));
    for i in 0..9 {
        let along: f64 = f[i * 4..(i + 1) * 4].iter().map(|v| v * v).sum();
        assert!((all[i].powi(2) + along - none[i].powi(2)).abs() <= tol::GOLDEN, "{i}");
    }
    assert!(model.outlier_distances(&new, Some(5), &run()).is_err());
    let flat = fit(&pca("linear", 3), &x, None).model;
    assert!(flat.outlier_distances(&new, None, &run()).expect("distances").iter().all(|d| *d <= 1e-6));
    let far: Inputs = Rows::new(vec![50.0; 3], 1, 3).expect("one row").into();
    let most = model.outlier_distances(&x, None, &run()).expect("distances").iter().fold(0.0f64, |m, d| m.max(*d));
    assert!(model.outlier_distances(&far, None, &run()).expect("distances")[0] > most);
}

/// Variances, totals and means are claims, too.
#[test]
fn altered_claims_are_refused() {
    let x: Inputs = points::vectors(30, 2, 27).into();
    for solver in [PcaSolver::Auto, PcaSolver::Nystrom] {
        let learner = KernelPca { landmarks: 12, ..with("rbf(length_scale=1)", 2, solver) };
        let data = Dataset {
            name: "points".into(),
            inputs: x.clone(),
            target: None,
            ..mercer::data::load("iris").expect("shipped")
        };
        let prepared = Prepare::default().fit(&data, None).expect("prepared");
        let model = fit(&learner, &prepared.inputs, None).model;
        let pipeline = prepared.clone().pipeline(model.clone()).expect("a pipeline");
        assert!(pipeline.verify(&data, None, &run()).expect("verified").holds, "{solver:?}");
        for change in 0..4 {
            let mut parts = model.parts().clone();
            let mercer::model::Extra::Components(kept) = &mut parts.extra else { panic!("components") };
            match change {
                0 => kept.variances[1] *= 1.01,
                1 => kept.total *= 1.01,
                2 => kept.mean[3] += 0.01,
                _ => kept.mean_norm += 0.01,
            }
            let other = mercer::model::Model::from_parts(parts).expect("fits together");
            let other = prepared.clone().pipeline(other).expect("a pipeline");
            assert!(!other.verify(&data, None, &run()).expect("verified").holds, "{solver:?}: change {change}");
        }
    }
}

#[test]
fn few_landmarks_say_what_they_leave() {
    let x: Inputs = points::vectors(300, 3, 28).into();
    let exact = fit(&pca("rbf(length_scale=1)", 2), &x, None).model;
    let mut before = f64::INFINITY;
    for landmarks in [5, 20, 80, 300] {
        let learner = KernelPca { landmarks, ..with("rbf(length_scale=1)", 2, PcaSolver::Nystrom) };
        let model = fit(&learner, &x, None).model;
        let left = model.certificate().get(Measure::ApproximationError).expect("stated");
        assert!(left <= before && model.points().len() <= landmarks, "{landmarks}: {left} after {before}");
        let (a, b) = (&model.components().expect("kept").variances, &exact.components().expect("kept").variances);
        // k̂ lies below k, and so do its variances without centring; centred ones differ by what is left at most.
        assert!((a[0] - b[0]).abs() <= left + tol::GOLDEN, "{landmarks}: {} {}", a[0], b[0]);
        before = left + tol::GOLDEN;
    }
    assert!(before <= 1e-8, "{before}");
}

/// What may have been missed is a bound: all eigenvalues but those of the components are below it, and it is the smaller of the
/// trace and the Frobenius norm of what is left, by a decomposition written here.
#[test]
fn no_other_eigenvalue_is_above_what_may_have_been_missed() {
    let x: Inputs = points::vectors(40, 3, 24).into();
    for formula in
        ["rbf(length_scale=1)", "rbf(length_scale=4)", "linear", "poly(degree=2)", "matern12(length_scale=1)"]
    {
        for (center, k) in [(true, 1), (true, 3), (false, 2), (true, 12)] {
            let learner = KernelPca { center, ..pca(formula, k) };
            let name = format!("{formula} {center} {k}");
            let (all, _) = naive(&gram_of(&learner, &x), 40, 40, center);
            let model = fit(&learner, &x, None).model;
            let found = model.outputs();
            let bound = model.certificate().get(Measure::MissedVariance).unwrap_or_else(|| panic!("{name}: no bound"));
            let rest = &all[found..];
            assert!(rest.iter().all(|v| *v <= bound), "{name}: {} above {bound}", rest[0]);
            let (trace, norm) = (rest.iter().sum::<f64>(), rest.iter().map(|v| v * v).sum::<f64>().sqrt());
            // The root of an allowance of 1e-11 or less beside kernel values of this size.
            let size = gram_of(&learner, &x).iter().fold(0.0f64, |m, k| m.max(k.abs()));
            assert!(bound <= trace.min(norm) + 1e-5 * size, "{name}: {bound}, not {trace} or {norm}");
        }
    }
}

/// The bound holds whatever the vectors are: without the first component, it is not below it.
#[test]
fn what_was_missed_on_purpose_is_allowed_for() {
    let x: Inputs = points::vectors(300, 3, 25).into();
    let learner = pca("rbf(length_scale=1)", 3);
    let whole = fit(&learner, &x, None).model;
    let largest = whole.components().expect("kept").variances[0];
    let kept = whole.certificate().get(Measure::MissedVariance).expect("a bound");
    // Two of the three functions, the first left out.
    let mut parts = whole.parts().clone();
    let coefficients: Vec<f64> = whole.coefficients().chunks(3).flat_map(|row| row[1..].to_vec()).collect();
    let space = Space::new(whole.kernel(), &x, &run()).expect("a space");
    let intercept = whole.intercept()[1..].to_vec();
    parts.expansion = mercer::model::Expansion::new(space, x.clone(), coefficients, intercept).expect("two");
    let mercer::model::Extra::Components(components) = &mut parts.extra else { panic!("components") };
    components.variances.remove(0);
    let model = mercer::model::Model::from_parts(parts).expect("a model");
    let certified = model.certify(&x, mercer::data::Target::None, None, &run()).expect("certified");
    let bound = certified.certificate.get(Measure::MissedVariance).expect("a bound");
    assert!(bound >= largest && bound > kept, "{bound} beside {largest}");
    let broken = certified.broken.expect("the promise of three components does not hold of two");
    assert!(broken.contains("may have been missed"), "{broken}");
}

#[test]
fn eigenvectors_are_those_of_the_centred_matrix() {
    let x: Inputs = points::vectors(30, 3, 26).into();
    let mut chance = Chance::new(27);
    let weights: Vec<f64> = (0..30).map(|_| chance.below(3) as f64).collect();
    let counting: Vec<usize> = (0..30).filter(|i| weights[*i] > 0.0).collect();
    let learner = pca("rbf(length_scale=1)", 3);
    let gram = gram_of(&learner, &x);
    let of_values = with("precomputed", 3, PcaSolver::Auto);
    let values: Inputs = Precomputed::new(gram.clone(), 30, 30).expect("square").into();
    for (learner, x) in [(&learner, &x), (&of_values, &values)] {
        let model = fit(learner, x, Some(&weigh(&weights))).model;
        let u = model.eigenvectors(Some(&weigh(&weights))).expect("eigenvectors");
        let (n, total) = (counting.len(), weights.iter().sum::<f64>());
        assert_eq!(u.len(), 3 * n);
        // √p(I − 1pᵀ)K(I − p1ᵀ)√p, entry by entry.
        let p: Vec<f64> = counting.iter().map(|i| weights[*i] / total).collect();
        let k = |i: usize, j: usize| gram[counting[i] * 30 + counting[j]];
        let mean = |i: usize| (0..n).map(|j| p[j] * k(i, j)).sum::<f64>();
        let grand: f64 = (0..n).map(|i| p[i] * mean(i)).sum();
        let a = |i: usize, j: usize| (p[i] * p[j]).sqrt() * (k(i, j) - mean(i) - mean(j) + grand);
        let variances = &model.components().expect("kept").variances;
        for l in 0..3 {
            let v = |i: usize| u[i * 3 + l];
            assert!(((0..n).map(|i| v(i) * v(i)).sum::<f64>() - 1.0).abs() <= 1e-9);
            for i in 0..n {
                let image: f64 = (0..n).map(|j| a(i, j) * v(j)).sum();
                assert!((image - variances[l] * v(i)).abs() <= 1e-9 * variances[0], "{l} {i}");
            }
        }
        assert!(model.eigenvectors(None).is_ok() || x.len() != n);
    }
    let landmarks = fit(&with("rbf(length_scale=1)", 2, PcaSolver::Nystrom), &x, None).model;
    assert!(landmarks.eigenvectors(None).unwrap_err().to_string().contains("eigenvectors of the rows"));
}
