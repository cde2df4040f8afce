//! `mercer export` and `mercer import`: models of other programs.

use std::path::PathBuf;

use clap::Args;

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
