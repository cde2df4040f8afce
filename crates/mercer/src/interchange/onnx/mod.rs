//! Machines as ONNX graphs, for programs that only predict.
//!
//! The graph holds one node `SVMClassifier` or `SVMRegressor` of the operator set `ai.onnx.ml`, and a few plain nodes that bring its
//! outputs into one form. Input and outputs, for n points of d columns:
//!
//! | name | for | type | what it is |
//! |---|---|---|---|
//! | `X` | all | float, n×d | the points |
//! | `label` | classes | int64 or string, n | the class with most votes |
//! | `label` | one class | int64, n | 1 where the decision is above 0, −1 elsewhere |
//! | `decision` | two classes, more without probabilities | float, n×pairs | f_p(x) of every pair, in the order of LIBSVM |
//! | `decision` | one class | float, n×1 | f(x) |
//! | `probability` | classes with probabilities | float, n×classes | in the order of the labels |
//! | `prediction` | regression | float, n×1 | f(x) |
//!
//! The standard says little about these operators. What follows is what ONNX Runtime 1.31 does, and the reference evaluator of the
//! package `onnx` with it:
//!
//! - `rho` is added, so that it is −ρ of LIBSVM. A value above 0 votes for the first class of a pair, as in LIBSVM.
//! - Two classes give the scores (−f, f), though f > 0 stands for the first: `decision` is the second of them.
//! - `label` goes by votes also where there are probabilities; `svm_predict` without `-b 1` does the same. The most likely class is
//!   that of the largest `probability`.
//! - Probabilities are coupled by an iteration that ends at 0.005 over the number of classes, as LIBSVM does for three classes and more.
//!   For two, LIBSVM has a formula and ONNX Runtime has not: near the border its probabilities are off by up to 0.005. The graph
//!   computes that formula with nodes of its own.
//! - A node without vectors is read as another kind of model: a class without vectors gets one that counts for nothing.
//!
//! **Precision** The attributes are single precision (24 bits, a relative error of 6·10⁻⁸), and ONNX Runtime computes in it. On the fixtures,
//! with coordinates of size 1, decisions are off by 2·10⁻⁷ to 2·10⁻⁶, at most 1.1·10⁻⁷·Σᵢ|aᵢ|. Coordinates that are large beside their
//! differences lose more: rbf is off by up to about 10⁻⁷·(1 + γ‖x − y‖·‖x‖), some 2·10⁻⁵ for eight columns near 1000, so standardise
//! columns before training. The files of LIBSVM that Mercer writes lose nothing.
//!
//! The zeros of sparse points are written out, up to [`LARGEST`] numbers. LIBSVM's scale of the errors of a regression and its marks
//! of a density have no place in ONNX and are left out.

mod dense;
mod graph;

use crate::error::{Error, Result};

use super::{MachineKind, StandardKernel, SupportMachine};
use dense::{Dense, single, singles};
use graph::{Attribute, Attributes, Element, Graph, Node, Tensor, Value};

/// The most numbers that a graph may hold: 1 GiB of them. Protocol buffers end at 2 GiB.
pub const LARGEST: usize = 1 << 28;

/// The bytes of an ONNX model of the machine.
///
/// With `names`, one a class in the order of `labels`, the graph gives names in place of labels. A kernel that is precomputed has no
/// place in ONNX and is refused.
///
/// ```
/// use mercer::interchange::{libsvm, onnx};
/// let text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho -1\nSV\n0.25 1:3 \n";
/// let machine = libsvm::read(text.as_bytes(), "small.model".as_ref())?;
/// let bytes = onnx::write(&machine, None)?;
/// assert!(bytes.windows(12).any(|part| part == b"SVMRegressor"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn write(machine: &SupportMachine, names: Option<&[String]>) -> Result<Vec<u8>> {
    machine.validate()?;
    check_names(machine, names)?;
    let dense = Dense::new(machine)?;
    let columns = dense.columns;
    let (nodes, constants, outputs) = match machine.kind {
        MachineKind::CSvc | MachineKind::NuSvc if machine.labels.len() == 2 => two_classes(machine, dense, names)?,
        MachineKind::CSvc | MachineKind::NuSvc => several_classes(machine, dense, names)?,
        MachineKind::OneClass => one_class(machine, dense)?,
        MachineKind::EpsilonSvr | MachineKind::NuSvr => {
            let prediction = Value { name: "prediction", element: Element::Float, columns: Some(1) };
            (vec![regressor(machine, dense, "prediction")?], Vec::new(), vec![prediction])
        }
    };
    let input = Value { name: "X", element: Element::Float, columns: Some(columns) };
    Ok(Graph { nodes, constants, input, outputs }.bytes())
}

/// The parts of a graph that differ from machine to machine.
type Parts = (Vec<Node>, Vec<Tensor>, Vec<Value>);

fn check_names(machine: &SupportMachine, names: Option<&[String]>) -> Result<()> {
    match names {
        Some(names) if names.len() != machine.labels.len() => {
            Err(Error::shape("names of classes for ONNX", machine.labels.len(), names.len()))
        }
        _ => Ok(()),
    }
}

