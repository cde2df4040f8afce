//! What pages share: one file that needs nothing else, light or dark as the reader's system is.

use crate::error::Result;

use super::figure::Figure;
use super::svg::escaped;
use super::theme::Theme;

/// The line that tells a page of Mercer's own.
pub(super) const MARK: &str = "<meta name=\"generator\" content=\"Mercer\"/>";

const STYLE: &str = "
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; font: 16px/1.55 system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .4rem; }
figure { margin: .8rem 0; } figcaption { margin-top: .5rem; max-width: 60rem; }
svg { max-width: 100%; height: auto; } nav a { margin-right: 1rem; white-space: nowrap; }
code, .formula { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: .92em; overflow-wrap: anywhere; }
pre { padding: .6rem .8rem; background: #f3f4f6; white-space: pre-wrap; } a { color: #0072b2; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .2rem .9rem .2rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; } th { font-weight: 600; border-bottom: 1px solid #8c8c8c; }
.panels { display: flex; flex-wrap: wrap; gap: 1rem; } .panels figure { flex: 1 1 26rem; max-width: 40rem; }
.verdict { font-size: 1.15rem; max-width: 60rem; } .scroll { overflow-x: auto; }
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  body { color: #ececec; background: #14161a; } pre { background: #22252b; } a { color: #56b4e9; }
  .light { display: none; } .dark { display: block; }
}";

/// Everything up to the heading of a page.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"/>\n{MARK}\n\
         <title>{}</title>\n<style>{STYLE}\n</style>\n</head>\n<body>\n",
        escaped(title)
    )
}

/// The end of a page.
pub(super) const FOOT: &str = "</body>\n</html>\n";

/// A picture for light and for dark paper, of which one is seen.
pub(super) fn both(figure: &Figure) -> Result<String> {
    let drawn = |theme: Theme| Figure::themed(figure.clone(), theme).svg();
    Ok(format!(
        "<div class=\"light\">\n{}</div>\n<div class=\"dark\">\n{}</div>\n",
        drawn(Theme::Light)?,
        drawn(Theme::Dark)?
    ))
}

/// A sentence, whose values in backticks are set as code.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<String> = escaped(text).split('`').map(str::to_owned).collect();
    // A backtick without a partner stays.
    let (whole, alone) = if parts.len() % 2 == 1 { (parts.len(), "") } else { (parts.len() - 1, "`") };
    let set = |(at, part): (usize, &String)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() };
    let set: String = parts[..whole].iter().enumerate().map(set).collect();
    set + alone + &parts[whole..].concat()
}

/// A table of texts, the first row its headings.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let cells = |row: &[String], tag: &str| -> String {
        row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let line =
        |(at, row): (usize, &Vec<String>)| format!("<tr>{}</tr>\n", cells(row, if at == 0 { "th" } else { "td" }));
    let lines: String = rows.iter().enumerate().map(line).collect();
    format!("<div class=\"scroll\"><table>\n{lines}</table></div>\n")
}

/// Whether a file that begins so is a page that Mercer wrote.
///
/// ```
/// assert!(!mercer::plot::is_own_page(b"<!DOCTYPE html><html></html>"));
/// ```
pub fn is_own_page(beginning: &[u8]) -> bool {
    let mark = MARK.as_bytes();
    beginning.starts_with(b"<!DOCTYPE html>") && beginning.windows(mark.len()).any(|part| part == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_sentence_are_code() {
        assert_eq!(sentence("take `a < b` or `c`"), "take <code>a &lt; b</code> or <code>c</code>");
        assert_eq!(sentence("one ` alone"), "one ` alone");
        assert_eq!(
            (sentence(""), sentence("``"), sentence("`a` `")),
            ("".into(), "<code></code>".into(), "<code>a</code> `".into())
        );
    }
}
