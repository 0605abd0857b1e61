"""Where coresets disagree: when that is, and what a start from eigenvectors and heating find."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from graphcore import CoresetSpectralClustering, Graph
from graphcore._random import Streams
from graphcore.datasets import degree_corrected_partition
from graphcore.partition.consensus import matched_clusters
from graphcore.pipeline import cluster, unsettled
from graphcore.pipeline.unsettled import heating_sweeps, is_unsettled, spectral_start

from ..oracles import planted


def test_agreement_is_held_against_chance():
    assert is_unsettled(0.5, 2) and is_unsettled(0.8, 2) and not is_unsettled(0.85, 2)
    assert is_unsettled(0.6, 10) and not is_unsettled(0.75, 10)
    assert not is_unsettled(1.0, 1) and not is_unsettled(np.nan, 10)


def test_sweeps_are_fewer_on_larger_graphs():
    assert heating_sweeps(10) == heating_sweeps(20_000) == 100
    assert heating_sweeps(200_000) == 10 and heating_sweeps(300_000) == 0


def test_a_spectral_start_leaves_out_isolated_nodes_and_large_graphs(monkeypatch):
    graph, truth = planted(3, 50, 0.3, 0.02, 0)
    edges = np.vstack(graph.to_scipy().tocoo().coords)
    padded = Graph.from_edges(*edges, n_nodes=graph.n_nodes + 5)
    labels = spectral_start(padded, 3, Streams(0))
    assert labels.dtype == np.int32 and np.all(labels[-5:] == -1)
    assert adjusted_rand_score(truth, labels[:-5]) > 0.9
    assert spectral_start(graph, graph.n_nodes, Streams(0)) is None
    monkeypatch.setattr(unsettled, "_MAX_LANCZOS", graph.n_nodes * 9 - 1)
    assert spectral_start(graph, 3, Streams(0)) is None


@pytest.mark.parametrize(("k", "size", "mixing", "least"), [(2, 1000, 0.5, 0.4), (10, 250, 0.5, 0.6)])
def test_the_default_finds_clusters_at_twice_the_threshold(k, size, mixing, least, monkeypatch):
    degrees = np.full(k * size, 8.0)
    graph, truth = degree_corrected_partition(k, size, mixing=mixing, expected_degrees=degrees, random_state=1)[:2]
    model = CoresetSpectralClustering(k, random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > least
    right = matched_clusters(truth.astype(np.int32), model.labels_, k) == model.labels_
    assert abs(model.stability_.mean() - right.mean()) < 0.1  # coresets agree on much less
    assert set(np.unique(4 * model.stability_)) <= {0, 1, 2, 3, 4}
    stages = dict(model.history_)
    assert stages["spectral start"] > stages["refinement"] and stages["heating"] >= stages["cycles"]
    np.testing.assert_array_equal(
        CoresetSpectralClustering(k, random_state=0, n_jobs=2).fit_predict(graph), model.labels_
    )
    monkeypatch.setattr(cluster, "is_unsettled", lambda *_: False)
    without = CoresetSpectralClustering(k, random_state=0).fit(graph)
    assert without.stability_.mean() < right.mean() - 0.1
    assert model.history_[-1][1] > without.history_[-1][1] and "heating" not in dict(without.history_)


def test_clear_clusters_do_without():
    model = CoresetSpectralClustering(5, random_state=0).fit(planted(5, 60, 0.3, 0.01, 0)[0])
    assert not {"spectral start", "heating"} & set(dict(model.history_))
