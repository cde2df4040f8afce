//! Every Arrow type that is read, and what its values become.

use std::sync::Arc;

use arrow_array::types::{Float16Type, Int8Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, Time32SecondArray, TimestampSecondArray,
    UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{ArrowNativeType, i256};
use arrow_schema::{Field, Schema};
use mercer::data::{Column, ColumnType, ReadOptions, read_from};

use super::{numbers, table, words};

/// One column, written as an Arrow stream and read again.
fn column(array: impl Array + 'static, wanted: Option<ColumnType>) -> mercer::Result<mercer::data::Dataset> {
    let batch = RecordBatch::try_from_iter([("x", Arc::new(array) as ArrayRef)]).expect("one column");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).expect("memory");
    writer.write(&batch).expect("memory");
    let bytes = writer.into_inner().expect("finished");
    let types = wanted.map(|t| ("x".to_owned(), t)).into_iter().collect();
    read_from(bytes.as_slice(), "one.arrows", &ReadOptions { types, ..ReadOptions::default() }, &mercer::Run::new())
}

/// The bits of the numbers that the column becomes.
fn bits(array: impl Array + 'static, wanted: Option<ColumnType>) -> Vec<u64> {
    let data = column(array, wanted).expect("numbers");
    numbers(table(&data), "x").iter().map(|v| v.to_bits()).collect()
}

fn are_numbers(array: impl Array + 'static, expected: &[f64]) {
    let name = array.data_type().to_string();
    assert_eq!(bits(array, None), expected.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), "{name}");
}

/// The words that the column becomes as text; `-` is missing.
fn are_words(array: impl Array + 'static, expected: &[&str]) {
    let name = array.data_type().to_string();
    let data = column(array, Some(ColumnType::TEXT)).expect("words");
    let expected: Vec<_> = expected.iter().map(|s| (*s != "-").then(|| s.to_string())).collect();
    assert_eq!(words(table(&data), "x"), expected, "{name}");
}

#[test]
fn integers_of_every_width_become_the_nearest_numbers() {
    are_numbers(Int8Array::from(vec![Some(i8::MIN), None, Some(7)]), &[-128.0, f64::NAN, 7.0]);
    are_numbers(Int16Array::from(vec![Some(i16::MIN), None]), &[-32_768.0, f64::NAN]);
    are_numbers(Int32Array::from(vec![i32::MIN, i32::MAX]), &[-2_147_483_648.0, 2_147_483_647.0]);
    are_numbers(
        Int64Array::from(vec![i64::MIN, (1 << 53) + 1]),
        &[-9_223_372_036_854_775_808.0, 9_007_199_254_740_992.0],
    );
    are_numbers(UInt8Array::from(vec![Some(255), None]), &[255.0, f64::NAN]);
    are_numbers(UInt16Array::from(vec![65_535]), &[65_535.0]);
    are_numbers(UInt32Array::from(vec![u32::MAX]), &[4_294_967_295.0]);
    are_numbers(UInt64Array::from(vec![u64::MAX, 0]), &[18_446_744_073_709_551_616.0, 0.0]);
    are_numbers(NullArray::new(2), &[f64::NAN; 2]);
}

#[test]
fn floats_of_every_width_keep_their_values() {
    let half = |v: f64| <Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f64(v);
    are_numbers(Float16Array::from(vec![Some(half(0.5)), None, Some(half(65_504.0))]), &[0.5, f64::NAN, 65_504.0]);
    are_numbers(
        Float32Array::from(vec![Some(0.1), None, Some(f32::INFINITY)]),
        &[0.1_f32.into(), f64::NAN, f64::INFINITY],
    );
    are_numbers(Float64Array::from(vec![Some(-0.0), None, Some(0.1)]), &[-0.0, f64::NAN, 0.1]);
}

