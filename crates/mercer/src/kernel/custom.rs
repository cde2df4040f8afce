//! Kernels that users bring.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::data::Inputs;
use crate::error::{Error, Result};

use super::leaf::Columns;
use super::param::{Param, Transform};
use super::spec::Domain;
use super::{Kernel, by_name};

/// A user's kernel inside a formula: its name, columns and parameters, and the function itself.
///
/// Two are equal if they read the same: functions cannot be compared.
#[derive(Clone, Debug)]
pub struct Custom {
    /// The name it is registered under.
    pub name: String,
    /// The columns it reads.
    pub columns: Columns,
    /// Its parameters, by name and in the order of the registration.
    pub params: Vec<(String, Param)>,
    /// How it is computed.
    pub form: CustomForm,
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.columns, &self.params) == (&other.name, &other.columns, &other.params)
    }
}

impl Custom {
    /// The kernel as it would be registered, with its parameters as defaults.
    fn registered(&self) -> CustomKernel {
        let params = self.params.iter().map(|(name, p)| (name.clone(), p.number().unwrap_or(1.0))).collect();
        CustomKernel { params, form: self.form.clone() }
    }
}

/// Makes a kernel of vectors from the values of its parameters.
pub type VectorKernel = dyn Fn(&[f64]) -> Box<dyn Kernel<[f64]>> + Send + Sync;
/// Makes a kernel of strings from the values of its parameters.
pub type TextKernel = dyn Fn(&[f64]) -> Box<dyn Kernel<str>> + Send + Sync;
/// Computes all values between two sets at once, row-major; may fail.
pub type MatrixKernel = dyn Fn(&Inputs, &Inputs, &[f64]) -> Result<Vec<f64>> + Send + Sync;

/// The three forms a user's kernel can have.
#[derive(Clone)]
#[non_exhaustive]
pub enum CustomForm {
    /// A function of two vectors.
    Vector(Arc<VectorKernel>),
    /// A function of two strings.
    Text(Arc<TextKernel>),
    /// A function that computes the whole matrix when the formula is bound, such as a Python
    /// callable. It must agree with itself on any choice of rows.
    Matrix(Arc<MatrixKernel>),
}

impl CustomForm {
    /// What it reads.
    pub fn domain(&self) -> Domain {
        match self {
            CustomForm::Vector(_) | CustomForm::Matrix(_) => Domain::Number,
            CustomForm::Text(_) => Domain::TEXT,
        }
    }
}

impl fmt::Debug for CustomForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomForm")
    }
}

/// A user's kernel, registered.
#[derive(Clone, Debug)]
pub struct CustomKernel {
    /// Its parameters, all positive, with their default values.
    pub params: Vec<(String, f64)>,
    /// How it is computed.
    pub form: CustomForm,
}

/// The user's kernels that formulas may name.
///
/// ```
/// use mercer::kernel::{CustomForm, CustomKernel, Kernel, KernelExpr, Registry};
/// struct Power(f64);
/// impl Kernel<[f64]> for Power {
///     fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
///         x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>().abs().powf(self.0)
///     }
/// }
/// let mut registry = Registry::new();
/// let form = CustomForm::Vector(std::sync::Arc::new(|p: &[f64]| Box::new(Power(p[0])) as Box<dyn Kernel<[f64]>>));
/// registry.add("power", CustomKernel { params: vec![("exponent".into(), 2.0)], form })?;
/// let k = KernelExpr::parse_with("0.5*power(exponent=4) + rbf(length_scale=1)", &registry)?;
/// assert_eq!(k.to_string(), "0.5*power(exponent=4) + rbf(length_scale=1)");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    kernels: BTreeMap<String, CustomKernel>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a kernel under a name that formulas can use.
    pub fn add(&mut self, name: impl Into<String>, kernel: CustomKernel) -> Result<()> {
        let name = name.into();
        let taken = by_name(&name).is_some() || super::formula::is_reserved(&name);
        if taken || !super::formula::is_identifier(&name) {
            let must = "an identifier that is not a kernel's or a function's name already";
            return Err(Error::invalid("the registry", "name", format!("`{name}`"), must));
        }
        for (param, default) in &kernel.params {
            if !(*default > 0.0 && default.is_finite() && super::formula::is_identifier(param)) {
                let owner = format!("kernel `{name}`");
                return Err(Error::invalid(
                    owner,
                    "a parameter",
                    format!("{param}={default}"),
                    "an identifier with a value > 0",
                ));
            }
        }
        self.kernels.insert(name, kernel);
        Ok(())
    }

    /// The kernel of this name.
    pub fn get(&self, name: &str) -> Option<&CustomKernel> {
        self.kernels.get(name)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// The registered kernel as it stands in a formula, with its default parameters.
    pub fn custom(&self, name: &str) -> Option<Custom> {
        let kernel = self.get(name)?;
        let params = kernel.params.iter().map(|(n, v)| (n.clone(), Param::new(*v, Transform::Log))).collect();
        Some(Custom { name: name.to_owned(), columns: Columns::All, params, form: kernel.form.clone() })
    }

    /// The kernels that these formulas carry, by which their texts can be read again.
    pub(super) fn of(customs: &[&Custom]) -> Self {
        let kernels = customs.iter().map(|custom| (custom.name.clone(), custom.registered()));
        Registry { kernels: kernels.collect() }
    }
}
