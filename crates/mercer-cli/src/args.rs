//! The command line as it is typed: flags, help and examples. Nothing is decided here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use mercer::data::{ColumnType, FileFormat, MatrixFormat, MissingPolicy};
use mercer::kernel::ScalarDomain;
use mercer::select::{Asked, Axis};

use crate::config;
use crate::help;

/// Kernel methods from a file and a terminal
#[derive(Debug, Parser)]
#[command(
    name = "mercer",
    version,
    about = "Kernel methods from a file and a terminal",
    long_about = None,
    after_help = help::ROOT,
    max_term_width = 100,
    disable_help_subcommand = true,
    arg_required_else_help = false
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Circumstances of the run.
    #[command(flatten)]
    pub global: Global,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Exit with code 1 if there was a warning
    #[arg(long, global = true)]
    pub strict: bool,
    /// Threads to use [default: all]; results do not depend on it
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<usize>,
    /// Memory that large arrays may take, such as 4GB [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", global = true, value_parser = config::memory)]
    pub memory: Option<u64>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", global = true, value_parser = config::duration)]
    pub deadline: Option<std::time::Duration>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fit a model to a file: choose, tune, judge, certify and save
    #[command(after_help = help::FIT)]
    Fit(Box<FitArgs>),
    /// Search a grid of settings by cross-validation, and save the best model
    #[command(after_help = help::TUNE)]
    Tune(Box<TuneArgs>),
    /// Predict the rows of a file with a saved model
    #[command(after_help = help::PREDICT)]
    Predict(PredictArgs),
    /// Give every row of a file its cluster: kernel k-means, or spectral clustering
    #[command(after_help = help::CLUSTER)]
    Cluster(Box<ClusterArgs>),
    /// Test whether two samples come from one distribution, and show where they differ
    #[command(after_help = help::COMPARE)]
    Compare(Box<CompareArgs>),
    /// Give every row of a file a few coordinates: kernel principal components
    #[command(after_help = help::EMBED)]
    Embed(Box<EmbedArgs>),
    /// Say which training points and columns made each prediction
    #[command(after_help = help::EXPLAIN)]
    Explain(ExplainArgs),
    /// Compute the certificate of a saved model again from its training data
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
    /// Say what a saved model is: columns, kernel, certificate
    Inspect(InspectArgs),
    /// Write a support vector machine for other programs: ONNX, or a model file of LIBSVM
    #[command(after_help = help::EXPORT)]
    Export(ExportArgs),
    /// Read a model file of LIBSVM as a model of Mercer
    #[command(after_help = help::IMPORT)]
    Import(ImportArgs),
    /// List the models of `mercer fit`, with their settings
    Models,
    /// List the shipped data sets, or describe a file column by column
    #[command(after_help = help::DATA)]
    Data(DataArgs),
    /// Explain a kernel formula: normal form, definitions, parameters
    #[command(after_help = help::KERNEL)]
    Kernel(KernelArgs),
    /// Prove that a formula or an expression is a kernel, or refute it; audit a matrix
    #[command(after_help = help::CHECK)]
    Check(CheckArgs),
    /// Compute a kernel matrix; report on it or export it
    #[command(after_help = help::GRAM)]
    Gram(GramArgs),
    /// Watch methods on problems whose answer is known, and draw what is seen
    #[command(after_help = help::STUDY)]
    Study(StudyArgs),
    /// Draw every kind of picture from shipped data, with one page that shows them all
    #[command(after_help = help::GALLERY)]
    Gallery(GalleryArgs),
    /// Print a script that completes `mercer` commands in your shell
    #[command(after_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
}

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
    /// Leave columns and target on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
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
    /// Draw predictions and residuals, or confusion, ROC and calibration, and the choice of alpha to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
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
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
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
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer embed`.
#[derive(Debug, Args)]
pub struct EmbedArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// The kernel formula [default: one that fits the column types]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Option<String>,
    /// How many coordinates [default: 2]
    #[arg(long, value_name = "N")]
    pub components: Option<u64>,
    /// The model that gives coordinates
    #[arg(long, value_name = "MODEL", default_value = "kernel_pca")]
    pub model: String,
    /// A setting of the model, such as center=false; `mercer models` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = config::setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Add a column `distance`: how far each row is, in feature space, from the plane of the components
    #[arg(long)]
    pub scores: bool,
    /// Leave columns on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out of the fit
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Write a .csv or .parquet file [default: CSV to standard output]
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the first two coordinates, with the classes of the target, to FILE (.svg or .png)
    #[arg(long, value_name = "FILE", value_parser = config::picture)]
    pub plot: Option<PathBuf>,
    /// Save the model to FILE; `mercer predict` gives coordinates of new rows with it
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// `mercer cluster`.
#[derive(Debug, Args)]
pub struct ClusterArgs {
    /// A file, the name of a shipped data set, or `-` for standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// How many clusters
    #[arg(long, value_name = "K")]
    pub clusters: u64,
    /// The model that gives clusters: kernel_k_means or spectral
    #[arg(long, value_name = "MODEL", default_value = "kernel_k_means")]
    pub model: String,
    /// The kernel formula [default: one that fits the column types]
    #[arg(long, short, value_name = "FORMULA")]
    pub kernel: Option<String>,
    /// A setting of the model, such as restarts=50; `mercer models` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = config::setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Leave columns on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out of the fit
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Where chance begins: the starts
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Write the cluster of every row to a .csv or .parquet file, or to `-`
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Save the model to FILE; `mercer predict` gives new rows their clusters with it
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
    /// How to read the data.
    #[command(flatten)]
    pub read: ReadArgs,
}

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
    /// Rows are times of two series that remember about so many steps: multipliers instead of permutations
    #[arg(long, value_name = "STEPS")]
    pub dependence: Option<f64>,
    /// End with exit code 1 where p is at this level or below
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<f64>,
    /// Rows to show at either end of the witness function
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub witness: usize,
    /// Leave columns on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
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
    /// Training points to name for each prediction, those of the largest shares
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub top: usize,
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

/// `mercer export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A model that `mercer fit` or `mercer tune` saved: svc, nu_svc, svr, nu_svr or one_class
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The file to write: `.onnx`, or `.model` or `.libsvm` for LIBSVM
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
}

