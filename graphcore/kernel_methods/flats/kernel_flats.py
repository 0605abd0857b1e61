"""Flats in feature space, held as combinations of points: fitted to clusters by eigenvectors, and distances to them."""

from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import read_only
from ...base.locks import cached_property
from ...base.threads import map_blocks
from ...exceptions import InputError
from ...kernels.columns import block_borders
from ...kernels.definiteness import leading_eigenvectors
from ._loops import nearest_rows
from .alternation import FlatsProblem, alternate
from .euclidean import Codes
from .rows import members_by_cluster

# Up to this many means and directions, one dense product with all of them is faster than a sparse one.
_FEW_COLUMNS = 32
# Clusters up to this size get dense eigenvectors, which are faster than Lanczos there.
SMALL_SPARSE = 200
SMALL_DENSE = 1000
# Directions with a smaller share of a cluster's energy are rounding: coefficients would be divided by next to zero.
RANK_TOLERANCE = 1e-10
# Where Lanczos fails, clusters up to this size are done by dense eigenvectors (512 MiB).
_DENSE_LIMIT = 8192
# Distances and moves below this share of the largest kernel value are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class KernelFlatSet:
    """Affine flats of k clusters in the feature space of a kernel, as combinations of the n points of the fit.

    The flat of a cluster is its mean ``sum_i shares_i phi(x_i)`` and directions ``sum_i coefficients_il phi(x_i)``,
    both over the points of the cluster.
    """

    labels: np.ndarray = field(repr=False)  # (n,) int32: the cluster of every point
    shares: np.ndarray = field(repr=False)  # (n,)
    coefficients: np.ndarray = field(repr=False)  # (n, n_dims): 0 beyond the dimension of a flat
    mean_norms: np.ndarray = field(repr=False)  # (k,): squared norms of the means
    shifts: np.ndarray = field(repr=False)  # (k, n_dims): inner products of means with directions
    dims: np.ndarray  # (k,) int32

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.mean_norms)

    @cached_property
    def _factor(self):
        """Means (first) and directions as rows of points, one flat after the other, as a csr_array."""
        import scipy.sparse as sp

        n, width = len(self.labels), 1 + self.coefficients.shape[1]
        rows = self.labels[:, None].astype(np.int64) * width + np.arange(width)
        values = np.column_stack([self.shares, self.coefficients])
        points = np.repeat(np.arange(n), width)
        return sp.coo_array((values.ravel(), (rows.ravel(), points)), shape=(self.n_clusters * width, n)).tocsr()

    def squared_distances(self, K, diagonal):
        """Compute squared distances (n_rows, k) of points to every flat, from kernel rows (n_rows, n) and K(x, x).

        A diagonal of 0 is enough where only differences between flats matter.
        """
        factor, K = self._factor, np.asarray(K)
        products = K @ factor.toarray().T if factor.shape[0] <= _FEW_COLUMNS else (factor @ K.T).T
        products = products.reshape(len(K), self.n_clusters, -1)
        out = products[:, :, 0]
        out *= -2
        out += self.mean_norms
        along = products[:, :, 1:] - self.shifts
        out -= np.einsum("nkm,nkm->nk", along, along)
        out += np.asarray(diagonal)[:, None]
        return out

    def coordinates(self, K, labels):
        """Write points as Codes on the flats that they belong to, from their kernel rows."""
        out = np.empty((len(K), self.coefficients.shape[1]))
        for j, rows in members_by_cluster(labels, self.n_clusters):
            members = np.flatnonzero(self.labels == j)
            out[rows] = K[np.ix_(rows, members)] @ self.coefficients[members] - self.shifts[j]
        return Codes(labels, out)

    def nearest(self, K, labels=None, slack=0.0):
        """Find the nearest flat of points from their kernel rows; of sparse rows in time proportional to their entries.

        Given where the points are now (`labels`), they move only if that is nearer by more than `slack`. Returns labels
        (int32) and squared distances less the kernel values of the points with themselves.
        """
        n_rows = K.shape[0]
        if not hasattr(K, "tocsr"):
            D, places = self.squared_distances(K, np.zeros(n_rows)), np.arange(n_rows)
            best = D.argmin(axis=1).astype(np.int32)
            if labels is not None:
                best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
            return best, D[places, best]
        out, values = np.empty(n_rows, dtype=np.int32), np.empty(n_rows)
        here = np.full(n_rows, -1, dtype=np.int32) if labels is None else labels
        base = self.mean_norms - np.square(self.shifts).sum(axis=1)
        flats = self.mean_norms, self.shifts, base, np.argsort(base, kind="stable")
        points = self.labels, np.column_stack([self.shares, self.coefficients])
        rows = read_only(K.indptr, np.int64), read_only(K.indices, np.int32), read_only(K.data, np.float64)
        nearest_rows(
            rows, tuple(map(read_only, points)), tuple(map(read_only, flats)), read_only(here), slack, out, values
        )
        return out, values


