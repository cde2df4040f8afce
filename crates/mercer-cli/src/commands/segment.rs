//! `mercer segment`: where a sequence changes.

use std::time::Instant;

use mercer::data::{Column, ColumnType, Dataset, Inputs, Table, date_parts};
use mercer::error::counted;
use mercer::model::pipeline::Prepared;
use mercer::model::segment::{
    AutomaticChoice, ChangeSearch, ChangeTest, Permutations, Segmentation, Segments, Sliced, usual_kernel,
};
use mercer::plot::{Axis, Figure, segments};
use mercer::report::{SegmentReport, percent};
use mercer::{Error, KernelExpr, Note};

use super::points::{Files, prepared, usual};
use crate::args::{ReadArgs, SegmentArgs};
use crate::context::Context;
use crate::exit::{Answer, Outcome};
use crate::layout::{Grid, number, seconds, shortened};
use crate::load::{load, load_as_spelt};

/// Reads, searches, tests, draws where asked, and says what was found.
pub fn run(args: &SegmentArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    // A formula that does not parse need not wait for the data.
    let kernel = args.kernel.as_deref().map(KernelExpr::parse).transpose()?;
    Files { table: None, model: None, picture: args.plot.as_deref() }.check(&[&args.data], args.force)?;
    // What a model would predict is part of the sequence here.
    let read = ReadArgs { no_target: args.read.target.is_none(), ..args.read.clone() };
    let (data, time) = without_time(load(&args.data, &read, context)?, args.time.as_deref())?;
    let (data, prepared) = prepared(data, None, &args.scale)?;
    prepared.notes.iter().cloned().for_each(|note| context.printer.note(note));
    time.iter().try_for_each(|(name, column)| in_order(name, &column.take(&prepared.kept)))?;
    let time = time.map(|time| as_spelt(time, &data, args, context));
    let time = time.map(|(name, column)| (name, column.take(&prepared.kept)));
    let given = kernel.is_some();
    let kernel = if given { kernel } else { chosen(&prepared.inputs, context)? };
    let search = Search { args, context };
    let found = context.interrupt.watch(|| search.run(kernel.clone(), &prepared))?;
    if kernel.is_none() {
        context.printer.note(usual_view(&found));
    }
    let plot = draw(args, (&data, &prepared), time.as_ref(), (&found.cut.changes, found.segments), context)?;
    let report = SegmentReport {
        plot,
        seconds: start.elapsed().as_secs_f64(),
        ..report(args, (&data, &prepared), time.as_ref(), found, context)
    };
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        context.printer.out(&text(&report))?;
    }
    Ok(Answer::Yes)
}

/// The data without the column of times, and that column.
fn without_time(data: Dataset, time: Option<&str>) -> Outcome<(Dataset, Option<(String, Column)>)> {
    let Some(name) = time else { return Ok((data, None)) };
    let table = data.table()?;
    let column = table.column(name).ok_or_else(|| table.unknown_column(name))?.clone();
    let parts = date_parts(&table, name);
    let rest = parts.iter().map(String::as_str).chain([name]).try_fold(table, |table, name| table.without(name))?;
    let inputs: Inputs = rest.into();
    Ok((Dataset { inputs, target: None, ..data }, Some((name.to_owned(), column))))
}

/// Dates are shown as they are spelt, not as seconds, where the file can be read twice.
fn as_spelt(time: (String, Column), data: &Dataset, args: &SegmentArgs, context: &Context) -> (String, Column) {
    let dated = |note: &Note| matches!(note, Note::DatesRead { column, .. } if *column == time.0);
    if !data.notes.iter().any(dated) {
        return time;
    }
    let spelt = load_as_spelt(&args.data, &args.read, std::slice::from_ref(&time.0), context);
    let column = spelt.and_then(|spelt| spelt.table().ok()?.column(&time.0).cloned());
    let column = column.filter(|column| column.len() == time.1.len()).unwrap_or(time.1);
    (time.0, column)
}

/// Times that are numbers must not fall.
fn in_order(name: &str, column: &Column) -> Outcome {
    let Some(values) = column.numbers() else { return Ok(()) };
    match values.windows(2).position(|w| w[1] < w[0]) {
        None => Ok(()),
        Some(row) => {
            let got = format!("{} in row {} after {}", values[row + 1], row + 1, values[row]);
            Err(Error::column(name, "times that do not fall", got, "sort the rows by time").into())
        }
    }
}

