//! From raw words to validated settings.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mercer::data::{ColumnType, FileFormat, MatrixFormat, MissingPolicy, ReadOptions, TargetKind};
use mercer::error::nearest;
use mercer::kernel::ScalarDomain;
use mercer::loss::{LossSpec, NamedLoss};
use mercer::model::{Answer, LearnerSpec, catalogue};
use mercer::select::{Asked, Axis};
use serde_json::Value;

use crate::args::ReadArgs;

/// Units of memory. Plain letters are powers of 1000, as on a data sheet; `i` makes them 1024.
const MEMORY_UNITS: [(&str, f64); 13] = [
    ("", 1.0),
    ("b", 1.0),
    ("k", 1e3),
    ("kb", 1e3),
    ("m", 1e6),
    ("mb", 1e6),
    ("g", 1e9),
    ("gb", 1e9),
    ("tb", 1e12),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
];

/// Units of time, in seconds. A number without a unit is seconds.
const TIME_UNITS: [(&str, f64); 8] =
    [("", 1.0), ("ms", 1e-3), ("s", 1.0), ("sec", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// A number ≥ 0 with one of `units`.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().ok()?;
    let (_, unit) = units.iter().find(|(name, _)| *name == text[split..].trim())?;
    let value = number * unit;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// `4GB`, `512MiB`, `1e9`: bytes.
pub fn memory(text: &str) -> Result<u64, String> {
    match quantity(text, &MEMORY_UNITS) {
        Some(bytes) if bytes >= 1.0 => Ok(bytes as u64),
        _ => Err("a size looks like 4GB, 512MiB or 800000000".into()),
    }
}

/// `30s`, `5m`, `1h`, `250ms`, `30`: a time.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = quantity(text, &TIME_UNITS).and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "a time looks like 30s, 5m, 1h or 250ms".into())
}

/// `R`, `R+`, `unit`, `N`.
pub fn domain(text: &str) -> Result<ScalarDomain, String> {
    text.parse()
        .map_err(|_| "a domain is R (all numbers), R+ (positive), unit (between -1 and 1), [0,1] or N (1, 2, …)".into())
}

/// `;`, `tab`, `\t`: one byte.
pub fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        ("space", _) => Ok(b' '),
        (_, [byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("a delimiter is one ASCII character such as `;`, or `tab`".into()),
    }
}

/// `.` or `,`.
pub fn decimal(text: &str) -> Result<u8, String> {
    match text {
        "." | "point" => Ok(b'.'),
        "," | "comma" => Ok(b','),
        _ => Err("decimals begin with `.` or `,`".into()),
    }
}

/// What `--type` says of itself.
pub fn type_help() -> String {
    format!("Type of a column: {}; may be repeated", ColumnType::choices(str::to_owned))
}

/// `age=number`: a column and its type.
pub fn column_type(text: &str) -> Result<(String, ColumnType), String> {
    let Some((name, word)) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err("a column type looks like age=number".into());
    };
    let known = ColumnType::all().find(|kind| kind.name() == word).ok_or_else(|| {
        let near = nearest(word, ColumnType::all().map(ColumnType::name)).map(|n| format!("; the nearest is `{n}`"));
        format!("a type is {}{}", ColumnType::choices(str::to_owned), near.unwrap_or_default())
    })?;
    Ok((name.to_owned(), known))
}

/// A format that Mercer reads.
pub fn file_format(word: &str) -> Result<FileFormat, String> {
    word.parse().map_err(|e: mercer::Error| e.to_string())
}

/// A format that Mercer writes.
pub fn matrix_format(word: &str) -> Result<MatrixFormat, String> {
    word.parse().map_err(|e: mercer::Error| e.to_string())
}

/// What to do about missing values.
pub fn missing(word: &str) -> Result<MissingPolicy, String> {
    word.parse().map_err(|e: mercer::Error| e.to_string())
}

/// A model of a target, or `auto`.
pub fn learner(word: &str) -> Result<Asked, String> {
    let all = catalogue::all();
    let Some(named) = all.iter().find(|learner| learner.spec().name == word) else {
        return if word == Asked::AUTO { Ok(Asked::default()) } else { Err(unknown_model(word)) };
    };
    match purpose(named.spec()) {
        Purpose::Fit => Ok(Asked::from(named.clone())),
        Purpose::Embed => Err("it gives coordinates and has no target: see `mercer embed`".into()),
        Purpose::Cluster => Err("it gives clusters and has no target: see `mercer cluster`".into()),
        Purpose::Pair => Err("it takes two inputs, which Rust and Python can give it".into()),
    }
}

/// What a model is for on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `mercer fit` and `mercer tune`.
    Fit,
    /// `mercer embed`.
    Embed,
    /// `mercer cluster`.
    Cluster,
    /// Two inputs, which no command has.
    Pair,
}

/// The command that is for a model, by what it learns from and answers with.
pub fn purpose(spec: &LearnerSpec) -> Purpose {
    match spec.answers.first() {
        Some(Answer::Clusters) => Purpose::Cluster,
        Some(Answer::Embedding) if spec.takes(TargetKind::Second) => Purpose::Pair,
        Some(Answer::Embedding) => Purpose::Embed,
        _ => Purpose::Fit,
    }
}

/// The names of the models for a purpose, in the order of the catalogue.
pub fn models_for(wanted: Purpose) -> Vec<&'static str> {
    catalogue::all().iter().map(|l| l.spec()).filter(|s| purpose(s) == wanted).map(|s| s.name).collect()
}

