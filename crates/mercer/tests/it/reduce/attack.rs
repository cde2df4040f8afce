//! Strange samples, each held to what must be true of components, whatever they are.

use mercer::ErrorKind;
use mercer::data::{Inputs, Rows, Target};
use mercer::model::reduce::{KernelPca, PcaSolver};
use mercer::testkit::points::Chance;

use super::{coordinates, pca, run};
use crate::weigh;

/// Points with copies, constant columns, far outliers, and columns of very different sizes.
fn strange(chance: &mut Chance) -> Inputs {
    let (n, d) = (1 + chance.below(60), 1 + chance.below(5));
    let scales: Vec<f64> = (0..d).map(|_| 10f64.powi(chance.below(13) as i32 - 6)).collect();
    let offset = [0.0, 1.0, 1e3][chance.below(3)];
    let mut values: Vec<f64> = (0..n * d).map(|at| scales[at % d] * (chance.normal() + offset)).collect();
    for i in 1..n {
        match chance.below(8) {
            0 => values.copy_within((i - 1) * d..i * d, i * d),
            1 => values[i * d] *= 1e4,
            2 => values[i * d..(i + 1) * d].fill(0.0),
            _ => {}
        }
    }
    Rows::new(values, n, d).expect("n×d").into()
}

fn learner(chance: &mut Chance) -> KernelPca {
    let formulas = [
        "rbf",
        "linear",
        "rbf(length_scale=0.01)",
        "poly(degree=2)",
        "laplace",
        "rbf + linear",
        "1e-6*rbf",
        "1e8*matern52",
    ];
    let solvers = [PcaSolver::Auto, PcaSolver::Dense, PcaSolver::Iterative, PcaSolver::Nystrom];
    KernelPca {
        center: chance.below(4) > 0,
        solver: solvers[chance.below(4)],
        landmarks: 1 + chance.below(80),
        seed: chance.below(100) as u64,
        ..pca(formulas[chance.below(formulas.len())], 1 + chance.below(12))
    }
}

/// Coordinates of the rows have mean 0, the variances that are claimed, and no correlation; nothing is more than all.
fn hold(round: u64) {
    let mut chance = Chance::new(round);
    let (x, learner) = (strange(&mut chance), learner(&mut chance));
    let n = x.len();
    let weighted = chance.below(3) == 0;
    let weights: Vec<f64> = (0..n).map(|_| if weighted { chance.below(3) as f64 } else { 1.0 }).collect();
    let total: f64 = weights.iter().sum();
    if total == 0.0 {
        return;
    }
    let name = format!("round {round}: {learner:?} on {n} rows");
    let fitted = match learner.fit(&x, Target::None, weighted.then(|| weigh(&weights)).as_ref(), &run()) {
        Ok(fitted) => fitted,
        Err(e) => {
            assert!(e.kind() != ErrorKind::Internal, "{name}: {e}");
            return;
        }
    };
    let model = fitted.model;
    let k = model.outputs();
    let kept = model.components().unwrap_or_else(|| panic!("{name}: no components"));
    let f = coordinates(&model, &x);
    assert!(f.iter().all(|v| v.is_finite()), "{name}");
    // By Weyl's inequality an eigenvalue moves by no more than the error of the matrix, which is a share of the largest
    // kernel values: small variances may change places beside a large one.
    let size = kept.mean_norm.abs().max(kept.total).max(kept.variances[0]);
    let falls = |a: &f64, b: &f64| *b <= a + 1e-12 * size;
    assert!(kept.variances.is_sorted_by(falls), "{name}: {:?}", kept.variances);
    assert!(
        kept.variances.iter().sum::<f64>() <= kept.total + 1e-9 * kept.total.abs() + 1e-12 * size,
        "{name}: {kept:?}"
    );
    // What a coordinate of a component of variance λ is good for: rounding of the kernel values over √λ.
    for l in 0..k {
        let mean: f64 = (0..n).map(|i| weights[i] * f[i * k + l]).sum::<f64>() / total;
        let loose = 1e-7 * kept.variances[0] + 1e-10 * size * (size / kept.variances[l]).sqrt();
        if learner.center {
            assert!(mean * mean <= loose, "{name}: component {l} has the mean {mean}");
        }
        for m in 0..=l {
            let product: f64 = (0..n).map(|i| weights[i] * f[i * k + l] * f[i * k + m]).sum::<f64>() / total;
            let expected = if l == m { kept.variances[l] } else { 0.0 };
            assert!((product - expected).abs() <= loose, "{name}: {l}, {m}: {product} {expected}, loose {loose}");
        }
    }
    if model.certificate().stop.is_complete() {
        // Over the largest variance, which may be rounding of the kernel values itself.
        let least = 1e-6 + 1e-13 * size / kept.variances[0];
        assert!(model.certificate().residual() <= least, "{name}: {}", model.certificate().residual());
    }
}

#[test]
fn strange_samples_have_components_or_a_reason() {
    (0..200).for_each(hold);
}

/// The same for as many rounds as `MERCER_ROUNDS` says.
#[test]
#[ignore = "runs for as long as it is told to"]
fn strange_samples_attacked_for_long() {
    let rounds = std::env::var("MERCER_ROUNDS").ok().and_then(|v| v.parse().ok()).unwrap_or(1000);
    (1000..1000 + rounds).for_each(hold);
}
