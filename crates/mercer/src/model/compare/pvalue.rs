//! From a statistic and its null distribution to a p-value.

/// p = (1 + #{b : T_b ≥ T − tolerance})/(B + 1): the observed value is one of its own null distribution, so p is never 0
/// (Phipson & Smyth 2010, *Permutation p-values should never be zero*, Statistical Applications in Genetics and Molecular
/// Biology 9). Values that rounding may have put below the observed one count.
///
/// ```
/// use mercer::model::compare::pvalue;
/// assert_eq!(pvalue(3.0, &[1.0, 2.0, 3.0 - 1e-15, 4.0], 1e-14), 3.0 / 5.0);
/// assert_eq!(pvalue(9.0, &[1.0; 99], 0.0), 0.01);
/// assert_eq!(pvalue(9.0, &[], 0.0), 1.0);
/// ```
pub fn pvalue(observed: f64, null: &[f64], tolerance: f64) -> f64 {
    count(observed, null, tolerance, None).pvalue()
}

/// How many values of a null distribution reach the observed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Values that reach it.
    pub reached: usize,
    /// Values that were looked at: all, or those up to the last that was needed.
    pub of: usize,
    /// Whether enough were found to stop.
    pub enough: bool,
}

impl Counted {
    /// The p-value: (1 + reached)/(1 + of), or reached/of where counting stopped at enough.
    pub fn pvalue(&self) -> f64 {
        if self.enough {
            self.reached as f64 / self.of as f64
        } else {
            (1 + self.reached) as f64 / (1 + self.of) as f64
        }
    }
}

/// Counts the values of a null distribution, in the order they were drawn, that reach the observed one; with `enough`, no
/// further than to the draw at which so many have.
///
/// Stopping there makes p = enough/draws a valid p-value (Besag & Clifford 1991, *Sequential Monte Carlo p-values*, Biometrika 78):
/// where it is large, few draws tell so. The place depends on the values alone, not on the portions they are drawn in.
///
/// ```
/// use mercer::model::compare::count;
/// let null = [5.0, 1.0, 6.0, 7.0, 8.0];
/// let counted = count(4.0, &null, 0.0, Some(2));
/// assert_eq!((counted.of, counted.pvalue()), (3, 2.0 / 3.0));
/// assert!(!count(4.0, &null, 0.0, Some(5)).enough);
/// ```
pub fn count(observed: f64, null: &[f64], tolerance: f64, enough: Option<usize>) -> Counted {
    let mut reached = 0;
    for (b, value) in null.iter().enumerate() {
        // Where one of them is no number, none is below the other, and nothing speaks for a difference.
        let below = *value < observed - tolerance;
        reached += usize::from(!below);
        if enough.is_some_and(|enough| reached >= enough.max(1)) {
            return Counted { reached, of: b + 1, enough: true };
        }
    }
    Counted { reached, of: null.len(), enough: false }
}
