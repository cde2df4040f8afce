//! Leaves of a formula, bound: one line for each kernel.

use std::collections::HashMap;

use crate::data::{Csr, Inputs, Names, Texts};
use crate::error::{Error, Result, counted};
use crate::kernel::bag::{Bags, MeanEmbedding};
#[cfg(test)]
use crate::kernel::interval::{Intervals, Middles, SharedNumbers, SymmetricDifference};
use crate::kernel::set::{Intersection, Jaccard, Sets};
use crate::kernel::text::Hierarchy;
use crate::kernel::vector::{
    Additive, AdditiveChi2, Anova, ArcCosine, Cauchy, Chi2, Cosine, Energy, Exponential, GeneralPoly, Hellinger,
    Laplace, LaplaceL1, Linear, Matern12, Matern32, Matern52, Min, MinMax, Periodic, Poly, RationalQuadratic, Rbf,
    Sigmoid, Spline, Tanimoto, ThinPlate,
};
use crate::kernel::{
    Custom, CustomForm, Delta, Expression, GappedKmer, Hamming, KernelGrad, Kind, Leaf, LocalAlignment, Mismatch,
    Ngram, Setting, Statistic, Subsequence, Substitution, WeightedDegree,
};
use crate::run::Run;

use super::agreements::agreements;
use super::bags::same_width;
use super::bind::{Binder, Key};
use super::columns::Place;
use super::leaf_gradient::{LeafGradient, Length, Period};
use super::map::TileMap;
use super::node::{Node, Profiled, Slope, Source};
use super::ordinal::ordinal;
use super::pairs::{Materialised, Paired, PointList, UserTexts, UserVectors};
use super::points::{Coordinates, DenseStatistic};
use super::sparse::SparseStatistic;
use super::structured::{all_slopes, features, pairwise, prepared};
use super::tfidf::tfidf;
use super::word_pairs::words;

