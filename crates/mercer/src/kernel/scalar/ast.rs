//! Expressions in x and y, as they were written.

use super::decimal::Decimal;

/// An expression. Sums and products are flat, so that long ones do not nest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// A number ≥ 0, the decimal that is written.
    Number(Decimal),
    /// π.
    Pi,
    /// Euler's number.
    Euler,
    /// The first point.
    X,
    /// The second point.
    Y,
    /// −a.
    Negate(Box<Expr>),
    /// Terms and whether each is subtracted; the first never is.
    Sum(Vec<(Expr, bool)>),
    /// Factors and whether each divides; the first never does.
    Product(Vec<(Expr, bool)>),
    /// aᵇ.
    Power(Box<Expr>, Box<Expr>),
    /// A function of one or two arguments.
    Call(Function, Vec<Expr>),
}

macro_rules! functions {
    ($($variant:ident, $name:literal, $arity:literal;)+) => {
        /// The functions that expressions may call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Function { $($variant,)+ }

        impl Function {
            pub(crate) const ALL: &'static [Function] = &[$(Function::$variant,)+];

            pub(crate) fn name(self) -> &'static str {
                match self { $(Function::$variant => $name,)+ }
            }

            /// How many arguments it takes.
            pub(crate) fn arity(self) -> usize {
                match self { $(Function::$variant => $arity,)+ }
            }
        }
    };
}

functions! {
    Exp, "exp", 1;
    Log, "log", 1;
    Sqrt, "sqrt", 1;
    Abs, "abs", 1;
    Cos, "cos", 1;
    Sin, "sin", 1;
    Cosh, "cosh", 1;
    Sinh, "sinh", 1;
    Tanh, "tanh", 1;
    Min, "min", 2;
    Max, "max", 2;
    Gcd, "gcd", 2;
    Lcm, "lcm", 2;
}

impl Function {
    /// The function of this name; `ln` is `log`.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        if name == "ln" {
            return Some(Function::Log);
        }
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }
}
