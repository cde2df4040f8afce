//! Formulas, and what is done with a kernel before there is real data.

fn main() {
    mercer_fuzz::run(mercer_fuzz::formula);
}
