//! Where the rows of a sample stand in the kernel matrix that their rows are read from.

use std::sync::Arc;

use crate::data::Inputs;
use crate::gram::{AllPoints, Places};
use crate::model::Sample;

/// The places of a kernel matrix: of the sample alone, or of more points that other samples have a part of, too.
pub(crate) struct Layout {
    pub(crate) places: Arc<Places>,
    /// Whether the matrix is that of more points.
    pub(crate) of_whole: bool,
    /// The blocks that the rows of each group of the sample are.
    groups: Vec<Vec<usize>>,
    /// The row of the sample that stands in each place of these blocks.
    pub(crate) row: Vec<usize>,
}

impl Layout {
    /// Rows by these numbers of their groups, all below `count`.
    pub(crate) fn of(sample: &Sample, group: &[usize], count: usize) -> Self {
        let member = sample.rows.as_ref().and_then(|rows| rows.member());
        let shared = member.and_then(|(whole, points)| Self::among(whole, points, sample, (group, count)));
        shared.unwrap_or_else(|| {
            let places = Places::by(group, count);
            let row = places.order.clone();
            Layout { places: Arc::new(places), of_whole: false, groups: (0..count).map(|g| vec![g]).collect(), row }
        })
    }

    /// Among all points; nothing where groups are other than those of the points, or where the sample has a part of a cell.
    fn among(whole: &AllPoints, points: &[usize], sample: &Sample, (group, count): (&[usize], usize)) -> Option<Self> {
        let mut row_of_point = vec![None; whole.x().len()];
        for (i, group) in group.iter().enumerate() {
            let point = *points.get(sample.row(i))?;
            if whole.group(point) != *group {
                return None;
            }
            *row_of_point.get_mut(point)? = Some(i);
        }
        let places = whole.places(count);
        let has = |place: &usize| row_of_point[places.order[*place]].is_some();
        let own = |block: &usize| places.blocks[*block].clone().any(|place| has(&place));
        let cells = whole.cells();
        let groups: Vec<Vec<usize>> = (0..count).map(|g| (g * cells..(g + 1) * cells).filter(own).collect()).collect();
        let complete = groups.iter().flatten().all(|b| places.blocks[*b].clone().all(|place| has(&place)));
        let row = places.order.iter().map(|point| row_of_point[*point].unwrap_or(0)).collect();
        complete.then(|| Layout { places: Arc::new(places), of_whole: true, groups, row })
    }

    /// The points of the matrix, before they are laid out.
    pub(crate) fn points<'a>(&self, sample: &'a Sample) -> &'a Inputs {
        let member = sample.rows.as_ref().and_then(|rows| rows.member()).filter(|_| self.of_whole);
        member.map_or(&sample.x, |(whole, _)| whole.x())
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The blocks of some groups, one after the other.
    pub(crate) fn blocks_of(&self, groups: &[usize]) -> Vec<usize> {
        groups.iter().flat_map(|g| self.groups[*g].iter().copied()).collect()
    }
}
