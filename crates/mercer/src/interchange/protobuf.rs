//! As much of the wire format of protocol buffers as a writer needs.
//!
//! A message is a run of fields, each a key (field number and wire type) and a value: a varint, or a length and bytes. Lists of
//! numbers are packed, which readers of either version of the language accept.
//!
//! **Reference** *Protocol Buffers Documentation*, Encoding.

/// A message under way.
#[derive(Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// The wire types that are used.
const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;

impl Message {
    /// The bytes of a message with the fields that `fill` writes.
    pub(super) fn bytes(fill: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::default();
        fill(&mut message);
        message.bytes
    }

    /// A whole number (`int32`, `int64` or an `enum`); negative ones take ten bytes.
    pub(super) fn int(&mut self, field: u32, value: i64) {
        self.key(field, VARINT);
        self.varint(value as u64);
    }

    /// A text.
    pub(super) fn text(&mut self, field: u32, value: &str) {
        self.delimited(field, value.as_bytes());
    }

    /// A message within this one.
    pub(super) fn message(&mut self, field: u32, fill: impl FnOnce(&mut Message)) {
        let inner = Message::bytes(fill);
        self.delimited(field, &inner);
    }

    /// A list of whole numbers.
    pub(super) fn ints(&mut self, field: u32, values: impl Iterator<Item = i64>) {
        let mut list = Message::default();
        values.for_each(|value| list.varint(value as u64));
        self.delimited(field, &list.bytes);
    }

    /// A list of `float` numbers.
    pub(super) fn floats(&mut self, field: u32, values: impl ExactSizeIterator<Item = f32>) {
        self.key(field, LENGTH_DELIMITED);
        self.varint(4 * values.len() as u64);
        self.bytes.reserve(4 * values.len());
        values.for_each(|value| self.bytes.extend(value.to_le_bytes()));
    }

    fn key(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    /// Seven bits a byte, lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn delimited(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the reference, and numbers at the ends.
    #[test]
    fn the_bytes_are_those_of_the_reference() {
        assert_eq!(Message::bytes(|m| m.int(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(Message::bytes(|m| m.text(2, "testing")), b"\x12\x07testing");
        assert_eq!(Message::bytes(|m| m.message(3, |m| m.int(1, 150))), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(
            Message::bytes(|m| m.ints(6, [3, 270, 86942].into_iter())),
            [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]
        );
        assert_eq!(Message::bytes(|m| m.int(1, -2)), [8, 0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(Message::bytes(|m| m.int(20, 0)), [0xa0, 0x01, 0]);
        assert_eq!(
            Message::bytes(|m| m.floats(7, [1.0f32, -2.0].into_iter())),
            [0x3a, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]
        );
    }
}
