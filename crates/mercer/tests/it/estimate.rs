//! The error with its ±, the worth of columns, results per class, verdicts, and models judged on new rows; each beside numbers that
//! are counted or computed again here.

use mercer::chance::Chance;
use mercer::data::{Categories, Column, Dataset, Inputs, Rows, Table, Texts, Weights, load};
use mercer::kernel::Registry;
use mercer::model::pipeline::{ExplainParams, Pipeline};
use mercer::plot::{Figure, Mark, importance_panel};
use mercer::report::score;
use mercer::select::{Asked, Comparison, Estimate, Finished, Job, Leading, Scores, Split};
use mercer::testkit::tol;
use mercer::{KernelExpr, Note, Run};

/// Rows of some columns x0, x1, … uniform on [0, 4], and a function of each with some noise.
fn numbers(n: usize, columns: usize, noise: f64, f: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut chance = Chance::new(5);
    let x: Vec<f64> = (0..columns * n).map(|_| 4.0 * chance.unit()).collect();
    let y: Vec<f64> = x.chunks(columns).map(|row| f(row) + noise * chance.normal()).collect();
    let inputs: Inputs = Rows::new(x, n, columns).expect("rows").into();
    Dataset { inputs, target: Some(("y".into(), Column::Number(y.into()))), ..load("iris").expect("a set") }
}

fn ridge(formula: &str) -> Job {
    let kernel = KernelExpr::parse(formula).ok();
    let learner = Asked::named("ridge").expect("a learner");
    Job { learner, kernel, alpha: Some(0.05), tune: false, ..Job::default() }
}

fn fit(job: &Job, data: &Dataset) -> Finished {
    job.fit(data, &Run::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn judged(job: &Job, data: &Dataset) -> Estimate {
    fit(job, data).estimate.expect("an estimate")
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-300), "{a} is not {b}");
}

/// The spread of a measure over the samples that leave one row out, √((n − 1)/n·Σ(θ₋ᵢ − θ̄)²).
fn jackknife(n: usize, measure: impl Fn(&dyn Fn(usize) -> bool) -> f64) -> f64 {
    let all: Vec<f64> = (0..n).map(|out| measure(&|i| i != out)).collect();
    let mean = all.iter().sum::<f64>() / n as f64;
    ((n - 1) as f64 / n as f64 * all.iter().map(|v| (v - mean).powi(2)).sum::<f64>()).sqrt()
}

#[test]
fn standard_errors_are_those_of_a_mean_and_of_the_jackknife() {
    let data = numbers(90, 2, 0.3, |x| (2.0 * x[0]).sin());
    let found = judged(&ridge("rbf(length_scale=0.5)"), &data);
    let Some(Scores::Regression { rmse, mae, r2 }) = found.standard_errors.model else { panic!("numbers") };
    let (n, pairs) = (found.pairs.len(), &found.pairs);
    let absolute: Vec<f64> = pairs.iter().map(|(y, f)| (y - f).abs()).collect();
    let mean = absolute.iter().sum::<f64>() / n as f64;
    let variance = absolute.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    near(mae, (variance / n as f64).sqrt(), tol::FEW_ROWS);
    let some =
        |keep: &dyn Fn(usize) -> bool| -> Vec<(f64, f64)> { (0..n).filter(|i| keep(*i)).map(|i| pairs[i]).collect() };
    let square = |rows: &[(f64, f64)]| rows.iter().map(|(y, f)| (y - f).powi(2)).sum::<f64>() / rows.len() as f64;
    near(rmse, jackknife(n, |keep| square(&some(keep)).sqrt()), 0.03);
    let explained = |rows: &[(f64, f64)]| {
        let mean = rows.iter().map(|p| p.0).sum::<f64>() / rows.len() as f64;
        let spread = rows.iter().map(|p| (p.0 - mean).powi(2)).sum::<f64>() / rows.len() as f64;
        1.0 - square(rows) / spread
    };
    near(r2, jackknife(n, |keep| explained(&some(keep))), 0.05);
}

