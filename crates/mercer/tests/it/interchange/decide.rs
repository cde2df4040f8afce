//! Decisions by naive loops over a machine, beside those of LIBSVM.

use mercer::interchange::{StandardKernel, SupportMachine, SupportVectors};
use mercer::testkit::tol;

use super::{cases, file, read};

/// k(xᵢ, x) for the support vector i; for a precomputed kernel, `x` holds the values for all training points.
fn kernel(machine: &SupportMachine, i: usize, x: &[f64]) -> f64 {
    let points = match &machine.vectors {
        SupportVectors::Rows(rows) => return x[rows[i] as usize],
        SupportVectors::Points(points) => points,
    };
    let mut y = vec![0.0; x.len()];
    let (columns, values) = points.row(i);
    columns.iter().zip(values).for_each(|(c, v)| y[*c as usize] = *v);
    let dot: f64 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
    let r2: f64 = x.iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum();
    match machine.kernel {
        StandardKernel::Linear => dot,
        StandardKernel::Polynomial { degree, gamma, coef0 } => (gamma * dot + coef0).powi(degree as i32),
        StandardKernel::Rbf { gamma } => (-gamma * r2).exp(),
        StandardKernel::Sigmoid { gamma, coef0 } => (gamma * dot + coef0).tanh(),
        StandardKernel::Precomputed => unreachable!("it has rows"),
    }
}

/// f_p(x) for all pairs p, as the documentation of the machine says.
fn decisions(machine: &SupportMachine, x: &[f64]) -> Vec<f64> {
    let k: Vec<f64> = (0..machine.vectors.len()).map(|i| kernel(machine, i, x)).collect();
    let c = &machine.coefficients;
    if !machine.kind.is_classifier() {
        return vec![c[0].iter().zip(&k).map(|(a, k)| a * k).sum::<f64>() - machine.offsets[0]];
    }
    let mut class = Vec::new();
    machine.vectors_per_class.iter().enumerate().for_each(|(a, n)| class.extend(vec![a; *n]));
    let mut found = Vec::new();
    for a in 0..machine.labels.len() {
        for b in a + 1..machine.labels.len() {
            let first: f64 = (0..k.len()).filter(|i| class[*i] == a).map(|i| c[b - 1][i] * k[i]).sum();
            let second: f64 = (0..k.len()).filter(|i| class[*i] == b).map(|i| c[a][i] * k[i]).sum();
            found.push(first + second - machine.offsets[found.len()]);
        }
    }
    found
}

/// The label with most votes, ±1 of one class, or the number of a regression.
fn answer(machine: &SupportMachine, f: &[f64]) -> f64 {
    if machine.kind.is_regressor() {
        return f[0];
    }
    if !machine.kind.is_classifier() {
        return if f[0] > 0.0 { 1.0 } else { -1.0 };
    }
    let classes = machine.labels.len();
    let mut votes = vec![0; classes];
    let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
    pairs.zip(f).for_each(|((a, b), f)| votes[if *f > 0.0 { a } else { b }] += 1);
    let most = votes.iter().max().expect("classes");
    machine.labels[votes.iter().position(|v| v == most).expect("there")] as f64
}

#[test]
fn machines_decide_as_libsvm_does() {
    let cases = cases();
    assert!(cases.len() >= 13, "every kind and every kernel has a case");
    for case in cases {
        let machine = read(&file(&case.name)).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        for ((x, expected), label) in case.points.iter().zip(&case.decisions).zip(&case.labels) {
            let f = decisions(&machine, x);
            assert_eq!(f.len(), expected.len(), "{}", case.name);
            for (f, expected) in f.iter().zip(expected) {
                assert!((f - expected).abs() <= tol::EIGHT_DIGITS, "{}: {f}, expected {expected}", case.name);
            }
            assert!((answer(&machine, &f) - label).abs() <= tol::EIGHT_DIGITS, "{}", case.name);
        }
    }
}

/// P(a | x) = 1/(1 + exp(A·f(x) + B)) for two classes.
#[test]
fn probabilities_of_two_classes_are_those_of_libsvm() {
    let case = cases().into_iter().find(|c| c.name == "c_svc_two_probability").expect("a case");
    let machine = read(&file(&case.name)).expect("read");
    let (a, b) = (machine.prob_a.as_ref().expect("A")[0], machine.prob_b.as_ref().expect("B")[0]);
    for (x, expected) in case.points.iter().zip(&case.probabilities) {
        let p = 1.0 / (1.0 + (a * decisions(&machine, x)[0] + b).exp());
        assert!((p - expected[0]).abs() <= tol::EIGHT_DIGITS && (1.0 - p - expected[1]).abs() <= tol::EIGHT_DIGITS);
    }
}
