//! Models as machines of other programs, and back: the same decisions.

use std::path::{Path, PathBuf};

use mercer::data::{Csr, Inputs, Labels, Precomputed, Rows, Target, Targets};
use mercer::interchange::{StandardKernel, SupportMachine, libsvm};
use mercer::model::classify::{NuSvc, Svc};
use mercer::model::detect::OneClassSvm;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::regress::{KernelRidge, NuSvr, Svr};
use mercer::model::{Learner, Model, MultiClass, catalogue};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Run, data};
use serde::Deserialize;

const KERNELS: [&str; 4] =
    ["rbf(length_scale=0.8)", "linear", "poly(degree=3, gamma=0.4, coef0=1)", "2.5*rbf(length_scale=1.3)"];
const N: usize = 60;

fn formula(text: &str) -> KernelExpr {
    KernelExpr::parse(text).expect("a formula")
}

/// Rows of which a third of the numbers is 0, in classes by their sum, with the sums.
fn sample(classes: usize) -> (Rows, Labels, Targets) {
    let mut chance = Chance::new(17);
    let values: Vec<f64> = (0..N * 4).map(|at| if at % 3 == 0 { 0.0 } else { chance.normal() }).collect();
    let sums: Vec<f64> = values.chunks(4).map(|row| row.iter().sum::<f64>() + 0.3 * chance.normal()).collect();
    let mut order: Vec<usize> = (0..N).collect();
    order.sort_by(|a, b| sums[*a].total_cmp(&sums[*b]));
    let mut codes = vec![0; N];
    order.iter().enumerate().for_each(|(at, row)| codes[*row] = at * classes / N);
    let rows = Rows::new(values, N, 4).expect("rows");
    (rows, Labels::new(codes, classes).expect("codes"), Targets::new(sums, 1).expect("targets"))
}

fn sparse(rows: &Rows) -> Csr {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows.nrows() {
        for (j, v) in rows.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            columns.push(j as u32);
            values.push(*v);
        }
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, rows.ncols()).expect("rows")
}

fn fitted(learner: &Learner, x: &Inputs, y: Target) -> Model {
    learner.fit(x, y, None, &Run::new()).unwrap_or_else(|e| panic!("{e}")).model
}

/// Through the text of a file and back.
fn there_and_back(machine: &SupportMachine) -> SupportMachine {
    libsvm::read(libsvm::write(machine).expect("written").as_bytes(), Path::new("a.model")).expect("read")
}

