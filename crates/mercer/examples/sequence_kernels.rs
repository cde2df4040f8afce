//! Times kernels of sequences, and judges the weighted degree kernel on promoters and splice sites:
//! `cargo run --release --example sequence_kernels -- promoters.csv`, a file of a label and a sequence a line.

use std::time::Instant;

use mercer::chance::Chance;
use mercer::data::{Column, Inputs, Labels, Table, Texts};
use mercer::gram::dense;
use mercer::model::Cost;
use mercer::model::classify::Svc;
use mercer::select::Split;
use mercer::{KernelExpr, Result, Run};

fn inputs(texts: &[String]) -> Result<Inputs> {
    let column = Column::from(Texts::from_values(texts.iter().map(Some)));
    Ok(Table::new(vec![("text".into(), column)])?.into())
}

/// Texts by chance, of `least` to `most` letters.
fn drawn(count: usize, letters: &str, (least, most): (usize, usize), seed: u64) -> Vec<String> {
    let (letters, mut chance) = (letters.chars().collect::<Vec<char>>(), Chance::new(seed));
    let mut text = || {
        let length = least + chance.below(most - least + 1);
        (0..length).map(|_| letters[chance.below(letters.len())]).collect()
    };
    (0..count).map(|_| text()).collect()
}

/// The subsequence kernel by a table of all levels and places, as the recursion reads.
fn cube(s: &[char], t: &[char], p: usize, decay: f64) -> f64 {
    let (n, m) = (s.len(), t.len());
    let mut reached = vec![vec![vec![0.0; m + 1]; n + 1]; p];
    reached[0].iter_mut().for_each(|row| row.fill(1.0));
    for i in 1..p {
        for k in 1..=n {
            let mut along = 0.0;
            for l in 1..=m {
                along *= decay;
                if s[k - 1] == t[l - 1] {
                    along += decay * decay * reached[i - 1][k - 1][l - 1];
                }
                reached[i][k][l] = decay * reached[i][k - 1][l] + along;
            }
        }
    }
    let mut total = 0.0;
    for k in 1..=n {
        for l in 1..=m {
            if s[k - 1] == t[l - 1] {
                total += decay * decay * reached[p - 1][k - 1][l - 1];
            }
        }
    }
    total
}

fn subsequences(what: &str, texts: &[String], p: usize) -> Result<()> {
    const ROWS: usize = 24;
    let chars: Vec<Vec<char>> = texts.iter().map(|t| t.chars().collect()).collect();
    let begin = Instant::now();
    let plain: Vec<f64> = chars[..ROWS].iter().flat_map(|s| chars.iter().map(move |t| cube(s, t, p, 0.5))).collect();
    let by_cube = begin.elapsed().as_secs_f64() / plain.len() as f64;
    let kernel = KernelExpr::parse(&format!("subsequence(p={p}, decay=0.5)"))?;
    let x = inputs(texts)?;
    for threads in [1, 2] {
        let run = Run::new().with_threads(threads)?;
        let begin = Instant::now();
        let gram = dense::<f64>(&kernel.bind_cross(&x, &x, &run)?, &run)?;
        let own = begin.elapsed().as_secs_f64() / gram.values().len() as f64;
        let off = plain.iter().zip(gram.values()).map(|(a, b)| (a - b).abs() / a.max(1e-300)).fold(0.0, f64::max);
        println!(
            "subsequence, {what}, p = {p}, {threads} threads: {:.2} µs a pair, a table takes {:.2} µs, {:.1} times as long; {off:.0e} apart",
            1e6 * own,
            1e6 * by_cube,
            by_cube / own
        );
    }
    Ok(())
}

fn timed(what: &str, formula: &str, texts: &[String]) -> Result<()> {
    let (kernel, x) = (KernelExpr::parse(formula)?, inputs(texts)?);
    for threads in [1, 2] {
        let run = Run::new().with_threads(threads)?;
        let begin = Instant::now();
        let gram = dense::<f64>(&kernel.bind(&x, &run)?, &run)?;
        println!("{formula}, {what}, {threads} threads: {:.3} s, {}", begin.elapsed().as_secs_f64(), gram.row(0)[0]);
    }
    Ok(())
}

