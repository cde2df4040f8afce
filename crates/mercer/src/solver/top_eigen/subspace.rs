//! The space that eigenvectors are looked for in.

use crate::error::{Error, Result};
use crate::linalg::{LinearOperator, eigen, largest_magnitude, multiply, multiply_transposed, power_of_two};
use crate::run::{Reservation, Run};

use super::LEAST_BLOCKS;

/// Blocks that the space holds where memory allows: starting again costs products.
const BLOCKS: usize = 12;
/// Columns up to which so many blocks pay; the projected matrix is decomposed after each product.
const COLUMNS: usize = 240;
/// Blocks that are kept when the space is full.
const KEPT: usize = 2;
/// What rounding leaves of a vector that lies in the space, over its length: below it there is no direction.
const NOTHING: f64 = 1e-13;
/// Eigenvalues of the products of normalised vectors below which a direction is lost in the others.
const DEPENDENT: f64 = 1e-14;

/// What is left of a vector, or of a direction among others, where a pass of orthogonalisation had little to do: what rounding then leaves
/// along the others is at most twice its unit (Daniel, Gragg, Kaufman and Stewart 1976, section 3).
const CLEAN: f64 = 0.5;

/// Whether the space has grown.
pub(super) enum Added {
    Some,
    None,
}

/// Orthonormal vectors q, their images A·q over a unit, and the approximations they give. Vectors stand one after the other.
pub(super) struct Subspace {
    n: usize,
    most: usize,
    kept: usize,
    len: usize,
    q: Vec<f64>,
    images: Vec<f64>,
    /// ⟨qᵢ, A·qⱼ⟩ for j ≤ i, `most` apart.
    projected: Vec<f64>,
    /// A power of two that images are divided by, so that squares stay in the range of numbers.
    unit: f64,
    /// The eigenvalues of the projected matrix, the largest first.
    ritz: Vec<f64>,
    /// Its eigenvectors, `len` entries each, in that order.
    mix: Vec<f64>,
    /// Residuals of the best approximations over the largest eigenvalue.
    residuals: Vec<f64>,
    _reserved: Reservation,
}

