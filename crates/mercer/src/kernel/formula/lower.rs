//! From the syntax tree to a kernel, refusing what is not known to be one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Error, FormulaError, Result, nearest, quote_list};
use crate::kernel::custom::Custom;
use crate::kernel::expr::weight;
use crate::kernel::leaf::{Columns, Leaf, Setting, check_bounds};
use crate::kernel::param::{Param, Transform};
use crate::kernel::property::Rational;
use crate::kernel::{Expression, KernelExpr, Kind, Registry, ScalarDomain, ScalarExpr, by_name};

use super::ast::{Argument, ArgumentKind, Ast, Factor, Node, Sign, Value, ValueKind, Weight};
use super::error;
use super::form::{Form, canonical};

/// Functions of one kernel that keep it positive definite.
const FUNCTIONS: [&str; 2] = ["exp", "normalize"];
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
    expressions: RefCell<HashMap<usize, std::result::Result<KernelExpr, FormulaError>>>,
    /// Whether some part was accepted only because like terms were collected.
    collected: Cell<bool>,
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

    fn weight(&self, span: &Range<usize>, w: &Weight) -> Result<Param> {
        let mut param = self.at(span, weight(w.value))?;
        param.free = !w.fixed;
        param.bounds = w.bounds;
        self.at(span, check_bounds("a kernel", "a weight", &param, |low| low > 0.0))?;
        Ok(param)
    }

    fn call(&self, span: &Range<usize>, name: &str, arguments: Option<&[Argument]>) -> Result<KernelExpr> {
        let name_span = span.start..span.start + name.len();
        if let Some((_, reason)) = REFUSED.iter().find(|(f, _)| *f == name) {
            return match (name, arguments) {
                ("sqrt", Some([Argument { kind: ArgumentKind::Expression(inner), .. }])) => {
                    let root = self.kernel(inner)?.pow(0.5);
                    self.collected.set(true);
                    root.or_else(|_| self.refuse(&name_span, reason))
                }
                _ => self.refuse(&name_span, reason),
            };
        }
        if FUNCTIONS.contains(&name) {
            let inner = self.only_argument(span, name, arguments)?;
            return match name {
                "exp" => Ok(inner.exp()),
                _ => self.at(span, inner.normalize()),
            };
        }
        let arguments = arguments.unwrap_or_default();
        if name == "matern" {
            return self.matern(span, arguments);
        }
        if name == "expression" {
            return self.expression_once(span, arguments);
        }
        if let Some(kind) = by_name(name) {
            return self.leaf(Leaf::new(kind), arguments);
        }
        match self.registry.custom(name) {
            Some(custom) => self.custom(custom, arguments),
            None => Err(self.unknown(name_span, name)),
        }
    }

    fn unknown(&self, span: Range<usize>, name: &str) -> Error {
        let catalogue =
            Kind::ALL.iter().flat_map(|k| [k.spec().name].into_iter().chain(k.spec().aliases.iter().copied()));
        let names: Vec<&str> =
            catalogue.chain(FUNCTIONS).chain(["matern", "expression"]).chain(self.registry.names()).collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("the nearest kernel is `{near}`"),
            None => format!("kernels are {}", quote_list(&Kind::ALL.iter().map(|k| k.spec().name).collect::<Vec<_>>())),
        };
        error(self.source, span, format!("unknown kernel `{name}`"), Some(help))
    }

    /// The one kernel inside `exp(…)` or `normalize(…)`.
    pub(super) fn only_argument(
        &self,
        span: &Range<usize>,
        name: &str,
        arguments: Option<&[Argument]>,
    ) -> Result<KernelExpr> {
        match arguments {
            Some([Argument { kind: ArgumentKind::Expression(inner), .. }]) => self.kernel(inner),
            _ => {
                let count = arguments.map_or(0, <[Argument]>::len);
                let problem = format!("`{name}` takes one kernel, got {count} arguments or another kind of argument");
                Err(error(self.source, span.clone(), problem, Some(format!("for example `{name}(linear)`"))))
            }
        }
    }

    /// `matern(nu=…)`: one of the three kernels that have a closed form.
    fn matern(&self, span: &Range<usize>, arguments: &[Argument]) -> Result<KernelExpr> {
        let is_nu = |a: &&Argument| matches!(&a.kind, ArgumentKind::Named(name, _, _) if name == "nu");
        let nu = arguments.iter().find(is_nu).and_then(|a| match &a.kind {
            ArgumentKind::Named(_, _, Value { kind: ValueKind::Weight(w), .. }) => Some(w.value),
            _ => None,
        });
        let kind = match nu {
            Some(0.5) => Kind::Matern12,
            Some(1.5) => Kind::Matern32,
            Some(2.5) => Kind::Matern52,
            _ => {
                let help = Some("write `matern32`, or `matern(nu=1.5)`".to_owned());
                return Err(error(self.source, span.clone(), "`matern` needs nu = 0.5, 1.5 or 2.5", help));
            }
        };
        self.leaf(Leaf::new(kind), &arguments.iter().filter(|a| !is_nu(a)).collect::<Vec<_>>())
    }

    /// The expression at this place, proved when it is first asked for.
    fn expression_once(&self, span: &Range<usize>, arguments: &[Argument]) -> Result<KernelExpr> {
        if let Some(known) = self.expressions.borrow().get(&span.start) {
            return known.clone().map_err(|e| Error::Formula(Box::new(e)));
        }
        let found = match self.expression(span, arguments) {
            Ok(kernel) => Ok(kernel),
            Err(Error::Formula(e)) => Err(*e),
            Err(other) => return Err(other),
        };
        self.expressions.borrow_mut().insert(span.start, found.clone());
        found.map_err(|e| Error::Formula(Box::new(e)))
    }

    /// `expression("min(x, y)", age, domain="R+")`: a function of two numbers, which must be proved.
    fn expression(&self, span: &Range<usize>, arguments: &[Argument]) -> Result<KernelExpr> {
        let example = || Some("for example `expression(\"min(x, y)\", age, domain=\"R+\")`".to_owned());
        let (text, place) = match arguments.first().map(|a| (&a.kind, &a.span)) {
            Some((ArgumentKind::Expression(Ast { node: Node::Name { name, quoted: true, .. }, .. }), span)) => {
                (name, span)
            }
            _ => return Err(error(self.source, span.clone(), "`expression` needs an expression in quotes", example())),
        };
        let scalar = match ScalarExpr::parse(text) {
            Ok(scalar) => scalar,
            // The caret stays under the quoted text, which may hold doubled quotes.
            Err(e) => {
                let problem = e.to_string().lines().next().unwrap_or_default().to_owned();
                return Err(error(self.source, place.clone(), format!("in the expression: {problem}"), e.hint()));
            }
        };
        let (columns, named) = self.split("expression", &arguments[1..])?;
        let mut domain = ScalarDomain::default();
        for (name, name_span, value) in named {
            domain = match (name, &value.kind) {
                ("domain", ValueKind::Word(word)) => self.at(&value.span, word.parse())?,
                _ => return Err(error(self.source, name_span.clone(), "`expression` takes `domain=`", example())),
            };
        }
        let expression = self.at(place, Expression::until(scalar, domain, self.stop))?;
        Ok(KernelExpr::Expression(Box::new(expression.on(columns))))
    }

    fn leaf<A: std::borrow::Borrow<Argument>>(&self, mut leaf: Leaf, arguments: &[A]) -> Result<KernelExpr> {
        let (columns, named) = self.split(leaf.spec().name, arguments)?;
        let mut given: Vec<&str> = Vec::new();
        for (name, name_span, value) in named {
            let setting =
                leaf.spec().settings.iter().find(|s| s.name == name || s.aliases.iter().any(|a| a.name == name));
            if let Some(twice) = setting.filter(|s| given.contains(&s.name)) {
                return self.refuse(name_span, &format!("`{}` is given twice", twice.name));
            }
            given.extend(setting.map(|s| s.name));
            // A name the kernel does not have is the name's fault, a bad value the value's.
            let place = if setting.is_some() { &value.span } else { name_span };
            let setting = self.setting(&leaf, name, value)?;
            self.at(place, leaf.set(name, setting))?;
        }
        self.check_scales(&leaf, &columns, arguments)?;
        Ok(KernelExpr::Leaf(leaf.on(columns)))
    }

    /// With named columns, a list of length scales must have one for each of them.
    fn check_scales<A: std::borrow::Borrow<Argument>>(
        &self,
        leaf: &Leaf,
        columns: &Columns,
        arguments: &[A],
    ) -> Result<()> {
        let (Columns::Named(names), Some(Setting::Many(scales))) = (columns, leaf.setting("length_scale")) else {
            return Ok(());
        };
        if names.len() == scales.len() {
            return Ok(());
        }
        let spans = || arguments.iter().map(|a| &a.borrow().span);
        let start = spans().map(|s| s.start).min().unwrap_or(0);
        let span = start..spans().map(|s| s.end).max().unwrap_or(start);
        let problem = format!("{} length scales for {} columns", scales.len(), names.len());
        Err(error(self.source, span, problem, Some("give one length scale, or one for each column".into())))
    }

    fn custom(&self, mut custom: Custom, arguments: &[Argument]) -> Result<KernelExpr> {
        let (columns, named) = self.split(&custom.name, arguments)?;
        for (name, name_span, value) in named {
            let names: Vec<String> = custom.params.iter().map(|(n, _)| n.clone()).collect();
            let Some((_, param)) = custom.params.iter_mut().find(|(n, _)| n == name) else {
                let help = Some(format!("its parameters are {}", quote_list(&names)));
                return Err(error(
                    self.source,
                    name_span.clone(),
                    format!("`{}` has no parameter `{name}`", custom.name),
                    help,
                ));
            };
            let ValueKind::Weight(w) = &value.kind else {
                return self.refuse(&value.span, "expected a number > 0");
            };
            if w.value <= 0.0 {
                return self.refuse(&value.span, "expected a number > 0");
            }
            *param = self.weight(&value.span, w)?;
        }
        Ok(KernelExpr::Custom(Custom { columns, ..custom }))
    }

    /// Columns and named parameters, told apart.
    #[expect(clippy::type_complexity, reason = "a list of name, place and value needs no name of its own")]
    fn split<'b, A: std::borrow::Borrow<Argument>>(
        &self,
        kernel: &str,
        arguments: &'b [A],
    ) -> Result<(Columns, Vec<(&'b str, &'b Range<usize>, &'b Value)>)> {
        let mut columns: Vec<String> = Vec::new();
        let mut star = None;
        let mut named = Vec::new();
        for argument in arguments.iter().map(std::borrow::Borrow::borrow) {
            match &argument.kind {
                ArgumentKind::Star => star = Some(&argument.span),
                ArgumentKind::Named(name, span, value) => named.push((name.as_str(), span, value)),
                ArgumentKind::Expression(Ast { node: Node::Name { name, arguments: None, .. }, span }) => {
                    if columns.contains(name) {
                        return self.refuse(span, &format!("column `{name}` is named twice"));
                    }
                    columns.push(name.clone());
                }
                ArgumentKind::Expression(other) => {
                    let help = Some(format!(
                        "for example `{kernel}(age, income)`; quote names that are not identifiers: `{kernel}(\"my column\")`"
                    ));
                    return Err(error(self.source, other.span.clone(), "expected a column or `name=value`", help));
                }
            }
        }
        match star {
            Some(span) if !columns.is_empty() => {
                self.refuse(span, "`*` is every column; name columns or use `*`, not both")
            }
            _ if columns.is_empty() => Ok((Columns::All, named)),
            _ => Ok((Columns::Named(columns), named)),
        }
    }

    fn setting(&self, leaf: &Leaf, name: &str, value: &Value) -> Result<Setting> {
        match &value.kind {
            ValueKind::List(items) => {
                let params = items.iter().map(|item| self.param(name, item)).collect::<Result<_>>()?;
                Ok(Setting::Many(params))
            }
            ValueKind::Word(word) => self.word(leaf, name, word, &value.span),
            _ => Ok(Setting::One(self.param(name, value)?)),
        }
    }

    fn param(&self, name: &str, value: &Value) -> Result<Param> {
        match &value.kind {
            ValueKind::Weight(w) => {
                Ok(Param { bounds: w.bounds, free: !w.fixed, ..Param::new(w.value, Transform::Identity) })
            }
            ValueKind::Rule { rule, fixed, bounds } => {
                Ok(Param { bounds: *bounds, free: !fixed, ..Param::by_rule(*rule) })
            }
            _ => self.refuse(&value.span, &format!("expected a number for `{name}`")),
        }
    }

    /// A word that the parameter knows.
    fn word(&self, leaf: &Leaf, name: &str, word: &str, span: &Range<usize>) -> Result<Setting> {
        use crate::kernel::spec::SettingKind;
        let spec = leaf.spec().settings.iter().find(|s| s.name == name);
        let options: &[&'static str] = match spec.map(|s| &s.kind) {
            Some(SettingKind::Choice { options }) => options,
            _ => &["median"],
        };
        match options.iter().find(|o| **o == word) {
            Some(option) => Ok(Setting::Choice(option)),
            None => {
                let near = nearest(word, options.iter().copied()).map_or_else(
                    || format!("`{name}` takes a number or one of {}", quote_list(options)),
                    |near| format!("the nearest is `{near}`"),
                );
                Err(error(self.source, span.clone(), format!("unknown value `{word}` for `{name}`"), Some(near)))
            }
        }
    }

    fn refuse<T>(&self, span: &Range<usize>, problem: &str) -> Result<T> {
        // What is refused for its mathematics gets the rules that hold.
        let rules = "kernels can be added, multiplied, raised to whole powers and scaled by numbers ≥ 0";
        let help = problem.contains("positive definite").then(|| rules.to_owned());
        Err(error(self.source, span.clone(), problem, help))
    }

    /// Gives an error without a place the place it belongs to.
    fn at<T>(&self, span: &Range<usize>, result: Result<T>) -> Result<T> {
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
