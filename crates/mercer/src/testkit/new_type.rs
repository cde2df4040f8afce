//! A type of column that nothing but its own files knows goes all the way: read, bound, fitted, saved, loaded,
//! explained, written and read again.

use crate::data::interval::{self, Interval};
use crate::data::{
    Column, ColumnType, Dataset, Imputer, Inputs, ReadOptions, Table, Values, describe, read_from, write_table_csv,
};
use crate::error::Error;
use crate::gram::dense;
use crate::kernel::{KernelExpr, Registry};
use crate::model::pipeline::{Pipeline, Schema};
use crate::run::Run;
use crate::select::{Job, default_kernels};

const TYPE: ColumnType = ColumnType::Structured(&interval::TYPE);

const FILE: &str = "\
stay,size,y
\"[0, 3]\",1,2
\"[1, 2.5]\",2,1
\"[2,7]\",0.5,4
\"[-4.5, 0.5]\",3,-1
\"[9, 9]\",1.5,0
\"[6, 8.25]\",2.5,5
\"[0, 4]\",1,3
\"[3, 3.5]\",0,1
";

fn options() -> ReadOptions {
    ReadOptions { types: [("stay".to_owned(), TYPE)].into(), target: Some("y".into()), ..ReadOptions::default() }
}

fn read(file: &str, options: &ReadOptions) -> crate::Result<Dataset> {
    read_from(file.as_bytes(), "stays.csv", options, &Run::new())
}

fn stays(data: &Dataset) -> Values<Interval> {
    let table = data.table().expect("a table");
    table.column("stay").and_then(Column::values_of::<Values<Interval>>).expect("intervals").clone()
}

#[test]
fn its_word_is_known_everywhere() {
    assert_eq!("interval".parse::<ColumnType>().expect("a type"), TYPE);
    assert_eq!(serde_json::to_string(&TYPE).expect("a word"), "\"interval\"");
    assert_eq!(serde_json::from_str::<ColumnType>("\"interval\"").expect("a type"), TYPE);
    assert!("inteval".parse::<ColumnType>().expect_err("no type").to_string().contains("`bag` or `interval`"));
}

#[test]
fn cells_are_read_and_written_and_refused_with_their_place() {
    use crate::data::PointSet;
    let data = read(FILE, &options()).expect("intervals");
    assert_eq!(stays(&data).point(2), &Interval { low: 2.0, high: 7.0 });
    let mut bytes = Vec::new();
    write_table_csv(&mut bytes, std::path::Path::new("out.csv"), &data.table().expect("a table")).expect("written");
    let again = read(std::str::from_utf8(&bytes).expect("text"), &options()).expect("read again");
    assert!((0..8).all(|i| stays(&data).point(i) == stays(&again).point(i)));
    let wrong = read(&FILE.replace("[2,7]", "[7,2]"), &options()).expect_err("ends in the wrong order");
    let said = "stays.csv, line 4, column `stay`: expected an interval such as `[1, 2.5]`, got `[7,2]`";
    assert_eq!(wrong.to_string(), said);
    let gap = read(&FILE.replace("\"[2,7]\"", "NA"), &options()).expect("a gap");
    assert_eq!(gap.table().expect("a table").column("stay").and_then(Column::missing), Some((2, 1)));
    let summary = describe(&data);
    assert_eq!((summary.summaries[0].column_type, summary.summaries[0].distinct), (TYPE, 8));
}

#[test]
fn gaps_are_filled_where_a_value_stands_for_nothing() {
    let table = |file: &str| read(file, &options()).expect("intervals").table().expect("a table");
    let (whole, gap) = (table(FILE), table(&FILE.replace("\"[2,7]\"", "NA")));
    let error = Imputer::fit(&gap, None).expect_err("no interval is blank").to_string();
    assert!(error.starts_with("filling column `stay`, as no interval stands for nothing, is not supported"), "{error}");
    let imputer = Imputer::fit(&whole, None).expect("no gaps");
    assert_eq!(imputer.apply(&whole).expect("the same table").names(), whole.names());
    assert!(imputer.apply(&gap).is_err());
    let json = serde_json::to_string(&imputer).expect("JSON");
    assert!(json.contains("\"fill\":\"interval\""), "{json}");
    assert_eq!(serde_json::from_str::<Imputer>(&json).expect("reads back"), imputer);
}

#[test]
fn rows_are_taken_joined_and_told_apart() {
    let x = read(FILE, &options()).expect("intervals").inputs;
    let twice = Inputs::concatenate(&[x.take(&[3, 1]), x.clone()]).expect("one kind");
    assert_eq!(twice.distinct(), [0, 1, 2, 4, 6, 7, 8, 9]);
}

