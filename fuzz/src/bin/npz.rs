//! The reader of `npz` files.

use mercer::data::FileFormat;

fn main() {
    mercer_fuzz::run(|bytes| mercer_fuzz::reader(FileFormat::Npz, bytes));
}
