//! `mercer kernel --list`: every kernel that formulas know.

use mercer::data::StructuredType;
use mercer::kernel::{Domain, KernelSpec, Kind, SettingKind, SettingSpec};
use mercer::report::HasSchema;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Outcome;
use crate::printer::Style;

/// The catalogue, as JSON.
#[derive(Serialize)]
struct Report {
    kernels: Vec<Kernel>,
}

impl HasSchema for Report {
    const SCHEMA: &'static str = "mercer.kernel.list/1";
}

/// A kernel, as JSON.
#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
    definition: &'static str,
    needs: &'static str,
    parameters: Vec<Parameter>,
}

/// A parameter, as JSON.
#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    summary: &'static str,
    values: String,
    default: String,
    aliases: Vec<Alias>,
}

/// Another name of a parameter, as JSON.
#[derive(Serialize)]
struct Alias {
    name: &'static str,
    meaning: &'static str,
}

/// Prints the catalogue.
pub fn run(context: &Context) -> Outcome {
    let printer = &context.printer;
    let specs: Vec<&KernelSpec> = Kind::ALL.iter().map(|kind| kind.spec()).collect();
    if printer.is_json() {
        let kernels = specs.iter().map(|spec| kernel(spec)).collect();
        return printer.out_json(&Report { kernels });
    }
    let mut text = String::new();
    for domain in domains() {
        let of_domain = specs.iter().filter(|s| group(s.domain) == domain);
        text += &format!("{}\n\n", printer.paint(Style::Bold, &title(domain)));
        of_domain.for_each(|spec| text += &entry(spec, context));
    }
    text += ALGEBRA;
    printer.out(&text)
}

/// How kernels are put together.
const ALGEBRA: &str = "\
Put kernels together with `+`, `*`, a number in front, a whole power such as `linear^2`, `exp(…)` and
`normalize(…)`. Name columns to restrict a kernel to them: `rbf(age, height)`.
";

/// Groups of the list.
fn domains() -> impl Iterator<Item = Domain> {
    let structured = StructuredType::all().map(Domain::Structured);
    [Domain::Number, Domain::Category].into_iter().chain(structured).chain([Domain::Precomputed])
}

fn title(domain: Domain) -> String {
    match domain {
        Domain::Precomputed => "On a matrix".into(),
        columns => format!("On {}", columns.needs()),
    }
}

fn group(domain: Domain) -> Domain {
    if domain == Domain::NonNegative { Domain::Number } else { domain }
}

fn entry(spec: &KernelSpec, context: &Context) -> String {
    let printer = &context.printer;
    let also = match spec.aliases {
        [] => String::new(),
        names => printer.paint(Style::Dim, &format!("  also {}", names.join(", "))),
    };
    let mut text = format!("  {}  {}{also}\n", printer.paint(Style::Bold, spec.name), spec.summary);
    text += &format!("      {}\n", spec.definition);
    if spec.domain == Domain::NonNegative {
        text += "      values must not be negative\n";
    }
    for setting in spec.settings {
        text += &format!("      {}={}  {}: {}\n", setting.name, default(setting), setting.summary, values(setting));
        for alias in setting.aliases {
            text += &format!("        or {} = {}\n", alias.name, alias.meaning);
        }
    }
    text + "\n"
}

fn kernel(spec: &KernelSpec) -> Kernel {
    let parameter = |s: &SettingSpec| Parameter {
        name: s.name,
        summary: s.summary,
        values: values(s),
        default: default(s),
        aliases: s.aliases.iter().map(|a| Alias { name: a.name, meaning: a.meaning }).collect(),
    };
    Kernel {
        name: spec.name,
        aliases: spec.aliases,
        summary: spec.summary,
        definition: spec.definition,
        needs: spec.domain.needs(),
        parameters: spec.settings.iter().map(parameter).collect(),
    }
}

/// What a parameter is when none is given, as in a formula.
fn default(setting: &SettingSpec) -> String {
    match &setting.kind {
        SettingKind::Positive { default, .. } => default.param().to_string(),
        SettingKind::NonNegative { default } | SettingKind::Real { default } | SettingKind::Between { default, .. } => {
            default.to_string()
        }
        SettingKind::Coefficients { default } => {
            let list: Vec<String> = default.iter().map(f64::to_string).collect();
            format!("[{}]", list.join(", "))
        }
        SettingKind::Integer { default, .. } => default.to_string(),
        SettingKind::Choice { options } => options.first().copied().unwrap_or_default().to_owned(),
        SettingKind::Words { .. } => "data".to_owned(),
    }
}

/// What values a parameter takes, in words.
fn values(setting: &SettingSpec) -> String {
    match &setting.kind {
        SettingKind::Positive { .. } => "> 0".into(),
        SettingKind::NonNegative { .. } => "≥ 0".into(),
        SettingKind::Real { .. } => "any number".into(),
        SettingKind::Between { low, high, .. } => format!("between {low} and {high}"),
        SettingKind::Coefficients { .. } => "a list of numbers ≥ 0".into(),
        SettingKind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
        SettingKind::Choice { options } => options.join(" or "),
        SettingKind::Words { example, .. } => format!("words, such as {example}"),
    }
}
