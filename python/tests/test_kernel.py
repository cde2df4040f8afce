"""Formulas: composing, printing, parameters, pickling, output arrays."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import mercer
from mercer import Kernel, errors, kernels


def test_operators_print_as_formulas() -> None:
    rbf, linear = Kernel("rbf(length_scale=2)"), Kernel("linear")
    shown = {
        rbf + linear: "rbf(length_scale=2) + linear",
        0.5 * rbf * linear: "0.5*rbf(length_scale=2)*linear",
        np.float64(2) * rbf: "2*rbf(length_scale=2)",
        (rbf + 1) ** 3: "(rbf(length_scale=2) + 1)^3",
        1 + linear: "1 + linear",
        linear.exp(): "exp(linear)",
        linear.normalize() * 3: "3*normalize(linear)",
        sum([rbf, linear]): "rbf(length_scale=2) + linear",
    }
    for kernel, formula in shown.items():
        assert str(kernel) == kernel.formula == formula
        assert repr(kernel) == f'Kernel("{formula}")'
        assert Kernel(formula) == kernel and hash(Kernel(formula)) == hash(kernel)
    assert Kernel(rbf) == rbf and rbf != linear and rbf != "rbf(length_scale=2)"


def test_a_printed_kernel_evaluates_to_itself() -> None:
    for kernel in [Kernel('rbf("body mass", age, length_scale=[2, 3!])'), Kernel("linear(a) * delta(b)")]:
        assert eval(repr(kernel)) == kernel


def test_aliases_print_in_normal_form() -> None:
    assert str(Kernel("gaussian(gamma=0.125)")) == "rbf(length_scale=2)"


def test_what_does_not_keep_a_kernel_is_refused() -> None:
    linear = Kernel("linear")
    with pytest.raises(errors.InvalidParameterError, match="≥ 0"):
        -1.0 * linear
    for exponent in (0, -1, 65, 0.5, 10**30):
        with pytest.raises(errors.InvalidParameterError, match="whole number from 1 to 64"):
            linear**exponent
    for wrong in [lambda: linear + "rbf", lambda: linear * None, lambda: linear / "2", lambda: Kernel(3)]:
        with pytest.raises(TypeError):
            wrong()


def test_errors_point_at_the_place() -> None:
    with pytest.raises(ValueError) as caught:
        Kernel("rbf + mattern32")
    assert str(caught.value) == (
        "unknown kernel `mattern32` at column 7\n"
        "  rbf + mattern32\n"
        "        ^^^^^^^^^\n"
        "hint: the nearest kernel is `matern32`"
    )
    assert caught.value.hint == "the nearest kernel is `matern32`"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(errors.FormulaError, match="no column `agee`(?s:.*)`age`"):
        Kernel("linear(agee)").gram({"age": [1.0, 2.0]})
    with pytest.raises(errors.NonFiniteError, match="NaN|missing"):
        Kernel("linear").gram(np.array([[1.0], [np.nan]]))
    with pytest.raises(errors.NonFiniteError, match="1 of 2 values in column `x0` is infinite, first at row 1"):
        Kernel("linear").gram(np.array([[1.0], [np.inf]]))


def test_parameters_and_theta() -> None:
    kernel = Kernel("2*rbf(length_scale=3!) + poly(coef0=0)")
    assert [p.path for p in kernel.params] == ["0.scale", "0.rbf.length_scale", "1.poly.gamma", "1.poly.coef0"]
    assert kernel.params[1].value == 3 and not kernel.params[1].free and kernel.params[0].transform == "log"
    np.testing.assert_allclose(kernel.theta, [np.log(2), 0, 0])
    assert kernel.bounds.shape == (3, 2) and (kernel.bounds[:, 0] < kernel.theta + 1e-12).all()
    assert kernel.with_theta([0, 0, 4]).formula == "1*rbf(length_scale=3!) + poly(degree=3, gamma=1, coef0=4)"
    with pytest.raises(errors.ShapeError, match="3 values"):
        kernel.with_theta([1.0])
    median = Kernel("rbf").params[0]
    assert median.value is None and median.rule == "median"
    with pytest.raises(errors.UnsupportedError, match="resolve"):
        Kernel("rbf").theta


def test_kernels_are_pickled_and_copied(X: np.ndarray) -> None:
    kernel = Kernel("0.1*rbf(length_scale=0.30000000000000004) + linear")
    for same in [pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), copy.copy(kernel)]:
        assert same == kernel
        np.testing.assert_array_equal(same.gram(X), kernel.gram(X))


def test_results_are_written_where_the_caller_says(X: np.ndarray, Y: np.ndarray) -> None:
    kernel = Kernel("rbf(length_scale=1)")
    expected = kernel.gram(X, Y)
    out = np.full((60, 35), np.nan)
    assert kernel.gram(X, Y, out=out) is out
    np.testing.assert_array_equal(out, expected)
    single = kernel.gram(X, Y, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, expected.astype(np.float32))
    np.testing.assert_array_equal(kernel.gram(X, Y, out=np.empty((60, 35), np.float32)), single)


def test_wrong_outputs_are_refused(X: np.ndarray) -> None:
    kernel = Kernel("linear")
    frozen = np.empty((60, 60))
    frozen.setflags(write=False)
    own = np.empty((60, 60))
    wrong = {
        "shape": np.empty((60, 59)),
        "C-contiguous": np.empty((60, 60), order="F"),
        "writeable": frozen,
        "float64 or float32": np.empty((60, 60), int),
        "numpy array": [[0.0]],
    }
    for message, out in wrong.items():
        with pytest.raises((ValueError, TypeError), match=message):
            kernel.gram(X, out=out)
    with pytest.raises(errors.InvalidParameterError, match="share memory"):
        kernel.gram(own, out=own)
    with pytest.raises(errors.InvalidParameterError, match="float64"):
        kernel.gram(X, out=own, dtype=np.float32)
    with pytest.raises(errors.InvalidParameterError, match="dtype"):
        kernel.gram(X, dtype=int)


def test_wrong_companions_are_refused(X: np.ndarray) -> None:
    kernel = Kernel("linear")
    with pytest.raises(errors.ShapeError, match="60 rows"):
        kernel.matvec(X, np.ones(3))
    with pytest.raises(errors.ShapeError, match="`W`"):
        kernel.gradient(X, np.ones((2, 2)))
    with pytest.raises(IndexError):
        kernel.column(X, 60)
    with pytest.raises(ValueError):
        kernel.gram(X, X[:, :2])
    with pytest.raises(ValueError, match="rule|resolve|row"):
        Kernel("rbf").gram(X[:1])


def test_every_kernel_of_the_catalogue_has_a_constructor() -> None:
    for info in mercer.catalogue():
        make = getattr(kernels, info.name)
        assert info.definition in make.__doc__
        assert make() == Kernel(info.name)
        names = list(inspect.signature(make).parameters)
        assert names == ["columns", *(p.name for p in info.parameters)]
    assert Kernel.list() == mercer.catalogue()
    assert str(kernels.rbf("body mass", length_scale=2)) == 'rbf("body mass", length_scale=2)'
    assert str(kernels.rbf("a", "b", length_scale=[1, "2!"])) == "rbf(a, b, length_scale=[1, 2!])"
    with pytest.raises(AttributeError, match="no kernel `rbff`"):
        kernels.rbff
    with pytest.raises(TypeError, match="by name"):
        kernels.rbf(2.0)


def test_precomputed_matrices() -> None:
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(Kernel("precomputed + 1").gram(mercer.Precomputed(K)), K + 1)
    with pytest.raises(ValueError, match="symmetric"):
        Kernel("precomputed").gram(mercer.Precomputed([[1.0, 2.0], [3.0, 4.0]]))
