//! The mismatch kernel.

use crate::error::{Error, Result};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, Leaf};

use super::{Alphabet, ByDistance, HammingScheme, Strands, Windows, alphabet, windows};

/// The mismatch kernel: words that occur in two sequences with at most m letters exchanged.
///
/// **Definition** k(x, y) = Σ over words u of k letters of cₓ(u)·c_y(u), c(u) how many windows of a sequence differ from u in at
/// most m places. The sum over all bᵏ words is not taken: k(x, y) = Σ h(d(a, b)) over the windows a of x and b of y, where
/// d is the number of places in which they differ and h(d) = Σ_{i, j ≤ m} Σₜ C(k−d, t)(b−1)ᵗ·C(d, r)(b−2)ʳ·C(d−r, i−t−r),
/// r = i+j−d−2t, is the number of words within m of both.
///
/// **Parameters** k `k` ≥ 1, default 5; m `m` ≥ 0, at most k, default 1; `alphabet` `dna` (default), `protein` or `bytes`, which
/// also bounds k: 32, 12 or 8 letters; `reverse_complement` `no` (default) or `yes`, which adds the sum with the other strand
/// of y. Lower case counts as upper case, and U as T. Windows with an unknown letter, such as N, are left out. Several text
/// columns add up. Use `normalize(mismatch(…))` for sequences of different lengths.
///
/// **Properties** positive definite on strings (the counts c are the feature map; both strands: half of the kernel of the
/// counts of both). With m = 0 it is the spectrum kernel. A sequence without k known letters in a row has no windows, and
/// its kernel values are 0.
///
/// **Cost** per point, its length; per pair, about an instruction for each pair of different windows. Where there are few words,
/// their counts are kept instead, and a pair costs one product for each word that occurs. Products with the whole matrix need no
/// pairs: [`WordTable`](crate::gram::WordTable).
///
/// **Reference** Leslie, Eskin, Cohen, Weston & Noble (2004), "Mismatch string kernels for discriminative protein
/// classification", *Bioinformatics* 20, §2.
///
/// ```
/// # use mercer::kernel::Kernel;
/// # use mercer::kernel::sequence::{Alphabet, Mismatch, Strands};
/// let k = Mismatch { k: 3, m: 1, alphabet: Alphabet::Dna, strands: Strands::One };
/// // ten words are within one letter of ACG, and four within one letter of ACG and of ACT
/// assert_eq!(k.eval("ACG", "acgN"), 10.0);
/// assert_eq!(k.eval("ACG", "ACT"), 4.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mismatch {
    /// k.
    pub k: usize,
    /// m.
    pub m: usize,
    /// Which characters are letters.
    pub alphabet: Alphabet,
    /// Whether the other strand counts.
    pub strands: Strands,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "mismatch",
    aliases: &[],
    summary: "shared words of k letters with at most m exchanged",
    definition: "Σ_u count_x(u)·count_y(u) over words u, counting windows within m letters of u",
    domain: Domain::TEXT,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) counts for each word the windows of x near it"),
    settings: &[
        SettingSpec {
            name: "k",
            summary: "length of the words",
            kind: SettingKind::Integer { default: 5, min: 1, max: 32 },
            aliases: &[],
        },
        SettingSpec {
            name: "m",
            summary: "letters that may be exchanged",
            kind: SettingKind::Integer { default: 1, min: 0, max: 32 },
            aliases: &[],
        },
        alphabet::SETTING,
        windows::STRANDS,
    ],
};

impl Mismatch {
    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        Mismatch {
            k: leaf.integer("k") as usize,
            m: leaf.integer("m") as usize,
            alphabet: Alphabet::of(leaf),
            strands: Strands::of(leaf),
        }
    }

    /// The same kernel as a function of distances, in which no word u occurs.
    pub fn by_distance(&self) -> Result<ByDistance> {
        let windows = Windows::new(self.alphabet, self.k, self.strands)?;
        if self.m > self.k {
            return Err(Error::invalid("kernel `mismatch`", "m", self.m, format!("at most k = {}", self.k)));
        }
        let scheme = HammingScheme::new(self.alphabet.letters(), self.k)?;
        let near = |d: usize| {
            let pairs = (0..=self.m).flat_map(|i| (0..=self.m).map(move |j| (i, j)));
            pairs.map(|(i, j)| scheme.common(d, i, j)).sum::<i128>() as f64
        };
        ByDistance::new(windows, (0..=self.k).map(near).collect())
    }
}

impl Kernel<str> for Mismatch {
    /// 0 where the settings do not fit together, which [`by_distance`](Mismatch::by_distance) says.
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.by_distance().map_or(0.0, |kernel| kernel.eval(x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::sequences::{Naive, attack, dna, laws_on, long_rounds};
    use crate::testkit::tol;

    /// The definition with all words enumerated.
    fn definition(k: usize, m: usize, letters: &'static [u8], both: bool) -> impl Fn(&str, &str) -> f64 {
        let naive = Naive { letters, length: k, both };
        let near = move |u: &[u8], a: &[u8]| f64::from(u8::from(u.iter().zip(a).filter(|(u, a)| u != a).count() <= m));
        move |x, y| naive.kernel(x, y, near)
    }

    #[test]
    fn laws_hold() {
        laws_on("mismatch(k=3, m=1)", &dna(), definition(3, 1, b"ACGT", false), tol::EXACT);
        laws_on("mismatch(k=4, m=2, reverse_complement=yes)", &dna(), definition(4, 2, b"ACGT", true), tol::EXACT);
        laws_on("mismatch(k=3, m=0)", &dna(), definition(3, 0, b"ACGT", false), tol::EXACT);
        let proteins = definition(2, 1, b"ACDEFGHIKLMNPQRSTVWY", false);
        laws_on("mismatch(k=2, m=1, alphabet=protein)", &dna(), proteins, tol::EXACT);
        crate::testkit::laws::text_kernel(
            "mismatch(k=3, m=0, alphabet=bytes)",
            |x, y| {
                let same = |a: &[u8]| y.as_bytes().windows(3).filter(|b| *b == a).count() as f64;
                x.as_bytes().windows(3).map(same).sum()
            },
            tol::EXACT,
        );
    }

    #[test]
    fn random_sequences_have_the_values_of_all_words() {
        attack(20, 21, |kernel, (k, m), letters, both| {
            let formula = format!("mismatch(k={k}, m={m}{kernel})");
            (formula, Box::new(definition(k, m, letters, both)), tol::EXACT)
        });
    }

    #[test]
    #[ignore = "minutes"]
    fn attacked_for_long() {
        attack(long_rounds(500), 22, |kernel, (k, m), letters, both| {
            let formula = format!("mismatch(k={k}, m={m}{kernel})");
            (formula, Box::new(definition(k, m, letters, both)), tol::EXACT)
        });
    }

    #[test]
    fn settings_that_do_not_fit_are_refused() {
        let kernel = Mismatch { k: 3, m: 4, alphabet: Alphabet::Dna, strands: Strands::One };
        let error = kernel.by_distance().expect_err("more exchanges than letters");
        assert!(error.to_string().contains("at most k = 3"), "{error}");
        let long = Mismatch { k: 13, m: 1, alphabet: Alphabet::Protein, strands: Strands::One };
        assert!(long.by_distance().expect_err("too long").to_string().contains("from 1 to 12"));
        assert!(Mismatch { strands: Strands::Both, ..long }.by_distance().is_err());
    }
}
