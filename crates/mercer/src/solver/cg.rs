//! Conjugate gradients for several right-hand sides at a time.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::{LinearOperator, symmetric_eigenvalues};
use crate::run::Run;

/// An approximate inverse.
pub trait Preconditioner: Sync {
    /// out = P⁻¹·V for V: n×k, row-major.
    fn solve(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()>;
}

/// No preconditioner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Preconditioner for Identity {
    fn solve(&self, v: &[f64], _: usize, out: &mut [f64], _: &Run) -> Result<()> {
        out.copy_from_slice(v);
        Ok(())
    }
}

/// A·X = B for a symmetric positive definite A.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// A.
    pub operator: &'a dyn LinearOperator,
    /// P ≈ A.
    pub preconditioner: &'a dyn Preconditioner,
    /// B, row-major: n×k.
    pub rhs: &'a [f64],
    /// k.
    pub k: usize,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CgParams {
    /// The relative residual to reach, in every column.
    pub tolerance: f64,
    /// The largest number of iterations.
    pub max_iterations: usize,
}

impl Default for CgParams {
    fn default() -> Self {
        CgParams { tolerance: 1e-8, max_iterations: 1000 }
    }
}

impl CgParams {
    /// Refuses values without a meaning.
    pub fn validate(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::invalid("conjugate gradients", "tolerance", self.tolerance, "above 0 and below 1"));
        }
        Ok(())
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CgInfo {
    /// Products with A.
    pub iterations: usize,
    /// The largest relative residual over the columns, as the iteration carries it along.
    pub residual: f64,
    /// Why it ended.
    pub stop: Stop,
    /// The condition number of P⁻¹A as seen from the first column, from below: the quotient of the
    /// extreme eigenvalues of the tridiagonal matrix that the steps make up (Lanczos).
    pub condition: f64,
}

/// Steps that the condition number is estimated from.
const LANCZOS: usize = 128;
/// Iterations without a new best residual after which rounding is to blame.
const PATIENCE: usize = 50;

/// **Solves** A·X = B, every column by conjugate gradients of its own, all products shared.
///
/// **Given** a start in `x`: n×k, row-major. **Returns** the iterate in `x`, also when stopped.
///
/// **Stops when** every column's residual is below the tolerance, the iterations are used up, the
/// residual has not improved for fifty iterations, or the run is stopped. If it is stopped before
/// the first product, `x` is the start.
///
/// **Cost** one product with A and one with P⁻¹ an iteration; four vectors a column, allocated once.
///
/// **Reference** Saad, Iterative Methods for Sparse Linear Systems (2003), algorithm 9.1.
pub fn conjugate_gradient(system: &System<'_>, x: &mut [f64], params: &CgParams, run: &Run) -> Result<CgInfo> {
    params.validate()?;
    let (n, k) = (system.operator.nrows(), system.k);
    if n.checked_mul(k) != Some(x.len()) || x.len() != system.rhs.len() || system.operator.ncols() != n {
        return Err(Error::shape(
            "a system",
            format!("{n}×{k} values"),
            format!("{} and {}", x.len(), system.rhs.len()),
        ));
    }
    let mut state = State::new(system, x.len());
    let task = run.task("cg", Some(params.max_iterations as u64));
    let started = state.start(system, x, run);
    if let Some(stop) = stopped(started, run)? {
        return Ok(state.info(0, stop));
    }
    let mut best = (state.worst(), 0);
    for iteration in 0..params.max_iterations {
        if state.worst() <= params.tolerance {
            return Ok(state.info(iteration, Stop::Tolerance));
        }
        if iteration > best.1 + PATIENCE {
            return Ok(state.info(iteration, Stop::Stagnation));
        }
        let stepped = state.step(system, x, params.tolerance, run);
        if let Some(stop) = stopped(stepped, run)? {
            return Ok(state.info(iteration, stop));
        }
        if state.worst() < best.0 {
            best = (state.worst(), iteration);
        }
        if let Some(reason) = task.step(Some(state.worst())) {
            return Ok(state.info(iteration + 1, reason.into()));
        }
    }
    let stop = if state.worst() <= params.tolerance { Stop::Tolerance } else { Stop::MaxIterations };
    Ok(state.info(params.max_iterations, stop))
}

/// The reason to end with the iterate there is, if a product was cancelled.
fn stopped(done: Result<()>, run: &Run) -> Result<Option<Stop>> {
    match (done, run.stop_reason()) {
        (Ok(()), _) => Ok(None),
        (Err(Error::Cancelled { .. }), Some(reason)) => Ok(Some(reason.into())),
        (Err(error), _) => Err(error),
    }
}

/// The vectors of all columns, row-major, and the numbers of each.
struct State {
    k: usize,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    solved: Vec<f64>,
    /// rᵀP⁻¹r of each column.
    energy: Vec<f64>,
    norms: Vec<f64>,
    relative: Vec<f64>,
    sums: Vec<f64>,
    /// Step length and quotient of energies, of the first steps of the first column.
    steps: Vec<(f64, f64)>,
}

