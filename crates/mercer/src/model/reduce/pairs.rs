//! From eigenvectors to functions, and back to judge them.

use crate::error::{Error, Result};
use crate::linalg::{LinearOperator, dot};
use crate::run::Run;

/// Eigenvalues, the largest first, and unit vectors, one after the other.
pub(super) struct Pairs {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Vec<f64>,
}

impl Pairs {
    /// Those above what rounding leaves: other directions have no variance to be divided by.
    pub(super) fn above(mut self, rounding: f64) -> Self {
        let n = self.vectors.len() / self.values.len().max(1);
        let kept = self.values.iter().take_while(|v| **v > rounding).count();
        self.values.truncate(kept);
        self.vectors.truncate(kept * n);
        self
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

/// −1 where the coordinate of largest magnitude (the first of them) is negative: a component is known up to its sign, and this one
/// depends neither on the algorithm nor on whether rows are weighted or repeated.
pub(super) fn sign(coordinates: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = coordinates.clone().fold(0.0f64, |m, x| m.max(x.abs()));
    // Coordinates that tie up to rounding must not decide by chance.
    let first = coordinates.into_iter().find(|x| x.abs() >= largest * (1.0 - 1e-8));
    if first.is_some_and(|x| x < 0.0) { -1.0 } else { 1.0 }
}

/// How far vectors, row-major and not of unit length, are from being the eigenvectors whose length says their eigenvalue.
pub(super) struct Judged {
    /// Rayleigh's quotients.
    pub(super) values: Vec<f64>,
    /// The largest of ‖A·u − λ·u‖/λ₁ for unit vectors u, of |⟨u, v⟩| of two of them, and of what `length` finds, over λ₁.
    pub(super) worst: f64,
    /// The largest of |⟨u, v⟩| alone.
    pub(super) angle: f64,
}

/// Judges n×k vectors. `length` is given λ and ‖u‖² and says what ought to be 0, in the unit of λ.
pub(super) fn judge(
    operator: &dyn LinearOperator,
    vectors: &[f64],
    k: usize,
    length: impl Fn(f64, f64) -> f64,
    run: &Run,
) -> Result<Judged> {
    let mut images = vec![0.0; vectors.len()];
    operator.apply(vectors, k, &mut images, run)?;
    let column = |of: &[f64], l: usize| of.iter().skip(l).step_by(k).copied().collect::<Vec<f64>>();
    let units: Vec<(Vec<f64>, Vec<f64>, f64)> = (0..k)
        .map(|l| {
            let (mut u, mut image) = (column(vectors, l), column(&images, l));
            let norm = dot(&u, &u).sqrt();
            [&mut u, &mut image].into_iter().flatten().for_each(|x| *x /= norm);
            (u, image, norm)
        })
        .collect();
    let values: Vec<f64> = units.iter().map(|(u, image, _)| dot(u, image)).collect();
    let largest = values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let (mut worst, mut angle) = (0.0f64, 0.0f64);
    for (l, (u, image, norm)) in units.iter().enumerate() {
        let left: f64 = u.iter().zip(image).map(|(u, a)| (a - values[l] * u).powi(2)).sum();
        worst = larger(worst, left.sqrt() / largest);
        worst = larger(worst, length(values[l], norm * norm).abs() / largest);
        units[..l].iter().for_each(|(v, _, _)| angle = larger(angle, dot(u, v).abs()));
    }
    Ok(Judged { values, worst: larger(worst, angle), angle })
}

/// The larger of two; what is no number wins.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// The error of rows that do not vary.
pub(super) fn nothing_varies(title: String) -> Error {
    Error::Unsupported {
        what: format!("finding components with {title} where all rows are the same point of the feature space"),
        alternative: "give at least two rows that the kernel tells apart".into(),
    }
}
