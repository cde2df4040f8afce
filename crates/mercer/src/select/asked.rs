//! Which learner is fitted: the one that was asked for, or one that fits the target and the settings.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::approx::NystromParams;
use crate::data::TargetKind;
use crate::error::{Error, Result, nearest};
use crate::model::classify::KernelLogisticRegression;
use crate::model::regress::{KernelRidge, RidgeSolver};
use crate::model::{Learner, LearnerSpec, catalogue};
use crate::note::Note;

/// Above rows³·outputs of so many, `auto` takes landmarks for classes: Newton's method costs that much a step.
const NEWTON_COST: f64 = 6000.0 * 6000.0 * 6000.0;
/// Above so many rows `auto` takes landmarks for numbers: a kernel matrix of 4 GiB costs more than the digits it brings.
const MATRIX_ROWS: usize = 23_000;
/// Landmarks of classes: at most, at least, and in between as many as have this many features in all (half a GiB).
const LANDMARKS: (usize, usize) = (200, 1000);
const FEATURES: usize = 1 << 26;

/// A learner, or the wish to have it chosen, and settings of it.
///
/// ```
/// use mercer::{data::TargetKind, model::{Learner, regress::{Alpha, KernelRidge}}, select::Asked};
/// let name = |asked: &Asked, kind, rows| asked.learner(kind, 1, rows).map(|found| found.0.spec().name);
/// let auto = Asked::default();
/// assert_eq!(name(&auto, TargetKind::Numbers, 100)?, "ridge");
/// assert_eq!(name(&auto, TargetKind::Classes, 100)?, "logistic");
/// let (many, why) = auto.learner(TargetKind::Classes, 1, 100_000)?;
/// assert_eq!((many.spec().name, &many.settings()["landmarks"]), ("logistic", &671.into()));
/// assert!(why.is_some_and(|why| why.to_string().contains("671 of 100000 rows")));
/// let hinge = auto.clone().with("loss", serde_json::json!({"name": "hinge"}));
/// assert_eq!(name(&hinge, TargetKind::Classes, 100)?, "classifier");
/// assert!(name(&Asked::named("logistic")?, TargetKind::Numbers, 9).unwrap_err().to_string().contains("ridge, regressor"));
/// assert_eq!(name(&Asked::named("gp")?, TargetKind::Classes, 9)?, "gp_classifier");
/// // Settings beside a learner that was built leave the rest of it as it is.
/// let built = KernelRidge { alpha: Alpha::Value(2.0), ..Default::default() };
/// let seeded = Asked::from(Learner::from(built)).with("seed", 3.into()).learner(TargetKind::Numbers, 1, 9)?.0;
/// assert_eq!(seeded.settings()["fit_intercept"], false);
/// let slip = auto.with("alpah", 1.0.into());
/// assert!(name(&slip, TargetKind::Numbers, 9).unwrap_err().to_string().contains("the nearest is `alpha`"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Asked {
    learner: Option<Learner>,
    settings: Map<String, Value>,
    /// Settings of which only the number that is chosen is left open.
    open: BTreeSet<String>,
    /// Whether the learner is the usual one of so many rows, and nobody asked for it.
    usual: bool,
}

impl From<Learner> for Asked {
    fn from(learner: Learner) -> Self {
        Asked { learner: Some(learner), ..Asked::default() }
    }
}

impl Asked {
    /// The word for a learner that is to be chosen.
    pub const AUTO: &'static str = "auto";

    /// The learner of this name, or `auto`.
    pub fn named(name: &str) -> Result<Self> {
        if name == Self::AUTO {
            return Ok(Asked::default());
        }
        let unknown = |e: Error| match e {
            Error::InvalidParameter { owner, name, value, must } => {
                Error::InvalidParameter { owner, name, value, must: must.replacen("one of ", "one of auto, ", 1) }
            }
            other => other,
        };
        catalogue::by_name(name).map(Asked::from).map_err(unknown)
    }

