//! Functions of the Hamming distance of words, and when they are positive definite.

use crate::error::{Error, Result};

/// The Hamming scheme of words: L letters, each one of b, and the number of places in which two words differ.
///
/// A function h of that distance d is a matrix H[u, v] = h(d(u, v)) over all bᴸ words. **All these matrices have the same
/// eigenspaces**, L + 1 of them, and so the eigenvalues of H are L + 1 numbers that cost nothing.
///
/// *Proof.* Let J be the b×b matrix of ones and I the identity. The words at distance m are those that differ in a set S of
/// m places, so H = Σₘ hₘ Aₘ with Aₘ = Σ_{|S| = m} ⊗ₚ (J − I if p ∈ S, else I). Let Q be an orthogonal b×b matrix whose
/// first row is constant. Then Q·J·Qᵀ = diag(b, 0, …, 0), and Q^⊗ᴸ makes every factor diagonal at once: J − I becomes
/// diag(b − 1, −1, …, −1). At a word with w digits that are not 0, the diagonal of Aₘ is the sum over the j of the m places
/// of S that meet those digits,
///
/// Krₘ(w) = Σⱼ (−1)ʲ (b − 1)^(m−j) C(w, j) C(L − w, m − j),
///
/// the Krawtchouk polynomial, and H has the eigenvalue λ_w = Σₘ hₘ Krₘ(w) there, C(L, w)·(b − 1)ʷ times. ∎
///
/// **A certificate.** Σ h(d(a, b)) over the windows a of x and b of y is positive definite on sequences if and only if no
/// λ_w is negative: it is cₓᵀ·H·c_y for the counts c of windows, and sequences of one window each have the matrix H itself.
///
/// **Reference** Delsarte (1973), *An algebraic approach to the association schemes of coding theory*, §4.
///
/// ```
/// # use mercer::kernel::sequence::HammingScheme;
/// // Words of three bits; h = 1 at distance 0 and ½ at distance 1.
/// let scheme = HammingScheme::new(2, 3)?;
/// assert_eq!(scheme.eigenvalues(&[1.0, 0.5]), [2.5, 1.5, 0.5, -0.5]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HammingScheme {
    letters: usize,
    length: usize,
}

/// C(n, k), exactly.
pub(super) fn choose(n: usize, k: usize) -> i128 {
    if k > n {
        return 0;
    }
    (0..k.min(n - k)).fold(1, |c, i| c * (n - i) as i128 / (i + 1) as i128)
}

impl HammingScheme {
    /// The scheme of words of `length` letters out of `letters`. There may be 2⁶⁴ words, no more, so that all numbers here
    /// are exact.
    pub fn new(letters: usize, length: usize) -> Result<Self> {
        let refuse = |name: &str, got: usize, must: &str| Err(Error::invalid("a Hamming scheme", name, got, must));
        if letters < 2 {
            return refuse("the number of letters", letters, "2 or more");
        }
        let words = (letters as u128).checked_pow(length.min(64) as u32);
        if length == 0 || length > 64 || words.is_none_or(|words| words > 1 << 64) {
            return refuse("the word length", length, "1 or more, for at most 2⁶⁴ words");
        }
        Ok(HammingScheme { letters, length })
    }

    /// b.
    pub fn letters(&self) -> usize {
        self.letters
    }

    /// L.
    pub fn length(&self) -> usize {
        self.length
    }

    /// bᴸ.
    pub fn words(&self) -> u128 {
        (self.letters as u128).pow(self.length as u32)
    }

    /// Krₘ(w), exactly.
    pub fn krawtchouk(&self, m: usize, w: usize) -> i128 {
        let others = (self.letters - 1) as i128;
        let term = |j: usize| {
            let ways = choose(w, j) * choose(self.length - w, m - j) * others.pow((m - j) as u32);
            if j.is_multiple_of(2) { ways } else { -ways }
        };
        // Terms with more places than there are vanish, and their powers may not fit.
        (m.saturating_sub(self.length - w)..=m.min(w)).map(term).sum()
    }

    /// λ₀, …, λ_L of the function with the values h₀, h₁, … at distances 0, 1, …, and 0 at distances beyond.
    pub fn eigenvalues(&self, h: &[f64]) -> Vec<f64> {
        (0..=self.length).map(|w| self.eigenvalue(h, w).0).collect()
    }

