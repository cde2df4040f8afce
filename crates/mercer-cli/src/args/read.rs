//! How data are read and prepared: flags that several commands share.

use clap::Args;
use mercer::data::{ColumnType, FileFormat, MissingPolicy};
use mercer::model::pipeline::Prepare;

use crate::config;

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
    /// What begins decimals in a CSV file: `.` or `,` [default: by content]
    #[arg(long, value_name = "CHAR", value_parser = config::decimal)]
    pub decimal: Option<u8>,
    /// Read these columns only
    #[arg(long, visible_alias = "only", value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// Leave these columns out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub exclude: Vec<String>,
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
    /// Missing values: error (refuse), drop (leave rows out), impute (fill and mark) or keep (for `with_gaps(…)` in the kernel)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
    /// Bring numeric columns to mean 0 and standard deviation 1
    #[arg(long)]
    pub standardize: bool,
}

/// What is done to rows without a target: columns are brought to one scale.
#[derive(Clone, Debug, Args)]
pub struct ScaleArgs {
    /// Leave columns on their own scales
    #[arg(long)]
    pub no_standardize: bool,
    /// Missing values: error (refuse), drop (leave rows out), impute (fill and mark) or keep (for `with_gaps(…)` in the kernel)
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = config::missing)]
    pub missing: MissingPolicy,
}

impl ScaleArgs {
    /// The same as a choice of the library.
    pub fn prepare(&self) -> Prepare {
        Prepare { missing: self.missing, standardize: !self.no_standardize, scale_target: false, ..Prepare::default() }
    }
}

/// What is done to rows before a model of points alone sees them.
#[derive(Clone, Debug, Args)]
pub struct RowArgs {
    /// Scales and gaps.
    #[command(flatten)]
    pub scale: ScaleArgs,
    /// A column of weights ≥ 0: a weight is a number of repetitions, 0 leaves the row out of the fit
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
}
