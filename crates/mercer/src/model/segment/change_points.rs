//! The estimator: a kernel, and the least length of a segment.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix, Resolution, TileMut, apply_block};
use crate::kernel::KernelExpr;
use crate::kernel::property::Standing;
use crate::rkhs::Space;
use crate::run::Run;

use super::automatic::{AutomaticChoice, Manner, Searches, Sequence, Weights};
use super::binary::LandmarkSegments;
use super::directions::directions;
use super::dynamic::{self, Problem};
use super::limited::centred;
use super::path::{CostPath, Segmentation, Segments};
use super::significance::{self, ChangeTest, Permutations};

/// Kernel change points: cuts x₁, …, xₙ, which are in order, into segments that are as alike inside as can be.
///
/// Minimises the sum over segments [s, t) of the cost C(s, t) = Σ k(xᵢ, xᵢ) − (1/(t − s))·ΣΣ k(xᵢ, xⱼ) = Σ‖φ(xᵢ) − μ‖² with the mean
/// μ of the segment in feature space; with [`Segments::Lines`] it is min Σ‖φ(xᵢ) − a − b·i‖² over a, b. A kernel that is conditionally positive
/// definite, such as `energy`, has the same meaning.
///
/// ```
/// use mercer::{KernelExpr, Run, data::Rows, model::segment::{KernelChangePoint, Segments}};
/// let x = Rows::new(vec![0.0, 1.0, 0.0, 9.0, 8.0], 5, 1)?.into();
/// let run = Run::new();
/// let linear = KernelExpr::parse("linear")?;
/// let points = KernelChangePoint { kernel: linear, min_size: 1, segments: Segments::Levels }.fit(&x, &run)?;
/// let found = points.penalised(2.0, &run)?;
/// assert_eq!(found.changes, [3]);
/// assert!((found.cost - (2.0 / 3.0 + 0.5)).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelChangePoint {
    /// The kernel; its rules are resolved on the points.
    pub kernel: KernelExpr,
    /// The least number of points in a segment; at least 5 where segments are lines.
    pub min_size: usize,
    /// What segments are.
    pub segments: Segments,
}

impl KernelChangePoint {
    /// Binds the kernel to the points, which stand in their order.
    pub fn fit(&self, x: &Inputs, run: &Run) -> Result<ChangePoints> {
        let n = x.len();
        if self.min_size == 0 || self.min_size > n.max(1) {
            let must = format!("a number from 1 to the {n} rows");
            return Err(Error::invalid("KernelChangePoint", "min_size", self.min_size, must));
        }
        if n == 0 {
            return Err(Error::shape("the data", "a row or more", "none"));
        }
        let columns = self.kernel.to_string() == "linear";
        // Costs do not change with the mean, and rounding does.
        let centred = if columns { centred(x, run)? } else { None };
        let space = Space::new(&self.kernel, x, run)?;
        let bound = space.gram(centred.as_ref().unwrap_or(x), run)?;
        if bound.nrows() != bound.ncols() {
            let got = format!("{} by {}", bound.nrows(), bound.ncols());
            return Err(Error::shape("the kernel matrix of the rows", "as many columns as rows", got));
        }
        // Of values made elsewhere, nothing is known.
        let known = !matches!(x, Inputs::Precomputed(_));
        let standing = space.kernel().standing();
        let additive = known && (standing.is_positive_definite() || standing == Standing::CONDITIONAL);
        let weights = if columns { Weights::COLUMNS } else { Weights::FEATURES };
        let manner = Manner { segments: self.segments, directions: directions(x), weights };
        // All points may be one segment, however few they are.
        let min_size = self.segments.least(self.min_size).min(n);
        Ok(ChangePoints { space, bound, min_size, additive, manner })
    }
}

/// Points in order, ready to be cut.
#[derive(Debug)]
pub struct ChangePoints {
    space: Space,
    bound: Bound,
    min_size: usize,
    /// Whether splitting a segment never costs.
    additive: bool,
    manner: Manner,
}

impl ChangePoints {
    /// Number of points.
    pub fn n(&self) -> usize {
        self.bound.nrows()
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.space.kernel()
    }

    /// What the kernel's rules found.
    pub fn resolutions(&self) -> &[Resolution] {
        self.space.resolutions()
    }

    /// What segments are.
    pub fn segments(&self) -> Segments {
        self.manner.segments
    }

    /// The least number of points in a segment.
    pub fn min_size(&self) -> usize {
        self.min_size
    }

