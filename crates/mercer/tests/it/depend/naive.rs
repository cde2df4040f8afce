//! The definitions, as they stand, with loops.

use mercer::data::Rows;

/// A square matrix as rows.
pub type Square = Vec<Vec<f64>>;

/// exp(−‖x − y‖²/(2ℓ²)).
pub fn gaussian(x: &Rows, length_scale: f64) -> Square {
    let square = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let value = |i, j| (-square(i, j) / (2.0 * length_scale * length_scale)).exp();
    (0..x.nrows()).map(|i| (0..x.nrows()).map(|j| value(i, j)).collect()).collect()
}

/// HKH by two products of matrices.
pub fn centred(k: &Square) -> Square {
    let n = k.len();
    let h: Square = (0..n).map(|i| (0..n).map(|j| f64::from(i == j) - 1.0 / n as f64).collect()).collect();
    product(&product(&h, k), &h)
}

/// A·B.
pub fn product(a: &Square, b: &Square) -> Square {
    let n = a.len();
    (0..n).map(|i| (0..n).map(|j| (0..n).map(|l| a[i][l] * b[l][j]).sum()).collect()).collect()
}

/// tr(KHLH)/n².
pub fn hsic_biased(k: &Square, l: &Square) -> f64 {
    let (n, kh, lh) = (k.len(), centred(k), centred(l));
    let trace: f64 = (0..n).map(|i| (0..n).map(|j| kh[i][j] * lh[j][i]).sum::<f64>()).sum();
    trace / (n * n) as f64
}

/// The mean of kᵢⱼ(lᵢⱼ + l_qr − 2l_iq) over all 4-tuples (i, j, q, r) of different rows.
pub fn hsic_unbiased(k: &Square, l: &Square) -> f64 {
    let n = k.len();
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            for q in (0..n).filter(|q| ![i, j].contains(q)) {
                for r in (0..n).filter(|r| ![i, j, q].contains(r)) {
                    sum += k[i][j] * (l[i][j] + l[q][r] - 2.0 * l[i][q]);
                    count += 1.0;
                }
            }
        }
    }
    sum / count
}

/// The matrix of rows and columns in another order.
pub fn permuted(l: &Square, order: &[usize]) -> Square {
    order.iter().map(|&i| order.iter().map(|&j| l[i][j]).collect()).collect()
}

/// A⁻¹ by Gauss and Jordan, with the largest pivot.
pub fn inverse(a: &Square) -> Square {
    let n = a.len();
    let mut rows: Square =
        (0..n).map(|i| a[i].iter().copied().chain((0..n).map(|j| f64::from(i == j))).collect()).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&p, &q| rows[p][c].abs().total_cmp(&rows[q][c].abs())).expect("a row");
        rows.swap(c, pivot);
        let divisor = rows[c][c];
        rows[c].iter_mut().for_each(|v| *v /= divisor);
        let own = rows[c].clone();
        for row in rows.iter_mut().enumerate().filter_map(|(r, row)| (r != c).then_some(row)) {
            let factor = row[c];
            row.iter_mut().zip(&own).for_each(|(v, o)| *v -= factor * o);
        }
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}
