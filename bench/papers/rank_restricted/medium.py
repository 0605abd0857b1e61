"""Figures 1 and 3 to 5: one machine. Nystrom features beside spectral clustering, random features and two steps."""

import math

import numpy as np

from ... import vectors
from ...baselines import factor_embedding, factor_spectral_clustering, partition_costs, random_fourier_features
from ..curves import DASHES, MARKS, SHADES, curves, legend
from ..exhibit import TEXT, Exhibit, MissingData, chosen, kept, mean, timed

DATA = ("MNIST", "Mushrooms", "PenDigits")
FACTORS, BETAS, SPECTRAL_FACTORS = (3, 9, 27, 81), (0.2, 1.0, 5.0), (5, 15, 50)
REDUCTIONS = ("s = k", "s = sqrt(ck)", "none")
STARTS = 3
# All kernel values are held below this many points, and costs reported.
HELD_POINTS, QUICK_ROWS = 10_000, 600
# Medians over 500 repetitions: section 5, captions of figures 4 and 5.
TWO_STEPS = {
    "nmi": {
        "MNIST": (0.072, 0.012, 0.017, 0.032),
        "Mushrooms": (0.123, 0.224, 0.263, 0.494),
        "PenDigits": (0.399, 0.413, 0.422, 0.421),
    },
    "g": {"Mushrooms": (101.5, 92.8, 89.5, 85.3), "PenDigits": (210.5, 198.2, 193.5, 193.4)},
}
RANDOM_G = {"Mushrooms": 119.5, "PenDigits": 395.4}
AS_GIVEN = "as given"


def _data(name, settings):
    """Return (vectors, classes, k)."""
    loaders = {"MNIST": vectors.mnist, "Mushrooms": vectors.mushrooms, "PenDigits": vectors.pendigits}
    data = loaders[name](settings.data)
    if data is None:
        raise MissingData(name)
    X, truth = data
    if name == "Mushrooms":  # the shares of the classes change along the file
        order = np.random.default_rng(0).permutation(len(X))
        X, truth = X[order], truth[order]
    rows = QUICK_ROWS if settings.quick else len(X)
    return X[:rows], truth[:rows], int(truth.max()) + 1


# -- figure 1 ----------------------------------------------------------------------------------------------------------


def _rings(settings):
    from graphcore import NystromKernelKMeans
    from graphcore.kernel_methods.linear_kmeans import linear_kmeans

    for seed in settings.seeds(20, 2):
        points, truth = _ring_points(seed)
        plain = linear_kmeans(points, 2, n_init=STARTS, random_state=seed).labels
        model = NystromKernelKMeans(2, n_landmarks=20, n_components=2, bandwidth=0.3, random_state=seed).fit(points)
        for method, labels in (("k-means", plain), ("Nystrom, c = 20, s = 2", model.labels_)):
            yield {"method": method, "nmi": vectors.agreement(labels, truth)["nmi"]}


def _ring_points(seed):
    from ...shapes import circles

    return circles(1000, (0.2, 1.0), noise=0.04, random_state=seed)


def _draw_rings(groups, published):
    import matplotlib.pyplot as plt

    from graphcore.kernel_methods.nystrom import kernel_pca_features
    from graphcore.kernels.functions import kernel_function

    points, truth = _ring_points(0)
    points, truth = points[::3], truth[::3]
    features = kernel_pca_features(kernel_function("gaussian", bandwidth=0.3)(points), 2).features
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2))
    for ax, (title, plane) in zip(axes, [("the points", points), ("first two features", features)], strict=True):
        for c in (0, 1):
            ax.plot(*plane[truth == c].T, MARKS[c], color=SHADES[c], markersize=2.5, markeredgewidth=0)
        ax.set(title=title, xticks=[], yticks=[], box_aspect=1)
    return figure


def _check_rings(groups):
    plain, kernel = (mean(group, "nmi") for group in groups)
    assert kernel > 0.99 > plain + 0.4


