//! Damaged and hostile files: an error that says what is wrong, never a panic.

use mercer::Error;
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use mercer::save::resealed;
use serde_json::{Value, json};

use super::*;

fn file() -> Vec<u8> {
    let weights: Vec<f64> = (0..14).map(|i| 1.0 + f64::from(i)).collect();
    fit(MIXED, mixed(14, 1, false), &[target(14)], Some(&weights)).to_bytes().expect("a file")
}

/// The header and the data of a file.
fn split(bytes: &[u8]) -> (Value, Vec<u8>) {
    let n = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    (serde_json::from_slice(&bytes[8..8 + n]).expect("JSON"), bytes[8 + n..].to_vec())
}

fn join(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn message(bytes: &[u8]) -> String {
    match Pipeline::from_bytes(bytes, &Registry::new()) {
        Err(e @ Error::Format { .. }) => e.to_string(),
        other => panic!("expected a refusal, got {:?}", other.map(drop)),
    }
}

/// The file with its description changed.
fn described(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, data) = split(&file());
    let text = header["__metadata__"]["mercer"].as_str().expect("a text").to_owned();
    // A checksum and a space come first.
    let mut description: Value = serde_json::from_str(&text[23..]).expect("JSON");
    change(&mut description);
    header["__metadata__"]["mercer"] = description.to_string().into();
    resealed(&join(&header.to_string(), &data))
}

/// The file with its header changed.
fn headed(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, data) = split(&file());
    change(&mut header);
    resealed(&join(&header.to_string(), &data))
}

/// The file with the eight bytes at the start of an array changed.
fn array(name: &str, first: [u8; 8]) -> Vec<u8> {
    let (header, mut data) = split(&file());
    let start = header[name]["data_offsets"][0].as_u64().expect("an array") as usize;
    data[start..start + 8].copy_from_slice(&first);
    resealed(&join(&header.to_string(), &data))
}

#[test]
fn changing_nothing_changes_nothing() {
    assert!(Pipeline::from_bytes(&described(|_| ()), &Registry::new()).is_ok());
    assert!(Pipeline::from_bytes(&headed(|_| ()), &Registry::new()).is_ok());
}

#[test]
fn a_file_may_end_nowhere_but_at_its_end() {
    let bytes = file();
    for end in (0..bytes.len()).step_by(97) {
        message(&bytes[..end]);
    }
    message(&[&bytes[..], b"\0"].concat());
}

/// One flipped bit anywhere, in the header, the description or an array, is found out.
#[test]
fn flipped_bits_are_refused() {
    let bytes = file();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    for at in (0..header).step_by(3).chain((header..bytes.len()).step_by(7)) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        assert!(!message(&bytes).is_empty(), "byte {at}");
    }
}

/// With a checksum that fits, a change is an error or another file, which must save and read again.
#[test]
fn changes_with_a_new_checksum_are_an_error_or_another_file() {
    let bytes = file();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    let mut refused = 0;
    for at in 0..header {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        match Pipeline::from_bytes(&resealed(&bytes), &Registry::new()) {
            Ok(other) => drop(reload(&other)),
            Err(e) => refused += usize::from(!e.to_string().is_empty()),
        }
    }
    assert!(refused > header / 3, "{refused} of {header}");
}

#[test]
fn other_formats_and_versions_are_told() {
    assert!(message(&described(|d| d["format"] = "another".into())).contains("the format is `another`"));
    let newer = described(|d| {
        d["version"] = 3.into();
        d["mercer"] = "7.0".into();
        d["task"] = Value::Null;
    });
    assert_eq!(
        message(&newer),
        "the model: version 3 of the model file, written by mercer 7.0; this one reads version 2"
    );
    assert!(message(&described(|d| d["learner"] = "oracle".into())).contains("`oracle`"));
    assert!(message(&described(|d| d["settings"]["gamma"] = 1.into())).contains("one of its settings"));
}

type Change = Box<dyn FnOnce(&mut Value)>;

