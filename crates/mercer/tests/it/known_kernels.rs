//! The table of known kernels and non-kernels: how many are decided, and none wrongly.

use mercer::kernel::property::Verdict;
use mercer::kernel::{ScalarDomain, ScalarExpr};

const TABLE: &str = include_str!("../fixtures/known_kernels.tsv");

/// The most rows that may stay undecided.
const MAX_UNDECIDED: usize = 10;

struct Row {
    expression: ScalarExpr,
    domain: ScalarDomain,
    answer: String,
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [expression, domain, answer, source] = [cells[0], cells[1], cells[2], cells[3]];
        assert!(!source.is_empty(), "{line} has no source");
        Row {
            expression: ScalarExpr::parse(expression).unwrap_or_else(|e| panic!("{line}: {e}")),
            domain: domain.parse().unwrap_or_else(|e| panic!("{line}: {e}")),
            answer: answer.to_owned(),
        }
    };
    lines.map(row).collect()
}

#[test]
fn known_kernels_are_told_from_others() {
    let rows = rows();
    assert!(rows.len() >= 190, "{} rows", rows.len());
    let mut undecided = Vec::new();
    for Row { expression, domain, answer } in &rows {
        let verdict = expression.check(*domain);
        let known = answer == "kernel";
        match &verdict {
            Verdict::PositiveDefinite(_) => assert!(known, "{expression} on {domain} is {answer}: {verdict}"),
            Verdict::Refuted(_) | Verdict::Undefined(_) => assert!(!known, "{expression} on {domain}: {verdict}"),
            Verdict::Undecided { .. } => undecided.push(format!("{expression} on {domain}")),
        }
    }
    assert!(undecided.len() <= MAX_UNDECIDED, "{} are not decided: {undecided:#?}", undecided.len());
}

/// What is called conditionally positive definite is mostly proved to be, and nothing else is.
#[test]
fn conditional_kernels_are_known_as_such() {
    let mut undecided = Vec::new();
    for Row { expression, domain, answer } in rows() {
        let proved = expression.conditional(domain, &|| false).is_some();
        if answer == "conditional" && !proved {
            undecided.push(format!("{expression} on {domain}"));
        }
        assert!(answer != "no kernel" || !proved, "{expression} on {domain} is proved to be conditionally so");
    }
    assert!(undecided.len() <= MAX_UNDECIDED, "{} are not decided: {undecided:#?}", undecided.len());
}
