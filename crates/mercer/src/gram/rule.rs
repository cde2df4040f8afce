//! Rules that find parameters in the data, resolved before binding.

use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;

use crate::data::{Inputs, Names};
use crate::error::{Error, Result, counted};
use crate::kernel::{FROM_DATA, KernelExpr, Kind, Leaf, Param, Rule, Setting, Statistic, Value, formula_kernels};
use crate::run::Run;

use super::bind::Binder;
use super::columns::Place;
use super::gaps;
use super::lower;
use super::node::{Scratch, Window};
use super::ordinal::order;
use super::tfidf::counts;

/// Rows that a rule looks at; more would not move a median by much. They are spread evenly over
/// the distinct rows, so that sorted data are represented, the answer is always the same, and a row
/// that is there twice counts as much as a row of weight 2.
const SAMPLE: usize = 1000;

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resolution {
    /// The parameter, such as `0.rbf.length_scale`.
    pub path: String,
    /// The rule's word.
    pub rule: &'static str,
    /// The number it found; of words, how many.
    pub value: f64,
    /// How it was found.
    pub detail: String,
}

impl KernelExpr {
    /// This formula with every rule replaced by the number it finds in `x`, and what was found.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::Rows};
    /// let x = Rows::new(vec![0.0, 1.0, 3.0], 3, 1)?;
    /// let (k, found) = KernelExpr::parse("rbf")?.resolve(&x.into(), &Run::new())?;
    /// assert_eq!(k.to_string(), "rbf(length_scale=2)");
    /// assert_eq!(found[0].detail, "median of the 3 distances among 3 rows");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn resolve(&self, x: &Inputs, run: &Run) -> Result<(KernelExpr, Vec<Resolution>)> {
        let mut resolved = self.clone();
        let mut found = Vec::new();
        let mut seen = Vec::new();
        each_seen(self, self, &Rc::new(Seen::new(x.clone())), &mut seen);
        let mut seen = seen.iter().enumerate();
        let mut done = Ok(());
        resolved.each_node(&mut |path, node| {
            let own = node.own_columns().and_then(|_| seen.next());
            if let (KernelExpr::Leaf(leaf), Some((index, seen)), Ok(())) = (node, own, &done) {
                let Seen { x, sample, counted } = seen.as_ref();
                let search = Search { expr: self, index, x, sample, counted: *counted, run };
                done = resolve_leaf(search, path, leaf, &mut found);
            }
        });
        done.map(|()| (resolved, found))
    }
}

impl KernelExpr {
    /// A formula, also one that is refused as a kernel, with every rule replaced by the number it
    /// finds in `x`, and what was found.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::Rows};
    /// let x = Rows::new(vec![0.0, 1.0, 3.0], 3, 1)?;
    /// let (formula, found) = KernelExpr::resolve_formula("linear - rbf/2", &x.into(), &Run::new())?;
    /// assert_eq!(formula, "linear - rbf(length_scale=2)/2");
    /// assert_eq!(found.len(), 1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn resolve_formula(source: &str, x: &Inputs, run: &Run) -> Result<(String, Vec<Resolution>)> {
        let mut resolved = source.to_owned();
        let mut found: Vec<Resolution> = Vec::new();
        // From the end, so that places stay where they are.
        for (place, kernel) in formula_kernels(source)?.into_iter().rev().filter(|(_, k)| !k.is_resolved()) {
            let (kernel, numbers) = kernel.resolve(x, run)?;
            resolved.replace_range(place, &kernel.to_string());
            // What stands in two places is found once.
            let new: Vec<Resolution> = numbers.into_iter().filter(|r| !found.contains(r)).collect();
            found.splice(0..0, new);
        }
        Ok((resolved, found))
    }

    /// The sum of the kernels that a formula names, also of one that is refused: what it reads.
    pub fn parts_of_formula(source: &str) -> Result<KernelExpr> {
        let parts: Vec<KernelExpr> = formula_kernels(source)?.into_iter().map(|(_, kernel)| kernel).collect();
        Ok(KernelExpr::Sum(parts))
    }
}

