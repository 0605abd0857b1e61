"""Methods that kernel k-means is compared to: random Fourier features and spectral clustering."""

import numpy as np
import pytest

from bench.baselines import factor_spectral_clustering, partition_costs
from graphcore.kernel_methods.kernel_kmeans import partition_cost
from graphcore.kernel_methods.linear_kmeans import linear_kmeans
from graphcore.kernel_methods.nystrom.features import nystrom_features
from graphcore.kernels.functions import kernel_function

from ...nystrom_oracles import indicator

# -- random Fourier features -------------------------------------------------------------------------------------------


# -- spectral clustering -----------------------------------------------------------------------------------------------


def test_spectral_clustering_has_no_answer_where_a_degree_is_not_positive():
    # A kernel without negative entries, positive semi-definite; its approximation from two points has such a degree.
    X = np.array([(1, 0.1, 0), (1, -0.1, 0), (0.2, 2, 2)] + 10 * [(0.2, -2, 2)])
    K = X @ X.T
    assert K.min() >= 0
    B = nystrom_features(K, 2, sampling=[0, 1], random_state=0).features
    degrees = B @ B.sum(axis=0)
    assert np.flatnonzero(degrees <= 0).tolist() == [2]
    assert degrees[2] == pytest.approx(-35.16)
    assert factor_spectral_clustering(B, 2, random_state=0) is None
    assert len(set(linear_kmeans(B, 2, random_state=0).labels)) == 2  # kernel k-means does not mind


# -- the paper's objective on columns ----------------------------------------------------------------------------------


def test_both_costs_of_a_partition_are_those_of_k_means_on_points_and_on_columns():
    rng = np.random.default_rng(0)
    K = kernel_function("gaussian", bandwidth=1.0)(rng.normal(size=(12, 2)))
    labels = rng.choice([0, 2, 3], 12)
    U = indicator(labels)
    cost, on_columns = partition_costs(K)(labels)
    assert cost == pytest.approx(partition_cost(K, labels), rel=1e-9)
    assert on_columns == pytest.approx(np.linalg.norm(K - U @ (U.T @ K)) ** 2 / 12, rel=1e-9)
