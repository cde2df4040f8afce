//! Support vector machines of one class.

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::data::TargetKind;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::penalized::SEED;
use crate::model::support::{
    DEFAULTS, Form, Found, GAP, MAX_MOVES, NU, Part, Problem, Solved, Store, Support, VIOLATION, assemble, certify,
    check_nu, definite, learns_near, near_rows, params, solve,
};
use crate::model::{
    Answer, Certified, Fitted, Learn, LearnerSpec, Model, Sample, SettingSpec, SettingValues, Tune, has_kernel,
};
use crate::run::Run;
use crate::solver::dual::{DualParams, KernelRows};

/// Folds of the rows that p-values are found from.
const FOLDS: usize = 5;

/// The choices of a support vector machine of one class (Schölkopf, Platt, Shawe-Taylor, Smola, Williamson 2001).
///
/// Minimises ½‖f‖² − ν·W·ρ + Σ wᵢ·max(0, ρ − f(xᵢ)) over f and ρ, with W = Σ wᵢ. The answer is f(x) − ρ: above 0 where most points
/// are. At most the share ν of the weight lies below, at least that share are support vectors. The dual is
/// min ½Σ vᵢvⱼk(xᵢ, xⱼ) over 0 ≤ vᵢ ≤ wᵢ, Σ vᵢ = ν·W.
///
/// With `calibrate`, the values of every fifth of the rows at the function of the others are kept: p(x) is the share of them at or
/// below the value of x, itself included, which is small with a probability of about p for a point like the rows
/// (cross-conformal prediction, Vovk 2015).
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Target}, model::detect::OneClassSvm};
/// let x: Inputs = Rows::new(vec![0.0, 0.1, 0.2, 0.3, 5.0], 5, 1)?.into();
/// let machine = OneClassSvm { kernel: KernelExpr::parse("rbf(length_scale=1)")?, nu: 0.3, ..Default::default() };
/// let f = machine.fit(&x, Target::None, None, &Run::new())?.model.predict(&Rows::new(vec![0.15, 9.0], 2, 1)?.into(), &Run::new())?;
/// assert!(f[0] > -1e-2 && f[1] < 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OneClassSvm {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The share of support vectors.
    pub nu: f64,
    /// Whether to keep what p-values of new points need.
    pub calibrate: bool,
    /// Where the chance of the fifths begins.
    pub seed: u64,
    /// The largest violation of the conditions at which to stop.
    pub tolerance: f64,
    /// The gap over the objective at which to stop.
    pub gap: f64,
    /// The largest number of moves.
    pub max_iterations: u64,
}

impl Default for OneClassSvm {
    fn default() -> Self {
        let (tolerance, gap, max_iterations) = DEFAULTS;
        OneClassSvm {
            kernel: KernelExpr::default(),
            nu: 0.5,
            calibrate: false,
            seed: 0,
            tolerance,
            gap,
            max_iterations,
        }
    }
}

impl Tune for OneClassSvm {}

impl Learn for OneClassSvm {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "one_class",
        class: "OneClassSvm",
        summary: "the support vector machine of one class: where most points are",
        targets: &[TargetKind::None],
        answers: &[Answer::Score],
        weights: true,
        for_classes: None,
        settings: &[
            NU,
            SettingSpec {
                name: "calibrate",
                summary: "whether to keep what p-values of new points need",
                values: SettingValues::Flag,
            },
            SEED,
            VIOLATION,
            GAP,
            MAX_MOVES,
        ],
    };

    has_kernel!();
    learns_near!();

    fn validate(&self) -> Result<()> {
        check_nu(&Self::SPEC, self.nu)?;
        params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations).map(drop)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        certify(model, sample, &[self.part(sample)], run)
    }
}

impl OneClassSvm {
    fn part(&self, sample: &Sample) -> Part {
        let cost: Vec<f64> = sample.weights.as_ref().map_or_else(|| vec![1.0; sample.n], |w| w.to_vec());
        Part { rows: (0..sample.n).collect(), problem: self.problem(cost) }
    }

    fn problem(&self, cost: Vec<f64>) -> Problem {
        let form = Form::Level { mass: self.nu * cost.iter().sum::<f64>() };
        Problem { form, y: vec![0.0; cost.len()], cost, intercept: true }
    }

