"""Mercer: kernel methods with a certificate on every answer.

>>> import mercer
>>> k = mercer.Kernel("rbf(bill_length_mm) * delta(island)")
>>> k.params[0].path
'0.rbf.length_scale'
"""

from importlib.metadata import version as _version

from mercer import errors, kernels, rkhs
from mercer._audit import Audit, Repair, RepairReport, Witness, audit, repair
from mercer._catalogue import catalogue
from mercer._check import Check, Counterexample, check
from mercer._dataset import Dataset, ShippedDataset, datasets, load, read
from mercer._inputs import Precomputed
from mercer._kernel import Kernel
from mercer._records import KernelInfo, KernelParameter, Parameter, Resolution
from mercer.errors import MercerError, MercerWarning

__version__ = _version("mercer")

__all__ = [
    "Audit",
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
