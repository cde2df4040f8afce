//! LIBSVM's model files.
//!
//! A header of one word and its values a line, the line `SV`, then a line a support vector: its coefficients and its `index:value`
//! pairs with indices from 1, or `0:serial` where the kernel is precomputed. LIBSVM writes coordinates with eight digits; Mercer
//! writes all digits that a number needs to be read back to the same bits, which LIBSVM reads as well.

mod header;
mod read;
mod write;

pub use read::read;
pub use write::write;

use super::MachineKind;

/// LIBSVM's words for problems, after `svm_type`.
const KINDS: [(&str, MachineKind); 5] = [
    ("c_svc", MachineKind::CSvc),
    ("nu_svc", MachineKind::NuSvc),
    ("one_class", MachineKind::OneClass),
    ("epsilon_svr", MachineKind::EpsilonSvr),
    ("nu_svr", MachineKind::NuSvr),
];

/// LIBSVM's `int`, which holds its labels, degrees and serial numbers.
const LARGEST_INT: i64 = i32::MAX as i64;
