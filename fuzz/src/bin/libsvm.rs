//! The reader of `libsvm` files.

use mercer::data::FileFormat;

fn main() {
    mercer_fuzz::run(|bytes| mercer_fuzz::reader(FileFormat::Libsvm, bytes));
}
