//! `mercer data`, `kernel`, `check` and `gram`: data, formulas and matrices.

use std::path::PathBuf;

use clap::Args;
use mercer::data::MatrixFormat;
use mercer::kernel::ScalarDomain;

use super::{PrepareArgs, ReadArgs};
use crate::config;

/// `mercer data`.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: Option<String>,
    /// How to read it.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer kernel`.
#[derive(Debug, Args)]
pub struct KernelArgs {
    /// A formula, such as `rbf(age) + 0.5*linear`
    #[arg(value_name = "FORMULA", required_unless_present = "list")]
    pub formula: Option<String>,
    /// A file, a shipped data set or `-`, on which rules are resolved
    #[arg(value_name = "DATA")]
    pub data: Option<String>,
    /// Print every kernel that formulas know
    #[arg(long, conflicts_with_all = ["formula", "data"])]
    pub list: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What to do to the data first.
    #[command(flatten)]
    pub prepare: PrepareArgs,
}

/// `mercer check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A formula, such as `rbf - linear`, or an expression in x and y, such as `min(x, y)`
    #[arg(value_name = "FORMULA_OR_EXPRESSION", allow_hyphen_values = true)]
    pub subject: Option<String>,
    /// Numbers that x and y range over: R, R+ (positive), unit (between -1 and 1), [0,1] (from 0 to
    /// 1) or N (1, 2, …) [default: R]
    #[arg(long, value_name = "DOMAIN", value_parser = config::domain)]
    pub domain: Option<ScalarDomain>,
    /// Read it as `formula` or as `expression` [default: an expression if its names are those of points]
    #[arg(long = "as", value_name = "LANGUAGE", value_enum)]
    pub language: Option<Language>,
    /// Find the formula's rules in a file or a shipped data set, and audit its matrix there, too
    #[arg(long, value_name = "DATA")]
    pub data: Option<String>,
    /// Audit the matrix in FILE instead (.npy, .csv or .parquet)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "domain", "language"])]
    pub gram: Option<String>,
    /// Share of the largest eigenvalue below which a negative one of FILE counts as rounding
    /// [default: 4·n·2⁻⁵²]
    #[arg(long, value_name = "SHARE", requires = "gram")]
    pub tolerance: Option<f64>,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What to do to the data first.
    #[command(flatten)]
    pub prepare: PrepareArgs,
}

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Kernels by name, over columns.
    Formula,
    /// A function of x and y.
    Expression,
}

/// `mercer gram`.
#[derive(Debug, Args)]
pub struct GramArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// The kernel formula [default: one that fits the column types]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Option<String>,
    /// Second data set: the cross matrix between DATA (rows) and DATA2 (columns)
    #[arg(long, value_name = "DATA2")]
    pub against: Option<String>,
    /// Write the matrix to FILE (.npy, .csv or .parquet), or to standard output with `-`
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of the output: npy, csv or parquet [default: by extension; csv for `-`]
    #[arg(long, value_name = "FORMAT", requires = "output", value_parser = config::matrix_format)]
    pub output_format: Option<MatrixFormat>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// Store the matrix in single precision: half the memory, seven digits
    #[arg(long)]
    pub f32: bool,
    /// Print the report as well when the matrix is exported
    #[arg(long)]
    pub stats: bool,
    /// Print the eigenvalues eig(K)/n, their decay and the effective dimension
    #[arg(long, conflicts_with = "against")]
    pub spectrum: bool,
    /// Draw the matrix, and the spectrum with `--spectrum`, to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What to do to the data first.
    #[command(flatten)]
    pub prepare: PrepareArgs,
}
