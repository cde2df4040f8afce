//! The loops of the engine give the same bits with all vector instructions that the processor has.

use std::ops::Range;

use crate::kernel::vector::{
    ArcCosine, Cauchy, Cosine, Laplace, LaplaceL1, Matern32, Matern52, Poly, RationalQuadratic, Rbf, Tanimoto,
};
use crate::kernel::{Profile, elementary};
use crate::testkit::points::{Chance, hard_numbers};

use super::blocks::{Difference, GROUP, LANES, Product, RowSlice, Term};
use super::exponential::{MOST, exponentials};
use super::map::{Strip, slopes, values};
use super::panel::{
    DistanceTerm, Magnitude, Panels, Square, Squares, pair, squared_distances, statistic, weighted_terms,
};
use super::simd::{at_every_level, same_bits};
use super::sparse::expand;

/// Numbers without and with ends of the range among them.
fn kinds(n: usize, seed: u64) -> [Vec<f64>; 2] {
    let mut chance = Chance::new(seed);
    [(0..n).map(|_| chance.normal()).collect(), hard_numbers(n, seed)]
}

fn statistic_of<T: Term>(rows: RowSlice<'_>, panels: &Panels, cols: Range<usize>) {
    let count = rows.values.len() / rows.depth;
    let answers = at_every_level(|| {
        let mut out = vec![f64::NAN; count * cols.len()];
        statistic::<T>(rows, panels, cols.clone(), &mut out);
        out
    });
    same_bits(&answers, &format!("{count} rows of {} with {cols:?}", rows.depth));
}

/// Every number of rows of a group, every number of panels of a block and every cut of a panel.
#[test]
fn statistics() {
    const POINTS: usize = 6 * LANES + 3;
    for depth in [1, 2, 7, 30] {
        for (x, y) in kinds((GROUP + 2) * depth, 1).into_iter().zip(kinds(POINTS * depth, 2)) {
            let panels = Panels::pack(&y, POINTS, depth);
            for count in 1..=GROUP + 2 {
                let rows = RowSlice { values: &x[..count * depth], depth };
                for end in (1..=POINTS).filter(|end| count == GROUP || end % 5 == 0) {
                    let start = (end * 7) % 13 % end;
                    statistic_of::<Product>(rows, &panels, start..end);
                    statistic_of::<Difference>(rows, &panels, start..end);
                }
            }
        }
    }
}

/// The portable level is what the others are compared with; here it is compared with pairs.
#[test]
fn statistics_have_the_bits_of_pairs() {
    const POINTS: usize = 4 * LANES + 5;
    let depth = 9;
    let [x, _] = kinds(POINTS * depth, 3);
    let (rows, panels) = (RowSlice { values: &x, depth }, Panels::pack(&x, POINTS, depth));
    for (level, out) in at_every_level(|| {
        let mut out = vec![0.0; POINTS * POINTS];
        statistic::<Product>(rows, &panels, 0..POINTS, &mut out);
        out
    }) {
        for (at, sum) in out.into_iter().enumerate() {
            let point = |i: usize| &x[i * depth..(i + 1) * depth];
            assert_eq!(sum, pair::<Product>(point(at / POINTS), point(at % POINTS)), "{level:?}");
        }
    }
}

fn weighted_terms_of<T: DistanceTerm>(x: &[f64], y: &[f64], depth: usize, g: &[f64]) {
    let (rows, points) = (x.len() / depth, y.len() / depth);
    let panels = Panels::pack(y, points, depth);
    for cols in [0..points, 3..points, 3..points - 2, 5..6] {
        let answers = at_every_level(|| {
            let mut sums = vec![0.0; depth * LANES];
            let g = &g[..rows * cols.len()];
            weighted_terms::<T>(RowSlice { values: x, depth }, &panels, cols.clone(), g, &mut sums);
            sums
        });
        same_bits(&answers, &format!("weighted terms of {rows} rows with {cols:?}"));
    }
}

#[test]
fn terms_of_gradients() {
    for rows in [1, GROUP - 1, GROUP, 2 * GROUP + 1] {
        for ((x, y), g) in kinds(rows * 5, 4).into_iter().zip(kinds(29 * 5, 5)).zip(kinds(rows * 29, 6)) {
            weighted_terms_of::<Square>(&x, &y, 5, &g);
            weighted_terms_of::<Magnitude>(&x, &y, 5, &g);
        }
    }
}