/// The points that a leaf finds its parameters in.
struct Seen {
    x: Inputs,
    sample: Inputs,
    counted: Counted,
}

impl Seen {
    fn new(x: Inputs) -> Self {
        let distinct = x.distinct();
        let (sample, counted) = (evenly_spread(&x, &distinct), Counted { rows: x.len(), distinct: distinct.len() });
        Seen { x, sample, counted }
    }
}

/// What each leaf of `part` sees, in the order of the formula: inside `with_gaps`, the points without a gap.
fn each_seen(expr: &KernelExpr, part: &KernelExpr, seen: &Rc<Seen>, out: &mut Vec<Rc<Seen>>) {
    let inside = match part {
        KernelExpr::WithGaps(inner) => gaps::whole(expr, inner, &seen.x),
        _ => None,
    };
    let seen = inside.map_or_else(|| seen.clone(), |whole| Rc::new(Seen::new(seen.x.take(&whole))));
    out.extend(part.own_columns().map(|_| seen.clone()));
    part.parts().iter().for_each(|part| each_seen(expr, part, &seen, out));
}

/// At most [`SAMPLE`] of these rows, evenly spread.
fn evenly_spread(x: &Inputs, rows: &[usize]) -> Inputs {
    let (n, count) = (rows.len(), rows.len().min(SAMPLE));
    if count == x.len() {
        return x.clone();
    }
    x.take(&(0..count).map(|i| rows[i * n / count]).collect::<Vec<_>>())
}

/// How many rows there are.
#[derive(Clone, Copy)]
struct Counted {
    rows: usize,
    distinct: usize,
}

impl Counted {
    /// The rows that were looked at, in words.
    fn describe(self, looked_at: usize) -> String {
        match (looked_at < self.distinct, self.distinct < self.rows) {
            (false, false) => counted(looked_at, "row", "rows"),
            (false, true) => counted(looked_at, "distinct row", "distinct rows"),
            (true, false) => format!("{looked_at} of {} rows", self.rows),
            (true, true) => format!("{looked_at} of {} distinct rows", self.distinct),
        }
    }
}

/// What is needed to look for a parameter of one leaf.
#[derive(Clone, Copy)]
struct Search<'a> {
    expr: &'a KernelExpr,
    index: usize,
    x: &'a Inputs,
    sample: &'a Inputs,
    counted: Counted,
    run: &'a Run,
}

