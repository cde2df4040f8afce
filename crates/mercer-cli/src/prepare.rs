//! Missing values and scales: what is done to data before a kernel reads them.
//!
//! Everything is learnt from the first data set and applied to a second one as it is. Only the
//! columns that the formula reads are looked at.

use mercer::KernelExpr;
use mercer::Note;
use mercer::data::{Imputer, Inputs, MissingPolicy, Rows, Standardizer, Table, drop_missing};
use mercer::error::quote_list;
use mercer::kernel::Columns;
use mercer::model::pipeline::{Preparation, Prepare};

use crate::args::PrepareArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::reads::{columns_read, readings};

/// What was learnt from the first data set.
#[derive(Debug)]
pub struct Preparer {
    policy: MissingPolicy,
    columns: Option<Vec<String>>,
    preparation: Option<Preparation>,
}

impl Preparer {
    /// Learns from `inputs` what the flags ask for, and answers the prepared inputs.
    pub fn fit(expr: &KernelExpr, inputs: &Inputs, args: &PrepareArgs, context: &Context) -> Outcome<(Self, Inputs)> {
        let mut preparer = Preparer { policy: MissingPolicy::Error, columns: None, preparation: None };
        let prepare =
            Prepare { missing: args.missing, standardize: args.standardize, scale_target: false, ..Prepare::default() }
                .for_kernel(Some(expr));
        let idle = matches!(prepare.missing, MissingPolicy::Error | MissingPolicy::Keep) && !prepare.standardize;
        // A formula that does not fit the data gets its own message when it is bound.
        if idle || !fits(expr, inputs) {
            return Ok((preparer, inputs.clone()));
        }
        let inputs = &expr.typed(inputs);
        preparer.policy = prepare.missing;
        if let Inputs::Table(table) = inputs {
            preparer.columns = Some(columns_read(expr, table));
        }
        let complete = preparer.complete(inputs, context)?;
        let (preparation, ready) = prepare.fit_inputs(&complete, None)?;
        preparation.imputer.iter().for_each(|imputer| note_imputed(imputer, context));
        preparation.standardizer.iter().for_each(|standardizer| warn_constant(standardizer, context));
        preparer.preparation = Some(preparation);
        Ok((preparer, ready))
    }

    /// Prepares a second data set as the first was.
    pub fn apply(&self, inputs: &Inputs, context: &Context) -> Outcome<Inputs> {
        let complete = self.complete(inputs, context)?;
        let Some(preparation) = &self.preparation else { return Ok(complete) };
        let (ready, notes) = preparation.apply(&complete)?;
        notes.into_iter().for_each(|note| context.printer.note(note));
        Ok(ready)
    }

    /// The columns that are read, without the rows that the policy drops.
    fn complete(&self, inputs: &Inputs, context: &Context) -> Outcome<Inputs> {
        let table = match (inputs, self.policy) {
            (Inputs::Table(table), _) => table.clone(),
            (Inputs::Dense(rows), MissingPolicy::Drop | MissingPolicy::Impute) => table_of(rows)?,
            _ => return Ok(inputs.clone()),
        };
        let table = match &self.columns {
            Some(names) => table.select(names)?,
            None => table,
        };
        if self.policy != MissingPolicy::Drop {
            return Ok(table.into());
        }
        let (kept, rows) = drop_missing(&table);
        note_dropped(table.nrows(), rows.len(), context)?;
        Ok(kept.into())
    }
}

/// Whether every kernel of the formula finds its columns.
fn fits(expr: &KernelExpr, inputs: &Inputs) -> bool {
    let Inputs::Table(table) = inputs else { return true };
    readings(expr, Some(inputs)).iter().all(|reading| {
        let wanted = reading.spec().domain.column_type();
        let fitting = |name: &str| {
            table.column(name).zip(wanted).is_some_and(|(column, wanted)| column.read_as(wanted).is_some())
        };
        let found = *reading.leaf.columns() != Columns::All || !reading.columns.is_empty();
        found && reading.columns.iter().all(|name| fitting(&name))
    })
}

/// Dense rows as a table of number columns.
fn table_of(rows: &Rows) -> mercer::Result<Table> {
    Table::new((0..rows.ncols()).map(|j| (rows.name(j), rows.column(j))).collect())
}

fn note_dropped(before: usize, after: usize, context: &Context) -> Outcome {
    if after == 0 {
        return Err(Failure::usage(
            match before {
                1 => "the only row has a missing value, so none is left".to_owned(),
                _ => format!("each of the {before} rows has a missing value, so none is left"),
            },
            "use `--missing impute`, or name the columns that the kernel reads",
        ));
    }
    if after < before {
        context.printer.note(Note::RowsLeftOut { left_out: before - after, of: before });
    }
    Ok(())
}

fn note_imputed(imputer: &Imputer, context: &Context) {
    let filled: Vec<&str> = imputer.indicators().collect();
    if !filled.is_empty() {
        let marks: Vec<String> = filled.iter().map(|name| format!("{name}_missing")).collect();
        context.printer.note(format!("filled the gaps of {}, marked by {}", quote_list(&filled), quote_list(&marks)));
    }
}

fn warn_constant(standardizer: &Standardizer, context: &Context) {
    let constant = standardizer.constant_columns();
    if !constant.is_empty() {
        context.printer.warn(&format!("{} does not vary, so it is centred and not scaled", quote_list(&constant)));
    }
}
