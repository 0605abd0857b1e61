"""Noise: order by `outlier_scores_`, vectors left out by ``outliers="auto"``, labels with noise as a class, and peers.

No set of these seeds had a part in choosing the rule. fast_hdbscan, EVoC and UMAP (with the values that
its documentation gives for clustering by HDBSCAN) take part where they are installed; EVoC takes no vectors of two
columns, and its mean is of the others.
``--page docs/tables/outliers.md`` writes the tables of the docs.
"""

import time
from functools import partial

import numpy as np

import graphcore

from .. import harness
from ..report import Report, table
from ..vectors import pendigits

FIRST, SEEDS, N = 1000, 3, 4000


def run(options):
    """Measure sets with noise, and sets without."""
    noisy = harness.wanted(NOISY, options)
    peers = _peers()
    rows, agreement = [], []
    for name in noisy:
        found, each = zip(
            *(_noisy_row(name, FIRST + seed, options, peers) for seed in range(options.seeds)), strict=True
        )
        rows.append([name, *_means(found)])
        agreement.append([name, *_means(each)])
    known = [[float("nan" if value == "-" else value) for value in row[1:]] for row in agreement]
    agreement.append(["mean", *(f"{value:.3f}" for value in np.nanmean(known, axis=0))])
    clean = []
    for name, make in CLEAN.items():
        lost = [_lost(X, options) for seed in range(options.seeds) if (X := make(FIRST + seed, options)) is not None]
        if lost:
            clean.append([name, f"{np.mean(lost):.4f}", f"{max(lost):.4f}"])
    pages = [
        table(["set with noise", "AUC", "noise found", "others lost", "CPU s", 'CPU s with "auto"'], rows),
        table(["ARI, noise a class", "graphcore", '"auto"', *peers], agreement),
        table(["set without noise", "left out, mean", "most"], clean),
    ]
    return Report("Outliers", pages, [], page="\n\n".join(pages))


def _means(rows):
    return ["-" if np.isnan(value) else f"{value:.3f}" for value in np.mean(rows, axis=0)]


def _peers():
    """Return functions from vectors to labels, by the names of those that are installed."""
    from sklearn.cluster import HDBSCAN

    peers = {"HDBSCAN (scikit-learn)": lambda X: HDBSCAN(copy=True).fit_predict(X)}
    try:
        import fast_hdbscan

        peers["fast_hdbscan"] = lambda X: fast_hdbscan.HDBSCAN().fit_predict(X)
    except ImportError:
        pass
    try:
        import evoc

        peers["EVoC"] = lambda X: (
            evoc.EVoC(random_state=0).fit_predict(X.astype(np.float32)) if X.shape[1] > 4 else None
        )
    except ImportError:
        pass
    try:
        import umap

        peers["UMAP, HDBSCAN"] = lambda X: HDBSCAN(copy=True, min_cluster_size=50).fit_predict(
            umap.UMAP(n_neighbors=30, min_dist=0.0, random_state=0).fit_transform(X)
        )
    except ImportError:
        pass
    return peers


def _noisy_row(name, seed, options, peers):
    from sklearn.metrics import adjusted_rand_score, roc_auc_score

    X, truth = NOISY[name](np.random.default_rng(seed))
    k, is_noise = truth.max() + 1, truth < 0
    labels, seconds = [], []
    for outliers in (None, "auto"):
        start = time.process_time()
        model = graphcore.CoresetSpectralClustering(
            k, outliers=outliers, random_state=seed, n_jobs=options.threads
        ).fit(X)
        seconds.append(time.process_time() - start)
        labels.append(model.labels_)
    apart = model.labels_ < 0
    labels += [fit(X) for fit in peers.values()]
    figures = roc_auc_score(is_noise, model.outlier_scores_), apart[is_noise].mean(), apart[~is_noise].mean(), *seconds
    return figures, [np.nan if each is None else adjusted_rand_score(truth, each) for each in labels]


