"""Bandwidths of distance kernels, by the rules of the papers."""

from numbers import Real

import numpy as np

from ..base.lazy import import_whole
from ..base.streams import Streams
from ..base.validation import check_choice, check_real
from ..exceptions import InputError, ParameterError
from ..neighbors.vectors import first_of, kinds_of
from .checks import as_floats, canonical_csr

# Rules and the numbers that they take when none is given.
BANDWIDTH_RULES = {"rms": 1.0, "quantile": 0.25, "neighbours": 0.1}
_SAMPLE = 1000
_BLOCK_BYTES = 1 << 24


def rule_bandwidth(X, rule, *, random_state=None):
    """Compute the bandwidth, a positive float, of vectors (dense or sparse) by a rule over their n different rows.

    - ``("rms", beta)``: beta (1) times the root mean square distance over all n^2 pairs, those of a point with itself
      included, which is ``beta sqrt(2 mean |x - mean(x)|^2)``, exact in O(n d). Wang, Gittens, Mahoney, JMLR 2019,
      section 5.1, and Calandriello and Rosasco, NeurIPS 2018, who divide by n once too often.
    - ``("quantile", q)``: the q-quantile (0.25) of the distances between two of them. Kpotufe and Sriperumbudur,
      "Gaussian sketching yields a J-L lemma in RKHS", use it in ``exp(-|x - y|^2 / sigma^2)``: gamma = 1 / sigma^2.
    - ``("neighbours", share)``: the median over points of the radius of the ball that holds this share (0.1) of the
      other points. El Ghazzal, "Learning data representation and piece-wise estimation",
      2012.

    All but the first use 1,000 points drawn without replacement. A rule that gives 0 is an InputError; one that is not
    known, or its number, a ParameterError.
    """
    name, number = _parse(rule)
    kinds = kinds_of(X)
    rows = np.arange(X.shape[0]) if kinds is None else first_of(kinds)
    if len(rows) < 2:
        are = f"n_samples = {X.shape[0]} points are equal"
        raise InputError(f"bandwidth={rule!r} gives a zero bandwidth, as {are}; give a number")
    if name == "rms":
        sigma = number * np.sqrt(2.0 * _mean_square_deviation(X, rows))
    else:
        sigma = _sampled(X, rows, name, number, random_state)
    if not np.isfinite(sigma):
        raise InputError(f"bandwidth={rule!r} gives {sigma}: the vectors must be finite, and not too large to square")
    if sigma <= 0:
        raise InputError(
            f"bandwidth={rule!r} gives a zero bandwidth: points are too near for their squares; rescale the vectors "
            "or give a number"
        )
    return float(sigma)


def _parse(rule):
    """Return name and number of a rule."""
    pair = (rule, None) if isinstance(rule, str) else rule
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
    if not is_pair or not isinstance(pair[1], Real | None):
        raise ParameterError(
            f"bandwidth={rule!r} must be a positive number or a rule such as ('rms', 1.0), ('quantile', 0.25) or "
            "('neighbours', 0.1)"
        )
    name, number = pair
    check_choice("bandwidth", name, tuple(BANDWIDTH_RULES))
    if number is None:
        return name, BANDWIDTH_RULES[name]
    high = None if name == "rms" else 1.0
    return name, check_real("bandwidth[1]", number, low=0.0, high=high, open_low=True)


def _mean_square_deviation(X, rows):
    """Average |x - mean|^2 over some rows (of an array or a sparse matrix), in float64.

    Dense rows are centred first, in blocks, so that nothing cancels.
    """
    n, d = len(rows), X.shape[1]
    if hasattr(X, "tocsr"):
        X = canonical_csr(X)[rows]
        mean = X.mean(axis=0)
        return max(0.0, float(np.square(X.data).sum()) / n - float(mean @ mean))
    blocks = np.split(rows, range(step := max(1, _BLOCK_BYTES // (8 * d)), n, step))
    mean = sum(X[block].sum(axis=0, dtype=np.float64) for block in blocks) / n
    return sum(float(np.square(X[block] - mean).sum()) for block in blocks) / n


def _sampled(X, rows, name, number, random_state):
    """Apply a rule to the pairs of a sample of these rows."""
    euclidean_distances = import_whole("sklearn.metrics").euclidean_distances
    n = min(len(rows), _SAMPLE)
    if n < len(rows):
        rows = np.sort(Streams(random_state).generator("bandwidth").choice(rows, n, replace=False))
    X = as_floats(X[rows], np.float64)
    if not hasattr(X, "tocsr"):
        X = X - X.mean(axis=0)  # far from the origin |x|^2 + |y|^2 - 2xy would lose its digits
    D = euclidean_distances(X)
    if name == "quantile":
        return float(np.quantile(D[np.triu_indices(n, 1)], number))
    # Position 0 of every sorted row is the point itself.
    place = max(1, min(n - 1, round(number * (n - 1))))
    return float(np.median(np.partition(D, place, axis=1)[:, place]))
