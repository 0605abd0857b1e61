"""Graphs that change: updates of a model beside fits from scratch.

Planted graphs whose communities drift (in each step some nodes change sides, with their edges), or split and unite; and
dblp, of which a share of the edges is exchanged. ``--quick`` takes smaller planted graphs.
"""

import time
import warnings

import numpy as np

from .. import harness, inputs
from ..harness import Method
from ..report import Report, page, table
from ..vectors import agreement, over_seeds, spread

SEEDS = 10
# Of dblp, whose costs hardly differ.
COST_SEEDS = 3
K, SIZE, QUICK_SIZE, STEPS = 20, 500, 100, 20
# Edges of a node inside its community and outside, and nodes that change sides in a step.
INSIDE, OUTSIDE, MOVERS = 8, 8, 0.02
SHARES = (0.0001, 0.001, 0.01, 0.1)
DBLP_K = 100


def run(options):
    """Measure streams, and the cost by the size of the change, a table for each."""
    size = QUICK_SIZE if options.quick else SIZE
    outcomes, sections = [], []
    for name in ("drift", "splits and unions"):
        if harness.wanted([name], options):
            outcomes += streams(name, size, options)
    if outcomes:
        sections.append(of_streams(outcomes, size))
    graph = dblp(options.data)
    if graph is None:
        sections.append(f"Not in the data folder ({options.data}): dblp.")
    elif harness.wanted(["dblp"], options):
        costs = of_cost(graph, options)
        outcomes += costs
        sections.append(of_costs(costs))
    rows = [row for name, make in new_vectors(options.data).items() if harness.wanted([name], options)
            for row in joined(name, make(), options)]  # fmt: skip
    if rows:
        header = ["rows, columns", "new rows", "CPU s of a fit to all", "of the update", "share"]
        header += ["ARI with the truth", "of a fit to all"]
        sections.append("## New vectors\n\n" + table(header, rows))
    return Report("Graphs that change", sections, outcomes, ("ari", "seconds"), page=page(sections))


class Stream:
    """A planted graph that changes step by step: edges come and go with the communities of their ends."""

    def __init__(self, name, size, seed):
        self.name, self.rng = name, np.random.default_rng(seed)
        self.n = K * size
        self.labels = np.repeat(np.arange(K), size)
        self.edges = self._drawn(np.arange(self.n))

    def _drawn(self, nodes, n_inside=INSIDE / 2, n_outside=OUTSIDE / 2):
        """Draw edges of some nodes, each from one of its ends: (m, 2), the smaller first."""
        inside = np.repeat(nodes, self.rng.poisson(n_inside, len(nodes)))
        order = np.argsort(self.labels, kind="stable")
        starts = np.searchsorted(self.labels[order], np.arange(K + 1))
        own = self.labels[inside]
        mates = order[(starts[own] + self.rng.random(len(inside)) * (starts[own + 1] - starts[own])).astype(int)]
        outside = np.repeat(nodes, self.rng.poisson(n_outside, len(nodes)))
        ends = np.stack([np.r_[inside, outside], np.r_[mates, self.rng.integers(0, self.n, len(outside))]], axis=1)
        ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
        return np.unique(ends, axis=0)

    def step(self):
        """Change the communities; returns (added, removed), the edges inside of nodes that changed sides."""
        before = self.labels.copy()
        if self.name == "drift":
            movers = self.rng.choice(self.n, int(MOVERS * self.n), replace=False)
            self.labels[movers] = self.rng.integers(0, K, len(movers))
        else:  # one community splits, and two others unite
            a, b, c = self.rng.choice(K, 3, replace=False)
            self.labels[before == c] = b
            half = np.flatnonzero(before == a)
            self.labels[half[self.rng.random(len(half)) < 0.5]] = c
        changed = before != self.labels
        x, y = self.edges.T
        # Edges that were inside and are not any more.
        gone = (before[x] == before[y]) & (self.labels[x] != self.labels[y])
        fresh = self._drawn(np.flatnonzero(changed), INSIDE * (1 if self.name == "drift" else 0.5), 0.0)
        kept = self.edges[~gone]
        key = fresh[:, 0] * self.n + fresh[:, 1]
        fresh = fresh[~np.isin(key, kept[:, 0] * self.n + kept[:, 1])]
        removed, self.edges = self.edges[gone], np.concatenate([kept, fresh])
        return fresh, removed


def streams(name, size, options):
    """Measure a stream, updated and fitted from scratch: means over its steps."""
    return [
        over_seeds(
            title, name, lambda seed, title=title: followed(title, name, size, seed, options), dict, options.seeds
        )
        for title in ("update", "fit")
        if harness.chosen([Method(title, title)], options)
    ]


def followed(title, name, size, seed, options):
    """Measure ARI with the communities after each step, means; and CPU seconds of a step."""
    import graphcore

    def fit():
        graph = graphcore.Graph.from_edges(*stream.edges.T, n_nodes=stream.n, warn=False)
        return graphcore.CoresetSpectralClustering(K, random_state=seed, n_jobs=options.threads).fit(graph)

    stream = Stream(name, size, seed)
    model, scores, seconds, stayed = fit(), [], [], []
    for _ in range(STEPS):
        before, truth = model.labels_.copy(), stream.labels.copy()
        added, removed = stream.step()
        start = time.process_time()
        if title == "update":
            model.update(added=tuple(added.T), removed=tuple(removed.T))
        else:
            model = fit()
        seconds.append(time.process_time() - start)
        scores.append(agreement(model.labels_, stream.labels)["ari"])
        stayed.append(np.mean((model.labels_ == before)[truth == stream.labels]))
    return {"ari": np.mean(scores), "last": scores[-1], "same": np.mean(stayed), "cpu": np.mean(seconds)}


