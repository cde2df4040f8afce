//! A pipeline as a file; `docs/guide/model-file.md` describes it field by field.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::data::{Weights, write_atomically};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Registry};
use crate::model::{Components, Expansion, Extra, LeaveOneOut, Model, ModelParts, Modes, Process, Support, catalogue};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;
use crate::save::{Reader, Writer};

use super::points::{self, Points};
use super::{Pipeline, PipelineParts, Preparation, TargetScaling, Task};

const FORMAT: &str = "mercer model";
const VERSION: u32 = 2;
/// The array of coefficients as they were found, where a repair made others of them.
const FITTED: &str = "fitted_coefficients";
/// Bytes that are read between two looks at the clock.
const BLOCK: usize = 1 << 24;

/// What is read first, of any version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
    mercer: String,
}

/// The text of a file. Numbers are finite: JSON has no others.
#[derive(Serialize, Deserialize)]
struct Description {
    format: String,
    version: u32,
    mercer: String,
    /// The name of the learner in the catalogue, and its settings.
    learner: String,
    settings: Map<String, Value>,
    kernel: String,
    task: Task,
    preparation: Preparation,
    target_scaling: Option<TargetScaling>,
    points: Points,
    /// Whether the points are some of the rows of the fit, and not all.
    some_rows: bool,
    extra: StoredExtra,
    certificate: Certificate,
    about: Map<String, Value>,
    notes: Vec<Note>,
}

/// What a model has beside its functions. The arrays `leave_one_out.*` may stand beside it.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StoredExtra {
    None,
    LeaveOneOut,
    Shifts {
        values: Vec<f64>,
    },
    Alphas {
        values: Vec<f64>,
    },
    Slope {
        value: f64,
    },
    Coordinates {
        values: Vec<f64>,
    },
    Process {
        prior: Vec<f64>,
    },
    Modes,
    /// The arrays `support.rows`, `support.widths`, `support.slopes` and `support.scores` stand beside it.
    Support {
        classes: usize,
    },
    /// The array `components.mean` stands beside it.
    Components {
        variances: Vec<f64>,
        total: f64,
        mean_norm: f64,
    },
    /// `second.points…`, `second.coefficients`, `second.intercept`: functions of another kernel on another input.
    Second {
        kernel: String,
        points: Points,
    },
}

impl StoredExtra {
    fn of(extra: &Extra) -> Self {
        match extra {
            Extra::None => StoredExtra::None,
            Extra::LeaveOneOut(_) => StoredExtra::LeaveOneOut,
            Extra::Shifts(values) => StoredExtra::Shifts { values: values.clone() },
            Extra::Alphas(values) => StoredExtra::Alphas { values: values.clone() },
            Extra::Slope(value) => StoredExtra::Slope { value: *value },
            Extra::Coordinates(values) => StoredExtra::Coordinates { values: values.clone() },
            Extra::Process(process) => StoredExtra::Process { prior: process.prior().to_vec() },
            Extra::Modes(_) => StoredExtra::Modes,
            Extra::Support(support) => StoredExtra::Support { classes: support.classes },
            Extra::Components(c) => {
                StoredExtra::Components { variances: c.variances.clone(), total: c.total, mean_norm: c.mean_norm }
            }
            Extra::Second(g) => StoredExtra::Second { kernel: g.kernel().to_string(), points: Points::of(g.points()) },
        }
    }

    fn read(self, reader: &mut Reader<'_>, outputs: usize, registry: &Registry, run: &Run) -> Result<Extra> {
        Ok(match self {
            StoredExtra::None => Extra::None,
            StoredExtra::LeaveOneOut => Extra::LeaveOneOut(read_leave_one_out(reader, outputs)?),
            StoredExtra::Shifts { values } => Extra::Shifts(values),
            StoredExtra::Alphas { values } => Extra::Alphas(values),
            StoredExtra::Slope { value } => Extra::Slope(value),
            StoredExtra::Coordinates { values } => Extra::Coordinates(values),
            StoredExtra::Process { prior } => Extra::Process(Process::new(prior)),
            StoredExtra::Modes => Extra::Modes(Modes::default()),
            StoredExtra::Support { classes } => Extra::Support(read_support(reader, classes)?),
            StoredExtra::Components { variances, total, mean_norm } => {
                let mean = reader.list("components.mean")?;
                Extra::Components(Components { variances, total, mean, mean_norm })
            }
            StoredExtra::Second { kernel, points } => {
                let kernel = resolved(&kernel, registry, reader)?;
                Extra::Second(read_expansion("second.", &kernel, points, outputs, reader, run)?)
            }
        })
    }
}

