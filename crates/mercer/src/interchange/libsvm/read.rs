//! From a model file to a machine.

use std::path::Path;

use crate::data::Csr;
use crate::data::libsvm::{Fault, pair, shorten};
use crate::error::{Error, Result};

use super::super::machine::{DENSITY_MARKS, pairs_of};
use super::super::{MachineKind, StandardKernel, SupportMachine, SupportVectors};
use super::header::{Header, Lines};
use super::{KINDS, LARGEST_INT};

/// Reads a model file of LIBSVM from its bytes; `path` names it in errors.
///
/// Counts in the header are compared with what is there before anything is made from them, so that memory goes with the
/// size of the file. A point has as many columns as the largest index in the file; see [`SupportMachine::with_columns`].
pub fn read(bytes: &[u8], path: &Path) -> Result<SupportMachine> {
    let mut lines = Lines::new(bytes, path);
    let header = Header::read(&mut lines)?;
    let kind = header.choice("svm_type", &KINDS)?;
    let kernel = kernel(&header)?;
    let classes = classes(&header, kind)?;
    let total = total(&header, kind, classes)?;
    let body = Body::read(&mut lines, classes - 1, kernel == StandardKernel::Precomputed)?;
    if body.len() != total {
        let what = format!("`total_sv` is {total}, and the file has {} support vectors", body.len());
        return Err(header.problem("total_sv", what, "the file is cut off, or was written by hand"));
    }
    let pairs = pairs_of(classes);
    let classifier = kind.is_classifier();
    let machine = SupportMachine {
        kind,
        kernel,
        offsets: header.numbers("rho", pairs)?,
        labels: if classifier { header.list("label", classes)? } else { Vec::new() },
        vectors_per_class: if classifier { header.list("nr_sv", classes)? } else { Vec::new() },
        prob_a: header.optional("probA", pairs)?,
        prob_b: header.optional("probB", pairs)?,
        prob_density_marks: header.optional("prob_density_marks", DENSITY_MARKS)?,
        vectors: body.vectors(kernel)?,
        coefficients: body.coefficients,
    };
    machine.validate().map_err(|e| Error::Format { path: path.into(), problem: e.to_string() })?;
    Ok(machine)
}

fn kernel(header: &Header<'_>) -> Result<StandardKernel> {
    type Make = fn(&Header<'_>) -> Result<StandardKernel>;
    let makers: [(&str, Make); 5] = [
        ("linear", |_| Ok(StandardKernel::Linear)),
        ("polynomial", |h| {
            let (degree, gamma) = (h.value("degree")?, h.number("gamma")?);
            Ok(StandardKernel::Polynomial { degree, gamma, coef0: h.number("coef0")? })
        }),
        ("rbf", |h| Ok(StandardKernel::Rbf { gamma: h.number("gamma")? })),
        ("sigmoid", |h| Ok(StandardKernel::Sigmoid { gamma: h.number("gamma")?, coef0: h.number("coef0")? })),
        ("precomputed", |_| Ok(StandardKernel::Precomputed)),
    ];
    header.choice("kernel_type", &makers)?(header)
}

/// The number of classes, as many as there are labels; 2 where there are no classes.
fn classes(header: &Header<'_>, kind: MachineKind) -> Result<usize> {
    let classes: usize = header.value("nr_class")?;
    if !kind.is_classifier() {
        header.absent(&["label", "nr_sv"])?;
        if classes != 2 {
            let what = format!("`nr_class` is {classes}, expected 2");
            return Err(header.problem("nr_class", what, "LIBSVM writes 2 for regression and for one class"));
        }
        return Ok(classes);
    }
    if classes < 2 {
        let what = format!("`nr_class` is {classes}, expected 2 or more");
        return Err(header.problem("nr_class", what, "train on data of two classes at least"));
    }
    header.list::<i64>("label", classes)?;
    Ok(classes)
}

/// The number of support vectors, the same as in `nr_sv`.
fn total(header: &Header<'_>, kind: MachineKind, classes: usize) -> Result<usize> {
    let total: usize = header.value("total_sv")?;
    if kind.is_classifier() {
        let per_class: Vec<usize> = header.list("nr_sv", classes)?;
        let sum: u128 = per_class.iter().map(|n| *n as u128).sum();
        if sum != total as u128 {
            let what = format!("`nr_sv` adds up to {sum}, `total_sv` is {total}");
            return Err(header.problem(
                "nr_sv",
                what,
                "the lines of the header contradict each other; write the model again",
            ));
        }
    }
    Ok(total)
}

/// The support vectors under way.
struct Body {
    coefficients: Vec<Vec<f64>>,
    /// Rows of the training data, where the kernel is precomputed.
    rows: Vec<u32>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Body {
    fn read(lines: &mut Lines<'_>, coefficients: usize, precomputed: bool) -> Result<Self> {
        let coefficients = vec![Vec::new(); coefficients];
        let mut body =
            Body { coefficients, rows: Vec::new(), starts: vec![0], columns: Vec::new(), values: Vec::new() };
        while let Some(line) = lines.next()? {
            // Blank lines are no vectors; the count tells if one was lost.
            if !line.trim_ascii().is_empty() {
                body.push(line, precomputed).map_err(|problem| lines.here(problem))?;
            }
        }
        Ok(body)
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn push(&mut self, line: &str, precomputed: bool) -> Result<(), Fault> {
        let mut tokens = line.split_ascii_whitespace();
        for row in &mut self.coefficients {
            row.push(coefficient(tokens.next())?);
        }
        if precomputed {
            self.rows.push(serial(tokens.next())? - 1);
        }
        let mut last = 0;
        for token in tokens {
            if precomputed {
                let what = format!("`{}` after the serial number", shorten(token));
                return Err(Fault::new(what, "a support vector of a precomputed kernel is its serial number alone"));
            }
            let (index, value) = pair(token, last)?;
            if !value.is_finite() {
                let what = format!("`{}` is not finite", shorten(token));
                return Err(Fault::new(what, "a model has finite numbers only"));
            }
            last = index;
            self.columns.push((index - 1) as u32);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
        Ok(())
    }

    fn vectors(&self, kernel: StandardKernel) -> Result<SupportVectors> {
        if kernel == StandardKernel::Precomputed {
            return Ok(SupportVectors::Rows(self.rows.clone()));
        }
        let ncols = self.columns.iter().max().map_or(0, |c| *c as usize + 1);
        let points = Csr::new(&self.starts[..], &self.columns[..], &self.values[..], ncols)?;
        Ok(SupportVectors::Points(points))
    }
}

fn coefficient(token: Option<&str>) -> Result<f64, Fault> {
    let finite = token.and_then(|t| t.parse().ok()).filter(|v: &f64| v.is_finite());
    finite.ok_or_else(|| {
        let got = token.map_or("the end of the line".into(), |t| format!("`{}`", shorten(t)));
        let hint = "a support vector begins with a coefficient for every class but one, or with one coefficient";
        Fault::new(format!("expected a finite coefficient, got {got}"), hint)
    })
}

/// The number in `0:number`, counted from 1.
fn serial(token: Option<&str>) -> Result<u32, Fault> {
    let number = token.and_then(|t| t.strip_prefix("0:")).and_then(|n| n.parse().ok());
    number.filter(|n| (1..=LARGEST_INT).contains(&i64::from(*n))).ok_or_else(|| {
        let got = token.map_or("the end of the line".into(), |t| format!("`{}`", shorten(t)));
        let hint = "the serial numbers of a precomputed kernel count the training points from 1";
        Fault::new(format!("expected `0:` and a serial number, got {got}"), hint)
    })
}
