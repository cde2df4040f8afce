//! Chance that is the same on every machine.

/// A generator of the xorshift* family (Marsaglia 2003, Vigna 2016), started from any seed.
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        // SplitMix64 spreads neighbouring seeds; the state must not be 0.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Chance((z ^ (z >> 31)) | 1)
    }

    /// A number from 0 (included) to 1 (excluded).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `n`, which is at least 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }

    /// Puts a list in an order by chance (Fisher & Yates).
    pub(crate) fn shuffle(&mut self, list: &mut [usize]) {
        (1..list.len()).rev().for_each(|i| list.swap(i, self.below(i + 1)));
    }

    /// `count` of the numbers below n, drawn without return, and the others, both in order.
    pub(crate) fn draw(&mut self, n: usize, count: usize) -> (Vec<usize>, Vec<usize>) {
        let mut drawn: Vec<usize> = (0..n).collect();
        (0..count.min(n)).for_each(|i| drawn.swap(i, i + self.below(n - i)));
        let mut others = drawn.split_off(count.min(n));
        drawn.sort_unstable();
        others.sort_unstable();
        (drawn, others)
    }

    /// A number of the standard normal distribution, by Box and Muller in Marsaglia's polar form.
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                // The other one of the pair is left: a state of one number keeps seeds simple.
                return u * (2.0 * crate::kernel::elementary::ln(1.0 / s) / s).sqrt();
            }
        }
    }
}
