"""Nested levels: each inside the one before, about as good as fits of their own, kept by all that follows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetSpectralClustering, Graph, ParameterError
from graphcore.cluster.pipeline import _divided, cluster_graph
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.cluster.settings import resolve_settings

from ...oracles import planted, random_adjacency
from ...partitions import same_partition
from ...strategies import objectives


def are_nested(levels):
    """Whether every cluster of a finer level is inside one cluster of the coarser, by pairs of labels."""
    pairs = [set(zip(a.tolist(), b.tolist(), strict=True)) for a, b in pairwise(levels)]
    return all(len(each) == len(np.unique(fine)) for each, fine in zip(pairs, levels[1:], strict=True))


def information(graph, labels):
    return cluster_sums(graph.rows, np.ascontiguousarray(labels), int(labels.max()) + 1).value("information")


@pytest.fixture(scope="module")
def graph():
    """Groups of 25 in five groups of four."""
    rng = np.random.default_rng(0)
    group = np.arange(500) // 25
    same, near = group[:, None] == group, group[:, None] // 4 == group // 4
    A = np.triu(rng.random((500, 500)) < np.select([same, near], [0.4, 0.06], 0.003), 1)
    return Graph.from_scipy((A | A.T).astype(float))


@pytest.fixture(scope="module")
def model(graph):
    return CoresetSpectralClustering([5, 10, 20], balance=1, random_state=0).fit(graph)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.1, 0.3]), st.booleans(), st.data())
def test_levels_are_nested_and_have_as_many_clusters_as_asked_for(seed, density, weighted, data):
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(6, 40))
    A = random_adjacency(n, density, rng, weighted=weighted, loops=0.1)
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = A[4, 5] = A[5, 4] = 1.0
    graph = Graph.from_scipy(A)
    most = int((graph.degrees > 0).sum())
    counts = sorted(data.draw(st.sets(st.integers(1, most), min_size=1, max_size=4)))
    objective = data.draw(objectives)
    model = CoresetSpectralClustering(counts, objective=objective, random_state=seed).fit(graph)
    levels = model.level_labels_
    assert [len(np.unique(each[each >= 0])) for each in levels] == counts
    assert are_nested(levels[:, graph.degrees > 0]) and (levels[:, graph.degrees == 0] == -1).all()
    np.testing.assert_array_equal(levels[-1], model.labels_)


def test_every_level_is_about_as_good_as_a_fit_of_its_own(graph, model):
    for k, labels in zip([5, 10, 20], model.level_labels_, strict=True):
        assert same_partition(model.tree_.labels_at(k), labels)
        own = CoresetSpectralClustering(k, balance=1, random_state=0).fit(graph).labels_
        assert information(graph, labels) > 0.97 * information(graph, own)
    # Ten clusters are arbitrary pairs of groups, whose borders hold some nodes back from the groups they belong to.
    for labels, size in ((model.level_labels_[0], 100), (model.labels_, 25)):
        assert adjusted_rand_score(labels, np.arange(500) // size) > 0.9


def test_coarse_levels_may_cut_the_clusters_of_a_fit_of_its_own():
    """No partition into 3 is made of whole clusters of 4: what is left of these makes 4 inside the 3."""
    graph, _ = planted(12, 10, 0.9, 0.01, 0)
    settings = resolve_settings(graph, 4)
    fit = cluster_graph(graph, settings, random_state=0)
    above = (np.arange(120) // 40).astype(np.int32)
    problem = fit.known.problem(graph.rows, settings)
    labels = _divided(problem, fit.labels, above, np.random.default_rng(0), None).labels
    assert are_nested([above, labels]) and len(np.unique(labels)) == 4


def test_levels_do_not_depend_on_threads(graph, model):
    again = CoresetSpectralClustering((5, 10, 20), balance=1, random_state=0, n_jobs=2).fit(graph)
    np.testing.assert_array_equal(again.level_labels_, model.level_labels_)


def test_one_number_is_one_level(graph):
    one, several = (CoresetSpectralClustering(k, random_state=0).fit(graph) for k in (5, [5]))
    np.testing.assert_array_equal(one.labels_, several.labels_)
    assert one.level_labels_.shape == several.level_labels_.shape == (1, 500)


def test_files_and_updates_keep_the_levels(model, tmp_path):
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.level_labels_, model.level_labels_)
    assert same_partition(again.tree_.labels_at(5), model.level_labels_[0])
    again.update(added=([500, 500, 500], [0, 1, 2]))
    assert are_nested(again.level_labels_) and again.level_labels_[0, 500] == again.level_labels_[0, 0]


@pytest.mark.parametrize("wrong", [[10, 5], [5, 5], [], [5, 10.0], [0, 5], ["auto", 5], [5, 501]])
def test_numbers_that_are_no_levels_are_refused(graph, wrong):
    with pytest.raises(ParameterError, match="n_clusters="):
        CoresetSpectralClustering(wrong).fit(graph)


@pytest.mark.parametrize(
    ("limit", "known"),
    [({"min_cluster_size": 2}, {}), ({"min_cluster_size": 0.01}, {}), ({"max_cluster_size": 400}, {}),
     ({"max_share": 1.5}, {}), ({"published": True}, {}), ({}, {"y": np.where(np.arange(500) < 2, 0, -1)}),
     ({}, {"initial_labels": np.arange(500) // 50})],
)  # fmt: skip
def test_what_levels_do_not_keep_to_is_refused(graph, limit, known):
    with pytest.raises(ParameterError, match=r"n_clusters=\[5, 10\].*give one number"):
        CoresetSpectralClustering([5, 10], **limit).fit(graph, **known)
