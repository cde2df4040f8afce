//! `mercer predict`: a model's answers for new rows.

use std::path::Path;

use mercer::data::{Table, TableFormat, write_table, write_table_csv};
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use mercer::report::{PredictReport, answers};

use crate::args::PredictArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::load::{STREAM, load_for};
use crate::output::{self, Kind, Output};

/// Predicts every row of the data and writes a table.
pub fn run(args: &PredictArgs, context: &Context) -> Outcome {
    check_output(args)?;
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let found = context.interrupt.watch(|| answers(&pipeline, &inputs, args.interval, &context.run));
    let (table, notes) = found.map_err(|e| Failure::from(e).of_new_rows())?;
    notes.iter().cloned().for_each(|note| context.printer.note(note));
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, &table)?;
    }
    if context.printer.is_json() {
        let output = file.map(|path| path.display().to_string());
        let report = PredictReport::new(args.model.display().to_string(), data.name, &table, notes);
        return context.printer.out_json(&PredictReport { output, ..report });
    }
    match file {
        Some(_) => Ok(()),
        None => context.printer.out(&csv(&table)?),
    }
}

fn check_output(args: &PredictArgs) -> Outcome {
    let Some(path) = args.output.as_deref() else { return Ok(()) };
    if path.as_os_str() != STREAM {
        TableFormat::of(path)?;
    }
    let output = Output { option: "--output", path, kind: Kind::Table };
    output::check(&[output], &[Path::new(&args.data), &args.model], args.force)
}

pub(super) fn csv(table: &Table) -> Outcome<String> {
    let mut text = Vec::new();
    write_table_csv(&mut text, Path::new(STREAM), table)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
