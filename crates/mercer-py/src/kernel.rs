//! Formulas: parsing, printing, algebra and parameters.

use mercer::kernel::{Param, Registry, Setting, Transform};
use mercer::select::default_kernels;
use mercer::{KernelExpr, kernel};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::guard;
use crate::function::{Function, joined, registry};
use crate::inputs::Inputs;
use crate::run::{Job, Options};

/// A kernel as a formula, with the Python functions it names.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Expr {
    pub(crate) expr: KernelExpr,
    pub(crate) registry: Registry,
}

/// A parameter: path, number (None while it is a rule), rule, bounds, transform, free.
type Parameter = (String, Option<f64>, Option<&'static str>, (f64, f64), &'static str, bool);
/// What a rule found: path, rule, value, detail.
pub(crate) type Found = (String, &'static str, f64, String);

impl Expr {
    pub(crate) fn copy(&self) -> Self {
        self.with(self.expr.clone())
    }

    fn with(&self, expr: KernelExpr) -> Self {
        Expr { expr, registry: self.registry.clone() }
    }
}

#[pymethods]
impl Expr {
    #[new]
    fn new(py: Python<'_>, formula: &str, functions: Vec<Function>) -> PyResult<Self> {
        guard(py, || {
            let registry = registry(functions)?;
            Ok(Expr { expr: KernelExpr::parse_with(formula, &registry)?, registry })
        })
    }

    /// The formula, in normal form.
    #[getter]
    fn formula(&self) -> String {
        self.expr.to_string()
    }

    /// Whether the two formulas are the same.
    fn same(&self, other: &Self) -> bool {
        self.expr == other.expr
    }

    /// Names of the Python functions in it.
    fn functions(&self) -> Vec<String> {
        self.registry.names().map(str::to_owned).collect()
    }

    /// self + other.
    fn add(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        guard(py, || {
            let registry = joined(&self.registry, &other.registry)?;
            Ok(Expr { expr: self.expr.clone() + other.expr.clone(), registry })
        })
    }

    /// self·other.
    fn multiply(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        guard(py, || {
            let registry = joined(&self.registry, &other.registry)?;
            Ok(Expr { expr: self.expr.clone() * other.expr.clone(), registry })
        })
    }

    /// factor·self.
    fn scale(&self, py: Python<'_>, factor: f64) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.clone().scale(factor)?)))
    }

    /// self + value, or value + self.
    fn shift(&self, py: Python<'_>, value: f64, before: bool) -> PyResult<Self> {
        guard(py, || {
            let (own, constant) = (self.expr.clone(), KernelExpr::constant(value)?);
            Ok(self.with(if before { constant + own } else { own + constant }))
        })
    }

    /// selfⁿ.
    fn power(&self, py: Python<'_>, exponent: f64) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.clone().pow(exponent)?)))
    }

    /// exp(self).
    fn exp(&self) -> Self {
        self.with(self.expr.clone().exp())
    }

    /// self(x, y)/√(self(x, x)·self(y, y)).
    fn normalize(&self, py: Python<'_>) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.clone().normalize()?)))
    }

    /// This leaf on the columns of these names.
    fn on(&self, py: Python<'_>, columns: Vec<String>) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.clone().on(columns)?)))
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
        self.expr.params().into_iter().map(record).collect()
    }

    /// Every setting by its path: numbers, rules, lists, whole numbers and words.
    fn settings(&self) -> Vec<(String, Value)> {
        self.expr.settings().into_iter().map(|s| (s.path, Value::of(&s.value))).collect()
    }

    /// The formula with the setting of this name changed to a piece of a formula.
    fn with_setting(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.with_setting(name, value)?)))
    }

    /// k(x, y) of two vectors, without a thread of its own: the formula must be resolved, and name no
    /// function of Python's.
    fn at(&self, py: Python<'_>, x: PyReadonlyArray1<'_, f64>, y: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        guard(py, || self.expr.at(x, y))
    }

    /// The formula that `mercer fit` tries first on points like these.
    #[staticmethod]
    fn usual(py: Python<'_>, x: &Inputs) -> PyResult<Self> {
        guard(py, || Ok(Expr { expr: default_kernels(&x.0)?.swap_remove(0), registry: Registry::new() }))
    }

    /// Whether every parameter is a number.
    #[getter]
    fn is_resolved(&self) -> bool {
        self.expr.is_resolved()
    }

    /// The free parameters on their own scales.
    fn theta(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        guard(py, || self.expr.theta())
    }

    /// The box of θ.
    fn bounds(&self) -> Vec<(f64, f64)> {
        self.expr.bounds()
    }

    /// The formula with its free parameters moved to θ.
    fn with_theta(&self, py: Python<'_>, theta: Vec<f64>) -> PyResult<Self> {
        guard(py, || Ok(self.with(self.expr.with_theta(&theta)?)))
    }

    /// The formula with its rules replaced by what they find in `x`, and what they found.
    fn resolve(&self, py: Python<'_>, x: &Inputs, options: &Options) -> PyResult<(Self, Vec<Found>)> {
        let job = Job::new(py, options)?;
        let (expr, found) = job.spawn(py, |run| self.expr.resolve(&x.0, run))?;
        let found = found.into_iter().map(|r| (r.path, r.rule, r.value, r.detail)).collect();
        Ok((self.with(expr), found))
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
