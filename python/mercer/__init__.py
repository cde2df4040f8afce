"""Mercer: kernel methods with a certificate on every answer.

>>> import mercer
>>> k = mercer.Kernel("rbf(bill_length_mm) * delta(island)")
>>> k.params[0].path
'0.rbf.length_scale'
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from mercer import errors
from mercer._inputs import Precomputed
from mercer._kernel import Kernel
from mercer._records import AlphaScore, Certificate, KernelInfo, KernelParameter, Parameter, Repaired, Resolution
from mercer.errors import MercerError, MercerWarning

if _TYPE_CHECKING:
    from mercer import kernels as kernels
    from mercer import plot as plot
    from mercer import rkhs as rkhs
    from mercer._audit import Audit as Audit
    from mercer._audit import Repair as Repair
    from mercer._audit import RepairReport as RepairReport
    from mercer._audit import Witness as Witness
    from mercer._audit import audit as audit
    from mercer._audit import repair as repair
    from mercer._catalogue import catalogue as catalogue
    from mercer._check import Check as Check
    from mercer._check import Counterexample as Counterexample
    from mercer._check import check as check
    from mercer._dataset import Dataset as Dataset
    from mercer._dataset import ShippedDataset as ShippedDataset
    from mercer._dataset import datasets as datasets
    from mercer._dataset import load as load
    from mercer._dataset import read as read
    from mercer._dataset import read_fasta as read_fasta
    from mercer._compare import MmdResult as MmdResult
    from mercer._fit import Fit as Fit
    from mercer._fit import FitReport as FitReport
    from mercer._fit import fit as fit
    from mercer._fit import load_model as load_model
    from mercer.auto import AutoClassifier as AutoClassifier
    from mercer.auto import AutoRegressor as AutoRegressor
    from mercer._compare import mmd_test as mmd_test
    from mercer._tested import TestResult as TestResult
    from mercer.classify import LSSVC as LSSVC
    from mercer.classify import KernelBarycentre as KernelBarycentre
    from mercer.classify import KernelClassifier as KernelClassifier
    from mercer.classify import KernelLogisticRegression as KernelLogisticRegression
    from mercer.cluster import KernelKMeans as KernelKMeans
    from mercer.cluster import SpectralClustering as SpectralClustering
    from mercer.correlate import KernelCCA as KernelCCA
    from mercer.depend import ConditioningSet as ConditioningSet
    from mercer.depend import Thinned as Thinned
    from mercer.depend import dhsic_test as dhsic_test
    from mercer.depend import hsic_test as hsic_test
    from mercer.depend import kci_test as kci_test
    from mercer.depend import kernel_herding as kernel_herding
    from mercer.depend import ksd_test as ksd_test
    from mercer.depend import stein_thinning as stein_thinning
    from mercer.descent import KernelGradientDescent as KernelGradientDescent
    from mercer.descent import KernelSGDClassifier as KernelSGDClassifier
    from mercer.descent import KernelSGDRegressor as KernelSGDRegressor
    from mercer.descent import SpectralFilter as SpectralFilter
    from mercer.discriminant import KernelFisherDiscriminant as KernelFisherDiscriminant
    from mercer.empirical import EmpiricalKernelMap as EmpiricalKernelMap
    from mercer.gp import GaussianProcessClassifier as GaussianProcessClassifier
    from mercer.gp import GaussianProcessRegressor as GaussianProcessRegressor
    from mercer.reduce import KernelPCA as KernelPCA
    from mercer.regress import LSSVR as LSSVR
    from mercer.regress import KernelQuantileRegressor as KernelQuantileRegressor
    from mercer.regress import KernelRegressor as KernelRegressor
    from mercer.ridge import KernelRidge as KernelRidge
    from mercer.segment import KernelChangeDetector as KernelChangeDetector
    from mercer.segment import KernelChangePoint as KernelChangePoint
    from mercer.svm import SVC as SVC
    from mercer.svm import SVR as SVR
    from mercer.svm import NuSVC as NuSVC
    from mercer.svm import NuSVR as NuSVR
    from mercer.svm import OneClassSVM as OneClassSVM
    from mercer.unary import UnaryMap as UnaryMap
    __version__: str

__all__ = [
    "AlphaScore",
    "Audit",
    "Certificate",
    "Check",
    "ConditioningSet",
    "Counterexample",
    "Dataset",
    "Fit",
    "FitReport",
    "Kernel",
    "KernelInfo",
    "KernelParameter",
    "MercerError",
    "MercerWarning",
    "MmdResult",
    "Parameter",
    "Precomputed",
    "Repair",
    "RepairReport",
    "Repaired",
    "Resolution",
    "ShippedDataset",
    "TestResult",
    "Thinned",
    "Witness",
    "__version__",
    "audit",
    "catalogue",
    "check",
    "datasets",
    "dhsic_test",
    "errors",
    "fit",
    "hsic_test",
    "kci_test",
    "kernel_herding",
    "kernels",
    "ksd_test",
    "load",
    "load_model",
    "mmd_test",
    "plot",
    "read",
    "read_fasta",
    "repair",
    "rkhs",
    "stein_thinning",
]

# What not everybody needs is imported when it is asked for, and estimators, which need scikit-learn, are left
# out of `*` besides.
_LAZY = {
    "Audit": "mercer._audit",
    "Check": "mercer._check",
    "ConditioningSet": "mercer.depend",
    "Counterexample": "mercer._check",
    "Dataset": "mercer._dataset",
    "Fit": "mercer._fit",
    "FitReport": "mercer._fit",
    "MmdResult": "mercer._compare",
    "Repair": "mercer._audit",
    "RepairReport": "mercer._audit",
    "ShippedDataset": "mercer._dataset",
    "TestResult": "mercer._tested",
    "Thinned": "mercer.depend",
    "Witness": "mercer._audit",
    "audit": "mercer._audit",
    "catalogue": "mercer._catalogue",
    "check": "mercer._check",
    "datasets": "mercer._dataset",
    "dhsic_test": "mercer.depend",
    "fit": "mercer._fit",
    "hsic_test": "mercer.depend",
    "kci_test": "mercer.depend",
    "kernel_herding": "mercer.depend",
    "ksd_test": "mercer.depend",
    "load": "mercer._dataset",
    "load_model": "mercer._fit",
    "mmd_test": "mercer._compare",
    "read": "mercer._dataset",
    "read_fasta": "mercer._dataset",
    "repair": "mercer._audit",
    "stein_thinning": "mercer.depend",
}
_ESTIMATORS = {
    "AutoClassifier": "mercer.auto",
    "AutoRegressor": "mercer.auto",
    "GaussianProcessClassifier": "mercer.gp",
    "GaussianProcessRegressor": "mercer.gp",
    "KernelBarycentre": "mercer.classify",
    "KernelCCA": "mercer.correlate",
    "KernelChangeDetector": "mercer.segment",
    "KernelChangePoint": "mercer.segment",
    "KernelClassifier": "mercer.classify",
    "EmpiricalKernelMap": "mercer.empirical",
    "KernelFisherDiscriminant": "mercer.discriminant",
    "KernelGradientDescent": "mercer.descent",
    "KernelKMeans": "mercer.cluster",
    "KernelLogisticRegression": "mercer.classify",
    "KernelPCA": "mercer.reduce",
    "KernelQuantileRegressor": "mercer.regress",
    "KernelRegressor": "mercer.regress",
    "KernelRidge": "mercer.ridge",
    "KernelSGDClassifier": "mercer.descent",
    "KernelSGDRegressor": "mercer.descent",
    "LSSVC": "mercer.classify",
    "LSSVR": "mercer.regress",
    "NuSVC": "mercer.svm",
    "NuSVR": "mercer.svm",
    "OneClassSVM": "mercer.svm",
    "SVC": "mercer.svm",
    "SVR": "mercer.svm",
    "SpectralClustering": "mercer.cluster",
    "SpectralFilter": "mercer.descent",
    "UnaryMap": "mercer.unary",
}



def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in ("kernels", "plot", "rkhs"):
        return import_module(f"mercer.{name}")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "__version__":
        # Looking for it takes longer than all the rest of the import.
        from importlib.metadata import version

        return version("mercer")
    if name not in _ESTIMATORS:
        raise AttributeError(f"module `mercer` has no attribute `{name}`")
    try:
        return getattr(import_module(_ESTIMATORS[name]), name)
    except ImportError as error:
        message = f"mercer.{name} needs scikit-learn 1.6 or later: pip install 'scikit-learn>=1.6'"
        raise ImportError(message) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_ESTIMATORS, "__version__", "kernels", "plot", "rkhs"})
