//! Opening data: a file, a shipped data set, or standard input.

use std::io::Read;

use mercer::data::{Column, ColumnType, Dataset, Origin, ReadOptions, Weights, open, read_from};
use mercer::model::pipeline::Pipeline;

use crate::args::ReadArgs;
use crate::config;
use crate::context::Context;
use crate::exit::{Failure, Outcome};

/// The word for standard input and standard output.
pub const STREAM: &str = "-";

/// Opens `name` as the flags say.
pub fn load(name: &str, args: &ReadArgs, context: &Context) -> Outcome<Dataset> {
    load_with(name, args.no_target, &config::read_options(args), context)
}

/// Opens `name` for a model. Few rows do not tell what a column is, so a column that looks like another
/// type is read again as that of training.
pub fn load_for(pipeline: &Pipeline, name: &str, args: &ReadArgs, context: &Context) -> Outcome<Dataset> {
    let data = load(name, args, context)?;
    let known = pipeline.schema().types();
    let columns = data.inputs.columns();
    let other = |(name, wanted): (&String, &ColumnType)| {
        columns.find(name).is_some_and(|(_, own)| own != *wanted).then(|| name.clone())
    };
    let changed: Vec<String> = known.iter().filter_map(other).collect();
    if changed.is_empty() || name == STREAM {
        return Ok(data);
    }
    let mut options = config::read_options(args);
    for name in changed {
        let wanted = known[&name];
        options.types.entry(name).or_insert(wanted);
    }
    // Where the file cannot be read so, the model says which column does not fit.
    Ok(load_with(name, args.no_target, &options, context).unwrap_or(data))
}

/// Opens `name` to be compared with `first`: the same columns, the same types.
pub fn load_like(name: &str, args: &ReadArgs, first: &Dataset, context: &Context) -> Outcome<Dataset> {
    let own = config::read_options(args);
    let mut options = ReadOptions::like(&first.inputs);
    options.format = own.format;
    options.delimiter = own.delimiter;
    options.header = own.header;
    options.missing = own.missing;
    load_with(name, false, &options, context)
}

fn load_with(name: &str, no_target: bool, options: &ReadOptions, context: &Context) -> Outcome<Dataset> {
    context.checkpoint("reading")?;
    let data = match name {
        STREAM => read_from(Interruptible(std::io::stdin().lock()), "standard input", options, &context.run)?,
        _ => open(name, options, &context.run)?,
    };
    context.checkpoint("reading")?;
    Ok(if no_target { data.without_target()? } else { data })
}

/// The weights of the rows, in a column of numbers.
pub fn weights(name: &str, data: &Dataset) -> Outcome<Weights> {
    if data.target.as_ref().is_some_and(|(target, _)| target == name) {
        return Err(Failure::usage(format!("`{name}` is the target"), "choose another column of weights"));
    }
    let table = data.table()?;
    match table.column(name).ok_or_else(|| table.unknown_column(name))? {
        Column::Number(values) => Ok(Weights::new(values.to_vec())?),
        other => {
            let hint = "weights are numbers ≥ 0; read the column as such with `--type`";
            Err(Failure::usage(format!("the weights `{name}` are of the type {}", other.column_type()), hint))
        }
    }
}

/// Says that the target is left out, where nobody asked for it.
pub fn note_target(data: &Dataset, args: &ReadArgs, context: &Context) {
    let Some((target, _)) = &data.target else { return };
    if args.target.is_some() {
        return;
    }
    let whose = match data.origin {
        Origin::Shipped(_) => format!("the target of `{}`", data.name),
        _ => "the label of each row".to_owned(),
    };
    context.printer.note(format!("`{target}`, {whose}, is left out; keep it with `--no-target`"));
}

/// Standard input, whose reads go on after a signal.
struct Interruptible<R>(R);

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}
