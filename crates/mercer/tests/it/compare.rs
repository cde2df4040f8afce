//! Tests of two samples: golden numbers, brute force, laws, and what went wrong in other libraries.

use mercer::data::{Categories, Column, Inputs, Rows, Table, Texts};
use mercer::model::compare::{Compared, Ended, Mmd, MmdEstimate, Null, pvalue};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

/// i = 0…7: X = [sin i, cos 2i], Y = [sin(3i + ½), cos i + 0.3], with n rows of each.
fn golden(m: usize, n: usize) -> (Inputs, Inputs) {
    let x = (0..m).flat_map(|i| [(i as f64).sin(), (2.0 * i as f64).cos()]).collect();
    let y = (0..n).flat_map(|i| [(3.0 * i as f64 + 0.5).sin(), (i as f64).cos() + 0.3]).collect();
    (rows(x, 2), rows(y, 2))
}

fn rows(values: Vec<f64>, width: usize) -> Inputs {
    let n = values.len() / width;
    Rows::new(values, n, width).expect("rows").into()
}

fn with(formulas: &[&str], estimate: MmdEstimate) -> Mmd {
    let kernels = formulas.iter().map(|f| KernelExpr::parse(f).expect("a formula")).collect();
    Mmd { kernels, estimate, ..Mmd::default() }
}

fn tested(mmd: &Mmd, (x, y): &(Inputs, Inputs)) -> Compared {
    mmd.test(x, y, &Run::new()).expect("a test")
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= tol::FEW_ROWS, "{found:e} for {expected:e}");
}

const RBF: &str = "rbf(length_scale=1)";

/// Numbers by brute force in Python, f64; k = exp(−‖·‖²/2).
#[test]
fn estimates_are_those_of_brute_force() {
    let known = [
        (8, MmdEstimate::Unbiased, -0.056_750_039_586_962_01),
        (8, MmdEstimate::Biased, 0.067_116_648_945_794_61),
        (7, MmdEstimate::Unbiased, -0.075_666_556_929_998_46),
        (7, MmdEstimate::Biased, 0.057_388_702_536_183_89),
        (8, MmdEstimate::Linear, 0.012_510_782_990_464_347),
    ];
    for (n, estimate, expected) in known {
        close(tested(&with(&[RBF], estimate), &golden(8, n)).result.statistic, expected);
    }
    let one_sample = Mmd { lag: Some(0.0), ..with(&[RBF], MmdEstimate::Unbiased) };
    close(tested(&one_sample, &golden(8, 8)).result.statistic, -0.047_516_011_333_634_846);
    // The variance of a mean of four: 0.06824235345375844/4.
    let linear = tested(&with(&[RBF], MmdEstimate::Linear), &golden(8, 8)).result;
    let variance: f64 = linear.notes[0].to_string().rsplit(' ').next().expect("a number").parse().expect("a number");
    close(variance * 4.0, 0.068_242_353_453_758_44);
}

#[test]
fn the_exact_pvalue_is_that_of_all_12870_splits() {
    let exact = Mmd { n_permutations: 12_870, ..with(&[RBF], MmdEstimate::Biased) };
    let result = tested(&exact, &golden(8, 8)).result;
    assert_eq!((result.null, result.reached, result.n_permutations), (Null::Enumeration, 9172, 12_870));
    assert_eq!((result.pvalue, result.resolution), (9172.0 / 12870.0, 1.0 / 12870.0));
    assert_eq!(result.null_distribution[0], result.statistic);
    // One fewer, and they are drawn.
    let drawn = tested(&Mmd { n_permutations: 12_869, ..exact }, &golden(8, 8)).result;
    assert_eq!((drawn.null, drawn.n_permutations), (Null::Permutation, 12_869));
    assert!((drawn.pvalue - 9172.0 / 12870.0).abs() < 4.0 * (0.25f64 / 12869.0).sqrt());
}

