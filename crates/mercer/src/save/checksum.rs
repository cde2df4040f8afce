//! A number that changes when a bit does.
//!
//! XXH64 of the text and, in the order of their names, of each array with its name, type and shape. It guards against
//! damage, not against somebody who writes a file on purpose.

use std::hash::Hasher;

use safetensors::Dtype;
use twox_hash::XxHash64;

/// The word before the number.
const MARK: &str = "xxh64:";
/// Its digits.
const DIGITS: usize = 16;

pub(super) struct Checksum(XxHash64);

impl Checksum {
    pub(super) fn new(text: &str) -> Self {
        let mut sum = Checksum(XxHash64::with_seed(0));
        sum.part(text.as_bytes());
        sum
    }

    /// The length goes first, so that no byte can move from one part to the next.
    fn part(&mut self, bytes: &[u8]) {
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
    }

    pub(super) fn add(&mut self, name: &str, dtype: Dtype, shape: &[usize], bytes: &[u8]) {
        self.part(name.as_bytes());
        self.part(dtype.to_string().as_bytes());
        let shape: Vec<u8> = shape.iter().flat_map(|size| (*size as u64).to_le_bytes()).collect();
        self.part(&shape);
        self.part(bytes);
    }

    pub(super) fn value(&self) -> u64 {
        self.0.finish()
    }
}

/// The text with the number before it.
pub(super) fn sealed(text: &str, sum: Checksum) -> String {
    format!("{MARK}{:016x} {text}", sum.value())
}

/// The number and the text; nothing if there is no number.
pub(super) fn unsealed(sealed: &str) -> Option<(u64, &str)> {
    let rest = sealed.strip_prefix(MARK)?;
    let (digits, text) = (rest.get(..DIGITS)?, rest.get(DIGITS..)?);
    Some((u64::from_str_radix(digits, 16).ok()?, text.strip_prefix(' ')?))
}

/// The bytes of an archive with the checksum that belongs to them.
pub(super) fn resealed(bytes: &[u8]) -> Option<Vec<u8>> {
    use safetensors::SafeTensors;
    let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let end = usize::try_from(length).ok()?.checked_add(8)?;
    let mut header: serde_json::Value = serde_json::from_slice(bytes.get(8..end)?).ok()?;
    let text = header.get("__metadata__")?.get(super::KEY)?.as_str()?.to_owned();
    let plain = unsealed(&text).map_or(text.as_str(), |(_, plain)| plain);
    let opened = std::panic::catch_unwind(|| SafeTensors::deserialize(bytes).ok()).ok()??;
    let mut names = opened.names();
    names.sort_unstable();
    let mut sum = Checksum::new(plain);
    for name in names {
        let array = opened.tensor(name).ok()?;
        sum.add(name, array.dtype(), array.shape(), array.data());
    }
    header["__metadata__"][super::KEY] = sealed(plain, sum).into();
    let header = header.to_string();
    Some([&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes[end..]].concat())
}
