//! `mercer import`: a model of another program as a model of Mercer.

use std::path::Path;

use mercer::interchange::libsvm;
use mercer::model::pipeline::Pipeline;
use mercer::report::InspectReport;

use super::fit::model_path;
use super::inspect;
use crate::args::ImportArgs;
use crate::context::Context;
use crate::exit::Outcome;
use crate::load;
use crate::output::{self, Kind, Output};

/// Reads the machine, saves the model and says what it is.
pub fn run(args: &ImportArgs, context: &Context) -> Outcome {
    let path = model_path(args.output.as_deref(), &args.file.to_string_lossy());
    let output = Output { option: "--output", path: &path, kind: Kind::Model };
    output::check(&[output], &[&args.file], args.force)?;
    let bytes = load::bytes(&args.file, context)?;
    let machine = libsvm::read(&bytes, &args.file)?;
    context.checkpoint("reading")?;
    let pipeline = Pipeline::from_support_machine(&machine, args.columns, &context.run)?;
    let pipeline = named(pipeline, &args.file)?;
    pipeline.save(&path)?;
    let report = InspectReport::new(path.display().to_string(), &pipeline);
    match context.printer.is_json() {
        true => context.printer.out_json(&report),
        false => context.printer.out(&inspect::text(&report, context)),
    }
}

/// The pipeline with the name of the file that it comes from.
fn named(pipeline: Pipeline, file: &Path) -> Outcome<Pipeline> {
    let mut parts = pipeline.into_parts();
    parts.settings.insert("imported_from".into(), file.display().to_string().into());
    Ok(Pipeline::from_parts(parts)?)
}
