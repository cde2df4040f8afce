//! `mercer check`: verdicts, exit codes, and what is shown.

use super::{Done, Folder, mercer, snapshot};

/// The JSON object of an answer, whatever the exit code.
fn json(done: &Done) -> serde_json::Value {
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err))
}

#[test]
fn the_quiz_is_answered() {
    let quiz = [
        ("2^(x+y)", "N", 0),
        ("2^(x*y)", "N", 0),
        ("gcd(x,y)", "N", 0),
        ("gcd(x,y)/lcm(x,y)", "N", 0),
        ("lcm(x,y)", "N", 1),
        ("min(x,y)", "R+", 0),
        ("min(x,y)/max(x,y)", "R+", 0),
        ("max(x,y)", "R+", 1),
        ("log(1+x*y)", "R+", 1),
        ("cos(x-y)", "R", 0),
        ("cos(x+y)", "R", 1),
        ("exp(-abs(x-y)^2)", "R", 0),
        ("1/(1-x*y)", "unit", 0),
    ];
    for (expression, domain, code) in quiz {
        let done = mercer(&["check", expression, "--domain", domain]);
        assert_eq!(done.code, code, "{expression} on {domain}: {}{}", done.out, done.err);
        let shown = if code == 0 { "proof" } else { "counterexample" };
        assert!(done.out.contains(shown), "{}", done.out);
    }
}

#[test]
fn answers_are_as_stored() {
    let ask = |args: &[&str]| {
        let done = mercer(&[&["check"], args].concat());
        format!("$ mercer check {}\n{}{}exit {}\n\n", args.join(" "), done.out, done.err, done.code)
    };
    let shown: String = [
        ask(&["min(x,y)/max(x,y)", "--domain", "R+"]),
        ask(&["max(x,y)", "--domain", "R+"]),
        ask(&["cos(x+y)"]),
        ask(&["x - y"]),
        ask(&["(linear + 1)^3 * rbf(age)^0.5"]),
        ask(&["rbf - linear"]),
        ask(&["energy + rbf"]),
        ask(&["abs(linear)"]),
        ask(&["2*rbf - rbf/2"]),
        ask(&["linear(a) - linear(b)"]),
        ask(&["2*rbf(length_scale=3) - rbf"]),
        ask(&["laplace - rbf"]),
        ask(&["log(linear)"]),
        ask(&["sin(x-y)/(x-y)"]),
        ask(&["-abs(x-y)"]),
        ask(&["π"]),
        ask(&["x^2"]),
        ask(&["x*z"]),
        ask(&["max(x, 2*y))", "--domain", "R+"]),
        ask(&["maximum(x,y)", "--domain", "R+"]),
    ]
    .concat();
    snapshot("check", &shown);
}

#[test]
fn a_text_is_an_expression_when_it_names_x_and_y_only() {
    let reads = |args: &[&str]| json(&mercer(&[&["check", "--json"], args].concat()))["read_as"].clone();
    assert_eq!(reads(&["min(x,y)"]), "expression");
    assert_eq!(reads(&["rbf"]), "formula");
    assert_eq!(reads(&["rbf(x) + rbf(y)"]), "formula");
    assert_eq!(reads(&["2", "--as", "expression"]), "expression");
    assert_eq!(reads(&["2"]), "formula");
    let formula = mercer(&["check", "min(x, y)", "--as", "formula"]);
    assert_eq!(formula.code, 0, "min of the columns x and y is a kernel: {}", formula.err);
}

#[test]
fn json_carries_the_evidence() {
    let refuted = mercer(&["check", "max(x,y)", "--domain", "R+", "--json"]);
    assert_eq!(refuted.code, 1);
    let report = json(&refuted);
    assert_eq!(report["verdict"], "refuted");
    assert_eq!(report["domain"], "R+");
    assert_eq!(report["evidence"]["points"].as_array().map(Vec::len), Some(2));
    let proved = json(&mercer(&["check", "rbf + linear", "--json"]));
    assert_eq!(proved["verdict"], "positive_definite");
    assert_eq!(proved["evidence"]["premises"].as_array().map(Vec::len), Some(2));
    assert_eq!(proved["standing"], "positive_definite");
    let conditional = mercer(&["check", "energy", "--json"]);
    assert_eq!(conditional.code, 1);
    assert_eq!(json(&conditional)["standing"]["conditionally_positive_definite"]["order"], 1);
    assert_eq!(mercer(&["check", "abs(linear)"]).code, 5);
    let undefined = mercer(&["check", "1/(x-y)", "--json"]);
    assert_eq!((undefined.code, json(&undefined)["verdict"].as_str()), (1, Some("undefined")));
    let planes = json(&mercer(&["check", "linear(a) - linear(b)", "--json"]));
    assert_eq!(planes["place"]["columns"], serde_json::json!([["a", "0"], ["b", "t"]]));
    let distance = json(&mercer(&["check", "-abs(x-y)", "--json"]));
    assert_eq!(distance["standing"]["conditionally_positive_definite"]["order"], 1);
    assert!(distance["conditional"]["claim"].is_string(), "{distance}");
}

