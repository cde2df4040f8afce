//! Whether something is a kernel.

use serde::Serialize;

use crate::error::Result;
use crate::gram::{Audit, Resolution};
use crate::kernel::property::{Place, Proof, Standing, Verdict};
use crate::kernel::{KernelExpr, Registry, ScalarDomain, ScalarExpr};
use crate::note::Note;

use super::HasSchema;

/// What a question was read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAs {
    /// An expression in x and y.
    #[default]
    Expression,
    /// A formula over columns.
    Formula,
    /// A matrix of kernel values.
    Matrix,
}

/// The answer to "is it a kernel".
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckReport {
    /// What the question was read as.
    pub read_as: ReadAs,
    /// The question, in normal form where it has one.
    pub subject: String,
    /// Where x and y lie, of an expression.
    pub domain: Option<ScalarDomain>,
    /// The verdict, and its proof or counterexample.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// What is known besides.
    pub standing: Option<Standing>,
    /// The proof that it is conditionally positive definite, where that is all it is.
    pub conditional: Option<Proof>,
    /// Of a refuted formula: what it is at two points with the numbers x and y.
    pub on_a_line: Option<String>,
    /// Of a refuted formula: where those points lie.
    pub place: Option<Place>,
    /// All of it in sentences; nothing of a matrix.
    pub in_words: Option<InWords>,
    /// The name of the data set.
    pub data: Option<String>,
    /// What the rules of the formula found there.
    pub rules: Vec<Resolution>,
    /// What the matrix looks like.
    pub audit: Option<Audit>,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// What may be wrong.
    pub warnings: Vec<String>,
}

/// An answer, for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InWords {
    /// `positive definite`, `not positive definite`, `not defined` or `not decided`.
    pub verdict: &'static str,
    /// What is known besides, such as `conditionally positive definite of order 1`.
    pub standing: String,
    /// The proof in numbered steps, the counterexample, or why it is not decided.
    pub evidence: String,
    /// The proof that it is conditionally positive definite.
    pub conditional: Option<String>,
    /// Where the points of the counterexample lie.
    pub place: Option<String>,
}

impl HasSchema for CheckReport {
    const SCHEMA: &'static str = "mercer.check/1";
}

impl CheckReport {
    /// A report that knows no answer yet.
    pub fn new(read_as: ReadAs, subject: String) -> Self {
        CheckReport { read_as, subject, ..CheckReport::default() }
    }

    /// Checks an expression in x and y; what `stop` cuts off is not decided.
    ///
    /// ```
    /// use mercer::{kernel::{ScalarDomain, ScalarExpr}, report::CheckReport};
    /// let found = CheckReport::of_expression(&ScalarExpr::parse("-(x - y)^2")?, ScalarDomain::default(), &|| false);
    /// let words = found.in_words.expect("an answer");
    /// assert_eq!((words.verdict, words.standing.as_str()),
    ///            ("not positive definite", "conditionally positive definite of order 1"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_expression(expr: &ScalarExpr, domain: ScalarDomain, stop: &dyn Fn() -> bool) -> Self {
        let verdict = expr.check_until(domain, stop);
        // What is a kernel, or has no value somewhere, is not looked at again.
        let more = matches!(verdict, Verdict::Refuted(_) | Verdict::Undecided { .. });
        let conditional = more.then(|| expr.conditional(domain, stop)).flatten();
        let standing = conditional.as_ref().map(|_| Standing::CONDITIONAL);
        let report = CheckReport {
            domain: Some(domain),
            standing,
            conditional,
            ..CheckReport::new(ReadAs::Expression, expr.to_string())
        };
        report.with_verdict(verdict)
    }

    /// Checks a formula, also one that is refused as a kernel. `registry` brings the functions that it names.
    pub fn of_formula(
        formula: &str,
        registry: &Registry,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Self, Option<KernelExpr>)> {
        let found = KernelExpr::check_formula_until(formula, registry, stop)?;
        let subject = found.kernel.as_ref().map_or_else(|| formula.to_owned(), ToString::to_string);
        let report = CheckReport {
            standing: Some(found.standing),
            conditional: found.conditional,
            on_a_line: found.on_a_line.as_ref().map(ToString::to_string),
            place: found.place,
            ..CheckReport::new(ReadAs::Formula, subject)
        };
        Ok((report.with_verdict(found.verdict), found.kernel))
    }

    /// What an audit found in the matrix of this name.
    pub fn of_matrix(name: String, audit: Audit) -> Self {
        CheckReport { audit: Some(audit), ..CheckReport::new(ReadAs::Matrix, name) }
    }

    fn with_verdict(mut self, verdict: Verdict) -> Self {
        let evidence = match &verdict {
            Verdict::PositiveDefinite(proof) => proof.to_string(),
            Verdict::Refuted(found) | Verdict::Undefined(found) => found.to_string(),
            Verdict::Undecided { reason } => reason.clone(),
        };
        let standing = match (&verdict, self.standing) {
            (Verdict::Undefined(_), _) | (_, None) => verdict.word().to_owned(),
            (_, Some(standing)) => standing.words(),
        };
        self.in_words = Some(InWords {
            verdict: verdict.word(),
            standing,
            evidence,
            conditional: self.conditional.as_ref().map(ToString::to_string),
            place: self.place.as_ref().map(ToString::to_string),
        });
        self.verdict = Some(verdict);
        self
    }
}
