//! What the values of a function mean.

use crate::loss::logistic;

/// What a value f(x) means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Link {
    /// The number itself, or a decision value without a probability.
    #[default]
    Identity,
    /// P(second class) = 1/(1 + exp(−f)).
    Logistic,
    /// P(class c) = exp(f_c)/Σ exp(f_j).
    Softmax,
    /// Quantiles: the values of a row stand in increasing order.
    Sorted,
    /// A function for each pair i < j of classes, above 0 for class i: the classes are voted for.
    Pairs,
}

impl Link {
    /// Whether values mean probabilities.
    pub fn has_probabilities(self) -> bool {
        matches!(self, Link::Logistic | Link::Softmax)
    }

    /// The number of answers of so many functions: of pairs the number of classes, else the same.
    pub fn answers(self, functions: usize) -> usize {
        match self {
            // k(k − 1)/2 functions are those of k classes.
            Link::Pairs => ((1.0 + (1.0 + 8.0 * functions as f64).sqrt()) / 2.0).round() as usize,
            _ => functions,
        }
    }

    /// The probabilities of the classes, row-major, of values with so many outputs; nothing for
    /// values that are none. Two classes have one output and two probabilities.
    ///
    /// ```
    /// use mercer::model::Link;
    /// let two = Link::Logistic.probabilities(&[0.0, 1000.0], 1);
    /// assert_eq!(two, Some(vec![0.5, 0.5, 0.0, 1.0]));
    /// let three = Link::Softmax.probabilities(&[900.0, 900.0, 900.0 + 2f64.ln()], 3).expect("classes");
    /// assert!((three[0] - 0.25).abs() < 1e-12 && (three[2] - 0.5).abs() < 1e-12);
    /// ```
    pub fn probabilities(self, values: &[f64], outputs: usize) -> Option<Vec<f64>> {
        match self {
            Link::Identity | Link::Sorted | Link::Pairs => None,
            Link::Logistic => Some(values.iter().flat_map(|f| [logistic(-f), logistic(*f)]).collect()),
            Link::Softmax => Some(values.chunks(outputs.max(1)).flat_map(softmax).collect()),
        }
    }
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().fold(f64::NEG_INFINITY, |m, f| m.max(*f));
    let powers: Vec<f64> = row.iter().map(|f| (f - largest).exp()).collect();
    let total: f64 = powers.iter().sum();
    powers.iter().map(|p| p / total).collect()
}
