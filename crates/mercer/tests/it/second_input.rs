//! Learners of two inputs have their place: a toy that finds what two views of the same rows share.

use mercer::certificate::{Algorithm, Certificate, Measure, Stop};
use mercer::data::{Inputs, Rows, Target, TargetKind, Weights};
use mercer::kernel::{KernelExpr, Registry};
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::{
    Answer, Certified, Expansion, Extra, Fitted, Learn, Learner, LearnerSpec, Model, ModelParts, Report, Sample, Tune,
};
use mercer::rkhs::Space;
use mercer::testkit::points;
use mercer::{Result, Run};
use serde::{Deserialize, Serialize};

/// f = Σ sᵢk(xᵢ, ·) and g = Σ sᵢl(zᵢ, ·) with s = ±1 by halves: two functions that tell the halves apart, each in its view.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Halves {
    #[serde(skip)]
    kernel: KernelExpr,
}

impl Tune for Halves {}

impl Halves {
    fn signs(n: usize) -> Vec<f64> {
        (0..n).map(|i| if 2 * i < n { -1.0 } else { 1.0 }).collect()
    }

    fn certificate(sample: &Sample) -> Result<Certificate> {
        let rows = sample.second()?.len() as f64;
        Ok(Certificate::new(Algorithm::Eigen, "signs by halves", Stop::Direct).with(Measure::Norm, rows.sqrt()))
    }
}

impl Learn for Halves {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "halves",
        class: "Halves",
        summary: "tells the first half of the rows from the second in two views",
        targets: &[TargetKind::Second],
        answers: &[Answer::Embedding],
        weights: true,
        for_classes: None,
        settings: &[],
    };

    fn kernel(&self) -> &KernelExpr {
        &self.kernel
    }

    fn with_kernel(&self, kernel: KernelExpr) -> Self {
        Halves { kernel }
    }

    fn validate(&self) -> Result<()> {
        Ok(())
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let (z, signs) = (sample.second()?, Self::signs(sample.rows()));
        let other = Space::new(&KernelExpr::parse("linear")?, &z, run)?;
        let model = Model::from_parts(ModelParts {
            learner: self.clone().into(),
            expansion: sample.expansion(signs.clone(), vec![0.0], None)?,
            weights: None,
            extra: Extra::Second(Expansion::new(other, z, signs, vec![0.0])?),
            certificate: Self::certificate(sample)?,
        })?;
        Ok(Fitted { model, report: Report::of(sample) })
    }

    fn certify(&self, _: &Model, sample: &Sample, _: &Run) -> Result<Certified> {
        Ok(Self::certificate(sample)?.into())
    }
}

fn views() -> (Inputs, Inputs) {
    let x = points::vectors(12, 2, 1);
    let z = Rows::new((0..12).map(f64::from).collect::<Vec<f64>>(), 12, 1).expect("a column");
    (x.into(), z.into())
}

fn halves() -> Learner {
    Halves { kernel: KernelExpr::parse("rbf(length_scale=1)").expect("a kernel") }.into()
}

#[test]
fn a_learner_of_two_inputs_fits_and_certifies() {
    let (x, z) = views();
    let model = halves().fit(&x, z.clone(), None, &Run::new()).expect("fits").model;
    let g = model.second().expect("two functions");
    // Σ sᵢzᵢ = (6 + … + 11) − (0 + … + 5) = 36.
    assert_eq!(g.evaluate(&z, &Run::new()).expect("values")[1], 36.0);
    let again = model.certify(&x, z, None, &Run::new()).expect("certifies");
    assert_eq!(&again.certificate, model.certificate());
}

#[test]
fn rows_of_weight_zero_leave_both_inputs() {
    let (x, z) = views();
    let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 2)).collect();
    let model = halves().fit(&x, z, Some(&Weights::new(weights).expect("weights")), &Run::new()).expect("fits").model;
    assert_eq!((model.points().len(), model.second().map(|g| g.points().len())), (6, Some(6)));
}

#[test]
fn another_target_and_other_rows_are_refused() {
    let (x, z) = views();
    let message = |y: Target| halves().fit(&x, y, None, &Run::new()).expect_err("refused").to_string();
    assert!(message(Target::None).contains("a second input"));
    let few = z.take(&[0, 1]);
    assert!(message(few.into()).contains("12 rows"));
}

#[test]
fn functions_of_a_second_input_are_saved() {
    let iris = mercer::data::load("iris").expect("shipped").with_target("petal_width_cm").expect("a column");
    let prepared = Prepare::default().fit(&iris, None).expect("prepares");
    let ridge = mercer::model::regress::KernelRidge::default();
    let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits").model;
    let others = [
        ("linear + hamming", iris.inputs.clone()),
        ("linear", points::vectors(5, 3, 2).into()),
        ("ngram", points::texts().0),
    ];
    for (formula, z) in others {
        let space = Space::new(&KernelExpr::parse(formula).expect("a kernel"), &z, &Run::new()).expect("a space");
        let coefficients: Vec<f64> = (0..z.len()).map(|i| 1.0 / (1.0 + i as f64)).collect();
        let second = Expansion::new(space, z.clone(), coefficients, vec![0.25]).expect("functions");
        let parts = ModelParts { extra: Extra::Second(second.clone()), ..model.parts().clone() };
        let pipeline = prepared.clone().pipeline(Model::from_parts(parts).expect("a model")).expect("a pipeline");
        let read = Pipeline::from_bytes(&pipeline.to_bytes().expect("bytes"), &Registry::new()).expect("reads");
        let values = |f: &Expansion| f.evaluate(&z, &Run::new()).expect("values");
        assert_eq!(values(read.model().second().expect("kept")), values(&second));
    }
}

#[test]
fn both_inputs_have_as_many_functions() {
    let (x, z) = views();
    let model = halves().fit(&x, z, None, &Run::new()).expect("fits").model;
    let g = model.second().expect("two functions");
    let two = Expansion::new(g.space().clone(), g.points().clone(), vec![0.0; 24], vec![0.0; 2]).expect("functions");
    let parts = ModelParts { extra: Extra::Second(two), ..model.parts().clone() };
    assert!(Model::from_parts(parts).is_err());
}
