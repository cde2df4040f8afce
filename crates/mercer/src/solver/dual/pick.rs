//! Which pair of variables moves, and what the others are told of it: the inner loops, written so that they vectorise.

use crate::linalg::simd::dispatch;

/// Numbers that are looked at side by side.
const LANES: usize = 16;
/// Numbers whose largest is known; only among those of the largest part is the place of the largest looked for.
const PART: usize = 64;
/// The least curvature over that of the two variables alone: what single precision can tell.
const LEAST: f32 = 1e-7;

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The largest of some numbers, and where it stands first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Top {
    pub(crate) value: f32,
    pub(crate) place: usize,
}

impl Top {
    /// Of no number.
    pub(crate) const NONE: Top = Top { value: f32::NEG_INFINITY, place: 0 };
}

/// The largest pull + mask.
#[inline(always)]
fn highest(pull: &[f32], mask: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (whole, rest) = pull.as_chunks::<LANES>();
    let (masks, rest_masks) = mask.as_chunks::<LANES>();
    for (p, m) in whole.iter().zip(masks) {
        for l in 0..LANES {
            lanes[l] = larger(p[l] + m[l], lanes[l]);
        }
    }
    let most = rest.iter().zip(rest_masks).fold(f32::NEG_INFINITY, |most, (p, m)| larger(p + m, most));
    lanes.iter().fold(most, |most, lane| larger(*lane, most))
}

/// The first place of the largest pull + mask, which stands in this part.
#[inline(always)]
fn place_in(part: usize, value: f32, pull: &[f32], mask: &[f32]) -> Top {
    let start = part * PART;
    let inside = pull[start..].iter().zip(&mask[start..]).position(|(p, m)| p + m == value);
    inside.map_or(Top::NONE, |at| Top { value, place: start + at })
}

dispatch! {
    /// The largest pull + mask.
    pub(crate) fn largest(pull: &[f32], mask: &[f32], out: &mut Top) {
        let (mut value, mut part) = (f32::NEG_INFINITY, 0);
        for (at, (p, m)) in pull.chunks(PART).zip(mask.chunks(PART)).enumerate() {
            let most = highest(p, m);
            (value, part) = if most > value { (most, at) } else { (value, part) };
        }
        *out = if value > f32::NEG_INFINITY { place_in(part, value, pull, mask) } else { Top::NONE };
    }
}

dispatch! {
    /// pull −= by·(up − down), and then the largest pull + mask.
    pub(crate) fn drop_pair(by: f32, rows: (&[f32], &[f32]), pull: &mut [f32], mask: &[f32], out: &mut Top) {
        let (mut value, mut part) = (f32::NEG_INFINITY, 0);
        let (up, down) = (rows.0.chunks(PART), rows.1.chunks(PART));
        for (at, (((p, m), u), d)) in pull.chunks_mut(PART).zip(mask.chunks(PART)).zip(up).zip(down).enumerate() {
            for ((p, u), d) in p.iter_mut().zip(u).zip(d) {
                *p = (-by).mul_add(*u - *d, *p);
            }
            let most = highest(p, m);
            (value, part) = if most > value { (most, at) } else { (value, part) };
        }
        *out = if value > f32::NEG_INFINITY { place_in(part, value, pull, mask) } else { Top::NONE };
    }
}

dispatch! {
    /// pull −= by·row.
    pub(crate) fn drop_pulls(by: f32, row: &[f32], pull: &mut [f32]) {
        pull.iter_mut().zip(row).for_each(|(p, k)| *p = (-by).mul_add(*k, *p));
    }
}

/// A variable that rises: its pull, and K's diagonal there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rising {
    pub(crate) pull: f32,
    pub(crate) diagonal: f32,
}

/// Variables that may fall beside it: their pulls, 0 or ∞ for those that may not, K's diagonal and K between them and it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Falling<'a> {
    pub(crate) pull: &'a [f32],
    pub(crate) mask: &'a [f32],
    pub(crate) diagonal: &'a [f32],
    pub(crate) row: &'a [f32],
}

impl Falling<'_> {
    #[inline(always)]
    fn part(&self, start: usize) -> Self {
        let inside = start..self.pull.len().min(start + PART);
        Falling {
            pull: &self.pull[inside.clone()],
            mask: &self.mask[inside.clone()],
            diagonal: &self.diagonal[inside.clone()],
            row: &self.row[inside],
        }
    }
}

/// How far a pull is below that of the variable that rises; 0 where it would not fall.
#[inline(always)]
fn below(rising: Rising, pull: f32, mask: f32) -> f32 {
    larger(rising.pull - (pull + mask), 0.0)
}

/// What the objective falls by when two variables that are pulled apart so much move against each other, bounds aside.
#[inline(always)]
fn gain(apart: f32, up: f32, down: f32, both: f32) -> f32 {
    let size = up + down;
    let (curvature, least) = (size - 2.0 * both, LEAST * size);
    apart * apart / if curvature > least { curvature } else { least }
}

