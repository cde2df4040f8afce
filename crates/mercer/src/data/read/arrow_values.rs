//! The values of Arrow arrays, as numbers and as words.
//!
//! The crate of Arrow's own conversions compiles for longer than all that is read with it: it knows every pair of
//! types. These are the ones that columns are made of.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use num_traits::ToPrimitive;
use serde_json::{Number, Value};

/// What the function for its type gives for an array of numbers; `$else` for any other array.
macro_rules! by_type {
    ($array:ident, $else:expr, $integers:ident, $half:ident, $floats:ident, $decimals:ident) => {
        match $array.data_type() {
            DataType::Int8 => $integers($array.as_primitive::<Int8Type>()),
            DataType::Int16 => $integers($array.as_primitive::<Int16Type>()),
            DataType::Int32 => $integers($array.as_primitive::<Int32Type>()),
            DataType::Int64 => $integers($array.as_primitive::<Int64Type>()),
            DataType::UInt8 => $integers($array.as_primitive::<UInt8Type>()),
            DataType::UInt16 => $integers($array.as_primitive::<UInt16Type>()),
            DataType::UInt32 => $integers($array.as_primitive::<UInt32Type>()),
            DataType::UInt64 => $integers($array.as_primitive::<UInt64Type>()),
            DataType::Float16 => $half($array.as_primitive::<Float16Type>()),
            DataType::Float32 => $floats($array.as_primitive::<Float32Type>()),
            DataType::Float64 => $floats($array.as_primitive::<Float64Type>()),
            DataType::Decimal32(..) => $decimals($array.as_primitive::<Decimal32Type>()),
            DataType::Decimal64(..) => $decimals($array.as_primitive::<Decimal64Type>()),
            DataType::Decimal128(..) => $decimals($array.as_primitive::<Decimal128Type>()),
            DataType::Decimal256(..) => $decimals($array.as_primitive::<Decimal256Type>()),
            _ => $else,
        }
    };
}

/// The values as numbers: integers rounded to the nearest, decimals divided by their power of ten, `false` and `true`
/// as 0 and 1, a dictionary's as those of its entries. Nulls are NaN.
pub(super) fn numbers(array: &dyn Array) -> Result<Vec<f64>, String> {
    Ok(match array.data_type() {
        DataType::Null => vec![f64::NAN; array.len()],
        DataType::Boolean => {
            array.as_boolean().iter().map(|v| v.map_or(f64::NAN, |v| f64::from(u8::from(v)))).collect()
        }
        DataType::Dictionary(..) => {
            let values = numbers(array.as_any_dictionary().values())?;
            let number = |key: Option<usize>| key.map_or(Some(f64::NAN), |k| values.get(k).copied());
            keys(array)?.into_iter().map(|k| number(k).ok_or_else(outside)).collect::<Result<_, _>>()?
        }
        _ => by_type!(array, return Err("the values are not numbers".into()), nearest, nearest, nearest, shifted),
    })
}

/// Calls `each` with every value as a word, in order: strings as they are, numbers spelled out. Nulls are `None`.
pub(super) fn words(array: &dyn Array, each: &mut dyn FnMut(Option<&str>)) -> Result<(), String> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(each),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(each),
        DataType::Utf8View => array.as_string_view().iter().for_each(each),
        DataType::Dictionary(..) => {
            let mut entries: Vec<Option<String>> = Vec::new();
            words(array.as_any_dictionary().values(), &mut |v| entries.push(v.map(String::from)))?;
            for key in keys(array)? {
                let entry = key.map_or(Ok(&None), |k| entries.get(k).ok_or_else(outside))?;
                each(entry.as_deref());
            }
        }
        _ => {
            let refused = Err("the values are not text".into());
            let spelled = by_type!(array, return refused, printed, printed, shortest, with_point);
            spelled.iter().for_each(|word| each(word.as_deref()));
        }
    }
    Ok(())
}

/// Calls `each` with every list as a cell in JSON, in order: elements are words, numbers or lists of these. Nulls are `None`.
pub(super) fn lists(array: &dyn Array, each: &mut dyn FnMut(Option<&str>)) -> Result<(), String> {
    json(array)?.iter().for_each(|value| each((!value.is_null()).then(|| value.to_string()).as_deref()));
    Ok(())
}

