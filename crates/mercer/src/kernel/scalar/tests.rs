//! The language, and prover and refuter against each other.

use super::ast::Function;
use super::*;
use crate::testkit::points::Chance;

fn message(source: &str) -> String {
    let error = ScalarExpr::parse(source).map_or_else(|e| e, |k| panic!("{source} gives {k}"));
    format!("{error}\nhint: {}", error.hint().unwrap_or_default())
}

#[test]
fn expressions_are_read_as_mathematics_reads_them() {
    for (source, x, y, expected) in [
        ("-x^2", 3.0, 0.0, -9.0),
        ("2^3^2", 0.0, 0.0, 512.0),
        ("2^-x^2", 2.0, 0.0, 0.0625),
        ("x - y - 1", 5.0, 2.0, 2.0),
        ("x/y/2", 12.0, 3.0, 2.0),
        ("x/(y/2)", 12.0, 3.0, 8.0),
        ("gcd(x, y)*lcm(x, y)", 12.0, 18.0, 216.0),
        ("max(x, min(y, 4))", 1.0, 9.0, 4.0),
        ("ln(e^x)", 2.5, 0.0, 2.5),
        ("x**2 + 1.5e1", 2.0, 0.0, 19.0),
        ("--x", 2.0, 0.0, 2.0),
    ] {
        let k = ScalarExpr::parse(source).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(k.at(x, y).unwrap_or_else(|e| panic!("{source}: {e}")), expected, "{source}");
    }
}

#[test]
fn errors_point_and_help() {
    for (source, expected) in [
        ("mim(x, y)", "unknown name `mim` at column 1\n  mim(x, y)\n  ^^^\nhint: the nearest name is `min`"),
        ("2x", "expected an operator, found `x` at column 2\n  2x\n   ^\nhint: write products with `*`, as in `2*x`"),
        ("min(x)", "`min` takes two arguments, got 1 at column 1\n  min(x)\n  ^^^^^^\nhint: for example `min(x, y)`"),
        ("exp", "the function `exp` needs arguments at column 1\n  exp\n  ^^^\nhint: for example `exp(x)`"),
        ("x +", "expected x, y, a number, a function or `(`, the expression ends at column 4\n  x +\n     ^\nhint: "),
        (
            "x & y",
            "unexpected character `&` at column 3\n  x & y\n    ^\nhint: expressions are made of x, y, numbers, `+ - * / ^`, parentheses and functions",
        ),
    ] {
        assert_eq!(message(source), expected, "{source}");
    }
}

#[test]
fn values_that_do_not_exist_are_errors() {
    for (source, x, y) in [
        ("log(x - y)", 1.0, 1.0),
        ("1/(x - y)", 2.0, 2.0),
        ("sqrt(x)", -1.0, 0.0),
        ("exp(x)", 1e4, 0.0),
        ("gcd(x, y)", 1.5, 2.0),
    ] {
        let k = ScalarExpr::parse(source).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert!(k.at(x, y).is_err(), "{source}");
    }
}

#[test]
fn free_names_tell_expressions_from_formulas() {
    assert!(ScalarExpr::is_meant("min(x, y)/max(x,y)"));
    assert!(ScalarExpr::is_meant("2^(x*y)*pi"));
    assert!(!ScalarExpr::is_meant("rbf(x, y)"));
    assert!(!ScalarExpr::is_meant("rbf + linear"));
    assert!(!ScalarExpr::is_meant("2*x"));
    assert!(!ScalarExpr::is_meant("x +* \""));
    assert_eq!(ScalarExpr::free_names("min(x, z) + rbf").expect("names"), ["rbf", "x", "z"]);
}

