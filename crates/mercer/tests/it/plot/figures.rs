//! The pictures of a fit hold what the fit says.

use mercer::data::{MissingPolicy, load};
use mercer::model::Fitted;
use mercer::model::pipeline::Prepare;
use mercer::model::regress::{Alpha, KernelRidge};
use mercer::plot::{
    Mark, Scale, alpha_path, calibration_of, confusion_matrix, fit_sheet, predicted_against_true, residuals, roc_of,
};
use mercer::select::{Finished, HowFitted, Job, Split};
use mercer::{KernelExpr, Run};

fn fit(target: &str, job: Job) -> Finished {
    let data = load("penguins").and_then(|d| d.with_target(target)).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let kernel = KernelExpr::parse("rbf + delta(sex)").ok();
    let job = Job { prepare, kernel, tune: false, split: Some(Split::Folds(3)), ..job };
    job.fit(&data, &Run::new()).expect("a model")
}

#[test]
fn a_regression_shows_its_pairs_and_its_path() {
    let done = fit("body_mass_g", Job::default());
    let estimate = done.estimate.as_ref().expect("an estimate");
    let panel = predicted_against_true(estimate).expect("a regression");
    let Mark::Points(points) = &panel.series[0].mark else { panic!("points come first") };
    assert_eq!(points.len(), 333);
    // Σ over the rows is the same in any order, and the truth is that of the data.
    let mean = points.iter().map(|p| p[0]).sum::<f64>() / 333.0;
    assert!((mean - 4207.057).abs() < 1e-3, "the mean body mass is 4207.057 g, got {mean}");
    assert!(confusion_matrix(estimate).is_none());
    let path = alpha_path(&done.report).expect("alpha was chosen");
    assert_eq!(path.x.scale, Scale::Log);
    let lines: Vec<&Vec<[f64; 2]>> =
        path.series.iter().filter_map(|s| if let Mark::Line(p) = &s.mark { Some(p) } else { None }).collect();
    assert_eq!(lines.len(), 1);
    assert!(lines.iter().all(|line| line.len() == done.report.path.len()));
    let ring = path.series.iter().find_map(|s| if let Mark::Rings(p) = &s.mark { p.first() } else { None });
    let [alpha, error] = *ring.expect("the one that was taken");
    assert_eq!(Some(alpha), done.report.alpha());
    let best = done.report.path.iter().map(|t| t.score).fold(f64::INFINITY, f64::min);
    assert_eq!(error, best);
    assert!(path.y.label.starts_with("leave-one-out"), "{}", path.y.label);
    let sheet = fit_sheet(&done);
    assert_eq!((sheet.panels.len(), sheet.notes.len()), (4, 0));
    // Errors of the sheet are in units of the target, and so is that of alpha.
    let last = sheet.panels.last().expect("a panel");
    let ring = last.series.iter().find_map(|s| if let Mark::Rings(p) = &s.mark { p.first() } else { None });
    let scale = done.pipeline.target_scaling().expect("a scale").scale[0];
    assert!((ring.expect("the one that was taken")[1] - scale * best.sqrt()).abs() < 1e-9 * scale);
    assert_eq!(last.y.label, "leave-one-out RMSE");
    let Mark::Points(left) = &residuals(estimate).expect("a regression").series[0].mark else { panic!("points") };
    let rest: f64 = left.iter().map(|p| p[1].powi(2)).sum::<f64>() / 333.0;
    let mercer::select::Scores::Regression { rmse, .. } = estimate.model else { panic!("numbers") };
    assert!((rest.sqrt() - rmse).abs() < 1e-9 * rmse, "{rest} {rmse}");
    assert_eq!(sheet.scene().expect("a scene").notes, []);
}

#[test]
fn a_classification_shows_its_confusion() {
    let done = fit("species", Job { alpha: Some(0.1), ..Job::default() });
    let estimate = done.estimate.as_ref().expect("an estimate");
    let confusion = estimate.confusion.as_ref().expect("classes");
    assert_eq!(confusion.classes, ["Adelie", "Chinstrap", "Gentoo"]);
    let of_class: Vec<f64> = confusion.counts.chunks(3).map(|row| row.iter().sum()).collect();
    assert_eq!(of_class, [146.0, 68.0, 119.0], "333 penguins without missing values");
    let right: f64 = (0..3).map(|i| confusion.counts[4 * i]).sum();
    let mercer::select::Scores::Classification { accuracy, .. } = estimate.model else { panic!("classes") };
    assert_eq!(right / 333.0, accuracy);
    assert!(predicted_against_true(estimate).is_none());
    let scores = estimate.scores.as_ref().expect("probabilities");
    assert_eq!((scores.truth.len(), scores.values.len(), scores.probabilities), (333, 999, true));
    assert!(scores.values.chunks(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    let largest = |row: &[f64]| (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b]));
    let hits = scores.values.chunks(3).zip(&scores.truth).filter(|(row, t)| largest(row) == Some(**t)).count();
    assert_eq!(hits as f64 / 333.0, accuracy);
    assert_eq!(roc_of(scores).expect("curves").series.len(), 1 + 3);
    assert!(calibration_of(scores).is_some());
    let sheet = fit_sheet(&done);
    assert_eq!(sheet.panels.len(), 4, "confusion, ROC, calibration and importance; alpha was given");
    assert!(sheet.notes[0].to_string().contains("alpha was not chosen"), "{:?}", sheet.notes);
    assert!(sheet.svg().expect("a picture").contains(">Chinstrap<"));
}

#[test]
fn nothing_to_draw_is_said() {
    let done = fit("species", Job { alpha: Some(0.1), estimate: false, ..Job::default() });
    let sheet = fit_sheet(&done);
    assert_eq!((sheet.panels.len(), sheet.notes.len()), (0, 2));
    sheet.svg().expect_err("no panel");
}

/// An alpha that only the other score has as its best was chosen by the other.
#[test]
fn the_path_is_that_of_the_score_that_chose() {
    let iris = load("iris").expect("iris");
    let prepared = Prepare::default().fit(&iris, None).expect("points");
    let ridge = KernelRidge { alpha: Alpha::Loo(vec![0.1, 1.0, 10.0]), ..KernelRidge::default() };
    let fitted = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("a fit");
    let path = |fitted: &Fitted| alpha_path(&HowFitted::of_fit(fitted)).expect("a path");
    assert!(path(&fitted).y.label.starts_with("leave-one-out"));
    let mut other = fitted;
    let taken = other.report.scores.iter().position(|s| Some(s.alpha) == other.model.alpha()).expect("of the list");
    (other.report.scores[taken].loo, other.report.scores[taken].gcv) = (Some(f64::MAX), 0.0);
    assert!(path(&other).y.label.starts_with("GCV"));
}

#[test]
fn a_logistic_fit_shows_its_log_loss() {
    let done = fit("species", Job::default());
    let path = alpha_path(&done.report).expect("alpha was chosen");
    assert!(path.y.label.starts_with("log-loss"), "{}", path.y.label);
    let confusion = confusion_matrix(done.estimate.as_ref().expect("an estimate")).expect("classes");
    assert!(confusion.subtitle.contains("log-loss 0."), "{}", confusion.subtitle);
}
