"""What an import brings along."""

from __future__ import annotations

import subprocess
import sys

import mercer

FOREIGN = ("sklearn", "pandas", "polars", "pyarrow", "scipy", "joblib", "narwhals")


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has after ``code``."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())


def test_the_package_needs_numpy_alone() -> None:
    code = "import mercer, numpy as np\nk = mercer.Kernel('rbf')\nk.gram(np.eye(3)); mercer.kernels.rbf(); mercer.check('linear')"
    assert not loaded(code) & set(FOREIGN)


def test_estimators_bring_nothing_that_their_base_does_not() -> None:
    base = loaded("import sklearn.base, sklearn.utils.metaestimators, sklearn.utils.multiclass")
    ours = loaded("from mercer import KernelRidge, KernelSGDClassifier, GaussianProcessRegressor, KernelQuantileRegressor")
    assert sorted(m for m in ours - base if m.split(".")[0] in FOREIGN) == []


def test_every_name_is_there() -> None:
    for name in dir(mercer):
        assert getattr(mercer, name) is not None or name == "__doc__"
    assert set(mercer.__all__) <= set(dir(mercer))