#[test]
fn descriptions_that_lie_are_refused() {
    let cases: Vec<(&str, Change)> = vec![
        ("shape", Box::new(|d| d["points"]["rows"] = json!(u64::MAX))),
        ("shape", Box::new(|d| d["points"]["rows"] = 13.into())),
        ("does not read", Box::new(|d| d["points"]["rows"] = (-1).into())),
        ("does not read", Box::new(|d| d["points"] = json!({"kind": "sets"}))),
        (
            "`points` is missing",
            Box::new(|d| d["points"] = json!({"kind": "dense", "rows": 14, "columns": 2, "names": null})),
        ),
        (
            "no meaning",
            Box::new(|d| {
                d["points"]["columns"].as_array_mut().expect("columns").pop();
            }),
        ),
        ("which has no level", Box::new(|d| d["points"]["columns"][2]["levels"] = json!(["Rome"]))),
        ("no matching levels", Box::new(|d| d["points"]["columns"][0]["levels"] = json!(["Rome"]))),
        ("twice", Box::new(|d| d["points"]["columns"][1]["name"] = "age".into())),
        ("twice", Box::new(|d| d["preparation"]["schema"]["columns"][1]["name"] = "age".into())),
        ("expected [14, 2]", Box::new(|d| d["task"]["targets"] = json!(["y", "z"]))),
        ("distinct", Box::new(|d| d["task"]["targets"] = json!([]))),
        ("means of the target", Box::new(|d| d["target_scaling"]["mean"] = json!([]))),
        ("target scaling", Box::new(|d| d["target_scaling"]["scale"] = json!([0.0]))),
        ("does not read", Box::new(|d| d["target_scaling"]["scale"] = json!([null]))),
        ("`scale` of a standardizer", Box::new(|d| d["preparation"]["standardizer"]["columns"][0]["scale"] = 0.into())),
        ("`alpha` of the model `ridge`", Box::new(|d| d["settings"]["alpha"]["value"] = (-1).into())),
        ("has a rule", Box::new(|d| d["kernel"] = "rbf(length_scale=median)".into())),
        ("is no number", Box::new(|d| d["certificate"]["jitter"] = "many".into())),
        ("of another kind", Box::new(|d| d["preparation"]["schema"] = json!({"kind": "sparse", "width": 3}))),
        ("at most", Box::new(|d| d["preparation"]["schema"] = json!({"kind": "sparse", "width": 1u64 << 40}))),
        ("does not read", Box::new(|d| d["about"] = (0..200).fold(json!(1), |inner, _| json!([inner])))),
    ];
    let mut wrong = Vec::new();
    for (said, change) in cases {
        let message = message(&described(change));
        wrong.extend((!message.contains(said)).then(|| format!("{said}: {message}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn formulas_that_do_not_read_point_at_the_place() {
    let error = Pipeline::from_bytes(&described(|d| d["kernel"] = "rfb(age)".into()), &Registry::new());
    assert!(matches!(error, Err(Error::Formula(_))));
}

#[test]
fn descriptions_that_nest_without_end_are_refused() {
    let (header, data) = split(&file());
    let text = header["__metadata__"]["mercer"].as_str().expect("a text");
    for deep in [format!("{}{text}", "[".repeat(100_000)), text.replacen('{', &"{\"a\":".repeat(100_000), 1)] {
        let header = json!({"__metadata__": {"mercer": deep}}).to_string();
        message(&join(&header, &data));
    }
    message(&join(&"[".repeat(1_000_000), &data));
}

#[test]
fn arrays_that_lie_are_refused() {
    let nan = f64::NAN.to_le_bytes();
    assert!(message(&array("coefficients", nan)).contains("too large for a number"));
    assert!(message(&array("intercept", f64::INFINITY.to_le_bytes())).contains("too large for a number"));
    assert!(
        message(&array("weights", (-1f64).to_le_bytes())).contains("must be finite and not negative, got -1 at row 0")
    );
    assert!(message(&array("points.3.offsets", 1u64.to_le_bytes())).contains("must go from 0 to"));
    let far = headed(|h| {
        let name = "points.3.offsets";
        assert_eq!(h[name]["dtype"], "U64");
        h[name]["dtype"] = "I64".into();
    });
    assert!(message(&far).contains("holds I64, expected U64"));
    assert!(message(&headed(|h| h["weights"]["shape"] = json!([7, 2]))).contains("shape [7, 2]"));
    assert!(message(&headed(|h| h["weights"]["shape"] = json!([1u64 << 61]))).contains("damaged"));
    assert!(message(&headed(|h| h["weights"]["dtype"] = "F32".into())).contains("damaged"));
    assert!(
        message(&headed(|h| h["intercept"]["data_offsets"] = h["weights"]["data_offsets"].clone())).contains("damaged")
    );
    assert!(message(&headed(|h| drop(h["__metadata__"].take()))).contains("no text under the key"));
    assert!(message(&headed(|h| h["__metadata__"] = json!({"other": "x"}))).contains("no text under the key"));
}

/// Sizes whose sum goes past the end of all numbers.
#[test]
fn offsets_near_the_end_of_all_numbers_are_refused() {
    let step = (1u64 << 61) - 8;
    let info = |i: u64| json!({"dtype": "U8", "shape": [step], "data_offsets": [i * step, (i + 1) * step]});
    let mut header: serde_json::Map<String, Value> = (0..8).map(|i| (format!("a{i}"), info(i))).collect();
    let (start, end) = (8 * step, u64::MAX);
    header.insert("a8".into(), json!({"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}));
    header.insert("__metadata__".into(), json!({"mercer": "{}"}));
    message(&join(&Value::from(header).to_string(), b""));
}

/// Another language has nothing but the guide: the header, the arrays, a dot product.
#[test]
fn a_file_can_be_read_by_hand() {
    let x = dense(15, 2, 3);
    let pipeline = fit("linear", x.clone(), &[target(15)], None);
    let (header, data) = split(&pipeline.to_bytes().expect("a file"));
    let text = header["__metadata__"]["mercer"].as_str().expect("a text");
    let (checksum, text) = text.split_once(' ').expect("a checksum and a text");
    assert!(checksum.starts_with("xxh64:"), "{checksum}");
    let description: Value = serde_json::from_str(text).expect("JSON");
    let array = |name: &str| -> Vec<f64> {
        let at = |i: usize| header[name]["data_offsets"][i].as_u64().expect("an offset") as usize;
        data[at(0)..at(1)].chunks(8).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect()
    };
    let (points, coefficients, intercept) = (array("points"), array("coefficients"), array("intercept"));
    let columns = &description["preparation"]["standardizer"]["columns"];
    let number = |v: &Value| v.as_f64().expect("a number");
    let z: Vec<f64> =
        (0..2).map(|j| (x.row(4)[j] - number(&columns[j]["mean"])) / number(&columns[j]["scale"])).collect();
    let k = |i: usize| points[2 * i] * z[0] + points[2 * i + 1] * z[1];
    let f: f64 = (0..15).map(|i| coefficients[i] * k(i)).sum::<f64>() + intercept[0];
    let scaling = &description["target_scaling"];
    let by_hand = f * number(&scaling["scale"][0]) + number(&scaling["mean"][0]);
    let predicted = pipeline.predict(&x.take(&[4]).into(), &Run::new()).expect("a row").values[0];
    assert!((by_hand - predicted).abs() <= mercer::testkit::tol::round(15) * 1e3, "{by_hand} {predicted}");
    assert_eq!((&description["format"], &description["kernel"]), (&json!("mercer model"), &json!("linear")));
}