/// Binds a kernel of the catalogue.
pub(super) fn leaf(binder: &mut Binder<'_>, place: Place<'_>, leaf: &Leaf) -> Result<Node> {
    let number = |name: &str| leaf.number(name).unwrap_or(f64::NAN);
    match leaf.kind() {
        Kind::Linear => dot(binder, place, leaf, Linear),
        Kind::Poly => {
            let degree = leaf.integer("degree");
            dot(binder, place, leaf, Poly { gamma: number("gamma"), coef0: number("coef0"), degree })
        }
        Kind::GeneralPoly => dot(binder, place, leaf, GeneralPoly { coefficients: list(leaf, "coefficients") }),
        Kind::Exponential => dot(binder, place, leaf, Exponential { gamma: number("gamma") }),
        Kind::Cosine => angle(binder, place, Cosine, 0),
        Kind::ArcCosine => {
            let order = leaf.integer("order");
            angle(binder, place, ArcCosine { order }, order)
        }
        Kind::Rbf => distance(binder, place, leaf, Rbf),
        Kind::Laplace => distance(binder, place, leaf, Laplace),
        Kind::LaplaceL1 => distance(binder, place, leaf, LaplaceL1),
        Kind::Matern12 => distance(binder, place, leaf, Matern12),
        Kind::Matern32 => distance(binder, place, leaf, Matern32),
        Kind::Matern52 => distance(binder, place, leaf, Matern52),
        Kind::RationalQuadratic => distance(binder, place, leaf, RationalQuadratic { alpha: number("alpha") }),
        Kind::Cauchy => distance(binder, place, leaf, Cauchy),
        Kind::Periodic => periodic(binder, place, leaf, Periodic { period: number("period") }),
        Kind::Anova => symmetric(binder, place, leaf, |length_scales, degree| Anova { length_scales, degree }),
        Kind::Additive => symmetric(binder, place, leaf, |length_scales, degree| Additive { length_scales, degree }),
        Kind::Min => vectors(binder, place, Min),
        Kind::MinMax => vectors(binder, place, MinMax),
        Kind::Tanimoto => angle(binder, place, Tanimoto, 0),
        Kind::Chi2 => vectors_with(binder, place, leaf, Chi2 { gamma: number("gamma") }),
        Kind::AdditiveChi2 => vectors(binder, place, AdditiveChi2),
        Kind::Hellinger => vectors(binder, place, Hellinger),
        Kind::Spline => vectors(binder, place, Spline),
        Kind::Energy => distance(binder, place, leaf, Energy { exponent: number("exponent") }),
        Kind::ThinPlate => distance(binder, place, leaf, ThinPlate),
        Kind::Sigmoid => dot(binder, place, leaf, Sigmoid { gamma: number("gamma"), coef0: number("coef0") }),
        Kind::Delta => agreements(binder, place, &Delta),
        Kind::Hamming => agreements(binder, place, &Hamming),
        Kind::Ordinal => ordinal(binder, place, leaf),
        Kind::Ngram => features::<Texts, _>(binder, place, leaf, Ngram::of(leaf), Linear),
        Kind::Tfidf => tfidf(binder, place, leaf),
        Kind::Hierarchy => features::<Texts, _>(binder, place, leaf, Hierarchy::of(leaf), Linear),
        Kind::Jaccard => features::<Sets, _>(binder, place, leaf, Intersection, Jaccard),
        Kind::Intersection => features::<Sets, _>(binder, place, leaf, Intersection, Linear),
        Kind::MeanEmbedding => {
            same_width(binder, place)?;
            pairwise::<Bags, _>(binder, place, leaf, MeanEmbedding { length_scale: number("length_scale") })
        }
        Kind::Subsequence => prepared::<Texts, _>(binder, place, leaf, Subsequence::of(leaf)),
        Kind::WeightedDegree => prepared::<Texts, _>(binder, place, leaf, WeightedDegree::of(leaf)),
        Kind::LocalAlignment => prepared::<Texts, _>(binder, place, leaf, LocalAlignment::of(leaf)),
        Kind::Substitution => prepared::<Texts, _>(binder, place, leaf, Substitution::of(leaf)),
        Kind::Mismatch => words(binder, place, Mismatch::of(leaf).by_distance()),
        Kind::GappedKmer => words(binder, place, GappedKmer::of(leaf).by_distance()),
        #[cfg(test)]
        Kind::SharedNumbers => features::<Intervals, _>(binder, place, leaf, SharedNumbers, Linear),
        #[cfg(test)]
        Kind::Middles => prepared::<Intervals, _>(binder, place, leaf, Middles { scale: number("scale") }),
        #[cfg(test)]
        Kind::SymmetricDifference => {
            pairwise::<Intervals, _>(binder, place, leaf, SymmetricDifference { rate: number("rate") })
        }
        Kind::Precomputed => precomputed(binder, place),
    }
}

/// What to do when points do not fit into memory.
pub(super) const FEWER_COLUMNS: &str = "use fewer rows or columns, or a larger memory limit";

/// The numbers of a list; empty where it is not one.
fn list(leaf: &Leaf, name: &str) -> Vec<f64> {
    match leaf.setting(name) {
        Some(Setting::Many(params)) => params.iter().map(|p| p.number().unwrap_or(f64::NAN)).collect(),
        _ => Vec::new(),
    }
}

/// Values of parameters and where their derivatives go, by setting.
pub(super) type Params = HashMap<&'static str, Vec<(f64, Option<Slope>)>>;

/// Values and slopes of every parameter of the leaf, in the order of θ, by setting.
pub(super) fn params(binder: &mut Binder<'_>, leaf: &Leaf) -> Result<Params> {
    let mut all = HashMap::new();
    for (spec, setting) in leaf.spec().settings.iter().zip(leaf.settings()) {
        let values = match setting {
            Setting::One(param) => vec![binder.param(param, spec.name)?],
            Setting::Many(list) => list.iter().map(|p| binder.param(p, spec.name)).collect::<Result<_>>()?,
            Setting::Integer(_) | Setting::Choice(_) | Setting::Words(_) => continue,
        };
        all.insert(spec.name, values);
    }
    Ok(all)
}

/// The slopes of the parameters that are not length scales or periods, in the order of θ.
pub(super) fn shape_slopes(leaf: &Leaf, params: &Params) -> Vec<Option<Slope>> {
    let own = leaf.spec().settings.iter().filter(|s| s.name != "length_scale" && s.name != "period");
    own.filter_map(|s| params.get(s.name)).flatten().map(|(_, slope)| *slope).collect()
}

