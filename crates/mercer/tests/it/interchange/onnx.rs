//! ONNX models, taken apart by a reader of the wire format that knows nothing of the writer.

use std::path::Path;

use mercer::data::Csr;
use mercer::interchange::{SupportMachine, SupportVectors, libsvm, onnx};

use super::{cases, file, hard, read};

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().expect("more bytes");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a varint has at most ten bytes")
}

/// The bytes of every field of this number, which are no varints.
fn all(mut message: &[u8], number: u64) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = varint(&mut message);
        match key & 7 {
            0 => assert_ne!(key >> 3, number, "bytes"),
            2 => {
                let (bytes, rest) = message.split_at(value as usize);
                message = rest;
                found.extend((key >> 3 == number).then_some(bytes));
            }
            other => panic!("wire type {other}"),
        }
    }
    found
}

fn text(bytes: &[u8], number: u64) -> String {
    all(bytes, number).iter().map(|t| String::from_utf8_lossy(t)).collect()
}

fn graph(model: &[u8]) -> &[u8] {
    all(model, 7)[0]
}

/// The first node, which is the machine.
fn machine_node(model: &[u8]) -> &[u8] {
    all(graph(model), 1)[0]
}

/// An attribute of the machine's node.
fn attribute<'a>(model: &'a [u8], name: &str) -> &'a [u8] {
    all(machine_node(model), 5).into_iter().find(|a| text(a, 1) == name).unwrap_or_else(|| panic!("no {name}"))
}

fn floats(model: &[u8], name: &str) -> Vec<f32> {
    let packed = all(attribute(model, name), 7)[0];
    packed.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().expect("four"))).collect()
}

fn ints(model: &[u8], name: &str) -> Vec<i64> {
    let mut packed = all(attribute(model, name), 8)[0];
    let mut values = Vec::new();
    while !packed.is_empty() {
        values.push(varint(&mut packed) as i64);
    }
    values
}

fn outputs(model: &[u8]) -> Vec<String> {
    all(graph(model), 12).iter().map(|value| text(value, 1)).collect()
}

fn written(name: &str) -> Vec<u8> {
    onnx::write(&read(&file(name)).expect("read"), None).expect("written")
}

#[test]
fn a_classifier_is_what_the_machine_is() {
    let machine = read(&file("c_svc_three_probability")).expect("read");
    let model = onnx::write(&machine, None).expect("written");
    assert_eq!(text(machine_node(&model), 4), "SVMClassifier");
    assert_eq!(text(machine_node(&model), 7), "ai.onnx.ml");
    assert_eq!(outputs(&model), ["label", "probability"]);
    assert_eq!(text(attribute(&model, "kernel_type"), 4), "RBF");
    assert_eq!(text(attribute(&model, "post_transform"), 4), "NONE");
    assert_eq!(floats(&model, "kernel_params"), [0.5, 0.0, 0.0]);
    assert_eq!(ints(&model, "classlabels_ints"), machine.labels);
    assert_eq!(ints(&model, "vectors_per_class"), [13, 9, 12]);
    let single = |values: &[f64]| values.iter().map(|v| *v as f32).collect::<Vec<_>>();
    assert_eq!(floats(&model, "prob_a"), single(machine.prob_a.as_ref().expect("A")));
    assert_eq!(floats(&model, "prob_b"), single(machine.prob_b.as_ref().expect("B")));
    assert_eq!(floats(&model, "coefficients"), single(&machine.coefficients.concat()));
    assert_eq!(floats(&model, "rho"), machine.offsets.iter().map(|v| -*v as f32).collect::<Vec<_>>());
    let vectors = floats(&model, "support_vectors");
    let SupportVectors::Points(points) = &machine.vectors else { panic!("points") };
    for i in 0..points.nrows() {
        let mut row = vec![0f32; 6];
        points.row(i).0.iter().zip(points.row(i).1).for_each(|(c, v)| row[*c as usize] = *v as f32);
        assert_eq!(vectors[6 * i..6 * (i + 1)], row);
    }
}

#[test]
fn every_kind_has_its_outputs() {
    for (name, operator, outputs_of, nodes) in [
        ("c_svc_rbf", "SVMClassifier", ["label", "decision"].as_slice(), 2),
        ("c_svc_three_poly", "SVMClassifier", &["label", "decision"], 1),
        ("c_svc_two_probability", "SVMClassifier", &["label", "decision", "probability"], 5),
        ("nu_svr_linear", "SVMRegressor", &["prediction"], 1),
        ("one_class_density", "SVMRegressor", &["label", "decision"], 4),
    ] {
        let model = written(name);
        assert_eq!(text(machine_node(&model), 4), operator, "{name}");
        assert_eq!(outputs(&model), outputs_of, "{name}");
        assert_eq!(all(graph(&model), 1).len(), nodes, "{name}");
    }
    assert_eq!(floats(&written("c_svc_three_poly"), "kernel_params"), [0.4, 0.25, 4.0]);
    assert_eq!(floats(&written("c_svc_sigmoid"), "kernel_params"), [0.15, -0.2, 0.0]);
}

