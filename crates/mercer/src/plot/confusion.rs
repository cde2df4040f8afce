//! Which classes are taken for which.

use crate::metric::Confusion;
use crate::select::{Estimate, Scores};

use super::decimal::short;
use super::figure::{Axis, Mark, Panel, Series};
use super::fit::{judged, rounded};

/// The shade of a cell that is not empty, at least.
const FAINTEST: f64 = 0.06;

/// How often rows of each class were taken for each class, counted by their weights, on rows that chose nothing; a cell is the
/// darker the larger its share of the rows of its true class. Nothing for a regression.
pub fn confusion_matrix(estimate: &Estimate) -> Option<Panel> {
    let Scores::Classification { accuracy, log_loss } = estimate.model else { return None };
    let confusion = estimate.confusion.as_ref()?;
    let loss = log_loss.map_or_else(String::new, |loss| format!(", log-loss {}", short(loss)));
    let off = match estimate.standard_errors.model {
        Some(Scores::Classification { accuracy, .. }) => format!(" ± {}", short(rounded(100.0 * accuracy))),
        _ => String::new(),
    };
    let said = format!("{}{off} % right{loss}; {}", short(100.0 * accuracy), judged(estimate));
    Some(confusion_panel(confusion).subtitled(said))
}

/// A panel of counts.
pub(super) fn confusion_panel(confusion: &Confusion) -> Panel {
    let classes = &confusion.classes;
    let rows = confusion.counts.chunks(classes.len().max(1));
    let share = |row: &[f64]| {
        // Over the largest first: sums of weights may add up to more than the largest number.
        let largest = row.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let total = row.iter().map(|count| count / largest).sum::<f64>().max(f64::MIN_POSITIVE);
        // The few that are wrong are what the reader looks for: one of them is a tint, and yet far from the many.
        let shade = |share: f64| if share > 0.0 { FAINTEST + (1.0 - FAINTEST) * share } else { 0.0 };
        row.iter().map(|count| shade(count / largest / total)).collect::<Vec<_>>()
    };
    let cells = Mark::Cells {
        columns: classes.len(),
        shade: rows.flat_map(share).collect(),
        texts: confusion.counts.iter().map(|count| written(*count)).collect(),
    };
    let x = Axis::names("predicted", classes.clone());
    let y = Axis::names("true", classes.clone()).reversed();
    Panel::new("True and predicted classes", x, y).with(Series::new(cells)).square()
}

/// A count as it is written: whole ones with all digits. Zeros would hide the numbers that say something.
fn written(count: f64) -> String {
    match count.fract() == 0.0 && count < 1e9 {
        _ if count == 0.0 => String::new(),
        true => format!("{count}"),
        false => short(count),
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn whole_counts_are_written_whole() {
        let shown = [0.0, 3.0, 123_456.0, 2.5, 1.0 / 3.0, 1e300].map(written);
        assert_eq!(shown, ["", "3", "123456", "2.5", "0.3333", "10³⁰⁰"]);
    }
}
