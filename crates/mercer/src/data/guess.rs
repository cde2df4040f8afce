//! Numbers that are classes: a target of 0 and 1, or of few whole numbers.
//!
//! The rule, for the n numbers of a target that are not missing: all are whole, and there are two different ones in four rows or
//! more, or three to ten different ones that stand ten times on average. Nobody is asked, so the guess is a note that says it, and
//! a target whose type was given is never guessed at.

use std::collections::HashSet;

use crate::note::Note;

use super::{Column, Dataset};

/// Different whole numbers that are taken for classes at most.
const MOST: usize = 10;
/// Rows of each of them, on average, where there are more than two.
const ROWS_EACH: usize = 10;
/// Rows of two classes.
const ROWS_OF_TWO: usize = 4;

impl Dataset {
    /// The same data with classes for a target of few whole numbers, and a note that says so; as they are if it has others.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, load};
    /// let iris = load("iris")?;
    /// let flags = (0..150).map(|i| f64::from(i % 2)).collect::<Column>();
    /// let (guessed, note) = Dataset { target: Some(("y".into(), flags)), ..iris.clone() }.with_guessed_classes();
    /// assert!(guessed.target.is_some_and(|(_, column)| column.categories().is_some()));
    /// assert!(note.unwrap().to_string().starts_with("`y` holds few whole numbers (0, 1) and is taken for classes"));
    /// assert!(iris.with_target("petal_width_cm")?.with_guessed_classes().1.is_none());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_guessed_classes(&self) -> (Self, Option<Note>) {
        let Some((name, column)) = &self.target else { return (self.clone(), None) };
        let Some(mut values) = classes(column) else { return (self.clone(), None) };
        values.sort_by(f64::total_cmp);
        let note = Note::ClassesGuessed {
            target: name.clone(),
            classes: values.iter().map(|v| (v + 0.0).to_string()).collect(),
        };
        let words = column.read_as(super::ColumnType::Category).unwrap_or_else(|| column.clone());
        (Dataset { target: Some((name.clone(), words)), ..self.clone() }, Some(note))
    }
}

/// The different numbers of a column, if they look like classes.
fn classes(column: &Column) -> Option<Vec<f64>> {
    let values = column.numbers().filter(|_| column.has_categories())?;
    let (mut seen, mut distinct, mut rows) = (HashSet::new(), Vec::new(), 0);
    for value in values.iter().copied().filter(|v| !v.is_nan()) {
        rows += 1;
        // −0 and 0 are one number.
        if seen.insert((value + 0.0).to_bits()) {
            distinct.push(value);
        }
        if distinct.len() > MOST {
            return None;
        }
    }
    let fits = match distinct.len() {
        0 | 1 => false,
        2 => rows >= ROWS_OF_TWO,
        several => rows >= ROWS_EACH * several,
    };
    fits.then_some(distinct)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of classes of `i % k` in n rows.
    fn found(n: usize, k: usize) -> Option<usize> {
        classes(&(0..n).map(|i| (i % k) as f64).collect()).map(|c| c.len())
    }

    #[test]
    fn few_whole_numbers_are_classes() {
        assert_eq!((found(4, 2), found(3, 2), found(2, 2)), (Some(2), None, None));
        assert_eq!((found(30, 3), found(29, 3)), (Some(3), None));
        assert_eq!((found(100, 10), found(1000, 11)), (Some(10), None));
        assert_eq!(found(100, 1), None);
        assert!(classes(&[0.0, 1.0, 0.5, 1.0, 0.0].into_iter().collect()).is_none());
        assert!(classes(&[0.0, f64::INFINITY, 0.0, 1.0].into_iter().collect()).is_none());
        assert_eq!(classes(&[-1.0, 1.0, f64::NAN, -1.0, 1.0].into_iter().collect()), Some(vec![-1.0, 1.0]));
        assert_eq!(classes(&[0.0, -0.0, 1.0, 1.0].into_iter().collect()), Some(vec![0.0, 1.0]));
    }
}
