//! The layering law: one order of modules, and a module imports only from those before it.

use std::path::Path;

/// Modules of the core in their order.
const ORDER: [&str; 22] = [
    "error",
    "run",
    "certificate",
    "note",
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
    "interchange",
    "model",
    "learn_kernel",
    "select",
    "study",
    "report",
    "plot",
];
/// Modules that may use fewer than all before them.
const STRICTER: [(&str, &[&str]); 3] = [
    ("kernel", &["error", "data"]),
    ("solver", &["linalg", "loss", "run", "error", "certificate"]),
    ("interchange", &["error", "data", "kernel"]),
];
/// Orders inside a module: a file or folder of it uses only those before it, and what the list leaves out is free. Those on one
/// line know each other: a model holds the learner that learnt it, and a learner gives a model.
const INSIDE: [(&str, &[&str]); 5] = [
    (
        "gram",
        &[
            "matrix",
            "simd",
            "transpose",
            "tiling",
            "store",
            "blocks",
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
    ("interchange", &["protobuf", "kernel", "machine", "libsvm", "onnx"]),
    ("approx", &["rp_cholesky", "low_rank", "nystrom"]),
    (
        "model",
        &[
            "expansion",
            "link",
            "complexity",
            "spec",
            "tuning",
            "squares",
            "short",
            "average",
            "posterior",
            "extra",
            "sample",
            "result fitted learn",
            "repaired",
            "penalized",
            "regress",
            "classify",
            "least_squares_svm",
            "descent",
            "reduce",
            "gp",
            "answers",
            "catalogue",
            "pipeline",
        ],
    ),
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

/// The code of a text without its comments.
fn without_comments(text: &str) -> String {
    text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn name(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The names after `start` in the code of a text, one for each mention; all of a list in braces.
fn mentions(text: &str, start: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        let rest = &code[at + start.len()..];
        // `super::super::x` is a mention of `x` after `super::super::` alone.
        let inner = code[..at].ends_with("::");
        match rest.strip_prefix('{').and_then(|_| closing(rest, 0)) {
            _ if inner => {}
            Some(end) => found.extend(parts(&rest[1..end]).map(name)),
            None => found.push(name(rest)),
        }
    }
    found.retain(|name| name != "super");
    found
}

/// The items of a list, which may hold lists in braces.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0 && c == ','
    })
}

/// The file or folder that a name of a module comes from, by the re-exports in its `mod.rs`.
fn exports(module: &str) -> Vec<(String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module).join("mod.rs");
    let code = without_comments(&std::fs::read_to_string(file).expect("a module"));
    let mut found = Vec::new();
    for statement in code.split("use ").skip(1) {
        let Some((from, rest)) = statement.split_once("::") else { continue };
        let list = rest.split(';').next().unwrap_or_default();
        let names = list.trim_start_matches('{').trim_end_matches('}').split(',');
        found.extend(names.map(|n| (name(n.rsplit("::").next().unwrap_or(n)), from.to_owned())));
    }
    found
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
    order.iter().position(|line| line.split(' ').any(|m| m == name))
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
        let exports = exports(module);
        let origin =
            |name: String| exports.iter().find(|(n, _)| *n == name).map_or(name.clone(), |(_, from)| from.clone());
        for used in used.map(origin).filter(|used| rank(order, used).is_some_and(|used| used > own_rank)) {
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

#[test]
fn lists_and_re_exports_are_seen() {
    let text = "use super::{a, b::{c, d}, e};\nuse super::super::f;\n// use super::g;\nsuper::h()";
    assert_eq!(mentions(text, "super::"), ["a", "b", "e", "h"]);
    assert_eq!(mentions(text, "super::super::"), ["f"]);
    let model = exports("model");
    assert!(model.contains(&("Model".into(), "result".into())) && model.contains(&("Learner".into(), "learn".into())));
}

/// A file that no module names is compiled by nobody, and so tested by nobody.
#[test]
fn every_file_belongs_to_a_module() {
    for of in ["../mercer/src", "../mercer/tests/it", "../mercer-cli/src", "../mercer-cli/tests/it", "../mercer-py/src"]
    {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(of);
        let mut files = Vec::new();
        sources(&root, &mut files);
        for file in files {
            let place = place(&file, &root);
            let (own, folder) = match place.split_last() {
                Some((last, folder)) if last == "mod" => match folder.split_last() {
                    Some((own, folder)) => (own.clone(), folder.to_vec()),
                    None => continue,
                },
                Some((last, folder)) => (last.clone(), folder.to_vec()),
                None => continue,
            };
            if folder.is_empty() && ["lib", "main"].contains(&own.as_str()) {
                continue;
            }
            let parents = parents(&root, &folder);
            let named = |text: &String| text.contains(&format!("mod {own};"));
            assert!(parents.iter().any(named), "{} is named by no module", file.display());
        }
    }
}

/// The texts of the files that may name the modules of a folder.
fn parents(root: &Path, folder: &[String]) -> Vec<String> {
    let inside: std::path::PathBuf = folder.iter().fold(root.to_path_buf(), |path, part| path.join(part));
    let beside = inside.with_extension("rs");
    let candidates = match folder.is_empty() {
        true => vec![root.join("lib.rs"), root.join("main.rs")],
        false => vec![inside.join("mod.rs"), beside],
    };
    candidates.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}
