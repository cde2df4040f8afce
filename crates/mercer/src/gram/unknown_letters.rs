//! Letters that the alphabet of a kernel of sequences does not know, counted: windows that hold one are left out.

use crate::data::{Column, Inputs, TEXT};
use crate::kernel::sequence::Alphabet;
use crate::kernel::{Columns, KernelExpr, Leaf};
use crate::note::Note;

impl KernelExpr {
    /// For each column that a kernel with an alphabet reads, how many of its letters are unknown there, if any is.
    ///
    /// ```
    /// use mercer::{KernelExpr, data::{Inputs, Table, Texts}};
    /// let x: Inputs = Table::new(vec![("dna".into(), Texts::from_values([Some("ACGN"), Some("MKVL")]).into())])?.into();
    /// let notes = KernelExpr::parse("gapped_kmer(l=3, k=2)")?.unknown_letters(&x);
    /// assert!(notes[0].to_string().contains("5 of 8 letters"));
    /// assert!(KernelExpr::parse("gapped_kmer(l=3, k=2, alphabet=bytes)")?.unknown_letters(&x).is_empty());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn unknown_letters(&self, x: &Inputs) -> Vec<Note> {
        let Inputs::Table(table) = &self.typed(x) else { return Vec::new() };
        let mut found: Vec<Note> = Vec::new();
        for leaf in self.leaves() {
            let Some(alphabet) = Alphabet::asked(leaf) else { continue };
            for (name, column) in table.iter().filter(|(name, column)| reads(leaf, name, column)) {
                let note = counted(name, column, leaf.spec().name, alphabet);
                found.extend(note.filter(|note| !found.contains(note)));
            }
        }
        found
    }
}

fn reads(leaf: &Leaf, name: &str, column: &Column) -> bool {
    let is_text = matches!(column, Column::Structured(v) if v.structured_type() == &TEXT);
    is_text
        && match leaf.columns() {
            Columns::Named(names) => names.iter().any(|own| own == name),
            _ => true,
        }
}

fn counted(name: &str, column: &Column, kernel: &str, alphabet: Alphabet) -> Option<Note> {
    let Column::Structured(texts) = column else { return None };
    let (mut letters, mut of, mut rows) = (0, 0, 0);
    for cell in texts.cells().flatten() {
        let unknown = cell.bytes().filter(|letter| alphabet.code(*letter).is_none()).count();
        (letters, of, rows) = (letters + unknown, of + cell.len(), rows + usize::from(unknown > 0));
    }
    let (column, kernel, alphabet) = (name.to_owned(), kernel.to_owned(), alphabet.name().to_owned());
    (letters > 0).then_some(Note::UnknownLetters { column, kernel, alphabet, letters, of, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Table, Texts};

    fn notes(formula: &str, cells: &[Option<&str>]) -> Vec<Note> {
        let texts = |cells: &[Option<&str>]| Column::from(Texts::from_values(cells.iter().copied()));
        let table = Table::new(vec![("s".into(), texts(cells)), ("t".into(), texts(&vec![Some("acgu"); cells.len()]))]);
        KernelExpr::parse(formula).unwrap().unknown_letters(&table.unwrap().into())
    }

    #[test]
    fn unknown_letters_are_counted_where_a_kernel_reads_them() {
        let cells = [Some("ACGT"), Some("NNAC-"), None, Some(""), Some("x")];
        let of_s = |kernel: &str| Note::UnknownLetters {
            column: "s".into(),
            kernel: kernel.into(),
            alphabet: "dna".into(),
            letters: 4,
            of: 10,
            rows: 2,
        };
        assert_eq!(notes("gapped_kmer(l=3, k=2)", &cells), [of_s("gapped_kmer")]);
        assert_eq!(notes("2*normalize(mismatch(s, k=3, m=1)) + mismatch(s, k=2, m=0)", &cells), [of_s("mismatch")]);
        assert!(notes("mismatch(t, k=3, m=1)", &cells).is_empty());
        assert!(notes("spectrum(s)*ngram(t)", &cells).is_empty(), "every byte is a letter there");
    }
}
