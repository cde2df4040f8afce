//! The weighted degree kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad, Leaf, PreparePoint};

/// The weighted degree kernel: blocks of letters that two texts share at the same places, or a few places apart.
///
/// **Definition** k(x, y) = Σ_{n ≤ d} βₙ Σ_l ([x and y agree on the n letters from l on] + Σ_{s ≤ S} δₛ([those of x from l + s on are
/// those of y from l on] + [those of x from l on are those of y from l + s on])), βₙ = 2(d − n + 1)/(d(d + 1)), δₛ = 1/(2(s + 1)).
/// Places beyond the end of either text agree with nothing.
///
/// **Parameters** d `degree` from 1 to 1,000, default 5; S `shift` from 0 to 1,000, default 0. Text is compared character by
/// character as it stands; several text columns add up. Use `normalize(weighted_degree(…))` for texts of different lengths.
///
/// **Properties** positive definite on strings of any lengths: with φ marking each place and block of letters, k = Σ βₙ φᵀAφ with
/// the Toeplitz matrix A of 1 and δₛ, and A is positive semidefinite since 1 + Σₛ cos(sθ)/(s + 1) ≥ ½ (Rogosinski & Szegő).
/// The kernel of an empty text is 0.
///
/// **Cost** (1 + 2S)·(b + r)·|x|/64 operations per pair, b the bits of a letter (7 for ASCII) and r ≤ d the longest run of equal
/// letters: texts are kept as planes of bits, and 64 places are compared at a time. The explicit features, d for each place, would
/// be as many numbers as the pair has operations here.
///
/// **Reference** Rätsch & Sonnenburg (2004), "Accurate splice site detection for Caenorhabditis elegans"; with shifts, Rätsch,
/// Sonnenburg & Schölkopf (2005), "RASE: recognition of alternatively spliced exons in C. elegans", Bioinformatics 21, §2.
///
/// ```
/// # use mercer::kernel::{Kernel, WeightedDegree};
/// let k = WeightedDegree { degree: 2, shift: 0 };
/// // Two runs: ga and ac; β₁ = 2/3 for each of the four letters and β₂ = 1/3 for each of the two blocks.
/// assert_eq!(k.eval("gatac", "gacac"), (4.0 * 2.0 + 2.0 * 1.0) / 3.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WeightedDegree {
    /// d.
    pub degree: u32,
    /// S.
    pub shift: u32,
}

/// A text as planes of bits: bit b of the character at place l is bit l of plane b.
#[derive(Clone, Debug)]
pub struct Planes {
    len: usize,
    /// Words of a plane.
    words: usize,
    /// One plane after the other.
    bits: Vec<u64>,
    own: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "weighted_degree",
    aliases: &["wd"],
    summary: "shared blocks of letters at the same places",
    definition: "Σ_{n ≤ degree} βₙ·(blocks of n letters at the same places, those s ≤ shift apart counting 1/(2(s + 1))), βₙ = 2(degree − n + 1)/(degree(degree + 1))",
    domain: Domain::TEXT,
    property: Property::positive(
        ProofRule::Quadratic,
        "φ(x) marks places and blocks; shifts weigh them by a Toeplitz matrix with 1 + Σₛ cos(sθ)/(s + 1) ≥ ½",
    ),
    settings: &[
        SettingSpec {
            name: "degree",
            summary: "length of the longest blocks",
            kind: SettingKind::Integer { default: 5, min: 1, max: 1000 },
            aliases: &[],
        },
        SettingSpec {
            name: "shift",
            summary: "how many places apart blocks may be",
            kind: SettingKind::Integer { default: 0, min: 0, max: 1000 },
            aliases: &[],
        },
    ],
};

const WORD: usize = u64::BITS as usize;

impl Planes {
    fn new(text: &str) -> Self {
        let len = text.chars().count();
        let words = len.div_ceil(WORD);
        let used = text.chars().fold(0, |bits, c| bits | u32::from(c));
        let planes = (u32::BITS - used.leading_zeros()) as usize;
        let mut bits = vec![0; planes * words];
        for (place, c) in text.chars().enumerate() {
            for plane in (0..planes).filter(|b| u32::from(c) >> b & 1 == 1) {
                bits[plane * words + place / WORD] |= 1 << (place % WORD);
            }
        }
        Planes { len, words, bits, own: 0.0 }
    }

    fn planes(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.bits.chunks_exact(self.words.max(1))
    }
}

