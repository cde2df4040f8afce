//! Change points as the points come: a sliding window against a reference.

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::data::{Inputs, Rows};
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut, apply, dense};
use crate::kernel::KernelExpr;
use crate::run::Run;

/// Watches a stream of vectors: the squared distance in feature space between the mean of the last `window` points and the mean of
/// a reference, MMD² = (1/N²)ΣΣ k(xᵢ, xⱼ) + (1/W²)ΣΣ k(yᵢ, yⱼ) − (2/(NW))ΣΣ k(xᵢ, yⱼ). O(N + W) kernel values for a point.
#[derive(Clone, Debug)]
pub struct KernelChangeDetector {
    /// The kernel; its rules are resolved on the reference.
    pub kernel: KernelExpr,
    /// Points in the window.
    pub window: usize,
    /// The mean number of points between false alarms that is asked for.
    pub run_length: f64,
    /// Where chance begins.
    pub seed: u64,
}

/// A detector with its threshold and the points of its window: plain data, which can be written down and read back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    kernel: String,
    columns: usize,
    window: usize,
    run_length: f64,
    threshold: f64,
    reference: Vec<f64>,
    /// (1/N²)ΣΣ k of the reference.
    within: f64,
    /// The last points, at most `window`.
    recent: Vec<f64>,
    seen: u64,
}

/// What a point was told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// MMD² of the window that ends with this point; none while the window fills.
    pub statistic: Option<f64>,
    /// Whether it is above the threshold. The window is empty after that.
    pub alarm: bool,
}

impl KernelChangeDetector {
    /// Half of the rows of `x`, drawn by chance, are the reference. Windows drawn from the other half, which stand for a stream
    /// without change, set the threshold: as low as false alarms `run_length` points apart in the mean allow.
    ///
    /// That holds for points that are independent, with the distribution of `x`; dependence makes false alarms more frequent.
    pub fn fit(&self, x: &Rows, run: &Run) -> Result<Watch> {
        let owner = "KernelChangeDetector";
        if !(self.run_length >= 1.0 && self.run_length <= 1e7) {
            return Err(Error::invalid(owner, "run_length", self.run_length, "a number from 1 to 10000000"));
        }
        let n = x.nrows();
        if self.window < 2 || n < 2 * self.window.max(2) {
            let must = format!("a number from 2 to half of the {n} rows");
            return Err(Error::invalid(owner, "window", self.window, must));
        }
        let inputs: Inputs = x.clone().into();
        let (kernel, _) = self.kernel.resolve(&inputs, run)?;
        let mut chance = Chance::new(self.seed);
        let (kept, others) = chance.draw(n, n / 2);
        let reference = inputs.take(&kept);
        let calibration = inputs.take(&others);
        let near = Means::new(&kernel, &reference, run)?;
        let gram = dense::<f64>(&kernel.bind(&calibration, run)?, run)?;
        let to_reference = near.to_reference(&calibration, run)?;
        let value = |of: usize, places: &[usize]| places.iter().map(|p| gram.row(of)[*p]).sum::<f64>();
        let simulated = simulate((value, &to_reference, near.within), self, &mut chance, run)?;
        let threshold = threshold(&simulated, self.window, self.run_length);
        Ok(Watch {
            kernel: kernel.to_string(),
            columns: x.ncols(),
            window: self.window,
            run_length: self.run_length,
            threshold,
            reference: kept.iter().flat_map(|i| x.row(*i).to_vec()).collect(),
            within: near.within,
            recent: Vec::new(),
            seen: 0,
        })
    }
}

/// The mean of the reference in feature space.
struct Means<'a> {
    kernel: &'a KernelExpr,
    reference: &'a Inputs,
    within: f64,
}

impl<'a> Means<'a> {
    fn new(kernel: &'a KernelExpr, reference: &'a Inputs, run: &Run) -> Result<Self> {
        let n = reference.len();
        let mut sums = vec![0.0; n];
        apply(&kernel.bind(reference, run)?, &vec![1.0; n], 1, &mut sums, run)?;
        Ok(Means { kernel, reference, within: sums.iter().sum::<f64>() / (n * n) as f64 })
    }

