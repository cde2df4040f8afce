//! Where variables are pulled, and how far from each other.

use super::{Program, Sums};

/// For each sum, the largest pull of what may rise, and the least of what may fall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    sums: Sums,
    up: [f64; 2],
    down: [f64; 2],
}

impl Reach {
    /// Of the variables v with these pulls.
    pub(super) fn of(program: &Program<'_>, v: &[f64], pulls: &[f64]) -> Self {
        let mut reach = Reach { sums: program.sums, up: [f64::NEG_INFINITY; 2], down: [f64::INFINITY; 2] };
        for (j, (v, pull)) in v.iter().zip(pulls).enumerate() {
            let side = program.side(j);
            if *v < program.high[j] {
                reach.up[side] = reach.up[side].max(*pull);
            }
            if *v > program.low[j] {
                reach.down[side] = reach.down[side].min(*pull);
            }
        }
        reach
    }

    /// How far the conditions of a minimum are broken.
    pub(super) fn violation(&self) -> f64 {
        let one = |side: usize| self.up[side] - self.down[side];
        let worst = match self.sums {
            Sums::None => self.up[0].max(-self.down[0]),
            Sums::Together => one(0),
            Sums::BySide => one(0).max(one(1)),
        };
        worst.max(0.0)
    }

    /// The pull beyond which a variable breaks the conditions together with another one, or by itself where there is no sum: above it where
    /// it may rise (`sign` 1), below it where it may fall (`sign` −1).
    pub(super) fn partner(&self, side: usize, sign: f64) -> f64 {
        match (self.sums, sign > 0.0) {
            (Sums::None, _) => 0.0,
            (_, true) => self.down[side],
            (_, false) => self.up[side],
        }
    }

    /// The middle of where the multiplier of a sum may lie; its one end where the other is open.
    pub(super) fn middle(&self, side: usize) -> f64 {
        match (self.up[side].is_finite(), self.down[side].is_finite()) {
            (true, true) => self.up[side] + 0.5 * (self.down[side] - self.up[side]),
            (true, false) => self.up[side],
            (false, true) => self.down[side],
            (false, false) => 0.0,
        }
    }
}

/// The `count` variables with the largest keys, in their order; of equal ones the first.
pub(super) fn largest(mut all: Vec<(f64, u32)>, count: usize) -> Vec<u32> {
    let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if all.len() > count {
        if count > 0 {
            all.select_nth_unstable_by(count - 1, order);
        }
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all.into_iter().map(|(_, j)| j).collect()
}
