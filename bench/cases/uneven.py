"""Clusters of uneven size: the balance and the number of clusters that are chosen, on generated sets.

Sets of numbers below 100 had a part in choosing the rule, those drawn here had none. ``--page docs/tables/uneven.md``
writes the table of the docs.
"""

import numpy as np

import graphcore

from .. import harness
from ..report import Report, table
from ..vectors import over_seeds

SEEDS = 3
FIRST, N_SETS = 200, 30
KINDS = ("mixture", "close", "planted", "noisy", "overlapping")
RIGHT = 1.25
WAYS = {"auto": {}, "balance 1": {"balance": 1.0}, "ncut": {"objective": "ncut"}}


def run(options):
    """Measure each kind of set, a row for each."""
    outcomes, chosen = [], []
    for kind in harness.wanted(KINDS, options):
        for number in range(FIRST, FIRST + N_SETS):
            graph, truth, k = drawn(kind, number)

            def fit(seed, graph=graph, k=k):
                return {
                    way: graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=options.threads, **given)
                    .fit(graph).labels_ for way, given in WAYS.items()
                }  # fmt: skip

            def score(labels, truth=truth):
                from sklearn.metrics import adjusted_rand_score

                known = truth >= 0
                return {way: adjusted_rand_score(truth[known], labels[way][known]) for way in WAYS}

            def choose(seed, graph=graph):
                return graphcore.select_n_clusters(graph, random_state=seed, n_jobs=options.threads)

            def count(chosen, k=k):
                n = chosen.best
                return {"k": max(n / k, k / n) <= RIGHT, "clear": chosen.clear}

            name = f"{kind} {number}"
            outcomes.append(over_seeds("fit", name, fit, score, options.seeds))
            chosen.append(over_seeds("choice of k", name, choose, count, options.seeds))
    rows = []
    for kind in KINDS:
        own = [o for o in outcomes if o.graph.startswith(kind)]
        if own:
            means = {way: np.array([np.mean([found[way] for found in o.scores]) for o in own]) for way in WAYS}
            worst = (means["auto"] - means["balance 1"]).min()
            rows.append([kind, len(own), *(f"{means[way].mean():.3f}" for way in WAYS), f"{worst:.3f}"])
            of_kind = [found for o in chosen if o.graph.startswith(kind) for found in o.scores]
            right, clear = (np.array([found[each] for found in of_kind], dtype=bool) for each in ("k", "clear"))
            rows[-1] += [f"{right.mean():.2f}", f"{clear.mean():.2f}", f"{right[clear].mean():.2f}"]
    page = table(
        [
            "sets",
            "number",
            *WAYS,
            "worst of auto less balance 1",
            "k within 1.25",
            "called clear",
            "of these within 1.25",
        ],
        rows,
    )
    return Report("Clusters of uneven size, ARI", [page], outcomes + chosen, page=page)


def drawn(kind, number):
    """Return (graph, clusters of the nodes with -1 for noise, number of clusters) of a set."""
    rng = np.random.default_rng([KINDS.index(kind), number])
    if kind in ("noisy", "overlapping"):
        return noisy(rng) if kind == "noisy" else overlapping(rng)
    k = round(np.exp(rng.uniform(np.log(5), np.log(50))))
    is_lognormal = rng.random() < 0.6
    shares = rng.lognormal(0, rng.uniform(0.4, 1.2), k) if is_lognormal else 1 + rng.pareto(rng.uniform(1, 2), k)
    sizes = np.maximum(15, shares / shares.sum() * rng.integers(3000, 8000)).astype(int)
    truth = np.repeat(np.arange(k), sizes)
    if kind == "planted":
        return planted(truth, rng), truth, k
    X, n_noise = mixture(truth, rng, rng.uniform(0.35, 1.0) if kind == "close" else rng.uniform(1.2, 3.0))
    return graphcore.knn_graph(X, 10, random_state=0), np.append(truth, np.full(n_noise, -1)), k


