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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::gram::{KernelMatrix, dense};
    use crate::kernel::KernelExpr;
    use crate::testkit::tol;
    use serde_json::Value;

    fn texts(list: &Value) -> Inputs {
        let list = list.as_array().expect("texts").iter().map(|t| t.as_str());
        Table::new(vec![("text".into(), Texts::from_values(list).into())]).expect("one column").into()
    }

    fn compare(case: &Value, got: &dyn KernelMatrix, expected: &Value) {
        let gram = dense::<f64>(got, &Run::new()).expect("fits into memory");
        for (i, row) in expected.as_array().expect("rows").iter().enumerate() {
            for (j, v) in row.as_array().expect("values").iter().enumerate() {
                let (got, v) = (gram.row(i)[j], v.as_f64().expect("a number"));
                assert!((got - v).abs() <= tol::GOLDEN, "{} at ({i}, {j}): {got:e}, expected {v:e}", case["name"]);
            }
        }
    }

    /// Weights are found in the texts of the training set, and new texts are weighed by them, as by scikit-learn.
    #[test]
    fn scikit_learn_tfidf() {
        let fixture = include_str!("../../tests/fixtures/scikit-learn-1.9.1/tfidf.json");
        let fixture: Value = serde_json::from_str(fixture).expect("the fixture is JSON");
        let cases = fixture["cases"].as_array().expect("cases");
        assert_eq!(cases.len(), 4);
        for case in cases {
            let (x, y) = (texts(&case["X"]), texts(&case["Y"]));
            let asked = KernelExpr::parse(case["formula"].as_str().expect("a formula")).expect("a formula");
            assert!(!asked.is_resolved());
            let early = asked.bind(&x, &Run::new()).map(|_| ()).expect_err("not resolved").to_string();
            assert!(early.contains("before its rule has been resolved"), "{early}");
            let (k, found) = asked.resolve(&x, &Run::new()).unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
            assert_eq!((found.len(), found[0].rule, k.is_resolved()), (1, "data", true));
            // What a model file keeps is the formula.
            let k = KernelExpr::parse(&k.to_string()).unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
            compare(case, &k.bind(&x, &Run::new()).expect("binds"), &case["K"]);
            compare(case, &k.bind_cross(&x, &y, &Run::new()).expect("binds"), &case["K_xy"]);
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let note = || Texts::from_values([Some("a b"), Some("c")]).into();
        let x: Inputs = Table::new(vec![("one".into(), note()), ("two".into(), note())]).expect("two columns").into();
        let refused = |formula: &str| {
            let error = KernelExpr::parse(formula).expect("a formula").resolve(&x, &Run::new()).expect_err("refused");
            (error.to_string(), error.hint().unwrap_or_default())
        };
        let (problem, hint) = refused("tfidf");
        assert!(problem.contains("reads one text column"), "{problem}");
        assert!(hint.contains("add one kernel for each"), "{hint}");
        let (problem, hint) = refused("tfidf(one, n=3)");
        assert!(problem.contains("no n-gram stands in 1 of the 2 texts"), "{problem}");
        assert!(hint.contains("smaller `n`"), "{hint}");
    }
}
