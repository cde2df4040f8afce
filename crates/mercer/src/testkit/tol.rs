//! The tolerances of all tests, each with its reason.

/// For copies, permutations, save and load, a second run, another number of threads.
pub const EXACT: f64 = 0.0;

/// For sums, factors and solves of size n, relative to the norm: 16·n·ε.
pub fn round(n: usize) -> f64 {
    16.0 * n.max(1) as f64 * f64::EPSILON
}

/// For kernels smooth in r² against their definition, points centred.
pub const GRAM_R2: f64 = 1e-13;

/// For kernels of r itself, which feel an error of r² most near r = 0: close pairs are computed
/// from their differences, so what is left is the rounding of the centred coordinates.
pub const GRAM_R: f64 = 1e-12;

/// For kernels of an angle: the arc cosine has half of the digits of a cosine near 1.
pub const ANGLE: f64 = 2e-7;

/// For analytic gradients against central differences with step ε^⅓, relative.
pub const GRAD: f64 = 1e-6;

/// For numbers of another library.
pub const GOLDEN: f64 = 1e-9;

/// For decisions of a model file of LIBSVM, which holds coordinates of size 1 with eight digits, against LIBSVM's own.
pub const EIGHT_DIGITS: f64 = 1e-7;

/// For two roads to one solution, relative: solvers end at gaps of 1e-9, and a function is as far off as the root of a gap.
pub const SOLVED: f64 = 1e-4;

/// For tails of distributions against many digits, relative: what their documentation promises.
pub const TAIL: f64 = 1e-12;

/// For closed forms and brute force on a few rows: sums of some hundred numbers of size 1.
pub const FEW_ROWS: f64 = 1e-12;
