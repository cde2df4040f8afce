//! What parts of kernel rows are found by.

use std::hash::Hasher;

/// A row over one block of columns.
pub(super) type Key = (u32, u32);

/// A hash of two small numbers: rows are asked for thousands of times a second, and nobody chooses their numbers to collide.
#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u32(u32::from(*b)));
    }

    fn write_u32(&mut self, number: u32) {
        // Knuth's multiplicative hashing, by the golden ratio.
        self.0 = (self.0.rotate_left(32) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
