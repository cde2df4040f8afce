//! Which columns a formula reads, and as what.
//!
//! The formula decides the type of a column. A part that names a column reads it as its own type, if
//! the values have a meaning there. A part that names none reads every column of its type, where a
//! column that another part names has the type of that part, and otherwise
//!
//! - `true` and `false` are numbers, unless some part reads all categories;
//! - short words that repeat are categories where some part reads all of these and none all text, however
//!   many they are: what a reader guesses from some rows must not change with the rows.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::data::{Column, ColumnList, ColumnType, Inputs, Names, Table, Texts};
use crate::kernel::{Columns, Domain, KernelExpr, Kind, quoted};
use crate::note::{Note, TypedColumn};

/// The types that the parts of a formula ask for.
#[derive(Default)]
struct Asked<'a> {
    /// Types of the parts that read every column of theirs.
    all: Vec<ColumnType>,
    /// Whether some part is given all columns, whatever they hold.
    everything: bool,
    /// Types of the parts that name a column.
    named: HashMap<&'a str, Vec<ColumnType>>,
}

impl<'a> Asked<'a> {
    fn by(expr: &'a KernelExpr) -> Self {
        let mut asked = Asked::default();
        expr.nodes().for_each(|node| asked.add(node));
        asked
    }

    fn add(&mut self, node: &'a KernelExpr) {
        match node {
            KernelExpr::Leaf(leaf) => self.part(leaf.columns(), leaf.spec().domain),
            KernelExpr::Expression(expression) => self.part(expression.columns(), Domain::Number),
            // A user's kernel may read columns of any type.
            KernelExpr::Custom(custom) if custom.columns == Columns::All => {
                self.everything = true;
                self.all.push(ColumnType::Number);
            }
            KernelExpr::Custom(custom) => {
                let Columns::Named(names) = &custom.columns else { return };
                for name in names {
                    self.named.entry(name).or_default();
                }
            }
            _ => {}
        }
    }

    fn part(&mut self, columns: &'a Columns, domain: Domain) {
        let Some(kind) = domain.column_type() else {
            self.everything = true;
            return;
        };
        match columns {
            Columns::All => self.all.push(kind),
            Columns::Named(names) => names.iter().for_each(|name| self.named.entry(name).or_default().push(kind)),
        }
    }

    fn reads_all(&self, kind: ColumnType) -> bool {
        self.all.contains(&kind)
    }

    /// What a column is for the parts that name none.
    fn kind(&self, name: &str, column: &Column) -> ColumnType {
        let own = column.column_type();
        match self.named.get(name) {
            Some(kinds) if kinds.contains(&own) => return own,
            Some(kinds) => return kinds.iter().copied().find(|k| column.reads_as(*k)).unwrap_or(own),
            None => {}
        }
        let only = |kind: ColumnType, other: ColumnType| self.reads_all(kind) && !self.reads_all(other);
        match column {
            Column::Category(c) if c.is_boolean() && only(ColumnType::Number, ColumnType::Category) => {
                ColumnType::Number
            }
            _ if only(ColumnType::Category, own) && column.words().is_some_and(Texts::are_short_and_repeat) => {
                ColumnType::Category
            }
            _ => own,
        }
    }
}

/// Names and types of the columns, as the parts of `expr` that name none see them.
pub(super) fn kinds(expr: &KernelExpr, x: &Inputs) -> ColumnList {
    let Inputs::Table(table) = x else { return x.columns() };
    let asked = Asked::by(expr);
    ColumnList::typed(table.iter().map(|(name, column)| (name.to_owned(), asked.kind(name, column))).collect())
}

/// Two sets in which words are of one type for the parts that name none: categories in one are categories in the
/// other, where few rows may make them text.
pub(super) fn alike<'a>(expr: &KernelExpr, x: &'a Inputs, y: &'a Inputs) -> (Cow<'a, Inputs>, Cow<'a, Inputs>) {
    let same = (Cow::Borrowed(x), Cow::Borrowed(y));
    let (Inputs::Table(first), Inputs::Table(second)) = (x, y) else { return same };
    let (of_first, of_second) = (kinds(expr, x), kinds(expr, y));
    if of_first == of_second {
        return same;
    }
    let of_first: HashMap<_, ColumnType> = of_first.iter().collect();
    let of_second: HashMap<_, ColumnType> = of_second.iter().collect();
    let change = |name: &str| match (of_first.get(name)?, of_second.get(name)?) {
        (ColumnType::Category, ColumnType::Structured(_)) | (ColumnType::Structured(_), ColumnType::Category) => {
            Some(ColumnType::Category)
        }
        _ => None,
    };
    (Cow::Owned(retyped(first, change).into()), Cow::Owned(retyped(second, change).into()))
}

