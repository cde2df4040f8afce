//! What every input is put through; the ordinary tests replay the corpus through the same code.

#[path = "../../crates/mercer/tests/it/fuzz_checks.rs"]
mod checks;

pub use checks::{formula, model, reader};

/// Runs a check under the fuzzer.
///
/// No hook aborts inside a panic: a reader that catches a panic of a library it stands on, and
/// answers with an error, does what it should.
pub fn run(check: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    afl::fuzz_nohook!(|bytes: &[u8]| check(bytes));
}
