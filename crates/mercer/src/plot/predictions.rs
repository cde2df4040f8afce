//! Pictures of predictions: beside the truth where it is known, else how they are spread.

use crate::data::{Categories, Column, Table};
use crate::error::{Result, counted};
use crate::metric::Confusion;
use crate::model::pipeline::Task;
use crate::note::Note;

use super::confusion::confusion_panel;
use super::decimal::short;
use super::figure::{Axis, Figure, Ink, Mark, Panel, Series};
use super::fit::columns_for;
use super::judged::residual_panel;
use super::projection::projection;

/// Outputs that get a panel of their own.
const MOST: usize = 6;
/// Bins of a histogram, at least and at most.
const BINS: (f64, f64) = (5.0, 40.0);

/// What a model answered for some rows.
pub struct Predictions<'a> {
    /// What the model predicts.
    pub task: &'a Task,
    /// Its answers, as [`answers`](crate::report::answers) gives them.
    pub table: &'a Table,
    /// The targets of the rows, where they are known: of all of the task's, or none.
    pub truth: &'a [(String, Column)],
    /// The name of the data.
    pub data: &'a str,
}

/// Classes by what they truly are, or how many rows each class got; numbers against the truth with their residuals, or how they are
/// spread; the first two coordinates of an embedding; sizes of clusters. A row whose truth is missing is not judged, and a note
/// says how many.
pub fn prediction_sheet(found: &Predictions<'_>) -> Result<Figure> {
    let (panels, notes) = match (found.task.classes(), found.truth) {
        (Some(classes), [(name, truth)]) => found.confused(classes, name, truth)?,
        (Some(classes), _) => (vec![found.sizes(classes)], Vec::new()),
        (None, []) => (found.spread()?, Vec::new()),
        (None, truth) => found.judged(truth),
    };
    let columns = columns_for(panels.len());
    let what = found.task.targets().join(", ");
    let of = if what.is_empty() { found.data.to_owned() } else { format!("{what} of {}", found.data) };
    let title = format!("{of}: {}", counted(found.table.nrows(), "row", "rows"));
    Ok(Figure { notes, ..Figure::grid(panels, columns).titled(title) })
}

