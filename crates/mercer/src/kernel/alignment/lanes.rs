//! Several pairs side by side: one number, or a number and its derivative, for each.
//!
//! A recursion along two texts is a chain in which each number waits for the one before. Pairs do not wait for each other, so
//! the chains of several pairs fill the lanes of vectors, whatever the texts are. A lane never sees the others: what it holds is what it
//! would hold alone.

/// How many pairs: two vectors of AVX2, so that one can wait for its sum while the other is computed.
pub(crate) const LANES: usize = 8;

/// Letters of all lanes at one place.
pub(crate) type Letters = [u64; LANES];

/// All bits where two letters are the same, none elsewhere.
#[inline(always)]
pub(crate) fn same(a: &Letters, b: &Letters) -> Letters {
    let mut mask = [0; LANES];
    for lane in 0..LANES {
        mask[lane] = if a[lane] == b[lane] { u64::MAX } else { 0 };
    }
    mask
}

/// Numbers of all lanes, with the three steps of the recursion.
pub(crate) trait Number: Copy {
    /// 0 in all lanes.
    const ZERO: Self;
    /// 1 in all lanes.
    const ONE: Self;

    /// λ·self + more.
    fn decayed(self, decay: f64, more: Self) -> Self;

    /// self + more.
    fn plus(self, more: Self) -> Self;

    /// self where the mask has all bits, 0 elsewhere.
    fn masked(self, mask: &Letters) -> Self;
}

/// A number for each lane.
pub(crate) type Values = [f64; LANES];

impl Number for Values {
    const ZERO: Self = [0.0; LANES];
    const ONE: Self = [1.0; LANES];

    #[inline(always)]
    fn decayed(mut self, decay: f64, more: Self) -> Self {
        for lane in 0..LANES {
            self[lane] = decay.mul_add(self[lane], more[lane]);
        }
        self
    }

    #[inline(always)]
    fn plus(mut self, more: Self) -> Self {
        for lane in 0..LANES {
            self[lane] += more[lane];
        }
        self
    }

    #[inline(always)]
    fn masked(mut self, mask: &Letters) -> Self {
        for lane in 0..LANES {
            self[lane] = f64::from_bits(self[lane].to_bits() & mask[lane]);
        }
        self
    }
}

/// A number for each lane with its derivative by λ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tangent {
    /// The number.
    pub(crate) value: Values,
    /// Its derivative.
    pub(crate) slope: Values,
}

impl Number for Tangent {
    const ZERO: Self = Tangent { value: [0.0; LANES], slope: [0.0; LANES] };
    const ONE: Self = Tangent { value: [1.0; LANES], slope: [0.0; LANES] };

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
    fn masked(self, mask: &Letters) -> Self {
        Tangent { value: self.value.masked(mask), slope: self.slope.masked(mask) }
    }
}
