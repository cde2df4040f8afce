//! Several pairs side by side: one number, or a number and its derivative, for each.
//!
//! A recursion along two texts is a chain in which each number waits for the one before. Pairs do not wait for each other, so
//! the chains of several pairs fill the lanes of vectors, whatever the texts are. A lane never sees the others: what it holds is what it
//! would hold alone.

/// Lanes of a vector of AVX2.
pub(super) const LANES: usize = 4;

/// Letters of all lanes at one place, V vectors.
pub(super) type Letters<const V: usize> = [[u64; LANES]; V];

/// All bits where two letters are the same, none elsewhere.
#[inline(always)]
pub(super) fn same<const V: usize>(a: &Letters<V>, b: &Letters<V>) -> Letters<V> {
    let mut mask = [[0; LANES]; V];
    for vector in 0..V {
        for lane in 0..LANES {
            mask[vector][lane] = if a[vector][lane] == b[vector][lane] { u64::MAX } else { 0 };
        }
    }
    mask
}

/// Numbers of all lanes, with the three steps of the recursion.
pub(super) trait Number<const V: usize>: Copy {
    /// 0 in all lanes.
    const ZERO: Self;
    /// 1 in all lanes.
    const ONE: Self;

    /// λ·self + more.
    fn decayed(self, decay: f64, more: Self) -> Self;

    /// self + more.
    fn plus(self, more: Self) -> Self;

    /// self where the mask has all bits, 0 elsewhere.
    fn masked(self, mask: &Letters<V>) -> Self;
}

/// A number for each lane.
pub(super) type Values<const V: usize> = [[f64; LANES]; V];

impl<const V: usize> Number<V> for Values<V> {
    const ZERO: Self = [[0.0; LANES]; V];
    const ONE: Self = [[1.0; LANES]; V];

    #[inline(always)]
    fn decayed(mut self, decay: f64, more: Self) -> Self {
        for vector in 0..V {
            for lane in 0..LANES {
                self[vector][lane] = decay.mul_add(self[vector][lane], more[vector][lane]);
            }
        }
        self
    }

    #[inline(always)]
    fn plus(mut self, more: Self) -> Self {
        for vector in 0..V {
            for lane in 0..LANES {
                self[vector][lane] += more[vector][lane];
            }
        }
        self
    }

    #[inline(always)]
    fn masked(mut self, mask: &Letters<V>) -> Self {
        for vector in 0..V {
            for lane in 0..LANES {
                self[vector][lane] = f64::from_bits(self[vector][lane].to_bits() & mask[vector][lane]);
            }
        }
        self
    }
}

/// A number for each lane with its derivative by λ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent<const V: usize> {
    /// The number.
    pub(super) value: Values<V>,
    /// Its derivative.
    pub(super) slope: Values<V>,
}

impl<const V: usize> Number<V> for Tangent<V> {
    const ZERO: Self = Tangent { value: Values::ZERO, slope: Values::ZERO };
    const ONE: Self = Tangent { value: Values::ONE, slope: Values::ZERO };

    /// (λv + w)′ = λv′ + v + w′.
    #[inline(always)]
    fn decayed(self, decay: f64, more: Self) -> Self {
        let slope = self.slope.decayed(decay, self.value.plus(more.slope));
        Tangent { value: self.value.decayed(decay, more.value), slope }
    }

    #[inline(always)]
    fn plus(self, more: Self) -> Self {
        Tangent { value: self.value.plus(more.value), slope: self.slope.plus(more.slope) }
    }

    #[inline(always)]
    fn masked(self, mask: &Letters<V>) -> Self {
        Tangent { value: self.value.masked(mask), slope: self.slope.masked(mask) }
    }
}
