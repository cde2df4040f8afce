//! Sums of products f(x)·g(y): positive definite when the matrix of their coefficients is.

use std::collections::BTreeMap;

use crate::kernel::property::{Proof, ProofRule, Rational};
use crate::kernel::scalar::normal::{Monomial, Normal};

use super::{Context, positive_step};

/// Matrices up to this size are examined.
const MAX_SIZE: usize = 24;

type Matrix = Vec<Vec<Rational>>;

/// Terms f(x)·g(y) that share a constant such as π: the functions of x and their coefficients.
struct Family {
    functions: Vec<Monomial>,
    coefficients: Matrix,
}

impl Context<'_> {
    /// A proof for Σ cᵢⱼ fᵢ(x)·fⱼ(y), grouped by constants that are not rational.
    pub(super) fn separable(&mut self, a: &Normal) -> Option<Proof> {
        if let Some(proof) = self.separable_times_constant(a) {
            return Some(proof);
        }
        let mut groups: BTreeMap<Monomial, Normal> = BTreeMap::new();
        for (m, c) in a.terms() {
            let constant = m.part(|v| v.none());
            let group = groups.entry(constant).or_insert_with(Normal::zero);
            *group = group.plus(&Normal::term(m.clone(), c))?;
        }
        let mut proofs = Vec::new();
        for (constant, group) in &groups {
            proofs.push(self.family_proof(constant, group)?);
        }
        if proofs.len() == 1 {
            return proofs.pop();
        }
        Some(positive_step(a, ProofRule::Sum).using(proofs))
    }

    /// The same where all coefficients are multiples of one constant such as log 3 − log 2.
    fn separable_times_constant(&mut self, a: &Normal) -> Option<Proof> {
        let (constant, left) = self.common_constant(a)?;
        let kernel = if self.range(&constant).is_non_negative() {
            self.separable(&left)?
        } else if self.range(&constant).high <= 0.0 {
            self.separable(&left.negated())?
        } else {
            return None;
        };
        let reason = format!("c = `{constant}`, up to its sign");
        Some(positive_step(a, ProofRule::Scale).because(reason).using(vec![kernel]))
    }

    /// a = c·b with a constant c of several terms and b with rational coefficients.
    pub(super) fn common_constant(&mut self, a: &Normal) -> Option<(Normal, Normal)> {
        let mut coefficients: BTreeMap<Monomial, Normal> = BTreeMap::new();
        for (m, c) in a.terms() {
            let slot = coefficients.entry(m.part(|v| !v.none())).or_insert_with(Normal::zero);
            *slot = slot.plus(&Normal::term(m.part(|v| v.none()), c))?;
        }
        let constant = coefficients.values().next().filter(|c| c.len() > 1)?.clone();
        let unit = constant.terms().next()?.1;
        let mut left = Normal::zero();
        for (m, c) in coefficients {
            let ratio = c.terms().next()?.1.over(unit)?;
            if constant.scaled(ratio)? != c {
                return None;
            }
            left = left.plus(&Normal::term(m, ratio))?;
        }
        Some((constant, left))
    }

    fn family_proof(&mut self, constant: &Monomial, group: &Normal) -> Option<Proof> {
        let range = self.range(&Normal::term(constant.clone(), Rational::ONE));
        let mut family = self.family(group)?;
        if !range.is_non_negative() {
            if range.high > 0.0 {
                return None;
            }
            family.coefficients.iter_mut().flatten().for_each(|c| *c = c.negated());
        }
        let squares = squares(&family.coefficients)?;
        if family.functions.len() == 1 {
            return Some(self.one_feature(group, &family.functions[0], squares.first()?.0, constant));
        }
        let features: Option<Vec<String>> = squares.iter().map(|(d, row)| feature(&family, *d, row)).collect();
        let factor = if constant.is_one() { String::new() } else { format!(", times `{}`", shown(constant)) };
        let reason = format!("φ(x) = ({}){factor}", features?.join(", "));
        Some(positive_step(group, ProofRule::Quadratic).because(reason))
    }

    fn one_feature(&mut self, group: &Normal, function: &Monomial, d: Rational, constant: &Monomial) -> Proof {
        let step = positive_step(group, ProofRule::FeatureMap);
        let root = match (d == Rational::ONE, constant.is_one()) {
            (true, true) => String::new(),
            (_, true) => format!("√({d})"),
            (true, false) => format!("√({})", shown(constant)),
            (false, false) => format!("√({d}·{})", shown(constant)),
        };
        let name = if function.is_one() { String::new() } else { format!("`{}`", shown(function)) };
        let joint = if root.is_empty() || name.is_empty() { "" } else { "·" };
        let one = if root.is_empty() && name.is_empty() { "1" } else { "" };
        step.because(format!("φ(x) = {one}{root}{joint}{name}"))
    }

    /// The functions fᵢ and the symmetric matrix (cᵢⱼ).
    fn family(&mut self, group: &Normal) -> Option<Family> {
        let mut functions: Vec<Monomial> = Vec::new();
        let mut entries: Vec<(usize, usize, Rational)> = Vec::new();
        for (m, c) in group.terms() {
            let left = m.part(|v| v.x && !v.y);
            let right = Normal::term(m.part(|v| v.y && !v.x), Rational::ONE);
            let right = self.swapped(&right)?;
            let (right, sign) = right.single()?;
            let mut index = |f: &Monomial| {
                functions.iter().position(|g| g == f).unwrap_or_else(|| {
                    functions.push(f.clone());
                    functions.len() - 1
                })
            };
            entries.push((index(&left), index(right), c.times(sign)?));
        }
        let n = functions.len();
        if n > MAX_SIZE {
            return None;
        }
        let mut coefficients = vec![vec![Rational::ZERO; n]; n];
        for (i, j, c) in entries {
            coefficients[i][j] = coefficients[i][j].plus(c)?;
        }
        let symmetric = (0..n).all(|i| (0..i).all(|j| coefficients[i][j] == coefficients[j][i]));
        symmetric.then_some(Family { functions, coefficients })
    }
}

