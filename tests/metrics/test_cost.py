"""The kernel k-means cost against the feature space, and the identity with normalised cut."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import ParameterError
from graphcore.metrics import kernel_kmeans_cost, normalized_cut
from tests.metrics import oracles
from tests.metrics.test_cut import labelled

LOOPS = st.sampled_from([0.0, 1.0, 0.3])
SHIFTS = st.sampled_from([0.0, 1.0, 2.5])


@given(labelled(), LOOPS, SHIFTS)
def test_cost_by_definition(pair, self_loop, shift):
    A, labels = pair
    cost = kernel_kmeans_cost(A, labels, self_loop=self_loop, shift=shift)
    looped = oracles.with_loops(A, self_loop)
    scale = 1 + len(A) * (1 + shift)
    assert cost == pytest.approx(oracles.feature_cost(looped, labels, shift), abs=1e-12 * scale)


@given(labelled(), LOOPS, SHIFTS)
def test_identity_with_normalized_cut(pair, self_loop, shift):
    A, labels = pair
    A = oracles.with_loops(A, self_loop)
    inner = oracles.placed(A, labels)
    on = inner >= 0
    filled = np.unique(inner[on])
    n, k = on.sum(), len(filled)
    trace = (A.diagonal()[on] / A.sum(axis=1)[on]).sum()
    # Clusters numbered anew, so that none is missing: then k times the average is the sum.
    if k:
        compact = np.where(on, np.searchsorted(filled, inner), -1)
        knc = k * normalized_cut(A, compact)
    else:
        knc = 0.0
    expected = trace - k + knc + shift * (n - k)
    assert kernel_kmeans_cost(A, labels, shift=shift) == pytest.approx(expected, abs=1e-12 * (1 + n * (1 + shift)))


@pytest.mark.parametrize("name", ["self_loop", "shift"])
@pytest.mark.parametrize("value", [-1.0, np.nan, "1"])
def test_bad_parameters(name, value):
    with pytest.raises(ParameterError, match=f"{name}="):
        kernel_kmeans_cost(nx.path_graph(3), [0, 0, 1], **{name: value})
