//! Splits of rows into two groups, as bits.

use crate::chance::Chance;

/// Rows whose bits stand in one word.
pub(super) const CHUNK: usize = 48;

/// Which rows are in the first group, for many splits: bit i of word (chunk, b) stands for row 48·chunk + i of split b.
#[derive(Debug)]
pub(super) struct Groups {
    splits: usize,
    words: Vec<u64>,
}

impl Groups {
    /// The splits of n rows that `next` draws, at most `count`; it is given each time the words of a split, all 0.
    pub(super) fn drawn(n: usize, count: usize, mut next: impl FnMut(&mut [u64]) -> bool) -> Self {
        let chunks = n.div_ceil(CHUNK);
        let mut one = vec![0; chunks];
        let mut columns: Vec<u64> = Vec::with_capacity(chunks * count);
        while columns.len() < chunks * count && next(&mut one) {
            columns.extend_from_slice(&one);
            one.fill(0);
        }
        let splits = columns.len() / chunks.max(1);
        let words = (0..chunks).flat_map(|c| columns.iter().skip(c).step_by(chunks)).copied().collect();
        Groups { splits, words }
    }

    /// Number of splits.
    pub(super) fn len(&self) -> usize {
        self.splits
    }

    /// The words of all splits for a chunk of rows.
    pub(super) fn chunk(&self, chunk: usize) -> &[u64] {
        &self.words[chunk * self.splits..(chunk + 1) * self.splits]
    }

    /// Σᵢ vᵢ over the first group, for every split.
    pub(super) fn sums(&self, v: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.splits];
        for (c, part) in v.chunks(CHUNK).enumerate() {
            let tables: Vec<[f64; 16]> = part.chunks(4).map(subset_sums).collect();
            for (word, sum) in self.chunk(c).iter().zip(&mut sums) {
                *sum += tables.iter().enumerate().map(|(g, t)| t[nibble(*word, g)]).sum::<f64>();
            }
        }
        sums
    }
}

/// The sums of all subsets of at most four numbers.
fn subset_sums(values: &[f64]) -> [f64; 16] {
    let mut sums = [0.0; 16];
    for s in 1usize..16 {
        let lowest = s.trailing_zeros() as usize;
        sums[s] = sums[s & (s - 1)] + values.get(lowest).copied().unwrap_or(0.0);
    }
    sums
}

/// Four bits of a word.
#[inline(always)]
pub(super) fn nibble(word: u64, at: usize) -> usize {
    ((word >> (4 * at)) & 15) as usize
}

/// Marks a row.
fn mark(words: &mut [u64], row: usize) {
    words[row / CHUNK] |= 1 << (row % CHUNK);
}

/// Where splits of N rows into m and the others come from.
#[derive(Debug)]
pub(super) enum Splits {
    /// Drawn by chance, each as likely as the others.
    ByChance { order: Vec<u32>, m: usize, chance: Chance },
    /// All of them, the observed one first; nothing after the last.
    All { next: Option<Vec<usize>>, n: usize },
}

impl Splits {
    pub(super) fn by_chance(n: usize, m: usize, seed: u64) -> Self {
        // Rows are counted in 32 bits, which the test has checked.
        Splits::ByChance { order: (0..n as u32).collect(), m, chance: Chance::new(seed) }
    }

    pub(super) fn all(n: usize, m: usize) -> Self {
        Splits::All { next: Some((0..m).collect()), n }
    }

    /// Marks the rows of the next split's first group.
    pub(super) fn next(&mut self, words: &mut [u64]) -> bool {
        match self {
            Splits::ByChance { order, m, chance } => {
                drawn(order, *m, chance, words);
                true
            }
            Splits::All { next, n } => {
                let Some(rows) = next else { return false };
                rows.iter().for_each(|row| mark(words, *row));
                if !following(rows, *n) {
                    *next = None;
                }
                true
            }
        }
    }
}

/// Draws the smaller group without return, from an order that draws before have left: that is as good as any other.
fn drawn(order: &mut [u32], m: usize, chance: &mut Chance, words: &mut [u64]) {
    let n = order.len();
    let fewer = m.min(n - m);
    for i in 0..fewer {
        order.swap(i, i + chance.below(n - i));
    }
    let first = if fewer == m { &order[..m] } else { &order[fewer..] };
    first.iter().for_each(|row| mark(words, *row as usize));
}

/// The next subset in the order of dictionaries.
fn following(rows: &mut [usize], n: usize) -> bool {
    let m = rows.len();
    let Some(i) = (0..m).rev().find(|i| rows[*i] < n - m + i) else { return false };
    rows[i] += 1;
    (i + 1..m).for_each(|j| rows[j] = rows[j - 1] + 1);
    true
}

/// The number of splits, C(n, m), if it is not above `most`.
pub(super) fn number_of_splits(n: usize, m: usize, most: usize) -> Option<usize> {
    let mut count: u128 = 1;
    for i in 0..m.min(n - m) as u128 {
        count = count * (n as u128 - i) / (i + 1);
        if count > most as u128 {
            return None;
        }
    }
    Some(count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(groups: &Groups, b: usize, n: usize) -> Vec<usize> {
        (0..n).filter(|i| groups.chunk(i / CHUNK)[b] >> (i % CHUNK) & 1 == 1).collect()
    }

    #[test]
    fn all_splits_are_there_once() {
        let mut splits = Splits::all(6, 2);
        let groups = Groups::drawn(6, 99, |words| splits.next(words));
        let all: std::collections::BTreeSet<Vec<usize>> = (0..groups.len()).map(|b| members(&groups, b, 6)).collect();
        assert_eq!((groups.len(), all.len()), (15, 15));
        assert_eq!(members(&groups, 0, 6), [0, 1]);
        assert_eq!(number_of_splits(6, 2, 15), Some(15));
        assert_eq!((number_of_splits(6, 2, 14), number_of_splits(16, 8, 12870)), (None, Some(12870)));
        assert_eq!(number_of_splits(4_000_000, 2_000_000, usize::MAX), None);
    }

    #[test]
    fn splits_by_chance_do_not_depend_on_portions() {
        for (n, m) in [(100, 7), (100, 93), (49, 24)] {
            let mut splits = Splits::by_chance(n, m, 3);
            let all = Groups::drawn(n, 20, |words| splits.next(words));
            let mut splits = Splits::by_chance(n, m, 3);
            let first = Groups::drawn(n, 8, |words| splits.next(words));
            let rest = Groups::drawn(n, 12, |words| splits.next(words));
            for b in 0..20 {
                let portion = if b < 8 { members(&first, b, n) } else { members(&rest, b - 8, n) };
                assert_eq!(members(&all, b, n), portion);
                assert_eq!(portion.len(), m);
            }
            let v: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let sums = all.sums(&v);
            assert!((0..20).all(|b| sums[b] == members(&all, b, n).iter().sum::<usize>() as f64));
        }
    }

    /// Every subset of two of five rows is as likely as the others: χ² of 9 degrees is below 27.9 but once in a thousand.
    #[test]
    fn splits_by_chance_are_equally_likely() {
        let mut splits = Splits::by_chance(5, 2, 1);
        let groups = Groups::drawn(5, 20_000, |words| splits.next(words));
        let mut counts = std::collections::HashMap::new();
        groups.chunk(0).iter().for_each(|word| *counts.entry(*word).or_insert(0.0) += 1.0);
        let chi: f64 = counts.values().map(|c: &f64| (c - 2000.0) * (c - 2000.0) / 2000.0).sum();
        assert!(counts.len() == 10 && chi < 27.9, "{chi}");
    }
}
