//! `mercer kernel`: what a formula means, alone or on data.

use mercer::KernelExpr;
use mercer::Note;
use mercer::data::Inputs;
use mercer::gram::Resolution;
use mercer::kernel::property::Standing;
use mercer::kernel::{NamedParam, Setting, Transform, Value};
use mercer::report::HasSchema;
use serde::Serialize;

use crate::args::KernelArgs;
use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::{Grid, number, short};
use crate::load::{load, note_target};
use crate::prepare::Preparer;
use crate::printer::Style;
use crate::reads::{Reading, readings};

/// Prints the catalogue or explains a formula.
pub fn run(args: &KernelArgs, context: &Context) -> Outcome {
    let Some(formula) = args.formula.as_ref().filter(|_| !args.list) else {
        return super::catalogue::run(context);
    };
    let expr = KernelExpr::parse(formula)?;
    let on_data = match &args.data {
        None => None,
        Some(name) => {
            let data = load(name, &args.read, context)?;
            note_target(&data, &args.read, context);
            expr.unread_note(&data.inputs).into_iter().for_each(|note| context.printer.note(note));
            expr.unknown_letters(&data.inputs).into_iter().for_each(|note| context.printer.note(note));
            let (_, inputs) = Preparer::fit(&expr, &data.inputs, &args.prepare, context)?;
            let (resolved, found) = expr.resolve(&inputs, &context.run)?;
            // Binding a row of the data finds columns that are absent or of the wrong type.
            resolved.bind(&inputs.take(&first_row(&inputs)), &context.run)?;
            Some(OnData { name: data.name, inputs, resolved, found })
        }
    };
    let report = Report::new(&expr, on_data.as_ref(), context);
    if context.printer.is_json() {
        return context.printer.out_json(&report);
    }
    context.printer.out(&report.text(context))
}

fn first_row(inputs: &Inputs) -> Vec<usize> {
    // A precomputed matrix is bound whole or not at all.
    match inputs {
        Inputs::Precomputed(_) => (0..inputs.len()).collect(),
        _ => vec![0],
    }
}

/// A formula on data.
struct OnData {
    name: String,
    inputs: Inputs,
    resolved: KernelExpr,
    found: Vec<Resolution>,
}

/// A formula explained, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    kernel: String,
    standing: Standing,
    kernels: Vec<Leaf>,
    parameters: Vec<Parameter>,
    settings: Vec<Fixed>,
    data: Option<&'a str>,
    resolved: Option<String>,
    resolutions: &'a [Resolution],
    notes: Vec<Note>,
    warnings: Vec<String>,
}

/// A kernel in the formula, as JSON.
#[derive(Serialize)]
struct Leaf {
    path: String,
    name: &'static str,
    summary: &'static str,
    definition: &'static str,
    /// The first of them; sparse rows may have a hundred million.
    columns: Option<Vec<String>>,
    column_count: Option<usize>,
    #[serde(skip)]
    needs: &'static str,
}

/// A parameter of θ, as JSON.
#[derive(Serialize)]
struct Parameter {
    path: String,
    rule: Option<&'static str>,
    value: Option<f64>,
    bounds: (f64, f64),
    transform: Transform,
    free: bool,
    #[serde(skip)]
    bounds_text: String,
}

/// A setting that is not part of θ, as JSON.
#[derive(Serialize)]
struct Fixed {
    path: String,
    value: String,
}

impl HasSchema for Report<'_> {
    const SCHEMA: &'static str = "mercer.kernel/1";
}

impl<'a> Report<'a> {
    fn new(expr: &KernelExpr, on: Option<&'a OnData>, context: &Context) -> Self {
        let readings = readings(expr, on.map(|d| &d.inputs));
        let numbers = on.map(|d| d.resolved.params()).unwrap_or_else(|| expr.params());
        Report {
            kernel: expr.to_string(),
            standing: expr.standing(),
            settings: readings.iter().flat_map(fixed).collect(),
            parameters: expr.params().iter().zip(numbers).map(|(asked, now)| parameter(asked, &now)).collect(),
            kernels: readings.into_iter().map(|r| leaf(r, on.is_some())).collect(),
            data: on.map(|d| d.name.as_str()),
            resolved: on.map(|d| d.resolved.to_string()),
            resolutions: on.map_or(&[], |d| d.found.as_slice()),
            notes: context.printer.notes(),
            warnings: context.printer.warnings(),
        }
    }