    /// The mean of k(xᵢ, y) over the reference, for every y.
    fn to_reference(&self, y: &Inputs, run: &Run) -> Result<Vec<f64>> {
        to_reference(self.kernel, self.reference, y, run)
    }
}

fn to_reference(kernel: &KernelExpr, reference: &Inputs, y: &Inputs, run: &Run) -> Result<Vec<f64>> {
    let n = reference.len();
    let mut means = vec![0.0; y.len()];
    apply(&kernel.bind_cross(y, reference, run)?, &vec![1.0 / n as f64; n], 1, &mut means, run)?;
    Ok(means)
}

/// The sum of k over all pairs of a window that slides, refreshed before rounding adds up.
struct Sliding {
    window: usize,
    places: Vec<usize>,
    pairs: f64,
    means: f64,
    steps: usize,
}

impl Sliding {
    fn new(window: usize) -> Self {
        Sliding { window, places: Vec::with_capacity(window + 1), pairs: 0.0, means: 0.0, steps: 0 }
    }

    /// Takes the point of this place in, the oldest out, and gives MMD² once the window is full. `row` sums the kernel values of a
    /// point with others.
    fn push(&mut self, place: usize, row: impl Fn(usize, &[usize]) -> f64, means: &[f64], within: f64) -> Option<f64> {
        if self.places.len() == self.window {
            let oldest = self.places.remove(0);
            self.pairs -= 2.0 * row(oldest, &self.places) + row(oldest, &[oldest]);
            self.means -= means[oldest];
        }
        self.pairs += 2.0 * row(place, &self.places) + row(place, &[place]);
        self.means += means[place];
        self.places.push(place);
        self.steps += 1;
        if self.steps.is_multiple_of(self.window) {
            self.pairs = self.places.iter().map(|p| row(*p, &self.places)).sum();
            self.means = self.places.iter().map(|p| means[*p]).sum();
        }
        let size = self.window as f64;
        (self.places.len() == self.window).then(|| within + self.pairs / (size * size) - 2.0 * self.means / size)
    }

    fn clear(&mut self) {
        *self = Sliding::new(self.window);
    }
}

/// MMD² along a stream drawn with return, long enough for about fifty false alarms.
fn simulate(
    (row, means, within): (impl Fn(usize, &[usize]) -> f64, &[f64], f64),
    choices: &KernelChangeDetector,
    chance: &mut Chance,
    run: &Run,
) -> Result<Vec<f64>> {
    const ALARMS: f64 = 50.0;
    const ROUND: usize = 1000;
    let steps = ((ALARMS * choices.run_length) as usize).max(20 * choices.window);
    let _held = run.reserve(8 * steps as u128, "a simulated stream", "ask for a shorter run length")?;
    let task = run.task("threshold", Some((steps / ROUND) as u64));
    let mut sliding = Sliding::new(choices.window);
    let mut found = Vec::with_capacity(steps);
    while found.len() < steps {
        found.extend(sliding.push(chance.below(means.len()), &row, means, within));
        if found.len().is_multiple_of(ROUND) && !found.is_empty() {
            task.step_or_cancel()?;
        }
    }
    Ok(found)
}

