//! The worked examples are run; their own assertions are the test.

#[path = "../../../examples/rkhs_bounds.rs"]
mod bounds;
#[path = "../../../examples/gp_evidence.rs"]
mod evidence;
#[path = "../../../examples/rkhs_linear.rs"]
mod linear;
#[path = "../../../examples/rkhs_polynomial.rs"]
mod polynomial;

#[path = "../../../examples/study_gd_sgd.rs"]
mod study;

#[test]
fn worked_examples_hold() {
    for example in [linear::main, polynomial::main, bounds::main, evidence::main, study::main] {
        example().unwrap_or_else(|e| panic!("{e}"));
    }
}