/// A function of the inner product.
fn dot(binder: &mut Binder<'_>, place: Place<'_>, leaf: &Leaf, map: impl TileMap + 'static) -> Result<Node> {
    let params = params(binder, leaf)?;
    let gradient = LeafGradient { shape: shape_slopes(leaf, &params), ..LeafGradient::default() };
    let columns = place.names(binder.x)?;
    let source = points(binder, place, Statistic::Dot, columns, None)?;
    profiled(binder, source, map, 1.0, gradient)
}

/// A function of the angle times (‖x‖‖y‖)^order. It is computed at points of size about 1, where
/// no product of norms overflows, and brought to size afterwards.
fn angle(binder: &mut Binder<'_>, place: Place<'_>, map: impl TileMap + 'static, order: u32) -> Result<Node> {
    let columns = place.names(binder.x)?;
    let source = points(binder, place, Statistic::Dot, columns, None)?;
    let unit = binder.sources[source].1.unit();
    let inner = profiled(binder, source, map, unit, LeafGradient::default())?;
    let factor = unit.powi(2 * order as i32);
    Ok(if order == 0 { inner } else { Node::Scale { factor, param: None, inner: Box::new(inner) } })
}

/// A function of a distance.
fn distance(binder: &mut Binder<'_>, place: Place<'_>, leaf: &Leaf, map: impl TileMap + 'static) -> Result<Node> {
    let params = params(binder, leaf)?;
    let columns = place.names(binder.x)?;
    let scales = &params["length_scale"];
    check_count(place, scales.len(), columns.len())?;
    let weights = relative(scales);
    let gradient = LeafGradient { length: length(scales, 1), shape: shape_slopes(leaf, &params), period: None };
    let source = points(binder, place, map.statistic(), columns, weights)?;
    profiled(binder, source, map, scales[0].0, gradient)
}

pub(super) fn profiled(
    binder: &Binder<'_>,
    source: usize,
    map: impl TileMap + 'static,
    scale: f64,
    gradient: LeafGradient,
) -> Result<Node> {
    Ok(Node::Profile(Box::new(Profiled::new(source, &binder.sources[source].1, Box::new(map), scale, gradient))))
}

/// ℓ₀/ℓⱼ for each column when there are several, so that leaves that differ in ℓ₀ alone share
/// their statistic; `None` when there is one for all.
fn relative(scales: &[(f64, Option<Slope>)]) -> Option<Vec<f64>> {
    (scales.len() > 1).then(|| scales.iter().map(|(l, _)| scales[0].0 / l).collect())
}

fn length(scales: &[(f64, Option<Slope>)], span: usize) -> Length {
    match scales {
        [(scale, slope)] => slope.map_or(Length::None, |slope| Length::One { scale: *scale, slope }),
        many if many.iter().all(|(_, slope)| slope.is_none()) => Length::None,
        many => Length::Many {
            scales: many.iter().map(|s| s.0).collect(),
            slopes: many.iter().map(|s| s.1).collect(),
            span,
        },
    }
}

fn check_count(place: Place<'_>, scales: usize, columns: usize) -> Result<()> {
    if scales == 1 || scales == columns {
        return Ok(());
    }
    let problem =
        format!("{} for {}", counted(scales, "length scale", "length scales"), counted(columns, "column", "columns"));
    Err(place.error(None, problem, Some("give one length scale, or one for each column".into())))
}

/// A statistic of numeric columns, shared with every leaf that asks for the same one.
pub(super) fn points(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    statistic: Statistic,
    columns: Names,
    weights: Option<Vec<f64>>,
) -> Result<usize> {
    let key = Key { columns, recipe: format!("{statistic:?}"), weights };
    binder.source(key.clone(), |binder| {
        let sparse = statistic != Statistic::ManhattanDistance && key.weights.is_none();
        if let (true, Some((x, y))) = (sparse, sparse_sides(binder, place)?) {
            return sparse_points(statistic, x, y);
        }
        let x = place.coordinates(binder.x, &key.columns, binder.run)?;
        let y = binder.y.map(|y| other(place, y, &key.columns, binder)).transpose()?;
        Ok(Source::Dense(DenseStatistic::new(statistic, x, y, key.weights.as_deref(), binder.run)?))
    })
}

