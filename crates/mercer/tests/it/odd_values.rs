//! Structured values that are odd: empty, too short, too long, of letters that nobody knows, of very many levels.

use mercer::data::{Categories, Column, Imputer, Inputs, SET, Table, Texts};
use mercer::gram::{KernelMatrix, TileMut, dense};
use mercer::kernel::{KernelExpr, Kind};
use mercer::{Error, Result, Run};

fn texts(cells: &[&str]) -> Inputs {
    Table::new(vec![("s".into(), Texts::from_values(cells.iter().map(Some)).into())]).expect("a column").into()
}

fn gram(formula: &str, x: &Inputs) -> Result<Vec<f64>> {
    let run = Run::new();
    let (k, _) = KernelExpr::parse(formula)?.resolve(x, &run)?;
    Ok(dense::<f64>(&k.bind(x, &run)?, &run)?.into_values())
}

/// Every kernel of text: no value is missing, infinite or larger than those of the points with themselves.
#[test]
fn empty_and_short_texts_and_unknown_letters_have_values() {
    let x = texts(&["", "A", "AC", "?!", "nnnnnnnnnnnn", "ACGTACGTACGTACGT", "ÄÖ∂𝄞", "a b  c", " "]);
    for kind in Kind::ALL.iter().filter(|k| k.spec().domain == mercer::kernel::Domain::TEXT) {
        let name = kind.spec().name;
        let k = match gram(name, &x) {
            Ok(k) => k,
            // An alignment scores the letters of its alphabet alone, and says so.
            Err(error) => {
                assert!(matches!(&error, Error::Domain { .. } | Error::Column { .. }), "{name}: {error}");
                continue;
            }
        };
        for i in 0..9 {
            for j in 0..9 {
                let (value, bound) = (k[i * 9 + j], (k[i * 9 + i] * k[j * 9 + j]).sqrt());
                assert!(value.is_finite() && value.abs() <= bound * (1.0 + 1e-12), "{name} {i} {j}: {value} {bound}");
            }
        }
    }
}

#[test]
fn blocks_longer_than_a_text_are_in_none() {
    let x = texts(&["ACG", "ACGTACGTACGT", ""]);
    for formula in ["spectrum(k=5)", "mismatch(k=5, m=1)", "gapped_kmer(l=6, k=4)", "subsequence(p=5)"] {
        let k = gram(formula, &x).expect("texts");
        let others = [0, 1, 2, 3, 5, 6, 7, 8];
        assert!(k[4] > 0.0 && others.iter().all(|at| k[*at] == 0.0), "{formula}: {k:?}");
        let normal = gram(&format!("normalize({formula})"), &x).expect("texts");
        assert!(normal[4] == 1.0 && others.iter().all(|at| normal[*at] == 0.0), "{formula}: {normal:?}");
    }
}

/// What is linear in the length has an answer, what is quadratic is refused with the length that is taken.
#[test]
fn a_million_characters() {
    let long = "ACGT".repeat(250_000);
    let x = texts(&[&long, "ACGT"]);
    let k = gram("spectrum(k=4)", &x).expect("counts");
    assert_eq!(k[1], 250_000.0);
    for formula in ["subsequence", "local_alignment"] {
        let error = gram(formula, &x).expect_err("too long").to_string();
        assert!(error.contains("1000000 characters") || error.contains("1000000 letters"), "{formula}: {error}");
    }
}

#[test]
fn empty_sets_and_ragged_lists() {
    let words = texts(&["red|green", "", "[]", "red"]);
    let Inputs::Table(table) = &words else { panic!("a table") };
    let sets = table.column("s").and_then(|c| c.read_as(mercer::data::ColumnType::Structured(&SET))).expect("sets");
    let x: Inputs = Table::new(vec![("s".into(), sets)]).expect("a column").into();
    let k = gram("jaccard", &x).expect("sets");
    assert_eq!([k[0], k[1], k[3], k[5], k[6], k[10]], [1.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
    assert!(gram("intersection", &x).expect("sets")[4..12].iter().all(|k| *k == 0.0));
    // A bag whose points have other numbers of coordinates is an error with its row.
    let ragged = texts(&["[[1, 2], [3, 4]]", "[[1, 2], [3]]"]);
    let error = gram("mean_embedding(s)", &ragged).expect_err("ragged").to_string();
    assert!(error.contains("row 1"), "{error}");
}

#[test]
fn a_column_without_values() {
    let nothing = || -> Inputs {
        let none: Vec<Option<&str>> = vec![None; 6];
        let columns = vec![
            ("n".into(), Column::Number(vec![f64::NAN; 6].into())),
            ("c".into(), Column::Category(Categories::from_values(none.clone()))),
            ("t".into(), Texts::from_values(none).into()),
        ];
        Table::new(columns).expect("columns").into()
    };
    for (formula, column) in [("rbf(n, length_scale=1)", "n"), ("delta(c)", "c"), ("ngram(t)", "t")] {
        let error = gram(formula, &nothing()).expect_err("no values");
        assert!(error.to_string().contains(&format!("`{column}`")), "{error}");
        assert!(error.to_string().contains("6 of 6"), "{error}");
        let k = gram(&format!("with_gaps({formula})"), &nothing()).expect("gaps are read");
        assert!(k.iter().all(|k| *k == 1.0), "{formula}");
    }
    let Inputs::Table(table) = nothing() else { panic!("a table") };
    let error = Imputer::fit(&table, None).expect_err("nothing to fill with").to_string();
    assert!(error.contains("whose 6 values are all missing"), "{error}");
}

#[test]
fn a_hundred_thousand_levels() {
    const N: usize = 100_000;
    let levels: Vec<String> = (0..N).map(|i| format!("level {i}")).collect();
    let column = Column::Category(Categories::from_values(levels.iter().map(Some)));
    let x: Inputs = Table::new(vec![("c".into(), column)]).expect("a column").into();
    let bound = KernelExpr::parse("delta + hamming").and_then(|k| k.bind(&x, &Run::new())).expect("levels");
    let mut row = vec![0.0; N];
    bound.block(7..8, 0..N, TileMut::contiguous(&mut row, 1, N));
    assert!(row.iter().enumerate().all(|(j, k)| *k == if j == 7 { 2.0 } else { 0.0 }));
}
