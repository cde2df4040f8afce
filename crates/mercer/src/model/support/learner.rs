//! What the learners that are support vector machines share: functions of [`Learn`](crate::model::Learn) that are the same for C and for ν.

use crate::model::Model;

/// The ρ or ε that programs of ν came to; none of others.
pub(crate) fn widths(model: &Model) -> &[f64] {
    model.support().map_or(&[], |support| &support.widths)
}

/// To learn, from a model that is near or from nothing, by a function `learn_near`.
macro_rules! learns_near {
    () => {
        fn learn(&self, sample: &$crate::model::Sample, run: &$crate::Run) -> $crate::Result<$crate::model::Fitted> {
            self.learn_near(None, sample, run)
        }

        fn resume(
            &self,
            near: &$crate::model::Model,
            sample: &$crate::model::Sample,
            run: &$crate::Run,
        ) -> $crate::Result<$crate::model::Fitted> {
            self.learn_near(Some(near), sample, run)
        }
    };
}
pub(crate) use learns_near;

/// Of a machine for classes, with the fields `class_weight` and `multi_class`, whose programs a function `classes` gives.
macro_rules! learns_classes {
    () => {
        $crate::model::support::learns_near!();

        fn weigh(
            &self,
            target: &$crate::data::Target,
            own: Option<&$crate::data::Weights>,
        ) -> $crate::Result<Option<$crate::data::Weights>> {
            self.class_weight.rows(&Self::SPEC.title(), &target.labels()?, own)
        }

        fn certify(
            &self,
            model: &$crate::model::Model,
            sample: &$crate::model::Sample,
            run: &$crate::Run,
        ) -> $crate::Result<$crate::model::Certified> {
            let labels = sample.labels()?;
            let parts = self.classes(&labels)?.parts(sample, &labels, $crate::model::support::widths(model))?;
            $crate::model::support::certify(model, sample, &parts, run)
        }

        fn link(&self, outputs: usize) -> $crate::model::Link {
            self.multi_class.link(outputs)
        }

        fn functions(&self, answers: usize) -> usize {
            self.multi_class.functions(answers)
        }
    };
}
pub(crate) use learns_classes;

/// Of a machine for numbers, whose programs a function `machine` gives.
macro_rules! learns_numbers {
    () => {
        $crate::model::support::learns_near!();

        fn certify(
            &self,
            model: &$crate::model::Model,
            sample: &$crate::model::Sample,
            run: &$crate::Run,
        ) -> $crate::Result<$crate::model::Certified> {
            let parts = self.machine().parts(sample, $crate::model::support::widths(model))?;
            $crate::model::support::certify(model, sample, &parts, run)
        }
    };
}
pub(crate) use learns_numbers;

/// `learn_near` of a machine for classes, in an `impl` of its own where `check_classes` is known.
macro_rules! classes_near {
    () => {
        fn learn_near(
            &self,
            near: Option<&$crate::model::Model>,
            sample: &$crate::model::Sample,
            run: &$crate::Run,
        ) -> $crate::Result<$crate::model::Fitted> {
            let labels = sample.labels()?;
            check_classes(&Self::SPEC.title(), &labels)?;
            let params = $crate::model::support::params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations)?;
            let learner = self.with_kernel(sample.space.kernel().clone());
            self.classes(&labels)?.learn(learner.into(), sample, &labels, (near, &params), run)
        }
    };
}
pub(crate) use classes_near;

/// `learn_near` of a machine for numbers, in an `impl` of its own.
macro_rules! numbers_near {
    () => {
        fn learn_near(
            &self,
            near: Option<&$crate::model::Model>,
            sample: &$crate::model::Sample,
            run: &$crate::Run,
        ) -> $crate::Result<$crate::model::Fitted> {
            let params = $crate::model::support::params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations)?;
            let learner = self.with_kernel(sample.space.kernel().clone());
            self.machine().learn(learner.into(), sample, (near, &params), run)
        }
    };
}
pub(crate) use numbers_near;
