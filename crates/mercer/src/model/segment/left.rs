//! What segments and a slow movement leave of points in feature space.

use std::ops::Range;

use crate::error::Result;
use crate::linalg::{dot, filled};
use crate::run::{Reservation, Run};

use super::path::{CostPath, Segmentation};

/// Polynomials in time that a slow movement may have.
const TERMS: usize = 8;
/// A polynomial of which segments and others leave less than this share of its squared length adds nothing but rounding.
const NOTHING: f64 = 1e-10;

/// K·V for V of so many columns: V, columns, product.
pub(super) type Multiply<'a> = dyn Fn(&[f64], usize, &mut [f64]) -> Result<()> + 'a;

/// What is left beside the means of the segments and some terms of a slow movement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// Σ‖r(t)‖² of what is left.
    pub cost: f64,
    /// Mean of ⟨r(t), r(t + 1)⟩ over neighbours in one segment.
    pub covariance: f64,
}

/// Products of the kernel matrix from which everything below comes.
///
/// A slow movement is a path in feature space that a polynomial in time describes. With the orthonormal columns Q that the indicators
/// of the segments and the polynomials P₁, …, P_q span, what is left of the points has the matrix G = (I − QQᵀ)K(I − QQᵀ), whose
/// diagonal sums up to the cost.
pub(super) struct Products<'a> {
    n: usize,
    /// k(x(t), x(t + 1)).
    neighbours: &'a [f64],
    /// Places where a segment begins in some segmentation, with 0 and n.
    marks: Vec<usize>,
    /// Rows of Σ k(x(t), ·) over all points before each mark, and then of K·P.
    values: Vec<f64>,
    polynomials: Vec<Vec<f64>>,
    _reserved: Reservation,
}

/// A polynomial of which segments and polynomials before it are taken away: z of length 1, and y = Gz of the segments alone.
struct Term {
    z: Vec<f64>,
    y: Vec<f64>,
}

/// Segments, and Σ k(x(t), ·) over each of them in rows.
struct Pieces {
    segments: Vec<Range<usize>>,
    sums: Vec<f64>,
}

impl<'a> Products<'a> {
    /// For the segmentations of a path: O(n²) for each mark and polynomial, and the memory of two such columns.
    pub(super) fn new(path: &CostPath, neighbours: &'a [f64], multiply: &Multiply<'_>, run: &Run) -> Result<Self> {
        let n = path.n();
        let mut marks = vec![0, n];
        path.segmentations().iter().for_each(|s| marks.extend(&s.changes));
        marks.sort_unstable();
        marks.dedup();
        let polynomials = legendre(n, TERMS.min(n / 4));
        let (pieces, less) = (marks.len() - 1, "use landmarks, or give the number of changes");
        let width = pieces + polynomials.len();
        let (mut vectors, _held) = filled((n * width) as u128, 0.0, "pieces of the sequence", less, run)?;
        for (piece, ends) in marks.windows(2).enumerate() {
            (ends[0]..ends[1]).for_each(|t| vectors[t * width + piece] = 1.0);
        }
        for (l, p) in polynomials.iter().enumerate() {
            p.iter().enumerate().for_each(|(t, value)| vectors[t * width + pieces + l] = *value);
        }
        let (mut products, _reserved) = filled((n * width) as u128, 0.0, "sums of kernel values", less, run)?;
        multiply(&vectors, width, &mut products)?;
        for row in products.chunks_mut(width) {
            (1..pieces).for_each(|piece| row[piece] += row[piece - 1]);
        }
        Ok(Products { n, neighbours, marks, values: products, polynomials, _reserved })
    }

    /// What is left beside a segmentation and the first 0, 1, 2, … polynomials.
    pub(super) fn left(&self, segmentation: &Segmentation) -> Vec<Left> {
        let pieces = self.pieces(&segmentation.changes);
        let segments = &pieces.segments;
        let pairs = (self.n - segments.len()).max(1) as f64;
        let (mut cost, mut sum) = (segmentation.cost, self.lagged(&pieces));
        let mut found = vec![Left { cost, covariance: sum / pairs }];
        let mut terms: Vec<Term> = Vec::new();
        // Three points must be left to judge by.
        for l in 0..self.polynomials.len().min(self.n.saturating_sub(segments.len() + 2)) {
            let Some(term) = self.term(l, &pieces, &terms) else { break };
            let own = dot(&term.z, &term.y);
            let mut h = term.y.clone();
            subtract(&mut h, 0.5 * own, &term.z);
            terms.iter().for_each(|t| subtract(&mut h, dot(&t.z, &term.y), &t.z));
            cost -= own;
            let both = |t: usize| term.z[t] * h[t - 1] + h[t] * term.z[t - 1];
            sum -= segments.iter().flat_map(|s| s.start + 1..s.end).map(both).sum::<f64>();
            found.push(Left { cost, covariance: sum / pairs });
            terms.push(term);
        }
        found
    }

