//! Sums of kernel values within groups, for many groups at once, from a matrix that is never stored.
//!
//! For a split with indicator a, 2·Σ_{i<j} aᵢaⱼKᵢⱼ is wanted. A product of matrices would take a multiplication for each of its N²/2
//! pairs and splits. Indicators are 0 or 1, so sums can be looked up instead (Arlazarov, Dinic, Kronrod & Faradžev 1970): for
//! sixteen rows and four columns the sums over all sixteen subsets of the columns are made once, and a split then adds one of them,
//! where a product would add four. docs/decisions/0024 counts what that saves.

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::simd;
use crate::run::{Run, Work};

use super::splits::{CHUNK, Groups, nibble};

/// Rows and columns of a tile: five chunks.
const TILE: usize = 5 * CHUNK;
/// Rows whose sums stand beside each other.
const ROWS: usize = 16;
/// Tables of a chunk of columns, each of the subsets of four.
const TABLES: usize = CHUNK / 4;
/// Sums that are kept apart and added in order at the end, whatever the number of threads.
const PARTS: usize = 64;

/// Sums over subsets of columns, for sixteen rows: 24 KiB, which the nearest cache holds.
type Tables = [[[f64; ROWS]; 16]; TABLES];

/// What a pass over all pairs gives beside the sums within groups.
#[derive(Debug)]
pub(super) struct Pairs {
    /// rᵢ = Σ_{j≠i} Kᵢⱼ.
    pub(super) rows: Vec<f64>,
    /// Σ_{i≠j} Kᵢⱼ².
    pub(super) squares: f64,
    /// Σ_{i≠j} |Kᵢⱼ|.
    pub(super) size: f64,
    /// Additions that a value may go through on its way into any of these sums, those within groups, or a sum of the rᵢ.
    pub(super) depth: f64,
}

/// Σ_{i≠j} aᵢaⱼKᵢⱼ for every split, and the sums over all pairs. The matrix is symmetric.
pub(super) fn within(matrix: &dyn KernelMatrix, groups: &Groups, run: &Run) -> Result<(Vec<f64>, Pairs)> {
    let n = matrix.nrows();
    let blocks = n.div_ceil(TILE);
    let tiles: Vec<[usize; 2]> = (0..blocks).flat_map(|j| (0..=j).map(move |i| [i, j])).collect();
    let parts = tiles.len().min(PARTS);
    let bytes = parts as u128 * 8 * (8 * groups.len() + n + TILE * TILE) as u128;
    let _reserved = run.reserve(bytes, "the sums of permutations", "ask for fewer permutations at a time")?;
    let task = run.task("permutations", Some(tiles.len() as u64));
    let pass = Pass { matrix, groups, n, task };
    let work = |part: usize| {
        let mut sums = Part::new(n, groups.len());
        tiles.iter().skip(part).step_by(parts).try_for_each(|tile| pass.tile(*tile, &mut sums))?;
        Ok(sums)
    };
    let found: Vec<Part> = run.install(|| (0..parts).into_par_iter().map(work).collect::<Result<_>>())?;
    let depth = TABLES + 3 + 4 * (TILE / ROWS) * (TILE / CHUNK) + tiles.len().div_ceil(PARTS) + PARTS + 4 + TILE + n;
    Ok(added(&found, n, groups.len(), depth as f64))
}

/// The sums of all parts, in order.
fn added(parts: &[Part], n: usize, splits: usize, depth: f64) -> (Vec<f64>, Pairs) {
    let mut pairs = Pairs { rows: vec![0.0; n], squares: 0.0, size: 0.0, depth };
    let mut within = vec![0.0; splits];
    for part in parts {
        pairs.rows.iter_mut().zip(&part.rows).for_each(|(r, p)| *r += p);
        pairs.squares += 2.0 * part.squares;
        pairs.size += 2.0 * part.size;
        within.iter_mut().zip(&part.within).for_each(|(w, [a, b, c, d])| *w += 2.0 * ((a + b) + (c + d)));
    }
    (within, pairs)
}

/// A pass under way.
struct Pass<'a> {
    matrix: &'a dyn KernelMatrix,
    groups: &'a Groups,
    n: usize,
    task: Work<'a>,
}

/// The sums of some tiles.
struct Part {
    within: Vec<[f64; 4]>,
    of_tile: Vec<[f64; 4]>,
    rows: Vec<f64>,
    squares: f64,
    size: f64,
    tile: Vec<f64>,
    tables: Box<Tables>,
}

impl Part {
    fn new(n: usize, splits: usize) -> Self {
        Part {
            within: vec![[0.0; 4]; splits],
            of_tile: vec![[0.0; 4]; splits],
            rows: vec![0.0; n],
            squares: 0.0,
            size: 0.0,
            tile: vec![0.0; TILE * TILE],
            tables: Box::new([[[0.0; ROWS]; 16]; TABLES]),
        }
    }
}

