//! Verdicts on expressions in x and y: the quiz, many more, and their soundness.

use mercer::data::{Column, Inputs, Table};
use mercer::gram::dense;
use mercer::kernel::property::{Fault, ProofRule, Verdict};
use mercer::kernel::{KernelExpr, ScalarDomain, ScalarExpr};
use mercer::linalg::symmetric_eigenvalues;
use mercer::testkit::{points::Chance, tol};
use mercer::{Error, Run};

/// The thirteen kernels of the quiz (Arbel, "Machine Learning with Kernel Methods").
const QUIZ: [(&str, &str, bool); 13] = [
    ("N", "2^(x+y)", true),
    ("N", "2^(x*y)", true),
    ("N", "gcd(x, y)", true),
    ("N", "gcd(x, y)/lcm(x, y)", true),
    ("N", "lcm(x, y)", false),
    ("R+", "min(x, y)", true),
    ("R+", "min(x, y)/max(x, y)", true),
    ("R+", "max(x, y)", false),
    ("R+", "log(1+x*y)", false),
    ("R", "cos(x-y)", true),
    ("R", "exp(-abs(x-y)^2)", true),
    ("unit", "1/(1-x*y)", true),
    ("R", "cos(x+y)", false),
];

/// Others of the same kind, with the truth known by hand.
#[rustfmt::skip]
const MORE: &[(&str, &str, bool)] = &[
    ("R+", "1/(x+y)", true),
    ("R+", "exp(min(x,y))", true),
    ("R", "1/(1+(x-y)^2)", true),
    ("R", "(x-y)^2", false),
    ("R", "abs(x-y)", false),
    ("R", "abs(x)+abs(y)-abs(x-y)", true),
    ("R", "x*y-1", false),
    ("R+", "sqrt(min(x,y))", true),
    ("R+", "sqrt(x*y)", true),
    ("R", "tanh(x*y)", false),
    ("R", "exp(x*y)-1", true),
    ("R+", "min(x,y)^2/(x*y)", true),
    ("R", "sinh(x*y)", true),
    ("R+", "log(x+y)", false),
    ("R", "exp(-(x^2+y^2-2*x*y))", true),
    ("N", "gcd(x,y)^2/(x*y)", true),
    ("R", "1/(x^2+y^2-2*x*y+1)", true),
    ("R", "(1+x*y)^3", true),
    ("R", "(x*y-1)^2", false),
    ("R", "x*y+x+y+1", true),
    ("R", "x*y+x+y", false),
    ("R", "x^2*y^2+2*x*y+x+y+1", true),
    ("R", "exp(-abs(x-y))", true),
    ("R", "exp(-abs(x-y)^3)", false),
    ("R", "exp(-sqrt(abs(x-y)))", true),
    ("R", "1/cosh(x-y)", true),
    ("R", "cosh(x-y)", false),
    ("R", "cosh(x+y)", true),
    ("R", "cosh(x*y)", true),
    ("R", "cos(x-y)^3", true),
    ("R", "sin(x-y)", false),
    ("R", "sin(x+y)", false),
    ("R", "sin(x)*sin(y)", true),
    ("R", "exp(-2*sin((x-y)/2)^2)", true),
    ("unit", "-log(1-x*y)", true),
    ("unit", "1/(1-x*y)-1-x*y", true),
    ("unit", "1/sqrt(1-x*y)", true),
    ("unit", "log(1+x*y)", false),
    ("unit", "1-max(x,y)", true),
    ("R+", "sqrt(x)+sqrt(y)-sqrt(abs(x-y))", true),
    ("R+", "x^1.5+y^1.5-abs(x-y)^1.5", true),
    ("R", "abs(x)^0.5+abs(y)^0.5-abs(x-y)^0.5", true),
    ("R+", "x+y-max(x,y)", true),
    ("R+", "(x+y-abs(x-y))/2", true),
    ("R+", "1/max(x,y)", true),
    ("R", "exp(-max(x,y))", true),
    ("R+", "log(1+min(x,y))", true),
    ("R+", "tanh(min(x,y))", true),
    ("R+", "1/(1+max(x,y))", true),
    ("R+", "min(x,y)*exp(-x-y)", true),
    ("R+", "x*y/(x+y)", true),
    ("R+", "2*x*y/(x^2+y^2)", true),
    ("R+", "1/(x/y+y/x)", true),
    ("N", "gcd(x,y)^0.5", true),
    ("N", "sqrt(gcd(x,y)*min(x,y))", true),
    ("N", "log(gcd(x,y))-1", false),
    ("R", "x+y", false),
    ("R", "x-y", false),
    ("R", "x", false),
    ("R", "-x*y", false),
    ("R", "0", true),
    ("R", "-1", false),
    ("R", "pi*x*y+e", true),
    ("R", "log(x*y)", false),
    ("R", "sqrt(x*y)", false),
    ("R", "1/(x-y)", false),
    ("R", "gcd(x,y)", false),
    ("R", "1/(1+abs(x-y))^2", true),
    ("R", "1/(2-exp(-(x-y)^2))", true),
    ("R", "exp(cos(x-y))", true),
    ("R", "exp(cos(x+y))", false),
    ("R+", "min(x,y)-1", false),
    ("R", "min(x,y)", false),
    ("R", "max(x,y)*0+1", true),
    ("R", "max(x,y)^2", false),
    ("R", "1/(1+sqrt(1+(x-y)^2))", true),
    ("R", "1/(1+log(1+(x-y)^2))", true),
    ("R+", "1/log(1+x+y)", true),
    ("R", "x^3*y^3-x*y", false),
    ("R+", "(x*y)^pi", true),
    ("R+", "(x+y)^2-1", false),
    ("R", "(x+y)^2+(x-y)^2+2*x*y-2*x^2-2*y^2", true),
    ("R", "(x+y)^2", false),
    ("R", "abs(x*y)", true),
    ("N", "max(x,y)/min(x,y)", false),
    ("N", "1/lcm(x,y)", true),
    ("N", "1/gcd(x,y)", false),
    ("R", "x*y + exp(x)*exp(y)", true),
    ("R", "exp(-x*y)", false),
    ("R", "exp(x+y)*cos(2*x-2*y)", true),
    ("R+", "x^y", false),
    ("R", "(1+abs(x-y))*exp(-abs(x-y))", true),
    ("R", "(1+sqrt(3)*abs(x-y))*exp(-sqrt(3)*abs(x-y))", true),
    ("R+", "(3+3*abs(x-y)+(x-y)^2)*exp(-abs(x-y))", true),
    ("R", "(1+2*abs(x-y))*exp(-abs(x-y))", false),
    ("R", "max(0, 1-abs(x-y))", true),
    ("unit", "2*max(0, 1-3*abs(x-y))", true),
    ("R", "max(0, 1-(x-y)^2)", false),
    ("N", "gcd(x,y)-1", true),
    ("N", "log(gcd(x,y))+1", true),
    ("R+", "sqrt(log(1+x+y))", false),
    ("R", "exp(-sqrt(log(1+(x-y)^2)))", true),
];

