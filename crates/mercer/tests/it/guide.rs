//! The catalogue in the guide is the catalogue in the code.

use std::fmt::Write;

use mercer::kernel::{Kind, SettingKind, SettingSpec};

fn parameter(spec: &SettingSpec) -> String {
    let default = match &spec.kind {
        SettingKind::Positive { default, .. } => default.param().to_string(),
        SettingKind::NonNegative { default } | SettingKind::Real { default } | SettingKind::Between { default, .. } => {
            default.to_string()
        }
        SettingKind::Coefficients { default } => format!("{default:?}"),
        SettingKind::Integer { default, .. } => default.to_string(),
        SettingKind::Choice { options } => options.join(" or "),
        SettingKind::Words { example, .. } => format!("data, or such as `{}`", example.replace('|', "\\|")),
    };
    let aliases: Vec<String> = spec.aliases.iter().map(|a| format!("{} = {}", a.name, a.meaning)).collect();
    let aliases = if aliases.is_empty() { String::new() } else { format!(" ({})", aliases.join(", ")) };
    format!("`{}` {default}{aliases}", spec.name)
}

fn page() -> String {
    let mut text = String::from(
        "# Kernels\n\nEvery kernel that formulas know by name. This page is made from the code: \
         `MERCER_BLESS=1 cargo nextest run --release guide` writes it anew.\n\n\
         | kernel | definition | parameters and defaults |\n|---|---|---|\n",
    );
    for kind in Kind::ALL {
        let spec = kind.spec();
        let names: Vec<String> = [spec.name].iter().chain(spec.aliases).map(|n| format!("`{n}`")).collect();
        let parameters: Vec<String> = spec.settings.iter().map(parameter).collect();
        let definition = spec.definition.replace('|', "\\|");
        writeln!(text, "| {} | {definition} | {} |", names.join(", "), parameters.join("; ")).expect("a string");
    }
    text.push_str(
        "\n`matern(nu=0.5)`, `matern(nu=1.5)` and `matern(nu=2.5)` are read as `matern12`, `matern32` and `matern52`. \
         Properties, costs and references stand in the documentation of each kernel (`cargo doc --open`).\n",
    );
    text
}

#[test]
fn the_catalogue_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/kernels.md");
    if std::env::var_os("MERCER_BLESS").is_some() {
        std::fs::write(path, page()).expect("the guide is writable");
    }
    assert_eq!(std::fs::read_to_string(path).expect("the guide is there"), page());
}

#[test]
fn the_guide_has_a_row_for_every_loss() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/losses.md");
    let guide = std::fs::read_to_string(path).expect("the guide is there");
    for spec in mercer::loss::LossSpec::ALL {
        let parameter = spec.parameter.map(|p| format!(" (`{}`)", p.name)).unwrap_or_default();
        let row = format!("| `{}`{parameter} | {} |", spec.name, spec.definition.replace('|', "\\|"));
        assert!(guide.contains(&row), "docs/guide/losses.md lacks {row}");
    }
}

/// Every kind of note is in the guide.
#[test]
fn the_guide_lists_every_kind_of_note() {
    let (source, guide) = (include_str!("../../src/note.rs"), include_str!("../../../../docs/guide/json.md"));
    let body = source.split("pub enum Note {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the enum");
    let lines = body.lines().map(str::trim).filter(|line| line.starts_with(char::is_uppercase));
    let names: Vec<&str> = lines.map(|line| line.split([' ', ',']).next().unwrap_or_default()).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let snake: String = name
            .char_indices()
            .flat_map(|(i, c)| (i > 0 && c.is_uppercase()).then_some('_').into_iter().chain(c.to_lowercase()))
            .collect();
        assert!(guide.contains(&format!("`{snake}`")), "`{snake}` is not in docs/guide/json.md");
    }
}
