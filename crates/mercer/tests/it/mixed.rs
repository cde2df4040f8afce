//! Tables that mix types, and kernels joined by the algebra.

use mercer::data::{Categories, Column, Inputs, Table, Texts};
use mercer::gram::dense;
use mercer::kernel::{CustomForm, CustomKernel, Kernel, KernelExpr, Registry};
use mercer::testkit::{laws, points, tol};
use mercer::{Error, Run};

/// Age and height, a species and a note for each record.
struct Records {
    age: Vec<f64>,
    height: Vec<f64>,
    species: Vec<&'static str>,
    note: Vec<&'static str>,
}

fn records() -> Records {
    let numbers = points::vectors(24, 2, 11);
    let (_, notes) = points::texts();
    Records {
        age: (0..24).map(|i| 40.0 + 10.0 * numbers.row(i)[0]).collect(),
        height: (0..24).map(|i| numbers.row(i)[1]).collect(),
        species: (0..24).map(|i| ["gentoo", "adelie", "chinstrap"][(i * i) % 3]).collect(),
        note: (0..24).map(|i| notes[i % notes.len()]).collect(),
    }
}

fn table(r: &Records) -> Inputs {
    Table::new(vec![
        ("age".into(), Column::Number(r.age.clone().into())),
        ("height".into(), Column::Number(r.height.clone().into())),
        ("species".into(), Column::Category(Categories::from_values(r.species.iter().map(Some)))),
        ("note".into(), Column::from(Texts::from_values(r.note.iter().map(Some)))),
    ])
    .expect("four columns")
    .into()
}

fn rbf(a: f64, b: f64, l: f64) -> f64 {
    (-0.5 * ((a - b) / l).powi(2)).exp()
}

#[test]
fn a_formula_over_three_types_is_what_it_says() {
    let r = records();
    let formula = "0.5*rbf(age, length_scale=7) + linear(height)*delta(species) + 0.1*normalize(ngram(note, n=2) + 1)";
    let grams = |t: &str| t.chars().collect::<Vec<_>>().windows(2).map(<[char]>::to_vec).collect::<Vec<_>>();
    let shared = |a: &str, b: &str| {
        let (a, b) = (grams(a), grams(b));
        1.0 + a.iter().map(|g| b.iter().filter(|h| *h == g).count() as f64).sum::<f64>()
    };
    let definition = |i: usize, j: usize| {
        let same = f64::from(u8::from(r.species[i] == r.species[j]));
        let text = shared(r.note[i], r.note[j]) / (shared(r.note[i], r.note[i]) * shared(r.note[j], r.note[j])).sqrt();
        0.5 * rbf(r.age[i], r.age[j], 7.0) + r.height[i] * r.height[j] * same + 0.1 * text
    };
    laws::kernel(formula, &table(&r), definition, tol::GRAM_R2);
}

#[test]
fn powers_exponentials_and_normalisation_are_what_they_say() {
    let x = points::vectors(26, 3, 12);
    let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum::<f64>();
    let r2 = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let inputs: Inputs = x.clone().into();
    laws::kernel("(linear + 1)^3", &inputs, |i, j| (dot(i, j) + 1.0).powi(3), tol::GRAM_R2);
    laws::kernel("exp(0.2*linear)", &inputs, |i, j| (0.2 * dot(i, j)).exp(), tol::GRAM_R2);
    let normalized = |i: usize, j: usize| ((dot(i, j) + 2.0) / ((dot(i, i) + 2.0) * (dot(j, j) + 2.0)).sqrt()).powi(2);
    laws::kernel("normalize(poly(degree=2, coef0=2))", &inputs, normalized, tol::GRAM_R2);
    let sum = |i: usize, j: usize| 3.0 * (-0.5 * r2(i, j) / 4.0).exp() * (1.0 + r2(i, j) / 2.0).recip() + 0.25;
    laws::kernel("3*rbf(length_scale=2)*cauchy(length_scale=1.4142135623730951) + 0.25", &inputs, sum, tol::GRAM_R2);
    let nested =
        |i: usize, j: usize| (1.0 + normalized(i, j)).exp() * (-0.5 * (x.row(i)[1] - x.row(j)[1]).powi(2)).exp();
    laws::kernel("exp(1 + normalize(poly(degree=2, coef0=2)))*rbf(x1, length_scale=1)", &inputs, nested, tol::GRAM_R2);
}

#[test]
fn levels_are_matched_by_name_between_two_tables() {
    let column = |values: [&str; 3]| Column::Category(Categories::from_values(values.map(Some)));
    let one = |values| -> Inputs { Table::new(vec![("kind".into(), column(values))]).expect("one column").into() };
    let (x, y) = (one(["a", "b", "c"]), one(["c", "z", "a"]));
    let k = KernelExpr::parse("delta(kind)").expect("a formula");
    let gram = dense::<f64>(&k.bind_cross(&x, &y, &Run::new()).expect("binds"), &Run::new()).expect("small");
    assert_eq!(gram.values(), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}

struct Tanimoto;

impl Kernel<[f64]> for Tanimoto {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(x, y) / (dot(x, x) + dot(y, y) - dot(x, y))
    }
}

#[test]
fn a_users_kernel_is_part_of_the_algebra() {
    let mut registry = Registry::new();
    let form = CustomForm::Vector(std::sync::Arc::new(|_: &[f64]| Box::new(Tanimoto) as Box<dyn Kernel<[f64]>>));
    registry.add("shared_part", CustomKernel { params: Vec::new(), form }).expect("a new name");
    let k = KernelExpr::parse_with("2*shared_part(x0, x1)*rbf(x2, length_scale=1) + 1", &registry).expect("a formula");
    let x = points::vectors(14, 3, 13);
    let bound = k.bind(&x.clone().into(), &Run::new()).expect("binds");
    laws::matrix("shared_part", &bound);
    let gram = dense::<f64>(&bound, &Run::new()).expect("small");
    let expected = 2.0 * Tanimoto.eval(&x.row(2)[..2], &x.row(5)[..2]) * rbf(x.row(2)[2], x.row(5)[2], 1.0) + 1.0;
    assert!((gram.row(2)[5] - expected).abs() <= tol::GRAM_R2 * 3.0);
    // The formula carries the function: its text reads again with what it carries, and not without.
    assert_eq!(KernelExpr::parse_with(&k.to_string(), &k.registry()).expect("the same formula"), k);
    let stranger = KernelExpr::parse(&k.to_string()).expect_err("no function of that name");
    assert!(stranger.to_string().contains("shared_part"), "{stranger}");
}

#[test]
fn a_users_matrix_is_checked_when_it_is_bound() {
    let x: Inputs = points::vectors(6, 2, 14).into();
    let bind = |make: fn(usize, usize) -> f64| {
        let mut registry = Registry::new();
        let compute = move |x: &Inputs, y: &Inputs, _: &[f64]| {
            Ok((0..x.len() * y.len()).map(|at| make(at / y.len(), at % y.len())).collect())
        };
        registry
            .add("mine", CustomKernel { params: Vec::new(), form: CustomForm::Matrix(std::sync::Arc::new(compute)) })
            .expect("new");
        let k = KernelExpr::parse_with("mine + 1", &registry).expect("a formula");
        k.bind(&x, &Run::new())
    };
    assert!(bind(|i, j| f64::from(u8::from(i == j))).is_ok());
    assert!(matches!(bind(|i, j| i as f64 - j as f64), Err(Error::Domain { .. })));
    assert!(matches!(bind(|_, _| f64::NAN), Err(Error::NonFinite { .. })));
}
