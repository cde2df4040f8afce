//! The layering law: one order of modules, and a module imports only from those before it.

use std::path::Path;

/// Modules of the core in their order.
const ORDER: [&str; 20] = [
    "error",
    "run",
    "certificate",
    "report",
    "data",
    "kernel",
    "chance",
    "linalg",
    "gram",
    "loss",
    "solver",
    "approx",
    "rkhs",
    "metric",
    "save",
    "model",
    "learn_kernel",
    "select",
    "study",
    "plot",
];
/// Modules that may use fewer than all before them.
const STRICTER: [(&str, &[&str]); 2] =
    [("kernel", &["error", "data"]), ("solver", &["linalg", "loss", "run", "error", "certificate"])];
/// Orders inside a module: a file or folder of it uses only those before it, and what the list leaves out is free.
const INSIDE: [(&str, &[&str]); 3] = [
    (
        "gram",
        &[
            "matrix",
            "simd",
            "transpose",
            "tiling",
            "store",
            "panel",
            "sparse",
            "dense",
            "stream",
            "center",
            "audit",
            "repair",
        ],
    ),
    ("loss", &["piece", "enclosed", "convex", "spec", "rows", "softmax", "catalogue", "named"]),
    ("approx", &["low_rank", "rp_cholesky", "nystrom"]),
];
/// What tests, and tests alone, may use from anywhere.
const FOR_TESTS: &str = "testkit";

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            found.push(entry);
        }
    }
}

/// The parts of a file's path below `src`, without `.rs`: its module, what of the module it is, and so on.
fn place(file: &Path, src: &Path) -> Vec<String> {
    let parts = file.strip_prefix(src).expect("inside src").components();
    parts.map(|part| part.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()).collect()
}

/// The code of a file without its modules of unit tests, which may use the law kit. Braces are counted; one in a
/// character or a text of a test that has no partner there would be seen as code, and fail loudly.
fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("#[cfg(test)]") {
        code.push_str(&rest[..at]);
        let test = &rest[at..];
        // The item ends with its statement, such as `mod tests;`, or with the brace that closes it.
        let end = match (test.find(';'), test.find('{')) {
            (Some(semicolon), brace) if brace.is_none_or(|b| semicolon < b) => semicolon,
            (_, Some(brace)) => closing(test, brace).unwrap_or(test.len() - 1),
            _ => test.len() - 1,
        };
        rest = &test[end + 1..];
    }
    code + rest
}

/// The place of the brace that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    text[open..].char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        (depth == 0).then_some(open + at)
    })
}

/// The names after `start` in the code of a text, one for each mention.
fn mentions(text: &str, start: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    code.flat_map(|l| l.split(start).skip(1).map(name).collect::<Vec<String>>()).collect()
}

fn files() -> Vec<(Vec<String>, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 50, "the sources are there");
    let read = |file: &std::path::PathBuf| std::fs::read_to_string(file).expect("a source file");
    let all = files.iter().map(|file| (place(file, &src), without_tests(&read(file))));
    all.filter(|(place, _)| place.last().is_none_or(|name| name != "tests")).collect()
}

fn rank(order: &[&str], name: &str) -> Option<usize> {
    order.iter().position(|m| *m == name)
}

#[test]
fn modules_import_only_from_below() {
    let mut broken = Vec::new();
    for (place, code) in files() {
        let own = place[0].as_str();
        let Some(own_rank) = rank(&ORDER, own) else {
            assert!(["lib", FOR_TESTS].contains(&own), "the module `{own}` has no place in the order");
            continue;
        };
        for used in mentions(&code, "crate::") {
            let Some(used_rank) = rank(&ORDER, &used) else { continue };
            let stricter = STRICTER.iter().find(|(m, _)| *m == own);
            let allowed = used == own || stricter.map_or(used_rank < own_rank, |(_, may)| may.contains(&used.as_str()));
            if !allowed {
                broken.push(format!("{} uses `{used}`", place.join("/")));
            }
        }
    }
    assert!(broken.is_empty(), "the layering law is broken: {broken:#?}");
}

#[test]
fn parts_of_a_module_import_only_from_below() {
    let mut broken = Vec::new();
    for (place, code) in files() {
        let (Some((module, order)), Some(own)) = (INSIDE.iter().find(|(m, _)| *m == place[0]), place.get(1)) else {
            continue;
        };
        let Some(own_rank) = rank(order, own) else { continue };
        // From a file of the module, `super::` is the module; from a folder of it, one step more.
        let up = "super::".repeat(place.len() - 1);
        let used = mentions(&code, &up).into_iter().chain(mentions(&code, &format!("crate::{module}::")));
        for used in used.filter(|used| rank(order, used).is_some_and(|used| used > own_rank)) {
            broken.push(format!("{} uses `{used}`", place.join("/")));
        }
    }
    assert!(broken.is_empty(), "an order inside a module is broken: {broken:#?}");
}

#[test]
fn only_the_braces_of_tests_are_left_out() {
    let text = "use crate::a;\n#[cfg(test)]\nmod tests { fn f() { if x { y } } }\nuse crate::b;\n#[cfg(test)]\nmod more;\nuse crate::c;";
    assert_eq!(mentions(&without_tests(text), "crate::"), ["a", "b", "c"]);
    assert!(!without_tests(text).contains("tests"));
}