/// The largest gain of a part, and the largest difference of pulls.
#[inline(always)]
fn best_of(rising: Rising, fall: Falling<'_>) -> (f32, f32) {
    let (mut best, mut apart) = ([0.0f32; LANES], [0.0f32; LANES]);
    let (pull, rest_pull) = fall.pull.as_chunks::<LANES>();
    let (mask, rest_mask) = fall.mask.as_chunks::<LANES>();
    let (diagonal, rest_diagonal) = fall.diagonal.as_chunks::<LANES>();
    let (row, rest_row) = fall.row.as_chunks::<LANES>();
    for (((pull, mask), diagonal), row) in pull.iter().zip(mask).zip(diagonal).zip(row) {
        for l in 0..LANES {
            let far = below(rising, pull[l], mask[l]);
            let by = gain(far, rising.diagonal, diagonal[l], row[l]);
            best[l] = if by > best[l] { by } else { best[l] };
            apart[l] = if far > apart[l] { far } else { apart[l] };
        }
    }
    let most = |lanes: [f32; LANES]| lanes.iter().fold(0.0f32, |m, x| if *x > m { *x } else { m });
    let (mut best, mut apart) = (most(best), most(apart));
    for (((pull, mask), diagonal), row) in rest_pull.iter().zip(rest_mask).zip(rest_diagonal).zip(rest_row) {
        let far = below(rising, *pull, *mask);
        let by = gain(far, rising.diagonal, *diagonal, *row);
        best = if by > best { by } else { best };
        apart = if far > apart { far } else { apart };
    }
    (best, apart)
}

/// The best fall beside a rise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BestFall {
    /// What the objective falls by; 0 if nothing may fall.
    pub(crate) gain: f32,
    pub(crate) place: usize,
    /// The largest difference of pulls.
    pub(crate) apart: f32,
}

dispatch! {
    /// The variable whose fall beside a rise lowers the objective most.
    pub(crate) fn best_fall(rising: Rising, fall: Falling<'_>, out: &mut BestFall) {
        let (mut value, mut part, mut apart) = (0.0f32, 0, 0.0f32);
        for start in (0..fall.pull.len()).step_by(PART) {
            let (most, far) = best_of(rising, fall.part(start));
            (value, part) = if most > value { (most, start) } else { (value, part) };
            apart = if far > apart { far } else { apart };
        }
        let inside = fall.part(part);
        let is_best = |j: &usize| {
            let far = below(rising, inside.pull[*j], inside.mask[*j]);
            gain(far, rising.diagonal, inside.diagonal[*j], inside.row[*j]) == value
        };
        let place = (0..inside.pull.len()).find(is_best).map_or(0, |at| part + at);
        *out = BestFall { gain: value, place, apart };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best pair by the definition, one after another.
    #[test]
    fn loops_find_what_the_definition_says() {
        let mut chance = crate::chance::Chance::new(3);
        for size in [1, 5, 16, 47, 64, 130, 512] {
            let mut pull: Vec<f32> = (0..size).map(|_| chance.normal() as f32).collect();
            let mut mask =
                |other: f32| -> Vec<f32> { (0..size).map(|_| if chance.unit() < 0.5 { 0.0 } else { other }).collect() };
            let (rising, falling) = (mask(f32::NEG_INFINITY), mask(f32::INFINITY));
            let row: Vec<f32> = (0..size).map(|_| chance.unit() as f32).collect();
            let other: Vec<f32> = (0..size).map(|_| chance.unit() as f32).collect();
            let by_definition = |pull: &[f32]| {
                let open = (0..size).filter(|j| rising[*j] == 0.0);
                open.fold(
                    Top::NONE,
                    |m, place| if pull[place] > m.value { Top { value: pull[place], place } } else { m },
                )
            };
            let mut top = Top::NONE;
            largest(&pull, &rising, &mut top);
            assert_eq!(top, by_definition(&pull));

            let (diagonal, mut best) = (vec![1.0; size], BestFall::default());
            let fall = Falling { pull: &pull, mask: &falling, diagonal: &diagonal, row: &row };
            best_fall(Rising { pull: 0.7, diagonal: 1.0 }, fall, &mut best);
            let gap = |j: usize| if falling[j] == 0.0 { f64::from(0.7 - pull[j]).max(0.0) } else { 0.0 };
            let exact = |j: usize| gap(j).powi(2) / (2.0 - 2.0 * f64::from(row[j])).max(1e-7);
            let most = (0..size).map(exact).fold(0.0, f64::max);
            assert!((f64::from(best.gain) - most).abs() <= 1e-6 * most, "{size}");
            assert!(most == 0.0 || (exact(best.place) - most).abs() <= 1e-6 * most, "{size}");
            let widest = (0..size).map(gap).fold(0.0, f64::max);
            assert!((f64::from(best.apart) - widest).abs() <= 1e-6 * widest);

            let expected: Vec<f32> = (0..size).map(|j| (-0.3f32).mul_add(row[j] - other[j], pull[j])).collect();
            drop_pair(0.3, (&row, &other), &mut pull, &rising, &mut top);
            assert_eq!((pull.as_slice(), top), (expected.as_slice(), by_definition(&expected)));
        }
    }
}
