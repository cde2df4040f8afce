//! In how many directions points move freely.

use crate::data::Inputs;
use crate::linalg::dot;

/// Columns that are looked at; of more, so many at even distances.
const COLUMNS: usize = 32;
/// More are not counted: the noise of a mean does not concentrate for ever.
const MOST: f64 = 9.0;

/// D = d²/Σ rᵢⱼ² for d columns of numbers whose steps between neighbours have the correlations rᵢⱼ: d for columns that move
/// independently, 1 for copies of one. At most 9; 1 for points that are not rows of numbers.
pub(super) fn directions(x: &Inputs) -> f64 {
    let some = (0..count(x)).step_by(count(x).div_ceil(COLUMNS).max(1));
    let steps: Vec<Vec<f64>> = some.filter_map(|j| unit_steps(&column(x, j))).collect();
    let squares: f64 = steps.iter().flat_map(|a| steps.iter().map(move |b| dot(a, b).powi(2))).sum();
    match steps.len() {
        0 | 1 => 1.0,
        d => ((d * d) as f64 / squares).clamp(1.0, MOST),
    }
}

/// How many columns of numbers there are; none of points that are not rows of numbers.
pub(super) fn count(x: &Inputs) -> usize {
    match x {
        Inputs::Dense(rows) => rows.ncols(),
        Inputs::Table(table) if table.iter().all(|(_, column)| column.numbers().is_some()) => x.columns().len(),
        Inputs::Table(_) | Inputs::Sparse(_) | Inputs::Precomputed(_) => 0,
    }
}

/// The column j of so many.
pub(super) fn column(x: &Inputs, j: usize) -> Vec<f64> {
    match x {
        Inputs::Dense(rows) => (0..rows.nrows()).map(|i| rows.row(i)[j]).collect(),
        Inputs::Table(table) => {
            table.iter().nth(j).and_then(|(_, column)| column.numbers()).map_or_else(Vec::new, <[f64]>::to_vec)
        }
        Inputs::Sparse(_) | Inputs::Precomputed(_) => Vec::new(),
    }
}

/// Steps between neighbours, of length 1 together; none where a column stands still.
fn unit_steps(column: &[f64]) -> Option<Vec<f64>> {
    let largest = column.windows(2).fold(0.0f64, |most, w| most.max((w[1] - w[0]).abs()));
    let mut steps: Vec<f64> = column.windows(2).map(|w| (w[1] - w[0]) / largest).collect();
    let length = dot(&steps, &steps).sqrt();
    steps.iter_mut().for_each(|step| *step /= length);
    (largest > 0.0 && largest.is_finite()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::data::Rows;

    fn rows(values: Vec<f64>, width: usize) -> Inputs {
        Rows::new(values.clone(), values.len() / width, width).expect("rows").into()
    }

    #[test]
    fn copies_are_one_direction_and_independent_columns_many() {
        let mut chance = Chance::new(1);
        let one: Vec<f64> = (0..400).map(|_| chance.normal()).collect();
        let copies = one.iter().flat_map(|v| [*v, -2.0 * v, 5.0 + v]).collect();
        assert!((directions(&rows(copies, 3)) - 1.0).abs() < 1e-12);
        let free = (0..1200).map(|_| chance.normal()).collect();
        assert!((2.8..=3.0).contains(&directions(&rows(free, 3))));
        let still = one.iter().flat_map(|v| [*v, 7.0]).collect();
        assert_eq!(directions(&rows(still, 2)), 1.0);
        assert_eq!((directions(&rows(one, 1)), directions(&rows(vec![1.0; 8], 4))), (1.0, 1.0));
        let wide = (0..40 * 100).map(|_| chance.normal()).collect();
        assert_eq!(directions(&rows(wide, 100)), MOST);
    }
}
