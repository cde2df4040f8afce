//! Rows of a kernel matrix that are computed when they are asked for, and kept as long as there is room.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::{Shared, zeros_on_large_pages};
use crate::run::{Reservation, Run};

use super::bind::Bound;
use super::matrix::KernelMatrix;
use super::once::{Once, Part};
use super::row_key::{Key, Mixed};

/// The share of the memory left that kept rows may take.
const SHARE: f64 = 0.6;
/// Bytes of rows that are kept together where there is room for all: the system clears a few large pages ten times faster than many
/// small ones. Where rows must make room for others, each is kept by itself, so that those in use keep no others.
const TOGETHER: usize = 8 << 20;

/// Rows of a symmetric kernel matrix in single precision, in blocks of columns.
///
/// Whoever needs some of the columns only – a pair of classes, a fold – asks for their blocks, and all share what was computed.
/// Values do not depend on what is kept. When the memory is used up, the rows that were not asked for longest make room.
///
/// Where a value takes long and there is room for all of them in double precision, too, each is computed [once](Once): rows in single
/// precision are made of those, and so are products, and K[i, j] is K[j, i].
pub(crate) struct RowCache {
    matrix: Bound,
    blocks: Vec<Range<usize>>,
    kept: Mutex<Kept>,
    once: Option<Once>,
    room: u64,
    /// Whether there is room for all rows.
    roomy: bool,
    evaluations: AtomicU64,
    _reservation: Reservation,
}

/// Rows that were computed together, and when one of them was asked for last.
struct Slab {
    values: Arc<Vec<f32>>,
    keys: Vec<Key>,
    asked: u64,
}

impl Slab {
    fn bytes(&self) -> u64 {
        size_of_val::<[f32]>(&self.values) as u64
    }

    fn row(&self, at: usize) -> Shared {
        let width = self.values.len() / self.keys.len();
        Shared::part(&self.values, at * width..(at + 1) * width)
    }
}

/// What is kept.
#[derive(Default)]
struct Kept {
    slabs: Vec<Option<Slab>>,
    /// Which slab a row stands in, and where in it.
    places: HashMap<Key, (usize, usize), BuildHasherDefault<Mixed>>,
    /// Every row that was ever computed.
    known: HashSet<Key, BuildHasherDefault<Mixed>>,
    clock: u64,
    bytes: u64,
}

impl Kept {
    fn get(&mut self, key: Key) -> Option<Shared> {
        self.clock += 1;
        let (slab, at) = *self.places.get(&key)?;
        let slab = self.slabs[slab].as_mut()?;
        slab.asked = self.clock;
        Some(slab.row(at))
    }

    /// How many of these rows nobody has computed before.
    fn count_new(&mut self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.known.insert(**key)).count()
    }

    fn put(&mut self, mut slab: Slab, room: u64) {
        let bytes = slab.bytes();
        if self.bytes + bytes > room {
            self.make_room(room, bytes);
        }
        if self.bytes + bytes > room {
            return;
        }
        self.clock += 1;
        self.bytes += bytes;
        slab.asked = self.clock;
        let place = self.slabs.iter().position(Option::is_none).unwrap_or(self.slabs.len());
        // Where two threads have computed the same row, the later one is found.
        self.places.extend(slab.keys.iter().enumerate().map(|(at, key)| (*key, (place, at))));
        match self.slabs.get_mut(place) {
            Some(free) => *free = Some(slab),
            None => self.slabs.push(Some(slab)),
        }
    }

    /// Drops what was not asked for longest: a quarter of the room, so that looking for it is rare.
    fn make_room(&mut self, room: u64, wanted: u64) {
        let asked = |(place, slab): (usize, &Option<Slab>)| slab.as_ref().map(|slab| (slab.asked, place));
        let mut by_age: Vec<(u64, usize)> = self.slabs.iter().enumerate().filter_map(asked).collect();
        by_age.sort_unstable();
        let target = (room - room / 4).saturating_sub(wanted);
        for (_, place) in by_age {
            if self.bytes <= target {
                break;
            }
            self.drop_slab(place);
        }
    }

    fn drop_slab(&mut self, place: usize) {
        let Some(slab) = self.slabs[place].take() else { return };
        self.bytes -= slab.bytes();
        for key in &slab.keys {
            if self.places.get(key).is_some_and(|(slab, _)| *slab == place) {
                self.places.remove(key);
            }
        }
    }
}

