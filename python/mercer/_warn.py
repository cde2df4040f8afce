"""Warnings that point at the line of the user."""

from __future__ import annotations

import sys
import warnings

from mercer.errors import MercerWarning

#: Packages whose lines are not the user's.
_INSIDE = ("mercer", "sklearn", "joblib")


def warn(message: str, category: type[MercerWarning] = MercerWarning) -> None:
    """Warns at the first line outside of Mercer, scikit-learn and joblib; at the caller's if there is none."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        if frame.f_back is None:
            level = 1
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1)
