//! Stochastic gradient descent on data that come in parts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mercer::data::Targets;
use mercer::model::Fitted;
use mercer::model::descent::{KernelSgd, KernelSgdLearner, SgdState};
use mercer::{Error, KernelExpr};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::arrays::{Matrix, Vector};
use crate::choices::settings;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::learn::learner;
use crate::machine::Machine;
use crate::rkhs::working;
use crate::run::Options;

/// A descent under way.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Descent {
    learner: Mutex<KernelSgdLearner>,
    kernel: KernelExpr,
}

/// Coordinates, sums for averaging, factor of landmarks, steps, rows seen, step, losses, their running mean,
/// the step that a later part lowered.
type State<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    usize,
    usize,
    f64,
    Bound<'py, PyArray1<f64>>,
    f64,
    Option<f64>,
);
/// The same, as it comes back.
type Given<'py> = (Vector<'py>, Vector<'py>, Option<Vector<'py>>, usize, usize, f64, Vector<'py>, f64, Option<f64>);

/// The descent with these settings.
fn sgd(kernel: &Expr, given: Map<String, Value>) -> mercer::Result<KernelSgd> {
    learner("sgd", kernel, given)?.get::<KernelSgd>().cloned().ok_or_else(|| Error::Unsupported {
        what: "a descent by another learner".into(),
        alternative: "use `sgd`".into(),
    })
}

#[pymethods]
impl Descent {
    /// All rows in an order by chance, as often as the choices say.
    #[staticmethod]
    fn fit<'py>(
        py: Python<'py>,
        kernel: &Expr,
        x: &Inputs,
        y: Matrix<'py>,
        choices: &Bound<'py, PyDict>,
        options: &Options,
    ) -> PyResult<Self> {
        let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
        let given = settings(choices)?;
        let learner = working(py, &kernel.0, options, |run| {
            let y = Targets::new(values, outputs)?;
            sgd(kernel, given)?.fit_learner(&x.0, &y, run)
        })?;
        Ok(Descent { learner: Mutex::new(learner), kernel: kernel.0.clone() })
    }

    /// A descent that has learnt nothing yet; landmarks are found among these points.
    #[staticmethod]
    fn begin<'py>(
        py: Python<'py>,
        kernel: &Expr,
        first: &Inputs,
        outputs: usize,
        choices: &Bound<'py, PyDict>,
        options: &Options,
    ) -> PyResult<Self> {
        let given = settings(choices)?;
        let learner = working(py, &kernel.0, options, |run| sgd(kernel, given)?.begin(&first.0, outputs, run))?;
        Ok(Descent { learner: Mutex::new(learner), kernel: kernel.0.clone() })
    }

    /// The descent that had this state and gave this machine.
    #[staticmethod]
    fn resume<'py>(
        py: Python<'py>,
        kernel: &Expr,
        machine: &Machine,
        state: Given<'py>,
        choices: &Bound<'py, PyDict>,
    ) -> PyResult<Self> {
        let (now, late, lower, steps, seen, step_size, history, running_loss, lowered_from) = state;
        let list = |a: &Vector<'py>| a.as_slice().map(<[f64]>::to_vec);
        let state = SgdState {
            now: list(&now)?,
            late: list(&late)?,
            lower: lower.as_ref().map(list).transpose()?,
            steps,
            seen,
            step_size,
            history: list(&history)?,
            running_loss,
            lowered_from,
        };
        let given = settings(choices)?;
        let learner = guard(py, || KernelSgdLearner::resume(&sgd(kernel, given)?, &machine.fitted.model, state))?;
        Ok(Descent { learner: Mutex::new(learner), kernel: kernel.0.clone() })
    }

    /// Learns from more points, in their order.
    fn learn<'py>(&self, py: Python<'py>, x: &Inputs, y: Matrix<'py>, options: &Options) -> PyResult<()> {
        let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
        working(py, &self.kernel, options, |run| {
            let y = Targets::new(values, outputs)?;
            self.learner().learn(&x.0, &y, run)
        })
    }

    /// The function that was learnt so far.
    fn machine(&self, py: Python<'_>) -> PyResult<Machine> {
        guard(py, || {
            let learner = self.learner();
            Ok(Fitted { model: learner.model()?, report: learner.report() }.into())
        })
    }

    /// What is needed to go on from its machine.
    fn state<'py>(&self, py: Python<'py>) -> State<'py> {
        let state = self.learner().state();
        let array = |v: Vec<f64>| PyArray1::from_vec(py, v);
        let (steps, seen, step_size, running) = (state.steps, state.seen, state.step_size, state.running_loss);
        let [now, late, history] = [state.now, state.late, state.history].map(array);
        (now, late, state.lower.map(array), steps, seen, step_size, history, running, state.lowered_from)
    }
}

impl Descent {
    fn learner(&self) -> MutexGuard<'_, KernelSgdLearner> {
        // A panic is reported where it happens; what was learnt before it is still there.
        self.learner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
