//! Counterexamples: few points and small numbers with aᵀKa < 0.
//!
//! Floating point proposes, exact or interval arithmetic decides.

use std::collections::HashMap;

use crate::kernel::property::{Counterexample, Fault, Quantity, Rational, greatest_divisor};

use super::ast::Expr;
use super::domain::ScalarDomain;
use super::exact::{self, Gap, Number};
use super::prove::Effort;
use super::{eigen, eval};

/// Candidates are verified at most this often.
const MAX_ATTEMPTS: usize = 120;
/// The most points of a counterexample.
const MAX_POINTS: usize = 6;
/// Numbers of equally spaced points that are tried when fewer do not help.
const LONG: [usize; 4] = [9, 13, 20, 32];
/// An eigenvalue must be below −this·(largest entry) to be worth verifying.
const WORTH: f64 = 1e-11;
/// Eigenvectors are rounded to multiples of one over these.
const GRIDS: [f64; 14] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 20.0, 50.0, 100.0, 1e3, 1e6];

/// Readable points of a domain as fractions, the simplest first.
fn pool(domain: ScalarDomain) -> &'static [(i128, i128)] {
    match domain {
        ScalarDomain::Real => &[
            (1, 1),
            (0, 1),
            (-1, 1),
            (2, 1),
            (-2, 1),
            (3, 1),
            (-3, 1),
            (1, 2),
            (-1, 2),
            (4, 1),
            (3, 2),
            (5, 1),
            (6, 1),
            (10, 1),
        ],
        ScalarDomain::Positive => &[
            (1, 1),
            (2, 1),
            (3, 1),
            (1, 2),
            (4, 1),
            (5, 1),
            (6, 1),
            (1, 3),
            (3, 2),
            (1, 4),
            (8, 1),
            (10, 1),
            (1, 10),
            (100, 1),
        ],
        ScalarDomain::Unit => &[
            (0, 1),
            (1, 2),
            (-1, 2),
            (1, 4),
            (-1, 4),
            (3, 4),
            (-3, 4),
            (1, 3),
            (-1, 3),
            (99, 100),
            (-99, 100),
            (9, 10),
            (-9, 10),
            (1, 10),
        ],
        ScalarDomain::Segment => &[
            (1, 2),
            (1, 1),
            (0, 1),
            (1, 4),
            (3, 4),
            (1, 3),
            (2, 3),
            (1, 5),
            (4, 5),
            (1, 10),
            (9, 10),
            (1, 100),
            (99, 100),
            (3, 5),
        ],
        ScalarDomain::Natural => &[
            (1, 1),
            (2, 1),
            (3, 1),
            (4, 1),
            (6, 1),
            (5, 1),
            (12, 1),
            (8, 1),
            (9, 1),
            (10, 1),
            (7, 1),
            (30, 1),
            (24, 1),
            (60, 1),
        ],
    }
}

/// Points that are far out, tried alone and in pairs.
fn extremes(domain: ScalarDomain) -> &'static [(i128, i128)] {
    match domain {
        ScalarDomain::Real => &[(1, 1000), (-1, 1000), (20, 1), (-10, 1), (1000, 1), (-1000, 1)],
        ScalarDomain::Positive => &[(1, 1000), (1, 1_000_000), (1000, 1), (1_000_000, 1)],
        ScalarDomain::Unit => &[(999, 1000), (-999, 1000), (1, 1000), (19, 20), (-19, 20)],
        ScalarDomain::Segment => &[(1, 1000), (999, 1000), (1, 20), (19, 20)],
        ScalarDomain::Natural => &[(11, 1), (100, 1), (1000, 1), (1_000_000, 1)],
    }
}

/// Steps of equally spaced points, as fractions.
fn steps(domain: ScalarDomain) -> &'static [(i128, i128)] {
    match domain {
        ScalarDomain::Unit | ScalarDomain::Segment => &[(1, 6), (1, 10), (1, 20), (1, 100)],
        ScalarDomain::Natural => &[(1, 1), (7, 1), (20, 1)],
        _ => &[(1, 1), (1, 2), (1, 3), (1, 4), (1, 8), (1, 10), (1, 100), (20, 1)],
    }
}