#[test]
fn matrices_are_audited() {
    let folder = Folder::fresh();
    assert_eq!(folder.run(&["gram", "iris", "-o", "K.npy"]).code, 0);
    let good = folder.run(&["check", "--gram", "K.npy", "--json"]);
    assert_eq!((good.code, json(&good)["audit"]["verdict"].as_str()), (0, Some("positive_semidefinite")));
    folder.write("max.csv", "1,2\n2,2\n");
    let bad = folder.run(&["check", "--gram", "max.csv"]);
    assert_eq!(bad.code, 1, "{}", bad.err);
    assert!(bad.out.contains("not a Gram matrix"), "{}", bad.out);
    folder.write("skew.csv", "1,2\n0,2\n");
    assert!(folder.run(&["check", "--gram", "skew.csv"]).out.contains("not symmetric"));
    folder.write("wide.csv", "1,2,3\n2,2,3\n");
    assert_eq!(folder.run(&["check", "--gram", "wide.csv"]).code, 2);
    folder.write("words.csv", "a,b\nx,y\nz,w\n");
    assert_eq!(folder.run(&["check", "--gram", "words.csv"]).code, 2);
    let on_data = folder.run(&["check", "rbf^0.5", "--data", "wine", "--standardize", "--json"]);
    assert_eq!((on_data.code, json(&on_data)["audit"]["size"].as_u64()), (0, Some(178)));
}

#[test]
fn rules_are_found_in_the_data() {
    let folder = Folder::fresh();
    folder.write("near.csv", "a\n0\n1\n2.5\n");
    folder.write("far.csv", "a\n0\n4\n8\n");
    let formula = "2*rbf(length_scale=3) - rbf";
    let open = folder.run(&["check", formula]);
    assert_eq!(open.code, 5, "{}", open.out);
    assert!(open.out.contains("`median` finds in the data"), "{}", open.out);
    let near = folder.run(&["check", formula, "--data", "near.csv"]);
    assert_eq!(near.code, 1, "{}{}", near.out, near.err);
    assert!(
        near.out.contains("rbf(length_scale=1.5)") && near.out.contains("median of the 3 distances"),
        "{}",
        near.out
    );
    let far = json(&folder.run(&["check", formula, "--data", "far.csv", "--json"]));
    assert_eq!((far["rules"][0]["value"].as_f64(), far["verdict"].as_str()), (Some(4.0), Some("undecided")), "{far}");
}

#[test]
fn a_check_stops_at_its_deadline() {
    let hard = "cos(x-y)^7*exp(-abs(x-y)^1.9) - 0.00001*cos(9*(x-y))";
    for question in [hard, "tanh(rbf(a)) - 0.001*sin(linear(b) + 1)"] {
        let done = mercer(&["check", question, "--deadline", "0s"]);
        assert_eq!(done.code, 5, "{}{}", done.out, done.err);
        assert!(done.out.contains("stopped"), "{}", done.out);
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    for args in [
        &["check"][..],
        &["check", "rbf", "--domain", "R+"],
        &["check", "min(x,y)", "--data", "iris"],
        &["check", "min(x,y)", "--domain", "Q"],
        &["check", "min(x,y"],
        &["check", "rfb"],
        &["check", "rbf", "--gram", "K.npy"],
        &["check", "--gram", "missing.npy"],
        &["check", "foo(x,y)", "--as", "expression"],
        &["check", "x^2"],
        &["check", "x*z"],
        &["check", "max(x,y", "--domain", "R+"],
        &["check", "maximum(x,y)", "--domain", "R+"],
    ] {
        let done = mercer(args);
        assert_eq!(done.code, 2, "{args:?}: {}{}", done.out, done.err);
        assert!(!done.err.is_empty(), "{args:?}");
    }
}
