//! The subsequence kernel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::lanes::{LANES, Letters, Tangent, Values};
use super::levels::{Levels, Walk};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad, Leaf, PreparePoint, Setting, Unit};

/// The string subsequence kernel: how many subsequences of p letters two texts share, those that are spread out counting less.
///
/// **Definition** k(x, y) = Σ over u of p letters, places i of u in x and j of u in y, of λ^(span of i + span of j). The places
/// i₁ < … < i_p need not stand side by side; their span is i_p − i₁ + 1.
///
/// **Parameters** p `p` from 1 to 100, default 3; λ `decay` between 0 and 1, default 0.5, logit; `unit` `char` (default) or `word`
/// (split at white space). Text is compared as it stands; several text columns add up. Use `normalize(subsequence(…))` for texts of
/// different lengths.
///
/// **Properties** positive definite on strings: φᵤ(x) = Σ λ^(span of i) over the places of u in x. A text with fewer than p letters has
/// no such subsequence, and its kernel values are 0. Differentiable in λ.
///
/// **Cost** p·|x|·|y| per pair, in memory for p·|y|; four or eight pairs are computed at once. A pair cannot be interrupted, so texts with
/// p·|x|² above 2³¹ are refused: 26,754 letters for p = 3.
///
/// **Reference** Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins (2002), "Text classification using string kernels", JMLR 2, §4.
///
/// ```
/// # use mercer::kernel::{Kernel, Subsequence, Unit};
/// let k = Subsequence::new(2, 0.5, Unit::Char);
/// assert_eq!(k.eval("cat", "car"), 0.5f64.powi(4));
/// assert_eq!(k.eval("cat", "cat"), 2.0 * 0.5f64.powi(4) + 0.5f64.powi(6));
/// ```
#[derive(Clone, Debug)]
pub struct Subsequence {
    p: usize,
    decay: f64,
    unit: Unit,
    /// Numbers of the words seen so far: equal words have equal numbers, whatever the order they came in.
    words: Arc<Mutex<HashMap<String, u32>>>,
}

/// A text made ready: its letters or words as numbers, and k of it with itself.
#[derive(Clone, Debug)]
pub struct Sequence {
    text: Box<str>,
    letters: Vec<u32>,
    own: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "subsequence",
    aliases: &["ssk"],
    summary: "shared subsequences with gaps",
    definition: "Σ_u Σ_{i: x[i] = u} Σ_{j: y[j] = u} decay^(span(i) + span(j)) over u of p letters",
    domain: Domain::TEXT,
    property: Property::positive(ProofRule::FeatureMap, "φᵤ(x) = Σ decay^span(i) over the places i of u in x"),
    settings: &[
        SettingSpec {
            name: "p",
            summary: "length of the subsequences",
            kind: SettingKind::Integer { default: 3, min: 1, max: 100 },
            aliases: &[],
        },
        SettingSpec {
            name: "decay",
            summary: "what each letter of a span counts",
            kind: SettingKind::Between { default: 0.5, low: 0.0, high: 1.0 },
            aliases: &[],
        },
        SettingSpec {
            name: "unit",
            summary: "what a subsequence is made of",
            kind: SettingKind::Choice { options: &["char", "word"] },
            aliases: &[],
        },
    ],
};

/// Letters of subsequences up to which a place has fewer sums than can be under way at a time: two vectors of pairs fill the rest.
const FEW: usize = 5;
/// p·|x|² that a pair may have: some seconds.
const MOST_STEPS: u64 = 1 << 31;

