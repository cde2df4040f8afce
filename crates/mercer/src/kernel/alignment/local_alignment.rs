//! The local alignment kernel.

use super::scores::Score;
use super::wide::{Factor, Size, Term, Wide, WithSlope, quotient};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad, Leaf, PreparePoint, Setting};

/// The local alignment kernel: all local alignments of two sequences, summed, and normalised.
///
/// **Definition** k(x, y) = K(x, y)/√(K(x, x)·K(y, y)), K(x, y) = 1 + Σ exp(β·score) over all alignments: places i₁ < … < iₙ of x
/// across from j₁ < … < jₙ of y, n ≥ 1. The score is Σ S(x at iₖ, y at jₖ), less `gap_open` + (g − 1)·`gap_extend` for each
/// g ≥ 1 letters that one of the two skips between two neighbours. What stands before and after costs nothing.
///
/// **Parameters** `score` `blosum62` (default) for proteins or `dna`, 5 for the same nucleotide and −4 for others; β `beta` between 0
/// and 10, default 0.5, logit; `gap_open`, default 11, and `gap_extend`, default 1, whole numbers that are not tuned. Capitals
/// do not matter, and U is read as T. **Any other letter** (X, N, a gap, white space) is aligned with nothing, itself neither; it can only
/// be skipped. Several text columns add up.
///
/// **Properties** positive definite: φ(x) = Σ over places i of e^(β·gaps of i)·ψ(x at i₁)⊗…⊗ψ(x at iₙ), with exp(β·S(a, b)) =
/// ⟨ψ(a), ψ(b)⟩, which exists for all β since S is conditionally positive definite (a test says so). Unit diagonal; an empty text
/// has K = 1 with everything. Texts of some length that are not alike have values near 0: a small β makes more alike. Without
/// the quotient the values of long sequences are beyond a float; the logarithm of K, often used, is not positive definite.
///
/// **Cost** |x|·|y| per pair, in memory for |y|; sums beyond a float are computed again with a wider exponent, four times as slow.
/// A pair cannot be interrupted, so texts of more than 6,000 letters are refused.
///
/// **Reference** Saigo, Vert, Ueda & Akutsu (2004), "Protein homology detection using string alignment kernels", Bioinformatics 20, §2.
///
/// ```
/// # use mercer::kernel::{Kernel, LocalAlignment, Score};
/// let k = LocalAlignment::new(Score::Dna, 0.1, 8, 2);
/// assert_eq!(k.eval("GATTACA", "gauuaca"), 1.0);
/// assert!(k.eval("GATTACA", "GATACA") > k.eval("GATTACA", "CCCGGG"));
/// ```
#[derive(Clone, Debug)]
pub struct LocalAlignment {
    score: Score,
    /// exp(β·S), a row for each letter; the last row and column are those of other letters.
    pairs: Vec<Factor>,
    /// exp(−β·gap_open) and exp(−β·gap_extend).
    open: Factor,
    extend: Factor,
}

/// A sequence made ready: the numbers of its letters, K of it with itself and the slope of log K.
#[derive(Clone, Debug)]
pub struct Aligned {
    letters: Vec<u8>,
    own: Size,
    slope: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "local_alignment",
    aliases: &["la"],
    summary: "all local alignments of two sequences, normalised",
    definition: "K(x, y)/√(K(x, x)·K(y, y)), K = 1 + Σ exp(beta·(Σ S(aligned letters) − gaps)) over all local alignments",
    domain: Domain::TEXT,
    property: Property::positive(
        ProofRule::FeatureMap,
        "φ(x) sums gaps(i)·ψ(x at i₁)⊗…⊗ψ(x at iₙ), exp(beta·S(a, b)) = ⟨ψ(a), ψ(b)⟩ with S conditionally positive definite",
    ),
    settings: &[
        SettingSpec {
            name: "score",
            summary: "scores of letters across from each other",
            kind: SettingKind::Choice { options: &["blosum62", "dna"] },
            aliases: &[],
        },
        SettingSpec {
            name: "beta",
            summary: "factor of the scores",
            kind: SettingKind::Between { default: 0.5, low: 0.0, high: 10.0 },
            aliases: &[],
        },
        SettingSpec {
            name: "gap_open",
            summary: "price of the first letter that is skipped",
            kind: SettingKind::Integer { default: 11, min: 0, max: 100 },
            aliases: &[],
        },
        SettingSpec {
            name: "gap_extend",
            summary: "price of each further one",
            kind: SettingKind::Integer { default: 1, min: 0, max: 100 },
            aliases: &[],
        },
    ],
};