def mixture(truth, rng, apart):
    """Draw Gaussian or heavy-tailed clusters in 3 to 12 of 16 to 256 dimensions, with up to a fifth of noise."""
    n_columns, n_dims, parts = rng.choice([16, 32, 64, 128, 256]), rng.integers(3, 13), []
    heavy, noise = rng.random() < 0.3, rng.choice([0, 0, 0.05, 0.1, 0.2])
    for size in np.bincount(truth):
        basis = np.linalg.qr(rng.standard_normal((n_columns, n_dims)))[0]
        inside = rng.standard_t(4, (size, n_dims)) if heavy else rng.standard_normal((size, n_dims))
        centre = apart / np.sqrt(2) * rng.standard_normal(n_columns)
        parts.append(centre + rng.uniform(0.5, 1.5) * inside @ basis.T + 0.05 * rng.standard_normal((size, n_columns)))
    X = np.concatenate(parts)
    n_noise = int(noise * len(X))
    return np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), (n_noise, n_columns))]), n_noise


def noisy(rng):
    """Draw 12,000 vectors: a fifth noise, a third to four fifths of the others in one of 8 to 39 clusters."""
    k, n_columns, share = rng.integers(8, 40), rng.choice([16, 32, 50, 64, 128]), rng.uniform(0.35, 0.8)
    others = rng.lognormal(0, 0.8, k - 1)
    sizes = np.maximum(15, 9600 * np.append(share, (1 - share) * others / others.sum())).astype(int)
    truth, apart = np.repeat(np.arange(k), sizes), rng.uniform(0.6, 3.0) / np.sqrt(2)
    X = np.repeat(apart * rng.standard_normal((k, n_columns)), sizes, axis=0)
    X += np.repeat(rng.uniform(0.5, 1.2, k), sizes)[:, None] * rng.standard_normal(X.shape)
    noise = rng.uniform(X.min(axis=0), X.max(axis=0), (2400, n_columns))
    graph = graphcore.knn_graph(np.concatenate([X, noise]), 10, random_state=0)
    return graph, np.append(truth, np.full(len(noise), -1)), int(k)


def overlapping(rng):
    """Draw 8,000 to 20,000 vectors in 8 to 44 Gaussian clusters of 6 to 24 dimensions that overlap, without noise."""
    k, n_columns, n = rng.integers(8, 45), rng.choice([6, 8, 12, 16, 24]), rng.integers(8000, 20_000)
    shares = rng.lognormal(0, rng.uniform(0.5, 1.1), k)
    shares = np.maximum(shares, 0.05 * shares.mean())
    truth = rng.choice(k, n, p=shares / shares.sum())
    centres = rng.uniform(0.9, 1.6) * (12 / n_columns) ** 0.25 * rng.standard_normal((k, n_columns))
    X = centres[truth] + rng.standard_normal((n, n_columns))
    return graphcore.knn_graph(X, 10, random_state=0), truth, int(k)


def planted(truth, rng):
    """Draw edges in and between uneven clusters: even or uneven degrees, 8 to 29 a node, 5 to 50 % between."""
    n, between = len(truth), rng.uniform(0.05, 0.5)
    weights = np.minimum(1 + rng.pareto(2.5, n), 20) if rng.random() < 0.5 else np.ones(n)
    sources = rng.choice(n, n * rng.integers(8, 30) // 2, p=weights / weights.sum())
    targets = rng.choice(n, len(sources), p=weights / weights.sum())
    inside = rng.random(len(sources)) >= between
    for c, members in enumerate(np.split(np.arange(n), np.cumsum(np.bincount(truth))[:-1])):
        own, chances = np.flatnonzero(inside & (truth[sources] == c)), weights[members]
        targets[own] = rng.choice(members, len(own), p=chances / chances.sum())
    kept = sources != targets
    edges = np.unique(np.sort(np.stack([sources[kept], targets[kept]]), axis=0), axis=1)
    return graphcore.Graph.from_edges(*edges, n_nodes=n)
