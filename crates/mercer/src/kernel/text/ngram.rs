//! The n-gram kernel.

use std::collections::HashMap;

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Alias, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Features, Kernel, Leaf, Setting};

/// The n-gram kernel, also called spectrum kernel: how often two texts share an n-gram.
///
/// **Definition** k(x, y) = Σ over n-grams g of cₓ(g)·c_y(g), c(g) how often g occurs in a text.
///
/// **Parameters** n `n`, also called `k`, ≥ 1, default 3; `unit` `char` (default) or `word` (split at white space).
/// Text is compared as it stands, capitals and white space included; several text columns add up.
/// Use `normalize(ngram(…))` for texts of different lengths.
///
/// **Properties** positive definite on strings (the counts are the feature map). A text shorter
/// than n has no n-grams, and its kernel values are 0.
///
/// **Cost** per point, its length; per pair, the number of different n-grams of the shorter text.
///
/// **Reference** Leslie, Eskin & Noble (2002), "The spectrum kernel", PSB, §2.
///
/// ```
/// # use mercer::kernel::{Kernel, Ngram, Unit};
/// let k = Ngram { n: 2, unit: Unit::Char };
/// assert_eq!(k.eval("banana", "bandana"), 1.0 + 2.0 * 2.0 + 2.0 * 1.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ngram {
    /// n.
    pub n: usize,
    /// What is counted in groups of n.
    pub unit: Unit,
}

/// What an n-gram is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Characters (Unicode scalar values).
    Char,
    /// Words: what stands between white space.
    Word,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "ngram",
    aliases: &["spectrum"],
    summary: "shared character or word n-grams",
    definition: "Σ_g count_x(g)·count_y(g) over n-grams g",
    domain: Domain::TEXT,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) counts the n-grams of x"),
    settings: &[length(3), made_of(&["char", "word"])],
};

/// The setting of how long n-grams are.
pub(super) const fn length(default: u32) -> SettingSpec {
    SettingSpec {
        name: "n",
        summary: "length of the n-grams",
        kind: SettingKind::Integer { default, min: 1, max: 1000 },
        aliases: &[Alias { name: "k", to_normal: |k| k, meaning: "n" }],
    }
}

/// The setting of what they are made of, the usual first.
pub(super) const fn made_of(options: &'static [&'static str]) -> SettingSpec {
    SettingSpec {
        name: "unit",
        summary: "what an n-gram is made of",
        kind: SettingKind::Choice { options },
        aliases: &[],
    }
}

/// What the n-grams of a leaf are made of.
pub(super) fn unit(leaf: &Leaf) -> Unit {
    match leaf.setting("unit") {
        Some(Setting::Choice("word")) => Unit::Word,
        _ => Unit::Char,
    }
}

impl Ngram {
    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        Ngram { n: leaf.integer("n") as usize, unit: unit(leaf) }
    }

    /// Calls `visit` with each n-gram of `text`, in order. An n-gram of words is the slice from
    /// its first word to its last, with white space between them made single.
    pub fn each(&self, text: &str, mut visit: impl FnMut(&str)) {
        match self.unit {
            Unit::Char => {
                let ends = text.char_indices().map(|(i, _)| i).chain([text.len()]);
                let starts: Vec<usize> = ends.collect();
                for window in starts.windows(self.n + 1) {
                    visit(&text[window[0]..window[self.n]]);
                }
            }
            Unit::Word => {
                let words: Vec<&str> = text.split_whitespace().collect();
                for window in words.windows(self.n) {
                    visit(&window.join(" "));
                }
            }
        }
    }

    /// How often each n-gram occurs in `text`.
    pub fn counts(&self, text: &str) -> HashMap<String, u32> {
        let mut counts = HashMap::new();
        self.each(text, |gram| match counts.get_mut(gram) {
            Some(count) => *count += 1,
            None => {
                counts.insert(gram.to_owned(), 1);
            }
        });
        counts
    }
}

impl Features<str> for Ngram {
    fn each_feature(&self, text: &str, mut visit: impl FnMut(&[u8], f64)) {
        self.each(text, |gram| visit(gram.as_bytes(), 1.0));
    }
}

impl Kernel<str> for Ngram {
    fn eval(&self, x: &str, y: &str) -> f64 {
        let (x, y) = (self.counts(x), self.counts(y));
        x.iter().map(|(gram, a)| f64::from(*a) * y.get(gram).map_or(0.0, |b| f64::from(*b))).sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &str, y: &str) -> f64 {
        let grams = |t: &str| {
            let c: Vec<char> = t.chars().collect();
            (0..c.len().saturating_sub(2)).map(|i| c[i..i + 3].to_vec()).collect::<Vec<_>>()
        };
        let (x, y) = (grams(x), grams(y));
        x.iter().map(|g| y.iter().filter(|h| *h == g).count() as f64).sum()
    }

    fn definition_of_words(x: &str, y: &str) -> f64 {
        let (x, y): (Vec<&str>, Vec<&str>) = (x.split_whitespace().collect(), y.split_whitespace().collect());
        x.iter().map(|g| y.iter().filter(|h| *h == g).count() as f64).sum()
    }

    #[test]
    fn laws_hold() {
        laws::text_kernel("ngram(n=3)", definition, tol::EXACT);
        laws::text_kernel("ngram(n=1, unit=word)", definition_of_words, tol::EXACT);
    }

    #[test]
    fn n_is_also_called_k() {
        let parse = |formula: &str| crate::kernel::KernelExpr::parse(formula).expect("reads");
        assert_eq!(parse("spectrum(k=5)"), parse("ngram(n=5)"));
        assert_eq!(parse("spectrum(k=5)").to_string(), "ngram(n=5, unit=char)");
    }
}
