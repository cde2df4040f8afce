//! Settings by chance for every model: right names and wrong ones, values of every type that JSON has.
//!
//! A setting is refused with an error that names the model and the setting, or it is what the learner, its model and its
//! model's file say; nothing panics, and a deadline is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mercer::data::{Inputs, Labels, Rows, Target, TargetKind, Targets};
use mercer::model::{Learner, catalogue};
use mercer::select::Asked;
use mercer::testkit::points::{Chance, vectors};
use mercer::{Error, KernelExpr, Run};
use serde_json::{Map, Value, json};

const ROWS: usize = 9;
/// What a fit may take, and how much later it may end.
const DEADLINE: Duration = Duration::from_millis(20);
const LATE: Duration = Duration::from_secs(10);
const MEMORY: u64 = 1 << 28;

const WORDS: &[&str] = &[
    "",
    "auto",
    "all",
    "equal",
    "balanced",
    "eigen",
    "cg",
    "nystrom",
    "loo",
    "gcv",
    "NaN",
    "Infinity",
    "-1",
    "null",
    "true",
    "huber",
    "pinball",
    "hinge",
    "tikhonov",
    "β̂",
    "🦀",
    "\u{0}",
    "a\"b\\c\n",
    "{}",
];
const KEYS: &[&str] = &[
    "value",
    "values",
    "name",
    "own",
    "delta",
    "epsilon",
    "quantile",
    "alpha",
    "norm_bound",
    "loo",
    "gcv",
    "cg",
    "nystrom",
    "landmarks",
    "tolerance",
    "max_iterations",
    "constant",
    "varying",
    "iterations",
    "hold_out",
    "share",
    "discrepancy",
    "noise",
    "factor",
    "filter",
    "lambda",
    "order",
    "nu",
    "scale",
    "step_size",
    "number",
    "free",
    "transform",
    "bounds",
    "restarts",
    "seed",
    "rank",
    "",
    "ℓ",
    "kind",
];
/// Whole values as people write them, beside the usual ones.
const WHOLE: &[&str] = &[
    r#"{"value": 0.5}"#,
    r#"{"loo": [0.1, 1]}"#,
    r#"{"gcv": [0.1, 1, 10]}"#,
    r#"{"loo": []}"#,
    r#"{"norm_bound": 2}"#,
    r#"{"alpha": 0.1}"#,
    r#"{"cg": {"tolerance": 1e-6}}"#,
    r#"{"cg": {"max_iterations": 0}}"#,
    r#"{"nystrom": {"landmarks": 3}}"#,
    r#"{"landmarks": 3}"#,
    r#"{"constant": 0.1}"#,
    r#"{"varying": [1, 0.5]}"#,
    r#"{"varying": []}"#,
    r#"{"iterations": 5}"#,
    r#"{"hold_out": {"share": 0.3, "max_iterations": 9}}"#,
    r#"{"discrepancy": {"noise": 0.1, "factor": 1.1, "max_iterations": 9}}"#,
    r#"{"filter": "tikhonov", "lambda": 0.1}"#,
    r#"{"filter": "cut_off", "lambda": 0.1}"#,
    r#"{"filter": "landweber", "step_size": null, "iterations": 5}"#,
    r#"{"filter": "iterated_tikhonov", "lambda": 0.1, "order": 3}"#,
    r#"{"filter": "nu_method", "nu": 1, "iterations": 5, "scale": null}"#,
    r#"{"name": "huber", "delta": 2}"#,
    r#"{"name": "pinball", "quantile": 0.2}"#,
    r#"{"name": "epsilon_insensitive", "epsilon": 0}"#,
    r#"{"own": "mine"}"#,
    r#"{"values": [1, 2]}"#,
    r#"{"values": [1, 2, 3]}"#,
    "[0.1, 0.9]",
    "[0.9, 0.1]",
    "[0, 1, 2, 3, 4, 5, 6, 7, 8]",
    r#"{"restarts": 1, "max_iterations": 3}"#,
    r#"{"tolerance": -1}"#,
    r#"{"value": {"number": 0.1}, "free": false, "transform": "log"}"#,
    r#"{"value": {"number": 0.1}, "bounds": [1, 0]}"#,
    r#"{"value": {"rule": "median"}}"#,
    r#"{"value": {"number": 0.1}, "free": true, "transform": "identity"}"#,
];

/// Where values come from.
struct Attack {
    chance: Chance,
}

