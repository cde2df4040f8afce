//! Laws of losses.

use crate::loss::{Against, Convex, Loss};

use super::tol;

/// Where losses are looked at.
fn grid() -> impl Iterator<Item = f64> + Clone {
    (-27..=27).map(|i| f64::from(i) * 0.1931)
}

fn targets(loss: &dyn Loss) -> &'static [f64] {
    match loss.against() {
        Against::Numbers => &[-1.3, 0.0, 0.4, 2.0],
        Against::Signs => &[-1.0, 1.0],
    }
}

/// Holds a convex loss to its definition, its derivatives, convexity, and its conjugate to the
/// inequality of Fenchel and Young and to a search for the supremum.
pub fn laws(loss: &dyn Loss, definition: impl Fn(f64, f64) -> f64) {
    derivatives(loss, definition);
    let loss = loss.convex().unwrap_or_else(|| panic!("{} is convex", loss.name()));
    for &y in targets(loss) {
        is_convex(loss, y);
        fenchel_young(loss, y);
        conjugate_is_the_supremum(loss, y);
        if !loss.pieces(y).is_empty() {
            pieces_add_up(loss, y);
        }
    }
}

/// Holds value, derivative and curvature of any loss to its definition and to central differences,
/// away from kinks.
pub fn derivatives(loss: &dyn Loss, definition: impl Fn(f64, f64) -> f64) {
    let (h, mut smooth, mut all) = (f64::EPSILON.cbrt(), 0, 0);
    for &y in targets(loss) {
        for z in grid() {
            let (value, expected) = (loss.value(y, z), definition(y, z));
            assert!((value - expected).abs() <= tol::round(4) * expected.abs().max(1.0), "{}({y}, {z})", loss.name());
            all += 1;
            let (left, right) = (loss.derivative(y, z - h), loss.derivative(y, z + h));
            if (left - right).abs() > 100.0 * h {
                continue;
            }
            smooth += 1;
            let slope = (loss.value(y, z + h) - loss.value(y, z - h)) / (2.0 * h);
            assert!((loss.derivative(y, z) - slope).abs() <= tol::GRAD, "derivative of {} at ({y}, {z})", loss.name());
            if loss.curvature(y, z - h) != 0.0 && loss.curvature(y, z + h) != 0.0 {
                let bend = (right - left) / (2.0 * h);
                assert!((loss.curvature(y, z) - bend).abs() <= tol::GRAD, "curvature of {} at ({y}, {z})", loss.name());
            }
        }
    }
    assert!(smooth * 10 >= all * 9, "{}: {smooth} of {all} points are smooth", loss.name());
}

fn is_convex(loss: &dyn Convex, y: f64) {
    for a in grid() {
        for b in grid() {
            let middle = loss.value(y, 0.3 * a + 0.7 * b);
            let chord = 0.3 * loss.value(y, a) + 0.7 * loss.value(y, b);
            assert!(middle <= chord + tol::round(8) * chord.max(1.0), "{} between {a} and {b}", loss.name());
        }
        assert!(loss.curvature(y, a) >= 0.0);
    }
}

/// ℓ(z) + ℓ*(u) ≥ u·z, with equality at u = ℓ'(z), and ∞ outside the domain.
fn fenchel_young(loss: &dyn Convex, y: f64) {
    let conjugate = |u: f64| loss.conjugate(y, u);
    let (low, high) = loss.domain(y);
    for z in grid() {
        let size = loss.value(y, z).max(1.0) * (1.0 + z.abs());
        for u in grid().filter(|u| (low..=high).contains(u)) {
            let slack = loss.value(y, z) + conjugate(u) - u * z;
            assert!(slack >= -tol::round(8) * size.max(u.abs()), "{} at z = {z}, u = {u}: {slack}", loss.name());
        }
        let u = loss.derivative(y, z);
        assert!(u >= low && u <= high, "{}: slope {u}", loss.name());
        let slack = loss.value(y, z) + conjugate(u) - u * z;
        assert!(slack.abs() <= tol::round(8) * size, "{} at z = {z}: {slack}", loss.name());
    }
    assert!([low - 0.1, high + 0.1].into_iter().filter(|u| u.is_finite()).all(|u| conjugate(u) == f64::INFINITY));
}

/// A search over a fine grid comes close from below.
fn conjugate_is_the_supremum(loss: &dyn Convex, y: f64) {
    let (low, high) = (loss.domain(y).0.max(-4.0), loss.domain(y).1.min(4.0));
    for part in [0.05, 0.2, 0.5, 0.77, 0.95] {
        let u = low + part * (high - low);
        let step = 1e-3;
        let found =
            (-20_000..=20_000).map(|i| f64::from(i) * step).map(|z| u * z - loss.value(y, z)).fold(f64::MIN, f64::max);
        let conjugate = loss.conjugate(y, u);
        // Off by half a step, the supremum is missed by at most the change of slope over it.
        assert!(
            conjugate >= found - tol::GOLDEN && conjugate <= found + 2.0 * step,
            "{}: {conjugate}, {found}",
            loss.name()
        );
    }
}

fn pieces_add_up(loss: &dyn Convex, y: f64) {
    for z in grid() {
        let sum: f64 = loss.pieces(y).iter().map(|p| p.value(z)).sum();
        assert!((sum - loss.value(y, z)).abs() <= tol::round(4) * sum.max(1.0), "{} at {z}", loss.name());
        for p in loss.pieces(y) {
            let slope = p.slope(z);
            assert!(slope >= p.low && slope <= p.high && p.slack(z, slope) == 0.0);
        }
    }
}
