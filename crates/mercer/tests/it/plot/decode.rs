//! A reader of the PNG files that Mercer writes, from the text of the standard (ISO/IEC 15948): slow and plain.

use std::io::Read;

/// A picture, three bytes a pixel.
pub struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

/// The checksum of Annex D, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let bit = |c: u32| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
    !bytes.iter().fold(!0, |c: u32, byte| (0..8).fold(c ^ u32::from(*byte), |c, _| bit(c)))
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |n, byte| (n << 8) | usize::from(*byte))
}

/// Kinds and contents of all chunks, whose checksums must be right.
fn chunks(mut file: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    while !file.is_empty() {
        let length = number(&file[..4]);
        assert_eq!(number(&file[8 + length..12 + length]), checksum(&file[4..8 + length]) as usize);
        found.push((file[4..8].to_vec(), file[8..8 + length].to_vec()));
        file = &file[12 + length..];
    }
    found
}

/// The pixels of a file of 8 bits a channel, red, green and blue, without filters or interlacing.
pub fn decode(file: &[u8]) -> Pixels {
    assert_eq!(file[..8], [137, 80, 78, 71, 13, 10, 26, 10]);
    let chunks = chunks(&file[8..]);
    assert_eq!((chunks[0].0.as_slice(), chunks[chunks.len() - 1].0.as_slice()), (&b"IHDR"[..], &b"IEND"[..]));
    let header = &chunks[0].1;
    let (width, height) = (number(&header[..4]), number(&header[4..8]));
    assert_eq!(header[8..], [8, 2, 0, 0, 0]);
    let packed: Vec<u8> = chunks.iter().filter(|c| c.0 == b"IDAT").flat_map(|c| c.1.clone()).collect();
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).expect("a zlib stream");
    assert_eq!(rows.len(), height * (1 + 3 * width));
    assert!(rows.chunks(1 + 3 * width).all(|row| row[0] == 0), "no row is filtered");
    Pixels { width, height, rgb: rows.chunks(1 + 3 * width).flat_map(|row| row[1..].to_vec()).collect() }
}

#[test]
fn the_checksum_is_that_of_the_standard() {
    // The check value of CRC-32/ISO-HDLC.
    assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
}