impl Attack {
    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.chance.below(list.len())]
    }

    fn often(&mut self, share: f64) -> bool {
        self.chance.unit() < share
    }

    fn number(&mut self) -> Value {
        let special =
            [0.0, -0.0, -1.0, 1.0, 0.5, 0.999, 2.0, 1e-9, 1e-300, 5e-324, 1e19, 1e300, f64::MAX, f64::MIN, f64::NAN];
        let whole = [0, 1, 2, 3, 7, 100, 1 << 31, 1 << 53, u64::MAX >> 1, u64::MAX];
        match self.one(&[0, 1, 2, 3]) {
            0 => json!(self.one(&special)),
            1 => json!(self.one(&whole)),
            2 => json!(self.one(&[i64::MIN, -1, -7])),
            _ => json!((8.0 * self.chance.unit() - 4.0).exp()),
        }
    }

    /// Any JSON at all.
    fn value(&mut self, depth: usize) -> Value {
        let most = if depth == 0 { 5 } else { 8 };
        match self.chance.below(most) {
            0 => Value::Null,
            1 => json!(self.often(0.5)),
            2 => json!(self.one(WORDS)),
            3 | 4 => self.number(),
            5 => (0..self.one(&[0, 1, 2, 9])).map(|_| self.value(depth - 1)).collect(),
            6 => serde_json::from_str(self.one(WHOLE)).expect("JSON"),
            _ => {
                let fields =
                    (0..self.one(&[0, 1, 1, 2, 3])).map(|_| (self.one(KEYS).to_owned(), self.value(depth - 1)));
                Value::Object(fields.collect())
            }
        }
    }

    /// A value that was good, with something in it changed.
    fn bent(&mut self, good: &Value) -> Value {
        match good {
            Value::Object(fields) if self.often(0.8) && !fields.is_empty() => {
                let names: Vec<&String> = fields.keys().collect();
                let (mut fields, name) = (fields.clone(), self.one(&names).clone());
                match self.one(&[0, 1, 2, 2, 2]) {
                    0 => drop(fields.remove(&name)),
                    1 => drop(fields.insert(self.one(KEYS).to_owned(), self.value(1))),
                    _ => {
                        let bent = self.bent(&fields[&name]);
                        fields.insert(name, bent);
                    }
                }
                Value::Object(fields)
            }
            Value::Array(items) if self.often(0.8) && !items.is_empty() => {
                let mut items = items.clone();
                let at = self.chance.below(items.len());
                items[at] = self.number();
                Value::Array(items)
            }
            _ => self.value(1),
        }
    }

    fn setting(&mut self, learner: &Learner) -> (String, Value) {
        let known: Vec<&str> = learner.spec().settings.iter().map(|s| s.name).collect();
        let name = match known.is_empty() || self.often(0.1) {
            true => self.one(&[WORDS, KEYS, &["Alpha", "alpha ", "kernel", "seeds"]].concat()).to_owned(),
            false => self.one(&known).to_owned(),
        };
        let value = match (learner.settings().get(&name), self.one(&[0, 0, 1, 1, 2])) {
            (Some(good), 0) => self.bent(good),
            (_, 1) => serde_json::from_str(self.one(WHOLE)).expect("JSON"),
            _ => self.value(2),
        };
        (name, value)
    }
}

fn data(kind: TargetKind, classes: usize) -> (Inputs, Target) {
    let x: Rows = vectors(ROWS, 2, 3);
    let y: Vec<f64> = (0..ROWS).map(|i| x.row(i)[0] + 0.3 * x.row(i)[1].sin()).collect();
    let target = match kind {
        TargetKind::Classes => Labels::new((0..ROWS).map(|i| i % classes).collect(), classes).expect("labels").into(),
        _ => Targets::new(y, 1).expect("finite").into(),
    };
    (x.into(), target)
}

/// Every name and word in settings.
fn names(given: &Map<String, Value>) -> Vec<String> {
    let inside = given.values().flat_map(|value| match value {
        Value::Object(fields) => [fields.keys().cloned().collect(), names(fields)].concat(),
        Value::String(word) => vec![word.clone()],
        _ => Vec::new(),
    });
    given.keys().cloned().chain(inside).collect()
}

/// Whether an error says what it is about: the model, and the setting or a part of it.
fn explains(error: &Error, learner: &Learner, given: &Map<String, Value>) -> bool {
    let (said, title) = (error.to_string(), learner.spec().title());
    let name = |name: &String| said.contains(&format!("`{name}`"));
    // Weights of classes can leave none of one.
    said.contains("positive weight")
        || said.contains(&title)
            && (names(given).iter().any(name) || learner.spec().settings.iter().any(|s| name(&s.name.to_owned())))
}

