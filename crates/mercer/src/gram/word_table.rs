//! A number for every word, and products with functions of the Hamming distance that touch no pair of words.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::kernel::PreparePoint;
use crate::kernel::sequence::{Alphabet, ByDistance, HammingScheme, Windows, Words};
use crate::linalg::filled;
use crate::run::{Reservation, Run};

/// Words of a table, at most: 512 MiB. DNA has as many of 13 letters, proteins of 6, bytes of 3.
const MOST_WORDS: u128 = 1 << 26;
/// Numbers that stay in the nearest cache.
const NEAR: usize = 4096;
/// Numbers that a thread takes from each of b places at a time.
const FAR: usize = 1024;

/// A number t(u) for each of the bᴸ words u of L letters.
///
/// **Smoothing** replaces t by H·t, H[u, v] = h(d(u, v)) a function of the number of places in which words differ, in O(L·bᴸ)
/// operations instead of b²ᴸ.
///
/// *Proof.* By [`HammingScheme`], Q^⊗ᴸ·H·Q^⊗ᴸ is diagonal for any symmetric orthogonal b×b matrix Q whose first row is
/// constant, with λ_w at a word of w digits that are not 0. So H = Q^⊗ᴸ·Λ·Q^⊗ᴸ, and Q^⊗ᴸ is one application of Q along each of
/// the L places. Q is the reflection that exchanges e₀ and (1, …, 1)/√b: with s = Σ tᵢ/√b, it takes t₀ to s and every other
/// tᵢ to tᵢ + (t₀ − s)/(√b − 1), in 2b operations. ∎ For DNA √b = 2, and nothing but halving is ever rounded.
///
/// For sequences xᵢ with the counts cᵢ of their windows, a kernel [by distance](ByDistance) is K[i, j] = cᵢᵀ·H·cⱼ. Therefore
///
/// - **products**: K·α is: add up αᵢ·cᵢ in a table, smooth it, and add up the table over the windows of each xᵢ. No pair of
///   sequences is ever looked at; [`apply`](super::apply) does so by itself where there are sequences enough.
/// - **prediction**: f(x) = Σᵢ αᵢ·k(xᵢ, x) is the sum of the smoothed table over the windows of x, however many xᵢ there
///   were. The table is all that a deployed model needs, and says what each word is worth.
///
/// ```
/// # use mercer::{Run, gram::WordTable, kernel::{Kernel, GappedKmer}};
/// let (k, run) = (GappedKmer { l: 4, k: 2, ..GappedKmer::default() }, Run::new());
/// let table = WordTable::scores(&k.by_distance()?, &["GATTACA", "CATTAG"], &[1.0, -0.5], &run)?;
/// assert_eq!(table.score("ATTACC"), k.eval("GATTACA", "ATTACC") - 0.5 * k.eval("CATTAG", "ATTACC"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct WordTable {
    windows: Windows,
    values: Vec<f64>,
    _reservation: Reservation,
}

impl WordTable {
    /// A table of zeros; refused where there are too many words.
    pub fn new(windows: Windows, run: &Run) -> Result<Self> {
        let scheme = scheme(windows)?;
        if !Self::fits(windows) {
            let must =
                format!("at most {} with the alphabet `{}`", longest(windows.alphabet()), windows.alphabet().name());
            return Err(Error::invalid("a table of all words", "the word length", windows.length(), must));
        }
        let alternative = "use shorter words, or kernel values of pairs";
        let (values, reservation) = filled(scheme.words(), 0.0, "a table of all words", alternative, run)?;
        Ok(WordTable { windows, values, _reservation: reservation })
    }

    /// Whether a table of these words is not too large.
    pub(super) fn fits(windows: Windows) -> bool {
        scheme(windows).is_ok_and(|scheme| scheme.words() <= MOST_WORDS)
    }

