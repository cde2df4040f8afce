//! Files of named arrays with a text: safetensors, and what Mercer asks of it beyond the format.
//!
//! A [`Writer`] collects arrays and gives bytes, the same bytes for the same arrays, with a checksum over text and arrays. A
//! [`Reader`] refuses bytes that do not have it, hands arrays out by name, each with the type and the shape that is asked for, and refuses what is left
//! over: nothing in a file goes unchecked.

mod checksum;
mod column;
mod read;
mod write;

pub use column::{ColumnReader, ColumnWriter};
pub use read::Reader;
pub use write::Writer;

/// The key of the text in the `__metadata__` of a file.
pub(crate) const KEY: &str = "mercer";

/// Whether a file that begins so was written by a [`Writer`].
///
/// ```
/// let bytes = mercer::save::Writer::new("a text").finish()?;
/// assert!(mercer::save::is_own(&bytes) && !mercer::save::is_own(b"x,y\n1,2\n"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn is_own(beginning: &[u8]) -> bool {
    // Eight bytes of length, then JSON, which begins with the metadata.
    let mark = format!("{{\"__metadata__\":{{\"{KEY}\":");
    beginning.get(8..).is_some_and(|header| header.starts_with(mark.as_bytes()))
}

/// The bytes with the checksum that belongs to them, for tests of what is checked behind it. What is no archive stays as it
/// is.
pub fn resealed(bytes: &[u8]) -> Vec<u8> {
    checksum::resealed(bytes).unwrap_or_else(|| bytes.to_vec())
}

/// The longest text, in bytes. Names of columns and categories stand there, and no data.
pub(crate) const LONGEST_TEXT: usize = 1 << 26;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn bytes() -> Vec<u8> {
        let mut writer = Writer::new("a \"text\"");
        writer.numbers("b", &[2, 2], &[1.0, -0.0, f64::from_bits(0x7ff8_0000_0000_0001), f64::MIN_POSITIVE / 4.0]);
        writer.places("a", &[0, u64::MAX]);
        writer.codes("c", &[7]);
        writer.bytes("d", &[]);
        writer.finish().expect("small")
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        let bytes = bytes();
        assert_eq!(bytes, self::bytes());
        let mut reader = Reader::new(&bytes, Path::new("m")).expect("valid");
        assert_eq!(reader.text(), "a \"text\"");
        let b: Vec<u64> = reader.numbers("b", &[2, 2]).expect("there").iter().map(|x| x.to_bits()).collect();
        assert_eq!(b, [1f64.to_bits(), 1 << 63, 0x7ff8_0000_0000_0001, 1 << 50]);
        assert_eq!(reader.places("a", 2).expect("there"), [0, u64::MAX]);
        assert_eq!(reader.codes("c", 1).expect("there"), [7]);
        assert!(reader.has("d") && !reader.has("e"));
        assert!(reader.bytes("d").expect("there").is_empty());
        reader.check_all_read().expect("all read");
    }

    #[test]
    fn wrong_shapes_types_and_names_are_named() {
        let bytes = bytes();
        let told = |f: &dyn Fn(&mut Reader<'_>) -> crate::Result<()>| {
            let mut reader = Reader::new(&bytes, Path::new("m")).expect("valid");
            f(&mut reader).expect_err("refused").to_string()
        };
        assert_eq!(told(&|r| r.numbers("b", &[4]).map(drop)), "m: the array `b` has shape [2, 2], expected [4]");
        assert_eq!(told(&|r| r.numbers("c", &[1]).map(drop)), "m: the array `c` holds U32, expected F64");
        assert_eq!(told(&|r| r.codes("x", 1).map(drop)), "m: the array `x` is missing");
        assert_eq!(told(&|r| r.check_all_read()), "m: the arrays `a`, `b`, `c`, `d` have no meaning here");
    }

    #[test]
    fn what_is_no_archive_says_so() {
        for (bytes, said) in [
            (&b""[..], "the file is cut off"),
            (b"{\"a\": 1}", "the file is damaged"),
            (b"\x02\0\0\0\0\0\0\0{}", "has no text under the key `mercer`"),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff{}", "the file is damaged"),
        ] {
            let message = Reader::new(bytes, Path::new("m")).map(drop).expect_err("refused").to_string();
            assert!(message.contains(said), "{message}");
        }
    }
}
