//! Python bindings of Mercer: the module `mercer._core`.
//!
//! No mathematics lives here. Arrays come in checked from the Python package (`arrays`), become
//! [`mercer::data::Inputs`], and the work runs on a thread of its own while this one lets Python
//! go and watches for signals.

// The core's error is 128 bytes of data, made once per failed call.
#![allow(clippy::result_large_err)]

mod arrays;
mod catalogue;
mod check;
mod choices;
mod cluster;
mod column;
mod compare;
mod datasets;
mod depend;
mod error;
mod exchange;
mod function;
mod inputs;
mod job;
mod kernel;
mod learn;
mod machine;
mod matrices;
mod matrix;
mod own_loss;
mod plot;
mod reduce;
mod rkhs;
mod run;
mod segment;
mod sgd;
mod support;

/// The compiled part of the package `mercer`.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::catalogue::{catalogue, loss_parameters};
    #[pymodule_export]
    use crate::check::{check_expression, check_formula, check_kernel, is_expression, resolve_formula};
    #[pymodule_export]
    use crate::cluster::{coordinates, learn_views, mean_distances, second_values};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::compare::{Compared, mmd_test};
    #[pymodule_export]
    use crate::datasets::{Dataset, load, open, shipped};
    #[pymodule_export]
    use crate::depend::{Conditioning, dhsic, herd, hsic, kci_without_conditions, ksd, thin};
    #[pymodule_export]
    use crate::exchange::{from_libsvm, to_libsvm, to_onnx};
    #[pymodule_export]
    use crate::inputs::Inputs;
    #[pymodule_export]
    use crate::job::{Trained, train, trained_from_bytes, trained_load};
    #[pymodule_export]
    use crate::kernel::Expr;
    #[pymodule_export]
    use crate::learn::{learn, learn_support, learners, log_evidence, measures};
    #[pymodule_export]
    use crate::machine::{Machine, machine_load};
    #[pymodule_export]
    use crate::matrices::{Centering, Repair, audit};
    #[pymodule_export]
    use crate::matrix::{column, diag, gradient, gram, matvec};
    #[pymodule_export]
    use crate::plot::{
        Figure, draw_calibration, draw_convergence, draw_curve, draw_decision, draw_discrimination, draw_distance,
        draw_gallery, draw_gram, draw_matrix, draw_path, draw_projection, draw_residuals, draw_roc, draw_spectrum,
    };
    #[pymodule_export]
    use crate::reduce::{components, eigenvectors, outlier_distances, pre_images, regressed_points};
    #[pymodule_export]
    use crate::rkhs::{Barycentre, Discrimination, Eigenfunctions, Factor, Function, Space, eigvals};
    #[pymodule_export]
    use crate::run::{Options, cores};
    #[pymodule_export]
    use crate::segment::{Segments, segment_kernel, watch_fit, watch_update};
    #[pymodule_export]
    use crate::sgd::Descent;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        crate::error::catch_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
