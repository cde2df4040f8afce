//! Numbers that are spelt in their own way or spoilt by a cell, comments, names of rows, columns that are left out.

use mercer::Note;
use mercer::data::{Column, ColumnType, Dataset, FileFormat, ReadOptions};

use super::{numbers, read_text, table, words};

fn csv(text: &str) -> mercer::Result<Dataset> {
    read_text("sales.csv", text, &ReadOptions::default())
}

fn column(cells: &[&str]) -> mercer::Result<Dataset> {
    let rows: String = cells.iter().enumerate().map(|(i, cell)| format!("{i}.5;{cell}\n")).collect();
    csv(&format!("n;v\n{rows}"))
}

fn values(cells: &[&str]) -> Vec<f64> {
    numbers(table(&column(cells).expect("numbers")), "v").to_vec()
}

fn refused(cells: &[&str]) -> (String, String) {
    let error = column(cells).expect_err("not clear");
    (error.to_string(), error.hint().unwrap_or_default())
}

#[test]
fn clear_spellings_are_numbers_and_said() {
    let data = column(&["5%", "12.5%", "", "-3 %"]).expect("percent");
    assert_eq!(numbers(table(&data), "v")[..2], [0.05, 0.125]);
    assert!(numbers(table(&data), "v")[2].is_nan());
    let said = data.notes.first().map(ToString::to_string);
    assert_eq!(said.as_deref(), Some("column `v` is read as percent: `5%` is 0.05"));
    assert_eq!(values(&["$1,234.50", "$7", "-$0.5"]), [1234.5, 7.0, -0.5]);
    assert_eq!(values(&["3,5", "4", "-0,25"]), [3.5, 4.0, -0.25]);
    assert_eq!(values(&["1.234,5", "999", "2.000.000,0"]), [1234.5, 999.0, 2e6]);
    assert_eq!(values(&["1 234", "12", "1 234 567"]), [1234.0, 12.0, 1_234_567.0]);
    assert_eq!(values(&["1,234,567", "999", "12,000"]), [1_234_567.0, 999.0, 12000.0]);
    assert_eq!(values(&["12,50 €", "3,00 €"]), [12.5, 3.0]);
    let quoted = csv("n,v\n1,\"1,234\"\n2,\"5,678\"\n").expect("commas are delimiters here");
    assert_eq!(numbers(table(&quoted), "v"), [1234.0, 5678.0]);
}

#[test]
fn two_readings_are_asked_about() {
    assert_eq!(values(&["1,234", "5,678"]), [1234.0, 5678.0], "the column beside it has decimal points");
    let text = "n;v\n1;1,234\n2;5,678\n";
    let error = csv(text).expect_err("1234 or 1.234");
    assert_eq!(
        error.to_string(),
        "sales.csv, line 2, column `v`: `1,234` may be 1234 or 1.234, and no cell of the column tells which"
    );
    assert_eq!(error.hint().as_deref(), Some("say what begins decimals with `--decimal .` or `--decimal ,`"));
    for (decimal, first) in [(b'.', 1234.0), (b',', 1.234)] {
        let options = ReadOptions { decimal: Some(decimal), ..ReadOptions::default() };
        assert_eq!(numbers(table(&read_text("a.csv", text, &options).expect("said")), "v")[0], first);
    }
    // Another column of the file may tell.
    let told = csv("w;v\n3,5;1,234\n4,5;5,678\n").expect("decimal commas");
    assert_eq!(numbers(table(&told), "v"), [1.234, 5.678]);
    let error = csv("w;v\n3,5;1.234\n4,5;5.678\n").expect_err("beside decimal commas").to_string();
    assert!(error.contains("column `v`: `1.234` may be 1.234 or 1234"), "{error}");
}

