//! `mercer verify`: a saved model held to its claims.

use mercer::certificate::Measure;
use mercer::error::counted;
use mercer::report::VerifyReport;

use crate::args::VerifyArgs;
use crate::context::Context;
use crate::exit::{Answer, Outcome};
use crate::layout::{Grid, number};
use crate::load::{load_for, load_model, weights as weights_of};
use crate::printer::Style;

/// What is shown side by side.
const COMPARED: &[Measure] = &[
    Measure::RelativeResidual,
    Measure::Discrepancy,
    Measure::EmpiricalRisk,
    Measure::FilterError,
    Measure::RunningLoss,
    Measure::Primal,
    Measure::Dual,
    Measure::LogEvidence,
    Measure::MeanLoss,
    Measure::Norm,
];

/// Computes the certificate again and compares.
pub fn run(args: &VerifyArgs, context: &Context) -> Outcome<Answer> {
    let pipeline = load_model(&args.model, context)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let weights = pipeline.settings().get("weights").and_then(serde_json::Value::as_str);
    let weights = weights.map(|name| weights_of(name, &data)).transpose()?;
    // Rows of weight 0 were left out before the fit.
    let kept = weights.as_ref().map(|w| w.counting());
    let weights = weights.zip(kept.as_ref()).map(|(w, kept)| w.take(kept)).transpose()?;
    let data = match kept {
        Some(kept) if kept.len() < data.len() => data.take(&kept),
        _ => data,
    };
    let found = context.interrupt.watch(|| pipeline.verify(&data, weights.as_ref(), &context.run))?;
    let report = VerifyReport::new(args.model.display().to_string(), data.name, found);
    match context.printer.is_json() {
        true => context.printer.out_json(&report)?,
        false => context.printer.out(&text(&report, context))?,
    }
    Ok(if report.found.holds { Answer::Yes } else { Answer::No })
}

fn text(report: &VerifyReport, context: &Context) -> String {
    let found = &report.found;
    let title = context.printer.paint(Style::Bold, &report.model);
    let mut lines = vec![format!("{title} on {}: {}", report.data, found.verdict)];
    if found.found.is_none() {
        return format!("{}\n", lines.join("\n"));
    }
    lines.push(String::new());
    lines.extend(grid(report).lines("  "));
    let claimed = &found.claimed;
    lines.extend(claimed.system.as_ref().map(|system| format!("  the system: {system}")));
    let passes = number(found.tolerance, 2);
    let rows = counted(found.rows, "row", "rows");
    lines.push(match &claimed.system {
        Some(_) => format!("  {rows}; a relative residual of at most {passes} passes"),
        None => format!("  {rows}; numbers within a share of {passes} of the claimed ones pass"),
    });
    format!("{}\n", lines.join("\n"))
}

/// What is claimed beside what was found.
fn grid(report: &VerifyReport) -> Grid {
    let mut grid = Grid::new(&["", "claimed", "computed again"], &[1, 2]);
    let shown = |value: Option<f64>, digits: usize| value.map_or_else(|| "–".to_owned(), |v| number(v, digits));
    let mut add = |name: &str, claimed: Option<f64>, again: Option<f64>, digits: usize| {
        grid.row([name.to_owned(), shown(claimed, digits), shown(again, digits)]);
    };
    let claimed = &report.found.claimed;
    if let Some(again) = &report.found.found {
        for measure in COMPARED {
            let (was, is) = (claimed.get(*measure), again.get(*measure));
            if was.is_some() || is.is_some() {
                add(measure.words(), was, is, if *measure == Measure::RelativeResidual { 2 } else { 10 });
            }
        }
        if report.claimed_gap.is_some() || report.gap.is_some() {
            add("gap", report.claimed_gap, report.gap, 2);
        }
    }
    grid
}