#[test]
fn moments_are_those_of_all_splits() {
    for (n, estimate) in
        [(8, MmdEstimate::Biased), (5, MmdEstimate::Biased), (8, MmdEstimate::Unbiased), (5, MmdEstimate::Unbiased)]
    {
        let all = Mmd { n_permutations: 12_870, ..with(&["linear + rbf(length_scale=1)"], estimate) };
        let result = tested(&all, &golden(8, n)).result;
        let count = result.null_distribution.len() as f64;
        let mean = result.null_distribution.iter().sum::<f64>() / count;
        let variance = result.null_distribution.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / count;
        let found = result.approximation.expect("moments");
        close(found.mean.expect("one kernel"), mean);
        close(found.variance.expect("one kernel"), variance);
    }
}

#[test]
fn the_witness_is_its_formula() {
    let compared = tested(&with(&[RBF], MmdEstimate::Unbiased), &golden(8, 8));
    let values = compared.witness.evaluate(&rows(vec![0.0, 0.0, 1.0, 1.0], 2), &Run::new()).expect("values");
    close(values[0], -0.054_349_316_189_484_24);
    close(values[1], -0.097_519_776_992_935_13);
    let own = compared.witness.values(&Run::new()).expect("values");
    let [largest, smallest] = compared.witness.extremes(&own, 3);
    assert!(largest.windows(2).all(|w| w[0].value >= w[1].value) && largest[0].value > 0.0);
    assert!(smallest.windows(2).all(|w| w[0].value <= w[1].value) && smallest[0].value < 0.0);
    // The mean over X less the mean over Y is the biased estimate.
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    close(mean(&own[..8]) - mean(&own[8..]), 0.067_116_648_945_794_61);
}

/// Numbers that look like chance.
fn noise(n: usize, seed: u64, shift: f64) -> Inputs {
    let mut chance = mercer::chance::Chance::new(seed);
    rows((0..n).map(|_| chance.normal() + shift).collect(), 1)
}

/// MMD² of a split by three loops.
fn naive(k: &dyn Fn(usize, usize) -> f64, first: &[bool], biased: bool) -> f64 {
    let sizes = [first.iter().filter(|f| **f).count() as f64, first.iter().filter(|f| !**f).count() as f64];
    let mut sum = 0.0;
    for i in 0..first.len() {
        for j in 0..first.len() {
            let (a, b) = (sizes[usize::from(!first[i])], sizes[usize::from(!first[j])]);
            sum += match first[i] == first[j] {
                true if i == j && !biased => 0.0,
                true => k(i, j) / (a * if biased { a } else { a - 1.0 }),
                false => -k(i, j) / (a * b),
            };
        }
    }
    sum
}

/// Every permuted statistic against three loops on the split that the same seed draws, across edges of tiles and chunks.
#[test]
fn permuted_statistics_are_those_of_naive_loops() {
    for (m, n, biased) in [(2, 3, false), (20, 29, true), (100, 141, false), (300, 203, true)] {
        let (x, y) = (noise(m, 1, 0.0), noise(n, 2, 0.3));
        let estimate = if biased { MmdEstimate::Biased } else { MmdEstimate::Unbiased };
        let mmd = Mmd { n_permutations: 9, seed: 5, ..with(&["laplace(length_scale=1) + linear"], estimate) };
        let result = tested(&mmd, &(x.clone(), y.clone())).result;
        let Inputs::Dense(z) = Inputs::concatenate(&[x, y]).expect("all rows") else { panic!("dense rows") };
        let k = |i: usize, j: usize| {
            let (a, b) = (z.row(i)[0], z.row(j)[0]);
            (-(a - b).abs()).exp() + a * b
        };
        // The draws again: the smaller group is drawn without return from the order that is left.
        let mut chance = mercer::chance::Chance::new(5);
        let mut order: Vec<usize> = (0..m + n).collect();
        let observed: Vec<bool> = (0..m + n).map(|i| i < m).collect();
        let bound = result.tolerance.max(1e-15);
        assert!((result.statistic - naive(&k, &observed, biased)).abs() <= 4.0 * bound);
        assert!(bound < 1e-10);
        for statistic in &result.null_distribution {
            let fewer = m.min(n);
            (0..fewer).for_each(|i| order.swap(i, i + chance.below(m + n - i)));
            let mut first = vec![m > n; m + n];
            order[..fewer].iter().for_each(|i| first[*i] = m <= n);
            let expected = naive(&k, &first, biased);
            assert!((statistic - expected).abs() <= 4.0 * bound, "{m} {n}: {statistic} for {expected}");
        }
    }
}

