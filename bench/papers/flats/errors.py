"""Figures 6 to 10: errors on the points of the fit and on new ones, against k as a share of the points."""

import numpy as np

from ... import vectors
from ..curves import curves, legend
from ..exhibit import TEXT, Exhibit, MissingData, chosen, mean

SHARES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
COARSE = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
AROUND_BEST = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7, 0.9, 1.0)
QUICK_SHARES = (0.01, 0.1, 0.3, 1.0)
PLAIN, GREEDY = "a draw", "the best of several draws"
# Bandwidths of figures 9 and 10 by dimension.
BANDWIDTHS = {15: 1.17, 25: 1.21, 400: 1.37, 50: 1.2}


def _swept(setting, n, shares, fit, error_of):
    """Yield a row for each share of the n points, and one for the best share, by errors on new points."""
    found = []
    for share in shares:
        model = fit(max(1, round(share * n)))
        found.append(error_of(model))
        yield setting | {"share": share, "train": model.error, "test": found[-1]}
    yield setting | {"best": shares[int(np.argmin(found))]}


def _spheres(d, n, n_test, seed):
    from ...shapes import sphere

    return sphere(n, d, random_state=2 * seed), sphere(n_test, d, random_state=2 * seed + 1)


# -- figure 6 ----------------------------------------------------------------------------------------------------------


def _mnist(settings):
    from graphcore.kernel_methods.k_flats import k_flats

    data = vectors.mnist(settings.data)
    if data is None:
        raise MissingData("MNIST")
    for seed in settings.seeds(8, 1):
        order = np.random.default_rng(seed).permutation(len(data[0]))
        sizes = (200, 500, 1000, 2000)[: 4 if seed < 2 else 3] if seed < 3 else (1000,)
        for n in (100, 200) if settings.quick else sizes:
            train, test = data[0][order[:n]], data[0][order[-10 * n :]].astype(np.float64)
            shares = QUICK_SHARES if settings.quick else AROUND_BEST
            yield from _swept(
                {"n": n, "seeding": PLAIN}, n, shares,
                lambda k, train=train, seed=seed: k_flats(train, k, 0, n_init=1, random_state=seed),
                lambda fit, test=test: float(fit.flats.nearest(test)[1].mean()),
            )  # fmt: skip
            if n == (200 if settings.quick else 1000):
                yield from _swept(
                    {"n": n, "seeding": GREEDY}, n, shares,
                    lambda k, train=train, seed=seed: _greedy(train, k, seed),
                    lambda fit, test=test: float(np.square(fit.transform(test).min(axis=1)).mean()),
                )  # fmt: skip


def _greedy(train, k, seed):
    """Return k-means of scikit-learn, each of whose seeds is the best of several draws."""
    from sklearn.cluster import KMeans

    model = KMeans(k, n_init=1, random_state=seed).fit(train.astype(np.float64))
    model.error = model.inertia_ / len(train)
    return model


# -- figures 7 and 9 ---------------------------------------------------------------------------------------------------


def _sizes(settings):
    """Return points of the fit, new points, dimensions, shares."""
    return (200, 400, (25,), QUICK_SHARES) if settings.quick else (1000, 10_000, (15, 25, 400), SHARES)


def _means(settings):
    from graphcore.kernel_methods.k_flats import k_flats

    n, n_test, dimensions, shares = _sizes(settings)
    for seed in settings.seeds(3, 1):
        for d in dimensions:
            train, test = _spheres(d, n, n_test, seed)
            yield from _swept(
                {"d": d}, n, shares,
                lambda k, train=train, seed=seed: k_flats(train, k, 0, n_init=1, random_state=seed),
                lambda fit, test=test: float(fit.flats.nearest(test)[1].mean()),
            )  # fmt: skip


