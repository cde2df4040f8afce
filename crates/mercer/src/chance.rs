//! Chance that is the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A generator of numbers by chance, started from any seed: xoshiro256++ (Blackman & Vigna 2021, *Scrambled linear
/// pseudorandom number generators*, ACM Transactions on Mathematical Software 47), its state filled by SplitMix64.
///
/// The same seed gives the same numbers on every machine and in every version that does not say otherwise. No two
/// uses of chance share a generator.
///
/// ```
/// use mercer::chance::Chance;
/// let mut chance = Chance::new(7);
/// let mut order: Vec<usize> = (0..5).collect();
/// chance.shuffle(&mut order);
/// let (drawn, others) = chance.draw(5, 2);
/// assert_eq!((drawn.len(), others.len()), (2, 3));
/// assert!((0.0..1.0).contains(&chance.unit()) && chance.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Chance(Xoshiro256PlusPlus);

impl Chance {
    /// Starts from a seed; neighbouring seeds give sequences that have nothing to do with each other.
    pub fn new(seed: u64) -> Self {
        Chance(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number from 0 (included) to 1 (excluded): a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `n`, which is at least 1, each as likely as the others (Lemire 2019, *Fast random integer
    /// generation in an interval*).
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(n);
            let low = product as u64;
            // 2⁶⁴ mod n of the low parts stand for one number more than the others do.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 64) as usize;
            }
        }
    }

    /// Puts a list in an order by chance (Fisher & Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        (1..list.len()).rev().for_each(|i| list.swap(i, self.below(i + 1)));
    }

    /// `count` of the numbers below n, drawn without return, and the others, both in order.
    pub fn draw(&mut self, n: usize, count: usize) -> (Vec<usize>, Vec<usize>) {
        let mut drawn: Vec<usize> = (0..n).collect();
        (0..count.min(n)).for_each(|i| drawn.swap(i, i + self.below(n - i)));
        let mut others = drawn.split_off(count.min(n));
        drawn.sort_unstable();
        others.sort_unstable();
        (drawn, others)
    }

    /// A number of the standard normal distribution, by Box and Muller in Marsaglia's polar form.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                // The other one of the pair is left: a draw then depends on nothing but the state. The logarithm is
                // Mercer's own, since those of systems differ in the last digit.
                return u * (2.0 * crate::kernel::elementary::ln(1.0 / s) / s).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the authors' reference code, <https://prng.di.unimi.it>, run elsewhere.
    #[test]
    fn seeds_give_the_numbers_of_the_reference() {
        let mut chance = Chance::new(0);
        assert_eq!(
            [(); 3].map(|()| chance.0.next_u64()),
            [5_987_356_902_031_041_503, 7_051_070_477_665_621_255, 6_633_766_593_972_829_180]
        );
        let mut chance = Chance::new(7);
        assert_eq!(
            [(); 3].map(|()| chance.unit()),
            [0.055_360_436_478_333_11, 0.172_115_854_448_117_72, 0.717_576_128_358_659_4]
        );
        let mut chance = Chance::new(7);
        assert_eq!([(); 10].map(|()| chance.below(10)), [0, 1, 7, 4, 9, 4, 7, 3, 9, 0]);
    }

    /// With n three quarters of 2⁶⁴, a multiplication without rejection gives one number in three twice as often.
    #[test]
    fn whole_numbers_are_equally_likely() {
        let n = (1usize << 63) + (1 << 62);
        let mut chance = Chance::new(1);
        let (count, mut first) = (30_000, 0);
        for _ in 0..count {
            first += usize::from(chance.below(n).is_multiple_of(3));
        }
        let (mean, deviation) = (f64::from(count) / 3.0, (f64::from(count) * 2.0 / 9.0).sqrt());
        assert!((first as f64 - mean).abs() <= 4.0 * deviation, "{first} of {count}");
        assert_eq!((chance.below(1), chance.below(0)), (0, 0));
    }

    #[test]
    fn normal_numbers_have_the_moments_of_their_distribution() {
        let mut chance = Chance::new(2);
        let n = 100_000;
        let drawn: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
        let moment = |k: i32| drawn.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        // Four deviations of the mean of x, x², x³ and x⁴, whose variances are 1, 2, 15 and 96.
        for (k, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let z = (moment(k) - expected) / (variance / f64::from(n)).sqrt();
            assert!(z.abs() <= 4.0, "moment {k}: {z} deviations off");
        }
    }

    #[test]
    fn draws_and_orders_are_permutations() {
        let mut chance = Chance::new(3);
        let mut order: Vec<usize> = (0..50).collect();
        chance.shuffle(&mut order);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        let (drawn, others) = chance.draw(50, 20);
        assert!(drawn.is_sorted() && others.is_sorted() && drawn.len() == 20);
        order.sort_unstable();
        let mut all = [drawn, others].concat();
        all.sort_unstable();
        assert_eq!((&order, &all), (&(0..50).collect(), &(0..50).collect()));
        assert_eq!(chance.draw(3, 9), (vec![0, 1, 2], vec![]));
    }
}