/// Whether a reported value is the one that was given, in its short form or its long one.
fn is(given: &Value, reported: &Value) -> bool {
    match (given, reported) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Object(a), Value::Array(_)) => a.is_empty(),
        (Value::Object(a), Value::Object(b)) => a.iter().all(|(name, v)| b.get(name).map_or(v.is_null(), |w| is(v, w))),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(v, w)| is(v, w)),
        (Value::Number(_), Value::Object(b)) => b.get("value").is_some_and(|w| is(given, w)),
        (Value::Array(_), Value::Object(b)) => b.get("values").is_some_and(|w| is(given, w)),
        (Value::String(word), Value::Object(b)) => b.contains_key(word) || b.get("name") == Some(given),
        (Value::Object(a), Value::String(word)) => a.len() == 1 && a.contains_key(word),
        _ => given == reported,
    }
}

/// Settings that a fit replaces by what it chose or found.
fn is_found(learner: &str, name: &str) -> bool {
    matches!(
        (learner, name),
        ("ridge" | "gp", "alpha")
            | ("lssvm", "gamma" | "alphas")
            | ("descent", "stopping" | "start")
            | ("filter", "filter")
            | ("sgd", "dictionary")
            | ("kernel_cca", "second_kernel")
    )
}

fn hold(learner: &Learner, kind: TargetKind, classes: usize, given: &Map<String, Value>) {
    let name = learner.spec().name;
    let asked = given.iter().fold(Asked::from(learner.clone()), |asked, (name, value)| asked.with(name, value.clone()));
    let told = match asked.learner(kind, 1, ROWS).and_then(|(told, _)| told.validate().map(|()| told)) {
        Err(error) => return assert!(explains(&error, learner, given), "does not say what is wrong: {error}"),
        Ok(told) => told.with_kernel(KernelExpr::parse("rbf(length_scale=1)").expect("a formula")),
    };
    let settings = told.settings();
    for (setting, value) in given {
        assert!(is(value, &settings[setting]), "`{setting}` is reported as {}", settings[setting]);
    }
    let again = catalogue::by_name(name).expect("known").with_settings(settings.clone()).expect("its own settings");
    assert_eq!(again.settings(), settings, "the way round");
    let (x, y) = data(kind, classes);
    let (start, run) = (Instant::now(), Run::new().with_deadline(DEADLINE).with_memory_limit(MEMORY));
    let fitted = told.fit(&x, y, None, &run);
    assert!(start.elapsed() < DEADLINE + LATE, "the fit took {:?}", start.elapsed());
    match fitted {
        Err(Error::InvalidParameter { owner, name: setting, value, must }) => {
            let error = Error::InvalidParameter { owner, name: setting, value, must };
            assert!(explains(&error, learner, given), "does not say what is wrong: {error}");
        }
        // What is said of data, memory, time and combinations is said by its own kind of error.
        Err(_) => {}
        Ok(fitted) => {
            let kept = fitted.model.learner().settings();
            for (setting, value) in &settings {
                assert!(is_found(name, setting) || &kept[setting] == value, "`{setting}` is kept as {}", kept[setting]);
            }
            let read =
                catalogue::by_name(name).expect("known").with_settings(kept.clone()).expect("what a file would hold");
            assert_eq!(read.settings(), kept, "the way through a file");
        }
    }
}

/// What so many rounds of every model on every kind of target find.
fn attack(seed: u64, rounds: usize) -> Vec<String> {
    let (mut findings, mut attack) = (Vec::new(), Attack { chance: Chance::new(seed) });
    for round in 0..rounds {
        for learner in catalogue::all() {
            for &kind in learner.spec().targets {
                let count = attack.one(&[1, 1, 1, 2, 3]);
                let given: Map<String, Value> = (0..count).map(|_| attack.setting(&learner)).collect();
                let judged = catch_unwind(AssertUnwindSafe(|| hold(&learner, kind, 2 + round % 2, &given)));
                if let Err(payload) = judged {
                    let said = payload.downcast_ref::<String>().cloned().unwrap_or_default();
                    let name = learner.spec().name;
                    findings.push(format!("{name} on {kind:?} with {}: {said}", Value::Object(given)));
                }
            }
        }
    }
    findings
}

#[test]
fn settings_by_chance_are_refused_in_words_or_kept() {
    assert_eq!(attack(1, 500), Vec::<String>::new());
}

/// `MERCER_ROUNDS=10000 MERCER_SEED=7 cargo nextest run … --run-ignored only -E 'test(attacked_for_long)'`.
#[test]
#[ignore = "runs as long as it is told to"]
fn attacked_for_long() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    let findings = attack(number("MERCER_SEED", 2), number("MERCER_ROUNDS", 1000) as usize);
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
