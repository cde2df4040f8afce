//! Against brute force over all segmentations.

use crate::chance::Chance;
use crate::data::{Inputs, Rows};
use crate::gram::KernelMatrix;
use crate::kernel::KernelExpr;
use crate::run::Run;
use crate::testkit::tol;

use super::{ChangePoints, ChangeSearch, Found, KernelChangePoint, Permutations, Segmentation, Segments};

fn points(values: &[f64], width: usize) -> Inputs {
    Rows::new(values.to_vec(), values.len() / width, width).expect("rows").into()
}

const KINDS: [Segments; 2] = [Segments::Levels, Segments::Lines];

fn find(search: ChangeSearch, x: &Inputs) -> Found {
    search.find(x, &Run::new()).expect("an answer")
}

fn fitted(kernel: &str, x: &Inputs, min_size: usize) -> ChangePoints {
    cut_into(Segments::Levels, kernel, x, min_size)
}

fn cut_into(segments: Segments, kernel: &str, x: &Inputs, min_size: usize) -> ChangePoints {
    let kernel = KernelExpr::parse(kernel).expect("a kernel");
    KernelChangePoint { kernel, min_size, segments }.fit(x, &Run::new()).expect("points")
}

/// Every segmentation with segments of `min_size` or more.
fn all(n: usize, min_size: usize) -> Vec<Vec<usize>> {
    let sets = (0u32..1 << (n - 1)).map(|bits| (1..n).filter(|i| bits >> (i - 1) & 1 == 1).collect());
    sets.filter(|changes: &Vec<usize>| {
        let ends = changes.iter().chain([&n]);
        ends.scan(0, |s, t| Some(t - std::mem::replace(s, *t))).all(|length| length >= min_size)
    })
    .collect()
}

fn price(points: &ChangePoints, changes: &[usize]) -> f64 {
    let ends = changes.iter().copied().chain([points.n()]);
    ends.scan(0, |s, t| Some(points.cost(std::mem::replace(s, t)..t).expect("a cost"))).sum()
}

fn attack(rounds: usize, seed: u64) {
    let mut chance = Chance::new(seed);
    let kernels =
        ["linear", "rbf(length_scale=0.7)", "energy", "laplace(length_scale=2)", "rbf(length_scale=1) + 0.1*linear"];
    for round in 0..rounds {
        let segments = KINDS[chance.below(2)];
        // Lines have five points or more.
        let most = if segments == Segments::Lines { 13 } else { 9 };
        let (n, width) = (1 + chance.below(most), 1 + chance.below(3));
        let coarse = chance.below(2) == 0;
        let scale = [1.0, 1e-6, 1e4][chance.below(3)];
        let values: Vec<f64> =
            (0..n * width).map(|_| if coarse { chance.below(3) as f64 } else { scale * chance.normal() }).collect();
        let kernel = kernels[chance.below(kernels.len())];
        let min_size = 1 + chance.below(n);
        let x = points(&values, width);
        let points = cut_into(segments, kernel, &x, min_size);
        let min_size = points.min_size();
        let all: Vec<(Vec<usize>, f64)> =
            all(n, min_size).into_iter().map(|c| (c.clone(), price(&points, &c))).collect();
        let total = points.cost(0..n).expect("a cost");
        let mut diagonal = vec![0.0; n];
        points.kernel().bind(&x, &Run::new()).expect("a matrix").diag(&mut diagonal);
        let size = diagonal.iter().map(|k| k.abs()).sum::<f64>() + total.abs();
        let slack = 8.0 * tol::round(n) * size;
        let said = format!("round {round}: {segments:?}, {kernel}, min_size {min_size}, {values:?}");
        let path = points.path(points.max_changes(), &Run::new()).expect("a path");
        for (changes, found) in path.segmentations().iter().enumerate() {
            let least = all.iter().filter(|(c, _)| c.len() == changes).map(|(_, p)| *p).fold(f64::INFINITY, f64::min);
            check(&points, found, changes, &said);
            assert!((found.cost - least).abs() <= slack, "{said}: {found:?} with {changes}, least {least}");
        }
        let penalty = total * chance.unit();
        let found = points.penalised(penalty.max(0.0), &Run::new()).expect("a segmentation");
        check(&points, &found, found.changes.len(), &said);
        let paid = |cost: f64, changes: usize| cost + penalty.max(0.0) * changes as f64;
        let least = all.iter().map(|(c, p)| paid(*p, c.len())).fold(f64::INFINITY, f64::min);
        let got = paid(found.cost, found.changes.len());
        assert!(
            (got - least).abs() <= slack * n as f64,
            "{said}: penalty {penalty}: {found:?}, least {least}, got {got}"
        );
    }
}

