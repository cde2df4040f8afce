//! The windows of a sequence, as numbers.

use crate::error::{Error, Result};
use crate::kernel::spec::{SettingKind, SettingSpec};
use crate::kernel::{Leaf, Setting};

use super::Alphabet;

/// Whether a sequence is also read on its other strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strands {
    /// As it stands.
    One,
    /// Also backwards with every letter exchanged for its partner: the reverse complement of DNA.
    Both,
}

/// The setting that chooses the strands.
pub(super) const STRANDS: SettingSpec = SettingSpec {
    name: "reverse_complement",
    summary: "whether windows are also compared with the other strand of DNA",
    kind: SettingKind::Choice { options: &["no", "yes"] },
    aliases: &[],
};

impl Strands {
    /// What a leaf of a formula asks for.
    pub(super) fn of(leaf: &Leaf) -> Self {
        match leaf.setting(STRANDS.name) {
            Some(Setting::Choice("yes")) => Strands::Both,
            _ => Strands::One,
        }
    }
}

/// The windows of L letters of a sequence, each a number: the letters in order, the first in the lowest bits.
///
/// A window with an unknown letter is left out. A sequence with fewer than L letters in a row has no windows.
///
/// ```
/// # use mercer::kernel::sequence::{Alphabet, Strands, Windows};
/// let windows = Windows::new(Alphabet::Dna, 2, Strands::One)?;
/// assert_eq!(windows.of("acNgT"), [0b01_00, 0b11_10]);
/// assert_eq!(windows.reverse_complement(0b01_00), Some(0b11_10));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Windows {
    alphabet: Alphabet,
    length: usize,
    strands: Strands,
}

impl Windows {
    /// Windows of `length` letters; refused where they do not fit into 64 bits, or where letters have no partners and both
    /// strands are asked for.
    pub fn new(alphabet: Alphabet, length: usize, strands: Strands) -> Result<Self> {
        let longest = alphabet.longest_word();
        if length == 0 || length > longest {
            let must = format!("from 1 to {longest} with the alphabet `{}`", alphabet.name());
            return Err(Error::invalid("windows of a sequence", "the word length", length, must));
        }
        if strands == Strands::Both && alphabet != Alphabet::Dna {
            let got = format!("yes with the alphabet `{}`", alphabet.name());
            return Err(Error::invalid("windows of a sequence", STRANDS.name, got, "no, or the alphabet `dna`"));
        }
        Ok(Windows { alphabet, length, strands })
    }

    /// The letters.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// L.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether the other strand counts as well.
    pub fn strands(&self) -> Strands {
        self.strands
    }

    /// The windows of a sequence as it stands, in order.
    pub fn of(&self, sequence: &str) -> Vec<u64> {
        let bits = self.alphabet.bits();
        let top = bits * (self.length as u32 - 1);
        let (mut word, mut known) = (0u64, 0);
        let mut windows = Vec::with_capacity(sequence.len().saturating_sub(self.length - 1));
        for letter in sequence.bytes() {
            let Some(code) = self.alphabet.code(letter) else {
                known = 0;
                continue;
            };
            // The oldest letter leaves at the low end.
            word = (if bits == u64::BITS { 0 } else { word >> bits }) | u64::from(code) << top;
            known += 1;
            if known >= self.length {
                windows.push(word);
            }
        }
        windows
    }

    /// The letters of a window, in order.
    pub fn letters(&self, word: u64) -> impl Iterator<Item = u8> + use<> {
        let bits = self.alphabet.bits();
        (0..self.length as u32).map(move |p| (word >> (p * bits)) as u8 & (u8::MAX >> (8 - bits)))
    }

    /// The window on the other strand, where letters have partners.
    pub fn reverse_complement(&self, word: u64) -> Option<u64> {
        let bits = self.alphabet.bits();
        self.letters(word).try_fold(0, |turned, code| Some(turned << bits | u64::from(self.alphabet.complement(code)?)))
    }

    /// The place of a window in a table of all bᴸ words.
    pub fn index(&self, word: u64) -> usize {
        if self.alphabet.letters().is_power_of_two() {
            return word as usize;
        }
        let base = self.alphabet.letters();
        let letters: Vec<u8> = self.letters(word).collect();
        letters.iter().rev().fold(0, |index, code| index * base + usize::from(*code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_leave_unknown_letters_out() {
        let windows = Windows::new(Alphabet::Dna, 3, Strands::One).expect("fits");
        assert_eq!(windows.of("acgt"), [0b10_01_00, 0b11_10_01]);
        assert_eq!(windows.of("acgNacg"), [0b10_01_00, 0b10_01_00]);
        for none in ["", "ac", "acNgt", "NNNNN", "日本語"] {
            assert!(windows.of(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn the_longest_words_fit() {
        for alphabet in [Alphabet::Dna, Alphabet::Protein, Alphabet::Bytes] {
            let longest = alphabet.longest_word();
            let windows = Windows::new(alphabet, longest, Strands::One).expect("fits");
            let sequence = "ACGT".repeat(9);
            let letters: Vec<u8> = sequence.bytes().map(|l| alphabet.code(l).expect("known")).collect();
            for (word, expected) in windows.of(&sequence).iter().zip(letters.windows(longest)) {
                assert_eq!(windows.letters(*word).collect::<Vec<_>>(), expected);
            }
            assert!(Windows::new(alphabet, longest + 1, Strands::One).is_err());
            assert!(Windows::new(alphabet, 0, Strands::One).is_err());
        }
    }

    #[test]
    fn the_other_strand_needs_partners() {
        let windows = Windows::new(Alphabet::Dna, 4, Strands::Both).expect("pairs");
        let [word, turned] = ["ACCG", "CGGT"].map(|w| windows.of(w)[0]);
        assert_eq!(windows.reverse_complement(word), Some(turned));
        let refused = Windows::new(Alphabet::Protein, 4, Strands::Both).expect_err("no partners");
        assert!(refused.to_string().contains("reverse_complement"), "{refused}");
    }

    #[test]
    fn words_of_any_alphabet_have_their_place_in_a_table() {
        let windows = Windows::new(Alphabet::Protein, 2, Strands::One).expect("fits");
        assert_eq!(windows.index(windows.of("AA")[0]), 0);
        assert_eq!(windows.index(windows.of("YA")[0]), 19);
        assert_eq!(windows.index(windows.of("AC")[0]), 20);
        assert_eq!(windows.index(windows.of("YY")[0]), 399);
    }
}