impl Pipeline {
    /// Writes a model file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, bytes) = (path.as_ref(), self.to_bytes()?);
        write_atomically(path, |out| out.write_all(&bytes).map_err(|e| Error::io(path, e)))
    }

    /// The bytes of the model file: the same for the same pipeline.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_string(&self.description()).ok();
        // What cannot be read back, such as settings that nest too deep, must not be written.
        let text = text.filter(|t| serde_json::from_str::<Description>(t).is_ok());
        let text = text.ok_or_else(|| Error::Unsupported {
            what: "saving a model whose settings do not read back".into(),
            alternative: "keep fewer levels of lists in the settings".into(),
        })?;
        let mut writer = Writer::new(text);
        let outputs = self.model().outputs();
        write_expansion("", self.model().expansion(), &mut writer);
        if let Some(g) = self.model().second() {
            write_expansion("second.", g, &mut writer);
        }
        if let Some(weights) = self.model().weights() {
            writer.numbers("weights", &[weights.len()], weights);
        }
        if let Some(support) = self.model().support() {
            let rows: Vec<f64> = support.rows.iter().map(|row| *row as f64).collect();
            let lists = [
                ("rows", &rows),
                ("widths", &support.widths),
                ("slopes", &support.slopes),
                ("scores", &support.scores),
            ];
            for (name, list) in lists {
                writer.numbers(&format!("support.{name}"), &[list.len()], list);
            }
        }
        if let Some(components) = self.model().components() {
            writer.numbers("components.mean", &[components.mean.len()], &components.mean);
        }
        if let Some(loo) = self.model().loo() {
            let shape = [loo.residuals.len() / outputs, outputs];
            writer.numbers("leave_one_out.residuals", &shape, &loo.residuals);
            writer.numbers("leave_one_out.predictions", &shape, &loo.predictions);
        }
        writer.finish()
    }

    /// Reads a model file. Kernels of the user that its formula names must be in `registry`.
    pub fn load(path: impl AsRef<Path>, registry: &Registry, run: &Run) -> Result<Self> {
        let path = path.as_ref();
        let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        // The bytes, and the arrays made from them.
        let _reserved = run.reserve(2 * u128::from(size), "reading the model", "free some memory")?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        let task = run.task("reading the model", Some(size.div_ceil(BLOCK as u64)));
        let mut beyond = Vec::new();
        while Read::by_ref(&mut file).take(BLOCK as u64).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))? > 0 {
            task.step_or_cancel()?;
            // A pipe or a device has no size beforehand, and may have no end.
            if bytes.len() as u64 > size {
                beyond.push(run.reserve(2 * BLOCK as u128, "reading the model", "give a file of `mercer fit`")?);
            }
        }
        read(&bytes, path, registry, run)
    }

    /// Reads the bytes of a model file.
    pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Self> {
        read(bytes, Path::new("the model"), registry, &Run::new())
    }

    fn description(&self) -> Description {
        let (parts, model) = (self.parts(), self.model());
        Description {
            format: FORMAT.into(),
            version: VERSION,
            mercer: env!("CARGO_PKG_VERSION").into(),
            learner: model.learner().spec().name.into(),
            settings: model.learner().settings(),
            kernel: model.kernel().to_string(),
            task: parts.task.clone(),
            preparation: parts.preparation.clone(),
            target_scaling: parts.target_scaling.clone(),
            points: Points::of(model.points()),
            some_rows: model.expansion().keeps_some_rows(),
            extra: StoredExtra::of(model.extra()),
            certificate: model.certificate().clone(),
            about: parts.settings.clone(),
            notes: parts.notes.clone(),
        }
    }
}

fn read(bytes: &[u8], path: &Path, registry: &Registry, run: &Run) -> Result<Pipeline> {
    let mut reader = Reader::new(bytes, path)?;
    let description = describe(&reader)?;
    // A kernel that the registry has not is no fault of the file.
    KernelExpr::parse_with(&description.kernel, registry)?;
    // What does not fit together is the file's fault, wherever it is found.
    let pipeline = assemble(description, registry, &mut reader, run).map_err(|e| match e {
        Error::Format { .. } | Error::Cancelled { .. } | Error::Memory { .. } => e,
        other => reader.refuse(format!("the file does not fit together: {other}")),
    })?;
    reader.check_all_read()?;
    Ok(pipeline)
}

