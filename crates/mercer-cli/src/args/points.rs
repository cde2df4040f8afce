//! `mercer embed` and `mercer cluster`: models of points alone.

use std::path::PathBuf;

use clap::Args;

use super::{ReadArgs, RowArgs};
use crate::config;

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
    /// What is done to the rows first.
    #[command(flatten)]
    pub rows: RowArgs,
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
    /// What is done to the rows first.
    #[command(flatten)]
    pub rows: RowArgs,
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
