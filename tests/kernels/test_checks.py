"""Negative eigenvalues, up to the precision of the values, and the treatment of kernels that have them."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from graphcore import (
    CoresetKernelKMeans,
    GaussianSketchFeatures,
    GraphWarning,
    InputError,
    KernelKMeans,
    NystromFeatures,
)
from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
from graphcore.kernel_methods.kernel_kmeans import kernel_kmeans

from ..nystrom_oracles import of_spectrum

FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array])


def low_rank(n, d, dtype=np.float32):
    """Inner products of fewer dimensions than points: half of the eigenvalues are 0 and rounding."""
    X = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    return X @ X.T


def with_least_eigenvalue(share, n=100, dtype=np.float32):
    """A kernel whose least eigenvalue is minus this share of its largest."""
    return of_spectrum(np.append(-share, np.linspace(0.1, 1, n - 1))).astype(dtype)


# -- float32 -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error::graphcore.GraphWarning")
@FORMS
@pytest.mark.parametrize(
    ("n", "d"), [(100, 30), (200, 50), (300, 100), pytest.param(1000, 200, marks=pytest.mark.slow)]
)
def test_rounding_of_float32_is_no_negative_eigenvalue(form, n, d):
    K = form(low_rank(n, d))
    assert kernel_kmeans(K, 3, n_init=1, random_state=0).shift == 0.0
    KernelKMeans(3, kernel="precomputed", n_init=1, random_state=0).fit(K)
    coreset_kernel_kmeans(K, 3, size=n // 2, sampling="uniform", n_init=1, random_state=0)
    GaussianSketchFeatures(5, kernel="precomputed", n_subsample=n, random_state=0).fit(K)
    NystromFeatures(n_landmarks=n, n_components=20, kernel="precomputed", random_state=0).fit(K)


@FORMS
@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 1e-6), (np.float32, 1e-4)])
def test_negative_eigenvalues_beyond_rounding_are_found(form, dtype, share):
    K = form(with_least_eigenvalue(share, dtype=dtype))
    with pytest.warns(GraphWarning, match="not positive semi-definite"):
        kernel_kmeans(K, 3, n_init=1, random_state=0)
    for model in (GaussianSketchFeatures(5, n_subsample=100), NystromFeatures(n_landmarks=100, n_components=20)):
        with pytest.raises(InputError, match="not positive semi-definite"):
            model.set_params(kernel="precomputed", random_state=0).fit(K)


# -- zero diagonals ----------------------------------------------------------------------------------------------------

# An adjacency matrix as a precomputed kernel: every squared distance is 0 or negative.
CAVES = nx.to_numpy_array(nx.connected_caveman_graph(5, 8))
TRUTH = np.repeat(np.arange(5), 8)


@FORMS
@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("diagonal", [0.0, 0.1])
def test_an_adjacency_matrix_is_clustered(form, init, diagonal):
    K = form(CAVES + diagonal * np.eye(40))
    with pytest.warns(GraphWarning, match="not positive semi-definite") as said:
        result = kernel_kmeans(K, 5, init=init, random_state=0)
    assert not [warning for warning in said if "clusters hold points" in str(warning.message)]
    assert len(result.costs_of_initialisations) == 10
    assert adjusted_rand_score(TRUTH, result.labels) == 1.0
    assert result.shift == 0.0


def test_a_coreset_of_a_matrix_without_a_diagonal():
    model = CoresetKernelKMeans(5, kernel="precomputed", coreset_size=30, random_state=0)
    with pytest.raises(InputError, match=r"diagonal is zero.*multiple of the identity.*sampling='uniform'"):
        model.fit(CAVES)
    with pytest.raises(InputError, match="diagonal is zero"):
        model.set_params(n_clusters=1).fit(CAVES)
    with pytest.raises(InputError, match=r"stopped at \d centres for n_clusters=20: the kernel is not positive"):
        model.set_params(n_clusters=20).fit(CAVES + 0.1 * np.eye(40))
    for remedy, K in (("uniform", CAVES), ("importance", CAVES + np.eye(40))):
        with pytest.warns(GraphWarning, match="not positive semi-definite"):
            model.set_params(n_clusters=5, sampling=remedy).fit(K)
        assert adjusted_rand_score(TRUTH, model.labels_) == 1.0
