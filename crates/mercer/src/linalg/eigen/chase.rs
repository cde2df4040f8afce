//! Second stage: from a band to three diagonals, T = Q₂ᵀ·B·Q₂, by chasing bulges.
//!
//! Sweep s clears column s by a reflector on the rows below it. That fills the block below, whose first column the next
//! reflector clears, and so on down the band; what is left of the bulge is the work of the next sweep (Bischof, Lang and
//! Sun 2000, section 4.2). Step k of sweep s reflects the rows s + 1 + k·b … s + (k + 1)·b.
//!
//! Step (s, k) needs (s, k − 1) and (s − 1, k + 1). So sweeps are taken in groups of g, and w = k + s + ⌊s/g⌋ is cut into
//! stretches of g: the tiles (group, stretch) of equal sum touch different columns, and each sum is one wave of tiles for
//! the threads. Whatever thread takes a tile, every step sees the same numbers.

use std::ops::Range;

use crate::error::Result;
use crate::linalg::simd;

use super::band::BAND;
use super::steps::Steps;
use super::triangle::{add, products};
use super::{ALTERNATIVE, Team, Tridiagonal, filled};

/// Sweeps of a group, and steps of a stretch. Tiles of a wave stand (2·GROUP + 1)·BAND columns apart, so that smaller groups give more of them.
const GROUP: usize = 4;
/// Numbers that a column of the band has room for: the band and the bulge.
const HEIGHT: usize = 2 * BAND;
/// Below this part of the largest entry, squares are no longer exact and the entries are nothing beside rounding.
const NOTHING: f64 = 1e-280;

/// Reduces the band in the lower triangle of A (column-major, entries near 1) to the diagonal and the entries beside it.
///
/// What was above the diagonal is lost: there the reflectors of sweep s wait for the next step, in column n − 1 − s, one after
/// the other as they lie on the rows below s, the first entry of each (which is 1) replaced by its τ.
pub(super) fn reduce(a: &mut [f64], n: usize, steps: &Steps) -> Result<Tridiagonal> {
    let columns = n + BAND;
    let size = (columns * HEIGHT) as u128;
    let (mut band, _reserved) = filled(size, 0.0, "the band of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    for (j, column) in band.chunks_mut(HEIGHT).take(n).enumerate() {
        let rows = (BAND + 1).min(n - j);
        column[..rows].copy_from_slice(&a[j * n + j..j * n + j + rows]);
    }
    let mut groups: Vec<&mut [f64]> = a.rchunks_mut(GROUP * n).collect();
    let spans = spans(n);
    Team::gather(|team| {
        (0..waves(n)).try_for_each(|wave| {
            team.each(&mut tiles(wave, n, &spans, &mut groups, &mut band), |_, tile| tile.run(n));
            steps.step()
        })
    })?;
    let entry = |j: usize, offset: usize| band[j * HEIGHT + offset];
    let diagonal = (0..n).map(|j| entry(j, 0)).collect();
    Ok(Tridiagonal { diagonal, beside: (1..n).map(|j| entry(j - 1, 1)).collect() })
}

/// Sweeps that have something to clear.
fn sweeps(n: usize) -> usize {
    n.saturating_sub(2)
}

/// Steps of a sweep.
fn length(s: usize, n: usize) -> usize {
    (n - 1 - s).div_ceil(BAND)
}

/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    waves(n) as u64
}

/// How many waves there are.
fn waves(n: usize) -> usize {
    spans(n).last().map_or(0, |span| span.end)
}

/// The waves that have a tile of each group: later groups begin and end later.
fn spans(n: usize) -> Vec<Range<usize>> {
    let span = |group: usize| stretches(group, n).start + group..stretches(group, n).end + group;
    (0..sweeps(n).div_ceil(GROUP)).map(span).collect()
}

/// The stretches that hold steps of a group.
fn stretches(group: usize, n: usize) -> Range<usize> {
    let first = group * GROUP;
    let end = (first + GROUP).min(sweeps(n));
    let last = (first..end).map(|s| s + group + length(s, n)).max().unwrap_or(0);
    (first + group) / GROUP..last.div_ceil(GROUP)
}

/// Some steps of a group of sweeps, with the columns of the band that they touch.
struct Tile<'a> {
    group: usize,
    stretch: usize,
    /// The reflectors of the group, as they are left in A.
    reflectors: &'a mut [f64],
    first_column: usize,
    band: &'a mut [f64],
}

/// The tiles of a wave.
fn tiles<'a>(
    wave: usize,
    n: usize,
    spans: &[Range<usize>],
    groups: &'a mut [&mut [f64]],
    band: &'a mut [f64],
) -> Vec<Tile<'a>> {
    let mut tiles = Vec::new();
    let (mut rest, mut rest_end) = (band, n + BAND);
    let begun = spans.partition_point(|span| span.start <= wave);
    let ended = spans.partition_point(|span| span.end <= wave);
    // Later groups stand further up.
    for (group, reflectors) in groups.iter_mut().enumerate().take(begun).skip(ended) {
        let stretch = wave - group;
        let (first, end) = columns(group, stretch, n);
        let (above, own) = std::mem::take(&mut rest).split_at_mut(first * HEIGHT);
        debug_assert!(end <= rest_end, "tiles of a wave overlap");
        tiles.push(Tile { group, stretch, reflectors, first_column: first, band: &mut own[..(end - first) * HEIGHT] });
        (rest, rest_end) = (above, first);
    }
    tiles
}

/// The steps k of sweep s in a stretch.
fn steps_of(s: usize, group: usize, stretch: usize, n: usize) -> Range<usize> {
    let offset = s + group;
    let first = (stretch * GROUP).saturating_sub(offset);
    first..((stretch + 1) * GROUP).saturating_sub(offset).min(length(s, n))
}