#[test]
fn decimals_are_divided_by_their_power_of_ten() {
    let small = Decimal32Array::from(vec![Some(12_345), None, Some(-7)]).with_precision_and_scale(9, 2).expect("fits");
    are_numbers(small, &[123.45, f64::NAN, -0.07]);
    let middle = Decimal64Array::from(vec![3, 1]).with_precision_and_scale(18, 1).expect("fits");
    are_numbers(middle, &[0.3, 0.1]);
    let wide = Decimal128Array::from(vec![10_i128.pow(30) + 1, 25]).with_precision_and_scale(38, 3).expect("fits");
    are_numbers(wide, &[1e30 / 1e3, 0.025]);
    let thousands = Decimal128Array::from(vec![12]).with_precision_and_scale(10, -3).expect("fits");
    are_numbers(thousands, &[12.0 / 10_f64.powi(-3)]);
    let widest = Decimal256Array::from(vec![i256::from_i128(-125), i256::from_i128(1) << 200])
        .with_precision_and_scale(76, 2)
        .expect("fits");
    are_numbers(widest, &[-1.25, 2_f64.powi(200) / 100.0]);
}

#[test]
fn booleans_are_categories_or_on_request_numbers() {
    let flags = || BooleanArray::from(vec![Some(true), None, Some(false)]);
    let data = column(flags(), None).expect("categories");
    assert_eq!(words(table(&data), "x"), [Some("true".to_owned()), None, Some("false".to_owned())]);
    let Some(Column::Category(levels)) = table(&data).column("x") else { panic!("a category") };
    assert_eq!(levels.levels(), ["false", "true"]);
    assert_eq!(bits(flags(), Some(ColumnType::Number)), [1.0, f64::NAN, 0.0].map(f64::to_bits));
}

#[test]
fn numbers_asked_for_as_words_are_spelled_out() {
    are_words(Int8Array::from(vec![Some(-128), None]), &["-128", "-"]);
    are_words(UInt64Array::from(vec![u64::MAX]), &["18446744073709551615"]);
    let floats =
        vec![1.0, -0.0, 0.1, 1e15, 1e16, 1.5e300, 1e-5, 1.25e-5, 1e-6, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let spelled = [
        "1.0",
        "-0.0",
        "0.1",
        "1000000000000000.0",
        "1e16",
        "1.5e300",
        "0.00001",
        "0.0000125",
        "1e-6",
        "NaN",
        "inf",
        "-inf",
    ];
    are_words(Float64Array::from(floats), &spelled);
    are_words(Float32Array::from(vec![0.1, 1e13, 1e12, 1e-6]), &["0.1", "1e13", "1000000000000.0", "0.000001"]);
    let half = |v: f64| <Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f64(v);
    are_words(Float16Array::from(vec![half(0.5), half(2.0)]), &["0.5", "2"]);
    let money = Decimal128Array::from(vec![Some(12_345), None, Some(-7), Some(100)]).with_precision_and_scale(9, 2);
    are_words(money.expect("fits"), &["123.45", "-", "-0.07", "1.00"]);
    let thousands = Decimal32Array::from(vec![12]).with_precision_and_scale(5, -3).expect("fits");
    are_words(thousands, &["12000"]);
    let widest = Decimal256Array::from(vec![i256::from_i128(-125)]).with_precision_and_scale(76, 1).expect("fits");
    are_words(widest, &["-12.5"]);
}

#[test]
fn strings_of_every_kind_are_words() {
    let long = "a string that is longer than the twelve bytes of a view";
    let values = vec![Some("é"), None, Some(""), Some(long)];
    let expected = ["é", "-", "", long];
    are_words(StringArray::from(values.clone()), &expected);
    are_words(LargeStringArray::from(values.clone()), &expected);
    are_words(StringViewArray::from(values), &expected);
}

/// Levels 0 = `low`, 1 missing, 2 = `high`, with keys of the given type.
fn levels<K: arrow_array::types::ArrowDictionaryKeyType>(values: ArrayRef) -> DictionaryArray<K> {
    let key = |k: usize| K::Native::from_usize(k).expect("small");
    let keys = [Some(2), Some(0), None, Some(1), Some(2)].map(|k| k.map(key));
    DictionaryArray::<K>::new(keys.into_iter().collect(), values)
}

#[test]
fn dictionaries_of_strings_are_categories_in_the_order_of_their_levels() {
    let words_of = |data: &mercer::data::Dataset| words(table(data), "x");
    let names = vec![Some("low"), None, Some("high")];
    let expected: Vec<_> = [Some("high"), Some("low"), None, None, Some("high")].map(|s| s.map(String::from)).into();
    let kinds: [ArrayRef; 3] = [
        Arc::new(StringArray::from(names.clone())),
        Arc::new(LargeStringArray::from(names.clone())),
        Arc::new(StringViewArray::from(names)),
    ];
    for values in kinds {
        for wanted in [None, Some(ColumnType::TEXT)] {
            let all = [
                column(levels::<Int8Type>(values.clone()), wanted),
                column(levels::<UInt16Type>(values.clone()), wanted),
                column(levels::<Int64Type>(values.clone()), wanted),
                column(levels::<UInt64Type>(values.clone()), wanted),
            ];
            for data in all {
                let data = data.expect("words");
                assert_eq!(words_of(&data), expected);
                if let Some(Column::Category(c)) = table(&data).column("x") {
                    assert_eq!(c.levels(), ["low", "high"]);
                }
            }
        }
    }
}

/// Levels of a dictionary whose order is said to mean something, or not, in one batch or with another behind it that has a level more.
fn order_of(in_order: bool, more: Option<&[&str]>) -> Option<Vec<String>> {
    let batch = |names: &[&str]| levels::<Int8Type>(Arc::new(StringArray::from(names.to_vec())));
    let first = batch(&["low", "middle", "high"]);
    let field = Field::new("x", first.data_type().clone(), true).with_dict_is_ordered(in_order);
    let schema = Arc::new(Schema::new(vec![field]));
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &schema).expect("memory");
    for array in std::iter::once(first).chain(more.map(batch)) {
        writer
            .write(&RecordBatch::try_new(schema.clone(), vec![Arc::new(array)]).expect("one column"))
            .expect("memory");
    }
    let bytes = writer.into_inner().expect("finished");
    let data = read_from(bytes.as_slice(), "one.arrows", &ReadOptions::default(), &mercer::Run::new()).expect("words");
    let Some(Column::Category(c)) = table(&data).column("x") else { panic!("categories") };
    c.order().map(|order| order.to_vec())
}

