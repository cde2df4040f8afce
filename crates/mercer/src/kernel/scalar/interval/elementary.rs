//! exp, log, sin and cos by Taylor sums with a proved remainder, all in intervals.
//!
//! Nothing here trusts the system's mathematical library.

use super::Interval;

/// |sin| and |cos| of larger numbers are only said to be at most 1.
const LARGEST_ANGLE: f64 = 1e6;
/// Terms of the Taylor sums; with |r| ≤ 1 the remainder is below 1e-23.
const TERMS: usize = 24;

impl Interval {
    /// eᵃ.
    pub(crate) fn exp(self) -> Self {
        let (low, high) = (exp_of(self.low), exp_of(self.high));
        // eᵃ > 0 even where the lower bound has come down to 0.
        Interval { low: low.low, high: high.high, low_open: self.low_open || low.low <= 0.0, ..self }
    }

    /// log a, if a > 0.
    pub(crate) fn log(self) -> Option<Self> {
        if !self.is_positive() {
            return None;
        }
        let low = if self.low == 0.0 { f64::NEG_INFINITY } else { log_of(self.low).low };
        let high = if self.high.is_infinite() { f64::INFINITY } else { log_of(self.high).high };
        Some(Interval { low, high, ..self })
    }

    /// π.
    pub(crate) fn pi() -> Self {
        // The nearest float to π is below it: 3.14159265358979311… against …323846….
        Interval::new(std::f64::consts::PI, std::f64::consts::PI.next_up())
    }

    /// cos a.
    pub(crate) fn cos(self) -> Self {
        self.wave(|s, c, quarter| [c, s.negated(), c.negated(), s][quarter])
    }

    /// sin a.
    pub(crate) fn sin(self) -> Self {
        self.wave(|s, c, quarter| [s, c, s.negated(), c.negated()][quarter])
    }

    /// The value at the midpoint, widened by the radius: both functions have slope at most 1.
    fn wave(self, pick: fn(Interval, Interval, usize) -> Interval) -> Self {
        let full = Interval::new(-1.0, 1.0);
        let width = self.high - self.low;
        if !(width < 1.0 && self.low.abs().max(self.high.abs()) < LARGEST_ANGLE) {
            return full;
        }
        let middle = self.low + width / 2.0;
        let radius = Interval::point(self.high).minus(Interval::point(middle)).high;
        let radius = radius.max(Interval::point(middle).minus(Interval::point(self.low)).high);
        let quarter = (middle / std::f64::consts::FRAC_PI_2).round();
        let turned = Interval::pi().times(Interval::point(quarter / 2.0));
        let rest = Interval::point(middle).minus(turned);
        let (sin, cos) = taylor_waves(rest);
        let value = pick(sin, cos, (quarter as i64).rem_euclid(4) as usize);
        value.plus(Interval::new(-radius, radius)).meet(full)
    }

    /// cosh a.
    pub(crate) fn cosh(self) -> Self {
        let a = self.magnitude();
        let at = |v: f64| mean(exp_of(v), exp_of(-v));
        let (low, high) = (at(a.low), at(a.high));
        Interval { low: low.low.max(1.0), high: high.high, ..a }
    }

    /// sinh a.
    pub(crate) fn sinh(self) -> Self {
        let at = |v: f64| if v == 0.0 { Interval::point(0.0) } else { mean(exp_of(v), exp_of(-v).negated()) };
        Interval { low: at(self.low).low, high: at(self.high).high, ..self }
    }

    /// tanh a = 1 − 2/(e²ᵃ + 1).
    pub(crate) fn tanh(self) -> Self {
        let one = Interval::point(1.0);
        let two = Interval::point(2.0);
        let at = |v: f64| match v {
            0.0 => Interval::point(0.0),
            v => {
                let bottom = exp_of(2.0 * v).plus(one);
                two.over(bottom).map_or(Interval::new(-1.0, 1.0), |q| one.minus(q)).meet(Interval::new(-1.0, 1.0))
            }
        };
        Interval { low: at(self.low).low, high: at(self.high).high, ..self }
    }
}

