//! The list of losses that are known by name.

use super::spec::LossSpec;

macro_rules! losses {
    ($($file:ident :: $loss:ident),* $(,)?) => {
        $(pub use super::$file::$loss;)*

        impl LossSpec {
            /// Every loss, in the order of the catalogue.
            pub const ALL: &'static [LossSpec] = &[$($loss::SPEC),*];
        }
    };
}

losses! {
    squared::Squared,
    huber::Huber,
    absolute::Absolute,
    epsilon_insensitive::EpsilonInsensitive,
    pinball::Pinball,
    logistic::Logistic,
    squared_hinge::SquaredHinge,
    hinge::Hinge,
    tanh::Tanh,
}

impl LossSpec {
    /// The loss of this name.
    pub fn find(name: &str) -> Option<&'static LossSpec> {
        Self::ALL.iter().find(|spec| spec.name == name)
    }

    /// Every name, in the order of the catalogue.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|spec| spec.name)
    }
}
