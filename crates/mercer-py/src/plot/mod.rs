//! Pictures of results, drawn by the core.

mod data;
mod draw;

use std::path::PathBuf;

use mercer::plot::{self, Theme};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error::guard;

pub(crate) use draw::{
    draw_calibration, draw_convergence, draw_curve, draw_decision, draw_discrimination, draw_distance, draw_gallery,
    draw_gram, draw_matrix, draw_path, draw_projection, draw_residuals, draw_roc, draw_spectrum,
};

/// A sheet of panels.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Figure(pub(crate) plot::Figure);

#[pymethods]
impl Figure {
    /// The picture as SVG.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || self.0.svg())
    }

    /// The picture as a PNG.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &guard(py, || self.0.png())?))
    }

    /// Writes a file, whole or not at all; what could not be drawn, and why.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        Ok(guard(py, || self.0.write(path))?.iter().map(ToString::to_string).collect())
    }

    /// The same on dark or light paper.
    fn themed(&self, dark: bool) -> Self {
        Figure(self.0.clone().themed(if dark { Theme::Dark } else { Theme::Light }))
    }

    /// The same with another title and size.
    #[pyo3(signature = (title, size))]
    fn changed(&self, title: Option<String>, size: Option<(f64, f64)>) -> Self {
        let titled = title.map_or(self.0.clone(), |title| self.0.clone().titled(title));
        Figure(size.map_or(titled.clone(), |(width, height)| titled.sized(width, height)))
    }

    /// The panels of several figures on one sheet.
    #[staticmethod]
    fn joined(figures: Vec<PyRef<'_, Figure>>, columns: usize) -> Self {
        let panels = figures.iter().flat_map(|figure| figure.0.panels.iter().cloned()).collect();
        Figure(plot::Figure::grid(panels, columns))
    }

    /// What is drawn, as arrays.
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let panels = self.0.panels.iter().map(|panel| data::panel(py, panel)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, panels)
    }
}
