"""Data that several tests share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def X() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(60, 3))


@pytest.fixture
def Y() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(35, 3))