fn parsed(source: &str) -> ScalarExpr {
    ScalarExpr::parse(source).unwrap_or_else(|e| panic!("{source}: {e}"))
}

fn all() -> impl Iterator<Item = (ScalarDomain, ScalarExpr, bool)> {
    QUIZ.iter()
        .chain(MORE)
        .map(|(domain, source, yes)| (domain.parse().unwrap_or_else(|e| panic!("{e}")), parsed(source), *yes))
}

#[test]
fn every_kernel_of_the_quiz_and_many_more_are_answered_rightly() {
    assert!(MORE.len() >= 24);
    for (domain, k, yes) in all() {
        match k.check(domain) {
            Verdict::PositiveDefinite(_) => assert!(yes, "{k} on {domain} is proved"),
            Verdict::Refuted(counterexample) | Verdict::Undefined(counterexample) => {
                assert!(!yes, "{k} on {domain} is refuted: {counterexample}")
            }
            Verdict::Undecided { .. } => panic!("{k} on {domain} is not decided"),
        }
    }
}

fn random_point(domain: ScalarDomain, chance: &mut Chance) -> f64 {
    match domain {
        ScalarDomain::Real => 2.0 * chance.normal(),
        ScalarDomain::Positive => 4.0 * chance.unit() + 1e-3,
        ScalarDomain::Unit => 1.9 * chance.unit() - 0.95,
        ScalarDomain::Segment => chance.unit(),
        ScalarDomain::Natural => (1 + chance.below(30)) as f64,
    }
}