impl Subspace {
    pub(super) fn new(n: usize, width: usize, run: &Run) -> Result<Self> {
        let wanted = (BLOCKS * width).min(COLUMNS.max(LEAST_BLOCKS * width)).min(n);
        // Half of the memory is left for the product itself.
        let fits = |columns: usize| 16 * columns as u128 * n as u128 <= u128::from(run.memory_left() / 2);
        let most = if fits(wanted) { wanted } else { LEAST_BLOCKS * width };
        let bytes = 16 * most as u128 * n as u128;
        let reserved = run.reserve(bytes, "the vectors of an eigenvalue search", "ask for fewer eigenvalues")?;
        Ok(Subspace {
            n,
            most,
            kept: KEPT * width,
            len: 0,
            q: Vec::new(),
            images: Vec::new(),
            projected: vec![0.0; most * most],
            unit: 1.0,
            ritz: Vec::new(),
            mix: Vec::new(),
            residuals: Vec::new(),
            _reserved: reserved,
        })
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    pub(super) fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The largest residual of the first so many approximations, over the largest eigenvalue.
    pub(super) fn worst(&self, count: usize) -> f64 {
        self.residuals.iter().take(count).copied().fold(0.0, f64::max)
    }

    /// Makes a block orthonormal and orthogonal to the space, and takes it in with its images.
    pub(super) fn add(&mut self, block: &mut Vec<f64>, operator: &dyn LinearOperator, run: &Run) -> Result<Added> {
        self.make_orthonormal(block, run)?;
        if block.is_empty() {
            return Ok(Added::None);
        }
        let mut images = self.product(block, operator, run)?;
        if self.len == 0 {
            self.unit = scale(&images)?;
            images.iter_mut().for_each(|a| *a /= self.unit);
        }
        self.q.extend_from_slice(block);
        self.images.extend_from_slice(&images);
        self.project(images.len() / self.n, run)?;
        Ok(Added::Some)
    }

    /// A·v over the unit for vectors that stand one after the other.
    pub(super) fn product(&self, vectors: &[f64], operator: &dyn LinearOperator, run: &Run) -> Result<Vec<f64>> {
        let (n, b) = (self.n, vectors.len() / self.n);
        let mut images = vec![0.0; n * b];
        operator.apply(&turned(vectors, n), b, &mut images, run)?;
        let mut images = turned(&images, b);
        images.iter_mut().for_each(|a| *a /= self.unit);
        Ok(images)
    }

    /// The rows of the projected matrix that belong to the last `fresh` vectors.
    fn project(&mut self, fresh: usize, run: &Run) -> Result<()> {
        let (n, before, len) = (self.n, self.len, self.len + fresh);
        let mut rows = vec![0.0; fresh * len];
        multiply_transposed(&self.images[before * n..], &self.q, [fresh, n, len], &mut rows, run)?;
        for (i, row) in (before..len).zip(rows.chunks(len)) {
            self.projected[i * self.most..i * self.most + len].copy_from_slice(row);
        }
        self.len = len;
        Ok(())
    }

    /// The best approximations in the space, and the residuals of the first `width` of them, each divided by its length; a space
    /// that is full is replaced by its best vectors.
    pub(super) fn improve(&mut self, width: usize, run: &Run) -> Result<Vec<f64>> {
        let len = self.len;
        let packed: Vec<f64> =
            (0..len).flat_map(|i| self.projected[i * self.most..i * self.most + len].to_vec()).collect();
        let found = eigen(&packed, len, &run.without_stops())?;
        self.ritz = found.values().iter().rev().copied().collect();
        self.mix = (0..len).rev().flat_map(|l| found.vector(l).iter().copied()).collect();
        let residuals = self.measure(width.min(len), run)?;
        if len + width > self.most {
            self.restart(run)?;
        }
        Ok(residuals)
    }

    /// A·v − θ·v of the first approximations, each divided by its length, which is noted.
    fn measure(&mut self, count: usize, run: &Run) -> Result<Vec<f64>> {
        let (mut left, vectors) = (self.best_images(count, run)?, self.best(count, run)?);
        let largest = largest_magnitude(&self.ritz);
        self.residuals.clear();
        let pairs = left.chunks_mut(self.n).zip(vectors.chunks(self.n)).zip(&self.ritz);
        for ((left, v), value) in pairs {
            left.iter_mut().zip(v).for_each(|(a, v)| *a -= value * v);
            let norm = left.iter().map(|a| a * a).sum::<f64>().sqrt();
            self.residuals.push(if largest > 0.0 { norm / largest } else { 0.0 });
            left.iter_mut().for_each(|a| *a = if norm > 0.0 { *a / norm } else { 0.0 });
        }
        Ok(left)
    }

    /// The first approximate eigenvectors.
    pub(super) fn best(&self, count: usize, run: &Run) -> Result<Vec<f64>> {
        self.mixed(&self.q, count, run)
    }

    /// Their images over the unit, without a product.
    pub(super) fn best_images(&self, count: usize, run: &Run) -> Result<Vec<f64>> {
        self.mixed(&self.images, count, run)
    }

    fn mixed(&self, vectors: &[f64], count: usize, run: &Run) -> Result<Vec<f64>> {
        let mut out = vec![0.0; count * self.n];
        multiply(&self.mix[..count * self.len], vectors, [count, self.len, self.n], &mut out, run)?;
        Ok(out)
    }

    /// The best approximations take the place of the space they come from.
    fn restart(&mut self, run: &Run) -> Result<()> {
        let kept = self.kept.min(self.len);
        (self.q, self.images) = (self.best(kept, run)?, self.best_images(kept, run)?);
        self.len = kept;
        self.mix = vec![0.0; kept * kept];
        self.projected.fill(0.0);
        for l in 0..kept {
            self.mix[l * kept + l] = 1.0;
            self.projected[l * self.most + l] = self.ritz[l];
        }
        Ok(())
    }

    /// Takes the space out of the block, and makes what is left orthonormal; directions that are rounding are left out.
    ///
    /// A pass that finds nearly nothing to take out leaves what rounding leaves; three are always enough.
    fn make_orthonormal(&self, block: &mut Vec<f64>, run: &Run) -> Result<()> {
        for pass in 0..3 {
            normalise(block, self.n, if pass == 0 { 0.0 } else { NOTHING });
            self.take_out(block, run)?;
            let shortest = normalise(block, self.n, NOTHING);
            let least = independent(block, self.n, run)?;
            if shortest.min(least) >= CLEAN {
                break;
            }
        }
        Ok(())
    }

    /// V ← V − V·Qᵀ·Q.
    fn take_out(&self, block: &mut [f64], run: &Run) -> Result<()> {
        let (n, b) = (self.n, block.len() / self.n);
        if self.len == 0 || b == 0 {
            return Ok(());
        }
        let mut along = vec![0.0; b * self.len];
        multiply_transposed(block, &self.q, [b, n, self.len], &mut along, run)?;
        let mut inside = vec![0.0; b * n];
        multiply(&along, &self.q, [b, self.len, n], &mut inside, run)?;
        block.iter_mut().zip(&inside).for_each(|(v, s)| *v -= s);
        Ok(())
    }
}

/// A power of two near the largest image; fails where one is not a number.
fn scale(images: &[f64]) -> Result<f64> {
    let largest = largest_magnitude(images);
    if largest.is_finite() {
        return Ok(if largest > 0.0 { power_of_two(largest) } else { 1.0 });
    }
    let bad = |v: &&f64| !v.is_finite();
    Err(Error::NonFinite {
        place: "products with a matrix".into(),
        count: images.iter().filter(bad).count(),
        total: images.len(),
        first_row: 0,
        what: "NaN or infinite".into(),
    })
}

/// Vectors of n entries that stand one after the other, entry by entry; or back again, with the number of vectors for n.
fn turned(vectors: &[f64], n: usize) -> Vec<f64> {
    let count = vectors.len() / n.max(1);
    let mut out = vec![0.0; vectors.len()];
    for (i, row) in out.chunks_mut(count.max(1)).enumerate() {
        row.iter_mut().enumerate().for_each(|(l, entry)| *entry = vectors[l * n + i]);
    }
    out
}

/// Divides vectors by their lengths, of which it returns the least; those not longer than `nothing` are dropped, and count as 0.
fn normalise(block: &mut Vec<f64>, n: usize, nothing: f64) -> f64 {
    let (mut kept, mut shortest) = (0, f64::INFINITY);
    for l in 0..block.len() / n {
        let norm = block[l * n..(l + 1) * n].iter().map(|v| v * v).sum::<f64>().sqrt();
        shortest = if norm > nothing { norm.min(shortest) } else { 0.0 };
        if norm > nothing {
            block.copy_within(l * n..(l + 1) * n, kept * n);
            block[kept * n..(kept + 1) * n].iter_mut().for_each(|v| *v /= norm);
            kept += 1;
        }
    }
    block.truncate(kept * n);
    shortest
}

/// Replaces unit vectors by an orthonormal basis of what they span, by the eigenvalues of their products (Stathopoulos & Wu 2002,
/// SVQB), of which it returns the least.
fn independent(block: &mut Vec<f64>, n: usize, run: &Run) -> Result<f64> {
    let b = block.len() / n;
    if b == 0 {
        return Ok(1.0);
    }
    let mut products = vec![0.0; b * b];
    multiply_transposed(block, block, [b, n, b], &mut products, run)?;
    let found = eigen(&products, b, &run.without_stops())?;
    let mut mix = Vec::new();
    for l in (0..b).rev().filter(|l| found.values()[*l] > DEPENDENT * b as f64) {
        let root = found.values()[l].sqrt();
        mix.extend(found.vector(l).iter().map(|u| u / root));
    }
    let count = mix.len() / b;
    let mut out = vec![0.0; count * n];
    multiply(&mix, block, [count, b, n], &mut out, run)?;
    *block = out;
    Ok(found.values()[0])
}
