//! Expressions in a normal form, in which equal ones look equal.
//!
//! A [`Normal`] is a sum of rational multiples of monomials; a [`Monomial`] is a product of
//! rational powers of [`Atom`]s. Products and whole powers of sums are multiplied out, logarithms
//! and exponentials of sums and products taken apart, `max` and `lcm` expressed by `min` and `gcd`.
//! A step that needs a sign (√(ab) = √a·√b) is taken only where the range of the parts on the
//! domain shows it.

mod algebra;
mod build;
mod functions;
mod range;
mod show;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::kernel::property::Rational;

/// Σ cᵢmᵢ with rational cᵢ ≠ 0.
#[derive(Clone, Debug)]
pub(super) struct Normal(Rc<Node>);

/// The terms, and what would take a walk through all of them to find out again.
#[derive(Debug)]
struct Node {
    terms: BTreeMap<Monomial, Rational>,
    variables: Variables,
    size: usize,
    hash: u64,
}

impl PartialEq for Normal {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.terms == other.0.terms)
    }
}

impl Eq for Normal {}

impl PartialOrd for Normal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Normal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.terms.cmp(&other.0.terms) }
    }
}

impl Hash for Normal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

/// Π aᵢ^qᵢ with rational qᵢ ≠ 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Monomial(BTreeMap<Atom, Rational>);

/// What monomials are made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Atom {
    X,
    Y,
    Pi,
    /// A sum under a power that was not multiplied out, or a number under a root.
    Group(Normal),
    /// A monomial has at most one of these for each set of variables.
    Exp(Normal),
    Log(Normal),
    Abs(Normal),
    Min(Normal, Normal),
    Gcd(Normal, Normal),
    Cos(Normal),
    Sin(Normal),
    Cosh(Normal),
    Sinh(Normal),
    Tanh(Normal),
}

/// Which of x and y a part depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variables {
    pub(super) x: bool,
    pub(super) y: bool,
}

impl Variables {
    fn or(self, other: Self) -> Self {
        Variables { x: self.x || other.x, y: self.y || other.y }
    }

    pub(super) fn both(self) -> bool {
        self.x && self.y
    }

    pub(super) fn none(self) -> bool {
        !(self.x || self.y)
    }
}

impl Atom {
    pub(super) fn variables(&self) -> Variables {
        match self {
            Atom::X => Variables { x: true, y: false },
            Atom::Y => Variables { x: false, y: true },
            Atom::Pi => Variables::default(),
            Atom::Min(a, b) | Atom::Gcd(a, b) => a.variables().or(b.variables()),
            Atom::Group(a) | Atom::Exp(a) | Atom::Log(a) | Atom::Abs(a) => a.variables(),
            Atom::Cos(a) | Atom::Sin(a) | Atom::Cosh(a) | Atom::Sinh(a) | Atom::Tanh(a) => a.variables(),
        }
    }

    /// How many atoms it is made of.
    fn size(&self) -> usize {
        match self {
            Atom::X | Atom::Y | Atom::Pi => 1,
            Atom::Min(a, b) | Atom::Gcd(a, b) => 1 + a.size() + b.size(),
            Atom::Group(a) | Atom::Exp(a) | Atom::Log(a) | Atom::Abs(a) => 1 + a.size(),
            Atom::Cos(a) | Atom::Sin(a) | Atom::Cosh(a) | Atom::Sinh(a) | Atom::Tanh(a) => 1 + a.size(),
        }
    }
}

impl Monomial {
    /// The empty product, 1.
    pub(super) fn one() -> Self {
        Self::default()
    }

    pub(super) fn of(atom: Atom, exponent: Rational) -> Self {
        Monomial(BTreeMap::from([(atom, exponent)]))
    }

    pub(super) fn from_factors(factors: Vec<(Atom, Rational)>) -> Self {
        Monomial(factors.into_iter().collect())
    }

    pub(super) fn factors(&self) -> impl Iterator<Item = (&Atom, Rational)> {
        self.0.iter().map(|(a, q)| (a, *q))
    }

    pub(super) fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// The only factor, if it is one.
    pub(super) fn single(&self) -> Option<(&Atom, Rational)> {
        let mut factors = self.factors();
        factors.next().filter(|_| self.0.len() == 1)
    }

    pub(super) fn variables(&self) -> Variables {
        self.0.keys().fold(Variables::default(), |v, a| v.or(a.variables()))
    }

    /// The factors that satisfy a test.
    pub(super) fn part(&self, test: impl Fn(Variables) -> bool) -> Monomial {
        Monomial(self.0.iter().filter(|(a, _)| test(a.variables())).map(|(a, q)| (a.clone(), *q)).collect())
    }
}

impl Normal {
    /// The sum of these terms, whose coefficients are not 0.
    fn sum(terms: BTreeMap<Monomial, Rational>) -> Self {
        let variables = terms.keys().fold(Variables::default(), |v, m| v.or(m.variables()));
        let sizes = terms.keys().flat_map(|m| m.0.keys()).map(Atom::size);
        let size = sizes.fold(terms.len(), usize::saturating_add);
        let mut state = DefaultHasher::new();
        terms.hash(&mut state);
        Normal(Rc::new(Node { hash: state.finish(), terms, variables, size }))
    }

    pub(super) fn zero() -> Self {
        Self::sum(BTreeMap::new())
    }

    /// How many terms and atoms there are, at every depth.
    pub(super) fn size(&self) -> usize {
        self.0.size
    }

    pub(super) fn number(value: Rational) -> Self {
        Self::term(Monomial::one(), value)
    }

    pub(super) fn one() -> Self {
        Self::number(Rational::ONE)
    }

    pub(super) fn x() -> Self {
        Self::atom(Atom::X)
    }

    pub(super) fn y() -> Self {
        Self::atom(Atom::Y)
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Self::term(Monomial::of(atom, Rational::ONE), Rational::ONE)
    }

    pub(super) fn term(monomial: Monomial, coefficient: Rational) -> Self {
        if coefficient == Rational::ZERO {
            return Self::zero();
        }
        Self::sum(BTreeMap::from([(monomial, coefficient)]))
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial, Rational)> {
        self.0.terms.iter().map(|(m, c)| (m, *c))
    }

    pub(super) fn len(&self) -> usize {
        self.0.terms.len()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// The only term, if there is one.
    pub(super) fn single(&self) -> Option<(&Monomial, Rational)> {
        let mut terms = self.terms();
        terms.next().filter(|_| self.len() == 1)
    }

    /// The number, if it is a rational one.
    pub(super) fn as_number(&self) -> Option<Rational> {
        if self.is_zero() {
            return Some(Rational::ZERO);
        }
        self.single().filter(|(m, _)| m.is_one()).map(|(_, c)| c)
    }

    /// The rational constant term.
    pub(super) fn constant(&self) -> Rational {
        self.0.terms.get(&Monomial::one()).copied().unwrap_or(Rational::ZERO)
    }

    pub(super) fn variables(&self) -> Variables {
        self.0.variables
    }

    /// The terms that satisfy a test.
    pub(super) fn part(&self, test: impl Fn(&Monomial, Rational) -> bool) -> Normal {
        Self::sum(self.terms().filter(|(m, c)| test(m, *c)).map(|(m, c)| (m.clone(), c)).collect())
    }

    pub(super) fn negated(&self) -> Normal {
        Self::sum(self.terms().map(|(m, c)| (m.clone(), c.negated())).collect())
    }
}
