//! Kernels that read gaps themselves: k where both values are there, 1 where both are missing, 0 where one is.

use mercer::data::{Categories, Column, Dataset, Inputs, MissingPolicy, Origin, Rows, Table, Texts};
use mercer::gram::dense;
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::select::{Asked, Job};
use mercer::testkit::{laws, points, tol};
use mercer::{Error, KernelExpr, Run};

const N: usize = 24;

/// Records with gaps: age lacks every fifth value, height every seventh, species every sixth, note every fourth.
struct Records {
    age: Vec<Option<f64>>,
    height: Vec<Option<f64>>,
    species: Vec<Option<&'static str>>,
    note: Vec<Option<&'static str>>,
}

fn records(n: usize) -> Records {
    let numbers = points::vectors(n, 2, 18);
    let (_, notes) = points::texts();
    let there = |i: usize, every: usize| i % every != every - 1;
    Records {
        age: (0..n).map(|i| there(i, 5).then(|| 40.0 + 10.0 * numbers.row(i)[0])).collect(),
        height: (0..n).map(|i| there(i, 7).then(|| numbers.row(i)[1])).collect(),
        species: (0..n).map(|i| there(i, 6).then(|| ["gentoo", "adelie", "chinstrap"][(i * i) % 3])).collect(),
        note: (0..n).map(|i| there(i, 4).then(|| notes[i % notes.len()])).collect(),
    }
}

fn numbers(values: &[Option<f64>]) -> Column {
    Column::Number(values.iter().map(|v| v.unwrap_or(f64::NAN)).collect::<Vec<_>>().into())
}

fn table(r: &Records) -> Inputs {
    let columns = vec![
        ("age".into(), numbers(&r.age)),
        ("height".into(), numbers(&r.height)),
        ("species".into(), Column::Category(Categories::from_values(r.species.iter().copied()))),
        ("note".into(), Column::from(Texts::from_values(r.note.iter().copied()))),
    ];
    Table::new(columns).expect("four columns").into()
}

fn rbf(a: f64, b: f64, l: f64) -> f64 {
    (-0.5 * ((a - b) / l).powi(2)).exp()
}

/// The definition: one case for each way in which values are there.
fn with_gaps<T: Copy>(a: Option<T>, b: Option<T>, k: impl Fn(T, T) -> f64) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => k(a, b),
        (None, None) => 1.0,
        _ => 0.0,
    }
}

fn same<T: PartialEq>(a: T, b: T) -> f64 {
    f64::from(u8::from(a == b))
}

#[test]
fn every_type_of_column_may_have_gaps() {
    let r = records(N);
    let x = table(&r);
    let age = |i: usize, j: usize| with_gaps(r.age[i], r.age[j], |a, b| rbf(a, b, 7.0));
    laws::kernel("with_gaps(rbf(age, length_scale=7))", &x, age, tol::GRAM_R2);
    let letters = |a: &str, b: &str| -> f64 {
        a.chars().map(|g| b.chars().filter(|h| *h == g).count() as f64).sum::<f64>() + 1.0
    };
    let mixed = |i: usize, j: usize| {
        let species = with_gaps(r.species[i], r.species[j], same);
        let note = with_gaps(r.note[i], r.note[j], letters);
        0.5 * age(i, j) * species + 0.25 * note
    };
    let formula =
        "0.5*with_gaps(rbf(age, length_scale=7))*with_gaps(delta(species)) + 0.25*with_gaps(ngram(note, n=1) + 1)";
    laws::kernel(formula, &x, mixed, tol::GRAM_R2);
}

