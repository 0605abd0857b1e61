"""Rows and columns clustered at once, compared with scikit-learn's SpectralCoclustering: ARI, seconds, memory.

Planted bipartite graphs, and counts of words in generated texts on 20 subjects: words follow Zipf's law, and most are
common to all subjects. The largest is measured with one seed. ``--quick`` takes the small ones.
"""

import tracemalloc

import numpy as np

from .. import harness
from ..harness import Method
from ..report import Report, page, table
from ..vectors import agreement, over_seeds, spread

SEEDS = 3
K = 20
# Name: (rows, columns) of a block, entries a row has inside and outside its block.
PLANTED = {
    "planted, 14 thousand nodes": (500, 200, 10, 10),
    "planted, 140 thousand nodes": (5000, 2000, 10, 10),
    "planted, 1.4 million nodes": (50000, 20000, 10, 10),
}
LARGEST = "planted, 1.4 million nodes"
# Texts of a subject, words of a subject and common ones, tokens of a text: of its subject, of each other, common.
TEXTS = (500, 400, 2000, 30, 0.5, 60)
QUICK = ("planted, 14 thousand nodes", "texts")


def run(options):
    """Measure every matrix and method, a row for each."""
    outcomes = []
    for name in (*PLANTED, "texts"):
        if harness.wanted([name], options) and (name in QUICK or not options.quick):
            made = texts() if name == "texts" else planted(*PLANTED[name])
            for title in ("graphcore", "scikit-learn"):
                if harness.chosen([Method(title, title)], options):
                    outcomes.append(measured(title, name, made, options))
    sections = [described(outcomes)]
    return Report("Rows and columns", sections, outcomes, ("ari", "seconds"), page=page(sections))


def planted(rows, columns, inside, outside):
    """Return blocks of rows and columns that belong together."""
    import graphcore

    entries = np.full((K, K), outside * rows / K)
    np.fill_diagonal(entries, (inside + outside / K) * rows)
    return graphcore.datasets.planted_blocks([rows] * K, [columns] * K, entries, random_state=0)


def texts():
    """Return counts of words in texts; the last block of words is common to all subjects."""
    import graphcore

    rows, columns, common, own, other, shared = TEXTS
    entries = np.full((K, K + 1), other * rows)
    entries[np.arange(K), np.arange(K)], entries[:, K] = own * rows, shared * rows
    sizes = [columns] * K + [common]
    return graphcore.datasets.planted_blocks([rows] * K, sizes, entries, column_skew=1.0, random_state=0)


def measured(title, name, made, options):
    """Measure one method on one matrix, after a first, untimed run whose allocations are counted."""
    from sklearn.cluster import SpectralCoclustering

    import graphcore

    used = np.diff(made.matrix.tocsc().indptr) > 0  # scikit-learn divides by the sums of columns
    matrix = made.matrix[:, used].tocsr()

    def fit(seed):
        if title == "graphcore":
            return graphcore.CoresetSpectralCoclustering(K, random_state=seed, n_jobs=options.threads).fit(matrix)
        return SpectralCoclustering(K, random_state=seed).fit(matrix)

    tracemalloc.start()
    fit(0)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()

    def score(model):
        of_columns = made.column_labels[used]
        own = of_columns < K  # common words have no subject
        return {
            "rows": agreement(model.row_labels_, made.row_labels)["ari"],
            "columns": agreement(model.column_labels_[own], of_columns[own])["ari"],
            "megabytes": megabytes,
        }

    shown = f"{name}|{matrix.shape[0]:,} x {matrix.shape[1]:,}|{matrix.nnz:,}"
    return over_seeds(title, shown, fit, score, 1 if name == LARGEST else options.seeds)


def described(outcomes):
    """Return one row for every outcome."""
    rows = []
    for o in outcomes:
        scores = [spread(o, what) for what in ("rows", "columns")]
        megabytes = float(np.mean([each["megabytes"] for each in o.scores]))
        rows.append([*o.graph.split("|"), o.method.title, *scores, float(np.mean(o.cpu_seconds)), megabytes])
    text = (
        f"{K} clusters; means and deviations over seeds, one for the largest matrix. Memory is what the fit allocates "
        "at most, besides the matrix (loops of numba, which allocate little, and LAPACK apart). In planted matrices a "
        "row has 10 entries inside its block and 10 anywhere."
    )
    header = ["matrix", "rows x columns", "entries", "method", "ARI of rows", "ARI of columns", "CPU s", "MB"]
    return f"## Compared with scikit-learn\n\n{text}\n\n" + table(header, rows)