/// A legal segmentation whose cost is the sum of its segments'.
fn check(points: &ChangePoints, found: &Segmentation, changes: usize, said: &str) {
    assert_eq!(found.changes.len(), changes, "{said}");
    let ends: Vec<usize> = [0].iter().chain(&found.changes).chain([&points.n()]).copied().collect();
    assert!(ends.windows(2).all(|w| w[1] >= w[0] + points.min_size()), "{said}: {found:?}");
}

#[test]
fn no_segmentation_is_cheaper() {
    attack(400, 1);
}

#[test]
#[ignore = "long"]
fn no_segmentation_is_cheaper_attacked_for_long() {
    let rounds = std::env::var("MERCER_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(2000);
    attack(rounds, 2);
}

/// The definition, pair by pair, on enough points for several blocks and tiles.
#[test]
fn blocks_tiles_and_threads_leave_no_trace() {
    let mut chance = Chance::new(3);
    let n = 407;
    let values: Vec<f64> = (0..n).map(|i| chance.normal() + if i % 150 > 70 { 1.5 } else { 0.0 }).collect();
    let x = points(&values, 1);
    for min_size in [1, 3, 90] {
        let points = fitted("rbf(length_scale=1)", &x, min_size);
        let most = points.max_changes().min(6);
        let naive = naive(&values, most, min_size);
        for segments in KINDS {
            let points = cut_into(segments, "rbf(length_scale=1)", &x, min_size);
            let most = points.max_changes().min(6);
            let [one, three] = [1, 3].map(|t| points.path(most, &Run::new().with_threads(t).expect("a run")));
            let found = one.expect("a path");
            assert_eq!(found, three.expect("a path"));
            let table = costs_by_definition(&values_of(&points, &x), n, segments);
            let naive = naive_path(&table, n, most, points.min_size());
            for (segmentation, naive) in found.segmentations().iter().zip(&naive) {
                assert!((segmentation.cost - price(&points, &segmentation.changes)).abs() <= tol::round(n) * n as f64);
                // Differences of large sums cost the judge some digits.
                assert!((segmentation.cost - naive).abs() <= 1e-9, "{segmentation:?} {naive}");
            }
            let penalised = points.penalised(5.0, &Run::new()).expect("a segmentation");
            let plain = super::dynamic::penalised(points.problem(), (5.0, false), &Run::new());
            assert_eq!(penalised, plain.expect("a segmentation"));
        }
        let path = points.path(most, &Run::new().with_threads(1).expect("a run")).expect("a path");
        assert_eq!(path, points.path(most, &Run::new().with_threads(3).expect("a run")).expect("a path"));
        let [one, three] = [1, 3].map(|t| points.automatic(&Run::new().with_threads(t).expect("a run")));
        assert_eq!(one.expect("a choice"), three.expect("a choice"));
        for (found, naive) in path.costs().iter().zip(&naive) {
            assert!((found - naive).abs() <= tol::round(n) * n as f64, "{found} {naive}");
        }
        for penalty in [0.5, 3.0, 20.0] {
            let found = points.penalised(penalty, &Run::new()).expect("a segmentation");
            let plain = super::dynamic::penalised(points.problem(), (penalty, false), &Run::new());
            assert_eq!(found, plain.expect("a segmentation"));
            let paid = found.cost + penalty * found.changes.len() as f64;
            let best = naive.iter().enumerate().map(|(c, p)| p + penalty * c as f64).fold(f64::INFINITY, f64::min);
            assert!(paid <= best + 1e-9, "{paid} {best}");
        }
    }
}

/// V by its definition, with costs from a table of the double sums.
fn naive(x: &[f64], most: usize, min_size: usize) -> Vec<f64> {
    let n = x.len();
    let k: Vec<f64> = (0..n * n).map(|at| (-0.5 * (x[at / n] - x[at % n]).powi(2)).exp()).collect();
    naive_path(&costs_by_definition(&k, n, Segments::Levels), n, most, min_size)
}

/// C(s, t) of all segments at s·(n + 1) + t, from sums over squares of the matrix, of which places are weights. Costs are those of the
/// centred matrix, whose sums are small.
fn costs_by_definition(k: &[f64], n: usize, segments: Segments) -> Vec<f64> {
    let width = n + 1;
    let means: Vec<f64> = k.chunks(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let k: Vec<f64> = (0..n * n).map(|at| k[at] - means[at / n] - means[at % n] + mean).collect();
    let place = |i: usize| i as f64 - n as f64 / 2.0;
    let weights: [&dyn Fn(usize, usize) -> f64; 3] =
        [&|_, _| 1.0, &|i, j| 0.5 * (place(i) + place(j)), &|i, j| place(i) * place(j)];
    let [plain, once, twice] = weights.map(|weight| {
        let mut sums = vec![0.0; width * width];
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let value = weight(i, j) * k[i * n + j];
            sums[(i + 1) * width + j + 1] =
                value + sums[i * width + j + 1] + sums[(i + 1) * width + j] - sums[i * width + j];
        }
        sums
    });
    let mut costs = vec![f64::INFINITY; width * width];
    for (s, t) in (0..n).flat_map(|s| (s + 1..=n).map(move |t| (s, t))) {
        let square = |sums: &[f64]| sums[t * width + t] - 2.0 * sums[s * width + t] + sums[s * width + s];
        let (m, trace) = ((t - s) as f64, (s..t).map(|i| k[i * n + i]).sum::<f64>());
        let centre = 0.5 * (place(s) + place(t - 1));
        let rise = square(&twice) - 2.0 * centre * square(&once) + centre * centre * square(&plain);
        let of_line = if segments == Segments::Lines && t > s + 1 { 12.0 * rise / (m * (m * m - 1.0)) } else { 0.0 };
        costs[s * width + t] = trace - square(&plain) / m - of_line;
    }
    costs
}

fn naive_path(costs: &[f64], n: usize, most: usize, min_size: usize) -> Vec<f64> {
    let cost = |s: usize, t: usize| costs[s * (n + 1) + t];
    let mut level: Vec<f64> = (0..=n).map(|t| if t >= min_size { cost(0, t) } else { f64::INFINITY }).collect();
    let mut found = vec![level[n]];
    for _ in 0..most {
        let next = |t: usize| {
            let starts = 0..(t + 1).saturating_sub(min_size);
            starts.map(|s| level[s] + cost(s, t)).fold(f64::INFINITY, f64::min)
        };
        level = (0..=n).map(next).collect();
        found.push(level[n]);
    }
    found
}

/// The matrix of what is left, (I − QQᵀ)K(I − QQᵀ), with Q from indicators of the segments, and times in them.
fn left_by_definition(k: &[f64], n: usize, changes: &[usize], segments: Segments) -> (f64, f64) {
    let ends: Vec<usize> = [0].iter().chain(changes).chain([&n]).copied().collect();
    let power = |w: &[usize], l: i32| {
        (0..n).map(|t| if (w[0]..w[1]).contains(&t) { (t as f64).powi(l) } else { 0.0 }).collect()
    };
    let mut columns: Vec<Vec<f64>> = ends.windows(2).map(|w| power(w, 0)).collect();
    if segments == Segments::Lines {
        columns.extend(ends.windows(2).map(|w| power(w, 1)).collect::<Vec<_>>());
    }
    let mut left = k.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut q in columns {
        for other in basis.iter().chain(&basis) {
            let along: f64 = q.iter().zip(other).map(|(a, b)| a * b).sum();
            q.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
        q.iter_mut().for_each(|v| *v /= length);
        for rows in [true, false] {
            let at = |i: usize, j: usize| if rows { i * n + j } else { j * n + i };
            for j in 0..n {
                let along: f64 = (0..n).map(|i| q[i] * left[at(i, j)]).sum();
                (0..n).for_each(|i| left[at(i, j)] -= along * q[i]);
            }
        }
        basis.push(q);
    }
    let pairs: Vec<usize> = (1..n).filter(|t| !changes.contains(t)).collect();
    let lagged: f64 = pairs.iter().map(|t| left[t * n + t - 1]).sum();
    ((0..n).map(|t| left[t * n + t]).sum(), lagged / pairs.len() as f64)
}

fn values_of(points: &ChangePoints, x: &Inputs) -> Vec<f64> {
    let n = points.n();
    let mut k = vec![0.0; n * n];
    let bound = points.kernel().bind(x, &Run::new()).expect("a matrix");
    bound.block(0..n, 0..n, crate::gram::TileMut::contiguous(&mut k, n, n));
    k
}

#[test]
fn what_is_left_is_the_projection() {
    let (mut chance, n, run) = (Chance::new(5), 41, Run::new());
    let values: Vec<f64> = (0..n).map(|t| chance.normal() + 0.2 * t as f64 + if t > 25 { 3.0 } else { 0.0 }).collect();
    let kernels = ["rbf(length_scale=2)", "energy", "linear"];
    for (kernel, segments) in kernels.into_iter().flat_map(|kernel| KINDS.map(|kind| (kernel, kind))) {
        let x = points(&values, 1);
        let points = cut_into(segments, kernel, &x, 2);
        let k = values_of(&points, &x);
        let neighbours: Vec<f64> = (1..n).map(|t| k[(t - 1) * n + t]).collect();
        let bound = points.kernel().bind(&x, &run).expect("a matrix");
        let multiply = |v: &[f64], width: usize, out: &mut [f64]| crate::gram::apply_block(&bound, v, width, out, &run);
        let path = points.path(4, &run).expect("a path");
        let products = super::left::Products::new((&path, segments), &neighbours, &multiply, &run).expect("products");
        for segmentation in path.segmentations() {
            let (cost, covariance) = left_by_definition(&k, n, &segmentation.changes, segments);
            let (slack, found) = (1e-9 * (1.0 + path.costs()[0]), products.covariance(segmentation));
            let said = format!("{kernel}, {segmentation:?}: {found}, {cost}, {covariance}");
            assert!((segmentation.cost - cost).abs() <= slack && (found - covariance).abs() <= slack, "{said}");
        }
    }
}

/// J again, from the points alone.
fn criterion(points: &ChangePoints, x: &Inputs, changes: &[usize]) -> f64 {
    let n = points.n();
    let k = values_of(points, x);
    let whole = left_by_definition(&k, n, &[], Segments::Levels).0;
    let (cost, covariance) = left_by_definition(&k, n, changes, points.segments());
    let (share, rho) = (cost / whole, (covariance / (cost / n as f64)).clamp(0.0, 0.95));
    let columns = points.kernel().to_string() == "linear";
    let (power, seen, level, line) = if columns { (1.0, 0.005, 4.0, 7.0) } else { (1.5, 0.02, 3.5, 5.5) };
    let parts = match points.segments() {
        Segments::Levels => level * changes.len() as f64,
        Segments::Lines => line * changes.len() as f64 + 2.0,
    };
    n as f64 * (share + (share * (1.0 - rho * rho).powf(power) + seen).ln()) + parts * (n as f64).ln()
}

#[test]
fn the_rule_minimises_its_criterion() {
    let (mut chance, n, run) = (Chance::new(6), 160, Run::new());
    let values: Vec<f64> = (0..n).map(|t| chance.normal() + if t % 80 > 40 { 4.0 } else { 0.0 }).collect();
    let x = points(&values, 1);
    for (kernel, segments) in
        [("rbf(length_scale=2)", KINDS[0]), ("linear", KINDS[0]), ("linear", KINDS[1]), ("energy", KINDS[1])]
    {
        let points = cut_into(segments, kernel, &x, 2);
        let (found, choice) = points.automatic(&run).expect("a choice");
        let path = points.path(8, &run).expect("a path");
        assert_eq!(found, path.segmentations()[choice.changes]);
        assert_eq!((choice.segments, choice.directions, choice.compared), (segments, 1.0, None));
        let all: Vec<f64> = path.segmentations().iter().map(|s| criterion(&points, &x, &s.changes)).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((choice.criterion - least).abs() <= 1e-9 * n as f64, "{choice:?} {all:?}");
        let cost = choice.share * n as f64 * choice.variance;
        assert!((cost - found.cost).abs() <= 1e-9 * n as f64, "{choice:?}");
    }
}

#[test]
fn lines_are_chosen_where_points_follow_them() {
    let (mut chance, n) = (Chance::new(7), 240);
    let season = |t: usize| (t as f64 * 0.5).sin();
    let mut noisy = |f: &dyn Fn(usize) -> f64| -> Inputs {
        points(&(0..n).map(|t| f(t) + season(t) + 0.3 * chance.normal()).collect::<Vec<_>>(), 1)
    };
    let grown = find(ChangeSearch::default(), &noisy(&|t| t as f64 / 20.0));
    assert!(grown.choice.segments == Segments::Lines && grown.segmentation.changes.is_empty(), "{:?}", grown.choice);
    let bent = find(ChangeSearch::default(), &noisy(&|t| (t.min(240 - t)) as f64 / 10.0));
    assert!(bent.choice.segments == Segments::Lines && bent.segmentation.changes.len() == 1, "{:?}", bent.choice);
    // Within half a season.
    assert!(bent.segmentation.changes[0].abs_diff(120) <= 6, "{:?}", bent.segmentation);
    let broken = noisy(&|t| if t < 100 { 0.0 } else { 12.0 });
    let broken = find(ChangeSearch::default(), &broken);
    assert_eq!((broken.choice.segments, &broken.segmentation.changes[..]), (Segments::Levels, &[100][..]));
    assert_eq!(broken.sliced.points.segments(), Segments::Levels);
    let compared = broken.choice.compared.expect("both");
    assert!(compared.levels <= compared.lines && compared.limited < n / 10, "{compared:?}");
}

/// A price for each: what both found is what both would find alone.
#[test]
fn a_given_kernel_judges_both() {
    let (mut chance, run) = (Chance::new(8), Run::new());
    let values: Vec<f64> = (0..120).map(|t| 0.1 * t as f64 + 0.3 * chance.normal()).collect();
    let x = points(&values, 1);
    let kernel = KernelExpr::parse("rbf(length_scale=20)").expect("a kernel");
    let search = ChangeSearch { kernel: Some(kernel), ..ChangeSearch::default() };
    let found = find(search.clone(), &x);
    let alone = KINDS.map(|kind| cut_into(kind, "rbf(length_scale=20)", &x, 2).automatic(&run).expect("a choice").1);
    let compared = found.choice.compared.expect("both");
    assert_eq!([compared.levels, compared.lines], alone.map(|choice| choice.criterion));
    assert_eq!((found.choice.segments, compared.limited), (Segments::Lines, 0));
    let landmarks = find(ChangeSearch { landmarks: Some((20, 1)), ..search }, &x);
    assert_eq!(
        (landmarks.choice.segments, landmarks.segmentation.changes),
        (Segments::Lines, found.segmentation.changes)
    );
}

/// With as many landmarks as points, and all cuts at once, greedy costs are those of the segments.
#[test]
fn greedy_lines_cost_what_their_segments_cost() {
    let mut chance = Chance::new(9);
    let values: Vec<f64> = (0..60).map(|t| chance.normal() + 0.1 * (t as f64 - 30.0).abs()).collect();
    let (x, run) = (points(&values, 1), Run::new());
    for segments in KINDS {
        let points = cut_into(segments, "rbf(length_scale=3)", &x, 4);
        let marks = points.landmarks(60, 3, &run).expect("landmarks");
        for found in marks.path(5, &run).expect("a path").segmentations() {
            let cost = price(&points, &found.changes);
            assert!((cost - found.cost).abs() <= 1e-6, "{segments:?}: {found:?} {cost}");
        }
    }
}

/// The largest gain by the costs of segments, and the share of orders that reach it.
#[test]
fn a_change_of_slope_is_tested_by_orders_of_what_one_line_leaves() {
    let (mut chance, run) = (Chance::new(10), Run::new());
    let values: Vec<f64> = (0..50).map(|t| 0.3 * chance.normal() + 0.1 * (t.min(50 - t)) as f64).collect();
    let x = points(&values, 1);
    let points = cut_into(Segments::Lines, "linear", &x, 4);
    let best = points.path(1, &run).expect("a path").segmentations()[1].clone();
    let tests = points.tests(&best.changes, Permutations::default(), &run).expect("tests");
    let gain = points.cost(0..50).expect("a cost") - best.cost;
    assert!((tests[0].statistic - gain).abs() <= 1e-9 && tests[0].gain == tests[0].statistic, "{tests:?} {gain}");
    assert_eq!(tests[0].pvalue, 1.0 / 200.0);
    let straight: Vec<f64> = (0..50).map(|t| 0.3 * chance.normal() + 0.1 * t as f64).collect();
    let x = self::points(&straight, 1);
    let points = cut_into(Segments::Lines, "linear", &x, 4);
    let best = points.path(1, &run).expect("a path").segmentations()[1].clone();
    let test = points.tests(&best.changes, Permutations::default(), &run).expect("tests").remove(0);
    assert!(test.pvalue > 0.05, "{test:?}");
}

#[test]
fn odd_sequences_have_an_answer() {
    let run = Run::new();
    for values in [vec![1.0], vec![2.0; 2], vec![0.0, 1.0], vec![5.0; 40], vec![1e9; 7], vec![0.0, 0.0, 1.0, 1.0, 1.0]]
    {
        for min_size in [1, 2].into_iter().filter(|m| *m <= values.len()) {
            let x = points(&values, 1);
            let points = fitted("rbf(length_scale=1)", &x, min_size);
            let found = find(ChangeSearch { min_size, ..ChangeSearch::default() }, &x);
            let answers = [points.automatic(&run).expect("a choice"), (found.segmentation, found.choice)];
            for (found, choice) in answers {
                assert!(choice.criterion.is_finite() && found.changes.len() == choice.changes, "{values:?} {choice:?}");
                assert!(values.iter().any(|v| *v != values[0]) || found.changes.is_empty(), "{values:?} {found:?}");
            }
        }
    }
    // More changes than are looked for at first.
    let many: Vec<f64> = (0..800).map(|t| if t / 20 % 2 == 0 { 0.0 } else { 1.0 } + 0.01 * (t % 3) as f64).collect();
    let found = fitted("rbf(length_scale=1)", &points(&many, 1), 2).automatic(&run).expect("a choice").0;
    assert_eq!(found.changes, (1..40).map(|i| 20 * i).collect::<Vec<_>>());
}

/// J rises with the first of them: each alone leaves the two states mixed on both sides.
#[test]
fn two_states_that_take_turns_are_told_apart() {
    let mut chance = Chance::new(29);
    let values: Vec<f64> = (0..1200).map(|t| chance.normal() + f64::from(t / 20 % 2) * 6.0).collect();
    let (found, choice) =
        fitted("rbf(length_scale=3)", &points(&values, 1), 2).automatic(&Run::new()).expect("a choice");
    let near = |turn: usize| found.changes.iter().any(|at| at.abs_diff(turn) <= 2);
    assert_eq!(choice.changes, found.changes.len());
    assert!((57..62).contains(&choice.changes), "{}", choice.changes);
    assert!((1..60).filter(|turn| near(20 * turn)).count() >= 56, "{:?}", found.changes);
}
