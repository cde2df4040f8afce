//! Quadratic forms wᵀHw of multipliers w by chance.

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, apply_block};
use crate::kernel::elementary;
use crate::run::Run;

/// Multipliers of one kind, drawn vector after vector.
pub(super) struct Multipliers {
    n: usize,
    kind: Kind,
    chance: Chance,
}

/// What multipliers are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// ±1, for rows that do not depend on each other.
    Signs,
    /// w_t = a·w_{t−1} + √(1 − a²)·ε_t with a = e^(−1/ℓ) and normal ε, for rows whose dependence fades within about ℓ rows (Chwialkowski,
    /// Sejdinovic & Gretton 2014, *A wild bootstrap for degenerate kernel tests*).
    Correlated(f64),
    /// Normal numbers: wᵀHw is then drawn from the sum of squares of normal numbers weighted by the eigenvalues of H.
    Normal,
}

impl Multipliers {
    pub(super) fn new(n: usize, kind: Kind, seed: u64) -> Result<Self> {
        match kind {
            Kind::Correlated(lag) if !(lag > 0.0 && lag.is_finite()) => {
                Err(Error::invalid("the wild bootstrap", "lag", lag, "> 0"))
            }
            _ => Ok(Multipliers { n, kind, chance: Chance::new(seed) }),
        }
    }

    /// The next vector, number by number.
    pub(super) fn next_into(&mut self, mut put: impl FnMut(usize, f64)) {
        let mut before = self.chance.normal();
        for t in 0..self.n {
            before = match self.kind {
                Kind::Signs => {
                    if self.chance.unit() < 0.5 {
                        -1.0
                    } else {
                        1.0
                    }
                }
                Kind::Normal => self.chance.normal(),
                Kind::Correlated(_) if t == 0 => before,
                Kind::Correlated(lag) => {
                    let a = elementary::exp(-1.0 / lag);
                    a * before + (1.0 - a * a).sqrt() * self.chance.normal()
                }
            };
            put(t, before);
        }
    }

    /// wᵀHw, and with `diagonal` less Σ wᵢ²Hᵢᵢ, for the next vectors w, one for each place of `out`.
    pub(super) fn forms(
        &mut self,
        h: &dyn KernelMatrix,
        diagonal: Option<&[f64]>,
        out: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let (n, k) = (self.n, out.len());
        let (mut w, mut product) = (vec![0.0; n * k], vec![0.0; n * k]);
        (0..k).for_each(|b| self.next_into(|t, value| w[t * k + b] = value));
        apply_block(h, &w, k, &mut product, run)?;
        out.fill(0.0);
        for (i, (w, hw)) in w.chunks(k).zip(product.chunks(k)).enumerate() {
            let own = diagonal.map_or(0.0, |d| d[i]);
            out.iter_mut().zip(w.iter().zip(hw)).for_each(|(sum, (w, hw))| *sum += w * (hw - own * w));
        }
        Ok(())
    }
}
