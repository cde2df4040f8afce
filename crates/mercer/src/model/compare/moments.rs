//! Mean and variance over all permutations, without drawing one.

/// What the moments need of a symmetric n×n matrix A whose rows sum to 0: tr A, Σ Aᵢⱼ², Σ Aᵢᵢ².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentredSums {
    /// n.
    pub n: usize,
    /// tr A.
    pub trace: f64,
    /// Σ Aᵢⱼ².
    pub squares: f64,
    /// Σ Aᵢᵢ².
    pub diagonal_squares: f64,
}

impl CentredSums {
    /// Those of HKH, H = I − 11ᵀ/n, from the sums of the rows of K with its diagonal, the diagonal, and Σ Kᵢⱼ².
    pub fn of(row_sums: &[f64], diagonal: &[f64], squares: f64) -> Self {
        let n = row_sums.len() as f64;
        let total: f64 = row_sums.iter().sum();
        let mean = total / (n * n);
        let centred = row_sums.iter().zip(diagonal).map(|(r, k)| k - 2.0 * r / n + mean);
        // Σ(HKH)ᵢⱼ² = ΣKᵢⱼ² − 2Σrᵢ²/n + (Σrᵢ)²/n², with rows about their mean, so that large numbers do not meet.
        let spread: f64 = row_sums.iter().map(|r| (r - total / n) * (r - total / n)).sum();
        CentredSums {
            n: row_sums.len(),
            trace: diagonal.iter().sum::<f64>() - total / n,
            squares: squares - 2.0 * spread / n - total * mean,
            diagonal_squares: centred.map(|c| c * c).sum(),
        }
    }
}

/// The mean and the variance of a statistic over all permutations of its rows, each as likely as the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

/// The moments of tr(A·PBPᵀ) over all permutation matrices P, for A and B symmetric with rows that sum to 0 (Kazi-Aoual, Hitier,
/// Sabatier & Lebreton 1995, *Refined approximations to permutation tests for multivariate inference*, Computational Statistics &
/// Data Analysis 20); with a = tr A, a₂ = ΣAᵢⱼ², a_D = ΣAᵢᵢ² and the same for B:
///
/// ```text
/// mean     = ab/(n−1)
/// variance = 2[(n−1)a₂ − a²][(n−1)b₂ − b²] / [(n−1)²(n+1)(n−2)]
///          + [n(n+1)a_D − (n−1)(a²+2a₂)][n(n+1)b_D − (n−1)(b²+2b₂)] / [(n+1)n(n−1)(n−2)(n−3)]
/// ```
///
/// Nothing for fewer than four rows, or matrices of different sizes.
pub fn permutation_moments(a: &CentredSums, b: &CentredSums) -> Option<Moments> {
    if a.n != b.n || a.n < 4 {
        return None;
    }
    let n = a.n as f64;
    let even = |s: &CentredSums| (n - 1.0) * s.squares - s.trace * s.trace;
    let uneven =
        |s: &CentredSums| n * (n + 1.0) * s.diagonal_squares - (n - 1.0) * (s.trace * s.trace + 2.0 * s.squares);
    let first = 2.0 * even(a) * even(b) / ((n - 1.0) * (n - 1.0) * (n + 1.0) * (n - 2.0));
    let second = uneven(a) * uneven(b) / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0));
    Some(Moments { mean: a.trace * b.trace / (n - 1.0), variance: (first + second).max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::tol;

    /// A symmetric matrix of six rows.
    fn matrix(f: impl Fn(f64, f64) -> f64) -> [[f64; 6]; 6] {
        std::array::from_fn(|i| std::array::from_fn(|j| f(i.min(j) as f64, i.max(j) as f64)))
    }

    fn sums(k: &[[f64; 6]; 6]) -> CentredSums {
        let rows: Vec<f64> = k.iter().map(|row| row.iter().sum()).collect();
        let diagonal: Vec<f64> = (0..6).map(|i| k[i][i]).collect();
        CentredSums::of(&rows, &diagonal, k.iter().flatten().map(|x| x * x).sum())
    }

    /// All orders of these numbers.
    fn orders(of: &[usize]) -> Vec<Vec<usize>> {
        if of.is_empty() {
            return vec![Vec::new()];
        }
        let with = |first: usize| {
            let rest: Vec<usize> = of.iter().copied().filter(|i| *i != first).collect();
            orders(&rest).into_iter().map(move |order| [vec![first], order].concat()).collect::<Vec<_>>()
        };
        of.iter().flat_map(|first| with(*first)).collect()
    }

    fn centred(k: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
        let mean = |i: usize| k[i].iter().sum::<f64>() / 6.0;
        let all = (0..6).map(mean).sum::<f64>() / 6.0;
        std::array::from_fn(|i| std::array::from_fn(|j| k[i][j] - mean(i) - mean(j) + all))
    }

    #[test]
    fn the_moments_are_those_of_all_720_permutations() {
        let k = matrix(|i, j| (1.3 * i + j * j).sin() + if i == j { 2.0 + i } else { 0.0 });
        let l = matrix(|i, j| (i * j + 0.4 * j).cos() + if i == j { 1.0 } else { 0.0 });
        let (a, b) = (centred(&k), centred(&l));
        let statistic = |p: &Vec<usize>| (0..36).map(|ij| a[ij / 6][ij % 6] * b[p[ij / 6]][p[ij % 6]]).sum::<f64>();
        let all: Vec<f64> = orders(&[0, 1, 2, 3, 4, 5]).iter().map(statistic).collect();
        let mean = all.iter().sum::<f64>() / 720.0;
        let variance = all.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / 720.0;
        let found = permutation_moments(&sums(&k), &sums(&l)).expect("six rows");
        assert!((found.mean - mean).abs() <= tol::FEW_ROWS * mean.abs().max(1.0), "{} for {mean}", found.mean);
        assert!((found.variance / variance - 1.0).abs() <= tol::FEW_ROWS, "{} for {variance}", found.variance);
    }

    #[test]
    fn three_rows_have_no_such_moments() {
        let few = CentredSums { n: 3, trace: 1.0, squares: 1.0, diagonal_squares: 1.0 };
        assert_eq!(permutation_moments(&few, &few), None);
        let more = CentredSums { n: 5, ..few };
        assert_eq!(permutation_moments(&few, &more), None);
    }
}