fn describe(reader: &Reader<'_>) -> Result<Description> {
    let refuse = |e: serde_json::Error| reader.refuse(format!("its description does not read: {e}"));
    let head: Head = serde_json::from_str(reader.text()).map_err(refuse)?;
    if head.format != FORMAT {
        return Err(reader.refuse(format!("the format is `{}`, expected `{FORMAT}`", head.format)));
    }
    if head.version != VERSION {
        let (version, by) = (head.version, head.mercer);
        return Err(reader.refuse(format!(
            "version {version} of the model file, written by mercer {by}; this one reads version {VERSION}"
        )));
    }
    serde_json::from_str(reader.text()).map_err(refuse)
}

/// The kernel of a formula, which must have no rules left.
fn resolved(formula: &str, registry: &Registry, reader: &Reader<'_>) -> Result<KernelExpr> {
    let kernel = KernelExpr::parse_with(formula, registry)?;
    match kernel.is_resolved() {
        true => Ok(kernel),
        false => Err(reader.refuse(format!("the kernel `{kernel}` has a rule where a number must be"))),
    }
}

fn write_expansion(prefix: &str, f: &Expansion, writer: &mut Writer) {
    points::write(prefix, f.points(), writer);
    let shape = [f.points().len(), f.outputs()];
    writer.numbers(&format!("{prefix}coefficients"), &shape, f.coefficients());
    if let Some(fitted) = f.fitted_coefficients() {
        writer.numbers(&format!("{prefix}{FITTED}"), &shape, fitted);
    }
    writer.numbers(&format!("{prefix}intercept"), &[f.outputs()], f.intercept());
}

fn read_expansion(
    prefix: &str,
    kernel: &KernelExpr,
    points: Points,
    outputs: usize,
    reader: &mut Reader<'_>,
    run: &Run,
) -> Result<Expansion> {
    let shape = [points.rows(), outputs];
    let coefficients = reader.numbers(&format!("{prefix}coefficients"), &shape)?;
    let fitted = format!("{prefix}{FITTED}");
    let fitted = if reader.has(&fitted) { Some(reader.numbers(&fitted, &shape)?) } else { None };
    let intercept = reader.numbers(&format!("{prefix}intercept"), &[outputs])?;
    let points = points.read(prefix, reader)?;
    let space = Space::new(kernel, &points, run)?;
    match fitted {
        None => Expansion::new(space, points, coefficients, intercept),
        Some(fitted) => Expansion::new(space, points, fitted, intercept)?.in_place_of_fitted(coefficients),
    }
}

fn assemble(d: Description, registry: &Registry, reader: &mut Reader<'_>, run: &Run) -> Result<Pipeline> {
    let kernel = resolved(&d.kernel, registry, reader)?;
    d.task.validate()?;
    let learner = catalogue::by_name(&d.learner)?.with_kernel(kernel.clone()).with_settings(d.settings)?;
    learner.validate()?;
    let outputs = learner.functions(d.task.outputs());
    let expansion = read_expansion("", &kernel, d.points, outputs, reader, run)?;
    let model = Model::from_parts(ModelParts {
        learner,
        expansion: if d.some_rows { expansion.of_some_rows() } else { expansion },
        weights: if reader.has("weights") { Some(Weights::new(reader.list("weights")?)?) } else { None },
        extra: d.extra.read(reader, outputs, registry, run)?,
        certificate: d.certificate,
    })?;
    Pipeline::from_parts(PipelineParts {
        preparation: d.preparation,
        task: d.task,
        target_scaling: d.target_scaling,
        model,
        settings: d.about,
        notes: d.notes,
    })
}

fn read_leave_one_out(reader: &mut Reader<'_>, outputs: usize) -> Result<LeaveOneOut> {
    let residuals = reader.rows("leave_one_out.residuals", outputs)?;
    let predictions = reader.numbers("leave_one_out.predictions", &[residuals.len() / outputs.max(1), outputs])?;
    Ok(LeaveOneOut { residuals, predictions })
}

fn read_support(reader: &mut Reader<'_>, classes: usize) -> Result<Support> {
    let rows = reader.list("support.rows")?;
    // Rows are counted: whole numbers that a double holds exactly.
    let counts = |v: &f64| *v >= 0.0 && *v < 9e15 && v.fract() == 0.0;
    if !rows.iter().all(counts) {
        return Err(reader.refuse("the rows of support vectors are not whole numbers".to_owned()));
    }
    let rows = rows.iter().map(|v| *v as usize).collect();
    let mut list = |name: &str| reader.list(&format!("support.{name}"));
    Ok(Support { rows, classes, widths: list("widths")?, slopes: list("slopes")?, scores: list("scores")? })
}
