"""Support vector machines: drop-in replacements of scikit-learn's, on any kernel, with a certificate."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from mercer import _core
from mercer._estimator import Floats
from mercer._machine import Classifier, asked_for_probabilities, probabilities
from mercer._support import SupportMachine
from mercer.errors import InvalidParameterError, UnsupportedError

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "from_libsvm"]


@dataclass(eq=False, repr=False, kw_only=True)
class SupportClassifier(SupportMachine, Classifier):
    """What both machines for classes share."""

    class_weight: str | Mapping[Any, float] | None = None
    multi_class: str = "one_vs_one"
    probability: bool = False
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, classes of any kind and weights ≥ 0; a weight means repetition.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        self._check_shape()
        points = self._training_points(X)
        labels = self._labels(y, points)
        weights = self._weights(sample_weight, points)
        self._set_classes(np.unique(labels))
        codes = np.searchsorted(self.classes_, labels).astype(np.float64)
        told = {**self._choices(), **self._class_weights()}
        self.class_weight_ = self._weights_of_classes(told["class_weight"], codes, weights)
        self._solve(X, points, codes, self.n_classes_, weights, told)
        return self

    def _check_shape(self) -> None:
        if self.decision_function_shape not in ("ovr", "ovo"):
            must = f"`decision_function_shape` of {type(self).__name__} must be `ovr` or `ovo`"
            raise InvalidParameterError(f"{must}, got {self.decision_function_shape!r}")

    def _weights_of_classes(self, told: Any, codes: Floats, weights: Floats | None) -> Floats:
        """The factor of each class, as the core has it."""
        if isinstance(told, Mapping):
            return np.array(told["values"], dtype=np.float64)
        if told == "equal":
            return np.ones(self.n_classes_)
        sums = np.bincount(codes.astype(int), weights, self.n_classes_)
        factors: Floats = sums.sum() / (self.n_classes_ * np.where(sums > 0, sums, 1.0))
        return factors

    def _iterations(self, each: list[int]) -> npt.NDArray[np.int32]:
        return np.array(each, dtype=np.int32)

    def decision_function(self, X: Any) -> Floats:
        """f(x) + b: one value a point for two classes, positive for the second.

        For several classes the votes for each, and below a third of a vote how sure they are
        (``decision_function_shape="ovr"``), or a value for each pair of classes, positive for the first (``"ovo"``). Machines of
        one class against the rest have one value a class.
        """
        self._check_shape()
        values = self._functions(X)
        if self.n_classes_ == 2:
            return values[:, 0]
        return values if self.decision_function_shape == "ovo" else self._model.answer(values)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of every point: that with most votes, the first among equals.

        With ``break_ties`` it is that of the largest ``decision_function``.
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidParameterError("break_ties must be False when decision_function_shape is 'ovo'")
        values = self._functions(X)
        if self.n_classes_ == 2:
            codes = (values[:, 0] > 0).astype(int)
        else:
            answers = self._model.answer(values)
            codes = answers.argmax(axis=1) if self.break_ties else np.array(self._model.largest(answers), dtype=int)
        found: npt.NDArray[Any] = self.classes_[codes]
        return found

    @available_if(asked_for_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, with ``probability=True`` only: rows×classes.

        Of two classes they are ½ where the class changes, so that the more probable one is the one that is predicted.
        """
        return probabilities(self, X)

    @available_if(asked_for_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        return np.log(probabilities(self, X))


@dataclass(eq=False, repr=False, kw_only=True)
class SVC(SupportClassifier):
    """The support vector machine for classes, in the place of ``sklearn.svm.SVC``.

    For two classes it minimises ½‖f‖² + C·Σ wᵢ·max(0, 1 − yᵢ(f(xᵢ) + b)) with yᵢ = ±1. Several classes are a machine for each
    pair of them, which vote, or one for each against the rest.

    >>> import numpy as np
    >>> from mercer import SVC
    >>> X = np.array([[-2.0], [-1.0], [1.0], [4.0]])
    >>> model = SVC(kernel="linear").fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[-0.5], [3.0]]).tolist(), model.support_.tolist()
    (['no', 'yes'], [1, 2])
    >>> bool(model.certificate_.gap < 1e-3)
    True

    Parameters
    ----------
    C
        What a unit of slack costs: 1/alpha. ``np.inf`` is the hard margin, the largest there is; where there is none,
        :class:`mercer.errors.NotSeparableError` holds weights that show it.
    kernel
        A word of scikit-learn's (``linear``, ``poly``, ``rbf``, ``sigmoid``, ``precomputed``), a formula, a
        :class:`mercer.Kernel`, a kernel object of scikit-learn's, or a function of two sets of points that gives their matrix.
        None reads every column. ``"rbf"`` alone has the width of ``gamma``; ``"rbf(length_scale=median)"`` is the formula.
    degree, gamma, coef0
        The numbers of scikit-learn's words: ``gamma="scale"`` is 1/(columns·variance of X), with weights as repetitions,
        ``"auto"`` 1/columns. Formulas have their own.
    shrinking, cache_size
        For scikit-learn's sake, without effect: what is left out is always verified, and ``memory_limit`` rules the memory.
    probability, random_state
        Whether to find probabilities, from functions that are fitted without a fifth of the rows, and where the chance of the
        fifths begins.
    tol, gap, max_iter
        The largest violation of the conditions and the gap over the objective at which to stop, both, and the largest number of
        moves, -1 for no limit.
    class_weight
        Factors on C: a dict by class, or ``"balanced"`` so that every class counts the same in all.
    decision_function_shape, break_ties
        See :meth:`decision_function` and :meth:`predict`.
    fit_intercept
        Whether to add a number b that the norm does not count.
    multi_class
        ``one_vs_one`` or ``one_vs_rest``.
    warm_start
        Whether ``fit`` starts from the last one where the number of rows is the same: with another C or kernel it is faster, after
        ``max_iter`` or ``deadline`` it goes on.
    repair
        What to do with a precomputed matrix that is not positive semi-definite: refuse it (None), or ``clip``, ``flip`` or
        ``shift`` its spectrum, with a warning.
    n_jobs, memory_limit, deadline, progress, verbose
        Threads (None: what is free, see the guide), bytes, seconds after which the best function so far is taken, a function of
        (task, done, total), and whether to show the progress on stderr.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        The rows of the support vectors, by class, the points themselves, and how many each class has.
    dual_coef_, intercept_, coef_
        Coefficients of the support vectors, as scikit-learn lays them out; b of every function; weights of the columns, of the
        kernel ``linear`` only.
    classes_, class_weight_
        The classes, in order, and their factors on C.
    fit_status_, n_iter_, shape_fit_
        0 where the tolerance was reached, else 1; moves of each machine; the shape of X.
    kernel_, resolutions_
        The kernel with numbers for its rules, and what the rules found.
    certificate_, notes_, report_
        How far the answer is from the solution, a :class:`mercer.Certificate`; what to know of the fit; both with how it was
        fitted, as a dict.
    """

    C: float = 1.0
    fit_intercept: bool = True

    _learner: ClassVar[str] = "svc"


@dataclass(eq=False, repr=False, kw_only=True)
class NuSVC(SupportClassifier):
    """The support vector machine for classes with ν in place of C, in the place of ``sklearn.svm.NuSVC``.

    For two classes it minimises ½‖f‖² − ν·W·ρ + Σ wᵢ·max(0, ρ − yᵢ(f(xᵢ) + b)) over f, b and ρ ≥ 0, with W = Σ wᵢ, and keeps f/ρ
    and b/ρ: those of :class:`SVC` with C = 1/ρ.

    >>> import numpy as np
    >>> from mercer import NuSVC
    >>> X = np.array([[-2.0], [-1.0], [1.0], [4.0]])
    >>> NuSVC(kernel="linear", nu=0.4).fit(X, [0, 0, 1, 1]).decision_function(X).round(2).tolist()
    [-2.0, -1.0, 1.0, 4.0]

    Parameters
    ----------
    nu
        The least share of support vectors, and the largest of rows inside of the margin; at most twice the share of the smaller
        class.
    class_weight
        Factors on the weights of the rows. Where they do not allow ν, it is lowered, and ``notes_`` says so.
    kernel, degree, gamma, coef0, shrinking, cache_size, probability, random_state, tol, gap, max_iter, decision_function_shape
        As of :class:`SVC`.
    break_ties, multi_class, warm_start, repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`SVC`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, fit_status_, n_iter_
        As of :class:`SVC`.
    shape_fit_, kernel_, resolutions_, certificate_, notes_, report_
        As of :class:`SVC`.
    """

    nu: float = 0.5

    _learner: ClassVar[str] = "nu_svc"


class SupportRegressor(RegressorMixin, SupportMachine):  # type: ignore[misc]
    """What both machines for numbers share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits to points, one number each and weights ≥ 0; a weight means repetition.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        target = np.ascontiguousarray(column_or_1d(self._targets(y, points), warn=True))
        weights = self._weights(sample_weight, points)
        self._solve(X, points, target, None, weights, self._choices())
        return self

    def predict(self, X: Any) -> Floats:
        """f(x) + b for every point."""
        return self._functions(X)[:, 0]


@dataclass(eq=False, repr=False, kw_only=True)
class SVR(SupportRegressor):
    """The support vector machine for numbers, in the place of ``sklearn.svm.SVR``.

    Minimises ½‖f‖² + C·Σ wᵢ·max(0, |yᵢ − f(xᵢ) − b| − epsilon): rows inside of the tube have no part in f.

    >>> import numpy as np
    >>> from mercer import SVR
    >>> model = SVR(kernel="linear", epsilon=0.5).fit(np.arange(3.0).reshape(-1, 1), [0.0, 1.0, 2.0])
    >>> model.predict([[0.0], [2.0]]).round(2).tolist()  # the flattest line in the tube
    [0.5, 1.5]

    Parameters
    ----------
    C, epsilon
        What a unit of slack costs, 1/alpha, and half the width of the tube.
    kernel, degree, gamma, coef0, shrinking, cache_size, tol, gap, max_iter, fit_intercept, warm_start
        As of :class:`SVC`.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`SVC`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, n_iter_, shape_fit_
        As of :class:`SVC`; one number of support vectors, and of moves.
    kernel_, resolutions_, certificate_, notes_, report_
        As of :class:`SVC`.
    """

    C: float = 1.0
    epsilon: float = 0.1
    fit_intercept: bool = True

    _learner: ClassVar[str] = "svr"


@dataclass(eq=False, repr=False, kw_only=True)
class NuSVR(SupportRegressor):
    """The support vector machine for numbers with ν in place of ε, in the place of ``sklearn.svm.NuSVR``.

    Minimises ½‖f‖² + C·(ν·W·ε + Σ wᵢ·max(0, |yᵢ − f(xᵢ) − b| − ε)) over f, b and ε ≥ 0, with W = Σ wᵢ: at most the share ν of the rows
    lies outside of the tube.

    >>> import numpy as np
    >>> from mercer import NuSVR
    >>> model = NuSVR(kernel="linear", nu=1.0).fit(np.arange(3.0).reshape(-1, 1), [0.0, 1.0, 2.0])
    >>> bool(model.epsilon_ < 1e-2)  # the line goes through all points
    True

    Parameters
    ----------
    C, nu
        What a unit of slack costs, 1/alpha, and the share of support vectors.
    kernel, degree, gamma, coef0, shrinking, cache_size, tol, gap, max_iter, warm_start
        As of :class:`SVC`.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`SVC`.

    Attributes
    ----------
    epsilon_
        ε, as it was found.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, n_iter_, shape_fit_
        As of :class:`SVR`.
    kernel_, resolutions_, certificate_, notes_, report_
        As of :class:`SVC`.
    """

    C: float = 1.0
    nu: float = 0.5

    _learner: ClassVar[str] = "nu_svr"

    def _keep(self, model: _core.Machine) -> None:
        super()._keep(model)
        # A file of LIBSVM does not say it.
        self.epsilon_ = next(iter(model.widths()), math.nan)


@dataclass(eq=False, repr=False, kw_only=True)
class OneClassSVM(OutlierMixin, SupportMachine):  # type: ignore[misc]
    """The support vector machine of one class, in the place of ``sklearn.svm.OneClassSVM``.

    Minimises ½‖f‖² − ν·W·ρ + Σ wᵢ·max(0, ρ − f(xᵢ)) over f and ρ, with W = Σ wᵢ. f(x) − ρ is above 0 where most points are.

    >>> import numpy as np
    >>> from mercer import OneClassSVM
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0]])
    >>> OneClassSVM(gamma=0.5, nu=0.3).fit(X).predict([[0.15], [9.0]]).tolist()
    [1, -1]

    Parameters
    ----------
    nu
        The largest share of rows below 0, and the least of support vectors.
    calibrate, random_state
        Whether to keep what :meth:`p_values` needs, from functions that are fitted without a fifth of the rows, and where the chance of
        the fifths begins.
    kernel, degree, gamma, coef0, shrinking, cache_size, tol, gap, max_iter, warm_start
        As of :class:`SVC`.
    repair, n_jobs, memory_limit, deadline, progress, verbose
        As of :class:`SVC`.

    Attributes
    ----------
    offset_
        ρ: ``decision_function`` is ``score_samples`` less ρ.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, n_iter_, shape_fit_
        As of :class:`SVR`.
    kernel_, resolutions_, certificate_, notes_, report_
        As of :class:`SVC`.
    """

    nu: float = 0.5
    calibrate: bool = False
    random_state: Any = None

    _learner: ClassVar[str] = "one_class"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fits to points and weights ≥ 0; a weight means repetition. ``y`` is not looked at.

        X is an array, a sparse matrix, a data frame or dict whose columns may be text and categories,
        or a list of strings.
        """
        points = self._training_points(X)
        weights = self._weights(sample_weight, points)
        self._solve(X, points, None, None, weights, self._choices())
        self.offset_ = -np.asarray(self.intercept_)
        return self

    def decision_function(self, X: Any) -> Floats:
        """f(x) − ρ: not below 0 for most points."""
        return self._functions(X)[:, 0]

    def score_samples(self, X: Any) -> Floats:
        """f(x)."""
        values: Floats = self.decision_function(X) + self.offset_
        return values

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """1 for points like most, -1 for others."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)

    def p_values(self, X: Any) -> Floats:
        """How unusual points are, with ``calibrate=True`` only.

        The share of rows, each at a function that was fitted without it, whose value is not above that of the point, itself
        included: small with about that probability for a point like the rows.
        """
        values = self._model.p_values(self.decision_function(X))
        if values is None:
            raise UnsupportedError("p-values of a machine that was not calibrated are not supported", "give `calibrate=True`")
        return values


def from_libsvm(source: str | os.PathLike[str] | bytes, *, n_features: int | None = None) -> SupportMachine:
    """The machine in a model file of LIBSVM, given by its path or its bytes, as a fitted estimator.

    The file has no C, nu or epsilon, and nothing that could be certified: ``certificate_`` has no gap. It has no zeros either, so that it
    may not reach the last columns of its data: ``n_features`` says how many there are. What else is left out is in ``notes_``.

    >>> from mercer.svm import from_libsvm
    >>> text = b"svm_type c_svc\\nkernel_type linear\\nnr_class 2\\ntotal_sv 2\\nrho 0\\nlabel 1 -1\\nnr_sv 1 1\\nSV\\n"
    >>> model = from_libsvm(text + b"0.5 1:1 \\n-0.5 1:-1 \\n")
    >>> model.predict([[3.0], [-2.0]]).tolist(), model.decision_function([[3.0]]).tolist()
    ([1, -1], [3.0])
    """
    name = "bytes" if isinstance(source, bytes) else os.fspath(source)
    given = source if isinstance(source, bytes) else Path(source).read_bytes()
    machine, learner, labels, notes = _core.from_libsvm(given, name, n_features)
    of_learner: dict[str, type[SupportMachine]] = {
        kind._learner: kind for kind in (SVC, NuSVC, SVR, NuSVR, OneClassSVM)
    }
    return of_learner[learner]()._read(machine, labels, notes)
