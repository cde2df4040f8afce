//! A formula along a curve, as an expression in x and y.

use std::cell::Cell;

use crate::kernel::formula::ast::{Ast, Factor, Node, Sign};
use crate::kernel::formula::lower::Lowering;
use crate::kernel::formula::{TokenKind, tokens};
use crate::kernel::leaf::{Columns, Setting};
use crate::kernel::{Expression, KernelExpr, Kind, Leaf, ScalarDomain, ScalarExpr, number};

use super::path::Along;
use super::rules::{Rules, has_rule};
use super::{Parts, Path, Place};

/// Texts that are longer are given up.
const MAX_TEXT: usize = 1 << 13;
/// Normalised kernels inside each other, each of which is written three times.
const MAX_NORMALIZED: usize = 3;

/// A formula's parts along a curve.
pub(super) struct Curve<'a> {
    pub(super) lowering: &'a Lowering<'a>,
    pub(super) parts: &'a Parts,
    pub(super) path: &'a Path,
    /// How many values a search may compute.
    pub(super) patience: usize,
    /// Where every part so far has values; nothing where the parts disagree.
    domain: Cell<Option<ScalarDomain>>,
    normalized: Cell<bool>,
    depth: Cell<usize>,
}

/// The two points of a pair, by name.
type Pair<'a> = (&'a str, &'a str);

impl<'a> Curve<'a> {
    pub(super) fn new(lowering: &'a Lowering<'a>, parts: &'a Parts, path: &'a Path, patience: usize) -> Self {
        let domain = Cell::new(Some(ScalarDomain::Real));
        Curve { lowering, parts, path, patience, domain, normalized: Cell::new(false), depth: Cell::new(0) }
    }

    /// The formula as an expression in x and y, and where it has values; `None` where some part has
    /// no simple form.
    pub(super) fn expression(&self, tree: &Ast, rules: &Rules) -> Option<(ScalarExpr, ScalarDomain)> {
        let text = self.text(tree, rules, ("x", "y"))?;
        Some((ScalarExpr::parse(&text).ok()?, self.domain.get()?))
    }

    /// Whether some part is 0 where its quotient has no value.
    pub(super) fn is_normalized(&self) -> bool {
        self.normalized.get()
    }

    /// Where the points lie; `read` says that rules were read as 1.
    pub(super) fn place(&self, read: bool) -> Place {
        let scaled = self.scaled_columns().unwrap_or_default();
        let rules = read && self.parts.kernels.iter().any(has_rule);
        Place {
            columns: self.path.words(&scaled),
            categories: self.path.categories,
            rules: rules.then(|| "with `median` read as 1; the sign is the same for every number".into()),
        }
    }

    /// Whether a kernel reads a numeric column.
    pub(super) fn reads(&self, kernel: &KernelExpr, column: &str) -> bool {
        let columns = match kernel {
            KernelExpr::Leaf(leaf) if matches!(leaf.kind(), Kind::Delta | Kind::Hamming) => return false,
            KernelExpr::Leaf(leaf) => leaf.columns(),
            KernelExpr::Expression(expression) => expression.columns(),
            _ => return true,
        };
        match columns {
            Columns::All => true,
            Columns::Named(names) => names.iter().any(|n| n == column),
        }
    }

    pub(super) fn text(&self, ast: &Ast, rules: &Rules, at: Pair<'_>) -> Option<String> {
        let text = match &ast.node {
            Node::Sum(terms) => self.joined(terms, rules, at, |s| if *s == Sign::Minus { "-" } else { "+" })?,
            Node::Product(factors) => {
                self.joined(factors, rules, at, |f| if *f == Factor::Over { "/" } else { "*" })?
            }
            Node::Power(base, exponent) => format!("({})^{}", self.text(base, rules, at)?, number::print(*exponent)),
            Node::Negative(inner) => format!("-({})", self.text(inner, rules, at)?),
            Node::Weight(weight) => number::print(weight.value),
            Node::Name { name, .. } => match ast.inner_of_function() {
                Some(inner) if name == "normalize" => self.normalize(inner, rules, at)?,
                // Points of a curve have no gaps.
                Some(inner) if name == "with_gaps" => self.text(inner, rules, at)?,
                Some(inner) => format!("{name}({})", self.text(inner, rules, at)?),
                None => match self.lowering.named(ast).ok()? {
                    KernelExpr::Leaf(leaf) => self.leaf(&leaf, rules, at)?,
                    KernelExpr::Expression(expression) => self.inner_expression(&expression, at)?,
                    _ => return None,
                },
            },
        };
        (text.len() <= MAX_TEXT).then_some(text)
    }

