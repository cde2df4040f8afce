//! Products with a kernel matrix in doubled precision, with a bound of their error.
//!
//! Every sum keeps what its roundings lost in a second sum (`Dot2` of Ogita, Rump & Oishi 2005), so that it is as
//! good as if it were computed with twice the digits. The matrix is taken as it is: its values are numbers of
//! double precision, whatever they cost to compute.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::{Ball, filled, two_product, two_sum};
use crate::run::Run;

use super::matrix::{KernelMatrix, TileMut};
use super::tiling::{TILE, tiles};

/// Sums that are kept apart and added in order at the end, as those of plain products.
const GROUPS: usize = 64;
/// Bytes that those sums may take.
const SUMS_BYTES: u128 = 64 << 20;
/// Partial sums of an inner product, which vectors can hold.
const LANES: usize = 8;
/// Numbers that a sum is made of: itself, what it lost, and the sizes of its terms.
const PARTS: usize = 3;

/// Vectors one after the other, each as values, their rests, and sizes that the error is a multiple of.
struct Columns {
    values: Vec<f64>,
    rests: Vec<f64>,
    sizes: Vec<f64>,
}

/// g with |error| ≤ g·Σ|kᵢ|·|vᵢ| for sums of n terms.
///
/// The second sum holds the errors of 2n + 1024 additions at most, which are below u·Σ|kv| each; of its own
/// roundings, fewer than four a term, each is below u times that: 4·(2n + 1024)²·u², and twice this is safe.
fn error_share(n: usize) -> f64 {
    let additions = 2.0 * n as f64 + 1024.0;
    8.0 * (0.5 * f64::EPSILON * additions).powi(2)
}

impl Columns {
    fn new(v: &[Ball], k: usize, share: f64) -> Self {
        let turned = |of: &dyn Fn(&Ball) -> f64| (0..k).flat_map(|o| v.iter().skip(o).step_by(k).map(of)).collect();
        Columns {
            values: turned(&|b| b.pair().0),
            rests: turned(&|b| b.pair().1),
            // The radius of v joins the error of the sum.
            sizes: turned(&|b| b.value().abs() + b.radius() / share),
        }
    }

    /// Rows of all vectors: `k` pieces one after the other.
    fn part(&self, rows: &Range<usize>, n: usize) -> Columns {
        let cut = |all: &[f64]| all.chunks(n).flat_map(|c| c[rows.clone()].iter().copied()).collect();
        Columns { values: cut(&self.values), rests: cut(&self.rests), sizes: cut(&self.sizes) }
    }
}

/// K·V for V: ncols×k, row-major; the result likewise.
///
/// Of a symmetric matrix only one half is computed; each tile serves both of its places. The same whatever the
/// number of threads.
pub fn product(matrix: &dyn KernelMatrix, v: &[Ball], k: usize, run: &Run) -> Result<Vec<Ball>> {
    let (n, m) = (matrix.nrows(), matrix.ncols());
    if m.checked_mul(k) != Some(v.len()) {
        return Err(Error::shape("`V`", format!("{m}×{k} values"), v.len()));
    }
    if n == 0 || m == 0 || k == 0 {
        return Ok(vec![Ball::from(0.0); n * k]);
    }
    let share = error_share(m);
    let product = Product { matrix, columns: Columns::new(v, k, share), k };
    let groups = (SUMS_BYTES / (8 * (PARTS * n * k) as u128)).min(GROUPS as u128) as usize;
    let sums = if matrix.is_symmetric() && groups >= 8 {
        run.install(|| product.symmetric(groups, run))?
    } else {
        run.install(|| product.rectangular(run))?
    };
    let underflow = (2.0 * m as f64 + 1024.0) * f64::MIN_POSITIVE * f64::EPSILON;
    let ball = |at: usize| {
        let [high, low, size] = sums.at((at % k) * n + at / k);
        Ball::new(high, low, share * (1.0 + 1e-3) * size + underflow)
    };
    Ok((0..n * k).map(ball).collect())
}

