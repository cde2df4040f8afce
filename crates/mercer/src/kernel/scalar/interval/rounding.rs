//! Sums, products, quotients and roots rounded in a known direction.
//!
//! The error of a rounded sum is found exactly (Knuth's two-sum), that of a product, quotient or
//! root has the sign that a fused multiply-add shows. Near underflow the latter may itself be
//! rounded away, so there the result always moves by one unit.

/// Below this the error term of a product may underflow.
const SMALL: f64 = 1e-250;

/// a + b rounded down; opposite infinities give −∞.
pub(super) fn add_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_nan() {
        return f64::NEG_INFINITY;
    }
    if sum.is_infinite() {
        return if sum > 0.0 && a.is_finite() && b.is_finite() { f64::MAX } else { sum };
    }
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    // An overflow inside makes the error NaN, which moves the result, too.
    if error >= 0.0 { sum } else { sum.next_down() }
}

/// a + b rounded up.
pub(super) fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

/// a·b rounded down, with 0·∞ = 0.
pub(super) fn mul_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if product.is_infinite() {
        return if product > 0.0 && a.is_finite() && b.is_finite() { f64::MAX } else { product };
    }
    if product.abs() < SMALL {
        return product.next_down();
    }
    if a.mul_add(b, -product) >= 0.0 { product } else { product.next_down() }
}

/// a·b rounded up, with 0·∞ = 0.
pub(super) fn mul_up(a: f64, b: f64) -> f64 {
    -mul_down(-a, b)
}

/// a/b rounded down, for b ≠ 0 and finite.
pub(super) fn div_down(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        return 0.0;
    }
    let quotient = a / b;
    if quotient.is_infinite() {
        return if quotient > 0.0 && a.is_finite() { f64::MAX } else { quotient };
    }
    if quotient.abs() < SMALL || a.abs() < SMALL {
        return quotient.next_down();
    }
    let rest = (-quotient).mul_add(b, a);
    if rest == 0.0 || (rest > 0.0) == (b > 0.0) { quotient } else { quotient.next_down() }
}

/// a/b rounded up, for b ≠ 0 and finite.
pub(super) fn div_up(a: f64, b: f64) -> f64 {
    -div_down(-a, b)
}

/// √a rounded down, for a ≥ 0.
pub(super) fn sqrt_down(a: f64) -> f64 {
    let root = a.sqrt();
    if a == 0.0 || a.is_infinite() {
        return root;
    }
    if a >= SMALL && (-root).mul_add(root, a) >= 0.0 { root } else { root.next_down() }
}

/// √a rounded up, for a ≥ 0.
pub(super) fn sqrt_up(a: f64) -> f64 {
    let root = a.sqrt();
    if a == 0.0 || a.is_infinite() {
        return root;
    }
    if a >= SMALL && (-root).mul_add(root, a) <= 0.0 { root } else { root.next_up() }
}
