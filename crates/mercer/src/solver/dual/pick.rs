//! Which pair of variables moves: the inner loops, written so that they vectorise.

use crate::linalg::simd::dispatch;

use super::block::curvature;

/// Numbers that are looked at side by side.
const LANES: usize = 16;

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

dispatch! {
    /// The largest pull + mask.
    pub(crate) fn largest(pull: &[f64], mask: &[f64], out: &mut f64) {
        let mut lanes = [f64::NEG_INFINITY; LANES];
        let (whole, rest) = pull.as_chunks::<LANES>();
        let (masks, rest_masks) = mask.as_chunks::<LANES>();
        for (p, m) in whole.iter().zip(masks) {
            for l in 0..LANES {
                lanes[l] = larger(p[l] + m[l], lanes[l]);
            }
        }
        let mut most = rest.iter().zip(rest_masks).fold(f64::NEG_INFINITY, |most, (p, m)| larger(p + m, most));
        for lane in lanes {
            most = larger(lane, most);
        }
        *out = most;
    }
}

/// The first place of this sum of pull and mask.
pub(super) fn place_of(pull: &[f64], mask: &[f64], sum: f64) -> Option<usize> {
    let finite = sum > f64::NEG_INFINITY;
    pull.iter().zip(mask).position(|(p, m)| p + m == sum).filter(|_| finite)
}

dispatch! {
    /// What the objective falls by when a variable of pull `own.0` and curvature `own.1` rises and each other one falls as much, bounds
    /// aside: (difference of pulls)²/curvature, and 0 where it would not fall; the largest, and the largest difference.
    pub(crate) fn gains(
        own: (f64, f64),
        fall: (&[f64], &[f64]),
        other: (&[f64], &[f32]),
        out: &mut [f64],
        largest: (&mut f64, &mut f64),
    ) {
        let (mut best, mut apart) = ([0.0; LANES], [0.0; LANES]);
        let size = out.len();
        let (pull, mask, diagonal, row) = (&fall.0[..size], &fall.1[..size], &other.0[..size], &other.1[..size]);
        let mut at = 0;
        while at + LANES <= size {
            for l in 0..LANES {
                let j = at + l;
                let gap = larger(own.0 - (pull[j] + mask[j]), 0.0);
                let by = gap * gap / curvature(own.1, diagonal[j], f64::from(row[j]));
                out[j] = by;
                best[l] = larger(by, best[l]);
                apart[l] = larger(gap, apart[l]);
            }
            at += LANES;
        }
        for j in at..size {
            let gap = larger(own.0 - (pull[j] + mask[j]), 0.0);
            let by = gap * gap / curvature(own.1, diagonal[j], f64::from(row[j]));
            out[j] = by;
            best[0] = larger(by, best[0]);
            apart[0] = larger(gap, apart[0]);
        }
        *largest.0 = best.iter().fold(0.0, |m, b| larger(*b, m));
        *largest.1 = apart.iter().fold(0.0, |m, b| larger(*b, m));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best pair by the definition, one after another.
    #[test]
    fn loops_find_what_the_definition_says() {
        let mut chance = crate::chance::Chance::new(3);
        for size in [1, 5, 16, 47, 130] {
            let pull: Vec<f64> = (0..size).map(|_| chance.normal()).collect();
            let rising: Vec<f64> =
                (0..size).map(|_| if chance.unit() < 0.5 { 0.0 } else { f64::NEG_INFINITY }).collect();
            let falling: Vec<f64> = (0..size).map(|_| if chance.unit() < 0.5 { 0.0 } else { f64::INFINITY }).collect();
            let row: Vec<f32> = (0..size).map(|_| chance.unit() as f32).collect();
            let diagonal = vec![1.0; size];
            let mut top = 0.0;
            largest(&pull, &rising, &mut top);
            let expected = (0..size).filter(|j| rising[*j] == 0.0).map(|j| pull[j]).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(top, expected);
            assert_eq!(
                place_of(&pull, &rising, top).map(|j| pull[j]),
                (0..size).any(|j| rising[j] == 0.0).then_some(top)
            );
            let (mut out, mut best, mut apart) = (vec![0.0; size], 0.0, 0.0);
            gains((0.7, 1.0), (&pull, &falling), (&diagonal, &row), &mut out, (&mut best, &mut apart));
            let gap = |j: usize| if falling[j] == 0.0 { (0.7 - pull[j]).max(0.0) } else { 0.0 };
            let gain = |j: usize| gap(j) * gap(j) / curvature(1.0, 1.0, f64::from(row[j]));
            assert!((0..size).all(|j| out[j] == gain(j)));
            assert_eq!(best, (0..size).map(gain).fold(0.0, f64::max));
            assert_eq!(apart, (0..size).map(gap).fold(0.0, f64::max));
        }
    }
}
