"""One random fit, and which of its claims do not hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpfr

import mercer
from certify import draw, losses
from mercer import _core
from certify.exact import ONE, ZERO, dot, matrix, norm, times, vector
from certify.optimum import Penalized, Ridge, Softmax

#: Of numbers of the judge himself.
SLIP = mpfr(10) ** -30


@dataclass
class Verdict:
    learner: str
    #: Claims that do not hold, as sentences.
    broken: list[str] = field(default_factory=list)
    #: How much gaps are overstated: gap over the true distance, where that is not 0.
    checked: int = 0
    refused: str = ""

    def at_least(self, what: str, claim: float | None, truth: mpfr) -> None:
        """The claim must not be below the truth."""
        if claim is None:
            return
        self.checked += 1
        if np.isnan(claim) or (np.isfinite(claim) and mpfr(claim) < truth - abs(truth) * SLIP):
            self.broken.append(f"{what}: claimed {claim!r}, and it is {float(truth)!r} ({float(truth / claim if claim else truth):.6g} times)")

    def at_most(self, what: str, claim: float | None, truth: mpfr) -> None:
        if claim is None:
            return
        self.checked += 1
        if np.isnan(claim) or mpfr(claim) > truth + abs(truth) * SLIP:
            self.broken.append(f"{what}: claimed {claim!r}, and it is {float(truth)!r}")

    def bounds(self, c: mercer.Certificate, name: str, primal: mpfr, least: mpfr | None) -> None:
        self.at_least(f"objective ({name})", c.primal, primal)
        if least is not None and c.dual is not None:
            self.at_most(f"lower bound ({name})", c.dual, least)
            self.at_least(f"gap ({name})", c.gap, primal - least)


def columns(values: Any) -> list[list[mpfr]]:
    table = np.asarray(values, dtype=np.float64)
    table = table.reshape(len(table), -1)
    return [vector(table[:, j]) for j in range(table.shape[1])]


def ridge(found: draw.Data) -> Verdict:
    """Kernel ridge regression with every solver, one output or two."""
    rng = found.rng
    solver = str(rng.choice(["auto", "eigen", "cholesky", "cg"]))
    verdict = Verdict(f"ridge {solver}")
    y = np.column_stack([found.targets() for _ in range(1 + int(rng.random() < 0.2))])
    alpha = 0.0 if solver == "eigen" and rng.random() < 0.05 else found.alpha()
    model = mercer.KernelRidge(found.formula, alpha=alpha, fit_intercept=found.intercept, solver=solver)
    model.fit(found.x, y[:, 0] if y.shape[1] == 1 else y, sample_weight=found.weights)
    if keeps_some(verdict, found, model, y, alpha):
        return verdict
    least_squares(verdict, found, model, y, found.intercept, alpha)
    if solver == "cg" and model.certificate_.stop == "tolerance":
        verdict.at_most("tolerance", model.certificate_.relative_residual, mpfr("1e-8"))
    return verdict


def keeps_some(verdict: Verdict, found: draw.Data, model: Any, y: np.ndarray, alpha: float) -> bool:
    """Whether what `auto` chose keeps some of the points alone; then it is judged as such."""
    if len(model.dual_coef_) == found.n:
        return False
    on_landmarks(verdict, found, model, y, alpha)
    return True


def least_squares(verdict: Verdict, found: draw.Data, model: Any, y: np.ndarray, intercept: bool, alpha: float,
                  shift: Any = None, *, weighted: bool = True) -> None:
    """Bounds and residual of one problem an output."""
    c, w = model.certificate_, vector(found.w())
    a, b = columns(model.dual_coef_), vector(np.atleast_1d(model.intercept_))
    targets = columns(y)
    if shift is not None:
        targets, b = [[v - s for v in t] for t, s in zip(targets, shift, strict=True)], [ZERO] * len(targets)

    def problems(k: Any) -> list[Ridge]:
        return [Ridge(k, t, w, mpfr(alpha), intercept) for t in targets]

    given = problems(matrix(found.gram))
    parts = list(zip(given, a, b, strict=True))
    verdict.at_least("objective (any)", c.primal, sum((p.objective(x, s) for p, x, s in parts), ZERO))
    normal = c.system is not None and c.system.startswith("K·w")
    residual = max(p.normal_residual(x, s) if normal else p.residual(x, s, weighted=weighted) for p, x, s in parts)
    if normal and len(parts) > 1:
        return  # The normal residual is of all outputs at once.
    verdict.at_least("residual", c.relative_residual, residual * (1 - mpfr("1e-12")))
    for name, k in draw.references(found):
        each = problems(k)
        least = [p.least() for p in each] if alpha > 0 else [None]
        known = None if any(v is None for v in least) else sum(least, ZERO)
        at = sum((p.objective(x, s) for p, x, s in zip(each, a, b, strict=True)), ZERO)
        verdict.bounds(c, name, at, known)


def landmarks(found: draw.Data) -> Verdict:
    """Ridge regression on some of the points."""
    rng = found.rng
    solver = str(rng.choice(["nystrom", "primal"]))
    verdict = Verdict(f"ridge {solver}")
    y, alpha = found.targets(), found.alpha(-14, 2)
    model = mercer.KernelRidge(found.formula, alpha=alpha, fit_intercept=found.intercept, solver=solver,
                               landmarks=int(rng.integers(1, found.n)) if solver == "nystrom" else None)
    model.fit(found.x, y, sample_weight=found.weights)
    on_landmarks(verdict, found, model, y[:, None], alpha)
    return verdict


def on_landmarks(verdict: Verdict, found: draw.Data, model: Any, y: np.ndarray, alpha: float) -> None:
    """The objective of functions of some of the points, one an output."""
    points, options = model._model.points(), model._options()
    expr, rows = model.kernel_._expr, _core.Inputs.dense(np.ascontiguousarray(found.x))
    cross = matrix(_core.gram(expr, rows, points, None, False, options))
    own = matrix(_core.gram(expr, points, None, None, False, options))
    truth = ZERO
    for t, a, b in zip(columns(y), columns(model.dual_coef_), vector(np.atleast_1d(model.intercept_)), strict=True):
        left = [(v - f - b) ** 2 for v, f in zip(t, times(cross, a), strict=True)]
        truth += (dot(vector(found.w()), left) + mpfr(alpha) * dot(a, times(own, a))) / 2
    verdict.at_least("objective", model.certificate_.primal, truth)


def least_squares_svm(found: draw.Data) -> Verdict:
    verdict = Verdict("LSSVR")
    y, gamma = found.targets(), 1 / found.alpha()
    model = mercer.LSSVR(found.formula, gamma=gamma).fit(found.x, y, sample_weight=found.weights)
    if not keeps_some(verdict, found, model, y[:, None], 1.0 / gamma):
        least_squares(verdict, found, model, y[:, None], True, 1.0 / gamma)
    return verdict


def process(found: draw.Data) -> Verdict:
    """Gaussian process regression, normalised or not."""
    verdict = Verdict("GP regression")
    y, alpha, normal = found.targets(), found.alpha(-16, 2), bool(found.rng.random() < 0.5)
    model = mercer.GaussianProcessRegressor(found.formula, alpha=alpha, alpha_bounds="fixed", normalize_y=normal,
                                            tune=False)
    model.fit(found.x, y, sample_weight=found.weights)
    shift = vector(np.atleast_1d(model.intercept_))
    least_squares(verdict, found, model, y[:, None], False, alpha, shift, weighted=False)
    return verdict


def process_classes(found: draw.Data) -> Verdict:
    verdict = Verdict("GP classification")
    y = found.labels(2)
    model = mercer.GaussianProcessClassifier(found.formula, tune=False)
    model.fit(found.x, y, sample_weight=found.weights)
    signs = vector(2.0 * y - 1)
    a = vector(np.ravel(model.dual_coef_))
    smooth(verdict, found, model.certificate_, Problem("logistic", ZERO, signs, ONE, False), a, ZERO)
    return verdict


@dataclass(frozen=True)
class Problem:
    loss: str
    parameter: mpfr
    y: list[mpfr]
    alpha: mpfr
    intercept: bool
    #: The least |value| at which the tolerance is asked for, and the tolerance.
    nothing: mpfr = ZERO
    tolerance: float = 1.0

    def on(self, k: Any, w: list[mpfr]) -> Penalized:
        return Penalized(k, self.loss, self.parameter, self.y, w, self.alpha, self.intercept)


def smooth(verdict: Verdict, found: draw.Data, c: mercer.Certificate, problem: Problem, a: list[mpfr],
           b: mpfr) -> None:
    """Bounds of a loss, and of a smooth one the residual."""
    w = vector(found.w())
    given = problem.on(matrix(found.gram), w)
    verdict.at_least("objective (any)", c.primal, given.objective(a, b))
    if problem.loss == "logistic":
        z = [v + b for v in times(given.k, a)]
        g = [-x * y * losses.sigmoid(-y * v) for x, y, v in zip(w, problem.y, z, strict=True)]
        off = norm([problem.alpha * p + q for p, q in zip(a, g, strict=True)])
        verdict.at_least("residual", c.relative_residual, off / norm(g) * (1 - mpfr("1e-12")) if norm(g) else ZERO)
    if problem.loss == "tanh":
        return
    for name, k in draw.references(found):
        each = problem.on(k, w)
        at, least = each.objective(a, b), each.objective(*each.near(a, b))
        verdict.bounds(c, name, at, min(least, at))
        rounding = getattr(c, "rounding", 0.0)
        if name == "as it is" and c.stop == "tolerance" and rounding is not None:
            # Beside the tolerance, rounding, and what a unit of the last place of the values costs.
            values = norm([v + b for v in times(each.k, a)])
            steep = norm(w) * {"squared": max(abs(v) for v in problem.y) * 2, "huber": problem.parameter}.get(
                problem.loss, mpfr(2))
            enough = mpfr(problem.tolerance) * max(at, problem.nothing) + mpfr(rounding)
            enough += steep * values * mpfr(2) ** -52
            verdict.checked += 1
            if at - least > enough * (1 + mpfr("1e-9")):
                verdict.broken.append(f"tolerance: the objective is {float(at - least)!r} above the least, {float(at)!r}")


def nothing(y: np.ndarray, parameter: float, w: np.ndarray) -> mpfr:
    """What the interior point method takes a small objective for."""
    return mpfr(2e-6) * mpfr(float(w.sum())) * mpfr(float(np.abs(y).max()) + parameter)


def regressor(found: draw.Data) -> Verdict:
    loss = str(found.rng.choice(["squared", "huber", "absolute", "epsilon_insensitive", "pinball"]))
    verdict = Verdict(f"regressor {loss}")
    y, alpha = found.targets(), found.alpha(-12, 3) / (found.scale if loss != "squared" and found.scale else 1.0)
    size = {"huber": 1.35, "epsilon_insensitive": 0.1, "pinball": 1.0}.get(loss, 0.0)
    parameter = float(found.rng.uniform(0.05, 0.95)) if loss == "pinball" else size * found.scale
    names = {"huber": "delta", "epsilon_insensitive": "epsilon", "pinball": "quantile"}
    given = {names[loss]: parameter} if loss in names else {}
    model = mercer.KernelRegressor(found.formula, loss=loss, alpha=alpha, fit_intercept=found.intercept,
                                   tolerance=1e-9, **given)
    model.fit(found.x, y, sample_weight=found.weights)
    problem = Problem(loss, mpfr(parameter), vector(y), mpfr(alpha), found.intercept,
                      nothing(y, parameter, found.w()), 1e-9)
    smooth(verdict, found, model.certificate_, problem, vector(model.dual_coef_), mpfr(float(model.intercept_)))
    return verdict


def quantiles(found: draw.Data) -> Verdict:
    verdict = Verdict("quantiles")
    y, alpha = found.targets(), found.alpha(-9, 3) / (found.scale or 1.0)
    taus = (0.1, 0.5, 0.9)
    model = mercer.KernelQuantileRegressor(found.formula, quantiles=taus, alpha=alpha, fit_intercept=found.intercept)
    model.fit(found.x, y, sample_weight=found.weights)
    a, b = columns(model.dual_coef_), vector(np.atleast_1d(model.intercept_))
    w = vector(found.w())
    for name, k in draw.references(found):
        each = [Penalized(k, "pinball", mpfr(t), vector(y), w, mpfr(alpha), found.intercept) for t in taus]
        at = sum((p.objective(x, s) for p, x, s in zip(each, a, b, strict=True)), ZERO)
        least = sum((p.objective(*p.near(x, s)) for p, x, s in zip(each, a, b, strict=True)), ZERO)
        verdict.bounds(model.certificate_, name, at, min(at, least))
    return verdict


def classifier(found: draw.Data) -> Verdict:
    loss = str(found.rng.choice(["logistic", "hinge", "squared_hinge", "squared", "tanh"]))
    verdict = Verdict(f"classifier {loss}")
    y, alpha = found.labels(2), found.alpha(-12, 3)
    make = mercer.KernelLogisticRegression if loss == "logistic" else mercer.KernelClassifier
    given = {} if loss == "logistic" else {"loss": loss}
    model = make(found.formula, alpha=alpha, fit_intercept=found.intercept, tolerance=1e-9, **given)
    model.fit(found.x, y, sample_weight=found.weights)
    signs = 2.0 * y - 1
    problem = Problem(loss, ZERO, vector(signs), mpfr(alpha), found.intercept, nothing(signs, 0.0, found.w()), 1e-9)
    a, b = vector(np.ravel(model.dual_coef_)), mpfr(float(np.ravel(model.intercept_)[0]))
    smooth(verdict, found, model.certificate_, problem, a, b)
    return verdict


def softmax(found: draw.Data) -> Verdict:
    verdict = Verdict("softmax")
    y, alpha = found.labels(3), found.alpha(-12, 3)
    model = mercer.KernelLogisticRegression(found.formula, alpha=alpha, fit_intercept=found.intercept)
    model.fit(found.x, y, sample_weight=found.weights)
    c = model.certificate_
    a, b = columns(model.dual_coef_), vector(np.ravel(model.intercept_))
    for name, k in [("any", matrix(found.gram)), *draw.references(found)]:
        problem = Softmax(k, [int(v) for v in y], 3, vector(found.w()), mpfr(alpha), found.intercept)
        at = problem.objective(a, b)
        if name == "any":
            verdict.at_least("objective (any)", c.primal, at)
        else:
            verdict.bounds(c, name, at, min(at, problem.near(a, b)))
    return verdict


def bounded(found: draw.Data) -> Verdict:
    """A bound of the norm in the place of a penalty."""
    loss = str(found.rng.choice(["huber", "absolute", "hinge", "logistic"]))
    verdict = Verdict(f"norm bound {loss}")
    bound = float(10 ** found.rng.uniform(-3, 2))
    if loss in ("hinge", "logistic"):
        labels = found.labels(2)
        y, parameter, t = 2.0 * labels - 1, 0.0, labels
        model = mercer.KernelClassifier(found.formula, loss=loss, norm_bound=bound, fit_intercept=found.intercept)
    else:
        y = found.targets() / found.scale
        parameter, t = 1.35, y
        model = mercer.KernelRegressor(found.formula, loss=loss, norm_bound=bound, fit_intercept=found.intercept)
    model.fit(found.x, t, sample_weight=found.weights)
    c, w = model.certificate_, vector(found.w())
    a, b = vector(np.ravel(model.dual_coef_)), mpfr(float(np.ravel(model.intercept_)[0]))
    alpha = mpfr(c.alpha)
    for name, k in draw.references(found)[:2]:
        at = Penalized(k, loss, mpfr(parameter), vector(y), w, alpha, found.intercept)
        verdict.at_least(f"objective ({name})", c.primal, at.loss_alone(a, b))
        verdict.at_most(f"lower bound ({name})", c.dual, inside(at, a, b, mpfr(bound)))
    return verdict


def inside(problem: Penalized, a: list[mpfr], b: mpfr, bound: mpfr) -> mpfr:
    """The least loss found with ‖f‖ ≤ bound, over a few alphas around the given one."""
    best = problem.total([ZERO] * len(a))
    for factor in (ONE, mpfr("0.999999"), mpfr("1.000001"), mpfr("0.9"), mpfr("1.1"), mpfr("1e-3")):
        near = Penalized(problem.k, problem.loss, problem.parameter, problem.y, problem.w, problem.alpha * factor,
                         problem.intercept)
        x, s = near.near(a, b)
        size = gmpy2.sqrt(max(dot(x, times(problem.k, x)), ZERO))
        share = min(ONE, bound / size) if size else ONE
        best = min(best, problem.loss_alone([v * share for v in x], s))
    return best


def descent(found: draw.Data) -> Verdict:
    """Gradient descents and filters: what they leave of the targets."""
    rng = found.rng
    y = found.targets()
    kind = str(rng.choice(["descent", "tikhonov", "cut_off", "landweber"]))
    verdict = Verdict(f"descent {kind}")
    top = found.top / found.n
    if kind == "descent":
        model = mercer.KernelGradientDescent(found.formula, iterations=int(rng.integers(1, 300)),
                                             closed_form=bool(rng.random() < 0.5))
    elif kind == "landweber":
        model = mercer.SpectralFilter(found.formula, filter=kind, iterations=int(rng.integers(1, 10**6)))
    else:
        model = mercer.SpectralFilter(found.formula, filter=kind, lam=float(top * 10 ** rng.uniform(-15, 0)))
    model.fit(found.x, y, sample_weight=found.weights)
    w = vector(found.w())
    shares = [v / sum(w, ZERO) for v in w]
    f = times(matrix(found.gram), vector(model.dual_coef_))
    left = sum((p * (t - v) ** 2 for p, t, v in zip(shares, vector(y), f, strict=True)), ZERO)
    whole = sum((p * t * t for p, t in zip(shares, vector(y), strict=True)), ZERO)
    c = model.certificate_
    verdict.at_least("risk", c.empirical_risk, left / 2)
    verdict.at_least("discrepancy", c.discrepancy, gmpy2.sqrt(left / whole) if whole else ZERO)
    return verdict


def support(found: draw.Data) -> Verdict:
    """Support vector machines for two classes and for numbers, by cost and by share."""
    rng = found.rng
    make = [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR][int(rng.integers(4))]
    verdict = Verdict(make.__name__)
    classes = make in (mercer.SVC, mercer.NuSVC)
    labels, unit = found.labels(2), 1.0 if classes else found.scale
    cost = float(10 ** rng.uniform(-4, 4) * unit / found.top)
    precise = float(10 ** rng.uniform(-9, -2))
    given: dict[str, Any] = {"kernel": found.formula, "tol": precise * unit, "gap": precise, "max_iter": 10**5}
    if make is not mercer.NuSVC:
        given["C"] = cost
    if make in (mercer.SVC, mercer.SVR):
        given["fit_intercept"] = found.intercept
    else:
        given["nu"] = float(rng.uniform(0.05, 0.6))
    if make is mercer.SVR:
        given["epsilon"] = 0.1 * unit
    y = 2.0 * labels - 1 if classes else found.targets()
    model = make(**given).fit(found.x, labels if classes else y, sample_weight=found.weights)
    parameter = ZERO if classes else mpfr(given.get("epsilon", 0.0))
    if make in (mercer.NuSVC, mercer.NuSVR):
        width = model._model.widths()[0]
        # With the margin, or the tube, that was found, it is a machine with a cost.
        cost, parameter = (1 / width, ZERO) if classes else (cost, mpfr(width))
    a = np.zeros(found.n)
    a[model.support_] = np.ravel(model.dual_coef_)
    as_machine(verdict, found, model, Problem("hinge" if classes else "epsilon_insensitive", parameter, vector(y), ONE,
                                              given.get("fit_intercept", True)), vector(a), cost)
    return verdict


def as_machine(verdict: Verdict, found: draw.Data, model: Any, problem: Problem, a: list[mpfr], cost: float) -> None:
    """Bounds of ½‖f‖² + Σ cost·w·loss, with costs as the machine has rounded them."""
    c, b = model.certificate_, mpfr(float(np.ravel(model.intercept_)[0]))
    costs = vector(cost * found.w())
    verdict.at_least("objective (any)", c.primal, problem.on(matrix(found.gram), costs).objective(a, b))
    for name, k in draw.references(found):
        each = problem.on(k, costs)
        at = each.objective(a, b)
        verdict.bounds(c, name, at, min(at, each.objective(*each.near(a, b))))


#: Learners, how often each is drawn and the most rows.
LEARNERS: list[tuple[Callable[[draw.Data], Verdict], int, int]] = [
    (ridge, 30, 24), (landmarks, 8, 40), (least_squares_svm, 3, 20), (process, 10, 20), (process_classes, 5, 12),
    (regressor, 20, 11), (quantiles, 3, 8), (classifier, 20, 12), (softmax, 5, 7), (bounded, 4, 8), (descent, 12, 40),
    (support, 25, 12),
]


def one(seed: int) -> Verdict:
    """The verdict on one fit; what Mercer refuses to fit makes no claim."""
    rng = np.random.default_rng(seed)
    counts = np.array([share for _, share, _ in LEARNERS], dtype=float)
    learner, _, most = LEARNERS[int(rng.choice(len(LEARNERS), p=counts / counts.sum()))]
    found = draw.data(rng, most)
    if not np.all(np.isfinite(found.gram)) or found.top <= 0:
        return Verdict(learner.__name__, refused="kernel values that are no numbers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            verdict = learner(found)
        except mercer.MercerError as error:
            return Verdict(learner.__name__, refused=str(error))
    if verdict.broken:
        verdict.broken.append(f"seed {seed}: {found.formula}, {found.n} rows, scale {found.scale:g}, "
                              f"weights {found.weights is not None}, intercept {found.intercept}")
    return verdict
