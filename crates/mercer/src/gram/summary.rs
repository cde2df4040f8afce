//! What a kernel matrix looks like, gathered row by row.

use serde::Serialize;

/// Cells along each side of the preview.
const CELLS: usize = 16;

/// A similarity below this counts as none, and above [`SAME`] as full.
const NONE: f64 = 1e-6;
const SAME: f64 = 0.999;

/// The share of pairs from which a matrix is called all but the identity, or all but constant.
const NEARLY_ALL: f64 = 0.99;

/// Smallest, mean and largest of some values.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Extent {
    /// The smallest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

/// What a matrix tells of its kernel, where it tells too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Degenerate {
    /// Every point resembles only itself.
    Identity,
    /// All points look the same.
    Ones,
}

/// A matrix, summarised.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixSummary {
    /// k(x, x), for the points of the rows.
    pub diagonal: Extent,
    /// The pairs of different points.
    pub pairs: Option<Extent>,
    /// Share of pairs whose similarity is below 1e-6.
    pub share_none: f64,
    /// Share of pairs whose similarity is above 0.999.
    pub share_same: f64,
    /// What to make of it.
    pub verdict: Option<Degenerate>,
    /// Means over blocks, at most 16×16.
    #[serde(skip)]
    pub preview: Vec<Vec<f64>>,
}

/// Adds up the rows of a matrix. Similarity is k(x, y)/√(k(x, x)·k(y, y)), so that it means the
/// same for every kernel.
#[derive(Debug)]
pub struct Gather {
    symmetric: bool,
    row_norms: Vec<f64>,
    col_norms: Vec<f64>,
    diagonal: Tally,
    pairs: Tally,
    none: u64,
    same: u64,
    cells: Vec<Vec<Tally>>,
}

impl Gather {
    /// Expects a matrix with these diagonals; `cols` is `None` for one set of points.
    pub fn new(rows: Vec<f64>, cols: Option<Vec<f64>>) -> Self {
        let mut diagonal = Tally::default();
        rows.iter().for_each(|v| diagonal.add(*v));
        let norms = |diag: &[f64]| diag.iter().map(|v| v.max(0.0).sqrt()).collect::<Vec<_>>();
        let row_norms = norms(&rows);
        let col_norms = cols.as_deref().map_or_else(|| row_norms.clone(), norms);
        let cells = vec![vec![Tally::default(); CELLS.min(col_norms.len())]; CELLS.min(row_norms.len())];
        Gather {
            symmetric: cols.is_none(),
            row_norms,
            col_norms,
            diagonal,
            pairs: Tally::default(),
            none: 0,
            same: 0,
            cells,
        }
    }

    /// Takes the rows from number `first` on, row-major.
    pub fn add(&mut self, first: usize, values: &[f64]) {
        let ncols = self.col_norms.len();
        for (i, row) in (first..).zip(values.chunks_exact(ncols.max(1))) {
            self.add_row(i, row);
        }
    }

    fn add_row(&mut self, i: usize, row: &[f64]) {
        let (nrows, ncols) = (self.row_norms.len(), self.col_norms.len());
        let cells = &mut self.cells[i * CELLS.min(nrows) / nrows];
        for (j, &value) in row.iter().enumerate() {
            cells[j * CELLS.min(ncols) / ncols].add(value);
            if self.symmetric && i == j {
                continue;
            }
            self.pairs.add(value);
            let full = self.row_norms[i] * self.col_norms[j];
            self.none += u64::from(value.abs() < NONE * full || full == 0.0);
            self.same += u64::from(value > SAME * full && full > 0.0);
        }
    }

    /// The summary of all rows.
    pub fn finish(self) -> MatrixSummary {
        let share = |n: u64| if self.pairs.count == 0 { 0.0 } else { n as f64 / self.pairs.count as f64 };
        let (share_none, share_same) = (share(self.none), share(self.same));
        let verdict = match () {
            () if share_none >= NEARLY_ALL => Some(Degenerate::Identity),
            () if share_same >= NEARLY_ALL => Some(Degenerate::Ones),
            () => None,
        };
        let preview = self.cells.iter().map(|row| row.iter().map(|cell| cell.mean()).collect()).collect();
        MatrixSummary {
            diagonal: self.diagonal.spread(),
            pairs: (self.pairs.count > 0).then(|| self.pairs.spread()),
            share_none,
            share_same,
            verdict,
            preview,
        }
    }
}

/// Count, sum, smallest and largest.
#[derive(Clone, Copy, Debug)]
struct Tally {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Tally {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    fn spread(&self) -> Extent {
        Extent { min: self.min, mean: self.mean(), max: self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_leave_the_diagonal_out() {
        let mut gather = Gather::new(vec![1.0, 1.0], None);
        gather.add(0, &[1.0, 1e-9]);
        gather.add(1, &[1e-9, 1.0]);
        let summary = gather.finish();
        assert_eq!((summary.share_none, summary.share_same), (1.0, 0.0));
        assert_eq!(summary.verdict, Some(Degenerate::Identity));
        assert_eq!(summary.pairs.map(|p| p.max), Some(1e-9));
        assert_eq!(summary.preview, [[1.0, 1e-9], [1e-9, 1.0]]);
    }

    #[test]
    fn similarity_does_not_depend_on_the_scale_of_the_kernel() {
        let mut gather = Gather::new(vec![1e8, 4e8], None);
        gather.add(0, &[1e8, 2e8, 2e8, 4e8]);
        let summary = gather.finish();
        assert_eq!(summary.verdict, Some(Degenerate::Ones));
    }

    #[test]
    fn a_cross_matrix_has_no_diagonal_to_leave_out() {
        let mut gather = Gather::new(vec![1.0], Some(vec![1.0, 1.0, 1.0]));
        gather.add(0, &[0.5, 0.25, 0.75]);
        let summary = gather.finish();
        assert_eq!(summary.pairs.map(|p| p.mean), Some(0.5));
        assert_eq!(summary.verdict, None);
    }
}
