//! The gapped k-mer kernel.

use crate::error::{Error, Result};
use crate::kernel::property::{Finding, ProofRule, Property, Standing};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, Leaf, Setting};

use super::hamming_scheme::choose;
use super::{Alphabet, ByDistance, HammingScheme, Strands, Windows, alphabet, windows};

/// The gapped k-mer kernel: windows of l letters that agree in k places, wherever these are.
///
/// **Definition** k(x, y) = Σ h(d(a, b)) over the windows a of x and b of y, d the number of places in which they differ, with
/// h by `filter`:
///
/// - `count`: h(d) = C(l − d, k), the number of choices of k places in which a and b agree.
/// - `full`: h(d) = b^−ˡ Σ_{w ≤ k} Kr_w(d), Kr the [Krawtchouk polynomials](super::HammingScheme::krawtchouk): the projection of
///   counts of l letters on what counts of k letters with gaps say of them.
/// - `truncated`: let g(d) be that of `full`, and 0 from its first negative value on. h(d) = Σ_u g(d(a, u))·g(d(u, b)) over all
///   words u.
///
/// These are LS-GKM's kernels 0, 1 and 2, which it normalises. With its cut they are not positive definite, and `normalize` refuses
/// them; `normalize(gapped_kmer(…))` without `max_mismatches` is the kernel to use.
///
/// **Parameters** l `l`, default 10; k `k` ≤ l, default 6; `filter` `count` (default), `full` or `truncated`; `max_mismatches`:
/// pairs of windows that differ in more places are left out, default 32, which leaves nothing out; `alphabet` `dna`
/// (default), `protein` or `bytes`, which also bounds l: 32, 12 or 8 letters; `reverse_complement` `no` (default) or `yes`,
/// which adds the sum with the other strand of y. Lower case counts as upper case, and U as T. Windows with an unknown
/// letter, such as N, are left out. Several text columns add up.
///
/// **Properties** positive definite on strings where nothing is left out: `count` adds up one spectrum kernel for each choice of
/// places, `full` is a projection, `truncated` a square. With `max_mismatches` it depends: the kernel is positive definite if
/// and only if no eigenvalue of its [scheme](super::HammingScheme) is negative, which is computed. LS-GKM's own choices,
/// l = 11, k = 7 or l = 10, k = 6 with 3 mismatches, are not positive definite. A sequence without l known letters in a row has
/// no windows, and its kernel values are 0.
///
/// **Cost** per point, its length; per pair, about an instruction for each pair of different windows. Products with the whole
/// matrix need no pairs: [`WordTable`](crate::gram::WordTable).
///
/// **Reference** Ghandi, Lee, Mohammad-Noori & Beer (2014), "Enhanced regulatory sequence prediction using gapped k-mer
/// features", *PLoS Computational Biology* 10; Lee (2016), "LS-GKM: a new gkm-SVM for large-scale datasets",
/// *Bioinformatics* 32.
///
/// ```
/// # use mercer::kernel::Kernel;
/// # use mercer::kernel::sequence::GappedKmer;
/// let k = GappedKmer { l: 4, k: 2, ..GappedKmer::default() };
/// // ACGT and ACTT agree in three places, of which there are three pairs.
/// assert_eq!(k.eval("ACGT", "ACTT"), 3.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GappedKmer {
    /// l.
    pub l: usize,
    /// k.
    pub k: usize,
    /// What a pair of windows counts for.
    pub filter: Filter,
    /// Places in which windows may differ.
    pub max_mismatches: usize,
    /// Which characters are letters.
    pub alphabet: Alphabet,
    /// Whether the other strand counts.
    pub strands: Strands,
}

/// What a pair of windows counts for, by the number of places in which they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The choices of k places in which they agree.
    Count,
    /// The projection of counts on gapped k-mers.
    Full,
    /// That projection cut before its first negative value, squared.
    Truncated,
}

/// Leaves nothing out: no window has more letters.
const NO_CUT: u32 = 32;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "gapped_kmer",
    aliases: &["gkm"],
    summary: "windows of l letters that agree in k places",
    definition: "Σ_{a, b} h(d(a, b)) over windows a of x and b of y that differ in d places",
    domain: Domain::TEXT,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) counts k letters at any k places of windows")
        .by_settings(judged),
    settings: &[
        SettingSpec {
            name: "l",
            summary: "letters of a window",
            kind: SettingKind::Integer { default: 10, min: 1, max: 32 },
            aliases: &[],
        },
        SettingSpec {
            name: "k",
            summary: "places in which windows agree",
            kind: SettingKind::Integer { default: 6, min: 1, max: 32 },
            aliases: &[],
        },
        SettingSpec {
            name: "filter",
            summary: "what a pair of windows counts for",
            kind: SettingKind::Choice { options: &["count", "full", "truncated"] },
            aliases: &[],
        },
        SettingSpec {
            name: "max_mismatches",
            summary: "pairs of windows that differ in more places are left out",
            kind: SettingKind::Integer { default: NO_CUT, min: 0, max: NO_CUT },
            aliases: &[],
        },
        alphabet::SETTING,
        windows::STRANDS,
    ],
};

