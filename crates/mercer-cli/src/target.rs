//! What a target of numbers is: numbers, or classes.

use mercer::Error;
use mercer::data::{ColumnType, Dataset};
use mercer::select::Asked;

use crate::args::ReadArgs;
use crate::context::Context;
use crate::exit::Failure;

/// The data with classes for a target of few whole numbers, unless its type was given or the model has no classes. The guess is
/// said.
pub fn guessed(data: Dataset, read: &ReadArgs, asked: &Asked, context: &Context) -> Dataset {
    let declared = |name: &String| read.types.iter().any(|(own, _)| own == name);
    if data.target.as_ref().is_none_or(|(name, _)| declared(name)) || !asked.takes_classes() {
        return data;
    }
    let (data, note) = data.with_guessed_classes();
    note.into_iter().for_each(|note| context.printer.note(note));
    data
}

/// The failure of a fit; of a model that does not fit the target, with the switch that changes what the target is.
pub fn failure(error: Error, data: &Dataset) -> Failure {
    let (Error::InvalidParameter { owner, name, .. }, Some((target, column))) = (&error, &data.target) else {
        return error.into();
    };
    if owner != "the fit" || name != "model" {
        return error.into();
    }
    let hint = match column.column_type() {
        ColumnType::Number => format!("the target holds numbers; `--type {target}=category` makes them classes"),
        _ => {
            format!("the target holds classes; `--type {target}=number` makes them numbers, if they are spelt as such")
        }
    };
    Failure::usage(error.to_string(), hint)
}
