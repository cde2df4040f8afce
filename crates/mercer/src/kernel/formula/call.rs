//! Names with arguments: kernels of the catalogue, of the user, and functions of kernels.

use std::ops::Range;

use crate::error::{Error, Result, nearest, quote_list};
use crate::kernel::custom::Custom;
use crate::kernel::leaf::{Columns, Leaf, Setting};
use crate::kernel::param::{Param, Transform};
use crate::kernel::spec::{FROM_DATA, SettingKind};
use crate::kernel::{Expression, KernelExpr, Kind, ScalarDomain, ScalarExpr, by_name};

use super::ast::{Argument, ArgumentKind, Ast, Node, Value, ValueKind};
use super::error;
use super::lower::{FUNCTIONS, Lowering, REFUSED};

impl Lowering<'_> {
    pub(super) fn call(&self, span: &Range<usize>, name: &str, arguments: Option<&[Argument]>) -> Result<KernelExpr> {
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
                "with_gaps" => self.at(span, inner.with_gaps()),
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

    /// The one kernel inside `exp(…)`, `normalize(…)` or `with_gaps(…)`.
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
        if let Some(SettingKind::Words { separator, example, .. }) = kind_of(leaf, name) {
            return self.words(value, *separator, name, example);
        }
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

    /// Words in an order: a list of them, or one text with something between them; nothing for those of the data.
    fn words(&self, value: &Value, separator: char, name: &str, example: &str) -> Result<Setting> {
        let one = |value: &Value| match &value.kind {
            ValueKind::Word(word) => Ok(word.clone()),
            // A word that is a rule elsewhere.
            ValueKind::Rule { rule, fixed: false, bounds: None } => Ok(rule.name().to_owned()),
            _ => {
                let help = Some(format!("for example `{name}={example}`"));
                Err(error(self.source, value.span.clone(), format!("`{name}` takes words in quotes"), help))
            }
        };
        let words: Vec<String> = match &value.kind {
            ValueKind::Word(word) if word == FROM_DATA => return Ok(Setting::Words(None)),
            ValueKind::List(items) => items.iter().map(one).collect::<Result<_>>()?,
            _ => one(value)?.split(separator).map(|word| word.trim().to_owned()).collect(),
        };
        Ok(Setting::Words(Some(words.into())))
    }

    /// A word that the parameter knows.
    fn word(&self, leaf: &Leaf, name: &str, word: &str, span: &Range<usize>) -> Result<Setting> {
        let options: &[&'static str] = match kind_of(leaf, name) {
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
}

/// What values the parameter of this name takes.
fn kind_of(leaf: &Leaf, name: &str) -> Option<&'static SettingKind> {
    leaf.spec().settings.iter().find(|s| s.name == name).map(|s| &s.kind)
}