impl Default for GappedKmer {
    /// The settings of a formula that gives none.
    fn default() -> Self {
        GappedKmer {
            l: 10,
            k: 6,
            filter: Filter::Count,
            max_mismatches: NO_CUT as usize,
            alphabet: Alphabet::Dna,
            strands: Strands::One,
        }
    }
}

impl GappedKmer {
    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        GappedKmer {
            l: leaf.integer("l") as usize,
            k: leaf.integer("k") as usize,
            filter: match leaf.setting("filter") {
                Some(Setting::Choice("full")) => Filter::Full,
                Some(Setting::Choice("truncated")) => Filter::Truncated,
                _ => Filter::Count,
            },
            max_mismatches: leaf.integer("max_mismatches") as usize,
            alphabet: Alphabet::of(leaf),
            strands: Strands::of(leaf),
        }
    }

    /// The same kernel as a function of distances.
    pub fn by_distance(&self) -> Result<ByDistance> {
        let windows = Windows::new(self.alphabet, self.l, self.strands)?;
        if self.k == 0 || self.k > self.l {
            return Err(Error::invalid("kernel `gapped_kmer`", "k", self.k, format!("from 1 to l = {}", self.l)));
        }
        let scheme = HammingScheme::new(self.alphabet.letters(), self.l)?;
        let mut h = match self.filter {
            Filter::Count => (0..=self.l).map(|d| choose(self.l - d, self.k) as f64).collect(),
            Filter::Full => projection(scheme, self.k),
            Filter::Truncated => squared(scheme, &cut(projection(scheme, self.k))),
        };
        h.truncate(self.max_mismatches.saturating_add(1));
        ByDistance::new(windows, h)
    }

    /// Whether some pair of windows that counts is left out.
    fn is_cut(&self, kernel: &ByDistance) -> bool {
        let whole = GappedKmer { max_mismatches: NO_CUT as usize, ..*self };
        whole.by_distance().is_ok_and(|whole| whole.h().len() > kernel.h().len())
    }
}

/// The projection on functions of k places: b^−ˡ·Σ_{w ≤ k} Kr_w(d), each from an exact whole number.
fn projection(scheme: HammingScheme, k: usize) -> Vec<f64> {
    let value = |d: usize| (0..=k).map(|w| scheme.krawtchouk(w, d)).sum::<i128>() as f64 / scheme.words() as f64;
    (0..=scheme.length()).map(value).collect()
}

/// 0 from the first negative value on.
fn cut(mut g: Vec<f64>) -> Vec<f64> {
    g.truncate(g.iter().position(|g| *g < 0.0).unwrap_or(g.len()));
    g
}

/// The function of distances of the square of a matrix G[a, u] = g(d(a, u)).
fn squared(scheme: HammingScheme, g: &[f64]) -> Vec<f64> {
    let value = |d: usize| {
        let pairs = (0..g.len()).flat_map(|i| (0..g.len()).map(move |j| (i, j)));
        pairs.map(|(i, j)| scheme.common(d, i, j) as f64 * g[i] * g[j]).sum()
    };
    (0..=scheme.length()).map(value).collect()
}

/// What is known of the kernel with the settings of a leaf.
fn judged(leaf: &Leaf) -> Finding {
    let kernel = GappedKmer::of(leaf);
    let proved = |because: String| Finding::proved(Standing::PositiveDefinite, ProofRule::FeatureMap, because);
    let Ok(by_distance) = kernel.by_distance() else {
        return Finding::unproved(Standing::Unknown, "its settings do not fit together".into());
    };
    if !kernel.is_cut(&by_distance) {
        return proved(match kernel.filter {
            Filter::Count => "φ(x) counts k letters at any k places of windows".into(),
            Filter::Full => "φ(x) is the projection of the counts of windows on functions of k places".into(),
            Filter::Truncated => "φ(x) = G·c(x) for the counts c of windows and h(d(a, b)) = (G·G)[a, b]".into(),
        });
    }
    match by_distance.scheme().smallest(by_distance.h()) {
        Some((w, least)) if least < 0.0 => Finding::unproved(
            Standing::Indefinite,
            format!("h has the eigenvalue {least:.3e} < 0 on interactions of {w} places; leave `max_mismatches` away"),
        ),
        Some((w, least)) => proved(format!("h is a sum of projections, the smallest factor {least:.3e} at {w} places")),
        None => Finding::unproved(Standing::Unknown, "the sign of an eigenvalue of h is lost in rounding".into()),
    }
}

