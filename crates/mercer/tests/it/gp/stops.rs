//! A stop while a process is fitted directly.

use std::time::Duration;

use mercer::Run;
use mercer::certificate::Stop;
use mercer::data::{Inputs, Targets};
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::model::{Fitted, Model, Tuning};
use mercer::testkit::points::vectors;

use super::{classifier, classify, fit, labels, regressor, rows};

const ROWS: usize = 6_000;
const FEW: usize = 1_000;

/// sin(2x₀) + x₁.
fn numbers(x: &Inputs) -> Targets {
    let value = |i: usize| (2.0 * rows(x).row(i)[0]).sin() + rows(x).row(i)[1];
    Targets::new((0..x.len()).map(value).collect::<Vec<_>>(), 1).expect("finite")
}

fn says_so(fitted: &Fitted) {
    assert_eq!(fitted.model.certificate().stop, Stop::Deadline);
    assert_eq!(fitted.model.points().len(), FEW, "a factor of {ROWS} rows in 0.3 s");
    let said: Vec<String> = fitted.report.notes.iter().map(|note| note.to_string()).collect();
    assert!(said.iter().any(|note| note.contains("knows 1000 of 6000")), "{said:?}");
}

/// A factor of 6,000 rows takes far longer than the moment that is left: the process of a thousand of them is the answer, and it is
/// the one that is fitted to these rows at these parameters.
#[test]
fn a_stop_leaves_the_process_of_some_rows() {
    let (x, new): (Inputs, Inputs) = (vectors(ROWS, 3, 17).into(), vectors(20, 3, 18).into());
    let few = x.take(&(0..FEW).map(|i| i * ROWS / FEW).collect::<Vec<_>>());
    let late = || Run::new().with_deadline(Duration::ZERO);
    let means = |model: &Model| model.predict(&new, &Run::new()).expect("means");
    let own = regressor("1*rbf(length_scale=1)", 0.1);
    let gp = GaussianProcessRegressor { tuning: Some(Tuning::default()), ..own.clone() };
    let stopped = gp.fit(&x, numbers(&x), None, &late()).expect("an answer");
    says_so(&stopped);
    assert_eq!(means(&stopped.model), means(&fit(&own, &few, &numbers(&few), None).model));
    let own = classifier("1*rbf(length_scale=1)");
    let gp = GaussianProcessClassifier { tuning: Some(Tuning::default()), ..own.clone() };
    let stopped = gp.fit(&x, labels(&x), None, &late()).expect("an answer");
    says_so(&stopped);
    assert_eq!(means(&stopped.model), means(&classify(&own, &few, &labels(&few), None).model));
}
