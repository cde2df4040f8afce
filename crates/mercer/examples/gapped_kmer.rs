//! Gapped k-mers against a model of LS-GKM, and the time of pairs and of products.
//!
//! cargo run --release --example gapped_kmer -- FOLDER
//!
//! The folder holds `reference_gkmtrain_model.txt` and `reference_cvpred.txt` of LS-GKM, `nfe2.tr.fa`, `nfe2.neg.tr.fa` and
//! `nfe2.test.fa`, as its repository does. Without a folder, times alone are shown.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Column, ColumnType, FileFormat, Inputs, Labels, ReadOptions, Table, Texts, read};
use mercer::gram::{KernelMatrix, WordTable, apply, dense};
use mercer::kernel::sequence::{Alphabet, ByDistance, Filter, GappedKmer, Strands};
use mercer::kernel::{Kernel, KernelExpr};
use mercer::model::classify::Svc;
use mercer::{Result, Run};

/// What LS-GKM trains with, before it is normalised. `normalize` refuses it, since it is not positive definite.
const FORMULA: &str = "gapped_kmer(l=10, k=6, filter=truncated, max_mismatches=3, reverse_complement=yes)";
/// The same without the cut, which is.
const UNCUT: &str = "normalize(gapped_kmer(l=10, k=6, filter=truncated, reverse_complement=yes))";

fn inputs(sequences: &[String]) -> Result<Inputs> {
    let column = Column::from(Texts::from_values(sequences.iter().map(Some)));
    Ok(Table::new(vec![("sequence".into(), column)])?.into())
}

/// Names and sequences of a FASTA file.
fn fasta(path: &Path, run: &Run) -> Result<Vec<(String, String)>> {
    let options = ReadOptions { format: Some(FileFormat::Fasta), ..ReadOptions::default() };
    let data = read(path, &options, run)?;
    let Inputs::Table(table) = &data.inputs else { return Ok(Vec::new()) };
    let cells = |name: &str| table.column(name).map(words).unwrap_or_default();
    Ok(cells("id").into_iter().zip(cells("sequence")).collect())
}

/// The words of a column of text or categories.
fn words(column: &Column) -> Vec<String> {
    let texts = column.read_as(ColumnType::TEXT);
    let texts = texts.as_ref().and_then(|column| column.values_of::<Texts>());
    texts.map(|texts| texts.iter_optional().map(|t| t.unwrap_or_default().to_owned()).collect()).unwrap_or_default()
}

/// A model of LS-GKM: ρ, and coefficients with their sequences.
fn model(path: &Path) -> std::io::Result<(f64, Vec<(f64, String)>)> {
    let text = std::fs::read_to_string(path)?;
    let number = |line: &str| line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok());
    let rho = text.lines().find(|l| l.starts_with("rho ")).and_then(number).unwrap_or(f64::NAN);
    let vectors = text.lines().skip_while(|l| *l != "SV").skip(1).filter_map(|line| {
        let mut parts = line.split_whitespace();
        Some((parts.next()?.parse().ok()?, parts.next()?.to_owned()))
    });
    Ok((rho, vectors.collect()))
}

