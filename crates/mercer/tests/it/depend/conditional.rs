//! KCI against its definition with explicit inverses.

use mercer::chance::Chance;
use mercer::data::{Inputs, Rows};
use mercer::model::compare::{Draws, Kci, KciNull, Null, Side, TestResult, Width, tail};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::column;
use super::naive::{Square, centred, gaussian, inverse, product};

/// x and y around functions of z, and y around x as well with a weight.
fn chain(n: usize, weight: f64, seed: u64) -> [Vec<f64>; 3] {
    let mut chance = Chance::new(seed);
    let z: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
    let x: Vec<f64> = z.iter().map(|z| z.sin() + 0.5 * chance.normal()).collect();
    let y: Vec<f64> = z.iter().zip(&x).map(|(z, x)| z * z + weight * x + 0.5 * chance.normal()).collect();
    [x, y, z]
}

fn side(points: &Inputs) -> Side<'_> {
    Side { points, kernel: None }
}

fn tested(settings: Kci, [x, y, z]: &[Vec<f64>; 3]) -> TestResult {
    let [x, y, z] = [x, y, z].map(|v| column(v.clone()));
    let given = settings.given(side(&z), &Run::new()).expect("a conditioning set");
    given.test(side(&x), side(&y), &Run::new()).expect("a test")
}

fn standardized(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    values.iter().map(|v| (v - mean) / deviation).collect()
}

/// Statistic, mean and variance with R = ε(HK_zH + εI)⁻¹ as it stands.
fn naive([x, y, z]: &[Vec<f64>; 3], length_scale: f64, epsilon: f64) -> [f64; 3] {
    let [x, y, z] = [x, y, z].map(|v| standardized(v));
    let n = x.len();
    let rows = |values: Vec<f64>, d| Rows::new(values, n, d).expect("rows");
    let both = rows(x.iter().zip(&z).flat_map(|(x, z)| [*x, 0.5 * z]).collect(), 2);
    let gram = |points: Rows| centred(&gaussian(&points, length_scale));
    let mut ridge = gram(rows(z, 1));
    (0..n).for_each(|i| ridge[i][i] += epsilon);
    let r: Square = inverse(&ridge).iter().map(|row| row.iter().map(|v| epsilon * v).collect()).collect();
    let residual = |k: Square| product(&product(&r, &k), &r);
    let (k, l) = (residual(gram(both)), residual(gram(rows(y, 1))));
    let w = |i: usize, j: usize| k[i][j] * l[i][j];
    let all = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    [
        all().map(|(i, j)| w(i, j)).sum(),
        (0..n).map(|i| w(i, i)).sum(),
        2.0 * all().map(|(i, j)| w(i, j).powi(2)).sum::<f64>(),
    ]
}

/// At 60 rows the wide kernel has a short factor; at width 0.05 it has none, and the matrix is solved with twice.
#[test]
fn the_statistic_is_that_of_the_definition() {
    for seed in 1..4 {
        let data = chain(60, 0.4, seed);
        let found = tested(Kci::default(), &data);
        let [statistic, mean, variance] = naive(&data, 1.2, 1e-3);
        assert!((found.statistic / statistic - 1.0).abs() <= tol::GOLDEN, "{} is not {statistic}", found.statistic);
        let pvalue = tail::gamma(statistic, mean * mean / variance, variance / mean);
        assert!((found.pvalue - pvalue).abs() <= tol::GOLDEN, "{} is not {pvalue}", found.pvalue);
    }
}

