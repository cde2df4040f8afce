//! Regression or classification, and how targets are coded.

use mercer::data::{Categories, Column, Texts};
use mercer::model::pipeline::Task;

use super::*;

fn refused(columns: &[(String, Column)]) -> String {
    let error = Task::decide(columns).expect_err("refused");
    assert!(error.hint().is_some(), "{error}");
    error.to_string()
}

#[test]
fn numbers_are_a_regression() {
    let (task, y) =
        Task::decide(&[("a".into(), numbers([1.0, 0.0])), ("b".into(), numbers([3.0, 5.0]))]).expect("numbers");
    assert_eq!(task, Task::Regression { targets: vec!["a".into(), "b".into()] });
    assert_eq!((y.numbers().expect("numbers").values(), task.outputs()), (&[1.0, 3.0, 0.0, 5.0][..], 2));
    assert!(task.labels(&[1.0]).is_none());
}

#[test]
fn words_are_classes_in_an_order_of_their_own() {
    let column = words(["b", "c", "a", "b"]);
    let (task, y) = Task::decide(&[("k".into(), column)]).expect("classes");
    assert_eq!(task.classes().expect("classes"), ["a", "b", "c"]);
    assert_eq!(
        y.numbers().expect("numbers").values(),
        [-1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, -1.0]
    );
    let labels = task.labels(&[0.1, 0.3, 0.2, 0.5, 0.5, -1.0]).expect("classes");
    assert_eq!((labels.get(0), labels.get(1)), (Some("b"), Some("a")));
    let (task, y) = Task::decide(&[("k".into(), words(["10", "9", "10"]))]).expect("two classes");
    assert_eq!(
        (task.classes().expect("classes"), y.numbers().expect("numbers").values()),
        (&["9".to_owned(), "10".into()][..], &[1.0, -1.0, 1.0][..])
    );
    assert_eq!((task.outputs(), task.names()), (1, vec!["10".to_owned()]));
    let labels = task.labels(&[0.1, 0.0, -3.0]).expect("classes");
    assert_eq!((0..3).map(|i| labels.get(i).expect("there")).collect::<Vec<_>>(), ["10", "9", "9"]);
}

#[test]
fn levels_without_rows_are_no_classes_and_numbers_may_be() {
    let column = Column::Category(Categories::from_codes(vec![0, 2], vec!["x".into(), "y".into(), "z".into()]));
    let (task, _) = Task::decide(&[("k".into(), column)]).expect("two classes");
    assert_eq!(task.classes().expect("classes"), ["x", "z"]);
    let task = Task::classification("k", &numbers([2.0, 10.0, 2.0])).expect("asked for");
    assert_eq!(task.classes().expect("classes"), ["2", "10"]);
    let y = task.encode(&[("k".into(), numbers([10.0, 2.0]))]).expect("known classes");
    assert_eq!(y.values(), [1.0, -1.0]);
    assert!(task.encode(&[("k".into(), numbers([3.0]))]).is_err());
}

#[test]
fn targets_that_cannot_be_learnt_are_refused() {
    let one = |column: Column| refused(&[("t".into(), column)]);
    assert_eq!(one(numbers([2.0; 3])), "column `t`: expected a target that varies, got 2 in every row");
    assert_eq!(one(words(["a"; 3])), "column `t`: expected at least two classes, got `a` in every row");
    let said = "column `t`: expected a target in every row, got 1 of 3 missing, first at row 1 (rows count from 0)";
    assert_eq!(one(numbers([2.0, f64::NAN, 1.0])), said);
    assert_eq!(one(Column::Category(Categories::from_values([Some("a"), None, Some("b")]))), said);
    assert!(one(numbers([1.0, f64::INFINITY])).contains("finite numbers"));
    let texts = Column::from(Texts::from_values((0..50).map(|i| Some(format!("letter {i}")))));
    assert!(one(texts).contains("free text, 50 values in 50 rows"));
    assert!(one(numbers([])).contains("no rows"));
    assert!(refused(&[("a".into(), numbers([1.0, 2.0])), ("b".into(), words(["x", "y"]))]).contains("column `b`"));
}

#[test]
fn text_that_repeats_is_classes() {
    let texts = Column::from(Texts::from_values(["spam", "ham", "spam", "ham"].map(Some)));
    let (task, _) = Task::decide(&[("t".into(), texts)]).expect("two classes");
    assert_eq!(task.classes().expect("classes"), ["ham", "spam"]);
}