#[test]
fn threads_and_portions_change_nothing() {
    let pair = (noise(300, 1, 0.0), noise(250, 2, 0.2));
    let mmd = Mmd { n_permutations: 300, ..Mmd::default() };
    let one = mmd.test(&pair.0, &pair.1, &Run::new().with_threads(1).expect("a thread")).expect("a test").result;
    let three = mmd.test(&pair.0, &pair.1, &Run::new().with_threads(3).expect("threads")).expect("a test").result;
    assert_eq!(one, three);
    // Sequential portions see the same permutations.
    let soon = tested(&Mmd { enough: Some(3), ..mmd }, &pair).result;
    assert_eq!(one.null_distribution[..soon.n_permutations], soon.null_distribution);
}

#[test]
fn a_large_pvalue_is_found_early() {
    let pair = (noise(60, 1, 0.0), noise(60, 2, 0.0));
    let mmd = Mmd { enough: Some(20), ..with(&["rbf"], MmdEstimate::Unbiased) };
    let result = tested(&mmd, &pair).result;
    assert_eq!((result.stop, result.reached), (Ended::Sequential, 20));
    assert_eq!(result.pvalue, 20.0 / result.n_permutations as f64);
    let full = tested(&Mmd { enough: None, ..mmd }, &pair).result.pvalue;
    assert!((full - result.pvalue).abs() < 4.0 * (0.25 / result.n_permutations as f64).sqrt());
}

/// hyppo 0.5.2 rejects 99.7 % of true nulls with `MMD(bias=True)`, alibi-detect gives p = 0 (its issue 960), and negative estimates
/// are reported as defects (its issue 360).
#[test]
fn what_went_wrong_elsewhere() {
    let (mut rejected, mut negative) = (0, 0);
    for seed in 0..200 {
        let pair = (noise(25, 2 * seed, 0.0), noise(25, 2 * seed + 1, 0.0));
        let mmd = Mmd { n_permutations: 99, seed, ..with(&["rbf"], MmdEstimate::Biased) };
        let result = tested(&mmd, &pair).result;
        rejected += usize::from(result.pvalue <= 0.05);
        assert!(result.statistic >= 0.0);
        let unbiased = Mmd { estimate: MmdEstimate::Unbiased, ..mmd };
        negative += usize::from(tested(&unbiased, &pair).result.statistic < 0.0);
    }
    // 200 runs at 5 %: ten, with a deviation of 3.1.
    assert!(rejected <= 22, "{rejected} of 200 true nulls were rejected");
    assert!((40..160).contains(&negative), "an unbiased estimate of 0 is negative about half of the time: {negative}");
    let far = (noise(30, 1, 0.0), noise(30, 2, 50.0));
    let result = tested(&with(&["rbf"], MmdEstimate::Unbiased), &far).result;
    assert_eq!((result.pvalue, result.reached), (0.001, 0));
    assert!(result.approximation.expect("a formula").pvalue < 1e-6);
    assert_eq!(pvalue(1.0, &[], 0.0), 1.0);
}

