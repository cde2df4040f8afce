//! Powers of single atoms that are positive definite.

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Atom, Monomial, Normal};

use super::{Context, positive_step};

/// What s and t stand for in a rule, empty when they are x and y themselves.
pub(super) fn arguments(f: &Normal) -> String {
    if *f == Normal::x() { String::new() } else { format!("s = f(x) and t = f(y) with f(x) = `{f}`") }
}

/// Remarks on a step, without the empty ones.
pub(super) fn remarks<const N: usize>(parts: [String; N]) -> String {
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The expression of an atom, without the wrapping of a sum.
pub(super) fn opened(atom: &Atom) -> Normal {
    match atom {
        Atom::Group(u) => u.clone(),
        other => Normal::atom(other.clone()),
    }
}

impl Context<'_> {
    /// A proof that a^q is positive definite, for an atom of both variables.
    pub(super) fn atom_power_positive(&mut self, atom: &Atom, q: Rational) -> Option<Proof> {
        let base = opened(atom);
        let whole = Normal::term(Monomial::of(atom.clone(), q), Rational::ONE);
        if q == Rational::ONE {
            return self.atom_positive(atom, &base);
        }
        if q < Rational::ZERO {
            return self.inverse_power(atom, q.negated(), &whole);
        }
        if q.is_whole() {
            let proof = self.positive(&base)?;
            let reason = format!("`{base}` {} times", q.numerator());
            return Some(positive_step(&whole, ProofRule::Product).because(reason).using(vec![proof]));
        }
        self.fractional_power(&base, q, &whole)
    }

    fn atom_positive(&mut self, atom: &Atom, base: &Normal) -> Option<Proof> {
        match atom {
            Atom::Min(f, g) => self.minimum(base, f, g),
            Atom::Gcd(f, g) => self.divisors(base, f, g),
            Atom::Exp(u) => self.exponential(base, u),
            Atom::Cosh(u) | Atom::Sinh(u) => self.hyperbolic(atom, base, u),
            Atom::Log(u) => self.log_ratio(base, u),
            Atom::Cos(u) => {
                let f = self.difference(u)?;
                Some(positive_step(base, ProofRule::AdditionTheorem).because(arguments(&f)))
            }
            _ => None,
        }
    }

    /// min(f(x), f(y)) with f ≥ 0. The order of the arguments is that of their normal forms.
    fn minimum(&mut self, base: &Normal, f: &Normal, g: &Normal) -> Option<Proof> {
        if self.swapped(f)? != *g || f.variables().both() || !self.range(f).is_non_negative() {
            return None;
        }
        let f = if f.variables().x { f } else { g };
        Some(positive_step(base, ProofRule::Indicators).because(arguments(f)))
    }

    fn divisors(&mut self, base: &Normal, f: &Normal, g: &Normal) -> Option<Proof> {
        if self.swapped(f)? != *g || f.variables().both() {
            return None;
        }
        let (f, g) = if f.variables().x { (f, g) } else { (g, f) };
        let points = if *f == Normal::x() { String::new() } else { format!("of the whole numbers `{f}` and `{g}`") };
        let reason = remarks(["s = 1, where J is Euler's totient".to_owned(), points]);
        Some(positive_step(base, ProofRule::Divisors).because(reason))
    }

    fn exponential(&mut self, base: &Normal, u: &Normal) -> Option<Proof> {
        if let Some(proof) = self.positive(u) {
            let reason = format!("exp(k) = Σ kⁿ/n! with k = `{u}`");
            return Some(positive_step(base, ProofRule::PowerSeries).because(reason).using(vec![proof]));
        }
        let psi = u.negated();
        let proof = self.negative(&psi)?;
        Some(positive_step(base, ProofRule::Schoenberg).because(format!("ψ = `{psi}` and t = 1")).using(vec![proof]))
    }

    /// log(1 + c/ψ).
    fn log_ratio(&mut self, base: &Normal, u: &Normal) -> Option<Proof> {
        let rest = u.minus(&Normal::one())?;
        let (m, c) = rest.single()?;
        let (atom, q) = m.single()?;
        if c < Rational::ZERO || q != Rational::whole(-1) {
            return None;
        }
        let psi = opened(atom);
        let proof = self.negative(&psi)?;
        if !self.is_positive(&psi) {
            return None;
        }
        let reason = format!("ψ = `{psi}` > 0 and c = {c}");
        Some(positive_step(base, ProofRule::LogRatio).because(reason).using(vec![proof]))
    }

    fn hyperbolic(&mut self, atom: &Atom, base: &Normal, u: &Normal) -> Option<Proof> {
        let even = matches!(atom, Atom::Cosh(_));
        if let Some(proof) = self.positive(u) {
            let series = if even { "cosh(k) = Σ k²ⁿ/(2n)!" } else { "sinh(k) = Σ k²ⁿ⁺¹/(2n + 1)!" };
            let reason = format!("{series} with k = `{u}`");
            return Some(positive_step(base, ProofRule::PowerSeries).because(reason).using(vec![proof]));
        }
        let f = self.additive(u).filter(|_| even)?;
        let reason = format!(
            "φ(x) = (cosh f(x), sinh f(x)) with f(x) = `{f}`, since cosh(s + t) = cosh s·cosh t + sinh s·sinh t"
        );
        Some(positive_step(base, ProofRule::FeatureMap).because(reason))
    }

    /// a^(−p) for p > 0.
    fn inverse_power(&mut self, atom: &Atom, p: Rational, whole: &Normal) -> Option<Proof> {
        if let Atom::Cosh(u) = atom {
            let f = self.difference(u)?;
            let reason = format!(
                "1/cosh(s − t)^p with p = {p} is the Fourier transform of a density proportional to |Γ((p + iω)/2)|²"
            );
            return Some(positive_step(whole, ProofRule::Bochner).because(remarks([reason, arguments(&f)])));
        }
        let psi = &opened(atom);
        if let Some(proof) = self.binomial_series(psi, p, whole) {
            return Some(proof);
        }
        if let Some(proof) = self.quotient(psi, p, whole) {
            return Some(proof);
        }
        let proof = self.negative(psi)?;
        let by_range = self.range_by_terms(psi).is_positive();
        if !self.is_positive(psi) {
            return None;
        }
        let sign = if by_range { "> 0" } else { "> 0, since ψ(x, y) ≥ (ψ(x, x) + ψ(y, y))/2," };
        let reason = format!("ψ = `{psi}` {sign} and p = {p}");
        Some(positive_step(whole, ProofRule::Laplace).because(reason).using(vec![proof]))
    }

    /// (1 − k)^(−p) = Σ p(p + 1)…(p + n − 1)/n!·kⁿ for |k| < 1.
    fn binomial_series(&mut self, group: &Normal, p: Rational, whole: &Normal) -> Option<Proof> {
        let k = Normal::one().minus(group)?;
        if k.constant() != Rational::ZERO {
            return None;
        }
        let proof = self.positive(&k)?;
        if !self.is_contraction(&k) {
            return None;
        }
        let series = match p == Rational::ONE {
            true => "1/(1 − k) = Σ kⁿ".to_owned(),
            false => format!("(1 − k)^(−p) = Σ p(p + 1)…(p + n − 1)/n!·kⁿ with p = {p}"),
        };
        let reason = format!("{series} and k = `{k}`, |k| < 1");
        Some(positive_step(whole, ProofRule::PowerSeries).because(reason).using(vec![proof]))
    }

    /// k^β with a fractional β > 0: only when log k is conditionally positive definite.
    fn fractional_power(&mut self, base: &Normal, beta: Rational, whole: &Normal) -> Option<Proof> {
        if self.is_positive(base) {
            let log = self.log(base)?;
            let proof = self.negative(&log.negated())?;
            let reason = format!("k = `{base}` and β = {beta}");
            return Some(positive_step(whole, ProofRule::InfinitelyDivisible).because(reason).using(vec![proof]));
        }
        let (Atom::Min(f, g), _) = base.single()?.0.single()? else { return None };
        self.minimum(base, f, g)?;
        let reason = format!("min(s, t)^p = min(s^p, t^p) with p = {beta}");
        Some(positive_step(whole, ProofRule::Indicators).because(reason))
    }
}
