//! What a fuzzer puts every input through. The targets in `fuzz/` include this file, and
//! `fuzz_corpus.rs` replays what they have found.
//!
//! Any answer is fine but a panic, an abort, or a formula or a model that changes when it is written.

use mercer::data::{
    Categories, Column, Dataset, FileFormat, Imputer, Inputs, ReadOptions, Rows, Standardizer, Table, Texts,
    check_finite, describe, drop_missing, read_from,
};
use mercer::gram::{KernelMatrix, TileMut};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Schema};
use mercer::{KernelExpr, Run};

/// Reads a formula; what is read must print and read back as the same kernel and bind, or say why
/// it does not.
pub fn formula(bytes: &[u8]) {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let k = match KernelExpr::parse(source) {
        Ok(k) => k,
        // Messages point into the source, which may cut a character.
        Err(e) => return drop((e.to_string(), e.hint())),
    };
    let text = k.to_string();
    match KernelExpr::parse(&text) {
        Ok(again) => assert_eq!(again, k, "`{text}` reads back as another kernel"),
        Err(e) => panic!("`{text}` does not read back: {e}"),
    }
    let free = k.free_params().len();
    assert_eq!((k.names().len(), k.bounds().len()), (free, free), "`{text}`");
    for x in [plain(), mixed()] {
        let Ok((k, _)) = k.resolve(&x, &Run::new()) else { continue };
        if let Ok(theta) = k.theta() {
            k.with_theta(&theta).expect("θ has the length it was given with");
        }
        bind(&k, &x);
    }
}

fn bind(k: &KernelExpr, x: &Inputs) {
    let n = x.len();
    match k.bind(x, &Run::new()) {
        Ok(bound) => {
            let mut values = vec![0.0; n * n];
            bound.block(0..n, 0..n, TileMut::contiguous(&mut values, n, n));
            bound.diag(&mut values[..n]);
        }
        Err(e) => drop((e.to_string(), e.hint())),
    }
}

/// Three points with two coordinates.
fn plain() -> Inputs {
    Rows::new(vec![0.0, 1.0, -2.5, 3.0, 1e3, 0.5], 3, 2).expect("3×2").into()
}

/// Three rows of numbers, categories and text.
fn mixed() -> Inputs {
    let columns = vec![
        ("age".to_owned(), Column::Number(vec![1.0, 40.0, 73.5].into())),
        ("species".to_owned(), Column::Category(Categories::from_values([Some("cat"), Some("dog"), Some("cat")]))),
        ("note".to_owned(), Column::from(Texts::from_values([Some("wins a prize"), Some(""), Some("größe")]))),
    ];
    Table::new(columns).expect("three rows each").into()
}

/// Reads a file; what is read must go through everything that is done before a kernel sees it.
pub fn reader(format: FileFormat, bytes: &[u8]) {
    let options = ReadOptions { format: Some(format), max_bytes: Some(1 << 26), ..ReadOptions::default() };
    match read_from(bytes, "fuzz.csv", &options, &Run::new()) {
        Ok(data) => prepare(&data),
        Err(e) => drop((e.to_string(), e.hint())),
    }
}

fn prepare(data: &Dataset) {
    assert!(!data.is_empty(), "a reader gives rows or an error");
    describe(data);
    assert_eq!(data.take(&[data.len() - 1, 0]).len(), 2);
    assert!(data.take(&[]).is_empty());
    let _ = check_finite(&data.inputs);
    if let Ok(scaler) = Standardizer::fit(&data.inputs, None) {
        scaler.apply(&data.inputs).expect("the data it was fitted on");
    }
    if let Inputs::Table(table) = &data.inputs {
        drop_missing(table);
        if let Ok(imputer) = Imputer::fit(table, None) {
            imputer.apply(table).expect("the table it was fitted on");
        }
        let last = table.names().last().expect("a table has columns");
        let split = data.with_target(last).expect("a column of the table");
        assert_eq!(split.table().expect("a table").ncols(), table.ncols());
    }
    structured(data);
}

/// Kernels that read texts, sets and bags out of cells, each by its name alone: every column, as the formula reads it.
const STRUCTURED: [&str; 4] = ["jaccard", "mean_embedding", "spectrum(k=2)", "gapped_kmer(l=4, k=2)"];

/// Rows that kernels of structured values are tried on.
const FEW: usize = 6;

fn structured(data: &Dataset) {
    if !matches!(data.inputs, Inputs::Table(_)) {
        return;
    }
    let few = data.take(&(0..data.len().min(FEW)).collect::<Vec<_>>());
    for formula in STRUCTURED {
        let k = KernelExpr::parse(formula).expect("a formula");
        let x = k.typed(&few.inputs);
        match k.resolve(&x, &Run::new()) {
            Ok((k, _)) => bind(&k, &x),
            Err(e) => drop((e.to_string(), e.hint())),
        }
    }
}

/// Columns of sparse rows up to which a model is tried: binding names every column.
const WIDE: usize = 10_000;

/// Reads a model file, as it is and with the checksum that belongs to it, since no change gets past another; what is
/// read must write and read back as the same bytes, and predict or say why it does not. Whether it was read.
pub fn model(bytes: &[u8]) -> bool {
    drop(Pipeline::from_bytes(bytes, &Registry::new()));
    read_model(&mercer::save::resealed(bytes))
}

fn read_model(bytes: &[u8]) -> bool {
    let pipeline = match Pipeline::from_bytes(bytes, &Registry::new()) {
        Ok(pipeline) => pipeline,
        Err(e) => {
            drop((e.to_string(), e.hint()));
            return false;
        }
    };
    let written = pipeline.to_bytes().expect("what was read can be written");
    let again = Pipeline::from_bytes(&written, &Registry::new()).expect("what was written can be read");
    assert!(again.to_bytes().expect("what was read can be written") == written, "a model changes when it is saved");
    if matches!(pipeline.schema(), Schema::Sparse { width } if *width > WIDE) {
        return true;
    }
    for x in [plain(), mixed(), pipeline.model().points().clone()] {
        for answer in
            [pipeline.predict(&x, &Run::new()).map(drop), pipeline.predict_interval(&x, 0.5, &Run::new()).map(drop)]
        {
            answer.unwrap_or_else(|e| drop((e.to_string(), e.hint())));
        }
    }
    true
}
