//! Panels hold the numbers of their results, computed again here from the definitions.

use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::model::Cost;
use mercer::model::classify::Svc;
use mercer::model::gp::GaussianProcessRegressor;
use mercer::model::regress::{Alpha, KernelRidge};
use mercer::plot::{
    Axis, CurveChoices, Field, Figure, Form, Heat, Mark, Panel, Window, convergence, decision_map, discrimination_map,
    distance_curve, distance_map, effective_dimension, eigenvalues, gram_heat, model_curve, projection,
};
use mercer::report::SpectrumReport;
use mercer::rkhs::{Barycentre, Discrimination, Space, Spectrum};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::judge::judge;

fn rows(values: &[f64], columns: usize) -> Inputs {
    Rows::new(values.to_vec(), values.len() / columns, columns).expect("rows").into()
}

fn space(formula: &str, x: &Inputs) -> Space {
    Space::new(&KernelExpr::parse(formula).expect("a formula"), x, &Run::new()).expect("a space")
}

/// xy, or exp(−‖x − y‖²/(2σ²)).
fn kernel(sigma: Option<f64>) -> impl Fn(&[f64], &[f64]) -> f64 {
    move |x, y| match sigma {
        None => x.iter().zip(y).map(|(a, b)| a * b).sum(),
        Some(s) => (-x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / (2.0 * s * s)).exp(),
    }
}

/// d(x, S)² = k(x, x) − (2/n)·Σ k(x, xᵢ) + (1/n²)·Σ k(xᵢ, xⱼ).
fn squared_distance(sigma: Option<f64>, x: &[f64], set: &[Vec<f64>]) -> f64 {
    let (k, n) = (kernel(sigma), set.len() as f64);
    let cross: f64 = set.iter().map(|s| k(x, s)).sum();
    let within: f64 = set.iter().flat_map(|s| set.iter().map(|t| k(s, t)).collect::<Vec<_>>()).sum();
    k(x, x) - 2.0 / n * cross + within / (n * n)
}

fn field(panel: &Panel) -> &Field {
    let found = panel.series.iter().find_map(|s| if let Mark::Field(f) = &s.mark { Some(f) } else { None });
    found.expect("a field")
}

fn points(panel: &Panel, name: &str) -> Vec<[f64; 2]> {
    let found = panel.series.iter().find(|s| s.name.as_deref() == Some(name)).map(|s| &s.mark);
    let Some(Mark::Points(points)) = found else { panic!("no points `{name}`") };
    points.clone()
}

const KERNELS: [(&str, Option<f64>); 3] =
    [("linear", None), ("rbf(length_scale=1)", Some(1.0)), ("rbf(length_scale=0.2)", Some(0.2))];

#[test]
fn distances_to_a_set_on_the_line_are_those_of_the_definition() {
    let set = rows(&[2.0, 3.0], 1);
    for (formula, sigma) in KERNELS {
        let barycentre = Barycentre::fit(&space(formula, &set), &set, None, &Run::new()).expect("a set");
        let panel = distance_curve(&barycentre, (0.0, 5.0), &Run::new()).expect("a panel");
        let Mark::Line(curve) = &panel.series[0].mark else { panic!("a line comes first") };
        assert_eq!((curve.len(), curve[0][0], curve[400][0]), (401, 0.0, 5.0));
        for [x, d] in curve {
            let expected = squared_distance(sigma, &[*x], &[vec![2.0], vec![3.0]]).max(0.0);
            assert!((d * d - expected).abs() < 1e-12, "{formula} at {x}: {} {expected}", d * d);
        }
        assert_eq!(points(&panel, "S").iter().map(|p| p[0]).collect::<Vec<_>>(), [2.0, 3.0]);
        assert!(Figure::of(panel).svg().expect("a picture").contains(formula));
    }
}

