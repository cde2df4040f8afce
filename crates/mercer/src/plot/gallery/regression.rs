//! Functions of one number, and how they are judged.

use crate::data::{Inputs, MissingPolicy, Targets, load};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::gp::GaussianProcessRegressor;
use crate::model::pipeline::Prepare;
use crate::model::regress::{Alpha, KernelRidge};
use crate::plot::decimal::short;
use crate::plot::{CurveChoices, Figure, Panel, alpha_path, fit_sheet, gd_sgd_sheet, model_curve};
use crate::run::Run;
use crate::select::{HowFitted, Job, Split};
use crate::study::GdSgd;

use super::{Exhibit, columns};

/// The same in Python.
const NILE: &str = "nile = mercer.load(\"nile\")\n\
                    X, y = nile.data[\"year\"][:, None], (nile.target - nile.target.mean()) / nile.target.std()\n";

/// Years and standardised flows of the Nile.
fn nile() -> Result<(Inputs, Targets, Vec<[f64; 2]>)> {
    let both = columns("nile", &["year", "volume"])?;
    let n = both.nrows() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = (0..both.nrows()).map(|i| (both.row(i)[0], both.row(i)[1])).unzip();
    let mean = y.iter().sum::<f64>() / n;
    let deviation = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let y: Vec<f64> = y.iter().map(|v| (v - mean) / deviation).collect();
    let observed = x.iter().zip(&y).map(|(x, y)| [*x, *y]).collect();
    let inputs = crate::data::Rows::new(x, both.nrows(), 1)?.with_names(vec!["year".into()])?;
    Ok((inputs.into(), Targets::new(y, 1)?, observed))
}

pub(super) fn ridge_by_lambda(run: &Run) -> Result<Exhibit> {
    let (x, y, observed) = nile()?;
    let kernel = KernelExpr::parse("rbf(length_scale=5)")?;
    let panel = |power: i32| -> Result<Panel> {
        let lambda = 10f64.powi(power);
        let alpha = Alpha::Value(lambda * x.len() as f64);
        let ridge = KernelRidge { kernel: kernel.clone(), alpha, fit_intercept: false, ..KernelRidge::default() };
        let model = ridge.fit(&x, &y, None, run)?.model;
        let choices = CurveChoices { range: Some((1871.0, 1970.0)), ..CurveChoices::default() };
        let panel = model_curve(&model, &observed, &choices, run)?;
        let title = format!("λ = {}", short(lambda));
        Ok(Panel { title, y: panel.y.clone().ranging(-3.2, 3.2), ..panel })
    };
    let panels = (-7..=2).rev().map(panel).collect::<Result<_>>()?;
    Ok(Exhibit {
        name: "ridge-lambda",
        title: "Kernel ridge regression from λ = 100 to 10⁻⁷",
        formula: "f̂ = argmin (1/n)·Σ (yᵢ − f(xᵢ))² + λ‖f‖², so f̂ = Σ αᵢk(xᵢ, ·) with α = (K + nλI)⁻¹y",
        caption: "Flows of the Nile by year, standardised, with a Gaussian kernel of 5 years. Large λ leaves the function at \
                  0; small λ lets it go through every year."
            .into(),
        made_by: format!(
            "{NILE}ridge = mercer.KernelRidge(\"rbf(length_scale=5)\", alpha=1e-3 * len(y), fit_intercept=False)\n\
             mercer.plot.curve(ridge.fit(X, y), X, y)"
        ),
        figure: Figure::grid(panels, 5).sized(1700.0, 700.0).titled("The Nile, rbf(length_scale=5)"),
    })
}

