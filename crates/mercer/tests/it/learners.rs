//! Every learner of the catalogue, held to the laws of learners.

use mercer::model::catalogue;
use mercer::testkit::laws;

#[test]
fn every_learner_keeps_the_laws() {
    for learner in catalogue::all() {
        laws::learner(&learner);
    }
}
