"""Least objectives in high precision, or points so near them that their objectives are as good as the least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import gmpy2
from gmpy2 import mpfr

from certify import losses
from certify.exact import ONE, ZERO, Matrix, Vector, dot, eliminate, shifted, solve, times


@dataclass
class Ridge:
    """½Σ w(y − Ka − b)² + (alpha/2)·aᵀKa."""

    k: Matrix
    y: Vector
    w: Vector
    alpha: mpfr
    intercept: bool

    def objective(self, a: Vector, b: mpfr) -> mpfr:
        f = times(self.k, a)
        loss = sum((w * (y - v - b) ** 2 for w, y, v in zip(self.w, self.y, f, strict=True)), ZERO)
        return (loss + self.alpha * dot(a, f)) / 2

    def residual(self, a: Vector, b: mpfr, *, weighted: bool) -> mpfr:
        """‖y − (K + alpha/w)a − b‖ over ‖y‖, and what the intercept leaves."""
        f = times(self.k, a)
        left = [y - v - b for y, v in zip(self.y, f, strict=True)]
        share = self.w if weighted else [ONE] * len(a)
        rest = [r - self.alpha * c / w for r, c, w in zip(left, a, self.w, strict=True)]
        off = gmpy2.sqrt(sum((s * r * r for s, r in zip(share, rest, strict=True)), ZERO))
        if self.intercept:
            off = max(off, abs(dot(self.w, left)) / gmpy2.sqrt(sum(self.w, ZERO)))
        size = gmpy2.sqrt(sum((s * y * y for s, y in zip(share, self.y, strict=True)), ZERO))
        return off / size if size else ZERO

    def normal_residual(self, a: Vector, b: mpfr) -> mpfr:
        left = [w * (y - v - b) for w, y, v in zip(self.w, self.y, times(self.k, a), strict=True)]
        whole = [w * y for w, y in zip(self.w, self.y, strict=True)]

        def size(v: Vector) -> mpfr:
            return gmpy2.sqrt(sum((w * p * p for w, p in zip(self.w, times(self.k, v), strict=True)), ZERO))

        return size(left) / size(whole) if size(whole) else ZERO

    def least(self) -> mpfr | None:
        system = shifted(self.k, lambda i: self.alpha / self.w[i])
        ones = [ONE] * len(self.y)
        found = solve(system, [self.y, ones] if self.intercept else [self.y])
        if found is None:
            return None
        b = sum(found[0], ZERO) / sum(found[1], ZERO) if self.intercept else ZERO
        a = [x - b * o for x, o in zip(found[0], found[1], strict=True)] if self.intercept else found[0]
        return self.objective(a, b)


@dataclass
class Penalized:
    """Σ wℓ(y, Ka + b) + (alpha/2)·aᵀKa."""

    k: Matrix
    loss: str
    parameter: mpfr
    y: Vector
    w: Vector
    alpha: mpfr
    intercept: bool

    def total(self, z: Vector) -> mpfr:
        each = (w * losses.value(self.loss, self.parameter, y, v) for w, y, v in zip(self.w, self.y, z, strict=True))
        return sum(each, ZERO)

    def objective(self, a: Vector, b: mpfr) -> mpfr:
        f = times(self.k, a)
        return self.total([v + b for v in f]) + self.alpha * dot(a, f) / 2

    def loss_alone(self, a: Vector, b: mpfr) -> mpfr:
        return self.total([v + b for v in times(self.k, a)])

    def near(self, a: Vector, b: mpfr) -> tuple[Vector, mpfr]:
        """A point whose objective is the least one to many digits."""
        if self.loss == "logistic":
            return newton(self, a, b)
        return interior(self)


def newton(p: Penalized, a: Vector, b: mpfr) -> tuple[Vector, mpfr]:
    """Newton's method with halved steps, from f = 0 or from the given point, whichever is lower."""
    n = len(p.y)
    at, value = (list(a), b), p.objective(a, b)
    nothing = ([ZERO] * n, ZERO)
    if p.objective(*nothing) < value:
        at, value = nothing, p.objective(*nothing)
    for _ in range(80):
        (a, b), z = at, [v + at[1] for v in times(p.k, at[0])]
        s = [losses.sigmoid(-y * v) for y, v in zip(p.y, z, strict=True)]
        g = [-w * y * q for w, y, q in zip(p.w, p.y, s, strict=True)]
        h = [w * q * (1 - q) for w, q in zip(p.w, s, strict=True)]
        rest = [-(p.alpha * c + v) for c, v in zip(a, g, strict=True)]
        # alpha·da + H(K·da + db) = rest, Σ(g + H(K·da + db)) = 0.
        rows = [[h[i] * k + (p.alpha if i == j else 0) for j, k in enumerate(p.k[i])] for i in range(n)]
        if p.intercept:
            rows = [[*row, h[i]] for i, row in enumerate(rows)]
            last = [sum((h[i] * p.k[i][j] for i in range(n)), ZERO) for j in range(n)]
            rows.append([*last, sum(h, ZERO)])
            step = eliminate(rows, [*rest, -sum(g, ZERO)])
        else:
            step = eliminate(rows, rest)
        if step is None:
            return at
        length, moved = ONE, False
        for _ in range(60):
            there = ([c + length * d for c, d in zip(a, step[:n], strict=True)],
                     b + (length * step[n] if p.intercept else 0))
            new = p.objective(*there)
            if new < value:
                gain, at, value, moved = value - new, there, new, True
                break
            length /= 2
        if not moved or gain < abs(value) * mpfr(10) ** -45:
            return at
    return at