#[test]
fn the_order_of_a_dictionary_is_kept_where_it_means_something() {
    assert_eq!(order_of(true, None), Some(["low", "middle", "high"].map(String::from).to_vec()));
    assert_eq!(order_of(false, None), None);
    assert!(order_of(true, Some(&["low", "middle", "high"])).is_some());
    assert_eq!(order_of(true, Some(&["low", "middle", "top"])), None, "nobody knows whether high or top is more");
}

#[test]
fn dictionaries_of_numbers_are_numbers() {
    let values: ArrayRef = Arc::new(Int32Array::from(vec![Some(10), None, Some(30)]));
    are_numbers(levels::<UInt8Type>(values.clone()), &[30.0, 10.0, f64::NAN, f64::NAN, 30.0]);
    let text = bits(levels::<UInt8Type>(values), Some(ColumnType::TEXT));
    assert_eq!(text, [30.0, 10.0, f64::NAN, f64::NAN, 30.0].map(f64::to_bits));
}

#[test]
fn dates_and_times_are_numbers_with_parts_that_come_round() {
    let times = TimestampSecondArray::from((0..4).map(|i| i * 129_600).collect::<Vec<i64>>());
    let data = column(times, None).expect("times");
    let names = table(&data).names().to_vec();
    assert_eq!(names, ["x", "x_hour_sin", "x_hour_cos"]);
    assert_eq!(bits(TimestampSecondArray::from(vec![Some(7), None]), None), [7.0, f64::NAN].map(f64::to_bits));
    are_numbers(Date32Array::from(vec![2, -1]), &[172_800.0, -86_400.0]);
    assert!(data.notes.iter().any(|note| note.to_string().contains("1970-01-01 00:00:00")), "{:?}", data.notes);
}

#[test]
fn what_is_no_number_is_refused_by_name() {
    let refused = |array: ArrayRef, wanted: Option<ColumnType>| {
        let error = column(array, wanted).expect_err("no number");
        format!("{error} | {}", error.hint().unwrap_or_default())
    };
    let day = refused(Arc::new(Date32Array::from(vec![1])), Some(ColumnType::TEXT));
    assert!(day.contains("column `x`: values of type Date32 are dates or times") && day.contains("as text"), "{day}");
    let time = refused(Arc::new(Time32SecondArray::from(vec![1])), None);
    assert!(time.contains("are times of no day"), "{time}");
    let error = column(StringArray::from(vec!["a"]), Some(ColumnType::Number)).expect_err("words").to_string();
    assert!(error.contains("expected numbers, got values of type Utf8"), "{error}");
}
