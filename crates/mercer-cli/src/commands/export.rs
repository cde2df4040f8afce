//! `mercer export`: a support vector machine in a file of another program.

use std::io::Write;
use std::path::Path;

use mercer::Error;
use mercer::data::write_atomically;
use mercer::error::counted;
use mercer::interchange::{libsvm, onnx};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Exported, Pipeline};
use mercer::report::ExportReport;

use crate::args::ExportArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::output::{self, Kind, Output};

/// A format of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Onnx,
    Libsvm,
}

impl Format {
    /// By the end of the file's name.
    fn of(path: &Path) -> Outcome<Self> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("onnx") => Ok(Format::Onnx),
            Some("model" | "libsvm") => Ok(Format::Libsvm),
            _ => {
                let problem = format!("the name `{}` does not say what to write", path.display());
                Err(Failure::usage(problem, "let it end in `.onnx`, or in `.model` or `.libsvm` for LIBSVM"))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Format::Onnx => "onnx",
            Format::Libsvm => "libsvm",
        }
    }

    fn bytes(self, exported: &Exported) -> Outcome<Vec<u8>> {
        Ok(match self {
            Format::Onnx => onnx::write(&exported.machine, exported.names())?,
            Format::Libsvm => libsvm::write(&exported.machine)?.into_bytes(),
        })
    }
}

/// Writes the machine and says what is in the file.
pub fn run(args: &ExportArgs, context: &Context) -> Outcome {
    let format = Format::of(&args.output)?;
    let output = Output { option: "--output", path: &args.output, kind: Kind::Table };
    output::check(&[output], &[&args.model], args.force)?;
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let exported = pipeline.to_support_machine()?;
    let bytes = format.bytes(&exported)?;
    let path = &args.output;
    write_atomically(path, |out| out.write_all(&bytes).map_err(|e| Error::io(path, e)))?;
    let words = format == Format::Onnx && exported.names().is_some();
    if !words {
        exported.numbering().into_iter().for_each(|note| context.printer.note(note));
    }
    let report = ExportReport::new(&pipeline, &exported);
    let report = ExportReport {
        model: args.model.display().to_string(),
        output: path.display().to_string(),
        format: format.name().into(),
        labels: report.labels.filter(|_| !words),
        notes: context.printer.notes(),
        ..report
    };
    match context.printer.is_json() {
        true => context.printer.out_json(&report),
        false => context.printer.out(&text(&report)),
    }
}

fn text(report: &ExportReport) -> String {
    let vectors = counted(report.vectors, "support vector", "support vectors");
    let columns = match report.columns.len() {
        0 => "on kernel values".to_owned(),
        n => format!("on {}", counted(n, "column", "columns")),
    };
    format!("{}: {} with {vectors} {columns}, {}\n", report.output, report.learner, report.kernel)
}
