//! The reader of `parquet` files.

use mercer::data::FileFormat;

fn main() {
    mercer_fuzz::run(|bytes| mercer_fuzz::reader(FileFormat::Parquet, bytes));
}