/// Two classes: (−f, f) is brought down to f, and probabilities are computed from it.
fn two_classes(machine: &SupportMachine, dense: Dense, names: Option<&[String]>) -> Result<Parts> {
    let (node, label) = classes(machine, dense, names, &["label", "mirrored"], Vec::new())?;
    let axis = vec![("axis", Attribute::Int(1))];
    let mut nodes = vec![node, Node::plain("Gather", &["mirrored", "second"], &["decision"], axis)];
    let mut constants = vec![Tensor::ints("second", &[1])];
    let mut outputs = vec![label, Value { name: "decision", element: Element::Float, columns: Some(1) }];
    if let (Some(a), Some(b)) = (&machine.prob_a, &machine.prob_b) {
        let (a, b) = (single("prob_a", a[0])?, single("prob_b", b[0])?);
        // P(first) = 1/(1 + exp(A·f + B)), and P(second) is the same with other signs.
        nodes.push(Node::plain("Mul", &["decision", "slopes"], &["product"], Vec::new()));
        nodes.push(Node::plain("Add", &["product", "shifts"], &["logit"], Vec::new()));
        nodes.push(Node::plain("Sigmoid", &["logit"], &["probability"], Vec::new()));
        constants.extend([Tensor::floats("slopes", &[-a, a]), Tensor::floats("shifts", &[-b, b])]);
        outputs.push(Value { name: "probability", element: Element::Float, columns: Some(2) });
    }
    Ok((nodes, constants, outputs))
}

fn several_classes(machine: &SupportMachine, dense: Dense, names: Option<&[String]>) -> Result<Parts> {
    let (scores, columns, probabilities) = match (&machine.prob_a, &machine.prob_b) {
        (Some(a), Some(b)) => {
            let (a, b) = (singles("prob_a", a)?, singles("prob_b", b)?);
            let attributes = vec![("prob_a", Attribute::Floats(a)), ("prob_b", Attribute::Floats(b))];
            ("probability", machine.labels.len(), attributes)
        }
        _ => ("decision", machine.pairs(), Vec::new()),
    };
    let (node, label) = classes(machine, dense, names, &["label", scores], probabilities)?;
    let scores = Value { name: scores, element: Element::Float, columns: Some(columns) };
    Ok((vec![node], Vec::new(), vec![label, scores]))
}

/// The node of a classifier, and its labels.
fn classes(
    machine: &SupportMachine,
    dense: Dense,
    names: Option<&[String]>,
    outputs: &[&'static str],
    mut attributes: Attributes,
) -> Result<(Node, Value)> {
    let element = match names {
        Some(names) => {
            attributes.push(("classlabels_strings", Attribute::Texts(names.to_vec())));
            Element::Text
        }
        None => {
            attributes.push(("classlabels_ints", Attribute::Ints(machine.labels.clone())));
            Element::Int
        }
    };
    let per_class = dense.per_class.iter().map(|n| *n as i64).collect();
    attributes.push(("vectors_per_class", Attribute::Ints(per_class)));
    attributes.extend(common(machine, dense)?);
    let label = Value { name: "label", element, columns: None };
    Ok((Node::ml("SVMClassifier", &["X"], outputs, attributes), label))
}

fn one_class(machine: &SupportMachine, dense: Dense) -> Result<Parts> {
    // The node could give the sign itself (`one_class`), but then the decision would be lost.
    let nodes = vec![
        regressor(machine, dense, "decision")?,
        Node::plain("Squeeze", &["decision"], &["flat"], vec![("axes", Attribute::Ints(vec![1]))]),
        Node::plain("Greater", &["flat", "zero"], &["inside"], Vec::new()),
        Node::plain("Where", &["inside", "member", "outlier"], &["label"], Vec::new()),
    ];
    let constants = vec![Tensor::floats("zero", &[0.0]), Tensor::ints("member", &[1]), Tensor::ints("outlier", &[-1])];
    let label = Value { name: "label", element: Element::Int, columns: None };
    Ok((nodes, constants, vec![label, Value { name: "decision", element: Element::Float, columns: Some(1) }]))
}

fn regressor(machine: &SupportMachine, dense: Dense, output: &'static str) -> Result<Node> {
    let mut attributes = vec![("n_supports", Attribute::Int(dense.len() as i64)), ("one_class", Attribute::Int(0))];
    attributes.extend(common(machine, dense)?);
    Ok(Node::ml("SVMRegressor", &["X"], &[output], attributes))
}

/// The attributes that both operators have.
fn common(machine: &SupportMachine, dense: Dense) -> Result<Attributes> {
    let (kernel, [gamma, coef0, degree]) = match machine.kernel {
        StandardKernel::Linear | StandardKernel::Precomputed => ("LINEAR", [0.0; 3]),
        StandardKernel::Polynomial { degree, gamma, coef0 } => ("POLY", [gamma, coef0, degree.into()]),
        StandardKernel::Rbf { gamma } => ("RBF", [gamma, 0.0, 0.0]),
        StandardKernel::Sigmoid { gamma, coef0 } => ("SIGMOID", [gamma, coef0, 0.0]),
    };
    if gamma > 0.0 && gamma < f64::from(f32::MIN_POSITIVE) {
        return Err(Error::invalid("an ONNX model", "gamma", gamma, "at least 1.2e-38, as single precision goes"));
    }
    let parameters = [single("gamma", gamma)?, single("coef0", coef0)?, single("degree", degree)?];
    let minus_rho = machine.offsets.iter().map(|rho| single("offsets", -rho)).collect::<Result<_>>()?;
    Ok(vec![
        ("kernel_type", Attribute::Text(kernel)),
        ("kernel_params", Attribute::Floats(parameters.to_vec())),
        ("post_transform", Attribute::Text("NONE")),
        ("rho", Attribute::Floats(minus_rho)),
        ("coefficients", Attribute::Floats(dense.coefficients)),
        ("support_vectors", Attribute::Floats(dense.vectors)),
    ])
}