    /// The table of f = Σᵢ αᵢ·k(xᵢ, ·): what [`score`](Self::score) needs of a model.
    pub fn scores(kernel: &ByDistance, sequences: &[&str], coefficients: &[f64], run: &Run) -> Result<Self> {
        if sequences.len() != coefficients.len() {
            return Err(Error::shape("the coefficients", sequences.len(), coefficients.len()));
        }
        let mut table = WordTable::new(kernel.windows(), run)?;
        for (sequence, coefficient) in sequences.iter().zip(coefficients) {
            table.add(&kernel.prepare(sequence), *coefficient);
        }
        table.smooth(kernel.h(), run)?;
        Ok(table)
    }

    /// t(u) += α·c(u) for the counts c of the windows of a sequence.
    pub fn add(&mut self, words: &Words, alpha: f64) {
        for (word, count) in words.counted() {
            self.values[self.windows.index(*word)] += alpha * *count as f64;
        }
    }

    /// t ← H·t for the function of distances h(0), h(1), ….
    pub fn smooth(&mut self, h: &[f64], run: &Run) -> Result<()> {
        let transform = Transform::new(scheme(self.windows)?);
        let task = run.task("smoothing", Some(2 * transform.steps()));
        let eigenvalues = scheme(self.windows)?.eigenvalues(h);
        run.install(|| transform.smooth(&mut self.values, &eigenvalues, || task.step_or_cancel()))
    }

    /// Σ t(u) over the windows u of a sequence, of both strands where both count.
    pub fn sum(&self, words: &Words) -> f64 {
        let (windows, values) = (self.windows, &self.values);
        words.strands().map(|(word, count)| values[windows.index(word)] * count as f64).sum()
    }

    /// [`sum`](Self::sum) of a sequence that is not prepared: the prediction of a table of [`scores`](Self::scores).
    pub fn score(&self, sequence: &str) -> f64 {
        self.sum(&Words::new(self.windows, sequence))
    }

    /// t(u) of a word as it stands; `None` where it is not one.
    pub fn get(&self, word: &str) -> Option<f64> {
        match self.windows.of(word)[..] {
            [only] if word.len() == self.windows.length() => Some(self.values[self.windows.index(only)]),
            _ => None,
        }
    }

    /// All numbers. The place of a word is [`Windows::index`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }
}

fn scheme(windows: Windows) -> Result<HammingScheme> {
    HammingScheme::new(windows.alphabet().letters(), windows.length())
}

/// Letters of the longest words of which there is a table.
fn longest(alphabet: Alphabet) -> u32 {
    MOST_WORDS.ilog(alphabet.letters() as u128)
}

/// Q^⊗ᴸ, in two parts: places whose words lie near each other, a chunk of the table at a time, and the others.
pub(super) struct Transform {
    letters: usize,
    length: usize,
    /// Places of a chunk.
    low: usize,
    chunk: usize,
    /// Places that are not 0, for each word of a chunk.
    weights: Vec<u8>,
}

impl Transform {
    pub(super) fn new(scheme: HammingScheme) -> Self {
        let (letters, length) = (scheme.letters(), scheme.length());
        let low = (NEAR.ilog(letters) as usize).clamp(1, length);
        let chunk = letters.pow(low as u32);
        let mut weights = vec![0u8];
        for _ in 0..low {
            // The next digit is 0 in the first part of the longer list.
            let others = weights.iter().map(|w| w + 1).collect::<Vec<_>>();
            (1..letters).for_each(|_| weights.extend_from_slice(&others));
        }
        Transform { letters, length, low, chunk, weights }
    }

    /// t ← Q^⊗ᴸ·Λ·Q^⊗ᴸ·t.
    pub(super) fn smooth(&self, t: &mut [f64], eigenvalues: &[f64], step: impl Fn() -> Result<()>) -> Result<()> {
        self.near(t, &step)?;
        self.far(t, &step)?;
        self.weigh(t, eigenvalues);
        self.far(t, &step)?;
        self.near(t, &step)
    }

    /// Steps of one direction.
    fn steps(&self) -> u64 {
        (1 + self.length - self.low) as u64
    }