/// The columns that a tile touches.
fn columns(group: usize, stretch: usize, n: usize) -> (usize, usize) {
    let own = (group * GROUP..((group + 1) * GROUP).min(sweeps(n)))
        .map(|s| (s, steps_of(s, group, stretch, n)))
        .filter(|(_, k)| !k.is_empty());
    own.fold((usize::MAX, 0), |(first, end), (s, k)| {
        let begin = if k.start == 0 { s } else { s + 1 + (k.start - 1) * BAND };
        (first.min(begin), end.max(s + 1 + k.end * BAND).min(n + BAND))
    })
}

impl Tile<'_> {
    fn run(&mut self, n: usize) {
        let last = ((self.group + 1) * GROUP).min(sweeps(n));
        for s in self.group * GROUP..last {
            let steps = steps_of(s, self.group, self.stretch, n);
            if !steps.is_empty() {
                // Column n − 1 − s of A; groups are counted from the end.
                let behind = (s - self.group * GROUP + 1) * n;
                let start = self.reflectors.len() - behind;
                let own = &mut self.reflectors[start..start + n - 1 - s];
                sweep(self.band, s, self.first_column, steps, own);
            }
        }
    }
}

type Column = [f64; BAND];

simd::dispatch! {
    /// Some steps of a sweep.
    pub(crate) fn sweep(band: &mut [f64], s: usize, first_column: usize, steps: Range<usize>, own: &mut [f64]) {
        for k in steps {
            let row = s + 1 + k * BAND - first_column;
            let (v, tau) = match k {
                0 => begin(&mut band[(s - first_column) * HEIGHT..]),
                _ => {
                    let mut last = [0.0; BAND];
                    last.copy_from_slice(&own[(k - 1) * BAND..k * BAND]);
                    let tau = std::mem::replace(&mut last[0], 1.0);
                    push(&mut band[(row - BAND) * HEIGHT..row * HEIGHT], &last, tau)
                }
            };
            reflect_both_sides(&mut band[row * HEIGHT..], &v, tau);
            let kept = &mut own[k * BAND..];
            let rows = BAND.min(kept.len());
            kept[..rows].copy_from_slice(&v[..rows]);
            kept[0] = tau;
        }
    }
}

#[inline(always)]
fn column(band: &mut [f64], at: usize) -> &mut Column {
    (&mut band[at..at + BAND]).try_into().expect("a column has as many rows")
}

/// The reflector I − τ·v·vᵀ with v₁ = 1 that leaves of x only its first entry; x becomes that.
#[inline(always)]
fn reflector(x: &mut Column) -> (Column, f64) {
    let mut v = *x;
    v[0] = 0.0;
    let (alpha, tail) = (x[0], dot(&v, &v));
    let whole = alpha.mul_add(alpha, tail);
    *x = [0.0; BAND];
    if tail == 0.0 || whole < NOTHING {
        x[0] = alpha;
        return ([0.0; BAND], 0.0);
    }
    let beta = -whole.sqrt().copysign(alpha);
    x[0] = beta;
    let scale = 1.0 / (alpha - beta);
    v.iter_mut().for_each(|v| *v *= scale);
    v[0] = 1.0;
    (v, (beta - alpha) / beta)
}

/// ⟨a, b⟩: columns of the band are short, so that half the sums are enough.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (sums, ends) = products::<8>(a, b);
    let half = |l: usize| (sums[l] + sums[l + 4]) + (sums[l + 2] + sums[l + 6]);
    (half(0) + half(1)) + ends
}

/// Clears the column that a sweep is about: `band` begins with it.
#[inline(always)]
fn begin(band: &mut [f64]) -> (Column, f64) {
    reflector(column(band, 1))
}

/// The block below the last reflector, which acts on its columns: B ← B·(I − τ·v·vᵀ). Its first column is then cleared by a
/// new reflector, which acts on its rows. `band` holds the columns of the block.
#[inline(always)]
fn push(band: &mut [f64], v: &Column, tau: f64) -> (Column, f64) {
    let place = |j: usize| j * HEIGHT + BAND - j;
    let mut w = [0.0; BAND];
    for (j, v) in v.iter().enumerate() {
        add(&mut w, -tau * v, column(band, place(j)));
    }
    let first = column(band, place(0));
    add(first, v[0], &w);
    let (next, next_tau) = reflector(first);
    for (j, v) in v.iter().enumerate().skip(1) {
        let own = column(band, place(j));
        add(own, *v, &w);
        let along = dot(own, &next);
        add(own, -next_tau * along, &next);
    }
    (next, next_tau)
}

/// D ← H·D·H for a block on the diagonal, of which the lower triangle is stored: D − v·qᵀ − q·vᵀ with q = p − ½τ(pᵀv)·v and
/// p = τ·D·v.
#[inline(always)]
fn reflect_both_sides(band: &mut [f64], v: &Column, tau: f64) {
    if tau == 0.0 {
        return;
    }
    let mut p = [0.0; BAND];
    for j in 0..BAND {
        let own = &band[j * HEIGHT..j * HEIGHT + BAND - j];
        p[j] += own[0].mul_add(v[j], dot(&own[1..], &v[j + 1..]));
        add(&mut p[j + 1..], v[j], &own[1..]);
    }
    p.iter_mut().for_each(|p| *p *= tau);
    let along = -0.5 * tau * dot(&p, v);
    add(&mut p, along, v);
    for j in 0..BAND {
        let (left, right) = (v[j], p[j]);
        let own = &mut band[j * HEIGHT..j * HEIGHT + BAND - j];
        for ((own, p), v) in own.iter_mut().zip(&p[j..]).zip(&v[j..]) {
            *own = (-left).mul_add(*p, (-right).mul_add(*v, *own));
        }
    }
}