impl Subsequence {
    /// The kernel of subsequences of p units, each place of their spans counting `decay`.
    pub fn new(p: usize, decay: f64, unit: Unit) -> Self {
        Subsequence { p, decay, unit, words: Arc::default() }
    }

    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        let unit = match leaf.setting("unit") {
            Some(Setting::Choice("word")) => Unit::Word,
            _ => Unit::Char,
        };
        Subsequence::new(leaf.integer("p") as usize, leaf.number("decay").unwrap_or(f64::NAN), unit)
    }

    fn letters(&self, text: &str) -> Vec<u32> {
        match self.unit {
            Unit::Char => text.chars().map(u32::from).collect(),
            Unit::Word => {
                let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
                let mut number = |word: &str| {
                    let next = words.len() as u32;
                    *words.entry(word.to_owned()).or_insert(next)
                };
                text.split_whitespace().map(&mut number).collect()
            }
        }
    }

    /// How many units a text has.
    fn count(&self, text: &str) -> usize {
        match self.unit {
            Unit::Char => text.chars().count(),
            Unit::Word => text.split_whitespace().count(),
        }
    }

    /// Calls `visit` with k/λ²ᵖ of x and V vectors of others at a time, of similar lengths, and which they are.
    #[inline(always)]
    fn each_group<const V: usize, N: Walk<V>>(
        &self,
        x: &Sequence,
        others: &[&Sequence],
        mut visit: impl FnMut(&[usize], N),
    ) {
        let mut order: Vec<usize> = (0..others.len()).collect();
        order.sort_by_key(|j| others[*j].letters.len());
        let mut group = Group::default();
        for part in order.chunks(LANES * V) {
            group.fill(x, part.iter().map(|j| others[*j]));
            visit(part, group.total(self.p, self.decay));
        }
    }

    /// λ²ᵖ.
    fn scale(&self) -> f64 {
        self.decay.powi(2 * self.p as i32)
    }
}

/// Pairs that are computed at once: their letters, place by place. The first text of a pair is the longer one, so that a pair is
/// computed the same way whichever of the two comes first, and the memory is that of the shorter.
struct Group<const V: usize, N> {
    first: Vec<Letters<V>>,
    second: Vec<Letters<V>>,
    levels: Levels<V, N>,
}

impl<const V: usize, N> Default for Group<V, N> {
    fn default() -> Self {
        Group { first: Vec::new(), second: Vec::new(), levels: Levels::default() }
    }
}

impl<const V: usize, N: Walk<V>> Group<V, N> {
    /// Takes x and up to a pair for each lane. What is empty, or beyond the end of a text, has letters that are equal to none.
    fn fill<'a>(&mut self, x: &'a Sequence, others: impl Iterator<Item = &'a Sequence>) {
        self.first.clear();
        self.second.clear();
        for (lane, y) in others.enumerate() {
            let longer = (x.letters.len(), &x.text) > (y.letters.len(), &y.text);
            let (first, second) = if longer { (x, y) } else { (y, x) };
            put(&mut self.first, lane, &first.letters, u64::MAX);
            put(&mut self.second, lane, &second.letters, u64::MAX - 1);
        }
    }

    /// k/λ²ᵖ of all pairs.
    #[inline(always)]
    fn total(&mut self, p: usize, decay: f64) -> N {
        self.levels.total(&self.first, &self.second, p, decay)
    }
}

/// Writes a text into its lane, growing the places as needed.
fn put<const V: usize>(places: &mut Vec<Letters<V>>, lane: usize, letters: &[u32], nothing: u64) {
    if places.len() < letters.len() {
        places.resize(letters.len(), [[nothing; LANES]; V]);
    }
    for (place, letter) in places.iter_mut().zip(letters) {
        place.as_flattened_mut()[lane] = u64::from(*letter);
    }
}

impl Kernel<Sequence> for Subsequence {
    #[inline(always)]
    fn eval(&self, x: &Sequence, y: &Sequence) -> f64 {
        let mut value = [0.0];
        self.eval_many(x, &[y], &mut value);
        value[0]
    }

    fn diag(&self, x: &Sequence) -> f64 {
        x.own
    }

