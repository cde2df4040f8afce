//! The class whose barycentre is nearest in the RKHS.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::apply;
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::model::training::{NamedKernel, Training};
use crate::model::{Fitted, FittedMachine, KernelMachine, Link, MachineReport};
use crate::run::Run;

const NAME: &str = "KernelBarycentre";

/// The choices of the barycentre classifier.
///
/// With μ_c = Σ wᵢk(xᵢ, ·)/Σ wᵢ over the rows of class c, the value of a class is
/// ⟨k(x, ·), μ_c⟩ − ½‖μ_c‖² = ½(k(x, x) − ‖k(x, ·) − μ_c‖²): the largest belongs to the nearest
/// barycentre. Of two classes, the one output is the difference of their values.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::classify::KernelBarycentre};
/// let x: Inputs = Rows::new(vec![-1.0, -3.0, 4.0], 3, 1)?.into();
/// let y = Targets::new(vec![-1.0, -1.0, 1.0], 1)?; // barycentres −2 and 4: they part at 1
/// let machine = KernelBarycentre { kernel: KernelExpr::parse("linear")? }.fit(&x, &y, None, &Run::new())?.model;
/// let f = machine.decision(&Rows::new(vec![1.0, 3.0], 2, 1)?.into(), &Run::new())?;
/// assert_eq!(f, [0.0, 12.0]); // (4 − (−2))·(x − 1)
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelBarycentre {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
}

impl Default for KernelBarycentre {
    fn default() -> Self {
        KernelBarycentre { kernel: KernelExpr::of(Kind::Rbf) }
    }
}

impl KernelBarycentre {
    /// Fits to points, classes and weights ≥ 0, one a row. Two classes are one column of −1 and 1;
    /// several are a column each, 1 for the class of the row and −1 elsewhere.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<FittedMachine> {
        self.fit_with(x, y, weights, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<FittedMachine> {
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, y.nrows(), weights, run)?;
        let shares = class_shares(&training, y)?;
        let (c, n) = (shares.len() / training.n, training.n);
        // ‖μ_c‖² = Σ sᵢ·μ_c(xᵢ).
        let mut means = vec![0.0; n * c];
        apply(&training.space.gram(&training.x, run)?, &shares, c, &mut means, run)?;
        let norm = |o: usize| (0..n).map(|i| shares[i * c + o] * means[i * c + o]).sum::<f64>();
        let norms: Vec<f64> = (0..c).map(norm).collect();
        let (coefficients, intercept) = match norms.as_slice() {
            [first, second] => (shares.chunks(2).map(|s| s[1] - s[0]).collect(), vec![-0.5 * (second - first)]),
            several => (shares, several.iter().map(|q| -0.5 * q).collect()),
        };
        let model = KernelMachine {
            learner: "kernel_barycentre".into(),
            expansion: training.expansion(coefficients, intercept, None)?,
            link: Link::Identity,
            certificate: Certificate::new(
                Algorithm::Direct,
                "barycentres are sums over the rows; nothing is solved",
                Stop::Direct,
            ),
            settings: serde_json::Map::new(),
        };
        let report =
            MachineReport { rows: n, rows_of_weight_zero: x.len() - n, notes: Vec::new(), history: Vec::new() };
        Ok(Fitted { model, report })
    }
}

/// The share of each row in the barycentre of each class, row-major: rows×classes.
fn class_shares(training: &Training, y: &Targets) -> Result<Vec<f64>> {
    let classes = if y.outputs() == 1 { 2 } else { y.outputs() };
    let belongs = |row: &[f64], class: usize| match row {
        [value] => (*value > 0.0) == (class == 1),
        row => row[class] > 0.0,
    };
    let weight = |i: usize| training.weights.as_ref().map_or(1.0, |w| w[i]);
    let mut shares = vec![0.0; training.n * classes];
    for class in 0..classes {
        let rows: Vec<usize> = (0..training.n).filter(|i| belongs(y.row(training.row(*i)), class)).collect();
        let largest = rows.iter().fold(0.0f64, |m, i| m.max(weight(*i)));
        let total: f64 = rows.iter().map(|i| weight(*i) / largest).sum();
        if rows.is_empty() {
            return Err(Error::shape(
                format!("class {class} of {NAME}"),
                "at least one row of positive weight",
                "none; two classes are needed",
            ));
        }
        rows.iter().for_each(|i| shares[i * classes + class] = weight(*i) / largest / total);
    }
    Ok(shares)
}