    /// λ_w, and a bound of its rounding where each hₘ is right to `RELATIVE`.
    fn eigenvalue(&self, h: &[f64], w: usize) -> (f64, f64) {
        /// A function value is a sum of fewer than 2¹⁶ terms ≥ 0, or exact.
        const RELATIVE: f64 = 65536.0 * f64::EPSILON;
        let terms = h.iter().take(self.length + 1).enumerate().map(|(m, h)| h * self.krawtchouk(m, w) as f64);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + f64::abs(term)));
        (sum, RELATIVE * size)
    }

    /// The smallest λ_w with its w, if its sign is certain in floating point.
    pub fn smallest(&self, h: &[f64]) -> Option<(usize, f64)> {
        let all: Vec<(f64, f64)> = (0..=self.length).map(|w| self.eigenvalue(h, w)).collect();
        let (at, (least, bound)) = all.iter().enumerate().min_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        let certain = match *least < 0.0 {
            true => -least > *bound,
            false => all.iter().all(|(value, bound)| value >= bound),
        };
        certain.then_some((at, *least))
    }

    /// The function of the distance with these eigenvalues: hₘ = b^−ᴸ·Σ_w λ_w Kr_w(m).
    ///
    /// Any λ ≥ 0 gives a kernel; λ_w is the weight of interactions of w places.
    pub fn function(&self, eigenvalues: &[f64]) -> Vec<f64> {
        let size = self.words() as f64;
        let weighed = |m: usize| {
            let terms = eigenvalues.iter().take(self.length + 1).enumerate();
            terms.map(|(w, lambda)| lambda * self.krawtchouk(w, m) as f64).sum::<f64>() / size
        };
        (0..=self.length).map(weighed).collect()
    }

    /// How many words are at distance i of one and at distance j of another word, which are at distance d of each other.
    ///
    /// Such a word differs from both in t of the L − d places where they agree, and in r of the d where they do not; in
    /// s = i − t − r more of these it is as the second word. The rest is as the first, so that j = t + r + (d − r − s).
    pub fn common(&self, d: usize, i: usize, j: usize) -> i128 {
        let b = self.letters as i128;
        let ways = |t: usize| {
            let r = (i + j).checked_sub(d + 2 * t)?;
            let s = i.checked_sub(t + r)?;
            let places = choose(self.length - d, t) * choose(d, r) * choose(d.checked_sub(r)?, s);
            Some(if places == 0 { 0 } else { places * (b - 1).pow(t as u32) * (b - 2).pow(r as u32) })
        };
        (0..=i.min(j)).filter_map(ways).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    /// All words of a small scheme.
    fn words(scheme: HammingScheme) -> Vec<Vec<usize>> {
        let digits = |mut u: usize| {
            (0..scheme.length)
                .map(|_| {
                    let digit = u % scheme.letters;
                    u /= scheme.letters;
                    digit
                })
                .collect()
        };
        (0..scheme.words() as usize).map(digits).collect()
    }

    fn distance(u: &[usize], v: &[usize]) -> usize {
        u.iter().zip(v).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn eigenvalues_are_those_of_the_matrix() {
        let mut chance = Chance::new(3);
        for (letters, length) in [(2, 4), (3, 3), (4, 3), (5, 2), (20, 1)] {
            let scheme = HammingScheme::new(letters, length).expect("small");
            let words = words(scheme);
            let h: Vec<f64> = (0..=length).map(|_| chance.normal()).collect();
            let matrix: Vec<f64> = words.iter().flat_map(|u| words.iter().map(|v| h[distance(u, v)])).collect();
            let got = crate::linalg::symmetric_eigenvalues(&matrix, words.len()).expect("finite");
            let mut expected: Vec<f64> = Vec::new();
            for (w, lambda) in scheme.eigenvalues(&h).into_iter().enumerate() {
                let times = choose(length, w) as usize * (letters - 1).pow(w as u32);
                expected.extend(std::iter::repeat_n(lambda, times));
            }
            expected.sort_by(f64::total_cmp);
            let size = expected.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            let gap = got.iter().zip(&expected).fold(0.0f64, |gap, (a, b)| gap.max((a - b).abs()));
            assert!(
                got.len() == expected.len() && gap <= tol::round(words.len()) * size,
                "{letters}, {length}: {gap:e}"
            );
        }
    }

    #[test]
    fn functions_and_eigenvalues_are_inverse() {
        let scheme = HammingScheme::new(4, 6).expect("small");
        let lambda = [1.0, 0.5, 0.0, 2.0, 0.25, 0.0, 1.0];
        for (got, expected) in scheme.eigenvalues(&scheme.function(&lambda)).iter().zip(lambda) {
            assert!((got - expected).abs() <= tol::round(64), "{got} for {expected}");
        }
    }

    #[test]
    fn common_words_are_counted() {
        for (letters, length) in [(2, 4), (3, 3), (4, 3)] {
            let scheme = HammingScheme::new(letters, length).expect("small");
            let words = words(scheme);
            for v in words.iter().step_by(5) {
                let d = distance(&words[0], v);
                for (i, j) in (0..=length).flat_map(|i| (0..=length).map(move |j| (i, j))) {
                    let count = words.iter().filter(|u| distance(u, &words[0]) == i && distance(u, v) == j).count();
                    assert_eq!(scheme.common(d, i, j), count as i128, "{letters}, {length}: {d}, {i}, {j}");
                }
            }
        }
    }

    #[test]
    fn schemes_of_too_many_words_are_refused() {
        assert!(HammingScheme::new(4, 32).is_ok() && HammingScheme::new(256, 8).is_ok());
        for (letters, length) in [(4, 33), (256, 9), (1, 3), (0, 3), (4, 0), (2, usize::MAX)] {
            assert!(HammingScheme::new(letters, length).is_err(), "{letters}, {length}");
        }
    }
}
