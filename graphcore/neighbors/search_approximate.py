"""Approximate nearest neighbours: nearest neighbour descent from the leaves of random projection trees."""

import time

import numpy as np

from ..base.arrays import read_only
from ..base.progress import note
from ..base.streams import Streams
from ..base.threads import away, limited_libraries, map_blocks, map_items
from . import _descent_loops as loops
from .neighbor_lists import empty_neighbors
from .vectors import is_sparse, squared_norms

_CODES = {"euclidean": loops.EUCLIDEAN, "manhattan": loops.MANHATTAN, "jaccard": loops.JACCARD}

# Longer lists find more, as the descent goes by way of what they hold: bench/neighbors.py has recall and time.
# Texts, whose rows have no few directions in common, need twice as many.
_LISTED, _LISTED_SPARSE, _MORE, _REVERSE = 16, 32, 4, 24
_TREES, _LEAF = 4, 48
# Rounds end when fewer than this share of the lists' entries is new; those in a sketch need not be as thorough.
_SETTLED, _SETTLED_SKETCH, _ROUNDS = 0.001, 0.01, 20
# Columns of a sketch, one of them what the others leave over. It is fitted to so many rows at most.
_SKETCH, _SKETCH_ROWS = 64, 4096
# A row is not looked at if it is too far even by the ratio of distances to sketched ones that so many pairs fall below.
_RATIO_SHARE, _RATIO_ROWS = 0.02, 500
_BLOCK_ROWS = 4096


def approximate_neighbors(X, n_neighbors, metric, random_state, n_jobs):
    """Nearest neighbour descent (Dong, Moses, Li 2011), the same for any number of threads.

    The neighbours of a row's neighbours are looked at, round by round, until few are nearer than those listed. By
    Euclidean distances between rows of many columns this is done in a sketch of few first, and the rows themselves are
    read only where the sketch leaves it open whether they are near.
    """
    streams = Streams(random_state)
    n = X.shape[0]
    X, unit = _as_float32(X)
    sparse = is_sparse(X)
    by_sketch = metric == "euclidean" and not sparse
    exact = by_sketch and X.shape[1] <= 2 * _SKETCH
    sketch = X if exact else _sketch(X, streams, n_jobs)
    n_listed = min(n - 1, max(_LISTED_SPARSE if sparse else _LISTED, n_neighbors + _MORE))
    near = np.full((n, n_listed), -1, dtype=np.int32)
    far = np.full((n, n_listed), np.inf, dtype=np.float32)
    order, sketch = _list_leaves(sketch, near, far, streams, n_jobs)
    rounds = _Rounds(near, far, streams, n_jobs)
    if by_sketch:
        settled = _SETTLED if exact else _SETTLED_SKETCH
        rounds.run(lambda *block: loops.descend_sketch(sketch, *block), settled, to_come=0 if exact else 2)
    if not exact:
        if sparse:
            parts = np.empty((0, X.shape[1]), dtype=np.float32), X.indptr, X.indices, X.data
        else:
            none = np.empty(0, dtype=np.int32)
            parts = X, none, none, np.empty(0, dtype=np.float32)
        ratio = _ratio(X, order, sketch, near) if by_sketch else np.float32(0)
        vectors = (_CODES[metric], *map(read_only, parts), order, sketch, ratio)
        rounds.forget()
        rounds.run(lambda *block: loops.descend_vectors(*vectors, *block), _SETTLED)
    np.maximum(near, -2 - near, out=near)
    out = empty_neighbors(n, n_neighbors)
    out.indices[order] = order[near[:, :n_neighbors]]
    out.distances[order] = (np.sqrt(far[:, :n_neighbors]) if metric == "euclidean" else far[:, :n_neighbors]) * unit
    return out


class _Rounds:
    """Lists of neighbours on their way to better ones."""

    def __init__(self, near, far, streams, n_jobs):
        self.near, self.far, self.streams, self.n_jobs = near, far, streams, n_jobs
        n, n_listed = near.shape
        self.borders = _borders(n)
        self.reverse = np.empty((n, _REVERSE), dtype=np.int32)
        self.around = np.empty((n, n_listed + _REVERSE), dtype=np.int32)
        self.n_new, self.n_all, self.counts = (np.empty(n, dtype=np.int32) for _ in range(3))
        self.number, self.forgotten = 0, False

    def forget(self):
        """Have the next round start with empty lists, and look at what was listed as if it were new."""
        np.minimum(self.near, -2 - self.near, out=self.near)
        self.forgotten = True

    def run(self, descend, settled, to_come=0):
        """Run rounds until the lists are settled; afterwards `to_come` times as much is to be done."""
        begun, n_before = time.perf_counter(), 2 * self.near.size
        for _ in range(_ROUNDS):
            round_begun = time.perf_counter()
            self._gather()
            if self.forgotten:
                self.near.fill(-1)
                self.far.fill(np.inf)
                self.forgotten = False
            found = sum(map_blocks(
                lambda start, stop: descend(self.around, self.n_new, self.n_all, self.near, self.far, start, stop),
                self.borders, self.n_jobs,
            ))  # fmt: skip
            # A round's work is that of the entries found before it, and these become fewer at a steady pace.
            now = time.perf_counter()
            pace = min(found / n_before, 0.9)
            left = (now - round_begun) * pace / (1 - pace)
            left += to_come * (now - begun + left)
            share, n_before = found / self.near.size, max(found, 1)
            note(f"round {self.number}: {share:.1%} of the neighbours are new, about {left:.0f} s left")
            if share < settled:
                break

    def _gather(self):
        self.counts.fill(0)
        self.number += 1
        loops.list_reverse(self.near, self.reverse, self.counts, self.streams.integer(f"listed by, {self.number}"))
        map_blocks(
            lambda start, stop: loops.gather_around(
                self.near, self.reverse, self.counts, self.around, self.n_new, self.n_all, start, stop
            ),
            self.borders, self.n_jobs,
        )  # fmt: skip


