"""Figures 3, 5, 6 and 7: kNN graphs of real data, and coresets of growing size."""

import multiprocessing
import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import graphcore

from .. import inputs, scoring
from .coreset_methods import AUTHORS, kernel_kmeans, published, runs
from .curves import curves, legend
from .exhibit import TEXT, Exhibit, MissingData, chosen, mean, timed

SHARES, QUICK_SHARES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1), (0.05, 0.2)
EXACT, POWER, KMEANS, WHOLE = (
    "CSC, eigenvectors",
    "CSC, power method",
    "coreset kernel k-means",
    "spectral, whole graph",
)
WHOLE_REPETITIONS = 5
BY_DEGREE, EXACTLY = {"sampling": "degree"}, {"eigen_solver": "exact"}
METHODS = {
    EXACT: (published, EXACTLY),
    POWER: (published, {}),
    f"{EXACT}, by degree": (published, BY_DEGREE | EXACTLY),
    f"{POWER}, by degree": (published, BY_DEGREE),
    KMEANS: (kernel_kmeans, {"n_init": 1}),
}
BY = {"method": "method", "share": "coreset, % of the nodes"}
VALUES = {"seconds": "CPU s", "ari": "ARI", "nc": "NC", "outcome": "outcome"}


def measure(load, k, settings, *, repetitions=20, whole=True):
    """Measure all methods on the graph that `load(settings)` gives, with its classes."""
    if settings.quick:
        found = graphcore.datasets.load_digits()
        graph, truth, k = graphcore.knn_graph(found.data, 50, random_state=0), found.labels, 10
    else:
        indptr, indices, truth = load(settings)
        graph = graphcore.Graph(indptr, indices)

    def scores(labels, *_):
        nc = graphcore.metrics.normalized_cut(graph, labels, n_clusters=k, n_jobs=settings.threads)
        return {"ari": adjusted_rand_score(truth, labels), "nc": nc}

    def row(name, share, labels, seconds):
        return {"method": name, "share": round(100 * share), "seconds": seconds, **scores(labels)}

    for share in QUICK_SHARES if settings.quick else SHARES:
        for name, (run, params) in METHODS.items():
            run(graph, k, share, 0, settings.threads, **params)  # compiled and loaded before it is timed
            for seed in settings.seeds(repetitions):
                (labels, *_), seconds = timed(run, graph, k, share, seed, settings.threads, **params)
                yield row(name, share, labels, seconds)
        for found in runs(graph.indptr, graph.indices, k, share, settings, repetitions, scores):
            yield found | {"share": round(100 * share)}
    if whole:
        try:
            # A process of its own can be stopped.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                for seed in settings.seeds(WHOLE_REPETITIONS):
                    run = pool.apply_async(timed, (spectral_clustering, graph.indptr, graph.indices, k, seed))
                    yield row(WHOLE, 1.0, *run.get(settings.limit))
        except multiprocessing.TimeoutError:
            yield {"method": WHOLE, "share": 100, "outcome": f"not done after {settings.limit:,.0f} s"}