/// Sums of every row and vector, the vectors one after the other.
struct Sums {
    all: Vec<f64>,
    len: usize,
}

impl Sums {
    fn at(&self, place: usize) -> [f64; PARTS] {
        [0, 1, 2].map(|part| self.all[part * self.len + place])
    }
}

struct Product<'a> {
    matrix: &'a dyn KernelMatrix,
    columns: Columns,
    k: usize,
}

impl Product<'_> {
    /// Every block of rows meets all columns, from left to right.
    fn rectangular(&self, run: &Run) -> Result<Sums> {
        let (n, m, k) = (self.matrix.nrows(), self.matrix.ncols(), self.k);
        let task = run.task("certify", Some(n.div_ceil(TILE) as u64));
        let block = |scratch: &mut Vec<f64>, block: usize| -> Result<Vec<f64>> {
            let rows = block * TILE..((block + 1) * TILE).min(n);
            let mut sums = vec![0.0; PARTS * rows.len() * k];
            for cols in tiles(m) {
                let part = self.columns.part(&cols, m);
                rows_times(self.tile(scratch, &rows, &cols), &part, k, &mut sums);
            }
            task.step_or_cancel().map(|()| sums)
        };
        let blocks: Result<Vec<Vec<f64>>> = (0..n.div_ceil(TILE)).into_par_iter().map_init(Vec::new, block).collect();
        let mut all = vec![0.0; PARTS * n * k];
        for (at, sums) in blocks?.iter().enumerate() {
            let rows = sums.len() / PARTS / k;
            for (piece, values) in sums.chunks(rows).enumerate() {
                all[piece * n + at * TILE..][..rows].copy_from_slice(values);
            }
        }
        Ok(Sums { all, len: n * k })
    }

    /// Blocks of rows are dealt out to groups, whose sums are added up in order at the end.
    fn symmetric(&self, groups: usize, run: &Run) -> Result<Sums> {
        let (n, k) = (self.matrix.nrows(), self.k);
        let (blocks, len) = (n.div_ceil(TILE), n * k);
        let groups = groups.min(blocks);
        let task = run.task("certify", Some(blocks as u64));
        let alternative = "certify fewer outputs at a time";
        let size = (PARTS * len * groups) as u128;
        let (mut parts, _reserved) = filled(size, 0.0, "the partial sums of a product", alternative, run)?;
        parts.par_chunks_mut(PARTS * len).enumerate().try_for_each_init(Vec::new, |scratch, (group, sums)| {
            (group..blocks).step_by(groups).try_for_each(|block| {
                self.symmetric_block(block, sums, scratch);
                task.step_or_cancel()
            })
        })?;
        let mut all = vec![0.0; PARTS * len];
        let (high, rest) = all.split_at_mut(len);
        let (low, size) = rest.split_at_mut(len);
        for part in parts.chunks(PARTS * len) {
            for at in 0..len {
                let (sum, error) = two_sum(high[at], part[at]);
                high[at] = sum;
                low[at] += error + part[len + at];
                size[at] += part[2 * len + at];
            }
        }
        Ok(Sums { all, len })
    }

    /// A block of rows with the columns up to the diagonal; tiles off the diagonal count twice.
    fn symmetric_block(&self, block: usize, sums: &mut [f64], scratch: &mut Vec<f64>) {
        let (n, k) = (self.matrix.nrows(), self.k);
        let rows = block * TILE..((block + 1) * TILE).min(n);
        let own = self.columns.part(&rows, n);
        let mut of_rows = vec![0.0; PARTS * rows.len() * k];
        for cols in tiles(rows.end) {
            let tile = self.tile(scratch, &rows, &cols);
            rows_times(tile, &self.columns.part(&cols, n), k, &mut of_rows);
            if cols.start != rows.start {
                let (high, rest) = sums.split_at_mut(n * k);
                let (low, size) = rest.split_at_mut(n * k);
                for o in 0..k {
                    let place = o * n + cols.start..o * n + cols.end;
                    let at = o * rows.len()..(o + 1) * rows.len();
                    add_rows(
                        tile,
                        [&own.values[at.clone()], &own.rests[at.clone()], &own.sizes[at]],
                        &mut high[place.clone()],
                        &mut low[place.clone()],
                        &mut size[place],
                    );
                }
            }
        }
        for (piece, values) in of_rows.chunks(rows.len()).enumerate() {
            let (part, o) = (piece / k, piece % k);
            for (r, v) in values.iter().enumerate() {
                let at = part * n * k + o * n + rows.start + r;
                match part {
                    0 => {
                        let (sum, error) = two_sum(sums[at], *v);
                        sums[at] = sum;
                        sums[at + n * k] += error;
                    }
                    _ => sums[at] += v,
                }
            }
        }
    }

    fn tile<'s>(&self, scratch: &'s mut Vec<f64>, rows: &Range<usize>, cols: &Range<usize>) -> &'s [f64] {
        scratch.resize(rows.len() * cols.len(), 0.0);
        self.matrix.block(rows.clone(), cols.clone(), TileMut::contiguous(scratch, rows.len(), cols.len()));
        scratch
    }
}