#[test]
fn the_error_of_a_share_is_the_binomial_one() {
    let iris = load("iris").expect("iris");
    let job = Job { learner: Asked::named("logistic").expect("there"), ..ridge("rbf(length_scale=2)") };
    let found = judged(&job, &iris);
    let Scores::Classification { accuracy, .. } = found.model else { panic!("classes") };
    let Some(Scores::Classification { accuracy: error, log_loss: Some(loss) }) = found.standard_errors.model else {
        panic!("errors")
    };
    near(error, (accuracy * (1.0 - accuracy) / 149.0).sqrt(), tol::GOLDEN);
    let scores = found.scores.expect("probabilities");
    let losses: Vec<f64> = scores.truth.iter().zip(scores.values.chunks(3)).map(|(c, p)| -p[*c].ln()).collect();
    let mean = losses.iter().sum::<f64>() / 150.0;
    near(loss, (losses.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 149.0 / 150.0).sqrt(), tol::GOLDEN);
}

/// Rows of one group say the same, and four copies of a row are no four rows.
#[test]
fn rows_of_a_group_are_drawn_together() {
    let once = numbers(40, 1, 0.3, |x| (2.0 * x[0]).sin());
    let rows: Vec<usize> = (0..160).map(|i| i / 4).collect();
    let four = once.take(&rows);
    let job = Job { groups: Some(rows), split: Some(Split::Groups(5)), ..ridge("rbf(length_scale=0.5)") };
    let found = judged(&job, &four);
    let Some(Scores::Regression { mae, .. }) = found.standard_errors.model else { panic!("numbers") };
    let means: Vec<f64> =
        found.pairs.chunks(4).map(|g| g.iter().map(|(y, f)| (y - f).abs()).sum::<f64>() / 4.0).collect();
    let mean = means.iter().sum::<f64>() / 40.0;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 39.0;
    near(mae, (variance / 40.0).sqrt(), tol::GOLDEN);
}

/// With two rows in a fold there is one way to shuffle a column: both change places.
#[test]
fn importance_is_that_of_columns_exchanged_by_hand() {
    let data = numbers(24, 3, 0.1, |x| x[0] * x[0] + 0.5 * x[1]);
    let job = Job { split: Some(Split::Folds(12)), ..ridge("rbf(length_scale=2)") };
    let found = judged(&job, &data).importance.expect("columns");
    assert_eq!((found.measure, found.rows, found.left_out), (Leading::Rmse, 24, 0));
    let folds = Split::Folds(12).folds(24, None, None, 0).expect("folds");
    let (Inputs::Dense(x), Some((_, Column::Number(y)))) = (&data.inputs, &data.target) else { panic!("numbers") };
    let (mut own, mut exchanged) = (0.0, [0.0; 3]);
    for fold in &folds {
        let pipeline = fit(&Job { estimate: false, ..job.clone() }, &data.take(&fold.train)).pipeline;
        let predict = |rows: Vec<f64>| {
            pipeline.predict(&Rows::new(rows, 2, 3).expect("two rows").into(), &Run::new()).expect("values").values
        };
        let [a, b] = [fold.test[0], fold.test[1]];
        let square = |values: Vec<f64>| (values[0] - y[a]).powi(2) + (values[1] - y[b]).powi(2);
        own += square(predict([x.row(a), x.row(b)].concat()));
        for (j, sum) in exchanged.iter_mut().enumerate() {
            let mut rows = [x.row(a), x.row(b)].concat();
            rows.swap(j, 3 + j);
            *sum += square(predict(rows));
        }
    }
    near(found.error, (own / 24.0).sqrt(), tol::GOLDEN);
    for column in &found.columns {
        let j: usize = column.column[1..].parse().expect("x0, x1 or x2");
        near(column.error, (exchanged[j] / 24.0).sqrt(), tol::GOLDEN);
        near(column.increase, column.error - found.error, tol::GOLDEN);
    }
    assert_eq!(found.columns[0].column, "x0");
}

