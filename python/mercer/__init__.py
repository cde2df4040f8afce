"""Mercer: kernel methods with a certificate on every answer.

>>> import mercer
>>> k = mercer.Kernel("rbf(bill_length_mm) * delta(island)")
>>> k.params[0].path
'0.rbf.length_scale'
"""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING

from mercer import errors, kernels, rkhs
from mercer._audit import Audit, Repair, RepairReport, Witness, audit, repair
from mercer._catalogue import catalogue
from mercer._check import Check, Counterexample, check
from mercer._dataset import Dataset, ShippedDataset, datasets, load, read
from mercer._inputs import Precomputed
from mercer._kernel import Kernel
from mercer._records import AlphaScore, Certificate, KernelInfo, KernelParameter, Parameter, Repaired, Resolution
from mercer.errors import MercerError, MercerWarning

if _TYPE_CHECKING:
    from mercer.classify import LSSVC as LSSVC
    from mercer.classify import KernelBarycentre as KernelBarycentre
    from mercer.classify import KernelClassifier as KernelClassifier
    from mercer.classify import KernelLogisticRegression as KernelLogisticRegression
    from mercer.descent import KernelGradientDescent as KernelGradientDescent
    from mercer.descent import KernelSGDClassifier as KernelSGDClassifier
    from mercer.descent import KernelSGDRegressor as KernelSGDRegressor
    from mercer.descent import SpectralFilter as SpectralFilter
    from mercer.gp import GaussianProcessClassifier as GaussianProcessClassifier
    from mercer.gp import GaussianProcessRegressor as GaussianProcessRegressor
    from mercer.regress import LSSVR as LSSVR
    from mercer.regress import KernelQuantileRegressor as KernelQuantileRegressor
    from mercer.regress import KernelRegressor as KernelRegressor
    from mercer.ridge import KernelRidge as KernelRidge

__version__ = _version("mercer")

__all__ = [
    "AlphaScore",
    "Audit",
    "Certificate",
    "Check",
    "Counterexample",
    "Dataset",
    "Kernel",
    "KernelInfo",
    "KernelParameter",
    "MercerError",
    "MercerWarning",
    "Parameter",
    "Precomputed",
    "Repair",
    "RepairReport",
    "Repaired",
    "Resolution",
    "ShippedDataset",
    "Witness",
    "__version__",
    "audit",
    "catalogue",
    "check",
    "datasets",
    "errors",
    "kernels",
    "load",
    "read",
    "repair",
    "rkhs",
]

# Estimators need scikit-learn, the rest does not: they are imported when asked for, and `*` leaves them out.
_ESTIMATORS = {
    "GaussianProcessClassifier": "mercer.gp",
    "GaussianProcessRegressor": "mercer.gp",
    "KernelBarycentre": "mercer.classify",
    "KernelClassifier": "mercer.classify",
    "KernelGradientDescent": "mercer.descent",
    "KernelLogisticRegression": "mercer.classify",
    "KernelQuantileRegressor": "mercer.regress",
    "KernelRegressor": "mercer.regress",
    "KernelRidge": "mercer.ridge",
    "KernelSGDClassifier": "mercer.descent",
    "KernelSGDRegressor": "mercer.descent",
    "LSSVC": "mercer.classify",
    "LSSVR": "mercer.regress",
    "SpectralFilter": "mercer.descent",
}


def __getattr__(name: str) -> object:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module `mercer` has no attribute `{name}`")
    from importlib import import_module

    try:
        return getattr(import_module(_ESTIMATORS[name]), name)
    except ImportError as error:
        message = f"mercer.{name} needs scikit-learn 1.6 or later: pip install 'scikit-learn>=1.6'"
        raise ImportError(message) from error


def __dir__() -> list[str]:
    return sorted([*globals(), *_ESTIMATORS])
