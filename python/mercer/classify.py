"""Classifiers: logistic regression, any loss of a margin, least squares, barycentres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import (
    Choices,
    Classifier,
    Decision,
    KernelMachine,
    asked_for_probabilities,
    has_probabilities,
    probabilities,
    rest_probabilities,
)
from mercer.errors import InvalidParameterError

__all__ = ["LSSVC", "KernelBarycentre", "KernelClassifier", "KernelLogisticRegression"]

ClassWeight = str | Mapping[Any, float] | None
#: The parameter of each loss that has one.
PARAMETERS = {loss: parameter for loss, parameter, _ in _core.loss_parameters()}


@dataclass(eq=False, repr=False, kw_only=True)
class KernelLogisticRegression(Decision, Classifier):
    """Kernel logistic regression, an estimator for scikit-learn.

    Minimises −Σ wᵢ·ln P(cᵢ | xᵢ) + (alpha/2)‖f‖² over the functions f of a kernel's space, with
    P(second | x) = 1/(1 + exp(−f(x) − b)) for two classes and the softmax of one function a class for
    several.

    >>> import numpy as np
    >>> from mercer import KernelLogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), ["no", "no", "yes", "yes"]
    >>> model = KernelLogisticRegression("linear").fit(X, y)
    >>> model.predict([[-0.5], [3.0]]).tolist()
    ['no', 'yes']
    >>> model.predict_proba([[0.0]]).round(6).tolist()
    [[0.5, 0.5]]
    >>> model.certificate_.gap < 1e-8
    True

    Parameters
    ----------
    kernel
        A formula, a :class:`mercer.Kernel`, a kernel of scikit-learn's, a function of two points, or
        ``"precomputed"`` for an X of kernel values. None reads every column: ``rbf`` for numbers. Rules such
        as ``median`` are resolved from the distinct training points.
    alpha
        A number > 0.
    fit_intercept
        Whether to add numbers b that the norm does not count.
    class_weight
        Factors on the weights of the rows: a dict by class, or ``"balanced"`` so that every class counts
        the same in all.
    tolerance, max_iterations
        The gap over the objective at which to stop, and the largest number of Newton steps.
    landmarks, random_state
        How many rows stand for all, drawn by chance from there: the function is a sum over these alone, and a fit
        takes n·landmarks numbers of memory instead of n². None is all of them.
    repair
        What to do with a precomputed matrix that is not positive semi-definite: ``clip``, ``flip`` or
        ``shift`` its spectrum, with a warning, or refuse it (None).
    n_jobs, memory_limit, deadline, progress
        Threads (None: what is free, see the guide), bytes, seconds, and a function of (task, done, total).
    verbose
        Whether to show the progress on stderr.

    Attributes
    ----------
    classes_
        The classes, in order.
    dual_coef_, intercept_
        The coefficients of the points of positive weight, or of the landmarks, and b.
    kernel_, resolutions_
        The kernel with numbers for its rules, and what the rules found.
    certificate_
        How far the answer is from the solution: a :class:`mercer.Certificate`.
    notes_, history_
        What to know of the fit, and the objective after each step.
    n_features_in_, feature_names_in_
        The columns of the training data.
    """

    alpha: float = 1.0
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    tolerance: float = 1e-9
    max_iterations: int = 100
    landmarks: int | None = None
    random_state: Any = None

    _learner: ClassVar[str] = "logistic"

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, the model's own: rows×classes."""
        return probabilities(self, X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        return np.log(probabilities(self, X))


@dataclass(eq=False, repr=False, kw_only=True)
class KernelClassifier(Decision, Classifier):
    """A classifier by any loss of a margin, an estimator for scikit-learn.

    Minimises Σ wᵢℓ(yᵢ, f(xᵢ) + b) + (alpha/2)‖f‖², or Σ wᵢℓ over ‖f‖ ≤ norm_bound, with yᵢ = ±1. Several
    classes are fitted one against the rest.

    >>> import numpy as np
    >>> from mercer import KernelClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [4.0]])
    >>> model = KernelClassifier("linear", loss="hinge").fit(X, [0, 0, 1, 1])
    >>> model.decision_function(X).round(4).tolist()
    [-2.0, -1.0, 1.0, 4.0]

    Parameters
    ----------
    kernel, fit_intercept, class_weight, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`KernelLogisticRegression`.
    loss
        ``hinge``, ``squared_hinge``, ``logistic``, ``squared``, ``tanh`` (not convex), or an object with
        ``value(y, z)``, ``derivative(y, z)`` and ``curvature(y, z)``: functions of two arrays, of targets and of
        predictions, that give an array of as many numbers.
    alpha, norm_bound
        A number > 0; where a bound of the norm is given, it stands in the place of alpha.
    starts, random_state
        Starts of a loss that may have several minima, and where their chance begins.
    tolerance, max_iterations
        The gap over the objective at which to stop, and the largest number of steps.

    Attributes
    ----------
    classes_, dual_coef_, intercept_, kernel_, resolutions_, certificate_, notes_, history_
        As of :class:`KernelLogisticRegression`.
    """

    loss: str | object = "hinge"
    alpha: float = 1.0
    norm_bound: float | None = None
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    starts: int = 5
    random_state: Any = None
    tolerance: float = 1e-12
    max_iterations: int = 100

    _learner: ClassVar[str] = "classifier"

    def _own_loss(self) -> object | None:
        return own_loss(self.loss)

    def _choices(self) -> Choices:
        return with_loss(super()._choices(), self) | {"penalty": penalty(self)}

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, with the logistic loss only: rows×classes.

        Of several classes, those of one against the rest, brought to the sum 1.
        """
        return rest_probabilities(self, X)


def penalty(estimator: Any) -> Choices:
    """alpha, or the bound of the norm where one is given."""
    if estimator.norm_bound is None:
        return {"alpha": estimator._real("alpha")}
    return {"norm_bound": estimator._real("norm_bound")}


def with_loss(choices: Choices, estimator: Any) -> Choices:
    """With the parameter of a loss that goes by name; without a loss of the user's own, which is passed beside."""
    named = {name: value for name, value in choices.items() if name != "loss"}
    if estimator._own_loss() is None:
        loss = str(estimator.loss)
        parameter = PARAMETERS.get(loss, "")
        own = {parameter: estimator._real(parameter)} if hasattr(estimator, parameter) else {}
        named["loss"] = {"name": loss, **own}
    return named


def own_loss(loss: object) -> object | None:
    """The loss if it is an object of the user's."""
    if isinstance(loss, str):
        return None
    missing = [name for name in ("value", "derivative", "curvature") if not callable(getattr(loss, name, None))]
    if missing:
        raise InvalidParameterError(f"`loss` must be a name or an object with functions {missing}, got {loss!r}")
    return loss


@dataclass(eq=False, repr=False, kw_only=True)
class LeastSquares(KernelMachine):
    """What both least-squares machines share."""

    gamma: float = 1.0
    alphas: Sequence[float] = ()
    random_state: Any = None

    _learner: ClassVar[str] = "lssvm"

    def _keep(self, model: _core.Machine) -> None:
        super()._keep(model)
        self.gamma_ = self.gamma if model.alpha is None else 1 / model.alpha


@dataclass(eq=False, repr=False, kw_only=True)
class LSSVC(Decision, LeastSquares, Classifier):
    """The least-squares support vector classifier, an estimator for scikit-learn.

    Minimises ½‖f‖² + (gamma/2)·Σ wᵢ(yᵢ − f(xᵢ) − b)² with yᵢ = ±1: kernel ridge regression with an
    intercept and alpha = 1/gamma. Several classes are fitted one against the rest.

    >>> import numpy as np
    >>> from mercer import LSSVC
    >>> LSSVC("linear", gamma=4.0).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"]).predict([[0.1], [3.0]]).tolist()
    ['a', 'b']

    Parameters
    ----------
    gamma
        What a unit of squared error costs, > 0.
    alphas
        Values of 1/gamma to choose from by exact leave-one-out, in the place of gamma; none unless given.
    probability
        Whether to find probabilities: exp(s·f_c(x))/Σ exp(s·f_j(x)), with the s that suits best what the fits without each row say
        there. The most probable class is the one that is predicted.
    random_state
        Where the chance of solvers for many rows begins; None is always the same.
    kernel, class_weight, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`KernelLogisticRegression`.

    Attributes
    ----------
    gamma_
        gamma, as given or chosen.
    classes_, dual_coef_, intercept_, kernel_, resolutions_, certificate_
        As of :class:`KernelLogisticRegression`.
    """

    class_weight: ClassWeight = None
    probability: bool = False

    @available_if(asked_for_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, with ``probability=True`` only: rows×classes."""
        return probabilities(self, X)

    @available_if(asked_for_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        return np.log(probabilities(self, X))


@dataclass(eq=False, repr=False, kw_only=True)
class KernelBarycentre(Decision, Classifier):
    """The class whose barycentre is nearest in the space of the kernel, an estimator for scikit-learn.

    The value of class c is ⟨k(x, ·), μ_c⟩ − ½‖μ_c‖² with μ_c the mean of k(xᵢ, ·) over its rows; of two
    classes, the difference. Factors on the weights of a whole class would cancel in its mean, so there is no
    ``class_weight``.

    >>> from mercer import KernelBarycentre
    >>> model = KernelBarycentre("linear").fit([[-1.0], [-3.0], [4.0]], [0, 0, 1])  # barycentres −2 and 4
    >>> model.decision_function([[1.0], [3.0]]).tolist()
    [0.0, 12.0]

    Parameters
    ----------
    kernel, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`KernelLogisticRegression`.

    Attributes
    ----------
    classes_, dual_coef_, intercept_, kernel_, resolutions_, certificate_
        As of :class:`KernelLogisticRegression`.
    """

    _learner: ClassVar[str] = "barycentre"
