//! The command line as it is typed: flags, help and examples. Nothing is decided here.

mod draw;
mod exchange;
mod fit;
mod kernel;
mod points;
mod read;
mod samples;

use clap::{Args, Parser, Subcommand};

use crate::config;
use crate::help;

pub use draw::{CompletionsArgs, GalleryArgs, GdSgdArgs, StudyArgs, StudyKind};
pub use exchange::{ExportArgs, ImportArgs};
pub use fit::{ExplainArgs, FitArgs, InspectArgs, PredictArgs, ScoreArgs, TuneArgs, VerifyArgs};
pub use kernel::{CheckArgs, DataArgs, GramArgs, KernelArgs, Language};
pub use points::{ClusterArgs, EmbedArgs};
pub use read::{PrepareArgs, ReadArgs, RowArgs, ScaleArgs};
pub use samples::{CompareArgs, DependArgs, SegmentArgs};

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
    /// Judge a saved model on rows whose target is known: all measures, and a picture
    #[command(after_help = help::SCORE)]
    Score(ScoreArgs),
    /// Give every row of a file its cluster: kernel k-means, or spectral clustering
    #[command(after_help = help::CLUSTER)]
    Cluster(Box<ClusterArgs>),
    /// Test whether two samples come from one distribution, and show where they differ
    #[command(after_help = help::COMPARE)]
    Compare(Box<CompareArgs>),
    /// Test whether columns are independent, or independent given others: HSIC and KCI
    #[command(after_help = help::DEPEND)]
    Depend(Box<DependArgs>),
    /// Find where a sequence changes: exact kernel change points
    #[command(after_help = help::SEGMENT)]
    Segment(Box<SegmentArgs>),
    /// Give every row of a file a few coordinates: kernel principal components
    #[command(after_help = help::EMBED)]
    Embed(Box<EmbedArgs>),
    /// Say what each column adds to a prediction, and which training points are like it
    #[command(after_help = help::EXPLAIN)]
    Explain(ExplainArgs),
    /// Compute the certificate of a saved model again from its training data
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
    /// Say what a saved model is: columns, kernel, certificate, error
    Inspect(InspectArgs),
    /// Write a support vector machine for other programs: ONNX, or a model file of LIBSVM
    #[command(after_help = help::EXPORT)]
    Export(ExportArgs),
    /// Read a model file of LIBSVM as a model of Mercer
    #[command(after_help = help::IMPORT)]
    Import(ImportArgs),
    /// List the models of `mercer fit`, `mercer embed` and `mercer cluster`, with their settings
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