impl State {
    fn new(system: &System<'_>, size: usize) -> Self {
        let mut state = State {
            k: system.k,
            residual: system.rhs.to_vec(),
            direction: vec![0.0; size],
            product: vec![0.0; size],
            solved: vec![0.0; size],
            energy: vec![0.0; system.k],
            norms: vec![0.0; system.k],
            relative: vec![0.0; system.k],
            sums: vec![0.0; system.k],
            steps: Vec::with_capacity(LANCZOS),
        };
        column_products(&state.residual, &state.residual, &mut state.norms);
        state.norms.iter_mut().for_each(|v| *v = v.sqrt());
        state.measure();
        state
    }

    /// r = B − A·x, p = P⁻¹r. A start of zeros needs no product.
    fn start(&mut self, system: &System<'_>, x: &[f64], run: &Run) -> Result<()> {
        if x.iter().any(|v| *v != 0.0) {
            system.operator.apply(x, self.k, &mut self.product, run)?;
            self.residual.iter_mut().zip(&self.product).for_each(|(r, p)| *r -= p);
            self.measure();
        }
        system.preconditioner.solve(&self.residual, self.k, &mut self.solved, run)?;
        self.direction.copy_from_slice(&self.solved);
        column_products(&self.residual, &self.solved, &mut self.energy);
        Ok(())
    }

    /// One iteration; columns that are done stand still.
    fn step(&mut self, system: &System<'_>, x: &mut [f64], tolerance: f64, run: &Run) -> Result<()> {
        let k = self.k;
        system.operator.apply(&self.direction, k, &mut self.product, run)?;
        column_products(&self.direction, &self.product, &mut self.sums);
        for o in 0..k {
            let curvature = self.sums[o];
            let moves = self.relative[o] > tolerance && curvature > 0.0 && self.energy[o] > 0.0;
            // From here on the step length.
            self.sums[o] = if moves { self.energy[o] / curvature } else { 0.0 };
        }
        for (at, (x, r)) in x.iter_mut().zip(&mut self.residual).enumerate() {
            let step = self.sums[at % k];
            *x += step * self.direction[at];
            *r -= step * self.product[at];
        }
        let length = self.sums[0];
        self.measure();
        system.preconditioner.solve(&self.residual, k, &mut self.solved, run)?;
        self.sums.copy_from_slice(&self.energy);
        column_products(&self.residual, &self.solved, &mut self.energy);
        for (before, now) in self.sums.iter_mut().zip(&self.energy) {
            *before = if *before > 0.0 { now / *before } else { 0.0 };
        }
        if length > 0.0 && self.steps.len() < LANCZOS {
            self.steps.push((length, self.sums[0]));
        }
        for (at, (p, z)) in self.direction.iter_mut().zip(&self.solved).enumerate() {
            *p = self.sums[at % k] * *p + z;
        }
        Ok(())
    }

    /// Takes the relative residuals; a column of zeros is solved.
    fn measure(&mut self) {
        column_products(&self.residual, &self.residual, &mut self.relative);
        for (relative, norm) in self.relative.iter_mut().zip(&self.norms) {
            *relative = if *norm > 0.0 { relative.sqrt() / norm } else { 0.0 };
        }
    }

    fn worst(&self) -> f64 {
        self.relative.iter().copied().fold(0.0, f64::max)
    }

    fn info(&self, iterations: usize, stop: Stop) -> CgInfo {
        CgInfo { iterations, residual: self.worst(), stop, condition: self.condition() }
    }

    /// The steps α and quotients β make up a tridiagonal matrix with 1/αⱼ + βⱼ₋₁/αⱼ₋₁ on its diagonal
    /// and √βⱼ/αⱼ beside it.
    fn condition(&self) -> f64 {
        let m = self.steps.len();
        let mut matrix = vec![0.0; m * m];
        for (j, (length, quotient)) in self.steps.iter().enumerate() {
            matrix[j * m + j] += 1.0 / length;
            if j + 1 < m {
                matrix[(j + 1) * m + j + 1] += quotient / length;
                let beside = quotient.sqrt() / length;
                matrix[j * m + j + 1] = beside;
                matrix[(j + 1) * m + j] = beside;
            }
        }
        let values = symmetric_eigenvalues(&matrix, m).unwrap_or_default();
        match (values.first(), values.last()) {
            (Some(low), Some(high)) if *low > 0.0 => high / low,
            _ => 1.0,
        }
    }
}

/// Σᵢ aᵢₒ·bᵢₒ for every column o.
fn column_products(a: &[f64], b: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (a, b) in a.chunks(out.len()).zip(b.chunks(out.len())) {
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
}