/// In the mean over all rows that a value may come from.
#[test]
fn importance_is_near_the_mean_over_all_exchanges() {
    let data = numbers(200, 2, 0.2, |x| (1.5 * x[0]).sin() + 0.2 * x[1]);
    let job = Job { split: Some(Split::HoldOut(0.4)), ..ridge("rbf(length_scale=1)") };
    let found = judged(&job, &data).importance.expect("columns");
    let fold = Split::HoldOut(0.4).folds(200, None, None, 0).expect("a fold").swap_remove(0);
    let pipeline = fit(&Job { estimate: false, ..job }, &data.take(&fold.train)).pipeline;
    let (Inputs::Dense(x), Some((_, Column::Number(y)))) = (&data.inputs, &data.target) else { panic!("numbers") };
    for column in &found.columns {
        let j: usize = column.column[1..].parse().expect("x0 or x1");
        let (mut sum, mut count) = (0.0, 0.0);
        for &i in &fold.test {
            let rows: Vec<f64> = fold
                .test
                .iter()
                .filter(|k| **k != i)
                .flat_map(|k| (0..2).map(move |c| x.row(if c == j { *k } else { i })[c]))
                .collect();
            let m = rows.len() / 2;
            let values = pipeline.predict(&Rows::new(rows, m, 2).expect("rows").into(), &Run::new()).expect("values");
            sum += values.values.iter().map(|f| (f - y[i]).powi(2)).sum::<f64>();
            count += m as f64;
        }
        let all = (sum / count).sqrt();
        let error = column.standard_error.expect("many rows");
        assert!((column.error - all).abs() < 4.0 * error, "{}: {} of {all} ± {error}", column.column, column.error);
    }
}

#[test]
fn columns_that_say_nothing_are_worth_nothing() {
    let data = numbers(60, 3, 0.1, |x| x[1]);
    let found = judged(&ridge("rbf(x1, length_scale=1)"), &data).importance.expect("columns");
    assert_eq!(found.columns[0].column, "x1");
    for unread in &found.columns[1..] {
        assert!(unread.increase == 0.0 && found.is_nothing(unread), "{unread:?}");
    }
    assert!(found.columns[0].increase > 10.0 * found.columns[0].standard_error.expect("an error"));
}

#[test]
fn classes_are_counted() {
    let iris = load("iris").expect("iris");
    let job = Job { learner: Asked::named("logistic").expect("there"), ..ridge("rbf(sepal_width_cm, length_scale=1)") };
    let found = judged(&job, &iris);
    let scores = found.scores.as_ref().expect("probabilities");
    let largest = |p: &[f64]| (1..3).fold(0, |best, c| if p[c] > p[best] { c } else { best });
    let answers: Vec<usize> = scores.values.chunks(3).map(largest).collect();
    for (c, result) in found.classes.iter().enumerate() {
        let count = |truth: bool, answer: bool| {
            let is = |(t, a): (&usize, &usize)| (*t == c) == truth && (*a == c) == answer;
            scores.truth.iter().zip(&answers).filter(|pair| is(*pair)).count() as f64
        };
        let (hit, missed, alarm) = (count(true, true), count(true, false), count(false, true));
        assert_eq!((result.rows, result.predicted), (hit + missed, hit + alarm));
        near(result.precision.expect("predicted"), hit / (hit + alarm), tol::GOLDEN);
        near(result.recall.expect("rows"), hit / (hit + missed), tol::GOLDEN);
        near(result.f1.expect("rows"), 2.0 * hit / (2.0 * hit + missed + alarm), tol::GOLDEN);
    }
    assert!(found.calibration_error.is_some_and(|e| e < 0.2) && found.roc_area.is_some_and(|a| a > 0.7));
}

