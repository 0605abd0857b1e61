"""All graphs of up to five nodes, loops included, with weights of any size, every k, objective and effort."""

import contextlib
import itertools
import time
import warnings

import numpy as np

import graphcore as gc

from .harness import Campaign, Failure

_MOST = 5
# Of the processor, of which a fit of so few nodes takes milliseconds.
_SECONDS = 1.0
_WEIGHTS = {
    "ones": np.ones,
    "tiny": lambda n: np.full(n, 5e-324),
    "huge": lambda n: np.full(n, 1e290),
    "all sizes": lambda n: 10.0 ** np.linspace(-300, 290, n),
}
_OPTIONS = (
    *(
        {"objective": o, "effort": e}
        for o in ("information", "ncut", "modularity")
        for e in ("fast", "default", "best")
    ),
    {"published": True},
    {"outliers": None, "min_cluster_size": 2},
    {"max_cluster_size": 2},
)


def prepare():
    """Return the edges of every graph without isolated pairs of equal form: one of each that renumbering makes.

    Loops are compiled here, which no fit is to pay for.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gc.GraphWarning)
        for weights in (None, np.arange(1.0, 7)):
            graph = gc.Graph.from_edges([0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 4], weights)
            for k, options in itertools.product((1, 2, None, "auto"), _OPTIONS):
                with contextlib.suppress(gc.InputError):
                    gc.CoresetSpectralClustering(k, random_state=0, **options).fit(graph)
    graphs = []
    for n in range(1, _MOST + 1):
        pairs = list(itertools.combinations_with_replacement(range(n), 2))
        place = {pair: i for i, pair in enumerate(pairs)}
        codes = np.arange(1 << len(pairs))
        least = codes.copy()
        for order in itertools.permutations(range(n)):
            moved = np.zeros_like(codes)
            for i, (u, v) in enumerate(pairs):
                target = place[tuple(sorted((order[u], order[v])))]
                moved |= ((codes >> i) & 1) << target
            np.minimum(least, moved, out=least)
        graphs += [(n, [pair for i, pair in enumerate(pairs) if code >> i & 1]) for code in np.unique(least)]
    return graphs


def case(given):
    """Fit one graph in all ways."""
    n, edges = given.prepared[given.number % len(given.prepared)]
    sources, targets = np.array(edges, dtype=int).reshape(-1, 2).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gc.GraphWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for name, weights in _WEIGHTS.items():
            try:
                graph = gc.Graph.from_edges(sources, targets, weights(len(sources)), n)
            except gc.InputError:
                continue
            for k, options in itertools.product((*range(1, n + 1), None, "auto"), _OPTIONS):
                _fit(graph, k, options, f"{n} nodes, edges {edges}, weights {name}, k={k!r}, {options}")
    return f"{n} nodes"


def _fit(graph, k, options, what):
    begun = time.process_time()
    try:
        model = gc.CoresetSpectralClustering(k, random_state=0, **options).fit(graph)
    except gc.InputError:
        return
    finally:
        if time.process_time() - begun > _SECONDS:
            raise Failure("a fit of more than a second", what)
    labels = model.labels_
    linked = np.diff(graph.indptr) > 0
    if labels.shape != (graph.n_nodes,) or (labels[linked] < 0).any() or (labels[~linked] >= 0).any():
        raise Failure("labels that are none", f"{what}: {labels}")
    sums = model.membership_.sum(axis=1)
    if not np.allclose(sums, linked):
        raise Failure("memberships that do not add up to 1", f"{what}: {sums}")


CAMPAIGN = Campaign(
    "one of the 662 graphs of up to five nodes, loops included, with four kinds of weights, every k, objective and "
    "effort: labels and memberships that hold, or one line, within a second",
    case,
    prepare=prepare,
    seconds=600.0,
    short=12,
)
