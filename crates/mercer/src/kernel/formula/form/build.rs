//! From the syntax tree to its collected form.

use crate::kernel::KernelExpr;
use crate::kernel::formula::ast::{Ast, Factor, Node, Sign};
use crate::kernel::formula::lower::Lowering;
use crate::kernel::property::Rational;

use super::{Form, What};

impl Form {
    /// The collected form; `None` where it grows too large or some part cannot be read.
    pub(in crate::kernel::formula) fn build(lowering: &Lowering<'_>, ast: &Ast) -> Option<Form> {
        match &ast.node {
            Node::Sum(terms) => Form::sum(lowering, terms),
            Node::Product(factors) => {
                factors.iter().try_fold(Form::number(Rational::ONE), |product, (operator, factor)| {
                    let part = Form::build(lowering, factor)?;
                    product.times(&if *operator == Factor::Over { part.power(Rational::whole(-1))? } else { part })
                })
            }
            Node::Power(base, exponent) if *exponent <= KernelExpr::MAX_EXPONENT => {
                Form::build(lowering, base)?.power(Rational::from_decimal(*exponent)?)
            }
            Node::Power(..) => None,
            Node::Negative(inner) => Form::build(lowering, inner)?.scaled(Rational::whole(-1)),
            Node::Weight(weight) => Rational::from_decimal(weight.value).map(Form::number),
            Node::Name { name, .. } => match ast.inner_of_function() {
                Some(inner) => Form::build(lowering, inner)?.function(name),
                None => Form::atom(What::Kernel(lowering.named(ast).ok()?)),
            },
        }
    }

    /// The collected form of a sum.
    pub(in crate::kernel::formula) fn sum(lowering: &Lowering<'_>, terms: &[(Sign, Ast)]) -> Option<Form> {
        terms.iter().try_fold(Form::default(), |sum, (sign, term)| {
            let part = Form::build(lowering, term)?;
            sum.plus(&if *sign == Sign::Minus { part.scaled(Rational::whole(-1))? } else { part })
        })
    }

    fn function(&self, name: &str) -> Option<Form> {
        match name {
            "exp" => self.exp(),
            "normalize" => self.normalize(),
            "with_gaps" => self.with_gaps(),
            "log" | "ln" => self.log(),
            "sqrt" => self.power(Rational::new(1, 2)?),
            "abs" => self.abs(),
            "sin" => Form::atom(What::Function("sin", self.clone())),
            "tanh" => Form::atom(What::Function("tanh", self.clone())),
            _ => None,
        }
    }
}
