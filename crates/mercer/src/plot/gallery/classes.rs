//! Models of classes.

use crate::data::{Inputs, Labels, Rows, load};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::classify::{KernelLogisticRegression, Svc};
use crate::model::pipeline::Prepare;
use crate::model::support::Cost;
use crate::plot::{Figure, Panel, Window, convergence, decision_map, fit_sheet};
use crate::run::Run;
use crate::select::{Asked, Job, Split};

use super::{Exhibit, columns, words};

/// Petals of the two species of iris that are hard to tell apart.
fn petals() -> Result<(Rows, Vec<String>)> {
    let (all, species) = (columns("iris", &["petal_length_cm", "petal_width_cm"])?, words("iris")?);
    let kept: Vec<usize> = (0..species.len()).filter(|i| species[*i] != "setosa").collect();
    Ok((all.take(&kept), kept.into_iter().map(|i| species[i].clone()).collect()))
}

pub(super) fn machines(run: &Run) -> Result<Exhibit> {
    let (rows, species) = petals()?;
    let points: Vec<[f64; 2]> = (0..rows.nrows()).map(|i| [rows.row(i)[0], rows.row(i)[1]]).collect();
    let labels = Labels::new(species.iter().map(|s| usize::from(s == "virginica")).collect(), 2)?;
    let (x, window) = (Inputs::from(rows), Window::around(&points));
    let panel = |(formula, c): (&str, f64)| -> Result<Panel> {
        let svc = Svc { kernel: KernelExpr::parse(formula)?, c: Cost(c), ..Svc::default() };
        let model = svc.fit(&x, &labels, None, run)?.model;
        let panel = decision_map(&model, &points, &species, &window, run)?;
        Ok(Panel { title: format!("{formula}, C = {c}"), ..panel })
    };
    let chosen = [("linear", 1.0), ("rbf(length_scale=0.5)", 1.0), ("rbf(length_scale=0.5)", 100.0)];
    Ok(Exhibit {
        name: "machines",
        title: "Support vector machines and their margins",
        formula: "½‖f‖² + C·Σ max(0, 1 − yᵢ(f(xᵢ) + b)); f = Σ αᵢyᵢk(xᵢ, ·), 0 ≤ αᵢ ≤ C",
        caption: "Two species of iris by their petals. The rows with rings are all that the function is made of; their areas \
                  are as αᵢ, and the largest are at C."
            .into(),
        made_by: "iris = mercer.load(\"iris\")\n\
                  kept = iris.target != \"setosa\"\n\
                  X = np.column_stack([iris.data[\"petal_length_cm\"], iris.data[\"petal_width_cm\"]])[kept]\n\
                  machine = mercer.SVC(kernel=\"rbf(length_scale=0.5)\", C=100).fit(X, iris.target[kept])\n\
                  mercer.plot.decision(machine, X, iris.target[kept])"
            .into(),
        figure: Figure::grid(chosen.into_iter().map(panel).collect::<Result<_>>()?, 3).sized(1500.0, 540.0),
    })
}

pub(super) fn judged_classes(run: &Run) -> Result<Exhibit> {
    let data = load("breast_cancer")?;
    let job = Job {
        learner: Asked::named("logistic")?,
        kernel: Some(KernelExpr::parse("rbf")?),
        alpha: Some(1.0),
        tune: false,
        split: Some(Split::Folds(5)),
        ..Job::default()
    };
    let sheet = fit_sheet(&job.fit(&data, run)?);
    let prepared = Prepare::default().fit(&data, None)?;
    let logistic = KernelLogisticRegression { kernel: KernelExpr::parse("rbf")?, ..Default::default() };
    let fitted = logistic.fit(&prepared.inputs, &prepared.target.labels()?, None, run)?;
    let gap = convergence(&fitted.report, fitted.model.certificate());
    let panels: Vec<Panel> = sheet.panels.into_iter().chain(gap).collect();
    Ok(Exhibit {
        name: "fit-classes",
        title: "A fit of classes: confusion, ROC, calibration, importance, convergence",
        formula: "found = Σ [f ≥ t, y = 1]/Σ [y = 1], false alarms = Σ [f ≥ t, y = 0]/Σ [y = 0], over all thresholds t",
        caption: "Tumours by logistic regression and five folds. Rings of the calibration curve are as the number of rows. The \
                  gap, which mercer.plot.convergence draws, bounds how far each iterate was from the least objective."
            .into(),
        made_by: "mercer fit breast_cancer --model logistic --kernel rbf --no-tune --alpha 1 --plot tumours.svg".into(),
        figure: Figure::grid(panels, 3),
    })
}
