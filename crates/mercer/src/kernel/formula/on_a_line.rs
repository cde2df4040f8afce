//! A formula at points on a line: every numeric column holds the same number.
//!
//! A formula that is refuted there is refuted. Rules are read as length scales of 1, records agree
//! in their categories; kernels of text have no place on a line.

use crate::error::Result;
use crate::kernel::leaf::{Columns, Setting};
use crate::kernel::{KernelExpr, Kind, Leaf, Registry, ScalarDomain, ScalarExpr, number};

use super::ast::{Argument, ArgumentKind, Ast, Factor, Node, Sign};
use super::lower::Lowering;

/// The expression in x and y that a formula becomes, and where it has values; `None` where some
/// part has no simple form.
pub(crate) fn on_a_line(source: &str, registry: &Registry) -> Result<Option<(ScalarExpr, ScalarDomain)>> {
    let tree = super::tree(source)?;
    let mut line = Line { lowering: Lowering { source, registry }, columns: Vec::new(), domain: ScalarDomain::Real };
    line.name_columns(&tree);
    let text = line.ast(&tree);
    Ok(text.and_then(|text| ScalarExpr::parse(&text).ok()).map(|expr| (expr, line.domain)))
}

struct Line<'a> {
    lowering: Lowering<'a>,
    /// The columns that some leaf names.
    columns: Vec<String>,
    domain: ScalarDomain,
}

