//! Text of files made safe to look at.
//!
//! Names of files, columns and classes are whatever somebody wrote. A terminal obeys some of it: it can be made to hide
//! lines, to write elsewhere, or to type an answer. So such characters are shown by their number, never sent.

use std::borrow::Cow;

/// Whether a terminal would obey a character, or show what stands around it in another order.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with such characters shown as `\u{1b}`; lines and tabs are left as they are.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |c| is_obeyed(c) && c != '\n' && c != '\t')
}

/// The same for a text that is to stay on its line.
pub fn visible_word(text: &str) -> Cow<'_, str> {
    shown(text, is_obeyed)
}

/// JSON without such characters; the same JSON, since they stand in strings only, where their numbers mean them.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| is_obeyed(c) && c != '\n';
    if !text.contains(obeyed) {
        return text.into();
    }
    let number = |c: char| if obeyed(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(number).collect::<String>().into()
}

fn shown(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match hidden(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(visible("a\x1b[2Jb\r\n\tc\u{9b}d\u{202e}é"), "a\\u{1b}[2Jb\\r\n\tc\\u{9b}d\\u{202e}é");
        assert_eq!(visible_word("a\nb"), "a\\nb");
        assert!(matches!(visible("plain – text"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({"a\u{9b}": ["\u{7f}\u{202e}x\n"]});
        let text = serde_json::to_string_pretty(&value).expect("JSON");
        let safe = visible_json(&text);
        assert!(!safe.contains(|c: char| is_obeyed(c) && c != '\n'), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
    }
}