/// Points and a vector with aᵀKa < 0, a pair where k is not symmetric, or one where it has no value.
pub(super) fn refute(expr: &Expr, domain: ScalarDomain, effort: &Effort) -> Option<Counterexample> {
    let points: Vec<Rational> = pool(domain).iter().filter_map(|(p, q)| Rational::new(*p, *q)).collect();
    let mut search =
        Search { expr, values: HashMap::new(), plain: HashMap::new(), rational: true, attempts: 0, effort };
    if let Some(found) = search.without_value(&points).or_else(|| search.asymmetric(&points)) {
        return Some(found);
    }
    let far = extremes(domain).iter().filter_map(|(p, q)| Rational::new(*p, *q));
    let all: Vec<Rational> = points.iter().copied().chain(far).collect();
    for size in 1..=MAX_POINTS {
        let points = if size <= 2 { &all } else { &points };
        let progressions = steps(domain).iter().filter_map(|step| progression(*step, size, domain));
        let found = subsets(points.len(), size)
            .into_iter()
            .map(|subset| subset.into_iter().map(|i| points[i]).collect())
            .chain(progressions)
            .find_map(|chosen| search.negative(chosen));
        if found.is_some() || search.attempts > MAX_ATTEMPTS || effort.ask() {
            return found;
        }
    }
    let longer = LONG.iter().flat_map(|size| steps(domain).iter().map(move |step| (*step, *size)));
    longer.filter_map(|(step, size)| progression(step, size, domain)).find_map(|chosen| search.negative(chosen))
}

/// step, 2·step, …, if all of them lie in the domain.
fn progression((p, q): (i128, i128), size: usize, domain: ScalarDomain) -> Option<Vec<Rational>> {
    (1..=size as i128).map(|i| Rational::new(i * p, q).filter(|r| domain.contains(r.to_f64()))).collect()
}

/// All sets of `size` numbers below n, the small ones first.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = out.iter().flat_map(|s| {
            let from = s.last().map_or(0, |l| l + 1);
            (from..n).map(move |i| s.iter().copied().chain([i]).collect::<Vec<_>>())
        });
        out = longer.collect();
    }
    out.sort_by_key(|s| s.iter().sum::<usize>());
    out
}

/// What is known of k at a pair of points: its value in floating point, and where it lies for certain. Neither where there is none.
#[derive(Clone, Copy)]
struct Known {
    near: Option<f64>,
    certain: Option<Number>,
}

struct Search<'a> {
    expr: &'a Expr,
    /// Every set of points asks for the same pairs again.
    values: HashMap<(Rational, Rational), Known>,
    /// Values in floating point alone, of a function that is not rational: intervals of powers and roots cost a hundred times as
    /// much, and are asked for only where they decide.
    plain: HashMap<(Rational, Rational), Option<f64>>,
    /// Whether all values so far are rational.
    rational: bool,
    attempts: usize,
    effort: &'a Effort<'a>,
}

