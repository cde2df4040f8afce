//! Matrices of few rows, by faer in one go and on one thread: others would wait longer than they work.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef, Par};

use crate::error::{Error, Result};
use crate::run::Run;

use super::steps::Steps;
use super::values::no_convergence;
use super::{ALTERNATIVE, Eigen, filled};

/// The eigenvalues of a matrix divided by `unit`.
pub(super) fn eigenvalues(values: &[f64], n: usize, unit: f64, run: &Run) -> Result<Vec<f64>> {
    let mut spectrum = vec![0.0; n];
    decompose(values, unit, &mut spectrum, None, run)?;
    Ok(spectrum)
}

/// The decomposition of a matrix divided by `unit`.
pub(super) fn eigen(values: &[f64], n: usize, unit: f64, run: &Run) -> Result<Eigen> {
    let size = (n as u128) * (n as u128);
    let (mut vectors, reserved) = filled(size, 0.0, &format!("the {n}×{n} eigenvectors"), ALTERNATIVE, run)?;
    let mut spectrum = vec![0.0; n];
    decompose(values, unit, &mut spectrum, Some(&mut vectors), run)?;
    Ok(Eigen { n, values: spectrum, vectors, _reserved: reserved })
}

fn decompose(values: &[f64], unit: f64, spectrum: &mut [f64], vectors: Option<&mut [f64]>, run: &Run) -> Result<()> {
    let n = spectrum.len();
    let steps = Steps::new(run, 1);
    if n == 0 {
        return Ok(());
    }
    steps.check()?;
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let needed = self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Default::default());
    let purpose = format!("the eigen-decomposition of a {n}×{n} matrix");
    let size = (needed.size_bytes() + size_of_val(values)) as u128;
    let _reserved = run.reserve(size, &purpose, ALTERNATIVE)?;
    let mut memory = MemBuffer::try_new(needed).map_err(|_| Error::Memory {
        needed: size,
        limit: run.memory_limit(),
        purpose: purpose.clone(),
        alternative: ALTERNATIVE.into(),
    })?;
    let scaled: Vec<f64> = values.iter().map(|v| v / unit).collect();
    let matrix = MatRef::from_row_major_slice(&scaled, n, n);
    run.install(|| {
        let spectrum = DiagMut::from_slice_mut(spectrum);
        // The vectors lie one after the other: column-major, which faer likes best.
        let vectors = vectors.map(|u| MatMut::from_column_major_slice_mut(u, n, n));
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(matrix, spectrum, vectors, Par::Seq, stack, Default::default())
    })
    .map_err(|_| no_convergence())?;
    steps.step()
}
