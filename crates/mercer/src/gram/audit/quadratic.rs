//! aᵀKa by a direct sum.

/// aᵀKa of a row-major square matrix, summed over all pairs with compensation, and a bound of its
/// rounding error.
///
/// Every product carries at most two roundings and the compensated sum (Neumaier's) one more, so the
/// error is below 4·ε·Σ|aᵢKᵢⱼaⱼ|. Deliberately not a matrix product: it is the check of one.
pub fn quadratic_form(values: &[f64], a: &[f64]) -> (f64, f64) {
    scaled(values, a, 1.0)
}

/// The same for the matrix divided by `unit`, a power of two.
pub(super) fn scaled(values: &[f64], a: &[f64], unit: f64) -> (f64, f64) {
    let (mut sum, mut lost, mut size) = (0.0f64, 0.0f64, 0.0f64);
    for (row, ai) in values.chunks(a.len().max(1)).zip(a) {
        for (k, aj) in row.iter().zip(a) {
            let term = ai * (k / unit) * aj;
            let next = sum + term;
            lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
            sum = next;
            size += term.abs();
        }
    }
    (sum + lost, 4.0 * f64::EPSILON * size)
}
