//! The result of a fit: functions of a kernel's space, what learnt them, and how far they are from what was asked for.

use crate::certificate::{Certificate, Measure, Stop};
use crate::data::{Inputs, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::support::{Support, pairs, probability};
use super::{Components, Expansion, Extra, Learner, LeaveOneOut, Link};

/// A fitted model, of any learner.
#[derive(Clone, Debug)]
pub struct Model {
    parts: ModelParts,
}

/// The parts of a model, for files.
#[derive(Clone, Debug)]
pub struct ModelParts {
    /// The learner with all that was chosen: its kernel has no rules, its alpha is a number.
    pub learner: Learner,
    /// The functions: of all points of positive weight, or of some of them.
    pub expansion: Expansion,
    /// The weights of the rows that count, where a model needs them to be asked more than its values.
    pub weights: Option<Weights>,
    /// What it has beside its functions.
    pub extra: Extra,
    /// How far it is from the solution.
    pub certificate: Certificate,
}

impl Model {
    /// Puts a model together, checking that its parts fit.
    pub fn from_parts(parts: ModelParts) -> Result<Self> {
        let model = Model { parts };
        model.check_weights()?;
        model.parts.extra.validate(model.outputs())?;
        Ok(model)
    }

    /// Weights are those of rows that count, and one a point unless only some of the rows are kept as points.
    fn check_weights(&self) -> Result<()> {
        let Some(weights) = &self.parts.weights else { return Ok(()) };
        let points = self.points().len();
        if self.keeps_all_rows() && !self.is_precomputed() && weights.len() != points {
            return Err(Error::shape("the weights of a model", format!("{points}, one a point"), weights.len()));
        }
        match weights.contains(&0.0) {
            true => Err(Error::invalid("a model", "weights", 0, "> 0")),
            false => Ok(()),
        }
    }

    /// Its parts, to be saved.
    pub fn parts(&self) -> &ModelParts {
        &self.parts
    }

    /// The learner with all that was chosen.
    pub fn learner(&self) -> &Learner {
        &self.parts.learner
    }

    /// The functions.
    pub fn expansion(&self) -> &Expansion {
        &self.parts.expansion
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.parts.expansion.kernel()
    }

    /// The points kept.
    pub fn points(&self) -> &Inputs {
        self.parts.expansion.points()
    }

    /// α, row-major: points×outputs.
    pub fn coefficients(&self) -> &[f64] {
        self.parts.expansion.coefficients()
    }

    /// b, one an output.
    pub fn intercept(&self) -> &[f64] {
        self.parts.expansion.intercept()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.parts.expansion.outputs()
    }

    /// Number of answers a point: the number of outputs, and of pairs of classes the number of classes.
    pub fn answers(&self) -> usize {
        self.link().answers(self.outputs())
    }

    /// What a support vector machine keeps beside its functions.
    pub fn support(&self) -> Option<&Support> {
        match &self.parts.extra {
            Extra::Support(support) => Some(support),
            _ => None,
        }
    }

    /// The weights of the training rows that counted, where the model keeps them.
    pub fn weights(&self) -> Option<&Weights> {
        self.parts.weights.as_ref()
    }

    /// How far it is from the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.parts.certificate
    }

    /// Says that it is what a stop left.
    pub(crate) fn stopped_by(&mut self, stop: Stop) {
        self.parts.certificate.stop = stop;
    }

    /// What it has beside its functions.
    pub fn extra(&self) -> &Extra {
        &self.parts.extra
    }

    /// What its values mean.
    pub fn link(&self) -> Link {
        self.parts.learner.link(self.outputs())
    }

    /// alpha, where the learner has one.
    pub fn alpha(&self) -> Option<f64> {
        self.parts.learner.complexity().filter(|c| c.name == "alpha").and_then(|c| c.value)
    }

    /// log p(y | X, θ) of a Gaussian process, Laplace's approximation of it for classes.
    pub fn log_evidence(&self) -> Option<f64> {
        self.certificate().get(Measure::LogEvidence)
    }

    /// Exact leave-one-out residuals, where the solver gave them on its way.
    pub fn loo(&self) -> Option<&LeaveOneOut> {
        match &self.parts.extra {
            Extra::LeaveOneOut(loo) => Some(loo),
            _ => None,
        }
    }

    /// What calibration adds to each output, if it was calibrated.
    pub fn shifts(&self) -> Option<&[f64]> {
        match &self.parts.extra {
            Extra::Shifts(shifts) => Some(shifts),
            _ => None,
        }
    }

    /// The slope of its probabilities, where they were found from rows left out one at a time.
    pub fn slope(&self) -> Option<f64> {
        match &self.parts.extra {
            Extra::Slope(slope) => Some(*slope),
            _ => None,
        }
    }

    /// What principal components keep beside their functions.
    pub fn components(&self) -> Option<&Components> {
        match &self.parts.extra {
            Extra::Components(components) => Some(components),
            _ => None,
        }
    }

    /// The functions of a second input, of a model that was fitted to two.
    pub fn second(&self) -> Option<&Expansion> {
        match &self.parts.extra {
            Extra::Second(g) => Some(g),
            _ => None,
        }
    }

    /// How its coordinates follow from its outputs, of a model that has both.
    pub(crate) fn coordinates_map(&self) -> Option<&[f64]> {
        match &self.parts.extra {
            Extra::Coordinates(map) => Some(map),
            _ => None,
        }
    }

    /// The coordinates of points where the functions have these values, row-major: rows×coordinates; nothing for a model whose
    /// outputs are all that it has.
    pub fn coordinates(&self, values: &[f64]) -> Option<Vec<f64>> {
        let (map, c) = (self.coordinates_map()?, self.outputs());
        let d = map.len() / (c + 1);
        let at = |row: &[f64], l: usize| {
            map[c * d + l] + row.iter().enumerate().map(|(o, f)| f * map[o * d + l]).sum::<f64>()
        };
        Some(values.chunks(c).flat_map(|row| (0..d).map(move |l| at(row, l))).collect())
    }

    /// Whether its points are all rows that count, and not some of them: landmarks, support vectors, medoids.
    pub fn keeps_all_rows(&self) -> bool {
        !self.parts.expansion.keeps_some_rows()
    }

    /// Whether it was fitted to a matrix of kernel values, of which it keeps nothing.
    pub(crate) fn is_precomputed(&self) -> bool {
        matches!(self.points(), Inputs::Precomputed(_))
    }

    /// The values of all functions at every point, row-major: rows×outputs.
    pub fn functions(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let f = &self.parts.expansion;
        if self.link() == Link::Pairs
            && let Some(mut values) = pairs::evaluate(f, self.answers(), x, run)?
        {
            f.add_intercept(&mut values);
            return Ok(values);
        }
        f.evaluate(x, run)
    }

    /// What the model answers at every point x, row-major: rows×answers. That is f(x), sorted within the row if the link says so, and
    /// shifted if it was calibrated; of pairs of classes, the votes for each class. Kernel values are streamed, never stored.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        Ok(self.answer(self.functions(x, run)?))
    }

    /// What the model answers where its functions have these values.
    pub fn answer(&self, mut values: Vec<f64>) -> Vec<f64> {
        let c = self.outputs();
        if self.link() == Link::Pairs {
            return pairs::votes(&values, self.answers());
        }
        let sorted = self.link() == Link::Sorted;
        let sort = |values: &mut [f64]| values.chunks_mut(c).for_each(|row| row.sort_by(f64::total_cmp));
        if sorted {
            sort(&mut values);
        }
        if let Some(shifts) = self.shifts() {
            values.chunks_mut(c).for_each(|row| row.iter_mut().zip(shifts).for_each(|(v, s)| *v += s));
            if sorted {
                sort(&mut values);
            }
        }
        values
    }

    /// The place of the class that each row of answers is for, of several classes: the largest, and of pairs the one with most
    /// votes; the first among equals.
    pub fn largest(&self, answers: &[f64]) -> Vec<usize> {
        let pairs = self.link() == Link::Pairs;
        let value = |v: &f64| if pairs { v.round() } else { *v };
        let first =
            |row: &[f64]| (1..row.len()).fold(0, |best, i| if value(&row[i]) > value(&row[best]) { i } else { best });
        answers.chunks(self.answers().max(1)).map(first).collect()
    }

    /// Whether it gives probabilities of classes.
    pub fn has_probabilities(&self) -> bool {
        match &self.parts.extra {
            // They need k(x, x), which a precomputed matrix does not hold.
            Extra::Modes(_) => !self.is_precomputed(),
            Extra::Support(support) => !support.slopes.is_empty(),
            Extra::Slope(_) => true,
            _ => self.link().has_probabilities(),
        }
    }

    /// The probabilities of the classes at points where the functions have these values, row-major: rows×classes; nothing where
    /// the model has none. A process needs k(x, x), which a precomputed matrix does not hold.
    pub fn probabilities_of(&self, x: &Inputs, values: &[f64], run: &Run) -> Result<Option<Vec<f64>>> {
        match &self.parts.extra {
            Extra::Modes(_) if matches!(x, Inputs::Precomputed(_)) => Ok(None),
            Extra::Modes(_) => self.averaged_probabilities(x, values, run).map(Some),
            Extra::Support(support) if !support.slopes.is_empty() => {
                Ok(Some(probability::of_values(values, &support.slopes, self.link(), support.classes)))
            }
            Extra::Slope(slope) => {
                let link = if self.outputs() == 1 { Link::Logistic } else { Link::Softmax };
                let scaled: Vec<f64> = values.iter().map(|f| slope * f).collect();
                Ok(link.probabilities(&scaled, self.outputs()))
            }
            _ => Ok(self.link().probabilities(values, self.outputs())),
        }
    }

    /// The probabilities of the classes at every point, row-major: rows×classes.
    pub fn probabilities(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let values = self.functions(x, run)?;
        if let (Extra::Modes(_), Inputs::Precomputed(_)) = (&self.parts.extra, x) {
            return self.averaged_probabilities(x, &values, run);
        }
        self.probabilities_of(x, &values, run)?.ok_or_else(|| Error::Unsupported {
            what: format!("probabilities from `{}`", self.learner().spec().name),
            alternative:
                "use the logistic loss, whose values are probabilities by its own model, or `svc` or `lssvm` with `probability`"
                    .into(),
        })
    }
}
