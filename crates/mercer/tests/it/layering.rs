//! The layering law: one order of modules, and a module imports only from those before it.

use std::path::Path;

/// Modules of the core in their order.
const ORDER: [&str; 19] = [
    "error",
    "run",
    "certificate",
    "report",
    "data",
    "kernel",
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

/// The module that a file of `src` belongs to.
fn module(file: &Path, src: &Path) -> String {
    let first = file.strip_prefix(src).expect("inside src").components().next().expect("a name");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The code of a file without its unit tests, which stand last and may use the law kit.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

/// The modules named after `crate::` in a text, one for each mention.
fn mentions(text: &str) -> Vec<String> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let names = code.flat_map(|l| l.split("crate::").skip(1).map(|rest| rest.to_owned()).collect::<Vec<_>>());
    names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

#[test]
fn modules_import_only_from_below() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 50, "the sources are there");
    let rank = |name: &str| ORDER.iter().position(|m| *m == name);
    let mut broken = Vec::new();
    for file in files {
        let own = module(&file, &src);
        let Some(own_rank) = rank(&own) else {
            assert!(["lib", FOR_TESTS].contains(&own.as_str()), "the module `{own}` has no place in the order");
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("a source file");
        for used in mentions(without_tests(&text)) {
            let Some(used_rank) = rank(&used) else { continue };
            let stricter = STRICTER.iter().find(|(m, _)| *m == own);
            let allowed = used == own || stricter.map_or(used_rank < own_rank, |(_, may)| may.contains(&used.as_str()));
            if !allowed {
                broken.push(format!("{} uses `{used}`", file.strip_prefix(&src).expect("inside").display()));
            }
        }
    }
    assert!(broken.is_empty(), "the layering law is broken: {broken:#?}");
}
