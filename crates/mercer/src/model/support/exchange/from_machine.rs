//! From a machine to a model.

use serde_json::{Map, Value};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::{Csr, Inputs, Precomputed};
use crate::error::{Error, Result};
use crate::interchange::{MachineKind, SupportMachine, SupportVectors};
use crate::linalg::filled;
use crate::model::{Expansion, Extra, Model, ModelParts, catalogue};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;

use super::super::{Support, pairs};
use super::{LEARNERS, pair, row_against};

/// A model that was made of a machine.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The model.
    pub model: Model,
    /// The labels of its classes, ascending; none without classes.
    pub labels: Vec<i64>,
    /// What the machine had that the model has not.
    pub notes: Vec<Note>,
}

/// A function of the model: it is above 0 for one class of the machine and below for another.
struct Function {
    above: usize,
    below: usize,
}

impl Model {
    /// The model that decides as the machine does; its classes stand in the order of their labels.
    ///
    /// `columns` is the number of columns of a point, or of the training points where the kernel is precomputed: a machine says only
    /// how many it needs. What it was trained with, C, ν and ε, is not in it, so that nothing about it can be certified. Its
    /// probabilities are kept where they are ½ at the decision f = 0 (B = 0, A ≤ 0), which is the only kind that Mercer has.
    ///
    /// ```
    /// use mercer::{Run, data::{Csr, Inputs}, interchange::libsvm, model::Model};
    /// let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n0.5 1:1 \n-0.5 1:-1 \n";
    /// let machine = libsvm::read(text.as_bytes(), "two.model".as_ref())?;
    /// let found = Model::from_support_machine(&machine, None, &Run::new())?;
    /// assert_eq!(found.labels, [-1, 1]); // above 0 means the second
    /// let x: Inputs = Csr::new(vec![0, 1], vec![0], vec![3.0], 1)?.into();
    /// assert_eq!(found.model.predict(&x, &Run::new())?, [3.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn from_support_machine(machine: &SupportMachine, columns: Option<usize>, run: &Run) -> Result<Imported> {
        machine.validate()?;
        let arranged = Arranged::new(machine);
        let kernel = machine.kernel.formula()?;
        let (points, coefficients) = arranged.points(columns, run)?;
        let (slopes, notes) = arranged.probabilities();
        let name = LEARNERS.iter().find(|(_, kind)| *kind == machine.kind).map_or("svc", |(name, _)| *name);
        let learner = catalogue::by_name(name)?.with_kernel(kernel.clone());
        let learner = match slopes.is_empty() {
            true => learner,
            false => learner.with_settings(Map::from_iter([("probability".to_owned(), Value::Bool(true))]))?,
        };
        let space = Space::new(&kernel, &points, run)?;
        let expansion = Expansion::new(space, points, coefficients, arranged.intercept())?.of_some_rows();
        let support = Support { rows: arranged.rows(), classes: machine.labels.len(), slopes, ..Support::default() };
        let reason = "read from a model of another program, which says nothing of how far it is from the solution";
        let certificate = Certificate::new(Algorithm::WorkingSets, reason, Stop::Direct)
            .count(Measure::SupportVectors, machine.vectors.len());
        let parts = ModelParts { learner, expansion, weights: None, extra: Extra::Support(support), certificate };
        Ok(Imported { model: Model::from_parts(parts)?, labels: arranged.labels(), notes })
    }
}

/// A machine with its classes in the order of their labels.
struct Arranged<'a> {
    machine: &'a SupportMachine,
    /// The classes of the machine, by label.
    classes: Vec<usize>,
    functions: Vec<Function>,
    /// The vectors by class, in the order of the classes.
    vectors: Vec<Member>,
}

/// A vector of the machine, and its class there.
struct Member {
    class: usize,
    vector: usize,
}

impl<'a> Arranged<'a> {
    fn new(machine: &'a SupportMachine) -> Self {
        let mut classes: Vec<usize> = (0..machine.labels.len()).collect();
        classes.sort_by_key(|class| machine.labels[*class]);
        let function = |(i, j): (usize, usize)| Function { above: classes[i], below: classes[j] };
        let functions = match classes.len() {
            0 => Vec::new(),
            2 => vec![function((1, 0))],
            several => pairs::all(several).map(function).collect(),
        };
        let mut vectors: Vec<Member> = Vec::with_capacity(machine.vectors.len());
        for class in &classes {
            let start: usize = machine.vectors_per_class[..*class].iter().sum();
            let own = start..start + machine.vectors_per_class[*class];
            vectors.extend(own.map(|vector| Member { class: *class, vector }));
        }
        if classes.is_empty() {
            vectors.extend((0..machine.vectors.len()).map(|vector| Member { class: 0, vector }));
        }
        Arranged { machine, classes, functions, vectors }
    }

