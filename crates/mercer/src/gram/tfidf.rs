//! In how many texts each n-gram stands: what the kernel `tfidf` learns from the data.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::{Inputs, PointSet, Texts};
use crate::error::{Result, counted};
use crate::kernel::text::tfidf::{MOST, Tfidf, entries};
use crate::kernel::{Leaf, unresolved};
use crate::run::Run;

use super::bind::Binder;
use super::columns::Place;
use super::node::Node;
use super::structured::features;

/// Texts between two looks at the run.
const STEP: usize = 256;

/// The kernel whose counts are known.
pub(super) fn tfidf(binder: &mut Binder<'_>, place: Place<'_>, leaf: &Leaf) -> Result<Node> {
    let kernel = Tfidf::of(leaf).ok_or_else(|| unresolved("tfidf.counts"))?;
    one_column(place, binder.x)?;
    features::<Texts, _>(binder, place, leaf, kernel, crate::kernel::vector::Cosine)
}

/// The text of the one column that the kernel reads.
fn one_column(place: Place<'_>, inputs: &Inputs) -> Result<Texts> {
    let columns = place.names(inputs)?;
    if columns.len() > 1 {
        let problem = format!("kernel `tfidf` reads one text column, got {}", columns.quoted());
        let help = "add one kernel for each: `tfidf(title) + tfidf(text)`".to_owned();
        return Err(place.error(None, problem, Some(help)));
    }
    place.texts(inputs, &columns)
}

/// The number of texts and of those with each n-gram, as the formula holds them, and how they were found.
pub(super) fn counts(place: Place<'_>, inputs: &Inputs, leaf: &Leaf, run: &Run) -> Result<(Arc<[String]>, String)> {
    let texts = one_column(place, inputs)?;
    let mut found = count(&texts, leaf, run)?;
    let least = leaf.integer("min_df");
    found.retain(|_, df| *df >= least);
    let known = counted(found.len(), "n-gram", "n-grams");
    if found.is_empty() || found.len() > MOST {
        let problem = match found.is_empty() {
            true => format!("no n-gram stands in {least} of the {} texts or more", texts.len()),
            false => format!("the texts hold {known}, and a kernel keeps at most {MOST}"),
        };
        let help = match found.is_empty() {
            true => "use a smaller `n` or `min_df`".to_owned(),
            false => format!("leave rare ones out: `min_df={}`", 2.max(least.saturating_mul(2))),
        };
        return Err(place.error(None, problem, Some(help)));
    }
    let detail = format!("{known} of {}", counted(texts.len(), "text", "texts"));
    Ok((entries(texts.len(), found).into(), detail))
}

fn count(texts: &Texts, leaf: &Leaf, run: &Run) -> Result<HashMap<String, u32>> {
    let ngrams = Tfidf::ngrams_of(leaf);
    let task = run.task("counting n-grams", Some(PointSet::len(texts).div_ceil(STEP) as u64));
    let mut found: HashMap<String, u32> = HashMap::new();
    for i in 0..PointSet::len(texts) {
        if i % STEP == 0 {
            task.step_or_cancel()?;
        }
        ngrams.counts(texts.point(i)).into_keys().for_each(|gram| *found.entry(gram).or_default() += 1);
    }
    Ok(found)
}
