"""Pictures: a heat map of a Gram matrix, and many points, against Matplotlib at the same number of pixels."""

import io
import struct

import numpy as np

from harness import Peer, Row, points, register

WIDTH, HEIGHT = 640, 560


def setup(n, d):
    X = points(n, d)
    return {"K": np.exp(-0.5 * ((X[:, None, 0] - X[None, :, 0]) ** 2)), "points": X[:, :2]}


def size(png):
    """The pixels of a PNG, which is what two pictures have in common."""
    return np.array(struct.unpack(">II", png[16:24]), dtype=float)


def mercer_heat(data):
    from mercer import plot

    return lambda: size(plot.heat(data["K"]).png())


def mercer_points(data):
    from mercer import plot

    return lambda: size(plot.projection(data["points"]).png())


def matplotlib_figure(draw):
    def prepare(data):
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        def call():
            # Two pixels a unit, as Mercer draws.
            figure, axes = pyplot.subplots(figsize=(WIDTH / 100, HEIGHT / 100), dpi=200)
            draw(figure, axes, data)
            out = io.BytesIO()
            figure.savefig(out, format="png")
            pyplot.close(figure)
            return size(out.getvalue())

        return call

    return prepare


def heat(figure, axes, data):
    figure.colorbar(axes.imshow(data["K"], interpolation="nearest"), ax=axes)


def scatter(figure, axes, data):
    axes.scatter(data["points"][:, 0], data["points"][:, 1], alpha=0.3)


for name, what, mercer, draw in [
    ("picture-heat", "a heat map of a 1,000×1,000 matrix as a PNG of 1280×1120 pixels", mercer_heat, heat),
    ("picture-points", "a scatter of 1,000 points as a PNG of 1280×1120 pixels", mercer_points, scatter),
]:
    register(
        Row(
            name=name,
            what=f"{what}, against Matplotlib",
            size={"n": 1_000, "d": 2},
            quick={"n": 200, "d": 2},
            setup=setup,
            mercer=mercer,
            peers=[Peer("Matplotlib", "matplotlib", matplotlib_figure(draw))],
        )
    )