def of_streams(outcomes, size):
    """Return a table with a row for each stream and way."""
    rows = [
        [o.graph, o.method.title, *(spread(o, what) for what in ("ari", "last", "same")), spread(o, "cpu")]
        for o in outcomes
    ]
    for name in dict.fromkeys(o.graph for o in outcomes):
        by = {o.method.title: o for o in outcomes if o.graph == name}
        if len(by) == 2 and len(by["fit"].scores) > 1:
            behind = [
                [mine[what] - theirs[what] for mine, theirs in zip(by["update"].scores, by["fit"].scores, strict=True)]
                for what in ("ari", "last")
            ]
            rows.append(
                [name, "update less fit", *(f"{np.mean(d):+.3f} ± {np.std(d, ddof=1):.3f}" for d in behind), "", ""]
            )
    text = (
        f"{K} communities of {size} nodes with {INSIDE} edges of a node inside and {OUTSIDE} anywhere, {STEPS} steps. "
        f"*drift*: in each step {MOVERS:.0%} of the nodes change sides; *splits and unions*: in each step one "
        "community splits and two others unite. Same number: nodes that stay in their community and keep the number "
        f"of their cluster. Means and deviations over {len(outcomes[0].scores)} seeds; *update less fit* compares the "
        "two on the same streams."
    )
    header = ["stream", "by", "ARI, mean of the steps", "ARI, last step", "same number", "CPU s of a step"]
    return f"## Streams\n\n{text}\n\n" + table(header, rows)


def dblp(folder):
    """Return the graph of co-authors, None if it is not there."""
    import graphcore

    path = folder / "graphs" / "dblp.npz"
    return graphcore.read_graph(path) if path.is_file() else None


def of_cost(graph, options):
    """Measure CPU seconds of a fit, and of updates that exchange edges for others between friends of friends."""
    import scipy.sparse as sp

    import graphcore

    def fit(seed):
        return graphcore.CoresetSpectralClustering(DBLP_K, random_state=seed, n_jobs=options.threads).fit(graph)

    seeds = min(options.seeds, COST_SEEDS)
    found = [over_seeds("fit", "dblp", fit, lambda _: {}, seeds)]
    ends = np.stack(sp.triu(graph.to_scipy(), k=1, format="coo").coords, axis=1)

    def neighbors(nodes, rng):
        degrees = np.diff(graph.indptr)[nodes]
        return graph.indices[graph.indptr[nodes] + (rng.random(len(nodes)) * degrees).astype(int)]

    for share in SHARES:
        models = [fit(seed) for seed in range(seeds)]  # an update changes a model

        def update(seed, share=share, models=models):
            rng = np.random.default_rng(seed)
            m = int(share * len(ends))
            x, removed = rng.integers(0, graph.n_nodes, m), rng.choice(len(ends), m, replace=False)
            z = neighbors(neighbors(x, rng), rng)
            return models[seed].update(added=(x[x != z], z[x != z]), removed=ends[removed])

        def score(done):
            return {"moved": len(done.moved), "formed": len(done.formed_anew)}

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(over_seeds(f"{share:.2%} of the edges", "dblp", update, score, seeds))
    return found


def of_costs(outcomes):
    """Return a table with a row for each share."""
    fit = np.mean(outcomes[0].cpu_seconds)
    rows = [[outcomes[0].method.title, "-", "-", float(fit), 1.0]] + [
        [o.method.title, spread(o, "moved", 0), spread(o, "formed", 0), float(np.mean(o.cpu_seconds)),
         float(np.mean(o.cpu_seconds) / fit)]
        for o in outcomes[1:]
    ]  # fmt: skip
    text = (
        f"dblp (317,080 nodes, 1,049,866 edges), {DBLP_K} clusters: a share of the edges is removed, and as many are "
        "put between nodes that have a neighbour in common."
    )
    header = ["exchanged", "nodes moved", "clusters formed anew", "CPU s", "share of a fit"]
    return f"## Cost of an update\n\n{text}\n\n" + table(header, rows)


def new_vectors(data):
    """Return (vectors, truth, number of clusters, new shares) by name, made on request; None if absent."""

    def kept(name, *shares):
        path = inputs.labelled_vectors(name, data)
        if path is None:
            return None
        with np.load(path) as file:
            return file["X"], file["labels"], 10, shares

    def gaussians():
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 30, 60_000)
        X = rng.standard_normal((60_000, 128)) + 0.35 * rng.standard_normal((30, 128))[truth]
        return X.astype(np.float32), truth, 30, (0.01,)

    return {
        "PenDigits": lambda: kept("pendigits", 0.01, 0.09), "MNIST": lambda: kept("mnist", 0.01),
        "30 Gaussians": gaussians,
    }  # fmt: skip


def joined(name, found, options):
    """Measure vectors that join a model, beside a fit to all of them: rows of the table."""
    import graphcore

    def spent(function):
        start = time.process_time()
        return function(), time.process_time() - start

    if found is None:
        return
    X, truth, k, shares = found
    order = np.random.default_rng(0).permutation(len(X))
    X, truth = X[order], truth[order]
    for share in shares:
        n_old = len(X) - round(share * len(X))
        model = graphcore.CoresetSpectralClustering(k, random_state=0, n_jobs=options.threads)
        whole, of_fit = spent(lambda model=model: model.fit(X).labels_)
        model.fit(X[:n_old])
        _, of_update = spent(lambda model=model, n_old=n_old: model.update(X[n_old:]))
        scores = (f"{agreement(labels, truth)['ari']:.3f}" for labels in (model.labels_, whole))
        shape = f"{name}, {len(X):,} x {X.shape[1]}"
        yield [shape, len(X) - n_old, of_fit, of_update, of_update / of_fit, *scores]