#[test]
fn hostile_expressions_are_refused_or_answered_without_harm() {
    let nested = |open: &str, n: usize| format!("{}x*y{}", open.repeat(n), ")".repeat(n));
    for source in [
        String::new(),
        "(".repeat(100_000),
        "-".repeat(5_000) + "x",
        "x^".repeat(3_000) + "y",
        "exp(".repeat(2_000),
        "1e999".into(),
        "\"x\"".into(),
        nested("exp(", 100),
        vec!["x"; 5_000].join("+"),
    ] {
        assert!(ScalarExpr::parse(&source).is_err(), "{}", &source[..source.len().min(40)]);
    }
    for source in [
        nested("exp(", 40),
        nested("1/(1+", 40),
        nested("cosh(", 40),
        nested("log(1+", 40),
        "(x+y)^(x*y)^(x+y)^2".into(),
        "(x+y+1)^99999".into(),
        "(((x+y+1)^9+x*y)^9+1)^9".into(),
        "(x+y+x*y+exp(x)+exp(y)+cos(x)+cos(y)+sin(x)+sin(y))^12".into(),
        vec!["x*y"; 90].join("+"),
        vec!["exp(x*y)"; 50].join("-"),
        "x^99999999*y^99999999".into(),
        "99999999999999999999*x*y*1e300".into(),
        "sqrt(sqrt(sqrt(x^2)^2)^2)".into(),
    ] {
        let k = ScalarExpr::parse(&source).unwrap_or_else(|e| panic!("{source}: {e}"));
        for domain in ScalarDomain::ALL {
            let start = std::time::Instant::now();
            let _ = k.check(domain).to_string();
            assert!(start.elapsed().as_secs() < 5, "{source} on {domain} takes {:?}", start.elapsed());
        }
    }
}

fn number(text: &str) -> Expr {
    Expr::Number(decimal::Decimal::parse(text).unwrap_or_else(|| panic!("{text}")))
}

/// A random expression, symmetric or nearly so more often than not.
fn tree(chance: &mut Chance, depth: usize) -> Expr {
    if depth == 0 {
        return match chance.below(8) {
            0 => number(["0", "0.5", "1", "2", "3"][chance.below(5)]),
            1 => Expr::X,
            2 => Expr::Y,
            3 => Expr::Product(vec![(Expr::X, false), (Expr::Y, false)]),
            4 => Expr::Sum(vec![(Expr::X, false), (Expr::Y, true)]),
            5 => Expr::Sum(vec![(Expr::X, false), (Expr::Y, false)]),
            6 => Expr::Call(Function::Min, vec![Expr::X, Expr::Y]),
            _ => Expr::Call(Function::Max, vec![Expr::X, Expr::Y]),
        };
    }
    let mut inner = || tree(chance, depth - 1);
    let (a, b) = (inner(), inner());
    match chance.below(9) {
        0 => Expr::Negate(Box::new(a)),
        1 | 2 => Expr::Sum(vec![(a, false), (b, chance.below(3) == 0)]),
        3 | 4 => Expr::Product(vec![(a, false), (b, chance.below(3) == 0)]),
        5 => Expr::Power(Box::new(a), Box::new(number(["2", "0.5", "3", "1.5"][chance.below(4)]))),
        6 => Expr::Power(Box::new(a), Box::new(Expr::Negate(Box::new(number(["1", "2", "0.5"][chance.below(3)]))))),
        _ => {
            let function = Function::ALL[chance.below(Function::ALL.len())];
            let arguments = if function.arity() == 1 { vec![a] } else { vec![a, b] };
            Expr::Call(function, arguments)
        }
    }
}

#[test]
fn three_thousand_random_expressions_survive_printing() {
    let mut chance = Chance::new(17);
    for i in 0..3000 {
        let once = ScalarExpr(tree(&mut chance, i % 5));
        let text = once.to_string();
        let k = ScalarExpr::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(k, once, "{text}");
        assert_eq!(serde_json::to_value(&k).expect("a string"), serde_json::Value::String(text));
    }
}

#[test]
fn no_random_expression_is_both_proved_and_refuted() {
    let mut chance = Chance::new(23);
    let (mut proved, mut refuted) = (0, 0);
    for i in 0..1000 {
        let expr = tree(&mut chance, 1 + i % 3);
        let domain = ScalarDomain::ALL[i % 5];
        let effort = Effort::new(&|| false);
        let proof = prove::prove(&expr, domain, &effort);
        let counterexample = refute::refute(&expr, domain, &effort);
        proved += usize::from(proof.is_some());
        refuted += usize::from(counterexample.is_some());
        if let (Some(proof), Some(counterexample)) = (proof, counterexample) {
            panic!("{expr} on {domain}: {counterexample}, but also\n{proof}");
        }
    }
    assert!(proved > 40 && refuted > 200, "{proved} proved, {refuted} refuted");
}