fn shown(m: &Monomial) -> Normal {
    Normal::term(m.clone(), Rational::ONE)
}

/// √d·Σ rᵢfᵢ(x) as text.
fn feature(family: &Family, d: Rational, row: &[Rational]) -> Option<String> {
    let mut sum = Normal::zero();
    for (r, f) in row.iter().zip(&family.functions) {
        sum = sum.plus(&Normal::term(f.clone(), *r))?;
    }
    if d == Rational::ONE {
        return Some(format!("`{sum}`"));
    }
    let inner = if sum.len() > 1 { format!("({sum})") } else { sum.to_string() };
    Some(format!("√({d})·`{inner}`"))
}

/// A symmetric matrix as Σ d·rrᵀ with d > 0, exactly; `None` when it is not positive semidefinite.
///
/// Each step takes a positive diagonal entry d and subtracts d·rrᵀ with r = row/d. When none is
/// left the remainder must be 0.
pub(super) fn squares(matrix: &[Vec<Rational>]) -> Option<Vec<(Rational, Vec<Rational>)>> {
    let mut left: Matrix = matrix.to_vec();
    let n = left.len();
    let mut out = Vec::new();
    while let Some(p) = (0..n).find(|i| left[*i][*i] > Rational::ZERO) {
        let d = left[p][p];
        let row: Option<Vec<Rational>> = left[p].iter().map(|v| v.over(d)).collect();
        let row = row?;
        for i in 0..n {
            for j in 0..n {
                let product = d.times(row[i])?.times(row[j])?;
                left[i][j] = left[i][j].minus(product)?;
            }
        }
        out.push((d, row));
    }
    left.iter().flatten().all(|v| *v == Rational::ZERO).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::squares;
    use crate::kernel::property::Rational;
    use crate::testkit::points::Chance;

    fn matrix(rows: &[&[i64]]) -> Vec<Vec<Rational>> {
        rows.iter().map(|r| r.iter().map(|v| Rational::whole(*v)).collect()).collect()
    }

    #[test]
    fn a_gram_matrix_is_a_sum_of_squares_and_one_less_is_not() {
        let mut chance = Chance::new(11);
        for _ in 0..200 {
            let b: Vec<Vec<i64>> = (0..4).map(|_| (0..3).map(|_| chance.below(7) as i64 - 3).collect()).collect();
            let gram: Vec<Vec<i64>> =
                b.iter().map(|u| b.iter().map(|v| u.iter().zip(v).map(|(p, q)| p * q).sum()).collect()).collect();
            let rows: Vec<&[i64]> = gram.iter().map(Vec::as_slice).collect();
            let found = squares(&matrix(&rows)).expect("a Gram matrix");
            for i in 0..4 {
                for j in 0..4 {
                    let sum = found.iter().fold(Rational::ZERO, |s, (d, r)| {
                        s.plus(d.times(r[i]).and_then(|v| v.times(r[j])).expect("small")).expect("small")
                    });
                    assert_eq!(sum, Rational::whole(gram[i][j]));
                }
            }
            // The matrix has rank 3, so that less than it cannot be positive semidefinite.
            let mut less = matrix(&rows);
            for (i, row) in less.iter_mut().enumerate() {
                row[i] = row[i].minus(Rational::new(1, 1_000_000).expect("fits")).expect("fits");
            }
            assert!(squares(&less).is_none());
        }
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        assert!(squares(&matrix(&[&[0, 1], &[1, 0]])).is_none());
        assert!(squares(&matrix(&[&[1, 2], &[2, 1]])).is_none());
        assert!(squares(&matrix(&[&[0, 0], &[0, -1]])).is_none());
        assert!(squares(&matrix(&[&[0]])).expect("zero").is_empty());
    }
}
