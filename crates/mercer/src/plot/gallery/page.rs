//! The gallery as one HTML page that needs nothing else.

use std::fmt::Write;

use crate::error::Result;
use crate::plot::html::{FOOT, both, head};
use crate::plot::svg::escaped;

use super::Exhibit;

/// One page with all pictures inside it, light and dark as the reader's system is, with formulas and what made them.
pub fn gallery_page(exhibits: &[Exhibit]) -> Result<String> {
    let mut page = head("Mercer: gallery");
    page.push_str(
        "<h1>Gallery</h1>\n<p>Every picture is drawn from a result, from data that come with Mercer.</p>\n<nav>\n",
    );
    for exhibit in exhibits {
        add(&mut page, format_args!("<a href=\"#{}\">{}</a>\n", exhibit.name, escaped(exhibit.title)));
    }
    page.push_str("</nav>\n");
    for exhibit in exhibits {
        section(&mut page, exhibit)?;
    }
    Ok(page + FOOT)
}

fn section(page: &mut String, exhibit: &Exhibit) -> Result<()> {
    add(page, format_args!("<section id=\"{}\">\n<h2>{}</h2>\n", exhibit.name, escaped(exhibit.title)));
    add(page, format_args!("<p class=\"formula\">{}</p>\n<figure>\n", escaped(exhibit.formula)));
    page.push_str(&both(&exhibit.figure)?);
    add(page, format_args!("<figcaption>{}</figcaption>\n</figure>\n", escaped(&exhibit.caption)));
    add(page, format_args!("<pre><code>{}</code></pre>\n</section>\n", escaped(&exhibit.made_by)));
    Ok(())
}

fn add(page: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(what);
}