def _lost(X, options):
    """Return the share of vectors that "auto" leaves out."""
    model = graphcore.CoresetSpectralClustering(5, outliers="auto", random_state=0, n_jobs=options.threads).fit(X)
    return np.mean(model.labels_ < 0)


def _in_box(rng, X, y, share, wider):
    """Add noise, as a share of all, uniform in the box around the vectors, wider on each side by a share of it."""
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = low - wider * (high - low), high + wider * (high - low)
    noise = rng.uniform(low, high, (round(share / (1 - share) * len(X)), X.shape[1]))
    return np.concatenate([X, noise]), np.append(y, np.full(len(noise), -1))


def _curves(make, rng, share=0.0, **given):
    X, y = make(N, random_state=int(rng.integers(1 << 31)), **given)
    return _in_box(rng, X, y, share, 0.25)


def _mixture(rng, n_columns, k, apart, share=0.0, scales=(1.0,), df=np.inf, n_dims=None):
    """Return clusters of Gaussian, or t-distributed, rows, perhaps in few dimensions."""
    n_dims = n_columns if n_dims is None else n_dims
    y = rng.integers(k, size=N)
    X = rng.normal(size=(N, n_dims)) * np.resize(scales, k)[y][:, None]
    X *= 1.0 if df == np.inf else np.sqrt(df / rng.chisquare(df, (N, 1)))
    X += apart * rng.normal(size=(k, n_dims))[y]
    if n_dims < n_columns:
        basis = np.linalg.qr(rng.normal(size=(n_columns, n_dims)))[0]
        X = X @ basis.T + 0.05 * rng.normal(size=(N, n_columns))
    return _in_box(rng, X, y, share, 0.0)


def _moons(rng, share=0.0):
    from sklearn.datasets import make_moons

    return _curves(make_moons, rng, share, noise=0.05)


def _circles(rng, share=0.0):
    from sklearn.datasets import make_circles

    return _curves(make_circles, rng, share, noise=0.04, factor=0.5)


_DENSITIES = (0.3, 0.6, 1.0, 1.5, 2.2)
NOISY = {
    "moons, 2 dimensions": partial(_moons, share=0.2),
    "circles, 2": partial(_circles, share=0.15),
    "clusters of five densities, 10": partial(_mixture, n_columns=10, k=5, apart=4.0, share=0.1, scales=_DENSITIES),
    "clusters in 3 of 50": partial(_mixture, n_columns=50, k=8, apart=4.0, share=0.15, n_dims=3),
    "t-distributed clusters, 50": partial(_mixture, n_columns=50, k=10, apart=1.0, share=0.2, df=5),
    "clusters, 256": partial(_mixture, n_columns=256, k=12, apart=0.6, share=0.15),
}


def _rows_of(make):
    return lambda seed, options: make(np.random.default_rng(seed))[0]


def _digits(seed, options):
    from sklearn.datasets import load_digits

    return load_digits().data if seed == FIRST else None


CLEAN = {
    "moons, 2": _rows_of(_moons),
    "circles, 2": _rows_of(_circles),
    "uniform, 2": lambda seed, options: np.random.default_rng(seed).uniform(size=(N, 2)),
    "uniform, 20": lambda seed, options: np.random.default_rng(seed).uniform(size=(N, 20)),
    "Gaussian, 2": lambda seed, options: np.random.default_rng(seed).normal(size=(N, 2)),
    "Gaussian, 100": lambda seed, options: np.random.default_rng(seed).normal(size=(N, 100)),
    "clusters, 10": _rows_of(partial(_mixture, n_columns=10, k=6, apart=2.0)),
    "clusters of five densities, 10": _rows_of(partial(_mixture, n_columns=10, k=5, apart=4.0, scales=_DENSITIES)),
    "t-distributed clusters, 10": _rows_of(partial(_mixture, n_columns=10, k=4, apart=4.0, df=5)),
    "lognormal, 5": lambda seed, options: np.exp(0.7 * np.random.default_rng(seed).normal(size=(N, 5))),
    "digits, 64": _digits,
    "PenDigits, 16": lambda seed, options: (pendigits(options.data) or [None])[0] if seed == FIRST else None,
}