#[test]
fn the_formula_decides_that_words_are_intervals() {
    let plain = read(FILE, &ReadOptions { target: Some("y".into()), ..ReadOptions::default() }).expect("words").inputs;
    assert_eq!(plain.columns().find("stay"), Some((0, ColumnType::TEXT)));
    let typed = read(FILE, &options()).expect("intervals").inputs;
    let run = Run::new();
    for formula in ["shared_numbers(stay)", "middles(stay, scale=2)", "symmetric_difference(stay)"] {
        let k = KernelExpr::parse(formula).expect("a formula");
        let gram = |x: &Inputs| dense::<f64>(&k.bind(x, &run).expect("bound"), &run).expect("small").into_values();
        assert_eq!(gram(&plain), gram(&typed), "{formula}");
        assert_eq!(k.typed(&plain).columns().find("stay"), Some((0, TYPE)));
    }
    let error = KernelExpr::parse("shared_numbers(size)").expect("a formula").bind(&typed, &run).expect_err("numbers");
    assert!(error.to_string().contains("needs interval columns, but `size` is a number column"), "{error}");
    let other = read(&FILE.replace("[2,7]", "two to seven"), &ReadOptions::default()).expect("words").inputs;
    let error = KernelExpr::parse("middles(stay)").expect("a formula").bind(&other, &run).expect_err("words");
    let said =
        "`stay` is a text column whose row 2 is none: expected an interval such as `[1, 2.5]`, got `two to seven`";
    assert!(error.to_string().contains(said), "{error}");
    let note = KernelExpr::parse("rbf").expect("a formula").unread_note(&typed).expect("unread");
    assert!(note.to_string().contains("add `shared_numbers(stay)`"), "{note}");
    let kernels = default_kernels(&typed).expect("kernels");
    assert_eq!(kernels[0].to_string(), "rbf(length_scale=median) + normalize(shared_numbers)");
}

#[test]
fn several_columns_add_up() {
    let run = Run::new();
    let x = read(FILE, &options()).expect("intervals");
    let stay = x.table().expect("a table").column("stay").expect("there").clone();
    let moved = stay.take(&[1, 2, 3, 4, 5, 6, 7, 0]);
    let both: Inputs = Table::new(vec![("a".into(), stay), ("b".into(), moved)]).expect("one length").into();
    let gram = |formula: &str| {
        let k = KernelExpr::parse(formula).expect("a formula");
        dense::<f64>(&k.bind(&both, &run).expect("bound"), &run).expect("small").into_values()
    };
    for kernel in ["shared_numbers", "middles", "symmetric_difference"] {
        assert_eq!(gram(kernel), gram(&format!("{kernel}(a) + {kernel}(b)")), "{kernel}");
    }
}

#[test]
fn a_model_of_it_is_fitted_saved_and_loaded() {
    let run = Run::new();
    let data = read(FILE, &options()).expect("intervals");
    let kernel = KernelExpr::parse("symmetric_difference(rate=0.3) + middles + shared_numbers").expect("a formula");
    let fitted = Job { kernel: Some(kernel), estimate: false, ..Job::default() }.fit(&data, &run).expect("a model");
    let pipeline = fitted.pipeline;
    let Schema::Table { columns } = pipeline.schema() else { panic!("a table") };
    assert!(columns.iter().any(|c| c.name == "stay" && c.column_type == TYPE));
    let bytes = pipeline.to_bytes().expect("written");
    let again = Pipeline::from_bytes(&bytes, &Registry::new()).expect("read");
    assert_eq!(again.to_bytes().expect("written"), bytes);
    let predicted = |p: &Pipeline, x: &Inputs| p.predict(x, &run).expect("predicted").values;
    assert_eq!(predicted(&pipeline, &data.inputs), predicted(&again, &data.inputs));
    let words = read(FILE, &ReadOptions { target: Some("y".into()), ..ReadOptions::default() }).expect("words");
    assert_eq!(predicted(&pipeline, &words.inputs), predicted(&again, &data.inputs), "new data come as words");
    let why = again.explain(&data.inputs.take(&[0]), &Default::default(), &run).expect("explained");
    let shown = serde_json::to_string(&why).expect("JSON");
    let cells = ["[0, 3]", "[1, 2.5]", "[2, 7]", "[-4.5, 0.5]", "[9, 9]", "[6, 8.25]", "[0, 4]", "[3, 3.5]"];
    assert!(cells.iter().any(|cell| shown.contains(&format!("\"{cell}\""))), "points are shown as cells: {shown}");
}

#[test]
fn a_damaged_array_is_refused() {
    let data = read(FILE, &options()).expect("intervals");
    let fitted = Job { kernel: KernelExpr::parse("middles").ok(), estimate: false, ..Job::default() }
        .fit(&data, &Run::new())
        .expect("a model");
    let mut bytes = fitted.pipeline.to_bytes().expect("written");
    let at = bytes.windows(6).position(|w| w == b"[2, 7]").expect("the cells are in the file");
    bytes[at + 1] = b'x';
    let error = Pipeline::from_bytes(&crate::save::resealed(&bytes), &Registry::new()).expect_err("damaged");
    assert!(matches!(&error, Error::Format { problem, .. } if problem.contains("expected an interval")), "{error}");
}
