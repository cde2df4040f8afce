//! Sums of products of any size: numbers whose exponent does not end where that of a float does, and derivatives.

/// What a letter or a gap multiplies with, and its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

/// A number that sums of products are made of.
pub(crate) trait Term: Copy {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// self + more.
    fn plus(self, more: Self) -> Self;

    /// self·factor.
    fn times(self, factor: Factor) -> Self;
}

impl Term for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn plus(self, more: Self) -> Self {
        self + more
    }

    #[inline(always)]
    fn times(self, factor: Factor) -> Self {
        self * factor.value
    }
}

/// mantissa·2^(512·exponent), the size of the mantissa from 2⁻²⁵⁶ to 2²⁵⁶, or 0.
///
/// Sums of neighbours in such a table may differ by more than the range of a float holds, so one scale for a row would lose some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    mantissa: f64,
    exponent: i64,
}

/// 2²⁵⁶ and 2⁵¹².
const HALF: f64 = f64::from_bits((1023 + 256) << 52);
const UNIT: f64 = HALF * HALF;

impl Wide {
    #[inline(always)]
    fn kept(mantissa: f64, exponent: i64) -> Self {
        match mantissa.abs() {
            size if size >= HALF => Wide { mantissa: mantissa / UNIT, exponent: exponent + 1 },
            size if size < 1.0 / HALF && size > 0.0 => Wide { mantissa: mantissa * UNIT, exponent: exponent - 1 },
            _ => Wide { mantissa, exponent },
        }
    }
}

impl Term for Wide {
    const ZERO: Self = Wide { mantissa: 0.0, exponent: 0 };
    const ONE: Self = Wide { mantissa: 1.0, exponent: 0 };

    #[inline(always)]
    fn plus(self, more: Self) -> Self {
        if self.mantissa == 0.0 {
            return more;
        }
        if more.mantissa == 0.0 {
            return self;
        }
        let (large, small) = if self.exponent >= more.exponent { (self, more) } else { (more, self) };
        match large.exponent - small.exponent {
            0 => Wide::kept(large.mantissa + small.mantissa, large.exponent),
            1 => Wide::kept(large.mantissa + small.mantissa / UNIT, large.exponent),
            // Below 2⁻⁵¹² of the larger one.
            _ => large,
        }
    }

    /// Factors are of a size from 2⁻²⁵⁶ to 2²⁵⁶, or 0.
    #[inline(always)]
    fn times(self, factor: Factor) -> Self {
        Wide::kept(self.mantissa * factor.value, self.exponent)
    }
}

/// A term with its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithSlope<T> {
    pub(crate) value: T,
    pub(crate) slope: T,
}

impl<T: Term> Term for WithSlope<T> {
    const ZERO: Self = WithSlope { value: T::ZERO, slope: T::ZERO };
    const ONE: Self = WithSlope { value: T::ONE, slope: T::ZERO };

    #[inline(always)]
    fn plus(self, more: Self) -> Self {
        WithSlope { value: self.value.plus(more.value), slope: self.slope.plus(more.slope) }
    }

    /// (vf)′ = v′f + vf′.
    #[inline(always)]
    fn times(self, factor: Factor) -> Self {
        let by_factor = self.value.times(Factor { value: factor.slope, slope: 0.0 });
        WithSlope { value: self.value.times(factor), slope: self.slope.times(factor).plus(by_factor) }
    }
}

/// A positive number m·2ᵉ with 1 ≤ m < 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    mantissa: f64,
    exponent: i64,
}

impl Size {
    /// Of a normal number > 0.
    pub(crate) fn of(value: f64) -> Self {
        let exponent = (value.to_bits() >> 52) as i64 - 1023;
        Size { mantissa: f64::from_bits(value.to_bits() & ((1 << 52) - 1) | 1023 << 52), exponent }
    }

    /// self/√(a·b), exactly 1 where all are the same.
    pub(crate) fn over_root(self, a: Size, b: Size) -> f64 {
        let twice = 2 * self.exponent - a.exponent - b.exponent;
        let quotient = self.mantissa / (a.mantissa * b.mantissa).sqrt();
        let half = if twice.rem_euclid(2) == 1 { std::f64::consts::SQRT_2 } else { 1.0 };
        // Positive definite: at most 1, so the power never overflows; below 2⁻¹⁰⁷⁴ it is 0.
        let power = twice.div_euclid(2).clamp(-2000, 2) as i32;
        quotient * half * 2f64.powi(power)
    }
}

impl From<Wide> for Size {
    fn from(wide: Wide) -> Size {
        let own = Size::of(wide.mantissa);
        Size { exponent: own.exponent + 512 * wide.exponent, ..own }
    }
}

/// a/b.
pub(crate) fn quotient(a: Wide, b: Wide) -> f64 {
    let power = (512 * (a.exponent - b.exponent)).clamp(-4096, 4096) as i32;
    // In two steps: the first power alone may be beyond a float where the quotient is not.
    a.mantissa / b.mantissa * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    fn factor(value: f64) -> Factor {
        Factor { value, slope: 0.0 }
    }

    #[test]
    fn wide_numbers_go_on_where_floats_end() {
        let huge = (0..30).fold(Wide::ONE, |w, _| w.times(factor(2f64.powi(100))));
        let size = Size::from(huge.plus(Wide::ONE));
        assert_eq!(size, Size { mantissa: 1.0, exponent: 3000 });
        let back = (0..30).fold(huge, |w, _| w.times(factor(2f64.powi(-100))));
        assert_eq!(Size::from(back.plus(Wide::ONE)), Size::of(2.0));
        assert_eq!(quotient(huge.times(factor(3.0)), huge), 3.0);
        assert_eq!(Size::from(Wide::ONE.times(factor(0.0)).plus(Wide::ONE)), Size::of(1.0));
        // Across the border between two exponents.
        let (edge, below) = (Wide::ONE.times(factor(2f64.powi(255))), Wide::ONE.times(factor(2f64.powi(254))));
        assert_eq!(Size::from(edge.plus(edge).plus(below)), Size { mantissa: 1.25, exponent: 256 });
    }

    #[test]
    fn roots_are_exact_on_the_diagonal_and_never_infinite() {
        let size = Size { mantissa: 1.3, exponent: 5001 };
        assert_eq!(size.over_root(size, size), 1.0);
        assert_eq!(Size::of(1.0).over_root(size, size), 0.0);
        let odd = Size::of(2.0).over_root(Size::of(8.0), Size::of(1.0));
        assert!((odd - 2.0 / 8f64.sqrt()).abs() < tol::round(1));
    }
}