/// The decisions of LS-GKM's model: those of its free support vectors are ±1, up to its tolerance of 0.001.
fn against_the_model(folder: &Path, run: &Run) -> Result<()> {
    let unread = |e: std::io::Error| mercer::Error::invalid("the folder", "a file", e, "readable");
    let (rho, vectors) = model(&folder.join("reference_gkmtrain_model.txt")).map_err(unread)?;
    let (coefficients, sequences): (Vec<f64>, Vec<String>) = vectors.into_iter().unzip();
    let kernel = KernelExpr::parse(FORMULA)?;
    let points = inputs(&sequences)?;
    let bound = kernel.bind(&points, run)?;
    let gram = dense::<f64>(&bound, run)?.into_values();
    let n = sequences.len();
    let own: Vec<f64> = (0..n).map(|i| gram[i * n + i].sqrt()).collect();
    let weights: Vec<f64> = coefficients.iter().zip(&own).map(|(c, own)| c / own).collect();
    let largest = coefficients.iter().fold(0.0f64, |a, c| a.max(c.abs()));
    let (mut free, mut worst) = (0, 0.0f64);
    for i in 0..n {
        let decision = (0..n).map(|j| weights[j] * gram[i * n + j]).sum::<f64>() / own[i] - rho;
        if coefficients[i].abs() < largest - 1e-9 {
            (free, worst) = (free + 1, worst.max((decision - coefficients[i].signum()).abs()));
        }
    }
    println!("{n} support vectors, {free} free: |f(x)·y − 1| is at most {worst:.6}");
    let tests = fasta(&folder.join("nfe2.test.fa"), run)?;
    let (names, new): (Vec<String>, Vec<String>) = tests.into_iter().unzip();
    let new = inputs(&new)?;
    let cross = kernel.bind_cross(&new, &points, run)?;
    let (mut scores, mut squares) = (vec![0.0; names.len()], vec![0.0; names.len()]);
    apply(&cross, &weights, 1, &mut scores, run)?;
    kernel.bind(&new, run)?.diag(&mut squares);
    let by_pairs = dense::<f64>(&cross, run)?;
    for (i, name) in names.iter().take(4).enumerate() {
        let pairs: f64 = by_pairs.values()[i * n..(i + 1) * n].iter().zip(&weights).map(|(k, c)| k * c).sum();
        let root = squares[i].sqrt();
        println!("  {name}: {:.6}, by pairs {:.6}", scores[i] / root - rho, pairs / root - rho);
    }
    Ok(())
}

/// Cross-validation with the folds of LS-GKM.
fn cross_validation(folder: &Path, run: &Run) -> Result<()> {
    let unread = |e: std::io::Error| mercer::Error::invalid("the folder", "a file", e, "readable");
    let mut records = fasta(&folder.join("nfe2.tr.fa"), run)?;
    let positive = records.len();
    records.extend(fasta(&folder.join("nfe2.neg.tr.fa"), run)?);
    let text = std::fs::read_to_string(folder.join("reference_cvpred.txt")).map_err(unread)?;
    let theirs: std::collections::HashMap<&str, (f64, &str)> = text
        .lines()
        .filter_map(|line| {
            let mut parts = line.split('\t');
            let (name, score) = (parts.next()?, parts.next()?.parse().ok()?);
            Some((name, (score, parts.nth(1)?)))
        })
        .collect();
    let sequences: Vec<String> = records.iter().map(|(_, s)| s.clone()).collect();
    let (x, classes): (Inputs, Vec<usize>) =
        (inputs(&sequences)?, (0..records.len()).map(|i| usize::from(i < positive)).collect());
    for formula in [UNCUT] {
        let begin = Instant::now();
        let mut scores = vec![f64::NAN; records.len()];
        for fold in ["1", "2", "3", "4", "5"] {
            let out = |i: &usize| theirs.get(records[*i].0.as_str()).is_some_and(|(_, f)| *f == fold);
            let (test, train): (Vec<usize>, Vec<usize>) = (0..records.len()).partition(out);
            let svc = Svc { kernel: KernelExpr::parse(formula)?, ..Default::default() };
            let labels = Labels::new(train.iter().map(|i| classes[*i]).collect(), 2)?;
            let fitted = svc.fit(&x.take(&train), &labels, None, run)?;
            for (i, f) in test.iter().zip(fitted.model.predict(&x.take(&test), run)?) {
                scores[*i] = f;
            }
        }
        let reference: Vec<f64> =
            records.iter().map(|(name, _)| theirs.get(name.as_str()).map_or(f64::NAN, |t| t.0)).collect();
        println!("{formula}: {:.1} s", begin.elapsed().as_secs_f64());
        println!(
            "  AUC {:.5}, correlation with LS-GKM's scores {:.6}",
            auc(&scores, positive),
            correlation(&scores, &reference)
        );
        println!("  LS-GKM's AUC {:.5}", auc(&reference, positive));
    }
    Ok(())
}

