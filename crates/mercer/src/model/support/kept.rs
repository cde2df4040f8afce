//! Values of functions at points whose kernel values a search has kept.

use std::collections::{BTreeMap, HashMap};

use crate::error::Result;
use crate::gram::Laid;
use crate::model::{Model, Sample};
use crate::run::Run;

/// The values of a model's functions, row-major, at points of which its sample is a part; nothing where values of its kernel are not
/// kept.
pub(crate) fn kept_values(sample: &Sample, model: &Model, points: &[usize], run: &Run) -> Result<Option<Vec<f64>>> {
    let Some((whole, own)) = sample.rows.as_ref().and_then(|rows| rows.member()) else { return Ok(None) };
    let same = |laid: &Laid| laid.kernel == *sample.space.kernel() && laid.rows.keeps_values();
    let (Some(laid), Some(support)) = (whole.laid().filter(same), model.support()) else { return Ok(None) };
    let place_of: HashMap<usize, usize> =
        laid.places.order.iter().enumerate().map(|(place, point)| (*point, place)).collect();
    let rows: Vec<usize> = support.rows.iter().map(|row| place_of[&own[*row]]).collect();
    let functions = model.outputs();
    let intercept = model.expansion().intercept();
    let mut values: Vec<f64> = points.iter().flat_map(|_| intercept.iter().copied()).collect();
    for (block, wanted) in by_block(&laid, points, &place_of) {
        let start = laid.places.blocks[block].start;
        for o in 0..functions {
            let coefficient = |at: &usize| model.coefficients()[at * functions + o];
            let used: Vec<usize> = (0..rows.len()).filter(|at| coefficient(at) != 0.0).collect();
            let v: Vec<f64> = used.iter().map(coefficient).collect();
            let used: Vec<usize> = used.iter().map(|at| rows[*at]).collect();
            let mut out = vec![0.0; laid.places.blocks[block].len()];
            laid.rows.product(block, &used, &v, &mut out, run)?;
            wanted.iter().for_each(|(at, place)| values[at * functions + o] += out[place - start]);
        }
    }
    Ok(Some(values))
}

/// Which of these points each block has, and where.
fn by_block(laid: &Laid, points: &[usize], place_of: &HashMap<usize, usize>) -> BTreeMap<usize, Vec<(usize, usize)>> {
    let mut blocks: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        let place = place_of[point];
        let block = laid.places.blocks.partition_point(|block| block.end <= place);
        blocks.entry(block).or_default().push((at, place));
    }
    blocks
}
