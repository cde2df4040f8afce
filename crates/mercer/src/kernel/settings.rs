//! Every setting of a formula by its name: parameters of θ, whole numbers and words.
//!
//! Names are the paths of θ, such as `1.matern52.length_scale`; a list is one setting, and
//! `1.matern52.length_scale[2]` its third number. The end of a path names the setting where no other
//! ends so: `length_scale` is enough in a formula that has one.

use crate::error::{Error, Result, nearest, quote_list};

use super::expr::KernelExpr;
use super::leaf::{Columns, Leaf, Setting};
use super::param::Param;

/// A setting with the path that names it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSetting {
    /// Where it stands in the formula.
    pub path: String,
    /// Its value.
    pub value: Setting,
}

/// Where a setting is kept.
pub(super) enum Slot<'a> {
    /// A setting of a kernel of the catalogue, by its number.
    Leaf(&'a mut Leaf, usize),
    /// The number of a scale, a constant or a user's kernel.
    Param(&'a mut Param),
}

impl KernelExpr {
    /// Every setting, in the order of the formula.
    ///
    /// ```
    /// let k = mercer::KernelExpr::parse("2*poly(degree=3) + 1")?;
    /// let paths: Vec<String> = k.settings().into_iter().map(|s| s.path).collect();
    /// assert_eq!(paths, ["0.scale", "0.poly.degree", "0.poly.gamma", "0.poly.coef0", "1.constant"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn settings(&self) -> Vec<NamedSetting> {
        let mut all = Vec::new();
        // The walk hands out mutable access, so it runs on a copy; formulas are small.
        self.clone().each_slot(&mut |path, slot| {
            let value = match slot {
                Slot::Leaf(leaf, at) => leaf.settings()[at].clone(),
                Slot::Param(param) => Setting::One(param.clone()),
            };
            all.push(NamedSetting { path, value });
        });
        all
    }

    /// This formula with the setting of this name changed. The value is a piece of a formula: `2`,
    /// `median`, `2!`, `[1, 2]`, `word`. A plain number keeps the bounds of the setting, and keeps it fixed
    /// where it is.
    ///
    /// ```
    /// let k = mercer::KernelExpr::parse("0.5*rbf(length_scale=1) + linear")?;
    /// assert_eq!(k.with_setting("length_scale", "3")?.to_string(), "0.5*rbf(length_scale=3) + linear");
    /// assert_eq!(k.with_setting("0.scale", "2!")?.to_string(), "2!*rbf(length_scale=1) + linear");
    /// assert_eq!(k.with_setting("gamma", "0.5")?.to_string(), "0.5*rbf(length_scale=1) + linear");
    /// assert!(k.with_setting("degree", "3").is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_setting(&self, name: &str, value: &str) -> Result<Self> {
        let (wanted, element) = split_element(name);
        let path = self.path_of(wanted)?;
        let mut changed = self.clone();
        let mut done = Ok(());
        changed.each_slot(&mut |found, slot| {
            let own = path.strip_prefix(found.as_str());
            // An alias stands beside the setting that it sets.
            if path == found || own.is_some_and(|rest| rest.starts_with('~')) {
                done = change(slot, &path, element, value);
            }
        });
        done.map(|()| changed)
    }

    /// The path of the setting of this name; after `~` stands the alias that was meant.
    fn path_of(&self, name: &str) -> Result<String> {
        let mut paths = Vec::new();
        self.clone().each_slot(&mut |path, slot| {
            if let Slot::Leaf(leaf, at) = &slot {
                let (stem, _) = path.rsplit_once('.').unwrap_or(("", &path));
                let aliases = leaf.spec().settings[*at].aliases.iter();
                let aliased = aliases.map(|a| (format!("{stem}.{}", a.name), format!("{path}~{}", a.name)));
                paths.extend(aliased);
            }
            paths.push((path.clone(), path));
        });
        let ends = |path: &str| path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let found: Vec<&(String, String)> = paths.iter().filter(|(path, _)| ends(path)).collect();
        let exact = paths.iter().find(|(path, _)| path == name);
        match (exact, found.as_slice()) {
            (Some((_, path)), _) | (None, [(_, path)]) => Ok(path.clone()),
            (None, []) => Err(self.unknown(name, &paths)),
            (None, several) => {
                let names: Vec<&String> = several.iter().map(|(path, _)| path).collect();
                let must = format!("given by its path, one of {}", quote_list(&names));
                Err(Error::invalid(format!("kernel `{self}`"), name, format!("{} of that name", names.len()), must))
            }
        }
    }

    fn unknown(&self, name: &str, paths: &[(String, String)]) -> Error {
        let own: Vec<String> = self.settings().into_iter().map(|s| s.path).collect();
        let ends = paths.iter().map(|(path, _)| path.rsplit('.').next().unwrap_or(path));
        let must = match nearest(name, ends) {
            _ if own.is_empty() => "absent: it has none".into(),
            Some(near) => format!("one it has; the nearest is `{near}`"),
            None => format!("one of {}", quote_list(&own)),
        };
        Error::invalid(format!("kernel `{self}`"), "a parameter", format!("`{name}`"), must)
    }

    /// Visits every setting with its path, in the order of the formula.
    pub(super) fn each_slot(&mut self, visit: &mut dyn FnMut(String, Slot<'_>)) {
        self.each_node(&mut |path, node| match node {
            KernelExpr::Leaf(leaf) => {
                let spec = leaf.spec();
                for (at, setting) in spec.settings.iter().enumerate() {
                    visit(format!("{path}{}.{}", spec.name, setting.name), Slot::Leaf(leaf, at));
                }
            }
            KernelExpr::Custom(custom) => {
                for (name, param) in &mut custom.params {
                    visit(format!("{path}{}.{name}", custom.name), Slot::Param(param));
                }
            }
            KernelExpr::Constant(param) => visit(format!("{path}constant"), Slot::Param(param)),
            KernelExpr::Scale { factor, .. } => visit(format!("{path}scale"), Slot::Param(factor)),
            _ => {}
        });
    }
}

