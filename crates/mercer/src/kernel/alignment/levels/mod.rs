//! The recursion of subsequences along two texts, level by level.
//!
//! Lodhi et al., definition 2, without the λ² of every match: with s and t the texts up to here and a, b their next letters, for levels
//! i = 1 … p − 1 and K′₀ = 1,
//!
//! K″ᵢ(sa, tb) = λK″ᵢ(sa, t) + \[a = b\]K′ᵢ₋₁(s, t), K′ᵢ(sa, tb) = λK′ᵢ(s, tb) + K″ᵢ(sa, tb), k/λ²ᵖ = Σ \[a = b\]K′ₚ₋₁(s, t).
//!
//! **Rows that slide.** A letter of the first text makes a row of K′, place by place of the second text. At a place it reads the row before
//! there and one place earlier, and nothing reads the earlier place again: the new number is written there. So every row lies one place
//! lower than the one before. What is needed of K′ is loaded where it is needed, and registers hold K″ alone: eight levels fit, so
//! that a row is walked once and letters are compared once. In place, K′ of the place before would have to wait in registers as well.
//!
//! **Levels that count.** A level is walked from the letter on that can be its last one, and only while enough letters can follow to make p
//! of them. Numbers beyond are 0, or never read.

#[cfg(target_arch = "x86_64")]
mod avx2;

use std::ops::Range;

use super::lanes::{Letters, Number, Tangent, Values, same};

/// Levels whose sums along the text registers hold, whatever the processor.
const PORTABLE: usize = 2;
/// The same with sixteen registers of a vector each.
const AVX2: usize = 8;
/// Rows after which the table is moved back up: few enough to stay in the nearest cache for the levels that are common (14 kB for p = 8).
const SLIDE: usize = 64;

/// K′ of all levels at all places of the second text, for the first text up to a letter.
pub(super) struct Levels<const V: usize, N> {
    /// Levels of place 0, where there is no letter yet, then of place 1, and so on; below them, room to slide.
    cells: Vec<Cell<N>>,
    /// Cells below the first row.
    room: usize,
    /// Where place 0 begins.
    start: usize,
    /// Cells of a row.
    row: usize,
    /// Cells of a place, which are p − 1.
    width: usize,
}

impl<const V: usize, N> Default for Levels<V, N> {
    fn default() -> Self {
        Levels { cells: Vec::new(), room: 0, start: 0, row: 0, width: 0 }
    }
}

impl<const V: usize, N: Walk<V>> Levels<V, N> {
    /// k/λ²ᵖ of all pairs.
    #[inline(always)]
    pub(super) fn total(&mut self, first: &[Letters<V>], second: &[Letters<V>], p: usize, decay: f64) -> N {
        let mut total = N::ZERO;
        if first.len().min(second.len()) < p {
            return total;
        }
        self.begin(first.len(), second.len(), p - 1);
        for (at, letter) in first.iter().enumerate() {
            let row = Row { letter, second, decay, width: p - 1 };
            // With this letter `at + 1` levels can be full; those below `at + p − |s|` cannot come to p any more.
            let lowest = (at + p).saturating_sub(first.len()).min(p.saturating_sub(2));
            let levels = lowest..(at + 1).min(p - 1);
            let ends = levels.end == p - 1;
            let sum = if p == 1 { row.matches() } else { self.extend(&row, levels) };
            total = if ends { total.plus(sum) } else { total };
        }
        total
    }

    /// Some levels with one more letter; answers Σ \[a = b\]K′ of the highest, up to the letters before. The highest go first, since each reads the
    /// level below as the letter before has left it.
    #[inline(always)]
    fn extend(&mut self, row: &Row<'_, V>, levels: Range<usize>) -> N {
        let cells = self.slide();
        let share = share(levels.len(), N::together());
        let (mut top, mut highest) = (levels.end, None);
        while top > levels.start {
            let bottom = top.saturating_sub(share).max(levels.start);
            let sum = N::walk(row, bottom..top, cells);
            (top, highest) = (bottom, highest.or(Some(sum)));
        }
        highest.unwrap_or(N::ZERO)
    }

    /// An empty text: K′ = 0.
    fn begin(&mut self, rows: usize, places: usize, width: usize) {
        self.room = SLIDE.min(rows) * width;
        (self.start, self.row, self.width) = (self.room, (places + 1) * width, width);
        if self.cells.len() < self.room + self.row {
            self.cells.resize(self.room + self.row, Cell(N::ZERO));
        }
        self.cells[self.start..][..self.row].fill(Cell(N::ZERO));
    }