def _kernel_means(settings):
    from graphcore.kernels.bandwidths import rule_bandwidth

    n, n_test, dimensions, shares = _sizes(settings)
    for seed in settings.seeds(3, 1):
        for d in dimensions:
            train, test = _spheres(d, n, n_test, seed)
            yield {"d": d, "bandwidth": float(rule_bandwidth(train, ("neighbours", 0.1)))}
            yield from _in_feature_space({"d": d}, train, test, 0, shares, "k-means++", seed)


def _in_feature_space(setting, train, test, m, shares, init, seed):
    from graphcore.kernel_methods.kernel_k_flats import kernel_k_flats
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel

    function = kernel_function("gaussian", bandwidth=BANDWIDTHS[train.shape[1]])
    kernel = VectorKernel(train, function)
    yield from _swept(
        setting, len(train), shares,
        lambda k: kernel_k_flats(kernel, k, m, init=init, n_init=1, random_state=seed),
        lambda fit: float(fit.distances_to(test).min(axis=1).mean()),
    )  # fmt: skip


# -- figure 8 ----------------------------------------------------------------------------------------------------------


class Through:
    """Flats through the means of clusters along the leading directions of their points taken from the origin.

    Section 5.2 prints them so, as eigenvectors of ``Y Y^T`` without centring; elsewhere the report centres. With
    `centred` the directions are those of centred points, completed to m by arbitrary ones. A plain alternation.
    """

    def __init__(self, X, k, m, seed, *, centred=False, max_iter=60):
        rng = np.random.default_rng(seed)
        seeds = X[rng.choice(len(X), k, replace=False)]
        labels = np.argmin(np.square(X[:, None] - seeds).sum(axis=2), axis=1) if k < len(X) else np.arange(k)
        self.means, self.bases = seeds.copy(), np.zeros((k, m, X.shape[1]))
        for _ in range(max_iter):
            for j in np.unique(labels):
                Y = X[labels == j]
                _, values, V = np.linalg.svd(Y - centred * Y.mean(axis=0), full_matrices=centred)
                kept = m if centred else min(m, int((values > 1e-9).sum()))
                self.means[j], self.bases[j] = Y.mean(axis=0), 0.0
                self.bases[j, :kept] = V[:kept]
            before, (labels, squares) = labels, self.nearest(X)
            if np.array_equal(before, labels):
                break
        self.error = float(squares.mean())

    def nearest(self, X):
        """Return labels and squared distances of the nearest flat."""
        squares = np.empty((len(X), len(self.means)))
        for j, (mean_of, basis) in enumerate(zip(self.means, self.bases, strict=True)):
            Y = X - mean_of
            squares[:, j] = np.square(Y).sum(axis=1) - np.square(Y @ basis.T).sum(axis=1)
        labels = squares.argmin(axis=1)
        return labels, squares[np.arange(len(X)), labels]


RULES = ("centred, reduced", "centred, completed", "not centred")


def _flats(settings):
    from graphcore.kernel_methods.k_flats import k_flats

    n, n_test = (100, 300) if settings.quick else (500, 1500)
    for seed in settings.seeds(3, 1):
        train, test = _spheres(50, n, n_test, seed)
        for rule in RULES:
            for m in (1, 5) if settings.quick else (1, 2, 5, 10, 25):

                def fit(k, rule=rule, m=m, train=train, seed=seed):
                    if rule == "centred, reduced":
                        return k_flats(train, k, m, n_init=1, random_state=seed)
                    return Through(train, k, m, seed, centred=rule == "centred, completed")

                def error_of(model, test=test):
                    return float(getattr(model, "flats", model).nearest(test)[1].mean())

                shares = QUICK_SHARES if settings.quick else COARSE
                yield from _swept({"rule": rule, "m": m}, n, shares, fit, error_of)


def _check_best(by, least_and_most):
    """Check that the error of the fit falls with k, and that the best k / n lies between two numbers."""

    def check(groups):
        for value, (least, most) in least_and_most.items():
            swept = [group for group in chosen(groups, **{by: value}) if "share" in group]
            assert (np.diff([mean(group, "train") for group in swept]) <= 0).all()
            assert all(least <= mean(g, "best") <= most for g in chosen(groups, **{by: value}) if "best" in g)

    return check


