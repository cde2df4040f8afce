//! The tf-idf kernel.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Features, Kernel, Leaf, Ngram};

use super::ngram::{length, made_of, unit};

/// The tf-idf kernel: the cosine of two texts, of which each is the list of its n-grams, rare ones weighing more than common ones.
///
/// **Definition** k(x, y) = ⟨φ(x), φ(y)⟩/(‖φ(x)‖·‖φ(y)‖), φ_g(x) = cₓ(g)·(ln((1 + N)/(1 + df(g))) + 1), where cₓ(g) is how often the n-gram g
/// stands in x and df(g) in how many of the N texts of the training set; n-grams of none of them are left out. 0 where either
/// text has no n-gram that is known.
///
/// **Parameters** n `n`, also called `k`, ≥ 1, default 1; `unit` `word` (default, split at white space) or `char`; `min_df`, default 1: n-grams that stand in
/// fewer texts are left out; `counts`, found in the data (`counts=data`): N, and df and g of each n-gram, `counts=["3", "2 red", "1 green"]`. A
/// fitted model keeps them, so that new texts are weighed as those of the training set were. It reads one text column, as it stands,
/// capitals included.
///
/// **Properties** positive definite on strings (normalisation of an explicit feature map, whatever the weights are); unit diagonal where a text has an
/// n-gram that is known. The weights are part of the kernel once they are found: a model with sample weights counts each row once.
///
/// **Cost** per point, its length; per pair, the number of different n-grams of the shorter text.
///
/// **Reference** Salton & Buckley (1988), "Term-weighting approaches in automatic text retrieval", Information Processing & Management 24; smoothed and normalised
/// as by scikit-learn's `TfidfVectorizer`.
///
/// ```
/// # use mercer::{KernelExpr, Run, data::{Inputs, Table, Texts}, gram::dense};
/// let notes = Texts::from_values(["red car", "red bus", "green bus"].map(Some)).into();
/// let x: Inputs = Table::new(vec![("note".into(), notes)])?.into();
/// let (kernel, _) = KernelExpr::parse("tfidf(note)")?.resolve(&x, &Run::new())?;
/// let gram = dense::<f64>(&kernel.bind(&x, &Run::new())?, &Run::new())?;
/// let (common, rare) = ((4.0f64 / 3.0).ln() + 1.0, (4.0f64 / 2.0).ln() + 1.0);
/// let cosine = common * common / ((common * common + rare * rare).sqrt() * (2.0 * common * common).sqrt());
/// assert!((gram.row(0)[1] - cosine).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tfidf {
    /// What is counted.
    pub ngrams: Ngram,
    /// The weight of each n-gram; those that are not there weigh nothing.
    weights: BTreeMap<String, f64>,
}

/// The parameter that holds the counts.
pub(crate) const COUNTS: &str = "counts";

/// N-grams that a formula may hold.
pub(crate) const MOST: usize = 100_000;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "tfidf",
    aliases: &[],
    summary: "shared words or n-grams, rare ones weighing more",
    definition: "cosine of count_x(g)·(ln((1 + N)/(1 + df(g))) + 1) over n-grams g",
    domain: Domain::TEXT,
    property: Property::positive(
        ProofRule::Normalisation,
        "of the inner product of weighted counts, with 0 where x or y has none",
    ),
    settings: &[
        length(1),
        made_of(&["word", "char"]),
        SettingSpec {
            name: "min_df",
            summary: "texts that an n-gram must stand in",
            kind: SettingKind::Integer { default: 1, min: 1, max: 1_000_000 },
            aliases: &[],
        },
        SettingSpec {
            name: COUNTS,
            summary: "number of texts, and of those with each n-gram",
            kind: SettingKind::Words { separator: '|', fault, example: "[\"3\", \"2 red\", \"1 green\"]" },
            aliases: &[],
        },
    ],
};

/// What is wrong with counts: the number of texts first, then a number of texts and an n-gram each.
fn fault(counts: &[String]) -> Option<String> {
    let Some(texts) = counts.first().and_then(|n| n.parse::<u64>().ok()).filter(|n| *n > 0) else {
        return Some("no number of texts at the beginning".into());
    };
    let mut seen = HashSet::new();
    counts[1..].iter().find_map(|entry| match count(entry) {
        None => Some(format!("`{entry}` in the place of a number and an n-gram")),
        Some((df, _)) if df == 0 || df > texts => Some(format!("`{entry}` of {texts} texts")),
        Some((_, gram)) if !seen.insert(gram) => Some(format!("`{gram}` twice")),
        Some(_) => None,
    })
}

