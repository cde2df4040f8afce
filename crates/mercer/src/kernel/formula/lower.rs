//! From the syntax tree to a kernel, refusing what is not known to be one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Error, FormulaError, Result};
use crate::kernel::expr::weight;
use crate::kernel::leaf::check_bounds;
use crate::kernel::param::Param;
use crate::kernel::property::Rational;
use crate::kernel::{KernelExpr, Registry};

use super::ast::{Ast, Factor, Node, Sign, Weight};
use super::error;
use super::form::{Form, canonical};

/// Functions of one kernel that keep it positive definite.
pub(super) const FUNCTIONS: [&str; 3] = ["exp", "normalize", "with_gaps"];
/// Functions that do not, with the reason.
pub(super) const REFUSED: [(&str, &str); 6] = [
    ("log", "the logarithm of a kernel is not positive definite in general"),
    ("ln", "the logarithm of a kernel is not positive definite in general"),
    ("sqrt", "a fractional power of a kernel is not positive definite in general"),
    ("abs", "the absolute value of a kernel is not positive definite in general"),
    ("sin", "the sine of a kernel is not positive definite in general"),
    ("tanh", "the hyperbolic tangent of a kernel is not positive definite in general"),
];

/// Whether a user's kernel may not have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    ["matern", "expression", "in"].contains(&name)
        || FUNCTIONS.contains(&name)
        || REFUSED.iter().any(|(f, _)| *f == name)
}

pub(super) struct Lowering<'a> {
    pub(super) source: &'a str,
    pub(super) registry: &'a Registry,
    /// Expressions by where they stand, since proving one may take long.
    pub(super) expressions: RefCell<HashMap<usize, std::result::Result<KernelExpr, FormulaError>>>,
    /// Whether some part was accepted only because like terms were collected.
    pub(super) collected: Cell<bool>,
    /// Asked often by what may take long: whether to give up.
    pub(super) stop: &'a dyn Fn() -> bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(source: &'a str, registry: &'a Registry) -> Self {
        Self::until(source, registry, &|| false)
    }

    pub(super) fn until(source: &'a str, registry: &'a Registry, stop: &'a dyn Fn() -> bool) -> Self {
        Lowering { source, registry, expressions: RefCell::default(), collected: Cell::new(false), stop }
    }

    /// Whether a kernel that was read so far is written otherwise than it prints: like terms were
    /// collected, or a root or quotient stands for a power or weight.
    pub(super) fn has_collected(&self) -> bool {
        self.collected.get()
    }
}

