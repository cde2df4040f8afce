//! What the fits without each row say there, from a factor of the matrix.

use crate::error::{Error, Result};
use crate::gram::{DenseGram, dense};
use crate::linalg::{cholesky_in_place_with_jitter, inverse_diagonal, solve_cholesky};
use crate::model::Model;
use crate::run::Run;

use super::problem::Problem;
use super::verify::places;

/// B = K + alpha/w as a factor, v = B⁻¹1 where there is an intercept, and the diagonal of C = B⁻¹ − vvᵀ/1ᵀv: row i left out is
/// missed by eᵢ = αᵢ/Cᵢᵢ.
pub(super) struct Inverse {
    pub(super) factor: DenseGram<f64>,
    pub(super) ones: Option<Vec<f64>>,
    pub(super) diagonal: Vec<f64>,
}

impl Inverse {
    /// Of K and what is added to its diagonal; 2n³/3 multiplications.
    pub(super) fn new(
        mut gram: DenseGram<f64>,
        added: impl Fn(usize) -> f64,
        intercept: bool,
        run: &Run,
    ) -> Result<Self> {
        let n = gram.nrows();
        let refuse = |what: &str, alternative: &str| {
            Err(Error::Unsupported { what: what.into(), alternative: alternative.into() })
        };
        if n == 1 && intercept {
            return refuse("leave-one-out of one row with an intercept", "fit with more rows");
        }
        for i in 0..n {
            // Kept finite: a row that light says nothing, whatever the number.
            gram.values_mut()[i * n + i] += added(i).min(f64::MAX / 8.0);
        }
        let info = cholesky_in_place_with_jitter(gram.values_mut(), n, run)?;
        if info.jitter > 0.0 {
            return refuse(
                "leave-one-out from a factor of a singular matrix",
                "use the solver `eigen`, or raise alpha",
            );
        }
        let mut diagonal = inverse_diagonal(gram.values(), n, run)?;
        let ones = intercept.then(|| vec![1.0; n]);
        let ones = ones.map(|mut v| solve_cholesky(gram.values(), n, &mut v, 1, run).map(|()| v)).transpose()?;
        if let Some(v) = &ones {
            let sigma: f64 = v.iter().sum();
            diagonal.iter_mut().zip(v).for_each(|(c, v)| *c -= v * v / sigma);
        }
        Ok(Inverse { factor: gram, ones, diagonal })
    }
}

/// What the fit without row i says there, for all rows that count, row-major: rows×outputs.
pub(crate) fn left_out(problem: &Problem, model: &Model, alpha: f64, run: &Run) -> Result<Vec<f64>> {
    if !model.keeps_all_rows() {
        return Err(Error::Unsupported {
            what: "leave-one-out from a model that keeps landmarks".into(),
            alternative: "fit with fewer rows".into(),
        });
    }
    let gram = dense::<f64>(&problem.training.space.gram(&problem.training.x, run)?, run)?;
    let alpha = problem.scaled_alpha(alpha);
    let inverse = Inverse::new(gram, |i| alpha / problem.weight(i), problem.intercept, run)?;
    let c = problem.outputs;
    let mut values = Vec::with_capacity(problem.n * c);
    for ((at, y), own) in places(model, problem).into_iter().zip(problem.y.chunks(c)).zip(&inverse.diagonal) {
        let coefficients = &model.coefficients()[at * c..(at + 1) * c];
        let scaled = coefficients.iter().zip(y).zip(&problem.units);
        values.extend(scaled.map(|((a, y), unit)| y * unit - a / own));
    }
    Ok(values)
}
