//! The step of a mini-batch: what converges runs, and what does not is refused.

use super::*;
use mercer::linalg::symmetric_eigenvalues;

/// b·2/λ₁ over the batches of a fit with all rows in one, or in the order of the rows.
fn limit(x: &Rows, b: usize) -> f64 {
    let gram = |rows: std::ops::Range<usize>| -> Vec<f64> {
        rows.clone().flat_map(|i| rows.clone().map(move |j| k(x.row(i), x.row(j)))).collect()
    };
    let steep = |start: usize| {
        let rows = start..(start + b).min(x.nrows());
        let n = rows.len();
        symmetric_eigenvalues(&gram(rows), n).expect("symmetric").last().copied().expect("rows") / b as f64
    };
    2.0 / (0..x.nrows()).step_by(b).map(steep).fold(0.0, f64::max)
}

fn begun(sgd: &KernelSgd, x: &Rows) -> mercer::Result<mercer::model::descent::KernelSgdLearner> {
    sgd.begin(&x.clone().into(), 1, &Run::new())
}

#[test]
fn a_step_between_both_bounds_converges_and_one_above_is_refused() {
    // Points far apart: the largest eigenvalue of 30 rows is far below 30.
    let x = points::vectors(45, 2, 31);
    let x = Rows::new(x.values().iter().map(|v| 4.0 * v).collect::<Vec<_>>(), 45, 2).expect("45×2");
    let y = Targets::new((0..45).map(|i| x.row(i)[0].signum()).collect::<Vec<_>>(), 1).expect("finite");
    let most = limit(&x, 30);
    assert!(most > 4.0, "rows one at a time stop at 2, batches at {most}");
    for dictionary in [Dictionary::All, Dictionary::Landmarks(45)] {
        // 45 rows: the second batch has 15, and its rows count no more than the others.
        let sgd = KernelSgd {
            kernel: kernel(),
            batch_size: 30,
            step_size: Some(0.99 * most),
            averaging: false,
            dictionary,
            ..KernelSgd::default()
        };
        let mut learner = begun(&sgd, &x).expect("converges");
        for _ in 0..300 {
            learner.learn(&x.clone().into(), &y, &Run::new()).expect("converges");
        }
        let history = learner.report().history;
        assert!(history[299] < 0.01 * history[0], "{} {}", history[0], history[299]);
        let large = KernelSgd { step_size: Some(1.01 * most), ..sgd };
        let error = begun(&large, &x).expect_err("diverges").to_string();
        assert!(error.contains("diverges") && error.contains("the batch that begins with row"), "{error}");
    }
}

#[test]
fn the_bound_is_sharp() {
    // One batch of all rows is gradient descent, whose bound is 2/μ₁; a step beyond it, which the check
    // would refuse, grows. The iteration is written out here.
    let (x, y) = data(20, 32);
    let most = limit(&x, 20);
    let grows = |step: f64| {
        let mut r = y.values().to_vec();
        for _ in 0..400 {
            let pulled: Vec<f64> =
                (0..20).map(|i| (0..20).map(|j| k(x.row(i), x.row(j)) * r[j]).sum::<f64>()).collect();
            r.iter_mut().zip(&pulled).for_each(|(r, p)| *r -= step / 20.0 * p);
        }
        r.iter().map(|r| r * r).sum::<f64>() > y.values().iter().map(|y| y * y).sum()
    };
    assert!(grows(1.02 * most) && !grows(0.98 * most));
    let sgd = |step| KernelSgd { kernel: kernel(), batch_size: 20, step_size: Some(step), ..KernelSgd::default() };
    let inputs: Inputs = x.clone().into();
    assert!(sgd(0.98 * most).fit(&inputs, &y, None, &Run::new()).is_ok());
    let error = sgd(1.02 * most).fit(&inputs, &y, None, &Run::new()).expect_err("grows").to_string();
    assert!(error.contains(&format!("below {most:.6}")), "{error} {most}");
    let matrix: Vec<f64> = (0..20).flat_map(|i| (0..20).map(|j| k(x.row(i), x.row(j))).collect::<Vec<_>>()).collect();
    let matrix: Inputs = Precomputed::new(matrix, 20, 20).expect("20×20").into();
    let known = |step| KernelSgd { kernel: KernelExpr::parse("precomputed").expect("a formula"), ..sgd(step) };
    assert!(known(0.98 * most).fit(&matrix, &y, None, &Run::new()).is_ok());
    assert!(known(1.02 * most).fit(&matrix, &y, None, &Run::new()).is_err());
}

#[test]
fn a_batch_may_have_more_rows_than_a_chunk() {
    let (x, y) = data(1500, 33);
    let sgd = KernelSgd { kernel: kernel(), batch_size: 1500, passes: 3, averaging: false, ..KernelSgd::default() };
    let descent = KernelGradientDescent {
        kernel: kernel(),
        step_size: StepSize::Constant(1.0),
        stopping: Stopping::Iterations(3),
        ..KernelGradientDescent::default()
    };
    let done = sgd.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits");
    assert_eq!(done.model.certificate().iterations(), Some(3));
    assert_close(&values(&done.model, &x), &values(&descend(&descent, &x, &y, None), &x), 1e-12);
}

#[test]
fn a_later_part_that_lowers_the_automatic_step_is_told() {
    let sgd = KernelSgd { kernel: KernelExpr::parse("linear").expect("a formula"), ..KernelSgd::default() };
    let part = |v: &[f64]| (Inputs::from(Rows::new(v.to_vec(), v.len(), 1).expect("a column")), v.len());
    let mut learner = sgd.begin(&part(&[1.0, 0.5]).0, 1, &Run::new()).expect("begins");
    let mut learn = |v: &[f64]| {
        let (x, n) = part(v);
        learner.learn(&x, &Targets::new(vec![1.0; n], 1).expect("ones"), &Run::new()).expect("learns");
        learner.report().notes
    };
    assert!(learn(&[1.0, 0.5]).is_empty());
    // 1/max k(x, x) falls from 1 to ¼, and to 1/16.
    assert!(learn(&[2.0])[0].to_string().contains("from 1.000000 to 0.250000"));
    let notes = learn(&[4.0, 1.0]);
    assert!(notes.len() == 1 && notes[0].to_string().contains("from 1.000000 to 0.062500"), "{notes:?}");
    let (machine, state) = (learner.model().expect("a machine"), learner.state());
    let copy = mercer::model::descent::KernelSgdLearner::resume(&sgd, &machine, state).expect("resumes");
    assert_eq!(copy.report().notes, notes);
}