def _check_seedings(groups):
    for seeding in (PLAIN, GREEDY):
        _check_best("n", dict.fromkeys((200, 500, 1000, 2000), (0.1, 0.35)))(chosen(groups, seeding=seeding))


def _check_flats(groups):
    """Check that errors fall with m, and that the best k is near n for lines not centred, else far below."""
    few = [mean(group, "test") for group in chosen(groups, rule="centred, reduced", share=0.01)]
    assert (np.diff(few) < 0).all()
    best = {rule: mean(next(g for g in chosen(groups, rule=rule, m=1) if "best" in g), "best") for rule in RULES}
    assert best["not centred"] >= 0.7
    assert best["centred, reduced"] <= 0.35 and best["centred, completed"] <= 0.35


# -- figure 10 ---------------------------------------------------------------------------------------------------------


def _planes(settings):
    n, n_test = (150, 200) if settings.quick else (1000, 2000)
    for seed in settings.seeds(2, 1):
        train, test = _spheres(50, n, n_test, seed)
        for m, most in ((2, 0.2), (10, 0.08)):
            shares = tuple(most * part for part in ((0.1, 1) if settings.quick else (0.005, 0.1, 0.25, 0.5, 0.75, 1)))
            yield from _in_feature_space({"m": m}, train, test, m, shares, "random", seed)


# -- drawing -----------------------------------------------------------------------------------------------------------


def _draw(panels, line, title, lines=None):
    """Draw a panel for each value of the key `panels` (None: one), the error on new points, and of the fit.

    Curves of new points only where `line` tells several apart; else both errors.
    """

    def draw(groups, published):
        import matplotlib.pyplot as plt

        found = [group for group in groups if "share" in group]
        names = list(dict.fromkeys(group[panels] for group in found)) if panels else [None]
        figure, axes = plt.subplots(1, max(2, len(names)), figsize=(7, 3.3), squeeze=False)
        axes = axes[0]
        for ax, name in zip(axes, names, strict=False):
            part = chosen(found, **{panels: name}) if panels else found
            if line is None:
                both = [{"share": g["share"], "error": g[key], "what": what} for g in part for key, what in
                        (("train", "points of the fit"), ("test", "new points"))]  # fmt: skip
                curves(ax, both, (), x="share", y="error", line="what")
            else:
                told = [group | {"what": f"{title} = {group[line]}"} for group in part]
                curves(ax, told, (), x="share", y="test", line="what")
            ax.set(title=f"{panels} = {name}" if panels in ("d", "m") else name or "new points", xlabel="k / n")
        if panels is None:
            told = [group | {"what": f"{title} = {group[line]}"} for group in found]
            curves(axes[1], told, (), x="share", y="train", line="what")
            axes[1].set(title="points of the fit", xlabel="k / n")
        axes[0].set_ylabel("mean squared distance")
        legend(figure, axes)
        return figure

    return draw


