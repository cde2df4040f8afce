//! The largest eigenvalues of a symmetric operator that is known by its products with blocks of vectors.

mod dense;
mod subspace;

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::linalg::{LinearOperator, dot, fix_sign, normal_vectors};
use crate::run::Run;

use subspace::{Added, Subspace};

/// What to look for, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopEigenParams {
    /// How many eigenvalues, k; of a smaller operator all are found.
    pub count: usize,
    /// The residual ‖A·v − λ·v‖ to reach in every pair, over the largest |λ|.
    pub tolerance: f64,
    /// The largest number of products with a block.
    pub max_products: usize,
    /// Where chance begins.
    pub seed: u64,
    /// Whether the vectors that are returned are multiplied once more to judge them; without it, residuals are those of products that
    /// were made on the way, which is enough for who judges the answer anyway.
    pub judge: bool,
}

impl TopEigenParams {
    /// Whether so many eigenvalues of an operator of n rows are found fastest with all others.
    pub fn takes_all(&self, n: usize) -> bool {
        n <= SMALL || LEAST_BLOCKS * self.width(n) >= n
    }

    /// Vectors of a block: more than eigenvalues, so that those at the end converge, too.
    fn width(&self, n: usize) -> usize {
        let count = self.count.min(n);
        (count + (count / 8).max(6)).next_multiple_of(8)
    }
}

impl Default for TopEigenParams {
    fn default() -> Self {
        TopEigenParams { count: 1, tolerance: 1e-9, max_products: 500, seed: 0, judge: true }
    }
}

/// The k largest eigenvalues with their vectors, and how they were found.
#[derive(Debug)]
pub struct TopEigen {
    n: usize,
    values: Vec<f64>,
    vectors: Vec<f64>,
    residuals: Vec<f64>,
    products: usize,
    dense: bool,
    stop: Stop,
}

impl TopEigen {
    /// Number of rows of the operator.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The eigenvalues, the largest first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The unit eigenvector of eigenvalue number `l`; its entry of largest magnitude (the first of them) is positive.
    pub fn vector(&self, l: usize) -> &[f64] {
        &self.vectors[l * self.n..(l + 1) * self.n]
    }

    /// All vectors, one after the other.
    pub fn vectors(&self) -> &[f64] {
        &self.vectors
    }

    /// ‖A·v − λ·v‖ of each pair, from a product with v itself if that was asked for.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Products with a block of vectors.
    pub fn products(&self) -> usize {
        self.products
    }

    /// Whether the operator was written out and decomposed whole, because k is a large part of it or it is small.
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// Why it ended.
    pub fn stop(&self) -> Stop {
        self.stop
    }
}

/// Operators of fewer rows are decomposed whole: that takes less time than a search.
const SMALL: usize = 200;
/// Blocks that the space of the search holds; an operator with no more columns than that is decomposed whole.
const LEAST_BLOCKS: usize = 5;
/// Products without a new best residual after which rounding is to blame.
const PATIENCE: usize = 12;

/// **Solves** A·v = λ·v for the k largest λ of a symmetric A; positive semi-definite or not, "largest" is by value.
///
/// **Given** A by its products with blocks of vectors, which cost little more than one vector does where A is computed on
/// the way. **Returns** the pairs, the largest first, with residuals that are computed again from products with the vectors
/// that are returned.
///
/// The space of the search starts from a block of more than k vectors by chance and grows by the residuals of its best
/// approximations, which is the Krylov space of the block; when it is full, it starts again from its best vectors. As the block
/// is never narrower than k, eigenvalues that are repeated are found as often as they are there, but for a set of starts of
/// probability 0. All vectors are kept orthogonal to all others.
///
/// **Stops when** every residual is below the tolerance, the space cannot grow (it is invariant), the residuals do not
/// fall for twelve products, or the products are used up. A run that is stopped returns what there is, with residuals of the
/// products made by then; without one, the answer is the error of being cancelled.
///
/// **Cost** about ten products with k + 6 vectors where eigenvalues fall, and twelve times as many vectors of memory, twice.
///
/// **References** Stathopoulos & McCombs (2007), *Nearly optimal preconditioned methods for Hermitian eigenproblems under
/// limited memory*, SIAM J. Sci. Comput. 29, sections 2 and 3 (without a preconditioner it is block Lanczos with thick restarts,
/// Wu & Simon 2000); Stathopoulos & Wu (2002) for how blocks are made orthonormal.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows}, gram::Streamed, solver::{TopEigenParams, top_eigen}};
/// let x: Inputs = Rows::new(vec![3.0, 4.0], 2, 1)?.into();
/// let k = KernelExpr::parse("linear")?.bind(&x, &Run::new())?; // rank one: 3² + 4²
/// let top = top_eigen(&Streamed(&k), &TopEigenParams::default(), &Run::new())?;
/// assert!((top.values()[0] - 25.0).abs() < 1e-12 && (top.vector(0)[1] - 0.8).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn top_eigen(operator: &dyn LinearOperator, params: &TopEigenParams, run: &Run) -> Result<TopEigen> {
    let n = validate(operator, params)?;
    let count = params.count.min(n);
    match params.takes_all(n) {
        true => dense::decompose(operator, count, run),
        false => run.enter(|| Search::new(operator, params, [n, count, params.width(n)], run)?.go(run)),
    }
}

