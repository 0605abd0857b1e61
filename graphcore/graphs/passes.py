"""Passes over the rows of a graph, in threads of this process or by the executor of a distributed context.

A pass is a function ``(rows, first, last, labels, *small)`` of a block of rows: it reads the graph and the labels, and
returns something small. Blocks depend on the graph alone and results come in their order, so that it does not matter
where they were made.
"""

from contextvars import ContextVar

from ..base.threads import map_items, row_spans

_ENTRIES_PER_BLOCK = 1 << 20
# Sums of a block are as long as the clusters are many, so that there are fewer blocks than for other passes.
_FEW_BLOCKS = 64
# The executor of passes over one graph, with `rows` and `map(function, spans, labels, small)`; None for threads.
executor: ContextVar = ContextVar("graphcore_executor", default=None)


def pass_spans(indptr, few=False):
    """Cut the nodes of a graph into blocks for :func:`map_passes`; with `few`, neighbouring ones are put together."""
    spans = row_spans(indptr, _ENTRIES_PER_BLOCK)
    step = -(-len(spans) // _FEW_BLOCKS) if few else 1
    return [(spans[i][0], spans[min(i + step, len(spans)) - 1][1]) for i in range(0, len(spans), step)]


def map_passes(function, rows, spans, labels, *small, n_jobs=None):
    """Call `function(rows, first, last, labels, *small)` for every block of nodes in `spans`; results in their order.

    `labels` (n,) are not changed meanwhile, and small arrays not before the pass after this one.
    """
    other = executor.get()
    if other is not None and other.rows.indices is rows.indices and other.rows.degrees is rows.degrees:
        return other.map(function, spans, labels, small)
    return map_items(lambda span: function(rows, *span, labels, *small), spans, n_jobs)
