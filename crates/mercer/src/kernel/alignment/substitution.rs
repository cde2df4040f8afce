//! The substitution kernel.

use super::scores::Score;
use super::wide::{Factor, Term, WithSlope};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad, Leaf, PreparePoint, Setting};

/// The substitution kernel: blocks of k letters that two sequences share, where letters may be replaced by similar ones.
///
/// **Definition** k(x, y) = Σᵢ Σⱼ Π_{t < k} κ(x at i + t, y at j + t), κ(a, b) = exp(−β·(½S(a, a) + ½S(b, b) − S(a, b))), over all
/// blocks of k letters of x and of y. As β grows it becomes `ngram(n=k)`.
///
/// **Parameters** k `k` from 1 to 100, default 3; `score` `blosum62` (default) for proteins or `dna`; β `beta` > 0, default 0.5, log.
/// Capitals do not matter, and U is read as T. A block with **any other letter** is like nothing, itself neither. Several text
/// columns add up. Use `normalize(substitution(…))` for texts of different lengths.
///
/// **Properties** positive definite: κ is for all β since S is conditionally positive definite (a test says so), which exp(β·S) alone
/// shows, but S itself is not positive definite for BLOSUM62. A text shorter than k has the value 0. Differentiable in β.
///
/// **Cost** k·|x|·|y| per pair, in memory for k·|y|. A pair cannot be interrupted, so texts with k·|x|² above 2³¹ are refused.
///
/// **Reference** Haussler (1999), "Convolution kernels on discrete structures", §4; the scores are those of Henikoff & Henikoff (1992).
///
/// ```
/// # use mercer::kernel::{Kernel, Score, Substitution};
/// let k = Substitution::new(2, Score::Blosum62, 0.5);
/// // I and V are alike: S = 3, and 4 with themselves.
/// assert_eq!(k.eval("KI", "KV"), (-0.5f64).exp());
/// assert_eq!(k.eval("KI", "KX"), 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Substitution {
    k: usize,
    score: Score,
    /// κ, a row for each letter; the last row and column are those of other letters.
    pairs: Vec<Factor>,
}

/// A sequence made ready: the numbers of its letters, and k of it with itself.
#[derive(Clone, Debug)]
pub struct Residues {
    letters: Vec<u8>,
    own: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "substitution",
    aliases: &[],
    summary: "shared blocks of letters that may be replaced by similar ones",
    definition: "Σᵢ Σⱼ Π_{t < k} exp(−beta·(½S(a, a) + ½S(b, b) − S(a, b))), a = x at i + t, b = y at j + t",
    domain: Domain::TEXT,
    property: Property::positive(
        ProofRule::FeatureMap,
        "φ(x) sums ψ(x at i)⊗…⊗ψ(x at i + k − 1), exp(−beta·(…)) = ⟨ψ(a), ψ(b)⟩ with S conditionally positive definite",
    ),
    settings: &[
        SettingSpec {
            name: "k",
            summary: "length of the blocks",
            kind: SettingKind::Integer { default: 3, min: 1, max: 100 },
            aliases: &[],
        },
        SettingSpec {
            name: "score",
            summary: "how alike letters are",
            kind: SettingKind::Choice { options: &["blosum62", "dna"] },
            aliases: &[],
        },
        SettingSpec {
            name: "beta",
            summary: "how fast it decays as letters differ",
            kind: SettingKind::Positive { default: Default::Number(0.5), per_column: false },
            aliases: &[],
        },
    ],
};

/// k·|x|² that a pair may have: some seconds.
const MOST_STEPS: u64 = 1 << 31;

impl Substitution {
    /// The kernel of blocks of k letters with these scores, at `beta`.
    pub fn new(k: usize, score: Score, beta: f64) -> Self {
        let count = score.letters().len();
        let factor = |a: usize, b: usize| {
            let apart = 0.5 * score.of(a, a) + 0.5 * score.of(b, b) - score.of(a, b);
            let value = (-beta * apart).exp();
            Factor { value, slope: -apart * value }
        };
        let nothing = Factor { value: 0.0, slope: 0.0 };
        let at = |a: usize, b: usize| if a.max(b) < count { factor(a, b) } else { nothing };
        let pairs = (0..=count).flat_map(|a| (0..=count).map(move |b| at(a, b))).collect();
        Substitution { k, score, pairs }
    }

    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        let score = match leaf.setting("score") {
            Some(Setting::Choice("dna")) => Score::Dna,
            _ => Score::Blosum62,
        };
        Substitution::new(leaf.integer("k") as usize, score, leaf.number("beta").unwrap_or(f64::NAN))
    }

    /// k(x, y): Pₙ(i, j) = κ(x at i, y at j)·Pₙ₋₁(i − 1, j − 1) are the blocks of n letters that end here. The longer text comes first,
    /// so that a pair is computed the same way whichever of the two comes first.
    #[inline(always)]
    fn sum<T: Term>(&self, x: &[u8], y: &[u8]) -> T {
        let (x, y) = if (x.len(), x) > (y.len(), y) { (x, y) } else { (y, x) };
        let count = self.score.letters().len() + 1;
        // Blocks of 0 to k letters that end before each letter of y: none of a letter or more at the edge.
        let width = y.len() + 1;
        let mut ends = vec![T::ZERO; (self.k + 1) * width];
        ends[..width].fill(T::ONE);
        let mut total = T::ZERO;
        for a in x {
            let pairs = &self.pairs[usize::from(*a) * count..][..count];
            // From long to short, so that what is read is still that of the letter before.
            for n in (1..=self.k).rev() {
                let (shorter, longer) = ends[(n - 1) * width..].split_at_mut(width);
                for (j, b) in y.iter().enumerate() {
                    longer[j + 1] = shorter[j].times(pairs[usize::from(*b)]);
                }
            }
            for block in &ends[self.k * width + 1..] {
                total = total.plus(*block);
            }
        }
        total
    }
}