impl Predictions<'_> {
    /// The labels that were predicted, of the first column of words.
    fn labels(&self) -> Option<&Categories> {
        self.table.iter().find_map(|(_, column)| if let Column::Category(c) = column { Some(c) } else { None })
    }

    fn numbers(&self, name: &str) -> Option<&[f64]> {
        self.table.column(name).and_then(Column::numbers)
    }

    /// Which classes were taken for which.
    fn confused(&self, classes: &[String], name: &str, truth: &Column) -> Result<(Vec<Panel>, Vec<Note>)> {
        let (truth, none) = (Task::words(name, truth)?, Categories::from_values(std::iter::empty::<Option<String>>()));
        let predicted = self.labels().unwrap_or(&none);
        let pairs: Vec<(&str, &str)> =
            (0..predicted.len()).filter_map(|i| Some((truth.get(i)?, predicted.get(i)?))).collect();
        let right = pairs.iter().filter(|(t, p)| t == p).count();
        let known = |label: &str| classes.iter().any(|class| class == label);
        let strange = pairs.iter().filter(|(t, _)| !known(t)).count();
        let confusion = Confusion::count(pairs.iter().map(|p| p.0), pairs.iter().map(|p| p.1), classes, None);
        let share = short(100.0 * right as f64 / pairs.len().max(1) as f64);
        let said = format!("{share} % right of {}", counted(pairs.len(), "row", "rows"));
        let mut notes = self.unjudged(pairs.len());
        if strange > 0 {
            let rows = counted(strange, "row is", "rows are");
            notes.push(Note::NotDrawn {
                why: format!("{rows} of a class that the model does not know, and counted as wrong"),
            });
        }
        Ok((vec![confusion_panel(&confusion).subtitled(said)], notes))
    }

    /// What is said of rows without a truth.
    fn unjudged(&self, judged: usize) -> Vec<Note> {
        let left = self.table.nrows().saturating_sub(judged);
        let rows = counted(left, "row has", "rows have");
        let why = format!("{rows} no target, or no prediction, and cannot be judged");
        (left > 0).then_some(Note::NotDrawn { why }).into_iter().collect()
    }

    /// How many rows got each of some labels.
    fn sizes(&self, labels: &[String]) -> Panel {
        let count = |label: &String| {
            let own = |c: &Categories| (0..c.len()).filter(|i| c.get(*i) == Some(label)).count();
            self.labels().map_or(0, own)
        };
        let bar = |(at, label): (usize, &String)| {
            let (x, rows) = (at as f64, count(label) as f64);
            Series::new(Mark::Band(vec![[x - 0.4, 0.0, rows], [x + 0.4, 0.0, rows]])).coloured(Ink::Palette(0))
        };
        let panel = Panel::new("Predicted classes", Axis::names("predicted", labels.to_vec()), Axis::linear("rows"));
        labels.iter().enumerate().map(bar).fold(panel, Panel::with)
    }

    /// Numbers without a truth.
    fn spread(&self) -> Result<Vec<Panel>> {
        if let Some(clusters) = self.labels() {
            let mut labels: Vec<String> =
                (0..clusters.len()).filter_map(|i| clusters.get(i).map(str::to_owned)).collect();
            labels.sort_by_key(|label| (label.len(), label.clone()));
            labels.dedup();
            let panel = self.sizes(&labels);
            return Ok(vec![Panel {
                title: "Clusters".into(),
                x: Axis { label: "cluster".into(), ..panel.x },
                ..panel
            }]);
        }
        let numbers: Vec<(&str, &[f64])> = self.table.iter().filter_map(|(n, c)| Some((n, c.numbers()?))).collect();
        match numbers.as_slice() {
            // Without a target, several numbers are coordinates.
            [(first, x), (second, y), ..] if self.task.targets().is_empty() => {
                let points: Vec<[f64; 2]> = x.iter().zip(*y).map(|(x, y)| [*x, *y]).collect();
                Ok(vec![projection("Coordinates", [Axis::linear(*first), Axis::linear(*second)], &points, &[])?])
            }
            all => {
                let is_bound = |name: &str| name.ends_with("_low") || name.ends_with("_high");
                let own = all.iter().filter(|(name, _)| !is_bound(name) || self.task.names().iter().any(|n| n == name));
                Ok(own.take(MOST).map(|(name, values)| histogram(name, values)).collect())
            }
        }
    }

    /// Numbers against the truth, and what is left of it where there is one number a row.
    fn judged(&self, truth: &[(String, Column)]) -> (Vec<Panel>, Vec<Note>) {
        let names = self.task.names();
        let mut panels = Vec::new();
        let mut judged = usize::MAX;
        for (at, (target, column)) in truth.iter().enumerate().take(MOST) {
            let Some(truth) = column.numbers() else { continue };
            // One target may have several numbers: its quantiles.
            let own: Vec<&String> = if self.task.targets().len() == 1 {
                names.iter().collect()
            } else {
                names[at..].iter().take(1).collect()
            };
            let pairs = |name: &str| -> Vec<[f64; 2]> {
                let values = self.numbers(name).unwrap_or_default();
                let both = truth.iter().zip(values).map(|(t, p)| [*t, *p]);
                both.filter(|[t, p]| t.is_finite() && p.is_finite()).collect()
            };
            let all: Vec<(&str, Vec<[f64; 2]>)> = own.iter().map(|name| (name.as_str(), pairs(name))).collect();
            judged = all.iter().map(|(_, pairs)| pairs.len()).fold(judged, usize::min);
            panels.push(self.against(target, truth, &all));
            if let ([(_, pairs)], [_]) = (all.as_slice(), self.task.targets().as_slice()) {
                panels.push(residual_panel(pairs.iter().map(|[t, p]| [*p, t - p]).collect()));
            }
        }
        (panels, self.unjudged(judged))
    }

    /// A series for each number of a target.
    fn against(&self, target: &str, truth: &[f64], all: &[(&str, Vec<[f64; 2]>)]) -> Panel {
        let panel = Panel::new(target, Axis::linear("true"), Axis::linear("predicted")).square();
        let said = match all {
            [(name, pairs)] => format!("{}{}", scores(pairs), self.held(name, truth)),
            many => format!("{} numbers a row", many.len()),
        };
        let series = all.iter().map(|(name, pairs)| {
            let points = Series::new(Mark::Points(pairs.clone()));
            if all.len() > 1 { points.named(*name) } else { points }
        });
        let panel = series.fold(panel.subtitled(said), Panel::with);
        panel.with(Series::new(Mark::Diagonal).named("predicted = true"))
    }

    /// How many rows lie between their bounds, where there are bounds.
    fn held(&self, name: &str, truth: &[f64]) -> String {
        let [low, high] = ["low", "high"].map(|end| self.numbers(&format!("{name}_{end}")));
        let (Some(low), Some(high)) = (low, high) else { return String::new() };
        let rows: Vec<bool> = truth
            .iter()
            .zip(low.iter().zip(high))
            .filter(|(t, _)| t.is_finite())
            .map(|(t, (l, h))| l <= t && t <= h)
            .collect();
        let held = rows.iter().filter(|held| **held).count();
        format!("; {} % within their bounds", short(100.0 * held as f64 / rows.len().max(1) as f64))
    }
}

/// "RMSE 0.31, R² 0.92".
fn scores(pairs: &[[f64; 2]]) -> String {
    let n = pairs.len().max(1) as f64;
    let mean = pairs.iter().map(|p| p[0] / n).sum::<f64>();
    let square = |of: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(|p| of(p).powi(2) / n).sum::<f64>();
    let (left, all) = (square(&|p| p[0] - p[1]), square(&|p| p[0] - mean));
    let r2 = if all > 0.0 { format!(", R² {}", short(1.0 - left / all)) } else { String::new() };
    format!("RMSE {}{r2}; {}", short(left.sqrt()), counted(pairs.len(), "row", "rows"))
}

/// How values are spread.
fn histogram(name: &str, values: &[f64]) -> Panel {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let panel = Panel::new("Predictions", Axis::linear(name), Axis::linear("rows"));
    if finite.is_empty() {
        return panel;
    }
    let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
    let bins = (finite.len() as f64).sqrt().ceil().clamp(BINS.0, BINS.1) as usize;
    let mut counts = vec![0.0; bins];
    // Halves, because the difference of two finite numbers need not be finite.
    let share = |v: f64| (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    finite.iter().for_each(|v| counts[((share(*v) * bins as f64) as usize).min(bins - 1)] += 1.0);
    let at = |i: usize| low * (1.0 - i as f64 / bins as f64) + high * (i as f64 / bins as f64);
    let area = counts.iter().enumerate().flat_map(|(i, c)| [[at(i), 0.0, *c], [at(i + 1), 0.0, *c]]).collect();
    let tops = counts.iter().enumerate().map(|(i, c)| [at(i), *c]);
    let top: Vec<[f64; 2]> = [[at(0), 0.0]].into_iter().chain(tops).chain([[at(bins), 0.0]]).collect();
    panel
        .with(Series::new(Mark::Band(area)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Step(top)).coloured(Ink::Palette(0)))
}
