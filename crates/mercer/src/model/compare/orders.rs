//! Orders of rows that are not drawn by chance alone: all of them, and shifts round a circle.

use crate::chance::Chance;

/// n!, where it is at most `most`.
pub(super) fn few_permutations(n: usize, most: usize) -> Option<usize> {
    (1..=n).try_fold(1usize, |product, k| product.checked_mul(k).filter(|p| *p <= most))
}

/// All permutations of 0..n one after the other, the identity first (Heap 1963, *Permutations by interchanges*).
pub(super) fn all_permutations(n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let (mut all, mut counters, mut i) = (order.clone(), vec![0; n], 1);
    while i < n {
        if counters[i] < i {
            order.swap(if i.is_multiple_of(2) { 0 } else { counters[i] }, i);
            all.extend(&order);
            counters[i] += 1;
            i = 1;
        } else {
            counters[i] = 0;
            i += 1;
        }
    }
    all
}

/// The shifts 1..n in order where all of them are asked for, and some of them by chance otherwise.
pub(super) fn shifts(n: usize, count: usize, seed: u64) -> Vec<usize> {
    match count + 1 >= n {
        true => (1..n).collect(),
        false => {
            let (mut drawn, _) = Chance::new(seed).draw(n - 1, count);
            drawn.iter_mut().for_each(|s| *s += 1);
            // Stopping early must not favour short shifts.
            Chance::new(seed ^ 1).shuffle(&mut drawn);
            drawn
        }
    }
}

/// The order t, t + 1, …, n − 1, 0, …, t − 1.
pub(super) fn shifted(n: usize, by: usize) -> impl Iterator<Item = u32> {
    (0..n).map(move |i| ((i + by) % n) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_permutations_are_there_once() {
        for n in 1..7 {
            let all = all_permutations(n);
            let mut orders: Vec<&[u32]> = all.chunks(n).collect();
            assert!(orders[0].iter().enumerate().all(|(i, p)| i == *p as usize));
            orders.sort_unstable();
            orders.dedup();
            assert_eq!(Some(orders.len()), few_permutations(n, 1000), "{n}");
        }
        assert_eq!(
            (few_permutations(7, 5040), few_permutations(7, 5039), few_permutations(60, usize::MAX)),
            (Some(5040), None, None)
        );
    }

    #[test]
    fn shifts_are_distinct_and_never_none() {
        assert_eq!(shifts(5, 9, 0), [1, 2, 3, 4]);
        let mut some = shifts(50, 20, 3);
        some.sort_unstable();
        some.dedup();
        assert!(some.len() == 20 && some[0] >= 1 && some[19] < 50);
        assert_eq!(shifted(4, 3).collect::<Vec<_>>(), [3, 0, 1, 2]);
    }
}
