"""The nearest neighbours of every row of a matrix, and of new rows: exact where that is quick, else approximate.

The rule rests on measurements by bench/neighbors.py on two cores of a small server, in one thread:

- Exact lists of dense rows by Euclidean distances need 0.9 + 0.0195 d nanoseconds for each row and row of d columns, a
  half of them each: products, of which one serves both rows, take nearly all. It was 1.8 + 0.032 d for each by
  scikit-learn, which needs 2 + 0.8 d by other distances, and whose k-d tree needs 20 us a row up to d = 5, half as much
  again for every further column. Pairs of sparse rows take 10, and 0.6 for each column that both have entries in; by
  Manhattan distance 8 for each entry.
- First lists need 12 + 0.06 d us a row where rows have few directions in common, as images and embeddings have, and
  25 + 0.43 d where they have none: then exact lists of 23,000 rows need no longer. The leaves of the trees tell: of the
  neighbours of some rows .5 to .99 share a leaf with them on MNIST, pendigits, Gaussian and bent clusters, .1 to .3 in
  heavy-tailed clusters along many axes, whose far rows first lists then miss (.5 to .75 of those of a fifth of all).
- From 20 neighbours on the time of first lists grows with the square of their number.
- A walk for a new row needs 70 us among 10,000 rows of 16 columns, 150 among 40,000 of 64 and 210 among 200,000 of
  256. Where the exact search of all n rows takes up to a second it needs about as much as a walk where that ends: the
  same rule serves both.
"""

import time
from itertools import pairwise

import numpy as np

from ..base.lazy import import_whole
from ..base.loops import away, away_with_one, cached_property, effective_jobs, limited_libraries, map_blocks, map_items
from ..base.progress import note
from ..base.streams import Streams
from ..base.validation import check_choice, check_integer, read_only
from ..exceptions import InputError, ParameterError, warn_user
from . import _loops as loops
from . import search_pynndescent as pynndescent
from ._loops import CODES, EUCLIDEAN
from .neighbor_lists import Neighbors, empty_neighbors
from .vectors import first_of, in_space, in_unit, is_sparse, kinds_of, squared_norms

OWN_METRICS = ("euclidean", "cosine", "manhattan", "hamming", "jaccard", "correlation")  # the last of dense rows alone
METRICS = (*OWN_METRICS, *(name for name in pynndescent.METRICS if name not in OWN_METRICS))
# Metrics by which rows without negative numbers are 1 apart if no column has one in both of them.
UNRELATED = ("cosine", "jaccard", "dice", "hellinger", "braycurtis")
ALGORITHMS = ("auto", "exact", "approximate", "pynndescent")

# An exact search expected to take longer than this in one thread is not made. The number of threads plays no part in
# it, so that the graph does not depend on them.
_EXACT_SECONDS = 1.0
# Neighbours from which on the time of the approximate search grows with the square of their number.
_SQUARE_FROM = 20
# Exact lists of rows without directions in common are made where they take no more than so many times as long as the
# first ones, and so are those of the farthest rows elsewhere.
_WORTH = 5
# The shares of the true neighbours that are to be found among the leaves, in the lists, and in those of the farthest
# fifth of the rows. Otherwise the former are no basis for lists, and of the latter the farthest rows get exact ones.
_SHARED, _RECALL, _RECALL_FAR = 0.4, 0.95, 0.9
# Rows that one call of scikit-learn answers: fixed, so that ties fall the same way for any number of threads. Above
# 1,024 rows it shares out queries and not candidates.
_QUERY_ROWS = 2048
# Rows whose lists are measured at a time, in the cache.
_FEW_ROWS = 64
# Rows of a block of products, and how many more than the neighbours are listed, whose distances are taken once more.
_PRODUCT_ROWS, _SPARE = 1024, 4
# The share of the mean squared norm that is the mean's own, from which on rows are shifted.
_SHIFTED = 0.1
# An exact search that goes on for more seconds tells of them.
_LONG = 5.0
# The rounding of a product in single precision, as a share of the squared sum of both norms, and the share of a squared
# distance that rounding may change unnoticed.
_ROUNDED, _EQUAL = 2.0**-20, 1e-5
_JACCARD_ENTRIES = 1 << 22
# Of a single row, of which all given are copies.
_ONE_ROW = Neighbors(np.full((1, 1), -1, dtype=np.int32), np.zeros((1, 1), dtype=np.float32))


