//! Sums over vectors.

/// ⟨a, b⟩ in eight sums, which vectors can hold and in which fewer digits are lost than in one.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    for (a, b) in a.chunks(SUMS).zip(b.chunks(SUMS)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::dot;

    #[test]
    fn every_product_is_counted_once() {
        for n in [0, 1, 7, 8, 9, 100] {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let squares = f64::from(n * (n - 1) * (2 * n - 1)) / 6.0;
            assert_eq!(dot(&a, &a), if n == 0 { 0.0 } else { squares }, "{n}");
        }
    }
}
