//! Pairs of functions, and the conditions that canonical correlation holds them to.

/// Values of the functions of one input at the rows, row-major: rows×pairs, with the coefficients that gave them.
pub(super) struct Side<'a> {
    pub(super) values: Vec<f64>,
    pub(super) coefficients: &'a [f64],
    means: Vec<f64>,
}

impl<'a> Side<'a> {
    /// Of the values of Σ aᵢk(xᵢ, ·) without an intercept.
    pub(super) fn new(mut values: Vec<f64>, coefficients: &'a [f64], shares: &[f64], pairs: usize) -> Self {
        let mut means = vec![0.0; pairs];
        values.iter().enumerate().for_each(|(at, v)| means[at % pairs] += shares[at / pairs] * v);
        values.iter_mut().enumerate().for_each(|(at, v)| *v -= means[at % pairs]);
        Side { values, coefficients, means }
    }

    /// What is added to the functions, so that their means are 0.
    pub(super) fn intercept(&self) -> Vec<f64> {
        self.means.iter().map(|m| -m).collect()
    }

    fn column(&self, pairs: usize, l: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(l).step_by(pairs).copied()
    }

    fn coefficients_of(&self, pairs: usize, l: usize) -> impl Iterator<Item = f64> + '_ {
        self.coefficients.iter().skip(l).step_by(pairs).copied()
    }
}

/// Two sides of the same rows.
pub(super) struct Pairs<'a> {
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
    pub(super) shares: &'a [f64],
    pub(super) count: usize,
    pub(super) alpha: f64,
}

impl Pairs<'_> {
    fn covariance(&self, a: &Side<'_>, l: usize, b: &Side<'_>, m: usize) -> f64 {
        let pairs = a.column(self.count, l).zip(b.column(self.count, m));
        pairs.zip(self.shares).map(|((a, b), p)| p * a * b).sum()
    }

    /// Pearson's correlation of each pair.
    pub(super) fn correlations(&self) -> Vec<f64> {
        let of = |l: usize| {
            let (x, z) = (&self.first, &self.second);
            let spread = self.covariance(x, l, x, l).sqrt() * self.covariance(z, l, z, l).sqrt();
            if spread > 0.0 { self.covariance(x, l, z, l) / spread } else { 0.0 }
        };
        (0..self.count).map(of).collect()
    }

    /// The largest violation: alpha·ρ·a = P·(ζ − ρ·ξ) for either side, relative; variance + alpha·norm² = 1; and no covariance
    /// of a function with the partner of another.
    pub(super) fn residual(&self) -> f64 {
        let mut worst = 0.0f64;
        for l in 0..self.count {
            let rho = self.covariance(&self.first, l, &self.second, l);
            worst = worst.max(self.stationary(&self.first, &self.second, l, rho));
            worst = worst.max(self.stationary(&self.second, &self.first, l, rho));
            for side in [&self.first, &self.second] {
                let norm: f64 =
                    side.coefficients_of(self.count, l).zip(side.column(self.count, l)).map(|(a, f)| a * f).sum();
                worst = worst.max((self.covariance(side, l, side, l) + self.alpha * norm - 1.0).abs());
            }
            let others = (0..self.count).filter(|m| *m != l);
            worst = others.map(|m| self.covariance(&self.first, l, &self.second, m).abs()).fold(worst, f64::max);
        }
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    fn stationary(&self, own: &Side<'_>, other: &Side<'_>, l: usize, rho: f64) -> f64 {
        let values = own.column(self.count, l).zip(other.column(self.count, l)).zip(self.shares);
        let (mut left, mut size) = (0.0, 0.0);
        for (a, ((f, g), p)) in own.coefficients_of(self.count, l).zip(values) {
            let known = self.alpha * rho * a;
            left += (known - p * (g - rho * f)).powi(2);
            size += known * known;
        }
        if size > 0.0 { (left / size).sqrt() } else { f64::INFINITY }
    }
}