fn imported(machine: &SupportMachine, columns: usize) -> (Model, Vec<i64>) {
    let found = Model::from_support_machine(machine, Some(columns), &Run::new()).unwrap_or_else(|e| panic!("{e}"));
    (found.model, found.labels)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

/// The largest difference of decisions, relative, that rounding may leave.
const SAME: f64 = 10.0 * tol::GRAM_R2;

fn comes_back(model: &Model, x: &Inputs, labels: &[i64]) {
    let again = there_and_back(&model.to_support_machine(labels).unwrap_or_else(|e| panic!("{e}")));
    let (again, found) = imported(&again, 4);
    assert_eq!((found.as_slice(), again.learner().spec().name), (labels, model.learner().spec().name));
    let points: Inputs = match x {
        Inputs::Dense(rows) => sparse(rows).into(),
        other => other.clone(),
    };
    let was = model.functions(x, &Run::new()).expect("values");
    let is = again.functions(&points, &Run::new()).expect("values");
    assert!(apart(&was, &is) <= SAME, "{}: {:e}", model.kernel(), apart(&was, &is));
}

#[test]
fn models_come_back_from_files_of_libsvm() {
    for kernel in KERNELS {
        let named = |name: &str| catalogue::by_name(name).expect("there").with_kernel(formula(kernel));
        for classes in [2, 4] {
            let (rows, labels, sums) = sample(classes);
            for x in [Inputs::from(sparse(&rows)), rows.clone().into()] {
                let codes: Vec<i64> = [-3, 0, 7, 30][..classes].to_vec();
                comes_back(&fitted(&named("svc"), &x, (&labels).into()), &x, &codes);
                let nu = NuSvc { kernel: formula(kernel), nu: 0.3, ..NuSvc::default() };
                comes_back(&fitted(&nu.into(), &x, (&labels).into()), &x, &codes);
                for name in ["svr", "nu_svr"] {
                    comes_back(&fitted(&named(name), &x, (&sums).into()), &x, &[]);
                }
                // Of the linear kernel nothing tells rows around the origin from it, and no gap is small beside an objective of 0.
                let one_class =
                    OneClassSvm { kernel: formula(kernel), max_iterations: 10_000, ..OneClassSvm::default() };
                comes_back(&fitted(&one_class.into(), &x, Target::None), &x, &[]);
            }
        }
    }
}

/// What other programs make of the order of classes: 2 classes and 4 in an order that is not theirs.
#[test]
fn classes_go_by_their_labels() {
    for classes in [2, 4] {
        let (rows, labels, _) = sample(classes);
        let svc = Svc { kernel: formula("rbf(length_scale=1)"), probability: true, ..Svc::default() };
        let model = fitted(&svc.into(), &rows.clone().into(), (&labels).into());
        // The first class of the model gets the largest label.
        let descending: Vec<i64> = (0..classes as i64).map(|c| 10 - c).collect();
        let machine = there_and_back(&model.to_support_machine(&descending).expect("a machine"));
        assert!(machine.prob_b.as_ref().is_some_and(|b| b.iter().all(|b| *b == 0.0)));
        let (again, found) = imported(&machine, 4);
        assert!(found.is_sorted());
        let (x, points) = (Inputs::from(rows.clone()), Inputs::from(sparse(&rows)));
        let was = model.probabilities(&x, &Run::new()).expect("probabilities");
        let is = again.probabilities(&points, &Run::new()).expect("probabilities");
        let reversed: Vec<f64> = is.chunks(classes).flat_map(|row| row.iter().rev().copied()).collect();
        assert!(apart(&was, &reversed) <= 1e-6, "{:e}", apart(&was, &reversed));
        let label = |model: &Model, x: &Inputs, labels: &[i64]| -> Vec<i64> {
            let answers = model.predict(x, &Run::new()).expect("answers");
            match classes {
                2 => answers.iter().map(|f| labels[usize::from(*f > 0.0)]).collect(),
                _ => model.largest(&answers).iter().map(|c| labels[*c]).collect(),
            }
        };
        let (was, is) = (label(&model, &x, &descending), label(&again, &points, &found));
        // Classes with as many votes as each other are told apart by their order, which is another one.
        let other = was.iter().zip(&is).filter(|(a, b)| a != b).count();
        assert!(other <= N / 10 && (classes > 2 || other == 0), "{other}");
    }
}

#[test]
fn precomputed_matrices_keep_their_rows() {
    let (rows, labels, _) = sample(3);
    let kernel = formula("laplace(length_scale=2)");
    let matrix: Vec<f64> =
        (0..N * N).map(|at| kernel.at(rows.row(at / N), rows.row(at % N)).expect("a number")).collect();
    let x: Inputs = Precomputed::new(matrix, N, N).expect("values").into();
    let svc = Svc { kernel: formula("precomputed"), ..Svc::default() };
    let model = fitted(&svc.into(), &x, (&labels).into());
    let machine = there_and_back(&model.to_support_machine(&[1, 2, 3]).expect("a machine"));
    assert_eq!(machine.kernel, StandardKernel::Precomputed);
    let (again, _) = imported(&machine, N);
    let values = |model: &Model| model.functions(&x, &Run::new()).expect("values");
    assert!(apart(&values(&model), &values(&again)) <= SAME);
}

#[derive(Deserialize)]
struct Case {
    name: String,
    points: Vec<Vec<f64>>,
    labels: Vec<f64>,
    decisions: Vec<Vec<f64>>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/libsvm-3.37")
}

fn cases() -> Vec<Case> {
    #[derive(Deserialize)]
    struct Fixture {
        cases: Vec<Case>,
    }
    let text = std::fs::read_to_string(fixtures().join("decisions.json")).expect("the fixture is there");
    serde_json::from_str::<Fixture>(&text).expect("the fixture has the shape of its script").cases
}

/// LIBSVM's decisions in the order of its pairs, from those of the model, whose classes are sorted.
fn in_its_order(row: &[f64], machine: &SupportMachine, labels: &[i64]) -> Vec<f64> {
    let place = |label: i64| labels.iter().position(|l| *l == label).expect("there");
    let classes = labels.len();
    match classes {
        0 => row.to_vec(),
        2 => vec![if place(machine.labels[0]) == 1 { row[0] } else { -row[0] }],
        _ => {
            let sorted: Vec<(usize, usize)> =
                (0..classes).flat_map(|i| (i + 1..classes).map(move |j| (i, j))).collect();
            let value = |(a, b): &(usize, usize)| {
                let (i, j) = (place(machine.labels[*a]), place(machine.labels[*b]));
                let at = sorted.iter().position(|pair| *pair == (i.min(j), i.max(j))).expect("a pair");
                if i < j { row[at] } else { -row[at] }
            };
            sorted.iter().map(value).collect()
        }
    }
}

#[test]
fn models_of_files_decide_as_libsvm_does() {
    for case in cases() {
        let bytes = std::fs::read(fixtures().join(format!("{}.model", case.name))).expect("the fixture is there");
        let machine = libsvm::read(&bytes, Path::new(&case.name)).expect("read");
        let width = if machine.kernel == StandardKernel::Precomputed { 36 } else { 6 };
        let pipeline =
            Pipeline::from_support_machine(&machine, Some(width), &Run::new()).unwrap_or_else(|e| panic!("{e}"));
        let found = Model::from_support_machine(&machine, Some(width), &Run::new()).expect("the same");
        let rows = Rows::new(case.points.concat(), case.points.len(), width).expect("rows");
        let x: Inputs = match machine.kernel {
            StandardKernel::Precomputed => {
                Precomputed::new(case.points.concat(), case.points.len(), width).expect("values").into()
            }
            _ => sparse(&rows).into(),
        };
        let functions = found.model.functions(&x, &Run::new()).expect("values");
        for (row, expected) in functions.chunks(found.model.outputs()).zip(&case.decisions) {
            let own = in_its_order(row, &machine, &found.labels);
            assert!(apart(expected, &own) <= tol::EIGHT_DIGITS, "{}: {own:?}, {expected:?}", case.name);
        }
        let prediction = pipeline.predict(&x, &Run::new()).expect("answers");
        if let Some(labels) = &prediction.labels {
            let own: Vec<f64> = (0..labels.len()).map(|i| labels.get(i).expect("a class").parse().unwrap()).collect();
            assert_eq!(own, case.labels, "{}", case.name);
        }
        let again = Pipeline::from_bytes(&pipeline.to_bytes().expect("bytes"), &Default::default()).expect("read");
        assert_eq!(again.predict(&x, &Run::new()).expect("answers"), prediction, "{}", case.name);
    }
}

#[test]
fn what_a_model_of_mercer_cannot_hold_is_said() {
    let read = |name: &str| {
        let bytes = std::fs::read(fixtures().join(format!("{name}.model"))).expect("the fixture is there");
        let machine = libsvm::read(&bytes, Path::new(name)).expect("read");
        Model::from_support_machine(&machine, None, &Run::new()).expect("a model")
    };
    for (name, words) in [
        ("c_svc_two_probability", "½"),
        ("c_svc_three_probability", "½"),
        ("epsilon_svr_rbf", "errors"),
        ("one_class_density", "density"),
    ] {
        let found = read(name);
        assert!(found.notes.len() == 1 && found.notes[0].to_string().contains(words), "{:?}", found.notes);
        assert!(!found.model.has_probabilities());
    }
    assert!(read("c_svc_rbf").notes.is_empty());
}

#[test]
fn what_other_programs_cannot_hold_is_refused() {
    let (rows, labels, sums) = sample(3);
    let x: Inputs = rows.clone().with_names("abcd".chars().map(String::from).collect()).expect("names").into();
    let refused = |learner: Learner, y: Target, labels: &[i64], words: &str| {
        let message = fitted(&learner, &x, y).to_support_machine(labels).expect_err("refused");
        let all = format!("{message} {}", message.hint().unwrap_or_default());
        assert!(all.contains(words), "{all}");
    };
    let svc = |kernel: &str| Svc { kernel: formula(kernel), ..Svc::default() };
    let rest = Svc { multi_class: MultiClass::OneVsRest, ..svc("linear") };
    refused(rest.into(), (&labels).into(), &[1, 2, 3], "one_vs_one");
    refused(svc("linear").into(), (&labels).into(), &[1, 2], "labels");
    refused(svc("rbf(a, length_scale=1)").into(), (&labels).into(), &[1, 2, 3], "all columns");
    refused(svc("rbf(length_scale=[1, 1, 1, 2])").into(), (&labels).into(), &[1, 2, 3], "one length scale");
    refused(svc("matern32(length_scale=1)").into(), (&labels).into(), &[1, 2, 3], "matern32");
    refused(KernelRidge::default().into(), (&sums).into(), &[], "`svr`");
    let twice: Vec<f64> = sums.values().iter().flat_map(|y| [*y, -y]).collect();
    let svr = Svr { kernel: formula("linear"), ..Svr::default() };
    refused(svr.into(), (&Targets::new(twice, 2).expect("targets")).into(), &[], "2 outputs");
}

#[test]
fn pipelines_fold_the_scale_of_the_target_and_refuse_that_of_columns() {
    let wine = data::load("wine").expect("a shipped set").with_target("alcohol").expect("a column");
    let Inputs::Table(all) = &wine.inputs else { panic!("a table") };
    let wine = data::Dataset { inputs: all.without("cultivar").expect("a column").into(), ..wine.clone() };
    let machine = |prepare: Prepare| {
        let prepared = prepare.fit(&wine, None).expect("prepared");
        let svr = NuSvr { kernel: formula("rbf(length_scale=100)"), ..NuSvr::default() };
        let model = fitted(&svr.into(), &prepared.inputs, prepared.target.clone());
        prepared.pipeline(model).expect("a pipeline")
    };
    let scaled = machine(Prepare { standardize: false, ..Prepare::default() });
    assert!(scaled.target_scaling().is_some());
    let exported = scaled.to_support_machine().expect("a machine");
    assert_eq!(exported.columns.len(), 12);
    let (model, _) = imported(&exported.machine, 12);
    let table = wine.inputs.clone();
    let Inputs::Table(points) = &table else { panic!("a table") };
    let was = scaled.predict(&table, &Run::new()).expect("answers").values;
    let is = model.predict(&sparse(&points.to_rows().expect("numbers")).into(), &Run::new()).expect("answers");
    assert!(apart(&was, &is) <= SAME, "{:e}", apart(&was, &is));
    let refused = machine(Prepare::default()).to_support_machine().expect_err("refused");
    assert!(refused.hint().is_some_and(|hint| hint.contains("standardising")), "{refused}");
    let one = OneClassSvm { kernel: formula("rbf(length_scale=1)"), ..OneClassSvm::default() };
    assert!(fitted(&one.into(), &sample(2).0.into(), Target::None).to_support_machine(&[1]).is_err());
}
