//! Stops while clusters are found.

use mercer::Error;
use mercer::certificate::{Measure, Stop};
use mercer::data::{Inputs, Target};
use mercer::model::cluster::{KernelKMeans, SpectralClustering};
use mercer::model::{Fitted, Learner};
use mercer::testkit::points::Chance;

use super::{kernel, labels, naive_gram, naive_inertia, points};
use crate::stop_at::stopped_at;

const CLUSTERS: usize = 3;
const FORMULA: &str = "rbf(length_scale=1)";

/// Points around three centres that overlap, more than are decomposed whole.
fn cloud(n: usize) -> (Inputs, Vec<Vec<f64>>) {
    let mut chance = Chance::new(11);
    let rows: Vec<Vec<f64>> = (0..n).map(|i| vec![(i % 3) as f64 * 1.5 + chance.normal(), chance.normal()]).collect();
    (points(&rows.concat(), 2), rows)
}

/// The cluster that each row's coefficients name.
fn named(fitted: &Fitted) -> Vec<usize> {
    let largest = |row: &[f64]| (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
    fitted.model.coefficients().chunks(fitted.model.outputs()).map(largest).collect()
}

/// What a stop leaves is a partition of all rows, whose certificate says that it was stopped.
fn holds(fitted: &Fitted, x: &Inputs, gram: &[Vec<f64>], step: u64) {
    let certificate = fitted.model.certificate();
    let clusters = labels(&fitted.model, x);
    assert_eq!(clusters.len(), x.len());
    assert!(clusters.iter().all(|c| *c < CLUSTERS), "step {step}");
    if let Some(inertia) = certificate.get(Measure::Inertia) {
        let wanted = naive_inertia(gram, &named(fitted), &vec![1.0; x.len()]);
        assert!((inertia - wanted).abs() <= 1e-9 * wanted.max(1.0), "step {step}: {inertia}, not {wanted}");
        let bound = certificate.get(Measure::InertiaBound);
        assert!(bound.is_none_or(|bound| bound <= wanted), "step {step}: {bound:?} above {wanted}");
    }
    let notes: Vec<String> = fitted.report.notes.iter().map(|note| note.to_string()).collect();
    let said = notes.iter().any(|note| note.contains("interrupt"));
    assert_eq!(said, certificate.stop == Stop::Interrupted, "step {step}: {notes:?}");
    assert!(notes.iter().all(|note| !note.contains("no more")), "step {step}: {notes:?}");
}

/// Wherever the work is stopped, there is an answer as soon as there are eigenvectors or kernel values.
#[test]
fn clusters_are_left_wherever_the_work_stops() {
    let (x, rows) = cloud(260);
    let gram = naive_gram(FORMULA, &rows);
    let means = KernelKMeans { kernel: kernel(FORMULA), clusters: CLUSTERS, bound: true, ..Default::default() };
    let spectral = SpectralClustering { kernel: kernel(FORMULA), clusters: CLUSTERS, ..Default::default() };
    for learner in [Learner::from(means), spectral.into()] {
        let (run, counter) = stopped_at(u64::MAX);
        learner.fit(&x, Target::None, None, &run).expect("clusters");
        let (total, mut stopped) = (counter.seen(), 0);
        for step in (1..=total).step_by(total.div_ceil(60) as usize) {
            let (run, _) = stopped_at(step);
            match learner.fit(&x, Target::None, None, &run) {
                // Before there is anything to part.
                Err(Error::Cancelled { stage, .. }) => {
                    assert!(!stage.contains("means") && !stage.contains("clusters"), "{stage} at step {step}");
                }
                Err(error) => panic!("step {step} of {total}: {error}"),
                Ok(fitted) => {
                    holds(&fitted, &x, &gram, step);
                    stopped += usize::from(fitted.model.certificate().stop == Stop::Interrupted);
                }
            }
        }
        assert!(stopped >= 3, "{}: {stopped} of {total} steps", learner.spec().name);
    }
}
