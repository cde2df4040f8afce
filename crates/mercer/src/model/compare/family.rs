//! Kernels for samples of which nothing is known.

use crate::data::{ColumnType, Inputs, StructuredType};
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::kernel::{KernelExpr, Kind};
use crate::rkhs::Space;
use crate::run::Run;

/// Kernels of numbers: smooth, and with a peak.
const FAMILIES: [&str; 2] = ["rbf", "laplace"];
/// Length scales of each.
const SCALES: usize = 6;
/// Rows whose distances are looked at.
const SAMPLE: usize = 500;

/// The kernels that are fused where none is given: Gaussian and Laplace kernels of the numbers with length scales from half of the
/// 5 % quantile of the distances to twice the 95 % quantile, in equal ratios; one kernel of the categories, and one of text and of
/// what else has a structure; and the product of all parts, which sees what none of them sees alone. Parts are kernels of
/// their own, so that what does not differ adds no noise to what does.
pub(super) fn family(z: &Inputs, run: &Run) -> Result<Vec<KernelExpr>> {
    let frame = Frame::of(z)?;
    let numbers = if frame.numbers { of_numbers(z, run)? } else { Vec::new() };
    let others: Vec<String> =
        frame.categories.then(|| "hamming".to_owned()).into_iter().chain(frame.structured).collect();
    // Of the Gaussian kernels, one in the middle stands for the numbers.
    let middle = numbers.get((SCALES / 2).min(numbers.len().saturating_sub(1)));
    let parts: Vec<&str> = middle.into_iter().chain(&others).map(String::as_str).collect();
    let joint = (parts.len() > 1).then(|| parts.join("*"));
    numbers.iter().chain(&others).chain(&joint).map(|formula| KernelExpr::parse(formula)).collect()
}

/// Kernels of the numbers with length scales that suit their distances.
fn of_numbers(z: &Inputs, run: &Run) -> Result<Vec<String>> {
    let Some((low, high)) = quantiles(z, run)? else { return Ok(vec!["rbf(length_scale=1)".to_owned()]) };
    let ratio = (high / low).powf(1.0 / (SCALES - 1) as f64);
    let scales = || (0..SCALES).map(|s| low * ratio.powi(s as i32));
    Ok(FAMILIES.iter().flat_map(|f| scales().map(move |l| format!("{f}(length_scale={l:e})"))).collect())
}

/// One kernel for the columns there are, with the median distance of the numbers as its length scale.
pub(super) fn plain(z: &Inputs) -> Result<KernelExpr> {
    let frame = Frame::of(z)?;
    frame.with(if frame.numbers { "rbf" } else { "" })
}

/// What surrounds a kernel of the numbers.
struct Frame {
    numbers: bool,
    categories: bool,
    structured: Vec<String>,
}

impl Frame {
    fn of(z: &Inputs) -> Result<Self> {
        let has = |wanted: ColumnType| match z {
            Inputs::Table(table) => table.iter().any(|(_, column)| column.column_type() == wanted),
            Inputs::Precomputed(_) => false,
            _ => wanted == ColumnType::Number && !z.columns().is_empty(),
        };
        let kernel = |kind| Kind::first_of(kind).map(|kernel| format!("normalize({})", kernel.spec().name));
        let structured: Vec<String> = match z {
            Inputs::Precomputed(_) => vec!["precomputed".into()],
            _ => StructuredType::all().filter(|k| has(ColumnType::Structured(k))).filter_map(kernel).collect(),
        };
        let frame = Frame { numbers: has(ColumnType::Number), categories: has(ColumnType::Category), structured };
        match frame.numbers || frame.categories || !frame.structured.is_empty() {
            true => Ok(frame),
            false => Err(Error::shape("the samples", "at least 1 column for a kernel to read", 0)),
        }
    }

    fn with(&self, numbers: &str) -> Result<KernelExpr> {
        let table = match (self.numbers, self.categories) {
            (true, true) => Some(format!("({numbers} + 1)*(hamming + 1)")),
            (true, false) => Some(numbers.to_owned()),
            (false, true) => Some("hamming".to_owned()),
            (false, false) => None,
        };
        let parts: Vec<String> = table.into_iter().chain(self.structured.iter().cloned()).collect();
        KernelExpr::parse(&parts.join(" + "))
    }
}

/// Half of the 5 % quantile and twice the 95 % quantile of the positive distances of the numbers, among a few hundred different
/// rows; nothing where all rows are equal.
fn quantiles(z: &Inputs, run: &Run) -> Result<Option<(f64, f64)>> {
    let distinct = z.distinct();
    let count = distinct.len().min(SAMPLE);
    let sample = z.take(&(0..count).map(|i| distinct[i * distinct.len() / count.max(1)]).collect::<Vec<_>>());
    if count < 2 {
        return Ok(None);
    }
    // A distance is read off a kernel of it. Rows may differ in other columns alone.
    let Ok(space) = Space::new(&KernelExpr::parse("laplace")?, &sample, run) else { return Ok(None) };
    let median = space.resolutions().first().map_or(1.0, |r| r.value);
    let bound = space.gram(&sample, run)?;
    let mut distances = Vec::with_capacity(count * (count - 1) / 2);
    let mut row = vec![0.0; count];
    for i in 1..count {
        bound.block(i..i + 1, 0..i, TileMut::contiguous(&mut row[..i], 1, i));
        distances.extend(row[..i].iter().map(|k| -k.max(f64::MIN_POSITIVE).ln() * median).filter(|d| *d > 0.0));
    }
    distances.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| distances.get((share * (distances.len().saturating_sub(1)) as f64).round() as usize);
    Ok(at(0.05).zip(at(0.95)).map(|(low, high)| (0.5 * low, 2.0 * high)))
}