/// `length_scale[2]` as a name and a place in its list.
fn split_element(name: &str) -> (&str, Option<usize>) {
    let element = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match element.map(|(stem, index)| (stem, index.parse().ok())) {
        Some((stem, Some(index))) => (stem, Some(index)),
        _ => (name, None),
    }
}

fn change(slot: Slot<'_>, path: &str, element: Option<usize>, value: &str) -> Result<()> {
    let refuse = |must: &str| Err(Error::invalid("a kernel", path, format!("`{value}`"), must));
    match (slot, element) {
        (Slot::Param(param), None) => match read_weight(value) {
            Some(read) => {
                *param = inherited(read, param);
                Ok(())
            }
            None => refuse("a number > 0, or 0 for a scale or a constant"),
        },
        (Slot::Leaf(leaf, at), None) => {
            let name = path.rsplit(['.', '~']).next().unwrap_or(path);
            let read = read_setting(leaf, name, at, value)?;
            leaf.settings_mut()[at] = match (read, &leaf.settings()[at]) {
                (Setting::One(new), Setting::One(old)) => Setting::One(inherited(new, old)),
                (read, _) => read,
            };
            Ok(())
        }
        (Slot::Leaf(leaf, at), Some(index)) => {
            let name = leaf.spec().settings[at].name;
            let Setting::One(read) = read_setting(leaf, name, at, value)? else { return refuse("one number") };
            match &mut leaf.settings_mut()[at] {
                Setting::Many(list) if index < list.len() => {
                    list[index] = inherited(read, &list[index]);
                    Ok(())
                }
                _ => refuse("given to a number of a list that is so long"),
            }
        }
        (Slot::Param(_), Some(_)) => refuse("given without a place in a list: it is one number"),
    }
}

/// The parameter, with bounds and freedom of the one it replaces where nothing was said of them.
fn inherited(mut new: Param, old: &Param) -> Param {
    let value = new.number();
    let within = |(low, high): (f64, f64)| value.is_none_or(|v| low <= v && v <= high);
    if new.bounds.is_none() && new.free {
        new.free = old.free;
        new.bounds = old.bounds.filter(|bounds| within(*bounds));
    }
    new
}

