//! HSIC and dHSIC against their definitions, and what must not change them.

use mercer::chance::Chance;
use mercer::data::{Categories, Column, Inputs, Rows, Table};
use mercer::model::compare::{
    Dhsic, Draws, Ended, Hsic, HsicEstimate, HsicNull, Null, Permutations, TestResult, Variable, count,
};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::column;
use super::naive::{gaussian, hsic_biased, hsic_unbiased, permuted};

fn normal(n: usize, d: usize, seed: u64) -> Rows {
    let mut chance = Chance::new(seed);
    Rows::new((0..n * d).map(|_| chance.normal()).collect::<Vec<f64>>(), n, d).expect("rows")
}

fn kernel(text: &str) -> KernelExpr {
    KernelExpr::parse(text).expect("a kernel")
}

fn tested(test: Hsic, x: &Inputs, y: &Inputs) -> TestResult {
    let rbf = kernel("rbf");
    test.test(Variable::new(x, &rbf), Variable::new(y, &rbf), &Run::new()).expect("a test")
}

fn drawn(n_permutations: usize, seed: u64) -> Draws {
    Draws { n_permutations, seed, enough: None }
}

/// Wide kernels of one column have short factors; narrow ones of many columns have none, and are gathered.
#[test]
fn permuted_values_are_those_of_permuted_rows_on_both_paths() {
    let n = 40;
    for (d, length_scale, estimate) in [
        (1, 2.0, HsicEstimate::Biased),
        (1, 2.0, HsicEstimate::Unbiased),
        (6, 0.7, HsicEstimate::Biased),
        (6, 0.7, HsicEstimate::Unbiased),
    ] {
        let (x, y) = (normal(n, d, 1), normal(n, d, 2));
        let k = kernel(&format!("rbf(length_scale={length_scale})"));
        let test = Hsic { estimate, null: HsicNull::Permutation, draws: drawn(20, 5) };
        let (a, b) = (x.clone().into(), y.clone().into());
        let found = test.test(Variable::new(&a, &k), Variable::new(&b, &k), &Run::new()).expect("a test");
        let naive = if estimate == HsicEstimate::Biased { hsic_biased } else { hsic_unbiased };
        let (k, l) = (gaussian(&x, length_scale), gaussian(&y, length_scale));
        assert!((found.statistic - naive(&k, &l)).abs() <= tol::GRAM_R);
        for (value, order) in found.null_distribution.iter().zip(Permutations::new(n as u32, 5)) {
            let order: Vec<usize> = order.iter().map(|p| *p as usize).collect();
            let expected = naive(&k, &permuted(&l, &order));
            assert!((value - expected).abs() <= tol::GRAM_R, "{d} columns: {value} is not {expected}");
        }
    }
}

#[test]
fn few_rows_are_enumerated() {
    let (x, y) = (normal(5, 1, 3), normal(5, 1, 4));
    let found = tested(Hsic::default(), &x.clone().into(), &y.clone().into());
    assert_eq!((found.null, found.n_permutations, found.resolution), (Null::Enumeration, 120, 1.0 / 120.0));
    let scale = |v: &TestResult, at: usize| v.kernels[at].found[0].value;
    let (k, l) = (gaussian(&x, scale(&found, 0)), gaussian(&y, scale(&found, 1)));
    let observed = hsic_biased(&k, &l);
    let mut reached = 0;
    let mut orders = vec![vec![]];
    for _ in 0..5 {
        let longer =
            |o: &Vec<usize>| (0..5).filter(|i| !o.contains(i)).map(|i| [o.clone(), vec![i]].concat()).collect();
        orders = orders.iter().flat_map::<Vec<Vec<usize>>, _>(longer).collect();
    }
    for order in &orders {
        reached += usize::from(hsic_biased(&k, &permuted(&l, order)) >= observed - 1e-12);
    }
    assert_eq!((found.reached, found.pvalue), (reached, reached as f64 / 120.0));
}

/// hyppo 0.5.2 takes the bandwidth of x for y as well: y·1000 moves its p-value from 3e-5 to 0.45.
#[test]
fn units_of_a_variable_do_not_matter() {
    let n = 100;
    let (x, noise) = (normal(n, 1, 5), normal(n, 1, 6));
    let y: Vec<f64> = x.values().iter().zip(noise.values()).map(|(x, e)| x * x + 0.8 * e).collect();
    let scaled = column(y.iter().map(|y| 1024.0 * y).collect());
    let x = Inputs::from(x);
    for null in [HsicNull::Permutation, HsicNull::Gamma, HsicNull::CircularShift] {
        let test = Hsic { null, ..Hsic::default() };
        let (a, b) = (tested(test, &x, &column(y.clone())), tested(test, &x, &scaled));
        assert_eq!(a.pvalue, b.pvalue);
        assert!((a.statistic - b.statistic).abs() <= tol::GRAM_R);
        assert_eq!(b.kernels[1].found[0].value, 1024.0 * a.kernels[1].found[0].value);
    }
}