/// The same columns of the second set.
fn other(place: Place<'_>, y: &Inputs, columns: &Names, binder: &Binder<'_>) -> Result<Coordinates> {
    if place.names(y)?.len() != columns.len() {
        return Err(Error::shape("the second set", format!("{} columns", columns.len()), place.names(y)?.len()));
    }
    place.coordinates(y, columns, binder.run)
}

/// Both sets as sparse rows, where the second, or the only one, is sparse. A first set that is not
/// becomes what the second is: models keep their points second, and new points come as they may.
fn sparse_sides(binder: &Binder<'_>, place: Place<'_>) -> Result<Option<(Csr, Option<Csr>)>> {
    let Some(kept) = place.sparse(binder.y.unwrap_or(binder.x))? else { return Ok(None) };
    if binder.y.is_none() {
        return Ok(Some((kept, None)));
    }
    Ok(match binder.x {
        Inputs::Dense(x) if !x.has_names() => place.sparse(&x.to_sparse()?.into())?.map(|x| (x, Some(kept))),
        x => place.sparse(x)?.map(|x| (x, Some(kept))),
    })
}

fn sparse_points(statistic: Statistic, x: Csr, y: Option<Csr>) -> Result<Source> {
    if let Some(y) = y.as_ref().filter(|y| y.ncols() != x.ncols()) {
        return Err(Error::shape("the second set", format!("{} columns", x.ncols()), y.ncols()));
    }
    Ok(Source::Sparse(SparseStatistic::new(statistic, x, y)))
}

/// The Gaussian kernel of points put on circles.
fn periodic(binder: &mut Binder<'_>, place: Place<'_>, leaf: &Leaf, kernel: Periodic) -> Result<Node> {
    let params = params(binder, leaf)?;
    let columns = place.names(binder.x)?;
    let scales = params["length_scale"].clone();
    check_count(place, scales.len(), columns.len())?;
    let weights = relative(&scales).map(|w| w.iter().flat_map(|v| [*v, *v]).collect::<Vec<f64>>());
    let x = place.coordinates(binder.x, &columns, binder.run)?;
    let y = binder.y.map(|y| other(place, y, &columns, binder)).transpose()?;
    let key = Key {
        columns: columns.clone(),
        recipe: format!("circle {:x}", kernel.period.to_bits()),
        weights: weights.clone(),
    };
    let circled =
        (on_circles(&x, kernel, binder.run)?, y.as_ref().map(|y| on_circles(y, kernel, binder.run)).transpose()?);
    let make = |binder: &Binder<'_>| {
        let statistic = Statistic::SquaredDistance;
        Ok(Source::Dense(DenseStatistic::new(statistic, circled.0, circled.1, weights.as_deref(), binder.run)?))
    };
    let source = binder.source(key, make)?;
    let period = params["period"][0].1.map(|slope| {
        let scales =
            if scales.len() == 1 { vec![scales[0].0; columns.len()] } else { scales.iter().map(|s| s.0).collect() };
        Period { kernel, slope, scales, x, y }
    });
    let gradient = LeafGradient { length: length(&scales, 2), shape: Vec::new(), period };
    profiled(binder, source, Rbf, scales[0].0, gradient)
}

fn on_circles(points: &Coordinates, kernel: Periodic, run: &Run) -> Result<Coordinates> {
    let bytes = 2 * size_of_val(&points.values[..]) as u128;
    let reservation = run.reserve(bytes, "points on circles", FEWER_COLUMNS)?;
    let values = points.values.iter().flat_map(|v| kernel.circle(*v)).collect();
    Ok(Coordinates { values, len: points.len, depth: 2 * points.depth, _reservation: Some(reservation) })
}