/// Adds ⟨row i, vector o⟩ to the sums of row i: `sums` holds values, rests and sizes of k vectors of rows.
fn rows_times(tile: &[f64], v: &Columns, k: usize, sums: &mut [f64]) {
    let rows = sums.len() / PARTS / k;
    let (high, rest) = sums.split_at_mut(rows * k);
    let (low, size) = rest.split_at_mut(rows * k);
    let width = tile.len() / rows;
    for o in 0..k {
        let at = o * width..(o + 1) * width;
        let place = o * rows..(o + 1) * rows;
        inner_products(
            tile,
            [&v.values[at.clone()], &v.rests[at.clone()], &v.sizes[at]],
            &mut high[place.clone()],
            &mut low[place.clone()],
            &mut size[place],
        );
    }
}

/// One term more: s + a·v exactly as a new sum, with what was lost added to the rest.
#[inline(always)]
fn term(a: f64, [v, rest, size]: [f64; 3], sum: &mut f64, lost: &mut f64, sizes: &mut f64) {
    let (product, error) = two_product(a, v);
    let (new, slip) = two_sum(*sum, product);
    *sum = new;
    *lost += a.mul_add(rest, error + slip);
    *sizes = a.abs().mul_add(size, *sizes);
}

super::simd::dispatch! {
    /// Adds the inner products of the rows of a tile with a vector.
    pub(crate) fn inner_products(tile: &[f64], v: [&[f64]; 3], high: &mut [f64], low: &mut [f64], size: &mut [f64]) {
        let width = v[0].len();
        let whole = width / LANES * LANES;
        for (i, row) in tile.chunks(width).enumerate() {
            let (mut s, mut c, mut m) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for at in (0..whole).step_by(LANES) {
                let (row, a, b, z) =
                    (&row[at..at + LANES], &v[0][at..at + LANES], &v[1][at..at + LANES], &v[2][at..at + LANES]);
                for l in 0..LANES {
                    term(row[l], [a[l], b[l], z[l]], &mut s[l], &mut c[l], &mut m[l]);
                }
            }
            for at in whole..width {
                let l = at - whole;
                term(row[at], [v[0][at], v[1][at], v[2][at]], &mut s[l], &mut c[l], &mut m[l]);
            }
            for l in 0..LANES {
                let (sum, error) = two_sum(high[i], s[l]);
                high[i] = sum;
                low[i] += error + c[l];
                size[i] += m[l];
            }
        }
    }
}