    /// The largest number of changes that there is room for.
    pub fn max_changes(&self) -> usize {
        self.n() / self.min_size - 1
    }

    /// The cheapest segmentations with 0, 1, …, `most` changes: exact, in O(n²) kernel values and O(n·most) memory.
    pub fn path(&self, most: usize, run: &Run) -> Result<CostPath> {
        if most > self.max_changes() {
            let room = format!(
                "at most {}: {} rows have room for so many in segments of {} or more",
                self.max_changes(),
                self.n(),
                self.min_size
            );
            return Err(Error::invalid("KernelChangePoint", "changes", most, room));
        }
        dynamic::path(self.problem(), most, run)
    }

    /// The segmentation that minimises its cost and `penalty` ≥ 0 for every change: exact, also with a `min_size`.
    pub fn penalised(&self, penalty: f64, run: &Run) -> Result<Segmentation> {
        check_penalty(penalty)?;
        dynamic::penalised(self.problem(), (penalty, self.additive), run)
    }

    pub(super) fn problem(&self) -> Problem<'_> {
        Problem { matrix: &self.bound, segments: self.manner.segments, min_size: self.min_size }
    }

    /// The segmentation with as many changes as the rule finds in these points: exact for that number.
    pub fn automatic(&self, run: &Run) -> Result<(Segmentation, AutomaticChoice)> {
        let multiply = |v: &[f64], k: usize, out: &mut [f64]| apply_block(&self.bound, v, k, out, run);
        let sequence = Sequence::new(&self.bound, self.manner);
        let (path, penalised) = (|most| self.path(most, run), |penalty| self.penalised(penalty, run));
        let searches = Searches { max_changes: self.max_changes(), path: &path, penalised: &penalised };
        sequence.choose(&searches, &multiply, run)
    }

    /// How each of these changes stands out; `changes` are in order.
    pub fn tests(&self, changes: &[usize], permutations: Permutations, run: &Run) -> Result<Vec<ChangeTest>> {
        let ends: Vec<usize> = [0].iter().chain(changes).chain([&self.n()]).copied().collect();
        if ends.windows(2).any(|w| w[1] <= w[0]) {
            return Err(Error::shape(
                "changes",
                format!("rising numbers from 1 to {}", self.n() - 1),
                format!("{changes:?}"),
            ));
        }
        significance::tests(self.problem(), changes, permutations, run)
    }

    /// The points on landmarks, which are drawn by chance: for sequences too long for exact answers.
    pub fn landmarks(&self, landmarks: usize, seed: u64, run: &Run) -> Result<LandmarkSegments> {
        if !self.space.kernel().standing().is_positive_definite() {
            return Err(Error::Unsupported {
                what: format!("landmarks with `{}`, which is not known to be positive definite,", self.kernel()),
                alternative: "choose a kernel such as `rbf`".into(),
            });
        }
        LandmarkSegments::new(&self.bound, (landmarks, seed), (self.min_size, self.manner), run)
    }

    /// C(s, t) of one segment, straight from its kernel values.
    pub fn cost(&self, segment: std::ops::Range<usize>) -> Result<f64> {
        let length = segment.len();
        if length == 0 || segment.end > self.n() {
            return Err(Error::shape("a segment", format!("points below {}", self.n()), format!("{segment:?}")));
        }
        let (mut row, mut trace, mut sum, mut rise) = (vec![0.0; length], 0.0, 0.0, 0.0);
        let place = |i: usize| i as f64 - (length - 1) as f64 / 2.0;
        for i in 0..length {
            let at = segment.start + i;
            self.bound.block(at..at + 1, segment.clone(), TileMut::contiguous(&mut row, 1, length));
            trace += row[i];
            sum += row.iter().sum::<f64>();
            rise += place(i) * row.iter().enumerate().map(|(j, k)| place(j) * k).sum::<f64>();
        }
        let spread: f64 = (0..length).map(|i| place(i).powi(2)).sum();
        let of_line = if self.segments() == Segments::Lines && spread > 0.0 { rise / spread } else { 0.0 };
        Ok(trace - sum / length as f64 - of_line)
    }
}

/// A penalty is a number ≥ 0.
pub(super) fn check_penalty(penalty: f64) -> Result<()> {
    match penalty >= 0.0 && penalty.is_finite() {
        true => Ok(()),
        false => Err(Error::invalid("KernelChangePoint", "penalty", penalty, "a number ≥ 0")),
    }
}
