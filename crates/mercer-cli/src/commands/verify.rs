//! `mercer verify`: a saved model held to its claims.

use mercer::certificate::Certificate;
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Verification};
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::context::Context;
use crate::exit::{Answer, Outcome};
use crate::layout::{Grid, number};
use crate::load::{load_for, weights as weights_of};
use crate::printer::Style;

/// A verification, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    model: String,
    data: &'a str,
    #[serde(flatten)]
    found: &'a Verification,
    gap: Option<f64>,
    claimed_gap: Option<f64>,
}

/// Computes the certificate again and compares.
pub fn run(args: &VerifyArgs, context: &Context) -> Outcome<Answer> {
    let pipeline = Pipeline::load(&args.model, &Registry::new())?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let weights = pipeline.settings().get("weights").and_then(serde_json::Value::as_str);
    let weights = weights.map(|name| weights_of(name, &data)).transpose()?;
    // Rows of weight 0 were left out before the fit.
    let counts = |i: &usize| weights.as_ref().is_none_or(|w| w[*i] > 0.0);
    let kept: Vec<usize> = (0..data.len()).filter(counts).collect();
    let weights = weights.as_ref().map(|w| kept.iter().map(|i| w[*i]).collect::<Vec<f64>>());
    let data = if kept.len() < data.len() { data.take(&kept) } else { data };
    let found = context.interrupt.watch(|| pipeline.verify(&data, weights.as_deref(), &context.run))?;
    let report = Report {
        schema: "mercer.verify/1",
        model: args.model.display().to_string(),
        data: &data.name,
        gap: found.found.as_ref().and_then(Certificate::gap),
        claimed_gap: found.claimed.gap(),
        found: &found,
    };
    match context.printer.is_json() {
        true => context.printer.out_json(&report)?,
        false => context.printer.out(&text(&report, context))?,
    }
    Ok(if found.holds { Answer::Yes } else { Answer::No })
}

fn text(report: &Report<'_>, context: &Context) -> String {
    let found = report.found;
    let title = context.printer.paint(Style::Bold, &report.model);
    let mut lines = vec![format!("{title} on {}: {}", report.data, found.verdict)];
    if found.found.is_none() && found.numbers.is_empty() {
        return format!("{}\n", lines.join("\n"));
    }
    lines.push(String::new());
    lines.extend(grid(report).lines("  "));
    if found.found.is_some() {
        let claimed = &found.claimed;
        lines.extend(claimed.system.as_ref().map(|system| format!("  the system: {system}")));
        let passes = number(found.tolerance, 2);
        lines.push(match (&claimed.system, claimed.discrepancy) {
            (Some(_), _) => format!("  {} rows; a relative residual of at most {passes} passes", found.rows),
            (None, Some(_)) => {
                format!("  {} rows; a discrepancy within {passes} of the claimed one passes", found.rows)
            }
            (None, None) => format!("  {} rows; coefficients within a share of {passes} pass", found.rows),
        });
    }
    format!("{}\n", lines.join("\n"))
}

/// What is claimed beside what was found.
fn grid(report: &Report<'_>) -> Grid {
    let mut grid = Grid::new(&["", "claimed", "computed again"], &[1, 2]);
    let shown = |value: Option<f64>, digits: usize| value.map_or_else(|| "–".to_owned(), |v| number(v, digits));
    let mut add = |name: &str, claimed: Option<f64>, again: Option<f64>, digits: usize| {
        grid.row([name.to_owned(), shown(claimed, digits), shown(again, digits)]);
    };
    let claimed = &report.found.claimed;
    if let Some(again) = &report.found.found {
        for (name, value) in claimed.measured() {
            let found = again.measured().find(|(other, _)| *other == name).map(|(_, value)| value);
            add(name, Some(value), found, if name == "relative residual" { 2 } else { 10 });
        }
        if claimed.primal.is_some() || again.primal.is_some() {
            add("objective", claimed.primal, again.primal, 10);
        }
        if claimed.dual.is_some() || again.dual.is_some() {
            add("dual objective", claimed.dual, again.dual, 10);
            add("gap", report.claimed_gap, report.gap, 2);
        }
    }
    for extra in &report.found.numbers {
        add(extra.name, Some(extra.claimed), Some(extra.found), 10);
    }
    grid
}
