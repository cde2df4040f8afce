//! A column read as another type, where no value changes its meaning by it.
//!
//! `true` and `false` are the numbers 1 and 0, whole numbers are categories, words are categories or
//! text. Words never become numbers: `01` and `1` may be two postcodes.

use std::borrow::Cow;
use std::sync::Arc;

use super::{BadCell, Categories, Column, ColumnType, Structured, StructuredType, Texts};

/// From here on neighbouring whole numbers have one spelling.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Categories {
    /// Whether its levels are `true` and `false`, in any case of letters.
    ///
    /// ```
    /// use mercer::data::Categories;
    /// assert!(Categories::from_values([Some("True"), None, Some("False")]).is_boolean());
    /// assert!(!Categories::from_values([Some("yes"), Some("no")]).is_boolean());
    /// ```
    pub fn is_boolean(&self) -> bool {
        !self.levels().is_empty() && self.levels().iter().all(|level| truth(level).is_some())
    }
}

/// 1 for `true`, 0 for `false`.
fn truth(level: &str) -> Option<f64> {
    let is = |word: &str| level.trim().eq_ignore_ascii_case(word);
    if is("true") { Some(1.0) } else { is("false").then_some(0.0) }
}

/// A cell without blanks around it.
fn trimmed(cell: Cow<'_, str>) -> Cow<'_, str> {
    match cell {
        Cow::Borrowed(cell) => cell.trim().into(),
        Cow::Owned(cell) => cell.trim().to_owned().into(),
    }
}

impl Column {
    /// This column as another type, if its values have a meaning there.
    ///
    /// ```
    /// use mercer::data::{Categories, Column, ColumnType};
    /// let smoker = Column::Category(Categories::from_values([Some("true"), Some("false")]));
    /// let Some(Column::Number(values)) = smoker.read_as(ColumnType::Number) else { panic!("numbers") };
    /// assert_eq!(*values, [1.0, 0.0]);
    /// assert!(Column::Number([0.5].into()).read_as(ColumnType::Category).is_none());
    /// ```
    pub fn read_as(&self, wanted: ColumnType) -> Option<Column> {
        match wanted {
            ColumnType::Number => self.as_numbers().map(|v| v.into_owned().into()),
            ColumnType::Category => self.as_categories().map(|c| c.into_owned().into()),
            ColumnType::Structured(kind) => self.as_structured(kind).map(Into::into),
        }
    }

    /// Its numbers: 0 and 1 for `false` and `true`.
    pub(crate) fn as_numbers(&self) -> Option<Cow<'_, [f64]>> {
        match self {
            Column::Number(values) => Some(Cow::Borrowed(values)),
            Column::Category(c) if c.is_boolean() => {
                let number = |i: usize| c.get(i).and_then(truth).unwrap_or(f64::NAN);
                Some((0..c.len()).map(number).collect())
            }
            _ => None,
        }
    }

    /// Whether its values are words or whole numbers.
    pub(crate) fn has_categories(&self) -> bool {
        match self {
            Column::Number(values) => values.iter().all(|v| v.is_nan() || (v.fract() == 0.0 && v.abs() < WHOLE)),
            _ => true,
        }
    }

    /// Its categories; those of words have no blanks around them, as in files.
    pub(crate) fn as_categories(&self) -> Option<Cow<'_, Categories>> {
        match self {
            Column::Category(c) => Some(Cow::Borrowed(c)),
            Column::Structured(v) => Some(Cow::Owned(Categories::from_values(v.cells().map(|cell| cell.map(trimmed))))),
            Column::Number(values) if self.has_categories() => {
                // Adding 0 makes −0 the number 0, which is spelt without a sign.
                let spelt = |v: &f64| (!v.is_nan()).then(|| (v + 0.0).to_string());
                Some(Cow::Owned(Categories::from_values(values.iter().map(spelt))))
            }
            Column::Number(_) => None,
        }
    }

    /// Its values of a structured type; plain words are read as cells of it.
    pub(crate) fn as_structured(&self, wanted: &'static StructuredType) -> Option<Arc<dyn Structured>> {
        match self {
            Column::Structured(v) if v.structured_type() == wanted => Some(Arc::clone(v)),
            Column::Structured(v) => (wanted.read)(v.words()?).ok(),
            Column::Category(c) => (wanted.read)(&Texts::from_values((0..c.len()).map(|i| c.get(i)))).ok(),
            Column::Number(_) => None,
        }
    }

    /// The first of its words that is no cell of this type.
    pub(crate) fn bad_cell(&self, wanted: &'static StructuredType) -> Option<BadCell> {
        match self {
            Column::Category(c) => (wanted.read)(&Texts::from_values((0..c.len()).map(|i| c.get(i)))).err(),
            _ => (wanted.read)(self.words()?).err(),
        }
    }

    /// Whether [`read_as`](Self::read_as) gives a column.
    pub(crate) fn reads_as(&self, wanted: ColumnType) -> bool {
        self.column_type() == wanted
            || match (wanted, self) {
                (ColumnType::Number, _) => self.categories().is_some_and(Categories::is_boolean),
                (ColumnType::Category, _) => self.has_categories(),
                // Every level is there, and there are fewer of them than rows.
                (ColumnType::Structured(kind), Column::Category(c)) => {
                    (kind.read)(&Texts::from_values(c.levels().iter().map(Some))).is_ok()
                }
                (ColumnType::Structured(kind), _) => self.as_structured(kind).is_some(),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[&str]) -> Column {
        Column::from(Texts::from_values(values.iter().map(Some)))
    }

    #[test]
    fn whole_numbers_are_spelt_as_words_spell_them() {
        let numbers = Column::Number([3.0, -0.0, f64::NAN, 1e15].into());
        let categories = numbers.as_categories().expect("whole");
        let spelt: Vec<_> = (0..4).map(|i| categories.get(i)).collect();
        assert_eq!(spelt, [Some("3"), Some("0"), None, Some("1000000000000000")]);
        assert!(Column::Number([f64::INFINITY].into()).as_categories().is_none());
        assert!(Column::Number([WHOLE].into()).as_categories().is_none());
    }

    #[test]
    fn words_are_never_numbers_and_lose_their_blanks_as_categories() {
        assert!(words(&["1", "2"]).as_numbers().is_none());
        assert!(words(&["true"]).as_numbers().is_none(), "text is not a column of truths");
        assert_eq!(words(&[" a", "a "]).as_categories().expect("words").levels(), ["a"]);
        assert!(Column::Number([1.0].into()).read_as(ColumnType::TEXT).is_none());
    }

    #[test]
    fn missing_values_stay_missing() {
        let truths = Column::Category(Categories::from_values([Some("TRUE"), None]));
        let numbers = truths.as_numbers().expect("truths");
        assert!(numbers[0] == 1.0 && numbers[1].is_nan());
        let text = truths.read_as(ColumnType::TEXT).expect("words");
        assert!(!text.is_missing(0) && text.is_missing(1));
    }
}
