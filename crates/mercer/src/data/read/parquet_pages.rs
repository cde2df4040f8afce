//! The sizes that the pages of a Parquet file claim, read before anything is decoded.
//!
//! A reader has to reserve what a page says it unpacks to. A damaged or hostile page can claim
//! gigabytes in a few bytes, so the headers are walked first. A header is a record of the Thrift
//! compact protocol: fields of which the second and third are the sizes of the page, unpacked and
//! as stored. <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

use std::ops::Range;

/// A page up to this size, unpacked, is never suspicious; writers cut pages at about 1 MiB.
const ORDINARY: u64 = 64 << 20;
/// Beyond it, a page may unpack to this many times its stored size.
const EXPANSION: u64 = 4096;
/// Records inside records; a page header has three.
const MAX_DEPTH: usize = 16;

/// Bytes that are needed to unpack the pages that fill `place` one after the other: the first, which may be a dictionary
/// that stays, and the largest. Nothing if a page claims to unpack to far more than it can hold.
///
/// A walk that loses its way ends: the decoder will lose it at the same place, and say so.
pub(super) fn largest(file: &[u8], place: Range<usize>) -> Option<u64> {
    let mut rest = file.get(place).unwrap_or_default();
    let (mut first, mut largest) = (None, 0);
    while !rest.is_empty() {
        let mut header = Compact { rest };
        let Some(sizes) = header.page_sizes() else { break };
        if sizes.unpacked > ORDINARY && sizes.unpacked / EXPANSION > sizes.stored {
            return None;
        }
        first.get_or_insert(sizes.unpacked);
        largest = sizes.unpacked.max(largest);
        rest = usize::try_from(sizes.stored).ok().and_then(|stored| header.rest.get(stored..)).unwrap_or_default();
    }
    Some(first.unwrap_or(0).saturating_add(largest))
}

#[derive(Default)]
struct Sizes {
    unpacked: u64,
    stored: u64,
}

/// What is left of a record of the compact protocol.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    /// Reads a page header to its end.
    fn page_sizes(&mut self) -> Option<Sizes> {
        let mut sizes = Sizes::default();
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (2, 5) => sizes.unpacked = self.size()?,
                (3, 5) => sizes.stored = self.size()?,
                _ => self.skip(kind, MAX_DEPTH)?,
            }
        }
        Some(sizes)
    }

    /// The type of the next field, whose number goes to `id`; nothing at the end of the record.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        if kind == 0 {
            return Some(None);
        }
        *id = if step == 0 { self.zigzag()? } else { id.checked_add(i64::from(step))? };
        Some(Some(kind))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // A boolean field is its own type; it has no bytes.
            1 | 2 => Some(()),
            3 => self.bytes(1),
            4..=6 => self.varint().map(drop),
            7 => self.bytes(8),
            8 => {
                let len = self.varint()?;
                self.bytes(len)
            }
            9 | 10 => self.skip_list(depth),
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth)?;
                }
                Some(())
            }
            // Page headers have no maps.
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: usize) -> Option<()> {
        let byte = self.byte()?;
        let len = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
        for _ in 0..len {
            match byte & 0x0f {
                // Booleans in a list take a byte each.
                1 | 2 => self.bytes(1)?,
                kind => self.skip(kind, depth)?,
            }
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A number that counts bytes, and so is not negative.
    fn size(&mut self) -> Option<u64> {
        u64::try_from(self.zigzag()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page of `stored` bytes that claims `unpacked`, with a nested header of its values.
    fn page(unpacked: i64, stored: i64) -> Vec<u8> {
        let varint = |value: i64| {
            let mut bits = (value as u64) << 1;
            let mut bytes = Vec::new();
            while bits >= 0x80 {
                bytes.push(bits as u8 | 0x80);
                bits >>= 7;
            }
            bytes.push(bits as u8);
            bytes
        };
        let mut bytes = vec![0x15, 0x00, 0x15];
        bytes.extend(varint(unpacked));
        bytes.push(0x15);
        bytes.extend(varint(stored));
        // Field 5, a record: two numbers, a text, a boolean.
        bytes.extend([0x2c, 0x15, 0x02, 0x15, 0x04, 0x18, 0x02, b'a', b'b', 0x11, 0x00, 0x00]);
        bytes.resize(bytes.len() + stored as usize, 7);
        bytes
    }

    #[test]
    fn only_a_page_that_claims_too_much_is_refused() {
        let honest = [page(1000, 20), page(5 << 20, 100)].concat();
        assert_eq!(largest(&honest, 0..honest.len()), Some(1000 + (5 << 20)));
        let overclaims = |bytes: &[u8], place| largest(bytes, place).is_none();
        let hostile = [page(1000, 20), page(1 << 30, 20)].concat();
        assert!(overclaims(&hostile, 0..hostile.len()));
        // Ends too early, or past the file.
        assert!(!overclaims(&honest, 0..honest.len() - 1));
        assert!(!overclaims(&honest, 0..5));
        assert!(!overclaims(&honest, 0..honest.len() + 1));
    }

    #[test]
    fn no_bytes_make_it_panic_or_hang() {
        let mut chance = crate::chance::Chance::new(1);
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..40).map(|_| chance.below(256) as u8).collect();
            largest(&bytes, 0..bytes.len());
        }
        // A list that claims 2³⁵ records ends with the bytes.
        assert_eq!(largest(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f], 0..7), Some(0));
    }
}
