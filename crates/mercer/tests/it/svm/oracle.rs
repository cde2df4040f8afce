//! A generic quadratic program, solved by projected gradients: obviously right, and slow.

/// min ½vᵀQv + Σ shift·v over low ≤ v ≤ high with sums Σ_{j in group} v = total.
pub(crate) struct Qp {
    pub(crate) q: Vec<f64>,
    pub(crate) shift: Vec<f64>,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    /// Groups of variables, each with what it adds up to.
    pub(crate) sums: Vec<(Vec<usize>, f64)>,
}

impl Qp {
    fn n(&self) -> usize {
        self.shift.len()
    }

    fn gradient(&self, v: &[f64]) -> Vec<f64> {
        let row = |i: usize| &self.q[i * self.n()..(i + 1) * self.n()];
        (0..self.n()).map(|i| row(i).iter().zip(v).map(|(q, v)| q * v).sum::<f64>() + self.shift[i]).collect()
    }

    pub(crate) fn value(&self, v: &[f64]) -> f64 {
        let g = self.gradient(v);
        v.iter().zip(&g).zip(&self.shift).map(|((v, g), s)| 0.5 * v * (g + s)).sum()
    }

    /// The nearest feasible point: by bisection of the multiplier of each sum.
    fn project(&self, v: &mut [f64]) {
        let inside = |v: f64, j: usize| v.clamp(self.low[j], self.high[j]);
        let mut held = vec![false; self.n()];
        for (group, total) in &self.sums {
            let (mut low, mut high) = (-1e6, 1e6);
            for _ in 0..90 {
                let middle = 0.5 * (low + high);
                let sum: f64 = group.iter().map(|j| inside(v[*j] - middle, *j)).sum();
                if sum > *total { low = middle } else { high = middle }
            }
            for j in group {
                v[*j] = inside(v[*j] - 0.5 * (low + high), *j);
                held[*j] = true;
            }
        }
        (0..self.n()).filter(|j| !held[*j]).for_each(|j| v[j] = inside(v[j], j));
    }

    /// The least value, by accelerated projected gradients with restarts.
    pub(crate) fn minimum(&self) -> f64 {
        let n = self.n();
        let row_sum = |i: usize| self.q[i * n..(i + 1) * n].iter().map(|q| q.abs()).sum::<f64>();
        let step = 1.0 / (0..n).map(row_sum).fold(1e-300, f64::max);
        let mut v = vec![0.0; n];
        self.project(&mut v);
        let (mut ahead, mut t, mut best) = (v.clone(), 1.0f64, self.value(&v));
        for _ in 0..20_000 {
            let g = self.gradient(&ahead);
            let mut next: Vec<f64> = ahead.iter().zip(&g).map(|(v, g)| v - step * g).collect();
            self.project(&mut next);
            let value = self.value(&next);
            if value > best {
                // Begin anew where it went up.
                (ahead, t) = (v.clone(), 1.0);
                let g = self.gradient(&ahead);
                next = ahead.iter().zip(&g).map(|(v, g)| v - step * g).collect();
                self.project(&mut next);
            }
            let t_next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
            ahead = next.iter().zip(&v).map(|(new, old)| new + (t - 1.0) / t_next * (new - old)).collect();
            best = best.min(self.value(&next));
            (v, t) = (next, t_next);
        }
        best
    }
}