    #[inline(always)]
    fn eval_many(&self, x: &Sequence, ys: &[&Sequence], out: &mut [f64]) {
        let scale = self.scale();
        let mut put = |part: &[usize], total: &[f64]| {
            part.iter().zip(total).for_each(|(j, sum)| out[*j] = scale * sum);
        };
        if self.p <= FEW {
            self.each_group(x, ys, |part, total: Values<2>| put(part, total.as_flattened()));
        } else {
            self.each_group(x, ys, |part, total: Values<1>| put(part, total.as_flattened()));
        }
    }
}

impl KernelGrad<Sequence> for Subsequence {
    fn n_params(&self) -> usize {
        1
    }

    #[inline(always)]
    fn grad(&self, x: &Sequence, y: &Sequence, out: &mut [f64]) {
        out[0] = 0.0;
        self.grad_many(x, &[y], &[1.0], out);
    }

    #[inline(always)]
    fn grad_many(&self, x: &Sequence, ys: &[&Sequence], w: &[f64], out: &mut [f64]) {
        let scale = self.scale();
        let by_scale = 2.0 * self.p as f64 * scale / self.decay;
        let mut slopes = vec![0.0; ys.len()];
        self.each_group(x, ys, |part, total: Tangent<1>| {
            for (lane, j) in part.iter().enumerate() {
                slopes[*j] = by_scale * total.value[0][lane] + scale * total.slope[0][lane];
            }
        });
        // In the order of the points, so that the sum does not depend on their lengths.
        slopes.iter().zip(w).for_each(|(slope, w)| out[0] += w * slope);
    }
}

impl PreparePoint<str> for Subsequence {
    type Prepared = Sequence;

    #[inline(always)]
    fn prepare(&self, text: &str) -> Sequence {
        let mut x = Sequence { text: text.into(), letters: self.letters(text), own: 0.0 };
        x.own = self.eval(&x, &x);
        x
    }

    fn held(&self, x: &Sequence) -> usize {
        x.text.len() + size_of_val(&x.letters[..])
    }

    fn refusal(&self, text: &str) -> Option<(String, String)> {
        let most = (MOST_STEPS / self.p as u64).isqrt() as usize;
        let units = match self.unit {
            Unit::Char => "characters",
            Unit::Word => "words",
        };
        let count = self.count(text);
        (count > most)
            .then(|| (format!("texts of at most {most} {units} for p = {}", self.p), format!("{count} {units}")))
    }
}

impl Kernel<str> for Subsequence {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.eval(&self.prepare(x), &self.prepare(y))
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;
    use crate::chance::Chance;
    use crate::testkit::sequences::{Said, any_seed, as_spelt_out, long_rounds};
    use crate::testkit::{laws, tol};

    /// All places i₁ < … < i_p in 0..n.
    fn places(n: usize, p: usize) -> Vec<Vec<usize>> {
        if p == 0 {
            return vec![Vec::new()];
        }
        let longer = |head: Vec<usize>| {
            let start = head.last().map_or(0, |i| i + 1);
            (start..n).map(move |i| [head.clone(), vec![i]].concat())
        };
        places(n, p - 1).into_iter().flat_map(longer).collect()
    }

    /// φ(x), subsequence by subsequence.
    fn features<T: Copy + Eq + Hash>(x: &[T], p: usize, decay: f64) -> HashMap<Vec<T>, f64> {
        let mut features = HashMap::new();
        for i in places(x.len(), p) {
            let span = (i[p - 1] - i[0] + 1) as i32;
            *features.entry(i.iter().map(|at| x[*at]).collect()).or_insert(0.0) += decay.powi(span);
        }
        features
    }

    /// The definition: ⟨φ(x), φ(y)⟩.
    fn spelt_out<T: Copy + Eq + Hash>(x: &[T], y: &[T], p: usize, decay: f64) -> f64 {
        let (x, y) = (features(x, p, decay), features(y, p, decay));
        x.iter().map(|(u, a)| a * y.get(u).copied().unwrap_or(0.0)).sum()
    }

