//! dHSIC: are several variables independent of each other, all at once?

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::gram::{DenseGram, Resolution};
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::draw::Permutations;
use super::judge::{Draws, Judged, judge};
use super::orders::{all_permutations, few_permutations};
use super::pvalue::count;
use super::result::{Ended, Estimate, Null, TestResult, TestedKernel};
use super::variable::{Variable, common_rows, sum_of_rows};

/// The test of joint independence of d ≥ 2 variables (Pfister, Bühlmann, Schölkopf & Peters 2018, *Kernel-based tests for joint
/// independence*, JRSS B 80): with Gram matrices K¹, …, Kᵈ,
///
/// dHSIC = mean(∏ⱼ Kʲ) + ∏ⱼ mean(Kʲ) − 2·meanᵢ ∏ⱼ meanₗ(Kʲᵢₗ).
///
/// Each variable but the first is permuted by itself. That tests independence of all of them; pairs may be independent while three are
/// not. For two variables it is the biased HSIC.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dhsic {
    /// How many draws.
    pub draws: Draws,
}

impl Dhsic {
    /// Tests whether variables of the same rows are independent of each other.
    pub fn test(&self, variables: &[Variable<'_>], run: &Run) -> Result<TestResult> {
        self.draws.check("dHSIC")?;
        let names: Vec<String> = (1..=variables.len()).map(|j| format!("X{j}")).collect();
        if variables.len() < 2 {
            return Err(Error::shape("variables to test for independence", "at least 2", variables.len()));
        }
        let n = common_rows(variables, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let sides = variables.iter().map(|v| Side::of(v, run)).collect::<Result<Vec<_>>>()?;
        let joint = Joint { n, sides: &sides };
        let observed = joint.observed(run)?;
        let (judged, null) = self.judged(&joint, observed, run)?;
        Ok(self.result(&joint, observed, judged, null))
    }

    fn judged(&self, joint: &Joint<'_>, observed: f64, run: &Run) -> Result<(Judged, Null)> {
        let (n, others, tolerance) = (joint.n, joint.sides.len() - 1, joint.tolerance());
        let most = self.draws.n_permutations;
        let each = few_permutations(n, most);
        let all = each.and_then(|each| each.checked_pow(others as u32).filter(|all| *all <= most));
        if let (Some(each), Some(all)) = (each, all) {
            let mut null = vec![0.0; all];
            joint.values(&tuples(&all_permutations(n), n, each, others), &mut null, run)?;
            let counted = count(observed, &null, tolerance, None);
            return Ok((Judged { null, counted, stop: Ended::All }, Null::Enumeration));
        }
        let mut permutations = Permutations::new(n as u32, self.draws.seed);
        let draw = |out: &mut [f64]| {
            let orders: Vec<u32> = permutations.by_ref().take(out.len() * others).flatten().collect();
            joint.values(&orders, out, run)
        };
        Ok((judge((observed, tolerance), &self.draws, run, draw)?, Null::Permutation))
    }

    fn result(&self, joint: &Joint<'_>, statistic: f64, judged: Judged, null: Null) -> TestResult {
        let exact = null == Null::Enumeration;
        let Judged { null: values, counted, stop } = judged;
        let names =
            joint.sides.iter().enumerate().map(|(j, side)| {
                TestedKernel::new(&format!("X{}", j + 1), side.kernel.to_string(), side.found.clone())
            });
        TestResult {
            test: "dhsic",
            hypothesis: format!("the {} variables are independent of each other", joint.sides.len()),
            statistic,
            estimate: Estimate {
                name: "biased",
                symbol: "dHSIC",
                formula: "mean(∏ⱼ Kʲ) + ∏ⱼ mean(Kʲ) − 2·meanᵢ ∏ⱼ meanₗ(Kʲᵢₗ)",
            },
            pvalue: if exact { counted.reached as f64 / counted.of as f64 } else { counted.pvalue() },
            null,
            reached: counted.reached,
            resolution: 1.0 / (values.len() + usize::from(!exact)) as f64,
            n_permutations: values.len(),
            stop,
            approximation: None,
            sizes: vec![joint.n],
            kernels: names.collect(),
            aggregation: None,
            tolerance: joint.tolerance(),
            seed: self.draws.seed,
            notes: Vec::new(),
            null_distribution: values,
        }
    }
}

/// Every choice of one order for each of `others` variables, the identity of all first.
fn tuples(orders: &[u32], n: usize, each: usize, others: usize) -> Vec<u32> {
    let count = each.pow(others as u32);
    let order = |at: usize| &orders[at * n..(at + 1) * n];
    (0..count).flat_map(|c| (0..others).flat_map(move |v| order(c / each.pow(v as u32) % each))).copied().collect()
}

/// One variable: its Gram matrix as it is, and the means of its rows.
struct Side {
    kernel: KernelExpr,
    found: Vec<Resolution>,
    gram: DenseGram,
    means: Vec<f64>,
    mean: f64,
    largest: f64,
}

impl Side {
    fn of(variable: &Variable<'_>, run: &Run) -> Result<Self> {
        let (kernel, found, gram) = variable.gram(run)?;
        let n = gram.nrows() as f64;
        let means: Vec<f64> = (0..gram.nrows()).map(|i| gram.row(i).iter().sum::<f64>() / n).collect();
        let mean = means.iter().sum::<f64>() / n;
        let largest = (0..gram.nrows()).map(|i| gram.row(i)[i].abs()).fold(0.0, f64::max);
        Ok(Side { kernel, found, gram, means, mean, largest })
    }
}

/// All variables.
struct Joint<'a> {
    n: usize,
    sides: &'a [Side],
}

impl Joint<'_> {
    /// Twice the bound of rounding: sums of n² products of values up to `largest`.
    fn tolerance(&self) -> f64 {
        let product: f64 = self.sides.iter().map(|s| s.largest).product();
        8.0 * (self.n + self.sides.len()) as f64 * f64::EPSILON * product
    }

