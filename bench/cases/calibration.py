"""Calibration of memberships against planted graphs, vectors and known classes: of nodes with p, p should be right.

The constants of ``evidence.py`` were chosen on other draws of the generated kinds, without the real data. Further
columns: memberships against another fit, and against classes where it is known how many nodes of each cluster are of
its most frequent class; and the share of a node's edges that goes to its cluster, which is not calibrated. A second
table compares other ways to make probabilities, on the generated kinds. ``--page docs/tables/calibration.md`` writes
the table of the docs.
"""

import numpy as np

from .. import harness, inputs, scoring
from ..lfr import lfr
from ..report import Report, table
from ..vectors import over_seeds, spread

SEEDS = 3
ROOMS = ("base", "graphs", "kernels", "cluster", "metrics")
# Another fit of the same graph has this much more as its seed.
OTHER = 50
PLANTED = {"planted, 3 of 10 outside": (10, 300, 10, 3), "planted, 10 of 20": (20, 200, 20, 10),
           "planted, 22 of 40": (5, 400, 40, 22), "planted, 5 of 10 (at the limit)": (10, 300, 10, 5)}  # fmt: skip
UNEVEN = {"uneven degrees, 30 % outside": 0.3, "uneven degrees, 50 %": 0.5}
LFR = {f"LFR, {mixing:.0%} outside".replace("%", " %"): mixing for mixing in (0.2, 0.3, 0.4, 0.5)}
VECTORS = {"vectors, 10 columns": (10, 5.0), "vectors, 50 columns": (50, 9.0), "vectors, 2 columns": (2, 1.0)}
# Rows and columns of a block, entries that a row has inside its block and anywhere.
TWO_KINDS = {"two kinds of nodes": (300, 150, 8, 6)}
REAL = {"mnist-nn10": 10, "har": 6, "pendigits-nn10": 10, "letter-nn10": 26, "email": 42, "fbpages": 4}
LARGE = ("mnist-nn10",)
# Steps of a walk, and exponents of the memberships, that are inverse temperatures.
STEPS, POWERS = (1, 2, 4), (0.7, 0.85, 1.2, 1.5)


def run(options):
    """Measure each kind of graph, a row for each."""
    outcomes, missing = [], []
    for name in harness.wanted([*PLANTED, *UNEVEN, *LFR, *VECTORS, *TWO_KINDS, *REAL], options, LARGE):
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
    sections = [table(header, rows), of_ways([o for o in outcomes if o.graph not in REAL])]
    sections += options.absent(missing)
    return Report(
        f"Calibration: means and deviations over {options.seeds} seeds", sections, outcomes, ("error",),
        page="\n\n".join(sections[:2]) if rows else "",
    )  # fmt: skip


def drawn(name, seed, data):
    """Return (input of the fit, known classes with -1 for none, number of clusters)."""
    from sklearn.datasets import make_blobs

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
        found = lfr(5000, mixing=LFR[name], average_degree=12, random_state=seed)
        return found.graph, found.labels, int(found.labels.max()) + 1
    if name in VECTORS:
        columns, width = VECTORS[name]
        return *make_blobs(4000, columns, centers=8, cluster_std=width, random_state=seed), 8
    if name in TWO_KINDS:
        height, width, inside, outside = TWO_KINDS[name]
        entries = np.full((10, 10), outside * height / 10) + np.diag([inside * height] * 10)
        made = datasets.planted_blocks([height] * 10, [width] * 10, entries, random_state=seed)
        return graphcore.Graph.from_biadjacency(made.matrix), np.concatenate([made.row_labels, made.column_labels]), 10
    indptr, indices, truth = scoring.load(inputs.real(name, data))
    return graphcore.Graph(indptr, indices, check=False), truth, REAL[name]