    fn by_chars(p: usize, decay: f64) -> impl Fn(&str, &str) -> f64 {
        move |x, y| {
            let [x, y] = [x, y].map(|t| t.chars().collect::<Vec<char>>());
            spelt_out(&x, &y, p, decay)
        }
    }

    fn by_words(x: &str, y: &str) -> f64 {
        let [x, y] = [x, y].map(|t| t.split_whitespace().collect::<Vec<&str>>());
        spelt_out(&x, &y, 2, 0.8)
    }

    #[test]
    fn laws_hold() {
        laws::text_kernel("subsequence(p=1, decay=0.3)", by_chars(1, 0.3), tol::round(20));
        laws::text_kernel("subsequence(p=2)", by_chars(2, 0.5), tol::round(20));
        laws::text_kernel("ssk(p=3, decay=0.9)", by_chars(3, 0.9), tol::round(20));
        laws::text_kernel("subsequence(p=2, decay=0.8, unit=word)", by_words, tol::round(20));
        laws::text_kernel("normalize(subsequence(p=2))", |x, y| normalized(by_chars(2, 0.5), x, y), tol::round(20));
    }

    fn normalized(k: impl Fn(&str, &str) -> f64, x: &str, y: &str) -> f64 {
        let norm = (k(x, x) * k(y, y)).sqrt();
        if norm > 0.0 { k(x, y) / norm } else { 0.0 }
    }

    #[test]
    fn published_values_come_out() {
        let value = |p: usize, decay: f64, x: &str, y: &str| {
            let k = Subsequence::new(p, decay, Unit::Char);
            normalized(|x, y| k.eval(x, y), x, y)
        };
        assert!((value(2, 0.7, "cat", "car") - 1.0 / (2.0 + 0.49)).abs() < tol::round(4));
        // Lodhi et al. (2002), §4.
        let (x, y) = ("science is organized knowledge", "wisdom is organized life");
        for (p, expected) in [0.849, 0.580, 0.478, 0.439, 0.406, 0.369].into_iter().enumerate() {
            // Three digits are printed; some are cut, not rounded.
            let got = value(p + 1, 0.5, x, y);
            assert!((got - expected).abs() < 1e-3, "p = {}: {got}", p + 1);
        }
    }

    /// Texts of 0 to 12 letters from an alphabet of 1 to 5, some of several bytes.
    fn drawn(chance: &mut Chance) -> String {
        let letters = 1 + chance.below(5);
        (0..chance.below(13)).map(|_| ['a', 'ß', '語', 'd', '𝛌'][chance.below(letters)]).collect()
    }

    /// One text beside others, all lanes at once.
    fn said(k: &Subsequence, x: &str, others: &[String], spelt_out: impl Fn(&str, &str) -> f64) -> Vec<Said> {
        let (first, ready): (_, Vec<Sequence>) = (k.prepare(x), others.iter().map(|y| k.prepare(y)).collect());
        let mut values = vec![f64::NAN; others.len()];
        k.eval_many(&first, &ready.iter().collect::<Vec<_>>(), &mut values);
        let said = others.iter().zip(&ready).zip(values).map(|((y, ready), value)| {
            let of = format!("p = {}, decay = {}, {x:?}, {y:?}", k.p, k.decay);
            assert_eq!(value, k.eval(&first, ready), "{of}, alone");
            Said { of, value, turned: k.eval(ready, &first), expected: spelt_out(x, y) }
        });
        said.collect()
    }

    /// One text beside up to nineteen others.
    fn beside_others(chance: &mut Chance) -> Vec<Said> {
        let (p, decay) = (1 + chance.below(8), 0.05 + 0.9 * chance.unit());
        let x = drawn(chance);
        let others: Vec<String> = (0..chance.below(20)).map(|_| drawn(chance)).collect();
        said(&Subsequence::new(p, decay, Unit::Char), &x, &others, by_chars(p, decay))
    }

    #[test]
    fn any_texts_are_as_spelt_out() {
        as_spelt_out(20, 1, beside_others);
    }

