//! A column of categories.

use std::collections::HashMap;
use std::sync::Arc;

/// A column whose values come from a small set of levels; codes are shared on clone.
///
/// Levels stand in the order of their first appearance, or as given. A missing value has the code
/// [`Categories::MISSING`].
#[derive(Clone, Debug, PartialEq)]
pub struct Categories {
    codes: Arc<[u32]>,
    levels: Arc<[String]>,
    /// Whether the levels stand in an order that means something.
    ordered: bool,
}

impl Categories {
    /// The code of a missing value.
    pub const MISSING: u32 = u32::MAX;

    /// Collects values; `None` is missing.
    pub fn from_values<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut levels = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::new();
        let codes = values
            .into_iter()
            .map(|value| match value {
                None => Self::MISSING,
                Some(v) => *seen.entry(v.as_ref().to_owned()).or_insert_with_key(|level| {
                    levels.push(level.clone());
                    (levels.len() - 1) as u32
                }),
            })
            .collect();
        Categories { codes, levels: levels.into(), ordered: false }
    }

    /// Wraps codes into `levels`; a code that has no level becomes missing.
    pub fn from_codes(codes: Vec<u32>, levels: Vec<String>) -> Self {
        let known = levels.len() as u32;
        let codes = codes.into_iter().map(|c| if c < known { c } else { Self::MISSING }).collect();
        Categories { codes, levels: levels.into(), ordered: false }
    }

    /// The same values, whose levels stand in an order that means something, least first.
    ///
    /// ```
    /// use mercer::data::Categories;
    /// let sizes = Categories::from_codes(vec![1, 0], vec!["small".into(), "large".into()]);
    /// assert!(sizes.order().is_none());
    /// assert_eq!(sizes.in_order().order().unwrap()[..], ["small", "large"]);
    /// ```
    pub fn in_order(self) -> Self {
        Categories { ordered: true, ..self }
    }

    /// The levels, least first, where their order means something.
    pub fn order(&self) -> Option<Arc<[String]>> {
        self.ordered.then(|| Arc::clone(&self.levels))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The codes, one a row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The levels that codes point to.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The level of row `i`, or `None` if it is missing.
    pub fn get(&self, i: usize) -> Option<&str> {
        self.levels.get(self.codes[i] as usize).map(String::as_str)
    }

    /// The rows of the given indices; levels are shared.
    pub fn take(&self, indices: &[usize]) -> Self {
        let codes = indices.iter().map(|&i| self.codes[i]).collect();
        Categories { codes, levels: Arc::clone(&self.levels), ordered: self.ordered }
    }
}
