//! The measures of a model with their standard errors, as every face prints them.

use crate::select::Scores;

use super::digits::{percent, within, within_percent};

/// The headings of the measures.
pub fn headings(scores: &Scores) -> Vec<String> {
    match scores {
        Scores::Regression { .. } => ["RMSE", "MAE", "R²"].map(str::to_owned).into(),
        Scores::Quantiles { nominal, .. } => vec!["pinball loss".into(), format!("coverage, of {}", percent(*nominal))],
        Scores::Classification { log_loss: Some(_), .. } => ["accuracy", "log-loss"].map(str::to_owned).into(),
        _ => vec!["accuracy".into()],
    }
}

/// The measures with their standard errors, one cell each.
pub fn cells(scores: &Scores, errors: Option<&Scores>) -> Vec<String> {
    match scores {
        Scores::Regression { rmse, mae, r2 } => {
            let known = match errors {
                Some(Scores::Regression { rmse, mae, r2 }) => [Some(*rmse), Some(*mae), Some(*r2)],
                _ => [None; 3],
            };
            [(*rmse, known[0]), (*mae, known[1]), (*r2, known[2])].map(|(value, error)| within(value, error)).into()
        }
        Scores::Quantiles { pinball, coverage, .. } => {
            let known = match errors {
                Some(Scores::Quantiles { pinball, coverage, .. }) => (Some(*pinball), Some(*coverage)),
                _ => (None, None),
            };
            vec![within(*pinball, known.0), within_percent(*coverage, known.1)]
        }
        Scores::Classification { accuracy, log_loss } => {
            let known = match errors {
                Some(Scores::Classification { accuracy, log_loss }) => (Some(*accuracy), *log_loss),
                _ => (None, None),
            };
            let first = within_percent(*accuracy, known.0);
            std::iter::once(first).chain(log_loss.map(|loss| within(loss, known.1))).collect()
        }
    }
}
