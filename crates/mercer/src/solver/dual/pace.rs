//! When rounds of pairs are interrupted to solve for all free variables.

/// When the free variables are solved for at once: near the end or where pairs come closer slowly, and not too often.
pub(super) struct Pace {
    /// The widest violation so far.
    pub(super) widest: f64,
    /// Rounds since then, and how many there must be.
    rounds: usize,
    pause: usize,
    /// The violation of the last time.
    before: f64,
    /// Rounds since the violation was looked at, and what it was.
    looked: (usize, f64),
}

impl Pace {
    /// The share of the widest violation below which it is known which variables are free, but for a few.
    const NEARLY: f64 = 1e-4;
    /// Rounds in which pairs should halve the violation.
    const SLOW: usize = 64;
    /// Rounds between two times, at first; twice as many after each that helps little.
    const PAUSE: usize = 16;
    /// What a time that helps lowers the violation by.
    const HELP: f64 = 0.3;

    pub(super) const START: Pace = Pace {
        widest: 0.0,
        rounds: Pace::PAUSE,
        pause: Pace::PAUSE,
        before: f64::INFINITY,
        looked: (0, f64::INFINITY),
    };

    /// Whether now is the time.
    pub(super) fn is_free_due(&mut self, violation: f64) -> bool {
        self.rounds += 1;
        let near = violation <= Pace::NEARLY * self.widest;
        if !(near | self.is_slow(violation)) || self.rounds <= self.pause {
            return false;
        }
        self.pause = if violation <= Pace::HELP * self.before { Pace::PAUSE } else { 2 * self.pause };
        (self.rounds, self.before) = (0, violation);
        true
    }

    /// Whether the violation has not been halved for long.
    fn is_slow(&mut self, violation: f64) -> bool {
        let (rounds, before) = self.looked;
        if violation <= 0.5 * before {
            self.looked = (0, violation);
            return false;
        }
        self.looked.0 += 1;
        rounds >= Pace::SLOW
    }

    /// K·V is exact: what rounding of single precision hid is there to be seen.
    pub(super) fn refreshed(&mut self) {
        *self = Pace { widest: self.widest, ..Pace::START };
    }
}
