"""Approximate nearest neighbours: nearest neighbour descent from the leaves of random projection trees."""

import time

import numpy as np

from ..base.arrays import read_only
from ..base.progress import note
from ..base.streams import Streams
from ..base.threads import away, effective_jobs, limited_libraries, map_blocks, map_items
from . import _descent_loops as loops
from ._distance_loops import CODES, EUCLIDEAN
from .neighbor_lists import empty_neighbors
from .search_exact import exact_distances
from .vectors import in_unit, is_sparse, squared_norms

# Longer lists find more, as the descent goes by way of listed rows: bench/neighbors.py has recall and time.
# Texts, whose rows have no few directions in common, need twice as many.
_LISTED, _LISTED_SPARSE, _MORE, _REVERSE = 14, 32, 4, 24
# Large leaves are cheap, as all that is done in one stays in the cache: eight trees of 192 find .83 of the neighbours
# among 100,000 rows of 128 columns for a half of the time that the whole search takes.
_TREES, _LEAF = 8, 192
# Rounds end when fewer than this share of the lists' entries is new; those in a sketch need not be as thorough.
_SETTLED, _SETTLED_SKETCH, _ROUNDS = 0.001, 0.01, 20
# Columns of a sketch, one of them for the rest of the others; rows that a sketch is fitted to at most.
_SKETCH, _SKETCH_ROWS = 64, 4096
# A row is not looked at if it is too far even by the ratio of distances to sketched ones that so many pairs fall below.
_RATIO_SHARE, _RATIO_ROWS = 0.02, 500
# Pairs are looked for in blocks of rows, and taken into the lists after so many blocks: the lists that the next ones go
# by. A block has fewer rows where lists are so long that these might find more pairs.
_BLOCK_ROWS, _BLOCKS, _BLOCK_PAIRS = 1024, 16, 1 << 18
_PARTS = 8
# Rows whose exact neighbours tell the recall.
_SAMPLED = 200


def approximations(X, n_neighbors, metric, random_state, n_jobs):
    """Find neighbours by nearest neighbour descent (Dong, Moses, Li 2011), then by lists twice as long, and so on.

    Neighbours of a row are likely to be near each other, so they are compared, round by round, until few are nearer
    than the listed ones. By Euclidean distances between rows of many columns this is done in a sketch of few first, and
    the rows themselves are read only where the sketch leaves it open whether they are near.

    Yields Neighbors with their recall, and how many pairs of rows were compared, the same for any number of threads.
    """
    streams = Streams(random_state)
    X, unit = _as_float32(X, metric)
    n, sparse, space = X.shape[0], is_sparse(X), metric if metric in CODES else "euclidean"
    sample = np.sort(streams.generator("rows for the recall").choice(n, min(n, _SAMPLED), replace=False))
    last = exact_distances(X, sample, n_neighbors, space, n_jobs)[:, -1:]
    n_listed = max(_LISTED_SPARSE if sparse else _LISTED, n_neighbors + _MORE)
    rounds, order, join = _first_lists(X, min(n - 1, n_listed), CODES.get(metric, EUCLIDEAN), streams, n_jobs)
    while True:
        rounds.run(join, _SETTLED)
        found = empty_neighbors(n, n_neighbors)
        for start in range(0, n, _BLOCK_ROWS):
            nodes = slice(start, start + _BLOCK_ROWS)
            near, far = rounds.near[nodes, :n_neighbors], rounds.far[nodes, :n_neighbors]
            found.indices[order[nodes]] = order[np.maximum(near, -2 - near)]
            found.distances[order[nodes]] = np.sqrt(far) if space == "euclidean" else far
        recall = float(np.mean(found.distances[sample] <= last * (1 + 1e-5)))
        np.multiply(found.distances, unit, out=found.distances)
        in_unit(found.distances, metric, X.shape[1])
        yield found._replace(recall=recall), rounds.n_compared
        rounds.widen()


