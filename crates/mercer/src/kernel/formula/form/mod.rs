//! Formulas with like terms collected: Σ c·Π aᵢ^eᵢ with exact numbers c and e.
//!
//! `2*rbf - rbf` is one term, `0.3*rbf - 0.1*rbf - 0.2*rbf` none. Two parts are alike when they are
//! the same kernel of the same columns with the same parameters; a rule that is not resolved yet is
//! the same number wherever it stands for the same kernel and columns. Whatever grows too large, or
//! has no value somewhere, is given up rather than guessed.

mod algebra;
mod build;
mod judge;
mod kernel;

use std::fmt::{self, Write};
use std::rc::Rc;

use crate::kernel::leaf::{Columns, Setting};
use crate::kernel::property::{Powers, Rational, Standing};
use crate::kernel::{KernelExpr, Kind, Leaf};

/// Products with more terms are given up.
const MAX_TERMS: usize = 128;
/// So are sums.
const MAX_SUM: usize = 4096;
/// So are parts whose text is longer, in bytes: it is what a walk through all of them costs.
const MAX_TEXT: usize = 1 << 13;

/// Σ c·Π aᵢ^eᵢ, in the order of writing. A term with c = 0 is kept where it has no value somewhere.
#[derive(Clone, Debug, Default)]
pub(in crate::kernel) struct Form {
    terms: Vec<Term>,
}

/// c·Π aᵢ^eᵢ, the factors sorted and different.
#[derive(Clone, Debug)]
struct Term {
    coefficient: Rational,
    factors: Vec<Factor>,
}

/// a^e with e ≠ 0.
#[derive(Clone, Debug, PartialEq)]
struct Factor {
    atom: Atom,
    exponent: Rational,
}

/// What is not taken apart; equal atoms have equal texts.
#[derive(Clone, Debug)]
struct Atom {
    text: Rc<str>,
    what: Rc<What>,
    range: Range,
}

#[derive(Debug)]
enum What {
    /// A kernel of the catalogue, of the user, or an expression in x and y.
    Kernel(KernelExpr),
    Exp(Form),
    Log(Form),
    Normalize(Form),
    WithGaps(Form),
    /// Several terms, or a number, whose power is not multiplied out.
    Group(Form),
    /// A function that nothing is known of, such as tanh.
    Function(&'static str, Form),
}

/// What is known of the values at all pairs of points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    /// There is a value everywhere.
    total: bool,
    /// None of them is negative.
    non_negative: bool,
    /// None of them is 0 or negative.
    positive: bool,
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Form {
    /// A number.
    fn number(value: Rational) -> Self {
        match value == Rational::ZERO {
            true => Form::default(),
            false => Form { terms: vec![Term { coefficient: value, factors: Vec::new() }] },
        }
    }

    /// A part that is not taken apart, unless it is too large.
    fn atom(what: What) -> Option<Self> {
        let atom = Atom::new(what)?;
        let factors = vec![Factor { atom, exponent: Rational::ONE }];
        Some(Form { terms: vec![Term { coefficient: Rational::ONE, factors }] })
    }

    /// The number that it is, if it is one.
    pub(in crate::kernel) fn as_number(&self) -> Option<Rational> {
        match self.terms.as_slice() {
            [] => Some(Rational::ZERO),
            [term] if term.factors.is_empty() => Some(term.coefficient),
            _ => None,
        }
    }

    /// Whether every coefficient is positive.
    pub(in crate::kernel) fn has_weights(&self) -> bool {
        self.terms.iter().all(|t| t.coefficient > Rational::ZERO)
    }

    fn range(&self) -> Range {
        let parts = || self.terms.iter().map(|t| (t.coefficient, t.range()));
        let total = parts().all(|(_, r)| r.total);
        let non_negative = total && parts().all(|(c, r)| c >= Rational::ZERO && r.non_negative);
        let positive = non_negative && parts().any(|(c, r)| c > Rational::ZERO && r.positive);
        Range { total, non_negative, positive }
    }
}

impl Term {
    /// Of the product, without the coefficient.
    fn range(&self) -> Range {
        let parts = || self.factors.iter().map(Factor::range);
        let total = parts().all(|r| r.total);
        let positive = parts().all(|r| r.positive);
        Range { total, non_negative: positive || parts().all(|r| r.non_negative), positive }
    }
}

impl Factor {
    fn range(&self) -> Range {
        let Range { total, non_negative, positive } = self.atom.range;
        let whole = self.exponent.is_whole();
        let even = whole && self.exponent.numerator() % 2 == 0;
        let total = match (self.exponent > Rational::ZERO, whole) {
            (true, true) => total,
            (true, false) => total && non_negative,
            (false, _) => total && positive,
        };
        Range { total, non_negative: total && (non_negative || even), positive: total && positive }
    }
}

impl Atom {
    fn new(what: What) -> Option<Self> {
        let text = what.text();
        let range = what.range();
        (text.len() <= MAX_TEXT).then(|| Atom { text: text.into(), what: Rc::new(what), range })
    }
}

impl What {
    /// What it prints as, the same for equal parts.
    fn text(&self) -> String {
        match self {
            What::Kernel(kernel) => canonical(kernel).to_string(),
            What::Exp(inner) => format!("exp({inner})"),
            What::Log(inner) => format!("log({inner})"),
            What::Normalize(inner) => format!("normalize({inner})"),
            What::WithGaps(inner) => format!("with_gaps({inner})"),
            What::Group(inner) => format!("({inner})"),
            What::Function(name, inner) => format!("{name}({inner})"),
        }
    }