#[test]
fn classes_may_have_names() {
    let machine = read(&file("c_svc_rbf")).expect("read");
    let names = ["sick".to_owned(), "häle".to_owned()];
    let model = onnx::write(&machine, Some(&names)).expect("written");
    let labels: Vec<_> = all(attribute(&model, "classlabels_strings"), 9).into_iter().map(<[u8]>::to_vec).collect();
    assert_eq!(labels, [b"sick".to_vec(), "häle".as_bytes().to_vec()]);
    assert!(!String::from_utf8_lossy(&model).contains("classlabels_ints"));
    let error = onnx::write(&machine, Some(&names[..1])).expect_err("one name for two classes");
    assert_eq!(error.to_string(), "names of classes for ONNX: expected 2, got 1");
    let regression = read(&file("nu_svr_linear")).expect("read");
    assert!(onnx::write(&regression, Some(&names)).is_err());
}

/// ONNX Runtime takes a node without vectors for a linear model.
#[test]
fn classes_without_vectors_get_one_that_counts_for_nothing() {
    let model = written("epsilon_svr_empty");
    assert_eq!((floats(&model, "support_vectors"), floats(&model, "coefficients")), (vec![0.0], vec![0.0]));
    let mut machine = SupportMachine { coefficients: vec![vec![1.0, 2.0, 3.0, 4.0]; 2], ..hard() };
    machine.offsets = vec![0.5; 3];
    let points = Csr::new(vec![0, 1, 2, 3, 4], vec![0, 0, 0, 0], vec![1.0, 2.0, 3.0, 4.0], 1).expect("valid");
    machine.vectors = SupportVectors::Points(points);
    (machine.prob_a, machine.prob_b) = (None, None);
    let model = onnx::write(&machine, None).expect("written");
    assert_eq!(ints(&model, "vectors_per_class"), [2, 1, 2]);
    assert_eq!(floats(&model, "support_vectors"), [1.0, 2.0, 0.0, 3.0, 4.0]);
    assert_eq!(floats(&model, "coefficients"), [1.0, 2.0, 0.0, 3.0, 4.0, 1.0, 2.0, 0.0, 3.0, 4.0]);
}

#[test]
fn what_has_no_place_in_onnx_is_refused() {
    let told = |machine: &SupportMachine| onnx::write(machine, None).expect_err("refused");
    let precomputed = told(&read(&file("c_svc_precomputed")).expect("read"));
    assert_eq!(precomputed.to_string(), "a precomputed kernel in ONNX is not supported");
    assert!(precomputed.hint().is_some());
    assert!(told(&hard()).to_string().contains("at most 3.4e38, as single precision goes"));
    let wide = read(&file("c_svc_rbf")).expect("read").with_columns(usize::MAX / 2).expect("wide");
    assert!(told(&wide).to_string().contains("which holds the zeros of sparse points, needs"));
    let text = String::from_utf8(file("c_svc_rbf")).expect("text").replace("gamma 0.34999999999999998", "gamma 1e-50");
    assert!(told(&read(text.as_bytes()).expect("read")).to_string().contains("`gamma` of an ONNX model"));
}

/// Writes what `fixtures/libsvm-3.37/check.py` gives to LIBSVM and to ONNX Runtime.
#[test]
#[ignore = "writes files for a check by other programs"]
fn write_files_for_other_programs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interchange");
    std::fs::create_dir_all(&folder).expect("a folder");
    for case in cases() {
        let mut machine = read(&file(&case.name)).expect("read");
        let path = |end: &str| folder.join(format!("{}{end}", case.name));
        std::fs::write(path(".model"), libsvm::write(&machine).expect("written")).expect("a file");
        if machine.columns().is_none() {
            continue;
        }
        machine = machine.with_columns(case.points[0].len()).expect("wider");
        std::fs::write(path(".onnx"), onnx::write(&machine, None).expect("written")).expect("a file");
        if machine.kind.is_classifier() {
            let names: Vec<String> = machine.labels.iter().map(|label| format!("class {label}")).collect();
            std::fs::write(path(".named.onnx"), onnx::write(&machine, Some(&names)).expect("written")).expect("a file");
        }
    }
    println!("{}", folder.display());
}