#[test]
fn spoilt_numbers_are_refused_with_their_lines() {
    let text = "# made by hand\nid,x\na,1\n\nb,2\nc,oops\nd,4\ne,5\nf,6\n";
    let error = csv(text).expect_err("spoilt");
    assert_eq!(
        error.to_string(),
        "sales.csv, line 6, column `x`: 1 of 6 cells is no number, and the others are numbers: `oops` (line 6)"
    );
    let hint = error.hint().unwrap_or_default();
    for way in ["`--na oops`", "`--exclude x`", "`--type x=text`"] {
        assert!(hint.contains(way), "{hint}");
    }
    let mut markers = ReadOptions::default();
    markers.missing.push("oops".into());
    let data = read_text("sales.csv", text, &markers).expect("a marker");
    assert!(numbers(table(&data), "x")[2].is_nan());
    let kept = ReadOptions { keep_spoiled: true, ..ReadOptions::default() };
    let data = read_text("sales.csv", text, &kept).expect("kept");
    let last = data.notes.last().map(ToString::to_string).unwrap_or_default();
    assert_eq!(last, "column `x` is read as text, though 5 of 6 cells are numbers; the others are `oops` (line 6)");
    assert_eq!(words(table(&data), "x")[2].as_deref(), Some("oops"));
    // A sign or a spelling that only some cells have is no better.
    assert!(refused(&["$5", "$6", "7", "$8"]).0.contains("1 of 4 cells is spelt unlike the others, which are amounts"));
    assert!(refused(&["1,5", "2,5", "3.5", "4,5"]).0.contains("`3.5` (line 4)"));
    assert!(refused(&["1", "2", "3", "Total"]).0.contains("`Total` (line 5)"));
    // A word for "missing" that stands in many rows, among numbers that would be text.
    let cells: Vec<String> = (0..40).map(|i| if i % 3 == 0 { "-".into() } else { format!("{i}.25") }).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    assert!(refused(&cells).1.contains("`--na -`"));
}

#[test]
fn words_with_numbers_among_them_stay_words() {
    for cells in
        [&["a", "b", "5"][..], &["A5", "21", "B7", "C8", "9"], &["1a", "2b", "3c"], &["2024-13-05", "2024-02-06"]]
    {
        let data = column(cells).expect("words");
        assert!(!matches!(table(&data).column("v"), Some(Column::Number(_))), "{cells:?}");
        assert!(data.notes.is_empty(), "{cells:?}: {:?}", data.notes);
    }
    // Tickets: three in four are numbers, the others all different.
    let cells: Vec<String> =
        (0..40).map(|i| if i % 4 == 0 { format!("PC {i}") } else { format!("{}", 1000 + i) }).collect();
    let data = column(&cells.iter().map(String::as_str).collect::<Vec<_>>()).expect("text");
    assert_eq!(table(&data).column("v").map(Column::column_type), Some(ColumnType::TEXT));
    assert!(matches!(&data.notes[..], [Note::SpoiledNumbers { spoiled: 10, of: 40, .. }]), "{:?}", data.notes);
}

#[test]
fn comments_and_names_above_are_understood() {
    let data = csv("# made by hand\n# on a Monday\na,b\n1,2\n# 3\n4,5\n").expect("comments");
    assert_eq!((table(&data).names().join(" "), numbers(table(&data), "a").to_vec()), ("a b".into(), vec![1.0, 4.0]));
    assert_eq!(data.notes, [Note::CommentLines { lines: 3 }]);
    let above = csv("# x,y\n1,2\n3,4\n").expect("as NumPy writes it");
    assert_eq!(table(&above).names(), ["x", "y"]);
    assert!(above.notes.is_empty());
    assert_eq!(table(&csv("#,name\n1,ann\n2,bob\n").expect("a column called #")).names(), ["#", "name"]);
    // A row of the right width is never dropped for its first character.
    let tags = csv("tag,n\n#a,1\n#b,2\n#a,3\n").expect("tags");
    assert_eq!(table(&tags).nrows(), 3);
    assert!(csv("# nothing\n# else\n").is_err());
}

#[test]
fn names_of_rows_are_left_out() {
    let r = csv("\"\",\"mpg\",\"cyl\"\n\"Mazda RX4\",21,6\n\"Datsun\",22.8,4\n").expect("as R writes it");
    assert_eq!(table(&r).names(), ["mpg", "cyl"]);
    let short = read_text("cars.tsv", "mpg\tcyl\nMazda\t21\t6\nDatsun\t22.8\t4\n", &ReadOptions::default());
    assert_eq!(table(&short.expect("as R's tables are")).names(), ["mpg", "cyl"]);
    let repeated = csv(",a\n0,1\n0,2\n").expect("values that repeat are data");
    assert_eq!(table(&repeated).names(), ["x0", "a"]);
    let asked = ReadOptions { types: [("x0".to_owned(), ColumnType::TEXT)].into(), ..ReadOptions::default() };
    let kept = read_text("a.csv", ",a\n0,1\n1,2\n", &asked).expect("asked for");
    assert_eq!(table(&kept).names(), ["x0", "a"]);
}

#[test]
fn json_is_refused_whatever_its_name() {
    for name in ["a.csv", "a.jsonl", "a.json", "a", "a.txt"] {
        let error = read_text(name, "{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n", &ReadOptions::default());
        let error = error.expect_err("JSON");
        assert!(error.to_string().contains("reading JSON is not supported"), "{name}: {error}");
        assert!(error.hint().unwrap_or_default().contains("CSV or Parquet"));
    }
}

