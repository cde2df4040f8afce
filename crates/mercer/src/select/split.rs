//! Rows to learn from and rows to judge by.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::error::{Error, Result};

/// How rows are split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Split {
    /// One split: this share of the rows, drawn by chance, to judge by.
    HoldOut(f64),
    /// k splits: each row is judged once.
    Folds(usize),
    /// k splits that keep rows of one group together.
    Groups(usize),
    /// k splits of rows in order of time: always the future is judged by the past.
    TimeOrdered(usize),
}

/// Rows of one split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// To learn from.
    pub train: Vec<usize>,
    /// To judge by.
    pub test: Vec<usize>,
}

impl Split {
    /// What is usual for so many rows: five folds of few, or as many as there are rows, one split of many.
    pub fn usual(n: usize) -> Self {
        if n <= 2000 { Split::Folds(n.clamp(2, 5)) } else { Split::HoldOut(0.2) }
    }

    /// How many times rows are learnt from and judged.
    pub fn count(&self) -> usize {
        match self {
            Split::HoldOut(_) => 1,
            Split::Folds(k) | Split::Groups(k) | Split::TimeOrdered(k) => *k,
        }
    }

    /// In words.
    pub fn describe(&self) -> String {
        match self {
            Split::HoldOut(share) => format!("{} % of the rows held out", (100.0 * share).round()),
            Split::Folds(k) => format!("{k}-fold cross-validation"),
            Split::Groups(k) => format!("{k}-fold cross-validation by group"),
            Split::TimeOrdered(k) => format!("{k} splits in order of time"),
        }
    }

    /// The folds of n rows. `classes` keeps the shares of the classes alike, `groups` is needed by
    /// [`Split::Groups`]; both have one number a row.
    pub fn folds(&self, n: usize, classes: Option<&[usize]>, groups: Option<&[usize]>, seed: u64) -> Result<Vec<Fold>> {
        let places = match self {
            Split::HoldOut(share) => {
                if !(*share > 0.0 && *share < 1.0) {
                    return Err(Error::invalid("a split", "share", share, "between 0 and 1"));
                }
                // Of the first p cards, ⌊share·p⌋ are held out, so that every stretch has its share.
                let upto = |p: usize| (share * p as f64 + 1e-9).floor();
                let test: Vec<bool> =
                    dealt(n, n.max(1), classes, seed).into_iter().map(|p| upto(p + 1) > upto(p)).collect();
                return check(vec![fold(n, |i| test[i], |i| !test[i])]);
            }
            Split::Folds(k) => {
                enough(*k, n, "rows")?;
                dealt(n, *k, classes, seed)
            }
            Split::Groups(k) => by_group(n, *k, groups)?,
            Split::TimeOrdered(k) => {
                enough(*k + 1, n, "rows")?;
                // Block 0 is only learnt from.
                let block = |i: usize| i * (k + 1) / n;
                return check((1..=*k).map(|f| fold(n, |i| block(i) == f, |i| block(i) < f)).collect());
            }
        };
        let k = places.iter().max().map_or(0, |m| m + 1);
        check((0..k).map(|f| fold(n, |i| places[i] == f, |i| places[i] != f)).collect())
    }
}

fn enough(k: usize, n: usize, what: &str) -> Result<()> {
    if k >= 2 && k <= n {
        return Ok(());
    }
    Err(Error::invalid("a split", "folds", k, format!("from 2 to the number of {what}, {n}")))
}

fn fold(n: usize, test: impl Fn(usize) -> bool, train: impl Fn(usize) -> bool) -> Fold {
    Fold { train: (0..n).filter(|i| train(*i)).collect(), test: (0..n).filter(|i| test(*i)).collect() }
}

fn check(folds: Vec<Fold>) -> Result<Vec<Fold>> {
    match folds.iter().all(|f| !f.train.is_empty() && !f.test.is_empty()) {
        true => Ok(folds),
        false => Err(Error::invalid("a split", "folds", folds.len(), "so few that each has rows on both sides")),
    }
}

