"""The independent checker of partitions: dense matrices, plain numpy, and nothing of how labels were made.

Every path that ends in labels is to be tested with it, see test_partitions.py.
"""

import numpy as np
import pytest

from graphcore.cluster.refine.objectives import OBJECTIVES, Objective


def _xlogy(x, y):
    return x * np.log(y) if x > 1e-15 else 0.0


def _information(inner, volumes, price):
    cut, apart = max(1 - sum(inner), 0.0), 1 - sum(volumes**2)
    # Fewer edges inside than by chance are no merit, nor more between clusters: the rates are then those of chance.
    value = sum(_xlogy(a, a / v**2) if a > v**2 else a - v**2 for a, v in zip(inner, volumes, strict=True))
    between = _xlogy(cut, cut / apart) if cut < apart else cut - apart
    return value + between + price * sum(_xlogy(v, v) for v in volumes)


# The formula of every objective, of shares of the whole volume and its price or resolution. A new one adds its own.
FORMULAS = {
    "information": _information,
    "ncut": lambda inner, volumes, _: sum(a / v for a, v in zip(inner, volumes, strict=True) if v > 0),
    "modularity": lambda inner, volumes, resolution: sum(inner) - resolution * sum(volumes**2),
}


KINDS = {each.kind: name for name, each in OBJECTIVES.items()}


def sums_of(A, labels, k):
    """Inner weight (both directions) and volume of every cluster of a dense symmetric matrix."""
    inside = labels[:, None] == labels
    degrees = A.sum(axis=1)
    inner = [A[inside & (labels == c)[:, None]].sum() for c in range(k)]
    return np.array(inner), np.array([degrees[labels == c].sum() for c in range(k)])


def value_of_shares(objective, inner, volumes):
    """The objective of clusters whose volumes add up to 1, as the formulas say; an Objective may have a price."""
    kind, factor = (objective if isinstance(objective, Objective) else OBJECTIVES[objective]).code
    return FORMULAS[KINDS[kind]](inner, volumes, factor)


def value_of(objective, A, labels, k):
    """The objective of labels of a dense symmetric matrix; nodes without one count for nothing."""
    inner, volumes = sums_of(A, labels, k)
    return value_of_shares(objective, inner / volumes.sum(), volumes / volumes.sum()) if volumes.sum() > 0 else 0.0


def same_partition(a, b):
    return len({*zip(a.tolist(), b.tolist(), strict=True)}) == len(set(a.tolist())) == len(set(b.tolist()))


def check_labels(A, labels, k, *, fixed=None, counts=None, min_size=1, max_size=None, warned=""):
    """Assert what every partition of a dense matrix into k clusters has to keep to; sizes below the least may be told.

    `fixed` (n,) are labels that stay, -1 for all others; `counts` (n,) is what nodes count in sizes. `warned` is the
    text of all warnings.
    """
    n, degrees = len(A), A.sum(axis=1)
    assert labels.shape == (n,) and labels.dtype == np.int32
    np.testing.assert_array_equal(labels >= 0, degrees > 0)
    assert labels.min() >= -1 and labels.max() < k
    if fixed is not None:
        stays = (np.asarray(fixed) >= 0) & (degrees > 0)
        np.testing.assert_array_equal(labels[stays], np.asarray(fixed)[stays])
    counts = np.ones(n) if counts is None else counts
    sizes = np.array([counts[labels == c].sum() for c in range(k)])
    if (sizes == 0).any():
        assert f"only {np.count_nonzero(sizes)} of n_clusters={k} clusters hold nodes" in warned
    elif sizes.min() < min_size * (1 - 1e-6):
        assert "are smaller than min_cluster_size" in warned
    assert max_size is None or sizes.max() <= max_size * (1 + 1e-6)


def size_of(given, total):
    """A limit of sizes as a number: a float is a share."""
    return max(1, round(given * total)) if isinstance(given, float) else given


def check_model(model, *, labels=None, sample_weight=None, warned="", new=None):
    """Assert that a fitted model's labels keep to what was asked for, and that all it says of them is so.

    `labels` are those that stay, `new` rows for `predict` (default: the graph's own, for a model of a graph).
    """
    A = model.graph_.to_scipy().toarray().astype(np.float64)
    fixed = labels
    n, k, labels, settings = len(A), model.n_clusters_, model.labels_, model.clustering_.settings
    linked = A.sum(axis=1) > 0
    total = linked.sum() if sample_weight is None else int(sample_weight[linked].sum())
    limits = {"min_size": size_of(model.min_cluster_size, total), "max_size": size_of(model.max_cluster_size, total)}
    check_labels(A, labels, k, fixed=fixed, counts=sample_weight, warned=warned, **limits)
    # Sums and figures.
    inner, volumes = sums_of(A, labels, k)
    kept, tiny = model._reference, volumes.sum() * 1e-9
    np.testing.assert_allclose(np.ldexp(kept.inner, kept.exponent), inner, rtol=1e-9, atol=tiny)
    np.testing.assert_allclose(np.ldexp(kept.volumes, kept.exponent), volumes, rtol=1e-9, atol=tiny)
    if model.clustering_.history:
        assert model.clustering_.history[-1][1] == pytest.approx(
            value_of(settings.record, A, labels, k), rel=1e-7, abs=1e-9
        )
    outside = [A[x, labels != labels[x]].sum() / A[x].sum() for x in np.flatnonzero(linked)]
    np.testing.assert_allclose(model.outside_share_[linked], outside, rtol=1e-5, atol=1e-6)
    assert np.isnan(model.outside_share_[~linked]).all()
    summary = model.summary()
    np.testing.assert_array_equal(summary["size"], [np.count_nonzero(labels == c) for c in range(k)])
    np.testing.assert_allclose(summary["volume"], volumes, rtol=1e-9)
    for shares in (model.stability_, model.cluster_stability_):
        known = np.empty(0) if shares is None else shares[~np.isnan(shares)]
        assert ((known >= 0) & (known <= 1 + 1e-6)).all()
    # Soft labels.
    membership = model.membership_.toarray()
    assert (membership >= 0).all() and membership.shape == (n, k)
    has_neighbours = (A - np.diag(np.diag(A))).any(axis=1)
    np.testing.assert_allclose(membership.sum(axis=1), has_neighbours, atol=1e-9)
    if new is None and model.affinity_ == "precomputed":
        new = model.graph_.to_scipy()
    if new is not None:
        predicted, probabilities = model.predict(new), model.predict_proba(new)
        placed = predicted >= 0
        np.testing.assert_allclose(probabilities.sum(axis=1), placed, atol=1e-9)
        best = probabilities[np.flatnonzero(placed), predicted[placed]]
        np.testing.assert_allclose(best, probabilities[placed].max(axis=1, initial=0.0), atol=1e-12)
    # Levels.
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    n_filled = np.count_nonzero(sizes)
    for level in {1, n_filled, model.tree_.n_leaves}:
        at = model.tree_.labels_at(level)
        np.testing.assert_array_equal(at >= 0, linked)
        assert set(at[linked].tolist()) == set(range(level))
        if level == n_filled:
            assert len(set(zip(at[linked].tolist(), labels[linked].tolist(), strict=True))) == n_filled