    fn learn_near(&self, near: Option<&Model>, sample: &Sample, run: &Run) -> Result<Fitted> {
        let params = params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations)?;
        let notes = definite(sample, run)?.into_iter().collect();
        let folds = if self.calibrate { FOLDS.min(sample.n) } else { 1 };
        let mut order: Vec<usize> = (0..sample.n).collect();
        Chance::new(self.seed).shuffle(&mut order);
        let mut group = vec![0; sample.n];
        order.iter().enumerate().for_each(|(at, i)| group[*i] = at % folds);
        let store = Store::new(sample, &group, folds, run)?;
        let all: Vec<usize> = (0..folds).collect();
        let view = store.view(&all);
        let part = self.part(sample);
        let places: Vec<usize> = view.rows_of_sample().collect();
        let known = near.and_then(|model| near_rows(model, sample, 1));
        let near: Option<Vec<f64>> = known.map(|all| places.iter().map(|i| all.of(*i, 0)).collect());
        let solved = solve(&view, &part.problem.reordered(&places), near.as_deref(), &params, run)?;
        let solved = below_the_free(solved, &part.problem.reordered(&places), view.diagonal());
        let scores = if folds > 1 { self.scores(&store, folds, &params, &part, run)? } else { Vec::new() };
        let support = Support { scores, ..Support::default() };
        let solved = vec![solved.reordered_back(&places)];
        let found = Found { solved, support, evaluations: store.evaluations(), kept: store.keeps_values(), notes };
        assemble(self.with_kernel(sample.space.kernel().clone()).into(), sample, &[part], found, run)
    }

    /// The values of the rows of each fold at the function of the others, in the unit of the function of all, ascending.
    fn scores(&self, store: &Store, folds: usize, params: &DualParams, part: &Part, run: &Run) -> Result<Vec<f64>> {
        let mut scores = Vec::new();
        for fold in 0..folds {
            let others: Vec<usize> = (0..folds).filter(|f| *f != fold).collect();
            let view = store.view(&others);
            let cost: Vec<f64> = view.rows_of_sample().map(|i| part.problem.cost[i]).collect();
            // Values grow with what the coefficients add up to.
            let unit = part.problem.cost.iter().sum::<f64>() / cost.iter().sum::<f64>();
            let Solved { v, b, .. } =
                solve(&view, &self.problem(cost), None, &DualParams { exact: false, ..*params }, run)?;
            let rows: Vec<usize> = (0..v.len()).filter(|i| v[*i] != 0.0).collect();
            let v: Vec<f64> = rows.iter().map(|i| v[*i]).collect();
            scores.extend(view.product_with(fold, &rows, &v, run)?.iter().map(|f| unit * (f + b)));
        }
        scores.sort_by(f64::total_cmp);
        Ok(scores)
    }
}

/// With ρ just below f of all rows between their bounds, which are those that f − ρ is 0 at: none of them is on the wrong side, so
/// that at most the share ν of the weight is, whatever rounding and the tolerance make of them.
fn below_the_free(solved: Solved, problem: &Problem, diagonal: &[f64]) -> Solved {
    let free = |i: &usize| solved.v[*i] > 0.0 && solved.v[*i] < problem.cost[*i];
    let least = (0..solved.v.len()).filter(free).map(|i| solved.f[i]).fold(f64::INFINITY, f64::min);
    let largest = diagonal.iter().fold(0.0f64, |m, k| m.max(k.abs()));
    let rounding = 16.0 * f64::EPSILON * largest * solved.v.iter().sum::<f64>();
    if least.is_finite() { Solved { b: rounding - least, ..solved } } else { solved }
}

impl Model {
    /// Of a machine of one class that was calibrated, how unusual values are: (1 + number of scores at or below)/(1 + number of
    /// scores); nothing for other models.
    pub fn p_values(&self, values: &[f64]) -> Option<Vec<f64>> {
        let scores = &self.support().filter(|support| !support.scores.is_empty())?.scores;
        let below = |f: &f64| scores.partition_point(|s| s <= f) as f64;
        Some(values.iter().map(|f| (1.0 + below(f)) / (1.0 + scores.len() as f64)).collect())
    }
}
