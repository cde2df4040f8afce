//! Dates and times of Arrow arrays.
//!
//! A time with a zone is a moment of UTC. Where the zone is an offset such as `+01:00`, hour, weekday and day of the year are those
//! of its clock; the clocks of named zones are not known here, and UTC stands for them, as it does for times without a zone.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use super::dates::{Moment, offset};

/// Whether values of a type are places in time.
pub(super) fn is_moment(t: &DataType) -> bool {
    matches!(t, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// The values of an array of dates or times; nulls are `None`.
pub(super) fn moments(array: &dyn Array) -> Result<Vec<Option<Moment>>, String> {
    let ahead = match array.data_type() {
        DataType::Timestamp(_, Some(zone)) => offset(zone).unwrap_or(0.0),
        _ => 0.0,
    };
    Ok(match array.data_type() {
        DataType::Date32 => {
            array.as_primitive::<Date32Type>().iter().map(|d| d.map(|d| Moment::date(d.into()))).collect()
        }
        DataType::Date64 => each(array.as_primitive::<Date64Type>(), |ms| Moment::date(ms.div_euclid(86_400_000))),
        DataType::Timestamp(TimeUnit::Second, _) => {
            each(array.as_primitive::<TimestampSecondType>(), |t| Moment::time(t, 1, ahead))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each(array.as_primitive::<TimestampMillisecondType>(), |t| Moment::time(t, 1_000, ahead))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            each(array.as_primitive::<TimestampMicrosecondType>(), |t| Moment::time(t, 1_000_000, ahead))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each(array.as_primitive::<TimestampNanosecondType>(), |t| Moment::time(t, 1_000_000_000, ahead))
        }
        _ => return Err("the values are not dates".into()),
    })
}

fn each<T: ArrowPrimitiveType<Native = i64>>(
    array: &PrimitiveArray<T>,
    moment: impl Fn(i64) -> Moment,
) -> Vec<Option<Moment>> {
    array.iter().map(|v| v.map(&moment)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Date64Array, TimestampMillisecondArray, TimestampSecondArray};

    use super::super::super::Texts;
    use super::super::dates::{Dates, Part, dates};
    use super::*;

    /// What the reader of CSV files makes of the same moments.
    fn read(cells: &[Option<&str>]) -> Vec<Option<Moment>> {
        match dates(&Texts::from_values(cells.iter().copied())) {
            Dates::Clear(moments) => moments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn they_are_what_is_read_from_words() {
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(19_782), None, Some(-1)]));
        assert_eq!(moments(&days), Ok(read(&[Some("2024-02-29"), None, Some("1969-12-31")])));
        let days: ArrayRef = Arc::new(Date64Array::from(vec![Some(19_782 * 86_400_000), Some(-86_400_000)]));
        assert_eq!(moments(&days), Ok(read(&[Some("2024-02-29"), Some("1969-12-31")])));
        let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(1_709_209_815), Some(-60), None]));
        assert_eq!(moments(&times), Ok(read(&[Some("2024-02-29T12:30:15Z"), Some("1969-12-31 23:59"), None])));
        let times = TimestampMillisecondArray::from(vec![1_709_206_215_500]).with_timezone("+01:00");
        assert_eq!(moments(&times), Ok(read(&[Some("2024-02-29 12:30:15.5+01:00")])));
    }

    #[test]
    fn years_of_moments_are_those_of_the_calendar() {
        let all: Vec<i32> = (-200_000..200_000).step_by(97).collect();
        let days: ArrayRef = Arc::new(Date32Array::from(all));
        for moment in moments(&days).expect("dates").into_iter().flatten() {
            assert_eq!(read(&[Some(&moment.to_string())]), [Some(moment)], "{moment}");
        }
        // Whatever a file says, there is an answer.
        let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MIN, i64::MAX]));
        let moments = moments(&times).expect("dates");
        assert!(Part::Yearday.waves(&moments).iter().all(|(_, wave)| wave.iter().all(|v| v.is_finite())));
    }
}
