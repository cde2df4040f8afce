//! `mercer predict`: a model's answers for new rows.

use std::path::Path;

use mercer::data::{Column, Dataset, Table, TableFormat, write_table, write_table_csv};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Task};
use mercer::plot::{Predictions, prediction_sheet};
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
    let plot = draw(args, &pipeline, &data, &table, context)?;
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, &table)?;
    }
    if context.printer.is_json() {
        let output = file.map(|path| path.display().to_string());
        let report = PredictReport::new(args.model.display().to_string(), data.name, &table, notes);
        return context.printer.out_json(&PredictReport { output, plot, ..report });
    }
    match file {
        Some(_) => Ok(()),
        None => context.printer.out(&csv(&table)?),
    }
}

fn check_output(args: &PredictArgs) -> Outcome {
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != STREAM) {
        TableFormat::of(path)?;
    }
    let table = args.output.as_deref().map(|path| Output { option: "--output", path, kind: Kind::Table });
    let picture = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let outputs: Vec<Output<'_>> = table.into_iter().chain(picture).collect();
    output::check(&outputs, &[Path::new(&args.data), &args.model], args.force)
}

/// Draws the predictions where that was asked for, beside the truth where the data have it. Returns the file's name.
fn draw(
    args: &PredictArgs,
    pipeline: &Pipeline,
    data: &Dataset,
    table: &Table,
    context: &Context,
) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let truth = truth(pipeline.task(), data);
    let found = Predictions { task: pipeline.task(), table, truth: &truth, data: &data.name };
    let figure = prediction_sheet(&found)?;
    figure.write(path)?.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

/// The targets of the task among the data; none unless all are there.
fn truth(task: &Task, data: &Dataset) -> Vec<(String, Column)> {
    let own = |name: &str| data.target.as_ref().filter(|(own, _)| own == name).map(|(_, column)| column.clone());
    let beside = |name: &str| data.table().ok().and_then(|table| table.column(name).cloned());
    let find = |name: &&str| own(name).or_else(|| beside(name)).map(|column| ((*name).to_owned(), column));
    task.targets().iter().map(find).collect::<Option<_>>().unwrap_or_default()
}

pub(super) fn csv(table: &Table) -> Outcome<String> {
    let mut text = Vec::new();
    write_table_csv(&mut text, Path::new(STREAM), table)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
