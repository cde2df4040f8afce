//! Formulas: parsing, printing, algebra and parameters.

use mercer::kernel::{Param, Setting, Transform};
use mercer::select::default_kernels;
use mercer::{KernelExpr, kernel};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::guard;
use crate::function::{Function, registry};
use crate::inputs::Inputs;
use crate::run::{Job, Options};

/// A kernel as a formula, with the Python functions it names.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Expr(pub(crate) KernelExpr);

/// A parameter: path, number (None while it is a rule), rule, bounds, transform, free.
type Parameter = (String, Option<f64>, Option<&'static str>, (f64, f64), &'static str, bool);
/// What a rule found: path, rule, value, detail.
pub(crate) type Found = (String, &'static str, f64, String);

#[pymethods]
impl Expr {
    #[new]
    fn new(py: Python<'_>, formula: &str, functions: Vec<Function>) -> PyResult<Self> {
        guard(py, || Ok(Expr(KernelExpr::parse_with(formula, &registry(functions)?)?)))
    }

    /// The formula, in normal form.
    #[getter]
    fn formula(&self) -> String {
        self.0.to_string()
    }

    /// Whether the two formulas are the same.
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// Names of the Python functions in it.
    fn functions(&self) -> Vec<String> {
        self.0.registry().names().map(str::to_owned).collect()
    }

    /// self + other.
    fn add(&self, other: &Self) -> Self {
        Expr(self.0.clone() + other.0.clone())
    }

    /// self·other.
    fn multiply(&self, other: &Self) -> Self {
        Expr(self.0.clone() * other.0.clone())
    }

    /// factor·self.
    fn scale(&self, py: Python<'_>, factor: f64) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.clone().scale(factor)?)))
    }

    /// self + value, or value + self.
    fn shift(&self, py: Python<'_>, value: f64, before: bool) -> PyResult<Self> {
        guard(py, || {
            let (own, constant) = (self.0.clone(), KernelExpr::constant(value)?);
            Ok(Expr(if before { constant + own } else { own + constant }))
        })
    }

    /// selfⁿ.
    fn power(&self, py: Python<'_>, exponent: f64) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.clone().pow(exponent)?)))
    }

    /// exp(self).
    fn exp(&self) -> Self {
        Expr(self.0.clone().exp())
    }

    /// self(x, y)/√(self(x, x)·self(y, y)).
    fn normalize(&self, py: Python<'_>) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.clone().normalize()?)))
    }

    /// self where both points are whole, 1 where both have a gap, 0 where one has.
    fn with_gaps(&self, py: Python<'_>) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.clone().with_gaps()?)))
    }

    /// Whether some part reads gaps.
    fn reads_gaps(&self) -> bool {
        self.0.reads_gaps()
    }

    /// This leaf on the columns of these names.
    fn on(&self, py: Python<'_>, columns: Vec<String>) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.clone().on(columns)?)))
    }

    /// Every parameter, in the order of θ.
    fn params(&self) -> Vec<Parameter> {
        let record = |p: kernel::NamedParam| {
            let rule = match p.param.value {
                kernel::Value::Rule(rule) => Some(rule.name()),
                kernel::Value::Number(_) => None,
            };
            (p.path, p.param.number(), rule, p.param.bounds(), transform(p.param.transform), p.param.free)
        };
        self.0.params().into_iter().map(record).collect()
    }

    /// Every setting by its path: numbers, rules, lists, whole numbers and words.
    fn settings(&self) -> Vec<(String, Value)> {
        self.0.settings().into_iter().map(|s| (s.path, Value::of(&s.value))).collect()
    }

    /// The formula with the setting of this name changed to a piece of a formula.
    fn with_setting(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.with_setting(name, value)?)))
    }

    /// k(x, y) of two vectors, without a thread of its own: the formula must be resolved, and name no
    /// function of Python's.
    fn at(&self, py: Python<'_>, x: PyReadonlyArray1<'_, f64>, y: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        guard(py, || self.0.at(x, y))
    }

    /// The formula that `mercer fit` tries first on points like these.
    #[staticmethod]
    fn usual(py: Python<'_>, x: &Inputs) -> PyResult<Self> {
        guard(py, || Ok(Expr(default_kernels(&x.0)?.swap_remove(0))))
    }

    /// Whether every parameter is a number.
    #[getter]
    fn is_resolved(&self) -> bool {
        self.0.is_resolved()
    }

    /// The free parameters on their own scales.
    fn theta(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        guard(py, || self.0.theta())
    }

    /// The box of θ.
    fn bounds(&self) -> Vec<(f64, f64)> {
        self.0.bounds()
    }

    /// The formula with its free parameters moved to θ.
    fn with_theta(&self, py: Python<'_>, theta: Vec<f64>) -> PyResult<Self> {
        guard(py, || Ok(Expr(self.0.with_theta(&theta)?)))
    }

    /// The formula with its rules replaced by what they find in `x`, and what they found.
    fn resolve(&self, py: Python<'_>, x: &Inputs, options: &Options) -> PyResult<(Self, Vec<Found>)> {
        let job = Job::new(py, options)?;
        let (expr, found) = job.spawn(py, |run| self.0.resolve(&x.0, run))?;
        let found = found.into_iter().map(|r| (r.path, r.rule, r.value, r.detail)).collect();
        Ok((Expr(expr), found))
    }
}

/// The value of a setting.
#[derive(IntoPyObject)]
enum Value {
    Number(f64),
    Whole(u32),
    Word(String),
    List(Vec<Value>),
}

impl Value {
    fn of(setting: &Setting) -> Self {
        let one = |param: &Param| param.number().map_or_else(|| Value::Word(param.to_string()), Value::Number);
        match setting {
            Setting::One(param) => one(param),
            Setting::Many(list) => Value::List(list.iter().map(one).collect()),
            Setting::Integer(v) => Value::Whole(*v),
            Setting::Choice(word) => Value::Word((*word).to_owned()),
            Setting::Words(None) => Value::Word("data".to_owned()),
            // A piece of a formula, as `with_setting` takes it.
            Setting::Words(Some(words)) => {
                let quoted = |word: &String| format!("\"{}\"", word.replace('"', "\"\""));
                Value::Word(format!("[{}]", words.iter().map(quoted).collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

fn transform(transform: Transform) -> &'static str {
    match transform {
        Transform::Identity => "identity",
        Transform::Log => "log",
        Transform::Logit { .. } => "logit",
    }
}