impl Line<'_> {
    /// Collects the columns that leaves name.
    fn name_columns(&mut self, ast: &Ast) {
        match &ast.node {
            Node::Sum(parts) => parts.iter().for_each(|(_, part)| self.name_columns(part)),
            Node::Product(parts) => parts.iter().for_each(|(_, part)| self.name_columns(part)),
            Node::Power(inner, _) | Node::Negative(inner) => self.name_columns(inner),
            Node::Weight(_) => {}
            Node::Name { .. } => match (self.lowering.kernel(ast), only_argument(ast)) {
                (Ok(KernelExpr::Leaf(leaf)), _) => {
                    if let Columns::Named(names) = leaf.columns() {
                        self.columns.extend(names.iter().cloned());
                        self.columns.sort();
                        self.columns.dedup();
                    }
                }
                (_, Some(inner)) => self.name_columns(inner),
                _ => {}
            },
        }
    }

    fn ast(&mut self, ast: &Ast) -> Option<String> {
        match &ast.node {
            Node::Sum(terms) => terms.iter().try_fold(String::new(), |text, (sign, term)| {
                let sign = if *sign == Sign::Minus { "-" } else { "+" };
                let join = if text.is_empty() { "" } else { sign };
                Some(format!("{text}{join}({})", self.ast(term)?))
            }),
            Node::Product(factors) => factors.iter().try_fold(String::new(), |text, (operator, factor)| {
                let operator = if *operator == Factor::Over { "/" } else { "*" };
                let join = if text.is_empty() { "" } else { operator };
                Some(format!("{text}{join}({})", self.ast(factor)?))
            }),
            Node::Power(base, exponent) => Some(format!("({})^{}", self.ast(base)?, number::print(*exponent))),
            Node::Negative(inner) => Some(format!("-({})", self.ast(inner)?)),
            Node::Weight(weight) => Some(number::print(weight.value)),
            Node::Name { name, .. } => match self.lowering.kernel(ast) {
                Ok(KernelExpr::Leaf(leaf)) => self.leaf(&leaf),
                _ if ["exp", "log", "ln", "sqrt", "abs", "sin", "tanh"].contains(&name.as_str()) => {
                    Some(format!("{name}({})", self.ast(only_argument(ast)?)?))
                }
                _ => None,
            },
        }
    }

    fn leaf(&mut self, leaf: &Leaf) -> Option<String> {
        let value = |name: &str| number::print(leaf.number(name).unwrap_or(1.0));
        let scales = self.scales(leaf);
        let square = format!("({})", times(&sum(&scales, |l| format!("1/{l}^2")), "(x-y)^2"));
        let distance = match scales.as_slice() {
            [one] => format!("({})", times(&sum(std::slice::from_ref(one), |l| format!("1/{l}")), "abs(x-y)")),
            _ => format!("sqrt({square})"),
        };
        let count = scales.len().to_string();
        let dot = format!("({})", times(&count, "x*y"));
        Some(match leaf.kind() {
            Kind::Linear => dot,
            Kind::Poly => {
                format!("({}+{})^{}", times(&value("gamma"), &dot), value("coef0"), leaf.integer("degree"))
            }
            Kind::GeneralPoly => polynomial(leaf.setting("coefficients")?, &dot)?,
            Kind::Exponential => format!("exp({})", times(&value("gamma"), &dot)),
            Kind::Rbf => format!("exp(-{square}/2)"),
            Kind::Laplace | Kind::Matern12 => format!("exp(-{distance})"),
            Kind::LaplaceL1 => format!("exp(-{})", times(&sum(&scales, |l| format!("1/{l}")), "abs(x-y)")),
            Kind::Matern32 => format!("(1+sqrt(3)*{distance})*exp(-sqrt(3)*{distance})"),
            Kind::Matern52 => format!("(1+sqrt(5)*{distance}+5*{square}/3)*exp(-sqrt(5)*{distance})"),
            Kind::RationalQuadratic => format!("1/(1+{square}/(2*{0}))^{0}", value("alpha")),
            Kind::Cauchy => format!("1/(1+{square})"),
            Kind::Energy => match value("exponent").as_str() {
                "1" => format!("-{distance}"),
                exponent => format!("-{distance}^{exponent}"),
            },
            // r² log r at r = 0 and at every r ≥ 1/1000: the points that are tried are no closer.
            Kind::ThinPlate if scales.iter().all(|l| l == "1") => {
                format!("{square}*log(max({distance},1/1000))")
            }
            Kind::Sigmoid => {
                format!("tanh({}+({}))", times(&value("gamma"), &dot), number::print(leaf.number("coef0")?))
            }
            Kind::Min => {
                self.domain = ScalarDomain::Positive;
                format!("({})", times(&count, "min(x,y)"))
            }
            Kind::Delta | Kind::Hamming => "1".into(),
            _ => return None,
        })
    }

    /// The length scale of each column that the leaf reads.
    fn scales(&self, leaf: &Leaf) -> Vec<String> {
        let columns = match leaf.columns() {
            Columns::Named(names) => names.len(),
            Columns::All => self.columns.len().max(1),
        };
        match leaf.setting("length_scale") {
            Some(Setting::Many(list)) => list.iter().map(|p| number::print(p.number().unwrap_or(1.0))).collect(),
            Some(Setting::One(p)) => vec![number::print(p.number().unwrap_or(1.0)); columns],
            _ => vec!["1".into(); columns],
        }
    }
}

/// c·t, without a factor of 1.
fn times(c: &str, t: &str) -> String {
    if c == "1" { t.to_owned() } else { format!("{c}*{t}") }
}

/// The sum of a term for each length scale, as exact as the length scales are printed.
fn sum(scales: &[String], term: impl Fn(&String) -> String) -> String {
    match scales.iter().all(|l| l == "1") {
        true => scales.len().to_string(),
        false => format!("({})", scales.iter().map(term).collect::<Vec<_>>().join("+")),
    }
}

/// Σ cᵢ·tⁱ.
fn polynomial(coefficients: &Setting, t: &str) -> Option<String> {
    let Setting::Many(list) = coefficients else { return None };
    let term = |(i, p): (usize, &crate::kernel::Param)| Some(format!("{}*{t}^{i}", number::print(p.number()?)));
    Some(format!("({})", list.iter().enumerate().map(term).collect::<Option<Vec<_>>>()?.join("+")))
}

/// The one part inside a function.
fn only_argument(ast: &Ast) -> Option<&Ast> {
    match &ast.node {
        Node::Name { arguments: Some(list), .. } => match list.as_slice() {
            [Argument { kind: ArgumentKind::Expression(inner), .. }] => Some(inner),
            _ => None,
        },
        _ => None,
    }
}
