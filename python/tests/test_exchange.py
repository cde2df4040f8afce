"""Support vector machines in files of other programs, read by those programs."""

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_iris, load_wine

import mercer
from mercer.errors import MercerError
from mercer.svm import from_libsvm

X, Y = load_iris(return_X_y=True)
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0},
]


def answers(model, points):
    """What ONNX Runtime makes of the model: its outputs, by place."""
    session = onnxruntime.InferenceSession(model.to_onnx(), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: points.astype(np.float32)})


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
@pytest.mark.parametrize("classes", [2, 3])
def test_onnx_runtime_predicts_the_same_classes(kernel, classes):
    rows = classes > Y
    for names in (np.arange(classes), np.array(["setosa", "versicolor", "virginica"])[:classes]):
        model = mercer.SVC(C=2.0, **kernel).fit(X[rows], names[Y[rows]])
        assert np.asarray(answers(model, X)[0]).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_onnx_runtime_predicts_the_same_numbers(kernel):
    target = load_wine().data[:, 0]
    points = load_wine().data[:, 1:6] / 10
    for model in (mercer.SVR(C=3.0, **kernel), mercer.NuSVR(C=3.0, **kernel)):
        model.fit(points, target)
        # Every term of Σ αᵢk(xᵢ, x) is rounded to single precision.
        sizes = np.abs(model.kernel_.gram(points, model.support_vectors_)) @ np.abs(np.ravel(model.dual_coef_))
        off = np.abs(np.ravel(answers(model, points)[0]) - model.predict(points))
        assert np.all(off <= 1e-6 * (sizes + np.abs(target).max()))


def test_onnx_runtime_finds_the_same_outliers():
    model = mercer.OneClassSVM(nu=0.2, gamma=0.5).fit(X)
    # Rows on the border may go either way in single precision.
    clear = np.abs(model.decision_function(X)) > 1e-4
    found = np.ravel(answers(model, X)[0])
    assert np.array_equal(np.sign(found[clear]), model.predict(X)[clear])


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
@pytest.mark.parametrize("make", [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM])
def test_libsvm_files_come_back(make, kernel, tmp_path):
    model = make(**kernel)
    model.fit(X) if make is mercer.OneClassSVM else model.fit(X, Y * 2 + 1)
    path = tmp_path / "iris.model"
    path.write_text(model.to_libsvm())
    again = from_libsvm(path)
    assert type(again) is make
    assert again.predict(X).tolist() == pytest.approx(model.predict(X).tolist(), abs=1e-12)
    if make is not mercer.OneClassSVM and hasattr(model, "classes_"):
        assert again.classes_.tolist() == [1, 3, 5]
        np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-12)
    assert again.certificate_.gap is None
    assert again.to_libsvm().splitlines()[:3] == model.to_libsvm().splitlines()[:3]


def test_probabilities_survive():
    model = mercer.SVC(probability=True, random_state=0).fit(X, Y)
    again = from_libsvm(model.to_libsvm().encode())
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-10)


def test_what_others_cannot_hold_is_refused():
    with pytest.raises(MercerError, match="not supported"):
        mercer.SVC(kernel="rbf(length_scale=1) + linear").fit(X, Y).to_libsvm()
    with pytest.raises(MercerError, match="not supported"):
        mercer.SVC(multi_class="one_vs_rest").fit(X, Y).to_onnx()
    with pytest.raises(MercerError, match=r"bytes"):
        from_libsvm(b"svm_type c_svc\nkernel_type nonsense\n")
    with pytest.raises(FileNotFoundError):
        from_libsvm("no/such/file.model")
    with pytest.raises(MercerError):
        from_libsvm(mercer.SVC().fit(X, Y).to_libsvm().encode(), n_features=2)