#[test]
fn verdicts_say_who_wins() {
    let kind = |data: &Dataset, job: &Job| judged(job, data).verdict.expect("a verdict").kind;
    let rbf = ridge("rbf(length_scale=0.7)");
    assert_eq!(kind(&numbers(120, 1, 0.1, |x| (3.0 * x[0]).sin()), &rbf), Comparison::Better);
    let chance = numbers(60, 2, 1.0, |_| 0.0);
    let found = judged(&ridge("rbf(length_scale=0.2)"), &chance).verdict.expect("a verdict");
    assert_eq!(found.kind, Comparison::NothingLearnt);
    assert!(found.sentence.contains("the mean of the target predicts as well"), "{}", found.sentence);
    // A kernel that sees nothing but its neighbours, where a line goes through all.
    let line = numbers(80, 4, 0.3, |x| x.iter().sum());
    let found = judged(&ridge("rbf(length_scale=0.5)"), &line).verdict.expect("a verdict");
    assert_eq!(found.kind, Comparison::LinearBetter);
    assert!(found.sentence.ends_with("take the kernel `linear`"), "{}", found.sentence);
    assert_eq!(kind(&line, &ridge("linear")), Comparison::LinearAsGood);
}

fn with_categories(n: usize) -> Dataset {
    let mut chance = Chance::new(9);
    let x: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
    let (a, b): (Vec<usize>, Vec<usize>) = (0..n).map(|_| (chance.below(3), chance.below(2))).unzip();
    let y: Vec<f64> = (0..n).map(|i| x[i] + 3.0 * a[i] as f64 - 4.0 * b[i] as f64 + 0.1 * chance.normal()).collect();
    let words = |codes: &[usize]| Categories::from_values(codes.iter().map(|c| Some(format!("k{c}"))));
    let columns = vec![("x".into(), Column::from(x)), ("a".into(), words(&a).into()), ("b".into(), words(&b).into())];
    let inputs = Table::new(columns).expect("a table").into();
    Dataset { inputs, target: Some(("y".into(), Column::Number(y.into()))), ..load("iris").expect("a set") }
}

#[test]
fn the_linear_model_reads_categories() {
    let data = with_categories(80);
    let found = judged(&ridge("rbf*(hamming + 1)"), &data);
    let Some(Scores::Regression { r2, .. }) = found.linear else { panic!("{:?}", found.no_linear) };
    assert!(r2 > 0.98, "a sum of effects is linear, R² {r2}");
    let alone = Dataset {
        inputs: Table::new(vec![("a".into(), data.table().expect("a table").column("a").expect("a").clone())])
            .expect("one")
            .into(),
        ..data
    };
    assert!(judged(&ridge("hamming"), &alone).linear.is_some());
}

#[test]
fn a_saved_model_keeps_its_error() {
    let done = fit(&ridge("rbf(x, length_scale=1) + hamming"), &with_categories(40));
    let bytes = done.described("rows", None, &Asked::default()).expect("a pipeline").to_bytes().expect("bytes");
    let read = Pipeline::from_bytes(&bytes, &Registry::new()).expect("a model");
    let (kept, own) = (Estimate::of(&read).expect("an estimate"), done.estimate.expect("an estimate"));
    assert_eq!((kept.model, kept.standard_errors, &kept.verdict), (own.model, own.standard_errors, &own.verdict));
    assert_eq!((kept.importance, kept.split), (own.importance, own.split));
    assert_eq!(read.settings()["complete"], true);
    assert!(Estimate::of(&done.pipeline).is_none());
}

