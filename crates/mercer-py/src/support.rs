//! Support vectors in the layout of LIBSVM.

use mercer::data::Inputs;
use mercer::model::{Link, Model};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::Vector;
use crate::rkhs::array2;

/// The rows of the support vectors, where they stand among the points, and their coefficients.
pub(crate) type Vectors<'py> = (Bound<'py, PyArray1<i32>>, Vec<usize>, Bound<'py, PyArray2<f64>>);

/// The support vectors by class and row, given the class of every row of the data: their rows, their places among the points, and
/// their coefficients. These have a row a function; of pairs of classes a row less than there are classes, the one of class j
/// in the place of j or, after the vector's own class, before it.
pub(crate) fn vectors<'py>(py: Python<'py>, model: &Model, codes: Option<Vector<'py>>) -> PyResult<Vectors<'py>> {
    let codes: Vec<usize> = match &codes {
        Some(codes) => codes.as_slice()?.iter().map(|code| *code as usize).collect(),
        None => Vec::new(),
    };
    let c = model.outputs();
    let known = model.support().map_or(&[][..], |support| &support.rows);
    let precomputed = matches!(model.points(), Inputs::Precomputed(_));
    let row = |at: usize| if precomputed { at } else { known[at] };
    let class = |at: usize| codes.get(row(at)).copied().unwrap_or(0);
    let coefficients = |at: usize| &model.coefficients()[at * c..(at + 1) * c];
    let counts = |at: &usize| coefficients(*at).iter().any(|v| *v != 0.0);
    let mut places: Vec<usize> = (0..model.points().len()).filter(counts).collect();
    places.sort_by_key(|at| (class(*at), row(*at)));
    let pairs = model.link() == Link::Pairs && !codes.is_empty();
    let height = if pairs { model.answers() - 1 } else { c };
    let cell = |o: usize, at: usize| match pairs {
        true => coefficients(at)[pair(class(at), if o < class(at) { o } else { o + 1 }, model.answers())],
        false => coefficients(at)[o],
    };
    let values = (0..height).flat_map(|o| places.iter().map(move |at| cell(o, *at))).collect();
    let rows = places.iter().map(|at| row(*at) as i32).collect();
    let count = places.len();
    Ok((PyArray1::from_vec(py, rows), places, array2(py, values, height, count)?))
}

/// Where the function of two classes stands among those of all pairs i < j.
fn pair(a: usize, b: usize, classes: usize) -> usize {
    let (i, j) = (a.min(b), a.max(b));
    i * classes - i * (i + 1) / 2 + (j - i - 1)
}
