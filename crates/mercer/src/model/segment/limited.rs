//! Columns of numbers in which nothing stands far out of what is around it.

use crate::data::{Inputs, Rows};
use crate::error::Result;
use crate::run::Run;

use super::directions::{column, count};

/// Neighbours on each side that a value is compared with.
const REACH: usize = 3;
/// How many deviations of them a value may be away from their median.
const DEVIATIONS: f64 = 4.0;
/// Squares of larger values, and sums of them, leave the range of numbers.
const LARGEST: f64 = 1e140;
/// A deviation of normal values over the median of their distances to the median.
const NORMAL: f64 = 1.482_602_218_505_602;

/// Columns of numbers, centred, whose values are limited; and how many were. None for other points, and for values that have no square.
///
/// Hampel's filter: with the median m of a value and its three neighbours on each side, s = 1.4826·the larger of the median of their
/// distances to m and of the median step of the whole column over √2, the value is brought into [m − 4s, m + 4s]. Steps and
/// kinks stay, since half of the neighbours are on the same side of them.
pub(super) fn limited(x: &Inputs, run: &Run) -> Result<Option<(Inputs, usize)>> {
    let mut count = 0;
    let found = mapped(x, run, |column| {
        let step = typical_step(column);
        let near: Vec<f64> = (0..column.len()).map(|t| near(column, t, step)).collect();
        count += near.iter().zip(column).filter(|(a, b)| a != b).count();
        near
    })?;
    Ok(found.map(|columns| (columns, count)))
}

/// Columns of numbers, centred: products of values that are far from 0 have lost what is between them. None as above.
pub(super) fn centred(x: &Inputs, run: &Run) -> Result<Option<Inputs>> {
    mapped(x, run, <[f64]>::to_vec)
}

/// Centred columns after a map of each.
fn mapped(x: &Inputs, run: &Run, mut map: impl FnMut(&[f64]) -> Vec<f64>) -> Result<Option<Inputs>> {
    let (n, d) = (x.len(), count(x));
    if n == 0 || d == 0 {
        return Ok(None);
    }
    let _held = run.reserve(16 * (n * d) as u128, "columns of the sequence", "give fewer columns")?;
    let mut values = vec![0.0; n * d];
    let task = run.task("columns", Some(d as u64));
    for j in 0..d {
        let own = column(x, j);
        if !own.iter().all(|v| v.abs() < LARGEST) {
            return Ok(None);
        }
        let own = map(&own);
        // Counted from the first value, the mean loses no digits of values that are far from 0.
        let mean = own.iter().map(|v| v - own[0]).sum::<f64>() / n as f64;
        own.iter().enumerate().for_each(|(t, v)| values[t * d + j] = (v - own[0]) - mean);
        task.step_or_cancel()?;
    }
    Ok(Some(Rows::new(values, n, d)?.into()))
}

/// The deviation of the noise, if steps between neighbours were nothing else.
fn typical_step(column: &[f64]) -> f64 {
    let mut steps: Vec<f64> = column.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    NORMAL / std::f64::consts::SQRT_2 * median(&mut steps)
}

fn near(column: &[f64], t: usize, step: f64) -> f64 {
    let around = &column[t.saturating_sub(REACH)..(t + REACH + 1).min(column.len())];
    let middle = median(&mut around.to_vec());
    let mut away: Vec<f64> = around.iter().map(|v| (v - middle).abs()).collect();
    let most = DEVIATIONS * step.max(NORMAL * median(&mut away));
    // Of a column that mostly stands still, nothing tells what is far.
    if most > 0.0 { column[t].clamp(middle - most, middle + most) } else { column[t] }
}

/// The middle of the values, the mean of both for an even number of them; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => 0.0,
        (n, half) if n % 2 == 1 => values[half],
        (_, half) => 0.5 * (values[half - 1] + values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> (Vec<f64>, usize) {
        let x = Rows::new(values.to_vec(), values.len(), 1).expect("rows").into();
        match limited(&x, &Run::new()).expect("numbers").expect("columns") {
            (Inputs::Dense(rows), count) => ((0..values.len()).map(|t| rows.row(t)[0]).collect(), count),
            (other, _) => panic!("{}", other.describe()),
        }
    }

    #[test]
    fn a_value_far_out_is_brought_near_and_steps_and_kinks_stay() {
        let noise = |t: usize| 0.1 * f64::from((t * 7 % 5) as u8);
        let steps: Vec<f64> = (0..40).map(|t| noise(t) + if t < 20 { 0.0 } else { 50.0 }).collect();
        let kink: Vec<f64> = (0..40).map(|t| noise(t) + if t < 20 { t as f64 } else { 40.0 - t as f64 }).collect();
        assert_eq!((of(&steps).1, of(&kink).1), (0, 0));
        let mut far = steps.clone();
        far[7] = 1000.0;
        let (found, count) = of(&far);
        // The median of 0.1·(0, 3, 1, 4, 2) in turn around place 7 is 0.2, and half of them are 0.1 away.
        let step = NORMAL / std::f64::consts::SQRT_2 * 0.3;
        assert!(count == 1 && found[7] - found[5] <= 0.3 + 4.0 * step, "{found:?}");
        let mean: f64 = found.iter().sum::<f64>() / 40.0;
        assert!(mean.abs() < 1e-12, "{mean}");
    }

    #[test]
    fn columns_that_stand_still_stay() {
        let mut one = vec![3.0; 20];
        one[9] = 8.0;
        assert_eq!((of(&one).1, of(&[3.0; 20]).1, of(&[1.0]).1), (0, 0, 0));
        let far = Rows::new(vec![1e300, -1e300, 1e300, 0.0], 4, 1).expect("rows").into();
        assert!(limited(&far, &Run::new()).is_ok_and(|found| found.is_none()));
    }
}