    /// Its name, or `auto`.
    pub fn name(&self) -> &'static str {
        self.learner.as_ref().map_or(Self::AUTO, |learner| learner.spec().name)
    }

    /// What the learner that was asked for says of itself; nothing for `auto`.
    pub fn learner_named(&self) -> Option<&'static LearnerSpec> {
        self.learner.as_ref().map(|learner| learner.spec())
    }

    /// Whether the learner that was asked for, or one with these settings, predicts classes.
    pub fn takes_classes(&self) -> bool {
        match self.learner_named() {
            // Who asks for a support vector regression wants numbers, though `svc` stands in for words.
            Some(spec) => {
                spec.takes(TargetKind::Classes) || (spec.for_classes.is_some() && !spec.name.ends_with("svr"))
            }
            None => self.learner(TargetKind::Classes, 1, 1).is_ok(),
        }
    }

    /// With this setting.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.open.remove(name);
        self.settings.insert(name.to_owned(), value);
        self
    }

    /// With this setting, in which the number that keeps functions simple is still to be chosen.
    pub fn with_open(self, name: &str, value: Value) -> Self {
        let mut asked = self.with(name, value);
        asked.open.insert(name.to_owned());
        asked
    }

    /// Whether this setting is decided: given and not open, or changed in a learner that was built.
    pub(super) fn decides(&self, name: &str) -> bool {
        let changed = |learner: &Learner| {
            let usual = catalogue::by_name(learner.spec().name);
            usual.is_ok_and(|usual| usual.settings().get(name) != learner.settings().get(name))
        };
        !self.open.contains(name) && (self.has(name) || self.learner.as_ref().is_some_and(changed))
    }

    /// Whether a setting says what keeps functions simple.
    pub(super) fn is_told_complexity(&self) -> bool {
        let own = self.learner.as_ref().map_or_else(Vec::new, Learner::complexity_settings);
        own.iter().any(|name| self.decides(name)) || self.has("alpha")
    }

    /// The value of this setting: as it was given, or as the learner has it.
    pub(super) fn value(&self, name: &str) -> Value {
        let own = || self.learner.as_ref().and_then(|learner| learner.settings().remove(name));
        self.settings.get(name).cloned().or_else(own).unwrap_or_default()
    }

    /// Whether this setting was given.
    pub fn has(&self, name: &str) -> bool {
        self.settings.contains_key(name)
    }

    /// The same with the learner that is chosen for so many rows, so that parts of them are fitted as all are.
    pub(super) fn settled(&self, kind: TargetKind, outputs: usize, rows: usize) -> Result<Self> {
        match self.learner {
            Some(_) => Ok(self.clone()),
            None => {
                let learner = Some(self.chosen(kind, outputs, rows)?.0.usual_for(kind));
                Ok(Asked { learner, usual: self.is_open(), ..self.clone() })
            }
        }
    }

    /// Whether nobody said anything of the learner.
    pub(super) fn is_open(&self) -> bool {
        self.usual || (self.learner.is_none() && self.settings.is_empty())
    }

    /// The learner for targets of this kind with so many outputs and rows, and why where it is not the usual one; an error
    /// that names others where it does not fit.
    pub fn learner(&self, kind: TargetKind, outputs: usize, rows: usize) -> Result<(Learner, Option<Note>)> {
        let (learner, why) = match &self.learner {
            Some(asked) => (for_kind(asked, kind)?, None),
            None => self.chosen(kind, outputs, rows)?,
        };
        check(&learner, kind)?;
        let learner = match &self.learner {
            // What a user of Rust has built is taken as it is.
            Some(asked) if !is_usual(asked) => learner,
            _ => learner.usual_for(kind),
        };
        Ok((learner.with_settings(self.settings.clone())?, why))
    }

    /// The usual learner, or the first of the catalogue that takes the target and has all settings.
    fn chosen(&self, kind: TargetKind, outputs: usize, rows: usize) -> Result<(Learner, Option<Note>)> {
        let has_all = |l: &Learner| self.settings.keys().all(|name| l.spec().setting(name).is_some());
        let (usual, why) = usual(kind, outputs, rows)?;
        if has_all(&usual) {
            return Ok((usual, why));
        }
        let fits = |l: &Learner| l.spec().takes(kind) && has_all(l);
        match catalogue::all().into_iter().find(fits) {
            Some(learner) => Ok((learner, None)),
            None => {
                let names: Vec<String> = self.settings.keys().map(|name| format!("`{name}`")).collect();
                let must = format!("settings of one model that predicts {}{}", kind.words(), self.meant(kind));
                Err(Error::invalid("the fit", "settings", names.join(", "), must))
            }
        }
    }

    /// What a name that no model has may have been meant for.
    fn meant(&self, kind: TargetKind) -> String {
        let takes = |spec: &&'static LearnerSpec| spec.takes(kind);
        let known: Vec<&str> = catalogue::all()
            .iter()
            .map(|learner| learner.spec())
            .filter(takes)
            .flat_map(|spec| spec.settings.iter().map(|setting| setting.name))
            .collect();
        let strange = self.settings.keys().find(|name| !known.contains(&name.as_str()));
        let near = strange.and_then(|name| nearest(name, known.iter().copied()));
        near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"))
    }
}

/// What is fitted where nobody says: to all rows, or to a function of some of them where those are very many.
fn usual(kind: TargetKind, outputs: usize, rows: usize) -> Result<(Learner, Option<Note>)> {
    let noted = |learner: &str, landmarks: usize| Some(Note::ManyRows { learner: learner.into(), rows, landmarks });
    let newton = (rows as f64).powi(3) * outputs as f64;
    match kind {
        TargetKind::Classes if newton > NEWTON_COST => {
            let landmarks = (FEATURES / rows.max(1)).clamp(LANDMARKS.0, LANDMARKS.1);
            let some = KernelLogisticRegression { landmarks: Some(landmarks), ..Default::default() };
            Ok((some.into(), noted("logistic", landmarks)))
        }
        TargetKind::Classes => Ok((catalogue::by_name("logistic")?, None)),
        TargetKind::Numbers if rows > MATRIX_ROWS => {
            let params = NystromParams::default();
            let some = KernelRidge { solver: RidgeSolver::Nystrom(params), ..Default::default() };
            Ok((some.into(), noted("ridge", params.count(rows))))
        }
        _ => Ok((catalogue::by_name("ridge")?, None)),
    }
}

/// Whether nothing of a learner was changed.
fn is_usual(learner: &Learner) -> bool {
    catalogue::by_name(learner.spec().name).is_ok_and(|usual| usual.settings() == learner.settings())
}

/// The learner that does the same for classes, where that is another.
fn for_kind(learner: &Learner, kind: TargetKind) -> Result<Learner> {
    match learner.spec().for_classes.filter(|_| kind == TargetKind::Classes) {
        None => Ok(learner.clone()),
        Some(other) => Ok(catalogue::by_name(other)?.with_kernel(learner.kernel().clone())),
    }
}

fn check(learner: &Learner, kind: TargetKind) -> Result<()> {
    if learner.spec().takes(kind) {
        return Ok(());
    }
    let names: Vec<&str> =
        catalogue::all().iter().map(|learner| learner.spec()).filter(|s| s.takes(kind)).map(|s| s.name).collect();
    let must = format!("one that predicts {}: {}", kind.words(), names.join(", "));
    Err(Error::invalid("the fit", "model", format!("`{}`", learner.spec().name), must))
}