VALUES = {"train": "error, points of the fit", "test": "error, new points", "best": "best k / n for new points"}
FIGURES = (
    Exhibit(
        name="figure-6",
        title="k-means on MNIST, n images and 10 n new ones",
        by={"n": "n", "seeding": "each seed is", "share": "k / n"},
        values=VALUES,
        measure=_mnist,
        published=({"best": "0.05 to 0.2", "source": TEXT},),
        draw=lambda groups, published: _draw(None, "n", "n")(chosen(groups, seeding=PLAIN), published),
        check=_check_seedings,
        slow=True,
        why=(
            "There is a best k between the extremes, and both errors fall with n at the same k / n, as "
            "published. The curves are flat around their minimum. Over 8 draws of 1,000 images the least error is at "
            "0.25 n, lower than at 0.2 n by .12 ± .02, a larger k than the published 0.05 to 0.2 n; the report does "
            "not say which n it took. With the seeds of scikit-learn, each the best of several draws, it is at 0.2 n, "
            "lower than at 0.25 n by .03 ± .02, which is within the published range. The curves have one draw for each "
            "seed."
        ),
    ),
    Exhibit(
        name="figure-7",
        title="k-means on unit spheres, n = 1,000 and 10,000 new points",
        by={"d": "d", "share": "k / n"},
        values=VALUES,
        measure=_means,
        published=(
            {"d": 15, "best": "1: it only falls", "source": TEXT},
            {"d": 25, "best": "inside", "source": TEXT},
            {"d": 400, "best": "0: it only rises", "source": TEXT},
        ),
        draw=_draw("d", None, ""),
        check=_check_best("d", {15: (1.0, 1.0), 25: (0.1, 0.3), 400: (0.0, 0.02)}),
        slow=True,
        why=(
            "As published, the error on new points falls for d = 15, has its least value in between for d = 25, "
            "and rises for d = 400 (but for a dip of 0.3 % before 0.02 n). The rule of thumb of section 5.1, by "
            "which the first case is n of at least 10 d, fits none of the three: n is 67, 40 and 2.5 times d."
        ),
    ),
    Exhibit(
        name="figure-8",
        title="k-flats on a sphere of dimension 50, n = 500 and 1,500 new points",
        by={"rule": "directions", "m": "m", "share": "k / n"},
        values=VALUES,
        measure=_flats,
        published=({"best": "about 0.9", "source": TEXT},),
        draw=_draw("rule", "m", "m"),
        check=_check_flats,
        slow=True,
        why=(
            "The errors fall with m, as published. The report finds a best k near n. That holds for lines whose "
            "directions are not centred, eigenvectors of $Y Y^\\top$ as section 5.2 prints them: the line of a "
            "single point then runs through the origin, and more lines only help; planes are then best at 0.5 "
            "n. With centred directions, as everywhere else in the report, a cluster of one point is just that "
            "point, far from most others, and the best k is 0.1 n or less. From m = 5 on the "
            "best k is at most 0.2 n in all three ways, so that the 0.9 n of the report holds for lines only, "
            "or should be 0.09 n."
        ),
    ),
    Exhibit(
        name="figure-9",
        title="kernel k-means on the spheres of figure 7",
        by={"d": "d", "share": "k / n"},
        values=VALUES | {"bandwidth": "bandwidth by the rule"},
        measure=_kernel_means,
        published=tuple(
            {"d": d, "best": best, "bandwidth": BANDWIDTHS[d], "source": TEXT}
            for d, best in ((15, "about 0.05"), (25, "about 0.05"), (400, "0: it only rises"))
        ),
        draw=_draw("d", None, ""),
        slow=True,
        why=(
            "The best k is smaller than that of k-means for d = 25 and 400, as published. For d = 15 the error goes "
            "on falling slowly; that it rises from 0.05 n on is not found. Bandwidths are the published ones, and the "
            "rule of the report (median distance within which a tenth of the points lie) gives them within 0.03."
        ),
    ),
    Exhibit(
        name="figure-10",
        title="flats in the feature space of a Gaussian kernel, sphere of dimension 50, n = 1,000",
        by={"m": "m", "share": "k / n"},
        values=VALUES,
        measure=_planes,
        published=(
            {"m": 2, "best": "about 0.1", "source": TEXT},
            {"m": 10, "best": "none up to 0.08", "source": TEXT},
        ),
        draw=_draw("m", None, ""),
        check=_check_best("m", {2: (0.02, 0.15), 10: (0.01, 0.08)}),
        slow=True,
        why=(
            "Planes are best at about a tenth of the points, as published. For m = 10 there is a minimum too, at about "
            "0.03 n, so shallow that a plot does not show it. Both begin at random labels. The bandwidth is the 1.2 of "
            "the report, whose own rule gives 1.28."
        ),
    ),
)