    fn joined<T>(
        &self,
        parts: &[(T, Ast)],
        rules: &Rules,
        at: Pair<'_>,
        sign: impl Fn(&T) -> &'static str,
    ) -> Option<String> {
        let mut text = String::new();
        for (operator, part) in parts {
            let join = if text.is_empty() { "" } else { sign(operator) };
            text = format!("{text}{join}({})", self.text(part, rules, at)?);
            if text.len() > MAX_TEXT {
                return None;
            }
        }
        Some(text)
    }

    /// k/(√k(x, x)·√k(y, y)), which has no value where one is negative.
    fn normalize(&self, inner: &Ast, rules: &Rules, (x, y): Pair<'_>) -> Option<String> {
        if self.depth.get() >= MAX_NORMALIZED {
            return None;
        }
        self.normalized.set(true);
        self.depth.set(self.depth.get() + 1);
        let parts = [(x, y), (x, x), (y, y)].map(|pair| self.text(inner, rules, pair));
        self.depth.set(self.depth.get() - 1);
        let [k, own, other] = parts;
        Some(format!("({})/(sqrt({})*sqrt({}))", k?, own?, other?))
    }

    /// An expression in x and y at the values of its column.
    fn inner_expression(&self, expression: &Expression, (x, y): Pair<'_>) -> Option<String> {
        let [(_, along)] = *self.columns_of(expression.columns()) else { return None };
        let domain = expression.domain();
        if domain != ScalarDomain::Real {
            let inside = domain == ScalarDomain::Positive && along.moves() && along.is_non_negative();
            (inside || along == Along::Line { slope: 1, offset: 0 }).then_some(())?;
            self.need(domain)?;
        }
        let source = expression.scalar().to_string();
        let mut text = source.clone();
        // From the end, so that places stay where they are.
        for token in tokens(&source).ok()?.iter().rev() {
            let point = match &token.kind {
                TokenKind::Name(name) if name == "x" => x,
                TokenKind::Name(name) if name == "y" => y,
                _ => continue,
            };
            text.replace_range(token.span.clone(), &format!("({})", along.at(point)));
        }
        Some(format!("({text})"))
    }

    /// Keeps to this domain, too.
    fn need(&self, domain: ScalarDomain) -> Option<()> {
        let both = match (self.domain.get()?, domain) {
            (a, b) if a == b => Some(a),
            (ScalarDomain::Real, other) | (other, ScalarDomain::Real) => Some(other),
            _ => None,
        };
        self.domain.set(both);
        both.map(|_| ())
    }

    /// The columns that are read, with their values along the curve.
    fn columns_of(&self, columns: &Columns) -> Vec<(String, Along)> {
        let read = |name: &String| match columns {
            Columns::All => true,
            Columns::Named(names) => names.contains(name),
        };
        self.path.columns.iter().filter(|(name, _)| read(name)).cloned().collect()
    }

