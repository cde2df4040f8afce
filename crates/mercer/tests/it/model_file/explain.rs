//! Predictions taken apart: the parts add up, and each is what its definition says.

use mercer::Run;
use mercer::approx::NystromParams;
use mercer::data::{Column, Inputs, Table, Texts};
use mercer::model::pipeline::{Effect, ExplainParams, Explanation, Pipeline, Prepare};
use mercer::model::regress::RidgeSolver;
use mercer::testkit::tol;

use super::{MIXED, class_target, dense, fit, fit_with, imputing, mixed, numbers, reload, sparse, target, words};

fn explain(pipeline: &Pipeline, x: impl Into<Inputs>, top: usize) -> Explanation {
    let params = ExplainParams { top, ..ExplainParams::default() };
    pipeline.explain(&x.into(), &params, &Run::new()).expect("rows of this kind")
}

/// Σ points + others + intercept = prediction, for every row and output.
fn adds_up(pipeline: &Pipeline, x: impl Into<Inputs>) {
    let x = x.into();
    let prediction = pipeline.predict(&x, &Run::new()).expect("rows");
    let n = pipeline.model().points().len();
    for top in [0, 3, n + 5] {
        let found = explain(&reload(pipeline), x.clone(), top);
        assert_eq!(found.rows.len(), x.len());
        for (i, row) in found.rows.iter().enumerate() {
            assert_eq!(row.label.as_deref(), prediction.labels.as_ref().and_then(|l| l.get(i)));
            assert_eq!(row.values, prediction.values[i * prediction.outputs..(i + 1) * prediction.outputs]);
            for (value, parts) in row.values.iter().zip(&row.parts) {
                assert_eq!(parts.points.len(), top.min(n));
                let named: f64 = parts.points.iter().map(|p| p.share).sum();
                let size: f64 =
                    parts.points.iter().map(|p| p.share.abs()).sum::<f64>() + value.abs() + parts.others.abs();
                let sum = named + parts.others + parts.intercept;
                // Coefficients may be large and of both signs: rounding is that of the sum of their sizes.
                let all: f64 = pipeline.model().coefficients().iter().map(|a| a.abs()).sum();
                let scale = pipeline.target_scaling().map_or(1.0, |s| s.scale.iter().copied().fold(0.0, f64::max));
                assert!((sum - value).abs() <= tol::round(n) * (size + scale * all), "{sum} {value}");
                let sizes: Vec<f64> = parts.points.iter().map(|p| p.share.abs()).collect();
                assert!(sizes.windows(2).all(|w| w[0] >= w[1]), "the largest come first");
            }
        }
    }
}

#[test]
fn parts_add_up_to_the_prediction() {
    adds_up(&fit(MIXED, mixed(30, 1, false), &[target(30)], None), mixed(4, 2, false));
    adds_up(&fit("rbf", dense(20, 3, 3), &[class_target(20, &["a", "b", "c"])], None), dense(4, 3, 4));
    adds_up(&fit("rbf", dense(20, 3, 3), &[class_target(20, &["a", "b"])], None), dense(4, 3, 4));
    let y = [("u".to_owned(), numbers((0..20).map(f64::from))), target(20)];
    adds_up(&fit("linear", sparse(20, 6, 5), &y, None), sparse(3, 6, 6));
    let landmarks = RidgeSolver::Nystrom(NystromParams { landmarks: Some(8) });
    adds_up(
        &fit_with(Prepare::default(), landmarks, "rbf", (dense(40, 2, 7).into(), &[target(40)], None)),
        dense(4, 2, 8),
    );
}