/// The statistic is MMD² itself (hyppo's is not), and it does not depend on which sample is called the first.
#[test]
fn samples_may_be_exchanged() {
    let (x, y) = golden(8, 7);
    for estimate in [MmdEstimate::Unbiased, MmdEstimate::Biased] {
        let mmd = Mmd { n_permutations: 6435, ..with(&[RBF], estimate) };
        let (one, other) = (tested(&mmd, &(x.clone(), y.clone())).result, tested(&mmd, &(y.clone(), x.clone())).result);
        close(one.statistic, other.statistic);
        assert_eq!((one.pvalue, one.null), (other.pvalue, Null::Enumeration));
    }
}

/// All rows equal: every permutation ties, and p is 1 whatever rounding does.
#[test]
fn ties_count() {
    let same = (rows(vec![0.1; 300], 3), rows(vec![0.1; 210], 3));
    for estimate in [MmdEstimate::Unbiased, MmdEstimate::Biased] {
        let result = tested(&with(&["rbf(length_scale=0.3) + 0.1*linear"], estimate), &same).result;
        assert_eq!((result.pvalue, result.reached), (1.0, 999), "{result}");
    }
    assert_eq!(tested(&Mmd::default(), &same).result.pvalue, 1.0);
    // Coins: many splits have the very same numbers of heads.
    let coins = |n: usize, every: usize| rows((0..n).map(|i| f64::from(u8::from(i % every == 0))).collect(), 1);
    let (x, y) = (coins(6, 2), coins(6, 3));
    let mmd = Mmd { n_permutations: 924, ..with(&["rbf(length_scale=0.7)"], MmdEstimate::Unbiased) };
    let result = tested(&mmd, &(x, y)).result;
    // Heads in the first group: 3 of 5 in all are seen; 2 or 3 is closest to even, and everything else reaches it, too.
    assert_eq!(result.pvalue, 1.0);
}

#[test]
fn series_that_remember_need_multipliers() {
    let series = |seed: u64| {
        let mut chance = mercer::chance::Chance::new(seed);
        let mut w = 0.0;
        let mut next = || {
            w = 0.7 * w + 0.51f64.sqrt() * chance.normal();
            w
        };
        rows((0..300).map(|_| next()).collect(), 1)
    };
    let rejected = |lag: Option<f64>| {
        let mmd = |seed| Mmd { lag, n_permutations: 99, seed, ..with(&["rbf(length_scale=1)"], MmdEstimate::Biased) };
        (0..40).filter(|s| tested(&mmd(*s), &(series(2 * s), series(2 * s + 1))).result.pvalue <= 0.05).count()
    };
    let (permuted, wild) = (rejected(None), rejected(Some(20.0)));
    // Rows are not exchangeable: permutations reject far too often. 40 runs at 5 % have a deviation of 1.4.
    assert!(permuted > 10, "{permuted}");
    assert!(wild <= 8, "{wild}");
}

#[test]
fn blocks_and_pairs_hold_their_level_and_find_a_shift() {
    for estimate in [MmdEstimate::Linear, MmdEstimate::Block] {
        let p = |seed: u64, shift: f64| {
            tested(&with(&["rbf"], estimate), &(noise(400, seed, 0.0), noise(400, seed + 1000, shift))).result.pvalue
        };
        let rejected = (0..100).filter(|s| p(*s, 0.0) <= 0.05).count();
        assert!(rejected <= 14, "{rejected} of 100");
        assert!(p(1, 1.0) < 1e-4);
    }
}

