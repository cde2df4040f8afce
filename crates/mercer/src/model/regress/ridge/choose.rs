//! Which solver, and why.

use crate::approx::NystromParams;
use crate::certificate::Algorithm;
use crate::data::Inputs;
use crate::error::{Error, Result, human_bytes};
use crate::gram::KernelMatrix;
use crate::model::Considered;
use crate::run::Run;
use crate::solver::CgParams;

use super::iterative::{Iteration, Storage};
use super::problem::Problem;
use super::report::Solved;
use super::{Alpha, KernelRidge, RidgeSolver, exact, explicit, iterative, landmarks};

/// Up to so many rows, an eigendecomposition takes a moment and gives more than a solution.
const SMALL: usize = 500;
/// Rows from which conjugate gradients are tried before a factor.
const FACTOR_AT_ONCE: usize = 2500;
/// The largest feature space that is worked in.
const WIDEST: usize = 3000;
/// Seconds that `auto` gives to an exact answer without a deadline.
const PATIENCE: f64 = 300.0;
/// What two threads do in a second, roughly: multiplications in matrix products, kernel values of
/// ten columns. Only proportions matter, and only between methods that differ widely. Not what this machine does: the
/// same data and settings lead to the same solver whatever the number of threads.
const PRODUCTS: f64 = 3e10;
const VALUES: f64 = 3e8;
/// alpha over the trace of K below which the coefficients of all rows, which are residuals over alpha, lose digits that
/// coordinates in a feature space keep: about ε over this of them.
const TINY: f64 = 1e-4;
/// Iterations to expect.
const ITERATIONS: f64 = 60.0;

/// A solver with its reason, and what else was considered.
pub(super) struct Plan {
    solver: RidgeSolver,
    storage: Storage,
    may_factor: bool,
    reason: String,
    considered: Vec<Considered>,
}

impl Plan {
    fn new(solver: RidgeSolver, reason: impl Into<String>) -> Self {
        Plan { solver, storage: Storage::Stored, may_factor: false, reason: reason.into(), considered: Vec::new() }
    }
}

/// Sizes and limits that decide.
struct Facts {
    n: usize,
    columns: usize,
    memory: u128,
    seconds: f64,
}

impl Facts {
    fn gram_bytes(&self) -> u128 {
        8 * (self.n as u128).pow(2)
    }

    /// Memory for the matrix with what else is needed beside it.
    fn fits(&self, matrices: f64) -> bool {
        (self.gram_bytes() as f64 * matrices) as u128 + (64 << 20) <= self.memory
    }

    fn eigen_seconds(&self) -> f64 {
        10.0 * (self.n as f64).powi(3) / 2.0 / PRODUCTS
    }

    fn factor_seconds(&self) -> f64 {
        (self.n as f64).powi(3) / 6.0 / PRODUCTS + self.pass_seconds()
    }

    /// One streamed product.
    fn pass_seconds(&self) -> f64 {
        (self.n as f64).powi(2) / 2.0 * (1.0 + self.columns as f64 / 20.0) / VALUES
    }
}

/// The user's solver, or the best by size, memory, time and alpha.
pub(super) fn choose(ridge: &KernelRidge, problem: &Problem, run: &Run) -> Result<Plan> {
    let asked = ridge.solver != RidgeSolver::Auto;
    if asked {
        return user_choice(ridge, problem, run);
    }
    let facts = Facts {
        n: problem.n,
        columns: columns(&problem.training.x),
        memory: u128::from(run.memory_left()),
        seconds: run.time_left().map_or(PATIENCE, |t| 0.5 * t.as_secs_f64()),
    };
    automatic(ridge, problem, &facts, run)
}

