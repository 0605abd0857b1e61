"""Compiled loop of the search by walks over a neighbour graph; see `search_walk`."""

import numpy as np

from ..base.compiling import compiled
from ._descent_loops import _insert
from ._distance_loops import dense_distance


@compiled
def walk(metric, vectors, indptr, indices, rows, starts, order, near, far, start, stop):
    """List for each row of a block of `order` the nearest vectors that a walk from its starts meets, nearest first.

    The nearest of the list whose neighbours were not looked at yet is next, until there is none. Such a one stands in
    `near` (-1 at first) as -2 - number, as what is new does in nearest neighbour descent; `far` starts infinite.
    """
    seen = np.full(len(vectors), -1, dtype=np.int32)
    for place in range(start, stop):
        i = order[place]
        mine, mine_near = rows[i], near[i]
        last, around = far[i, -1], starts[i]
        while True:
            for u in around:
                if seen[u] != i:
                    seen[u] = i
                    distance = dense_distance(metric, mine, vectors[u], last)
                    if distance < last:
                        last = _insert(near, far, i, u, distance)
            at = 0
            while at < len(mine_near) and mine_near[at] >= 0:
                at += 1
            if at == len(mine_near) or mine_near[at] == -1:
                break
            v = -2 - mine_near[at]
            mine_near[at] = v
            around = indices[indptr[v] : indptr[v + 1]]
