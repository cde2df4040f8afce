//! Bad input, and work that is stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mercer::data::{Inputs, Rows, Target};
use mercer::model::reduce::{KernelPca, PcaSolver};
use mercer::testkit::points;
use mercer::{Error, Run};

use super::{fit, pca, run, with};

#[test]
fn what_does_not_vary_is_an_error_that_says_so() {
    let one: Inputs = Rows::new(vec![1.0, 2.0], 1, 2).expect("a row").into();
    let same: Inputs = Rows::new(vec![1.0; 20], 10, 2).expect("rows").into();
    for solver in [PcaSolver::Auto, PcaSolver::Dense, PcaSolver::Iterative, PcaSolver::Nystrom] {
        for x in [&one, &same] {
            let refused = with("rbf(length_scale=1)", 2, solver).fit(x, Target::None, None, &run());
            let refused = refused.expect_err("nothing varies");
            assert!(refused.to_string().contains("the same point"), "{solver:?}: {refused}");
            assert!(refused.hint().is_some());
        }
    }
    // Without centring one point has a direction.
    let alone = KernelPca { center: false, ..pca("rbf(length_scale=1)", 2) };
    assert_eq!(fit(&alone, &one, None).model.outputs(), 1);
}

#[test]
fn settings_without_a_meaning_are_refused() {
    let x: Inputs = points::vectors(10, 2, 1).into();
    for bad in [
        KernelPca { components: 0, ..pca("linear", 1) },
        KernelPca { landmarks: 0, ..pca("linear", 1) },
        KernelPca { tolerance: 0.0, ..pca("linear", 1) },
        KernelPca { tolerance: f64::NAN, ..pca("linear", 1) },
    ] {
        let refused = bad.fit(&x, Target::None, None, &run()).expect_err("no meaning");
        assert!(matches!(refused, Error::InvalidParameter { .. }), "{refused}");
    }
    let gap: Inputs = Rows::new(vec![1.0, f64::NAN, 2.0, 3.0], 2, 2).expect("rows").into();
    assert!(pca("linear", 1).fit(&gap, Target::None, None, &run()).is_err());
    // Ten rows, of which two are copies of another: eight points have seven directions.
    assert_eq!(fit(&pca("rbf(length_scale=1)", 1000), &x, None).model.outputs(), 7);
}

#[test]
fn memory_and_interrupts_are_obeyed() {
    let x: Inputs = points::vectors(400, 2, 2).into();
    let learner = pca("rbf(length_scale=1)", 2);
    let small = learner.fit(&x, Target::None, None, &Run::new().with_memory_limit(10_000));
    assert!(matches!(small, Err(Error::Memory { .. })), "{:?}", small.map(|_| ()));
    let raised = Run::new().with_cancel(Arc::new(AtomicBool::new(true)));
    assert!(matches!(learner.fit(&x, Target::None, None, &raised), Err(Error::Cancelled { .. })));
}