#[test]
fn scores_on_new_rows_are_those_of_the_formulas() {
    let data = with_categories(60);
    let pipeline = fit(&Job { estimate: false, ..ridge("rbf(x, length_scale=1) + hamming") }, &data).pipeline;
    let new = with_categories(90).take(&(60..90).collect::<Vec<_>>());
    let Some((_, Column::Number(y))) = &new.target else { panic!("numbers") };
    let values = pipeline.predict(&new.inputs, &Run::new()).expect("values").values;
    let mut gaps = y.to_vec();
    gaps[3] = f64::NAN;
    let weights: Vec<f64> = (0..30).map(|i| f64::from(i % 4)).collect();
    let weighed = Weights::new(weights.clone()).expect("weights");
    let gap = Dataset { target: Some(("y".into(), Column::Number(gaps.into()))), ..new.clone() };
    let report = score(&pipeline, &gap, Some(&weighed), &Run::new()).expect("a report");
    let kept: Vec<usize> = (0..30).filter(|i| *i != 3 && weights[*i] > 0.0).collect();
    assert_eq!((report.rows, report.left_out), (kept.len(), 30 - kept.len()));
    let total: f64 = kept.iter().map(|i| weights[*i]).sum();
    let mean = |of: &dyn Fn(usize) -> f64| kept.iter().map(|i| weights[*i] * of(*i)).sum::<f64>() / total;
    let Scores::Regression { rmse, mae, .. } = report.scores else { panic!("numbers") };
    near(rmse, mean(&|i| (y[i] - values[i]).powi(2)).sqrt(), tol::GOLDEN);
    near(mae, mean(&|i| (y[i] - values[i]).abs()), tol::GOLDEN);
    let bias = report.measures.iter().find(|m| m.name == "bias").expect("a bias");
    near(bias.value, mean(&|i| values[i] - y[i]), tol::EIGHT_DIGITS);
    let centre = mean(&|i| values[i] - y[i]);
    let squares: f64 = kept.iter().map(|i| (weights[*i] * (values[*i] - y[*i] - centre)).powi(2)).sum();
    let g = kept.len() as f64;
    near(bias.standard_error.expect("rows"), (g / (g - 1.0) * squares).sqrt() / total, tol::EIGHT_DIGITS);
    // The target may stand among the columns.
    let whole = new.without_target().expect("a table");
    assert_eq!(score(&pipeline, &whole, None, &Run::new()).expect("a report").rows, 30);
    let without = Dataset { target: None, ..new };
    assert!(score(&pipeline, &without, None, &Run::new()).is_err_and(|e| e.to_string().contains("`y`")));
}

#[test]
fn rows_without_an_answer_are_not_scored() {
    let data = with_categories(60);
    let pipeline = fit(&Job { estimate: false, ..ridge("rbf(x, length_scale=1) + hamming") }, &data).pipeline;
    let new = with_categories(90).take(&(60..90).collect::<Vec<_>>());
    let Inputs::Table(table) = &new.inputs else { panic!("a table") };
    let gap = |(name, column): (&str, &Column)| match column {
        Column::Number(x) => {
            let mut x = x.to_vec();
            (x[2], x[7]) = (f64::NAN, f64::NAN);
            (name.to_owned(), Column::Number(x.into()))
        }
        other => (name.to_owned(), other.clone()),
    };
    let gaps = |table: &Table| Dataset {
        inputs: Table::new(table.iter().map(gap).collect()).expect("a table").into(),
        ..new.clone()
    };
    let report = score(&pipeline, &gaps(table), None, &Run::new()).expect("a report");
    let whole: Vec<usize> = (0..30).filter(|i| ![2, 7].contains(i)).collect();
    let of_whole = score(&pipeline, &new.take(&whole), None, &Run::new()).expect("a report");
    assert_eq!((report.rows, report.left_out, report.scores), (28, 2, of_whole.scores));
    let note = report.notes.iter().find(|note| matches!(note, Note::RowsNotAnswered { .. })).expect("it is said");
    assert!(note.to_string().contains("rows 2, 7"), "{note}");
    let none = gaps(table).take(&[2, 7]);
    let error = score(&pipeline, &none, None, &Run::new()).expect_err("nothing is left").to_string();
    assert!(error.contains("all values that the model needs"), "{error}");
}

#[test]
fn a_class_that_training_had_not_is_a_mistake() {
    let iris = load("iris").expect("iris");
    let job =
        Job { learner: Asked::named("logistic").expect("there"), estimate: false, ..ridge("rbf(length_scale=2)") };
    let two: Vec<usize> = (0..100).collect();
    let pipeline = fit(&job, &iris.take(&two)).pipeline;
    let report = score(&pipeline, &iris.take(&(50..120).collect::<Vec<_>>()), None, &Run::new()).expect("a report");
    let Scores::Classification { accuracy, log_loss: Some(loss) } = report.scores else { panic!("classes") };
    assert!(accuracy <= 50.0 / 70.0 && loss > 36.0 * 20.0 / 70.0, "{accuracy} {loss}");
    let virginica = report.classes.iter().find(|c| c.class == "virginica").expect("a class of the truth");
    assert_eq!((virginica.rows, virginica.recall, virginica.precision), (20.0, Some(0.0), None));
    assert!(report.notes.iter().any(|n| n.to_string().contains("20 rows are of a class that training had not")));
}