/// The table with the columns that `change` names as another type, where they can be read so.
fn retyped(table: &Table, change: impl Fn(&str) -> Option<ColumnType>) -> Table {
    let column = |(name, column): (&str, &Column)| {
        let other = change(name).filter(|kind| *kind != column.column_type());
        let read = other.and_then(|kind| column.read_as(kind)).unwrap_or_else(|| column.clone());
        (name.to_owned(), read)
    };
    // Names and lengths are those of a table already.
    Table::new(table.iter().map(column).collect()).unwrap_or_else(|_| table.clone())
}

impl KernelExpr {
    /// The columns that a part of this formula reads: those it names, or all that fit.
    pub fn columns_of(&self, columns: &Columns, domain: Domain, x: &Inputs) -> Names {
        match columns {
            Columns::Named(names) => names.clone().into(),
            Columns::All => domain.column_type().map_or(Names::Numbered(0), |wanted| kinds(self, x).of_type(wanted)),
        }
    }

    /// `x` with each column of the type that this formula reads it as; a column that is read as several
    /// types, or by no part, stays as it is.
    ///
    /// ```
    /// use mercer::KernelExpr;
    /// use mercer::data::{Column, ColumnType, Table, Texts};
    /// let states = Column::from(Texts::from_values([Some("Ohio"), Some("Utah"), Some("Iowa")]));
    /// let x = Table::new(vec![("state".into(), states)])?.into();
    /// let typed = KernelExpr::parse("delta(state)")?.typed(&x);
    /// assert_eq!(typed.columns().find("state"), Some((0, ColumnType::Category)));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn typed(&self, x: &Inputs) -> Inputs {
        let Inputs::Table(table) = x else { return x.clone() };
        let asked = Asked::by(self);
        let kinds: HashMap<&str, ColumnType> =
            table.iter().map(|(name, column)| (name, asked.kind(name, column))).collect();
        let single = |name: &str| match asked.named.get(name) {
            Some(several) if several.iter().any(|kind| *kind != several[0]) => None,
            _ => kinds.get(name).copied(),
        };
        retyped(table, single).into()
    }

    /// The columns of `x` that no part of this formula reads, although some part reads all that fit.
    ///
    /// A formula whose parts all name their columns has chosen them: nothing is unread then.
    ///
    /// ```
    /// let penguins = mercer::data::load("penguins")?.with_target("species")?.inputs;
    /// let unread = |formula: &str| mercer::KernelExpr::parse(formula).map(|k| k.unread(&penguins));
    /// let names: Vec<String> = unread("rbf")?.into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["island", "sex"]);
    /// assert!(unread("rbf + hamming")?.is_empty());
    /// assert!(unread("rbf(year)")?.is_empty());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn unread(&self, x: &Inputs) -> Vec<(String, ColumnType)> {
        let Inputs::Table(table) = x else { return Vec::new() };
        let asked = Asked::by(self);
        if asked.everything || asked.all.is_empty() {
            return Vec::new();
        }
        let left = |(name, column): (&str, &Column)| {
            let read = asked.named.contains_key(name) || asked.reads_all(asked.kind(name, column));
            (!read).then(|| (name.to_owned(), column.column_type()))
        };
        table.iter().filter_map(left).collect()
    }

    /// The columns of `x` that no part of this formula reads, if there are any, and what would read them.
    pub fn unread_note(&self, x: &Inputs) -> Option<Note> {
        let unread = self.unread(x);
        let typed =
            |(name, kind): &(String, ColumnType)| TypedColumn { name: name.clone(), column_type: kind.to_string() };
        (!unread.is_empty())
            .then(|| Note::ColumnsUnread { columns: unread.iter().map(typed).collect(), readers: readers(&unread) })
    }
}

/// A kernel for each type among these columns, as formulas.
fn readers(unread: &[(String, ColumnType)]) -> String {
    let formula = |wanted: ColumnType| {
        let kernel = match wanted {
            ColumnType::Number => "rbf",
            ColumnType::Category => "hamming",
            ColumnType::Structured(kind) => Kind::first_of(kind)?.spec().name,
        };
        let fitting = unread.iter().filter(|(_, kind)| *kind == wanted);
        let names: Vec<String> = fitting.map(|(name, _)| quoted(name)).take(6).collect();
        (!names.is_empty()).then(|| format!("`{kernel}({})`", names.join(", ")))
    };
    ColumnType::all().filter_map(formula).collect::<Vec<_>>().join(" and ")
}