/// The least of the statistics above which alarms are `run_length` points apart in the mean; an alarm empties the window.
fn threshold(simulated: &[f64], window: usize, run_length: f64) -> f64 {
    let apart = |threshold: f64| {
        let (mut alarms, mut watched, mut place) = (0usize, 0usize, 0);
        while place < simulated.len() {
            watched += 1;
            let alarm = simulated[place] > threshold;
            alarms += usize::from(alarm);
            // A window that fills says nothing.
            place += if alarm { window } else { 1 };
        }
        watched as f64 / alarms as f64
    };
    let mut sorted = simulated.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (mut low, mut high) = (0, sorted.len() - 1);
    while low < high {
        let middle = (low + high) / 2;
        match apart(sorted[middle]) >= run_length {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    sorted[low]
}

impl Watch {
    /// The statistic that raises an alarm when it is exceeded.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Number of points that were seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Takes the next points in, in their order, and answers for each. The answers do not depend on how a stream is cut into calls
    /// but for rounding.
    pub fn update(&mut self, x: &Rows, run: &Run) -> Result<Vec<Step>> {
        self.validate()?;
        if x.ncols() != self.columns {
            return Err(Error::shape("the points", format!("{} columns", self.columns), x.ncols()));
        }
        let before = self.recent.len() / self.columns.max(1);
        let mut values = self.recent.clone();
        (0..x.nrows()).for_each(|i| values.extend_from_slice(x.row(i)));
        let all: Inputs = Rows::new(values.clone(), before + x.nrows(), self.columns)?.into();
        let reference: Inputs =
            Rows::new(self.reference.clone(), self.reference.len() / self.columns.max(1), self.columns)?.into();
        let kernel = KernelExpr::parse(&self.kernel)?;
        let means = to_reference(&kernel, &reference, &all, run)?;
        let gram = kernel.bind(&all, run)?;
        // Places of a window follow each other.
        let row = |of: usize, places: &[usize]| {
            let (Some(first), Some(last)) = (places.first(), places.last()) else { return 0.0 };
            let mut values = vec![0.0; places.len()];
            gram.block(of..of + 1, *first..last + 1, TileMut::contiguous(&mut values, 1, places.len()));
            values.iter().sum()
        };
        let mut sliding = Sliding::new(self.window);
        for i in 0..before {
            sliding.push(i, row, &means, self.within);
        }
        let task = run.task("stream", Some(x.nrows() as u64));
        let mut steps = Vec::with_capacity(x.nrows());
        for i in before..all.len() {
            // The state is as it was where this stops.
            task.step_or_cancel()?;
            let statistic = sliding.push(i, row, &means, self.within);
            let alarm = statistic.is_some_and(|s| s > self.threshold);
            steps.push(Step { statistic, alarm });
            if alarm {
                sliding.clear();
            }
        }
        self.recent =
            sliding.places.iter().flat_map(|i| values[i * self.columns..(i + 1) * self.columns].to_vec()).collect();
        self.seen += x.nrows() as u64;
        Ok(steps)
    }

    /// A state that was read back may say anything.
    fn validate(&self) -> Result<()> {
        let whole = |values: &[f64]| self.columns > 0 && values.len().is_multiple_of(self.columns);
        let problem = if self.window < 2 {
            "its window has fewer than 2 points"
        } else if self.reference.is_empty() || !whole(&self.reference) || !whole(&self.recent) {
            "its points do not have as many numbers as it has columns"
        } else if self.recent.len() / self.columns > self.window {
            "it remembers more points than its window has"
        } else {
            return Ok(());
        };
        Err(Error::Format { path: "the state of a detector".into(), problem: problem.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_contradict_themselves_are_refused() {
        let x = Rows::new((0..40).map(|i| f64::from(i).sin()).collect::<Vec<f64>>(), 40, 1).expect("rows");
        let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
        let detector = KernelChangeDetector { kernel, window: 5, run_length: 100.0, seed: 0 };
        let watch = detector.fit(&x, &Run::new()).expect("a watch");
        assert!(watch.clone().update(&x, &Run::new()).is_ok());
        let broken: [fn(&mut Watch); 4] =
            [|w| w.window = 0, |w| w.columns = 0, |w| w.reference.clear(), |w| w.recent = vec![0.0; 6]];
        for spoil in broken {
            let mut watch = watch.clone();
            spoil(&mut watch);
            assert!(matches!(watch.update(&x, &Run::new()), Err(Error::Format { .. })));
        }
    }
}
