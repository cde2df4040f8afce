//! The reader of FASTA and FASTQ files.

use mercer::data::FileFormat;

fn main() {
    mercer_fuzz::run(|bytes| mercer_fuzz::reader(FileFormat::Fasta, bytes));
}
