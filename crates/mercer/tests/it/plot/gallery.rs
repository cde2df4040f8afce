//! The gallery is drawn, whole, and its page needs nothing else.

use mercer::Run;
use mercer::plot::{Exhibit, Mark, gallery, gallery_page, write_gallery};
use roxmltree::Document;

use super::fields::images;
use super::judge::judge;

fn of<'a>(all: &'a [Exhibit], name: &str) -> &'a Exhibit {
    all.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn the_gallery_is_drawn_whole() {
    let run = Run::new();
    let all = gallery(&run).expect("a gallery");
    for exhibit in &all {
        assert!(!exhibit.formula.is_empty() && !exhibit.caption.is_empty() && !exhibit.made_by.is_empty());
        let scene = exhibit.figure.scene().expect("a scene");
        assert!(
            scene.notes.iter().all(|n| n.to_string().contains("not chosen")),
            "{}: {:?}",
            exhibit.name,
            scene.notes
        );
        judge(&exhibit.figure.svg().expect("a picture"));
    }
    ten_penalties(of(&all, "ridge-lambda"));
    assert_eq!(images(&of(&all, "distance-plane").figure.svg().expect("a picture")).len(), 6, "three maps, three bars");
    the_page_is_whole(&all);
    files_are_all_there(&all, &run);
}

/// λ from 100 to 1e-7; with the largest the function is nearly 0, with the smallest it is near the points.
fn ten_penalties(exhibit: &Exhibit) {
    let misfit = |panel: &mercer::plot::Panel| {
        let line = panel.series.iter().find_map(|s| if let Mark::Line(p) = &s.mark { Some(p) } else { None });
        line.expect("a line").iter().map(|p| p[1].abs()).fold(0.0, f64::max)
    };
    let sizes: Vec<f64> = exhibit.figure.panels.iter().map(misfit).collect();
    assert_eq!(sizes.len(), 10);
    assert!(sizes[0] < 0.01 && sizes.windows(2).take(5).all(|w| w[1] > w[0]), "{sizes:?}");
    assert!(exhibit.figure.panels[0].title == "λ = 100" && exhibit.figure.panels[9].title == "λ = 10⁻⁷");
}

fn the_page_is_whole(all: &[Exhibit]) {
    let page = gallery_page(all).expect("a page");
    let document =
        Document::parse_with_options(&page, roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() })
            .unwrap_or_else(|e| panic!("no XML: {e}"));
    let roots = document.descendants().filter(|n| n.has_tag_name("figure")).count();
    assert_eq!(roots, all.len());
    // Nothing is fetched: what is referred to is in the page itself.
    for node in document.descendants() {
        for name in ["href", "src"] {
            let inside = |link: &str| link.starts_with('#') || link.starts_with("data:");
            assert!(node.attribute(name).is_none_or(inside), "{node:?}");
        }
        // Names would be shared by all pictures of the page.
        assert!(!node.has_tag_name("clipPath"));
    }
    assert!(page.contains("prefers-color-scheme: dark") && !page.contains("@import") && !page.contains("<script"));
    let mut names: Vec<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (all.len(), all.len()));
}

fn files_are_all_there(all: &[Exhibit], run: &Run) {
    let above = std::env::temp_dir().join(format!("mercer-gallery-{}", std::process::id()));
    std::fs::create_dir_all(&above).expect("a temporary folder");
    let folder = above.join("gallery");
    let files = write_gallery(all, &folder, run).expect("files");
    assert_eq!(files.len(), 2 * all.len() + 1);
    assert!(files.iter().all(|path| std::fs::metadata(path).is_ok_and(|m| m.len() > 500)));
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), files.len(), "and nothing else");
    let absent = above.join("absent").join("gallery");
    write_gallery(all, &absent, run).expect_err("no folder to make it in");
    assert!(!absent.exists());
    std::fs::remove_dir_all(&above).expect("the folder was ours");
}