fn unknown_model(word: &str) -> String {
    let [fit, embed, cluster] = [Purpose::Fit, Purpose::Embed, Purpose::Cluster].map(models_for);
    let all = fit.iter().chain(&embed).chain(&cluster).copied();
    let near = nearest(word, all).map_or_else(String::new, |name| format!("; the nearest is `{name}`"));
    let (fit, embed, cluster) = (fit.join(", "), embed.join(", "), cluster.join(", "));
    format!("expected one of auto, {fit}{near}; `mercer embed` has {embed}, and `mercer cluster` {cluster}")
}

/// `passes=20`: a setting and its value, as JSON or as a word.
pub fn setting(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=').filter(|(name, _)| !name.is_empty()) {
        Some((name, value)) => {
            Ok((name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))))
        }
        None => Err("a setting looks like passes=20".into()),
    }
}

/// `C=0.1,1,10` or `length_scale=0.1..10:5`: a setting and the values to try.
pub fn axis(text: &str) -> Result<Axis, String> {
    let looks = "a grid looks like C=0.1,1,10 or length_scale=0.1..10:5";
    let Some((name, list)) = text.split_once('=').filter(|(name, list)| !name.is_empty() && !list.is_empty()) else {
        return Err(looks.into());
    };
    let values: Vec<Value> = match list.split_once("..") {
        Some((from, rest)) => spaced(from, rest).ok_or(looks)?,
        None => {
            list.split(',').map(|v| serde_json::from_str(v).unwrap_or_else(|_| Value::String(v.to_owned()))).collect()
        }
    };
    Ok(Axis { name: name.to_owned(), values })
}

/// Numbers from one to another, spaced evenly by their logarithms, with four digits.
fn spaced(from: &str, rest: &str) -> Option<Vec<Value>> {
    let (to, count) = rest.split_once(':')?;
    let (from, to, count): (f64, f64, usize) = (from.parse().ok()?, to.parse().ok()?, count.parse().ok()?);
    if !(from > 0.0 && to > 0.0 && from.is_finite() && to.is_finite() && (2..=1000).contains(&count)) {
        return None;
    }
    let step = (to / from).ln() / (count - 1) as f64;
    let rounded = |v: f64| format!("{v:.3e}").parse::<f64>().unwrap_or(v);
    Some((0..count).map(|i| rounded(from * (step * i as f64).exp()).into()).collect())
}

/// The name of a loss; its parameter comes by itself.
pub fn loss(word: &str) -> Result<String, String> {
    match NamedLoss::parse(word, None) {
        Ok(_) => Ok(word.to_owned()),
        Err(problem) => {
            let near = nearest(word, LossSpec::names());
            Err(near.map_or_else(|| problem.to_string(), |near| format!("{problem}; the nearest is `{near}`")))
        }
    }
}

/// `7`, or `10-12`: rows, counted from 0.
pub fn row_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err("rows look like 7 or 10-12, counted from 0".into()),
    }
}

/// A file that a page can be written to, known before any work is done for it.
pub fn page(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !matches!(extension.as_deref(), Some("html" | "htm")) {
        return Err("a report is an .html file".into());
    }
    in_a_folder(path)
}

/// A file that a picture can be written to, known before any work is done for it.
pub fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if mercer::plot::Format::of(&path).is_err() {
        return Err("a picture is an .svg or a .png file".into());
    }
    in_a_folder(path)
}

/// The path, if the folder that it names is there.
fn in_a_folder(path: PathBuf) -> Result<PathBuf, String> {
    match path.parent().filter(|folder| *folder != Path::new("") && !folder.is_dir()) {
        Some(folder) => Err(format!("there is no folder `{}`", folder.display())),
        None => Ok(path),
    }
}

/// The reader's options.
pub fn read_options(args: &ReadArgs) -> ReadOptions {
    let mut options = ReadOptions {
        format: args.format,
        delimiter: args.delimiter,
        header: (args.header || args.no_header).then_some(args.header),
        types: args.types.iter().cloned().collect(),
        decimal: args.decimal,
        columns: args.columns.clone(),
        exclude: args.exclude.clone(),
        target: args.target.clone(),
        ..ReadOptions::default()
    };
    options.missing.extend(args.na.iter().cloned());
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(memory("4GB"), Ok(4_000_000_000));
        assert_eq!(memory("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(memory("100"), Ok(100));
        assert!(memory("-1GB").is_err() && memory("4 potatoes").is_err() && memory("0").is_err());
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert!(duration("1e300h").is_err() && duration("soon").is_err());
    }

    #[test]
    fn column_types_split_at_the_last_equals_sign() {
        assert_eq!(column_type("a=b=text"), Ok(("a=b".into(), ColumnType::TEXT)));
        assert!(column_type("=text").is_err());
        assert!(column_type("age=numbr").unwrap_err().contains("`number`"));
    }

    #[test]
    fn rows_are_numbers_and_ranges() {
        assert_eq!((row_range("7"), row_range("10-12")), (Ok(7..=7), Ok(10..=12)));
        assert!(row_range("3-1").is_err() && row_range("").is_err() && row_range("-1").is_err());
    }

    #[test]
    fn delimiters_are_single_bytes() {
        assert_eq!((delimiter(";"), delimiter("tab")), (Ok(b';'), Ok(b'\t')));
        assert!(delimiter("::").is_err() && delimiter("é").is_err() && delimiter("\"").is_err());
    }
}