impl Kernel<Residues> for Substitution {
    #[inline(always)]
    fn eval(&self, x: &Residues, y: &Residues) -> f64 {
        self.sum(&x.letters, &y.letters)
    }

    fn diag(&self, x: &Residues) -> f64 {
        x.own
    }
}

impl KernelGrad<Residues> for Substitution {
    fn n_params(&self) -> usize {
        1
    }

    #[inline(always)]
    fn grad(&self, x: &Residues, y: &Residues, out: &mut [f64]) {
        out[0] = self.sum::<WithSlope<f64>>(&x.letters, &y.letters).slope;
    }
}

impl PreparePoint<str> for Substitution {
    type Prepared = Residues;

    #[inline(always)]
    fn prepare(&self, text: &str) -> Residues {
        let letters = self.score.numbers(text);
        Residues { own: self.sum(&letters, &letters), letters }
    }

    fn held(&self, x: &Residues) -> usize {
        x.letters.len()
    }

    fn refusal(&self, text: &str) -> Option<(String, String)> {
        let (count, most) = (text.chars().count(), (MOST_STEPS / self.k as u64).isqrt() as usize);
        let needs = || format!("texts of at most {most} letters for k = {}", self.k);
        (count > most).then(|| (needs(), format!("{count} letters")))
    }
}

impl Kernel<str> for Substitution {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.eval(&self.prepare(x), &self.prepare(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::testkit::sequences::{self, Said};
    use crate::testkit::{laws, tol};

    /// The definition, block by block.
    fn spelt_out(k: usize, score: Score, beta: f64, x: &str, y: &str) -> f64 {
        let alike = |a: char, b: char| match (score.number(a), score.number(b)) {
            (Some(a), Some(b)) => (beta * (score.of(a, b) - 0.5 * (score.of(a, a) + score.of(b, b)))).exp(),
            _ => 0.0,
        };
        let [x, y] = [x, y].map(|t| t.chars().collect::<Vec<char>>());
        let blocks = |x: &[char], y: &[char]| x.iter().zip(y).map(|(a, b)| alike(*a, *b)).product::<f64>();
        x.windows(k).map(|x| y.windows(k).map(|y| blocks(x, y)).sum::<f64>()).sum()
    }

    #[test]
    fn laws_hold() {
        let definition = |x: &str, y: &str| spelt_out(2, Score::Blosum62, 0.3, x, y);
        laws::text_kernel("substitution(k=2, beta=0.3)", definition, tol::round(400));
        let definition = |x: &str, y: &str| spelt_out(1, Score::Dna, 0.1, x, y);
        laws::text_kernel("substitution(k=1, beta=0.1, score=dna)", definition, tol::round(400));
    }

    fn drawn(chance: &mut Chance) -> Vec<Said> {
        let (k, beta) = (1 + chance.below(5), 0.01 + chance.unit());
        let score = [Score::Blosum62, Score::Dna][chance.below(2)];
        let mut text = || {
            let letters = 1 + chance.below(5);
            let letter = |at: usize| ['A', 'c', 'G', 'T', 'ß'][at];
            (0..chance.below(13)).map(|_| letter(chance.below(letters))).collect::<String>()
        };
        let (x, y) = (text(), text());
        let kernel = Substitution::new(k, score, beta);
        vec![Said {
            of: format!("k = {k}, {score:?}, beta {beta}, {x:?}, {y:?}"),
            value: kernel.eval(x.as_str(), y.as_str()),
            turned: kernel.eval(y.as_str(), x.as_str()),
            expected: spelt_out(k, score, beta, &x, &y),
        }]
    }

    #[test]
    fn any_texts_are_as_spelt_out() {
        sequences::as_spelt_out(200, 5, drawn);
    }

    #[test]
    #[ignore = "long; see CONTRIBUTING.md"]
    fn attacked_for_long() {
        sequences::as_spelt_out(sequences::long_rounds(200), sequences::any_seed(), drawn);
    }

    #[test]
    fn empty_short_unknown_and_long_texts_have_stated_answers() {
        let k = Substitution::new(3, Score::Dna, 0.5);
        let value = |x: &str, y: &str| -> f64 { k.eval(x, y) };
        assert_eq!((value("", "ACG"), value("AC", "AC"), value("ANA", "ANA")), (0.0, 0.0, 0.0));
        assert_eq!(value("acu", "ACT"), 1.0);
        let refused = k.refusal(&"ac".repeat(500_000)).expect("a million is too many");
        assert_eq!(refused, ("texts of at most 26754 letters for k = 3".into(), "1000000 letters".into()));
    }
}