def score(found):
    """Return the share that is right, the mean of the largest memberships, and errors.

    The error with the classes of each cluster known is that of membership times the share of the cluster that is of its
    most frequent class, against whether a node is of this class. That against another fit, of labels by which clusters
    are matched one to one.
    """
    from graphcore.cluster.evidence import matched_clusters
    from graphcore.cluster.refine.problem import contingency
    from graphcore.metrics import calibration

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
        **{
            f"{way}: {what}": value
            for way, p in ways(model).items()
            for what, value in errors(p[known], names, truth[known]).items()
        },
    }


def errors(memberships, names, truth):
    """Return calibration error and Brier score against classes; `names` are the clusters' classes."""
    from graphcore.metrics import calibration

    largest = memberships.max(axis=1).toarray().ravel()
    right = names[memberships.argmax(axis=1)] == truth
    of_class = np.full(max(truth.max(), names.max()) + 1, -1)
    of_class[names[names >= 0]] = np.flatnonzero(names >= 0)
    own = of_class[truth]
    of_truth = np.where(own >= 0, memberships[np.arange(len(truth)), np.maximum(own, 0)], 0.0)
    squares = memberships.power(2).sum(axis=1)
    brier = float((squares - 2 * of_truth + 1).mean())
    return {"error": calibration(np.minimum(largest, 1.0), right).error, "Brier": brier}


def ways(model):
    """Return other ways to make probabilities from the same fit: {title: csr_array (n, n_clusters)}."""
    import scipy.sparse as sp

    found = model.membership_
    entries = np.diff(found.indptr)
    stability = np.ones(len(model.labels_)) if model.stability_ is None else model.stability_.astype(float)
    joined = np.flatnonzero(model.labels_ >= 0)
    members = sp.csr_array(
        (np.ones(len(joined)), (joined, model.labels_[joined])), shape=(len(stability), model.n_clusters_)
    )

    def power(exponents):
        return rows_to_one(sp.csr_array((found.data**exponents, found.indices, found.indptr), shape=found.shape))

    made = {"as it is": found}
    made |= {f"to the power of {exponent}": power(exponent) for exponent in POWERS}
    made["evidence without drafts"] = power(1 / stability[joined].mean())
    made["evidence by each node's stability"] = power(np.repeat(stability / stability[joined].mean(), entries))
    made["half of it the share of drafts"] = rows_to_one(
        (found.multiply((2 - stability)[:, None]) + members.multiply(stability[:, None])).tocsr()
    )
    step, walk = rows_to_one(model.graph_.to_scipy().astype(float)), members
    for t in range(1, max(STEPS) + 1):
        walk = (step @ walk).tocsr()
        if t in STEPS:
            made[f"a walk of {t} step{'s' * (t > 1)}"] = walk
    return made


def rows_to_one(matrix):
    """Divide each row by its sum, if that is not zero."""
    matrix = matrix.tocsr().copy()
    matrix.data /= np.repeat(np.where((sums := matrix.sum(axis=1)) > 0, sums, 1.0), np.diff(matrix.indptr))
    return matrix


def of_ways(outcomes):
    """Return a row for each way: means of both errors over the generated kinds, and the largest change."""
    if not outcomes:
        return ""

    def values_of(way):
        measures = [f"{way}: {what}" for what in ("error", "Brier")]
        return np.array([[np.mean([s[m] for s in o.scores]) for m in measures] for o in outcomes])

    today, rows = values_of("as it is"), []
    for way in [m.removesuffix(": error") for m in outcomes[0].scores[0] if m.endswith(": error")]:
        values = values_of(way)
        change = values - today
        where = [f"{change[at, i]:+.3f}, {outcomes[at].graph}" for i, at in enumerate(change.argmax(axis=0))]
        best = (values[:, 0] < today[:, 0] - 0.002).sum()
        rows.append(
            [way, *(f"{v:.3f}" for v in values.mean(axis=0)), int(best), *(["-"] * 2 if way == "as it is" else where)]
        )
    text = (
        "Other ways to make probabilities from the same fits: means over the generated kinds. A power is an inverse "
        "temperature. Better: kinds whose error is lower by more than 0.002. Worst: the largest change of a kind."
    )
    return f"{text}\n\n" + table(["way", "error", "Brier score", "better", "worst, error", "worst, Brier"], rows)