def _first_lists(X, n_listed, code, streams, n_jobs):
    """Make the first _Rounds, the row of each of their nodes, and their function that compares vectors."""
    n, sparse = X.shape[0], is_sparse(X)
    near, far = np.full((n, n_listed), -1, dtype=np.int32), np.full((n, n_listed), np.inf, dtype=np.float32)
    rounds = _Rounds(near, far, min(n - 1, _REVERSE), streams, n_jobs)
    if not (sparse or (code == EUCLIDEAN and X.shape[1] > 2 * _SKETCH)):
        X = read_only(X)
        order = _list_leaves(code, X, rounds)
        return rounds, order, lambda *block: loops.join(code, X, order, *block)
    sketch = read_only(_sketch(X, streams, n_jobs))
    order = _list_leaves(EUCLIDEAN, sketch, rounds)
    if sparse:
        parts, ratio = (np.empty((0, X.shape[1]), dtype=np.float32), X.indptr, X.indices, X.data), np.float32(0)
    else:
        rounds.run(lambda *block: loops.join(EUCLIDEAN, sketch, order, *block), _SETTLED_SKETCH, to_come=2)
        none = np.empty(0, dtype=np.int32)
        parts, ratio = (X, none, none, np.empty(0, dtype=np.float32)), _ratio(X, order, sketch, near)
    vectors = (code, *map(read_only, parts))
    map_blocks(lambda *block: loops.measure_lists(*vectors, order, near, far, *block), _borders(n), n_jobs)
    return rounds, order, lambda *block: loops.join_sketched(*vectors, sketch, ratio, order, *block)


