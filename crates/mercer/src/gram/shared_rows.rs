//! Kernel rows that several fits share: for other costs, and by folds of the same points.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::data::Inputs;
use crate::error::Result;
use crate::kernel::KernelExpr;

use super::row_cache::RowCache;

/// Which point stands in each place of a kernel matrix, and the blocks that places are cut into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) order: Vec<usize>,
    pub(crate) blocks: Vec<Range<usize>>,
}

impl Places {
    /// Points by these numbers of their blocks, all below `count`, and within one as they were.
    pub(crate) fn by(block: &[usize], count: usize) -> Self {
        let mut order: Vec<usize> = (0..block.len()).collect();
        order.sort_by_key(|i| block[*i]);
        let start = |b: usize| order.partition_point(|i| block[*i] < b);
        let blocks = (0..count).map(|b| start(b)..start(b + 1)).collect();
        Places { order, blocks }
    }

    /// Whether every point stands where it was.
    pub(crate) fn are_in_order(&self) -> bool {
        self.order.iter().enumerate().all(|(place, row)| place == *row)
    }
}

/// Rows of a kernel with the places that they are laid out for.
#[derive(Clone)]
pub(crate) struct Laid {
    pub(crate) kernel: KernelExpr,
    pub(crate) places: Arc<Places>,
    pub(crate) rows: Arc<RowCache>,
}

/// Where rows are kept: those of one kernel and one way to lay them out at a time.
type Slot = Arc<Mutex<Option<Laid>>>;

/// Points of which samples have parts, with the rows that these share.
///
/// Points are cut into cells: of each, a sample has all or none.
#[derive(Clone)]
pub(crate) struct AllPoints(Arc<Points>);

struct Points {
    x: Inputs,
    /// The group of each point: its class, where there are classes.
    group: Vec<usize>,
    cell: Vec<usize>,
    cells: usize,
    slot: Slot,
}

impl AllPoints {
    /// Points with their groups and cells.
    pub(crate) fn new(x: Inputs, group: Vec<usize>, cell: Vec<usize>) -> Self {
        let cells = cell.iter().max().map_or(1, |most| most + 1);
        AllPoints(Arc::new(Points { x, group, cell, cells, slot: Slot::default() }))
    }

    pub(crate) fn x(&self) -> &Inputs {
        &self.0.x
    }

    pub(crate) fn group(&self, point: usize) -> usize {
        self.0.group[point]
    }

    pub(crate) fn cells(&self) -> usize {
        self.0.cells
    }

    /// All points by group, and in each group by cell: block g·cells + c.
    pub(crate) fn places(&self, groups: usize) -> Places {
        let block: Vec<usize> = self.0.group.iter().zip(&self.0.cell).map(|(g, c)| g * self.0.cells + c).collect();
        Places::by(&block, groups * self.0.cells)
    }

    /// The rows that fits to parts of it have left.
    pub(crate) fn laid(&self) -> Option<Laid> {
        self.0.slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Places for the kernel rows of one sample, so that fits with other costs find what earlier ones computed, and those of other samples
/// of the same points, too.
#[derive(Clone, Default)]
pub(crate) struct SharedRows {
    own: Slot,
    member: Option<(AllPoints, Arc<[usize]>)>,
}

impl std::fmt::Debug for SharedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedRows")
    }
}

impl SharedRows {
    /// Of a sample whose rows are these points.
    pub(crate) fn of_some(whole: &AllPoints, points: &[usize]) -> Self {
        SharedRows { own: Slot::default(), member: Some((whole.clone(), points.into())) }
    }

    /// The points of which the sample is a part, and which of them its rows are.
    pub(crate) fn member(&self) -> Option<(&AllPoints, &[usize])> {
        self.member.as_ref().map(|(whole, points)| (whole, points.as_ref()))
    }

    /// The rows that are laid out so, or new ones in their place: those of the sample alone, or of the whole.
    pub(crate) fn get_or_make(
        &self,
        of_whole: bool,
        kernel: &KernelExpr,
        places: &Arc<Places>,
        make: impl FnOnce() -> Result<RowCache>,
    ) -> Result<Arc<RowCache>> {
        let slot = self.member.as_ref().filter(|_| of_whole).map_or(&self.own, |(whole, _)| &whole.0.slot);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(laid) = slot.as_ref().filter(|laid| laid.kernel == *kernel && laid.places == *places) {
            return Ok(Arc::clone(&laid.rows));
        }
        // The old ones give their memory back first.
        *slot = None;
        let rows = Arc::new(make()?);
        *slot = Some(Laid { kernel: kernel.clone(), places: Arc::clone(places), rows: Arc::clone(&rows) });
        Ok(rows)
    }
}