/// None for a sequence of numbers, which have usual views; for others a kernel of their types, said aloud.
fn chosen(x: &Inputs, context: &Context) -> Outcome<Option<KernelExpr>> {
    match usual_kernel(x, &context.run)? {
        Some(_) => Ok(None),
        None => usual(x, context).map(Some),
    }
}

/// How numbers are looked at where no kernel is given.
fn usual_view(found: &Found) -> String {
    match found.segments {
        Segments::Levels => format!(
            "the kernel is `{}`, at the median distance of two rows over √2; choose another with `--kernel`",
            found.kernel
        ),
        Segments::Lines if found.kernel != "linear" => format!("segments are lines with the kernel `{}`", found.kernel),
        Segments::Lines => {
            "segments are lines in the columns, where values far out of those around them are limited; choose others with `--segments` and `--kernel`".into()
        }
    }
}

/// What was found.
struct Found {
    kernel: String,
    segments: Segments,
    min_size: usize,
    cut: Segmentation,
    costs: Option<Vec<f64>>,
    penalty: Option<f64>,
    automatic: Option<AutomaticChoice>,
    tests: Vec<ChangeTest>,
    error: Option<f64>,
}

struct Search<'a> {
    args: &'a SegmentArgs,
    context: &'a Context,
}

impl Search<'_> {
    fn run(&self, kernel: Option<KernelExpr>, prepared: &Prepared) -> mercer::Result<Found> {
        let (args, run, x) = (self.args, &self.context.run, &prepared.inputs);
        let segments = args.segments.as_deref().map(Segments::named).transpose()?;
        let landmarks = args.landmarks.map(|count| (count, args.seed));
        let search = ChangeSearch { kernel, segments, min_size: args.min_size, landmarks };
        let (sliced, found) = match (args.changes, args.penalty) {
            (Some(changes), _) => {
                let sliced = search.slice(x, run)?;
                let path = sliced.path(changes, run)?;
                let last = path.segmentations()[path.segmentations().len() - 1].clone();
                let found = Found { costs: Some(path.costs()), ..Found::new(&sliced, last) };
                (sliced, found)
            }
            (None, Some(penalty)) => {
                let sliced = search.slice(x, run)?;
                let cut = sliced.penalised(penalty, run)?;
                let found = Found { penalty: Some(penalty), ..Found::new(&sliced, cut) };
                (sliced, found)
            }
            (None, None) => {
                let found = search.find(x, run)?;
                let told = Found { automatic: Some(found.choice), ..Found::new(&found.sliced, found.segmentation) };
                (found.sliced, told)
            }
        };
        let tests = match args.permutations {
            0 => Vec::new(),
            count => sliced.points.tests(&found.cut.changes, Permutations { count, seed: args.seed }, run)?,
        };
        Ok(Found { tests, ..found })
    }
}

impl Found {
    fn new(sliced: &Sliced, cut: Segmentation) -> Self {
        Found {
            kernel: sliced.points.kernel().to_string(),
            segments: sliced.points.segments(),
            min_size: sliced.points.min_size(),
            cut,
            costs: None,
            penalty: None,
            automatic: None,
            tests: Vec::new(),
            error: sliced.approximation_error(),
        }
    }
}

fn report(
    args: &SegmentArgs,
    (data, prepared): (&Dataset, &Prepared),
    time: Option<&(String, Column)>,
    found: Found,
    context: &Context,
) -> SegmentReport {
    let (changes, rows) = (found.cut.changes, prepared.kept.len());
    let times = time.map(|(_, column)| changes.iter().map(|c| cell(column, *c)).collect());
    SegmentReport {
        data: data.name.clone(),
        kernel: found.kernel,
        segments: found.segments,
        method: if args.landmarks.is_some() { "landmarks" } else { "exact" },
        rows,
        min_size: found.min_size,
        breakpoints: changes.iter().copied().chain([rows]).collect(),
        data_rows: changes.iter().map(|c| prepared.kept[*c]).collect(),
        changes,
        times,
        cost: found.cut.cost,
        costs: found.costs,
        penalty: found.penalty,
        automatic: found.automatic,
        permutations: if found.tests.is_empty() { 0 } else { args.permutations },
        tests: found.tests,
        approximation_error: found.error,
        plot: None,
        seconds: 0.0,
        notes: context.printer.notes(),
    }
}

