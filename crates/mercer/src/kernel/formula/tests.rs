//! The language, by example and by chance.

use super::*;
use crate::chance::Chance;
use crate::kernel::{Columns, Kind, Leaf, Setting};

fn normal(source: &str) -> String {
    KernelExpr::parse(source).map_or_else(|e| panic!("{source}: {e}"), |k| k.to_string())
}

fn message(source: &str) -> String {
    let error = KernelExpr::parse(source).map_or_else(|e| e, |k| panic!("{source} gives {k}"));
    format!("{error}\nhint: {}", error.hint().unwrap_or_default())
}

#[test]
fn formulas_have_a_normal_form() {
    for (source, expected) in [
        ("rbf", "rbf(length_scale=median)"),
        ("rbf(age, income, length_scale=2)", "rbf(age, income, length_scale=2)"),
        ("rbf(*, length_scale=[1, 0.5])", "rbf(length_scale=[1, 0.5])"),
        (
            "0.5*rbf(age) + linear(height)*delta(species)",
            "0.5*rbf(age, length_scale=median) + linear(height)*delta(species)",
        ),
        ("(linear + 1)^3", "(linear + 1)^3"),
        ("(linear+1)**3", "(linear + 1)^3"),
        ("exp(linear)", "exp(linear)"),
        ("normalize(poly(degree=2))", "normalize(poly(degree=2, gamma=1, coef0=1))"),
        ("laplace(length_scale=median)", "laplace(length_scale=median)"),
        ("rbf(gamma=0.5)", "rbf(length_scale=1)"),
        ("rbf(gamma=0.125)", "rbf(length_scale=2)"),
        ("gaussian(sigma=3)", "rbf(length_scale=3)"),
        ("laplace_l1(gamma=0.25)", "laplace_l1(length_scale=4)"),
        ("rbf(length_scale=1.2!)", "rbf(length_scale=1.2!)"),
        ("rbf(length_scale=1 in [0.1, 10])", "rbf(length_scale=1 in [0.1, 10])"),
        ("2*rbf(length_scale=1)*3", "6*rbf(length_scale=1)"),
        ("rbf(length_scale=1)*(2*linear)", "2*rbf(length_scale=1)*linear"),
        ("(linear + linear) + linear", "linear + linear + linear"),
        ("2!*linear", "2!*linear"),
        ("matern(nu=2.5, length_scale=1)", "matern52(length_scale=1)"),
        ("ngram(note, n=2, unit=word)", "ngram(note, n=2, unit=word)"),
        ("linear(\"my column\", `a\"b`)", "linear(\"my column\", \"a\"\"b\")"),
        ("linear(Sepal.Length)", "linear(Sepal.Length)"),
        ("(2*linear)^2", "(2*linear)^2"),
        ("(linear^2)^3", "linear^6"),
    ] {
        assert_eq!(normal(source), expected, "{source}");
        assert_eq!(normal(expected), expected);
    }
}

#[test]
fn mistakes_are_pointed_at() {
    for (source, expected) in [
        (
            "rbf + mattern32",
            "unknown kernel `mattern32` at column 7\n  rbf + mattern32\n        ^^^^^^^^^\nhint: the nearest kernel is `matern32`",
        ),
        (
            "rbf(lenght_scale=2)",
            "`a parameter` of kernel `rbf` must be one it has; the nearest is `length_scale`, got `lenght_scale` at column 5\n  rbf(lenght_scale=2)\n      ^^^^^^^^^^^^\nhint: ",
        ),
        (
            "rbf(length_scale=-2)",
            "`length_scale` of kernel `rbf` must be a finite number > 0, got -2 at column 18\n  rbf(length_scale=-2)\n                   ^^\nhint: ",
        ),
        (
            "rbf - linear",
            "a difference of kernels is not positive definite in general at column 7\n  rbf - linear\n        ^^^^^^\nhint: kernels can be added, multiplied, raised to whole powers and scaled by numbers ≥ 0",
        ),
        (
            "log(rbf)",
            "the logarithm of a kernel is not positive definite in general at column 1\n  log(rbf)\n  ^^^\nhint: kernels can be added, multiplied, raised to whole powers and scaled by numbers ≥ 0",
        ),
        ("rbf(age", "expected `,` or `)`, the formula ends at column 8\n  rbf(age\n         ^\nhint: "),
        (
            "linear^1.5",
            "`exponent` of a power of a kernel must be a whole number from 1 to 64, or any number > 0 up to it for kernels such as `rbf`, got 1.5 at column 1\n  linear^1.5\n  ^^^^^^^^^^\nhint: ",
        ),
        (
            "rbf(a, b, length_scale=[1, 2, 3])",
            "3 length scales for 2 columns at column 5\n  rbf(a, b, length_scale=[1, 2, 3])\n      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\nhint: give one length scale, or one for each column",
        ),
        (
            "ngram(n=2, unit=words)",
            "unknown value `words` for `unit` at column 17\n  ngram(n=2, unit=words)\n                  ^^^^^\nhint: the nearest is `word`",
        ),
        (
            "exp(linear, rbf)",
            "`exp` takes one kernel, got 2 arguments or another kind of argument at column 1\n  exp(linear, rbf)\n  ^^^^^^^^^^^^^^^^\nhint: for example `exp(linear)`",
        ),
    ] {
        assert_eq!(message(source), expected, "{source}");
    }
}