/// Rows that one machine against each class's rest, the largest answer winning, gets wrong.
fn mistakes(kernel: &KernelExpr, c: f64, texts: &[String], classes: &[usize], folds: usize) -> Result<usize> {
    let (x, run, count) = (inputs(texts)?, Run::new(), classes.iter().max().map_or(0, |c| c + 1));
    let stratified = (folds < texts.len()).then_some(classes);
    let mut wrong = 0;
    for fold in Split::Folds(folds).folds(texts.len(), stratified, None, 0)? {
        let (train, test) = (x.take(&fold.train), x.take(&fold.test));
        let mut best = vec![(f64::NEG_INFINITY, 0); fold.test.len()];
        for class in if count == 2 { 1..2 } else { 0..count } {
            let labels = Labels::new(fold.train.iter().map(|i| usize::from(classes[*i] == class)).collect(), 2)?;
            let svc = Svc { kernel: kernel.clone(), c: Cost(c), ..Default::default() };
            let answers = svc.fit(&train, &labels, None, &run)?.model.predict(&test, &run)?;
            for (best, f) in best.iter_mut().zip(&answers) {
                let (value, class) = if count == 2 { (*f, usize::from(*f > 0.0)) } else { (*f, class) };
                if count == 2 || value > best.0 {
                    *best = (value, class);
                }
            }
        }
        wrong += best.iter().zip(&fold.test).filter(|((_, class), i)| *class != classes[**i]).count();
    }
    Ok(wrong)
}

fn judged(what: &str, formula: &str, c: f64, rows: &[(String, String)], folds: usize) -> Result<()> {
    let mut names: Vec<&String> = rows.iter().map(|(label, _)| label).collect();
    names.sort();
    names.dedup();
    let place = |label: &String| names.iter().position(|n| *n == label).unwrap_or(0);
    let classes: Vec<usize> = rows.iter().map(|(label, _)| place(label)).collect();
    let texts: Vec<String> = rows.iter().map(|(_, text)| text.clone()).collect();
    let begin = Instant::now();
    let wrong = mistakes(&KernelExpr::parse(formula)?, c, &texts, &classes, folds)?;
    let share = 1.0 - wrong as f64 / rows.len() as f64;
    println!(
        "{what}, {formula}, C = {c}, {folds} folds: {wrong} of {} wrong, accuracy {share:.4}, {:.1} s",
        rows.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Lines of a label and a sequence, after a line of names.
fn lines(path: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let pairs = text.lines().skip(1).filter_map(|line| line.split_once(','));
    pairs.map(|(label, sequence)| (label.to_owned(), sequence.trim().to_owned())).collect()
}

fn main() -> Result<()> {
    let latin = "abcdefghijklmnopqrstuvwxyz ";
    for p in [2, 3, 5] {
        subsequences("DNA of 60 letters", &drawn(240, "ACGT", (60, 60), 1), p)?;
        subsequences("text of 20 to 300 letters", &drawn(240, latin, (20, 300), 2), p)?;
    }
    let genes = drawn(3000, "ACGT", (60, 60), 3);
    timed("3,000 of 60 letters", "weighted_degree", &genes)?;
    timed("3,000 of 60 letters", "weighted_degree(degree=20)", &genes)?;
    timed("3,000 of 60 letters", "weighted_degree(shift=5)", &genes)?;
    timed("300 proteins of 150 letters", "local_alignment", &drawn(300, "ARNDCQEGHILKMFPSTWYV", (150, 150), 4))?;
    for path in std::env::args().skip(1) {
        let rows = lines(&path);
        let folds = if rows.len() < 500 { rows.len() } else { 10 };
        for (degree, c) in [(3, 1.0), (5, 1.0), (5, 10.0)] {
            judged(&path, &format!("normalize(weighted_degree(degree={degree}))"), c, &rows, folds)?;
        }
    }
    Ok(())
}