/// The number of rows of an operator that has eigenvalues.
fn validate(operator: &dyn LinearOperator, params: &TopEigenParams) -> Result<usize> {
    let n = operator.nrows();
    if operator.ncols() != n {
        return Err(Error::shape("an operator with eigenvalues", "as many columns as rows", operator.ncols()));
    }
    if params.count == 0 {
        return Err(Error::invalid("the eigenvalue solver", "count", 0, "at least 1"));
    }
    match params.tolerance > 0.0 && params.tolerance < 1.0 {
        true => Ok(n),
        false => Err(Error::invalid("the eigenvalue solver", "tolerance", params.tolerance, "above 0 and below 1")),
    }
}

/// A search under way.
struct Search<'a> {
    operator: &'a dyn LinearOperator,
    params: &'a TopEigenParams,
    count: usize,
    width: usize,
    space: Subspace,
}

impl<'a> Search<'a> {
    fn new(
        operator: &'a dyn LinearOperator,
        params: &'a TopEigenParams,
        [n, count, width]: [usize; 3],
        run: &Run,
    ) -> Result<Self> {
        Ok(Search { operator, params, count, width, space: Subspace::new(n, width, run)? })
    }

    fn go(mut self, run: &Run) -> Result<TopEigen> {
        let task = run.task("top_eigen", None);
        let mut fresh = self.start();
        let (mut best, mut since) = (f64::INFINITY, 0);
        for products in 0..self.params.max_products.max(1) {
            match self.space.add(&mut fresh, self.operator, run) {
                Ok(Added::Some) => {}
                Ok(Added::None) => return self.finish(products, self.settled(), run),
                Err(Error::Cancelled { .. }) if products > 0 => return self.stopped(products, run),
                Err(error) => return Err(error),
            }
            // From here on `fresh` holds the residuals of the best approximations.
            fresh = self.space.improve(self.width, run)?;
            let worst = self.space.worst(self.count);
            (best, since) = if worst < best { (worst, 0) } else { (best, since + 1) };
            if worst <= self.params.tolerance {
                return self.finish(products + 1, Stop::Tolerance, run);
            }
            if since >= PATIENCE {
                return self.finish(products + 1, Stop::Stagnation, run);
            }
            if task.step(Some(worst)).is_some() {
                return self.stopped(products + 1, run);
            }
            fresh = self.open(fresh);
        }
        self.finish(self.params.max_products, Stop::MaxIterations, run)
    }

    /// A block by chance.
    fn start(&self) -> Vec<f64> {
        normal_vectors(self.space.n(), self.width, self.params.seed)
    }

    /// The residuals that are worth following: those of pairs that are not yet found.
    fn open(&self, residuals: Vec<f64>) -> Vec<f64> {
        let n = self.space.n();
        let found = |l: &usize| self.space.residuals()[*l] <= 0.1 * self.params.tolerance;
        let open = (0..residuals.len() / n).filter(|l| !found(l));
        open.flat_map(|l| residuals[l * n..(l + 1) * n].iter().copied()).collect()
    }

    /// How a search ends whose space cannot grow: what is left is rounding.
    fn settled(&self) -> Stop {
        let rounding = self.space.n() as f64 * f64::EPSILON;
        match self.space.worst(self.count) <= self.params.tolerance.max(rounding) {
            true => Stop::Tolerance,
            false => Stop::Stagnation,
        }
    }

    /// The pairs there are; a product with the vectors themselves judges them where that is asked for.
    fn finish(&self, products: usize, stop: Stop, run: &Run) -> Result<TopEigen> {
        let vectors = self.space.best(self.count, run)?;
        if !self.params.judge {
            let images = self.space.best_images(self.count, run)?;
            return Ok(self.pairs(vectors, &images, products, stop));
        }
        match self.space.product(&vectors, self.operator, run) {
            Ok(images) => Ok(self.pairs(vectors, &images, products + 1, stop)),
            Err(Error::Cancelled { .. }) => self.stopped(products, run),
            Err(error) => Err(error),
        }
    }

    /// The pairs there are, when there is no time for another product.
    fn stopped(&self, products: usize, run: &Run) -> Result<TopEigen> {
        let stop = run.stop_reason().map_or(Stop::Interrupted, Stop::from);
        let run = run.without_stops();
        let (vectors, images) = (self.space.best(self.count, &run)?, self.space.best_images(self.count, &run)?);
        Ok(self.pairs(vectors, &images, products, stop))
    }

    fn pairs(&self, mut vectors: Vec<f64>, images: &[f64], products: usize, stop: Stop) -> TopEigen {
        let n = self.space.n();
        let unit = self.space.unit();
        let (mut values, mut residuals) = (Vec::new(), Vec::new());
        for (v, image) in vectors.chunks(n).zip(images.chunks(n)) {
            let value = dot(v, image);
            let left: f64 = v.iter().zip(image).map(|(v, a)| (a - value * v).powi(2)).sum();
            values.push(value * unit);
            residuals.push(left.sqrt() * unit);
        }
        vectors.chunks_mut(n).for_each(fix_sign);
        let mut top = TopEigen { n, values, vectors, residuals, products, dense: false, stop };
        top.sort();
        top
    }
}

impl TopEigen {
    /// Rounding may exchange neighbours that agree in all digits but the last.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|a, b| self.values[*b].total_cmp(&self.values[*a]));
        if order.is_sorted() {
            return;
        }
        self.vectors = order.iter().flat_map(|l| self.vector(*l).to_vec()).collect();
        self.values = order.iter().map(|l| self.values[*l]).collect();
        self.residuals = order.iter().map(|l| self.residuals[*l]).collect();
    }
}