/// A time in words.
fn cell(column: &Column, row: usize) -> String {
    match (column.numbers(), column.read_as(ColumnType::Category)) {
        (Some(values), _) => values[row].to_string(),
        (None, Some(words)) => words.categories().and_then(|w| w.get(row)).unwrap_or_default().to_owned(),
        (None, None) => row.to_string(),
    }
}

/// Draws the columns of numbers where that was asked for; several are drawn as they were prepared. Returns the file's name.
fn draw(
    args: &SegmentArgs,
    (data, prepared): (&Dataset, &Prepared),
    time: Option<&(String, Column)>,
    (changes, kind): (&[usize], Segments),
    context: &Context,
) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let as_read = lines(&data.take(&prepared.kept).table()?);
    let lines = match as_read.len() {
        0 => {
            context.printer.warn(&format!("there are no numbers to draw, and {} is not written", path.display()));
            return Ok(None);
        }
        1 => as_read,
        _ => match &prepared.inputs {
            Inputs::Table(table) => lines(table),
            _ => as_read,
        },
    };
    let n = prepared.kept.len();
    let told = time.and_then(|(name, column)| Some((name.as_str(), column.numbers()?.to_vec())));
    let (axis, times) = told.unwrap_or_else(|| ("row", (0..n).map(|i| i as f64).collect()));
    let panel = segments((&data.name, Axis::linear(axis)), &times, &lines, (changes, kind));
    let notes = Figure::of(panel).write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

fn lines(table: &Table) -> Vec<(String, Vec<f64>)> {
    table.iter().filter_map(|(name, column)| Some((name.to_owned(), column.numbers()?.to_vec()))).collect()
}

/// What was found, in a few lines.
fn text(report: &SegmentReport) -> String {
    let changes = counted(report.changes.len(), "change", "changes");
    let mut lines = vec![
        format!("{}: {changes} in {} rows", report.data, report.rows),
        format!("segments are {}, kernel {}", report.segments.name(), shortened(&report.kernel)),
        match (report.penalty, report.automatic) {
            (_, Some(choice)) => reason(choice),
            (Some(penalty), None) => format!("penalty {} for a change", number(penalty, 5)),
            (None, None) => "the number of changes was given".into(),
        },
        String::new(),
    ];
    if !report.changes.is_empty() {
        lines.extend(grid(report).lines("  "));
        lines.push(String::new());
    }
    lines.push(format!("cost {} in {} ({})", number(report.cost, 6), seconds(report.seconds), report.method));
    if let Some(error) = report.approximation_error {
        lines.push(format!("landmarks leave {} of the kernel's trace", number(error, 3)));
    }
    if !report.tests.is_empty() {
        let what = match report.segments {
            Segments::Levels => "the rows of the cut segment",
            Segments::Lines => "what one line leaves of the cut segment",
        };
        lines.push(format!(
            "p-values hold if {what} could have come in any order; later changes are conditional on earlier ones"
        ));
    }
    lines.extend(report.plot.as_ref().map(|file| format!("drawn to {file}")));
    format!("{}\n", lines.join("\n"))
}

/// Why there are so many changes.
fn reason(choice: AutomaticChoice) -> String {
    let compared = match choice.compared {
        None => String::new(),
        Some(both) => format!(" (J of levels {}, of lines {})", number(both.levels, 5), number(both.lines, 5)),
    };
    format!(
        "the number of changes was found in the data{compared}: {} of the variance is left inside of segments, where neighbours \
         correlate by {}",
        percent(choice.share),
        number(choice.correlation, 2)
    )
}

fn grid(report: &SegmentReport) -> Grid {
    let mut grid = Grid::new(&["row", "time", "p-value", "gain", "segment it cuts"], &[0, 1, 2, 3]);
    for (place, row) in report.data_rows.iter().enumerate() {
        let time = report.times.as_ref().map_or_else(|| "-".into(), |times| times[place].clone());
        let test = report.tests.get(place);
        let told = |f: &dyn Fn(&ChangeTest) -> String| test.map_or_else(|| "-".into(), f);
        grid.row([
            row.to_string(),
            time,
            told(&|t| number(t.pvalue, 3)),
            told(&|t| number(t.gain, 4)),
            told(&|t| format!("{} to {}", t.parent[0], t.parent[1] - 1)),
        ]);
    }
    grid
}
