"""Sparse matrices with planted blocks: directed graphs, and graphs with two kinds of nodes."""

import numpy as np

from .._random import Streams
from .._typing import ArrayLike, RandomState, Sequence
from .._validation import check_real
from ..exceptions import ParameterError
from .planted import cluster_borders, labels_of
from .results import LabeledMatrix


def planted_blocks(
    row_sizes: Sequence[int], column_sizes: Sequence[int], entries: ArrayLike, *, row_skew: float = 0.0,
    column_skew: float = 0.0, random_state: RandomState = None,
) -> LabeledMatrix:  # fmt: skip
    """Draw a sparse matrix whose rows and columns fall into blocks (a stochastic block model with two sides).

    The number of draws in each block is a Poisson variable; each draw picks a row and a column of the block, and adds 1
    there. As a directed graph's matrix (rows and columns are the same nodes), its blocks say which communities link to
    which; as a bipartite graph's, which kinds of rows go with which kinds of columns.

    Parameters
    ----------
    row_sizes, column_sizes : sequence of ints
        Rows and columns of every block.
    entries : array-like of shape (n_row_blocks, n_column_blocks)
        Expected draws in each block.
    row_skew, column_skew : float, default 0.0
        The i-th row or column of a block, from 1, is drawn with probability proportional to ``i ** -skew``; 0 draws all
        alike, and words of a text have about 1 (Zipf's law).
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledMatrix
        The matrix of counts and the blocks of its rows and columns, which are numbered block by block. Some may be
        empty.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.

    References
    ----------
    Holland, Laskey, Leinhardt, "Stochastic blockmodels: first steps", Social Networks 5 (1983), for directed graphs.

    Examples
    --------
    >>> import graphcore
    >>> made = graphcore.datasets.planted_blocks([3, 2], [4, 4], [[20, 0], [0, 10]], random_state=0)
    >>> made.matrix.shape, made.row_labels.tolist(), bool(made.matrix[:3, 4:].sum() == 0)
    ((5, 8), [0, 0, 0, 1, 1], True)
    """
    import scipy.sparse as sp

    borders = [cluster_borders(len(sizes), sizes, name) for name, sizes in
               (("row_sizes", row_sizes), ("column_sizes", column_sizes))]  # fmt: skip
    skews = check_real("row_skew", row_skew, low=0), check_real("column_skew", column_skew, low=0)
    entries = np.asarray(entries)
    shape = tuple(len(each) - 1 for each in borders)
    if entries.shape != shape or entries.dtype.kind not in "biuf" or not (entries >= 0).all():
        raise ParameterError(
            f"entries must be a number that is not negative for each of {shape[0]} x {shape[1]} blocks, got "
            f"{entries.dtype} of shape {entries.shape}"
        )
    streams = Streams(random_state).child("planted blocks")
    counts = streams.generator("counts").poisson(entries)
    blocks = np.repeat(np.arange(counts.size), counts.ravel())
    ends = []
    for side, name in enumerate(("rows", "columns")):
        points = streams.generator(name).random(len(blocks))
        ends.append(_drawn(points, np.unravel_index(blocks, shape)[side], borders[side], skews[side]))
    matrix = sp.coo_array((np.ones(len(blocks)), tuple(ends)), shape=tuple(int(each[-1]) for each in borders))
    return LabeledMatrix(matrix.tocsr(), *map(labels_of, borders))


def _drawn(points, blocks, borders, skew):
    """A place in a block for every uniform point, by inversion of the block's distribution."""
    places = np.concatenate([np.arange(1, size + 1) for size in np.diff(borders)])
    before = np.concatenate([[0.0], np.cumsum(places**-skew)])
    low, high = borders[blocks], borders[blocks + 1]
    where = np.searchsorted(before, before[low] + points * (before[high] - before[low]), side="right") - 1
    return np.clip(where, low, high - 1)  # rounding must not lead out of the block
