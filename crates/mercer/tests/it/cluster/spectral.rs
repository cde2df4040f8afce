//! Spectral clustering.

use mercer::Run;
use mercer::certificate::Measure;
use mercer::data::{Inputs, Precomputed, Target};
use mercer::model::cluster::{KernelKMeans, SpectralClustering};
use mercer::testkit::points::{Chance, vectors};
use mercer::testkit::tol;

use super::{fit, kernel, labels, naive_gram, points};

fn learner(formula: &str, clusters: usize) -> SpectralClustering {
    SpectralClustering { kernel: kernel(formula), clusters, ..Default::default() }
}

/// Two rings, one inside the other.
fn rings(n: usize, seed: u64) -> (Inputs, Vec<usize>) {
    let mut chance = Chance::new(seed);
    let (mut values, mut truth) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (angle, radius) = (std::f64::consts::TAU * chance.unit(), [1.0, 4.0][i % 2] + 0.05 * chance.normal());
        values.extend([radius * angle.cos(), radius * angle.sin()]);
        truth.push(i % 2);
    }
    (points(&values, 2), truth)
}

#[test]
fn rings_come_apart_where_means_do_not_part_them() {
    let (x, truth) = rings(300, 3);
    // The least point is on the outer ring.
    let numbered = |inner: Vec<usize>| inner.iter().map(|c| 1 - c).collect::<Vec<usize>>();
    let truth = numbered(truth);
    let model = fit(&learner("rbf(length_scale=0.5)", 2).into(), &x, None).model;
    assert_eq!(labels(&model, &x), truth);
    let residual = model.certificate().residual();
    assert!(residual <= 1e-8, "{residual}");
    let (new, wanted) = rings(100, 4);
    assert_eq!(labels(&model, &new), numbered(wanted), "new points go to their ring");
    let means = KernelKMeans { kernel: kernel("linear"), clusters: 2, ..Default::default() };
    assert_ne!(labels(&fit(&means.into(), &x, None).model, &x), truth);
}

#[test]
fn parts_of_a_graph_are_its_clusters() {
    let blocks = [4, 3, 5];
    let n: usize = blocks.iter().sum();
    let truth: Vec<usize> = blocks.iter().enumerate().flat_map(|(c, size)| vec![c; *size]).collect();
    let edge = |i: usize, j: usize| match (truth[i] == truth[j], i == j) {
        (true, true) => 1.0,
        (true, false) => 0.5,
        _ => 0.0,
    };
    let values: Vec<f64> = (0..n * n).map(|at| edge(at / n, at % n)).collect();
    let x: Inputs = Precomputed::new(values, n, n).expect("square").into();
    let fitted = fit(&learner("precomputed", 3).into(), &x, None);
    assert_eq!(labels(&fitted.model, &x), truth);
    let gap = fitted.model.certificate().get(Measure::Eigengap).expect("measured");
    // The largest eigenvalue within a part after 1 is ½/(1 + ½·(size − 1)): of the part of 3, ¼.
    assert!((gap - 0.75).abs() <= tol::round(n), "{gap}");
    let few = fit(&learner("precomputed", 2).into(), &x, None);
    assert!(few.report.notes.iter().any(|n| n.to_string().contains("more parts")), "{:?}", few.report.notes);
}

/// The value of cluster c at row i, by a dense decomposition of Jacobi's: the largest must be that of the row's cluster.
#[test]
fn the_space_is_that_of_the_largest_eigenvalues() {
    let x = vectors(24, 2, 8);
    let formula = "rbf(length_scale=0.7)";
    let k = naive_gram(formula, &(0..24).map(|i| x.row(i).to_vec()).collect::<Vec<_>>());
    let d: Vec<f64> = k.iter().map(|row| row.iter().sum()).collect();
    let a: Vec<f64> = (0..24 * 24).map(|at| k[at / 24][at % 24] / (d[at / 24] * d[at % 24]).sqrt()).collect();
    let values = mercer::linalg::symmetric_eigenvalues(&a, 24).expect("decomposed");
    let model = fit(&learner(formula, 3).into(), &x.clone().into(), None).model;
    let gap = model.certificate().get(Measure::Eigengap).expect("measured");
    assert!((gap - (values[21] - values[20])).abs() <= 1e-9, "{gap}");
    // ⟨g, m⟩ = Σ a·k: D^½·values spans the same space, so A maps it to itself with eigenvalues above the gap.
    let f = model.predict(&x.into(), &Run::new()).expect("values");
    let z: Vec<Vec<f64>> = (0..3).map(|c| (0..24).map(|i| f[i * 3 + c] / d[i].sqrt()).collect()).collect();
    let image = |v: &[f64]| -> Vec<f64> { (0..24).map(|i| (0..24).map(|j| a[i * 24 + j] * v[j]).sum()).collect() };
    for v in &z {
        let (w, length) = (image(v), v.iter().map(|x| x * x).sum::<f64>().sqrt());
        let size = w.iter().map(|x| x * x).sum::<f64>().sqrt() / length;
        assert!(size > values[20] && size <= 1.0 + 1e-12, "{size}");
    }
}

#[test]
fn negative_edges_are_refused_with_their_rows() {
    let x = points(&[1.0, 2.0, -3.0], 1);
    let error = learner("linear", 2).fit(&x, Target::None, None, &Run::new()).expect_err("negative");
    assert!(error.to_string().contains("-3 between rows 0 and 2"), "{error}");
    assert!(error.hint().is_some_and(|h| h.contains("kernel_k_means")));
    let zero = points(&[0.0, 2.0], 1);
    let error = learner("linear", 2).fit(&zero, Target::None, None, &Run::new()).expect_err("a point alone");
    assert!(error.to_string().contains("row 0"), "{error}");
}

#[test]
fn degenerate_samples_have_an_answer() {
    for values in [vec![1.0], vec![2.0; 6], vec![1.0, 2.0], vec![0.0, 1e300], vec![0.0, 1e-300, 1.0]] {
        let x = points(&values, 1);
        let model = fit(&learner("rbf(length_scale=1)", 3).into(), &x, None).model;
        let values = model.predict(&x, &Run::new()).expect("values");
        assert!(values.iter().all(|v| v.is_finite()) && model.outputs() >= 1, "{values:?}");
    }
}