#[test]
fn maps_of_sets_are_those_of_the_definition() {
    let (s, s1, s2) = ([1.0, 1.0, 1.0, 2.0, 2.0, 2.0], [1.0, 1.0, 1.0, 2.0], [1.0, 3.0, 2.0, 2.0]);
    let list = |v: &[f64]| v.chunks(2).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let window = Window { columns: 31, rows: 21, ..Window::new((0.0, 3.0), (0.0, 4.0)) };
    let place = |at: usize| [3.0 * (at % 31) as f64 / 30.0, 4.0 * (at / 31) as f64 / 20.0];
    for (formula, sigma) in KERNELS {
        let run = Run::new();
        let fit = |v: &[f64]| Barycentre::fit(&space(formula, &rows(v, 2)), &rows(v, 2), None, &run).expect("a set");
        let panel = distance_map(&fit(&s), &window, &run).expect("a panel");
        for (at, d) in field(&panel).values.iter().enumerate() {
            let expected = squared_distance(sigma, &place(at), &list(&s));
            assert!((d * d - expected).abs() < 1e-11, "{formula}: {} {expected}", d * d);
        }
        assert!(!field(&panel).levels.is_empty());
        let sets = Discrimination::new(fit(&s1), fit(&s2)).expect("two sets");
        let panel = discrimination_map(&sets, &window, &run).expect("a panel");
        for (at, f) in field(&panel).values.iter().enumerate() {
            let x = place(at);
            let expected = squared_distance(sigma, &x, &list(&s1)) - squared_distance(sigma, &x, &list(&s2));
            assert!((f - expected).abs() < 1e-11, "{formula}: {f} {expected}");
        }
        let Mark::Curves(border) = &panel.series[1].mark else { panic!("the border") };
        assert!(!border.is_empty(), "{formula}");
        assert_eq!((points(&panel, "S₁").len(), points(&panel, "S₂").len()), (2, 2));
        // With the linear kernel the border is the straight line 2⟨μ₂ − μ₁, x⟩ = ‖μ₂‖² − ‖μ₁‖².
        if sigma.is_none() {
            let on = |p: &[f64; 2]| {
                2.0 * (0.5 * p[0] + 1.0 * p[1]) - (1.5f64.powi(2) + 2.5f64.powi(2) - 1.0 - 1.5f64.powi(2))
            };
            assert!(border.iter().flatten().all(|p| on(p).abs() < 1e-9));
        }
        judge(&Figure::of(panel).svg().expect("a picture"));
    }
}

#[test]
fn maps_ask_for_points_of_the_plane() {
    let set = rows(&[1.0, 2.0, 3.0], 3);
    let barycentre = Barycentre::fit(&space("linear", &set), &set, None, &Run::new()).expect("a set");
    let window = Window::new((0.0, 1.0), (0.0, 1.0));
    let error = distance_map(&barycentre, &window, &Run::new()).expect_err("three columns");
    assert!(error.to_string().contains("two columns of numbers") && error.to_string().contains('3'), "{error}");
    let error = distance_curve(&barycentre, (0.0, 1.0), &Run::new()).expect_err("three columns");
    assert!(error.to_string().contains("one column"), "{error}");
    let flat = Window::new((1.0, 1.0), (0.0, 1.0));
    let two = rows(&[1.0, 2.0], 2);
    let barycentre = Barycentre::fit(&space("linear", &two), &two, None, &Run::new()).expect("a set");
    distance_map(&barycentre, &flat, &Run::new()).expect_err("an empty window");
    // One point, and points that are all equal, have a window around them.
    assert_eq!(Window::around(&[[3.0, 0.0]]).x, (0.0, 6.0));
    assert_eq!(Window::around(&[]).x, (0.0, 1.0));
}

#[test]
fn a_curve_is_the_function_with_its_band() {
    let run = Run::new();
    let x: Vec<f64> = (0..12).map(|i| f64::from(i) / 2.0).collect();
    let y: Vec<f64> = x.iter().map(|v| v.sin()).collect();
    let (inputs, targets) = (rows(&x, 1), Targets::new(y.clone(), 1).expect("numbers"));
    let observed: Vec<[f64; 2]> = x.iter().zip(&y).map(|(a, b)| [*a, *b]).collect();
    let formula = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
    let ridge = KernelRidge { kernel: formula.clone(), alpha: Alpha::Value(0.1), ..KernelRidge::default() };
    let model = ridge.fit(&inputs, &targets, None, &run).expect("a fit").model;
    let choices = CurveChoices { range: Some((0.0, 5.5)), ..CurveChoices::default() };
    let panel = model_curve(&model, &observed, &choices, &run).expect("a panel");
    let Mark::Line(curve) = &panel.series[1].mark else { panic!("a line above the points") };
    let k = kernel(Some(1.0));
    for [at, f] in curve {
        let sum: f64 = x.iter().zip(model.coefficients()).map(|(xi, a)| a * k(&[*at], &[*xi])).sum();
        assert!((f - sum - model.intercept()[0]).abs() < 1e-10, "{f} {sum}");
    }
    assert_eq!(points(&panel, "observed"), observed);
    let gp = GaussianProcessRegressor { kernel: formula, tuning: None, ..Default::default() };
    let model = gp.fit(&inputs, &targets, None, &run).expect("a process").model;
    let choices = CurveChoices { range: None, level: Some(0.9), draws: 3, seed: 2 };
    let panel = model_curve(&model, &observed, &choices, &run).expect("a panel");
    let bands: Vec<&Vec<[f64; 3]>> =
        panel.series.iter().filter_map(|s| if let Mark::Band(b) = &s.mark { Some(b) } else { None }).collect();
    assert_eq!(bands.len(), 2);
    // The normal quantile of 0.95, by the posterior variances with and without noise.
    for (band, noise) in bands.into_iter().zip([true, false]) {
        let places = rows(&band.iter().map(|b| b[0]).collect::<Vec<_>>(), 1);
        let variance = model.variance(&places, noise, &run).expect("variances");
        for ([_, low, high], v) in band.iter().zip(variance) {
            assert!(((high - low) / 2.0 - 1.644_853_626_951_472_7 * v.sqrt()).abs() < 1e-9, "{low} {high} {v}");
        }
    }
    let draws = panel.series.iter().find_map(|s| if let Mark::Curves(c) = &s.mark { Some(c.len()) } else { None });
    assert_eq!(draws, Some(3));
}

