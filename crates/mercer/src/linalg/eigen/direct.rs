//! One stage: from a full matrix to three diagonals at once, T = Qᵀ·A·Q.
//!
//! Half of the work is products of the matrix with one vector, which wait for memory. But there is only one Q to go back
//! through, so where vectors are wanted this is the faster way (Dongarra, Hammarling and Sorensen 1989, Block reduction of
//! matrices to condensed forms, section 2: reflectors are gathered to A ← A − V·Wᵀ − W·Vᵀ for a panel of them).

use faer::{MatMut, MatRef};

use crate::error::Result;
use crate::linalg::simd;

use super::steps::Steps;
use super::tiles::subtract;
use super::triangle::{self, add, dot};
use super::{ALTERNATIVE, Team, Tridiagonal, filled};

/// Columns of a panel.
const PANEL: usize = 32;
/// Rows of V and W that a thread takes at a time.
const ROWS: usize = 256;
/// Below this part of the largest entry, squares are no longer exact and the entries are nothing beside rounding.
const NOTHING: f64 = 1e-280;

/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    panels(n).count() as u64
}

/// Where panels begin.
fn panels(n: usize) -> impl Iterator<Item = usize> {
    (0..n.saturating_sub(2)).step_by(PANEL)
}

/// What [`reduce`] finds.
pub(super) struct Reduced {
    /// Which reflectors are not the identity.
    pub(super) used: Vec<bool>,
    pub(super) tridiagonal: Tridiagonal,
}

/// Reduces the lower triangle of A, column-major, with entries near 1.
///
/// Column j keeps below the diagonal the reflector of the rows from j + 1 on, but for its first entry, which is 1.
pub(super) fn reduce(a: &mut [f64], n: usize, steps: &Steps) -> Result<Reduced> {
    let (mut used, mut diagonal, mut beside) = (vec![false; n], vec![0.0; n], vec![0.0; n]);
    let size = (n * (4 * PANEL + triangle::PARTS)) as u128;
    let (mut room, _reserved) = filled(size, 0.0, "panels of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    let mut sums = vec![0.0; n.div_ceil(ROWS) * (2 * PANEL + 1)];
    Team::gather(|team| {
        panels(n).try_for_each(|start| {
            let (m, width) = (n - start - 1, PANEL.min(n - 2 - start));
            let (pair, rest) = room.split_at_mut(2 * m * width);
            pair.fill(0.0);
            let (swapped, parts) = rest.split_at_mut(2 * m * width);
            let (v, w) = pair.split_at_mut(m * width);
            let mut panel = Panel { a, n, start, m, v, w, parts, sums: &mut sums, team };
            for i in 0..width {
                steps.check()?;
                let column = start + i;
                (diagonal[column], beside[column], used[column]) = panel.column(i);
            }
            let end = start + width;
            if used[start..end].contains(&true) {
                let rest = MatMut::from_column_major_slice_mut(a, n, n).submatrix_mut(end, end, n - end, n - end);
                subtract(rest, end, MatRef::from_column_major_slice(pair, m, 2 * width), swapped, team);
            }
            steps.step()
        })
    })?;
    let last = n.saturating_sub(2);
    (last..n).for_each(|j| diagonal[j] = a[j * n + j]);
    beside[last] = a[last * n + last + 1];
    beside.truncate(n - 1);
    Ok(Reduced { used, tridiagonal: Tridiagonal { diagonal, beside } })
}

/// Some columns under reduction. Rows of V and W are counted from the one below the first of them.
struct Panel<'a> {
    a: &'a mut [f64],
    n: usize,
    start: usize,
    m: usize,
    v: &'a mut [f64],
    w: &'a mut [f64],
    parts: &'a mut [f64],
    sums: &'a mut [f64],
    team: &'a Team,
}

