//! What a learner's file says of its learner: name, tasks, settings, as data.
//!
//! Command line, tuning, model files, `verify` and the checks of Python's parameters read these records, so a new learner
//! is one file and one line in the [catalogue](super::catalogue).

use serde_json::{Map, Value};

use crate::data::{Rows, Target, TargetKind};
use crate::error::{Error, Result, nearest};

/// A learner, described.
#[derive(Debug)]
pub struct LearnerSpec {
    /// Its one name: of `--model`, JSON, the model file and the guide.
    pub name: &'static str,
    /// Its name as a type of Rust.
    pub class: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it learns from; codes of classes are numbers to some.
    pub targets: &'static [TargetKind],
    /// What its models answer with.
    pub answers: &'static [Answer],
    /// Whether a weight means repetition. If not, weights are refused.
    pub weights: bool,
    /// The learner that does the same for classes, where that is another.
    pub for_classes: Option<&'static str>,
    /// Its settings, beside the kernel.
    pub settings: &'static [SettingSpec],
}

/// What a model may answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Numbers.
    Numbers,
    /// Numbers with bounds of new observations.
    Intervals,
    /// Classes.
    Classes,
    /// Probabilities of classes.
    Probabilities,
    /// Coordinates.
    Embedding,
    /// Groups of points.
    Clusters,
    /// How unusual a point is.
    Score,
}

/// A setting, described.
#[derive(Debug)]
pub struct SettingSpec {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What values it takes.
    pub values: SettingValues,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingValues {
    /// A finite number above this.
    Above(f64),
    /// A finite number, this or more.
    AtLeast(f64),
    /// A number from the first, included, to the second, excluded.
    Between(f64, f64),
    /// A number between the two, both excluded.
    Inside(f64, f64),
    /// A whole number, this or more.
    Whole(u64),
    /// Yes or no.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// What the learner itself reads, in words.
    Other(&'static str),
}

impl SettingValues {
    /// In words, after "must be".
    pub fn words(&self) -> String {
        match self {
            SettingValues::Above(low) => format!("a finite number > {low}"),
            SettingValues::AtLeast(low) => format!("a finite number ≥ {low}"),
            SettingValues::Between(low, high) => format!("a number from {low} to below {high}"),
            SettingValues::Inside(low, high) => format!("a number between {low} and {high}, both excluded"),
            SettingValues::Whole(low) => format!("a whole number ≥ {low}"),
            SettingValues::Flag => "true or false".into(),
            SettingValues::Word(words) => format!("one of {}", words.join(", ")),
            SettingValues::Other(words) => (*words).into(),
        }
    }

    fn accept(&self, value: &Value) -> bool {
        let number = || value.as_f64().filter(|v| v.is_finite());
        match self {
            SettingValues::Above(low) => number().is_some_and(|v| v > *low),
            SettingValues::AtLeast(low) => number().is_some_and(|v| v >= *low),
            SettingValues::Between(low, high) => number().is_some_and(|v| v >= *low && v < *high),
            SettingValues::Inside(low, high) => number().is_some_and(|v| v > *low && v < *high),
            SettingValues::Whole(low) => value.as_u64().is_some_and(|v| v >= *low),
            SettingValues::Flag => value.is_boolean(),
            SettingValues::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            // The learner reads it, and says what is wrong.
            SettingValues::Other(_) => true,
        }
    }
}

impl LearnerSpec {
    /// Its name in sentences. Python says its own class there.
    pub fn title(&self) -> String {
        format!("the model `{}`", self.name)
    }

    /// An error of something inside the learner, such as its solver, with the learner's name.
    pub(super) fn blamed(&self, error: Error) -> Error {
        match error {
            Error::InvalidParameter { owner, name, value, must } if !owner.contains(&self.title()) => {
                let owner = format!("{owner} in {}", self.title());
                Error::InvalidParameter { owner, name, value, must }
            }
            other => other,
        }
    }

    /// Whether it learns from this kind of target.
    pub fn takes(&self, kind: TargetKind) -> bool {
        self.targets.contains(&kind)
    }

    /// Whether it tunes the parameters of its kernel by itself.
    pub fn tunes_itself(&self) -> bool {
        self.setting("tuning").is_some()
    }

    /// The setting of this name.
    pub fn setting(&self, name: &str) -> Option<&SettingSpec> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Fails for settings that the learner has not, or of values that they do not take.
    ///
    /// ```
    /// use mercer::model::catalogue;
    /// use serde_json::json;
    /// let spec = catalogue::by_name("logistic")?.spec();
    /// assert!(spec.check(json!({"alpha": 0.1}).as_object().expect("a map")).is_ok());
    /// let message = |v: serde_json::Value| spec.check(v.as_object().expect("a map")).unwrap_err().to_string();
    /// assert!(message(json!({"alpha": -1})).contains("a finite number > 0"));
    /// assert!(message(json!({"alhpa": 1})).contains("the nearest is `alpha`"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn check(&self, settings: &Map<String, Value>) -> Result<()> {
        for (name, value) in settings {
            let Some(spec) = self.setting(name) else {
                let names = self.settings.iter().map(|s| s.name);
                let near = nearest(name, names.clone()).map_or_else(String::new, |n| format!("; the nearest is `{n}`"));
                let must = match names.collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => "left out: it has none".into(),
                    list => format!("one of its settings: {list}{near}"),
                };
                return Err(Error::invalid(self.title(), "the setting", format!("`{name}`"), must));
            };
            if !spec.values.accept(value) {
                return Err(Error::invalid(self.title(), spec.name, shown(value), spec.values.words()));
            }
        }
        Ok(())
    }

    /// The target as the learner takes it: numbers that are codes of classes are classes to those that take only them.
    pub(super) fn accept(&self, target: Target) -> Result<Target> {
        match target.kind() {
            kind if self.takes(kind) => Ok(target),
            TargetKind::Numbers if self.takes(TargetKind::Classes) => Ok(Target::Classes(target.labels()?)),
            // Numbers are a second input to those that take nothing else.
            TargetKind::Numbers if self.takes(TargetKind::Second) => {
                let y = target.numbers()?;
                Ok(Target::Second(Rows::new(y.values().to_vec(), y.nrows(), y.outputs())?.into()))
            }
            kind => {
                let wanted: Vec<&str> = self.targets.iter().map(|t| t.words()).collect();
                Err(Error::shape(format!("the target of {}", self.title()), wanted.join(" or "), kind.words()))
            }
        }
    }

    /// The kinds of targets, in words.
    pub fn predicts(&self) -> String {
        self.targets.iter().map(|t| t.words()).collect::<Vec<_>>().join(" and ")
    }
}

/// A number that JSON has not stands there as nothing.
fn shown(value: &Value) -> String {
    if value.is_null() { "no finite number".into() } else { value.to_string() }
}
