//! A pipeline as a file; `docs/guide/model-file.md` describes it field by field.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::certificate::{Algorithm, Certificate, Repaired, Stop};
use crate::data::write_atomically;
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Registry};
use crate::model::gp::{GaussianProcessClassifierModel, GaussianProcessModel, GpClassifierParts, GpParts};
use crate::model::regress::{KernelRidgeModel, LeaveOneOut, RidgeParts};
use crate::model::{AnyModel, Expansion, KernelMachine, Link, Shifts};
use crate::rkhs::Space;
use crate::run::Run;
use crate::save::{Reader, Writer};

use super::points::{self, Points};
use super::{Pipeline, PipelineParts, Preparation, TargetScaling, Task};

const FORMAT: &str = "mercer model";
const VERSION: u32 = 1;

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
    model: StoredModel,
    kernel: String,
    task: Task,
    preparation: Preparation,
    target_scaling: Option<TargetScaling>,
    points: Points,
    certificate: StoredCertificate,
    settings: Map<String, Value>,
    notes: Vec<String>,
}

/// What a model is beside its functions. Arrays `weights` and `leave_one_out.*` may stand beside it.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StoredModel {
    KernelRidge { alpha: f64, fit_intercept: bool },
    KernelMachine { learner: String, link: Link, settings: Map<String, Value> },
    GaussianProcess { alpha: f64, prior: Vec<f64>, log_evidence: Real },
    GaussianProcessClassifier { log_evidence: Real },
}

impl StoredModel {
    fn of(model: &AnyModel) -> Self {
        match model {
            AnyModel::Ridge(m) => StoredModel::KernelRidge { alpha: m.alpha(), fit_intercept: m.parts().fit_intercept },
            AnyModel::Machine(m) => {
                StoredModel::KernelMachine { learner: m.learner.clone(), link: m.link, settings: m.settings.clone() }
            }
            AnyModel::Process(m) => StoredModel::GaussianProcess {
                alpha: m.alpha(),
                prior: m.parts().prior.clone(),
                log_evidence: m.log_evidence().into(),
            },
            AnyModel::ProcessClassifier(m) => {
                StoredModel::GaussianProcessClassifier { log_evidence: m.log_evidence().into() }
            }
        }
    }

    /// The model with these functions, and its own arrays from the file.
    fn assemble(self, expansion: Expansion, certificate: Certificate, reader: &mut Reader<'_>) -> Result<AnyModel> {
        match self {
            StoredModel::KernelRidge { alpha, fit_intercept } => {
                if !(alpha >= 0.0 && alpha.is_finite()) {
                    return Err(reader.refuse(format!("alpha is {alpha}, expected a finite number ≥ 0")));
                }
                let weights = read_weights(reader)?;
                let leave_one_out = read_leave_one_out(reader, expansion.outputs())?;
                let parts = RidgeParts { expansion, fit_intercept, alpha, weights, certificate, leave_one_out };
                Ok(KernelRidgeModel::from_parts(parts)?.into())
            }
            StoredModel::KernelMachine { learner, link, settings } => {
                Shifts::of(&settings, expansion.outputs()).map_err(|e| reader.refuse(e.to_string()))?;
                Ok(KernelMachine { learner, expansion, link, certificate, settings }.into())
            }
            StoredModel::GaussianProcess { alpha, prior, log_evidence } => {
                let log_evidence = log_evidence.value().map_err(|e| reader.refuse(format!("its evidence: {e}")))?;
                let weights = read_weights(reader)?;
                let parts = GpParts { expansion, alpha, weights, prior, log_evidence, certificate };
                Ok(GaussianProcessModel::from_parts(parts)?.into())
            }
            StoredModel::GaussianProcessClassifier { log_evidence } => {
                let log_evidence = log_evidence.value().map_err(|e| reader.refuse(format!("its evidence: {e}")))?;
                let weights = read_weights(reader)?;
                let parts = GpClassifierParts { expansion, weights, log_evidence, certificate };
                Ok(GaussianProcessClassifierModel::from_parts(parts)?.into())
            }
        }
    }
}

/// The arrays of a ridge model beside its functions and weights.
fn write_ridge(model: &RidgeParts, writer: &mut Writer) {
    if let Some(loo) = &model.leave_one_out {
        let outputs = model.expansion.outputs();
        let shape = [loo.residuals.len() / outputs, outputs];
        writer.numbers("leave_one_out.residuals", &shape, &loo.residuals);
        writer.numbers("leave_one_out.predictions", &shape, &loo.predictions);
    }
}

/// A certificate whose numbers may be anything: a fit that was stopped may have an infinite residual.
#[derive(Serialize, Deserialize)]
struct StoredCertificate {
    algorithm: Algorithm,
    reason: String,
    stop: Stop,
    relative_residual: Option<Real>,
    system: Option<String>,
    empirical_risk: Option<Real>,
    discrepancy: Option<Real>,
    filter_error: Option<Real>,
    running_loss: Option<Real>,
    primal: Option<Real>,
    dual: Option<Real>,
    rounding: Option<Real>,
    iterations: Option<usize>,
    jitter: Real,
    rank: Option<usize>,
    condition: Option<Real>,
    repaired: Option<Repaired>,
}

/// A number, or one of the words `NaN`, `inf`, `-inf`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Real {
    Number(f64),
    Word(String),
}

impl From<f64> for Real {
    fn from(x: f64) -> Self {
        if x.is_finite() { Real::Number(x) } else { Real::Word(x.to_string()) }
    }
}

impl Real {
    fn value(&self) -> std::result::Result<f64, String> {
        match self {
            Real::Number(x) => Ok(*x),
            Real::Word(word) => match word.as_str() {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(format!("`{word}` is no number")),
            },
        }
    }
}