/// A sum of products of Gaussians of single columns.
fn symmetric<K: KernelGrad<[f64]> + 'static>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    make: impl FnOnce(Vec<f64>, usize) -> K,
) -> Result<Node> {
    let params = params(binder, leaf)?;
    let columns = place.names(binder.x)?;
    let scales = &params["length_scale"];
    check_count(place, scales.len(), columns.len())?;
    let degree = leaf.integer("degree") as usize;
    if degree > columns.len() {
        let problem =
            format!("degree {degree} with {} columns would make the kernel zero or no different", columns.len());
        return Err(place.error(None, problem, Some(format!("use a degree of at most {}", columns.len()))));
    }
    let each = |j: usize| scales[if scales.len() == 1 { 0 } else { j }];
    let mut points = vector_points(binder, place, &columns)?;
    let own = size_of::<f64>() + size_of::<Option<Slope>>();
    let purpose = "the parameters of every column";
    points.reserved.push(binder.run.reserve(columns.len() as u128 * own as u128, purpose, FEWER_COLUMNS)?);
    let kernel = make((0..columns.len()).map(|j| each(j).0).collect(), degree);
    let slopes = (0..columns.len()).map(|j| each(j).1).collect();
    Ok(Node::Pairs(Box::new(Paired { kernel, points, slopes })))
}

/// A kernel of vectors, pair by pair, without parameters.
fn vectors<K: KernelGrad<[f64]> + 'static>(binder: &Binder<'_>, place: Place<'_>, kernel: K) -> Result<Node> {
    let columns = place.names(binder.x)?;
    let points = vector_points(binder, place, &columns)?;
    Ok(Node::Pairs(Box::new(Paired { kernel, points, slopes: Vec::new() })))
}

/// A kernel of vectors, pair by pair, with parameters.
fn vectors_with<K: KernelGrad<[f64]> + 'static>(
    binder: &mut Binder<'_>,
    place: Place<'_>,
    leaf: &Leaf,
    kernel: K,
) -> Result<Node> {
    let slopes = all_slopes(binder, leaf)?;
    let columns = place.names(binder.x)?;
    let points = vector_points(binder, place, &columns)?;
    Ok(Node::Pairs(Box::new(Paired { kernel, points, slopes })))
}

fn vector_points(binder: &Binder<'_>, place: Place<'_>, columns: &Names) -> Result<PointList<f64>> {
    let x = place.coordinates(binder.x, columns, binder.run)?;
    let y = binder.y.map(|y| other(place, y, columns, binder)).transpose()?;
    let (y, of_y) = y.map(|y| (y.values, y._reservation)).unzip();
    let reserved = x._reservation.into_iter().chain(of_y.flatten()).collect();
    Ok(PointList { depth: columns.len(), x: x.values, y, reserved })
}

/// Kernel values that came with the data.
fn precomputed(binder: &Binder<'_>, place: Place<'_>) -> Result<Node> {
    let Inputs::Precomputed(x) = binder.x else { return Err(place.wrong_data(binder.x)) };
    let own_diagonal = |k: &crate::data::Precomputed| (0..k.nrows()).map(|i| k.row(i)[i]).collect::<Vec<f64>>();
    let diagonals = match binder.y {
        None => {
            super::audit::symmetric(x.values(), x.nrows(), x.ncols(), "the precomputed matrix")?;
            [own_diagonal(x), own_diagonal(x)]
        }
        // Models keep the number of their points and not the matrix.
        Some(Inputs::Precomputed(y)) if y.nrows() == x.ncols() && y.ncols() == 0 => {
            [vec![0.0; x.nrows()], vec![0.0; y.nrows()]]
        }
        Some(Inputs::Precomputed(y)) if y.nrows() == x.ncols() && y.ncols() == x.ncols() => {
            // k(x, x) of new points is not known; normalising, which would need it, is refused.
            [vec![0.0; x.nrows()], own_diagonal(y)]
        }
        Some(y) => {
            let expected = format!("a {0}×{0} precomputed matrix, matching the {0} columns of the first", x.ncols());
            return Err(Error::shape("the second set", expected, format!("{} of {} rows", y.describe(), y.len())));
        }
    };
    super::audit::finite(x.values(), x.ncols(), "the precomputed matrix")?;
    let values = x.values().into();
    Ok(Node::Pairs(Box::new(Materialised {
        name: "precomputed".into(),
        values,
        ncols: x.ncols(),
        diagonals,
        free: false,
    })))
}

