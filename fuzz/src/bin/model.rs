//! The reader of model files.

fn main() {
    mercer_fuzz::run(|bytes| {
        mercer_fuzz::model(bytes);
    });
}