/// What was proved holds at random points, up to rounding: λ_min ≥ −tolerance·trace.
#[test]
fn gram_matrices_of_proved_kernels_are_positive_semidefinite() {
    let mut chance = Chance::new(31);
    let n = 12;
    for (domain, k, _) in all().filter(|(_, _, yes)| *yes) {
        for _ in 0..20 {
            let points: Vec<f64> = (0..n).map(|_| random_point(domain, &mut chance)).collect();
            let gram: Vec<f64> = points
                .iter()
                .flat_map(|x| points.iter().map(|y| k.at(*x, *y)))
                .collect::<Result<_, _>>()
                .unwrap_or_else(|e| panic!("{e}"));
            let trace: f64 = (0..n).map(|i| gram[i * n + i]).sum();
            let least = symmetric_eigenvalues(&gram, n).unwrap_or_else(|e| panic!("{e}"))[0];
            // The entries themselves carry the rounding of a few dozen operations.
            assert!(
                least >= -tol::GRAM_R2 * trace.abs() - tol::round(n) * trace.abs(),
                "{k} on {domain}: {least:e} of {trace:e} at {points:?}"
            );
        }
    }
}

/// A counterexample is negative when it is computed again in floating point.
#[test]
fn counterexamples_hold_in_floating_point() {
    for (domain, k, _) in all().filter(|(_, _, yes)| !*yes) {
        let verdict = k.check(domain);
        let Some(found) = verdict.counterexample() else { panic!("{k} on {domain} is not refuted") };
        let points: Vec<f64> = found.points.iter().map(|p| p.to_f64()).collect();
        assert!(points.iter().all(|p| domain.contains(*p)), "{k} on {domain}: {found}");
        match &found.fault {
            Fault::Negative { value } => {
                let a: Vec<f64> = found.vector.iter().map(|v| v.to_f64()).collect();
                let value_at = |x: f64, y: f64| k.at(x, y).unwrap_or_else(|e| panic!("{e}"));
                let form: f64 = a
                    .iter()
                    .zip(&points)
                    .flat_map(|(a, x)| points.iter().zip(&found.vector).map(move |(y, b)| (*a, *x, *y, b.to_f64())))
                    .map(|(a, x, y, b)| a * b * value_at(x, y))
                    .sum();
                assert!(form < 0.0 && value.is_negative(), "{k}: {form:e}");
                assert!((form - value.to_f64()).abs() <= tol::GOLDEN * form.abs(), "{k}: {form:e} is not {value}");
            }
            Fault::Asymmetric { .. } => {
                let (x, y) = (points[0], points[1]);
                assert_ne!(k.at(x, y).ok(), k.at(y, x).ok(), "{k}");
            }
            _ => assert!(k.at(points[0], points[points.len() - 1]).is_err(), "{k}"),
        }
    }
}

