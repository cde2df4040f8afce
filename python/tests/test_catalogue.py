"""Estimators and the core's catalogue say the same words, and begin with the same values.

What differs stands here, with its reason, and in ``docs/notation.md``.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import mercer
from mercer import _core
from mercer._machine import CLASSES, LEARNERS, SETTINGS, KernelMachine

#: What an estimator is fitted and run by, whatever the learner.
COMMON = {"kernel", "repair", "n_jobs", "memory_limit", "deadline", "progress", "verbose"}

FLAT = "one setting with parts; searches over parameters walk over flat ones"
#: Settings that Python has other words for, by learner and setting: the words, and why.
WORDS: dict[tuple[str, str], tuple[set[str], str]] = {
    ("*", "seed"): ({"random_state"}, "scikit-learn's word; it takes generators, too"),
    ("ridge", "alpha"): ({"alpha", "alphas"}, FLAT),
    ("ridge", "solver"): ({"solver", "tolerance", "max_iterations", "landmarks"}, FLAT),
    ("regressor", "loss"): ({"loss", "delta", "epsilon", "quantile"}, FLAT),
    ("regressor", "penalty"): ({"alpha", "norm_bound"}, FLAT),
    ("classifier", "penalty"): ({"alpha", "norm_bound"}, FLAT),
    ("descent", "stopping"): ({"iterations", "early_stopping", "hold_out", "noise", "factor"}, FLAT),
    ("sgd", "dictionary"): ({"landmarks"}, "a number, `all` or None"),
    ("KernelSGDRegressor", "loss"): ({"loss", "delta", "epsilon", "quantile"}, FLAT),
    ("filter", "filter"): ({"filter", "lam", "order", "iterations", "step_size", "nu"}, FLAT + "; `lambda` is a keyword"),
    ("gp", "alpha"): ({"alpha", "alpha_bounds"}, "as scikit-learn has bounds beside their parameters"),
    ("gp", "normalize_target"): ({"normalize_y"}, "scikit-learn's word"),
    ("kernel_pca", "components"): ({"n_components"}, "scikit-learn's word"),
    ("*", "tuning"): ({"tune", "restarts", "tolerance", "max_iterations", "random_state"}, FLAT),
    **{(machine, "tolerance"): ({"tol"}, "scikit-learn's word") for machine in CLASSES},
    **{(machine, "max_iterations"): ({"max_iter"}, "scikit-learn's word; -1 is no limit") for machine in CLASSES},
    **{(clusterer, "clusters"): ({"n_clusters"}, "scikit-learn's word") for clusterer in ("kernel_k_means", "spectral")},
    **{(clusterer, "restarts"): ({"n_init"}, "scikit-learn's word") for clusterer in ("kernel_k_means", "spectral")},
    **{(clusterer, "max_iterations"): ({"max_iter"}, "scikit-learn's word") for clusterer in ("kernel_k_means", "spectral")},
    ("kernel_k_means", "tolerance"): ({"tol"}, "scikit-learn's word"),
    ("kernel_cca", "components"): ({"n_components"}, "scikit-learn's word"),
    ("LSSVR", "class_weight"): (set(), "numbers have no classes; one learner stands behind LSSVR and LSSVC"),
    ("LSSVR", "probability"): (set(), "as above"),
}
#: What estimators have beside settings, by learner, and why.
MACHINE = {"degree", "gamma", "coef0", "shrinking", "cache_size", "warm_start"}
MORE: dict[str, tuple[set[str], str]] = {
    **{machine: (MACHINE, "scikit-learn's: numbers of its kernels, and how a fit goes") for machine in CLASSES},
    **{
        machine: (MACHINE | {"decision_function_shape", "break_ties"}, "the same, and what its machines answer")
        for machine in ("svc", "nu_svc")
    },
}
#: Defaults that are other ones, by estimator and setting: what Python has, and why.
DEFAULTS: dict[tuple[str, str], tuple[Any, str]] = {
    ("KernelQuantileRegressor", "quantiles"): ([0.5], "scikit-learn's contract asks for one column of answers"),
    ("KernelSGDClassifier", "loss"): ({"name": "logistic"}, "what is usual for classes, as `mercer fit` has it"),
}

ESTIMATORS = [
    cls
    for name in dir(mercer)
    if isinstance(cls := getattr(mercer, name), type) and issubclass(cls, KernelMachine)
]


def words(cls: type[KernelMachine], setting: str) -> set[str]:
    """The parameters that say a setting."""
    for owner in (cls.__name__, cls._learner, "*"):
        if (owner, setting) in WORDS:
            return WORDS[owner, setting][0]
    return {setting}


def test_every_learner_has_its_estimator() -> None:
    assert {cls._learner for cls in ESTIMATORS} == set(LEARNERS)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_parameters_are_settings(cls: type[KernelMachine]) -> None:
    said = set().union(*(words(cls, setting) for setting in SETTINGS[cls._learner]))
    assert set(inspect.signature(cls).parameters) - COMMON == said | MORE.get(cls._learner, (set(), ""))[0]


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_defaults_are_those_of_the_catalogue(cls: type[KernelMachine]) -> None:
    estimator = cls()
    # What estimators of numbers do not have.
    without = {"class_weight": "equal" if getattr(estimator, "class_weight", None) is None else "?", "probability": False}
    told = {**without, **estimator._choices()}
    for name, setting in SETTINGS[cls._learner].items():
        expected = setting["default"]
        if (cls.__name__, name) in DEFAULTS:
            assert expected != DEFAULTS[cls.__name__, name][0], "this is no exception any more"
            expected = DEFAULTS[cls.__name__, name][0]
        found = list(told[name]) if isinstance(told[name], tuple) else told[name]
        assert found == expected, name


def test_parameters_of_losses_begin_with_the_same_values() -> None:
    for loss, parameter, default in _core.loss_parameters():
        for cls in (mercer.KernelRegressor, mercer.KernelSGDRegressor):
            assert cls(loss=loss)._choices()["loss"] == {"name": loss, parameter: default}


def test_the_table_of_words_is_complete() -> None:
    notation = (Path(__file__).parents[2] / "docs" / "notation.md").read_text()
    rows = [line for line in notation.splitlines() if line.startswith("| `")]
    for learner, settings in SETTINGS.items():
        for name in settings:
            named = [row for row in rows if f"`{name}`" in row.split("|")[1]]
            assert any(f"`{learner}`" in row or "all that draw by chance" in row for row in named), (learner, name)


def test_messages_name_the_class_that_was_written() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for estimator, says in [
        (mercer.KernelSGDRegressor(passes=0), "`passes` of KernelSGDRegressor must be a whole number ≥ 1"),
        (mercer.KernelSGDClassifier(decay=1.0), "`decay` of KernelSGDClassifier must be"),
        (mercer.LSSVR(gamma=-1.0), "`gamma` of LSSVR must be a finite number > 0"),
        (mercer.LSSVC(gamma=float("inf")), "`gamma` of LSSVC must be a finite number > 0, got inf"),
        (mercer.KernelRidge(solver="cg", tolerance=2.0), "`tolerance` of conjugate gradients in KernelRidge must be"),
        (mercer.KernelRegressor(loss="hinge"), "losses of classes belong to KernelClassifier"),
        (mercer.KernelLogisticRegression(tolerance=1.0), "`tolerance` of KernelLogisticRegression must be"),
        (mercer.SVC(tol=0.0), "`tol` of SVC must be a number between 0 and 1"),
        (mercer.SVR(max_iter=0), "`max_iter` of SVR must be a whole number ≥ 1, got 0"),
        (mercer.NuSVC(nu=1.5), "`nu` of NuSVC must be a number above 0 and at most 1"),
    ]:
        with pytest.raises(ValueError) as raised:
            estimator.fit(X, y)
        assert says in str(raised.value) and "the model" not in str(raised.value), raised.value
