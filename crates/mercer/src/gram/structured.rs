//! Kernels of structured columns, bound: by their features, prepared, or pair by pair. Several columns add up.

use std::borrow::Cow;
use std::fmt;

use crate::data::{Names, PointSet, Structured};
use crate::error::{Error, Result};
use crate::kernel::{Features, KernelGrad, Leaf, PreparePoint, Statistic};

use super::bind::{Binder, Key};
use super::columns::Place;
use super::features::Vocabulary;
use super::leaf_gradient::LeafGradient;
use super::lower::{params, profiled, shape_slopes};
use super::map::TileMap;
use super::node::{Node, Slope, Source};
use super::pairs::{Pace, Pairs, StructuredPairs};
use super::prepared_list::List;
use super::sparse::SparseStatistic;

/// A function `map` of the inner product of sparse features, which are found once per point. The parameters of the
/// leaf are those of the map.
pub(super) fn features<C: Structured + PointSet + Clone, F: Features<C::Point> + fmt::Debug>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    features: F,
    map: impl TileMap + 'static,
) -> Result<Node> {
    let params = params(binder, leaf)?;
    let gradient = LeafGradient { shape: shape_slopes(leaf, &params), ..LeafGradient::default() };
    let columns = place.names(binder.x)?;
    let key = Key { columns, recipe: format!("{features:?}"), weights: None };
    let source = binder.source(key.clone(), |binder| {
        let (x, y) = both::<C>(binder, place, &key.columns)?;
        let mut vocabulary = Vocabulary::default();
        let x = vocabulary.rows(&x, &features, binder.run)?;
        let y = y.map(|y| vocabulary.rows(&y, &features, binder.run)).transpose()?;
        let (x, y) = (vocabulary.csr(x)?, y.map(|y| vocabulary.csr(y)).transpose()?);
        Ok(Source::Sparse(SparseStatistic::new(Statistic::Dot, x, y)))
    })?;
    profiled(binder, source, map, 1.0, gradient)
}

/// A kernel of points that are prepared once.
pub(super) fn prepared<C: Structured + PointSet + Clone, K: PreparePoint<C::Point> + 'static>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    kernel: K,
) -> Result<Node> {
    let run = binder.run;
    paired(binder, place, leaf, kernel, |kernel, points: C, column| {
        let refuse = |row: usize, expected: String, got: String| Error::Domain {
            kernel: leaf.spec().name.into(),
            expected,
            got: format!("{got} in row {row}"),
            column: Some(column.into()),
            candidates: Vec::new(),
        };
        List::prepared(kernel, &points, refuse, run)
    })
}

/// A kernel of structured values, pair by pair.
pub(super) fn pairwise<C: Structured + PointSet + Clone, K: KernelGrad<C::Point> + 'static>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    kernel: K,
) -> Result<Node> {
    paired(binder, place, leaf, kernel, |_, points: C, _| Ok(points))
}

/// A kernel of pairs of points, each column, of which the name is given, made ready by `ready`.
fn paired<C: Structured + PointSet + Clone, P, K>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    kernel: K,
    ready: impl Fn(&K, C, &str) -> Result<P>,
) -> Result<Node>
where
    StructuredPairs<K, P>: Pairs + 'static,
{
    let columns = place.names(binder.x)?;
    let (x, y) = both::<C>(binder, place, &columns)?;
    let named = |(points, name): (C, Cow<'_, str>)| ready(&kernel, points, &name);
    let side = |points: Vec<C>| points.into_iter().zip(columns.iter()).map(named).collect::<Result<Vec<P>>>();
    let (x, y) = (side(x)?, y.map(side).transpose()?);
    let slopes = all_slopes(binder, leaf)?;
    Ok(Node::Pairs(Box::new(StructuredPairs { kernel, x, y, slopes, pace: Pace::new() })))
}

/// The structured columns of both sets.
pub(super) fn both<C: Structured + Clone>(
    binder: &Binder<'_>,
    place: Place<'_>,
    columns: &Names,
) -> Result<(Vec<C>, Option<Vec<C>>)> {
    let x = place.structured(binder.x, columns)?;
    let Some(y) = binder.y else { return Ok((x, None)) };
    place.names(y)?;
    Ok((x, Some(place.structured(y, columns)?)))
}

/// The slopes of all parameters, in the order of θ.
pub(super) fn all_slopes(binder: &mut Binder<'_>, leaf: &Leaf) -> Result<Vec<Option<Slope>>> {
    let params = params(binder, leaf)?;
    let own = leaf.spec().settings.iter().filter_map(|s| params.get(s.name));
    Ok(own.flatten().map(|(_, slope)| *slope).collect())
}
