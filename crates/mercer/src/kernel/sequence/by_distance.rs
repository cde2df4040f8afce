//! Kernels that compare windows by how many places they differ in.

use crate::error::Result;
use crate::kernel::{Kernel, KernelGrad, PreparePoint};

use super::{HammingScheme, Windows, Words};

/// k(x, y) = Σ h(d(a, b)) over the windows a of x and b of y, d the number of places in which they differ.
///
/// With both strands, h(d(a, b)) + h(d(a, b′)), b′ the reverse complement of b: half of the kernel of sequences that are joined
/// with their other strand. [`Mismatch`](super::Mismatch) and [`GappedKmer`](super::GappedKmer) are kernels of this form, and
/// so is any other function h; [`HammingScheme`] says whether it is positive definite.
///
/// ```
/// # use mercer::kernel::Kernel;
/// # use mercer::kernel::sequence::{Alphabet, ByDistance, Strands, Windows};
/// let windows = Windows::new(Alphabet::Dna, 3, Strands::One)?;
/// let k = ByDistance::new(windows, vec![1.0, 0.25])?;
/// assert_eq!(k.eval("ACGT", "ACGA"), 1.0 + 0.25);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ByDistance {
    windows: Windows,
    scheme: HammingScheme,
    /// h(0), h(1), …, up to the last that is not 0.
    h: Vec<f64>,
}

impl ByDistance {
    /// The kernel of h(0), h(1), …; what is left out is 0.
    pub fn new(windows: Windows, mut h: Vec<f64>) -> Result<Self> {
        h.truncate(windows.length() + 1);
        while h.last() == Some(&0.0) {
            h.pop();
        }
        let scheme = HammingScheme::new(windows.alphabet().letters(), windows.length())?;
        Ok(ByDistance { windows, scheme, h })
    }

    /// Which windows are compared.
    pub fn windows(&self) -> Windows {
        self.windows
    }

    /// The scheme of all words.
    pub fn scheme(&self) -> HammingScheme {
        self.scheme
    }

    /// h(0), h(1), …, up to the last that is not 0.
    pub fn h(&self) -> &[f64] {
        &self.h
    }
}

impl Kernel<Words> for ByDistance {
    /// The sum over distances, each with its exact number of pairs.
    #[inline(always)]
    fn eval(&self, x: &Words, y: &Words) -> f64 {
        // Words have at most 32 letters.
        let mut pairs = [0; 33];
        let pairs = &mut pairs[..self.h.len()];
        Words::distances(x, y, pairs);
        self.h.iter().zip(pairs).fold(0.0, |sum, (h, n)| sum + h * *n as f64)
    }
}

impl KernelGrad<Words> for ByDistance {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &Words, _: &Words, _: &mut [f64]) {}
}

impl PreparePoint<str> for ByDistance {
    type Prepared = Words;

    fn prepare(&self, x: &str) -> Words {
        Words::new(self.windows, x)
    }

    fn held(&self, words: &Words) -> usize {
        words.bytes()
    }
}

impl Kernel<str> for ByDistance {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.eval(&self.prepare(x), &self.prepare(y))
    }
}