/// The number and the n-gram of an entry.
fn count(entry: &str) -> Option<(u64, &str)> {
    let (df, gram) = entry.split_once(' ')?;
    df.parse().ok().filter(|_| !gram.is_empty()).map(|df| (df, gram))
}

impl Tfidf {
    /// The kernel that a leaf of a formula describes; nothing while its counts are to be found.
    pub(crate) fn of(leaf: &Leaf) -> Option<Self> {
        let (texts, entries) = leaf.words(COUNTS)?.split_first()?;
        let texts: f64 = texts.parse().ok()?;
        let weight = |df: u64| ((1.0 + texts) / (1.0 + df as f64)).ln() + 1.0;
        let weights = entries.iter().filter_map(|e| count(e)).map(|(df, gram)| (gram.to_owned(), weight(df))).collect();
        Some(Tfidf { ngrams: Self::ngrams_of(leaf), weights })
    }

    /// What a leaf of a formula counts.
    pub(crate) fn ngrams_of(leaf: &Leaf) -> Ngram {
        Ngram { n: leaf.integer("n") as usize, unit: unit(leaf) }
    }
}

/// As a formula holds counts: of so many texts, in how many each n-gram stands, common ones first.
pub(crate) fn entries(texts: usize, counts: HashMap<String, u32>) -> Vec<String> {
    let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
    counts.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    let entries = counts.into_iter().map(|(gram, df)| format!("{df} {gram}"));
    std::iter::once(texts.to_string()).chain(entries).collect()
}

impl Features<str> for Tfidf {
    fn each_feature(&self, text: &str, mut visit: impl FnMut(&[u8], f64)) {
        let mut counts: Vec<(String, u32)> = self.ngrams.counts(text).into_iter().collect();
        // In one order, so that sums have the same bits.
        counts.sort_unstable();
        for (gram, count) in counts {
            if let Some(weight) = self.weights.get(&gram) {
                visit(gram.as_bytes(), f64::from(count) * weight);
            }
        }
    }
}

impl Kernel<str> for Tfidf {
    fn eval(&self, x: &str, y: &str) -> f64 {
        let features = |text: &str| {
            let mut all: HashMap<Vec<u8>, f64> = HashMap::new();
            self.each_feature(text, |gram, value| all.extend([(gram.to_owned(), value)]));
            all
        };
        let (x, y) = (features(x), features(y));
        let norm = |f: &HashMap<Vec<u8>, f64>| f.values().map(|v| v * v).sum::<f64>().sqrt();
        let dot: f64 = x.iter().filter_map(|(gram, a)| y.get(gram).map(|b| a * b)).sum();
        let norms = norm(&x) * norm(&y);
        if norms > 0.0 { dot / norms } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    const WORDS: [(&str, f64); 5] = [("banana", 3.0), ("a", 1.0), ("b", 1.0), ("und", 7.0), ("Größe", 2.0)];

    /// tf-idf of the words above in nine texts, from the definition.
    fn definition(x: &str, y: &str) -> f64 {
        let features = |text: &str| {
            WORDS.map(|(word, df)| {
                let count = text.split_whitespace().filter(|w| *w == word).count() as f64;
                count * ((10.0 / (1.0 + df)).ln() + 1.0)
            })
        };
        let (x, y) = (features(x), features(y));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norms = (dot(&x, &x) * dot(&y, &y)).sqrt();
        if norms > 0.0 { dot(&x, &y) / norms } else { 0.0 }
    }

    #[test]
    fn laws_hold() {
        let entries = WORDS.map(|(word, df)| format!("\"{df} {word}\"")).join(", ");
        laws::text_kernel(&format!("tfidf(counts=[\"9\", {entries}])"), definition, tol::round(8));
    }

    #[test]
    fn counts_are_checked() {
        let refused = |counts: &str| {
            let formula = format!("tfidf(counts={counts})");
            crate::kernel::KernelExpr::parse(&formula).expect_err("refused").to_string()
        };
        for (counts, said) in [
            ("[]", "no number of texts"),
            ("\"red\"", "no number of texts"),
            ("[\"3\", \"red\"]", "in the place of"),
            ("[\"3\", \"4 red\"]", "of 3 texts"),
            ("[\"3\", \"0 red\"]", "of 3 texts"),
            ("[\"3\", \"1 red\", \"2 red\"]", "`red` twice"),
            ("[3, 4]", "takes words in quotes"),
        ] {
            assert!(refused(counts).contains(said), "{counts}: {}", refused(counts));
        }
    }
}