impl Search<'_> {
    fn without_value(&mut self, points: &[Rational]) -> Option<Counterexample> {
        for (i, x) in points.iter().enumerate() {
            for y in &points[..=i] {
                for (x, y) in [(*x, *y), (*y, *x)] {
                    if self.near(x, y).is_some() {
                        continue;
                    }
                    if let Err(Gap::Undefined(problem)) = exact::value(self.expr, x, y) {
                        let points = if x == y { vec![x] } else { vec![x, y] };
                        let fault = Fault::Undefined { problem };
                        return Some(Counterexample { points, vector: Vec::new(), matrix: Vec::new(), fault });
                    }
                }
            }
        }
        None
    }

    fn asymmetric(&mut self, points: &[Rational]) -> Option<Counterexample> {
        for (i, x) in points.iter().enumerate() {
            for y in &points[..i] {
                let (Some(a), Some(b)) = (self.near(*y, *x), self.near(*x, *y)) else { continue };
                if (a - b).abs() <= 1e-9 * (a.abs() + b.abs()) {
                    continue;
                }
                let pair = vec![*y, *x];
                let Some(matrix) = self.enclosed(&pair) else { continue };
                let matrix: Vec<Vec<Quantity>> =
                    matrix.iter().map(|row| row.iter().map(|v| v.quantity()).collect()).collect();
                let (forward, backward) = (matrix[0][1], matrix[1][0]);
                if forward.differs_from(backward) {
                    let fault = Fault::Asymmetric { forward, backward };
                    return Some(Counterexample { points: pair, vector: Vec::new(), matrix, fault });
                }
            }
        }
        None
    }

    /// A verified counterexample at these points.
    fn negative(&mut self, mut points: Vec<Rational>) -> Option<Counterexample> {
        if self.attempts > MAX_ATTEMPTS || self.effort.was_stopped() {
            return None;
        }
        points.sort();
        let gram: Option<Vec<Vec<f64>>> =
            points.iter().map(|x| points.iter().map(|y| self.plain(*x, *y)).collect()).collect();
        let gram = gram?;
        let largest = gram.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        let (value, vector) = eigen::smallest(&gram);
        if value.is_nan() || value >= -WORTH * largest {
            return None;
        }
        let top = vector.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        GRIDS.iter().find_map(|grid| {
            let rounded: Vec<i64> = vector.iter().map(|v| (v / top * grid).round() as i64).collect();
            self.verified(&points, &gram, simple(rounded))
        })
    }

    fn verified(&mut self, points: &[Rational], gram: &[Vec<f64>], vector: Vec<i64>) -> Option<Counterexample> {
        let n = points.len();
        let pairs = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let weight = |i: usize, j: usize| vector[i] as f64 * vector[j] as f64;
        let form: f64 = pairs().map(|(i, j)| weight(i, j) * gram[i][j]).sum();
        let size: f64 = pairs().map(|(i, j)| (weight(i, j) * gram[i][j]).abs()).sum();
        if form.is_nan() || form >= -1e-13 * size {
            return None;
        }
        self.attempts += 1;
        let used: Vec<usize> = (0..n).filter(|i| vector[*i] != 0).collect();
        let points: Vec<Rational> = used.iter().map(|i| points[*i]).collect();
        let vector: Vec<Rational> = used.iter().map(|i| Rational::whole(vector[*i])).collect();
        let matrix = self.enclosed(&points)?;
        let value = quadratic_form(&matrix, &vector).quantity();
        if !value.is_negative() {
            return None;
        }
        let matrix = matrix.iter().map(|row| row.iter().map(|v| v.quantity()).collect()).collect();
        Some(Counterexample { points, vector, matrix, fault: Fault::Negative { value } })
    }

    fn known(&mut self, x: Rational, y: Rational) -> Known {
        if let Some(known) = self.values.get(&(x, y)) {
            return *known;
        }
        self.effort.ask();
        let certain = exact::value(self.expr, x, y);
        // Numbers that differ beyond the digits of a float are told apart where they are rational.
        let near = match &certain {
            Ok(Number::Exact(r)) => Some(r.to_f64()),
            Err(Gap::Undefined(_)) => None,
            _ => eval::value(self.expr, x.to_f64(), y.to_f64()).ok(),
        };
        self.rational &= matches!(certain, Ok(Number::Exact(_)));
        let known = Known { near, certain: certain.ok() };
        self.values.insert((x, y), known);
        known
    }

    /// The value in floating point; `None` where there is none.
    fn near(&mut self, x: Rational, y: Rational) -> Option<f64> {
        self.known(x, y).near
    }

    /// The same as [`near`](Self::near), without an interval where floating point gives a number and the function is not rational.
    fn plain(&mut self, x: Rational, y: Rational) -> Option<f64> {
        if self.rational || self.values.contains_key(&(x, y)) {
            return self.near(x, y);
        }
        if let Some(value) = self.plain.get(&(x, y)) {
            return *value;
        }
        self.effort.ask();
        let number = eval::value(self.expr, x.to_f64(), y.to_f64()).ok().filter(|v| v.is_finite());
        let value = number.or_else(|| self.near(x, y));
        self.plain.insert((x, y), value);
        value
    }

    fn enclosed(&mut self, points: &[Rational]) -> Option<Vec<Vec<Number>>> {
        points.iter().map(|x| points.iter().map(|y| self.known(*x, *y).certain).collect()).collect()
    }
}

/// Whole numbers without a common factor, the first of them positive.
fn simple(vector: Vec<i64>) -> Vec<i64> {
    let common = vector.iter().fold(0u128, |g, v| greatest_divisor(g, u128::from(v.unsigned_abs()))).max(1) as i64;
    let sign = vector.iter().find(|v| **v != 0).map_or(1, |v| v.signum());
    vector.into_iter().map(|v| v / common * sign).collect()
}

/// aᵀKa.
fn quadratic_form(matrix: &[Vec<Number>], vector: &[Rational]) -> Number {
    let mut sum = Number::Exact(Rational::ZERO);
    for (row, a) in matrix.iter().zip(vector) {
        for (k, b) in row.iter().zip(vector) {
            sum = sum.plus(k.times(Number::Exact(*a)).times(Number::Exact(*b)));
        }
    }
    sum
}

/// The counterexample with these points and numbers, if aᵀKa < 0 is verified.
pub(super) fn negative_at(expr: &Expr, points: &[Rational], vector: &[Rational]) -> Option<Counterexample> {
    let row = |x: &Rational| points.iter().map(|y| exact::value(expr, *x, *y).ok()).collect::<Option<Vec<_>>>();
    let matrix = points.iter().map(row).collect::<Option<Vec<_>>>()?;
    let value = quadratic_form(&matrix, vector).quantity();
    let matrix = matrix.iter().map(|row| row.iter().map(|v| v.quantity()).collect()).collect();
    let (points, vector) = (points.to_vec(), vector.to_vec());
    value.is_negative().then_some(Counterexample { points, vector, matrix, fault: Fault::Negative { value } })
}