/// A table of numbers, categories and text.
fn mixed(n: usize, seed: u64, odd: bool) -> Inputs {
    let mut chance = mercer::chance::Chance::new(seed);
    let numbers = (0..n).map(|_| chance.normal()).collect::<Vec<f64>>();
    let colours = (0..n).map(|_| Some(["red", "green", "blue"][chance.below(3)].to_owned()));
    let colours = Categories::from_values(colours);
    let word = |c: &mut mercer::chance::Chance| {
        ["the cat sat", "a dog ran", "cats and dogs"][c.below(if odd { 1 } else { 3 })]
    };
    let texts = Texts::from_values((0..n).map(|_| Some(word(&mut chance))).collect::<Vec<_>>());
    let columns: Vec<(String, Column)> = vec![
        ("number".to_owned(), numbers.into()),
        ("colour".to_owned(), colours.into()),
        ("words".to_owned(), texts.into()),
    ];
    Table::new(columns).expect("a table").into()
}

#[test]
fn tables_of_all_types_have_a_default() {
    let same = tested(&Mmd::default(), &(mixed(40, 1, false), mixed(50, 2, false))).result;
    assert!(same.pvalue > 0.01, "{same}");
    assert_eq!((same.kernels.len(), same.aggregation), (15, Some("fuse")));
    let joint = &same.kernels[14].kernel;
    assert!(["rbf", "hamming", "normalize"].iter().all(|part| joint.contains(part)), "{joint}");
    let differ = tested(&Mmd::default(), &(mixed(40, 1, false), mixed(50, 2, true))).result;
    assert_eq!(differ.pvalue, 0.001);
}

#[test]
fn columns_that_differ_are_named() {
    let (Inputs::Table(x), Inputs::Table(y)) = (mixed(9, 1, false), mixed(9, 2, false)) else { panic!("tables") };
    let turned = y.select(&["words", "number", "colour"]).expect("columns");
    assert!(Mmd::default().test(&x.clone().into(), &turned.into(), &Run::new()).is_ok());
    let fewer = y.without("colour").expect("columns");
    let error =
        Mmd::default().test(&x.clone().into(), &fewer.clone().into(), &Run::new()).expect_err("a column is missing");
    assert!(error.to_string().contains("colour") && error.hint().is_some(), "{error}");
    assert!(Mmd::default().test(&fewer.into(), &x.into(), &Run::new()).is_err());
}

#[test]
fn odd_samples_are_refused_or_answered() {
    let run = Run::new();
    let of = |values: Vec<f64>| rows(values, 1);
    let default = Mmd::default();
    let fails = |mmd: &Mmd, x: Inputs, y: Inputs| {
        mmd.test(&x, &y, &run).map(|c| c.result.sentence()).expect_err("refused").to_string()
    };
    assert!(fails(&default, of(vec![]), of(vec![1.0, 2.0])).contains("`X`"));
    assert!(fails(&default, of(vec![1.0, 2.0]), of(vec![1.0])).contains("`Y`"));
    assert!(fails(&default, of(vec![1.0, f64::NAN]), of(vec![1.0, 2.0])).contains("NaN"));
    assert!(fails(&default, of(vec![1.0, 2.0]), rows(vec![1.0; 4], 2)).contains("columns"));
    assert!(fails(&with(&["linear"], MmdEstimate::Biased), of(vec![1e200, 2.0]), of(vec![3.0, 4.0])).contains("large"));
    let none = Mmd { n_permutations: 0, ..Mmd::default() };
    assert!(fails(&none, of(vec![1.0, 2.0]), of(vec![1.0, 2.0])).contains("n_permutations"));
    let uneven = Mmd { lag: Some(5.0), ..Mmd::default() };
    assert!(fails(&uneven, of(vec![1.0, 2.0]), of(vec![1.0, 2.0, 3.0])).contains("times"));
    for scale in [1e-150, 1e-300, 1.0, 1e150] {
        let (x, y) =
            (of((0..30).map(|i| scale * f64::from(i)).collect()), of((0..30).map(|i| -scale * f64::from(i)).collect()));
        let p = default.test(&x, &y, &run).expect("a test").result.pvalue;
        assert_eq!(p, 0.001, "scale {scale}");
    }
    // Two rows each: six splits, all of them taken.
    let few = default.test(&of(vec![0.0, 0.1]), &of(vec![5.0, 5.2]), &run).expect("a test").result;
    assert_eq!((few.null, few.n_permutations, few.pvalue), (Null::Enumeration, 6, 2.0 / 6.0));
}

