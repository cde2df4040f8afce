//! Lines that begin with `#` at the head of a CSV file.
//!
//! They are comments, but the last of them may name the columns: `# x,y`, as NumPy and many programs of the sciences write it.

use std::borrow::Cow;

/// The head of a file, and what follows it.
pub(super) struct Split<'a> {
    /// What follows.
    pub(super) body: &'a str,
    /// Lines before it, blank ones too.
    pub(super) before: u64,
    /// Those that begin with `#`.
    pub(super) comments: usize,
    /// The last of them with its number, counted from 1, without the mark.
    pub(super) last: Option<(u64, Cow<'a, str>)>,
}

/// Splits a text at its first line that is neither blank nor a comment.
pub(super) fn split(text: &str) -> Split<'_> {
    let mut found = Split { body: text, before: 0, comments: 0, last: None };
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            break;
        }
        found.before += 1;
        found.body = &found.body[line.len()..];
        if let Some(comment) = content.strip_prefix('#') {
            found.comments += 1;
            found.last = Some((found.before, named(comment)));
        }
    }
    if found.comments == 0 {
        // Blank lines are the reader's.
        return Split { body: text, before: 0, comments: 0, last: None };
    }
    found
}

/// A comment without the blank behind its mark; `#` itself is the name of a first column, as in `#,name,score`.
fn named(comment: &str) -> Cow<'_, str> {
    match comment.starts_with([',', ';', '\t', '|']) {
        true => format!("#{comment}").into(),
        false => comment.trim().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stand_before_the_first_line_of_content() {
        let found = split("# made by hand\n\n# x,y\n1,2\n# 3,4\n");
        assert_eq!((found.body, found.before, found.comments), ("1,2\n# 3,4\n", 3, 2));
        assert_eq!(found.last.map(|(line, text)| (line, text.into_owned())), Some((3, "x,y".into())));
        assert_eq!(split("#,name\n1,a\n").last.map(|l| l.1.into_owned()), Some("#,name".into()));
        let plain = split("\n\na,b\n");
        assert_eq!((plain.body, plain.before), ("\n\na,b\n", 0));
    }
}
