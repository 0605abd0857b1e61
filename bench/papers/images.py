"""Images by the million for the exhibits on MNIST8M, and the kernel of the papers on them."""

import numpy as np

from .. import infinite_mnist, inputs
from ..vectors import CLUSTERS
from .exhibit import MissingData

ROWS, QUICK_ROWS = 1_000_000, 2_000
STAND_IN = (
    "MNIST8M: images made by the same recipe, small smooth deformations of MNIST (`bench/infinite_mnist.py`), a "
    "million of them or `--rows`"
)


def images(settings):
    """Return rows of bytes, mapped from a file that is generated once, and their digits."""
    if not (settings.data / "mnist").exists():
        raise MissingData("MNIST")
    rows = QUICK_ROWS if settings.quick else settings.rows or ROWS
    inputs.CACHE.mkdir(parents=True, exist_ok=True)
    where, where_labels = infinite_mnist.generate(inputs.CACHE, rows, settings.data)
    return np.memmap(where, np.uint8, "r").reshape(rows, infinite_mnist.PIXELS), np.load(where_labels)


def image_kernel(X):
    """Return the Gaussian kernel with the rule of the papers, from some 100,000 rows: its error is that of a mean."""
    from graphcore.kernels.bandwidths import rule_bandwidth
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel

    sigma = rule_bandwidth(np.array(X[:: max(1, len(X) // 100_000)]), "rms")
    return VectorKernel(X, kernel_function("gaussian", bandwidth=sigma), np.dtype(np.float32))


def warmed_up(X, threads):
    """Return the kernel of all rows, after a fit to a few that imports and compiles what is needed."""
    from graphcore.kernel_methods.linear_kmeans import linear_kmeans
    from graphcore.kernel_methods.nystrom import nystrom_features

    kernel = image_kernel(X)
    few = nystrom_features(image_kernel(X[:2000]), 40, 10, random_state=0, n_jobs=threads).features
    linear_kmeans(few, CLUSTERS, n_init=1, max_iter=3, random_state=0)
    return kernel