fn user_choice(ridge: &KernelRidge, problem: &Problem, run: &Run) -> Result<Plan> {
    let list = ridge.alpha.list().len() > 1 || !matches!(ridge.alpha, Alpha::Value(_));
    let single = matches!(ridge.solver, RidgeSolver::Cholesky | RidgeSolver::Cg(_));
    if list && single {
        return Err(Error::Unsupported {
            what: "choosing alpha from a list with a solver for one alpha".into(),
            alternative: "use the solver `eigen` or `auto`, or give one alpha".into(),
        });
    }
    if matches!(ridge.solver, RidgeSolver::Cg(_)) && ridge.alpha.list()[0] == 0.0 {
        return Err(Error::Unsupported {
            what: "alpha = 0 with conjugate gradients, whose preconditioner needs alpha > 0,".into(),
            alternative: "use the solver `eigen`, or a small alpha".into(),
        });
    }
    let mut choice = Plan::new(ridge.solver.clone(), "asked for");
    let bytes = 8 * (problem.n as u128).pow(2) + (64 << 20);
    if bytes > u128::from(run.memory_left()) {
        choice.storage = Storage::Streamed;
    }
    Ok(choice)
}

fn columns(x: &Inputs) -> usize {
    match x {
        Inputs::Dense(x) => x.ncols(),
        Inputs::Table(_) => x.columns().len(),
        _ => 10,
    }
}

fn automatic(ridge: &KernelRidge, problem: &Problem, facts: &Facts, run: &Run) -> Result<Plan> {
    let n = facts.n;
    let dimensions = explicit::dimensions(problem.training.space.kernel(), &problem.training.x);
    let by_loo = matches!(ridge.alpha, Alpha::Loo(_));
    if let Some(d) = dimensions.filter(|d| *d <= WIDEST && 2 * d < n && !by_loo)
        && (n > SMALL || is_tiny(ridge, problem, run)?)
    {
        let small =
            if n > SMALL { "" } else { "; alpha is small beside the kernel, and coordinates lose fewer digits" };
        return Ok(Plan::new(
            RidgeSolver::Primal,
            format!("the kernel has {d} features or fewer, less than half of {n} rows{small}"),
        ));
    }
    Ok(dual(ridge, facts))
}

/// Whether one alpha > 0 is small beside the kernel.
fn is_tiny(ridge: &KernelRidge, problem: &Problem, run: &Run) -> Result<bool> {
    let Alpha::Value(alpha) = ridge.alpha else { return Ok(false) };
    let mut own = vec![0.0; problem.n];
    problem.training.space.gram(&problem.training.x, run)?.diag(&mut own);
    let trace: f64 = own.iter().enumerate().map(|(i, k)| problem.weight(i) * k).sum();
    Ok(alpha > 0.0 && problem.scaled_alpha(alpha) < TINY * trace)
}

/// With a coefficient for every row, or for landmarks.
fn dual(ridge: &KernelRidge, facts: &Facts) -> Plan {
    let n = facts.n;
    if n <= SMALL {
        let reason = format!("{n} rows are few, and an eigendecomposition also gives leave-one-out residuals");
        return Plan::new(RidgeSolver::Eigen, reason);
    }
    if ridge.alpha != Alpha::Value(ridge.alpha.list()[0]) || ridge.alpha.list()[0] == 0.0 {
        return spectral(ridge, facts);
    }
    one_alpha(facts)
}

/// A list of alphas, or alpha = 0.
fn spectral(ridge: &KernelRidge, facts: &Facts) -> Plan {
    let what = if ridge.alpha.list().len() > 1 { "one decomposition gives every alpha" } else { "it decides the rank" };
    let affordable = facts.fits(4.0) && facts.eigen_seconds() <= facts.seconds;
    if affordable || matches!(ridge.alpha, Alpha::Loo(_)) {
        return Plan::new(RidgeSolver::Eigen, what);
    }
    let reason = format!(
        "an eigendecomposition of {} rows would take about {:.0} s on two cores and {} of {}, so landmarks stand for all \
         rows",
        facts.n,
        facts.eigen_seconds(),
        human_bytes(4 * facts.gram_bytes()),
        human_bytes(facts.memory)
    );
    let mut choice = Plan::new(RidgeSolver::Nystrom(NystromParams::default()), reason);
    choice.considered = vec![left(Algorithm::Eigen, "too large or too slow")];
    choice
}