    fn labels(&self) -> Vec<i64> {
        self.classes.iter().map(|class| self.machine.labels[*class]).collect()
    }

    /// The rows of the training data that the vectors are, as far as the machine knows; one that counts for nothing stands for none.
    fn rows(&self) -> Vec<usize> {
        match &self.machine.vectors {
            SupportVectors::Rows(rows) => self.vectors.iter().map(|m| rows[m.vector] as usize).collect(),
            SupportVectors::Points(points) => (0..points.nrows().max(1)).collect(),
        }
    }

    fn intercept(&self) -> Vec<f64> {
        match self.functions.is_empty() {
            true => vec![0.0 - self.machine.offsets[0]],
            false => self.functions.iter().map(|f| 0.0 - f.sign() * self.machine.offsets[self.pair(f)]).collect(),
        }
    }

    fn pair(&self, f: &Function) -> usize {
        pair(f.above.min(f.below), f.above.max(f.below), self.classes.len())
    }

    /// The coefficients of a vector, one a function.
    fn coefficients(&self, member: &Member) -> Vec<f64> {
        let c = &self.machine.coefficients;
        let of = |f: &Function| match member.class {
            class if class == f.above => f.sign() * c[row_against(class, f.below)][member.vector],
            class if class == f.below => f.sign() * c[row_against(class, f.above)][member.vector],
            _ => 0.0,
        };
        match self.functions.is_empty() {
            true => vec![c[0][member.vector]],
            false => self.functions.iter().map(of).collect(),
        }
    }

    /// The points of the model and their coefficients.
    fn points(&self, columns: Option<usize>, run: &Run) -> Result<(Inputs, Vec<f64>)> {
        let (points, place): (Inputs, Vec<usize>) = match &self.machine.vectors {
            SupportVectors::Points(points) => (self.sparse(points, columns)?.into(), (0..points.nrows()).collect()),
            SupportVectors::Rows(rows) => {
                let needed = rows.iter().map(|row| *row as usize + 1).max().unwrap_or(1);
                let total = enough(columns, needed, "the training points")?;
                let place = self.vectors.iter().map(|m| rows[m.vector] as usize).collect();
                (Precomputed::new(Vec::new(), total, 0)?.into(), place)
            }
        };
        let functions = self.functions.len().max(1);
        let size = points.len() as u128 * functions as u128;
        let (mut all, _reserved) = filled(size, 0.0, "the coefficients", "train with fewer classes", run)?;
        for (member, at) in self.vectors.iter().zip(place) {
            // A row that stands twice counts twice.
            all[at * functions..(at + 1) * functions]
                .iter_mut()
                .zip(self.coefficients(member))
                .for_each(|(sum, v)| *sum += v);
        }
        Ok((points, all))
    }

    /// The vectors by class; a point that counts for nothing where there are none.
    fn sparse(&self, points: &Csr, columns: Option<usize>) -> Result<Csr> {
        // A kernel reads one column at least.
        let width = enough(columns, points.ncols().max(1), "the columns")?;
        match self.vectors.is_empty() {
            true => Csr::new(vec![0, 0], Vec::new(), Vec::new(), width),
            false => points.take(&self.vectors.iter().map(|m| m.vector).collect::<Vec<_>>()).widened(width),
        }
    }

    /// The slopes of probabilities that are ½ at 0, and what is left out.
    fn probabilities(&self) -> (Vec<f64>, Vec<Note>) {
        let machine = self.machine;
        let without = |what: &str| (Vec::new(), vec![Note::from(format!("{what}, and is left out"))]);
        match (machine.kind, &machine.prob_a, &machine.prob_b) {
            (MachineKind::CSvc | MachineKind::NuSvc, Some(a), Some(b)) => {
                if a.iter().any(|a| *a > 0.0) || b.iter().any(|b| *b != 0.0) {
                    return without("what the machine says of probabilities is not ½ where its class changes");
                }
                (self.functions.iter().map(|f| 0.0 - a[self.pair(f)]).collect(), Vec::new())
            }
            (_, Some(_), _) => without("the scale of the machine's errors has no place in a model of Mercer"),
            _ if machine.prob_density_marks.is_some() => {
                without("what the machine says of the density of its class has no place in a model of Mercer")
            }
            _ => (Vec::new(), Vec::new()),
        }
    }
}

impl Function {
    /// LIBSVM's function is above 0 for the class that stands first in the machine.
    fn sign(&self) -> f64 {
        if self.above < self.below { 1.0 } else { -1.0 }
    }
}

fn enough(given: Option<usize>, needed: usize, what: &str) -> Result<usize> {
    match given {
        Some(given) if given < needed => Err(Error::shape(what, format!("at least {needed}"), given)),
        given => Ok(given.unwrap_or(needed)),
    }
}