def interior(p: Penalized) -> tuple[Vector, mpfr]:
    """A primal-dual interior point method for the dual quadratic program; nearer than any double.

    min ½V'QV + Σ ½s·v² + shift·v over low ≤ v ≤ high with V the sums of the pieces of a row, and ΣV = 0.
    """
    n = len(p.y)
    own = [(i, q) for i, y in enumerate(p.y) for q in losses.pieces(p.loss, p.parameter, y)]
    m, row = len(own), [i for i, _ in own]
    # In units of the shifts, so that slacks and values are of moderate size.
    unit = max([abs(q.shift) for _, q in own if q.shift] or [ONE])
    shift = [q.shift / unit for _, q in own]
    soft = [q.softness / p.w[i] / unit for i, q in own]
    low = [None if q.low is None else q.low * p.w[i] for i, q in own]
    high = [None if q.high is None else q.high * p.w[i] for i, q in own]
    scale = 1 / (p.alpha * unit)
    q = [[p.k[row[i]][row[j]] * scale for j in range(m)] for i in range(m)]
    weight = [p.w[i] for i in row]
    start = [(lo + hi) / 2 if lo is not None and hi is not None else (hi - w if hi is not None else
             (lo + w if lo is not None else ZERO)) for lo, hi, w in zip(low, high, weight, strict=True)]
    v, b = start, ZERO
    slack = [[None if x is None else c - x for c, x in zip(v, low, strict=True)],
             [None if x is None else x - c for c, x in zip(v, high, strict=True)]]
    size = 1 + max(abs(x) for x in times(q, v))
    hold = [[ZERO if s is None else size for s in side] for side in slack]
    best: tuple[mpfr, Vector, mpfr] | None = None
    problem = p
    for _ in range(150):
        sums = [ZERO] * n
        for j, c in enumerate(v):
            sums[row[j]] += c
        a = [-c / problem.alpha for c in sums]
        value = problem.objective(a, b * unit)
        if best is None or value < best[0]:
            best = (value, a, b * unit)
        terms = [(s, h, w) for ss, hh in zip(slack, hold, strict=True)
                 for s, h, w in zip(ss, hh, weight, strict=True) if s is not None]
        mu = sum((s * h / w for s, h, w in terms), ZERO) / max(len(terms), 1)
        gradient = [g + soft[j] * v[j] + shift[j] - b for j, g in enumerate(times(q, v))]
        off = max(abs(gradient[j] - hold[0][j] + hold[1][j]) for j in range(m))
        if mu < mpfr(10) ** -60 and off < mpfr(10) ** -50:
            break
        target = mu / 50
        theta = list(soft)
        rhs = [-g for g in gradient]
        for side, sign in ((0, 1), (1, -1)):
            for j in range(m):
                if slack[side][j] is not None:
                    theta[j] += hold[side][j] / slack[side][j]
                    rhs[j] += sign * target * weight[j] / slack[side][j]
        free = [max(t, mpfr(10) ** -90) for t in theta]
        system = [[x + (free[i] if i == j else 0) for j, x in enumerate(r)] for i, r in enumerate(q)]
        found = solve(system, [rhs, [ONE] * m] if problem.intercept else [rhs])
        if found is None:
            break
        db = -(sum(v, ZERO) + sum(found[0], ZERO)) / sum(found[1], ZERO) if problem.intercept else ZERO
        dv = [x + db * o for x, o in zip(found[0], found[1], strict=True)] if problem.intercept else found[0]
        dh = [[ZERO] * m, [ZERO] * m]
        length = ONE
        for side, sign in ((0, 1), (1, -1)):
            for j in range(m):
                s = slack[side][j]
                if s is None:
                    continue
                ds = sign * dv[j]
                dh[side][j] = (target * weight[j] - hold[side][j] * ds) / s - hold[side][j]
                for x, dx in ((s, ds), (hold[side][j], dh[side][j])):
                    if dx < 0:
                        length = min(length, -x / dx * mpfr("0.99"))
        v = [c + length * d for c, d in zip(v, dv, strict=True)]
        b += length * db
        for side, sign in ((0, 1), (1, -1)):
            slack[side] = [None if s is None else s + length * sign * d for s, d in zip(slack[side], dv, strict=True)]
            hold[side] = [h + length * d for h, d in zip(hold[side], dh[side], strict=True)]
    assert best is not None
    return best[1], best[2]


