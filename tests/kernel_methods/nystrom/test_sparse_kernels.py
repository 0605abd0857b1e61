"""Features of graphs and other sparse kernels: as of the dense matrix, and no n x n array on the way."""

import numpy as np
import pytest

from graphcore import Graph
from graphcore.kernel_methods.nystrom.features import PROJECTIONS, kernel_pca_features, nystrom_features, power_features
from graphcore.kernels.graph import GraphKernel
from graphcore.kernels.matrices import SparseKernel

pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")


def graph_kernel(n):
    """Nodes on a ring, each with its four nearest and one far away, and loops that make it positive definite.

    The first nodes have light edges: the eigenvalues that belong to them lie apart, and are found soon.
    """
    rng = np.random.default_rng(0)
    ring = np.arange(n)
    edges = [(ring, (ring + step) % n) for step in (1, 2)] + [(ring, rng.permutation(n))]
    first, second = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    light = np.minimum(1.0, 0.02 * (1 + np.minimum(first, second)))
    graph = Graph.from_edges(first, second, light)
    return GraphKernel(graph, self_loop=float(graph.degrees.max()))


def nystrom(sampling, **options):
    return lambda kernel: nystrom_features(kernel, 60, 8, sampling=sampling, random_state=0, **options)


WAYS = {
    "power": lambda kernel: power_features(kernel, 8, random_state=0),
    "kernel PCA": lambda kernel: kernel_pca_features(kernel, 8, random_state=0),
    "leverage": nystrom("leverage"),
    "rpcholesky": nystrom("rpcholesky"),
    **{name: nystrom(name) for name in ("uniform", *PROJECTIONS)},
}


@pytest.mark.parametrize("way", WAYS)
def test_features_of_a_graph_are_those_of_its_matrix(way):
    kernel = graph_kernel(300)
    K = kernel.whole("a test")
    found, sparse, dense = (WAYS[way](form).features for form in (kernel, SparseKernel(K), K.toarray()))
    for other in (sparse, dense):
        np.testing.assert_allclose(found @ found.T, other @ other.T, atol=1e-7 * np.abs(found).max() ** 2)