pub(super) fn choice_of_lambda(run: &Run) -> Result<Exhibit> {
    let data = load("diabetes")?;
    let prepared = Prepare::default().fit(&data, None)?;
    let kernel = KernelExpr::parse("rbf")?;
    let ridge = KernelRidge { kernel, alpha: Alpha::Loo(Alpha::grid()), fit_intercept: true, ..KernelRidge::default() };
    let fitted = ridge.fit(&prepared.inputs, &prepared.target, None, run)?;
    let panel = alpha_path(&HowFitted::of_fit(&fitted));
    Ok(Exhibit {
        name: "lambda-path",
        title: "Choosing λ by leave-one-out",
        formula: "(1/n)·Σ (yᵢ − f₋ᵢ(xᵢ))², where f₋ᵢ is fitted without row i, exactly, from one decomposition",
        caption:
            "Progression of diabetes, standardised, for 25 values of alpha = nλ; the ring is the one that is taken."
                .into(),
        made_by: "mercer fit diabetes --kernel rbf --model ridge --plot fit.svg".into(),
        figure: Figure::grid(panel.into_iter().collect(), 1).sized(800.0, 520.0),
    })
}

pub(super) fn process(run: &Run) -> Result<Exhibit> {
    let (x, y, observed) = nile()?;
    let process =
        GaussianProcessRegressor { kernel: KernelExpr::parse("matern32(length_scale=10)")?, ..Default::default() };
    let model = process.fit(&x, &y, None, run)?.model;
    let choices = CurveChoices { range: Some((1865.0, 1985.0)), level: Some(0.95), draws: 6, seed: 1 };
    let panel = model_curve(&model, &observed, &choices, run)?;
    let scale = model.kernel().params().first().and_then(|p| p.param.number()).unwrap_or(f64::NAN);
    let title = format!("matern32, length_scale = {} by the evidence", short(scale));
    Ok(Exhibit {
        name: "process",
        title: "A Gaussian process with draws",
        formula: "f(x) | y ~ N(k(x)ᵀ(K + alpha·I)⁻¹y, k(x, x) − k(x)ᵀ(K + alpha·I)⁻¹k(x)); bands of 95 %",
        caption: "The Nile again. Beyond the last year the band grows to that of the prior; the noise is what lies between the \
                  two bands."
            .into(),
        made_by: format!(
            "{NILE}process = mercer.GaussianProcessRegressor(\"matern32(length_scale=10)\").fit(X, y)\n\
             mercer.plot.curve(process, X, y, window=(1865, 1985), level=0.95, draws=6, seed=1)"
        ),
        figure: Figure::of(Panel { title, ..panel }).sized(1000.0, 560.0),
    })
}

pub(super) fn judged_numbers(run: &Run) -> Result<Exhibit> {
    let data = load("penguins")?.with_target("body_mass_g")?;
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let job = Job {
        prepare,
        kernel: Some(KernelExpr::parse("rbf + hamming")?),
        split: Some(Split::Folds(5)),
        ..Job::default()
    };
    Ok(Exhibit {
        name: "fit-numbers",
        title: "A fit of numbers, judged on rows that chose nothing",
        formula: "predicted against true; residuals true − predicted; what the columns are worth; the score of every alpha",
        caption: "Body mass of penguins by five folds: everything that was chosen was chosen again without the rows that judge."
            .into(),
        made_by: "mercer fit penguins --missing drop --target body_mass_g --kernel 'rbf + hamming' --plot penguins.svg".into(),
        figure: fit_sheet(&job.fit(&data, run)?),
    })
}

pub(super) fn descent(run: &Run) -> Result<Exhibit> {
    let study = GdSgd::default().run(run)?;
    Ok(Exhibit {
        name: "descent",
        title: "Gradient descent and stochastic gradient descent",
        formula: "αᵗ⁺¹ = αᵗ + step·(y − Kαᵗ)/n, which converges for step < 2/μ₁ with μ₁ the largest eigenvalue of K/n",
        caption: "Made up points on the unit square, since the answer must be known: the residual by step, by start and by the \
                  number of rows a step."
            .into(),
        made_by: "mercer study gd-sgd --out study.svg".into(),
        figure: gd_sgd_sheet(&study),
    })
}
