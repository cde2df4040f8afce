//! How matrices are cut.

use std::ops::Range;

/// Rows and columns of a tile. A multiple of the panel, so that no panel is computed twice, and
/// small enough for a tile and its transpose to stay in the second cache.
pub(super) const TILE: usize = 240;

/// 0..n in tiles.
pub(super) fn tiles(n: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    (0..n).step_by(TILE).map(move |start| start..(start + TILE).min(n))
}
