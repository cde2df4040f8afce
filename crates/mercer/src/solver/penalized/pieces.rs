//! The pieces of all rows, in the units of the interior point method.

use crate::error::{Error, Result};
use crate::linalg::{largest_magnitude, power_of_two};
use crate::loss::{Loss, Piece};

/// Every piece of every row. Shifts, and with them all values z, are divided by a power of two.
pub(super) struct Pieces {
    /// The row of each piece; the pieces of a row stand together.
    pub(super) row: Vec<usize>,
    /// The piece in these units.
    pub(super) piece: Vec<Piece>,
    /// The weight of its row.
    pub(super) weight: Vec<f64>,
    /// The unit of z.
    pub(super) unit: f64,
}

impl Pieces {
    pub(super) fn new(loss: &dyn Loss, y: &[f64], weights: &[f64]) -> Result<Self> {
        let (mut row, mut piece, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for (i, y) in y.iter().enumerate() {
            let own = loss.convex().map_or(Vec::new(), |loss| loss.pieces(*y));
            if own.is_empty() {
                return Err(without_pieces(loss, i));
            }
            for p in own {
                check(loss, &p)?;
                row.push(i);
                piece.push(p);
                weight.push(weights[i]);
            }
        }
        let shifts: Vec<f64> = piece.iter().map(|p| p.shift).collect();
        let largest = largest_magnitude(&shifts);
        let unit = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        for p in &mut piece {
            *p = Piece { shift: p.shift / unit, softness: p.softness / unit, ..*p };
        }
        Ok(Pieces { row, piece, weight, unit })
    }

    pub(super) fn len(&self) -> usize {
        self.row.len()
    }

    /// Bounds of the weighted slope of piece j.
    pub(super) fn bounds(&self, j: usize) -> (f64, f64) {
        (self.weight[j] * self.piece[j].low, self.weight[j] * self.piece[j].high)
    }

    /// Softness of piece j in terms of the weighted slope.
    pub(super) fn softness(&self, j: usize) -> f64 {
        self.piece[j].softness / self.weight[j]
    }

    /// Sums over the pieces of each row.
    pub(super) fn by_row(&self, of: impl Fn(usize) -> f64, out: &mut [f64]) {
        out.fill(0.0);
        self.row.iter().enumerate().for_each(|(j, i)| out[*i] += of(j));
    }

    /// Σ w·(p(z) + p*(v/w) − v/w·z) over the pieces, for weighted slopes v within their bounds.
    pub(super) fn slack(&self, z: &[f64], v: &[f64]) -> f64 {
        (0..self.len()).map(|j| self.weight[j] * self.piece[j].slack(z[self.row[j]], v[j] / self.weight[j])).sum()
    }

    /// An objective that counts as 0: what a millionth of a unit of z would cost.
    pub(super) fn nothing(&self) -> f64 {
        1e-6 * self.weight.iter().sum::<f64>()
    }

    /// Σ w·p(z).
    pub(super) fn loss(&self, z: &[f64]) -> f64 {
        (0..self.len()).map(|j| self.weight[j] * self.piece[j].value(z[self.row[j]])).sum()
    }
}

fn without_pieces(loss: &dyn Loss, row: usize) -> Error {
    Error::Unsupported {
        what: format!("the interior point method for the loss `{}`, which has no pieces at row {row},", loss.name()),
        alternative: "use Newton's method, or give the loss pieces at every target".into(),
    }
}

fn check(loss: &dyn Loss, p: &Piece) -> Result<()> {
    let bounded = p.low.is_finite() && p.high.is_finite();
    let good = p.low < p.high && p.softness >= 0.0 && p.shift.is_finite() && (bounded || p.softness > 0.0);
    match good && p.softness.is_finite() {
        true => Ok(()),
        false => Err(Error::invalid(
            format!("the loss `{}`", loss.name()),
            "pieces",
            format!("{p:?}"),
            "finite, with low < high, and soft where a bound is infinite",
        )),
    }
}
