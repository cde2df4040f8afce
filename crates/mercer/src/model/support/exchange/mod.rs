//! Models of Mercer as machines of other programs, and back.
//!
//! What differs: Mercer has b where LIBSVM has −ρ; of two classes Mercer's function is above 0 for the second, LIBSVM's for the first;
//! and Mercer keeps a coefficient of every point in every pair of classes, LIBSVM one for every other class.

mod from_machine;
mod to_machine;

pub use from_machine::Imported;

use crate::interchange::MachineKind;

/// The learners that are machines in other programs, too, by their names in the catalogue.
const LEARNERS: [(&str, MachineKind); 5] = [
    ("svc", MachineKind::CSvc),
    ("nu_svc", MachineKind::NuSvc),
    ("one_class", MachineKind::OneClass),
    ("svr", MachineKind::EpsilonSvr),
    ("nu_svr", MachineKind::NuSvr),
];

/// The place of the pair i < j among all pairs of so many classes.
fn pair(i: usize, j: usize, classes: usize) -> usize {
    i * (2 * classes - i - 1) / 2 + j - i - 1
}

/// The row of LIBSVM's coefficients that has those of a class against another: its own row is left out.
fn row_against(class: usize, other: usize) -> usize {
    if other > class { other - 1 } else { other }
}

#[cfg(test)]
mod tests {
    use super::super::pairs;
    use super::*;

    #[test]
    fn pairs_are_numbered_in_their_order() {
        for classes in 2..7 {
            let numbers: Vec<usize> = pairs::all(classes).map(|(i, j)| pair(i, j, classes)).collect();
            assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_learner_is_in_the_catalogue() {
        for (name, _) in LEARNERS {
            assert_eq!(crate::model::catalogue::by_name(name).expect("there").spec().name, name);
        }
    }
}