#[test]
fn a_machine_shows_its_margins_and_its_support_vectors() {
    let run = Run::new();
    let x = [0.0, 0.0, 1.0, 0.5, 0.2, 1.0, 3.0, 3.0, 2.5, 2.0, 4.0, 2.8];
    let labels = Labels::new(vec![0, 0, 0, 1, 1, 1], 2).expect("labels");
    let names: Vec<String> = ["a", "a", "a", "b", "b", "b"].map(String::from).into();
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
    let svc = Svc { kernel, c: Cost(10.0), ..Svc::default() };
    let model = svc.fit(&rows(&x, 2), &labels, None, &run).expect("a machine").model;
    let all: Vec<[f64; 2]> = x.chunks(2).map(|p| [p[0], p[1]]).collect();
    let panel = decision_map(&model, &all, &names, &Window::around(&all), &run).expect("a panel");
    let sized = panel.series.iter().find_map(|s| if let Mark::Sized(p) = &s.mark { Some(p) } else { None });
    let sized = sized.expect("support vectors");
    let alphas: Vec<f64> = model.coefficients().iter().map(|a| a.abs()).collect();
    assert_eq!(sized.iter().map(|p| p[2]).collect::<Vec<_>>(), alphas);
    assert_eq!((points(&panel, "a").len(), points(&panel, "b").len()), (3, 3));
    let Mark::Curves(margins) = &panel.series[2].mark else { panic!("margins") };
    let on: Vec<f64> = margins.iter().flatten().flatten().copied().collect();
    let f = model.functions(&rows(&on, 2), &run).expect("values");
    assert!(!f.is_empty() && f.iter().all(|v| (v.abs() - 1.0).abs() < 0.02), "margins are where |f| = 1");
    // Forms, not colours alone, tell the classes apart.
    let forms: Vec<Option<Form>> =
        panel.series.iter().filter(|s| matches!(s.mark, Mark::Points(_))).map(|s| s.form).collect();
    assert_ne!(forms[0], forms[1]);
    let three = Labels::new(vec![0, 0, 1, 1, 2, 2], 3).expect("labels");
    let model = svc.fit(&rows(&x, 2), &three, None, &run).expect("machines").model;
    let error = decision_map(&model, &all, &names, &Window::around(&all), &run).expect_err("three functions");
    assert!(error.hint().is_some_and(|h| h.contains("two classes")), "{error}");
}

#[test]
fn heat_maps_hold_the_matrix_in_order() {
    let x = rows(&[0.0, 5.0, 0.1, 5.2, 0.3], 1);
    let gram = space("rbf(length_scale=1)", &x).gram(&x, &Run::new()).expect("a matrix");
    let k = kernel(Some(1.0));
    let at = [0.0, 5.0, 0.1, 5.2, 0.3];
    let panel = gram_heat(&gram, None, "plain", &Run::new()).expect("a panel");
    for (place, value) in field(&panel).values.iter().enumerate() {
        assert!((value - k(&[at[place / 5]], &[at[place % 5]])).abs() < tol::GRAM_R2);
    }
    let order = [0, 2, 4, 1, 3];
    let panel = gram_heat(&gram, Some(&[0, 1, 0, 1, 0]), "by group", &Run::new()).expect("a panel");
    for (place, value) in field(&panel).values.iter().enumerate() {
        assert!((value - k(&[at[order[place / 5]]], &[at[order[place % 5]]])).abs() < tol::GRAM_R2);
    }
    let lines = panel.series.iter().find_map(|s| if let Mark::Curves(c) = &s.mark { Some(c.clone()) } else { None });
    assert_eq!(lines.expect("bounds")[0], [[2.5, -0.5], [2.5, 4.5]]);
    for order in [&[0, 1][..], &[0, 0, 1, 2, 3], &[0, 1, 2, 3, 9]] {
        Heat::new(5, 5).expect("empty").in_order(order).expect_err("no order");
    }
    Heat::new(0, 3).expect_err("nothing to draw");
    Heat::new(3, 4).expect("a cross matrix").in_order(&[0, 1, 2]).expect_err("rows are no columns");
}

