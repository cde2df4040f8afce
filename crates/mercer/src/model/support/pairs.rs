//! Pairs of classes: which there are, what their functions say together, and how to evaluate them.

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::apply;
use crate::linalg::filled;
use crate::model::Expansion;
use crate::run::Run;

/// The pairs i < j of so many classes, in the order of LIBSVM.
pub(crate) fn all(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |i| (i + 1..classes).map(move |j| (i, j)))
}

/// For each row of pair values, above 0 for the first class of a pair, the votes for each class, and below a third of a vote how
/// sure they are: c/(3(|c| + 1)) with c the sum of the values for the class less those against it. This is what scikit-learn
/// answers as `decision_function_shape="ovr"`.
pub(crate) fn votes(values: &[f64], classes: usize) -> Vec<f64> {
    let pairs: Vec<(usize, usize)> = all(classes).collect();
    let mut answers = Vec::with_capacity(values.len() / pairs.len().max(1) * classes);
    for row in values.chunks(pairs.len().max(1)) {
        let (mut votes, mut sure) = (vec![0.0; classes], vec![0.0; classes]);
        for ((i, j), f) in pairs.iter().zip(row) {
            votes[if *f > 0.0 { *i } else { *j }] += 1.0;
            sure[*i] += f;
            sure[*j] -= f;
        }
        answers.extend(votes.iter().zip(&sure).map(|(v, c): (&f64, &f64)| v + c / (3.0 * (c.abs() + 1.0))));
    }
    answers
}

/// Σ αᵢₒ·k(xᵢ, x) of the functions of pairs, row-major: rows×pairs.
///
/// A point of a class has coefficients in the pairs of its class alone, so each class is multiplied by its own columns: (classes − 1)
/// sums for each kernel value, and not one a pair. Nothing where the points do not stand by class.
pub(crate) fn evaluate(f: &Expansion, classes: usize, x: &Inputs, run: &Run) -> Result<Option<Vec<f64>>> {
    let pairs = f.outputs();
    let Some(starts) = class_starts(f, classes).filter(|_| !matches!(x, Inputs::Precomputed(_))) else {
        return Ok(None);
    };
    let (mut values, _reserved) =
        filled(x.len() as u128 * pairs as u128, 0.0, "the predictions", "predict fewer rows at a time", run)?;
    let numbered: Vec<(usize, usize)> = all(classes).collect();
    for class in 0..classes {
        let (start, end) = (starts[class], starts[class + 1]);
        if start == end || x.is_empty() {
            continue;
        }
        let own: Vec<usize> = (0..pairs).filter(|o| numbered[*o].0 == class || numbered[*o].1 == class).collect();
        let row = |i: usize| own.iter().map(move |o| f.coefficients()[i * pairs + o]);
        let coefficients: Vec<f64> = (start..end).flat_map(row).collect();
        let points = f.points().take(&(start..end).collect::<Vec<_>>());
        let mut part = vec![0.0; x.len() * own.len()];
        apply(&f.space().cross(x, &points, run)?, &coefficients, own.len(), &mut part, run)?;
        for (row, part) in values.chunks_mut(pairs).zip(part.chunks(own.len())) {
            own.iter().zip(part).for_each(|(o, v)| row[*o] += v);
        }
    }
    Ok(Some(values))
}

/// Where the points of each class begin, if they stand by class: no point has a coefficient in a pair without its class.
fn class_starts(f: &Expansion, classes: usize) -> Option<Vec<usize>> {
    let numbered: Vec<(usize, usize)> = all(classes).collect();
    if numbered.len() != f.outputs() {
        return None;
    }
    let (mut starts, mut class) = (vec![0; classes + 1], 0);
    for (at, row) in f.coefficients().chunks(numbered.len()).enumerate() {
        let fits = |c: usize| row.iter().zip(&numbered).all(|(v, (i, j))| *v == 0.0 || *i == c || *j == c);
        while !fits(class) {
            class += 1;
            if class == classes {
                return None;
            }
            starts[class] = at;
        }
    }
    let points = f.points().len();
    (class + 1..=classes).for_each(|c| starts[c] = points);
    Some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_classes_vote() {
        // 0 beats 1, 0 beats 2, 2 beats 1.
        let answers = votes(&[0.5, 2.0, -1.0], 3);
        assert_eq!(answers.iter().map(|v| v.round()).collect::<Vec<_>>(), [2.0, 0.0, 1.0]);
        assert!((answers[0] - (2.0 + 2.5 / 10.5)).abs() < 1e-15);
        assert_eq!(all(4).collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }
}