#[test]
fn a_kernel_of_several_columns_has_a_gap_where_one_of_them_has() {
    let r = records(N);
    let both = |i: usize| r.age[i].zip(r.height[i]);
    let k = |i: usize, j: usize| with_gaps(both(i), both(j), |(a, h), (b, g)| rbf(a, b, 7.0) * (1.0 + h * g).powi(2));
    let formula = "with_gaps(rbf(age, length_scale=7)*(linear(height) + 1)^2)";
    laws::kernel(formula, &table(&r), k, tol::GRAM_R2);
    // One inside another reads its gaps itself.
    let nested = |i: usize, j: usize| {
        with_gaps(r.age[i], r.age[j], |a, b| {
            rbf(a, b, 7.0) + with_gaps(r.height[i], r.height[j], |h, g| rbf(h, g, 1.0))
        })
    };
    let formula = "with_gaps(rbf(age, length_scale=7) + with_gaps(rbf(height, length_scale=1)))";
    laws::kernel(formula, &table(&r), nested, tol::GRAM_R2);
}

#[test]
fn arrays_have_gaps_where_they_are_not_a_number() {
    let x = points::vectors(N, 2, 19);
    let gap = |i: usize| i.is_multiple_of(5);
    let values: Vec<f64> = (0..N).flat_map(|i| [if gap(i) { f64::NAN } else { x.row(i)[0] }, x.row(i)[1]]).collect();
    let inputs: Inputs = Rows::new(values, N, 2).expect("rows").into();
    let there = |i: usize| (!gap(i)).then(|| x.row(i));
    let all = |i: usize, j: usize| {
        with_gaps(there(i), there(j), |a, b| rbf(a[0], b[0], 2.0) * rbf(a[1], b[1], 2.0)) + x.row(i)[1] * x.row(j)[1]
    };
    laws::kernel("with_gaps(rbf(length_scale=2)) + linear(x1)", &inputs, all, tol::GRAM_R2);
}

/// The kernel values of two sets, computed from one whose rows all have gaps.
fn cross(formula: &str, x: &Inputs, y: &Inputs) -> Vec<f64> {
    let k = KernelExpr::parse(formula).expect("a formula");
    let bound = k.bind_cross(x, y, &Run::new()).expect("columns that fit");
    dense::<f64>(&bound, &Run::new()).expect("a matrix").into_values()
}

#[test]
fn a_side_may_have_gaps_in_every_row() {
    let x = table(&records(N));
    let lacking: Vec<usize> = (0..N).filter(|i| i % 5 == 4).collect();
    let new = x.take(&lacking);
    let formula = "with_gaps(rbf(age, length_scale=7))";
    let expected: Vec<f64> = lacking.iter().flat_map(|_| (0..N).map(|j| same(j % 5, 4))).collect();
    assert_eq!(cross(formula, &new, &x), expected);
    let turned: Vec<f64> = (0..N).flat_map(|j| lacking.iter().map(move |_| same(j % 5, 4))).collect();
    assert_eq!(cross(formula, &x, &new), turned);
    assert!(cross(formula, &new, &new).iter().all(|k| *k == 1.0));
}

#[test]
fn rules_look_at_what_is_there() {
    let r = records(N);
    let there: Vec<usize> = (0..N).filter(|i| r.age[*i].is_some()).collect();
    let whole = table(&r).take(&there);
    let resolved = |formula: &str, x: &Inputs| {
        KernelExpr::parse(formula).expect("a formula").resolve(x, &Run::new()).map(|(k, _)| k.to_string())
    };
    let expected = resolved("rbf(age)", &whole).expect("a median");
    assert_eq!(resolved("with_gaps(rbf(age))", &table(&r)).expect("a median"), format!("with_gaps({expected})"));
    let nothing = records(N).age.iter().map(|_| None).collect::<Vec<_>>();
    let empty: Inputs = Table::new(vec![("age".into(), numbers(&nothing))]).expect("a column").into();
    let error = resolved("with_gaps(rbf(age))", &empty).expect_err("no distances");
    assert!(error.to_string().contains("finds no length scale"), "{error}");
}

#[test]
fn gaps_outside_are_refused() {
    let x = table(&records(N));
    let k = KernelExpr::parse("with_gaps(rbf(age, length_scale=7)) + linear(height)").expect("a formula");
    let error = k.bind(&x, &Run::new()).expect_err("a gap");
    assert!(matches!(&error, Error::NonFinite { place, .. } if place.contains("height")), "{error}");
    assert!(error.hint().expect("a hint").contains("`with_gaps(…)`"));
    assert!(KernelExpr::parse("with_gaps(energy)").is_err());
}

