//! Pictures of predictions hold what was predicted and what is true.

use mercer::data::{Categories, Column, Table};
use mercer::model::pipeline::Task;
use mercer::plot::{Figure, Mark, Predictions, prediction_sheet};

use super::judge::judge;

fn words(values: &[&str]) -> Column {
    Column::Category(Categories::from_values(values.iter().map(|v| (!v.is_empty()).then(|| (*v).to_owned()))))
}

fn numbers(values: &[f64]) -> Column {
    Column::Number(values.to_vec().into())
}

fn table(columns: &[(&str, Column)]) -> Table {
    Table::new(columns.iter().map(|(name, column)| ((*name).to_owned(), column.clone())).collect()).expect("a table")
}

fn sheet(trained: &Column, table: &Table, truth: Option<Column>) -> Figure {
    let (task, _) = Task::decide(&[("y".to_owned(), trained.clone())]).expect("a task");
    let truth: Vec<(String, Column)> = truth.into_iter().map(|column| ("y".to_owned(), column)).collect();
    let figure = prediction_sheet(&Predictions { task: &task, table, truth: &truth, data: "some" }).expect("a sheet");
    judge(&figure.svg().expect("a picture"));
    figure
}

#[test]
fn classes_are_counted_by_what_they_are() {
    let trained = words(&["a", "b", "c", "a", "b", "c"]);
    let found = table(&[("y", words(&["a", "a", "b", "b", "c", "a"])), ("decision_a", numbers(&[0.0; 6]))]);
    let figure = sheet(&trained, &found, Some(words(&["a", "b", "b", "", "z", "a"])));
    let Mark::Cells { columns, texts, .. } = &figure.panels[0].series[0].mark else { panic!("cells") };
    assert_eq!((*columns, texts.as_slice()), (3, &["2", "", "", "1", "1", "", "", "", ""].map(String::from)[..]));
    assert!(figure.panels[0].subtitle.contains("60 % right of 5 rows"), "{}", figure.panels[0].subtitle);
    let told: Vec<String> = figure.notes.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("1 row has no target") && told[1].contains("1 row is of a class"), "{told:?}");
    // Without the truth, how many rows each class got.
    let figure = sheet(&trained, &found, None);
    let bars: Vec<f64> = figure.panels[0]
        .series
        .iter()
        .filter_map(|s| if let Mark::Band(b) = &s.mark { Some(b[0][2]) } else { None })
        .collect();
    assert_eq!(bars, [3.0, 2.0, 1.0]);
}

#[test]
fn numbers_stand_against_the_truth() {
    let trained = numbers(&[1.0, 2.0, 3.5]);
    let found = table(&[
        ("y", numbers(&[1.0, 2.0, 4.0, 5.0])),
        ("y_low", numbers(&[0.0, 0.0, 0.0, 0.0])),
        ("y_high", numbers(&[9.0, 1.0, 9.0, 9.0])),
    ]);
    let figure = sheet(&trained, &found, Some(numbers(&[1.5, 2.0, 3.0, f64::NAN])));
    let Mark::Points(points) = &figure.panels[0].series[0].mark else { panic!("points") };
    assert_eq!(points, &[[1.5, 1.0], [2.0, 2.0], [3.0, 4.0]]);
    // √((0.25 + 0 + 1)/3), and two of three between their bounds.
    let said = &figure.panels[0].subtitle;
    assert!(said.contains("RMSE 0.6455") && said.contains("3 rows") && said.contains("66.67 % within"), "{said}");
    let Mark::Points(left) = &figure.panels[1].series[0].mark else { panic!("residuals") };
    assert_eq!(left, &[[1.0, 0.5], [2.0, 0.0], [4.0, -1.0]]);
    assert_eq!(figure.notes.len(), 1);
}

#[test]
fn without_the_truth_numbers_are_counted() {
    let trained = numbers(&[1.0, 2.0, 3.5]);
    for values in [
        (0..100).map(f64::from).collect::<Vec<_>>(),
        vec![3.0; 7],
        vec![f64::MIN, f64::MAX, 0.0],
        vec![1.0, f64::NAN, f64::INFINITY],
        vec![1e16, 1e16],
        vec![],
    ] {
        let figure = sheet(&trained, &table(&[("y", numbers(&values))]), None);
        let counts =
            figure.panels[0].series.iter().find_map(|s| if let Mark::Step(top) = &s.mark { Some(top) } else { None });
        let total: f64 = counts.map_or(0.0, |top| top.iter().map(|p| p[1]).sum());
        assert_eq!(total, values.iter().filter(|v| v.is_finite()).count() as f64, "{values:?}");
    }
}

#[test]
fn a_truth_of_another_kind_is_not_drawn() {
    let trained = numbers(&[1.0, 2.0, 3.5]);
    let (task, _) = Task::decide(&[("y".to_owned(), trained)]).expect("a task");
    let found = table(&[("y", numbers(&[1.0, 2.0]))]);
    let other = [("y".to_owned(), words(&["a", "b"]))];
    let figure =
        prediction_sheet(&Predictions { task: &task, table: &found, truth: &other, data: "some" }).expect("a sheet");
    assert!(figure.panels.is_empty());
}