impl WeightedDegree {
    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        WeightedDegree { degree: leaf.integer("degree"), shift: leaf.integer("shift") }
    }

    /// Σₙ (d − n + 1)·(blocks of n letters that y shares with x moved by s), a whole number. `runs` is for its work.
    #[inline(always)]
    fn shared(&self, x: &Planes, y: &Planes, s: usize, runs: &mut Vec<u64>) -> u64 {
        agreement(x, y, s, runs);
        let mut sum = 0;
        for weight in (1..=u64::from(self.degree)).rev() {
            let count: u64 = runs.iter().map(|word| u64::from(word.count_ones())).sum();
            if count == 0 {
                break;
            }
            sum += weight * count;
            shorten(runs);
        }
        sum
    }

    #[inline(always)]
    fn value(&self, x: &Planes, y: &Planes, runs: &mut Vec<u64>) -> f64 {
        let mut sum = self.shared(x, y, 0, runs) as f64;
        for s in 1..=self.shift as usize {
            let moved = self.shared(x, y, s, runs) + self.shared(y, x, s, runs);
            sum += moved as f64 / (2.0 * (s + 1) as f64);
        }
        let d = f64::from(self.degree);
        2.0 * sum / (d * (d + 1.0))
    }
}

/// Bit l says whether the letter of x at l + s is that of y at l; none beyond the ends.
#[inline(always)]
fn agreement(x: &Planes, y: &Planes, s: usize, runs: &mut Vec<u64>) {
    let places = x.len.saturating_sub(s).min(y.len);
    runs.clear();
    runs.resize(places.div_ceil(WORD), 0);
    // Planes that one of the two lacks are 0 there.
    let count = x.planes().len().max(y.planes().len());
    let (mut of_x, mut of_y) = (x.planes(), y.planes());
    for _ in 0..count {
        let (a, b) = (of_x.next().unwrap_or(&[]), of_y.next().unwrap_or(&[]));
        match s {
            0 => differ(runs, |w| word(a, w), b),
            _ => differ(runs, |w| moved(a, w, s), b),
        }
    }
    runs.iter_mut().for_each(|word| *word = !*word);
    if let (Some(last), rest @ 1..) = (runs.last_mut(), places % WORD) {
        *last &= (1 << rest) - 1;
    }
}

/// Adds the places where two planes differ.
#[inline(always)]
fn differ(differences: &mut [u64], a: impl Fn(usize) -> u64, b: &[u64]) {
    for (w, difference) in differences.iter_mut().enumerate() {
        *difference |= a(w) ^ word(b, w);
    }
}

#[inline(always)]
fn word(plane: &[u64], w: usize) -> u64 {
    plane.get(w).copied().unwrap_or(0)
}

/// Word w of a plane moved down by s places.
#[inline(always)]
fn moved(plane: &[u64], w: usize, s: usize) -> u64 {
    let (words, bits) = (s / WORD, s % WORD);
    let low = word(plane, w + words) >> bits;
    if bits == 0 { low } else { low | word(plane, w + words + 1) << (WORD - bits) }
}

/// From the places where runs of n letters begin to those of n + 1.
#[inline(always)]
fn shorten(runs: &mut [u64]) {
    for w in 0..runs.len() {
        let next = runs.get(w + 1).map_or(0, |word| word << (WORD - 1));
        runs[w] &= runs[w] >> 1 | next;
    }
}

impl Kernel<Planes> for WeightedDegree {
    #[inline(always)]
    fn eval(&self, x: &Planes, y: &Planes) -> f64 {
        self.value(x, y, &mut Vec::new())
    }

    fn diag(&self, x: &Planes) -> f64 {
        x.own
    }

    #[inline(always)]
    fn eval_many(&self, x: &Planes, ys: &[&Planes], out: &mut [f64]) {
        let mut runs = Vec::with_capacity(x.words);
        for (k, y) in out.iter_mut().zip(ys) {
            *k = self.value(x, y, &mut runs);
        }
    }
}

impl KernelGrad<Planes> for WeightedDegree {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &Planes, _: &Planes, _: &mut [f64]) {}
}

impl PreparePoint<str> for WeightedDegree {
    type Prepared = Planes;

    #[inline(always)]
    fn prepare(&self, text: &str) -> Planes {
        let mut x = Planes::new(text);
        x.own = self.eval(&x, &x);
        x
    }

    fn held(&self, x: &Planes) -> usize {
        size_of_val(&x.bits[..])
    }
}

