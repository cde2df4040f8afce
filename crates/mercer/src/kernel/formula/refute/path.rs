//! Curves through the space of points.

use crate::kernel::leaf::{Columns, Setting};
use crate::kernel::{Domain, KernelExpr};

use super::Parts;

/// The value of each column as a function of one number t.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) columns: Vec<(String, Along)>,
    /// Whether points with different t differ in every category, too.
    pub(super) categories: bool,
}

/// The value of a column along a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Along {
    /// slope·t + offset.
    Line { slope: i64, offset: i64 },
    /// tⁿ.
    Power(u32),
}

impl Along {
    const T: Along = Along::Line { slope: 1, offset: 0 };
    const ZERO: Along = Along::Line { slope: 0, offset: 0 };

    /// Whether it changes with t.
    pub(super) fn moves(self) -> bool {
        !matches!(self, Along::Line { slope: 0, .. })
    }

    /// The value at `t`, which is a name or stands in parentheses.
    pub(super) fn at(self, t: &str) -> String {
        match self {
            Along::Power(n) => format!("{t}^{n}"),
            Along::Line { slope: 0, offset } => offset.to_string(),
            Along::Line { slope: 1, offset: 0 } => t.to_owned(),
            Along::Line { slope: -1, offset: 0 } => format!("(-{t})"),
            Along::Line { slope, offset: 0 } => format!("({slope}*{t})"),
            Along::Line { slope, offset } => format!("({slope}*{t}+{offset})"),
        }
    }

    /// Whether it is ≥ 0 for every t > 0.
    pub(super) fn is_non_negative(self) -> bool {
        match self {
            Along::Line { slope, offset } => slope >= 0 && offset >= 0,
            Along::Power(_) => true,
        }
    }
}

impl Path {
    /// The value of each column in words; those that are scaled are measured in units of the median.
    pub(super) fn words(&self, scaled: &[String]) -> Vec<(String, String)> {
        let value = |(name, along): &(String, Along)| {
            let value = along.at("t");
            let value = value.strip_prefix('(').and_then(|v| v.strip_suffix(')')).unwrap_or(&value).to_owned();
            match (scaled.contains(name), value.as_str()) {
                (false, _) | (true, "0") => (name.clone(), value),
                (true, _) if value.contains('+') => (name.clone(), format!("median*({value})")),
                (true, _) => (name.clone(), format!("median*{value}")),
            }
        };
        self.columns.iter().map(value).collect()
    }
}

/// Columns more than these are tried together only.
const MAX_SINGLE: usize = 5;

/// The curves that are tried, the simplest first.
pub(super) fn paths(parts: &Parts) -> Vec<Path> {
    let n = parts.columns.len();
    let mut choices: Vec<Vec<Along>> = vec![vec![Along::T; n]];
    if n > 1 && !parts.uniform {
        for rest in [Along::ZERO, Along::Line { slope: 0, offset: 1 }] {
            choices.extend((0..n.min(MAX_SINGLE)).map(|j| {
                let mut values = vec![rest; n];
                values[j] = Along::T;
                values
            }));
        }
        choices.push((0..n).map(|j| Along::Line { slope: j as i64 + 1, offset: 0 }).collect());
        choices.push((0..n).rev().map(|j| Along::Line { slope: j as i64 + 1, offset: 0 }).collect());
        choices.push((0..n).map(|j| Along::Line { slope: if j == 0 { 1 } else { -1 }, offset: 0 }).collect());
        choices.push((0..n).map(|j| Along::Line { slope: if j == 0 { 1 } else { -1 }, offset: j as i64 }).collect());
        if n <= 3 {
            choices.push((0..n).map(|j| Along::Power(j as u32 + 1)).collect());
        }
    }
    choices.push(vec![Along::ZERO; n]);
    let categories = parts.kernels.iter().any(reads_categories);
    let with = |values: &Vec<Along>, categories| Path {
        columns: parts.columns.iter().cloned().zip(values.iter().copied()).collect(),
        categories,
    };
    let mut all: Vec<Path> = Vec::new();
    for values in &choices {
        all.push(with(values, false));
        if categories {
            all.push(with(values, true));
        }
    }
    all
}

fn reads_categories(kernel: &KernelExpr) -> bool {
    matches!(kernel, KernelExpr::Leaf(leaf) if leaf.spec().domain == Domain::Category)
}

/// The numeric columns that a kernel names, and the number of length scales it lists.
pub(super) fn read(kernel: &KernelExpr) -> Option<(Vec<String>, Option<usize>)> {
    let named = |columns: &Columns| match columns {
        Columns::Named(names) => names.clone(),
        Columns::All => Vec::new(),
    };
    match kernel {
        KernelExpr::Leaf(leaf) => match leaf.spec().domain {
            Domain::Number | Domain::NonNegative => {
                let count = match leaf.setting("length_scale") {
                    Some(Setting::Many(list)) => Some(list.len()),
                    _ => None,
                };
                Some((named(leaf.columns()), count))
            }
            Domain::Category => Some((Vec::new(), None)),
            Domain::Structured(_) | Domain::Precomputed => None,
        },
        KernelExpr::Expression(expression) => Some((named(expression.columns()), None)),
        _ => None,
    }
}
