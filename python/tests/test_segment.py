"""Change points: exact, any kernel and data, golden values, the defects of a peer, the automatic number of changes, streams."""

import itertools
import json
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer import KernelChangeDetector, KernelChangePoint
from mercer.errors import DeadlineError, InvalidParameterError, NonFiniteError, ShapeError
from mercer.segment import breakpoints, changes


def costs_of(K):
    """C(s, t) of every segment, by its definition."""
    n = len(K)
    costs = np.full((n + 1, n + 1), np.inf)
    for s in range(n):
        for t in range(s + 1, n + 1):
            part = K[s:t, s:t]
            costs[s, t] = np.trace(part) - part.sum() / (t - s)
    return costs


def all_cuts(n, min_size):
    for count in range(n):
        for cut in itertools.combinations(range(1, n), count):
            ends = [0, *cut, n]
            if all(b - a >= min_size for a, b in itertools.pairwise(ends)):
                yield list(cut)


def price(costs, cut):
    return sum(costs[a, b] for a, b in itertools.pairwise([0, *cut, len(costs) - 1]))


@pytest.mark.parametrize("seed", range(40))
def test_no_segmentation_is_cheaper(seed):
    rng = np.random.default_rng(seed)
    n, min_size = int(rng.integers(2, 10)), int(rng.integers(1, 4))
    min_size = min(min_size, n)
    x = rng.integers(0, 3, size=(n, 2)).astype(float) if seed % 2 else rng.normal(size=(n, 2))
    formula = ["linear", "rbf(length_scale=1)", "energy"][seed % 3]
    costs = costs_of(mercer.Kernel(formula).gram(x))
    model = KernelChangePoint(formula, n_bkps=n // min_size - 1, min_size=min_size).fit(x)
    for count, (cost, path) in enumerate(zip(model.costs_, model.path_, strict=True)):
        least = min(price(costs, cut) for cut in all_cuts(n, min_size) if len(cut) == count)
        assert cost == pytest.approx(least, abs=1e-10)
        assert price(costs, path[:-1]) == pytest.approx(least, abs=1e-10)
    for pen in (0.1, 0.7, 3.0):
        own = changes(model.predict(pen=pen))
        least = min(price(costs, cut) + pen * len(cut) for cut in all_cuts(n, min_size))
        assert price(costs, own) + pen * len(own) == pytest.approx(least, abs=1e-10)


def test_golden_cost():
    i = np.arange(8)
    x = np.c_[np.sin(i), np.cos(2 * i)]
    model = KernelChangePoint("rbf(length_scale=1)", n_bkps=0, min_size=1).fit(x)
    assert model.cost(2, 7) == pytest.approx(2.542325144867938, abs=1e-12)
    part = KernelChangePoint("rbf(length_scale=1)", n_bkps=0, min_size=1).fit(x[2:7])
    assert part.cost_ == pytest.approx(2.542325144867938, abs=1e-12)


def test_nile():
    data = mercer.load("nile")
    x = np.asarray(data.y if hasattr(data, "y") else data.target, dtype=float)
    z = (x - x.mean()) / x.std(ddof=1)
    gamma = 1 / float(np.median([(a - b) ** 2 for a, b in itertools.combinations(z, 2)]))
    model = KernelChangePoint(f"rbf(gamma={gamma!r})", n_bkps=1, min_size=1).fit(z)
    assert model.breakpoints_ == [28, 100]
    assert model.costs_ == pytest.approx([56.71000, 45.38754], abs=5e-6)
    assert KernelChangePoint().fit(z).breakpoints_ == [28, 100]
    assert KernelChangePoint().fit(z).pvalues_.tolist() == [0.005]


def test_defects_of_a_peer():
    # Candidates are dropped too early there with min_size 2: [2, 5].
    model = KernelChangePoint("linear", min_size=2, pen=0.1).fit([0.0, 1.0, 0.0, 0.0, 1.0])
    assert model.breakpoints_ == [5]
    # No change is an answer; breakpoints are plain whole numbers.
    assert model.predict(n_bkps=0) == [5]
    assert all(type(b) is int for b in model.predict(n_bkps=1))
    # The diagonal of a Gaussian kernel is 1, so that one point costs nothing.
    assert KernelChangePoint("rbf(length_scale=1)", min_size=1).fit([0.0, 5.0]).cost(0, 1) == 0.0
    # The cosine kernel has 1 on its diagonal, too.
    x = np.random.default_rng(0).normal(size=(40, 3))
    by_name = KernelChangePoint("normalize(linear)", pen=0.5, min_size=1).fit(x)
    K = mercer.Kernel("normalize(linear)").gram(x)
    assert by_name.breakpoints_ == KernelChangePoint("precomputed", pen=0.5, min_size=1).fit(K).breakpoints_
    with pytest.raises(NonFiniteError):
        KernelChangePoint().fit([0.0, np.nan, 1.0, 2.0])


def test_a_gaussian_is_not_clipped():
    """ruptures 1.1.10 clips the exponent to [0.01, 100]; with segments of one point 31 of 200 answers are then not the cheapest."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        x = rng.normal(size=11) * rng.choice([0.01, 0.3, 30.0])
        K = np.exp(-((x[:, None] - x) ** 2) / 2)

        def price(ends, K=K):
            return sum(np.trace(K[s:t, s:t]) - K[s:t, s:t].sum() / (t - s) for s, t in zip([0, *ends], [*ends, 11], strict=True))

        sets = ([i for i in range(1, 11) if bits >> (i - 1) & 1] for bits in range(1 << 10))
        least = min(price(ends) + 0.2 * len(ends) for ends in sets)
        found = KernelChangePoint("rbf(length_scale=1)", pen=0.2, min_size=1).fit(x)
        assert found.cost_ + 0.2 * found.n_bkps_ == pytest.approx(least, abs=1e-10)
        assert found.cost_ == pytest.approx(price(found.breakpoints_[:-1]), abs=1e-10)


def test_the_cosine_of_a_point_with_itself_is_1():
    """With a diagonal of 0, ruptures' `Pelt("cosine")` pays 1 more for a change than its `KernelCPD("cosine")`, [3, 6, 9, …] at 1.5."""
    x = np.random.default_rng(0).normal(size=(40, 3))
    unit = x / np.linalg.norm(x, axis=1)[:, None]
    model = KernelChangePoint("normalize(linear)", pen=1.5, min_size=1).fit(x)
    assert model.cost(4, 9) == pytest.approx(5 - (unit[4:9] @ unit[4:9].T).sum() / 5, abs=1e-12)
    assert model.cost(7, 8) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_short_input(n):
    assert KernelChangePoint(min_size=1).fit(np.arange(float(n))).breakpoints_[-1] == n
    with pytest.raises(InvalidParameterError, match="min_size"):
        KernelChangePoint(min_size=n + 1).fit(np.arange(float(n)))


def test_bad_choices():
    x = np.arange(10.0)
    for choices in ({"pen": -1.0}, {"pen": np.nan}, {"pen": "much"}, {"n_bkps": -1}, {"n_bkps": 9}, {"min_size": 0}, {"pen": True}, {"segments": "curves"}):
        with pytest.raises(InvalidParameterError):
            KernelChangePoint(**choices).fit(x)
    with pytest.raises(ShapeError):
        breakpoints([3, 3], 9)
    with pytest.raises(ShapeError):
        changes([])
    with pytest.raises(InvalidParameterError):
        KernelChangePoint().fit(x).predict(n_bkps=1, pen=2.0)


def test_constant_points_have_no_change():
    assert KernelChangePoint().fit(np.full(50, 3.0)).breakpoints_ == [50]
    assert KernelChangePoint("linear").fit(np.full(500, 1e6)).breakpoints_ == [500]


def test_text_and_histograms():
    texts = ["red apple", "apple red", "red red apple"] * 4 + ["blue sky", "sky so blue", "blue blue sky"] * 4
    model = KernelChangePoint("normalize(spectrum(n=2))", n_bkps=1).fit(texts)
    assert model.breakpoints_ == [12, 24]
    rng = np.random.default_rng(1)
    counts = np.r_[rng.multinomial(30, [0.5, 0.3, 0.2], size=30), rng.multinomial(30, [0.2, 0.3, 0.5], size=30)]
    assert abs(KernelChangePoint("histogram_intersection", n_bkps=1).fit(counts / 30).breakpoints_[0] - 30) <= 2


def test_threads_change_nothing():
    x = np.random.default_rng(2).normal(size=(700, 3))
    one, two = (KernelChangePoint(n_bkps=6, n_jobs=j).fit(x) for j in (1, 2))
    assert one.costs_.tolist() == two.costs_.tolist() and one.path_ == two.path_
    assert one.significance(19) == two.significance(19)


def fitted(n, ends, segments):
    """The projection on what segments may be."""
    pieces = np.repeat(np.eye(len(ends)), np.diff([0, *ends]), axis=0)
    columns = pieces if segments == "levels" else np.c_[pieces, pieces * np.linspace(-1, 1, n)[:, None]]
    basis = np.linalg.qr(columns)[0]
    return basis @ basis.T


def criteria(K, path, segments, directions, weights):
    """J of every segmentation and what it is made of, with the projections written out."""
    power, resolution, change, slope = weights
    n = len(K)
    v = (np.trace(K) - K.sum() / n) / n
    found = []
    for ends in path:
        rest = np.eye(n) - fitted(n, ends, segments)
        G = rest @ K @ rest
        within = np.setdiff1d(np.arange(1, n), ends)
        c = np.trace(G) / n / v
        rho = np.clip(G[within, within - 1].mean() / (np.trace(G) / n), 0, 0.95)
        fit = n * (c + np.log(c * (1 - rho**2) ** power + resolution))
        found.append((fit + (change * (len(ends) - 1) + slope) * np.log(n) / np.sqrt(directions), v, c, rho))
    return found


WEIGHTS = {
    ("columns", "levels"): (1, 0.005, 4, 0),
    ("columns", "lines"): (1, 0.005, 7, 2),
    ("features", "levels"): (1.5, 0.02, 3.5, 0),
    ("features", "lines"): (1.5, 0.02, 5.5, 2),
}


# Independent points with jumps, points that depend, a walk, growth, and growth that jumps.
@pytest.mark.parametrize("formula", ["rbf(length_scale=6)", "linear"])
@pytest.mark.parametrize(
    ("rho", "jump", "growth", "changes"), [(0, 4, 0, 1), (0.6, 0, 0, 0), (1, 0, 0, None), (0.2, 0, 9, 0), (0.2, 9, 9, 1)]
)
def test_the_number_of_changes_is_that_of_the_rule(formula, rho, jump, growth, changes):
    n = 150
    x = np.random.default_rng(3).normal(size=(n, 2))
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    x[100:] += jump
    x[:, 0] += growth * np.linspace(-1, 1, n)
    model = KernelChangePoint(formula).fit(x)
    steps = np.diff(x, axis=0) / np.linalg.norm(np.diff(x, axis=0), axis=0)
    directions = 4 / ((steps.T @ steps) ** 2).sum()
    gram, best, paths = mercer.Kernel(formula).gram(x), {}, {}
    for kind in ("levels", "lines"):
        paths[kind] = KernelChangePoint(formula, n_bkps=16, segments=kind).fit(x).path_
        weights = WEIGHTS["columns" if formula == "linear" else "features", kind]
        every = criteria(gram, paths[kind], kind, directions, weights)
        best[kind] = min((*row, K) for K, row in enumerate(every))
    kind = "lines" if best["lines"] < best["levels"] else "levels"
    J, v, c, correlation, K = best[kind]
    found = model.automatic_
    assert (found.segments, found.changes, model.segments_) == (kind, K, kind)
    assert found[2:7] == pytest.approx((v, c, correlation, directions, J), rel=1e-7)
    assert found.compared[:2] == pytest.approx((best["levels"][0], best["lines"][0]), rel=1e-7)
    # A bounded kernel bends growth.
    known = changes is not None and (formula == "linear" or growth == 0)
    assert (model.n_bkps_, model.penalty_) == (changes if known else K, None)
    assert model.breakpoints_ == paths[kind][K] == model.predict(pen="auto")
    # With landmarks that leave nothing the rule sees the same, on segmentations that are greedy.
    marks = KernelChangePoint(formula, landmarks=n).fit(x)
    assert (marks.automatic_.variance, marks.automatic_.directions) == pytest.approx((v, directions), rel=1e-6)
    if known:
        assert marks.breakpoints_ == model.breakpoints_


def hampel(x):
    """Values no further from the median of the seven around them than four deviations."""
    normal = 1.482602218505602
    step = normal / np.sqrt(2) * np.median(np.abs(np.diff(x)))
    near = []
    for t, value in enumerate(x):
        around = x[max(0, t - 3) : t + 4]
        middle = np.median(around)
        most = 4 * max(step, normal * np.median(np.abs(around - middle)))
        near.append(np.clip(value, middle - most, middle + most) if most > 0 else value)
    return np.array(near)


def test_numbers_are_lines_where_their_columns_say_so():
    rng = np.random.default_rng(9)
    t = np.arange(160)
    x = np.where(t < 90, 0.1 * t, 9 - 0.05 * (t - 90)) + 0.15 * rng.normal(size=160)
    x[[20, 75]] += [9, -7]
    model = KernelChangePoint().fit(x)
    assert (model.segments_, str(model.kernel_), model.n_bkps_) == ("lines", "linear", 1)
    assert abs(model.changes_[0] - 90) <= 3
    # All that is said of it is what `linear` says of the limited column.
    near = hampel(x)
    assert model.automatic_.compared.limited == (near != x).sum() >= 2
    plain = KernelChangePoint("linear").fit(near)
    assert (plain.breakpoints_, plain.cost_) == (model.breakpoints_, pytest.approx(model.cost_, rel=1e-9))
    assert plain.automatic_.criterion == pytest.approx(model.automatic_.criterion, rel=1e-9)
    given = KernelChangePoint(segments="lines", n_bkps=1).fit(x)
    assert (given.breakpoints_, given.cost_) == (model.breakpoints_, pytest.approx(model.cost_, rel=1e-12))


def test_what_is_far_from_zero_is_cut_alike():
    rng = np.random.default_rng(12)
    x = np.minimum(np.arange(300), 450 - np.arange(300)) * 0.05 + rng.normal(size=300)
    for segments in ("levels", "lines", "auto"):
        here, far = (KernelChangePoint("linear", segments=segments).fit(x + offset) for offset in (0, 1e8))
        assert (here.breakpoints_, here.segments_) == (far.breakpoints_, far.segments_)
        # x itself has lost eight digits.
        assert far.automatic_.criterion == pytest.approx(here.automatic_.criterion, abs=1e-3)
        assert far.cost_ == pytest.approx(here.cost_, rel=1e-6)


def test_rounding_is_not_significant():
    for x in (np.full(30, 0.1), 1000 + 0.01 * np.arange(30), np.full(41, 1 / 3)):
        model = KernelChangePoint("linear", segments="lines", n_bkps=1).fit(x)
        assert model.pvalues_.tolist() == [1.0]


def test_few_points_are_levels():
    rng = np.random.default_rng(13)
    assert {KernelChangePoint().fit(rng.normal(size=n)).segments_ for n in range(2, 10) for _ in range(5)} == {"levels"}


def test_asking_again_changes_nothing():
    x = np.r_[np.arange(60.0), 60 - np.arange(60.0)] + np.random.default_rng(14).normal(size=120)
    model = KernelChangePoint().fit(x)
    before = model.automatic_
    assert model.predict(pen="auto") == model.breakpoints_ and model.automatic_ is before
    assert model.automatic_.compared is not None
    model.predict(n_bkps=3)
    assert model.segments_ == "lines"


def test_significance_obeys_a_deadline():
    x = np.random.default_rng(15).normal(size=6000)
    model = KernelChangePoint("linear", segments="lines", n_bkps=1, deadline=0.2).fit(x)
    begin = time.monotonic()
    with pytest.raises(DeadlineError):
        model.significance(999)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("seed", range(12))
def test_lines_are_least_squares(seed):
    """Every segment by a regression, every segmentation with a change or none by trial."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(11, 24)), int(rng.integers(1, 4))
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4)
    model = KernelChangePoint("linear", segments="lines", n_bkps=1).fit(x)

    def cost(a, b):
        sheet = np.c_[np.ones(b - a), np.arange(b - a)]
        return ((x[a:b] - sheet @ np.linalg.lstsq(sheet, x[a:b], rcond=None)[0]) ** 2).sum()

    assert model.cost(2, n - 1) == pytest.approx(cost(2, n - 1), rel=1e-9)
    assert model.costs_[0] == pytest.approx(cost(0, n), rel=1e-9)
    assert model.costs_[1] == pytest.approx(min(cost(0, s) + cost(s, n) for s in range(5, n - 4)), rel=1e-9)


def test_p_values_of_lines_are_level():
    """Of points on one line with independent noise; residuals are only nearly exchangeable."""
    rng = np.random.default_rng(10)
    small = []
    for _ in range(300):
        x = rng.normal(size=40) + rng.uniform(-0.3, 0.3) * np.arange(40)
        model = KernelChangePoint("linear", n_bkps=1, segments="lines").fit(x)
        small.append(model.significance(19)[0].pvalue <= 0.1)
    assert abs(np.mean(small) - 0.1) <= 4 * np.sqrt(0.1 * 0.9 / 300)


def test_the_usual_kernel_has_the_median_distance():
    x = np.random.default_rng(5).normal(size=(90, 3))
    apart = np.linalg.norm(x[:, None] - x, axis=2)[np.triu_indices(90, 1)]
    formula = str(KernelChangePoint(segments="levels").fit(x).kernel_)
    assert formula.startswith("rbf(length_scale=")
    assert float(formula[len("rbf(length_scale=") : -1]) == pytest.approx(np.median(apart) / np.sqrt(2), rel=1e-12)


def test_no_change_is_the_usual_answer_where_there_is_none():
    rng = np.random.default_rng(7)
    nulls = [rng.normal(size=(60, 2)), rng.exponential(size=200), rng.standard_t(3, size=300), rng.uniform(size=20)]
    assert [KernelChangePoint().fit(x).n_bkps_ for x in nulls] == [0, 0, 0, 0]
    # Of 60 more, at most three have a change.
    assert sum(KernelChangePoint().fit(rng.normal(size=100)).n_bkps_ > 0 for _ in range(60)) <= 3


def test_p_values_of_exchangeable_points_are_level():
    rng = np.random.default_rng(4)
    small = [
        KernelChangePoint("rbf(length_scale=1)", n_bkps=1).fit(rng.normal(size=30)).significance(19)[0].pvalue <= 0.1
        for _ in range(300)
    ]
    # Two in twenty, within four deviations.
    assert abs(np.mean(small) - 0.1) <= 4 * np.sqrt(0.1 * 0.9 / 300)


def test_statistic_is_the_largest_gain():
    x = np.random.default_rng(5).normal(size=40)
    model = KernelChangePoint("energy", n_bkps=2, min_size=3).fit(x)
    tests = {t.change: t for t in model.significance(19)}
    costs = costs_of(mercer.Kernel("energy").gram(x[:, None]))
    assert sorted(tests) == model.changes_.tolist()
    assert max(t.parent[1] - t.parent[0] for t in tests.values()) == 40
    for test in tests.values():
        a, b = test.parent
        gains = [costs[a, b] - costs[a, s] - costs[s, b] for s in range(a + 3, b - 2)]
        assert test.statistic == pytest.approx(max(gains), abs=1e-10)
        assert test.gain == pytest.approx(costs[a, b] - costs[a, test.change] - costs[test.change, b], abs=1e-10)


def test_landmarks_of_full_rank_are_exact_for_one_change():
    rng = np.random.default_rng(6)
    x = np.r_[rng.normal(size=(60, 2)), rng.normal(size=(50, 2)) + 1]
    exact = KernelChangePoint("linear", n_bkps=1).fit(x)
    marks = KernelChangePoint("linear", n_bkps=1, landmarks=10).fit(x)
    assert marks.breakpoints_ == exact.breakpoints_ and marks.cost_ == pytest.approx(exact.cost_)
    assert marks.approximation_error_ < 1e-12 == exact.approximation_error_ + 1e-12
    assert KernelChangePoint(landmarks=40).fit(x * 3).breakpoints_ == [60, 110]


def test_is_an_estimator():
    model = KernelChangePoint("rbf", pen=3.0, min_size=4)
    assert clone(model).get_params() == model.get_params()
    assert "pen=3.0" in repr(model)
    x = np.r_[np.zeros(9), np.ones(9)] + 0.01 * np.arange(18)
    again = pickle.loads(pickle.dumps(model.fit(x)))
    assert again.breakpoints_ == model.breakpoints_
    with pytest.raises(InvalidParameterError):
        again.predict(pen=1.0)


def test_false_alarms_are_as_far_apart_as_asked_for():
    alarms, points = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        watch = KernelChangeDetector(window=20, run_length=500, random_state=seed).fit(rng.normal(size=(600, 2)))
        alarms += int(watch.update(rng.normal(size=(3000, 2))).sum())
        points += 3000
    # 48 are due. A reference is one sample, which moves the number of its detector, and less so the mean of eight.
    assert 250 <= points / alarms <= 1000


def test_a_change_of_a_stream_raises_an_alarm():
    rng = np.random.default_rng(7)
    watch = KernelChangeDetector(window=20, run_length=500).fit(rng.normal(size=(300, 2)))
    found = watch.update(rng.normal(size=(60, 2)) + 1.5)
    assert found.any() and np.argmax(found) < 45
    with pytest.raises(ShapeError):
        _core_update(watch)


def _core_update(watch):
    from mercer import _core
    from mercer._run import options

    _core.watch_update(watch.state_, _core.Inputs.dense(np.zeros((2, 3))), options())


def test_streams_in_pieces_and_from_their_state():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(100, 1)), rng.normal(size=(90, 1)) + np.linspace(0, 2, 90)[:, None]
    whole = KernelChangeDetector(window=10, run_length=200).fit(x)
    parts = pickle.loads(pickle.dumps(whole))
    alarms = whole.update(y)
    pieces = np.r_[parts.update(y[:1]), parts.update(y[1:33]), pickle.loads(pickle.dumps(parts)).update(y[33:])]
    assert alarms.tolist() == pieces.tolist()
    # By its definition.
    K = mercer.Kernel(whole.kernel_).gram
    reference = np.array(json.loads(whole.state_)["reference"]).reshape(-1, 1)
    last = y[:10]
    expected = K(reference).mean() + K(last).mean() - 2 * K(reference, last).mean()
    assert whole.statistics_[9] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(InvalidParameterError):
        KernelChangeDetector(window=60).fit(x)


WELL_LOG = {
    1: (384.159889, []),
    2: (337.473146, [464]),
    3: (260.049046, [179, 432]),
    5: (212.741369, [179, 255, 281, 464]),
    10: (160.123750, [179, 255, 281, 311, 343, 402, 412, 432, 464]),
    11: (152.847166, [179, 255, 281, 311, 343, 402, 412, 422, 432, 464]),
    13: (144.857322, [4, 173, 179, 255, 281, 311, 343, 402, 412, 422, 432, 464]),
}


def test_well_log():
    """Costs and changes by number of segments, computed elsewhere by brute-force sums."""
    folder = Path(__file__).parents[2] / "crates/mercer/tests/fixtures/tcpd"
    x = np.loadtxt(folder / "well_log.csv", skiprows=1)
    z = (x - x.mean()) / x.std(ddof=1)
    model = KernelChangePoint(f"rbf(gamma={1 / 0.5827262743741226!r})", n_bkps=12, min_size=1).fit(z)
    for segments, (cost, at) in WELL_LOG.items():
        assert model.costs_[segments - 1] == pytest.approx(cost, abs=5e-7)
        assert model.path_[segments - 1] == [*at, 675]
    linear = KernelChangePoint("linear", n_bkps=4, min_size=1).fit(z)
    assert linear.breakpoints_ == [179, 432, 658, 661, 675]
    assert linear.cost_ == pytest.approx(266.530902, abs=5e-7)