#[test]
fn counterexamples_are_small_and_readable() {
    for (domain, source, expected) in [
        ("R+", "max(x, y)", "points 1 and 2; a = (1, -1); aᵀKa = -1 < 0, exact"),
        ("N", "lcm(x, y)", "points 1 and 2; a = (1, -1); aᵀKa = -1 < 0, exact"),
        ("R", "cos(x+y)", "point 1; a = (1); aᵀKa = -0.416147 < 0, by interval arithmetic"),
        ("R", "x-y", "points 1 and 0; k(1, 0) = 1 but k(0, 1) = -1"),
        ("R", "log(x*y)", "points 0 and 1; k(0, 1) has no value: the logarithm of 0, which is not positive"),
        (
            "R",
            "gcd(x, y)",
            "points 0 and 1; k(0, 1) has no value: `gcd` is defined for whole numbers 1, 2, … and got 0",
        ),
    ] {
        let verdict = parsed(source).check(domain.parse().unwrap_or_else(|e| panic!("{e}")));
        let found = verdict.counterexample().map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn proofs_name_their_rules() {
    for (domain, source, rule) in [
        ("R", "exp(x*y)", ProofRule::PowerSeries),
        ("R", "exp(-abs(x-y))", ProofRule::Schoenberg),
        ("R", "cos(x-y)", ProofRule::AdditionTheorem),
        ("R", "1/cosh(x-y)", ProofRule::Bochner),
        ("R", "(1+x*y)^2+x+y", ProofRule::Quadratic),
        ("R+", "1/(x+y)", ProofRule::Laplace),
        ("R+", "min(x, y)", ProofRule::Indicators),
        ("R+", "sqrt(min(x, y))", ProofRule::InfinitelyDivisible),
        ("R+", "min(x, y)/max(x, y)", ProofRule::Conjugation),
        ("N", "gcd(x, y)^0.3", ProofRule::LogDivisors),
        ("R", "abs(x)+abs(y)-abs(x-y)", ProofRule::BasePoint),
        ("R+", "max(0, 1 - abs(x - y))", ProofRule::Restriction),
        ("unit", "1-max(x, y)", ProofRule::Ordered),
    ] {
        let verdict = parsed(source).check(domain.parse().unwrap_or_else(|e| panic!("{e}")));
        let Verdict::PositiveDefinite(proof) = &verdict else { panic!("{source}: {verdict}") };
        assert!(proof.uses(rule), "{source}:\n{proof}");
        assert!(proof.claim.starts_with(&format!("`{}` is positive definite", parsed(source))), "{}", proof.claim);
    }
}

/// The sign of cos(10000000) is negative, but beyond what the intervals resolve.
#[test]
fn a_constant_of_unknown_sign_proves_nothing() {
    for source in ["exp(cos(10000000)*min(x, y))", "cos(10000000)*x*y", "1/(2 - cos(10000000)*max(x, y))"] {
        assert!(parsed(source).check(ScalarDomain::Real).proof().is_none(), "{source}");
    }
}

/// log(−min(−x, −y)) is log max(x, y), which is of the other type than log min.
#[test]
fn a_root_of_a_maximum_is_no_kernel() {
    for (domain, source) in [
        ("R+", "sqrt(-min(-x,-y))"),
        ("R", "(-min(-1-x^2,-1-y^2))^0.5"),
        ("R+", "(-min(-x,-y))^0.3"),
        ("R+", "max(x,y)^0.5"),
        ("R+", "exp(0.1*log(max(x,y)))"),
    ] {
        let verdict = parsed(source).check(domain.parse().unwrap_or_else(|e| panic!("{e}")));
        assert!(matches!(verdict, Verdict::Refuted(_)), "{source}: {verdict}");
    }
}

/// Rules that were used where their conditions did not hold, as a judge with 60 digits found.
#[test]
fn rules_hold_only_where_their_conditions_do() {
    for (domain, source) in [
        ("unit", "min(1.5-x,1.5-y)/(1/y*(1/x))"),
        ("R", "exp(x*y)/(1/(x*y))"),
        ("unit", "cos(x-y)/(1/(1-abs(x-y)))"),
        ("R", "exp(-abs(x-y))*cos(3*(x-y))-exp(-abs(x-y))*cos(x-y)*cos(3*(x-y))"),
        ("R", "exp(-abs(x-y))*sin(abs(x-y))*cos(x-y)-exp(-abs(x-y))*cos(x-y)/9"),
    ] {
        let verdict = parsed(source).check(domain.parse().unwrap_or_else(|e| panic!("{e}")));
        assert!(verdict.proof().is_none(), "{source}: {verdict}");
    }
}

#[test]
fn a_number_is_the_decimal_that_is_written() {
    let check = |source: &str| parsed(source).check(ScalarDomain::Real);
    for source in ["exp(-abs(x-y)^2.00000000000000001)", "exp(-abs(x-y)^2.0000000000000000000000000000000000000000001)"]
    {
        assert!(check(source).proof().is_none(), "{source}");
    }
    for source in ["(1-1.0000000000000000001)*x*y", "(9007199254740992-9007199254740993)*x*y"] {
        assert!(matches!(check(source), Verdict::Refuted(_)), "{source}");
    }
    for source in [
        "(9007199254740993-9007199254740992)*x*y-0.5*x*y",
        "exp(-abs(x-y)^1.99999999999999999999)",
        "10^39*x*y",
        "2^127*x*y",
        "x*y/2^200",
        "1e300*x*y*1e300",
        "1e-400*x*y",
    ] {
        assert!(check(source).proof().is_some(), "{source}: {}", check(source));
    }
    assert_eq!(parsed("x*y*2.00000000000000001").to_string(), "x*y*2.00000000000000001");
}

#[test]
fn counterexamples_lie_in_the_domain() {
    for source in ["min(0.9,x*y)", "0.9-abs(x-y)", "max(x,y)", "x+y", "log(1+x*y)", "-0^(2-x-y)", "x*y-0.97"] {
        for domain in ScalarDomain::ALL {
            if let Some(found) = parsed(source).check(domain).counterexample() {
                assert!(found.points.iter().all(|p| domain.contains(p.to_f64())), "{source} on {domain}: {found}");
            }
        }
    }
    let zero = parsed("-0^(2-x-y)").check(ScalarDomain::Unit);
    assert!(zero.proof().is_some(), "{zero}");
}

#[test]
fn huge_powers_and_deep_nests_are_answered() {
    let nest = |open: &str, n: usize| format!("{}x*y{}", open.repeat(n), ")".repeat(n));
    let sources = [
        "cos((x*y)^400)".to_owned(),
        "1/(1+x^200*y^200)".to_owned(),
        "(x*y)^99999999999999999999".to_owned(),
        "2^(2^(2^(2^(2^2))))*x*y".to_owned(),
        nest("min(x,", 20),
        nest("max(y,", 40),
        nest("min(x,max(y,", 9) + &")".repeat(9),
        nest("abs(x-y-", 30),
        nest("abs(1-", 40),
        nest("sqrt(1+", 40),
    ];
    for source in sources {
        for domain in ScalarDomain::ALL {
            let _ = parsed(&source).check(domain).to_string();
        }
    }
}

#[test]
fn a_check_ends_when_it_is_told_to() {
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        true
    };
    let verdict = parsed("exp(-abs(x-y)^2.1)*cos(x*y)").check_until(ScalarDomain::Real, &stop);
    let Verdict::Undecided { reason } = verdict else { panic!("{verdict}") };
    assert_eq!(reason, "the check was stopped before it ended");
    assert!(asked.get() > 0);
}

#[test]
fn what_is_only_conditionally_positive_definite_is_said() {
    for (domain, source, yes) in [
        ("R", "-abs(x-y)", true),
        ("R+", "-log(x+y)", true),
        ("R", "-(x-y)^2", true),
        ("R", "1-abs(x-y)", true),
        ("R", "-abs(x-y)^2.5", false),
        ("R", "abs(x-y)", false),
        ("R+", "log(x+y)", false),
    ] {
        let domain: ScalarDomain = domain.parse().unwrap_or_else(|e| panic!("{e}"));
        assert!(parsed(source).check(domain).proof().is_none(), "{source}");
        assert_eq!(parsed(source).conditional(domain, &|| false).is_some(), yes, "{source}");
    }
}

#[test]
fn a_function_without_a_value_is_not_called_indefinite() {
    for (domain, source) in [("R", "sin(x-y)/(x-y)"), ("R", "log(x*y)"), ("R+", "gcd(x,y)"), ("R", "exp(log(0))*x*y")] {
        let verdict = parsed(source).check(domain.parse().unwrap_or_else(|e| panic!("{e}")));
        assert!(matches!(verdict, Verdict::Undefined(_)), "{source}: {verdict}");
        assert_eq!(verdict.word(), "not defined");
    }
}

#[test]
fn a_proof_reads_as_numbered_steps() {
    let verdict = parsed("gcd(x, y)/lcm(x, y)").check(ScalarDomain::Natural);
    assert_eq!(
        verdict.to_string(),
        "positive definite
1. `gcd(x, y)` is positive definite
   sum over divisors: gcd(x, y)^s = Σ J(d) over the d that divide x and y, with Jordan's J(d) = dˢ·Π(1 − p⁻ˢ) ≥ 0 for s ≥ 0; here s = 1, where J is Euler's totient
2. `gcd(x, y)^2` is positive definite
   product, from step 1: a product of positive definite kernels is positive definite (Schur); here `gcd(x, y)` 2 times
3. `gcd(x, y)^2/(x*y)` is positive definite
   conjugation, from step 2: f(x)·k(x, y)·f(y) is positive definite when k is, for every function f; here f(x) = `1/x`
4. `gcd(x, y)/lcm(x, y)` is positive definite
   identity, from step 3: both sides are equal at every pair of points; here `gcd(x, y)/lcm(x, y)` = `gcd(x, y)^2/(x*y)`"
    );
}

#[test]
fn verdicts_are_written_as_json() {
    let json = serde_json::to_value(parsed("max(x, y)").check(ScalarDomain::Positive)).expect("JSON");
    assert_eq!(json["verdict"], "refuted");
    assert_eq!(json["evidence"]["points"], serde_json::json!(["1", "2"]));
    assert_eq!(json["evidence"]["fault"]["negative"]["value"]["exact"], "-1");
    let json = serde_json::to_value(parsed("x*y").check(ScalarDomain::Real)).expect("JSON");
    assert_eq!(json["verdict"], "positive_definite");
    assert_eq!(json["evidence"]["rule"], "explicit feature map");
}

fn people(ages: Vec<f64>) -> Inputs {
    let height = ages.iter().map(|a| 100.0 + a).collect::<Vec<f64>>();
    let columns = vec![("age".into(), Column::Number(ages.into())), ("height".into(), Column::Number(height.into()))];
    Table::new(columns).unwrap_or_else(|e| panic!("{e}")).into()
}

fn formula(source: &str) -> Result<KernelExpr, Error> {
    let k = KernelExpr::parse(source)?;
    assert_eq!(KernelExpr::parse(&k.to_string())?, k, "{source}");
    Ok(k)
}

#[test]
fn an_expression_is_a_kernel_on_a_numeric_column() {
    let k = formula("expression(\"min(x,y)/max(x,y)\", age, domain=\"R+\") + 0.5*linear(height)")
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(k.to_string(), "expression(\"min(x, y)/max(x, y)\", age, domain=\"R+\") + 0.5*linear(height)");
    assert_eq!(k.names(), ["1.scale"]);
    let ages = vec![1.0, 4.0, 0.5, 2.5];
    let run = Run::new();
    let bound = k.bind(&people(ages.clone()), &run).unwrap_or_else(|e| panic!("{e}"));
    let gram = dense::<f64>(&bound, &run).unwrap_or_else(|e| panic!("{e}"));
    for (i, x) in ages.iter().enumerate() {
        for (j, y) in ages.iter().enumerate() {
            let expected = x.min(*y) / x.max(*y) + 0.5 * (100.0 + x) * (100.0 + y);
            let got = gram.values()[i * 4 + j];
            assert!((got - expected).abs() <= tol::GRAM_R2 * expected, "{got} is not {expected}");
        }
    }
}

#[test]
fn expressions_that_are_no_kernels_and_values_outside_the_domain_are_refused() {
    for (source, expected) in [
        (
            "expression(\"max(x, y)\", age, domain=\"R+\")",
            "not positive definite on `R+` (points 1 and 2; a = (1, -1); aᵀKa = -1 < 0, exact)",
        ),
        ("expression(\"mim(x, y)\", age)", "in the expression: unknown name `mim`"),
        ("expression(\"x*y\", age, domain=\"Q\")", "`R` (all numbers), `R+`"),
        ("expression(age)", "needs an expression in quotes"),
        ("expression(\"x*y\", age, scale=2)", "takes `domain=`"),
    ] {
        let error = formula(source).map_or_else(|e| e.to_string(), |k| panic!("{source} gives {k}"));
        assert!(error.contains(expected), "{source}: {error}");
    }
    let run = Run::new();
    let bind = |source: &str| {
        formula(source)
            .and_then(|k| k.bind(&people(vec![1.0, -2.0]), &run))
            .map_or_else(|e| e.to_string(), |_| panic!("{source} binds"))
    };
    let error = bind("expression(\"min(x, y)\", age, domain=\"R+\")");
    assert!(error.contains("needs the positive numbers, got -2 in row 1 (column `age`)"), "{error}");
    let error = bind("expression(\"x*y\")");
    assert!(error.contains("reads one numeric column, and here are 2"), "{error}");
}
