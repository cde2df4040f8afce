"""Memory of NumPy, wherever it lies: nothing is read or written beside it.

What would crash runs in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from mercer import Kernel, Precomputed, audit, errors
from mercer.regress import KernelRegressor
from mercer.ridge import KernelRidge

RBF = Kernel("rbf(length_scale=1)")


def child(script: str) -> str:
    """What a script prints; a crash of its process fails the test."""
    text = "import numpy as np\nfrom mercer import Kernel\n" + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout.strip()


def unaligned(array: np.ndarray, offset: int = 1) -> np.ndarray:
    """The same numbers, ``offset`` bytes after an aligned address."""
    memory = np.zeros(array.nbytes + 16, np.uint8)
    start = (-memory.ctypes.data) % 16 + offset
    moved = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert moved.flags.aligned == (offset % array.itemsize == 0)
    return moved


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_large_memory_map_after_a_header_of_13_bytes(dtype: str, tmp_path: Any) -> None:
    path = tmp_path / "map.bin"
    n = 2100 if dtype == "float64" else 3000  # at least 32 MiB
    script = f"""
        X = np.random.default_rng(0).normal(size=({n}, 3))
        out = np.memmap({str(path)!r}, {dtype!r}, "w+", offset=13, shape=({n}, {n}))
        assert not out.flags.aligned and out.nbytes >= 32 << 20
        k = Kernel("rbf(length_scale=1)")
        assert k.gram(X, out=out) is out
        out.flush()
        same = np.array_equal(out, k.gram(X, dtype={dtype!r}))
        print(same, open({str(path)!r}, "rb").read(13) == bytes(13))
    """
    assert child(script) == "True True"


def test_every_offset_and_a_field_of_a_record(X: np.ndarray, Y: np.ndarray) -> None:
    expected, single = RBF.gram(X, Y), RBF.gram(X, Y, dtype=np.float32)
    for offset in range(9):
        out = unaligned(np.full(expected.shape, np.nan), offset)
        memory = np.array(out.base, copy=True) if out.base is not None else None
        assert RBF.gram(X, Y, out=out) is out
        np.testing.assert_array_equal(out, expected)
        if memory is not None and isinstance(out.base, np.ndarray):
            changed = np.flatnonzero(np.frombuffer(out.base.tobytes(), np.uint8) != np.frombuffer(memory.tobytes(), np.uint8))
            assert changed.size <= out.nbytes, "nothing beside it was touched"
        np.testing.assert_array_equal(RBF.gram(X, Y, out=unaligned(np.zeros_like(single), offset)), single)
    record = np.zeros((), [("header", "S13"), ("k", np.float64, expected.shape), ("end", "S3")])
    record["header"], record["end"] = b"header", b"end"
    RBF.gram(X, Y, out=record["k"])
    np.testing.assert_array_equal(record["k"], expected)
    assert (record["header"], record["end"]) == (b"header", b"end")


def odd(array: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in memory of many kinds."""
    n, d = array.shape
    gaps = np.full((2 * n, 3 * d), np.nan)
    gaps[::2, ::3] = array
    frozen = array.copy()
    frozen.setflags(write=False)
    record = np.zeros(n, [("a", "i1"), ("x", np.float64, d)])
    record["x"] = array
    return {
        "unaligned": unaligned(array),
        "unaligned float32": unaligned(array.astype(np.float32)),
        "big-endian": array.astype(">f8"),
        "unaligned big-endian": unaligned(array.astype(">f8"), 3),
        "column by column": np.asfortranarray(array),
        "backwards": array[::-1, ::-1].copy()[::-1, ::-1],
        "with gaps": gaps[::2, ::3],
        "read-only": frozen,
        "a field of records": record["x"],
        "a matrix": np.asmatrix(array),
        "long double": array.astype(np.longdouble),
        "masked, with nothing masked": np.ma.MaskedArray(array),
        "objects": array.astype(object),
    }


def test_points_and_targets_may_lie_anywhere(X: np.ndarray) -> None:
    y = X[:, 0] * 2 - X[:, 1]
    exact = np.float32(X).astype(np.float64)  # the same in single precision
    y32 = np.float32(y).astype(np.float64)
    gram, ridge = RBF.gram(exact), KernelRidge("rbf(length_scale=1)", alpha=0.1).fit(exact, y32)
    smooth = KernelRegressor("rbf(length_scale=1)", alpha=0.1).fit(exact, y32)
    targets = odd(y32.reshape(-1, 1))
    for name, points in odd(exact).items():
        np.testing.assert_array_equal(RBF.gram(points), gram, err_msg=name)
        np.testing.assert_array_equal(RBF.gram(exact[:5], points), gram[:5], err_msg=name)
        np.testing.assert_array_equal(RBF.matvec(exact, points), RBF.matvec(exact, exact), err_msg=name)
        if name in ("objects", "a matrix", "masked, with nothing masked"):
            continue  # scikit-learn judges these
        again = KernelRidge("rbf(length_scale=1)", alpha=0.1).fit(points, targets[name].ravel(), np.ones(len(y)))
        np.testing.assert_array_equal(again.predict(points), ridge.predict(exact), err_msg=name)
        other = KernelRegressor("rbf(length_scale=1)", alpha=0.1).fit(points, targets[name].ravel())
        np.testing.assert_array_equal(other.predict(points), smooth.predict(exact), err_msg=name)
    for name, values in odd(gram).items():
        if name == "unaligned float32":
            continue  # rounded
        np.testing.assert_array_equal(Kernel("precomputed").gram(Precomputed(values)), gram, err_msg=name)
        assert audit(values), name


