//! What commands that need no target share: the points without it, prepared, and their usual kernel.

use mercer::KernelExpr;
use mercer::data::{Dataset, Inputs, MissingPolicy};
use mercer::model::pipeline::{Prepare, Prepared};
use mercer::select::default_kernels;

use crate::context::Context;
use crate::exit::Outcome;
use crate::load::weights;

/// The points without target and the column of weights, prepared, and the data they come from.
pub(super) fn prepared(
    data: Dataset,
    weighed_by: Option<&str>,
    (missing, standardize): (MissingPolicy, bool),
) -> Outcome<(Dataset, Prepared)> {
    let weights = weighed_by.map(|name| weights(name, &data)).transpose()?;
    let mut data = Dataset { target: None, ..data };
    if let (Some(name), Inputs::Table(table)) = (weighed_by, &data.inputs) {
        data = Dataset { inputs: table.without(name)?.into(), ..data };
    }
    let prepared = Prepare { missing, standardize, scale_target: false }.fit(&data, weights.as_ref())?;
    Ok((data, prepared))
}

/// The usual kernel of these columns, said aloud.
pub(super) fn usual(x: &Inputs, context: &Context) -> Outcome<KernelExpr> {
    let kernel = default_kernels(x)?.into_iter().next().unwrap_or_default();
    context.printer.note(format!("the kernel is `{kernel}`; choose another with `--kernel`"));
    Ok(kernel)
}