#[test]
fn hostile_formulas_are_refused_without_harm() {
    for source in [
        String::new(),
        "(".repeat(100_000),
        "-".repeat(60_000),
        "[".repeat(60_000),
        format!("rbf(length_scale={})", "[".repeat(60_000)),
        "linear^".repeat(9_000),
        "1e999".into(),
        "rbf(gamma=1e-320)".into(),
        "rbf(length_scale=0)".into(),
        "linear^65".into(),
        "linear^0".into(),
        "rbf(a, a)".into(),
        "\"".into(),
        "rbf(length_scale=2, gamma=3)".into(),
        "poly(degree=2.5)".into(),
        "poly(coef0=-1)".into(),
        "general_poly(coefficients=[1, -1])".into(),
        "linear/rbf".into(),
        "-1*rbf".into(),
        "\u{0}".into(),
    ] {
        assert!(KernelExpr::parse(&source).is_err(), "{}", &source[..source.len().min(40)]);
    }
    let long = vec!["linear"; 5_000].join("+");
    assert!(KernelExpr::parse(&long).is_ok());
}

#[test]
fn weights_that_multiply_to_infinity_are_refused() {
    assert_eq!(
        message("1e200*linear*1e200"),
        "the weights of this product multiply to more than a number can hold at column 14\n  1e200*linear*1e200\n               ^^^^^\nhint: "
    );
    assert!(KernelExpr::parse("1e200*1e200").is_err());
    assert_eq!(normal("1e-200*linear*1e-200"), "0*linear");
}

/// Trees and texts by chance.
struct Trees(Chance);

impl Trees {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn number(&mut self) -> f64 {
        (self.below(1000) + 1) as f64 * [1e-9, 0.1, 1.0 / 3.0, 7.0, 1e17][self.below(5)]
    }

    fn leaf(&mut self) -> KernelExpr {
        let mut leaf = Leaf::new(Kind::ALL[self.below(Kind::ALL.len())]);
        for spec in leaf.spec().settings {
            if self.below(2) == 0 {
                let mut param = crate::kernel::Param::new(self.number(), crate::kernel::Transform::Log);
                param.free = self.below(2) == 0;
                // Whole numbers and words refuse these; the default stands then.
                let _ = leaf.set(spec.name, Setting::One(param));
            }
        }
        let names = ["age", "my column", "a\"b", "größe", "rbf"];
        let columns = if self.below(2) == 0 { Columns::All } else { Columns::Named(vec![names[self.below(5)].into()]) };
        KernelExpr::Leaf(leaf.on(columns))
    }

    fn tree(&mut self, depth: usize) -> KernelExpr {
        if depth == 0 {
            return self.leaf();
        }
        match self.below(8) {
            0 | 1 => self.tree(depth - 1) + self.tree(depth - 1),
            2 | 3 => self.tree(depth - 1) * self.tree(depth - 1),
            4 => self.tree(depth - 1).scale(self.number()).expect("positive"),
            5 => {
                let (base, n) = (self.tree(depth - 1), self.below(3) as u32 + 1);
                base.clone().pow(0.5 * f64::from(n)).or_else(|_| base.clone().pow(n)).unwrap_or(base)
            }
            6 => self.tree(depth - 1).exp(),
            _ => {
                let inner = self.tree(depth - 1);
                inner.clone().normalize().unwrap_or(inner) + KernelExpr::constant(self.number()).expect("positive")
            }
        }
    }
}

#[test]
fn two_thousand_random_trees_survive_printing() {
    let mut chance = Trees(Chance::new(7));
    for i in 0..2000 {
        let k = chance.tree(i % 5);
        let text = k.to_string();
        let again = KernelExpr::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(again, k, "{text}");
        let json = serde_json::to_string(&k).expect("a string");
        assert_eq!(serde_json::from_str::<KernelExpr>(&json).expect("reads back"), k);
    }
}

impl Trees {
    /// A text with differences, quotients, roots and logarithms in it, of few different kernels.
    fn text(&mut self, depth: usize) -> String {
        if depth == 0 {
            let parts =
                ["linear", "rbf", "rbf(length_scale=2!)", "min(a)", "cauchy(a, b)", "0.1", "3!", "2 in [1, 4]", "0"];
            return parts[self.below(parts.len())].into();
        }
        let (a, b) = (self.text(depth - 1), self.text(depth - 1));
        match self.below(12) {
            0 | 1 => format!("({a} - {b})"),
            2 => format!("({a} + {b} - {a}/2)"),
            3 => format!("({a} + {b})"),
            4 => format!("{a}*{b}"),
            5 => format!("({a})/({b})"),
            6 => format!("{a}/0.3"),
            7 => format!("(-{a}*-{b})"),
            8 => format!("sqrt({a})"),
            9 => format!("exp(log({a}) + {b})"),
            10 => format!("({a})^{}", ["2", "0.5", "1.5"][self.below(3)]),
            _ => format!("abs(normalize({a}))"),
        }
    }
}

#[test]
fn what_is_collected_survives_printing() {
    let mut chance = Trees(Chance::new(11));
    let mut accepted = 0;
    for i in 0..3000 {
        let source = chance.text(1 + i % 4);
        let Ok(k) = KernelExpr::parse(&source) else { continue };
        let text = k.to_string();
        let again = KernelExpr::parse(&text).unwrap_or_else(|e| panic!("{source} is {text}: {e}"));
        assert_eq!(again, k, "{source} is {text}");
        accepted += 1;
    }
    assert!(accepted > 500, "{accepted}");
}

#[test]
fn merged_weights_keep_their_bounds() {
    for (formula, normal) in [
        ("2 in [1, 4]*rbf(length_scale=1)*3!", "6 in [3, 12]*rbf(length_scale=1)"),
        ("2 in [1, 4]*rbf(length_scale=1)*3 in [2, 5]", "6 in [2, 20]*rbf(length_scale=1)"),
        ("2 in [1, 4]*rbf(length_scale=1)*3", "6*rbf(length_scale=1)"),
    ] {
        assert_eq!(KernelExpr::parse(formula).map(|k| k.to_string()).ok().as_deref(), Some(normal), "{formula}");
    }
}
