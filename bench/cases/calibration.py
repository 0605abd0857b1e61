"""Memberships against the truth: of nodes with membership p, are about p right? Planted graphs, vectors, known classes.

The constants of ``graphcore/partition/evidence.py`` were chosen on other draws of the generated kinds; the real data
had no part in it. Beside it: memberships against another fit, and against classes where it is known how many nodes of
each cluster are of its most frequent class; and the share of a node's edges that goes to its cluster, which is not
calibrated.
``--page docs/tables/calibration.md`` writes the table of the docs.
"""

import numpy as np

from .. import harness, inputs, scoring
from ..report import Report, table
from ..vectors import over_seeds, spread

SEEDS = 3
# Another fit of the same graph has this much more as its seed.
OTHER = 50
PLANTED = {"planted, 3 of 10 outside": (10, 300, 10, 3), "planted, 10 of 20": (20, 200, 20, 10),
           "planted, 22 of 40": (5, 400, 40, 22), "planted, 5 of 10 (at the limit)": (10, 300, 10, 5)}  # fmt: skip
UNEVEN = {"uneven degrees, 30 % outside": 0.3, "uneven degrees, 50 %": 0.5}
LFR = {"LFR, 40 % outside": 0.4}
VECTORS = {"vectors, 10 columns": (10, 5.0), "vectors, 50 columns": (50, 9.0), "vectors, 2 columns": (2, 1.0)}
REAL = {"mnist-nn10": 10, "har": 6, "pendigits-nn10": 10, "letter-nn10": 26, "email": 42, "fbpages": 4}
LARGE = ("mnist-nn10",)


def run(options):
    """A row for each kind of graph."""
    outcomes, missing = [], []
    for name in harness.wanted([*PLANTED, *UNEVEN, *LFR, *VECTORS, *REAL], options, LARGE):
        if name in REAL and inputs.real(name, options.data) is None:
            missing.append(name)
            continue

        def fit(seed, name=name):
            import graphcore

            graph, truth, k = drawn(name, seed, options.data)
            model, other = (
                graphcore.CoresetSpectralClustering(k, random_state=s, n_jobs=options.threads).fit(graph)
                for s in (seed, seed + OTHER)
            )
            return model, other, truth

        outcomes.append(over_seeds(name, name, fit, score, options.seeds))
    measures = {
        "right": "right", "mean membership": "mean", "error": "error",
        "with the classes of each cluster known": "purity", "against another fit": "other",
        "error of shares of edges": "shares",
    }  # fmt: skip
    header = ["graph", *measures]
    rows = [[o.graph, *(spread(o, what) for what in measures.values())] for o in outcomes]
    sections = [table(header, rows)]
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    return Report(
        f"Calibration: means and deviations over {options.seeds} seeds", sections, outcomes, ("error",),
        page=sections[0] if rows else "",
    )  # fmt: skip


def drawn(name, seed, data):
    """(what is fitted, known classes with -1 for none, number of clusters)."""
    import graphcore
    from graphcore import datasets

    seed += 100  # not the draws that the constants were chosen on
    if name in PLANTED:
        k, size, degree, outside = PLANTED[name]
        rates = (degree - outside) / size, outside / (size * (k - 1))
        return *datasets.planted_partition(k, size, *rates, random_state=seed), k
    if name in UNEVEN:
        mixing = UNEVEN[name]
        graph, truth = datasets.degree_corrected_partition(15, 300, mean_degree=15, mixing=mixing, random_state=seed)[
            :2
        ]
        return graph, truth, 15
    if name in LFR:
        found = datasets.lfr(5000, mixing=LFR[name], average_degree=12, random_state=seed)
        return found.graph, found.labels, int(found.labels.max()) + 1
    if name in VECTORS:
        columns, width = VECTORS[name]
        return *datasets.blobs(4000, 8, n_features=columns, spread=width, random_state=seed), 8
    indptr, indices, truth = scoring.load(inputs.real(name, data))
    return graphcore.Graph(indptr, indices, check=False), truth, REAL[name]


def score(found):
    """Share that is right, mean of the largest memberships, and errors.

    The error with the classes of each cluster known is that of membership times the share of the cluster that is of its
    most frequent class, against whether a node is of this class. That against another fit, of labels by which clusters
    are matched one to one.
    """
    from graphcore.metrics import calibration
    from graphcore.partition.consensus import matched_clusters
    from graphcore.partition.quotient import contingency

    model, other, truth = found
    truth = np.unique(truth, return_inverse=True)[1].astype(np.int32) - int(truth.min() < 0)
    known = (model.labels_ >= 0) & (truth >= 0)
    names = np.full(model.n_clusters_, -1)
    names[model.labels_[known]] = matched_clusters(model.labels_, truth, model.n_clusters_)[known]
    memberships = model.membership_[known]
    largest = memberships.max(axis=1).toarray().ravel()
    clusters = memberships.argmax(axis=1)
    right = names[clusters] == truth[known]
    common = contingency(model.labels_[known], truth[known], max(model.n_clusters_, int(truth.max()) + 1)).toarray()
    purity = common.max(axis=1) / np.maximum(common.sum(axis=1), 1)
    again = matched_clusters(other.labels_, model.labels_, model.n_clusters_)[known]
    shares = 1.0 - model.outside_share_[known].astype(float)
    return {
        "right": float(right.mean()),
        "mean": float(largest.mean()),
        "error": calibration(largest, right).error,
        "purity": calibration(largest * purity[clusters], common.argmax(axis=1)[clusters] == truth[known]).error,
        "other": calibration(largest, again == clusters).error,
        "shares": calibration(shares, names[model.labels_[known]] == truth[known]).error,
    }