/// A fold for each row: rows are shuffled, put class by class, and dealt out like cards.
fn dealt(n: usize, k: usize, classes: Option<&[usize]>, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    Chance::new(seed).shuffle(&mut order);
    if let Some(classes) = classes {
        order.sort_by_key(|i| classes[*i]);
    }
    let mut places = vec![0; n];
    order.iter().enumerate().for_each(|(at, i)| places[*i] = at % k);
    places
}

/// Groups go, the largest first, to the fold that has the fewest rows so far.
fn by_group(n: usize, k: usize, groups: Option<&[usize]>) -> Result<Vec<usize>> {
    let Some(groups) = groups else {
        return Err(Error::invalid("a split", "groups", "none", "one for each row"));
    };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    groups.iter().for_each(|group| *counts.entry(*group).or_default() += 1);
    enough(k, counts.len(), "groups")?;
    let mut sizes: Vec<(usize, usize)> = counts.into_iter().collect();
    sizes.sort_by_key(|(group, size)| (std::cmp::Reverse(*size), *group));
    let mut rows = vec![0; k];
    let mut place_of = HashMap::new();
    for (group, size) in sizes {
        let least = (0..k).min_by_key(|f| (rows[*f], *f)).unwrap_or(0);
        rows[least] += size;
        place_of.insert(group, least);
    }
    Ok((0..n).map(|i| place_of[&groups[i]]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_judged_once() {
        for split in [Split::Folds(5), Split::Groups(3)] {
            let groups: Vec<usize> = (0..53).map(|i| i % 7).collect();
            let folds = split.folds(53, None, Some(&groups), 1).expect("folds");
            let mut judged: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            judged.sort_unstable();
            assert_eq!(judged, (0..53).collect::<Vec<_>>());
            for fold in folds {
                assert_eq!(fold.train.len() + fold.test.len(), 53);
                assert!(fold.test.iter().all(|i| !fold.train.contains(i)));
                let apart = |i: &usize| fold.train.iter().all(|j| groups[*i] != groups[*j]);
                assert!(split != Split::Groups(3) || fold.test.iter().all(apart), "a group is on both sides");
            }
        }
    }

    #[test]
    fn classes_keep_their_shares() {
        let classes: Vec<usize> = (0..100).map(|i| usize::from(i % 10 == 0)).collect();
        for fold in Split::Folds(5).folds(100, Some(&classes), None, 4).expect("folds") {
            assert_eq!(fold.test.iter().filter(|i| classes[**i] == 1).count(), 2);
        }
    }

    #[test]
    fn the_future_is_judged_by_the_past() {
        for fold in Split::TimeOrdered(4).folds(50, None, None, 0).expect("folds") {
            assert!(fold.train.iter().max() < fold.test.iter().min());
        }
    }

    #[test]
    fn a_fifth_is_held_out() {
        let folds = Split::HoldOut(0.2).folds(1000, None, None, 9).expect("a split");
        assert_eq!((folds.len(), folds[0].test.len()), (1, 200));
        for share in [0.05, 0.3, 0.7] {
            let classes: Vec<usize> = (0..1000).map(|i| usize::from(i % 10 == 0)).collect();
            let fold = Split::HoldOut(share).folds(1000, Some(&classes), None, 9).expect("a split").swap_remove(0);
            let rare = fold.test.iter().filter(|i| classes[**i] == 1).count() as f64;
            assert_eq!(fold.test.len() as f64, 1000.0 * share, "{share}");
            assert!((rare - 100.0 * share).abs() <= 1.0, "{share}: {rare} of 100 rare rows");
        }
    }

    #[test]
    fn splits_that_make_no_sense_are_refused() {
        for split in [Split::Folds(1), Split::Folds(11), Split::HoldOut(0.0), Split::TimeOrdered(10), Split::Groups(2)]
        {
            assert!(split.folds(10, None, None, 0).is_err(), "{split:?}");
        }
    }
}