fn one_alpha(facts: &Facts) -> Plan {
    let n = facts.n;
    if n <= FACTOR_AT_ONCE && facts.fits(1.05) {
        return Plan::new(RidgeSolver::Cholesky, format!("{n} rows are factored in a moment"));
    }
    let cg = RidgeSolver::Cg(CgParams { max_iterations: 400, ..CgParams::default() });
    // A product with a stored matrix takes about a fifth of computing one.
    let (factor, stored) = (facts.factor_seconds(), facts.pass_seconds() * (1.0 + 0.2 * ITERATIONS));
    let streamed = facts.pass_seconds() * ITERATIONS;
    if facts.fits(1.15) && stored.min(factor) <= facts.seconds {
        let reason = format!(
            "a factor of {n} rows takes n³/3 multiplications, an iteration n²; the matrix of {} fits into memory",
            human_bytes(facts.gram_bytes())
        );
        let mut choice = Plan::new(cg, reason);
        choice.may_factor = factor <= facts.seconds;
        choice.considered = vec![left(Algorithm::Cholesky, "kept for the case that the iteration does not converge")];
        return choice;
    }
    let memory =
        format!("the matrix of {} does not fit into {}", human_bytes(facts.gram_bytes()), human_bytes(facts.memory));
    if streamed <= facts.seconds {
        let mut choice = Plan::new(cg, format!("{memory}; its products are streamed"));
        choice.storage = Storage::Streamed;
        choice.considered = vec![left(Algorithm::Cholesky, &memory)];
        return choice;
    }
    let reason = format!(
        "an exact solution of {n} rows would take about {streamed:.0} s on two cores, so landmarks stand for all rows"
    );
    let mut choice = Plan::new(RidgeSolver::Nystrom(NystromParams::default()), reason);
    choice.considered = vec![left(Algorithm::Cholesky, "too large or too slow"), left(Algorithm::Cg, "too slow")];
    choice
}

fn left(algorithm: Algorithm, verdict: &str) -> Considered {
    Considered { algorithm: algorithm.name().into(), verdict: verdict.into() }
}

/// Solves as chosen.
pub(super) fn solve(ridge: &KernelRidge, problem: &Problem, choice: Plan, run: &Run) -> Result<Solved> {
    let Plan { solver, storage, may_factor, reason, mut considered } = choice;
    considered.insert(0, Considered { algorithm: name(&solver).into(), verdict: format!("taken: {reason}") });
    let alpha = &ridge.alpha;
    let first = alpha.list()[0];
    match solver {
        RidgeSolver::Cholesky => {
            let solved = exact::cholesky(problem, first, considered.clone(), reason, run);
            let doubtful = solved
                .as_ref()
                .map_or_else(|e| matches!(e, Error::NotPositiveDefinite { .. }), |s| s.certificate.jitter() > 0.0);
            if doubtful && ridge.solver == RidgeSolver::Auto {
                considered.push(left(Algorithm::Cholesky, "left: alpha is below the rounding of the matrix"));
                return exact::eigen(problem, alpha, considered, "the matrix is singular to rounding".into(), run);
            }
            solved
        }
        RidgeSolver::Cg(params) => {
            iterative::cg(problem, first, &Iteration { params, storage, may_factor }, considered, reason, run)
        }
        RidgeSolver::Nystrom(params) => landmarks::nystrom(problem, alpha, &params, considered, reason, run),
        RidgeSolver::Primal => landmarks::primal(problem, alpha, considered, reason, run),
        RidgeSolver::Eigen | RidgeSolver::Auto => exact::eigen(problem, alpha, considered, reason, run),
    }
}

fn name(solver: &RidgeSolver) -> &'static str {
    match solver {
        RidgeSolver::Cholesky => Algorithm::Cholesky.name(),
        RidgeSolver::Cg(_) => Algorithm::Cg.name(),
        RidgeSolver::Nystrom(_) => Algorithm::Nystrom.name(),
        RidgeSolver::Primal => Algorithm::Primal.name(),
        RidgeSolver::Eigen | RidgeSolver::Auto => Algorithm::Eigen.name(),
    }
}
