//! `mercer models`: every learner that the commands know, with its settings.

use mercer::model::catalogue::{self, Described};
use mercer::report::HasSchema;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::Grid;
use crate::printer::Style;

/// The catalogue, as JSON.
#[derive(Serialize)]
struct Report {
    models: Vec<Described>,
}

impl HasSchema for Report {
    const SCHEMA: &'static str = "mercer.models/1";
}

/// Prints the catalogue.
pub fn run(context: &Context) -> Outcome {
    let models = catalogue::described();
    if context.printer.is_json() {
        return context.printer.out_json(&Report { models });
    }
    let texts: Vec<String> = models.iter().map(|model| text(model, context)).collect();
    context.printer.out(&format!("{}\n", texts.join("\n\n")))
}

fn text(model: &Described, context: &Context) -> String {
    let chosen = model.complexity.map_or_else(String::new, |name| format!("; {name} is chosen"));
    let weights = if model.weights { "" } else { "; takes no weights" };
    let mut lines = vec![
        format!("{}  {}", context.printer.paint(Style::Bold, model.name), model.summary),
        format!("  predicts {}{chosen}{weights}", model.predicts.join(" and ")),
    ];
    let mut grid = Grid::plain();
    for setting in &model.settings {
        grid.row([
            setting.name.to_owned(),
            setting.default.to_string(),
            format!("{}: {}", setting.summary, setting.values),
        ]);
    }
    lines.extend(grid.lines("    "));
    lines.join("\n")
}