#[test]
fn heat_maps_of_large_matrices_are_means() {
    let n = 2500;
    let mut heat = Heat::new(n, n).expect("empty");
    for i in 0..n {
        let row: Vec<f64> = (0..n).map(|j| (i / 25 * 100 + j / 25) as f64).collect();
        heat.add(i, &row);
    }
    let panel = heat.panel("large");
    let field = field(&panel);
    assert_eq!((field.columns, field.rows()), (1000, 1000));
    // A cell of the picture stands for 2.5 rows; those that lie in one block of 25 have its value.
    for (i, j) in [(0, 0), (999, 999), (500, 3), (12, 987)] {
        let expected = (i / 10 * 100 + j / 10) as f64;
        assert!((field.values[i * 1000 + j] - expected).abs() < tol::GOLDEN, "{i} {j}");
    }
    assert!(panel.subtitle.contains("mean of about 9"), "{}", panel.subtitle);
    judge(&Figure::of(panel).svg().expect("a picture"));
}

#[test]
fn spectra_show_eigenvalues_and_dimensions() {
    let x = rows(&(0..30).map(f64::from).collect::<Vec<_>>(), 1);
    let gram = space("laplace(length_scale=3)", &x).gram(&x, &Run::new()).expect("a matrix");
    let spectrum = Spectrum::of(&gram, &Run::new()).expect("eigenvalues");
    let report = SpectrumReport::new(&spectrum).expect("a report");
    let panel = eigenvalues(&report);
    let drawn = points(&panel, "λ̂");
    assert_eq!(drawn.len(), 30);
    assert!(drawn.iter().zip(spectrum.values()).enumerate().all(|(l, (p, v))| *p == [(l + 1) as f64, *v]));
    let Mark::Line(line) = &panel.series[0].mark else { panic!("the decay") };
    // The least-squares line of the logarithms: its residuals have mean 0.
    let mean: f64 = line.iter().zip(&drawn).map(|(a, b)| a[1].ln() - b[1].ln()).sum::<f64>() / 30.0;
    assert!(mean.abs() < 1e-12, "{mean}");
    let panel = effective_dimension(&report).expect("a panel");
    let Mark::Line(line) = &panel.series[0].mark else { panic!("a line") };
    for [lambda, dimension] in line {
        let expected: f64 = spectrum.values().iter().map(|v| v / (v + lambda)).sum();
        assert!((dimension - expected).abs() < tol::GOLDEN, "{dimension} {expected}");
    }
}

#[test]
fn a_loss_shows_its_gap() {
    let run = Run::new();
    let x = rows(&(0..20).map(|i| f64::from(i) * 0.37).collect::<Vec<_>>(), 1);
    let labels = Labels::new((0..20).map(|i| usize::from(i % 3 == 0)).collect(), 2).expect("labels");
    let logistic = mercer::model::classify::KernelLogisticRegression {
        kernel: KernelExpr::parse("rbf(length_scale=1)").expect("a formula"),
        ..Default::default()
    };
    let fitted = logistic.fit(&x, &labels, None, &run).expect("a fit");
    let panel = convergence(&fitted.report, fitted.model.certificate()).expect("iterations");
    let line =
        panel.series.iter().find_map(|s| if let Mark::Line(p) = &s.mark { Some(p) } else { None }).expect("a line");
    let gap = fitted.model.certificate().gap().expect("a gap");
    assert_eq!(line.len(), fitted.report.history.len());
    assert!(line.iter().all(|p| p[1] >= gap * (1.0 - 1e-9)) && line[0][1] > line[line.len() - 1][1]);
    assert!(convergence(&mercer::model::Report::default(), fitted.model.certificate()).is_none());
}

#[test]
fn labels_have_colours_and_forms() {
    let many: Vec<String> = (0..60).map(|i| format!("label {:02}", i % 60)).collect();
    let points: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
    let axes = || [Axis::linear("one"), Axis::linear("two")];
    let panel = projection("many", axes(), &points, &many).expect("a panel");
    assert_eq!(panel.series.len(), 50, "49 looks, and one for the rest");
    let looks: std::collections::HashSet<String> =
        panel.series[..49].iter().map(|s| format!("{:?} {:?}", s.colour.map(|_| s.form), s.colour)).collect();
    assert_eq!(looks.len(), 49);
    let total: usize = panel.series.iter().map(|s| if let Mark::Points(p) = &s.mark { p.len() } else { 0 }).sum();
    assert_eq!(total, 60);
    judge(&Figure::of(panel).svg().expect("a picture"));
    assert_eq!(projection("", axes(), &points, &[]).expect("a panel").series.len(), 1);
    projection("", axes(), &points, &many[..3]).expect_err("three labels");
    judge(&Figure::of(projection("", axes(), &[[1.0, 1.0]], &many[..1]).expect("a panel")).svg().expect("a picture"));
}
