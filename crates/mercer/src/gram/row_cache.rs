//! Rows of a kernel matrix that are computed when they are asked for, and kept as long as there is room.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::run::{Reservation, Run};

use super::bind::Bound;
use super::matrix::KernelMatrix;

/// The share of the memory left that kept rows may take.
const SHARE: f64 = 0.6;

/// Rows of a symmetric kernel matrix in single precision, in blocks of columns.
///
/// Whoever needs some of the columns only – a pair of classes, a fold – asks for their blocks, and all share what was computed.
/// Values do not depend on what is kept. When the memory is used up, the rows that were not asked for longest make room.
pub(crate) struct RowCache {
    matrix: Bound,
    blocks: Vec<Range<usize>>,
    kept: Mutex<Kept>,
    room: u64,
    evaluations: AtomicU64,
    _reservation: Reservation,
}

/// A row over one block of columns.
type Key = (u32, u32);

/// What is kept, and when each was asked for last.
#[derive(Default)]
struct Kept {
    rows: HashMap<Key, (Arc<Vec<f32>>, u64), BuildHasherDefault<Mixed>>,
    clock: u64,
    bytes: u64,
}

/// A hash of two small numbers: rows are asked for thousands of times a second, and nobody chooses their numbers to collide.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u32(u32::from(*b)));
    }

    fn write_u32(&mut self, number: u32) {
        // Knuth's multiplicative hashing, by the golden ratio.
        self.0 = (self.0.rotate_left(32) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

fn bytes_of(row: &Arc<Vec<f32>>) -> u64 {
    size_of_val::<[f32]>(row.as_slice()) as u64
}

impl Kept {
    fn get(&mut self, key: Key) -> Option<Arc<Vec<f32>>> {
        self.clock += 1;
        let (row, asked) = self.rows.get_mut(&key)?;
        *asked = self.clock;
        Some(Arc::clone(row))
    }

    fn put(&mut self, key: Key, row: Arc<Vec<f32>>, room: u64) {
        let bytes = bytes_of(&row);
        if self.bytes + bytes > room {
            self.make_room(room, bytes);
        }
        if self.bytes + bytes > room {
            return;
        }
        self.clock += 1;
        self.bytes += bytes;
        if let Some((old, _)) = self.rows.insert(key, (row, self.clock)) {
            // Two threads have computed the same row.
            self.bytes -= bytes_of(&old);
        }
    }

    /// Drops what was not asked for longest: a quarter of the room, so that looking for it is rare.
    fn make_room(&mut self, room: u64, wanted: u64) {
        let mut by_age: Vec<(u64, Key)> = self.rows.iter().map(|(key, (_, asked))| (*asked, *key)).collect();
        by_age.sort_unstable();
        let target = (room - room / 4).saturating_sub(wanted);
        for (_, key) in by_age {
            if self.bytes <= target {
                break;
            }
            self.bytes -= self.rows.remove(&key).map_or(0, |(row, _)| bytes_of(&row));
        }
    }
}

impl RowCache {
    /// Rows of this matrix over these blocks of its columns.
    pub(crate) fn new(matrix: Bound, blocks: Vec<Range<usize>>, run: &Run) -> Result<Self> {
        let n = matrix.nrows() as u64;
        let all = n.saturating_mul(4 * matrix.ncols() as u64);
        let room = all.min((SHARE * run.memory_left() as f64) as u64);
        let least = 16 * n;
        let purpose = "rows of the kernel matrix";
        let reservation =
            run.reserve(u128::from(room.max(least)), purpose, "use fewer rows, or raise the memory limit")?;
        let kept = Mutex::new(Kept::default());
        Ok(RowCache { matrix, blocks, kept, room, evaluations: AtomicU64::new(0), _reservation: reservation })
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

    /// Kernel values that were computed so far.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// K[rows, block].
    pub(crate) fn rows(&self, block: usize, rows: &[usize], run: &Run) -> Result<Vec<Arc<Vec<f32>>>> {
        let key = |i: usize| (block as u32, i as u32);
        let mut found: Vec<Option<Arc<Vec<f32>>>> = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            rows.iter().map(|i| kept.get(key(*i))).collect()
        };
        let missing: Vec<usize> = rows.iter().zip(&found).filter(|(_, f)| f.is_none()).map(|(i, _)| *i).collect();
        if !missing.is_empty() {
            let cols = self.block(block);
            self.evaluations.fetch_add(missing.len() as u64 * cols.len() as u64, Ordering::Relaxed);
            let mut computed = self.matrix.rows_in_single(&missing, cols, run)?.into_iter().map(Arc::new);
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for (i, slot) in rows.iter().zip(&mut found).filter(|(_, slot)| slot.is_none()) {
                let row = computed.next();
                if let Some(row) = &row {
                    kept.put(key(*i), Arc::clone(row), self.room);
                }
                *slot = row;
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// out = K[block, rows]·v, in double precision, with nothing kept.
    pub(crate) fn product(&self, block: usize, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let cols = self.block(block);
        self.evaluations.fetch_add(rows.len() as u64 * cols.len() as u64, Ordering::Relaxed);
        self.matrix.weighted_rows(rows, v, cols, out, run)
    }
}

/// A place for the kernel rows of one sample, so that fits with other costs find what earlier ones computed.
#[derive(Clone, Default)]
pub(crate) struct SharedRows(Arc<Mutex<Option<Laid>>>);

/// Rows with the order of the points and the blocks that they were laid out for.
struct Laid {
    order: Vec<usize>,
    blocks: Vec<Range<usize>>,
    rows: Arc<RowCache>,
}

impl std::fmt::Debug for SharedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedRows")
    }
}

impl SharedRows {
    /// The rows that are laid out so, or new ones in their place.
    pub(crate) fn get_or_make(
        &self,
        (order, blocks): (&[usize], &[Range<usize>]),
        make: impl FnOnce() -> Result<RowCache>,
    ) -> Result<Arc<RowCache>> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(laid) = place.as_ref().filter(|laid| laid.order == order && laid.blocks == blocks) {
            return Ok(Arc::clone(&laid.rows));
        }
        // The old ones give their memory back first.
        *place = None;
        let rows = Arc::new(make()?);
        *place = Some(Laid { order: order.to_vec(), blocks: blocks.to_vec(), rows: Arc::clone(&rows) });
        Ok(rows)
    }
}