/// Letters that a text may have: a pair of two such takes some seconds.
const MOST_LETTERS: usize = 6_000;

impl LocalAlignment {
    /// The kernel of these scores and gaps, at `beta`.
    pub fn new(score: Score, beta: f64, gap_open: u32, gap_extend: u32) -> Self {
        let factor = |s: f64| {
            let value = (beta * s).exp();
            // What is smaller than wide numbers take counts nothing.
            if value < 2f64.powi(-256) { NOTHING } else { Factor { value, slope: s * value } }
        };
        let count = score.letters().len();
        let at = |a: usize, b: usize| if a.max(b) < count { factor(score.of(a, b)) } else { NOTHING };
        let pairs = (0..=count).flat_map(|a| (0..=count).map(move |b| at(a, b))).collect();
        LocalAlignment { score, pairs, open: factor(-f64::from(gap_open)), extend: factor(-f64::from(gap_extend)) }
    }

    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        let score = match leaf.setting("score") {
            Some(Setting::Choice("dna")) => Score::Dna,
            _ => Score::Blosum62,
        };
        let beta = leaf.number("beta").unwrap_or(f64::NAN);
        LocalAlignment::new(score, beta, leaf.integer("gap_open"), leaf.integer("gap_extend"))
    }

    /// K(x, y). The longer text comes first, so that a pair is computed the same way whichever of the two comes first.
    #[inline(always)]
    fn sum<T: Term>(&self, x: &[u8], y: &[u8]) -> T {
        let (x, y) = if (x.len(), x) > (y.len(), y) { (x, y) } else { (y, x) };
        let count = self.score.letters().len() + 1;
        let mut column = vec![Ends::<T>::NONE; y.len()];
        let mut total = T::ONE;
        for a in x {
            let pairs = &self.pairs[usize::from(*a) * count..][..count];
            total = total.plus(self.row(pairs, y, &mut column));
        }
        total
    }

    /// One more letter of x, across from all of y; answers Σ of the alignments that end with it. As in Saigo et al., §2.3, with
    /// M, X, Y the alignments that end with a pair, with skipped letters of x, or of y, here and one row before,
    ///
    /// M(i, j) = e^(βS)(1 + X + Y + M)(i − 1, j − 1), X(i, j) = e^(−β·open)M(i − 1, j) + e^(−β·extend)X(i − 1, j),
    /// Y(i, j) = e^(−β·open)(M + X)(i, j − 1) + e^(−β·extend)Y(i, j − 1).
    #[inline(always)]
    fn row<T: Term>(&self, pairs: &[Factor], y: &[u8], column: &mut [Ends<T>]) -> T {
        let mut sum = T::ZERO;
        let (mut corner, mut left, mut skipped) = (T::ONE, T::ZERO, T::ZERO);
        for (b, here) in y.iter().zip(column) {
            let paired = corner.times(pairs[usize::from(*b)]);
            let of_x = here.paired.times(self.open).plus(here.skipped.times(self.extend));
            skipped = left.times(self.open).plus(skipped.times(self.extend));
            corner = here.all;
            left = paired.plus(of_x);
            *here = Ends { paired, skipped: of_x, all: T::ONE.plus(left).plus(skipped) };
            sum = sum.plus(paired);
        }
        sum
    }

    /// K(x, y), as a float where one can hold it.
    #[inline(always)]
    fn size(&self, x: &[u8], y: &[u8]) -> Size {
        let plain: f64 = self.sum(x, y);
        if plain.is_finite() { Size::of(plain) } else { self.sum::<Wide>(x, y).into() }
    }

    /// K(x, y) and the slope of its logarithm.
    #[inline(always)]
    fn size_and_slope(&self, x: &[u8], y: &[u8]) -> (Size, f64) {
        let plain: WithSlope<f64> = self.sum(x, y);
        if plain.value.is_finite() && plain.slope.is_finite() {
            return (Size::of(plain.value), plain.slope / plain.value);
        }
        let wide: WithSlope<Wide> = self.sum(x, y);
        (wide.value.into(), quotient(wide.slope, wide.value))
    }
}

/// The factor of what cannot be.
const NOTHING: Factor = Factor { value: 0.0, slope: 0.0 };