    /// The recursion of Lodhi et al., definition 2, a level after the other: `before[i][j]` is K′ of the level below for the first i and
    /// j letters.
    fn tabled(x: &str, y: &str, p: usize, decay: f64) -> f64 {
        let [x, y] = [x, y].map(|t| t.chars().collect::<Vec<char>>());
        let mut before = vec![vec![1.0; y.len() + 1]; x.len() + 1];
        let mut value = 0.0;
        for _ in 0..p {
            let mut here = vec![vec![0.0; y.len() + 1]; x.len() + 1];
            value = 0.0;
            for i in 1..=x.len() {
                let mut along = 0.0;
                for j in 1..=y.len() {
                    let matched = if x[i - 1] == y[j - 1] { decay * decay * before[i - 1][j - 1] } else { 0.0 };
                    along = decay * along + matched;
                    here[i][j] = decay * here[i - 1][j] + along;
                    value += matched;
                }
            }
            before = here;
        }
        value
    }

    /// Texts around p letters and up to 200, from an alphabet of 1 to 26.
    fn of_any_length(chance: &mut Chance, p: usize) -> String {
        let (letters, long) = (1 + chance.below(26), chance.below(201));
        let length = [0, 1, p - 1, p, p + 1, long, long, long][chance.below(8)];
        (0..length).map(|_| char::from(b'a' + chance.below(letters) as u8)).collect()
    }

    /// One text beside up to nineteen others of unequal lengths, with more levels than registers hold and without decay, too.
    fn beside_any_length(chance: &mut Chance) -> Vec<Said> {
        let p = 1 + chance.below(20);
        let decay = if chance.below(4) == 0 { 1.0 } else { 1.0 - 0.95 * chance.unit() };
        let x = of_any_length(chance, p);
        let others: Vec<String> = (0..chance.below(20)).map(|_| of_any_length(chance, p)).collect();
        said(&Subsequence::new(p, decay, Unit::Char), &x, &others, |x, y| tabled(x, y, p, decay))
    }

    #[test]
    fn any_lengths_are_as_tabled() {
        as_spelt_out(40, 2, beside_any_length);
    }

    /// Values are computed with the vectors of this processor, derivatives and what comes with them as on any.
    #[test]
    fn values_are_those_that_derivatives_come_with() {
        let mut chance = Chance::new(3);
        for p in 1..30 {
            let k = Subsequence::new(p, 0.05 + 0.95 * chance.unit(), Unit::Char);
            let texts: Vec<Sequence> = (0..6).map(|_| k.prepare(&of_any_length(&mut chance, p))).collect();
            let (mut values, mut beside) = (Vec::new(), Vec::new());
            let others: Vec<&Sequence> = texts.iter().collect();
            k.each_group(&texts[0], &others, |_, total: Values<2>| values.push(total));
            k.each_group(&texts[0], &others, |_, total: Tangent<2>| beside.push(total.value));
            assert_eq!(values, beside, "p = {p}");
        }
    }

    #[test]
    #[ignore = "long; see CONTRIBUTING.md"]
    fn attacked_for_long() {
        as_spelt_out(long_rounds(200), any_seed(), beside_others);
        as_spelt_out(long_rounds(200), any_seed(), beside_any_length);
    }

    #[test]
    fn longer_than_the_text_is_zero_and_long_texts_are_refused() {
        let k = Subsequence::new(5, 0.5, Unit::Char);
        assert_eq!(k.eval("abcd", "abcdabcd"), 0.0);
        assert_eq!(k.eval("", ""), 0.0);
        let long = "ab".repeat(500_000);
        let refused = k.refusal(&long).expect("a million is too many");
        assert_eq!(refused, ("texts of at most 20724 characters for p = 5".into(), "1000000 characters".into()));
        assert!(Subsequence::new(5, 0.5, Unit::Word).refusal(&long).is_none());
    }
}
