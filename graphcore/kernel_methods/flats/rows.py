"""Rows of vectors, dense or sparse, less an origin: read in blocks, and summed over clusters."""

import numpy as np

from ...base.threads import map_blocks

_BLOCK_NUMBERS = 1 << 21  # of sparse vectors made dense
# Dense ones are read in blocks of rows that stay in a processor's cache.
_CACHED_NUMBERS = 1 << 18


class SparseRows:
    """Sparse vectors less an origin, made dense a part at a time when they are read."""

    def __init__(self, X, origin):
        self.X, self._origin = X, origin
        self.shape = X.shape

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, places):
        return self.X[places].toarray() - self._origin


def centred(X, origin):
    """Subtract an origin from vectors: an ndarray, or :class:`SparseRows`."""
    return SparseRows(X, origin) if hasattr(X, "tocsr") else X - origin


def parts(Y, members=None):
    """List places of rows (all, or those given) in parts to read at once: sparse ones in blocks, else together."""
    if not isinstance(Y, SparseRows):
        return [slice(None) if members is None else members]
    members = np.arange(len(Y)) if members is None else members
    step = max(1, _BLOCK_NUMBERS // Y.shape[1])
    return [members[i : i + step] for i in range(0, len(members), step)]


def weighted_means(Y, labels, weights, n_clusters):
    """Compute weighted means of the rows of clusters (none empty), dense."""
    return weighted_sums(Y, labels, weights, n_clusters) / np.bincount(labels, weights, n_clusters)[:, None]


def weighted_sums(Y, labels, weights, n_clusters):
    """Compute weighted sums of the rows of clusters, dense."""
    import scipy.sparse as sp

    clusters = sp.csr_array((weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), n_clusters)).T
    sums = clusters @ Y
    return sums.toarray() if hasattr(sums, "tocsr") else sums


def map_rows(Y, function, n_jobs=None, width=0):
    """Call ``function(start, stop)`` for blocks of rows, each of which gives `width` numbers; list the results."""
    numbers = _BLOCK_NUMBERS if isinstance(Y, SparseRows) else _CACHED_NUMBERS
    step = max(1, numbers // max(Y.shape[1], width))
    return map_blocks(function, np.append(np.arange(0, len(Y), step), len(Y)), n_jobs)


def residuals(Y, basis):
    """Compute squared lengths of the rows less their projections on the basis."""
    if len(basis):
        Y = Y - (Y @ basis.T) @ basis
    return np.einsum("ij,ij->i", Y, Y)


def members_by_cluster(labels, n_clusters):
    """List pairs of a label and the ascending places where it stands, for the labels that occur."""
    ends = np.cumsum(np.bincount(labels, minlength=n_clusters))
    members = np.split(np.argsort(labels, kind="stable"), ends[:-1])
    return [(j, places) for j, places in enumerate(members) if len(places)]
