//! The reproducing kernel Hilbert space of a kernel: its functions, distances and spectrum.
//!
//! A [`Space`] is a kernel with every rule resolved, so that all that is made in it uses the same
//! numbers. Its elements are [`Function`]s Σ aᵢ·k(xᵢ, ·) over points of any type. Matrices are
//! streamed wherever a sum is all that is wanted.

mod barycentre;
mod decay;
mod distance;
mod eigenfunctions;
mod empirical;
mod factor;
mod function;
mod preimage;
mod space;
mod spectrum;
mod unary;

pub use barycentre::{Barycentre, Discrimination};
pub use decay::{Decay, DecayFit, DecayKind};
pub use distance::Distances;
pub use eigenfunctions::Eigenfunctions;
pub use empirical::EmpiricalMap;
pub use factor::{Factor, FactorReport, FeatureMap};
pub use function::Function;
pub use preimage::{PreImage, PreImageMethod, Targets as PreImageTargets};
pub use space::Space;
pub use spectrum::Spectrum;
pub use unary::UnaryMap;
