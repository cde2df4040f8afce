"""Kernels that are Python functions."""

from __future__ import annotations

import pickle
import traceback

import numpy as np
import pandas as pd
import pytest

from mercer import Kernel, errors


def shared_part(x: np.ndarray, y: np.ndarray) -> float:
    return x @ y / (x @ x + y @ y - x @ y)


def power(x: np.ndarray, y: np.ndarray, exponent: float = 2.0) -> float:
    return abs(x @ y) ** exponent


def inner(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return X @ Y.T


def test_functions_compose_and_print(X: np.ndarray, Y: np.ndarray) -> None:
    kernel = 2 * Kernel.from_function(shared_part) + Kernel("rbf(length_scale=1)")
    assert str(kernel) == "2*shared_part + rbf(length_scale=1)"
    expected = 2 * np.array([[shared_part(x, y) for y in Y] for x in X]) + Kernel("rbf(length_scale=1)").gram(X, Y)
    np.testing.assert_allclose(kernel.gram(X, Y), expected, rtol=1e-14)
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel.gram(X)), rtol=1e-14)
    again = Kernel("shared_part*linear", functions={"shared_part": Kernel.from_function(shared_part)})
    assert again == Kernel.from_function(shared_part) * Kernel("linear")


def test_parameters_are_passed_by_name_and_belong_to_theta(X: np.ndarray) -> None:
    kernel = Kernel.from_function(power, exponent=3)
    assert str(kernel) == "power(exponent=3)" and [p.path for p in kernel.params] == ["power.exponent"]
    moved = kernel.with_theta(np.log([2.0]))
    np.testing.assert_allclose(moved.gram(X), (X @ X.T) ** 2, rtol=1e-12)
    with pytest.raises(errors.UnsupportedError, match="gradient|deriv"):
        kernel.gradient(X, np.ones((60, 60)))


def test_vectorized_functions(X: np.ndarray, Y: np.ndarray) -> None:
    kernel = Kernel.from_function(inner, vectorized=True)
    np.testing.assert_array_equal(kernel.gram(X, Y), X @ Y.T)
    with pytest.raises(errors.ShapeError, match=r"expected an array of shape \(60, 60\)"):
        Kernel.from_function(lambda X, Y: X, name="wrong", vectorized=True).gram(X)


def test_points_are_vectors_strings_or_records() -> None:
    longest = Kernel.from_function(lambda a, b: float(a[0] == b[0]), name="initial")
    np.testing.assert_array_equal(longest.gram(["ab", "ac", "b"]), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    frame = pd.DataFrame({"age": [1.0, 2.0], "height": [1.0, 1.0], "city": ["Rome", "Rome"]})
    record = Kernel.from_function(lambda a, b: a["age"] * b["age"] * (a["city"] == b["city"]), name="record")
    np.testing.assert_array_equal(record.gram(frame), [[1, 2], [2, 4]])
    vectors = Kernel.from_function(inner, vectorized=True).on("age", "height")
    assert str(vectors) == "inner(age, height)"
    np.testing.assert_array_equal(vectors.gram(frame), [[2, 3], [3, 5]])


def test_an_exception_keeps_its_type_and_traceback(X: np.ndarray) -> None:
    def broken(x: np.ndarray, y: np.ndarray) -> float:
        return {}["no such key"]

    with pytest.raises(KeyError, match="no such key") as caught:
        (Kernel("linear") + Kernel.from_function(broken)).gram(X)
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "broken"


def test_what_is_no_kernel_is_refused(X: np.ndarray) -> None:
    refused = {
        "symmetric": lambda x, y: x[0] - 2 * y[0],
        "NaN": lambda x, y: float("nan"),
        "expected a number": lambda x, y: x,
    }
    for message, fn in refused.items():
        with pytest.raises(ValueError, match=message):
            Kernel.from_function(fn, name="wrong").gram(X)


def test_names() -> None:
    with pytest.raises(errors.InvalidParameterError, match="name="):
        Kernel.from_function(lambda x, y: 1.0)
    with pytest.raises(errors.InvalidParameterError, match="already"):
        Kernel.from_function(shared_part, name="rbf")
    one, other = (Kernel.from_function(f, name="f") for f in (shared_part, power))
    assert one + one == one + Kernel.from_function(shared_part, name="f")
    with pytest.raises(errors.InvalidParameterError, match="two different functions"):
        one + other
    with pytest.raises(errors.InvalidParameterError, match="> 0"):
        Kernel.from_function(power, exponent=-1)


def test_a_function_is_pickled_if_it_can_be(X: np.ndarray) -> None:
    kernel = 2 * Kernel.from_function(power, exponent=3) + Kernel("linear")
    same = pickle.loads(pickle.dumps(kernel))
    assert same == kernel
    np.testing.assert_array_equal(same.gram(X), kernel.gram(X))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(Kernel.from_function(lambda x, y: 1.0, name="one"))
