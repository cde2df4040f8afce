//! The report on a kernel matrix, for people.

use mercer::KernelExpr;
use mercer::gram::{Degenerate, Extent, MatrixSummary};
use mercer::kernel::property::Standing;
use mercer::report::GramReport;

use crate::context::Context;
use crate::layout::{Grid, number, percent, seconds};
use crate::printer::Style;
use crate::spectrum;

/// Warns of a formula that is not a positive definite kernel, and when the matrix tells points apart
/// completely, or not at all.
pub fn judge(summary: Option<&MatrixSummary>, expr: &KernelExpr, context: &Context) {
    match expr.standing() {
        Standing::PositiveDefinite | Standing::Unknown => {}
        other => context.printer.warn(&format!("`{expr}` is {}; see `mercer check`", other.words())),
    }
    let Some(verdict) = summary.and_then(|s| s.verdict) else { return };
    let scaled = expr.params().iter().any(|p| p.path.contains("length_scale"));
    let (what, change) = match verdict {
        Degenerate::Ones => ("all points look the same to this kernel", "lower"),
        _ => ("the matrix is close to diagonal: every point resembles only itself", "raise"),
    };
    let advice = match scaled {
        true => format!("; {change} `length_scale`, or use `length_scale=median`"),
        false => "; try another kernel, or fewer columns".into(),
    };
    context.printer.warn(&format!("{what}{advice}"));
}

/// The report: what the matrix looks like, its spectrum, or both; nothing if neither was asked for.
pub fn text(report: &GramReport, context: &Context) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(summary) = &report.summary {
        parts.push(heading(report, context));
        parts.push(spread_lines(report, summary));
        parts.push(share_lines(summary));
        parts.push(preview_lines(summary));
    }
    parts.extend(report.spectrum.as_ref().map(spectrum::lines));
    parts.retain(|lines| !lines.is_empty());
    let parts: Vec<String> = parts.into_iter().map(|lines| lines.join("\n")).collect();
    (!parts.is_empty()).then(|| format!("{}\n", parts.join("\n\n")))
}

fn share_lines(summary: &MatrixSummary) -> Vec<String> {
    vec![
        format!("pairs that look the same (similarity > 0.999)      {}", percent(summary.share_same)),
        format!("pairs with nothing in common (similarity < 1e-6)   {}", percent(summary.share_none)),
    ]
}

fn heading(report: &GramReport, context: &Context) -> Vec<String> {
    let name = context.printer.paint(Style::Bold, &report.data);
    let what = match &report.against {
        Some(other) => format!(
            "{name} against {}: {}×{} cross matrix",
            context.printer.paint(Style::Bold, other),
            report.rows,
            report.columns
        ),
        None => format!("{name}: {}×{} Gram matrix", report.rows, report.columns),
    };
    let mut lines = vec![format!("{what}, computed in {}", seconds(report.seconds))];
    lines.push(report.kernel.clone());
    lines.extend(report.resolutions.iter().map(|r| format!("  {} = {}: {}", r.path, number(r.value, 6), r.detail)));
    lines
}

fn spread_lines(report: &GramReport, summary: &MatrixSummary) -> Vec<String> {
    let mut grid = Grid::new(&["", "min", "mean", "max"], &[1, 2, 3]);
    let mut add =
        |name: &str, s: Extent| grid.row([name.to_owned(), number(s.min, 4), number(s.mean, 4), number(s.max, 4)]);
    match &report.against {
        None => add("diagonal", summary.diagonal),
        Some(_) => add("k(x, x) of the rows", summary.diagonal),
    }
    if let Some(pairs) = summary.pairs {
        add(if report.against.is_some() { "all values" } else { "off the diagonal" }, pairs);
    }
    grid.lines("")
}

/// A small picture, when there is anything to see.
fn preview_lines(summary: &MatrixSummary) -> Vec<String> {
    let rows = shades(&summary.preview);
    if rows.len() < 4 || summary.preview.first().is_none_or(|r| r.len() < 4) {
        return Vec::new();
    }
    let width = summary.preview[0].len() * 2;
    let edge = "─".repeat(width);
    let mut lines = vec![format!("┌{edge}┐")];
    lines.extend(rows.into_iter().map(|row| format!("│{row}│")));
    lines.push(format!("└{edge}┘"));
    lines.push("block means, from low (blank) to high (█)".into());
    lines
}

/// The preview as lines of shades, two characters a cell so that cells are nearly square.
fn shades(preview: &[Vec<f64>]) -> Vec<String> {
    const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
    let all = || preview.iter().flatten().copied();
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let shade = |v: &f64| {
        let level = if high > low { (v - low) / (high - low) } else { 1.0 };
        SHADES[((level * SHADES.len() as f64) as usize).min(SHADES.len() - 1)]
    };
    let line = |row: &Vec<f64>| row.iter().flat_map(|v| [shade(v); 2]).collect::<String>();
    preview.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn shades_go_from_blank_to_full() {
        assert_eq!(super::shades(&[vec![1.0, 0.0], vec![0.5, 1.0]]), ["██  ", "▒▒██"]);
    }
}
