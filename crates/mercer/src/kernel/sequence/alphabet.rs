//! Alphabets: which characters are letters, and their numbers.

use crate::kernel::spec::{SettingKind, SettingSpec};
use crate::kernel::{Leaf, Setting};

/// The letters that sequences are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// A, C, G and T in either case; U is read as T. Anything else, such as N, is unknown.
    Dna,
    /// The twenty amino acids in either case. Anything else, such as X, is unknown.
    Protein,
    /// All 256 bytes of UTF-8, compared as they stand; nothing is unknown.
    Bytes,
}

/// The amino acids in the order of their numbers.
const AMINO_ACIDS: &[u8; 20] = b"ACDEFGHIKLMNPQRSTVWY";

/// The setting that chooses an alphabet.
pub(super) const SETTING: SettingSpec = SettingSpec {
    name: "alphabet",
    summary: "which characters are letters",
    kind: SettingKind::Choice { options: &["dna", "protein", "bytes"] },
    aliases: &[],
};

impl Alphabet {
    /// The alphabet that a leaf of a formula asks for, if its kernel has one.
    pub(crate) fn asked(leaf: &Leaf) -> Option<Self> {
        leaf.setting(SETTING.name).map(|_| Self::of(leaf))
    }

    /// The alphabet that a leaf of a formula asks for.
    pub(super) fn of(leaf: &Leaf) -> Self {
        match leaf.setting(SETTING.name) {
            Some(Setting::Choice("protein")) => Alphabet::Protein,
            Some(Setting::Choice("bytes")) => Alphabet::Bytes,
            _ => Alphabet::Dna,
        }
    }

    /// Its name in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Alphabet::Dna => "dna",
            Alphabet::Protein => "protein",
            Alphabet::Bytes => "bytes",
        }
    }

    /// b, the number of letters.
    pub fn letters(self) -> usize {
        match self {
            Alphabet::Dna => 4,
            Alphabet::Protein => 20,
            Alphabet::Bytes => 256,
        }
    }

    /// Bits that the number of a letter takes.
    pub fn bits(self) -> u32 {
        match self {
            Alphabet::Dna => 2,
            Alphabet::Protein => 5,
            Alphabet::Bytes => 8,
        }
    }

    /// The longest word whose letters fit into 64 bits.
    pub fn longest_word(self) -> usize {
        (u64::BITS / self.bits()) as usize
    }

    /// The number of a letter, below [`letters`](Self::letters); `None` where it is unknown.
    pub fn code(self, letter: u8) -> Option<u8> {
        match (self, letter.to_ascii_uppercase()) {
            (Alphabet::Bytes, _) => Some(letter),
            (Alphabet::Dna, b'A') => Some(0),
            (Alphabet::Dna, b'C') => Some(1),
            (Alphabet::Dna, b'G') => Some(2),
            (Alphabet::Dna, b'T' | b'U') => Some(3),
            (Alphabet::Dna, _) => None,
            (Alphabet::Protein, upper) => AMINO_ACIDS.iter().position(|a| *a == upper).map(|at| at as u8),
        }
    }

    /// The number of the letter on the other strand, where letters pair: A with T, C with G.
    pub fn complement(self, code: u8) -> Option<u8> {
        // A = 0, C = 1, G = 2, T = 3, so that partners add up to 3.
        (self == Alphabet::Dna && code < 4).then(|| 3 - code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_their_numbers() {
        for (letter, code) in [(b'A', 0), (b'c', 1), (b'G', 2), (b't', 3), (b'U', 3), (b'u', 3)] {
            assert_eq!(Alphabet::Dna.code(letter), Some(code));
        }
        for unknown in [b'N', b'-', b' ', 0, 200] {
            assert_eq!((Alphabet::Dna.code(unknown), Alphabet::Protein.code(b'X')), (None, None));
        }
        let mut codes: Vec<u8> = AMINO_ACIDS.iter().map(|a| Alphabet::Protein.code(*a).expect("known")).collect();
        codes.dedup();
        assert_eq!(codes, (0..20).collect::<Vec<u8>>());
        assert_eq!(Alphabet::Bytes.code(b'a'), Some(b'a'));
    }

    #[test]
    fn partners_pair() {
        for (letter, partner) in [(b'A', b'T'), (b'C', b'G'), (b'G', b'C'), (b'T', b'A')] {
            let code = Alphabet::Dna.code(letter).expect("known");
            assert_eq!(Alphabet::Dna.complement(code), Alphabet::Dna.code(partner));
        }
        assert_eq!(Alphabet::Protein.complement(3), None);
    }
}
