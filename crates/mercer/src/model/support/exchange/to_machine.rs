//! From a model to a machine.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::interchange::{MachineKind, StandardKernel, SupportMachine, SupportVectors};
use crate::model::{Link, Model};

use super::super::pairs;
use super::{LEARNERS, pair, row_against};

/// A point of a model, and the class that it is of.
#[derive(Clone, Copy)]
struct Member {
    class: usize,
    point: usize,
}

impl Model {
    /// The machine in the arrangement of LIBSVM: of the models `svc` and `nu_svc` (not one class against the rest), `svr` and `nu_svr` of
    /// one number, and `one_class`, where the kernel is a number times one that every program knows and reads all columns.
    ///
    /// `labels` are those of the classes in the order of the model, none without classes. Points without a coefficient are left
    /// out, and so are the scores of a calibrated machine of one class, which have no place there.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Labels, Rows}, interchange::libsvm, model::classify::Svc};
    /// let x: Inputs = Rows::new(vec![-2.0, -1.0, 1.0, 4.0], 4, 1)?.into();
    /// let svc = Svc { kernel: KernelExpr::parse("linear")?, ..Default::default() };
    /// let model = svc.fit(&x, &Labels::new(vec![0, 0, 1, 1], 2)?, None, &Run::new())?.model;
    /// let text = libsvm::write(&model.to_support_machine(&[-1, 1])?)?;
    /// assert!(text.contains("label -1 1\n") && text.ends_with("1:-1 \n-0.5 1:1 \n"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn to_support_machine(&self, labels: &[i64]) -> Result<SupportMachine> {
        let kind = self.machine_kind()?;
        let (factor, kernel) = standard_kernel(self)?;
        let classes = self.classes_of_machine(kind)?;
        if labels.len() != classes {
            return Err(Error::shape("the labels of the classes", classes, labels.len()));
        }
        let members = self.members(classes)?;
        // Of two classes, the function of Mercer is above 0 for the other one.
        let sign = if classes == 2 { -1.0 } else { 1.0 };
        let machine = SupportMachine {
            kind,
            kernel,
            vectors: vectors(self.points(), &members)?,
            coefficients: coefficients(self, classes, &members, sign * factor),
            offsets: self.intercept().iter().map(|b| 0.0 - sign * b).collect(),
            labels: labels.to_vec(),
            vectors_per_class: (0..classes).map(|c| members.iter().filter(|m| m.class == c).count()).collect(),
            prob_a: self.slopes().map(|slopes| slopes.iter().map(|slope| 0.0 - slope).collect()),
            prob_b: self.slopes().map(|slopes| vec![0.0; slopes.len()]),
            prob_density_marks: None,
        };
        machine.validate()?;
        Ok(machine)
    }

    fn machine_kind(&self) -> Result<MachineKind> {
        let name = self.learner().spec().name;
        let known = LEARNERS.iter().find(|(known, _)| *known == name && self.support().is_some());
        known.map(|(_, kind)| *kind).ok_or_else(|| Error::Unsupported {
            what: format!("the model `{name}` as a support vector machine of other programs"),
            alternative: "fit one of the models `svc`, `nu_svc`, `svr`, `nu_svr` and `one_class`".into(),
        })
    }

    /// The number of classes, 0 without classes.
    fn classes_of_machine(&self, kind: MachineKind) -> Result<usize> {
        match (kind.is_classifier(), self.outputs()) {
            (true, 1) => Ok(2),
            (true, _) if self.link() == Link::Pairs => Ok(self.answers()),
            (true, _) => Err(Error::Unsupported {
                what: "one class against the rest in a machine of other programs, which has pairs of classes,".into(),
                alternative: "fit with `multi_class=one_vs_one`".into(),
            }),
            (false, 1) => Ok(0),
            (false, outputs) => Err(Error::Unsupported {
                what: format!("a machine of other programs with {outputs} outputs"),
                alternative: "fit a model for each target".into(),
            }),
        }
    }

    fn slopes(&self) -> Option<&[f64]> {
        self.support().map(|support| support.slopes.as_slice()).filter(|slopes| !slopes.is_empty())
    }

    /// The points that have a coefficient, by class.
    fn members(&self, classes: usize) -> Result<Vec<Member>> {
        let pairs: Vec<(usize, usize)> = if classes > 2 { pairs::all(classes).collect() } else { vec![(1, 0)] };
        let counts = |(_, row): &(usize, &[f64])| row.iter().any(|v| *v != 0.0);
        let rows = self.coefficients().chunks(self.outputs()).enumerate().filter(counts);
        let member = |(point, row): (usize, &[f64])| match classes {
            0 => Ok(Member { class: 0, point }),
            _ => Ok(Member { class: class_of(row, &pairs).ok_or_else(|| mixed(point))?, point }),
        };
        let mut members: Vec<Member> = rows.map(member).collect::<Result<_>>()?;
        members.sort_by_key(|m| m.class);
        Ok(members)
    }
}

/// The class of a point with these coefficients in these pairs: one that all of its pairs have in common. Where that is
/// two classes, the sign tells, and where it lies the sum is the same.
fn class_of(row: &[f64], pairs: &[(usize, usize)]) -> Option<usize> {
    let mut own = row.iter().zip(pairs).filter(|(v, _)| **v != 0.0);
    let (first, (above, below)) = own.next()?;
    let (likely, other) = if *first > 0.0 { (*above, *below) } else { (*below, *above) };
    let common = |class: usize| own.clone().all(|(_, (a, b))| *a == class || *b == class);
    [likely, other].into_iter().find(|class| common(*class))
}

fn mixed(point: usize) -> Error {
    Error::Unsupported {
        what: format!("point {point} with coefficients in pairs of classes that have no class in common"),
        alternative: "fit the model again".into(),
    }
}

fn standard_kernel(model: &Model) -> Result<(f64, StandardKernel)> {
    StandardKernel::of_scaled(model.kernel()).ok_or_else(|| Error::Unsupported {
        what: format!("the kernel `{}` in a machine of other programs", model.kernel()),
        alternative: "fit with `linear`, `poly`, `rbf`, `sigmoid` or a number times one of them, on all columns and with one length scale"
            .into(),
    })
}

fn vectors(points: &Inputs, members: &[Member]) -> Result<SupportVectors> {
    let kept: Vec<usize> = members.iter().map(|m| m.point).collect();
    Ok(match points {
        Inputs::Dense(x) => SupportVectors::Points(x.take(&kept).to_sparse()?),
        Inputs::Sparse(x) => SupportVectors::Points(x.take(&kept)),
        Inputs::Table(x) => SupportVectors::Points(x.take(&kept).to_rows()?.to_sparse()?),
        // Of a matrix the model has a coefficient for every training point.
        Inputs::Precomputed(_) => SupportVectors::Rows(kept.iter().map(|row| *row as u32).collect()),
    })
}

/// LIBSVM's rows of coefficients, times a factor.
fn coefficients(model: &Model, classes: usize, members: &[Member], factor: f64) -> Vec<Vec<f64>> {
    let of =
        |member: &Member, function: usize| factor * model.coefficients()[member.point * model.outputs() + function];
    if classes < 3 {
        return vec![members.iter().map(|m| of(m, 0)).collect()];
    }
    let mut rows = vec![vec![0.0; members.len()]; classes - 1];
    for (at, member) in members.iter().enumerate() {
        for other in (0..classes).filter(|other| *other != member.class) {
            let (i, j) = (member.class.min(other), member.class.max(other));
            rows[row_against(member.class, other)][at] = of(member, pair(i, j, classes));
        }
    }
    rows
}
