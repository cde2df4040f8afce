//! Profiles mapped over tiles of a statistic.

use crate::kernel::{Pair, Profile, Statistic};

use super::exponential::{BatchExp, MOST};
use super::simd::dispatch;

/// A tile of a statistic as the profile sees it: s = raw·factor, with the dot products of the row
/// points and of the column points with themselves, where the statistic is a dot product.
#[derive(Clone, Copy)]
pub(crate) struct Strip<'a> {
    pub(crate) raw: &'a [f64],
    pub(crate) factor: f64,
    /// One per row of the strip; empty for distances.
    pub(crate) xx: &'a [f64],
    /// One per column of the strip; empty for distances.
    pub(crate) yy: &'a [f64],
    pub(crate) width: usize,
}

/// A profile behind one dynamic call per tile.
pub(crate) trait TileMap: Send + Sync {
    /// What the profile is a function of.
    fn statistic(&self) -> Statistic;

    /// k at one pair.
    fn at(&self, pair: Pair) -> f64;

    /// out = k.
    fn values(&self, strip: Strip<'_>, out: &mut [f64]);

    /// out = ∂k/∂s.
    fn slopes(&self, strip: Strip<'_>, out: &mut [f64]);

    /// Number of the profile's own parameters.
    fn shape_len(&self) -> usize;

    /// Adds Σ w·∂k/∂p to out, for each of the profile's own parameters p.
    fn shape_pull_back(&self, strip: Strip<'_>, w: &[f64], out: &mut [f64]);
}

impl<P: Profile> TileMap for P {
    fn statistic(&self) -> Statistic {
        P::STATISTIC
    }

    fn at(&self, pair: Pair) -> f64 {
        self.value(pair)
    }

    fn values(&self, strip: Strip<'_>, out: &mut [f64]) {
        values(self, strip, out);
    }

    fn slopes(&self, strip: Strip<'_>, out: &mut [f64]) {
        slopes(self, strip, out);
    }

    fn shape_len(&self) -> usize {
        Profile::shape_len(self)
    }

    fn shape_pull_back(&self, strip: Strip<'_>, w: &[f64], out: &mut [f64]) {
        let mut gradient = vec![0.0; Profile::shape_len(self)];
        for (i, (raw, w)) in strip.raw.iter().zip(w).enumerate() {
            self.shape_grad(strip.pair(i, *raw), &mut gradient);
            for (sum, g) in out.iter_mut().zip(&gradient) {
                *sum = w.mul_add(*g, *sum);
            }
        }
    }
}

impl Strip<'_> {
    fn pair(&self, i: usize, raw: f64) -> Pair {
        let own = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        Pair { s: raw * self.factor, xx: own(self.xx, i / self.width), yy: own(self.yy, i % self.width) }
    }
}

dispatch! {
    /// out = k, row by row.
    pub(crate) fn values<P: Profile>(profile: &P, strip: Strip<'_>, out: &mut [f64]) by E: BatchExp {
        if P::EXPONENTIAL && strip.yy.is_empty() {
            exponential::<P, E>(profile, strip, out);
        } else {
            map(strip, out, |pair| profile.value(pair));
        }
    }
}

/// out = a·eᵇ of a function of the distance, a batch at a time.
#[inline(always)]
fn exponential<P: Profile, E: BatchExp>(profile: &P, strip: Strip<'_>, out: &mut [f64]) {
    let pair = |raw: f64| Pair { s: raw * strip.factor, xx: 0.0, yy: 0.0 };
    // A power of two moves from one factor to the other without rounding.
    let both = P::EXPONENT_OVER_S.map(|per_s| strip.factor * per_s);
    let raws = strip.raw.chunks_exact(E::BATCH);
    let raws_left = raws.remainder();
    let mut outs = out.chunks_exact_mut(E::BATCH);
    for (k, raw) in outs.by_ref().zip(raws) {
        let mut exponents = [0.0; MOST];
        for (b, raw) in exponents[..E::BATCH].iter_mut().zip(raw) {
            *b = both.map_or_else(|| profile.exponent(pair(*raw)), |both| raw * both);
        }
        k.copy_from_slice(&exponents[..E::BATCH]);
        E::exp(k);
        for ((k, b), raw) in k.iter_mut().zip(&exponents).zip(raw) {
            *k *= profile.amplitude(pair(*raw), *b);
        }
    }
    for (k, raw) in outs.into_remainder().iter_mut().zip(raws_left) {
        *k = profile.value(pair(*raw));
    }
}

dispatch! {
    /// out = ∂k/∂s, row by row.
    pub(crate) fn slopes<P: Profile>(profile: &P, strip: Strip<'_>, out: &mut [f64]) {
        map(strip, out, |pair| profile.slope(pair));
    }
}

/// Applies `f` to every pair of the strip.
#[inline(always)]
fn map(strip: Strip<'_>, out: &mut [f64], f: impl Fn(Pair) -> f64) {
    let factor = strip.factor;
    if strip.yy.is_empty() {
        for (k, raw) in out.iter_mut().zip(strip.raw) {
            *k = f(Pair { s: raw * factor, xx: 0.0, yy: 0.0 });
        }
        return;
    }
    for ((k, raw), xx) in out.chunks_mut(strip.width).zip(strip.raw.chunks(strip.width)).zip(strip.xx) {
        for ((k, raw), yy) in k.iter_mut().zip(raw).zip(strip.yy) {
            *k = f(Pair { s: raw * factor, xx: *xx, yy: *yy });
        }
    }
}
