//! Scores of letters that stand across from each other in an alignment.

/// Which letters there are, and how alike two of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// The twenty amino acids, scored by BLOSUM62 (Henikoff & Henikoff 1992, PNAS 89).
    Blosum62,
    /// The four nucleotides, U read as T: 5 for the same, −4 for different ones.
    Dna,
}

/// The amino acids, in the order of the matrix.
const AMINO_ACIDS: &str = "ARNDCQEGHILKMFPSTWYV";

/// BLOSUM62 up to the diagonal, row by row.
#[rustfmt::skip]
const BLOSUM62: [i8; 210] = [
     4,
    -1,  5,
    -2,  0,  6,
    -2, -2,  1,  6,
     0, -3, -3, -3,  9,
    -1,  1,  0,  0, -3,  5,
    -1,  0,  0,  2, -4,  2,  5,
     0, -2,  0, -1, -3, -2, -2,  6,
    -2,  0,  1, -1, -3,  0,  0, -2,  8,
    -1, -3, -3, -3, -1, -3, -3, -4, -3,  4,
    -1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4,
    -1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5,
    -1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,
    -2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6,
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7,
     1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,
     0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5,
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,
    -2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7,
     0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4,
];

impl Score {
    /// The letters, in order.
    pub fn letters(self) -> &'static str {
        match self {
            Score::Blosum62 => AMINO_ACIDS,
            Score::Dna => "ACGT",
        }
    }

    /// The number of a letter, capital or not; `None` for what is none of them.
    pub fn number(self, letter: char) -> Option<usize> {
        let capital = letter.to_ascii_uppercase();
        let read = if self == Score::Dna && capital == 'U' { 'T' } else { capital };
        self.letters().find(read)
    }

    /// The numbers of all letters of a text; those that are none have the number after the last.
    pub(crate) fn numbers(self, text: &str) -> Vec<u8> {
        let other = self.letters().len();
        text.chars().map(|letter| self.number(letter).unwrap_or(other) as u8).collect()
    }

    /// The score of the letters with these numbers.
    pub fn of(self, a: usize, b: usize) -> f64 {
        match self {
            Score::Blosum62 => f64::from(BLOSUM62[a.max(b) * (a.max(b) + 1) / 2 + a.min(b)]),
            Score::Dna if a == b => 5.0,
            Score::Dna => -4.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers, so that the elimination is exact with fractions of them: S(a, b) − S(a, v) − S(v, b) + S(v, v) has positive
    /// pivots, so that S is conditionally positive definite and exp(βS) positive definite for every β > 0.
    #[test]
    fn scores_are_conditionally_positive_definite() {
        for score in [Score::Blosum62, Score::Dna] {
            let last = score.letters().len() - 1;
            let based = |i, j| score.of(i, j) - score.of(i, last) - score.of(last, j) + score.of(last, last);
            let mut rows: Vec<Vec<f64>> = (0..last).map(|i| (0..last).map(|j| based(i, j)).collect()).collect();
            for k in 0..last {
                // The smallest is 1.58…, far from any rounding.
                assert!(rows[k][k] > 1.0, "{score:?}: pivot {k} is {}", rows[k][k]);
                for i in k + 1..last {
                    let factor = rows[i][k] / rows[k][k];
                    (k..last).for_each(|j| rows[i][j] -= factor * rows[k][j]);
                }
            }
        }
    }

    #[test]
    fn letters_have_numbers_and_others_have_none() {
        let number = |score: Score, letter| score.number(letter);
        assert_eq!((number(Score::Dna, 'u'), number(Score::Dna, 'N')), (Some(3), None));
        assert_eq!((number(Score::Blosum62, 'w'), number(Score::Blosum62, 'X')), (Some(17), None));
        let (w, y) = (17, 18);
        assert_eq!((Score::Blosum62.of(w, w), Score::Blosum62.of(w, y), Score::Blosum62.of(y, w)), (11.0, 2.0, 2.0));
        assert_eq!((number(Score::Dna, 'ß'), number(Score::Blosum62, '-')), (None, None));
    }
}
