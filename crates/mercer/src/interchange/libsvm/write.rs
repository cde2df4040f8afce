//! From a machine to a model file.

use std::fmt::{Display, Write};

use crate::error::{Error, Result};
use crate::kernel::print_number;

use super::super::{StandardKernel, SupportMachine, SupportVectors};
use super::{KINDS, LARGEST_INT};

/// The model file of a machine, in the words and the order of LIBSVM.
///
/// Every number is written with the fewest digits that read back to the same bits. Fails where LIBSVM could not hold the
/// machine: labels, degrees and serial numbers are 32-bit numbers there.
pub fn write(machine: &SupportMachine) -> Result<String> {
    machine.validate()?;
    let mut text = String::new();
    write_header(machine, &mut text)?;
    text.push_str("SV\n");
    for i in 0..machine.vectors.len() {
        machine.coefficients.iter().for_each(|row| push(&mut text, format_args!("{} ", print_number(row[i]))));
        write_vector(&machine.vectors, i, &mut text)?;
        text.push('\n');
    }
    Ok(text)
}

fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes every text");
}

fn write_header(machine: &SupportMachine, text: &mut String) -> Result<()> {
    let kind = KINDS.iter().find(|(_, kind)| *kind == machine.kind).expect("every kind has its word").0;
    push(text, format_args!("svm_type {kind}\n"));
    write_kernel(machine.kernel, text)?;
    let classes = if machine.kind.is_classifier() { machine.labels.len() } else { 2 };
    push(text, format_args!("nr_class {classes}\n"));
    push(text, format_args!("total_sv {}\n", int("number of support vectors", machine.vectors.len() as u64)?));
    let numbers = |values: &[f64]| values.iter().map(|v| print_number(*v)).collect::<Vec<_>>();
    line(text, "rho", &numbers(&machine.offsets));
    if machine.kind.is_classifier() {
        machine.labels.iter().try_for_each(|label| int("labels", label.unsigned_abs()).map(drop))?;
        line(text, "label", &machine.labels);
    }
    for (word, values) in
        [("probA", &machine.prob_a), ("probB", &machine.prob_b), ("prob_density_marks", &machine.prob_density_marks)]
    {
        values.iter().for_each(|values| line(text, word, &numbers(values)));
    }
    if machine.kind.is_classifier() {
        line(text, "nr_sv", &machine.vectors_per_class);
    }
    Ok(())
}

fn write_kernel(kernel: StandardKernel, text: &mut String) -> Result<()> {
    let (word, degree, gamma, coef0) = match kernel {
        StandardKernel::Linear => ("linear", None, None, None),
        StandardKernel::Polynomial { degree, gamma, coef0 } => ("polynomial", Some(degree), Some(gamma), Some(coef0)),
        StandardKernel::Rbf { gamma } => ("rbf", None, Some(gamma), None),
        StandardKernel::Sigmoid { gamma, coef0 } => ("sigmoid", None, Some(gamma), Some(coef0)),
        StandardKernel::Precomputed => ("precomputed", None, None, None),
    };
    push(text, format_args!("kernel_type {word}\n"));
    if let Some(degree) = degree {
        push(text, format_args!("degree {}\n", int("degree", degree.into())?));
    }
    for (word, value) in [("gamma", gamma), ("coef0", coef0)] {
        value.iter().for_each(|v| push(text, format_args!("{word} {}\n", print_number(*v))));
    }
    Ok(())
}

fn line(text: &mut String, word: &str, values: &[impl Display]) {
    text.push_str(word);
    values.iter().for_each(|value| push(text, format_args!(" {value}")));
    text.push('\n');
}

/// LIBSVM ends a vector with a blank, and so does Mercer: a file that is read and written differs in digits alone.
fn write_vector(vectors: &SupportVectors, i: usize, text: &mut String) -> Result<()> {
    match vectors {
        SupportVectors::Rows(rows) => {
            push(text, format_args!("0:{} ", int("serial numbers", u64::from(rows[i]) + 1)?));
        }
        SupportVectors::Points(points) => {
            let (columns, values) = points.row(i);
            for (column, value) in columns.iter().zip(values) {
                let index = int("column numbers", u64::from(*column) + 1)?;
                push(text, format_args!("{index}:{} ", print_number(*value)));
            }
        }
    }
    Ok(())
}

/// The number, if LIBSVM's `int` holds it.
fn int(name: &str, value: u64) -> Result<u64> {
    match value <= LARGEST_INT as u64 {
        true => Ok(value),
        false => Err(Error::invalid("a model file of LIBSVM", name, value, format!("at most {LARGEST_INT}"))),
    }
}
