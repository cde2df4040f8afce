//! `mercer study`, `gallery` and `completions`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config;
use crate::help;

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