impl From<&Certificate> for StoredCertificate {
    fn from(c: &Certificate) -> Self {
        StoredCertificate {
            algorithm: c.algorithm,
            reason: c.reason.clone(),
            stop: c.stop,
            relative_residual: c.relative_residual.map(Real::from),
            system: c.system.clone(),
            empirical_risk: c.empirical_risk.map(Real::from),
            discrepancy: c.discrepancy.map(Real::from),
            filter_error: c.filter_error.map(Real::from),
            running_loss: c.running_loss.map(Real::from),
            primal: c.primal.map(Real::from),
            dual: c.dual.map(Real::from),
            rounding: c.rounding.map(Real::from),
            iterations: c.iterations,
            jitter: c.jitter.into(),
            rank: c.rank,
            condition: c.condition.map(Real::from),
            repaired: c.repaired.clone(),
        }
    }
}

impl StoredCertificate {
    fn certificate(self) -> std::result::Result<Certificate, String> {
        let some = |x: &Option<Real>| x.as_ref().map(Real::value).transpose();
        Ok(Certificate {
            algorithm: self.algorithm,
            reason: self.reason,
            stop: self.stop,
            relative_residual: some(&self.relative_residual)?,
            system: self.system,
            empirical_risk: some(&self.empirical_risk)?,
            discrepancy: some(&self.discrepancy)?,
            filter_error: some(&self.filter_error)?,
            running_loss: some(&self.running_loss)?,
            primal: some(&self.primal)?,
            dual: some(&self.dual)?,
            rounding: some(&self.rounding)?,
            iterations: self.iterations,
            jitter: self.jitter.value()?,
            rank: self.rank,
            condition: some(&self.condition)?,
            repaired: self.repaired,
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
        let (f, outputs) = (self.model().expansion(), self.model().outputs());
        points::write(f.points(), &mut writer);
        writer.numbers("coefficients", &[f.points().len(), outputs], f.coefficients());
        writer.numbers("intercept", &[outputs], f.intercept());
        if let Some(weights) = self.model().weights() {
            writer.numbers("weights", &[weights.len()], weights);
        }
        if let Some(ridge) = self.model().ridge() {
            write_ridge(ridge.parts(), &mut writer);
        }
        writer.finish()
    }

    /// Reads a model file. Kernels of the user that its formula names must be in `registry`.
    pub fn load(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let path = path.as_ref();
        let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        // The bytes, and the arrays made from them.
        let _reserved = Run::new().reserve(2 * u128::from(size), "reading the model", "free some memory")?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
        read(&bytes, path, registry)
    }

    /// Reads the bytes of a model file.
    pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Self> {
        read(bytes, Path::new("the model"), registry)
    }

    fn description(&self) -> Description {
        let (parts, model) = (self.parts(), self.model());
        Description {
            format: FORMAT.into(),
            version: VERSION,
            mercer: env!("CARGO_PKG_VERSION").into(),
            model: StoredModel::of(model),
            kernel: model.kernel().to_string(),
            task: parts.task.clone(),
            preparation: parts.preparation.clone(),
            target_scaling: parts.target_scaling.clone(),
            points: Points::of(model.points()),
            certificate: model.certificate().into(),
            settings: parts.settings.clone(),
            notes: parts.notes.clone(),
        }
    }
}

fn read(bytes: &[u8], path: &Path, registry: &Registry) -> Result<Pipeline> {
    let mut reader = Reader::new(bytes, path)?;
    let description = describe(&reader)?;
    let kernel = KernelExpr::parse_with(&description.kernel, registry)?;
    // What does not fit together is the file's fault, wherever it is found.
    let pipeline = assemble(description, kernel, registry, &mut reader).map_err(|e| match e {
        Error::Format { .. } => e,
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

fn assemble(d: Description, kernel: KernelExpr, registry: &Registry, reader: &mut Reader<'_>) -> Result<Pipeline> {
    if !kernel.is_resolved() {
        return Err(reader.refuse(format!("the kernel `{kernel}` has a rule where a number must be")));
    }
    d.task.validate()?;
    let (outputs, rows) = (d.task.outputs(), d.points.rows());
    let coefficients = reader.numbers("coefficients", &[rows, outputs])?;
    let intercept = reader.numbers("intercept", &[outputs])?;
    let points = d.points.read(reader)?;
    let certificate = d.certificate.certificate().map_err(|e| reader.refuse(format!("its certificate: {e}")))?;
    let space = Space::with_registry(&kernel, registry, &points, &Run::new())?;
    let expansion = Expansion::new(space, points, coefficients, intercept)?;
    let model = d.model.assemble(expansion, certificate, reader)?;
    Pipeline::from_parts(PipelineParts {
        preparation: d.preparation,
        task: d.task,
        target_scaling: d.target_scaling,
        model,
        settings: d.settings,
        notes: d.notes,
    })
}

fn read_weights(reader: &mut Reader<'_>) -> Result<Option<Vec<f64>>> {
    if reader.has("weights") { reader.list("weights").map(Some) } else { Ok(None) }
}

fn read_leave_one_out(reader: &mut Reader<'_>, outputs: usize) -> Result<Option<LeaveOneOut>> {
    if !reader.has("leave_one_out.residuals") {
        return Ok(None);
    }
    let residuals = reader.rows("leave_one_out.residuals", outputs)?;
    let predictions = reader.numbers("leave_one_out.predictions", &[residuals.len() / outputs.max(1), outputs])?;
    Ok(Some(LeaveOneOut { residuals, predictions }))
}
