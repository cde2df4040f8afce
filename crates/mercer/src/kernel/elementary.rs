//! Elementary functions written so that a loop over them becomes vector code.
//!
//! [`exp`] and [`ln`] are free of branches and of table look-ups, so the compiler turns a plain
//! loop that inlines them into SIMD. The vector and the scalar result are the same bits, which
//! keeps Gram matrices independent of how they are cut into tiles. Fused multiply-add is used
//! throughout; where the hardware has none the result is still the same, only slower.

/// 1.5·2⁵²: adding it rounds a small number to an integer, kept in the low bits of the sum.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;
/// log₂ e.
pub(crate) const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The high part of ln 2.
pub(crate) const LN2_HIGH: f64 = std::f64::consts::LN_2;
/// What ln 2 has beyond [`LN2_HIGH`].
pub(crate) const LN2_LOW: f64 = 2.319_046_813_846_299_6e-17;

/// (eʳ − 1 − r)/r² on |r| ≤ ½ ln 2, Chebyshev fit of degree 9; error 1.3e-17 relative to eʳ.
pub(crate) const EXP: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_13,
    0.008_333_333_333_330_062,
    0.001_388_888_891_721_371_7,
    0.000_198_412_698_630_536_18,
    2.480_152_129_595_437_6e-5,
    2.755_726_845_999_706_4e-6,
    2.762_008_844_540_974_6e-7,
    2.510_038_549_551_032e-8,
];

/// eˣ within 2 ulp over the whole range, subnormal results and overflow to infinity included.
///
/// x = n ln 2 + r with |r| ≤ ½ ln 2, then eˣ = 2ⁿ·(1 + r + r²q(r)). The scale 2ⁿ is applied in two
/// factors, so that results below 2⁻¹⁰²² round once.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Beyond this end eˣ is infinite; comparing this way lets NaN through.
    decay(if x > 710.0 { 710.0 } else { x })
}

/// eˣ as [`exp`] gives it, for x ≤ 710: most kernels need it for x ≤ 0 only, and do without a check.
#[inline(always)]
pub fn decay(x: f64) -> f64 {
    // Below this end eˣ is 0.
    let x = if x < -746.0 { -746.0 } else { x };
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LN2_LOW, (-n).mul_add(LN2_HIGH, x));
    let beyond_one = (r * r).mul_add(exp_tail(r), r);
    // The exponent n + 2048 is positive, so that halving it needs no signed shift.
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(2048);
    let half = (exponent & 0xffff) >> 1;
    let rest = (exponent & 0xffff).wrapping_sub(half);
    let scale = power_of_two(half);
    beyond_one.mul_add(scale, scale) * power_of_two(rest)
}

/// 2^(biased − 1024).
#[inline(always)]
fn power_of_two(biased: u64) -> f64 {
    f64::from_bits(biased.wrapping_sub(1) << 52)
}

/// q(r), two coefficients at a time.
#[inline(always)]
fn exp_tail(r: f64) -> f64 {
    let r2 = r * r;
    let mut q = EXP[9].mul_add(r, EXP[8]);
    q = q.mul_add(r2, EXP[7].mul_add(r, EXP[6]));
    q = q.mul_add(r2, EXP[5].mul_add(r, EXP[4]));
    q = q.mul_add(r2, EXP[3].mul_add(r, EXP[2]));
    q.mul_add(r2, EXP[1].mul_add(r, EXP[0]))
}

/// (2 artanh(s)/s − 2)/s² as a polynomial in s² on |s| ≤ 3 − 2√2, Chebyshev fit of degree 6.
const LN: [f64; 7] = [
    0.666_666_666_666_667,
    0.399_999_999_998_988_9,
    0.285_714_286_262_538_36,
    0.222_222_110_893_794_96,
    0.181_828_924_325_368_7,
    0.153_316_117_220_550_08,
    0.146_178_071_534_173_25,
];

