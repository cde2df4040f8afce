//! The theorems that proofs are made of.

use serde::{Serialize, Serializer};

macro_rules! rules {
    ($($variant:ident, $name:literal, $statement:literal;)+) => {
        /// A theorem that a step of a [`Proof`](super::Proof) rests on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProofRule {
            $(#[doc = $statement] $variant,)+
        }

        impl ProofRule {
            /// Every rule.
            pub const ALL: &'static [ProofRule] = &[$(ProofRule::$variant,)+];

            /// Its name, such as "product".
            pub fn name(self) -> &'static str {
                match self { $(ProofRule::$variant => $name,)+ }
            }

            /// The theorem, in one line.
            pub fn statement(self) -> &'static str {
                match self { $(ProofRule::$variant => $statement,)+ }
            }
        }
    };
}

rules! {
    FeatureMap, "explicit feature map", "⟨φ(x), φ(y)⟩ is positive definite for every map φ into a space with an inner product";
    Sum, "sum", "a sum of positive definite kernels is positive definite";
    Scale, "non-negative scale", "c·k is positive definite when k is and c ≥ 0";
    Product, "product", "a product of positive definite kernels is positive definite (Schur)";
    PowerSeries, "power series", "Σ cₙ kⁿ with all cₙ ≥ 0 is positive definite wherever it converges, as a limit of sums of products";
    Limit, "limit", "a pointwise limit of positive definite kernels is positive definite";
    PullBack, "pull-back", "k(f(x), f(y)) is positive definite when k is positive definite on the values of f";
    Restriction, "restriction", "a positive definite kernel stays positive definite on a subset of its domain, or read from fewer columns";
    Normalisation, "normalisation", "k(x, y)/√(k(x, x)·k(y, y)) is positive definite when k is and k(x, x) > 0";
    Conjugation, "conjugation", "f(x)·k(x, y)·f(y) is positive definite when k is, for every function f";
    Identity, "identity", "both sides are equal at every pair of points";
    Indicators, "integral of indicators", "min(s, t) = ∫ 1[u ≤ s]·1[u ≤ t] du over u ≥ 0 is an inner product for s, t ≥ 0";
    Divisors, "sum over divisors", "gcd(x, y)^s = Σ J(d) over the d that divide x and y, with Jordan's J(d) = dˢ·Π(1 − p⁻ˢ) ≥ 0 for s ≥ 0";
    AdditionTheorem, "addition theorem", "cos(s − t) = cos s·cos t + sin s·sin t is an inner product";
    Bochner, "Bochner", "a continuous function of x − y is positive definite exactly when it is the Fourier transform of a finite non-negative measure";
    Quadratic, "coefficient matrix", "Σ cᵢⱼ fᵢ(x)·fⱼ(y) is positive definite when the matrix (cᵢⱼ) is positive semidefinite";
    AdditiveSeparable, "additively separable", "f(x) + f(y) and its negative are of negative type, since Σ aᵢ = 0 cancels both terms";
    NegatedKernel, "negative of a kernel", "−k is of negative type when k is positive definite";
    NegativeTypeSum, "sum of negative type", "a sum with weights ≥ 0 of functions of negative type is of negative type";
    SquaredDistance, "squared distance", "ψ(x, y) = ‖φ(x) − φ(y)‖² is of negative type";
    DistancePower, "power of a distance", "|s − t|^p is of negative type for 0 < p ≤ 2 (Schoenberg)";
    Maximum, "maximum", "max(s, t) = (s + t + |s − t|)/2 is of negative type, and so is −min(s, t)";
    LogDivisors, "logarithm of the divisor kernel", "−log gcd(x, y) is of negative type, since gcd^s is positive definite for every s > 0";
    Bernstein, "Bernstein function", "ψ^a for 0 < a ≤ 1 and log(1 + ψ) are of negative type when ψ ≥ 0 is";
    LogNegativeType, "logarithm", "log ψ is of negative type when ψ > 0 is, as the integral of (e^(−t) − e^(−tψ))/t over t > 0";
    NegativeTypePullBack, "pull-back of negative type", "ψ(f(x), f(y)) is of negative type when ψ is on the values of f";
    Schoenberg, "Schoenberg", "exp(−tψ) is positive definite for every t ≥ 0 exactly when ψ is of negative type";
    Laplace, "Laplace transform", "ψ^(−p) = ∫ t^(p−1) e^(−tψ) dt/Γ(p) is positive definite for p > 0 when ψ > 0 is of negative type";
    InfinitelyDivisible, "infinitely divisible", "k^β is positive definite for every β > 0 when k > 0 and log k is conditionally positive definite";
    BasePoint, "base point", "ψ(x, z) + ψ(z, y) − ψ(x, y) − ψ(z, z) is positive definite for every z exactly when ψ is of negative type";
    ThinPlate, "thin-plate spline", "r² log r is conditionally positive definite of order 2 (Duchon, Micchelli)";
    Known, "known kernel", "the kernel is positive definite on its domain by its definition in the catalogue";
}

impl Serialize for ProofRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::ProofRule;

    #[test]
    fn names_are_distinct_and_statements_are_one_line() {
        let mut names: Vec<_> = ProofRule::ALL.iter().map(|r| r.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ProofRule::ALL.len());
        assert!(ProofRule::ALL.iter().all(|r| !r.statement().contains('\n') && !r.statement().is_empty()));
    }
}
