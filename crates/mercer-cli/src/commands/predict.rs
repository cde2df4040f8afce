//! `mercer predict`: a model's answers for new rows.

use std::path::Path;

use mercer::data::{Column, Dataset, Inputs, Table, TableFormat, write_table, write_table_csv};
use mercer::error::quote_list;
use mercer::model::pipeline::{Pipeline, Task};
use mercer::plot::{Predictions, prediction_sheet};
use mercer::report::{PredictReport, answers};

use crate::args::PredictArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::formulas::{defused, first_formula};
use crate::load::{STREAM, load_as_spelt, load_for, load_model};
use crate::output::{self, Kind, Output};

/// Predicts every row of the data and writes a table.
pub fn run(args: &PredictArgs, context: &Context) -> Outcome {
    check_output(args)?;
    let pipeline = load_model(&args.model, context)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let kept = kept(args, &data, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let found = context.interrupt.watch(|| answers(&pipeline, &inputs, args.interval, &context.run));
    let (table, notes) = found.map_err(|e| Failure::from(e).of_new_rows())?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    let plot = draw(args, &pipeline, &data, &table, context)?;
    let table = for_spreadsheets(args, beside(kept, table)?, context)?;
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, &table)?;
    }
    if context.printer.is_json() {
        let output = file.map(|path| path.display().to_string());
        let notes = context.printer.notes();
        let report = PredictReport::new(args.model.display().to_string(), data.name, &table, notes);
        return context.printer.out_json(&PredictReport { output, plot, ..report });
    }
    match file {
        Some(_) => Ok(()),
        None => context.printer.out_data(&csv(&table)?),
    }
}

/// The table as CSV may have it: cells that a spreadsheet would compute are marked where that was asked for, and named else.
fn for_spreadsheets(args: &PredictArgs, table: Table, context: &Context) -> Outcome<Table> {
    let is_parquet = args.output.as_deref().is_some_and(|path| path.extension().is_some_and(|e| e == "parquet"));
    if args.spreadsheet {
        return Ok(defused(&table)?);
    }
    if let Some(cell) = first_formula(&table).filter(|_| !is_parquet && !context.printer.is_json()) {
        let said = "is a formula to a spreadsheet; `--spreadsheet` writes a `'` before such cells";
        context.printer.note(format!("`{cell}` {said}"));
    }
    Ok(table)
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
    // What has no answer cannot be drawn.
    let answered = |i: &usize| table.iter().all(|(_, column)| !column.is_missing(*i));
    let rows: Vec<usize> = (0..table.nrows()).filter(answered).collect();
    let (data, table) = (&data.take(&rows), &table.take(&rows));
    let truth = truth(pipeline.task(), data);
    let found = Predictions { task: pipeline.task(), table, truth: &truth, data: &data.name };
    let figure = prediction_sheet(&found)?;
    figure.write(path)?.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

/// The columns that are carried through, as they are spelt where the file can be read twice.
fn kept(args: &PredictArgs, data: &Dataset, context: &Context) -> Outcome<Vec<(String, Column)>> {
    if args.keep.is_empty() {
        return Ok(Vec::new());
    }
    let spelt = load_as_spelt(&args.data, &args.read, &args.keep, context).filter(|spelt| spelt.len() == data.len());
    args.keep.iter().map(|name| column(name, spelt.as_ref().unwrap_or(data))).collect()
}

/// A column of the data.
fn column(name: &str, data: &Dataset) -> Outcome<(String, Column)> {
    let column = match (&data.target, &data.inputs) {
        (Some((target, column)), _) if target == name => Some(column.clone()),
        (_, Inputs::Dense(x)) => (0..x.ncols()).find(|j| x.name(*j) == name).map(|j| x.column(j)),
        _ => data.table()?.column(name).cloned(),
    };
    let names = data.inputs.columns().names();
    match column {
        Some(column) => Ok((name.to_owned(), column)),
        None => {
            let shown: Vec<String> = names.iter().take(7).map(|name| name.into_owned()).collect();
            Err(Failure::usage(
                format!("there is no column `{name}` to keep"),
                format!("there are {}", quote_list(&shown)),
            ))
        }
    }
}

/// The answers behind the columns that are kept. One that is called as an answer is, as the target may be, gets another name.
fn beside(kept: Vec<(String, Column)>, answers: Table) -> Outcome<Table> {
    let name = |name: String| if answers.column(&name).is_some() { format!("{name}_kept") } else { name };
    let kept = kept.into_iter().map(|(own, column)| (name(own), column));
    let answers = answers.iter().map(|(name, column)| (name.to_owned(), column.clone()));
    Ok(Table::new(kept.chain(answers).collect())?)
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
