"""Warnings that point at the caller's own line."""

from __future__ import annotations

import sys
import warnings

from mercer.errors import MercerWarning

#: The packages whose lines are not the caller's.
INSIDE = ("mercer", "sklearn", "joblib")


def warn(message: str, category: type[Warning] = MercerWarning) -> None:
    """Warns at the nearest line that led here and is neither Mercer's nor scikit-learn's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