#[test]
fn odd_rows_are_judged_all_the_same() {
    // Six rows, one column, one that is the same everywhere.
    let six = numbers(6, 1, 0.1, |x| x[0]);
    let found = judged(&ridge("rbf(length_scale=1)"), &six);
    assert!(found.importance.is_none() && found.verdict.is_some() && found.standard_errors.model.is_some());
    let mut table = with_categories(30).table().and_then(|t| t.without("y")).expect("a table");
    table = Table::new(
        table
            .iter()
            .map(|(n, c)| (n.to_owned(), c.clone()))
            .chain([("same".into(), Column::from(vec![2.5; 30]))])
            .collect(),
    )
    .expect("one more");
    let data = Dataset { inputs: table.into(), ..with_categories(30) };
    let found = judged(&ridge("rbf + hamming"), &data).importance.expect("columns");
    let same = found.columns.iter().find(|c| c.column == "same").expect("the constant one");
    assert_eq!(same.increase, 0.0);
    // No probabilities: the share of errors leads.
    let iris = load("iris").expect("iris");
    let machine = Job { learner: Asked::named("svc").expect("there"), alpha: None, ..ridge("rbf(length_scale=2)") };
    let found = judged(&machine, &iris);
    assert_eq!(found.importance.expect("columns").measure, Leading::ErrorRate);
    assert!(found.calibration.is_none());
    // Quantiles.
    let learner = Asked::named("quantiles").expect("there");
    let found = judged(&Job { learner, ..ridge("rbf(length_scale=1)") }, &numbers(40, 2, 0.3, |x| x[0]));
    assert_eq!(found.importance.expect("columns").measure, Leading::Pinball);
    assert!(matches!(found.standard_errors.model, Some(Scores::Quantiles { nominal: 0.0, .. })));
    // Text.
    let words = (0..30).map(|i| Some(["good thing", "bad idea", "fine day"][i % 3].to_owned() + &i.to_string()));
    let text = Table::new(vec![("words".into(), Column::from(Texts::from_values(words)))]).expect("a table");
    let y: Vec<f64> = (0..30).map(|i| (i % 3) as f64 + 0.01 * i as f64).collect();
    let data = Dataset { inputs: text.into(), target: Some(("y".into(), Column::from(y))), ..iris };
    let found = judged(&ridge("normalize(ngram(n=3))"), &data);
    assert!(found.importance.expect("a column").columns[0].increase > 0.0);
    assert!(found.linear.is_none() && found.no_linear.is_some());
}

/// Two hundred classes of three rows each.
#[test]
fn many_classes_are_judged() {
    let n = 600;
    let x: Vec<f64> = (0..n).map(|i| (i % 200) as f64 + 0.1 * (i / 200) as f64).collect();
    let words = Categories::from_values((0..n).map(|i| Some(format!("class {:03}", i % 200))));
    let inputs: Inputs = Rows::new(x, n, 1).expect("rows").into();
    let data = Dataset { inputs, target: Some(("kind".into(), words.into())), ..load("iris").expect("a set") };
    let job = Job { split: Some(Split::Folds(3)), ..ridge("rbf(length_scale=0.01)") };
    let found = judged(&job, &data);
    assert_eq!(found.classes.len(), 200);
    let Scores::Classification { accuracy, .. } = found.model else { panic!("classes") };
    assert!(accuracy > 0.9, "{accuracy}");
}