def nearest_different(X, n_neighbors, *, metric="euclidean", algorithm="auto", **options):
    """Find the Neighbors of the different rows of vectors of :func:`as_vectors`; by cosines multiples are equal, too.

    Where rows are equal, at most half of the different ones are listed: of few, all would be neighbours of all.
    """
    X, metric, algorithm = _prepared(X, metric, algorithm)
    kinds = kinds_of(X, None if algorithm == "pynndescent" else metric)
    if kinds is None:
        return _search(X, n_neighbors, metric, algorithm, **options)
    X = X[first_of(kinds)]
    most = max(1, (X.shape[0] - 1) // 2)
    if n_neighbors > most:
        warn_user(f"n_neighbors={n_neighbors} was reduced to {most}: the number of different rows is {X.shape[0]}")
    found = _ONE_ROW if X.shape[0] == 1 else _search(X, min(n_neighbors, most), metric, algorithm, **options)
    return found._replace(kinds=kinds, n_asked=n_neighbors)


def nearest_neighbors(X, n_neighbors, *, metric="euclidean", algorithm="auto", **options):
    """Find the nearest others of every row of vectors, equal ones like all others; see :func:`graphcore.knn_graph`."""
    X, metric, algorithm = _prepared(X, metric, algorithm)
    return _search(X, n_neighbors, metric, algorithm, **options)


def largest_distance(metric, *vectors):
    """Return the distance of rows that share nothing, less rounding; infinite if there are larger ones, or none has it.

    Which of such rows are listed is a matter of their order alone: they are nobody's neighbours.
    """
    are_shares = metric in UNRELATED and all((X.data if is_sparse(X) else X).min(initial=0) >= 0 for X in vectors)
    return 1 - 1e-6 if are_shares else np.inf


def _prepared(X, metric, algorithm):
    """Return vectors in the space that they are compared in, the metric's name, and the algorithm."""
    metric, algorithm = check_metric(metric), check_choice("algorithm", algorithm, ALGORITHMS)
    if algorithm != "pynndescent" and not is_left_to_pynndescent(X, metric):
        return in_space(X, metric), metric, algorithm
    if is_sparse(X) and metric not in pynndescent.SPARSE:
        raise InputError(f"metric={metric!r} is for dense vectors; pass X.toarray(), or use another metric")
    if algorithm == "exact":
        raise ParameterError(
            f"algorithm='exact' has no metric={metric!r} of {'sparse' if is_sparse(X) else 'dense'} vectors, "
            "which pynndescent searches approximately; leave algorithm out, or give a matrix of distances to "
            "affinity='precomputed_nearest_neighbors'"
        )
    return X, metric, "pynndescent"


def _search(X, n_neighbors, metric, algorithm, random_state=None, n_jobs=None):
    effective_jobs(n_jobs)
    n_neighbors = check_integer("n_neighbors", n_neighbors, low=1, high=X.shape[0] - 1, why_high="rows less one")
    space = metric if metric in CODES else "euclidean"
    if algorithm == "pynndescent":
        found = pynndescent.neighbors_by_pynndescent(X, n_neighbors, metric, random_state, n_jobs)
    elif algorithm == "exact" or (algorithm == "auto" and exact_pays(X, space, n_neighbors)):
        found = exact_neighbors(X, n_neighbors, metric, n_jobs)
    else:
        found = approximate_neighbors(X, n_neighbors, metric, random_state, n_jobs, may_be_exact=algorithm == "auto")
    found.indices[found.distances >= largest_distance(metric, X)] = -1
    return found


def check_metric(metric):
    """Return the name of a metric, or refuse one that is none."""
    if isinstance(metric, str) and metric == "precomputed":
        raise ParameterError(
            "metric='precomputed' is for distances, which are taken as neighbours: with KNeighborsTransformer("
            "metric='precomputed').fit_transform(distances) and affinity='precomputed_nearest_neighbors'"
        )
    metric = pynndescent.ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if isinstance(metric, str) and metric in METRICS:
        return metric
    others = "or another of pynndescent's metrics; inner products are no distances: 'cosine' goes by their angles"
    return check_choice("metric", metric, OWN_METRICS, others)


def is_left_to_pynndescent(X, metric):
    """Tell whether pynndescent searches vectors by this metric, because there is no own search."""
    return metric not in OWN_METRICS or (metric == "correlation" and is_sparse(X))


def exact_pays(X, metric, n_neighbors=_SQUARE_FROM):
    """Tell whether the exact search takes so little time that the approximate one is not worth its misses."""
    method, seconds = exact_plan(X, metric)
    if seconds <= max(_EXACT_SECONDS, _seconds_of_lists(X, n_neighbors, 12e-6, 0.06e-6)):
        return True
    # The tree's time grows like the approximate search's, so in few dimensions it is the better one at any size.
    return method == "kd_tree" and X.shape[1] <= 5


def _seconds_of_lists(X, n_neighbors, each=25e-6, each_column=0.43e-6):
    """Return the seconds expected of first lists, by default of rows without directions in common."""
    each = 100e-6 if is_sparse(X) else each + each_column * X.shape[1]
    return X.shape[0] * each * max(1.0, n_neighbors / _SQUARE_FROM) ** 2


# -- the exact search: by products, and by scikit-learn ----------------------------------------------------------------


def exact_plan(X, metric):
    """Return the quicker exact method and the seconds expected of it in one thread."""
    n, d = X.shape
    if metric == "jaccard":
        metric = "euclidean"  # as many products
    if is_sparse(X):
        if metric == "manhattan":
            return "brute", n * X.nnz * 8e-9
        products = np.square(np.unique(X.indices, return_counts=True)[1], dtype=np.float64).sum()
        return "brute", (n * n * 10 + products * 0.6) * 1e-9
    brute = n * n * (0.9 + 0.0195 * d if metric == "euclidean" else 2 + 0.8 * d) * 1e-9
    tree = n * 20e-6 * 1.5 ** min(max(d - 5, 0), 50)
    tree = tree if d <= 15 else np.inf
    # The tree takes differences, which are exact: where it costs next to nothing it is used for that alone.
    return ("kd_tree", tree) if tree < brute or (d <= 5 and tree < 1) else ("brute", brute)


def exact_neighbors(X, n_neighbors, metric, n_jobs, rows=None):
    """Search exactly, for all rows or some, by fixed blocks, each in one thread: ties do not depend on `n_jobs`.

    By the metrics of `in_unit`, X holds vectors between which they are Euclidean distances in another unit.
    """
    space = metric if metric in CODES else "euclidean"
    method = "brute" if space == "jaccard" else exact_plan(X, space)[0]
    if method == "brute" and space == "euclidean" and not is_sparse(X):
        out, doubtful = _by_products(X, n_neighbors, n_jobs, rows)
        if len(doubtful):  # a common shift would take digits from |x|^2 + |y|^2 - 2xy
            X = X - X.mean(axis=0, dtype=np.float64)
    else:
        n_rows = X.shape[0] if rows is None else len(rows)
        out, doubtful = empty_neighbors(n_rows, n_neighbors), np.arange(n_rows)
    if len(doubtful):
        searcher = exact_searcher(X, n_neighbors + 1, space, method)

        def search(start, stop):
            places = doubtful[start:stop]
            numbers = places if rows is None else rows[places]
            distances, indices = away_with_one(searcher.kneighbors, X[numbers])
            # A row itself may stand anywhere in its list, or not.
            distances = np.where(indices == numbers[:, None], np.inf, distances)
            order = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
            out.indices[places] = np.take_along_axis(indices, order, axis=1)
            out.distances[places] = np.take_along_axis(distances, order, axis=1)

        with limited_libraries():
            map_blocks(search, _borders(len(doubtful), _QUERY_ROWS), n_jobs)
    in_unit(out.distances, metric, X.shape[1])
    return out


def _by_products(X, n_neighbors, n_jobs, rows=None):
    """Find Neighbors by products in single precision, and which rows these leave in doubt, ascending.

    Products order rows, and distances between the first ones are taken anew. A row is in doubt if one that is not
    listed may be nearer, by more than float32 tells apart.
    """
    centre = X.mean(axis=0, dtype=np.float64)
    is_shifted = centre @ centre > _SHIFTED * squared_norms(X).mean()
    Z = read_only(X - centre.astype(X.dtype) if is_shifted else X, np.float32)
    numbers = np.arange(X.shape[0], dtype=np.int32)
    norms = squared_norms(Z)
    halves, n_listed = read_only(norms / 2, np.float32), min(X.shape[0] - 1, n_neighbors + _SPARE)
    chosen = numbers if rows is None else rows.astype(np.int32)
    near, close = np.empty((len(chosen), n_listed), dtype=np.int32), np.full((len(chosen), n_listed), np.inf, "f4")
    none = np.empty((_PRODUCT_ROWS, 1), dtype=np.int32), np.full((_PRODUCT_ROWS, 1), -np.inf, dtype=np.float32)

    def compare(mine, theirs, lists=none):
        """Lists of a block of the rows, and where they are given those of a block of all."""
        them = numbers[theirs]
        products = Z[chosen[mine]] @ Z[theirs].T
        loops.list_products(
            products, halves[chosen[mine]], halves[theirs], chosen[mine], them, near[mine], close[mine],
            *(each[: len(them)] for each in lists),
        )  # fmt: skip

    blocks = [slice(*block) for block in pairwise(_borders(X.shape[0], _PRODUCT_ROWS).tolist())]

    def of_two(pair):
        mine, theirs = blocks[pair[0]], blocks[pair[1]]
        compare(mine, theirs, none if mine is theirs else (near[theirs], close[theirs]))

    def of_some(start, stop):
        for theirs in blocks:
            compare(slice(start, stop), theirs)

    def distances(start, stop):
        listed = X[near[start:stop]] - X[chosen[start:stop], None]
        squares = np.einsum("ijk,ijk->ij", listed, listed)
        order = np.argsort(squares, axis=1, kind="stable")[:, :n_neighbors]
        squares = np.take_along_axis(squares, order, axis=1)
        out.indices[start:stop] = np.take_along_axis(near[start:stop], order, axis=1)
        out.distances[start:stop] = np.sqrt(squares)
        last = squares[:, -1]
        rounding = _ROUNDED * (np.sqrt(norms[chosen[start:stop]]) + np.sqrt(last)) ** 2
        beyond = 2.0 * close[start:stop, -1] - rounding  # the least square that a row that is not listed may have
        return (last > beyond) & (rounding > _EQUAL * last)

    out = empty_neighbors(len(chosen), n_neighbors)
    with limited_libraries():
        if rows is None:
            begun, told, rounds = time.perf_counter(), np.inf, list(_rounds(len(blocks)))
            for number, pairs in enumerate(rounds, 1):
                map_items(of_two, pairs, n_jobs)
                left = (time.perf_counter() - begun) * (len(rounds) - number) / number
                if _LONG < left < 0.7 * told:
                    told = left
                    note(f"all pairs of rows are compared, {left:.0f} s left")
        else:
            map_blocks(of_some, _borders(len(chosen), _PRODUCT_ROWS), n_jobs)
        in_doubt = np.concatenate(map_blocks(distances, _borders(len(chosen), _FEW_ROWS), n_jobs))
    return out, np.flatnonzero(in_doubt & (n_listed < X.shape[0] - 1))


def _rounds(n_blocks):
    """Yield rounds in which every two of some blocks meet once, each in one pair of a round, itself in the first."""
    yield [(i, i) for i in range(n_blocks)]
    ring = list(range(n_blocks + n_blocks % 2))
    for _ in ring[1:]:
        pairs = zip(ring[: len(ring) // 2], reversed(ring), strict=False)
        yield [(min(pair), max(pair)) for pair in pairs if max(pair) < n_blocks]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def exact_searcher(X, n_neighbors, metric, method="auto"):
    """Return a searcher: `kneighbors(rows)` gives distances and numbers of the nearest rows of X, nearest first."""
    if metric == "jaccard":
        return _ByJaccard(X, n_neighbors)
    by_scikit_learn = import_whole("sklearn.neighbors").NearestNeighbors
    return by_scikit_learn(n_neighbors=n_neighbors, algorithm=method, metric=metric).fit(X)


class _ByJaccard:
    """1 - |x and y| / |x or y| between vectors of 0 and 1, dense or sparse; 0 between empty ones."""

    def __init__(self, X, n_neighbors):
        self._X, self._n_neighbors, self._ones = X, n_neighbors, X.sum(axis=1)

    def kneighbors(self, rows):
        step = max(1, _JACCARD_ENTRIES // len(self._ones))
        pieces = [self._nearest(rows[start : start + step]) for start in range(0, rows.shape[0], step)]
        return tuple(np.concatenate(part) for part in zip(*pieces, strict=True))

    def _nearest(self, rows):
        both = rows @ self._X.T
        both = both.toarray() if is_sparse(both) else both
        either = rows.sum(axis=1)[:, None] + self._ones - both
        distances = np.where(either > 0, 1 - both / np.maximum(either, 1), 0)
        last = min(self._n_neighbors, distances.shape[1]) - 1
        indices = np.argpartition(distances, last, axis=1)[:, : last + 1]
        distances = np.take_along_axis(distances, indices, axis=1)
        order = np.argsort(distances, axis=1, kind="stable")
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)


# -- the approximate search: nearest neighbour descent from the leaves of random projection trees ----------------------

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


def approximate_neighbors(X, n_neighbors, metric, random_state, n_jobs, may_be_exact=False):
    """Find Neighbors by nearest neighbour descent (Dong, Moses, Li 2011), the same for any number of threads.

    Neighbours of a row are likely to be near each other, so they are compared, round by round, until few are nearer
    than the listed ones. By Euclidean distances between rows of many columns this is done in a sketch of few first, and
    the rows themselves are read only where the sketch leaves it open whether they are near.

    The true neighbours of some rows tell what lists are worth. Where the leaves hold few of them, the exact search is
    made instead, if it `may_be_exact` and takes no more than a few times as long. Of rows that are far from their
    neighbours lists miss most: they get exact ones, as many as the same time is enough for.
    """
    given, streams = X, Streams(random_state)
    X, unit = _as_float32(X, metric)
    n, code, space = X.shape[0], CODES.get(metric, EUCLIDEAN), metric if metric in CODES else "euclidean"
    sample = np.sort(streams.generator("rows for the recall").choice(n, min(n, _SAMPLED), replace=False))
    true = exact_neighbors(X, n_neighbors, space, n_jobs, sample)
    n_listed = min(n - 1, max(_LISTED_SPARSE if is_sparse(X) else _LISTED, n_neighbors + _MORE))
    is_narrow = not is_sparse(X) and (code != EUCLIDEAN or X.shape[1] <= 2 * _SKETCH)
    rows = read_only(X if is_narrow else _sketch(X, streams, n_jobs))
    trees = _trees(rows, n_listed, streams, n_jobs)
    # Rows made exact are compared with all others, the pairs of an exact search are compared once.
    exact_seconds, enough = exact_plan(X, space)[1], _WORTH * _seconds_of_lists(X, n_neighbors)
    if may_be_exact and exact_seconds <= enough and _shared(trees, sample, true.indices) < _SHARED:
        return exact_neighbors(given, n_neighbors, metric, n_jobs)
    found = _descended(X, n_neighbors, n_listed, code, rows, trees, streams, n_jobs)
    if space == "euclidean":
        np.sqrt(found.distances, out=found.distances)
    hits = found.distances[sample] <= true.distances[:, -1:] * (1 + 1e-5)
    far, recall = _in_doubt(found.distances[:, -1], sample, hits.mean(axis=1), int(enough / (2 * exact_seconds) * n))
    note(f"{hits.mean():.1%} of the neighbours of some rows were found; {len(far)} rows are searched exactly")
    if len(far):
        exact = exact_neighbors(X, n_neighbors, space, n_jobs, far)
        found.indices[far], found.distances[far] = exact.indices, exact.distances
    if recall < _RECALL:
        warn_user(
            f"the approximate search found {recall:.0%} of the nearest neighbours of some rows: they have hardly any "
            "structure; fewer columns may have more, and knn_graph(algorithm='exact') takes its time"
        )
    np.multiply(found.distances, unit, out=found.distances)
    in_unit(found.distances, metric, X.shape[1])
    return found._replace(recall=recall)


def _in_doubt(lasts, sample, shares, most):
    """Return the farthest rows, without which lists find enough, at most so many, and the recall with their exact ones.

    `lasts` are distances to the last neighbours, `shares` those of the neighbours of the rows of a sample that are
    found.
    """
    n, shares = len(lasts), shares[np.argsort(-lasts[sample], kind="stable")]
    for tenths in range(11):
        rest = shares[tenths * len(shares) // 10 :]
        if not len(rest) or (rest.mean() >= _RECALL and rest[: -(-len(rest) // 5)].mean() >= _RECALL_FAR):
            break
    n_far = min(tenths * n // 10, most)
    far = np.sort(np.argsort(-lasts, kind="stable")[:n_far])
    return far, float(np.append(shares[n_far * len(shares) // n :], np.ones(n_far * len(shares) // n)).mean())


def _descended(X, n_neighbors, n_listed, code, rows, trees, streams, n_jobs):
    """Find Neighbors from the leaves of trees over `rows`, vectors or their sketch; Euclidean distances are squares."""
    n, sparse = X.shape[0], is_sparse(X)
    near, far = np.full((n, n_listed), -1, dtype=np.int32), np.full((n, n_listed), np.inf, dtype=np.float32)
    rounds = _Rounds(near, far, min(n - 1, _REVERSE), streams, n_jobs)
    is_sketch = sparse or rows.shape[1] != X.shape[1]
    order = _list_leaves(EUCLIDEAN if is_sketch else code, rows, trees, near, far, n_jobs)
    if not is_sketch:
        rounds.run(lambda *block: loops.join(code, rows, order, *block), _SETTLED)
    else:
        if sparse:
            parts, ratio = (np.empty((0, X.shape[1]), dtype=np.float32), X.indptr, X.indices, X.data), np.float32(0)
        else:
            rounds.run(lambda *block: loops.join(EUCLIDEAN, rows, order, *block), _SETTLED_SKETCH)
            none = np.empty(0, dtype=np.int32)
            parts, ratio = (X, none, none, np.empty(0, dtype=np.float32)), _ratio(X, order, rows, near)
        vectors = (code, *map(read_only, parts))
        map_blocks(lambda *block: loops.measure_lists(*vectors, order, near, far, *block), _borders(n), n_jobs)
        rounds.run(lambda *block: loops.join_sketched(*vectors, rows, ratio, order, *block), _SETTLED)
    found = empty_neighbors(n, n_neighbors)
    for start in range(0, n, _BLOCK_ROWS):
        nodes = slice(start, start + _BLOCK_ROWS)
        listed = near[nodes, :n_neighbors]
        found.indices[order[nodes]] = order[np.maximum(listed, -2 - listed)]
        found.distances[order[nodes]] = far[nodes, :n_neighbors]
    return found


class _Rounds:
    """Lists of neighbours on their way to better ones."""

    def __init__(self, near, far, n_reverse, streams, n_jobs):
        self.near, self.far, self.streams, self.n_jobs, self.number = near, far, streams, n_jobs, 0
        self.n_parts = 1 << (min(_PARTS, effective_jobs(n_jobs)).bit_length() - 1)
        n, n_around = len(near), near.shape[1] + n_reverse
        self.reverse = np.empty((n, n_reverse), dtype=np.int32)
        self.around = np.empty((n, n_around), dtype=np.int32)
        self.n_new, self.n_all, self.counts = (np.empty(n, dtype=np.int32) for _ in range(3))
        most = n_around * (n_around - 1) // 2
        self.block_rows = max(1, min(_BLOCK_ROWS, _BLOCK_PAIRS // most))
        n_blocks = min(_BLOCKS, -(-n // self.block_rows))
        self.pairs = np.empty((n_blocks, self.block_rows * most, 2), dtype=np.int32)
        self.distances = np.empty(self.pairs.shape[:2], dtype=np.float32)

    def run(self, join, settled):
        """Run rounds until the lists are settled."""
        for _ in range(_ROUNDS):
            self._gather()
            stretch = len(self.pairs) * self.block_rows
            found = sum(self._join(join, start, start + stretch) for start in range(0, len(self.near), stretch))
            share = found / self.near.size
            note(f"round {self.number}: {min(share, 1):.1%} of the neighbours are new")
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

        n_pairs = np.array(map_blocks(look, borders, self.n_jobs), dtype=np.int64)
        found = self.near, self.far, self.pairs, self.distances, read_only(n_pairs)
        parts = range(self.n_parts)
        return sum(map_items(lambda part: loops.take_pairs(*found, part, self.n_parts), parts, self.n_jobs))


def _borders(n, step=_BLOCK_ROWS):
    return np.append(np.arange(0, n, step), n)


def _trees(rows, n_listed, streams, n_jobs):
    """Grow random projection trees: for each, rows sorted by leaves, and where these begin and end."""
    n = len(rows)
    # Leaves hold more than a list does: none is left with a gap.
    least = n_listed + 1
    leaf = max(_LEAF, 2 * least)

    def grow(tree):
        nodes, borders = np.arange(n, dtype=np.int32), np.empty(n // least + 2, dtype=np.int32)
        n_leaves = loops.grow_tree(rows, nodes, borders, leaf, least, streams.integer(f"tree {tree}"))
        return nodes, borders[: 1 + n_leaves]

    return map_items(grow, range(_TREES), n_jobs)


def _shared(trees, sample, neighbors):
    """Return the share of the neighbours of some rows that are in a leaf with them."""
    are_shared = np.zeros(neighbors.shape, dtype=bool)
    for nodes, borders in trees:
        leaf_of = np.empty(len(nodes), dtype=np.int32)
        leaf_of[nodes] = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
        are_shared |= leaf_of[sample][:, None] == leaf_of[neighbors]
    return are_shared.mean()


def _list_leaves(code, rows, trees, near, far, n_jobs):
    """Begin the lists with those that share a leaf of a tree; returns rows in the order of the first tree."""
    order, node_of = read_only(trees[0][0].copy()), np.empty(len(rows), dtype=np.int32)
    node_of[order] = np.arange(len(rows), dtype=np.int32)
    for nodes, borders in trees:
        given = code, rows, order, read_only(node_of[nodes]), read_only(borders), near, far
        steps = _borders(len(borders) - 1, max(1, _BLOCK_ROWS // np.diff(borders).max()))
        map_blocks(lambda *block, given=given: loops.list_leaves(*given, *block), steps, n_jobs)
    return order


def _sketch(X, streams, n_jobs):
    """Project rows on few columns: their principal axes (without a shift if sparse), and the rest.

    Distances between such rows are never larger than Euclidean ones between the rows themselves.
    """
    randomized_svd = import_whole("sklearn.utils.extmath").randomized_svd
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


# -- the nearest of fitted vectors to new ones: by walks over their neighbour graph, or exact --------------------------

# Places of a walk's list at least, and for each neighbour wanted: 64 found .94 of the neighbours among 256 columns, 96
# .97 and 128 .99, in 1.9, 2.1 and 2.4 seconds. Drawn rows that each new one is compared with, which find small clusters
# that no edge leads to, and the number of drawn rows that a walk starts from.
_WALK_LISTED, _WALK_EACH = 96, 2
_DRAWN, _STARTS = 2000, 16
_NEW_ROWS = 512
_INDEX_LISTED = 30  # neighbours of each row by which pynndescent makes its index unless it is told another number


def new_row_searcher(X, graph, n_neighbors, metric, n_jobs, kept=None, radius=np.inf):
    """Return a searcher with the methods of `exact_searcher`; `graph` is the Graph that joins rows of X.

    Of X, rows `kept` (ascending numbers; all if None) are listed, which are those with an edge. The search is exact
    where that takes little time for 20 neighbours, so that answers for a row do not depend on how many are asked for;
    without a graph; for sparse vectors and metrics that the walk does not know; and for rows whose last neighbour by
    a walk, which misses some, is beyond the `radius`.
    """
    space = metric if metric in CODES else "euclidean"
    if is_left_to_pynndescent(X, metric):
        n = X.shape[0] if kept is None else len(kept)
        index = pynndescent.build_index(X if kept is None else X[kept], min(n, _INDEX_LISTED), metric, 0, n_jobs)
        return pynndescent.IndexSearcher(index, min(n, n_neighbors), kept)
    if graph is None or metric == "correlation" or is_sparse(X) or exact_pays(X, space):
        return _Exact(X, n_neighbors, metric, n_jobs, kept)
    return WalkSearcher(X, graph, n_neighbors, metric, n_jobs, kept, radius)


class _Exact:
    """The exact search among some of the rows (all if None), block by block, in `n_jobs` threads."""

    def __init__(self, X, n_neighbors, metric, n_jobs, kept=None):
        self._kept, self._n_jobs, self._metric = kept, n_jobs, metric
        X = X if kept is None else X[kept]
        # Hamming and Euclidean distances order vectors of 0 and 1 alike; scikit-learn takes sparse ones by the latter.
        self._searcher = exact_searcher(X, min(n_neighbors, X.shape[0]), "euclidean" if metric == "hamming" else metric)

    def kneighbors(self, rows):
        """Return distances and numbers of the nearest, nearest first."""
        borders = _borders(rows.shape[0], _NEW_ROWS)
        with limited_libraries():
            found = map_blocks(
                lambda start, stop: away_with_one(self._searcher.kneighbors, rows[start:stop]), borders, self._n_jobs
            )
        distances, numbers = map(np.concatenate, zip(*found, strict=True))
        if self._metric == "hamming":
            in_unit(distances, "hamming", rows.shape[1])
        return distances, numbers if self._kept is None else self._kept[numbers]


class WalkSearcher:
    """Best-first walks over a neighbour graph, from the nearest of a sample that every component has a part in."""

    def __init__(self, X, graph, n_neighbors, metric, n_jobs, kept=None, radius=np.inf):
        self._metric, self._n_neighbors, self._n_jobs = metric, n_neighbors, n_jobs
        self._kept, self._radius = kept, radius
        self._X = read_only(self._in_space(X))
        self._rows = read_only(graph.indptr, np.int64), read_only(graph.indices, np.int32)
        self._drawn = _sample(graph)
        entries = self._X[self._drawn]
        self._centre = entries.mean(axis=0)
        self._entries = entries - self._centre
        self._norms = np.einsum("ij,ij->i", self._entries, self._entries)

    def _in_space(self, X):
        return import_whole("sklearn.preprocessing").normalize(X) if self._metric == "cosine" else X

    def kneighbors(self, rows):
        """Return distances and numbers of the nearest, nearest first; infinite and -1 where a walk met fewer."""
        rows = read_only(self._in_space(rows), self._X.dtype)
        n, n_listed = len(rows), min(len(self._X), max(_WALK_LISTED, _WALK_EACH * self._n_neighbors))
        near, far = np.full((n, n_listed), -1, dtype=np.int32), np.full((n, n_listed), np.inf, dtype=self._X.dtype)
        borders = _borders(n, _NEW_ROWS)
        with limited_libraries():
            starts = map_blocks(lambda start, stop: away(self._starts, rows[start:stop]), borders, self._n_jobs)
        starts = np.concatenate(starts)
        # One after the other where they begin side by side, so that walks find in the cache the rows that others read.
        order = np.argsort(starts[:, 0], kind="stable")
        code, starts = CODES.get(self._metric, EUCLIDEAN), self._drawn[starts]
        given = (code, self._X, *self._rows, rows, *map(read_only, (starts, order)))
        map_blocks(lambda start, stop: loops.walk(*given, near, far, start, stop), borders, self._n_jobs)
        distances = far[:, : self._n_neighbors]
        if code == EUCLIDEAN:
            distances = in_unit(np.sqrt(distances), self._metric, rows.shape[1])
        near, far = near[:, : self._n_neighbors], np.flatnonzero(distances[:, -1] > self._radius)
        if len(far):
            distances[far], near[far] = self._exact.kneighbors(rows[far])
        return distances, near

    @cached_property
    def _exact(self):
        return _Exact(self._X, self._n_neighbors, self._metric, self._n_jobs, self._kept)

    def _starts(self, rows):
        """Find the drawn rows that are nearest to each row by Euclidean distance, the nearest of them first."""
        distances = self._norms - 2 * ((rows - self._centre) @ self._entries.T)
        count = min(_STARTS, len(self._drawn))
        return np.argpartition(distances, (0, count - 1), axis=1)[:, :count]


def _sample(graph):
    """Draw some rows, and one of every component, in order of components; rows without neighbours are left out."""
    components, joined = graph.connected_components(), np.flatnonzero(np.diff(graph.indptr))
    drawn = Streams(0).generator("starts of walks").choice(joined, min(_DRAWN, len(joined)), replace=False)
    drawn = np.union1d(np.intersect1d(first_of(components), joined), drawn)
    return drawn[np.argsort(components[drawn], kind="stable")].astype(np.int32)
