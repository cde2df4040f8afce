"""What the estimators over the core's general model share: parameters, fitting, classes.

An estimator is a dataclass whose fields are its parameters. It names the core's learner and derives from
:class:`Regressor` or :class:`Classifier`. Fields with the names of the learner's settings are passed on as they are, and
checked by the core; ``_choices`` says the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from mercer import _core
from mercer._estimator import Floats, KernelEstimator, NotSolvedWarning
from mercer._kernel import Kernel, KernelLike
from mercer._records import Certificate, Note
from mercer._run import Progress
from mercer._warn import warn
from mercer.errors import DataError, DomainError, InvalidParameterError, MercerError, NotPositiveDefiniteError

Choices = dict[str, Any]

#: The core's learners, and the settings of each, by name.
LEARNERS: dict[str, dict[str, Any]] = {learner["name"]: learner for learner in _core.learners()}
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    name: {setting["name"]: setting for setting in learner["settings"]} for name, learner in LEARNERS.items()
}

#: Learners whose classes have another name here: scikit-learn's.
CLASSES = {"svc": "SVC", "nu_svc": "NuSVC", "svr": "SVR", "nu_svr": "NuSVR", "one_class": "OneClassSVM"}


class Fitted(KernelEstimator):
    """What is there after a fit."""

    _model: _core.Machine
    dual_coef_: Floats
    intercept_: float | Floats
    certificate_: Certificate
    report_: dict[str, Any]
    notes_: tuple[Note, ...]
    history_: Floats
    #: Whether outputs of one column are answered in one dimension.
    _single: bool


@dataclass(eq=False, repr=False)
class KernelMachine(Fitted):
    """The parameters and methods of all of them."""

    kernel: KernelLike | None = None
    _: KW_ONLY
    repair: str | None = "clip"
    n_jobs: int | None = None
    memory_limit: int | None = None
    deadline: float | None = None
    progress: Progress | None = None
    verbose: bool = False

    #: The learner's name in the core's catalogue.
    _learner: ClassVar[str]
    #: Whether targets are codes of classes.
    _of_classes: ClassVar[bool] = False
    #: Parameters that the core has other names for.
    _words: ClassVar[Mapping[str, str]] = {}
    #: What to do about a fit that is not solved.
    _remedy: ClassVar[str] = "raise `alpha`, `tolerance` or `max_iterations`"

    @staticmethod
    def _load(saved: bytes, kernel: _core.Expr) -> _core.Machine:
        return _core.machine_load(saved, kernel)

    def _choices(self) -> Choices:
        """What the learner is told: its settings that are parameters by the same name, and where chance begins."""
        told = {name: self._told(name) for name in SETTINGS[self._learner] if hasattr(self, name)}
        # What classes count is known once they are.
        told.pop("class_weight", None)
        if "seed" in SETTINGS[self._learner]:
            told["seed"] = self._seed(getattr(self, "random_state", None))
        return told

    def _told(self, name: str) -> Any:
        """A parameter as the core reads it, who checks it."""
        value, setting = getattr(self, name), SETTINGS[self._learner][name]
        if isinstance(value, Real) and not math.isfinite(value):
            must = f"`{name}` of {type(self).__name__} must be {setting['values']}"
            raise InvalidParameterError(f"{must}, got {value!r}")
        return bool(value) if isinstance(setting["default"], bool) else value

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Errors of the core speak of models and settings; here they speak of classes and parameters."""
        own = {**CLASSES, self._learner: type(self).__name__}

        def spoken(model: re.Match[str]) -> str:
            known = LEARNERS.get(model[1], {}).get("class", model[0])
            return own.get(model[1], str(known))

        try:
            yield
        except MercerError as error:
            message = re.sub(r"(?:a support vector machine in )?the model `(\w+)`", spoken, error.message)
            error.message = re.sub(r"^`(\w+)`", lambda name: f"`{self._words.get(name[1], name[1])}`", message)
            error.args = (error.message, error.hint)
            raise

    def _own_loss(self) -> object | None:
        """A loss of the user's own, if that is what is used."""
        return None

    def _learn(self, points: _core.Inputs, targets: Floats, weights: Floats | None, choices: Choices) -> None:
        kernel = self._resolve_kernel(points, weights)
        columns = np.ascontiguousarray(targets, dtype=np.float64)

        def learned(points: _core.Inputs) -> _core.Machine:
            loss, run, name = self._own_loss(), self._options(), self._learner
            with self._speaking():
                return _core.learn(name, kernel._expr, points, columns, self._of_classes, weights, choices, loss, run)

        self._keep(self._perhaps_repaired(learned, points))

    def _perhaps_repaired(self, learned: Callable[[_core.Inputs], _core.Machine], points: _core.Inputs) -> _core.Machine:
        """The model of points, or of kernel values that were repaired."""
        try:
            return learned(points)
        except (DomainError, NotPositiveDefiniteError):
            if self.kernel_.formula != "precomputed" or self.repair is None:
                raise
            repair, changed = self._repaired(points, self.repair)
            return learned(changed).after_repair(repair, self._options())

    def _keep(self, model: _core.Machine) -> None:
        self._model = model
        self.kernel_ = Kernel._of(model.kernel(), self.kernel_._functions)
        self.dual_coef_ = self._shaped(model.coefficients())
        intercept = model.intercept()
        self.intercept_ = float(intercept[0]) if self._single else intercept
        self.certificate_ = Certificate.of(model.certificate())
        self.report_ = model.report()
        self.notes_ = tuple(Note.of(note) for note in self.report_["notes"])
        self.history_ = model.history()
        if (unsolved := model.unsolved()) is not None:
            warn(f"{unsolved}; {self._remedy}", NotSolvedWarning)

    def _values(self, X: Any) -> Floats:
        """f(x) + b for every point: rows×outputs."""
        check_is_fitted(self)
        return self._model.predict(self._new_points(X), self._options())

    def _shaped(self, values: Floats) -> Floats:
        return values[:, 0] if self._single else values

    # Parameters as the core wants them.

    def _real(self, name: str) -> float:
        return real(getattr(self, name), name, self)

    def _whole(self, name: str) -> int:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
            raise InvalidParameterError(f"`{name}` of {type(self).__name__} must be a whole number ≥ 0, got {value!r}")
        return int(value)

    def _seed(self, random_state: Any) -> int:
        """Where chance begins; None is always the same."""
        return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def real(value: Any, name: str, owner: object) -> float:
    """A finite number, or an error that names it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidParameterError(f"`{name}` of {type(owner).__name__} must be a finite number, got {value!r}")
    return float(value)


class Regressor(MultiOutputMixin, RegressorMixin, KernelMachine):  # type: ignore[misc]
    """Numbers from points."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, targets and weights ≥ 0; a weight means repetition.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        targets = self._targets(y, points)
        weights = self._weights(sample_weight, points)
        self._single = targets.ndim == 1
        self._learn(points, targets.reshape(len(points), -1), weights, self._choices())
        return self

    def predict(self, X: Any) -> Floats:
        """f(x) + b for every point."""
        return self._shaped(self._values(X))


