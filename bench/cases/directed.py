"""Policies for directions: each policy of `symmetrize` on directed planted graphs and on email-Eu-core.

The planted graphs have communities of several kinds: nodes that link to each other (flow), nodes that link to the same
others (co-citation), both, and flow among nodes to which others link at random. ``--quick`` makes them a fifth as
large.
"""

import numpy as np

from .. import harness
from ..harness import Method
from ..report import Report, page, table
from ..vectors import agreement, over_seeds, spread

SEEDS = 5
POLICIES = ("max", "average", "min", "degree-discounted", "random-walk")
K, SIZE, QUICK_SIZE = 10, 500, 100
# Links of a node into its own community's target, and to nodes at random.
INSIDE, OUTSIDE = 6, 6
WORDS = {
    "flow": "nodes link to their own community",
    "co-citation": "the nodes of a community link to the next one",
    "both": "half the communities as in the first, half as in the second",
    "flow and fringe": "the first, and as many nodes again without links to them, with four times as many, at random",
}


def run(options):
    """Measure ARI for every graph and policy."""
    size = QUICK_SIZE if options.quick else SIZE
    graphs = {name: planted(name, size) for name in WORDS}
    real = email(options.data)
    if real is not None:
        graphs["email-Eu-core"] = real
    outcomes = []
    for name, (ends, n_nodes, truth) in graphs.items():
        if harness.wanted([name], options):
            for policy in POLICIES:
                if harness.chosen([Method(policy, policy)], options):
                    outcomes.append(measured(name, policy, ends, n_nodes, truth, options))
    sections = [described(outcomes, size)]
    if real is None:
        sections.append(f"Not in the data folder ({options.data}): email-Eu-core.")
    return Report("Directed graphs", sections, outcomes, ("ari", "seconds"), page=page(sections))


def planted(name, size):
    """Return the ends of links, the nodes, and the communities of the first of them."""
    import graphcore

    targets = np.arange(K) if name.startswith("flow") else (np.arange(K) + 1) % K
    if name == "both":
        targets = np.concatenate([np.arange(K // 2), K // 2 + (np.arange(K - K // 2) + 1) % (K - K // 2)])
    links = np.full((K, K), OUTSIDE * size / K)
    links[np.arange(K), targets] += INSIDE * size
    sizes = [size] * K
    if name == "flow and fringe":
        links = np.vstack([links, np.full(K, 4 * (INSIDE + OUTSIDE) * size)])
        sizes = [*sizes, K * size]
    made = graphcore.datasets.planted_blocks(sizes, [size] * K, links, random_state=0)
    return np.array(made.matrix.nonzero()), len(made.row_labels), made.column_labels


def email(folder):
    """Return the ends of e-mails, persons, and their departments; None if absent."""
    folder = folder / "email-Eu-core"
    if not (folder / "email-Eu-core.txt").is_file():
        return None
    labels = np.loadtxt(folder / "email-Eu-core-department-labels.txt", dtype=int)
    ends = np.loadtxt(folder / "email-Eu-core.txt", dtype=int).T
    return ends, len(labels), labels[np.argsort(labels[:, 0]), 1]


def measured(name, policy, ends, n_nodes, truth, options):
    """Measure one policy on one graph, the making of the graph included."""
    import graphcore

    k = len(np.unique(truth))

    def fit(seed):
        graph = graphcore.Graph.from_edges(*ends, n_nodes=n_nodes, symmetrize=policy)
        model = graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=options.threads).fit(graph)
        return model.labels_, graph.n_edges

    def score(found):
        return agreement(found[0][: len(truth)], truth) | {"edges": found[1]}

    return over_seeds(policy, name, fit, score, options.seeds)


def described(outcomes, size):
    """Return a row for every graph, a column for every policy."""
    rows = []
    for name in dict.fromkeys(o.graph for o in outcomes):
        found = {o.method.title: o for o in outcomes if o.graph == name}
        rows.append([name, *(spread(found[p], "ari") if p in found else "-" for p in POLICIES)])
    kinds = "; ".join(f"*{name}*: {words}" for name, words in WORDS.items())
    text = (
        f"ARI with the communities, means and deviations over seeds. {K} planted communities of {size} nodes, each "
        f"with {INSIDE} links into one community and {OUTSIDE} at random. {kinds}."
    )
    return f"## Policies\n\n{text}\n\n" + table(["graph", *(f'"{policy}"' for policy in POLICIES)], rows)
