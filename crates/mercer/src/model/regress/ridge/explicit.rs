//! How many dimensions the feature space of a formula has, where they are few and known.

use crate::data::Inputs;
use crate::kernel::{Columns, Domain, KernelExpr, Kind, Leaf};

/// A bound on the rank of every Gram matrix of this kernel on points like `x`, if it has one.
///
/// Of ⟨x, y⟩ it is the number of columns, of a sum the sum, of a product the product, of a power
/// kᵖ the number of monomials of degree p, and so on.
pub(super) fn dimensions(expr: &KernelExpr, x: &Inputs) -> Option<usize> {
    let columns = match x {
        Inputs::Precomputed(_) => return None,
        Inputs::Dense(x) => x.ncols(),
        Inputs::Sparse(x) => x.ncols(),
        Inputs::Table(_) => expr.columns_of(&Columns::All, Domain::Number, x).len(),
    };
    of_part(expr, columns)
}

/// Of a part, where those that name no columns read so many.
fn of_part(expr: &KernelExpr, columns: usize) -> Option<usize> {
    let of = |part: &KernelExpr| of_part(part, columns);
    match expr {
        KernelExpr::Leaf(leaf) => of_leaf(leaf, columns),
        KernelExpr::Constant(_) => Some(1),
        KernelExpr::Scale { inner, .. } | KernelExpr::Normalize(inner) => of(inner),
        // One more for the points with a gap.
        KernelExpr::WithGaps(inner) => of(inner)?.checked_add(1),
        KernelExpr::Sum(parts) => parts.iter().try_fold(0usize, |sum, k| sum.checked_add(of(k)?)),
        KernelExpr::Product(parts) => parts.iter().try_fold(1usize, |product, k| product.checked_mul(of(k)?)),
        KernelExpr::Power { base, exponent } if exponent.fract() == 0.0 => monomials(of(base)?, *exponent as usize),
        _ => None,
    }
}

fn of_leaf(leaf: &Leaf, columns: usize) -> Option<usize> {
    let d = match leaf.columns() {
        Columns::Named(names) => names.len(),
        Columns::All => columns,
    };
    match leaf.kind() {
        Kind::Linear | Kind::Cosine => Some(d),
        // (γ⟨x, y⟩ + c)ᵖ is a power of the inner product of (x, 1).
        Kind::Poly => monomials(d.checked_add(1)?, leaf.integer("degree") as usize),
        _ => None,
    }
}

/// The number of monomials of degree p in d variables: (d + p − 1 choose p).
fn monomials(d: usize, p: usize) -> Option<usize> {
    let mut count: usize = 1;
    for i in 0..p {
        // Exact: a product of i + 1 neighbours is divisible by (i + 1)!.
        count = count.checked_mul(d + i)? / (i + 1);
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rows;

    #[test]
    fn ranks_are_bounded_by_what_the_formula_says() {
        let x: Inputs = Rows::new(vec![0.0; 6], 2, 3).expect("2×3").into();
        let of = |formula: &str| dimensions(&KernelExpr::parse(formula).expect("a formula"), &x);
        assert_eq!(of("linear"), Some(3));
        assert_eq!(of("2*linear(x0) + 1"), Some(2));
        assert_eq!(of("(linear + 1)^2"), Some(10));
        assert_eq!(of("poly(degree=2)"), Some(10));
        assert_eq!(of("linear*linear(x1, x2)"), Some(6));
        assert_eq!(of("linear + rbf"), None);
    }
}