/// `mercer import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A model file of LIBSVM
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of columns of the data, or of training points of a precomputed kernel [default: the largest number in
    /// the file]
    #[arg(long, value_name = "N")]
    pub columns: Option<usize>,
    /// Save the model to FILE [default: the name of the file with .mercer]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
}

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

/// `mercer study`.
#[derive(Debug, Args)]
pub struct StudyArgs {
    /// Which study.
    #[command(subcommand)]
    pub study: StudyKind,
}

/// The studies.
#[derive(Debug, Subcommand)]
pub enum StudyKind {
    /// Gradient descent beside stochastic gradient descent on [0, 1]²
    #[command(after_help = help::STUDY_GD_SGD)]
    GdSgd(GdSgdArgs),
}

/// `mercer study gd-sgd`.
#[derive(Debug, Args)]
pub struct GdSgdArgs {
    /// Number of points
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub n: usize,
    /// Where chance begins: points, noise, order of rows
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Draw four panels to FILE (.svg or .png)
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_parser = config::picture)]
    pub output: Option<PathBuf>,
    /// Replace files that are there already, even if Mercer did not write them
    #[arg(long)]
    pub force: bool,
}

/// `mercer gallery`.
#[derive(Debug, Args)]
pub struct GalleryArgs {
    /// The folder to draw into, which is made if it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Draw into a folder that holds files already, replacing those of the same names
    #[arg(long)]
    pub force: bool,
}

/// `mercer completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// How to read a data file; all of it is found out by default.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading options")]
pub struct ReadArgs {
    /// Format of the file: csv, libsvm, npy, npz, parquet or arrow [default: by content]
    #[arg(long, value_name = "FORMAT", value_parser = config::file_format)]
    pub format: Option<FileFormat>,
    /// Character between the cells of a CSV file; `tab` for a tabulator [default: by content]
    #[arg(long, value_name = "CHAR", value_parser = config::delimiter)]
    pub delimiter: Option<u8>,
    /// The first line of a CSV file names the columns
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line of a CSV file is data; columns are called x0, x1, …
    #[arg(long)]
    pub no_header: bool,
    #[arg(long = "type", value_name = "NAME=TYPE", value_parser = config::column_type, help = config::type_help())]
    pub types: Vec<(String, ColumnType)>,
    /// Read these columns only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// A cell that means "missing", beside NA, NaN, ? and the like; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// The column to predict, which kernels do not read [default: that of a shipped data set]
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Treat the target as one more column
    #[arg(long, conflicts_with = "target")]
    pub no_target: bool,
}

/// What to do to data before a kernel reads them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Preparing options")]
pub struct PrepareArgs {
    /// Missing values: error (refuse), drop (leave rows out) or impute (fill and mark)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// Bring numeric columns to mean 0 and standard deviation 1
    #[arg(long)]
    pub standardize: bool,
}
