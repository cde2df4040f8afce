//! Values computed by brute force elsewhere (NumPy 2.3, double precision), on small points that are written down.

use mercer::data::Rows;
use mercer::model::compare::{Dhsic, Draws, Hsic, HsicEstimate, HsicNull, Ksd, KsdEstimate, SteinBase, Variable};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::golden_points;

fn close(value: f64, golden: f64) {
    assert!((value - golden).abs() <= tol::GRAM_R, "{value} is not {golden}");
}

fn hsic(estimate: HsicEstimate, null: HsicNull) -> mercer::model::compare::TestResult {
    let [x, y, _] = golden_points().map(Into::into);
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a kernel");
    let test = Hsic { estimate, null, draws: Draws::default() };
    test.test(Variable::new(&x, &kernel), Variable::new(&y, &kernel), &Run::new()).expect("a test")
}

#[test]
fn both_estimates_of_hsic() {
    close(hsic(HsicEstimate::Biased, HsicNull::Permutation).statistic, 0.012_853_718_151_024_03);
    close(hsic(HsicEstimate::Unbiased, HsicNull::Permutation).statistic, -0.017_702_292_717_372_89);
}

#[test]
fn mean_and_variance_over_all_permutations() {
    let found = hsic(HsicEstimate::Biased, HsicNull::Permutation).approximation.expect("moments");
    // Those of tr(KHLH), which is 8² times the estimate.
    close(found.mean.expect("a mean") * 64.0, 1.686_481_474_878_809);
    close(found.variance.expect("a variance") * 64.0 * 64.0, 0.570_228_970_321_646_5);
}

#[test]
fn three_variables() {
    let points = golden_points().map(Into::into);
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a kernel");
    let variables: Vec<Variable<'_>> = points.iter().map(|x| Variable::new(x, &kernel)).collect();
    let found = Dhsic::default().test(&variables, &Run::new()).expect("a test");
    close(found.statistic, 0.038_218_061_395_708_38);
    // Of two variables it is the biased HSIC.
    let two = Dhsic::default().test(&variables[..2], &Run::new()).expect("a test");
    close(two.statistic, 0.012_853_718_151_024_03);
}

#[test]
fn both_estimates_of_ksd() {
    let [x, _, _] = golden_points();
    let scores = Rows::new(x.values().iter().map(|v| -v).collect::<Vec<f64>>(), 8, 2).expect("scores");
    let base = SteinBase::InverseMultiquadric { length_scale: Some(1.0), beta: -0.5 };
    for (estimate, golden) in
        [(KsdEstimate::Biased, 0.363_462_327_110_091_4), (KsdEstimate::Unbiased, -0.004_885_077_796_313_705)]
    {
        let test = Ksd { base, estimate, ..Ksd::default() };
        close(test.test(&x, &scores, &Run::new()).expect("a test").statistic, golden);
    }
}