    fn text(&self, context: &Context) -> String {
        let bold = |title: &str| context.printer.paint(Style::Bold, title);
        let standing = format!("{}; `mercer check` says why", self.standing.words());
        let mut lines = vec![self.kernel.clone(), standing, String::new(), bold("kernels")];
        lines.extend(self.kernel_lines());
        if !self.parameters.is_empty() {
            lines.extend([String::new(), bold("parameters, in the order of θ")]);
            lines.extend(self.parameter_lines());
        }
        if !self.settings.is_empty() {
            lines.extend([String::new(), bold("settings, which tuning leaves alone")]);
            lines.extend(self.settings.iter().map(|s| format!("  {}  {}", s.path, s.value)));
        }
        if !self.resolutions.is_empty() {
            lines.extend([String::new(), bold(&format!("found in {}", self.data.unwrap_or_default()))]);
            lines.extend(
                self.resolutions.iter().map(|r| format!("  {} = {}: {}", r.path, number(r.value, 6), r.detail)),
            );
        } else if self.parameters.iter().any(|p| p.value.is_none()) {
            lines.extend([String::new(), RULES.to_owned()]);
        }
        format!("{}\n", lines.join("\n"))
    }

    fn kernel_lines(&self) -> Vec<String> {
        let mut grid = Grid::plain();
        for kernel in &self.kernels {
            grid.row([kernel.path.clone(), kernel.definition.to_owned(), kernel.reads()]);
        }
        grid.lines("  ")
    }

    fn parameter_lines(&self) -> Vec<String> {
        let mut grid = Grid::new(&["path", "value", "bounds", "scale", "tuned"], &[]);
        for p in &self.parameters {
            let value = p.value.map_or_else(|| p.rule.unwrap_or_default().to_owned(), |v| number(v, 6));
            let tuned = if p.free { "free" } else { "fixed" };
            grid.row([p.path.clone(), value, p.bounds_text.clone(), scale(p.transform), tuned.to_owned()]);
        }
        grid.lines("  ")
    }
}

/// Names of columns that are listed at most.
const MOST_LISTED: usize = 10_000;

/// What stands below a formula whose rules are open.
const RULES: &str = "A rule such as `median` finds its number in the data: add a file or a shipped data set.";

impl Leaf {
    fn reads(&self) -> String {
        match &self.columns {
            None => format!("reads all {}", self.needs),
            Some(names) if names.is_empty() => format!("reads {}", self.needs),
            Some(names) => {
                let shown: Vec<String> = names.iter().take(8).map(|n| short(n, 30)).collect();
                let count = self.column_count.unwrap_or(names.len());
                let more = if count > 8 { format!(" and {} more", count - 8) } else { String::new() };
                format!("reads {}{more}", shown.join(", "))
            }
        }
    }
}

fn leaf(reading: Reading<'_>, on_data: bool) -> Leaf {
    let spec = reading.spec();
    let named = !reading.columns.is_empty() || on_data;
    Leaf {
        path: reading.path,
        name: spec.name,
        summary: spec.summary,
        definition: spec.definition,
        needs: spec.domain.needs(),
        columns: named.then(|| reading.columns.iter().take(MOST_LISTED).map(|name| name.into_owned()).collect()),
        column_count: named.then_some(reading.columns.len()),
    }
}

fn parameter(asked: &NamedParam, now: &NamedParam) -> Parameter {
    let rule = match asked.param.value {
        Value::Rule(rule) => Some(rule.name()),
        Value::Number(_) => None,
    };
    let (low, high) = now.param.bounds();
    let ends = format!("{} to {}", number(low, 4), number(high, 4));
    let bounds_text = match (now.param.number(), now.param.bounds) {
        (None, None) => "1e-5 to 1e5 times the value".to_owned(),
        _ => ends,
    };
    Parameter {
        path: now.path.clone(),
        rule,
        value: now.param.number(),
        bounds: (low, high),
        transform: now.param.transform,
        free: now.param.free,
        bounds_text,
    }
}

fn scale(transform: Transform) -> String {
    match transform {
        Transform::Identity => "identity".into(),
        Transform::Log => "log".into(),
        Transform::Logit { low, high } => format!("logit on {} to {}", number(low, 4), number(high, 4)),
    }
}

/// The settings of a kernel that are whole numbers or words.
fn fixed(reading: &Reading<'_>) -> Vec<Fixed> {
    let value = |setting: &Setting| match setting {
        Setting::Integer(v) => Some(v.to_string()),
        Setting::Choice(word) => Some((*word).to_owned()),
        Setting::Words(None) => Some("data".to_owned()),
        Setting::Words(Some(words)) if words.len() <= 12 => Some(words.join(" < ")),
        Setting::Words(Some(words)) => Some(format!("{} words", words.len())),
        _ => None,
    };
    let settings = reading.spec().settings.iter().zip(reading.leaf.settings());
    let found = settings
        .filter_map(|(spec, s)| value(s).map(|value| Fixed { path: format!("{}.{}", reading.path, spec.name), value }));
    found.collect()
}