impl<'a> Search<'a> {
    fn place(self, leaf: &'a Leaf) -> Place<'a> {
        let spec = leaf.spec();
        Place { expr: self.expr, leaf: self.index, kernel: spec.name, columns: leaf.columns(), domain: spec.domain }
    }
}

fn resolve_leaf(search: Search<'_>, path: &str, leaf: &mut Leaf, found: &mut Vec<Resolution>) -> Result<()> {
    let spec = leaf.spec();
    let reader = leaf.clone();
    for (setting, value) in spec.settings.iter().zip(leaf.settings_mut()) {
        let path = format!("{path}{}.{}", spec.name, setting.name);
        let list: Vec<(&mut Param, Option<usize>, String)> = match value {
            Setting::One(param) => vec![(param, None, path)],
            Setting::Many(list) => {
                list.iter_mut().enumerate().map(|(j, p)| (p, Some(j), format!("{path}[{j}]"))).collect()
            }
            Setting::Words(words @ None) => {
                let (learnt, resolution) = learnt_words(search, path, &reader)?;
                *words = Some(learnt);
                found.push(resolution);
                continue;
            }
            Setting::Integer(_) | Setting::Choice(_) | Setting::Words(Some(_)) => continue,
        };
        for (param, column, path) in list {
            if let Value::Rule(rule @ Rule::Median) = param.value {
                let (value, detail) = median_distance(search, &reader, column)?;
                param.value = Value::Number(value);
                found.push(Resolution { path, rule: rule.name(), value, detail });
            }
        }
    }
    Ok(())
}

/// The words that a kernel finds in the data, in all rows.
fn learnt_words(search: Search<'_>, path: String, leaf: &Leaf) -> Result<(Arc<[String]>, Resolution)> {
    let place = search.place(leaf);
    // Before the n-grams stands the number of texts.
    let ((words, detail), before) = match leaf.kind() {
        Kind::Tfidf => (counts(place, search.x, leaf, search.run)?, 1),
        _ => (order(place, search.x)?, 0),
    };
    let value = (words.len() - before) as f64;
    Ok((words, Resolution { path, rule: FROM_DATA, value, detail }))
}

/// The median distance between two different rows, in the distance of the kernel, over all of its
/// columns or over one.
fn median_distance(search: Search<'_>, leaf: &Leaf, column: Option<usize>) -> Result<(f64, String)> {
    let place = search.place(leaf);
    let mut columns = place.names(search.sample)?;
    if let Some(j) = column {
        let name = columns.get(j).map(|name| name.into_owned());
        columns = name.into_iter().collect::<Vec<_>>().into();
    }
    let n = search.sample.len();
    let equal = || undefined(place, format!("all rows are equal in {}", columns.quoted()));
    let distances = distances(search, place, leaf, columns.clone());
    let mut distances = distances.map_err(|error| of_all_rows(search, place, &columns, error))?;
    let pairs = distances.len();
    if pairs == 0 {
        let few = format!("there are no two rows to take a distance between ({} in all)", search.counted.rows);
        return Err(if search.counted.rows > 1 { equal() } else { undefined(place, few) });
    }
    let of_all = median(&mut distances);
    let rows = search.counted.describe(n);
    if of_all > 0.0 {
        return Ok((of_all, format!("median of the {} among {rows}", counted(pairs, "distance", "distances"))));
    }
    distances.retain(|d| *d > 0.0);
    if distances.is_empty() {
        return Err(equal());
    }
    let detail = format!("median of the {} positive distances among {rows}, since most are 0", distances.len());
    Ok((median(&mut distances), detail))
}

/// What is wrong with the values is said of all rows, not of those that were looked at. Sparse rows stay sparse.
fn of_all_rows(search: Search<'_>, place: Place<'_>, columns: &Names, error: Error) -> Error {
    let of_values = |error: &Error| matches!(error, Error::NonFinite { .. } | Error::Domain { .. });
    if !of_values(&error) {
        return error;
    }
    let again = place.sparse(search.x).and_then(|sparse| match sparse {
        Some(_) => Ok(()),
        None => place.coordinates(search.x, columns, search.run).map(drop),
    });
    again.err().filter(of_values).unwrap_or(error)
}

fn undefined(place: Place<'_>, why: String) -> Error {
    let help = "give a number, for example `length_scale=1`".to_owned();
    place.error(None, format!("the rule `median` finds no length scale: {why}"), Some(help))
}

/// The distances of all pairs i < j of the sample.
fn distances(search: Search<'_>, place: Place<'_>, leaf: &Leaf, columns: Names) -> Result<Vec<f64>> {
    let statistic = match leaf.kind() {
        Kind::LaplaceL1 => Statistic::ManhattanDistance,
        _ => Statistic::SquaredDistance,
    };
    let mut binder = Binder::new(search.expr, search.sample, search.run);
    let source = lower::points(&mut binder, place, statistic, columns, None)?;
    let sources: Vec<_> = binder.sources.into_iter().map(|(_, source)| source).collect();
    let unit = sources[source].unit();
    let n = search.sample.len();
    let mut scratch = Scratch::default();
    let mut distances = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    for i in 1..n {
        let raw = Window::new(&sources, i..i + 1, 0..i, &mut scratch).take_statistic(source);
        distances.extend(raw.iter().map(|s| match statistic {
            Statistic::ManhattanDistance => s * unit,
            _ => s.sqrt() * unit,
        }));
        scratch.give(raw);
    }
    Ok(distances)
}

/// The median; the mean of the middle two when their number is even.
fn median(values: &mut [f64]) -> f64 {
    let even = values.len().is_multiple_of(2);
    let (below, middle, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    let upper = *middle;
    if even { 0.5 * upper + 0.5 * below.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b)) } else { upper }
}
