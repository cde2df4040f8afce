//! Enclosures against numbers of another library, and directed rounding against exact arithmetic.

use super::*;
use crate::testkit::points::Chance;

/// Function, argument, and the value as a float and what it lacks, from mpmath 1.3.0 with 50 digits:
/// `v = getattr(mpmath, f)(mpf(a)); hi = float(v); lo = float(v - mpf(hi))`.
#[rustfmt::skip]
#[expect(clippy::approx_constant, reason = "the table is another library's")]
const REFERENCE: &[(&str, f64, f64, f64)] = &[
    ("exp", -20.5, 1.2501528663867426e-09, 6.448235878237776e-26),
    ("exp", -1.0, 0.36787944117144233, -1.2428753672788363e-17),
    ("exp", -0.001, 0.999000499833375, -3.026024053145243e-17),
    ("exp", 0.5, 1.6487212707001282, -4.731568479435833e-17),
    ("exp", 1.0, 2.718281828459045, 1.4456468917292502e-16),
    ("exp", 3.75, 42.52108200006278, -3.2371687033598516e-16),
    ("exp", 50.0, 5.184705528587072e21, 419031.45332293346),
    ("exp", 300.0, 1.9424263952412558e130, 1.1143145370175699e114),
    ("log", 0.001, -6.907755278982137, -2.1613487097372872e-16),
    ("log", 0.5, -0.6931471805599453, -2.3190468138462996e-17),
    ("log", 0.9, -0.10536051565782628, 4.81014917638444e-18),
    ("log", 1.1, 0.09531017980432493, 5.927240202146761e-18),
    ("log", 2.0, 0.6931471805599453, 2.3190468138462996e-17),
    ("log", 10.0, 2.302585092994046, -2.1707562233822494e-16),
    ("log", 123456.789, 11.723646487185881, -4.1025541885795297e-16),
    ("log", 1e200, 460.51701859880916, -2.2129109272629473e-14),
    ("sin", -3.0, -0.1411200080598672, -8.577269787017502e-18),
    ("sin", -0.1, -0.09983341664682815, -3.08001512929492e-18),
    ("sin", 0.5, 0.479425538604203, -5.103969860556013e-18),
    ("sin", 1.0, 0.8414709848078965, 1.776845092935536e-18),
    ("sin", 3.14159, 2.65358979335273e-06, 1.2360375240852754e-22),
    ("sin", 10.0, -0.5440211108893698, -3.8949898668223557e-17),
    ("sin", 1000.5, 0.9952739571052135, 5.1293231726011145e-17),
    ("sin", 99999.0, 0.860248280789742, 2.7327833443351148e-17),
    ("cos", -3.0, -0.9899924966004454, -4.2060261566099734e-17),
    ("cos", -0.1, 0.9950041652780258, -5.50210156918377e-17),
    ("cos", 0.5, 0.8775825618903728, -4.2623149864279997e-17),
    ("cos", 1.0, 0.5403023058681398, -4.760954612604417e-17),
    ("cos", 1.5708, -3.673205103346574e-06, 1.4352954850016022e-22),
    ("cos", 10.0, -0.8390715290764524, -1.4147119988953418e-17),
    ("cos", 1000.5, 0.09710690144438526, 3.9534046844460945e-18),
    ("cos", 99999.0, -0.5098753724179009, 5.3225855190929963e-17),
    ("tanh", -2.0, -0.9640275800758169, 1.9413550547557176e-17),
    ("tanh", -0.01, -0.00999966667999946, -2.249494707259477e-19),
    ("tanh", 0.3, 0.2913126124515909, -6.4602656586469586e-18),
    ("tanh", 1.0, 0.7615941559557649, 3.7090214482164924e-17),
    ("tanh", 5.0, 0.9999092042625951, 2.298523750966507e-17),
    ("cosh", -2.0, 3.7621956910836314, 7.146584908813439e-17),
    ("cosh", 0.01, 1.0000500004166681, -8.336492964027646e-17),
    ("cosh", 0.3, 1.0453385141288605, 7.371812611119388e-18),
    ("cosh", 1.0, 1.5430806348152437, 6.606796775006833e-17),
    ("cosh", 5.0, 74.20994852478785, -3.2016056277777725e-15),
    ("sinh", -2.0, -3.6268604078470186, -1.9291196578353674e-16),
    ("sinh", 0.01, 0.010000166667500003, -5.644562789430375e-19),
    ("sinh", 0.3, 0.3045202934471426, 9.177343117072388e-18),
    ("sinh", 1.0, 1.1752011936438014, 7.849672142285669e-17),
    ("sinh", 5.0, 74.20321057778875, 6.687957117824193e-15),
];

