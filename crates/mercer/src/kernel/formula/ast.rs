//! What was written, before it is known to be a kernel.

use std::ops::Range;

use crate::kernel::param::Rule;

/// A part of the formula with the bytes it was read from.
#[derive(Debug)]
pub(super) struct Ast {
    pub(super) node: Node,
    pub(super) span: Range<usize>,
}

/// Functions of one kernel that formulas may name.
pub(super) const FUNCTIONS: [&str; 9] = ["exp", "normalize", "with_gaps", "log", "ln", "sqrt", "abs", "sin", "tanh"];

impl Ast {
    /// What stands inside, where this is a function of one part.
    pub(super) fn inner_of_function(&self) -> Option<&Ast> {
        match &self.node {
            Node::Name { name, quoted: false, arguments: Some(list) } if FUNCTIONS.contains(&name.as_str()) => {
                match list.as_slice() {
                    [Argument { kind: ArgumentKind::Expression(inner), .. }] => Some(inner),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum Node {
    /// Terms and the sign in front of each.
    Sum(Vec<(Sign, Ast)>),
    /// Factors and the operator in front of each.
    Product(Vec<(Factor, Ast)>),
    Power(Box<Ast>, f64),
    /// A minus sign in front of something.
    Negative(Box<Ast>),
    Weight(Weight),
    /// A name, perhaps quoted, perhaps with arguments.
    Name {
        name: String,
        quoted: bool,
        arguments: Option<Vec<Argument>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Factor {
    Times,
    Over,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) value: f64,
    pub(super) fixed: bool,
    pub(super) bounds: Option<(f64, f64)>,
}

#[derive(Debug)]
pub(super) struct Argument {
    pub(super) kind: ArgumentKind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum ArgumentKind {
    /// `*`: every column.
    Star,
    /// `name=value`; the span of the name comes first.
    Named(String, Range<usize>, Value),
    /// A column or an inner kernel.
    Expression(Ast),
}

#[derive(Debug)]
pub(super) struct Value {
    pub(super) kind: ValueKind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum ValueKind {
    Weight(Weight),
    Rule { rule: Rule, fixed: bool, bounds: Option<(f64, f64)> },
    Word(String),
    List(Vec<Value>),
}