# -- figure 3 ----------------------------------------------------------------------------------------------------------


def _spectral(settings):
    from graphcore.kernel_methods.linear_kmeans import linear_kmeans
    from graphcore.kernel_methods.nystrom import nystrom_features
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel

    for name in DATA:
        X, truth, k = _data(name, settings)
        for beta in BETAS:
            kernel = VectorKernel(X, kernel_function("gaussian", bandwidth=("rms", beta), X=X), X.dtype)
            for factor in SPECTRAL_FACTORS:
                for seed in settings.seeds(10, 1):
                    with vectors.quiet():
                        found, cpu = timed(
                            nystrom_features, kernel, factor * k, k, truncation="half", random_state=seed,
                            n_jobs=settings.threads,
                        )  # fmt: skip
                        B = found.features
                        by_kernel = linear_kmeans(B, k, n_init=STARTS, random_state=seed).labels
                        _, more = timed(factor_embedding, B, k)
                        by_spectrum = factor_spectral_clustering(B, k, n_init=STARTS, random_state=seed)
                    setting = {"data": name, "beta": beta, "c": factor * k}
                    yield setting | {"method": "KK", "nmi": vectors.agreement(by_kernel, truth)["nmi"], "cpu": cpu}
                    lost = by_spectrum is None
                    score = None if lost else vectors.agreement(by_spectrum, truth)["nmi"]
                    yield setting | {"method": "SC", "nmi": score, "discarded": float(lost), "cpu": cpu + more}


def _draw_spectral(groups, published):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(DATA), len(BETAS), figsize=(7, 6.4), sharex="row", sharey="row")
    for row, name in zip(axes, DATA, strict=True):
        for ax, beta in zip(row, BETAS, strict=True):
            curves(ax, chosen(groups, data=name, beta=beta), (), x="c", y="nmi", line="method", lines=["KK", "SC"])
            ax.set_title(f"{name}, beta = {beta:g}")
        row[0].set_ylabel("NMI")
        row[0].set_ylim(0, 1.1 * max(max(group.get("nmi", [0])) for group in chosen(groups, data=name)))
    for ax in axes[-1]:
        ax.set_xlabel("landmarks c")
    legend(figure, axes)
    return figure


def _check_spectral(groups):
    # Wide kernels have no negative degrees, whatever the data; narrow ones have.
    assert all(mean(group, "discarded") == 0 for group in chosen(groups, method="SC", beta=5.0))
    assert any(mean(group, "discarded") > 0 for group in chosen(groups, method="SC", beta=0.2))


# -- table 3 -----------------------------------------------------------------------------------------------------------


def _described(settings):
    """Yield sizes, and the largest g of a random partition over bandwidths, which depends on the kernel alone."""
    from sklearn.preprocessing import minmax_scale, normalize, scale

    from graphcore.kernels.functions import kernel_function

    for name in DATA:
        X, _, k = _data(name, settings)
        row = {"data": name, "vectors": AS_GIVEN, "size": len(X), "dimension": X.shape[1], "classes": k}
        if len(X) > HELD_POINTS:
            yield row
            continue
        chance = np.random.default_rng(settings.seed).integers(0, k, len(X))
        scaled = {AS_GIVEN: X, "standardised": scale(X), "from 0 to 1": minmax_scale(X), "of length 1": normalize(X)}
        for how, Y in scaled.items():
            found = {}
            for beta in (0.3, 0.4, 0.5, 0.6, math.sqrt(0.5), 1.0):
                K = kernel_function("gaussian", bandwidth=("rms", beta), X=Y)(Y).astype(np.float32)
                found[beta] = partition_costs(K)(chance)[1]
            best = max(found, key=found.get)
            values = {"g": found[1.0], "without 2": found[math.sqrt(0.5)], "most": found[best], "beta": best}
            yield (row if how == AS_GIVEN else {"data": name, "vectors": how}) | values