super::simd::dispatch! {
    /// Adds every row of a tile, times its number, to sums of the columns.
    pub(crate) fn add_rows(tile: &[f64], v: [&[f64]; 3], high: &mut [f64], low: &mut [f64], size: &mut [f64]) {
        let width = high.len();
        for (i, row) in tile.chunks(width).enumerate() {
            let own = [v[0][i], v[1][i], v[2][i]];
            let (high, low, size) = (&mut high[..width], &mut low[..width], &mut size[..width]);
            for j in 0..width {
                term(row[j], own, &mut high[j], &mut low[j], &mut size[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;

    /// Values of a matrix as they are, read in blocks.
    struct Given {
        values: Vec<f64>,
        n: usize,
        m: usize,
    }

    impl KernelMatrix for Given {
        fn nrows(&self) -> usize {
            self.n
        }
        fn ncols(&self) -> usize {
            self.m
        }
        fn is_symmetric(&self) -> bool {
            self.n == self.m
        }
        fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
            for (r, i) in rows.enumerate() {
                out.row_mut(r).copy_from_slice(&self.values[i * self.m + cols.start..i * self.m + cols.end]);
            }
        }
        fn diag(&self, out: &mut [f64]) {
            (0..self.n).for_each(|i| out[i] = self.values[i * self.m + i]);
        }
    }

    /// Small integers over 2²⁰ times powers of two, whose sums of products are integers over 2⁴⁰.
    fn short(chance: &mut Chance) -> f64 {
        ((chance.unit() - 0.5) * 2f64.powi(40)).round() * 2f64.powi(-20)
    }

    #[test]
    fn products_are_inside_their_balls_and_the_balls_are_small() {
        let mut chance = Chance::new(1);
        for (n, m, k) in [(1, 1, 1), (3, 3, 2), (7, 300, 1), (300, 7, 2), (600, 600, 1), (530, 530, 2)] {
            let mut values: Vec<f64> = (0..n * m).map(|_| short(&mut chance)).collect();
            if n == m {
                for i in 0..n {
                    (0..i).for_each(|j| values[j * m + i] = values[i * m + j]);
                }
            }
            let v: Vec<Ball> = (0..m * k).map(|_| Ball::new(short(&mut chance), 0.0, 0.0)).collect();
            let given = Given { values, n, m };
            let found = product(&given, &v, k, &Run::new()).expect("a product");
            let whole = |v: f64| (v * 2f64.powi(20)) as i128;
            let fine = |v: f64| (v * 2f64.powi(40)) as i128;
            for i in 0..n {
                for o in 0..k {
                    let truth: i128 =
                        (0..m).map(|j| whole(given.values[i * m + j]) * whole(v[j * k + o].value())).sum();
                    let (ball, (high, low)) = (found[i * k + o], found[i * k + o].pair());
                    let off = (truth - fine(high) - fine(low)).unsigned_abs() as f64 * 2f64.powi(-40);
                    // Sizes are up to 2⁴⁰ and terms up to 600; all digits but those below 2⁻⁴⁰ are there.
                    assert!(off <= ball.radius() && ball.radius() < 1e-8, "{off:e} {:e}", ball.radius());
                }
            }
        }
    }

    #[test]
    fn what_is_not_known_of_a_vector_is_not_known_of_the_product() {
        let given = Given { values: vec![2.0, -1.0, -1.0, 3.0], n: 2, m: 2 };
        let v = [Ball::new(1.0, 1e-20, 1e-9), Ball::new(0.0, 0.0, 1e-3)];
        let found = product(&given, &v, 1, &Run::new()).expect("a product");
        assert!((found[0].radius() / (2e-9 + 1e-3) - 1.0).abs() < 2e-3, "{:?}", found[0]);
        assert!((found[1].radius() / (1e-9 + 3e-3) - 1.0).abs() < 2e-3, "{:?}", found[1]);
        assert!((found[0].pair().1 - 2e-20).abs() < 1e-30);
    }
}