@dataclass
class Softmax:
    """Σ w·(log Σ exp z − z_c) + (alpha/2)·tr AᵀKA, one column of A and one b a class."""

    k: Matrix
    codes: Sequence[int]
    classes: int
    w: Vector
    alpha: mpfr
    intercept: bool

    def objective(self, a: Sequence[Vector], b: Vector) -> mpfr:
        f = [times(self.k, column) for column in a]
        value = self.alpha * sum((dot(c, v) for c, v in zip(a, f, strict=True)), ZERO) / 2
        for i, own in enumerate(self.codes):
            z = [f[j][i] + b[j] for j in range(self.classes)]
            top = max(z)
            value += self.w[i] * (top + gmpy2.log(sum((gmpy2.exp(v - top) for v in z), ZERO)) - z[own])
        return value

    def near(self, a: Sequence[Vector], b: Vector) -> mpfr:
        """An objective that is the least one to many digits, by damped Newton steps from the point or from 0."""
        n, c = len(self.codes), self.classes
        at, value = ([list(v) for v in a], list(b)), self.objective(a, b)
        nothing = ([[ZERO] * n for _ in range(c)], [ZERO] * c)
        if self.objective(*nothing) < value:
            at, value = nothing, self.objective(*nothing)
        for _ in range(40):
            f = [times(self.k, column) for column in at[0]]
            rows: Matrix = []
            rest: Vector = []
            p = []
            for i in range(n):
                z = [f[j][i] + at[1][j] for j in range(c)]
                top = max(z)
                e = [gmpy2.exp(v - top) for v in z]
                p.append([v / sum(e, ZERO) for v in e])
            width = n * c + (c - 1 if self.intercept else 0)
            slope = [[self.w[i] * (p[i][j] - (1 if j == self.codes[i] else 0)) for j in range(c)] for i in range(n)]
            bend = [[[self.w[i] * (p[i][j] * ((1 if j == m else 0) - p[i][m])) for m in range(c)] for j in range(c)]
                    for i in range(n)]
            for j in range(c):
                for i in range(n):
                    line = [bend[i][j][m] * self.k[i][t] for m in range(c) for t in range(n)]
                    line[j * n + i] += self.alpha
                    if self.intercept:
                        line += [bend[i][j][m] for m in range(c - 1)]
                    rows.append(line)
                    rest.append(-(self.alpha * at[0][j][i] + slope[i][j]))
            if self.intercept:
                for j in range(c - 1):
                    line = [sum((bend[i][j][m] * self.k[i][t] for i in range(n)), ZERO) for m in range(c)
                            for t in range(n)]
                    rows.append(line + [sum((bend[i][j][m] for i in range(n)), ZERO) for m in range(c - 1)])
                    rest.append(-sum((slope[i][j] for i in range(n)), ZERO))
            step = eliminate(rows, rest)
            if step is None:
                break
            shift = [*step[n * c:width], ZERO] if self.intercept else [ZERO] * c
            length, gain = ONE, ZERO
            for _ in range(60):
                there = ([[x + length * step[j * n + i] for i, x in enumerate(col)] for j, col in enumerate(at[0])],
                         [x + length * d for x, d in zip(at[1], shift, strict=True)])
                new = self.objective(*there)
                if new < value:
                    gain, at, value = value - new, there, new
                    break
                length /= 2
            if gain < abs(value) * mpfr(10) ** -40:
                break
        return value