/// (a + b)/2.
fn mean(a: Interval, b: Interval) -> Interval {
    a.plus(b).times(Interval::point(0.5))
}

/// eᵛ of one number: halve the argument until |r| ≤ ½, sum, square as often.
fn exp_of(v: f64) -> Interval {
    if v == 0.0 {
        return Interval::point(1.0);
    }
    if v > 709.0 {
        return Interval::new(8e307, f64::INFINITY);
    }
    if v < -700.0 {
        return Interval { low_open: true, ..Interval::new(0.0, 1e-304) };
    }
    let mut r = v;
    let mut doublings = 0;
    while r.abs() > 0.5 {
        r /= 2.0;
        doublings += 1;
    }
    let mut value = taylor_exp(r);
    for _ in 0..doublings {
        value = value.times(value);
    }
    value
}

/// eʳ for |r| ≤ ½: after n terms the rest is below 2·|r|ⁿ/n!.
fn taylor_exp(r: f64) -> Interval {
    let r = Interval::point(r);
    let mut term = Interval::point(1.0);
    let mut sum = term;
    for n in 1..TERMS {
        term = next_term(term, r, n as f64);
        sum = sum.plus(term);
    }
    widened(sum, next_term(term, r, TERMS as f64), 2.0)
}

/// term·r/n.
fn next_term(term: Interval, r: Interval, n: f64) -> Interval {
    term.times(r).over(Interval::point(n)).unwrap_or(Interval::ALL)
}

/// The interval with `factor` times the largest magnitude of `rest` on both sides.
fn widened(sum: Interval, rest: Interval, factor: f64) -> Interval {
    let bound = rest.magnitude().times(Interval::point(factor)).high;
    sum.plus(Interval::new(-bound, bound))
}

/// sin r and cos r for |r| ≤ 1; the rest of an alternating sum is at most its next term, and the
/// factor 2 covers both sums at once.
fn taylor_waves(r: Interval) -> (Interval, Interval) {
    let zero = Interval::point(0.0);
    let (mut sin, mut cos) = (zero, zero);
    let mut term = Interval::point(1.0);
    for n in 0..TERMS {
        let signed = if n % 4 < 2 { term } else { term.negated() };
        if n % 2 == 0 {
            cos = cos.plus(signed);
        } else {
            sin = sin.plus(signed);
        }
        term = next_term(term, r, (n + 1) as f64);
    }
    (widened(sin, term, 2.0), widened(cos, term, 2.0))
}

/// log v of one number v > 0: v = m·2ᵏ, then 2 artanh((m − 1)/(m + 1)) + k·log 2.
fn log_of(v: f64) -> Interval {
    if v == 1.0 {
        return Interval::point(0.0);
    }
    let mut m = v;
    let mut k = 0.0;
    while m > 1.5 {
        m /= 2.0;
        k += 1.0;
    }
    while m < 0.75 {
        m *= 2.0;
        k -= 1.0;
    }
    let one = Interval::point(1.0);
    let m = Interval::point(m);
    let s = m.minus(one).over(m.plus(one)).unwrap_or(Interval::ALL);
    let third = one.over(Interval::point(3.0)).unwrap_or(Interval::ALL);
    twice_artanh(s).plus(Interval::point(k).times(twice_artanh(third)))
}

/// 2·artanh(s) = 2 Σ s²ⁿ⁺¹/(2n + 1) for |s| ≤ 1/3; what is left out is below 9/8 of its first term.
fn twice_artanh(s: Interval) -> Interval {
    let square = s.times(s);
    let mut power = s;
    let mut sum = s;
    for n in 1..TERMS {
        power = power.times(square);
        sum = sum.plus(power.over(Interval::point((2 * n + 1) as f64)).unwrap_or(Interval::ALL));
    }
    let two = Interval::point(2.0);
    widened(sum, power.times(square), 1.125).times(two)
}