impl RowCache {
    /// Rows of this matrix over these blocks of its columns.
    pub(crate) fn new(matrix: Bound, blocks: Vec<Range<usize>>, run: &Run) -> Result<Self> {
        let n = matrix.nrows() as u64;
        let all = n.saturating_mul(4 * matrix.ncols() as u64);
        let share = (SHARE * run.memory_left() as f64) as u64;
        let once = (matrix.is_costly() && all.saturating_mul(3) <= share).then(Once::default);
        let room = all.min(share);
        let bytes = if once.is_some() { 3 * all } else { room.max(16 * n) };
        let purpose = "rows of the kernel matrix";
        let reservation = run.reserve(u128::from(bytes), purpose, "use fewer rows, or raise the memory limit")?;
        let kept = Mutex::new(Kept::default());
        let (roomy, evaluations) = (room >= all, AtomicU64::new(0));
        Ok(RowCache { matrix, blocks, kept, once, room, roomy, evaluations, _reservation: reservation })
    }

    /// The columns of a block.
    pub(crate) fn block(&self, block: usize) -> Range<usize> {
        self.blocks[block].clone()
    }

    /// k(x, x) of every point.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.matrix.nrows()];
        self.matrix.diag(&mut diagonal);
        diagonal
    }

    /// Bytes that rows may take.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// Whether each value is computed once, and kept in double precision.
    pub(crate) fn keeps_values(&self) -> bool {
        self.once.is_some()
    }

    /// Kernel values that were needed so far, each row of them once: whether two threads compute the same row, or one that made room
    /// is computed again, is a matter of chance, and what is said of a fit is not. Where values are kept, each pair of points once.
    pub(crate) fn evaluations(&self) -> u64 {
        self.once.as_ref().map_or_else(|| self.evaluations.load(Ordering::Relaxed), Once::evaluations)
    }

    /// K[rows, block].
    pub(crate) fn rows(&self, block: usize, rows: &[usize], run: &Run) -> Result<Vec<Shared>> {
        if self.block(block).is_empty() {
            return Ok(rows.iter().map(|_| Vec::new().into()).collect());
        }
        let key = |i: usize| (block as u32, i as u32);
        let mut found: Vec<Option<Shared>> = {
            let mut kept = self.lock();
            rows.iter().map(|i| kept.get(key(*i))).collect()
        };
        let missing: Vec<usize> = rows.iter().zip(&found).filter(|(_, f)| f.is_none()).map(|(i, _)| *i).collect();
        let slabs = self.compute(block, &missing, run)?;
        let mut computed = slabs.iter().flat_map(|slab| (0..slab.keys.len()).map(|at| slab.row(at)));
        found.iter_mut().filter(|slot| slot.is_none()).for_each(|slot| *slot = computed.next());
        drop(computed);
        let mut kept = self.lock();
        for slab in slabs {
            let values = kept.count_new(&slab.keys) * self.block(block).len();
            self.evaluations.fetch_add(values as u64, Ordering::Relaxed);
            kept.put(slab, self.room);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// K[rows, block], some rows together.
    fn compute(&self, block: usize, rows: &[usize], run: &Run) -> Result<Vec<Slab>> {
        let cols = self.block(block);
        let width = cols.len();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let together = if self.roomy { (TOGETHER / (4 * width)).max(1) } else { 1 };
        // Fresh memory is cleared by whoever touches it first, which takes as long as filling it.
        let fresh = |rows: &[usize]| zeros_on_large_pages(rows.len() * width);
        let mut values: Vec<Vec<f32>> = run.install(|| rows.par_chunks(together).map(fresh).collect());
        let out: Vec<&mut [f32]> = values.iter_mut().flat_map(|slab| slab.chunks_mut(width)).collect();
        match &self.once {
            None => self.matrix.rows_in_single(rows, cols, out, run)?,
            Some(once) => {
                let parts = once.parts(&self.matrix, (&self.blocks, block), rows, run)?;
                let round = |(out, part): (&mut [f32], &Part)| {
                    out.iter_mut().zip(part.iter()).for_each(|(to, k)| *to = *k as f32);
                };
                out.into_iter().zip(&parts).for_each(round);
            }
        }
        let slab = |(values, rows): (Vec<f32>, &[usize])| Slab {
            values: Arc::new(values),
            keys: rows.iter().map(|i| (block as u32, *i as u32)).collect(),
            asked: 0,
        };
        Ok(values.into_iter().zip(rows.chunks(together)).map(slab).collect())
    }

    /// out = K[block, rows]·v, in double precision, with nothing kept.
    pub(crate) fn product(&self, block: usize, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let cols = self.block(block);
        if let Some(once) = &self.once {
            let parts = once.parts(&self.matrix, (&self.blocks, block), rows, run)?;
            add_parts(&parts, v, out, run);
            return Ok(());
        }
        self.evaluations.fetch_add(rows.len() as u64 * cols.len() as u64, Ordering::Relaxed);
        self.matrix.weighted_rows(rows, v, cols, out, run)
    }

    /// K between some rows, row-major, in double precision, where values are kept.
    pub(crate) fn between(&self, rows: &[usize], run: &Run) -> Result<Option<Vec<f64>>> {
        let Some(once) = &self.once else { return Ok(None) };
        let mut out = vec![0.0; rows.len() * rows.len()];
        for (block, cols) in self.blocks.iter().enumerate() {
            let here: Vec<usize> = (0..rows.len()).filter(|at| cols.contains(&rows[*at])).collect();
            if here.is_empty() {
                continue;
            }
            let parts = once.parts(&self.matrix, (&self.blocks, block), rows, run)?;
            for (out, part) in out.chunks_mut(rows.len()).zip(&parts) {
                here.iter().for_each(|at| out[*at] = part[rows[*at] - cols.start]);
            }
        }
        Ok(Some(out))
    }
}

/// Columns of a sum that a thread works on at a time.
const COLUMNS: usize = 512;

/// out = Σ vᵣ·partᵣ, each sum in the order of the rows.
fn add_parts(parts: &[Part], v: &[f64], out: &mut [f64], run: &Run) {
    out.fill(0.0);
    let piece = |(at, out): (usize, &mut [f64])| {
        for (part, v) in parts.iter().zip(v) {
            let values = &part[at * COLUMNS..at * COLUMNS + out.len()];
            out.iter_mut().zip(values).for_each(|(sum, k)| *sum += v * k);
        }
    };
    run.install(|| out.par_chunks_mut(COLUMNS).enumerate().for_each(piece));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Inputs, Rows};
    use crate::kernel::KernelExpr;

    /// What two threads compute at once was counted twice, so that certificates differed from run to run.
    #[test]
    fn rows_are_counted_once_whoever_computes_them() {
        let n = 40;
        let x = Inputs::from(Rows::new((0..n).map(|i| i as f64).collect::<Vec<_>>(), n, 1).expect("a column"));
        let kernel = KernelExpr::parse("rbf(length_scale=3)").expect("a kernel");
        for _ in 0..50 {
            let matrix = kernel.bind(&x, &Run::new()).expect("bound");
            let cache = RowCache::new(matrix, vec![0..n, n..n], &Run::new()).expect("room");
            let all: Vec<usize> = (0..n).collect();
            (0..8).into_par_iter().for_each(|_| {
                cache.rows(0, &all, &Run::new()).expect("rows");
            });
            assert_eq!(cache.evaluations(), (n * n) as u64);
        }
    }
}
