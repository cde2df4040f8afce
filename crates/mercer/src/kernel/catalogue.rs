//! The list of kernels that formulas know by name.

use crate::data::StructuredType;

use super::spec::{Domain, KernelSpec};
use super::{alignment, bag, category, sequence, set, text, vector};

macro_rules! kinds {
    ($(#[doc = $doc:literal] $(#[cfg($when:meta)])? $kind:ident => $spec:expr),* $(,)?) => {
        /// A kernel that formulas know by name; its [`KernelSpec`] says all about it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind { $(#[doc = $doc] $(#[cfg($when)])? $kind),* }

        impl Kind {
            /// Every kernel, in the order of the catalogue.
            pub const ALL: &'static [Kind] = &[$($(#[cfg($when)])? Kind::$kind),*];

            /// What the kernel's file says of it.
            pub fn spec(self) -> &'static KernelSpec {
                match self { $($(#[cfg($when)])? Kind::$kind => { const SPEC: &KernelSpec = &$spec; SPEC }),* }
            }
        }
    };
}

kinds! {
    /// Inner product.
    Linear => vector::linear::SPEC,
    /// (γ⟨x, y⟩ + c)ᵈ.
    Poly => vector::poly::SPEC,
    /// Polynomial of the inner product with non-negative coefficients.
    GeneralPoly => vector::general_poly::SPEC,
    /// Exponential of the inner product.
    Exponential => vector::exponential::SPEC,
    /// Cosine of the angle.
    Cosine => vector::cosine::SPEC,
    /// Arc-cosine.
    ArcCosine => vector::arc_cosine::SPEC,
    /// Gaussian.
    Rbf => vector::rbf::SPEC,
    /// Laplace of the Euclidean distance.
    Laplace => vector::laplace::SPEC,
    /// Laplace of the Manhattan distance.
    LaplaceL1 => vector::laplace_l1::SPEC,
    /// Matérn, ν = ½.
    Matern12 => vector::matern12::SPEC,
    /// Matérn, ν = 3/2.
    Matern32 => vector::matern32::SPEC,
    /// Matérn, ν = 5/2.
    Matern52 => vector::matern52::SPEC,
    /// Rational quadratic.
    RationalQuadratic => vector::rational_quadratic::SPEC,
    /// Cauchy.
    Cauchy => vector::cauchy::SPEC,
    /// Periodic.
    Periodic => vector::periodic::SPEC,
    /// ANOVA.
    Anova => vector::anova::SPEC,
    /// Additive.
    Additive => vector::additive::SPEC,
    /// Min.
    Min => vector::min::SPEC,
    /// Min over max.
    MinMax => vector::minmax::SPEC,
    /// Tanimoto.
    Tanimoto => vector::tanimoto::SPEC,
    /// Exponential of the χ² distance.
    Chi2 => vector::chi2::SPEC,
    /// Additive χ².
    AdditiveChi2 => vector::additive_chi2::SPEC,
    /// Hellinger.
    Hellinger => vector::hellinger::SPEC,
    /// Cubic spline.
    Spline => vector::spline::SPEC,
    /// Energy distance; conditionally positive definite.
    Energy => vector::energy::SPEC,
    /// Thin-plate spline; conditionally positive definite.
    ThinPlate => vector::thin_plate::SPEC,
    /// Sigmoid; not positive definite.
    Sigmoid => vector::sigmoid::SPEC,
    /// Delta of categories.
    Delta => category::delta::SPEC,
    /// Hamming of categories.
    Hamming => category::hamming::SPEC,
    /// Levels in an order.
    Ordinal => category::ordinal::SPEC,
    /// n-grams of text.
    Ngram => text::ngram::SPEC,
    /// Weighted n-grams of text.
    Tfidf => text::tfidf::SPEC,
    /// Levels of paths.
    Hierarchy => text::hierarchy::SPEC,
    /// Jaccard of sets.
    Jaccard => set::jaccard::SPEC,
    /// Intersection of sets.
    Intersection => set::intersection::SPEC,
    /// Mean embeddings of bags.
    MeanEmbedding => bag::mean_embedding::SPEC,
    /// Subsequences of text.
    Subsequence => alignment::subsequence::SPEC,
    /// Blocks of text at the same places.
    WeightedDegree => alignment::weighted_degree::SPEC,
    /// Local alignments of sequences.
    LocalAlignment => alignment::local_alignment::SPEC,
    /// Blocks of similar letters.
    Substitution => alignment::substitution::SPEC,
    /// Words of sequences with letters exchanged.
    Mismatch => sequence::mismatch::SPEC,
    /// Gapped k-mers of sequences.
    GappedKmer => sequence::gapped_kmer::SPEC,
    /// Whole numbers that two intervals share.
    #[cfg(test)]
    SharedNumbers => super::interval::shared_numbers::SPEC,
    /// Laplace of the middles of intervals.
    #[cfg(test)]
    Middles => super::interval::middles::SPEC,
    /// Exponential of the symmetric difference of intervals.
    #[cfg(test)]
    SymmetricDifference => super::interval::difference::SPEC,
    /// A matrix made elsewhere.
    Precomputed => super::leaf::PRECOMPUTED,
}

/// The kernel of this name or alias.
pub fn by_name(name: &str) -> Option<Kind> {
    Kind::ALL.iter().copied().find(|k| k.spec().name == name || k.spec().aliases.contains(&name))
}

impl Kind {
    /// The first kernel of the list that reads columns of this type: the one to suggest.
    pub fn first_of(kind: &StructuredType) -> Option<Kind> {
        let reads = |k: &Kind| matches!(k.spec().domain, Domain::Structured(own) if own == kind);
        Kind::ALL.iter().copied().find(reads)
    }
}
