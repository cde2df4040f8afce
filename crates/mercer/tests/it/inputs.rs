//! Kinds of input that must agree, and input that must be refused with a clear word.

use mercer::data::{Categories, Column, Csr, Inputs, Precomputed, Rows, Table};
use mercer::gram::dense;
use mercer::testkit::{laws, points, tol};
use mercer::{Error, KernelExpr, Run};

fn parse(formula: &str) -> KernelExpr {
    KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"))
}

fn gram(formula: &str, x: &Inputs) -> Vec<f64> {
    let bound = parse(formula).bind(x, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
    dense::<f64>(&bound, &Run::new()).unwrap_or_else(|e| panic!("{e}")).into_values()
}

fn refused(formula: &str, x: &Inputs) -> Error {
    match parse(formula).resolve(x, &Run::new()).and_then(|(k, _)| k.bind(x, &Run::new())) {
        Ok(_) => panic!("{formula} was not refused"),
        Err(e) => e,
    }
}

/// Rows with many zeros, dense and sparse.
fn sparse_and_dense() -> (Inputs, Inputs) {
    let dense = points::vectors(31, 9, 21);
    let values: Vec<f64> = dense.values().iter().map(|v| if v.abs() < 0.8 { 0.0 } else { *v }).collect();
    let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks(9) {
        for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            columns.push(j as u32);
            entries.push(*v);
        }
        starts.push(columns.len());
    }
    let sparse = Csr::new(starts, columns, entries, 9).expect("valid rows");
    (Rows::new(values, 31, 9).expect("31×9").into(), sparse.into())
}

#[test]
fn sparse_rows_give_the_numbers_of_dense_rows() {
    let (full, sparse) = sparse_and_dense();
    for formula in [
        "linear",
        "poly(degree=2)",
        "cosine",
        "rbf(length_scale=2)",
        "laplace_l1(length_scale=3)",
        "rbf(length_scale=[1, 2, 3, 4, 5, 6, 7, 8, 9])",
        "periodic(length_scale=2, period=3)",
        "additive(length_scale=1)",
        "rbf(x1, x4, length_scale=2) + linear",
    ] {
        let (a, b) = (gram(formula, &full), gram(formula, &sparse));
        let largest = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= tol::GRAM_R2 * largest), "{formula}");
    }
    let bound = parse("rbf(length_scale=2)*linear").bind(&sparse, &Run::new()).expect("binds");
    laws::matrix("sparse", &bound);
    laws::gradient("sparse", &parse("rbf(length_scale=2)*poly(gamma=0.1)"), &sparse);
}

#[test]
fn a_table_gives_the_numbers_of_its_rows() {
    let x = points::vectors(17, 3, 22);
    let column = |j: usize| Column::Number((0..17).map(|i| x.row(i)[j]).collect());
    let names = ["x0", "x1", "x2"];
    let table =
        Table::new(names.iter().enumerate().map(|(j, n)| ((*n).to_owned(), column(j))).collect()).expect("valid");
    for formula in ["rbf(length_scale=1)", "matern32(x2, x0, length_scale=[2, 1])"] {
        assert_eq!(gram(formula, &x.clone().into()), gram(formula, &table.clone().into()), "{formula}");
    }
}

#[test]
fn a_precomputed_matrix_is_itself_and_must_be_symmetric() {
    let k: Vec<f64> = gram("rbf(length_scale=1)", &points::vectors(9, 2, 23).into());
    let x: Inputs = Precomputed::new(k.clone(), 9, 9).expect("9×9").into();
    assert_eq!(gram("precomputed", &x), k);
    let mut crooked = k.clone();
    crooked[3] += 0.5;
    let error = refused("precomputed", &Precomputed::new(crooked, 9, 9).expect("9×9").into());
    assert!(error.to_string().contains("K[3, 0] and K[0, 3] that differ by 5e-1"), "{error}");
    let error = refused("precomputed", &Precomputed::new(k[..18].to_vec(), 2, 9).expect("2×9").into());
    assert!(error.to_string().contains("square"), "{error}");
    let error = refused("rbf(length_scale=1)", &x);
    assert!(error.to_string().contains("needs numeric columns"), "{error}");
}

#[test]
fn a_precomputed_cross_matrix_is_not_normalised() {
    let k = gram("rbf(length_scale=1)", &points::vectors(9, 2, 23).into());
    let train: Inputs = Precomputed::new(k.clone(), 9, 9).expect("9×9").into();
    let new: Inputs = Precomputed::new(k[..18].to_vec(), 2, 9).expect("2×9").into();
    assert!(parse("precomputed").bind_cross(&new, &train, &Run::new()).is_ok());
    let error = parse("normalize(precomputed)").bind_cross(&new, &train, &Run::new()).map(|_| ()).expect_err("unknown");
    assert!(error.to_string().contains("k(x, x) of the first unknown"), "{error}");
}

fn mixed() -> Inputs {
    let species = Categories::from_values(["a", "b", "a"].map(Some));
    Table::new(vec![
        ("height".into(), Column::Number([1.0, f64::NAN, 3.0].into())),
        ("weight".into(), Column::Number([1.0, f64::INFINITY, 3.0].into())),
        ("ready".into(), Column::Number([1.0, 2.0, 3.0].into())),
        ("species".into(), Column::Category(species)),
    ])
    .expect("valid")
    .into()
}

