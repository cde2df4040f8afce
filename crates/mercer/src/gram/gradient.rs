//! Pulling weights back through the tree of a formula.

use crate::error::{Error, Result};

use super::leaf_gradient::{self, add};
use super::node::{Diagonals, Node, Side, Window};

/// Adds Σ w·∂K/∂θ over the window to `out`.
///
/// A sum hands its weights to every term, a product multiplies them by the other factors, and so
/// on by the chain rule; only tiles of the window are ever stored.
pub(super) fn pull_back(node: &Node, window: &mut Window<'_>, w: &[f64], out: &mut [f64]) -> Result<()> {
    match node {
        Node::Profile(leaf) => {
            leaf_gradient::pull_back(leaf, window, w, out);
            Ok(())
        }
        Node::Pairs(pairs) => pairs.pull_back(window.rows.clone(), window.cols.clone(), w, out),
        Node::Constant { param, .. } => {
            add(out, *param, w.iter().sum());
            Ok(())
        }
        Node::Scale { factor, param, inner } => {
            if param.is_some() {
                let sum = with_block(inner, window, |k| w.iter().zip(k).map(|(w, k)| w * k).sum());
                add(out, *param, sum);
            }
            // The slope of a multiple does not depend on the value, so the block is not asked for again.
            let mut tile = window.scratch.take(window.len());
            tile.iter_mut().zip(w).for_each(|(t, w)| *t = w * factor);
            let done = pull_back(inner, window, &tile, out);
            window.scratch.give(tile);
            done
        }
        Node::Sum(terms) => terms.iter().try_for_each(|term| pull_back(term, window, w, out)),
        Node::Product(factors) => product(factors, window, w, out),
        Node::Power { base, exponent } => through(base, window, out, |tile, k| {
            tile.iter_mut().zip(w).zip(k).for_each(|((t, w), k)| *t = w * power_slope(*k, *exponent));
        }),
        Node::Exp(inner) => through(inner, window, out, |tile, k| {
            tile.iter_mut().zip(w).zip(k).for_each(|((t, w), k)| *t = w * crate::kernel::elementary::exp(*k));
        }),
        Node::Normalize { inner, own } => normalized(node, inner, own, window, w, out),
        Node::WithGaps { inner, gaps } => {
            // What stands beside a gap does not depend on any parameter.
            let mut tile = window.scratch.take(window.len());
            tile.copy_from_slice(w);
            gaps.replace(window, &mut tile, 0.0);
            let done = pull_back(inner, window, &tile, out);
            window.scratch.give(tile);
            done
        }
    }
}

/// d(k^β)/dk. Where a power below 1 has an infinite slope, at k = 0, the answer is 0: only a kernel
/// that has decayed below the smallest number is 0 there, and its own slope is 0 as well.
fn power_slope(k: f64, exponent: f64) -> f64 {
    match exponent.fract() == 0.0 {
        true => exponent * k.powi(exponent as i32 - 1),
        false if k > 0.0 => exponent * k.powf(exponent - 1.0),
        false => 0.0,
    }
}

/// Computes the block of a node and hands it to `read`.
fn with_block<R>(node: &Node, window: &mut Window<'_>, read: impl FnOnce(&[f64]) -> R) -> R {
    let mut k = window.scratch.take(window.len());
    node.block(window, &mut k);
    let answer = read(&k);
    window.scratch.give(k);
    answer
}

/// Pulls weights back through `inner`, where `weigh` writes them from the block of `inner`.
fn through(
    inner: &Node,
    window: &mut Window<'_>,
    out: &mut [f64],
    weigh: impl FnOnce(&mut [f64], &[f64]),
) -> Result<()> {
    let mut tile = window.scratch.take(window.len());
    with_block(inner, window, |k| weigh(&mut tile, k));
    let done = pull_back(inner, window, &tile, out);
    window.scratch.give(tile);
    done
}

fn product(factors: &[Node], window: &mut Window<'_>, w: &[f64], out: &mut [f64]) -> Result<()> {
    for (i, factor) in factors.iter().enumerate() {
        let mut tile = window.scratch.take(w.len());
        tile.copy_from_slice(w);
        for other in factors.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| f) {
            with_block(other, window, |k| tile.iter_mut().zip(k).for_each(|(t, k)| *t *= k));
        }
        let done = pull_back(factor, window, &tile, out);
        window.scratch.give(tile);
        done?;
    }
    Ok(())
}

/// With n = √(k(x, x)·k(y, y)) and κ = k/n:
/// ∂κ = ∂k/n − ½κ·(∂k(x, x)/k(x, x) + ∂k(y, y)/k(y, y)).
fn normalized(
    node: &Node,
    inner: &Node,
    own: &Diagonals,
    window: &mut Window<'_>,
    w: &[f64],
    out: &mut [f64],
) -> Result<()> {
    let (rows, cols) = (window.rows.clone(), window.cols.clone());
    let mut along_rows = vec![0.0; rows.len()];
    let mut along_cols = vec![0.0; cols.len()];
    let mut tile = window.scratch.take(w.len());
    with_block(node, window, |kappa| {
        for (r, i) in rows.clone().enumerate() {
            for (c, j) in cols.clone().enumerate() {
                let at = r * cols.len() + c;
                let norm = own.norm(i, j);
                tile[at] = if norm > 0.0 { w[at] / norm } else { 0.0 };
                along_rows[r] -= 0.5 * w[at] * kappa[at];
                along_cols[c] -= 0.5 * w[at] * kappa[at];
            }
        }
    });
    let mut done = pull_back(inner, window, &tile, out);
    for (i, sum) in rows.zip(along_rows).chain(cols.zip(along_cols)) {
        done = done.and_then(|()| at_diagonal(inner, own, window, i, sum, out));
    }
    window.scratch.give(tile);
    done
}

/// Adds sum·∂k(x, x)/k(x, x) for point i, through a window of one pair on the diagonal.
fn at_diagonal(
    inner: &Node,
    own: &Diagonals,
    window: &mut Window<'_>,
    i: usize,
    sum: f64,
    out: &mut [f64],
) -> Result<()> {
    if own.side(Side::Rows).len() != own.side(Side::Cols).len() {
        return Err(Error::Unsupported {
            what: "the gradient of a normalised kernel between two different sets".into(),
            alternative: "take the gradient of the Gram matrix of one set".into(),
        });
    }
    let own = own.norm(i, i);
    if own <= 0.0 {
        return Ok(());
    }
    let mut scratch = super::node::Scratch::default();
    let mut one = Window::new(window.sources, i..i + 1, i..i + 1, &mut scratch);
    pull_back(inner, &mut one, &[sum / own], out)
}