/// Points with themselves, with equal ones and with ends of the range among them: distances that are near are left to `exact`.
#[test]
fn squared_distances_of_panels() {
    const POINTS: usize = 5 * LANES + 3;
    for depth in [1, 3, 12] {
        for mut x in kinds(POINTS * depth, 11) {
            let (first, rest) = x.split_at_mut(depth);
            rest[2 * depth..3 * depth].copy_from_slice(first);
            let point = |i: usize| &x[i * depth..(i + 1) * depth];
            let mut squares: Vec<f64> = (0..POINTS).map(|i| pair::<Product>(point(i), point(i))).collect();
            let rows = squares.clone();
            squares.resize(POINTS.next_multiple_of(LANES), 0.0);
            let panels = Panels::pack(&x, POINTS, depth);
            for (count, cols) in [(POINTS, 0..POINTS), (1, 3..POINTS), (GROUP - 1, 5..6), (2 * GROUP + 1, 7..4 * LANES)]
            {
                let exact = &|r: usize, c: usize| (r * POINTS + c) as f64;
                let squares = Squares { rows: &rows[..count], points: &squares, exact };
                let answers = at_every_level(|| {
                    let mut out = vec![f64::NAN; count * cols.len()];
                    let rows = RowSlice { values: &x[..count * depth], depth };
                    squared_distances(rows, &panels, squares, cols.clone(), &mut out);
                    out
                });
                same_bits(&answers, &format!("{count} rows of {depth} with {cols:?}"));
                for (at, s) in answers[0].1.iter().enumerate() {
                    let (r, c) = (at / cols.len(), cols.start + at % cols.len());
                    let whole = rows[r] + rows[c];
                    let expanded = (-2.0f64).mul_add(pair::<Product>(point(r), point(c)), whole);
                    let expected = if expanded <= 1e-3 * whole { exact(r, c) } else { expanded };
                    assert!(s.to_bits() == expected.to_bits() || s.is_nan() && expected.is_nan(), "{r}, {c}: {s}");
                }
            }
        }
    }
}

#[test]
fn squared_distances_of_sparse_rows() {
    for len in 0..70 {
        for (yy, dots) in kinds(len, 7).into_iter().zip(kinds(len, 8)) {
            let answers = at_every_level(|| {
                let (mut row, mut near) = (dots.clone(), 0);
                expand(1.5, &yy, &mut row, &mut near);
                row.push(near as f64);
                row
            });
            same_bits(&answers, &format!("{len} squared distances"));
        }
    }
}

/// All lengths around whole batches; where one value is out of the ordinary its batch takes another way.
#[test]
fn exponentials_of_every_length() {
    for len in 0..2 * MOST + 3 {
        for x in kinds(len, 9) {
            let answers = at_every_level(|| {
                let mut k = x.clone();
                exponentials(&mut k);
                k
            });
            same_bits(&answers, &format!("{len} exponentials"));
            let single: Vec<u64> = x.iter().map(|x| elementary::exp(*x).to_bits()).collect();
            for (level, k) in answers {
                assert_eq!(k.iter().map(|k| k.to_bits()).collect::<Vec<_>>(), single, "{level:?}");
            }
        }
    }
}

/// Batches of ordinary exponents over the whole range, which no batch with an end among it reaches.
#[test]
fn exponentials_of_ordinary_numbers() {
    let mut chance = Chance::new(10);
    let mut x: Vec<f64> = (0..4000).map(|_| (chance.unit() * 2.0 - 1.0) * 708.0).collect();
    x.extend((0..2000).map(|_| chance.normal() * 1e-3));
    x[..4].copy_from_slice(&[708.0, -708.0, 0.0, -0.0]);
    let answers = at_every_level(|| {
        let mut k = x.clone();
        exponentials(&mut k);
        k
    });
    same_bits(&answers, "ordinary exponentials");
}

/// Of a distance where `squares` are empty, else of an inner product.
fn map_of<P: Profile>(name: &str, profile: &P, of_dots: bool) {
    for (rows, width) in [(1, 1), (1, 15), (2, 16), (3, 31), (1, 64), (6, 37)] {
        for (raw, squares) in kinds(rows * width, 11).into_iter().zip(kinds(rows + width, 12)) {
            let raw: Vec<f64> = raw.into_iter().map(|s| if of_dots { s } else { s.abs() }).collect();
            let squares: Vec<f64> = squares.into_iter().map(f64::abs).collect();
            let (xx, yy) = if of_dots { squares.split_at(rows) } else { (&[][..], &[][..]) };
            let strip = Strip { raw: &raw, factor: 0.7, xx, yy, width };
            for (what, map) in [("values", values::<P> as fn(&P, Strip<'_>, &mut [f64])), ("slopes", slopes::<P>)] {
                let answers = at_every_level(|| {
                    let mut out = vec![0.0; raw.len()];
                    map(profile, strip, &mut out);
                    out
                });
                same_bits(&answers, &format!("{what} of {name}, {rows}×{width}"));
            }
        }
    }
}

#[test]
fn maps_of_distances() {
    map_of("rbf", &Rbf, false);
    map_of("matern32", &Matern32, false);
    map_of("matern52", &Matern52, false);
    map_of("laplace", &Laplace, false);
    map_of("laplace_l1", &LaplaceL1, false);
    map_of("cauchy", &Cauchy, false);
    map_of("rational_quadratic", &RationalQuadratic { alpha: 0.8 }, false);
}

#[test]
fn maps_of_inner_products() {
    map_of("cosine", &Cosine, true);
    map_of("tanimoto", &Tanimoto, true);
    map_of("arc_cosine", &ArcCosine { order: 1 }, true);
    map_of("poly", &Poly { gamma: 0.5, coef0: 1.0, degree: 3 }, true);
}