impl Kernel<str> for GappedKmer {
    /// 0 where the settings do not fit together, which [`by_distance`](GappedKmer::by_distance) says.
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.by_distance().map_or(0.0, |kernel| kernel.eval(x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelExpr;
    use crate::testkit::sequences::{Naive, attack, dna, laws_on, long_rounds, random};
    use crate::testkit::{points::Chance, tol};

    /// Letters at k places of windows, each choice of places a feature of its own.
    fn counts(l: usize, k: usize, letters: &'static [u8], both: bool) -> impl Fn(&str, &str) -> f64 {
        let naive = Naive { letters, length: l, both };
        move |x, y| {
            let (x, y) = (naive.windows(x), naive.windows(y));
            let places: Vec<u32> = (0..1u32 << l).filter(|s| s.count_ones() as usize == k).collect();
            let agree = |s: u32, a: &[u8], b: &[u8]| (0..l).all(|p| s >> p & 1 == 0 || a[p] == b[p]);
            let pairs = x.iter().flat_map(|a| y.iter().map(move |b| (a, b)));
            let sum: f64 = pairs.map(|(a, b)| places.iter().filter(|s| agree(**s, a, b)).count() as f64).sum();
            if both { sum / 2.0 } else { sum }
        }
    }

    /// Σ_u g(d(a, u))·g(d(u, b)) over all words u, g from the products of characters of places.
    fn filtered(l: usize, k: usize, letters: &'static [u8], both: bool, truncated: bool) -> impl Fn(&str, &str) -> f64 {
        let naive = Naive { letters, length: l, both };
        let b = letters.len() as f64;
        // The projection on functions of exactly the places S is ⊗ (I − J/b) on S and J/b elsewhere.
        let mut g: Vec<f64> = (0..=l)
            .map(|d| {
                let one = |s: u32| -> f64 {
                    (0..l)
                        .map(|p| if s >> p & 1 == 0 { 1.0 / b } else { f64::from(u8::from(p >= d)) - 1.0 / b })
                        .product()
                };
                (0..1u32 << l).filter(|s| s.count_ones() as usize <= k).map(one).sum()
            })
            .collect();
        if truncated {
            let end = g.iter().position(|g| *g < -1e-12).unwrap_or(g.len());
            g[end..].fill(0.0);
        }
        move |x, y| naive.kernel(x, y, |u, a| g[u.iter().zip(a).filter(|(u, a)| u != a).count()])
    }

    #[test]
    fn laws_hold() {
        laws_on("gapped_kmer(l=4, k=2)", &dna(), counts(4, 2, b"ACGT", false), tol::EXACT);
        laws_on("gkm(l=6, k=6, reverse_complement=yes)", &dna(), counts(6, 6, b"ACGT", true), tol::EXACT);
        let proteins = counts(3, 2, b"ACDEFGHIKLMNPQRSTVWY", false);
        laws_on("gapped_kmer(l=3, k=2, alphabet=protein)", &dna(), proteins, tol::EXACT);
        laws_on("gkm(l=4, k=2, filter=full)", &dna(), filtered(4, 2, b"ACGT", false, false), tol::FEW_ROWS);
        let truncated = filtered(4, 3, b"ACGT", true, true);
        laws_on("gkm(l=4, k=3, filter=truncated, reverse_complement=yes)", &dna(), truncated, tol::FEW_ROWS);
    }

    /// A kernel, written anew.
    type Definition = Box<dyn Fn(&str, &str) -> f64>;

    fn random_kernel(
        settings: &str,
        (l, k): (usize, usize),
        letters: &'static [u8],
        both: bool,
    ) -> (String, Definition, f64) {
        let k = k.max(1);
        match (l + k) % 3 {
            0 => (format!("gkm(l={l}, k={k}{settings})"), Box::new(counts(l, k, letters, both)), tol::EXACT),
            1 => {
                let formula = format!("gkm(l={l}, k={k}, filter=full{settings})");
                (formula, Box::new(filtered(l, k, letters, both, false)), tol::FEW_ROWS)
            }
            _ => {
                let formula = format!("gkm(l={l}, k={k}, filter=truncated{settings})");
                (formula, Box::new(filtered(l, k, letters, both, true)), tol::FEW_ROWS)
            }
        }
    }

    #[test]
    fn random_sequences_have_the_values_of_all_words() {
        attack(20, 31, random_kernel);
    }

    #[test]
    #[ignore = "minutes"]
    fn attacked_for_long() {
        attack(long_rounds(500), 32, random_kernel);
    }

    /// Values of LS-GKM's truncated filter, relative to h(0), computed independently to six digits.
    #[test]
    fn truncated_filters_have_the_values_of_ls_gkm() {
        for (l, k, expected) in [
            (11, 7, [1.0, 0.274593, 0.0605406, 0.00806725, 0.000474544, 0.0]),
            (10, 6, [1.0, 0.328628, 0.0881524, 0.0163852, 0.00148956, 0.0]),
        ] {
            let kernel = GappedKmer { l, k, filter: Filter::Truncated, ..GappedKmer::default() };
            let kernel = kernel.by_distance().expect("fits");
            for (d, expected) in expected.iter().enumerate() {
                let got = kernel.h().get(d).map_or(0.0, |h| h / kernel.h()[0]);
                assert!((got - expected).abs() <= 5e-6 * expected, "({l}, {k}) at {d}: {got} for {expected}");
            }
        }
    }

    #[test]
    fn eigenvalues_certify_what_is_positive_definite() {
        for (l, k, least) in [(11, 7, -0.0048), (10, 6, -0.0484)] {
            let kernel = GappedKmer { l, k, filter: Filter::Truncated, ..GappedKmer::default() };
            let smallest = |kernel: GappedKmer| {
                let kernel = kernel.by_distance().expect("fits");
                kernel.scheme().eigenvalues(kernel.h()).into_iter().fold(f64::INFINITY, f64::min)
            };
            let got = smallest(GappedKmer { max_mismatches: 3, ..kernel });
            assert!((got - least).abs() < 5e-5, "({l}, {k}): {got}");
            assert!(smallest(kernel) > 0.0);
        }
        let standing = |formula: &str| KernelExpr::parse(formula).expect("reads").standing();
        for formula in ["gkm", "gkm(filter=full)", "gkm(filter=truncated)", "gkm(filter=truncated, max_mismatches=10)"]
        {
            assert_eq!(standing(formula), Standing::PositiveDefinite, "{formula}");
        }
        for formula in ["gkm(filter=truncated, max_mismatches=3)", "gkm(l=11, k=7, filter=truncated, max_mismatches=3)"]
        {
            assert_eq!(standing(formula), Standing::Indefinite, "{formula}");
            let judged = KernelExpr::parse(formula).expect("reads").judge();
            assert!(judged.reason.contains("< 0 on interactions of"), "{}", judged.reason);
        }
        // Cut, and positive definite all the same: the windows that are left are equal.
        assert_eq!(standing("gkm(l=8, k=4, max_mismatches=0)"), Standing::PositiveDefinite);
        assert_eq!(standing("gkm(l=3, k=4)"), Standing::Unknown);
    }

    /// A refuted kernel has a Gram matrix with a negative eigenvalue: that of all words.
    #[test]
    fn a_negative_eigenvalue_is_found_in_a_matrix() {
        let kernel = GappedKmer { l: 4, k: 2, max_mismatches: 1, ..GappedKmer::default() };
        let by_distance = kernel.by_distance().expect("fits");
        let least = by_distance.scheme().smallest(by_distance.h()).expect("certain").1;
        let words: Vec<String> =
            (0..256u32).map(|u| (0..4).map(|p| char::from(b"ACGT"[(u >> (2 * p) & 3) as usize])).collect()).collect();
        let matrix: Vec<f64> =
            words.iter().flat_map(|x| words.iter().map(|y| by_distance.eval(x.as_str(), y))).collect();
        let smallest = crate::linalg::symmetric_eigenvalues(&matrix, 256).expect("finite")[0];
        assert!(
            least < 0.0 && (smallest - least).abs() < tol::round(256) * by_distance.h()[0] * 256.0,
            "{smallest}, {least}"
        );
    }

    #[test]
    fn cuts_leave_pairs_out() {
        let mut chance = Chance::new(8);
        let [x, y] = [0, 1].map(|_| random(&mut chance, b"ACGT", 40));
        let kernel = GappedKmer { l: 6, k: 3, ..GappedKmer::default() };
        let parts = |max_mismatches: usize| GappedKmer { max_mismatches, ..kernel }.eval(&x, &y);
        assert!(parts(0) <= parts(1) && parts(1) < parts(3));
        assert_eq!(parts(3), kernel.eval(&x, &y), "windows of six letters that agree in three differ in three");
    }
}
