//! Which format a file is in.

use std::path::Path;

use crate::error::{Error, Result};

use super::fasta;
use super::source::Source;
use super::{FileFormat, ReadOptions};

/// First bytes that tell a format.
const MAGIC: [(&[u8], FileFormat); 6] = [
    (b"PAR1", FileFormat::Parquet),
    (b"ARROW1", FileFormat::Arrow),
    // The continuation mark that opens an Arrow stream.
    (b"\xff\xff\xff\xff", FileFormat::Arrow),
    (b"\x93NUMPY", FileFormat::Npy),
    (b"PK\x03\x04", FileFormat::Npz),
    // A zip archive without members.
    (b"PK\x05\x06", FileFormat::Npz),
];

/// First bytes of formats that Mercer does not read, with what to do instead.
const FOREIGN: [(&[u8], &str, &str); 7] = [
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it, or pack it with gzip"),
    (b"BZh", "a bzip2 file", "unpack it, or pack it with gzip"),
    (b"\xfd7zXZ", "an xz file", "unpack it, or pack it with gzip"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet or CSV"),
    (b"FEA1", "a Feather version 1 file", "save it as Feather version 2, which is Arrow IPC"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "save the sheet as CSV"),
    (b"%PDF", "a PDF file", "save the table as CSV"),
];

/// The format of `source`: as asked, or by its first bytes, its extension, its content.
pub(super) fn choose(source: &Source<'_>, options: &ReadOptions) -> Result<FileFormat> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    let head = source.head();
    let extension = extension(&source.path);
    if let Some((_, what, instead)) = FOREIGN.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(unsupported(&source.path, what, instead));
    }
    if matches!(extension.as_str(), "xlsx" | "ods") {
        return Err(unsupported(&source.path, "a spreadsheet", "save the sheet as CSV"));
    }
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Ok(*format);
    }
    if looks_like_json(head) || matches!(extension.as_str(), "json" | "jsonl" | "ndjson") {
        let instead =
            "save the table as CSV or Parquet; in Python, `pandas.read_json(path, lines=True)` gives a frame to pass";
        return Err(unsupported(&source.path, "JSON", instead));
    }
    Ok(match extension.as_str() {
        "csv" | "tsv" | "tab" => FileFormat::Csv,
        "svm" | "libsvm" | "svmlight" => FileFormat::Libsvm,
        "npy" => FileFormat::Npy,
        "npz" => FileFormat::Npz,
        "parquet" | "pq" => FileFormat::Parquet,
        "arrow" | "arrows" | "feather" | "ipc" => FileFormat::Arrow,
        "fa" | "fasta" | "fas" | "fna" | "faa" | "ffn" | "frn" | "fastq" | "fq" => FileFormat::Fasta,
        _ if fasta::looks_like_it(head) => FileFormat::Fasta,
        _ if looks_sparse(head) => FileFormat::Libsvm,
        _ => FileFormat::Csv,
    })
}

fn unsupported(path: &Path, what: &str, instead: &str) -> Error {
    Error::Unsupported { what: format!("{}: reading {what}", path.display()), alternative: instead.into() }
}

/// The error of a build without Parquet and Arrow.
#[cfg(not(feature = "arrow"))]
pub(super) fn no_arrow() -> Error {
    Error::Unsupported {
        what: "reading Parquet and Arrow files in this build".into(),
        alternative: "build with the feature `arrow`, or save the table as CSV".into(),
    }
}

/// The extension in small letters, without a last `.gz`.
pub(super) fn extension(path: &Path) -> String {
    let lower = |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match lower(path).as_str() {
        "gz" => lower(&path.with_extension("")),
        other => other.to_owned(),
    }
}

/// The file's name without its extensions.
pub(super) fn stem(path: &Path) -> String {
    let stem = |p: &Path| p.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let first = stem(path);
    match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz")) {
        true => stem(Path::new(&first)),
        false => first,
    }
}

/// Whether the text begins as objects or arrays of JSON do. No line of a table does.
fn looks_like_json(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut content = head.iter().copied().filter(|b| !b.is_ascii_whitespace());
    matches!(
        (content.next(), content.next()),
        (Some(b'{'), Some(b'"' | b'}')) | (Some(b'['), Some(b'{' | b'[' | b'"' | b']'))
    )
}

/// Whether the first line with content is a label followed by `index:value` pairs.
fn looks_sparse(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(line) = text.lines().find(content) else { return false };
    let mut tokens: Vec<&str> = line.split_whitespace().collect();
    // The head may cut the last token of a very long line.
    if tokens.len() > 100 {
        tokens.truncate(100);
    }
    let pair =
        |token: &&str| token.split_once(':').is_some_and(|(i, v)| i.parse::<u64>().is_ok() && v.parse::<f64>().is_ok());
    tokens.len() > 1 && tokens[0].parse::<f64>().is_ok() && tokens[1..].iter().all(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_stems_see_through_gzip() {
        assert_eq!(extension(Path::new("a/B.CSV.gz")), "csv");
        assert_eq!(extension(Path::new("a/b.npy")), "npy");
        assert_eq!(stem(Path::new("a/b.csv.gz")), "b");
        assert_eq!(stem(Path::new("a/b.c.csv")), "b.c");
        assert_eq!(extension(Path::new("heart_scale")), "");
    }

    #[test]
    fn json_is_told_from_tables() {
        for json in ["{\"a\": 1}\n", "\n [\n {\"a\": 1}]", "[[1, 2]]", "\u{feff}{}"] {
            assert!(looks_like_json(json.as_bytes()), "{json}");
        }
        for table in ["a,b\n", "{a},b\n", "[a],b\n", "\"{\",b\n", "[1],2\n", ""] {
            assert!(!looks_like_json(table.as_bytes()), "{table}");
        }
    }

    #[test]
    fn sparse_text_is_told_from_tables() {
        assert!(looks_sparse(b"# made by hand\n+1 1:0.5 3:-2\n"));
        assert!(!looks_sparse(b"1,2,3\n"));
        assert!(!looks_sparse(b"time 12:30\n"));
        assert!(!looks_sparse(b"1\n2\n"));
    }
}