/// Sums of the alignments that end at a place.
#[derive(Clone, Copy)]
struct Ends<T> {
    paired: T,
    skipped: T,
    /// All that a pair may follow: 1 for nothing, and those that end with a pair or with skipped letters.
    all: T,
}

impl<T: Term> Ends<T> {
    const NONE: Self = Ends { paired: T::ZERO, skipped: T::ZERO, all: T::ONE };
}

impl Kernel<Aligned> for LocalAlignment {
    #[inline(always)]
    fn eval(&self, x: &Aligned, y: &Aligned) -> f64 {
        self.size(&x.letters, &y.letters).over_root(x.own, y.own)
    }

    fn diag(&self, _: &Aligned) -> f64 {
        1.0
    }
}

impl KernelGrad<Aligned> for LocalAlignment {
    fn n_params(&self) -> usize {
        1
    }

    #[inline(always)]
    fn grad(&self, x: &Aligned, y: &Aligned, out: &mut [f64]) {
        let (size, slope) = self.size_and_slope(&x.letters, &y.letters);
        out[0] = size.over_root(x.own, y.own) * (slope - 0.5 * (x.slope + y.slope));
    }
}

impl PreparePoint<str> for LocalAlignment {
    type Prepared = Aligned;

    #[inline(always)]
    fn prepare(&self, text: &str) -> Aligned {
        let letters = self.score.numbers(text);
        let (_, slope) = self.size_and_slope(&letters, &letters);
        // The same sum that a pair takes, so that the diagonal is 1 to the bit.
        Aligned { own: self.size(&letters, &letters), slope, letters }
    }

    fn held(&self, x: &Aligned) -> usize {
        x.letters.len()
    }

    fn refusal(&self, text: &str) -> Option<(String, String)> {
        let count = text.chars().count();
        (count > MOST_LETTERS).then(|| (format!("texts of at most {MOST_LETTERS} letters"), format!("{count} letters")))
    }
}

