//! One file for each verb.

pub mod catalogue;
pub mod check;
pub mod cluster;
pub mod compare;
pub mod completions;
pub mod data;
pub mod depend;
pub mod embed;
mod estimate_text;
pub mod explain;
pub mod export;
pub mod fit;
mod fit_text;
pub mod gallery;
pub mod gram;
pub mod import;
pub mod inspect;
pub mod kernel;
pub mod models;
mod points;
pub mod predict;
pub mod score;
pub mod segment;
pub mod study;
pub mod tune;
pub mod verify;