class Classifier(ClassifierMixin, KernelMachine):  # type: ignore[misc]
    """Classes from points. Two have one function, positive for the second; several have one each."""

    classes_: npt.NDArray[Any]
    n_classes_: int
    _of_classes: ClassVar[bool] = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, classes of any kind and weights ≥ 0; a weight means repetition.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        labels = self._labels(y, points)
        weights = self._weights(sample_weight, points)
        self._set_classes(np.unique(labels))
        self._learn(points, self._signs(labels), weights, {**self._choices(), **self._class_weights()})
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of every point."""
        values = self._values(X)
        codes = (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)
        found: npt.NDArray[Any] = self.classes_[codes]
        return found

    def _labels(self, y: Any, rows: _core.Inputs) -> npt.NDArray[Any]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        _check_kinds(y)
        labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y", estimator_name=type(self).__name__)
        check_classification_targets(labels)
        check_consistent_length(labels, range(len(rows)))
        return labels

    def _set_classes(self, classes: npt.NDArray[Any]) -> None:
        if len(classes) < 2:
            raise DataError(
                f"{type(self).__name__} needs at least two classes in `y`, got one class: {classes[:1].tolist()}",
                "check the target, or the split of the data",
            )
        self.classes_, self.n_classes_ = classes, len(classes)
        self._single = len(classes) == 2

    def _signs(self, labels: npt.NDArray[Any]) -> Floats:
        """−1 and 1 for two classes; a column each, 1 for the class of the row, for several."""
        codes = np.searchsorted(self.classes_, labels)
        own = np.arange(1, 2) if self._single else np.arange(self.n_classes_)
        return np.where(codes[:, None] == own, 1.0, -1.0)

    def _class_weights(self) -> Choices:
        """Factors on the weights of the rows by class, where the learner has them."""
        if not hasattr(self, "class_weight"):
            return {}
        given = getattr(self, "class_weight", None)
        if given is None or given == "balanced":
            return {"class_weight": given or "equal"}
        if not isinstance(given, Mapping):
            must = "None, `balanced` or a dict of numbers by class"
            raise InvalidParameterError(f"`class_weight` of {type(self).__name__} must be {must}, got {given!r}")
        unknown = [c for c in given if c not in self.classes_]
        if unknown:
            raise InvalidParameterError(f"`class_weight` names classes that are not in `y`: {unknown}")
        values = [real(given.get(c, 1.0), "class_weight", self) for c in self.classes_.tolist()]
        return {"class_weight": {"values": values}}


class Decision:
    """Values by which classes are decided."""

    def decision_function(self: Any, X: Any) -> Floats:
        """f(x) + b: one value a point for two classes, positive for the second; one a class for several."""
        values: Floats = self._shaped(self._values(X))
        return values


def probabilities(estimator: KernelMachine, X: Any) -> Floats:
    """The probabilities of the classes: rows×classes."""
    check_is_fitted(estimator)
    return estimator._model.probabilities(estimator._new_points(X), estimator._options())


def has_probabilities(estimator: Any) -> bool:
    """Whether its loss has probabilities, whatever it is fitted to; the error says why not."""
    if isinstance(estimator.loss, str) and estimator.loss == "logistic":
        return True
    loss = f"`{estimator.loss}`" if isinstance(estimator.loss, str) else "of your own"
    raise AttributeError(f"probabilities come with the loss `logistic`, and the loss is {loss}")


def asked_for_probabilities(estimator: Any) -> bool:
    """Whether probabilities were asked for; the error says how."""
    if estimator.probability:
        return True
    raise AttributeError("predict_proba is not available when probability=False")


def rest_probabilities(estimator: KernelMachine, X: Any) -> Floats:
    """The probabilities of two classes, or of several fitted one against the rest, brought to the sum 1."""
    values = estimator._values(X)
    if values.shape[1] == 1:
        return probabilities(estimator, X)
    # ln of 1/(1 + exp(−f)); the largest is taken out, so that rows far from every class do not become 0/0.
    logs = -np.logaddexp(0.0, -values)
    shares: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _check_kinds(y: Any) -> None:
    """Labels are all words or all numbers: NumPy would make words of both."""
    values = y if isinstance(y, (list, tuple)) else getattr(y, "tolist", list)() if _is_objects(y) else []
    kinds = sorted({"number" if isinstance(v, Real) else type(v).__name__ for v in values})
    if len(kinds) > 1:
        raise DataError(f"`y`: labels of several types: {', '.join(kinds)}", "make them all text or all numbers")


def _is_objects(y: Any) -> bool:
    return getattr(y, "dtype", None) == np.dtype(object)