fn apply(name: &str, a: Interval) -> Interval {
    match name {
        "exp" => a.exp(),
        "log" => a.log().expect("a > 0"),
        "sin" => a.sin(),
        "cos" => a.cos(),
        "tanh" => a.tanh(),
        "cosh" => a.cosh(),
        _ => a.sinh(),
    }
}

#[test]
fn functions_enclose_fifty_digit_numbers() {
    for (name, argument, high_part, low_part) in REFERENCE {
        let got = apply(name, Interval::point(*argument));
        // Differences of neighbouring floats are exact, so these comparisons are.
        assert!(got.low - high_part <= *low_part, "{name}({argument}): {got:?} is above");
        assert!(got.high - high_part >= *low_part, "{name}({argument}): {got:?} is below");
        let width = (got.high - got.low) / high_part.abs();
        assert!(width < 1e-9, "{name}({argument}) is wide: {width:e}");
    }
}

#[test]
fn functions_of_an_interval_enclose_the_values_inside() {
    let mut chance = Chance::new(3);
    for _ in 0..4000 {
        let low = chance.normal();
        let high = low + chance.unit() * 1.5;
        let inside = low + (high - low) * chance.unit();
        for name in ["exp", "sin", "cos", "tanh", "cosh", "sinh"] {
            let (wide, narrow) = (apply(name, Interval::new(low, high)), apply(name, Interval::point(inside)));
            assert!(wide.low <= narrow.high && narrow.low <= wide.high, "{name} on [{low}, {high}] at {inside}");
        }
    }
}

/// x as p·2⁻⁶⁰, exactly, for multiples of 2⁻⁶⁰ below 2⁴⁰.
fn fixed(x: f64) -> i128 {
    (x * 2f64.powi(60)) as i128
}

#[test]
fn directed_sums_and_products_bracket_the_exact_result() {
    let mut chance = Chance::new(5);
    for _ in 0..20_000 {
        // Multiples of 2⁻³⁰, so that products are multiples of 2⁻⁶⁰ and fit into 128 bits.
        let mut number = || (chance.normal() * 1e5 * 2f64.powi(30)).round() * 2f64.powi(-30);
        let (a, b) = (number(), number());
        let product = (fixed(a) >> 30) * (fixed(b) >> 30);
        let (low, high) = (mul_down(a, b), mul_up(a, b));
        assert!(fixed(low) <= product && product <= fixed(high), "{a}·{b}");
        assert!(high <= low.next_up());
        let sum = fixed(a) + fixed(b * 1e-3);
        if fixed(b * 1e-3) as f64 == b * 1e-3 * 2f64.powi(60) {
            assert!(fixed(add_down(a, b * 1e-3)) <= sum && sum <= fixed(add_up(a, b * 1e-3)));
        }
        if b != 0.0 {
            let (low, high) = (div_down(a, b), div_up(a, b));
            assert!(low <= a / b && a / b <= high && high <= low.next_up());
        }
        let (low, high) = (sqrt_down(a.abs()), sqrt_up(a.abs()));
        assert!(mul_down(low, low) <= a.abs() && a.abs() <= mul_up(high, high));
    }
}

#[test]
fn exact_operations_keep_their_ends() {
    let unit = Interval::open(-1.0, 1.0);
    let one = Interval::point(1.0);
    let gap = one.minus(unit.times(unit));
    assert_eq!((gap.low, gap.high, gap.low_open, gap.is_positive()), (0.0, 2.0, true, true));
    let positive = Interval::open(0.0, f64::INFINITY);
    assert!(positive.times(positive).is_positive());
    assert!(positive.plus(positive).inverse().expect("not 0").is_positive());
    assert!(Interval::ALL.whole_power(2).expect("a square").is_non_negative());
    assert!(!Interval::ALL.whole_power(3).expect("a cube").is_non_negative());
    assert!(Interval::point(-1e5).exp().is_positive());
}