fn data(r: &Records) -> Dataset {
    let y = (0..r.age.len()).map(|i| Some(r.age[i].map_or(90.0, |age| age.sin() * 20.0 + age)));
    Dataset {
        name: "gaps".into(),
        inputs: table(r),
        target: Some(("y".into(), numbers(&y.collect::<Vec<_>>()))),
        origin: Origin::File("gaps.csv".into()),
        notes: Vec::new(),
    }
}

fn gap_of(r: &Records) -> usize {
    r.age.iter().position(Option::is_none).expect("a gap")
}

/// Rows without an age are a set of their own with the constant kernel 1, where ridge regression has a closed form.
#[test]
fn a_model_is_fitted_saved_and_asked_with_gaps() {
    let r = records(60);
    let (alpha, run) = (2.0, Run::new());
    let job = Job {
        kernel: Some(KernelExpr::parse("with_gaps(rbf(age, length_scale=0.5))").expect("a formula")),
        learner: Asked::named("ridge").expect("a learner"),
        alpha: Some(alpha),
        tune: false,
        estimate: true,
        ..Job::default()
    };
    let done = job.fit(&data(&r), &run).expect("a model");
    assert_eq!(done.pipeline.preparation().missing, MissingPolicy::Keep);
    let file = done.pipeline.to_bytes().expect("bytes");
    let pipeline = Pipeline::from_bytes(&file, &Registry::new()).expect("the same model");
    let new = table(&records(10));
    let (rows, note) = pipeline.answerable(&new).expect("the columns");
    assert_eq!((rows.len(), note), (10, None));
    let answers = pipeline.predict(&new, &run).expect("answers").values;
    assert_eq!(answers, done.pipeline.predict(&new, &run).expect("answers").values);
    let verdict = |r: &Records| pipeline.verify(&data(r), None, &run).expect("a verdict");
    assert!(verdict(&r).holds, "{}", verdict(&r).verdict);
    let mut other = records(60);
    other.age[gap_of(&r)] = Some(1.0);
    assert!(!verdict(&other).holds);
    let model = pipeline.model();
    let gap = gap_of(&r);
    let lacking = (0..60).filter(|i| r.age[*i].is_none()).count() as f64;
    let Some((_, Column::Number(y))) = data(&r).target else { panic!("numbers") };
    let mean = y.iter().sum::<f64>() / 60.0;
    let deviation = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
    let centred = (90.0 - mean) / deviation - model.intercept()[0];
    let expected = (centred * lacking / (lacking + alpha) + model.intercept()[0]) * deviation + mean;
    assert!((answers[gap] - expected).abs() < tol::GRAM_R2 * 1e6, "{} {expected}", answers[gap]);
}

#[test]
fn answers_are_left_out_where_a_gap_is_not_read() {
    let r = records(40);
    let rows: Vec<usize> = (0..40).filter(|i| r.height[*i].is_some()).collect();
    let whole = data(&r);
    let target = whole.target.as_ref().map(|(name, column)| (name.clone(), column.take(&rows)));
    let data = Dataset { inputs: whole.inputs.take(&rows), target, ..whole.clone() };
    let kernel = KernelExpr::parse("with_gaps(rbf(age)) + rbf(height)").expect("a formula");
    for missing in [MissingPolicy::Error, MissingPolicy::Keep] {
        let prepare = Prepare { missing, ..Prepare::default() };
        let job = Job { kernel: Some(kernel.clone()), prepare, estimate: false, ..Job::default() };
        let done = job.fit(&data, &Run::new()).expect("a model");
        let (answered, note) = done.pipeline.answerable(&whole.inputs).expect("the columns");
        assert_eq!(answered, rows);
        assert!(note.expect("a note").to_string().contains("`height`"));
        assert!(done.pipeline.predict(&whole.inputs, &Run::new()).is_err());
    }
}
