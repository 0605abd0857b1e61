"""Probabilities against how often they are right."""

import numpy as np
import pytest

from graphcore import InputError
from graphcore.metrics import calibration


def test_probabilities_against_how_often_they_are_right():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    found = calibration(p, rng.random(2000) < p)
    assert found.error < 0.05 and found.count.sum() == 2000 and len(found.count) == 10
    np.testing.assert_allclose(found.probability, np.arange(0.05, 1, 0.1), atol=0.02)
    hit, bins = rng.random(2000) < p**2, (10 * p).astype(int)
    expected = sum(abs((p - hit)[bins == i].sum()) for i in range(10)) / 2000
    assert calibration(p, hit).error == pytest.approx(expected, rel=1e-12)
    assert calibration(p, rng.random(2000) < 0.5).error > 0.2
    assert calibration([1.0, 0.0], np.array([True, False]), n_bins=3).error == 0.0
    for wrong in (([0.5], [1]), ([0.5, 1.5], [True, True]), ([], []), ([[0.5]], [[True]])):
        with pytest.raises(InputError, match=r"probabilities (of shape|lie between)"):
            calibration(*map(np.asarray, wrong))
    for wrong in ((["a"], [True]), ([[0.5], [0.5, 1.0]], [True, True])):
        with pytest.raises(InputError, match="probabilities must be numbers"):
            calibration(*wrong)
