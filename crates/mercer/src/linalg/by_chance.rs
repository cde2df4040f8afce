//! Vectors by chance, for searches to start from.

use crate::chance::Chance;

/// So many vectors of n standard normal numbers, one after the other; the same for the same seed.
pub(crate) fn normal_vectors(n: usize, count: usize, seed: u64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    (0..n * count).map(|_| chance.normal()).collect()
}
