//! The gallery as one HTML page that needs nothing else.

use std::fmt::Write;

use crate::error::Result;
use crate::plot::svg::escaped;
use crate::plot::{Figure, Theme};

use super::Exhibit;

const STYLE: &str = "
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; font: 16px/1.55 system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .4rem; }
figure { margin: .8rem 0; } figcaption { margin-top: .5rem; max-width: 60rem; }
svg { max-width: 100%; height: auto; } nav a { margin-right: 1rem; white-space: nowrap; }
code, .formula { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: .92em; overflow-wrap: anywhere; }
pre { padding: .6rem .8rem; background: #f3f4f6; white-space: pre-wrap; } a { color: #0072b2; }
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  body { color: #ececec; background: #14161a; } pre { background: #22252b; } a { color: #56b4e9; }
  .light { display: none; } .dark { display: block; }
}";

/// One page with all pictures inside it, light and dark as the reader's system is, with formulas and what made them.
pub fn gallery_page(exhibits: &[Exhibit]) -> Result<String> {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" content=\"Mercer\"/>\n\
         <title>Mercer: gallery</title>\n<style>{STYLE}\n</style>\n</head>\n<body>\n<h1>Gallery</h1>\n\
         <p>Every picture is drawn from a result, from data that come with Mercer.</p>\n<nav>\n"
    );
    for exhibit in exhibits {
        add(&mut page, format_args!("<a href=\"#{}\">{}</a>\n", exhibit.name, escaped(exhibit.title)));
    }
    page.push_str("</nav>\n");
    for exhibit in exhibits {
        section(&mut page, exhibit)?;
    }
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

fn section(page: &mut String, exhibit: &Exhibit) -> Result<()> {
    let drawn = |theme: Theme| Figure::themed(exhibit.figure.clone(), theme).svg();
    add(page, format_args!("<section id=\"{}\">\n<h2>{}</h2>\n", exhibit.name, escaped(exhibit.title)));
    add(page, format_args!("<p class=\"formula\">{}</p>\n<figure>\n", escaped(exhibit.formula)));
    add(page, format_args!("<div class=\"light\">\n{}</div>\n", drawn(Theme::Light)?));
    add(page, format_args!("<div class=\"dark\">\n{}</div>\n", drawn(Theme::Dark)?));
    add(page, format_args!("<figcaption>{}</figcaption>\n</figure>\n", escaped(&exhibit.caption)));
    add(page, format_args!("<pre><code>{}</code></pre>\n</section>\n", escaped(&exhibit.made_by)));
    Ok(())
}

fn add(page: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(what);
}
