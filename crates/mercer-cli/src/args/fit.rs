//! `mercer fit`, `tune`, `predict`, `score`, `explain`, `verify` and `inspect`: models of a target, and what is asked of models.

use std::path::PathBuf;

use clap::Args;
use mercer::data::MissingPolicy;
use mercer::gram::RepairMethod;
use mercer::select::{Asked, Axis};

use super::ReadArgs;
use crate::config;
use crate::help;

/// `mercer fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// The kernel formula to start from [default: kernels that fit the columns are tried]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Option<String>,
    // What there is to choose from stands in the catalogue.
    #[arg(long, value_name = "MODEL", default_value = "auto", value_parser = config::learner, help = help::models())]
    pub model: Asked,
    /// A setting of the model, such as passes=20; `mercer models` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = config::setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    #[arg(long, value_name = "LOSS", value_parser = config::loss, help = help::loss())]
    #[allow(missing_docs)]
    pub loss: Option<String>,
    #[arg(long, value_name = "NUMBER", requires = "loss", allow_negative_numbers = true, help = help::loss_parameter())]
    #[allow(missing_docs)]
    pub loss_parameter: Option<f64>,
    /// Predict several quantiles with the loss pinball, such as 0.1,0.5,0.9: one column q0.1, … each
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_negative_numbers = true)]
    pub quantiles: Vec<f64>,
    /// Whether to sort the quantiles of a row, so that none crosses another; `--non-crossing=false` leaves them as
    /// they are [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub non_crossing: Option<bool>,
    /// Whether to shift the quantiles by what rows leave that were left out (five folds), so that they cover what
    /// they say [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub calibrate: Option<bool>,
    /// The filter of the model filter: tikhonov, cut_off, landweber, iterated_tikhonov or nu_method; its λ or
    /// number of iterations is chosen [default: cut_off]
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// The order of iterated_tikhonov, or ν of nu_method [default: 2, 1]
    #[arg(long, value_name = "NUMBER", requires = "filter", allow_negative_numbers = true)]
    pub filter_order: Option<f64>,
    /// Weight of the norm, ≥ 0; of gp, the variance of the noise [default: chosen by
    /// exact leave-one-out, by cross-validation, or by the evidence]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub alpha: Option<f64>,
    /// Keep the kernel's parameters as they are given or found by rules
    #[arg(long)]
    pub no_tune: bool,
    /// What to do where the kernel of `--kernel` is not positive semi-definite on the rows: clip (negative eigenvalues become 0),
    /// flip (they change their sign) or shift (all are raised); new rows are treated alike, and the kernel is not tuned
    #[arg(long, value_name = "METHOD", value_parser = RepairMethod::by_name, requires = "kernel", conflicts_with = "tune_rows")]
    pub repair: Option<RepairMethod>,
    /// Rows that tuning looks at, drawn by chance where there are more: the time grows with their cube [default: 600]
    #[arg(long, value_name = "ROWS", conflicts_with = "no_tune")]
    pub tune_rows: Option<usize>,
    /// Leave columns and target on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out), impute (fill and mark) or keep (for `with_gaps(…)` in the kernel)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// Estimate the error with so many folds [default: 5 up to 2,000 rows]
    #[arg(long, value_name = "FOLDS")]
    pub cv: Option<usize>,
    /// Estimate the error on this share of the rows [default: 0.2 above 2,000 rows]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub hold_out: Option<f64>,
    /// Keep rows with the same value of this column together when the error is estimated
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Rows are in order of time: judge the future by the past
    #[arg(long, conflicts_with = "groups")]
    pub time_ordered: bool,
    /// Do not estimate the error
    #[arg(long)]
    pub no_estimate: bool,
    /// Where chance begins: splits and samples
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Save the model to FILE [default: the name of the data with .mercer]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw predictions and residuals, or confusion, ROC and calibration, what the columns are worth and the choice of alpha to
    /// FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Write the whole report with all pictures to FILE (.html): one page that needs no network
    #[arg(long, value_name = "FILE", value_parser = config::page)]
    pub report: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer tune`.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// A setting of the model or of its kernel with the values to try, such as C=0.1,1,10, or a range such as
    /// length_scale=0.1..10:5 (from, to, number; spaced evenly by their logarithms)
    #[arg(long = "grid", value_name = "NAME=VALUES", required = true, value_parser = config::axis)]
    pub grid: Vec<Axis>,
    /// The kernel formula
    #[arg(long, short, value_name = "FORMULA", default_value = "rbf")]
    pub kernel: String,
    /// The model [default: svc for classes, svr for numbers]
    #[arg(long, value_name = "MODEL", value_parser = config::learner)]
    pub model: Option<Asked>,
    /// A setting that stays as it is, such as epsilon=0.05; `mercer models` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = config::setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Folds that candidates are judged by
    #[arg(long, value_name = "FOLDS", default_value_t = 5)]
    pub cv: usize,
    /// Judge all candidates on few rows first; the better third goes on with three times as many
    #[arg(long)]
    pub halving: bool,
    /// Keep what was judged in FILE, and take from it what an earlier search has judged
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Leave columns and target on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out), impute (fill and mark) or keep (for `with_gaps(…)` in the kernel)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Where chance begins: folds and samples
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Save the model to FILE [default: the name of the data with .mercer]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the loss by the first two settings to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer predict`.
#[derive(Debug, Args)]
pub struct PredictArgs {
    /// A model that `mercer fit` saved
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Add bounds that hold the truth with this share of new rows, such as 0.9: of ridge by jackknife+, of gp
    /// by its posterior variance plus noise
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub interval: Option<f64>,
    /// Write a .csv or .parquet file [default: CSV to standard output]
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Carry this column of the data through, before the predictions; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub keep: Vec<String>,
    /// Write a `'` before names and texts that a spreadsheet would take for a formula (`=`, `+`, `-` or `@` first)
    #[arg(long)]
    pub spreadsheet: bool,
    /// Draw the predictions, beside the truth where the data have the target, to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer score`.
#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// A model that `mercer fit` saved
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Rows with the target: a file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Draw predictions and residuals, or confusion, ROC and calibration, to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A model that `mercer fit` saved
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Rows of the data, counted from 0, such as 0,7,10-12 [default: the first 3]
    #[arg(long, value_name = "ROWS", value_delimiter = ',', value_parser = config::row_range)]
    pub rows: Option<Vec<std::ops::RangeInclusive<usize>>>,
    /// Training points to name for each prediction: those that are most like it
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub top: usize,
    /// Also say how predictions go with each of the columns that are worth most, whatever the others are
    #[arg(long)]
    pub global: bool,
    /// Draw that to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A model that `mercer fit` saved
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The training data, with the target: a file, the name of a shipped data set, or `-`
    #[arg(value_name = "DATA")]
    pub data: String,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A model that `mercer fit` saved
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
}