#[test]
fn columns_are_left_out() {
    let without = |names: &[&str]| {
        let exclude = names.iter().map(ToString::to_string).collect();
        read_text(
            "a.csv",
            "id,x,y\n1,2,3\n4,oops,6\n7,8,9\n1,2,3\n",
            &ReadOptions { exclude, ..ReadOptions::default() },
        )
    };
    assert_eq!(table(&without(&["x"]).expect("spoilt, but left out")).names(), ["id", "y"]);
    assert!(without(&["z"]).expect_err("unknown").to_string().contains("`z`"));
    assert!(without(&["id", "x", "y"]).is_err());
    let both = ReadOptions { exclude: vec!["x".into()], target: Some("x".into()), ..ReadOptions::default() };
    assert!(read_text("a.csv", "x,y\n1,2\n", &both).expect_err("contradiction").to_string().contains("exclude"));
    let sparse = ReadOptions { exclude: vec!["x0".into()], format: Some(FileFormat::Libsvm), ..ReadOptions::default() };
    assert!(read_text("a.svm", "1 1:2\n", &sparse).is_err(), "nothing is left out in silence");
}

#[test]
fn dates_are_numbers_with_parts_that_come_round() {
    let days: String = (1..=28).map(|d| format!("2024-02-{d:02}T06:00Z,{d}\n")).collect();
    let text = format!("when,y\n{days}");
    let data = csv(&text).expect("dates");
    let parts = ["when", "when_hour_sin", "when_hour_cos", "when_weekday_sin", "when_weekday_cos", "y"];
    assert_eq!(table(&data).names(), parts);
    // 2024-02-01 is the day 19754 since 1970, and a Thursday.
    assert_eq!(numbers(table(&data), "when")[0], 19754.0 * 86400.0 + 6.0 * 3600.0);
    let turn = |day: f64| std::f64::consts::TAU * (day / 7.0);
    assert_eq!(numbers(table(&data), "when_weekday_sin")[..2], [turn(3.0).sin(), turn(4.0).sin()]);
    assert!(
        matches!(&data.notes[..], [Note::DatesRead { parts, .. }] if parts == &["hour", "weekday"]),
        "{:?}",
        data.notes
    );
    // A later file of one row has the columns of the first.
    let like = ReadOptions::like(&data.inputs);
    let one = read_text("new.csv", "when,y\n2024-03-01T06:00Z,1\n", &like).expect("one row");
    assert_eq!(table(&one).names(), parts);
    let no_target = ReadOptions { target: Some("when".into()), ..ReadOptions::default() };
    let target = read_text("a.csv", &text, &no_target).expect("a date to predict");
    assert_eq!(table(&target).names(), ["y"], "its parts would tell it");
    let out = ReadOptions { exclude: vec!["when".into()], ..ReadOptions::default() };
    assert_eq!(table(&read_text("a.csv", &text, &out).expect("left out")).names(), ["y"]);
    let words = ReadOptions { types: [("when".to_owned(), ColumnType::TEXT)].into(), ..ReadOptions::default() };
    assert_eq!(table(&read_text("a.csv", &text, &words).expect("words")).names(), ["when", "y"]);
    let unclear = csv("when,y\n1/2/2024,1\n3/4/2024,2\n").expect("words");
    assert_eq!(unclear.notes, [Note::DatesUnclear { column: "when".into() }]);
    // The index of a pandas frame by time is no name of a row.
    assert_eq!(table(&csv(",y\n2024-01-01,1\n2024-01-02,2\n").expect("dates")).names(), ["x0", "y"]);
}

#[test]
fn leading_zeros_are_pointed_out() {
    let data = csv("zip,y\n01234,1\n23456,2\n").expect("numbers");
    assert_eq!(data.notes, [Note::LeadingZeros { column: "zip".into(), cell: "01234".into() }]);
    assert!(csv("x,y\n0.5,1\n0,2\n-0.1,3\n").expect("numbers").notes.is_empty());
}

/// A column of dates became text in silence where one cell was none.
#[test]
fn a_cell_that_spoils_dates_is_said() {
    let (problem, hint) = refused(&["2024-01-05", "2024-01-06", "n.d.", "2024-01-08", "2024-01-09"]);
    let expected = "sales.csv, line 4, column `v`: 1 of 5 cells is no date, and the others are: `n.d.` (line 4)";
    assert_eq!(problem, expected);
    assert!(hint.contains("`--na n.d.`") && hint.contains("`--type v=text`"), "{hint}");
    let options = ReadOptions { missing: vec!["n.d.".into()], ..ReadOptions::default() };
    let text = "v\n2024-01-05\nn.d.\n2024-01-06\n2024-01-07\n";
    assert_eq!(numbers(table(&read_text("a.csv", text, &options).expect("dates")), "v")[0], 1_704_412_800.0);
}