impl Kernel<str> for WeightedDegree {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.eval(&self.prepare(x), &self.prepare(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::linalg::symmetric_eigenvalues;
    use crate::testkit::sequences::{self, Said};
    use crate::testkit::{laws, tol};

    /// The definition, block by block.
    fn spelt_out(degree: usize, shift: usize, x: &str, y: &str) -> f64 {
        let [x, y] = [x, y].map(|t| t.chars().collect::<Vec<char>>());
        let agree = |i: usize, j: usize, n: usize| {
            let (a, b) = (x.get(i..i + n), y.get(j..j + n));
            if a.is_some() && a == b { 1.0 } else { 0.0 }
        };
        let mut sum = 0.0;
        for n in 1..=degree {
            let beta = 2.0 * (degree - n + 1) as f64 / (degree * (degree + 1)) as f64;
            for l in 0..x.len().max(y.len()) {
                sum += beta * agree(l, l, n);
                for s in 1..=shift {
                    sum += beta * (agree(l + s, l, n) + agree(l, l + s, n)) / (2.0 * (s as f64 + 1.0));
                }
            }
        }
        sum
    }

    #[test]
    fn laws_hold() {
        laws::text_kernel("weighted_degree", |x, y| spelt_out(5, 0, x, y), tol::round(20));
        laws::text_kernel("wd(degree=3, shift=2)", |x, y| spelt_out(3, 2, x, y), tol::round(20));
        laws::text_kernel("weighted_degree(degree=1, shift=70)", |x, y| spelt_out(1, 70, x, y), tol::round(80));
    }

    /// Texts of up to 200 letters from a small alphabet, so that runs cross words.
    fn drawn(chance: &mut Chance) -> String {
        let (letters, most) = (1 + chance.below(5), [13, 70, 200][chance.below(3)]);
        (0..chance.below(most)).map(|_| ['a', 'ß', '語', 'd', '𝛌'][chance.below(letters)]).collect()
    }

    fn compared(chance: &mut Chance) -> Vec<Said> {
        let (degree, shift) = (1 + chance.below(12), chance.below(4) * chance.below(50));
        let k = WeightedDegree { degree: degree as u32, shift: shift as u32 };
        let (x, y) = (drawn(chance), drawn(chance));
        vec![Said {
            of: format!("degree {degree}, shift {shift}, {x:?}, {y:?}"),
            value: k.eval(x.as_str(), y.as_str()),
            turned: k.eval(y.as_str(), x.as_str()),
            expected: spelt_out(degree, shift, &x, &y),
        }]
    }

    #[test]
    fn any_texts_are_as_spelt_out() {
        sequences::as_spelt_out(60, 2, compared);
    }

    #[test]
    #[ignore = "long; see CONTRIBUTING.md"]
    fn attacked_for_long() {
        sequences::as_spelt_out(sequences::long_rounds(200), sequences::any_seed(), compared);
    }

    /// The two sides of the proof: the symbol stays above ½, and no Gram matrix has a negative eigenvalue.
    #[test]
    fn shifts_keep_it_positive_definite() {
        for degrees in 0..3600 {
            let angle = f64::from(degrees).to_radians() / 10.0;
            let mut symbol = 1.0;
            for s in 1..=200 {
                symbol += (f64::from(s) * angle).cos() / f64::from(s + 1);
                assert!(symbol >= 0.5 - tol::round(200), "shift {s} at {angle}");
            }
        }
        let mut chance = Chance::new(3);
        for shift in [1, 2, 5, 40] {
            let k = WeightedDegree { degree: 3, shift };
            let points: Vec<Planes> = (0..60).map(|_| k.prepare(&drawn(&mut chance))).collect();
            let gram: Vec<f64> = points.iter().flat_map(|x| points.iter().map(|y| k.eval(x, y))).collect();
            let trace: f64 = points.iter().map(|x| k.diag(x)).sum();
            let smallest = symmetric_eigenvalues(&gram, 60).expect("finite")[0];
            assert!(smallest >= -tol::round(60) * trace, "shift {shift}: {smallest}");
        }
    }

    #[test]
    fn a_million_letters_and_none_have_an_answer() {
        let k = WeightedDegree { degree: 2, shift: 1 };
        let long = "ab".repeat(500_000);
        // 10⁶ letters and 10⁶ − 1 pairs at the same places; moved by 1, no letter is the same.
        assert_eq!(k.eval(long.as_str(), long.as_str()), (2.0 * 1e6 + 999_999.0) / 3.0);
        assert_eq!(k.eval("", long.as_str()), 0.0);
        assert_eq!(k.eval("", ""), 0.0);
    }
}