# -- figures 4 and 5 ---------------------------------------------------------------------------------------------------


@kept
def _approximations(settings, name):
    """Measure all methods on one data set, a row for each."""
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel

    X, truth, k = _data(name, settings)
    gaussian = kernel_function("gaussian", X=X)
    kernel = VectorKernel(X, gaussian, X.dtype)
    score = _scorer(kernel, truth)
    usual = 30 if len(X) <= HELD_POINTS else 3
    for seed in settings.seeds(usual, 1):
        for factor in FACTORS[:2] if settings.quick else FACTORS:
            c = factor * k
            for method, reduction, labels in _labels(kernel, X, gaussian, c, k, seed, settings):
                yield {"data": name, "method": method, "reduction": reduction, "c": c, **score(labels)}
        chance = np.random.default_rng(seed).integers(0, k, len(X))
        yield {"data": name, "method": "random partition", **score(chance)}


def _labels(kernel, X, gaussian, c, k, seed, settings):
    """Yield (method, reduction, labels) of each method with c landmarks, features or points."""
    from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
    from graphcore.kernel_methods.linear_kmeans import linear_kmeans
    from graphcore.kernel_methods.nystrom import nystrom_features

    def clustered(B):
        return linear_kmeans(B, k, n_init=STARTS, random_state=seed).labels

    options = {"random_state": seed, "n_jobs": settings.threads}
    sizes = dict(zip(REDUCTIONS, (k, math.ceil(math.sqrt(c * k)), None), strict=True))
    with vectors.quiet():
        # Features come by falling singular value: a lower rank is their first columns.
        every = nystrom_features(kernel, c, truncation="half", **options).features
        for reduction, s in sizes.items():
            B = every if s is None else every[:, :s]
            if s is not None and s > every.shape[1]:  # cut to half is less than the rank asked for, and is raised to it
                B = nystrom_features(kernel, c, s, truncation="half", **options).features
            yield "Nystrom", reduction, clustered(B)
        every = random_fourier_features(X, c, bandwidth=gaussian.bandwidth, rank=c, **options)
        for reduction, s in sizes.items():
            yield "random features", reduction, clustered(every[:, :s])
        found = coreset_kernel_kmeans(kernel, k, size=c, sampling="uniform", n_init=STARTS, **options)
        yield "two steps", "none", found.labels


def _scorer(kernel, truth):
    """Return a function for the agreement, and both costs where all kernel values fit."""
    if kernel.n_points > HELD_POINTS:
        return lambda labels: vectors.agreement(labels, truth)
    costs = partition_costs(kernel.whole("its costs").astype(np.float32))

    def score(labels):
        cost, g = costs(labels)
        return {**vectors.agreement(labels, truth), "cost": cost, "g": g}

    return score


def _by_agreement(settings):
    for name in DATA:
        yield from _approximations(settings, name)


def _by_objective(settings):
    for name in DATA[1:]:
        yield from _approximations(settings, name)


def _published(what):
    rows = [
        {"data": name, "method": "two steps", "reduction": "none", "c": factor * (2 if name == "Mushrooms" else 10)}
        | {what: value, "source": TEXT}
        for name, values in TWO_STEPS[what].items()
        for factor, value in zip(FACTORS, values, strict=True)
    ]
    if what == "g":
        rows += [{"data": d, "method": "random partition", "g": value, "source": TEXT} for d, value in RANDOM_G.items()]
    return tuple(rows)