#[test]
fn bad_values_are_counted_and_located() {
    let missing = refused("rbf(height, length_scale=1)", &mixed());
    assert_eq!(missing.to_string(), "1 of 3 values in column `height` is missing, first at row 1 (rows count from 0)");
    assert!(missing.hint().is_some_and(|h| h.contains("impute")));
    let infinite = refused("linear(weight)", &mixed());
    assert!(infinite.to_string().contains("1 of 3 values in column `weight` is infinite"), "{infinite}");
    let nan = refused("linear", &Rows::new(vec![f64::NAN; 6], 3, 2).expect("3×2").into());
    assert!(nan.to_string().contains("3 of 3 values in column `x0` are NaN"), "{nan}");
}

#[test]
fn wrong_columns_are_pointed_at() {
    let wrong = refused("linear(ready) + rbf(species, length_scale=1)", &mixed());
    assert_eq!(
        wrong.to_string(),
        "kernel `rbf` needs numeric columns, but `species` is a category column at column 21\n  \
         linear(ready) + rbf(species, length_scale=1)\n                      ^^^^^^^"
    );
    let slip = refused("delta(speces)", &mixed());
    assert!(slip.to_string().contains("no column `speces`"), "{slip}");
    assert_eq!(slip.hint().as_deref(), Some("the nearest column that fits is `species`"));
    let none = refused("ngram", &mixed());
    assert!(none.to_string().contains("needs text columns, and the data has none"), "{none}");
    let count = refused("rbf(length_scale=[1, 2])", &points::vectors(5, 3, 1).into());
    assert!(count.to_string().contains("2 length scales for 3 columns"), "{count}");
    let degree = refused("anova(degree=4, length_scale=1)", &points::vectors(5, 3, 1).into());
    assert!(degree.hint().is_some_and(|h| h.contains("at most 3")));
    let negative = refused("min", &points::vectors(5, 3, 1).into());
    assert!(negative.to_string().contains("without negative values"), "{negative}");
}

#[test]
fn rules_say_when_there_is_nothing_to_find() {
    let constant: Inputs = Rows::new(vec![2.5; 12], 6, 2).expect("6×2").into();
    let error = refused("rbf", &constant);
    assert!(error.to_string().contains("all rows are equal in `x0`, `x1`"), "{error}");
    assert!(error.hint().is_some_and(|h| h.contains("length_scale=1")));
    let single: Inputs = Rows::new(vec![2.5; 2], 1, 2).expect("1×2").into();
    assert!(refused("rbf", &single).to_string().contains("no two rows"));
    let unresolved = parse("rbf").bind(&constant, &Run::new()).map(|_| ()).expect_err("a rule");
    assert!(unresolved.hint().is_some_and(|h| h.contains("resolve")));
}

#[test]
fn mostly_equal_rows_use_the_positive_distances() {
    // The rows differ, but in a column that the kernel does not look at.
    let values: Vec<f64> = (0..20).flat_map(|i| [if i == 0 { 4.0 } else { 0.0 }, f64::from(i)]).collect();
    let x: Inputs = Rows::new(values, 20, 2).expect("20×2").into();
    let (_, found) = parse("rbf(x0)").resolve(&x, &Run::new()).expect("resolves");
    assert!((found[0].value - 4.0).abs() <= tol::round(1) * 4.0);
    assert_eq!(found[0].detail, "median of the 19 positive distances among 20 rows, since most are 0");
}

#[test]
fn a_row_that_is_there_twice_counts_once() {
    let once = points::vectors(32, 3, 25).take(&(0..30).collect::<Vec<_>>());
    let twice: Vec<usize> = (0..30).chain(0..10).collect();
    let resolve = |x: &Inputs| parse("rbf").resolve(x, &Run::new()).expect("resolves").1.swap_remove(0);
    let (a, b) = (resolve(&once.clone().into()), resolve(&once.take(&twice).into()));
    assert_eq!(a.value, b.value);
    assert_eq!(b.detail, "median of the 435 distances among 30 distinct rows");
}

#[test]
fn the_median_is_that_of_the_definition() {
    // The last two of these points repeat the first, and nearly so.
    let x = points::vectors(42, 3, 24).take(&(0..40).collect::<Vec<_>>());
    let mut euclid = Vec::new();
    let mut manhattan = Vec::new();
    for i in 0..40 {
        for j in 0..i {
            let pairs = || x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).abs());
            euclid.push(pairs().map(|d| d * d).sum::<f64>().sqrt());
            manhattan.push(pairs().sum::<f64>());
        }
    }
    for (formula, mut expected) in [("matern52", euclid), ("laplace_l1", manhattan)] {
        expected.sort_by(f64::total_cmp);
        let middle = 0.5 * (expected[389] + expected[390]);
        let (_, found) = parse(formula).resolve(&x.clone().into(), &Run::new()).expect("resolves");
        assert!((found[0].value - middle).abs() <= tol::GRAM_R2 * middle, "{formula}: {} {middle}", found[0].value);
    }
}

#[test]
fn nothing_is_still_something() {
    let empty: Inputs = Rows::new(Vec::new(), 0, 3).expect("0×3").into();
    assert!(gram("rbf(length_scale=1)", &empty).is_empty());
    let no_columns: Inputs = Rows::new(Vec::new(), 4, 0).expect("4×0").into();
    assert!(refused("linear", &no_columns).to_string().contains("the data has none"));
    let one: Inputs = Rows::new(vec![3.0], 1, 1).expect("1×1").into();
    assert_eq!(gram("linear", &one), [9.0]);
    let (x, y): (Inputs, Inputs) = (points::vectors(3, 2, 1).into(), points::vectors(3, 4, 1).into());
    let error = parse("linear").bind_cross(&x, &y, &Run::new()).map(|_| ()).expect_err("2 and 4 columns");
    assert!(error.to_string().contains("expected 2 columns, got 4"), "{error}");
}
