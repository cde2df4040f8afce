//! Bytes as letters, for images inside SVG and HTML (RFC 4648).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three bytes are four letters; what is missing at the end is `=`.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(part.get(i).copied().unwrap_or(0)));
        let joined = (a << 16) | (b << 8) | c;
        for place in 0..4 {
            let letter = LETTERS[(joined >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= part.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// Section 10 of the RFC.
    #[test]
    fn the_examples_of_the_standard() {
        let some = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(some, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