def spectral_clustering(indptr, indices, k, seed):
    """Run scikit-learn's spectral clustering, as in the paper."""
    from sklearn.cluster import SpectralClustering

    A = sp.csr_array((np.ones(len(indices)), indices.astype(np.int32), indptr.astype(np.int32)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a graph that is not connected
        return SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(A)


def draw(groups, told):
    """Draw the three panels of the paper against the coreset's size, with the whole graph as a level."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.8))
    whole = [group for group in chosen(groups, method=WHOLE) if "ari" in group]
    for ax, (key, label) in zip(axes, VALUES.items(), strict=False):
        curves(ax, chosen_coresets(groups), told, x="share", y=key, line="method", lines=[*METHODS, AUTHORS])
        for group in whole:
            off = np.std(group[key], ddof=1) if len(group[key]) > 1 else 0.0
            ax.axhspan(mean(group, key) - off, mean(group, key) + off, color="black", alpha=0.2, linewidth=0)
            ax.axhline(mean(group, key), color="black", linewidth=1, label=WHOLE)
        ax.set(xlabel=BY["share"], ylabel=label, yscale="log" if key == "seconds" else "linear")
    legend(figure, axes)
    return figure


def chosen_coresets(groups):
    """Return groups of methods that work on a coreset."""
    return [group for group in groups if group["method"] != WHOLE]


def check(groups):
    """Check that with the largest coreset spectral clustering beats kernel k-means, by NC where it is exact."""
    most = max(group["share"] for group in chosen_coresets(groups))
    kmeans, exact, power = (chosen(groups, method=m, share=most)[0] for m in (KMEANS, EXACT, POWER))
    assert min(mean(exact, "ari"), mean(power, "ari")) > mean(kmeans, "ari")
    assert mean(exact, "nc") < mean(kmeans, "nc")


def real(name, settings):
    """Return a graph of the data folder."""
    path = inputs.real(name, settings.data)
    if path is None:
        raise MissingData(f"graphs/{name}.npz is not in {settings.data}")
    return scoring.load(path)


def mnist(n_neighbors, settings):
    """Return the kNN graph of MNIST's images."""
    path = inputs.mnist_neighbors(settings.data, n_neighbors)
    if path is None:
        raise MissingData(f"mnist is not in {settings.data}")
    return scoring.load(path)


def walked(n_neighbors, settings):
    """Join each node of HAR's 10-NN graph to the nodes where a walk of eight steps most likely ends."""
    indptr, indices, truth = real("har", settings)
    n = len(indptr) - 1
    A = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n))
    walk = sp.diags_array(1 / A.sum(axis=1)) @ A
    rows, columns, step = [], [], 256
    for start in range(0, n, step):
        reached = walk[start : start + step].toarray()
        for _ in range(7):
            reached = reached @ walk
        own = np.arange(len(reached))
        reached[own, start + own] = 0.0
        nearest = np.argpartition(-reached, n_neighbors, axis=1)[:, :n_neighbors]
        rows.append(np.repeat(start + own, n_neighbors))
        columns.append(nearest.ravel())
    graph = graphcore.Graph.from_edges(np.concatenate(rows), np.concatenate(columns), n_nodes=n, symmetrize="max")
    return graph.indptr, graph.indices, truth


def figure(name, title, k, load, why, **options):
    """Return one of the four figures."""
    said = {key: options.pop(key) for key in ("stand_in", "published") if key in options}
    return Exhibit(
        name, title, BY, VALUES, partial(measure, load, k, **options), why, draw=draw, check=check, slow=True,
        **said,
    )  # fmt: skip


FIGURES = (
    figure(
        "figure-3",
        "HAR, 200 neighbours, k = 6",
        6,
        partial(walked, 200),
        "As published, by ARI a coreset of 5 % does as well as all nodes, in a hundredth of the time and less. Its NC "
        "is larger (.144, and .140 with eigenvectors, against .106). Kernel k-means on the coreset is stuck, as "
        "published. Five runs of spectral clustering of all nodes differ by .0002 in ARI.",
        published=tuple(
            {"method": method, "share": 5, "seconds": "a fraction of a second", "ari": "that of all", "source": TEXT}
            for method in (EXACT, POWER)
        ),
        stand_in="The 561 features of HAR were not available, only its graph of 10 neighbours. Each of its 10,299 "
        "nodes is joined here to the 200 others where a walk of eight steps on that graph ends most likely.",
    ),
    figure(
        "figure-5",
        "PenDigits, 250 neighbours, k = 10",
        10,
        partial(real, "pendigits-nn250"),
        "As on HAR: by ARI 5 % of the nodes do as well as all, their NC is larger (.093, and .087 with eigenvectors, "
        "against .076), and kernel k-means on the coreset is stuck. Five runs of spectral clustering of all nodes are "
        "the same.",
    ),
    figure(
        "figure-6",
        "Letter, 300 neighbours, k = 26",
        26,
        partial(real, "letter-nn300"),
        "No method separates the 26 letters well on this graph. By ARI and by NC the order of the methods is that of "
        "the other figures: with a coreset of a tenth, NC is .381 by the power method, .378 by eigenvectors and .435 "
        "by kernel k-means, where spectral clustering of all nodes has .350. scikit-learn factorises a matrix of "
        "20,000 rows that becomes nearly dense, and does end: a coreset of a tenth has a higher ARI (.162 to .166 in "
        "the mean, against .145 of five runs) in less than a thousandth of the time.",
    ),
    figure(
        "figure-7",
        "MNIST, 500 neighbours, k = 10",
        10,
        partial(mnist, 500),
        "By ARI the order of the methods is that of the other figures. By NC with a coreset of a tenth the power "
        "method is level with eigenvectors (both .198), and kernel k-means has .266. Spectral clustering of the "
        "whole graph was left out in the paper too, as too slow. By degree, ARI grows by less than 7 % from 3 % of "
        "the nodes on.",
        whole=False,
        published=({"method": WHOLE, "outcome": "too slow", "source": TEXT},),
    ),
)
