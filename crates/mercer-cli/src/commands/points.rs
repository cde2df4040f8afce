//! What commands that need no target share: their learners and files, the points without a target, prepared, and their usual kernel.

use std::path::Path;

use mercer::KernelExpr;
use mercer::data::{Dataset, Inputs, TableFormat};
use mercer::error::quote_list;
use mercer::model::pipeline::Prepared;
use mercer::model::{Learner, LearnerSpec, catalogue};
use mercer::select::default_kernels;

use crate::args::{RowArgs, ScaleArgs};
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::load::{STREAM, weights};
use crate::output::{self, Kind, Output};

/// The learner of this name, if its models give what the command is for.
pub(super) fn learner_that(gives: impl Fn(&LearnerSpec) -> bool, name: &str, what: &str) -> Outcome<Learner> {
    let learner = catalogue::by_name(name)?;
    if gives(learner.spec()) {
        return Ok(learner);
    }
    let all = catalogue::all();
    let names: Vec<&str> = all.iter().map(|l| l.spec()).filter(|s| gives(s)).map(|s| s.name).collect();
    let hint = format!("models that do: {}", quote_list(&names));
    Err(Failure::usage(format!("the model `{name}` gives no {what}"), hint))
}

/// The files that a command is told to write.
pub(super) struct Files<'a> {
    pub(super) table: Option<&'a Path>,
    pub(super) model: Option<&'a Path>,
    pub(super) picture: Option<&'a Path>,
}

impl Files<'_> {
    /// Fails before any work for names that cannot be written, or may not be replaced.
    pub(super) fn check(&self, data: &[&str], force: bool) -> Outcome {
        if let Some(path) = self.table.filter(|path| path.as_os_str() != STREAM) {
            TableFormat::of(path)?;
        }
        let table = self.table.map(|path| Output { option: "--output", path, kind: Kind::Table });
        let model = self.model.map(|path| Output { option: "--save", path, kind: Kind::Model });
        let picture = self.picture.map(|path| Output { option: "--plot", path, kind: Kind::Picture });
        let outputs: Vec<Output<'_>> = table.into_iter().chain(model).chain(picture).collect();
        let inputs: Vec<&Path> = data.iter().map(Path::new).collect();
        output::check(&outputs, &inputs, force)
    }
}

/// The points without target and the column of weights, prepared, and the data they come from.
pub(super) fn weighed(data: Dataset, args: &RowArgs) -> Outcome<(Dataset, Prepared)> {
    prepared(data, args.weights.as_deref(), &args.scale)
}

/// The same, with the name of the column of weights.
pub(super) fn prepared(data: Dataset, weighed_by: Option<&str>, scale: &ScaleArgs) -> Outcome<(Dataset, Prepared)> {
    let weights = weighed_by.map(|name| weights(name, &data)).transpose()?;
    let mut data = Dataset { target: None, ..data };
    if let (Some(name), Inputs::Table(table)) = (weighed_by, &data.inputs) {
        data = Dataset { inputs: table.without(name)?.into(), ..data };
    }
    let prepared = scale.prepare().fit(&data, weights.as_ref())?;
    Ok((data, prepared))
}

/// The usual kernel of these columns, said aloud.
pub(super) fn usual(x: &Inputs, context: &Context) -> Outcome<KernelExpr> {
    let kernel = default_kernels(x)?.into_iter().next().unwrap_or_default();
    context.printer.note(format!("the kernel is `{kernel}`; choose another with `--kernel`"));
    Ok(kernel)
}