/// Binds a user's kernel.
pub(super) fn custom(binder: &mut Binder<'_>, place: Place<'_>, custom: &Custom) -> Result<Node> {
    let values =
        custom.params.iter().map(|(name, p)| binder.param(p, name).map(|(v, _)| v)).collect::<Result<Vec<f64>>>()?;
    let free = custom.params.iter().any(|(_, p)| p.free);
    let name = custom.name.clone();
    let pairs: Box<dyn super::pairs::Pairs> = match &custom.form {
        CustomForm::Vector(make) => {
            let columns = place.names(binder.x)?;
            Box::new(UserVectors { name, kernel: make(&values), points: vector_points(binder, place, &columns)?, free })
        }
        CustomForm::Text(make) => {
            let x = place.texts(binder.x, &place.names(binder.x)?)?;
            let y = binder.y.map(|y| place.texts(y, &place.names(y)?)).transpose()?;
            Box::new(UserTexts { name, kernel: make(&values), x, y, free })
        }
        CustomForm::Matrix(compute) => {
            let x = place.chosen(binder.x)?;
            let y = binder.y.map(|y| place.chosen(y)).transpose()?;
            Box::new(materialise(binder.run, name, free, (&x, y.as_ref()), |x, y| compute(x, y, &values))?)
        }
    };
    Ok(Node::Pairs(pairs))
}

/// Binds an expression in x and y to its column.
pub(super) fn expression(binder: &Binder<'_>, place: Place<'_>, expression: &Expression) -> Result<Node> {
    let columns = place.names(binder.x)?;
    let Some(column) = columns.get(0).filter(|_| columns.len() == 1) else {
        let problem = format!("an expression reads one numeric column, and here are {}", columns.len());
        return Err(place.error(None, problem, Some(format!("name one of {}", columns.quoted()))));
    };
    let points = vector_points(binder, place, &columns)?;
    for values in std::iter::once(&points.x).chain(&points.y) {
        if let Some(row) = values.iter().position(|v| !expression.domain().contains(*v)) {
            return Err(Error::Domain {
                kernel: format!("expression(\"{}\")", expression.scalar()),
                expected: expression.domain().describe().into(),
                got: format!("{} in row {row}", values[row]),
                column: Some(column.into_owned()),
                candidates: Vec::new(),
            });
        }
    }
    let kernel = Box::new(expression.clone());
    Ok(Node::Pairs(Box::new(UserVectors { name: "expression".into(), kernel, points, free: false })))
}

/// Calls a user's function for the whole matrix, and for the diagonals it needs.
fn materialise(
    run: &Run,
    name: String,
    free: bool,
    (x, y): (&Inputs, Option<&Inputs>),
    compute: impl Fn(&Inputs, &Inputs) -> Result<Vec<f64>>,
) -> Result<Materialised> {
    let (n, m) = (x.len(), y.map_or(x.len(), Inputs::len));
    let what = format!("the matrix of the user kernel `{name}`");
    let _reserved = run.reserve(8 * n as u128 * m as u128, &what, "use fewer rows")?;
    let checked = |x: &Inputs, y: &Inputs| {
        let values = compute(x, y)?;
        if values.len() != x.len() * y.len() {
            return Err(Error::shape(what.clone(), format!("{}×{} values", x.len(), y.len()), values.len()));
        }
        super::audit::finite(&values, y.len(), &what)?;
        Ok(values)
    };
    let own = |side: &Inputs| {
        (0..side.len()).map(|i| checked(&side.take(&[i]), &side.take(&[i])).map(|v| v[0])).collect::<Result<Vec<f64>>>()
    };
    let values = checked(x, y.unwrap_or(x))?;
    let diagonals = match y {
        Some(y) => [own(x)?, own(y)?],
        None => {
            super::audit::symmetric(&values, n, n, &what)?;
            let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
            [diagonal.clone(), diagonal]
        }
    };
    Ok(Materialised { name, values: values.into(), ncols: m, diagonals, free })
}