/// ln x for normal x ≥ 1, absolute error below 2 ulp of max(1, ln x).
///
/// x = 2ᵏ·m with m in [√½, √2), then ln m = 2 artanh((m − 1)/(m + 1)).
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let offset = x.to_bits().wrapping_sub(SQRT_HALF);
    // For x ≥ 1 the offset is not negative; its exponent field is k.
    let k = offset >> 52;
    let m = f64::from_bits((offset & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    let k = f64::from_bits(k | ROUND_UNSIGNED.to_bits()) - ROUND_UNSIGNED;
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = LN[6];
    p = p.mul_add(z, LN[5]);
    p = p.mul_add(z, LN[4]);
    p = p.mul_add(z, LN[3]);
    p = p.mul_add(z, LN[2]);
    p = p.mul_add(z, LN[1]);
    p = p.mul_add(z, LN[0]);
    let tail = s * z * p;
    k.mul_add(LN2_HIGH, s.mul_add(2.0, tail))
}

/// 2⁵², whose low bits hold a small unsigned integer.
const ROUND_UNSIGNED: f64 = 4_503_599_627_370_496.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// A number as an unevaluated sum of two, about 106 bits.
    #[derive(Clone, Copy)]
    struct Double(f64, f64);

    impl Double {
        fn sum(a: f64, b: f64) -> Self {
            let s = a + b;
            let t = s - a;
            Double(s, (a - (s - t)) + (b - t))
        }
        fn add(self, o: Self) -> Self {
            let s = Self::sum(self.0, o.0);
            Self::sum(s.0, s.1 + self.1 + o.1)
        }
        fn mul(self, o: Self) -> Self {
            let p = self.0 * o.0;
            let e = self.0.mul_add(o.0, -p);
            Self::sum(p, e + self.0 * o.1 + self.1 * o.0)
        }
        fn div(self, d: f64) -> Self {
            let q = self.0 / d;
            let r = (-q).mul_add(d, self.0) + self.1;
            Self::sum(q, r / d)
        }
    }

    /// eʳ·2ᵏ with x = r + k ln 2, by a Taylor sum in double-double; returns (mantissa sum, k).
    fn oracle(x: f64) -> (Double, i32) {
        let k = (x * LOG2_E).round();
        let ln2 = Double(LN2_HIGH, LN2_LOW);
        let r = Double(x, 0.0).add(Double(-k, 0.0).mul(ln2));
        let mut term = Double(1.0, 0.0);
        let mut total = term;
        for i in 1..30 {
            term = term.mul(r).div(f64::from(i));
            total = total.add(term);
        }
        (total, k as i32)
    }

    /// Distance of `got` from the true eˣ in units in the last place of the true value.
    fn ulps(x: f64, got: f64) -> f64 {
        let (truth, k) = oracle(x);
        let exponent = (truth.0.log2().floor() as i32 + k - 52).max(-1074);
        // Both sides are scaled by 2^-exponent, in two factors to stay inside the range.
        let scale = |v: f64, by: i32| v * 2f64.powi(by / 2) * 2f64.powi(by - by / 2);
        let difference = scale(truth.0, k - exponent) - scale(got, -exponent) + scale(truth.1, k - exponent);
        difference.abs()
    }

    #[test]
    fn exp_is_within_two_ulp_over_the_whole_range() {
        let mut worst = (0.0, 0.0);
        let mut chance = crate::chance::Chance::new(1);
        for i in 0..600_000 {
            let unit = chance.unit();
            let x = match i % 3 {
                0 => -745.0 + 1454.7 * unit,
                1 => -2.0 * unit,
                _ => (unit - 0.5) * 2f64.powi(-(i % 50)),
            };
            let error = ulps(x, exp(x));
            if error > worst.0 {
                worst = (error, x);
            }
        }
        assert!(worst.0 <= 2.0, "{} ulp at {:e}", worst.0, worst.1);
    }

    #[test]
    fn exp_at_the_ends() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert_eq!(exp(709.79), f64::INFINITY);
        assert!(exp(709.78).is_finite());
        assert_eq!(exp(-745.0), f64::from_bits(1));
        assert_eq!(exp(-745.2), 0.0);
        assert!(exp(f64::NAN).is_nan());
        assert_eq!(exp(1e-320), 1.0);
    }

    #[test]
    fn ln_is_the_inverse_of_exp() {
        let mut x = 1.0;
        while x < 1e300 {
            let expected: f64 = f64::ln(x);
            assert!((ln(x) - expected).abs() <= 4.5e-16 * expected.max(1.0), "{x:e}: {} {expected}", ln(x));
            x *= 1.000_37;
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