    fn pieces(&self, changes: &[usize]) -> Pieces {
        let ends: Vec<usize> = changes.iter().chain([&self.n]).copied().collect();
        let places: Vec<usize> = ends.iter().map(|end| self.marks.partition_point(|mark| mark < end) - 1).collect();
        let mut sums = Vec::with_capacity(self.n * ends.len());
        for row in self.values.chunks(self.marks.len() - 1 + self.polynomials.len()) {
            let mut before = 0.0;
            sums.extend(places.iter().map(|place| row[*place] - std::mem::replace(&mut before, row[*place])));
        }
        let starts = [0].iter().chain(changes);
        Pieces { segments: starts.zip(&ends).map(|(start, end)| *start..*end).collect(), sums }
    }

    /// Σ⟨r(t), r(t − 1)⟩ inside of segments, beside their means.
    fn lagged(&self, Pieces { segments, sums }: &Pieces) -> f64 {
        let count = segments.len();
        let inside = |(s, segment): (usize, &Range<usize>)| {
            let share = |t: usize| sums[t * count + s] / segment.len() as f64;
            let to_mean: Vec<f64> = segment.clone().map(share).collect();
            let mean = to_mean.iter().sum::<f64>() / segment.len() as f64;
            let pair = |i: usize| self.neighbours[segment.start + i - 1] - to_mean[i] - to_mean[i - 1] + mean;
            (1..segment.len()).map(pair).sum::<f64>()
        };
        segments.iter().enumerate().map(inside).sum()
    }

    /// The polynomial l beside segments and other terms, if there is something of it.
    fn term(&self, l: usize, Pieces { segments, sums }: &Pieces, terms: &[Term]) -> Option<Term> {
        let (mut z, mut y) = (self.polynomials[l].clone(), self.product(l));
        let whole = dot(&z, &z);
        let means = centre(&mut z, segments);
        y.iter_mut().zip(sums.chunks(segments.len())).for_each(|(y, sums)| *y -= dot(&means, sums));
        centre(&mut y, segments);
        // The second time takes away what rounding left.
        for term in terms.iter().chain(terms) {
            let along = dot(&z, &term.z);
            subtract(&mut z, along, &term.z);
            subtract(&mut y, along, &term.y);
        }
        let length = dot(&z, &z).sqrt();
        z.iter_mut().chain(&mut y).for_each(|v| *v /= length);
        (length * length > NOTHING * whole).then_some(Term { z, y })
    }

    /// K·P of the polynomial l.
    fn product(&self, l: usize) -> Vec<f64> {
        let pieces = self.marks.len() - 1;
        self.values.chunks(pieces + self.polynomials.len()).map(|row| row[pieces + l]).collect()
    }
}

/// a − factor·b.
fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= factor * b);
}

/// Takes the mean of each segment away, and says what it was.
fn centre(values: &mut [f64], segments: &[Range<usize>]) -> Vec<f64> {
    let mean = |segment: &Range<usize>| {
        let own = &mut values[segment.clone()];
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter_mut().for_each(|v| *v -= mean);
        mean
    };
    segments.iter().map(mean).collect()
}

/// Legendre's polynomials P₁, …, P_count at n places in the middles of equal parts of [−1, 1].
fn legendre(n: usize, count: usize) -> Vec<Vec<f64>> {
    let places = (0..n).map(|t| (2 * t + 1) as f64 / n as f64 - 1.0);
    let (mut before, mut last): (Vec<f64>, Vec<f64>) = (vec![1.0; n], places.clone().collect());
    let mut found = Vec::new();
    for l in 1..=count {
        let l = l as f64;
        let next = |((u, a), b): ((f64, &f64), &f64)| ((2.0 * l + 1.0) * u * b - l * a) / (l + 1.0);
        let after = places.clone().zip(&before).zip(&last).map(next).collect();
        before = std::mem::replace(&mut last, after);
        found.push(before.clone());
    }
    found
}