    fn range(&self) -> Range {
        let unsigned = |total| Range { total, non_negative: false, positive: false };
        match self {
            What::Kernel(KernelExpr::Leaf(leaf)) => leaf_range(leaf),
            What::Kernel(_) => unsigned(true),
            What::Exp(inner) => {
                let total = inner.range().total;
                Range { total, non_negative: total, positive: total }
            }
            What::Log(inner) => unsigned(inner.range().positive),
            What::Normalize(inner) => normalized_range(inner),
            What::WithGaps(inner) => Range { positive: false, ..inner.range() },
            What::Group(inner) => inner.range(),
            What::Function("abs", inner) => {
                let range = inner.range();
                Range { non_negative: range.total, ..range }
            }
            What::Function(_, inner) => unsigned(inner.range().total),
        }
    }
}

/// k/√(k(x, x)·k(y, y)), 0 where a k(x, x) is 0, needs k(x, x) ≥ 0.
fn normalized_range(inner: &Form) -> Range {
    let range = inner.range();
    let total = range.total && (range.non_negative || inner.judge().standing == Standing::PositiveDefinite);
    Range { total, ..range }
}

fn leaf_range(leaf: &Leaf) -> Range {
    let positive = matches!(leaf.spec().property.powers, Powers::All(_));
    let counts = matches!(leaf.kind(), Kind::Min | Kind::Spline | Kind::Delta | Kind::Hamming | Kind::Ngram);
    let even = leaf.kind() == Kind::Poly && leaf.integer("degree").is_multiple_of(2);
    Range { total: true, non_negative: positive || counts || even, positive }
}

/// The same kernel with everything left out that does not change its values: what tuning may move,
/// and the order of columns that have no parameters of their own.
pub(super) fn canonical(kernel: &KernelExpr) -> KernelExpr {
    let mut plain = kernel.clone();
    plain.each_param(&mut |_, param| {
        param.free = true;
        param.bounds = None;
    });
    match plain {
        KernelExpr::Leaf(leaf) => {
            let lists = leaf.settings().iter().any(|s| matches!(s, Setting::Many(_)));
            let columns = match leaf.columns() {
                Columns::Named(names) if !lists => {
                    let mut names = names.clone();
                    names.sort();
                    Columns::Named(names)
                }
                other => other.clone(),
            };
            KernelExpr::Leaf(leaf.on(columns))
        }
        other => other,
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_char('0');
        }
        for (i, term) in self.terms.iter().enumerate() {
            match (i, term.coefficient < Rational::ZERO) {
                (0, false) => {}
                (0, true) => f.write_char('-')?,
                (_, minus) => f.write_str(if minus { " - " } else { " + " })?,
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    /// Without the sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.coefficient.magnitude();
        let factors: Vec<String> = self.factors.iter().map(ToString::to_string).collect();
        match (size == Rational::ONE, factors.is_empty()) {
            (_, true) => write!(f, "{size}"),
            (true, false) => f.write_str(&factors.join("*")),
            (false, false) => write!(f, "{size}*{}", factors.join("*")),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent == Rational::ONE {
            true => f.write_str(&self.atom.text),
            false if self.exponent.is_whole() && self.exponent > Rational::ZERO => {
                write!(f, "{}^{}", self.atom.text, self.exponent)
            }
            false => write!(f, "{}^({})", self.atom.text, self.exponent),
        }
    }
}
