//! `mercer compare`, `mercer depend` and `mercer segment`: questions about distributions.

use std::path::PathBuf;

use clap::Args;

use super::{ReadArgs, ScaleArgs};
use crate::config;

/// `mercer compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The first sample: a file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "A")]
    pub first: String,
    /// The second sample, with the same columns
    #[arg(value_name = "B")]
    pub second: String,
    /// A kernel formula; several are fused [default: a family by the column types, with length scales from the data]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Vec<String>,
    /// How MMD² is estimated: unbiased, biased, linear (fast) or block
    #[arg(long, value_name = "NAME", default_value = "unbiased")]
    pub estimate: String,
    /// How many permutations; all are taken where there are no more
    #[arg(long, value_name = "N", default_value_t = 999)]
    pub permutations: usize,
    /// Stop when so many permutations reach the statistic: then p is large
    #[arg(long, value_name = "N")]
    pub enough: Option<usize>,
    /// Rows are times of two series whose dependence fades within so many rows: multipliers instead of permutations
    #[arg(long, value_name = "ROWS")]
    pub lag: Option<f64>,
    /// End with exit code 1 where p is at this level or below
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<f64>,
    /// Rows to show at either end of the witness function
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub witness: usize,
    /// What is done to the rows first.
    #[command(flatten)]
    pub scale: ScaleArgs,
    /// The seed of the permutations
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Draw the null distribution and the witness function to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer depend`.
#[derive(Debug, Args)]
pub struct DependArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Columns of the first variable
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    pub x: Vec<String>,
    /// Columns of the second variable
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    pub y: Vec<String>,
    /// Columns to condition on: are X and Y independent where these are known?
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub given: Vec<String>,
    /// The kernel of X [default: one that fits the column types; with `--given`, of numbers, by the width rule]
    #[arg(long, value_name = "FORMULA")]
    pub kernel_x: Option<String>,
    /// The kernel of Y
    #[arg(long, value_name = "FORMULA")]
    pub kernel_y: Option<String>,
    /// The kernel of the columns of `--given`
    #[arg(long, value_name = "FORMULA")]
    pub kernel_z: Option<String>,
    /// The unbiased estimate of HSIC, which may be negative, instead of the biased one
    #[arg(long)]
    pub unbiased: bool,
    /// What the statistic is compared with: permutation, circular_shift or wild_bootstrap for time series, gamma; with `--given`
    /// gamma or spectrum [default: permutation; gamma with `--given`]
    #[arg(
        long,
        value_name = "NULL",
        value_parser = ["permutation", "circular_shift", "wild_bootstrap", "gamma", "spectrum"],
        hide_possible_values = true
    )]
    pub null: Option<String>,
    /// Rows within which the dependence of a time series on itself fades, for wild_bootstrap
    #[arg(long, value_name = "ROWS", default_value_t = 20.0)]
    pub lag: f64,
    /// How many permutations, or other draws of the null
    #[arg(long, value_name = "N", default_value_t = 999)]
    pub permutations: usize,
    /// Stop when so many of them reach the statistic: p is then large
    #[arg(long, value_name = "N")]
    pub enough: Option<usize>,
    /// Widths of Gaussian kernels with `--given`: empirical (by the number of rows) or median
    #[arg(
        long,
        value_name = "RULE",
        default_value = "empirical",
        value_parser = ["empirical", "median"],
        hide_possible_values = true
    )]
    pub width: String,
    /// What is done to the rows first.
    #[command(flatten)]
    pub scale: ScaleArgs,
    /// Where chance begins: the permutations
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Draw the null distribution and the statistic to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer segment`.
#[derive(Debug, Args)]
pub struct SegmentArgs {
    /// A file, the name of a shipped data set, or `-` for standard input; its rows are in order
    #[arg(value_name = "DATA")]
    pub data: String,
    /// A column that says when each row was, which the kernel does not read
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,
    /// How many changes, 0 or more [default: found in the data]
    #[arg(long, value_name = "K", conflicts_with = "penalty")]
    pub changes: Option<usize>,
    /// The price of a change, a number ≥ 0 [default: none]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub penalty: Option<f64>,
    /// What segments are: `levels` or `lines` [default: levels with `--changes` or `--penalty`, else found in the data]
    #[arg(long, value_name = "KIND", value_parser = ["levels", "lines"])]
    pub segments: Option<String>,
    /// The least number of rows in a segment; at least 5 in lines
    #[arg(long, value_name = "ROWS", default_value_t = 2)]
    pub min_size: usize,
    /// The kernel formula [default: rbf at the median distance over √2 for levels, the columns for lines, or one that fits their types]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Option<String>,
    /// Binary segmentation on so many landmarks instead of an exact answer: for 100,000 rows and more
    #[arg(long, value_name = "COUNT")]
    pub landmarks: Option<usize>,
    /// Permutations for the p-value of each change; 0 for no p-values
    #[arg(long, value_name = "COUNT", default_value_t = 199)]
    pub permutations: usize,
    /// Where chance begins: permutations and landmarks
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// What is done to the rows first.
    #[command(flatten)]
    pub scale: ScaleArgs,
    /// Draw the sequence with its changes to a .svg or .png file
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}
