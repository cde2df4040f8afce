//! Lines of equal value, by marching squares.

use std::collections::BTreeMap;

use super::field::Field;

/// The lines on which a field, taken as linear along the sides of its cells, has this value: each a list of [x, y], those
/// that are closed ending where they begin. Cells with a corner that is not finite have none.
///
/// Marching squares (Lorensen and Cline's marching cubes, 1987, in the plane); where opposite corners of a cell are on the
/// same side of the value and the others are not, the mean of the four decides which of them are joined.
///
/// ```
/// use mercer::plot::{Field, contours};
/// let values = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]; // x on two rows
/// let lines = contours(&Field::new((0.0, 2.0), (0.0, 1.0), 3, values.to_vec()), 0.5);
/// assert_eq!(lines, [[[0.5, 0.0], [0.5, 1.0]]]);
/// ```
pub fn contours(field: &Field, level: f64) -> Vec<Vec<[f64; 2]>> {
    let marcher = Marcher { field, level };
    let mut links: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let (rows, columns) = (field.rows(), field.columns);
    for i in 0..rows.saturating_sub(1) {
        for j in 0..columns.saturating_sub(1) {
            for [a, b] in marcher.cell(i, j) {
                links.entry(a).or_default().push(b);
                links.entry(b).or_default().push(a);
            }
        }
    }
    joined(links).iter().map(|line| line.iter().map(|side| marcher.crossing(*side)).collect()).collect()
}

struct Marcher<'a> {
    field: &'a Field,
    level: f64,
}

impl Marcher<'_> {
    fn value(&self, i: usize, j: usize) -> f64 {
        self.field.values[i * self.field.columns + j]
    }

    /// The sides of a cell that a line joins. A side is numbered by its first corner: even along the row, odd across.
    fn cell(&self, i: usize, j: usize) -> Vec<[usize; 2]> {
        let corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)].map(|(i, j)| self.value(i, j));
        if corners.iter().any(|v| !v.is_finite()) {
            return Vec::new();
        }
        let c = self.field.columns;
        let sides = [2 * (i * c + j), 2 * (i * c + j + 1) + 1, 2 * ((i + 1) * c + j), 2 * (i * c + j) + 1];
        let above = corners.map(|v| v >= self.level);
        let crossed: Vec<usize> = (0..4).filter(|k| above[*k] != above[(*k + 1) % 4]).map(|k| sides[k]).collect();
        match crossed[..] {
            [a, b] => vec![[a, b]],
            // A saddle: the centre belongs to one pair of opposite corners, and the lines go around the others.
            [a, b, c, d] => match (corners.iter().map(|v| v / 4.0).sum::<f64>() >= self.level) == above[0] {
                true => vec![[a, b], [c, d]],
                false => vec![[a, d], [b, c]],
            },
            _ => Vec::new(),
        }
    }

    /// Where the value is taken on a side.
    fn crossing(&self, side: usize) -> [f64; 2] {
        let (i, j) = (side / 2 / self.field.columns, side / 2 % self.field.columns);
        let (k, l) = if side.is_multiple_of(2) { (i, j + 1) } else { (i + 1, j) };
        let share = Field::share(self.level, (self.value(i, j), self.value(k, l)));
        let along = |(first, last): (f64, f64), count: usize, at: f64| first + (last - first) * at / (count - 1) as f64;
        let (x, y) = if side.is_multiple_of(2) { (j as f64 + share, i as f64) } else { (j as f64, i as f64 + share) };
        [along(self.field.x, self.field.columns, x), along(self.field.y, self.field.rows(), y)]
    }
}

/// Lines from pairs of sides: first those with two ends, then those that are closed, each from its first side.
fn joined(mut links: BTreeMap<usize, Vec<usize>>) -> Vec<Vec<usize>> {
    let ends: Vec<usize> = links.iter().filter(|(_, next)| next.len() == 1).map(|(side, _)| *side).collect();
    let open: Vec<Vec<usize>> = ends.into_iter().filter_map(|end| walk(end, &mut links)).collect();
    let mut lines = open;
    while let Some(first) = links.keys().next().copied() {
        match walk(first, &mut links) {
            Some(line) => lines.push(line),
            None => drop(links.remove(&first)),
        }
    }
    lines
}

/// Follows links from a side until there is none left, taking them away.
fn walk(start: usize, links: &mut BTreeMap<usize, Vec<usize>>) -> Option<Vec<usize>> {
    let mut line = vec![start];
    let mut here = start;
    while let Some(next) = links.get_mut(&here).and_then(Vec::pop) {
        if links.get(&here).is_some_and(Vec::is_empty) {
            links.remove(&here);
        }
        if let Some(back) = links.get_mut(&next) {
            if let Some(at) = back.iter().position(|side| *side == here) {
                back.swap_remove(at);
            }
            if back.is_empty() {
                links.remove(&next);
            }
        }
        line.push(next);
        here = next;
    }
    (line.len() > 1).then_some(line)
}
