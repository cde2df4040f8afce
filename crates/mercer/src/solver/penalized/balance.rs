//! Making numbers add up to 0, as a dual point with an intercept must.

/// Adds to the values, within their bounds, so that they add up to 0 to far below rounding.
///
/// What is left over goes where most room is; what rounding leaves of that goes to smaller values,
/// whose last digits are finer. Where the bounds leave no room, the sum stays as near 0 as they allow.
pub(super) fn balance(values: &mut [f64], bounds: impl Fn(usize) -> (f64, f64)) {
    for _ in 0..8 {
        let sum = exact_sum(values);
        if sum == 0.0 {
            return;
        }
        let room = |i: usize, v: f64| if sum > 0.0 { v - bounds(i).0 } else { bounds(i).1 - v };
        let coarse = values.len() as f64 * f64::EPSILON * values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if sum.abs() > coarse {
            spread(values, sum, &room);
            continue;
        }
        let fits = |(i, v): &(usize, &f64)| room(*i, **v) > sum.abs();
        let finest = values.iter().enumerate().filter(fits).min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        match finest.map(|(i, _)| i) {
            Some(i) => values[i] -= sum,
            None => return,
        }
    }
}

/// Takes `sum` off in proportion to the room.
fn spread(values: &mut [f64], sum: f64, room: &impl Fn(usize, f64) -> f64) {
    let rooms: Vec<f64> = values.iter().enumerate().map(|(i, v)| room(i, *v).clamp(0.0, 1e300)).collect();
    let widest = rooms.iter().fold(0.0f64, |m, r| m.max(*r));
    if widest == 0.0 {
        return;
    }
    let total: f64 = rooms.iter().map(|r| r / widest).sum();
    let share = (sum / total).clamp(-widest, widest);
    values.iter_mut().zip(&rooms).for_each(|(v, r)| *v -= share * (r / widest));
}

/// Σ values, as if computed with twice the digits (Neumaier 1974).
fn exact_sum(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for v in values {
        let next = sum + v;
        lost += if sum.abs() >= v.abs() { (sum - next) + v } else { (v - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_become_zero_within_bounds() {
        let mut values: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.7).sin()).collect();
        balance(&mut values, |_| (-1.0, 1.0));
        assert!(exact_sum(&values).abs() < 1e-22, "{:e}", exact_sum(&values));
        assert!(values.iter().all(|v| v.abs() <= 1.0));
    }

    #[test]
    fn bounds_without_room_are_kept() {
        let mut values = vec![0.5, 0.5];
        balance(&mut values, |_| (0.25, 1.0));
        assert_eq!(values, [0.25, 0.25]);
        let mut one_side = vec![-1.0, 0.0, 0.0];
        balance(&mut one_side, |i| if i == 0 { (-1.0, 0.0) } else { (0.0, f64::INFINITY) });
        assert_eq!(exact_sum(&one_side), 0.0);
    }
}