/// The setting of a leaf as a formula would give it.
fn read_setting(leaf: &Leaf, name: &str, at: usize, value: &str) -> Result<Setting> {
    let kernel = leaf.spec().name;
    match KernelExpr::parse(&format!("{kernel}({name}={value})"))? {
        KernelExpr::Leaf(read) if read.kind() == leaf.kind() && *read.columns() == Columns::All => {
            Ok(read.settings()[at].clone())
        }
        _ => Err(Error::invalid(format!("kernel `{kernel}`"), name, format!("`{value}`"), "a value, and nothing else")),
    }
}

/// A factor as a formula would give it.
fn read_weight(value: &str) -> Option<Param> {
    match KernelExpr::parse(&format!("linear + {value}")).ok()? {
        KernelExpr::Sum(parts) => match parts.as_slice() {
            [KernelExpr::Leaf(_), KernelExpr::Constant(param)] => Some(param.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(formula: &str, name: &str, value: &str) -> String {
        let kernel = KernelExpr::parse(formula).expect("a formula");
        kernel.with_setting(name, value).map_or_else(|e| e.to_string(), |k| k.to_string())
    }

    #[test]
    fn the_end_of_a_path_is_enough_where_it_is_alone() {
        let formula = "rbf(length_scale=1) + matern32(length_scale=2)";
        let both = changed(formula, "length_scale", "3");
        assert!(both.contains("`0.rbf.length_scale`, `1.matern32.length_scale`"), "{both}");
        assert_eq!(changed(formula, "rbf.length_scale", "3"), "rbf(length_scale=3) + matern32(length_scale=2)");
        assert_eq!(changed(formula, "1.matern32.length_scale", "3"), "rbf(length_scale=1) + matern32(length_scale=3)");
        // `scale` is not the end of the word `length_scale`.
        assert!(changed("rbf", "scale", "3").contains("must be"));
    }

    #[test]
    fn numbers_keep_bounds_and_freedom() {
        assert_eq!(changed("rbf(length_scale=1!)", "length_scale", "3"), "rbf(length_scale=3!)");
        assert_eq!(changed("rbf(length_scale=1 in [0.5, 4])", "length_scale", "3"), "rbf(length_scale=3 in [0.5, 4])");
        assert_eq!(changed("rbf(length_scale=1 in [0.5, 4])", "length_scale", "5"), "rbf(length_scale=5)");
        assert_eq!(changed("rbf(length_scale=1)", "length_scale", "median"), "rbf(length_scale=median)");
        assert_eq!(changed("rbf(length_scale=[1, 2!])", "length_scale[1]", "3"), "rbf(length_scale=[1, 3!])");
    }

    #[test]
    fn whole_numbers_words_and_aliases_are_settings() {
        assert_eq!(changed("ngram(n=2)", "n", "4"), changed("ngram(n=4)", "n", "4"));
        assert!(changed("ngram", "unit", "word").contains("unit=word"));
        assert_eq!(changed("rbf(length_scale=1)", "gamma", "2"), "rbf(length_scale=0.5)");
        assert_eq!(changed("2*linear + 1", "constant", "3"), "2*linear + 3");
        assert_eq!(changed("2*linear + 1", "0.scale", "3"), "3*linear + 1");
    }

    #[test]
    fn a_value_is_a_value_and_nothing_else() {
        for value in ["1, age", "1) + linear(", "-1", "", "nan", "x", "[1"] {
            assert!(KernelExpr::parse("rbf").expect("valid").with_setting("length_scale", value).is_err(), "{value}");
            assert!(KernelExpr::parse("2*rbf").expect("valid").with_setting("scale", value).is_err(), "{value}");
        }
        assert!(changed("linear", "gamma", "1").contains("it has none"));
        assert!(changed("rbf", "lenght_scale", "1").contains("the nearest is `length_scale`"));
    }
}