impl Lowering<'_> {
    /// The kernel that a part of the formula means: as it is written, or with like terms collected.
    pub(super) fn kernel(&self, ast: &Ast) -> Result<KernelExpr> {
        let refusal = match self.written(ast) {
            Ok(kernel) => return Ok(kernel),
            Err(refusal) => refusal,
        };
        match Form::build(self, ast).and_then(|form| form.kernel()) {
            Some(kernel) => {
                self.collected.set(true);
                Ok(kernel)
            }
            None => Err(refusal),
        }
    }

    /// The kernel of a name that is no function.
    pub(super) fn named(&self, ast: &Ast) -> Result<KernelExpr> {
        match &ast.node {
            Node::Name { quoted: false, .. } => self.written(ast),
            _ => self.refuse(&ast.span, "expected a kernel"),
        }
    }

    fn written(&self, ast: &Ast) -> Result<KernelExpr> {
        match &ast.node {
            Node::Sum(terms) => self.sum(terms),
            Node::Product(factors) => self.product(factors),
            Node::Power(base, exponent) => self.at(&ast.span, self.kernel(base)?.pow(*exponent)),
            Node::Negative(_) => self.refuse(&ast.span, "a negative weight does not keep a kernel positive definite"),
            Node::Weight(w) => Ok(KernelExpr::Constant(self.weight(&ast.span, w)?)),
            Node::Name { name, quoted: true, .. } => self
                .refuse(&ast.span, &format!("`{name}` is quoted, so it names a column, but a kernel is expected here")),
            Node::Name { name, arguments, .. } => self.call(&ast.span, name, arguments.as_deref()),
        }
    }

    fn sum(&self, terms: &[(Sign, Ast)]) -> Result<KernelExpr> {
        if let Some((_, term)) = terms.iter().find(|(sign, _)| *sign == Sign::Minus) {
            return match self.difference(terms)? {
                Some(kernel) => Ok(kernel),
                None => self.refuse(&term.span, "a difference of kernels is not positive definite in general"),
            };
        }
        let mut kernels = Vec::with_capacity(terms.len());
        for (_, term) in terms {
            match self.kernel(term)? {
                KernelExpr::Sum(inner) => kernels.extend(inner),
                kernel => kernels.push(kernel),
            }
        }
        Ok(KernelExpr::Sum(kernels))
    }

    /// A sum with minus signs in it, if no weight is negative once like terms are collected. Exact
    /// arithmetic decides that; the weights of the kernel are the nearest numbers.
    fn difference(&self, terms: &[(Sign, Ast)]) -> Result<Option<KernelExpr>> {
        let exact = Form::sum(self, terms).filter(Form::has_weights);
        let mut collected: Vec<Like> = Vec::new();
        for (sign, term) in terms {
            let parts = match self.kernel(term)? {
                KernelExpr::Sum(inner) => inner,
                kernel => vec![kernel],
            };
            for part in parts {
                let Some(like) = Like::new(part, *sign) else { return Ok(None) };
                match collected.iter_mut().find(|other| other.text == like.text) {
                    None => collected.push(like),
                    Some(other) => match other.weight.plus(like.weight) {
                        None => return Ok(None),
                        Some(weight) => {
                            other.weight = weight;
                            other.free |= like.free;
                        }
                    },
                }
            }
        }
        if exact.is_none() {
            return Ok(None);
        }
        self.collected.set(true);
        collected.retain(|like| like.weight != Rational::ZERO);
        let kernels: Option<Vec<KernelExpr>> = collected.into_iter().map(Like::kernel).collect();
        // A sum whose weight came out as 1 is a sum no longer inside a product, and joins the others.
        let sum = kernels.map(|kernels| kernels.into_iter().reduce(|sum, kernel| sum + kernel));
        Ok(sum.and_then(|sum| sum.or_else(|| KernelExpr::constant(0.0).ok())))
    }

    fn product(&self, factors: &[(Factor, Ast)]) -> Result<KernelExpr> {
        let mut product: Option<KernelExpr> = None;
        for (operator, factor) in factors {
            let kernel = match operator {
                Factor::Over => KernelExpr::Constant(self.inverse(factor)?),
                Factor::Times => self.kernel(factor)?,
            };
            product = Some(match product {
                Some(left) => self.finite(&factor.span, left * kernel)?,
                None => kernel,
            });
        }
        product.ok_or_else(|| error(self.source, 0..0, "an empty product", None))
    }

    /// 1/c as a weight, for a number c.
    fn inverse(&self, ast: &Ast) -> Result<Param> {
        let number = Form::build(self, ast).and_then(|form| form.as_number());
        let Some(number) = number else {
            return self.refuse(&ast.span, "a quotient of kernels is not positive definite in general");
        };
        if number == Rational::ZERO {
            return self.refuse(&ast.span, "a division by 0");
        }
        self.collected.set(true);
        let mut param = self.at(&ast.span, weight(1.0 / number.to_f64()))?;
        if let Node::Weight(w) = &ast.node {
            param.free = !w.fixed;
            param.bounds = w.bounds.map(|(low, high)| (1.0 / high, 1.0 / low));
            self.at(&ast.span, check_bounds("a kernel", "a weight", &param, |low| low > 0.0))?;
        }
        Ok(param)
    }

    /// Refuses a product whose weights, each of them finite, multiply to infinity.
    fn finite(&self, span: &Range<usize>, kernel: KernelExpr) -> Result<KernelExpr> {
        match &kernel {
            KernelExpr::Constant(w) | KernelExpr::Scale { factor: w, .. } if w.number() == Some(f64::INFINITY) => {
                self.refuse(span, "the weights of this product multiply to more than a number can hold")
            }
            _ => Ok(kernel),
        }
    }

    pub(super) fn weight(&self, span: &Range<usize>, w: &Weight) -> Result<Param> {
        let mut param = self.at(span, weight(w.value))?;
        param.free = !w.fixed;
        param.bounds = w.bounds;
        self.at(span, check_bounds("a kernel", "a weight", &param, |low| low > 0.0))?;
        Ok(param)
    }

    pub(super) fn refuse<T>(&self, span: &Range<usize>, problem: &str) -> Result<T> {
        // What is refused for its mathematics gets the rules that hold.
        let rules = "kernels can be added, multiplied, raised to whole powers and scaled by numbers ≥ 0";
        let help = problem.contains("positive definite").then(|| rules.to_owned());
        Err(error(self.source, span.clone(), problem, help))
    }

    /// Gives an error without a place the place it belongs to.
    pub(super) fn at<T>(&self, span: &Range<usize>, result: Result<T>) -> Result<T> {
        result.map_err(|e| match e {
            placed @ Error::Formula(_) => placed,
            other => error(self.source, span.clone(), other.to_string(), other.hint()),
        })
    }
}

/// A term of a sum, as a weight and a kernel without one.
struct Like {
    weight: Rational,
    free: bool,
    /// The kernel; nothing where the term is a number.
    kernel: Option<KernelExpr>,
    /// What the kernel prints as, the same for terms that are alike.
    text: String,
}

impl Like {
    /// Nothing where the weight is no fraction that can be computed with.
    fn new(kernel: KernelExpr, sign: Sign) -> Option<Self> {
        let (param, kernel) = match kernel {
            KernelExpr::Constant(param) => (Some(param), None),
            KernelExpr::Scale { factor, inner } => (Some(factor), Some(*inner)),
            other => (None, Some(other)),
        };
        let free = param.as_ref().is_some_and(|p| p.free);
        let size = param.map_or(Some(Rational::ONE), |p| Rational::from_decimal(p.number()?))?;
        let weight = if sign == Sign::Minus { size.negated() } else { size };
        let text = kernel.as_ref().map(|k| canonical(k).to_string()).unwrap_or_default();
        Some(Like { weight, free, kernel, text })
    }

    /// The term again, if its weight is positive.
    fn kernel(self) -> Option<KernelExpr> {
        let mut param = weight(self.weight.to_f64()).ok().filter(|_| self.weight > Rational::ZERO)?;
        param.free = self.free;
        match self.kernel {
            None => Some(KernelExpr::Constant(param)),
            Some(kernel) if self.weight == Rational::ONE => Some(kernel),
            Some(kernel) => Some(kernel.scaled_by(param)),
        }
    }
}
