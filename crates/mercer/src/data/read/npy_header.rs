//! The header of a `.npy` file: a Python dictionary with three keys, read in one pass.
//!
//! `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`; see NumPy's format description
//! (`numpy.lib.format`). Parsers of whole Python literals go back and forth on hostile input for
//! minutes; this one only goes forth.

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// The type of the elements, such as `<f8`; `None` for a record with fields.
    pub(super) descr: Option<String>,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

/// Reads the dictionary; the answer says what was expected where it fails.
pub(super) fn parse(text: &str) -> Result<Header, &'static str> {
    let mut reader = Reader { rest: text };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    reader.expect('{', "a dictionary")?;
    while !reader.take('}') {
        let key = reader.string()?;
        reader.expect(':', "`:` after a key")?;
        match key {
            "descr" => descr = Some(reader.descr()?),
            "fortran_order" => fortran_order = Some(reader.boolean()?),
            "shape" => shape = Some(reader.sizes()?),
            _ => return Err("a key other than descr, fortran_order and shape"),
        }
        if !reader.take(',') {
            reader.expect('}', "`,` or `}` after a value")?;
            break;
        }
    }
    match (descr, fortran_order, shape) {
        _ if !reader.rest.trim().is_empty() => Err("something after the dictionary"),
        (Some(descr), Some(fortran_order), Some(shape)) => Ok(Header { descr, fortran_order, shape }),
        _ => Err("descr, fortran_order or shape is missing"),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes a character, if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(wanted) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char, what: &'static str) -> Result<(), &'static str> {
        if self.take(wanted) { Ok(()) } else { Err(what) }
    }

    /// A quoted string; those of a header hold no escapes.
    fn string(&mut self) -> Result<&'a str, &'static str> {
        let quote = if self.take('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"', "a quoted string")?;
        }
        let (inside, after) = self.rest.split_once(quote).ok_or("the end of a string")?;
        self.rest = after;
        Ok(inside)
    }

    /// The type: a string, or the list of fields of a record, which is passed over.
    fn descr(&mut self) -> Result<Option<String>, &'static str> {
        if !self.rest.trim_start().starts_with('[') {
            return self.string().map(|descr| Some(descr.to_owned()));
        }
        let mut depth = 0;
        for (at, c) in self.rest.char_indices() {
            depth += i32::from(c == '[') - i32::from(c == ']');
            if depth == 0 && c == ']' {
                self.rest = &self.rest[at + 1..];
                return Ok(None);
            }
        }
        Err("the end of a list")
    }

    fn boolean(&mut self) -> Result<bool, &'static str> {
        let rest = self.rest.trim_start();
        let (value, after) = match (rest.strip_prefix("True"), rest.strip_prefix("False")) {
            (Some(after), _) => (true, after),
            (_, Some(after)) => (false, after),
            _ => return Err("True or False"),
        };
        self.rest = after;
        Ok(value)
    }

    /// A tuple of sizes: `()`, `(3,)`, `(3, 2)`.
    fn sizes(&mut self) -> Result<Vec<usize>, &'static str> {
        self.expect('(', "a tuple of sizes")?;
        let mut sizes = Vec::new();
        while !self.take(')') {
            let rest = self.rest.trim_start();
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            sizes.push(rest[..digits].parse().map_err(|_| "a size that a number can hold")?);
            // Python 2 wrote long integers with an L.
            self.rest = rest[digits..].strip_prefix('L').unwrap_or(&rest[digits..]);
            if !self.take(',') {
                self.expect(')', "`,` or `)` after a size")?;
                break;
            }
        }
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let header = |descr: &str, fortran_order, shape: &[usize]| {
            Ok(Header { descr: Some(descr.into()), fortran_order, shape: shape.into() })
        };
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }          \n";
        assert_eq!(parse(text), header("<f8", false, &[3, 2]));
        assert_eq!(parse("{'shape':(3,),\"descr\":\"|b1\",'fortran_order':True}"), header("|b1", true, &[3]));
        assert_eq!(parse("{'descr': '<i4', 'fortran_order': False, 'shape': (), }"), header("<i4", false, &[]));
        assert_eq!(parse("{'descr': '<i4', 'fortran_order': False, 'shape': (5L,), }"), header("<i4", false, &[5]));
        let fields = "{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (1,), }";
        assert_eq!(parse(fields), Ok(Header { descr: None, fortran_order: false, shape: vec![1] }));
    }

    #[test]
    fn damaged_headers_are_refused_at_once() {
        let deep = format!("{{'descr': {}'<f8'", "[".repeat(100_000));
        let minus = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}", "-".repeat(100_000));
        let braces = "{".repeat(100_000);
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2) } and more",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
            "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,)}",
            "{'descr': '<f8', 'strides': (3,)}",
            &deep,
            &minus,
            &braces,
        ] {
            assert!(parse(text).is_err(), "{}", &text[..text.len().min(80)]);
        }
    }
}