/// The values of an array in JSON.
fn json(array: &dyn Array) -> Result<Vec<Value>, String> {
    let nested = |i: usize, values: ArrayRef| match array.is_null(i) {
        true => Ok(Value::Null),
        false => json(&values).map(Value::from),
    };
    match array.data_type() {
        DataType::List(_) => (0..array.len()).map(|i| nested(i, array.as_list::<i32>().value(i))).collect(),
        DataType::LargeList(_) => (0..array.len()).map(|i| nested(i, array.as_list::<i64>().value(i))).collect(),
        DataType::FixedSizeList(..) => {
            (0..array.len()).map(|i| nested(i, array.as_fixed_size_list().value(i))).collect()
        }
        t if t.is_floating() || t.is_decimal() => Ok(numbers(array)?.into_iter().map(Value::from).collect()),
        t if t.is_integer() => {
            let mut found = Vec::with_capacity(array.len());
            words(array, &mut |v| {
                found.push(v.and_then(|v| v.parse::<Number>().ok()).map_or(Value::Null, Value::from))
            })?;
            Ok(found)
        }
        DataType::Boolean => Ok(array.as_boolean().iter().map(|v| v.map_or(Value::Null, Value::from)).collect()),
        _ => {
            let mut found = Vec::with_capacity(array.len());
            words(array, &mut |v| found.push(v.map_or(Value::Null, Value::from)))?;
            Ok(found)
        }
    }
}

/// Bytes of all words of an array of text, each as often as it stands there; numbers are short.
pub(super) fn text_bytes(array: &dyn Array) -> Result<usize, String> {
    let lengths = |array: &dyn Array| -> Result<Vec<usize>, String> {
        let mut lengths = Vec::with_capacity(array.len());
        let each: &mut dyn FnMut(Option<&str>) = &mut |word| lengths.push(word.map_or(0, str::len));
        match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().iter().for_each(each),
            DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(each),
            DataType::Utf8View => array.as_string_view().iter().for_each(each),
            _ => {}
        }
        Ok(lengths)
    };
    match array.data_type() {
        DataType::Dictionary(..) => {
            let entries = lengths(array.as_any_dictionary().values())?;
            let length = |key: Option<usize>| key.and_then(|k| entries.get(k).copied()).unwrap_or(0);
            Ok(keys(array)?.into_iter().map(length).fold(0, usize::saturating_add))
        }
        _ => Ok(lengths(array)?.into_iter().fold(0, usize::saturating_add)),
    }
}

/// The positions of a dictionary's values among its entries; nulls are `None`.
pub(super) fn keys(array: &dyn Array) -> Result<Vec<Option<usize>>, String> {
    let dictionary = array.as_any_dictionary_opt().ok_or("the values are not a dictionary")?;
    let keys = dictionary.keys();
    // 2⁵³ entries fit no memory, so that a key is a number exactly.
    let positions = numbers(keys)?.into_iter().enumerate();
    Ok(positions.map(|(i, key)| (!keys.is_null(i)).then_some(key as usize)).collect())
}

fn outside() -> String {
    "a code lies outside its dictionary".into()
}

fn nearest<T: ArrowPrimitiveType<Native: ToPrimitive>>(array: &PrimitiveArray<T>) -> Vec<f64> {
    array.iter().map(|v| v.and_then(|v| v.to_f64()).unwrap_or(f64::NAN)).collect()
}

fn shifted<T: DecimalType + ArrowPrimitiveType<Native: ToPrimitive>>(array: &PrimitiveArray<T>) -> Vec<f64> {
    let power = 10_f64.powi(array.scale().into());
    nearest(array).into_iter().map(|v| v / power).collect()
}

fn printed<T: ArrowPrimitiveType<Native: ToString>>(array: &PrimitiveArray<T>) -> Vec<Option<String>> {
    array.iter().map(|v| v.map(|v| v.to_string())).collect()
}

/// The fewest digits that read back as the same number.
fn shortest<T: ArrowPrimitiveType<Native: ryu::Float>>(array: &PrimitiveArray<T>) -> Vec<Option<String>> {
    array.iter().map(|v| v.map(|v| ryu::Buffer::new().format(v).to_owned())).collect()
}

fn with_point<T: DecimalType>(array: &PrimitiveArray<T>) -> Vec<Option<String>> {
    array.iter().map(|v| v.map(|v| T::format_decimal(v, array.precision(), array.scale()))).collect()
}