/// The share of pairs in the right order; the first `positive` are the higher ones.
fn auc(scores: &[f64], positive: usize) -> f64 {
    let (high, low) = scores.split_at(positive);
    let pairs = high.iter().flat_map(|a| {
        low.iter().map(move |b| {
            if a > b {
                1.0
            } else if a == b {
                0.5
            } else {
                0.0
            }
        })
    });
    pairs.sum::<f64>() / (high.len() * low.len()) as f64
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - ma, b - mb)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Sequences of 200 letters by chance.
fn random(n: usize, letters: usize) -> Vec<String> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"ACGT"[(state >> 62) as usize])
    };
    (0..n).map(|_| (0..letters).map(|_| next()).collect()).collect()
}

fn time<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let begin = Instant::now();
    let done = work()?;
    println!("{what:60} {:10.4} s", begin.elapsed().as_secs_f64());
    Ok(done)
}

/// Gram matrices of pairs.
fn grams(run: &Run) -> Result<()> {
    let few = inputs(&random(1000, 200))?;
    let many = inputs(&random(10_000, 200))?;
    for formula in
        ["mismatch(k=5, m=1)", "mismatch(k=8, m=1)", "gapped_kmer", "gapped_kmer(l=11, k=7, reverse_complement=yes)"]
    {
        time(&format!("{formula}: Gram of 1,000 × 200 nt"), || {
            dense::<f64>(&KernelExpr::parse(formula)?.bind(&few, run)?, run)
        })?;
    }
    for formula in ["ngram(n=5)", "mismatch(k=5, m=1)"] {
        let bound =
            time(&format!("{formula}: binding 10,000 × 200 nt"), || KernelExpr::parse(formula)?.bind(&many, run))?;
        time(&format!("{formula}: their Gram"), || dense::<f64>(&bound, run))?;
        time(&format!("{formula}: their Gram in f32"), || dense::<f32>(&bound, run))?;
    }
    Ok(())
}

/// Products with all sequences, whose time is that of reading them and of one table.
fn products(run: &Run) -> Result<()> {
    for n in [1000, 10_000, 100_000] {
        let x = inputs(&random(n, 200))?;
        let kernel = KernelExpr::parse("gapped_kmer(l=11, k=7, reverse_complement=yes)")?;
        let bound = time(&format!("gapped_kmer(l=11, k=7): binding {n}"), || kernel.bind(&x, run))?;
        let (v, mut out) = (vec![1.0 / n as f64; n], vec![0.0; n]);
        let own = bound.product(&v, 1, &mut out, run)?;
        if own {
            time(&format!("gapped_kmer(l=11, k=7): K·v, n = {n}"), || apply(&bound, &v, 1, &mut out, run))?;
        }
        let by_distance = GappedKmer { l: 11, k: 7, strands: Strands::Both, ..GappedKmer::default() }.by_distance()?;
        smoothing(&by_distance, run)?;
    }
    Ok(())
}

fn smoothing(kernel: &ByDistance, run: &Run) -> Result<()> {
    let mut table = WordTable::new(kernel.windows(), run)?;
    time("  of it smoothing the table of 4¹¹ words", || table.smooth(kernel.h(), run))
}

/// Two sequences of a million letters.
fn long(run: &Run) -> Result<()> {
    let x = random(2, 1_000_000);
    let kernel = GappedKmer { filter: Filter::Count, alphabet: Alphabet::Dna, ..GappedKmer::default() };
    let value = time("gapped_kmer of two sequences of 1,000,000 letters", || Ok(kernel.eval(&x[0], &x[1])))?;
    println!("  {value:e}");
    let x = inputs(&x)?;
    time("mismatch(k=8): their Gram", || dense::<f64>(&KernelExpr::parse("mismatch(k=8)")?.bind(&x, run)?, run))?;
    Ok(())
}

fn main() -> Result<()> {
    let run = Run::new();
    if let Some(folder) = std::env::args().nth(1) {
        against_the_model(Path::new(&folder), &run)?;
        cross_validation(Path::new(&folder), &run)?;
    }
    grams(&run)?;
    products(&run)?;
    long(&run)
}