impl Pass<'_> {
    /// Adds the pairs of rows i of block `low` with rows j of block `high`, i < j. The tile's rows are the j, so that values of
    /// neighbouring i stand beside each other; outside of the matrix it is 0.
    fn tile(&self, [low, high]: [usize; 2], part: &mut Part) -> Result<()> {
        let range = |block: usize| block * TILE..((block + 1) * TILE).min(self.n);
        let (i, j) = (range(low), range(high));
        part.tile.fill(0.0);
        self.matrix.block(j.clone(), i.clone(), TileMut::new(&mut part.tile, TILE, j.len(), i.len()));
        if low == high {
            part.tile.chunks_mut(TILE).enumerate().for_each(|(row, values)| values[row..].fill(0.0));
        }
        self.add_pairs([i.start, j.start], part);
        part.of_tile.fill([0.0; 4]);
        for chunk in 0..j.len().div_ceil(CHUNK) {
            // On the diagonal the strips to the right of a chunk are 0.
            let width = if low == high { i.len().min((chunk + 1) * CHUNK) } else { i.len() };
            (0..width.div_ceil(ROWS)).for_each(|strip| self.strip([low, high], [strip, chunk], part));
        }
        for (sum, tile) in part.within.iter_mut().zip(&part.of_tile) {
            (0..4).for_each(|l| sum[l] += tile[l]);
        }
        self.task.step_or_cancel()
    }

    /// Sixteen rows i with a chunk of rows j.
    fn strip(&self, [low, high]: [usize; 2], [strip, chunk]: [usize; 2], part: &mut Part) {
        let per_chunk = CHUNK / ROWS;
        let columns = self.groups.chunk(high * (TILE / CHUNK) + chunk);
        let rows = self.groups.chunk(low * (TILE / CHUNK) + strip / per_chunk);
        fill(&part.tile[chunk * CHUNK * TILE + strip * ROWS..], &mut part.tables);
        let shift = ROWS * (strip % per_chunk);
        look_up(&part.tables, columns, rows, shift, &mut part.of_tile);
    }

    /// Sums of rows, squares and sizes.
    fn add_pairs(&self, [i, j]: [usize; 2], part: &mut Part) {
        let mut columns = [0.0; TILE];
        let mut rows = [0.0; TILE];
        let mut sums = [0.0; 2];
        tile_sums(&part.tile, &mut rows, &mut columns, &mut sums);
        part.rows[j..].iter_mut().zip(rows).for_each(|(r, s)| *r += s);
        part.rows[i..].iter_mut().zip(columns).for_each(|(r, s)| *r += s);
        part.squares += sums[0];
        part.size += sums[1];
    }
}

simd::dispatch! {
    /// Sums of rows and columns of a tile, of squares, and of sizes.
    pub(crate) fn tile_sums(tile: &[f64], rows: &mut [f64; TILE], columns: &mut [f64; TILE], sums: &mut [f64; 2]) {
        let mut lanes = [[0.0f64; 8]; 2];
        for (values, row) in tile.chunks_exact(TILE).zip(rows) {
            let mut own = [0.0; 8];
            for (eight, columns) in values.chunks_exact(8).zip(columns.chunks_exact_mut(8)) {
                for l in 0..8 {
                    own[l] += eight[l];
                    columns[l] += eight[l];
                    lanes[0][l] = eight[l].mul_add(eight[l], lanes[0][l]);
                    lanes[1][l] += eight[l].abs();
                }
            }
            *row = own.iter().sum();
        }
        *sums = [lanes[0].iter().sum(), lanes[1].iter().sum()];
    }
}

simd::dispatch! {
    /// Makes the sums over subsets of four columns for sixteen rows; the columns of K are rows of the tile.
    pub(crate) fn fill(tile: &[f64], tables: &mut Tables) {
        for (g, table) in tables.iter_mut().enumerate() {
            for s in 1usize..16 {
                let at = (4 * g + s.trailing_zeros() as usize) * TILE;
                let (before, values) = (table[s & (s - 1)], &tile[at..at + ROWS]);
                for l in 0..ROWS {
                    table[s][l] = before[l] + values[l];
                }
            }
        }
    }
}

/// The bits of four rows as numbers.
const ONES: [[f64; 4]; 16] = {
    let mut ones = [[0.0; 4]; 16];
    let mut s = 0;
    while s < 16 {
        let mut l = 0;
        while l < 4 {
            ones[s][l] = ((s >> l) & 1) as f64;
            l += 1;
        }
        s += 1;
    }
    ones
};

simd::dispatch! {
    /// sums += Σᵢ aᵢ Σⱼ Kᵢⱼaⱼ for every split: the inner sum of sixteen rows from the tables, then those of the rows in the group.
    pub(crate) fn look_up(tables: &Tables, columns: &[u64], rows: &[u64], shift: usize, sums: &mut [[f64; 4]]) {
        for ((word, row), sum) in columns.iter().zip(rows).zip(sums) {
            let mut products = [0.0; ROWS];
            for (g, table) in tables.iter().enumerate() {
                let entry = &table[nibble(*word, g)];
                for l in 0..ROWS {
                    products[l] += entry[l];
                }
            }
            let bits = *row >> shift;
            for v in 0..ROWS / 4 {
                let ones = &ONES[nibble(bits, v)];
                for l in 0..4 {
                    sum[l] = products[4 * v + l].mul_add(ones[l], sum[l]);
                }
            }
        }
    }
}