/// hyppo 0.5.2 ignores the seed of a permutation test.
#[test]
fn seeds_are_obeyed_and_threads_change_nothing() {
    let (x, y) = (normal(300, 3, 7).into(), normal(300, 2, 8).into());
    let run = |threads| Run::new().with_threads(threads).expect("threads");
    let k = kernel("rbf");
    let test = |seed, threads| {
        let test = Hsic { draws: drawn(300, seed), ..Hsic::default() };
        test.test(Variable::new(&x, &k), Variable::new(&y, &k), &run(threads)).expect("a test")
    };
    assert_eq!(test(1, 1).null_distribution, test(1, 2).null_distribution);
    assert_eq!(test(1, 1), test(1, 3));
    assert_ne!(test(1, 1).null_distribution, test(2, 1).null_distribution);
    let series = |threads| {
        let test = Hsic { null: HsicNull::WildBootstrap { lag: 5.0 }, draws: drawn(200, 3), ..Hsic::default() };
        test.test(Variable::new(&x, &k), Variable::new(&y, &k), &run(threads)).expect("a test")
    };
    assert_eq!(series(1), series(2));
}

#[test]
fn sequential_stopping_sees_the_same_draws() {
    let (x, y) = (normal(60, 1, 9).into(), normal(60, 1, 10).into());
    let all = tested(Hsic { draws: drawn(999, 1), ..Hsic::default() }, &x, &y);
    let draws = Draws { enough: Some(20), ..drawn(999, 1) };
    let few = tested(Hsic { draws, ..Hsic::default() }, &x, &y);
    assert_eq!((few.stop, few.reached), (Ended::Sequential, 20));
    assert_eq!(few.null_distribution, all.null_distribution[..few.n_permutations]);
    assert_eq!(few.pvalue, 20.0 / few.n_permutations as f64);
    assert_eq!(count(few.statistic, &few.null_distribution, few.tolerance, None).reached, 20);
}

#[test]
fn text_depends_on_numbers() {
    let words = ["red apple", "green pear", "blue plum"];
    let texts: Vec<&str> = (0..60).map(|i| words[i % 3]).collect();
    let table = Table::new(vec![(
        "t".into(),
        Column::Category(Categories::from_values(texts.iter().map(|t| Some(t.to_string())))),
    )]);
    let x = Inputs::from(table.expect("a table"));
    let mut chance = Chance::new(11);
    let y = column((0..60).map(|i| (i % 3) as f64 + chance.normal()).collect());
    let (delta, rbf) = (kernel("delta"), kernel("rbf"));
    let found = Hsic::default().test(Variable::new(&x, &delta), Variable::new(&y, &rbf), &Run::new()).expect("a test");
    assert_eq!(found.pvalue, 0.001);
    assert!(found.approximation.expect("a formula").pvalue < 1e-4);
}

/// Correlated series that have nothing to do with each other: permutations, which are not valid here, find dependence far too often.
#[test]
fn series_are_not_taken_for_independent_rows() {
    let (n, runs) = (150, 60);
    let series = |seed| {
        let (mut chance, mut at) = (Chance::new(seed), 0.0);
        column(
            (0..n)
                .map(|_| {
                    at = 0.9 * at + chance.normal();
                    at
                })
                .collect(),
        )
    };
    let share = |null| {
        let rejects = |i: u64| {
            let test = Hsic { null, draws: drawn(199, i), ..Hsic::default() };
            tested(test, &series(2 * i), &series(2 * i + 1)).pvalue <= 0.05
        };
        (0..runs).filter(|i| rejects(*i)).count() as f64 / runs as f64
    };
    assert!(share(HsicNull::Permutation) > 0.3);
    assert!(share(HsicNull::CircularShift) < 0.15);
    assert!(share(HsicNull::WildBootstrap { lag: 20.0 }) < 0.15);
}

/// x ⊕ y ⊕ z of signs: every pair is independent, the three are not.
#[test]
fn three_may_depend_where_no_two_do() {
    let mut chance = Chance::new(12);
    let signs: Vec<[f64; 2]> = (0..80).map(|_| [0, 1].map(|_| if chance.unit() < 0.5 { -1.0 } else { 1.0 })).collect();
    let points = [
        column(signs.iter().map(|s| s[0]).collect()),
        column(signs.iter().map(|s| s[1]).collect()),
        column(signs.iter().map(|s| s[0] * s[1]).collect()),
    ];
    let k = kernel("rbf(length_scale=1)");
    let variables: Vec<Variable<'_>> = points.iter().map(|x| Variable::new(x, &k)).collect();
    let test = Dhsic { draws: drawn(499, 2) };
    assert_eq!(test.test(&variables, &Run::new()).expect("a test").pvalue, 0.002);
    for pair in [[0, 1], [0, 2], [1, 2]] {
        let pair = pair.map(|at| variables[at]);
        assert!(test.test(&pair, &Run::new()).expect("a test").pvalue > 0.01);
    }
}

/// hyppo 0.5.2 judges the biased statistic by a law of the unbiased one, and rejects every true null.
#[test]
fn level_of_the_permutation_test() {
    let runs = 400;
    for estimate in [HsicEstimate::Biased, HsicEstimate::Unbiased] {
        let rejects = |i: u64| {
            let test = Hsic { estimate, draws: drawn(99, i), ..Hsic::default() };
            let (x, y) = (normal(30, 1, 1000 + 2 * i), normal(30, 2, 1001 + 2 * i));
            tested(test, &x.into(), &y.into()).pvalue <= 0.05
        };
        let share = (0..runs).filter(|i| rejects(*i)).count() as f64 / runs as f64;
        // Three deviations of a share of 400.
        assert!((share - 0.05).abs() <= 3.0 * (0.05f64 * 0.95 / 400.0).sqrt(), "{share}");
    }
}