#[test]
fn shares_and_slopes_are_their_definitions() {
    let (x, new) = (dense(15, 2, 9), dense(3, 2, 10));
    let pipeline = fit("rbf(length_scale=0.7)", x.clone(), &[target(15)], None);
    let found = explain(&pipeline, new.clone(), 4);
    let scales: Vec<(f64, f64)> =
        pipeline.preparation().standardizer.as_ref().expect("scaled").columns().map(|(_, m, s)| (m, s)).collect();
    let unit = pipeline.target_scaling().expect("scaled").scale[0];
    let z = |row: &[f64], j: usize| (row[j] - scales[j].0) / scales[j].1;
    let kernel = |a: &[f64], b: &[f64]| (-0.5 * (0..2).map(|j| ((z(a, j) - z(b, j)) / 0.7).powi(2)).sum::<f64>()).exp();
    let a = pipeline.model().coefficients();
    for (i, row) in found.rows.iter().enumerate() {
        for part in &row.parts[0].points {
            let k = kernel(new.row(i), x.row(part.point));
            assert!((part.kernel - k).abs() <= tol::GRAM_R2, "{part:?} {k}");
            assert!((part.share - unit * a[part.point] * k).abs() <= tol::GOLDEN * unit, "{part:?}");
        }
        for (j, (_, deviation)) in scales.iter().enumerate() {
            // ∂k/∂xⱼ = k·(zᵢⱼ − zⱼ)/ℓ², over the scale of the column.
            let term = |p: usize| a[p] * kernel(new.row(i), x.row(p)) * (z(x.row(p), j) - z(new.row(i), j)) / 0.49;
            let slope = unit * (0..15).map(term).sum::<f64>() / deviation;
            let effect = &row.columns[j];
            assert_eq!(effect.effect, Effect::Slope { deviation: *deviation });
            assert!((effect.values[0] - slope).abs() <= tol::GRAD * unit, "{effect:?} {slope}");
        }
    }
    // The points that are named come with their columns, in the units they had.
    for kept in &found.points {
        for (j, (name, value)) in kept.columns.iter().enumerate() {
            assert_eq!(*name, format!("x{j}"));
            let value = value.as_f64().expect("a number");
            assert!((value - x.row(kept.point)[j]).abs() <= tol::round(15) * scales[j].1, "{kept:?}");
        }
    }
}

/// A column far from zero and a target far from zero: the mean of neither costs digits.
#[test]
fn slopes_survive_large_means() {
    let x: Vec<f64> = (0..20).map(|i| 2000.0 + 0.1 * f64::from(i)).collect();
    let y = [("y".to_owned(), numbers(x.iter().map(|x| 1e6 + 3.0 * x)))];
    let table = Table::new(vec![("year".into(), numbers(x))]).expect("a column");
    let pipeline = fit_with(Prepare::default(), RidgeSolver::Eigen, "linear", (table.clone().into(), &y, None));
    let found = explain(&pipeline, table, 1);
    // alpha = 0.1 shrinks the slope by n/(n + alpha): the column is scaled.
    let slope = 3.0 * 20.0 / 20.1;
    for row in &found.rows {
        assert!((row.columns[0].values[0] - slope).abs() <= tol::GRAD * slope, "{:?}", row.columns);
    }
}

#[test]
fn categories_are_replaced_by_the_most_frequent_and_text_by_none() {
    let n = 30;
    let x = mixed(n, 11, false);
    let pipeline = fit(MIXED, x.clone(), &[target(n)], None);
    let new = mixed(5, 12, false);
    let found = explain(&pipeline, new.clone(), 2);
    let Some(Column::Category(city)) = x.column("city") else { panic!("a category") };
    let count = |level: &String| (0..n).filter(|&i| city.get(i) == Some(level)).count();
    let most = city.levels().iter().map(count).max();
    let value = |x: &Table| pipeline.predict(&x.clone().into(), &Run::new()).expect("rows").values;
    let with = |name: &str, column: Column| {
        let columns = new.iter().map(|(n, c)| (n.to_owned(), if n == name { column.clone() } else { c.clone() }));
        Table::new(columns.collect()).expect("the same columns")
    };
    for (i, row) in found.rows.iter().enumerate() {
        let names: Vec<&str> = row.columns.iter().map(|e| e.column.as_str()).collect();
        assert_eq!(names, ["age", "income", "city", "note"]);
        let Effect::Replaced { by } = &row.columns[2].effect else { panic!("a category") };
        assert_eq!(Some(count(by)), most, "{by}");
        let replaced = value(&with("city", words([by.as_str(); 5])));
        let wordless = value(&with("note", Column::from(Texts::from_values(vec![Some(""); 5]))));
        let plain = value(&new);
        for (effect, changed) in [(&row.columns[2], &replaced), (&row.columns[3], &wordless)] {
            assert!((effect.values[0] - (changed[i] - plain[i])).abs() <= tol::GOLDEN * plain[i].abs(), "{effect:?}");
        }
    }
}

#[test]
fn a_number_that_is_missing_has_no_slope() {
    let x = mixed(30, 13, true);
    let pipeline = fit_with(imputing(), RidgeSolver::Eigen, MIXED, (x.clone().into(), &[target(30)], None));
    let found = explain(&pipeline, x, 1);
    let has = |row: usize, name: &str| found.rows[row].columns.iter().any(|e| e.column == name);
    assert!(has(0, "income") && !has(2, "income") && has(2, "age"));
    // Filled, with the mark beside it.
    assert!(found.points[0].columns.iter().any(|(name, _)| name == "income_missing"), "{:?}", found.points[0]);
}