/// What can be done for a column at the same time once its reflector is known.
enum Piece<'a> {
    /// A part of A·v.
    Product(usize, &'a mut [f64]),
    /// Vᵀv and Wᵀv over some rows.
    Along(usize, &'a mut [f64]),
}

impl Panel<'_> {
    /// Reduces column i: its entry on the diagonal, the one below it, and whether there is a reflector.
    fn column(&mut self, i: usize) -> (f64, f64, bool) {
        let (n, m, at) = (self.n, self.m, self.start + i);
        let own = &mut self.a[at * n + at..(at + 1) * n];
        if i > 0 {
            let (v, w) = (&*self.v, &*self.w);
            let mut chunks: Vec<&mut [f64]> = own.chunks_mut(ROWS).collect();
            self.team.each(&mut chunks, |chunk, own| catch_up(own, v, w, m, i, chunk * ROWS));
        }
        let below = &mut own[1..];
        let (beta, tau) = reflector(below);
        let used = tau != 0.0;
        if used {
            let v_own = &mut self.v[i * m + i..(i + 1) * m];
            v_own.copy_from_slice(below);
            v_own[0] = 1.0;
            self.multiply(i);
            self.finish(i, tau);
        }
        (self.a[at * n + at], beta, used)
    }

    /// A·v with the A from before the panel in parts, and Vᵀv and Wᵀv for the columns before in sums, one set for each chunk of rows.
    fn multiply(&mut self, i: usize) {
        let (n, m, at) = (self.n, self.m, self.start + i);
        let rows = m - i;
        let (v_before, v_own) = self.v.split_at(i * m);
        let (w_before, v_own) = (&self.w[..i * m], &v_own[i..m]);
        let corner = &self.a[(at + 1) * n + at + 1..];
        let products = self.parts.chunks_mut(rows).take(triangle::parts(rows)).enumerate();
        let along = self.sums.chunks_mut(2 * PANEL).take(rows.div_ceil(ROWS)).enumerate();
        let mut pieces: Vec<Piece<'_>> = products.map(|(part, sums)| Piece::Product(part, sums)).collect();
        if i > 0 {
            pieces.extend(along.map(|(chunk, sums)| Piece::Along(chunk, sums)));
        }
        self.team.each(&mut pieces, |_, piece| match piece {
            Piece::Product(part, sums) => triangle::multiply(corner, n, *part, v_own, sums),
            Piece::Along(chunk, sums) => {
                let first = *chunk * ROWS;
                let own = &v_own[first..(first + ROWS).min(rows)];
                along_before(v_before, w_before, m, i + first, own, sums);
            }
        });
    }

    /// w ← τ·(A·v − V·Wᵀv − W·Vᵀv) − ½τ²(…)·v.
    fn finish(&mut self, i: usize, tau: f64) {
        let (m, rows) = (self.m, self.m - i);
        let (v_before, v_own) = self.v.split_at(i * m);
        let (w_before, w_own) = self.w.split_at_mut(i * m);
        let (v_own, w_own, w_before) = (&v_own[i..m], &mut w_own[i..m], &*w_before);
        let chunks = rows.div_ceil(ROWS);
        let (along, products) = self.sums.split_at_mut(chunks * 2 * PANEL);
        let (first, others) = along.split_at_mut(2 * PANEL);
        for other in others.chunks(2 * PANEL) {
            first[..2 * i].iter_mut().zip(other).for_each(|(sum, part)| *sum += part);
        }
        let (along, parts) = (&first[..2 * i], &*self.parts);
        let mut pieces: Vec<_> = w_own.chunks_mut(ROWS).zip(&mut *products).collect();
        self.team.each(&mut pieces, |chunk, (w, product)| {
            let first = chunk * ROWS;
            add_parts(parts, rows, first, w);
            take_off(v_before, w_before, m, i + first, along, tau, w);
            dot_into(w, &v_own[first..first + w.len()], product);
        });
        let product: f64 = products[..chunks].iter().sum();
        add(w_own, -0.5 * tau * product, v_own);
    }
}

/// The sum of what the parts have for some rows.
fn add_parts(parts: &[f64], rows: usize, first: usize, out: &mut [f64]) {
    let end = first + out.len();
    out.copy_from_slice(&parts[first..end]);
    for part in 1..triangle::parts(rows) {
        let from = triangle::begin(part, rows).clamp(first, end);
        let sums = &parts[part * rows + from..part * rows + end];
        out[from - first..].iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
    }
}

/// x ← (I − τ·v·vᵀ)·x in place of which v is left, its first entry understood to be 1; the first entry of the result, which has no
/// other, and τ.
fn reflector(x: &mut [f64]) -> (f64, f64) {
    let (first, rest) = x.split_at_mut(1);
    let alpha = first[0];
    let mut tail = 0.0;
    dot_into(rest, rest, &mut tail);
    let whole = alpha.mul_add(alpha, tail);
    if tail == 0.0 || whole < NOTHING {
        rest.fill(0.0);
        return (alpha, 0.0);
    }
    let beta = -whole.sqrt().copysign(alpha);
    let scale = 1.0 / (alpha - beta);
    rest.iter_mut().for_each(|x| *x *= scale);
    first[0] = beta;
    (beta, (beta - alpha) / beta)
}

simd::dispatch! {
    pub(crate) fn dot_into(a: &[f64], b: &[f64], out: &mut f64) {
        *out = dot(a, b);
    }
}

simd::dispatch! {
    /// What the first i reflectors of a panel take off its column i, for some rows, counted from its diagonal.
    pub(crate) fn catch_up(own: &mut [f64], v: &[f64], w: &[f64], m: usize, i: usize, first: usize) {
        for (v, w) in v.chunks_exact(m).zip(w.chunks_exact(m)).take(i) {
            let (by_v, by_w) = (v[i - 1], w[i - 1]);
            let (v, w) = (&v[i - 1 + first..], &w[i - 1 + first..]);
            for ((own, v_row), w_row) in own.iter_mut().zip(v).zip(w) {
                *own = (-by_w).mul_add(*v_row, (-by_v).mul_add(*w_row, *own));
            }
        }
    }
}

simd::dispatch! {
    /// Vᵀx and Wᵀx in turn, for the rows of V and W from `first` on that x has.
    pub(crate) fn along_before(v: &[f64], w: &[f64], m: usize, first: usize, x: &[f64], out: &mut [f64]) {
        let rows = first..first + x.len();
        for ((v, w), out) in v.chunks_exact(m).zip(w.chunks_exact(m)).zip(out.chunks_exact_mut(2)) {
            out[0] = dot(&v[rows.clone()], x);
            out[1] = dot(&w[rows.clone()], x);
        }
    }
}

simd::dispatch! {
    /// x ← τ·(x − V·Wᵀv − W·Vᵀv) for the rows of V and W from `first` on that x has; `along` holds Vᵀv and Wᵀv in turn.
    pub(crate) fn take_off(v: &[f64], w: &[f64], m: usize, first: usize, along: &[f64], tau: f64, x: &mut [f64]) {
        let rows = first..first + x.len();
        for ((v, w), along) in v.chunks_exact(m).zip(w.chunks_exact(m)).zip(along.chunks_exact(2)) {
            let (v, w) = (&v[rows.clone()], &w[rows.clone()]);
            for ((x, v), w) in x.iter_mut().zip(v).zip(w) {
                *x = (-along[1]).mul_add(*v, (-along[0]).mul_add(*w, *x));
            }
        }
        x.iter_mut().for_each(|x| *x *= tau);
    }
}
