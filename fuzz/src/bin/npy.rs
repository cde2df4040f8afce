//! The reader of `npy` files.

use mercer::data::FileFormat;

fn main() {
    mercer_fuzz::run(|bytes| mercer_fuzz::reader(FileFormat::Npy, bytes));
}