def test_tables_sparse_rows_and_functions_may_lie_anywhere(X: np.ndarray) -> None:
    from scipy.sparse import csr_array

    table = {"a": X[:, 0].copy(), "b": X[:, 1].copy()}
    kernel = Kernel("rbf(length_scale=1) + linear(a)")
    expected = kernel.gram(table)
    for make in (unaligned, lambda v: v[::-1].copy()[::-1], lambda v: v.astype(">f8")):
        np.testing.assert_array_equal(kernel.gram({name: make(v) for name, v in table.items()}), expected)
    sparse = csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    moved = csr_array((unaligned(sparse.data), sparse.indices, sparse.indptr), shape=sparse.shape)
    np.testing.assert_array_equal(RBF.gram(moved), RBF.gram(sparse))
    for make in (unaligned, np.asfortranarray, lambda k: k[::-1].copy()[::-1]):
        own = Kernel.from_function(lambda A, B, make=make: make(A @ B.T), "own", vectorized=True)
        np.testing.assert_array_equal(own.gram(X, X[:7]), X @ X[:7].T)


def test_out_is_written_to_only_if_it_can_be(X: np.ndarray) -> None:
    frozen = unaligned(np.zeros((60, 60)))
    frozen.setflags(write=False)
    bad: list[tuple[Any, str]] = [
        (frozen, "writeable"),
        (unaligned(np.zeros((60, 60), ">f8")), "float64 or float32"),
        (unaligned(np.zeros((120, 60)))[::2], "C-contiguous"),
        (np.zeros((60, 60))[::-1], "C-contiguous"),
        (np.zeros((60, 60))[:, ::-1], "C-contiguous"),
        (np.broadcast_to(np.zeros(60), (60, 60)), "C-contiguous|writeable"),
        (np.lib.stride_tricks.as_strided(np.zeros(60), (60, 60), (0, 8)), "C-contiguous"),
        (np.ma.MaskedArray(np.zeros((60, 60)), mask=True), "masked"),
        (np.zeros((60, 60), complex), "float64 or float32"),
        (np.zeros((60, 60), np.float16), "float64 or float32"),
        (np.zeros((60, 60), object), "float64 or float32"),
    ]
    for out, said in bad:
        with pytest.raises((errors.InvalidParameterError, errors.ShapeError), match=said):
            RBF.gram(X, out=out)


def test_out_is_none_of_the_points() -> None:
    from scipy.sparse import csr_array

    whole = np.random.default_rng(3).normal(size=(40, 60))
    before = whole.copy()
    square = whole[:, :40]
    for points, out in [
        (whole[:40], np.ndarray((40, 40), buffer=whole)),
        (whole[:, ::2], np.ndarray((40, 40), buffer=whole)),
        ({"a": whole[:, 3]}, np.ndarray((40, 40), buffer=whole)),
        (square.T[:40], np.ndarray((40, 40), buffer=whole)),
    ]:
        with pytest.raises(errors.InvalidParameterError, match="share memory"):
            RBF.gram(points, out=out)
    rows = csr_array(np.eye(40))
    memory = np.zeros(1600)
    rows.data = memory[:40]
    rows.data[:] = 1.0
    with pytest.raises(errors.InvalidParameterError, match="share memory"):
        RBF.gram(rows, out=memory.reshape(40, 40))
    np.testing.assert_array_equal(whole, before)


def test_nothing_at_all_is_a_matrix_too() -> None:
    none = np.zeros((0, 3))
    some = np.ones((4, 3))
    for out, points in [((0, 4), (none, some)), ((4, 0), (some, none)), ((0, 0), (none, none))]:
        memory = np.zeros(9, np.uint8)[1:1].view(np.float64).reshape(out)
        assert RBF.gram(*points, out=memory) is memory
        assert RBF.gram(*points).shape == out


def test_a_function_that_moves_out_does_not_write_into_the_void() -> None:
    script = """
        out = np.zeros((50, 50))
        def moves(A, B):
            out.resize((2, 2), refcheck=False)
            return A @ B.T
        k = Kernel.from_function(moves, "moves", vectorized=True)
        try:
            k.gram(np.ones((50, 2)), out=out)
        except ValueError as error:
            print("C-contiguous" in str(error))
    """
    assert child(script) == "True"


def test_rows_of_nothing_are_counted_against_the_memory() -> None:
    script = """
        hollow = np.empty((10**12, 0))
        for call in ("diag", "gram"):
            try:
                getattr(Kernel("1"), call)(hollow)
            except Exception as error:
                print(type(error).__name__)
    """
    said = child(script).split()
    assert len(said) == 2 and "PanicException" not in said


def test_a_hundred_million_sparse_columns_cost_nothing() -> None:
    script = """
        import resource
        from scipy.sparse import csr_array
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        from mercer.ridge import KernelRidge
        X = csr_array((np.ones(4), ([0, 1, 2, 2], [0, 7, 7, 99_999_999])), shape=(3, 100_000_000))
        far = csr_array((np.ones(3), ([0, 1, 2], [0, 2**32 - 2, 2**32 - 1])), shape=(3, 2**32))
        for points in (X, far):
            for formula in ("linear", "rbf(length_scale=1)", "rbf", "linear(x7)"):
                Kernel(formula).gram(points, n_jobs=1)
                KernelRidge(formula if formula != "rbf" else "rbf(length_scale=1)", n_jobs=1).fit(points, [1, 2, 3]).predict(points)
            for formula in ("laplace_l1(length_scale=1)", "min"):
                try:
                    Kernel(formula).gram(points, n_jobs=1, memory_limit=200 << 20)
                except MemoryError:
                    print("refused")
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 600 << 10)
    """
    assert child(script).split() == ["refused"] * 4 + ["True"]
