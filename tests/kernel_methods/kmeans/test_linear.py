"""k-means on features, and on rows in blocks: against scikit-learn's, and what k-means|| promises."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from graphcore.base.streams import Streams
from graphcore.kernel_methods.kmeans import linear as module
from graphcore.kernel_methods.kmeans.linear import linear_kmeans, lloyd_runs, nearest_center, scalable_starts

from ...nystrom_oracles import cost


def rows(n=400, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 4 * rng.integers(k, size=(n, 1))


def test_blocks_offer_all_rows_that_are_drawn():
    """Rows drawn by the cost of all blocks are among the offers of the single blocks, in one order."""
    parts = np.split(rows(), [100, 250])
    centers, n_drawn = parts[0][:2], 12
    streams = [Streams(5).child("block", i) for i in range(3)]
    squares = [nearest_center(part, centers)[1] for part in parts]
    cost = sum(part.sum() for part in squares)
    offers = [module._draw(part, stream, centers, n_drawn) for part, stream in zip(parts, streams, strict=True)]
    assert np.isclose(sum(offer[0] for offer in offers), cost)
    for part, stream, own, (_, some, near, luck) in zip(parts, streams, squares, offers, strict=True):
        drawn = stream.generator("rows").random(len(part)) < n_drawn / cost * own
        assert np.array_equal(part[drawn], some[luck < n_drawn / cost * near])
        assert len(some) > drawn.sum()


@pytest.mark.parametrize("seed", range(5))
def test_lloyd_is_that_of_scikit_learn_from_the_same_centres(seed):
    B = rows(seed=seed)
    starts = np.random.default_rng(seed).choice(B, (1, 6), replace=False)
    theirs = KMeans(6, init=starts[0], n_init=1, tol=1e-4).fit(B)
    ours = lloyd_runs(np.split(B, [90, 91, 300]), starts, max_iter=300, tol=1e-4)
    assert np.array_equal(nearest_center(B, ours[0])[0], theirs.labels_)
    assert np.allclose(ours[0], theirs.cluster_centers_)


def test_an_empty_cluster_gets_the_farthest_row():
    B = np.array([[0.0], [0.1], [0.2], [9.0]])
    ours = lloyd_runs(np.split(B, [2]), np.array([[[0.1], [100.0]]]), max_iter=10, tol=0.0)
    assert np.array_equal(nearest_center(B, ours[0])[0], [0, 0, 0, 1])


def test_of_several_starts_the_cheapest_stays():
    B = rows()
    rng = np.random.default_rng(0)
    starts = np.array([rng.choice(B, 5, replace=False) for _ in range(4)] + [B[:1].repeat(5, axis=0) + 1e6])
    best = lloyd_runs(np.split(B, [200]), starts, max_iter=100, tol=1e-4)
    costs = [KMeans(5, init=start, n_init=1).fit(B).inertia_ for start in starts[:4]]
    assert nearest_center(B, best[0])[1].sum() <= min(costs) * 1.000001


def test_scalable_starts_find_separated_groups_where_random_rows_do_not():
    # 30 groups far apart, of very uneven size: a start that misses one costs hundreds of times as much.
    rng = np.random.default_rng(1)
    sizes = np.concatenate([np.full(5, 300), np.full(25, 4)])
    B = np.repeat(rng.normal(size=(30, 2)) * 1000, sizes, axis=0) + rng.normal(size=(sizes.sum(), 2))
    order = rng.permutation(len(B))
    parts = np.split(B[order], [500, 1100])
    starts = scalable_starts(parts, 30, 3, Streams(0))
    costs = [nearest_center(B, start)[1].sum() for start in starts]
    assert starts.shape == (3, 30, 2)
    assert np.array_equal(starts, scalable_starts(parts, 30, 3, Streams(0)))
    assert min(costs) < 3 * 2 * len(B)  # a variance of 1 in each of two columns
    assert nearest_center(B, rng.choice(B, 30, replace=False))[1].sum() > 100 * min(costs)


def test_fewer_different_rows_than_clusters():
    B = np.repeat([[0.0], [5.0]], 20, axis=0)
    starts = scalable_starts(np.split(B, [10]), 4, 2, Streams(0))
    assert starts.shape == (2, 4, 1)
    assert sorted(lloyd_runs(np.split(B, [10]), starts, max_iter=10, tol=0.0)[0].ravel()) == [0.0, 5.0]


def test_weights_and_minibatches():
    rng = np.random.default_rng(0)
    B, w = np.concatenate([rng.normal(0, 0.1, (50, 2)), rng.normal(3, 0.1, (50, 2))]), rng.random(100)
    result = linear_kmeans(B, 2, sample_weight=w, random_state=0)
    means = [np.average(B[half, 0], weights=w[half]) for half in (slice(50), slice(50, None))]
    np.testing.assert_allclose(sorted(result.centers[:, 0]), means)
    assert result.cost == pytest.approx(cost(B @ B.T, result.labels, w))
    small = linear_kmeans(B, 2, solver="minibatch", batch_size=20, random_state=0)
    assert len(set(small.labels[:50])) == len(set(small.labels[50:])) == 1