class _Rounds:
    """Lists of neighbours on their way to better ones."""

    def __init__(self, near, far, n_reverse, streams, n_jobs):
        self.near, self.far, self.streams, self.n_jobs = near, far, streams, n_jobs
        self.number = self.n_compared = 0
        self.n_parts = 1 << (min(_PARTS, effective_jobs(n_jobs)).bit_length() - 1)
        self._make_room(n_reverse)

    def widen(self):
        """Have all lists hold twice as many, and look at those listed as if they were new."""
        n, n_listed = self.near.shape
        near, far = self.near, self.far
        self.near = np.full((n, min(n - 1, 2 * n_listed)), -1, dtype=np.int32)
        self.far = np.full(self.near.shape, np.inf, dtype=np.float32)
        self.near[:, :n_listed], self.far[:, :n_listed] = np.minimum(near, -2 - near), far
        self._make_room(min(n - 1, 2 * self.reverse.shape[1]))

    def _make_room(self, n_reverse):
        n, n_around = len(self.near), self.near.shape[1] + n_reverse
        self.reverse = np.empty((n, n_reverse), dtype=np.int32)
        self.around = np.empty((n, n_around), dtype=np.int32)
        self.n_new, self.n_all, self.counts = (np.empty(n, dtype=np.int32) for _ in range(3))
        most = n_around * (n_around - 1) // 2
        self.block_rows = max(1, min(_BLOCK_ROWS, _BLOCK_PAIRS // most))
        n_blocks = min(_BLOCKS, -(-n // self.block_rows))
        self.pairs = np.empty((n_blocks, self.block_rows * most, 2), dtype=np.int32)
        self.distances = np.empty(self.pairs.shape[:2], dtype=np.float32)

    def run(self, join, settled, to_come=0):
        """Run rounds until the lists are settled; afterwards `to_come` times as much is to be done."""
        begun, n_before = time.perf_counter(), 2 * self.near.size
        for _ in range(_ROUNDS):
            round_begun = time.perf_counter()
            self._gather()
            stretch = len(self.pairs) * self.block_rows
            found = sum(self._join(join, start, start + stretch) for start in range(0, len(self.near), stretch))
            # A round's work is that of the entries found before it, and these become fewer at a steady pace.
            now = time.perf_counter()
            pace = min(found / n_before, 0.9)
            left = (now - round_begun) * pace / (1 - pace)
            left += to_come * (now - begun + left)
            share, n_before = found / self.near.size, max(found, 1)
            note(f"round {self.number}: {min(share, 1):.1%} of the neighbours are new, about {left:.0f} s left")
            if share < settled:
                break

    def _gather(self):
        self.counts.fill(0)
        self.number += 1
        loops.list_reverse(self.near, self.reverse, self.counts, self.streams.integer(f"listed by, {self.number}"))
        given = self.near, self.reverse, self.counts, self.around, self.n_new, self.n_all
        map_blocks(lambda start, stop: loops.gather_around(*given, start, stop), _borders(len(self.near)), self.n_jobs)

    def _join(self, join, start, stop):
        """Compare nodes around each of some nodes, and list near pairs; returns how many came into lists."""
        borders = np.append(np.arange(start, min(stop, len(self.near)), self.block_rows), min(stop, len(self.near)))

        def look(first, last):
            block = (first - start) // self.block_rows
            into = self.far, self.pairs[block], self.distances[block]
            return join(self.around, self.n_new, self.n_all, *into, first, last)

        n_pairs, n_compared = np.array(map_blocks(look, borders, self.n_jobs)).T
        self.n_compared += int(n_compared.sum())
        found = self.near, self.far, self.pairs, self.distances, read_only(n_pairs)
        parts = range(self.n_parts)
        return sum(map_items(lambda part: loops.take_pairs(*found, part, self.n_parts), parts, self.n_jobs))


def _borders(n, step=_BLOCK_ROWS):
    return np.append(np.arange(0, n, step), n)


def _list_leaves(code, rows, rounds):
    """Begin the lists with those that share a leaf of a tree; returns rows in the order of the first tree."""
    n, n_listed = rounds.near.shape
    trees = np.empty((_TREES, n), dtype=np.int32)
    # Leaves hold more than a list does: none is left with a gap.
    least = n_listed + 1
    leaf = max(_LEAF, 2 * least)

    def grow(tree):
        trees[tree] = np.arange(n, dtype=np.int32)
        borders = np.empty(n // least + 2, dtype=np.int32)
        seed = rounds.streams.integer(f"tree {tree}")
        return borders[: 1 + loops.grow_tree(rows, trees[tree], borders, leaf, least, seed)]

    all_borders = map_items(grow, range(_TREES), rounds.n_jobs)
    order, node_of = read_only(trees[0].copy()), np.empty(n, dtype=np.int32)
    node_of[order] = np.arange(n, dtype=np.int32)
    for nodes, borders in zip(trees, all_borders, strict=True):
        given = code, rows, order, read_only(node_of[nodes]), read_only(borders), rounds.near, rounds.far
        steps = _borders(len(borders) - 1, max(1, _BLOCK_ROWS // leaf))
        map_blocks(lambda *block, given=given: loops.list_leaves(*given, *block), steps, rounds.n_jobs)
        sizes = np.diff(borders).astype(np.int64)
        rounds.n_compared += int((sizes * (sizes - 1) // 2).sum())
    return order


def _sketch(X, streams, n_jobs):
    """Project rows on few columns: their principal axes (without a shift if sparse), and the rest.

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
    """Return a low quantile of squared distance over squared distance in the sketch, of pairs of neighbours."""
    nodes = np.linspace(0, len(near) - 1, min(len(near), _RATIO_ROWS), dtype=np.int64)
    ratios = []
    for k in range(0, near.shape[1], 4):
        others = near[nodes, k]
        others = np.maximum(others, -2 - others)
        true = squared_norms(X[order[nodes]] - X[order[others]])
        sketched = squared_norms(sketch[order[nodes]] - sketch[order[others]])
        ratios.append(true[sketched > 0] / sketched[sketched > 0])
    ratios = np.concatenate(ratios)
    return np.float32(max(1.0, np.quantile(ratios, _RATIO_SHARE)) if len(ratios) else 0.0)


def _as_float32(X, metric):
    """Return vectors as float32, with the digits of float64 that differences need, and the unit of distance."""
    if is_sparse(X) or X.dtype == np.float32 or metric == "jaccard":
        return X.astype(np.float32, copy=False), np.float32(1)
    # Distances do not feel a shift, but float32 does: 1,000,000.01 and 1,000,000.02 would be one number.
    centred = X - X.mean(axis=0)
    unit = float(np.abs(centred).max()) or 1.0
    centred /= unit
    return centred.astype(np.float32), np.float32(unit)
