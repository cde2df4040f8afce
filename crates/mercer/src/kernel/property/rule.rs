//! The theorems that proofs are made of.

use serde::{Serialize, Serializer};

use super::Standing;

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
    PullBack, "pull-back", "k(f(x), f(y)) is positive definite when k is positive definite on the values of f";
    Restriction, "restriction", "a positive definite kernel stays positive definite on a subset of its domain, or read from fewer columns";
    Normalisation, "normalisation", "k(x, y)/√(k(x, x)·k(y, y)) is positive definite when k is and k(x, x) > 0";
    DirectSum, "direct sum", "a kernel on one set, another on a second set that shares no point with it, and 0 between the two are positive definite together when both are";
    Conjugation, "conjugation", "f(x)·k(x, y)·f(y) is positive definite when k is, for every function f";
    Identity, "identity", "both sides are equal at every pair of points";
    Indicators, "integral of indicators", "min(s, t) = ∫ 1[u ≤ s]·1[u ≤ t] du over u ≥ 0 is an inner product for s, t ≥ 0";
    Divisors, "sum over divisors", "gcd(x, y)^s = Σ J(d) over the d that divide x and y, with Jordan's J(d) = dˢ·Π(1 − p⁻ˢ) ≥ 0 for s ≥ 0";
    AdditionTheorem, "addition theorem", "cos(s − t) = cos s·cos t + sin s·sin t is an inner product";
    Bochner, "Bochner", "a continuous function of x − y is positive definite exactly when it is the Fourier transform of a finite non-negative measure";
    Polya, "Pólya", "a continuous φ(|x − y|) on the line is positive definite when φ is convex on t > 0 and tends to a limit ≥ 0";
    Askey, "Askey and Wendland", "φ(|x − y|) is positive definite when some f is on ℝᵈ, where each step f(t) = −φ′(t)/t adds 2 to d; f is when its derivative of order ⌊d/2⌋, with alternating signs, is convex and decreases to 0";
    Quadratic, "coefficient matrix", "Σ cᵢⱼ fᵢ(x)·fⱼ(y) is positive definite when the matrix (cᵢⱼ) is positive semidefinite";
    Ordered, "minimum and maximum", "u(min(x, y))·v(max(x, y)) = min(u(x), u(y))·min(v(x), v(y)) is positive definite when u ≥ 0 increases and v ≥ 0 decreases";
    DoubleIntegral, "double integral", "k(x, y) = c + ∫₀ˣ∫₀ʸ of a positive definite kernel, which may have a weight ≥ 0 on the diagonal, is positive definite for c ≥ 0";
    Signs, "integral of signs", "L/2 − |s − t| = ∫ sign(u − s)·sign(u − t) du/2 over an interval of length L is an inner product for s and t inside it";
    Bernoulli, "Bernoulli polynomials", "(−1)ᵏ⁺¹·B₂ₖ(|x − y|) = 2·(2k)!·Σ cos(2πn(x − y))/(2πn)²ᵏ is positive definite on [0, 1]";
    LogRatio, "logarithm of a quotient", "log(1 + c/ψ) = ∫ (1 − e^(−cs))·e^(−sψ) ds/s is positive definite for c ≥ 0 when ψ > 0 is of negative type";
    Quotient, "quotient", "(A − B)^(−p) = Σ p(p + 1)…(p + n − 1)/n!·Bⁿ/A^(n+p) is positive definite when A^(−s) is for all s > 0, B is, and 0 ≤ B < A";
    OddPart, "odd part", "ψ(x, −y) − ψ(x, y) is positive definite when ψ(x, y) = ψ(−x, −y) is of negative type, by the points ±x with opposite numbers";
    EvenPart, "even part", "(k(x, y) + k(x, −y))/2 is positive definite when k(x, y) = k(−x, −y) is, here with k from ψ by a base point";
    AdditiveSeparable, "additively separable", "f(x) + f(y) and its negative are of negative type, since Σ aᵢ = 0 cancels both terms";
    NegatedKernel, "negative of a kernel", "−k is of negative type when k is positive definite";
    NegativeTypeSum, "sum of negative type", "a sum with weights ≥ 0 of functions of negative type is of negative type";
    ConditionalSum, "sum of conditional kernels", "a sum with weights ≥ 0 of kernels that are conditionally positive definite of order m or less, or positive definite, is conditionally positive definite of order m";
    SquaredDistance, "squared distance", "ψ(x, y) = ‖φ(x) − φ(y)‖² is of negative type";
    DistancePower, "power of a distance", "|s − t|^p is of negative type for 0 < p ≤ 2 (Schoenberg)";
    Maximum, "maximum", "max(s, t) = (s + t + |s − t|)/2 is of negative type, and so is −min(s, t)";
    PowerOfSum, "power of a sum", "−(s + t)^p for 1 ≤ p ≤ 2 and −(s + t)·log(s + t) are of negative type for s, t ≥ 0, since (s + t)^p − s^p − t^p = c·∫ (1 − e^(−us))·(1 − e^(−ut))·u^(−p−1) du with c ≥ 0";
    LogDivisors, "logarithm of the divisor kernel", "−log gcd(x, y) is of negative type, since gcd^s is positive definite for every s > 0";
    Bernstein, "Bernstein function", "ψ^a for 0 < a ≤ 1 and log(1 + ψ) are of negative type when ψ ≥ 0 is";
    LogNegativeType, "logarithm", "log ψ is of negative type when ψ > 0 is, as the integral of (e^(−t) − e^(−tψ))/t over t > 0";
    NegativeTypePullBack, "pull-back of negative type", "ψ(f(x), f(y)) is of negative type when ψ is on the values of f";
    Schoenberg, "Schoenberg", "exp(−tψ) is positive definite for every t ≥ 0 exactly when ψ is of negative type";
    Laplace, "Laplace transform", "ψ^(−p) = ∫ t^(p−1) e^(−tψ) dt/Γ(p) is positive definite for p > 0 when ψ > 0 is of negative type";
    InfinitelyDivisible, "infinitely divisible", "k^β is positive definite for every β > 0 when k > 0 and log k is conditionally positive definite";
    NegatedNegativeType, "negative of negative type", "−ψ is conditionally positive definite exactly when ψ is of negative type";
    BasePoint, "base point", "ψ(x, z) + ψ(z, y) − ψ(x, y) − ψ(z, z) is positive definite for every z exactly when ψ is of negative type";
    ThinPlate, "thin-plate spline", "r² log r is conditionally positive definite of order 2 (Duchon, Micchelli)";
}

impl ProofRule {
    /// This rule for sums or scales, or the one for kernels that are only conditionally positive definite.
    pub(crate) fn of(self, standing: Standing) -> Self {
        match standing {
            Standing::ConditionallyPositiveDefinite { .. } => ProofRule::ConditionalSum,
            _ => self,
        }
    }
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