impl Kernel<str> for LocalAlignment {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.eval(&self.prepare(x), &self.prepare(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::data::{Column, Inputs, Table, Texts};
    use crate::testkit::sequences::{Said, any_seed, as_spelt_out, long_rounds};
    use crate::testkit::{laws, tol};

    struct Setup {
        score: Score,
        beta: f64,
        open: u32,
        extend: u32,
    }

    impl Setup {
        fn kernel(&self) -> LocalAlignment {
            LocalAlignment::new(self.score, self.beta, self.open, self.extend)
        }

        fn gap(&self, skipped: usize) -> f64 {
            match skipped {
                0 => 0.0,
                n => -f64::from(self.open) - (n - 1) as f64 * f64::from(self.extend),
            }
        }

        /// Σ over the alignments whose first pair stands at (i, j), each spelt out.
        fn starting_at(&self, x: &[char], y: &[char], (i, j): (usize, usize)) -> f64 {
            let numbers = (self.score.number(x[i]), self.score.number(y[j]));
            let (Some(a), Some(b)) = numbers else { return 0.0 };
            let mut rest = 1.0;
            for k in i + 1..x.len() {
                for l in j + 1..y.len() {
                    let gaps = self.gap(k - i - 1) + self.gap(l - j - 1);
                    rest += (self.beta * gaps).exp() * self.starting_at(x, y, (k, l));
                }
            }
            (self.beta * self.score.of(a, b)).exp() * rest
        }

        fn sum(&self, x: &str, y: &str) -> f64 {
            let [x, y] = [x, y].map(|t| t.chars().collect::<Vec<char>>());
            let pairs = (0..x.len()).flat_map(|i| (0..y.len()).map(move |j| (i, j)));
            1.0 + pairs.map(|pair| self.starting_at(&x, &y, pair)).sum::<f64>()
        }

        fn definition(&self, x: &str, y: &str) -> f64 {
            self.sum(x, y) / (self.sum(x, x) * self.sum(y, y)).sqrt()
        }
    }

    fn points(texts: &[&str]) -> Inputs {
        let column = Column::from(Texts::from_values(texts.iter().map(|t| Some(*t))));
        Table::new(vec![("protein".into(), column)]).expect("one column").into()
    }

    #[test]
    fn laws_hold() {
        let texts = ["MKVLA", "", "mkvla", "WXYLAK", "B", "HEAGAWG", "PAWHE", "ß-k"];
        let proteins = Setup { score: Score::Blosum62, beta: 0.2, open: 11, extend: 1 };
        let definition = |i: usize, j: usize| proteins.definition(texts[i], texts[j]);
        laws::kernel("local_alignment(beta=0.2)", &points(&texts), definition, tol::round(100));
        let texts = ["GATTACA", "gauuaca", "NNN", "", "ACGNAC", "TTT"];
        let genes = Setup { score: Score::Dna, beta: 0.1, open: 3, extend: 0 };
        let definition = |i: usize, j: usize| genes.definition(texts[i], texts[j]);
        let formula = "la(score=dna, beta=0.1, gap_open=3, gap_extend=0)";
        laws::kernel(formula, &points(&texts), definition, tol::round(100));
    }

    fn drawn(chance: &mut Chance) -> Vec<Said> {
        let score = [Score::Blosum62, Score::Dna][chance.below(2)];
        let (open, extend) = (chance.below(13) as u32, chance.below(4) as u32);
        let setup = Setup { score, beta: 0.01 + chance.unit(), open, extend };
        let mut text = || {
            let letters = 1 + chance.below(5);
            let letter = |at: usize| ['A', 'c', 'G', 'T', 'N'][at];
            (0..chance.below(7)).map(|_| letter(chance.below(letters))).collect::<String>()
        };
        let (x, y) = (text(), text());
        let k = setup.kernel();
        vec![Said {
            of: format!("{score:?}, beta {}, open {open}, extend {extend}, {x:?}, {y:?}", setup.beta),
            value: k.eval(x.as_str(), y.as_str()),
            turned: k.eval(y.as_str(), x.as_str()),
            expected: setup.definition(&x, &y),
        }]
    }

    #[test]
    fn any_texts_are_as_spelt_out() {
        as_spelt_out(40, 4, drawn);
    }

    #[test]
    #[ignore = "long; see CONTRIBUTING.md"]
    fn attacked_for_long() {
        as_spelt_out(long_rounds(200), any_seed(), drawn);
    }

    /// Where both fit, they agree; where a float overflows, wide numbers go on.
    #[test]
    fn wide_sums_are_those_of_floats_and_go_beyond() {
        let k = LocalAlignment::new(Score::Blosum62, 0.5, 11, 1);
        let [short, other] = ["HEAGAWGHEE", "PAWHEAE"].map(|t| k.prepare(t).letters);
        let (plain, wide): (WithSlope<f64>, WithSlope<Wide>) = (k.sum(&short, &other), k.sum(&short, &other));
        let gap = Size::from(wide.value).over_root(Size::of(plain.value), Size::of(plain.value)) - 1.0;
        assert!(gap.abs() < tol::round(100));
        assert!((quotient(wide.slope, wide.value) / (plain.slope / plain.value) - 1.0).abs() < tol::round(100));
        // Two halves in the other order: the better half stands before the other one, in a column that a row's scale would lose.
        let (a, b) = ("WC".repeat(150), "HPYF".repeat(50));
        let (x, y) = (format!("{a}{b}"), format!("{b}{a}"));
        assert!(!k.sum::<f64>(&k.prepare(&x).letters, &k.prepare(&y).letters).is_finite());
        let value: f64 = k.eval(x.as_str(), y.as_str());
        let half: f64 = k.eval(x.as_str(), a.as_str());
        assert!(value > 0.0 && value < 1.0 && half > 0.0 && half < 1.0);
        // Aligning the better half alone gives at least K(a, a)/√(K(x, x)·K(y, y)).
        let [a, x, y] = [&a, &x, &y].map(|t| k.prepare(t));
        assert!(value >= a.own.over_root(x.own, y.own));
        let mut slope = [0.0];
        k.grad(&x, &y, &mut slope);
        assert!(slope[0].is_finite() && slope[0] < 0.0);
    }

    #[test]
    fn empty_unknown_and_long_texts_have_stated_answers() {
        let k = LocalAlignment::new(Score::Dna, 0.5, 11, 1);
        let value = |x: &str, y: &str| -> f64 { k.eval(x, y) };
        assert_eq!((value("", ""), value("NNN", ""), value("NNN", "N")), (1.0, 1.0, 1.0));
        let own = Setup { score: Score::Dna, beta: 0.5, open: 11, extend: 1 }.sum("ACG", "ACG");
        assert!((value("", "ACG") - 1.0 / own.sqrt()).abs() < tol::round(10));
        let refused = k.refusal(&"ac".repeat(500_000)).expect("a million is too many");
        assert_eq!(refused, ("texts of at most 6000 letters".into(), "1000000 letters".into()));
    }
}