/// Of a linear function every order gives the same: the slope times the distance from the mean.
#[test]
fn effects_of_a_linear_function_are_slopes_times_distances() {
    let data = numbers(40, 3, 0.1, |x| 2.0 * x[0] - x[1]);
    let pipeline = fit(&Job { estimate: false, ..ridge("linear") }, &data).pipeline;
    let found = pipeline.explain(&data.inputs, &ExplainParams::default(), &Run::new()).expect("an explanation");
    let Inputs::Dense(x) = &data.inputs else { panic!("dense") };
    let mean = |j: usize| (0..40).map(|i| x.row(i)[j]).sum::<f64>() / 40.0;
    let predicted = pipeline.predict(&data.inputs, &Run::new()).expect("values").values;
    near(found.mean[0], predicted.iter().sum::<f64>() / 40.0, tol::GOLDEN);
    for (i, row) in found.rows.iter().enumerate() {
        for (j, (effect, slope)) in row.effects.iter().zip(&row.columns).enumerate() {
            let wanted = slope.values[0] * (x.row(i)[j] - mean(j));
            assert!((effect.values[0] - wanted).abs() < tol::EIGHT_DIGITS, "{} of row {i}: {wanted}", effect.column);
        }
        assert!(row.nearest.iter().all(|near| near.similarity <= 1.0));
    }
}

/// A column that no other works together with, of a function that is a sum: its effect is known without any order.
#[test]
fn effects_of_a_sum_are_those_of_its_parts() {
    let data = with_categories(45);
    let pipeline =
        fit(&Job { estimate: false, ..ridge("rbf(x, length_scale=1) + delta(a) + delta(b)") }, &data).pipeline;
    let found = pipeline.explain(&data.inputs, &ExplainParams::default(), &Run::new()).expect("an explanation");
    let Inputs::Table(table) = &data.inputs else { panic!("a table") };
    let a = table.column("a").expect("a column");
    for i in 0..5 {
        // The mean change if a came from each row of training.
        let all: Vec<(String, Column)> = table
            .iter()
            .map(|(name, column)| (name.to_owned(), if name == "a" { a.clone() } else { column.take(&[i; 45]) }))
            .collect();
        let other = pipeline.predict(&Table::new(all).expect("a table").into(), &Run::new()).expect("values").values;
        let wanted = found.rows[i].values[0] - other.iter().sum::<f64>() / 45.0;
        let effect = found.rows[i].effects.iter().find(|e| e.column == "a").expect("an effect");
        assert!((effect.values[0] - wanted).abs() < tol::GOLDEN, "{} is not {wanted}", effect.values[0]);
    }
}

#[test]
fn partial_dependence_is_a_mean_over_rows() {
    let data = with_categories(45);
    let pipeline = fit(&Job { estimate: false, ..ridge("rbf(x, length_scale=1)*(hamming + 1)") }, &data).pipeline;
    let found = pipeline.partial_dependence(&["x", "b", "none"], &Run::new()).expect("columns");
    assert_eq!(found.iter().map(|f| f.column.as_str()).collect::<Vec<_>>(), ["x", "b"]);
    let Inputs::Table(table) = &data.inputs else { panic!("a table") };
    for one in &found {
        for (at, value) in one.at.iter().zip(&one.values) {
            let same: Column = match at.as_f64() {
                Some(number) => vec![number; 45].into(),
                None => Categories::from_values((0..45).map(|_| at.as_str())).into(),
            };
            let columns = table.iter().map(|(name, column)| {
                (name.to_owned(), if name == one.column { same.clone() } else { column.clone() })
            });
            let x = Table::new(columns.collect()).expect("a table").into();
            let all = pipeline.predict(&x, &Run::new()).expect("values").values;
            assert!((value - all.iter().sum::<f64>() / 45.0).abs() < tol::GOLDEN, "{} at {at}", one.column);
        }
    }
}

/// The picture holds the numbers.
#[test]
fn importance_is_drawn() {
    let data = numbers(60, 3, 0.1, |x| x[1]);
    let found = judged(&ridge("rbf(length_scale=1)"), &data).importance.expect("columns");
    let panel = importance_panel(&found).expect("columns");
    let points: Vec<&Vec<[f64; 2]>> =
        panel.series.iter().filter_map(|s| if let Mark::Points(p) = &s.mark { Some(p) } else { None }).collect();
    let wanted: Vec<[f64; 2]> = found.columns.iter().enumerate().map(|(i, c)| [c.increase, i as f64]).collect();
    assert_eq!(points, [&wanted]);
    assert!(Figure::of(panel).svg().expect("a picture").contains("increase of RMSE"));
}