def _borders(n):
    return np.append(np.arange(0, n, _BLOCK_ROWS), n)


def _list_leaves(sketch, near, far, streams, n_jobs):
    """Begin the lists with those in the same leaves; returns rows in the order of the first tree, and their sketch."""
    n, n_listed = near.shape
    trees = np.empty((_TREES, n), dtype=np.int32)
    trees[:] = np.arange(n, dtype=np.int32)
    borders, leaf_of = np.empty((_TREES, n + 1), dtype=np.int32), np.empty((_TREES, n), dtype=np.int32)
    leaf = max(_LEAF, 2 * n_listed + 2)

    def grow(tree):
        seed = streams.integer(f"tree {tree}")
        # Leaves hold more than a list does: none is left with a gap.
        n_leaves = loops.grow_tree(read_only(sketch), trees[tree], borders[tree], leaf, n_listed + 1, seed)
        leaf_of[tree, trees[tree]] = np.repeat(np.arange(n_leaves), np.diff(borders[tree, : n_leaves + 1]))

    grow(0)
    order = trees[0].copy()
    leaf_of[0] = leaf_of[0, order]
    trees[0] = trees[1]
    sketch = sketch[order]
    map_items(grow, range(1, _TREES), n_jobs)
    map_blocks(
        lambda start, stop: loops.list_leaves(read_only(sketch), trees, borders, leaf_of, near, far, start, stop),
        _borders(n), n_jobs,
    )  # fmt: skip
    return read_only(order), read_only(sketch)


def _sketch(X, streams, n_jobs):
    """Rows in few columns: along their principal axes (without a shift if sparse), and what these leave over.

    Distances between such rows are never larger than Euclidean ones between the rows themselves.
    """
    from sklearn.utils.extmath import randomized_svd

    n, d = X.shape
    sample = np.sort(streams.generator("sketched rows").choice(n, min(n, _SKETCH_ROWS), replace=False))
    shift = 0 if is_sparse(X) else X[sample].mean(axis=0)
    n_axes = min(_SKETCH - 1, d, len(sample))
    out = np.empty((n, n_axes + 1), dtype=np.float32)

    def project(start, stop):
        rows = X[start:stop] - shift if not is_sparse(X) else X[start:stop]
        part = out[start:stop]
        part[:, :-1] = away(rows.__matmul__, axes.T)
        part[:, -1] = np.sqrt(np.maximum(squared_norms(rows) - squared_norms(part[:, :-1]), 0))

    with limited_libraries():
        rows = X[sample] - shift if not is_sparse(X) else X[sample]
        axes = away(randomized_svd, rows, n_axes, n_iter=2, random_state=streams.integer("sketch"))[2]
        map_blocks(project, _borders(n), n_jobs)
    return out


def _ratio(X, order, sketch, near):
    """What few pairs of neighbours fall below: their squared distance over that in the sketch."""
    nodes = np.linspace(0, len(near) - 1, min(len(near), _RATIO_ROWS), dtype=np.int64)
    ratios = []
    for k in range(0, near.shape[1], 4):
        others = near[nodes, k]
        others = np.maximum(others, -2 - others)
        true = squared_norms(X[order[nodes]] - X[order[others]])
        sketched = squared_norms(sketch[nodes] - sketch[others])
        ratios.append(true[sketched > 0] / sketched[sketched > 0])
    ratios = np.concatenate(ratios)
    return np.float32(max(1.0, np.quantile(ratios, _RATIO_SHARE)) if len(ratios) else 0.0)


def _as_float32(X):
    """Vectors as float32, with as many of float64's digits as differences need; returns (vectors, distance unit)."""
    if is_sparse(X) or X.dtype == np.float32:
        return X.astype(np.float32, copy=False), np.float32(1)
    # Distances do not feel a shift, but float32 does: 1,000,000.01 and 1,000,000.02 would be one number.
    centred = X - X.mean(axis=0)
    unit = float(np.abs(centred).max()) or 1.0
    centred /= unit
    return centred.astype(np.float32), np.float32(unit)
