//! ROC and calibration curves against scikit-learn and against counting.

use mercer::data::Weights;
use mercer::metric::{calibration, roc};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn close(name: &str, got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{name}: {got:?} {expected:?}");
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tol::GOLDEN), "{name}: {got:?} {expected:?}");
}

#[test]
fn curves_are_those_of_scikit_learn() {
    let path = format!("{}/tests/fixtures/scikit-learn-1.9.1/curves.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    let fixture: Value = serde_json::from_str(&text).expect("JSON");
    let cases = fixture["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 16);
    for case in cases {
        let truth: Vec<bool> =
            case["truth"].as_array().expect("a list").iter().map(|v| v == &Value::Bool(true)).collect();
        let scores = numbers(&case["scores"]);
        let weights = (!case["weights"].is_null()).then(|| Weights::new(numbers(&case["weights"])).expect("weights"));
        let curve = roc(&truth, &scores, weights.as_ref()).expect("a curve");
        close("false positive", &curve.false_positive, &numbers(&case["false_positive"]));
        close("true positive", &curve.true_positive, &numbers(&case["true_positive"]));
        close("thresholds", &curve.thresholds[1..], &numbers(&case["thresholds"]));
        assert_eq!(curve.thresholds[0], f64::INFINITY);
        close("area", &[curve.area], &[case["area"].as_f64().expect("a number")]);
        for bins in [1, 5, 10] {
            let Some(observed) = case.get(format!("observed_{bins}")) else { continue };
            let curve = calibration(&truth, &scores, bins, None).expect("a curve");
            close("observed", &curve.observed, &numbers(observed));
            close("predicted", &curve.predicted, &numbers(&case[format!("predicted_{bins}")]));
            assert!((curve.share.iter().sum::<f64>() - 1.0).abs() <= tol::round(300));
        }
    }
}

/// The area is the share of pairs in order, weights are repetitions, and zeros are absent rows.
#[test]
fn areas_count_pairs_and_weights_repeat_rows() {
    let mut chance = Chance::new(7);
    for round in 0..200 {
        let n = 2 + round % 15;
        let mut truth: Vec<bool> = (0..n).map(|_| chance.unit() < 0.5).collect();
        (truth[0], truth[1]) = (true, false);
        let scores: Vec<f64> = (0..n).map(|_| (chance.unit() * 6.0).floor() / 5.0 - 0.3).collect();
        let times: Vec<usize> = (0..n).map(|i| if i < 2 { 1 } else { (chance.unit() * 4.0) as usize }).collect();
        let repeat = |i: usize| std::iter::repeat_n(i, times[i]);
        let rows: Vec<usize> = (0..n).flat_map(repeat).collect();
        let (all, given): (Vec<bool>, Vec<f64>) = rows.iter().map(|i| (truth[*i], scores[*i])).unzip();
        let plain = roc(&all, &given, None).expect("a curve");
        let weights = Weights::new(times.iter().map(|t| *t as f64).collect::<Vec<_>>()).expect("weights");
        let weighed = roc(&truth, &scores, Some(&weights)).expect("a curve");
        close("false positive", &weighed.false_positive, &plain.false_positive);
        close("area", &[weighed.area], &[plain.area]);
        let (mut right, mut pairs) = (0.0, 0.0);
        for (i, a) in all.iter().enumerate().filter(|(_, t)| **t) {
            for (j, _) in all.iter().enumerate().filter(|(_, t)| !**t) {
                assert!(*a);
                pairs += 1.0;
                right += if given[i] > given[j] {
                    1.0
                } else if given[i] == given[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert!((plain.area - right / pairs).abs() <= tol::round(100), "{} {}", plain.area, right / pairs);
    }
}

#[test]
fn what_has_no_curve_is_said() {
    let bad: [(&[bool], &[f64], &str); 5] = [
        (&[], &[], "one kind"),
        (&[true, true], &[0.1, 0.2], "one kind"),
        (&[true, false], &[0.1], "one a row"),
        (&[true, false], &[0.1, f64::NAN], "NaN"),
        (&[false], &[0.5], "one kind"),
    ];
    for (truth, scores, words) in bad {
        let error = roc(truth, scores, None).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(roc(&[true, false], &[f64::INFINITY, f64::NEG_INFINITY], None).expect("a curve").area == 1.0);
    let wrong = calibration(&[true, false], &[0.1, 1.5], 10, None).expect_err("no probability");
    assert!(wrong.to_string().contains("between 0 and 1"), "{wrong}");
    calibration(&[true], &[0.1], 0, None).expect_err("no groups");
    let weights = Weights::new([1.0]).expect("a weight");
    roc(&[true, false], &[0.1, 0.2], Some(&weights)).expect_err("two rows, one weight");
    assert_eq!(calibration(&[], &[], 10, None).expect("nothing").predicted, Vec::<f64>::new());
}