    /// Makes room for the next row, and answers the one that is there.
    fn slide(&mut self) -> &mut [Cell<N>] {
        if self.start == 0 {
            self.start = self.room;
            self.cells.copy_within(..self.row, self.start);
        }
        let old = self.start;
        self.start -= self.width;
        self.cells[self.start..old].fill(Cell(N::ZERO));
        &mut self.cells[old..][..self.row]
    }
}

/// A level at a place. No vector of it lies across two lines of the cache.
#[repr(align(32))]
#[derive(Clone, Copy)]
pub(super) struct Cell<N>(N);

/// One more letter of the first text.
pub(super) struct Row<'a, const V: usize> {
    letter: &'a Letters<V>,
    second: &'a [Letters<V>],
    decay: f64,
    width: usize,
}

impl<const V: usize> Row<'_, V> {
    /// Σ \[a = b\] along the second text.
    #[inline(always)]
    fn matches<N: Number<V>>(&self) -> N {
        let mut sum = N::ZERO;
        for b in self.second {
            sum = sum.plus(N::ONE.masked(&same(self.letter, b)));
        }
        sum
    }

    /// One or two levels.
    #[inline(always)]
    fn walk_portable<N: Number<V>>(&self, levels: Range<usize>, cells: &mut [Cell<N>]) -> N {
        match levels.len() {
            1 => self.walk::<N, 1>(levels.start, cells),
            _ => self.walk::<N, PORTABLE>(levels.start, cells),
        }
    }

    /// Some levels, the lowest of which stands on level `bottom` (0 is K′₀): the row of the letter before, place by place, becomes that of
    /// this letter, one place lower. Answers Σ \[a = b\]K′ of the highest of them.
    #[inline(always)]
    fn walk<N: Number<V>, const LEVELS: usize>(&self, bottom: usize, cells: &mut [Cell<N>]) -> N {
        let (mut along, mut sum) = ([N::ZERO; LEVELS], N::ZERO);
        for (b, at) in self.second.iter().zip((0..).step_by(self.width)) {
            let mask = same(self.letter, b);
            let (earlier, here) = cells[at..at + 2 * self.width].split_at_mut(self.width);
            let (below, earlier) = earlier.split_at_mut(bottom);
            let (earlier, here) = (&mut earlier[..LEVELS], &here[bottom..bottom + LEVELS]);
            sum = sum.plus(earlier[LEVELS - 1].0.masked(&mask));
            // Downwards, since a level reads the one below as the letter before has left it.
            for level in (0..LEVELS).rev() {
                let under = if level > 0 { earlier[level - 1].0 } else { below.last().map_or(N::ONE, |below| below.0) };
                along[level] = along[level].decayed(self.decay, under.masked(&mask));
                earlier[level].0 = here[level].0.decayed(self.decay, along[level]);
            }
        }
        sum
    }
}

/// Numbers that can be walked with along the second text.
pub(super) trait Walk<const V: usize>: Number<V> {
    /// Levels that are walked with at once: as many as registers hold.
    fn together() -> usize {
        PORTABLE
    }

    /// Brings at most that many levels of all places to the letter of `row`, see [`Row::walk`].
    #[inline(always)]
    fn walk(row: &Row<'_, V>, levels: Range<usize>, cells: &mut [Cell<Self>]) -> Self {
        row.walk_portable(levels, cells)
    }
}

impl<const V: usize> Walk<V> for Tangent<V> {}

impl<const V: usize> Walk<V> for Values<V> {
    fn together() -> usize {
        if has_avx2() { AVX2 } else { PORTABLE }
    }

    #[inline(always)]
    fn walk(row: &Row<'_, V>, levels: Range<usize>, cells: &mut [Cell<Self>]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { avx2::walk(row, levels, cells) };
        }
        row.walk_portable(levels, cells)
    }
}

/// Whether there are vectors of 256 bits with fused multiply-adds.
fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The size of parts of some levels, as similar as can be.
fn share(levels: usize, most: usize) -> usize {
    // Divisions take as long as several places, and few kernels need them.
    if levels <= most { levels } else { levels.div_ceil(levels.div_ceil(most)) }
}
