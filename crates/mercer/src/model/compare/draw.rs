//! Permutations by chance.

use crate::chance::Chance;

/// Permutations of the numbers below n, drawn one after the other from a seed, each as likely as the others.
///
/// The first ones are the same however many are drawn, and in whatever portions.
///
/// ```
/// use mercer::model::compare::Permutations;
/// let all: Vec<Vec<u32>> = Permutations::new(5, 7).take(4).collect();
/// let mut again = Permutations::new(5, 7);
/// assert_eq!(again.next().as_ref(), all.first());
/// let mut sorted = all[3].clone();
/// sorted.sort_unstable();
/// assert_eq!(sorted, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Debug)]
pub struct Permutations {
    n: u32,
    chance: Chance,
}

impl Permutations {
    /// Permutations of 0..n; rows are counted in 32 bits.
    pub fn new(n: u32, seed: u64) -> Self {
        Permutations { n, chance: Chance::new(seed) }
    }
}

impl Iterator for Permutations {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.n).collect();
        self.chance.shuffle(&mut order);
        Some(order)
    }
}
