//! Opening data: a file, a shipped data set, or standard input.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer::data::{Column, ColumnType, Dataset, DateParts, Origin, ReadOptions, Weights, open, read_from};
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use mercer::{Error, Note};

use crate::args::ReadArgs;
use crate::config;
use crate::context::Context;
use crate::exit::{Failure, Outcome};

/// The word for standard input and standard output.
pub const STREAM: &str = "-";

/// Reads a model to be used, and says so if something stopped the work on it.
pub fn load_model(path: &Path, context: &Context) -> Outcome<Pipeline> {
    let pipeline = Pipeline::load(path, &Registry::new(), &context.run)?;
    if !pipeline.is_complete() {
        let file = path.display();
        context.printer.note(format!("the work on `{file}` was stopped early: it is the best model by that time"));
    }
    Ok(pipeline)
}

/// The bytes of a file, as many as there is memory for.
pub fn bytes(path: &Path, context: &Context) -> Outcome<Vec<u8>> {
    const BLOCK: u64 = 1 << 20;
    let (mut bytes, mut held) = (Vec::new(), Vec::new());
    let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
    let task = context.run.task("reading", None);
    while file.by_ref().take(BLOCK).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))? > 0 {
        held.push(context.run.reserve(BLOCK.into(), "reading the file", "give a smaller file")?);
        task.step_or_cancel()?;
    }
    Ok(bytes)
}

/// Opens `name` as the flags say.
pub fn load(name: &str, args: &ReadArgs, context: &Context) -> Outcome<Dataset> {
    let data = load_with(name, args.no_target, &config::read_options(args), context)?;
    Ok(said(data, context))
}

/// Opens `name` to be described: a column that a few cells spoil is shown as it is.
pub fn load_as_it_is(name: &str, args: &ReadArgs, context: &Context) -> Outcome<Dataset> {
    let options = ReadOptions { keep_spoiled: true, ..config::read_options(args) };
    load_with(name, args.no_target, &options, context)
}

/// The data, after what their reader found worth knowing was said.
fn said(data: Dataset, context: &Context) -> Dataset {
    data.notes.iter().cloned().for_each(|note| context.printer.note(note));
    data
}

/// Opens `name` for a model. Few rows do not tell what a column is, so a column that looks like another
/// type is read again as that of training.
pub fn load_for(pipeline: &Pipeline, name: &str, args: &ReadArgs, context: &Context) -> Outcome<Dataset> {
    let known = pipeline.schema().types();
    // A part of a date that a model reads is made of a single row, too. What spoils other columns is none of its business.
    let (date_parts, keep_spoiled) = (DateParts::All, name != STREAM);
    let mut options = ReadOptions { date_parts, keep_spoiled, ..config::read_options(args) };
    let data = load_with(name, args.no_target, &options, context)?;
    let columns = data.inputs.columns();
    let other = |(name, wanted): (&String, &ColumnType)| {
        columns.find(name).is_some_and(|(_, own)| own != *wanted).then(|| name.clone())
    };
    let changed: Vec<String> = known.iter().filter_map(other).collect();
    if changed.is_empty() || name == STREAM {
        return Ok(said_of(&known, data, context));
    }
    let is_spoiled = |note: &Note| matches!(note, Note::SpoiledNumbers { column, .. } if changed.contains(column));
    let spoiled = data.notes.iter().any(is_spoiled);
    for name in changed {
        let wanted = known[&name];
        options.types.entry(name).or_insert(wanted);
    }
    match load_with(name, args.no_target, &options, context) {
        // The reader knows the lines of cells that spoil a column.
        Err(failure) if spoiled => Err(failure),
        // Where the file cannot be read so, the model says which column does not fit.
        found => Ok(said_of(&known, found.unwrap_or(data), context)),
    }
}

/// The data, after what concerns columns of a model was said.
fn said_of(known: &BTreeMap<String, ColumnType>, data: Dataset, context: &Context) -> Dataset {
    let concerns = |note: &&Note| match note {
        Note::NumbersSpelt { column, .. }
        | Note::SpoiledNumbers { column, .. }
        | Note::LeadingZeros { column, .. }
        | Note::DatesRead { column, .. }
        | Note::DatesUnclear { column } => known.contains_key(column),
        _ => true,
    };
    data.notes.iter().filter(concerns).cloned().for_each(|note| context.printer.note(note));
    data
}

/// Columns of a file as they are spelt in it; nothing where it cannot be read so, or not twice.
pub fn load_as_spelt(name: &str, args: &ReadArgs, columns: &[String], context: &Context) -> Option<Dataset> {
    let types = columns.iter().map(|column| (column.clone(), ColumnType::TEXT)).collect();
    let own = ReadOptions { types, columns: Some(columns.to_vec()), ..config::read_options(args) };
    let options = ReadOptions { target: None, exclude: Vec::new(), ..own };
    if name == STREAM { None } else { load_with(name, true, &options, context).ok() }
}

/// Opens `name` to be compared with `first`: the same columns, the same types.
pub fn load_like(name: &str, args: &ReadArgs, first: &Dataset, context: &Context) -> Outcome<Dataset> {
    let own = config::read_options(args);
    let mut options = ReadOptions::like(&first.inputs);
    options.format = own.format;
    options.delimiter = own.delimiter;
    options.header = own.header;
    options.decimal = own.decimal;
    options.missing = own.missing;
    Ok(said(load_with(name, false, &options, context)?, context))
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
