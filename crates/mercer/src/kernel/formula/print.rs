//! From a kernel to its formula, in normal form.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::kernel::custom::Custom;
use crate::kernel::leaf::{Columns, Leaf, Setting};
use crate::kernel::spec::{FROM_DATA, SettingSpec};
use crate::kernel::{Expression, KernelExpr, by_name, number};

use super::lexer::is_identifier;

impl fmt::Display for KernelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.kernel(self)?;
        f.write_str(&printer.text)
    }
}

/// The formula of `expr`, and the bytes in it of leaf number `leaf` (depth first), or of one of
/// the columns that leaf names.
pub(crate) fn locate(expr: &KernelExpr, leaf: usize, column: Option<&str>) -> (String, Range<usize>) {
    let mut printer = Printer::default();
    // Writing to a string cannot fail.
    let _ = printer.kernel(expr);
    let place = printer.places.get(leaf).map_or(0..printer.text.len(), |place| {
        let named = column.and_then(|name| place.columns.iter().find(|(n, _)| n == name));
        named.map_or_else(|| place.span.clone(), |(_, span)| span.clone())
    });
    (printer.text, place)
}

/// Where a leaf and its columns stand in the text.
struct Place {
    span: Range<usize>,
    columns: Vec<(String, Range<usize>)>,
}

#[derive(Default)]
struct Printer {
    text: String,
    places: Vec<Place>,
}

impl Printer {
    fn kernel(&mut self, expr: &KernelExpr) -> fmt::Result {
        match expr {
            KernelExpr::Leaf(leaf) => self.leaf(leaf),
            KernelExpr::Custom(custom) => self.custom(custom),
            KernelExpr::Expression(expression) => self.expression(expression),
            KernelExpr::Constant(param) => write!(self.text, "{param}"),
            KernelExpr::Scale { factor, inner } => {
                write!(self.text, "{factor}*")?;
                self.factor(inner)
            }
            KernelExpr::Sum(terms) => self.joined(terms, " + ", Self::kernel),
            KernelExpr::Product(factors) => self.joined(factors, "*", Self::factor),
            KernelExpr::Power { base, exponent } => {
                self.base(base)?;
                write!(self.text, "^{}", number::print(*exponent))
            }
            KernelExpr::Exp(inner) => self.function("exp", inner),
            KernelExpr::Normalize(inner) => self.function("normalize", inner),
            KernelExpr::WithGaps(inner) => self.function("with_gaps", inner),
        }
    }

    fn joined(
        &mut self,
        parts: &[KernelExpr],
        separator: &str,
        print: fn(&mut Self, &KernelExpr) -> fmt::Result,
    ) -> fmt::Result {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.text.push_str(separator);
            }
            print(self, part)?;
        }
        Ok(())
    }

    /// A part of a product: a sum needs parentheses, and so does a constant, which would merge.
    fn factor(&mut self, expr: &KernelExpr) -> fmt::Result {
        self.wrapped(expr, matches!(expr, KernelExpr::Sum(_)))
    }

    /// The base of a power: anything but a leaf or a function needs parentheses.
    fn base(&mut self, expr: &KernelExpr) -> fmt::Result {
        let compound = matches!(
            expr,
            KernelExpr::Sum(_)
                | KernelExpr::Product(_)
                | KernelExpr::Scale { .. }
                | KernelExpr::Power { .. }
                | KernelExpr::Constant(_)
        );
        self.wrapped(expr, compound)
    }

    fn wrapped(&mut self, expr: &KernelExpr, parentheses: bool) -> fmt::Result {
        if !parentheses {
            return self.kernel(expr);
        }
        self.text.push('(');
        self.kernel(expr)?;
        self.text.push(')');
        Ok(())
    }

    fn function(&mut self, name: &str, inner: &KernelExpr) -> fmt::Result {
        self.text.push_str(name);
        self.wrapped(inner, true)
    }

    fn leaf(&mut self, leaf: &Leaf) -> fmt::Result {
        let settings = leaf.spec().settings.iter().zip(leaf.settings()).map(|(spec, value)| setting(spec, value));
        self.call(leaf.spec().name, None, leaf.columns(), settings.collect())
    }

    fn custom(&mut self, custom: &Custom) -> fmt::Result {
        let params = custom.params.iter().map(|(name, param)| format!("{name}={param}"));
        self.call(&custom.name, None, &custom.columns, params.collect())
    }

    fn expression(&mut self, expression: &Expression) -> fmt::Result {
        let text = format!("\"{}\"", expression.scalar());
        let domain = format!("domain=\"{}\"", expression.domain());
        self.call("expression", Some(&text), expression.columns(), vec![domain])
    }

    /// A kernel with what stands first in its parentheses, its columns and its settings.
    fn call(&mut self, name: &str, first: Option<&str>, columns: &Columns, settings: Vec<String>) -> fmt::Result {
        let start = self.text.len();
        self.text.push_str(name);
        let columns: &[String] = match columns {
            Columns::All => &[],
            Columns::Named(names) => names,
        };
        let mut spans = Vec::new();
        if !(first.is_none() && columns.is_empty() && settings.is_empty()) {
            self.text.push('(');
            self.text.push_str(first.unwrap_or_default());
            for (i, column) in columns.iter().enumerate() {
                self.text.push_str(if i > 0 || first.is_some() { ", " } else { "" });
                let from = self.text.len();
                self.text.push_str(&quoted(column));
                spans.push((column.clone(), from..self.text.len()));
            }
            for (i, setting) in settings.iter().enumerate() {
                self.text.push_str(if i > 0 || first.is_some() || !columns.is_empty() { ", " } else { "" });
                self.text.push_str(setting);
            }
            self.text.push(')');
        }
        self.places.push(Place { span: start..self.text.len(), columns: spans });
        Ok(())
    }
}

fn setting(spec: &SettingSpec, value: &Setting) -> String {
    match value {
        Setting::One(param) => format!("{}={param}", spec.name),
        Setting::Many(list) => {
            let items: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("{}=[{}]", spec.name, items.join(", "))
        }
        Setting::Integer(v) => format!("{}={v}", spec.name),
        Setting::Choice(word) => format!("{}={word}", spec.name),
        Setting::Words(None) => format!("{}={FROM_DATA}", spec.name),
        Setting::Words(Some(words)) => {
            let items: Vec<String> = words.iter().map(|word| in_quotes(word)).collect();
            format!("{}=[{}]", spec.name, items.join(", "))
        }
    }
}

/// A column's name as it stands in a formula. A kernel's name is quoted, too, for the reader.
pub(crate) fn quoted(name: &str) -> String {
    if is_identifier(name) && by_name(name).is_none() { name.to_owned() } else { in_quotes(name) }
}

/// A word in quotes; a quote inside it is written twice.
fn in_quotes(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}