def _draw_boxes(groups, published, what, label):
    """Draw boxes over the repetitions, as in the paper, and two steps as a line."""
    import matplotlib.pyplot as plt

    names = [name for name in DATA if chosen(groups, data=name)]
    figure, axes = plt.subplots(len(names), 3, figsize=(7, 2.1 * len(names) + 0.6), sharey="row", squeeze=False)
    for row, name in zip(axes, names, strict=True):
        found = chosen(groups, data=name)
        sizes = sorted({group["c"] for group in found if "c" in group})
        told = [cells[what] for cells in chosen(published, data=name, method="two steps")]
        for ax, reduction in zip(row, REDUCTIONS, strict=True):
            for i, method in enumerate(("Nystrom", "random features")):
                boxes = [chosen(found, method=method, reduction=reduction, c=c)[0][what] for c in sizes]
                drawn = ax.boxplot(
                    boxes, positions=np.arange(len(sizes)) + 0.36 * i - 0.18, widths=0.3, patch_artist=True,
                    showfliers=False, showcaps=False, medianprops={"color": "k"},
                )  # fmt: skip
                for box in drawn["boxes"]:
                    box.set(facecolor=SHADES[i], linewidth=0.6)
            middle = [np.median(chosen(found, method="two steps", c=c)[0][what]) for c in sizes]
            ax.plot(range(len(sizes)), middle, MARKS[2], color=SHADES[2], linestyle=DASHES[1], label="two steps")
            if told:
                ax.plot(
                    range(len(sizes)), told[: len(sizes)], MARKS[2], color="k", fillstyle="none",
                    label="two steps, published",
                )  # fmt: skip
            ax.set_xticks(range(len(sizes)), sizes)
            ax.set(title=f"{name}, {reduction if reduction != 'none' else 'no reduction'}")
        row[0].set_ylabel(label)
        if what == "g":  # published values are several times as large
            row[0].set_yscale("log")
        else:
            row[0].set_ylim(0, 1.05 * max(*told, *(max(group[what]) for group in found if "c" in group)))
    for i, method in enumerate(("Nystrom", "random features")):
        axes[0, 0].bar([0], [0], color=SHADES[i], label=method)
    legend(figure, axes, columns=2)
    return figure


def _check_agreement(groups):
    """Check that Nystrom features beat random ones, and these two steps, where c is not large, as published."""
    for name in ("Mushrooms", "PenDigits"):
        c = 9 * (2 if name == "Mushrooms" else 10)
        nystrom, fourier = (
            np.mean([mean(group, "nmi") for group in chosen(groups, data=name, method=method, c=c)])
            for method in ("Nystrom", "random features")
        )
        assert nystrom > fourier - 0.05
        assert mean(chosen(groups, data=name, method="random partition")[0], "nmi") < 0.1


def _check_objective(groups):
    """Check that all beat a random partition; on PenDigits Nystrom features are best, and others improve with c."""
    for name in DATA[1:]:
        found = chosen(groups, data=name)
        worst = mean(chosen(found, method="random partition")[0], "g")
        assert all(mean(group, "g") < worst for group in found if group["method"] != "random partition")
    sizes = sorted({group["c"] for group in found if "c" in group})
    nystrom, *others = (
        np.array([np.mean([mean(group, "cost") for group in chosen(found, method=method, c=c)]) for c in sizes])
        for method in ("Nystrom", "random features", "two steps")
    )
    for costs in others:
        assert (nystrom < costs).all() and (np.diff(costs) < 0).all()


