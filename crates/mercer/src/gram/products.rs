//! Products with a bound formula whose leaves need no pairs.

use crate::error::Result;
use crate::run::Run;

use super::node::{Diagonals, Node, Side};

impl Node {
    /// Whether the product of every part is there and pays.
    pub(super) fn has_product(&self) -> bool {
        match self {
            Node::Pairs(pairs) => pairs.has_product(),
            Node::Scale { inner, .. } | Node::Normalize { inner, .. } => inner.has_product(),
            Node::Sum(terms) => terms.iter().all(Node::has_product),
            _ => false,
        }
    }

    /// Adds K·V to `out`, where there [is](Self::has_product) such a product.
    pub(super) fn add_product(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        match self {
            Node::Pairs(pairs) => pairs.add_product(v, k, out, run),
            Node::Scale { factor, inner, .. } => {
                let scaled: Vec<f64> = v.iter().map(|v| v * factor).collect();
                inner.add_product(&scaled, k, out, run)
            }
            Node::Sum(terms) => terms.iter().try_for_each(|term| term.add_product(v, k, out, run)),
            Node::Normalize { inner, own } => {
                let mut scaled = v.to_vec();
                own.divide(Side::Cols, k, &mut scaled);
                let mut product = vec![0.0; out.len()];
                inner.add_product(&scaled, k, &mut product, run)?;
                own.divide(Side::Rows, k, &mut product);
                out.iter_mut().zip(&product).for_each(|(sum, p)| *sum += p);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Diagonals {
    /// Divides row i of `values`, which has k columns, by the root of k(xᵢ, xᵢ); makes it 0 where that is.
    fn divide(&self, side: Side, k: usize, values: &mut [f64]) {
        for (row, own) in values.chunks_mut(k.max(1)).zip(self.roots(side)) {
            row.iter_mut().for_each(|v| *v = if own > 0.0 { *v / own } else { 0.0 });
        }
    }
}