    /// Q along the low places.
    fn near(&self, values: &mut [f64], step: impl Fn() -> Result<()>) -> Result<()> {
        values.par_chunks_mut(self.chunk).for_each(|chunk| {
            for p in 0..self.low {
                let stride = self.letters.pow(p as u32);
                for block in chunk.chunks_mut(stride * self.letters) {
                    reflect_block(block, stride);
                }
            }
        });
        step()
    }

    /// Q along the others.
    fn far(&self, values: &mut [f64], step: impl Fn() -> Result<()>) -> Result<()> {
        for p in self.low..self.length {
            let stride = self.letters.pow(p as u32);
            let mut parts = Vec::new();
            for block in values.chunks_mut(stride * self.letters) {
                let mut rows: Vec<_> = block.chunks_mut(stride).map(|row| row.chunks_mut(FAR)).collect();
                while let Some(part) = rows.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
                    parts.push(part);
                }
            }
            parts.par_iter_mut().for_each(|part| reflect(part));
            step()?;
        }
        Ok(())
    }

    /// t(u) ← λ_w·t(u), w the places of u that are not 0, divided by nothing: Q is orthogonal.
    fn weigh(&self, values: &mut [f64], eigenvalues: &[f64]) {
        values.par_chunks_mut(self.chunk).enumerate().for_each(|(mut high, chunk)| {
            let mut outside = 0;
            while high > 0 {
                outside += usize::from(!high.is_multiple_of(self.letters));
                high /= self.letters;
            }
            let own = &eigenvalues[outside..];
            chunk.iter_mut().zip(&self.weights).for_each(|(t, w)| *t *= own[usize::from(*w)]);
        });
    }
}

crate::linalg::simd::dispatch! {
    /// Q along the rows of a block, whose `stride` columns are independent.
    pub(crate) fn reflect_block(block: &mut [f64], stride: usize) {
        if stride == 1 {
            return reflect_row(block);
        }
        let mut rows: Vec<&mut [f64]> = block.chunks_mut(stride).collect();
        reflect_rows(&mut rows);
    }
}

crate::linalg::simd::dispatch! {
    /// Q along rows that lie apart.
    pub(crate) fn reflect(rows: &mut [&mut [f64]]) {
        reflect_rows(rows);
    }
}

/// Q of one vector.
#[inline(always)]
fn reflect_row(row: &mut [f64]) {
    let root = (row.len() as f64).sqrt();
    let s = row.iter().sum::<f64>() / root;
    let shift = (row[0] - s) / (root - 1.0);
    row.iter_mut().for_each(|t| *t += shift);
    row[0] = s;
}

