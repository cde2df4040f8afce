//! The parameters of a formula in one fixed order: depth first, from left to right.

use crate::error::{Error, Result};

use super::expr::KernelExpr;
use super::leaf::Setting;
use super::param::{Param, Value};
use super::settings::Slot;

/// A parameter with the path that names it, such as `1.matern52.length_scale[2]`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedParam {
    /// Where it stands in the formula.
    pub path: String,
    /// The parameter.
    pub param: Param,
}

impl KernelExpr {
    /// Every parameter, free or fixed, in the order of θ.
    pub fn params(&self) -> Vec<NamedParam> {
        let mut all = Vec::new();
        // The walk hands out mutable access, so it runs on a copy; formulas are small.
        self.clone().each_param(&mut |path, param| all.push(NamedParam { path, param: param.clone() }));
        all
    }

    /// The free parameters, in the order of θ.
    pub fn free_params(&self) -> Vec<NamedParam> {
        self.params().into_iter().filter(|p| p.param.free).collect()
    }

    /// The paths of the free parameters.
    pub fn names(&self) -> Vec<String> {
        self.free_params().into_iter().map(|p| p.path).collect()
    }

    /// θ: the free parameters on their own scales. Fails while one is still a rule.
    pub fn theta(&self) -> Result<Vec<f64>> {
        let theta =
            |p: NamedParam| p.param.number().map(|v| p.param.transform.forward(v)).ok_or_else(|| unresolved(&p.path));
        self.free_params().into_iter().map(theta).collect()
    }

    /// The box of θ.
    pub fn bounds(&self) -> Vec<(f64, f64)> {
        let ends = |p: NamedParam| {
            let (low, high) = p.param.bounds();
            (p.param.transform.forward(low), p.param.transform.forward(high))
        };
        self.free_params().into_iter().map(ends).collect()
    }

    /// This formula with its free parameters moved to θ.
    pub fn with_theta(&self, theta: &[f64]) -> Result<Self> {
        let free = self.free_params().len();
        if theta.len() != free {
            return Err(Error::shape("θ", format!("{free} values"), theta.len()));
        }
        if let Some(bad) = theta.iter().find(|t| !t.is_finite()) {
            return Err(Error::invalid("a kernel", "θ", bad, "finite"));
        }
        let mut moved = self.clone();
        let mut values = theta.iter();
        moved.each_param(&mut |_, param| {
            // Only a free parameter takes the next value.
            if param.free {
                let value = values.next().copied().unwrap_or(f64::NAN);
                param.value = Value::Number(param.transform.backward(value));
            }
        });
        match moved.params().into_iter().find(|p| p.param.number().is_some_and(|v| !v.is_finite())) {
            None => Ok(moved),
            Some(p) => Err(Error::invalid("a kernel", p.path, "a θ beyond its range", "a finite number")),
        }
    }

    /// This formula with every parameter fixed (or freed).
    pub fn with_free(mut self, free: bool) -> Self {
        self.each_param(&mut |_, param| param.free = free);
        self
    }

    /// Whether every parameter is a number, and no words are left to be found in the data.
    pub fn is_resolved(&self) -> bool {
        self.params().iter().all(|p| p.param.number().is_some())
            && self.settings().iter().all(|s| s.value != Setting::Words(None))
    }

    /// Visits every parameter with its path, in the order of θ.
    pub(crate) fn each_param(&mut self, visit: &mut dyn FnMut(String, &mut Param)) {
        self.each_slot(&mut |path, slot| match slot {
            Slot::Leaf(leaf, at) => visit_setting(path, &mut leaf.settings_mut()[at], visit),
            Slot::Param(param) => visit(path, param),
        });
    }
}

fn visit_setting(path: String, value: &mut Setting, visit: &mut dyn FnMut(String, &mut Param)) {
    match value {
        Setting::One(param) => visit(path, param),
        Setting::Many(list) => {
            for (i, param) in list.iter_mut().enumerate() {
                visit(format!("{path}[{i}]"), param);
            }
        }
        Setting::Integer(_) | Setting::Choice(_) | Setting::Words(_) => {}
    }
}

/// The error of using a parameter that is still a rule.
pub(crate) fn unresolved(path: &str) -> Error {
    Error::Unsupported {
        what: format!("using `{path}` before its rule has been resolved from the data"),
        alternative: "call `resolve` with the data first, or give a number".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_in_the_order_of_the_formula() {
        let k = KernelExpr::parse("0.5*rbf(age, size, length_scale=[2, 3!]) + (linear + 1)^3*exp(2*poly(coef0=0))")
            .expect("valid");
        let names: Vec<String> = k.params().into_iter().map(|p| p.path).collect();
        let expected = [
            "0.scale",
            "0.rbf.length_scale[0]",
            "0.rbf.length_scale[1]",
            "1.0.power.1.constant",
            "1.1.exp.scale",
            "1.1.exp.poly.gamma",
            "1.1.exp.poly.coef0",
        ];
        assert_eq!(names, expected);
        assert_eq!(k.free_params().len(), 6);
    }

    #[test]
    fn theta_goes_round_and_skips_fixed_parameters() {
        let k = KernelExpr::parse("2*rbf(length_scale=3!) + poly(coef0=0)").expect("valid");
        let theta = k.theta().expect("resolved");
        assert_eq!(theta.len(), k.bounds().len());
        assert_eq!(k.with_theta(&theta).expect("same length").theta().expect("resolved"), theta);
        let moved = k.with_theta(&[0.0, 0.0, 4.0]).expect("three free");
        assert_eq!(moved.to_string(), "1*rbf(length_scale=3!) + poly(degree=3, gamma=1, coef0=4)");
        assert!(k.with_theta(&[1.0]).is_err());
        assert!(k.with_theta(&[f64::NAN, 0.0, 0.0]).is_err());
        assert!(k.with_theta(&[1e9, 0.0, 0.0]).is_err());
        assert!(KernelExpr::parse("rbf").expect("valid").theta().is_err());
    }
}