/// Raises the flag of a run when its second pass begins.
#[derive(Default)]
struct SecondPass {
    begun: std::sync::atomic::AtomicUsize,
    cancel: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl mercer::run::Observer for SecondPass {
    fn on_event(&self, event: &mercer::run::Event<'_>) {
        use std::sync::atomic::Ordering::SeqCst;
        let begins = matches!(event, mercer::run::Event::Begin { task: "permutations", .. });
        if begins && self.begun.fetch_add(1, SeqCst) == 1 {
            self.cancel.store(true, SeqCst);
        }
    }
}

#[test]
fn a_stop_keeps_what_is_there() {
    let pair = (noise(40, 1, 0.0), noise(40, 2, 0.0));
    let many = Mmd { n_permutations: 5000, ..with(&["rbf"], MmdEstimate::Unbiased) };
    let observer = std::sync::Arc::new(SecondPass::default());
    let run = Run::new().with_cancel(observer.cancel.clone()).with_observer(observer);
    let result = many.test(&pair.0, &pair.1, &run).expect("what was there").result;
    assert_eq!((result.stop, result.n_permutations, result.resolution), (Ended::Interrupted, 1024, 1.0 / 1025.0));
    let whole = tested(&many, &pair).result;
    assert_eq!(result.null_distribution, whole.null_distribution[..1024]);
    assert!(many.test(&pair.0, &pair.1, &Run::new().with_deadline(std::time::Duration::ZERO)).is_err());
    assert!(many.test(&pair.0, &pair.1, &Run::new().with_memory_limit(100_000)).is_err());
}

/// A precomputed matrix of all rows gives what its kernel gives.
#[test]
fn a_matrix_of_all_rows_is_enough() {
    let (x, y) = golden(8, 7);
    let z = Inputs::concatenate(&[x.clone(), y.clone()]).expect("all rows");
    let bound = KernelExpr::parse(RBF).expect("a formula").bind(&z, &Run::new()).expect("a matrix");
    let gram = mercer::gram::dense::<f64>(&bound, &Run::new()).expect("a matrix").into_values();
    let precomputed: Inputs = mercer::data::Precomputed::new(gram, 15, 15).expect("a matrix").into();
    let mmd = with(&["precomputed"], MmdEstimate::Unbiased);
    let from_matrix = mmd.test_pooled(&precomputed, 8, &Run::new()).expect("a test").result;
    let from_rows = tested(&with(&[RBF], MmdEstimate::Unbiased), &(x, y)).result;
    assert_eq!(from_matrix.null_distribution, from_rows.null_distribution);
}

/// The four-Gaussian mixture of Biggs, Schrab & Gretton (2023): the median misses what the family finds.
#[test]
fn the_family_finds_what_the_median_misses() {
    let sample = |seed: u64, deviation: f64| {
        let mut chance = mercer::chance::Chance::new(seed);
        let mut values = Vec::new();
        for _ in 0..500 {
            let (a, b) = (chance.below(2), chance.below(2));
            let scale = if a + b == 2 { deviation } else { 1.0 };
            for side in [a, b] {
                values.push(40.0 * side as f64 - 20.0 + scale * chance.normal());
            }
        }
        rows(values, 2)
    };
    let run = |mmd: &Mmd| {
        (0..4).filter(|s| tested(mmd, &(sample(2 * s, 1.0), sample(2 * s + 1, 0.5))).result.pvalue <= 0.05).count()
    };
    let few = |kernels| Mmd { kernels, n_permutations: 199, ..Mmd::default() };
    assert_eq!(run(&few(Vec::new())), 4);
    assert!(run(&few(vec![KernelExpr::parse("rbf").expect("a formula")])) <= 2);
}