/// Q of every column, several columns at a time.
#[inline(always)]
fn reflect_rows(rows: &mut [&mut [f64]]) {
    /// Columns whose sums are kept aside.
    const COLUMNS: usize = 64;
    let root = (rows.len() as f64).sqrt();
    let (by, over) = (1.0 / root, 1.0 / (root - 1.0));
    let width = rows[0].len();
    for start in (0..width).step_by(COLUMNS) {
        let end = (start + COLUMNS).min(width);
        let (mut sums, mut shifts) = ([0.0; COLUMNS], [0.0; COLUMNS]);
        for row in rows.iter() {
            sums.iter_mut().zip(&row[start..end]).for_each(|(s, t)| *s += t);
        }
        for ((shift, s), t) in shifts.iter_mut().zip(&mut sums).zip(&mut rows[0][start..end]) {
            *s *= by;
            *shift = (*t - *s) * over;
            *t = *s;
        }
        for row in &mut rows[1..] {
            row[start..end].iter_mut().zip(&shifts).for_each(|(t, shift)| *t += shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    fn digits(mut u: usize, letters: usize, length: usize) -> Vec<usize> {
        (0..length)
            .map(|_| {
                let digit = u % letters;
                u /= letters;
                digit
            })
            .collect()
    }

    /// H·t by the transform, for any alphabet.
    fn smoothed(scheme: HammingScheme, h: &[f64], mut t: Vec<f64>) -> Vec<f64> {
        let transform = Transform::new(scheme);
        transform.smooth(&mut t, &scheme.eigenvalues(h), || Ok(())).expect("not stopped");
        t
    }

    #[test]
    fn smoothing_is_the_product_with_all_pairs_of_words() {
        let mut chance = Chance::new(41);
        for (letters, length) in [(2, 1), (2, 9), (3, 5), (4, 1), (4, 5), (5, 4), (20, 2)] {
            let scheme = HammingScheme::new(letters, length).expect("small");
            let n = scheme.words() as usize;
            let words: Vec<Vec<usize>> = (0..n).map(|u| digits(u, letters, length)).collect();
            let h: Vec<f64> = (0..=length).map(|_| chance.normal()).collect();
            let t: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
            let got = smoothed(scheme, &h, t.clone());
            // The transform is orthogonal: what is lost is relative to the norms of H and t.
            let norm = t.iter().map(|t| t * t).sum::<f64>().sqrt();
            let largest = scheme.eigenvalues(&h).iter().fold(0.0f64, |a, l| a.max(l.abs()));
            for (u, got) in words.iter().zip(got) {
                let distance = |v: &[usize]| u.iter().zip(v).filter(|(a, b)| a != b).count();
                let expected: f64 = words.iter().zip(&t).map(|(v, t)| h[distance(v)] * t).sum();
                assert!(
                    (got - expected).abs() <= tol::round(letters * length) * largest * norm,
                    "{letters}, {length}: {got}"
                );
            }
        }
    }

    /// Tables of more than a chunk, against the words near one word.
    #[test]
    fn smoothing_reaches_all_places() {
        for (letters, length) in [(2, 14), (3, 9), (4, 8), (20, 4)] {
            let scheme = HammingScheme::new(letters, length).expect("small");
            let n = scheme.words() as usize;
            let h: Vec<f64> = (0..=length).map(|d| 1.0 / (1.0 + d as f64)).collect();
            let at = 7919 % n;
            let mut t = vec![0.0; n];
            t[at] = 1.0;
            let largest = scheme.eigenvalues(&h).iter().fold(0.0f64, |a, l| a.max(l.abs()));
            let word = digits(at, letters, length);
            for (u, got) in smoothed(scheme, &h, t).into_iter().enumerate().step_by(37) {
                let d = digits(u, letters, length).iter().zip(&word).filter(|(a, b)| a != b).count();
                assert!((got - h[d]).abs() <= tol::round(letters * length) * largest, "{letters}, {length}: {got}");
            }
        }
    }

    /// Whole numbers stay exact for DNA.
    #[test]
    fn counts_of_dna_are_exact() {
        let scheme = HammingScheme::new(4, 6).expect("small");
        let mut chance = Chance::new(42);
        let t: Vec<f64> = (0..4096).map(|_| chance.below(5) as f64).collect();
        let h = [20.0, 10.0, 4.0, 1.0];
        for u in [0usize, 1, 77, 4095] {
            let expected: f64 = (0..4096)
                .map(|v| {
                    let d = digits(u, 4, 6).iter().zip(digits(v, 4, 6)).filter(|(a, b)| **a != *b).count();
                    h.get(d).copied().unwrap_or(0.0) * t[v]
                })
                .sum();
            assert_eq!(smoothed(scheme, &h, t.clone())[u], expected);
        }
    }

    #[test]
    fn tables_that_are_too_large_are_refused() {
        use crate::kernel::sequence::Strands;
        let windows = |alphabet, length| Windows::new(alphabet, length, Strands::One).expect("fits");
        let run = Run::new();
        let error = WordTable::new(windows(Alphabet::Dna, 14), &run).expect_err("too large");
        assert!(error.to_string().contains("at most 13 with the alphabet `dna`"), "{error}");
        assert!(WordTable::new(windows(Alphabet::Protein, 7), &run).is_err());
        assert!(WordTable::new(windows(Alphabet::Bytes, 3), &run).is_ok());
        let table = WordTable::new(windows(Alphabet::Dna, 3), &run).expect("small");
        assert_eq!(
            (table.get("ACG"), table.get("ACGT"), table.get("AC"), table.get("ACN")),
            (Some(0.0), None, None, None)
        );
    }
}