    fn observed(&self, run: &Run) -> Result<f64> {
        let identity: Vec<u32> = (1..self.sides.len()).flat_map(|_| 0..self.n as u32).collect();
        let mut value = [0.0];
        self.values(&identity, &mut value, run)?;
        Ok(value[0])
    }

    /// dHSIC of each tuple of permutations; d − 1 orders stand one after the other for each.
    fn values(&self, orders: &[u32], out: &mut [f64], run: &Run) -> Result<()> {
        let length = self.n * (self.sides.len() - 1);
        let one = |(value, orders): (&mut f64, &[u32])| {
            if let Some(reason) = run.stop_reason() {
                return Err(run.task("permutations", None).cancelled(reason));
            }
            *value = self.value(orders);
            Ok(())
        };
        run.install(|| match out.len() {
            1 => one((&mut out[0], orders)),
            _ => out.par_iter_mut().zip(orders.par_chunks(length)).try_for_each(one),
        })
    }

    fn value(&self, orders: &[u32]) -> f64 {
        let n = self.n as f64;
        let place = |side: usize, i: usize| if side == 0 { i } else { orders[(side - 1) * self.n + i] as usize };
        let products = sum_of_rows(self.n, |i| {
            let mut row = self.sides[0].gram.row(i)[..i].to_vec();
            for (j, side) in self.sides.iter().enumerate().skip(1) {
                let (from, order) = (side.gram.row(place(j, i)), &orders[(j - 1) * self.n..]);
                row.iter_mut().zip(order).for_each(|(value, &p)| *value *= from[p as usize]);
            }
            let own: f64 = self.sides.iter().enumerate().map(|(j, s)| s.gram.row(place(j, i))[place(j, i)]).product();
            2.0 * row.iter().sum::<f64>() + own
        });
        let means: f64 = (0..self.n)
            .map(|i| self.sides.iter().enumerate().map(|(j, s)| s.means[place(j, i)]).product::<f64>())
            .sum();
        let mean: f64 = self.sides.iter().map(|s| s.mean).product();
        products / (n * n) + mean - 2.0 * means / n
    }
}