#[test]
fn a_full_matrix_is_solved_as_a_short_factor_is() {
    let [x, y, z] = chain(40, 0.4, 9);
    let points = [&x, &y, &z].map(|v| column(standardized(v)));
    let narrow = KernelExpr::parse("rbf(length_scale=0.01)").expect("a kernel");
    let wide = KernelExpr::parse("rbf(length_scale=1)").expect("a kernel");
    let given = Kci::default().given(Side { points: &points[2], kernel: Some(&wide) }, &Run::new()).expect("a set");
    let found = given
        .test(
            Side { points: &points[0], kernel: Some(&narrow) },
            Side { points: &points[1], kernel: Some(&narrow) },
            &Run::new(),
        )
        .expect("a test");
    let rows = |v: &[f64]| Rows::new(standardized(v), 40, 1).expect("rows");
    let k_z = gaussian(&rows(&z), 1.0);
    let of_x = gaussian(&rows(&x), 0.01);
    let both: Square = of_x.iter().zip(&k_z).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).collect()).collect();
    let mut ridge = centred(&k_z);
    (0..40).for_each(|i| ridge[i][i] += 1e-3);
    let r: Square = inverse(&ridge).iter().map(|row| row.iter().map(|v| 1e-3 * v).collect()).collect();
    let residual = |k: &Square| product(&product(&r, &centred(k)), &r);
    let (k, l) = (residual(&both), residual(&gaussian(&rows(&y), 0.01)));
    let statistic: f64 = k.iter().zip(&l).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()).sum();
    assert!((found.statistic / statistic - 1.0).abs() <= tol::GOLDEN, "{} is not {statistic}", found.statistic);
}

#[test]
fn dependence_that_z_explains_is_none() {
    let explained = tested(Kci::default(), &chain(300, 0.0, 3));
    let remains = tested(Kci::default(), &chain(300, 0.8, 3));
    assert!(explained.pvalue > 0.05 && remains.pvalue < 1e-4, "{explained}; {remains}");
    let [x, y, _] = chain(300, 0.0, 3).map(column);
    let alone = Kci::default().without_conditions(side(&x), side(&y), &Run::new()).expect("a test");
    assert!(alone.pvalue < 1e-4, "{alone}");
    assert_eq!(alone.hypothesis, "the two variables are independent");
}

/// causal-learn had to be mended for a constant z: with nothing to explain, R is the identity.
#[test]
fn a_constant_z_conditions_on_nothing() {
    for width in [Width::Empirical, Width::Median] {
        let [x, y, _] = chain(100, 0.8, 4);
        let settings = Kci { width, ..Kci::default() };
        let found = tested(settings, &[x, y, vec![7.0; 100]]);
        assert!(found.pvalue < 1e-4 && found.statistic.is_finite(), "{found}");
    }
    let [_, y, z] = chain(100, 0.8, 4);
    let found = tested(Kci::default(), &[vec![1.0; 100], y, z]);
    assert!(found.pvalue > 0.05, "{found}");
}

#[test]
fn units_do_not_matter_and_a_set_serves_many_pairs() {
    let [x, y, z] = chain(120, 0.2, 5);
    let scaled = [x.iter().map(|v| 1e200 * v).collect(), y.clone(), z.iter().map(|v| 1e-200 * v).collect()];
    let (a, b) = (tested(Kci::default(), &[x.clone(), y.clone(), z.clone()]), tested(Kci::default(), &scaled));
    assert!((a.pvalue - b.pvalue).abs() <= tol::GOLDEN, "{a}; {b}");
    let [x, y, z] = [x, y, z].map(column);
    let given = Kci::default().given(side(&z), &Run::new()).expect("a set");
    let pair = |x, y| given.test(side(x), side(y), &Run::new()).expect("a test");
    assert_eq!(pair(&x, &y), pair(&x, &y));
    assert_ne!(pair(&x, &y).statistic, pair(&y, &x).statistic);
    let threads = Run::new().with_threads(2).expect("threads");
    assert_eq!(pair(&x, &y), given.test(side(&x), side(&y), &threads).expect("a test"));
}

/// Both nulls stand for one limit: a gamma distribution of two moments is near it in the middle.
#[test]
fn the_spectrum_agrees_with_the_gamma_distribution() {
    let data = chain(150, 0.0, 6);
    let gamma = tested(Kci::default(), &data);
    let draws = Draws { n_permutations: 4999, seed: 1, enough: None };
    let spectrum = tested(Kci { null: KciNull::Spectrum(draws), ..Kci::default() }, &data);
    assert_eq!((spectrum.null, spectrum.n_permutations), (Null::Spectrum, 4999));
    assert!((gamma.pvalue - spectrum.pvalue).abs() < 0.05, "{gamma}; {spectrum}");
}
