//! Graphs of ONNX, and their bytes.
//!
//! **Reference** `onnx.proto` of the ONNX project, whose field numbers stand here beside their names.

use super::super::protobuf::Message;

/// The version of the format: that of September 2019, which every reader of today knows.
const IR_VERSION: i64 = 6;
/// The operator sets: the plain one of that time, and the first for machine learning.
const OPSETS: [(&str, i64); 2] = [("", 11), (ML, 1)];
const ML: &str = "ai.onnx.ml";
/// The number of points, which is not known.
const POINTS: &str = "N";

/// What a tensor holds: `TensorProto.DataType`.
#[derive(Clone, Copy)]
pub(super) enum Element {
    Float = 1,
    Int = 7,
    Text = 8,
}

/// A value of an attribute.
pub(super) enum Attribute {
    Int(i64),
    Text(&'static str),
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Texts(Vec<String>),
}

/// Attributes by name.
pub(super) type Attributes = Vec<(&'static str, Attribute)>;

/// An operator with its inputs, outputs and attributes.
pub(super) struct Node {
    operator: &'static str,
    domain: &'static str,
    inputs: Vec<&'static str>,
    outputs: Vec<&'static str>,
    attributes: Attributes,
}

impl Node {
    /// An operator for machine learning.
    pub(super) fn ml(
        operator: &'static str,
        inputs: &[&'static str],
        outputs: &[&'static str],
        attributes: Attributes,
    ) -> Self {
        Node { domain: ML, ..Node::plain(operator, inputs, outputs, attributes) }
    }

    /// An operator of the plain set.
    pub(super) fn plain(
        operator: &'static str,
        inputs: &[&'static str],
        outputs: &[&'static str],
        attributes: Attributes,
    ) -> Self {
        Node { operator, domain: "", inputs: inputs.to_vec(), outputs: outputs.to_vec(), attributes }
    }

    fn fill(&self, node: &mut Message) {
        self.inputs.iter().for_each(|name| node.text(1, name)); // input
        self.outputs.iter().for_each(|name| node.text(2, name)); // output
        node.text(3, self.operator); // name
        node.text(4, self.operator); // op_type
        self.attributes.iter().for_each(|(name, value)| node.message(5, |a| value.fill(name, a))); // attribute
        node.text(7, self.domain); // domain
    }
}

impl Attribute {
    fn fill(&self, name: &str, attribute: &mut Message) {
        attribute.text(1, name); // name
        let kind = match self {
            Attribute::Int(value) => {
                attribute.int(3, *value); // i
                2
            }
            Attribute::Text(value) => {
                attribute.text(4, value); // s
                3
            }
            Attribute::Floats(values) => {
                attribute.floats(7, values.iter().copied()); // floats
                6
            }
            Attribute::Ints(values) => {
                attribute.ints(8, values.iter().copied()); // ints
                7
            }
            Attribute::Texts(values) => {
                values.iter().for_each(|value| attribute.text(9, value)); // strings
                8
            }
        };
        attribute.int(20, kind); // type
    }
}

/// A constant with one axis.
pub(super) struct Tensor {
    name: &'static str,
    values: Attribute,
}

impl Tensor {
    pub(super) fn floats(name: &'static str, values: &[f32]) -> Self {
        Tensor { name, values: Attribute::Floats(values.to_vec()) }
    }

    pub(super) fn ints(name: &'static str, values: &[i64]) -> Self {
        Tensor { name, values: Attribute::Ints(values.to_vec()) }
    }

    fn fill(&self, tensor: &mut Message) {
        match &self.values {
            Attribute::Floats(values) => {
                tensor.int(1, values.len() as i64); // dims
                tensor.int(2, Element::Float as i64); // data_type
                tensor.floats(4, values.iter().copied()); // float_data
            }
            Attribute::Ints(values) => {
                tensor.int(1, values.len() as i64);
                tensor.int(2, Element::Int as i64);
                tensor.ints(7, values.iter().copied()); // int64_data
            }
            _ => unreachable!("a tensor is made of numbers"),
        }
        tensor.text(8, self.name); // name
    }
}

/// An input or output: a row for every point, or a number for every point where there are no columns.
pub(super) struct Value {
    pub(super) name: &'static str,
    pub(super) element: Element,
    pub(super) columns: Option<usize>,
}

impl Value {
    fn fill(&self, value: &mut Message) {
        value.text(1, self.name); // name
        // type, tensor_type
        value.message(2, |kind| {
            kind.message(1, |tensor| {
                tensor.int(1, self.element as i64); // elem_type
                tensor.message(2, |shape| self.fill_shape(shape)); // shape
            });
        });
    }

    fn fill_shape(&self, shape: &mut Message) {
        shape.message(1, |dim| dim.text(2, POINTS)); // dim, dim_param
        if let Some(columns) = self.columns {
            shape.message(1, |dim| dim.int(1, columns as i64)); // dim, dim_value
        }
    }
}

/// A graph with one input.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) constants: Vec<Tensor>,
    pub(super) input: Value,
    pub(super) outputs: Vec<Value>,
}

impl Graph {
    /// The bytes of a model with this graph.
    pub(super) fn bytes(&self) -> Vec<u8> {
        Message::bytes(|model| {
            model.int(1, IR_VERSION); // ir_version
            model.text(2, "mercer"); // producer_name
            model.text(3, env!("CARGO_PKG_VERSION")); // producer_version
            model.message(7, |graph| self.fill(graph)); // graph
            for (domain, version) in OPSETS {
                // opset_import
                model.message(8, |set| {
                    set.text(1, domain); // domain
                    set.int(2, version); // version
                });
            }
        })
    }

    fn fill(&self, graph: &mut Message) {
        self.nodes.iter().for_each(|node| graph.message(1, |m| node.fill(m))); // node
        graph.text(2, "support_vector_machine"); // name
        self.constants.iter().for_each(|tensor| graph.message(5, |m| tensor.fill(m))); // initializer
        graph.message(11, |m| self.input.fill(m)); // input
        self.outputs.iter().for_each(|value| graph.message(12, |m| value.fill(m))); // output
    }
}