def fit_cluster(K, weights, n_dims, lanczos=False):
    """Fit the best flat to a cluster of n points; of fewer dimensions where the cluster has no more.

    By dense eigenvectors of its kernel, or by Lanczos (for a sparse K, or few directions of many points), which forms
    no centred matrix. Returns its mean (n,) and orthonormal directions (n, n_dims) as combinations of the points, the
    squared norm of the mean and its products with the directions (n_dims,), and the squared distances of the points to
    it (n,).
    """
    n, p = len(weights), weights / weights.sum()
    r = K @ p
    t = float(p @ r)
    own = K.diagonal() - r - r + t
    m = min(n_dims, n - 1)
    if m <= 0:
        return p, np.zeros((n, 0)), t, np.zeros(0), own
    root = np.sqrt(weights)
    if lanczos:
        from scipy.sparse.linalg import ArpackError, eigsh

        operator, start = centred_operator(K.__matmul__, root, root / np.linalg.norm(root))
        try:
            values, vectors = eigsh(operator, m, which="LA", v0=start, maxiter=50 * n)
        except ArpackError:
            if n <= _DENSE_LIMIT:
                return fit_cluster(K.toarray() if hasattr(K, "tocsr") else K, weights, n_dims)
            raise InputError(
                f"the leading eigenvectors of a cluster of {n} points were not found; take a smaller n_dims={n_dims}"
            ) from None
        energy = float(weights @ own)
    else:
        centred = K - r
        centred -= r[:, None]
        centred += t
        centred *= root
        centred *= root[:, None]
        centred += centred.T.copy()
        centred *= 0.5
        values, vectors = leading_eigenvectors(centred, m)
        energy = float(np.trace(centred))
    genuine = values > max(RANK_TOLERANCE * energy, 0.0)
    values, vectors = values[genuine][::-1], vectors[:, genuine][:, ::-1]
    # Kc a = sqrt(value) vector / root: coordinates of the cluster's own points.
    own = own - (np.square(vectors) @ values) / np.square(root)
    A = root[:, None] * vectors / np.sqrt(values)
    # A multiple of the shares adds nothing to a direction; this one makes the sums exactly 0.
    A -= p[:, None] * A.sum(axis=0)
    return p, A, t, r @ A, own


def centred_operator(product, root, u):
    """Multiply a kernel by roots of weights on both sides, less the unit direction u; with a start for Lanczos."""
    from scipy.sparse.linalg import LinearOperator

    def multiply(x):
        x = x.ravel()
        x = x - u * (u @ x)
        x = root * product(root * x)
        return x - u * (u @ x)

    n = len(u)
    # The start is fixed, so that the result is.
    return LinearOperator((n, n), matvec=multiply, dtype=np.float64), np.random.default_rng(n).normal(size=n)


class KernelFlats(FlatsProblem):
    """One kernel k-flats problem, with the two steps that the alternation takes.

    A pass is O(n^2 n_dims) for a dense kernel and O(entries n_dims) for a sparse one.
    """

    def __init__(self, fit_kernel, n_dims, n_jobs=None):
        self.kernel = fit_kernel
        self.weights = fit_kernel.weights
        self.diagonal = fit_kernel.diagonal
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.scale = float(np.abs(self.diagonal).max())
        self.energy = float(self.weights @ np.abs(self.diagonal))

    def k_means(self, labels, n_clusters, max_iter):
        """Run kernel k-means from these labels; return its labels."""
        return alternate(KernelFlats(self.kernel, 0, self._n_jobs), labels, n_clusters, max_iter=max_iter).labels

    def fit(self, labels, n_clusters):
        """Fit the best flat to every cluster (none empty); return them and squared distances of points to their own."""
        sparse, m = self.kernel.kernel.is_sparse, self.n_dims
        small = max(SMALL_SPARSE, 4 * m) if sparse else max(SMALL_DENSE, 20 * m)
        n = len(labels)
        shares, own, coefficients = np.empty(n), np.empty(n), np.zeros((n, m))
        mean_norms, shifts = np.empty(n_clusters), np.zeros((n_clusters, m))
        dims = np.zeros(n_clusters, dtype=np.int32)
        for j, members in members_by_cluster(labels, n_clusters):
            part, large = self.kernel.among(members), len(members) > small
            part = part.toarray() if sparse and not large else part
            found = fit_cluster(part, self.weights[members], m, large)
            shares[members], directions, mean_norms[j], products, own[members] = found
            d = dims[j] = len(products)
            coefficients[members, :d], shifts[j, :d] = directions, products
        return KernelFlatSet(labels.copy(), shares, coefficients, mean_norms, shifts, dims), own

    def distances_to_point(self, i):
        """Compute squared distances of all points to one of them in feature space."""
        distances = self.diagonal + self.diagonal[i] - 2 * self.kernel.kernel.column(i)
        # Copies of the point are at distance 0, which rounding must not turn into something that can be drawn.
        distances[distances < _ROUNDING * self.scale] = 0.0
        distances[i] = 0.0
        return distances

    def reassign(self, flats, labels):
        """Move every point to its nearest flat, ties staying where they are; return labels."""

        def work(start, stop):
            return flats.nearest(self.kernel.rows(start, stop), labels[start:stop], _ROUNDING * self.scale)[0]

        return np.concatenate(map_blocks(work, block_borders(self.kernel.kernel.columns()), self._n_jobs))
