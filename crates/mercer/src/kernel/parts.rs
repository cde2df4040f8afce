//! The one walk over a formula: depth first, from left to right.

use std::slice;

use super::expr::KernelExpr;
use super::leaf::{Columns, Leaf};
use super::spec::Domain;

impl KernelExpr {
    /// The kernels that this one is made of directly: none of a kernel that reads columns itself, or of a constant.
    pub fn parts(&self) -> &[KernelExpr] {
        match self {
            KernelExpr::Leaf(_) | KernelExpr::Custom(_) | KernelExpr::Expression(_) | KernelExpr::Constant(_) => &[],
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts,
            KernelExpr::Scale { inner, .. }
            | KernelExpr::Power { base: inner, .. }
            | KernelExpr::Exp(inner)
            | KernelExpr::Normalize(inner)
            | KernelExpr::WithGaps(inner) => slice::from_ref(inner),
        }
    }

    fn parts_mut(&mut self) -> &mut [KernelExpr] {
        match self {
            KernelExpr::Leaf(_) | KernelExpr::Custom(_) | KernelExpr::Expression(_) | KernelExpr::Constant(_) => {
                &mut []
            }
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts,
            KernelExpr::Scale { inner, .. }
            | KernelExpr::Power { base: inner, .. }
            | KernelExpr::Exp(inner)
            | KernelExpr::Normalize(inner)
            | KernelExpr::WithGaps(inner) => slice::from_mut(inner),
        }
    }

    /// What stands in front of the name of part number `i` in its path.
    fn step(&self, i: usize) -> String {
        match self {
            KernelExpr::Sum(_) | KernelExpr::Product(_) => format!("{i}."),
            KernelExpr::Power { .. } => "power.".into(),
            KernelExpr::Exp(_) => "exp.".into(),
            KernelExpr::Normalize(_) => "normalize.".into(),
            KernelExpr::WithGaps(_) => "with_gaps.".into(),
            _ => String::new(),
        }
    }

    /// This kernel, and all that it is made of.
    ///
    /// ```
    /// let k = mercer::KernelExpr::parse("2*exp(linear) + delta")?;
    /// let nodes: Vec<String> = k.nodes().map(ToString::to_string).collect();
    /// assert_eq!(nodes, ["2*exp(linear) + delta", "2*exp(linear)", "exp(linear)", "linear", "delta"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn nodes(&self) -> impl Iterator<Item = &KernelExpr> {
        let mut ahead = vec![self];
        std::iter::from_fn(move || {
            let node = ahead.pop()?;
            ahead.extend(node.parts().iter().rev());
            Some(node)
        })
    }

    /// The kernels of the catalogue in it.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.nodes().filter_map(|node| match node {
            KernelExpr::Leaf(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// [`nodes`](Self::nodes), each with its path, such as `0.exp.`, in front of what it calls its own.
    pub fn paths(&self) -> impl Iterator<Item = (String, &KernelExpr)> {
        let mut ahead = vec![(String::new(), self)];
        std::iter::from_fn(move || {
            let (path, node) = ahead.pop()?;
            let parts = node.parts().iter().enumerate().rev();
            ahead.extend(parts.map(|(i, part)| (format!("{path}{}", node.step(i)), part)));
            Some((path, node))
        })
    }

    /// Calls `visit` with [`paths`](Self::paths), to change them.
    pub(crate) fn each_node(&mut self, visit: &mut dyn FnMut(&str, &mut KernelExpr)) {
        self.each_below("", visit);
    }

    fn each_below(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut KernelExpr)) {
        visit(path, self);
        let steps: Vec<String> = (0..self.parts().len()).map(|i| format!("{path}{}", self.step(i))).collect();
        self.parts_mut().iter_mut().zip(&steps).for_each(|(part, path)| part.each_below(path, visit));
    }

    /// The columns that this kernel itself reads, and what it wants of their values. A user's function of whole matrices that names none is
    /// handed all columns, whatever it wants of them.
    pub fn own_columns(&self) -> Option<(&Columns, Domain)> {
        match self {
            KernelExpr::Leaf(leaf) => Some((leaf.columns(), leaf.spec().domain)),
            KernelExpr::Expression(expression) => Some((expression.columns(), Domain::Number)),
            KernelExpr::Custom(custom) => Some((&custom.columns, custom.form.domain())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_walks_agree() {
        let formula = "0.5*rbf(a) + with_gaps((linear + 1)^3)*exp(2*normalize(expression(\"x*y\", b)))";
        let kernel = KernelExpr::parse(formula).expect("valid");
        let seen: Vec<(String, KernelExpr)> = kernel.paths().map(|(path, node)| (path, node.clone())).collect();
        let mut changed = Vec::new();
        kernel.clone().each_node(&mut |path, node| changed.push((path.to_owned(), node.clone())));
        assert_eq!(seen, changed);
        assert!(kernel.nodes().eq(seen.iter().map(|(_, node)| node)));
        let of_columns = seen.iter().filter(|(_, node)| node.own_columns().is_some());
        let paths: Vec<&str> = of_columns.map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["0.", "1.0.with_gaps.power.0.", "1.1.exp.normalize."]);
    }
}