    fn leaf(&self, leaf: &Leaf, rules: &Rules, at: Pair<'_>) -> Option<String> {
        if let Some(value) = rules.value(leaf) {
            return Some(value.into());
        }
        let value = |name: &str| number::print(leaf.number(name).unwrap_or(1.0));
        let (x, y) = at;
        let here = Leg { columns: self.scaled(leaf), at };
        Some(match leaf.kind() {
            Kind::Linear => here.dot(),
            Kind::Poly => {
                format!("({}+{})^{}", times(&value("gamma"), &here.dot()), value("coef0"), leaf.integer("degree"))
            }
            Kind::GeneralPoly => polynomial(leaf.setting("coefficients")?, &here.dot())?,
            Kind::Exponential => format!("exp({})", times(&value("gamma"), &here.dot())),
            Kind::Cosine => {
                self.normalized.set(true);
                let own = |t| Leg { columns: self.scaled(leaf), at: (t, t) }.dot();
                format!("{}/sqrt({}*{})", here.dot(), own(x), own(y))
            }
            Kind::Rbf => format!("exp(-{}/2)", here.square()),
            Kind::Laplace | Kind::Matern12 => format!("exp(-{})", here.distance()),
            Kind::LaplaceL1 => format!("exp(-{})", here.manhattan()),
            Kind::Matern32 => format!("(1+sqrt(3)*{0})*exp(-sqrt(3)*{0})", here.distance()),
            Kind::Matern52 => {
                format!("(1+sqrt(5)*{0}+5*{1}/3)*exp(-sqrt(5)*{0})", here.distance(), here.square())
            }
            Kind::RationalQuadratic => format!("1/(1+{}/(2*{1}))^{1}", here.square(), value("alpha")),
            Kind::Cauchy => format!("1/(1+{})", here.square()),
            Kind::Periodic => format!("exp(-2*{})", here.waves(&value("period"))),
            Kind::Energy => match value("exponent").as_str() {
                "1" => format!("-{}", here.distance()),
                exponent => format!("-{}^{exponent}", here.distance()),
            },
            Kind::ThinPlate => {
                // r² log r at r = 0 and at every r ≥ 1e-20: the points that are tried are no closer.
                here.is_unscaled().then_some(())?;
                format!("{}*log(max({},1e-20))", here.square(), here.distance())
            }
            Kind::Sigmoid => {
                let shift = number::print(leaf.number("coef0")?);
                format!("tanh({}+({shift}))", times(&value("gamma"), &here.dot()))
            }
            Kind::Min => {
                self.needs_non_negative(&here)?;
                here.sum(|x, y, _| format!("min({x},{y})"))
            }
            Kind::Spline => {
                self.needs_non_negative(&here)?;
                here.product(|x, y| {
                    let m = format!("min({x},{y})");
                    format!("(1+{x}*{y}+{x}*{y}*{m}-({x}+{y})*{m}^2/2+{m}^3/3)")
                })
            }
            // A column that the formula does not name would add to it.
            Kind::Additive if leaf.integer("degree") == 1 && matches!(leaf.columns(), Columns::Named(_)) => {
                here.sum(|x, y, scale| format!("exp(-({x}-{y})^2/(2*{scale}^2))"))
            }
            // As for the thin plate: 1 at equal points and 0 at those that are tried.
            Kind::Delta | Kind::Hamming if self.path.categories => format!("max(0,1-1e20*abs({x}-{y}))"),
            Kind::Delta | Kind::Hamming => "1".into(),
            _ => return None,
        })
    }

    fn needs_non_negative(&self, here: &Leg<'_>) -> Option<()> {
        if here.columns.iter().any(|(along, _)| along.moves()) {
            self.need(ScalarDomain::Positive)?;
        }
        here.columns.iter().all(|(along, _)| along.is_non_negative()).then_some(())
    }

    /// The columns that the leaf reads, each with its length scale.
    fn scaled(&self, leaf: &Leaf) -> Vec<(Along, String)> {
        let columns = match (leaf.columns(), leaf.setting("length_scale")) {
            // Length scales stand in the order of the names.
            (Columns::Named(names), _) => {
                let along = |name: &String| self.path.columns.iter().find(|(n, _)| n == name).map(|(_, a)| *a);
                names.iter().filter_map(along).collect()
            }
            (Columns::All, _) => self.path.columns.iter().map(|(_, along)| *along).collect::<Vec<_>>(),
        };
        let scale = |p: &crate::kernel::Param| number::print(p.number().unwrap_or(1.0));
        let scales = match leaf.setting("length_scale") {
            Some(Setting::Many(list)) => list.iter().map(scale).collect(),
            Some(Setting::One(p)) => vec![scale(p); columns.len()],
            _ => vec!["1".into(); columns.len()],
        };
        columns.into_iter().zip(scales).collect()
    }
}

/// The columns of one leaf with their length scales, between two points.
struct Leg<'a> {
    columns: Vec<(Along, String)>,
    at: Pair<'a>,
}