BY = {"data": "data", "method": "method", "reduction": "reduction", "c": "c"}
EXHIBITS = (
    Exhibit(
        name="figure-1",
        title="rings that k-means cannot separate",
        by={"method": "method"},
        values={"nmi": "NMI"},
        measure=_rings,
        draw=_draw_rings,
        check=_check_rings,
        why=(
            "Kernel k-means with sigma = 0.3 separates the rings of every draw and k-means none, as the paper says. "
            "The radii are not given there; 0.2 and 1 were taken."
        ),
    ),
    Exhibit(
        name="table-3",
        title="the data, and the objective g of a random partition",
        by={"data": "data", "vectors": "vectors"},
        values={
            "size": "size",
            "dimension": "dimension",
            "classes": "classes",
            "g": "g of a random partition",
            "without 2": "g with exp(-d^2 / sigma^2)",
            "most": "the most by any bandwidth",
            "beta": "at beta",
        },
        measure=_described,
        published=tuple(
            {"data": name, "vectors": AS_GIVEN, "size": n, "dimension": d, "classes": k, "source": TEXT}
            | ({"g": RANDOM_G[name]} if name in RANDOM_G else {})
            for name, n, d, k in (
                ("MNIST", 60_000, 780, 10),
                ("Mushrooms", 8_124, 112, 2),
                ("PenDigits", 7_494, 16, 10),
            )
        ),
        slow=True,
        why=(
            "MNIST differs from the paper by four pixels that are always empty, and the attribute on the root of the "
            "stalk is left out of Mushrooms. g of a random partition (in the captions of figure 5) depends on the "
            "kernel alone. For Mushrooms the printed kernel, $\\exp(-d^2 / 2\\sigma^2)$, gives 66.1. The kernel "
            "$\\exp(-d^2 / \\sigma^2)$ gives 121.1, which is the published 119.5 within two hundredths of it. On "
            "PenDigits neither fits: they give 147.7 and 258.2, published 395.4, and no bandwidth gives more than "
            "295, also with attributes standardised or from 0 to 1, or with rows of length 1. Which kernel and which "
            "scaling the paper took is therefore not known."
        ),
    ),
    Exhibit(
        name="figure-3",
        title="kernel k-means (KK) and spectral clustering (SC) of the same Nystrom features",
        by={"data": "data", "beta": "beta", "c": "c", "method": "method"},
        values={"nmi": "NMI", "discarded": "share of draws discarded", "cpu": "CPU s before k-means"},
        measure=_spectral,
        draw=_draw_spectral,
        check=_check_spectral,
        slow=True,
        why=(
            "In the paper kernel k-means (KK) is above spectral clustering (SC) in every panel. Here it is "
            "ahead on PenDigits from beta = 1 on, and on Mushrooms from beta = 1 and c = 30 on; on MNIST it is "
            "behind by up to a hundredth. With beta = 0.2 SC is ahead in those draws in which it has a "
            "result. As published, it has none in many draws with narrow kernels, and both methods cost about "
            "the same. The paper does not state the numbers behind its curves."
        ),
    ),
    Exhibit(
        name="figure-4",
        title="NMI of Nystrom features, random features and two steps",
        by=BY,
        values={"nmi": "NMI", "ari": "ARI"},
        measure=_by_agreement,
        published=_published("nmi"),
        draw=lambda groups, published: _draw_boxes(groups, published, "nmi", "NMI"),
        check=_check_agreement,
        slow=True,
        why=(
            "Nyström features are ahead of random ones (level at c = 810 on PenDigits), and of two steps on MNIST and "
            "PenDigits, as published; on Mushrooms too, though with c = 162 by less than the draws scatter. Random "
            "features are ahead of two steps on PenDigits and, unless cut to s = k, from c = 90 on on MNIST, but "
            "not on Mushrooms. Two steps do far better here than published, most of all on MNIST (0.3 to 0.5 "
            "against 0.01 to 0.07). The reason is not known. The published values are medians over 500 repetitions."
        ),
    ),
    Exhibit(
        name="figure-5",
        title="the objective g (equation 6) of the same clusterings",
        by=BY,
        values={"g": "g", "cost": "cost of kernel k-means"},
        measure=_by_objective,
        published=_published("g"),
        draw=lambda groups, published: _draw_boxes(groups, published, "g", "g"),
        check=_check_objective,
        slow=True,
        why=(
            "g (equation 6) takes the columns of K as features. It is not the cost of kernel k-means, which is "
            "shown beside it. Published values are larger because that of a random partition is, which is [a "
            "matter of the kernel](#rank_restricted-table-3). The order of the methods on PenDigits is as "
            "published."
        ),
    ),
)