impl Leg<'_> {
    fn sum(&self, term: impl Fn(&str, &str, &str) -> String) -> String {
        let term = |(along, scale): &(Along, String)| term(&along.at(self.at.0), &along.at(self.at.1), scale);
        format!("({})", self.columns.iter().map(term).collect::<Vec<_>>().join("+"))
    }

    fn product(&self, factor: impl Fn(&str, &str) -> String) -> String {
        let factor = |(along, _): &(Along, String)| factor(&along.at(self.at.0), &along.at(self.at.1));
        format!("({})", self.columns.iter().map(factor).collect::<Vec<_>>().join("*"))
    }

    fn is_unscaled(&self) -> bool {
        self.columns.iter().all(|(_, scale)| scale == "1")
    }

    /// The slope and the length scale of each column, where all move along lines (through the origin).
    fn slopes(&self, through_origin: bool) -> Option<Vec<(i64, &str)>> {
        let lines = self.columns.iter().map(|(along, scale)| match along {
            Along::Line { slope, offset } if !through_origin || *offset == 0 => Some((*slope, scale.as_str())),
            _ => None,
        });
        lines.collect()
    }

    /// ⟨x, y⟩.
    fn dot(&self) -> String {
        let (x, y) = self.at;
        match self.slopes(true) {
            Some(slopes) => match slopes.iter().map(|(slope, _)| slope * slope).sum::<i64>() {
                0 => "0".into(),
                n => format!("({})", times(&n.to_string(), &format!("{x}*{y}"))),
            },
            None => self.sum(|x, y, _| format!("{x}*{y}")),
        }
    }

    /// Σ (xⱼ − yⱼ)²/ℓⱼ².
    fn square(&self) -> String {
        let (x, y) = self.at;
        let Some(slopes) = self.slopes(false) else {
            return self.sum(|x, y, scale| format!("({x}-{y})^2/{scale}^2"));
        };
        match weights(&slopes, |slope| slope * slope, "^2") {
            None => "0".into(),
            Some(weight) => format!("({})", times(&weight, &format!("({x}-{y})^2"))),
        }
    }

    /// √ of the square.
    fn distance(&self) -> String {
        let (x, y) = self.at;
        let moving = self.slopes(false).map(|s| s.into_iter().filter(|(slope, _)| *slope != 0).collect::<Vec<_>>());
        match moving.as_deref() {
            Some([]) => "0".into(),
            Some([one]) => {
                let weight = weights(&[*one], i64::abs, "").unwrap_or_default();
                format!("({})", times(&weight, &format!("abs({x}-{y})")))
            }
            _ => format!("sqrt({})", self.square()),
        }
    }

    /// Σ |xⱼ − yⱼ|/ℓⱼ.
    fn manhattan(&self) -> String {
        let (x, y) = self.at;
        match self.slopes(false).map(|slopes| weights(&slopes, i64::abs, "")) {
            None => self.sum(|x, y, scale| format!("abs({x}-{y})/{scale}")),
            Some(None) => "0".into(),
            Some(Some(weight)) => format!("({})", times(&weight, &format!("abs({x}-{y})"))),
        }
    }

    /// Σ sin²(π(xⱼ − yⱼ)/p)/ℓⱼ².
    fn waves(&self, period: &str) -> String {
        self.sum(|x, y, scale| format!("sin(pi*({x}-{y})/{period})^2/{scale}^2"))
    }
}

/// Σ weight(slope)/ℓ^power over the columns that move, as exact as the length scales are printed.
fn weights(slopes: &[(i64, &str)], weight: impl Fn(i64) -> i64, power: &str) -> Option<String> {
    let moving: Vec<(i64, &str)> = slopes.iter().filter(|(slope, _)| *slope != 0).copied().collect();
    if moving.is_empty() {
        return None;
    }
    Some(match moving.iter().all(|(_, scale)| *scale == "1") {
        true => moving.iter().map(|(slope, _)| weight(*slope)).sum::<i64>().to_string(),
        false => {
            let term = |(slope, scale): &(i64, &str)| format!("{}/{scale}{power}", weight(*slope));
            format!("({})", moving.iter().map(term).collect::<Vec<_>>().join("+"))
        }
    })
}

/// c·t, without a factor of 1.
fn times(c: &str, t: &str) -> String {
    if c == "1" { t.to_owned() } else { format!("{c}*{t}") }
}

/// Σ cᵢ·tⁱ.
fn polynomial(coefficients: &Setting, t: &str) -> Option<String> {
    let Setting::Many(list) = coefficients else { return None };
    let term = |(i, p): (usize, &crate::kernel::Param)| Some(format!("{}*{t}^{i}", number::print(p.number()?)));
    Some(format!("({})", list.iter().enumerate().map(term).collect::<Option<Vec<_>>>()?.join("+")))
}
