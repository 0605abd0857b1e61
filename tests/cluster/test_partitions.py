"""Every path that ends in labels, looked at by the independent checker: fits, files, and all small graphs."""

import os
import pickle
import warnings
from itertools import islice, product

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import make_blobs

import graphcore
from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.settings import check_clusters

from ..oracles import planted
from ..partitions import check_labels, check_model


def told(call, *args, **kwargs):
    """Return the result of a call, and the text of its warnings, which are the library's own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args, **kwargs)
    assert all(issubclass(w.category, GraphWarning) for w in caught), [str(w.message) for w in caught]
    return result, "; ".join(str(w.message) for w in caught)


# -- fits --------------------------------------------------------------------------------------------------------------

Y = np.where(np.arange(120) % 9 == 0, np.arange(120) % 4, -1)
FITS = {
    "default": {},
    "fast": {"effort": "fast"},
    "search": {"effort": 6},
    "cut": {"objective": "ncut"},
    "auto": {"n_clusters": "auto"},
    "resolution": {"n_clusters": None, "resolution": 2.0},
    "least": {"min_cluster_size": 25},
    "most": {"max_cluster_size": 33},
    "both": {"max_cluster_size": 35, "min_cluster_size": 0.2},
    "start": {"initial_labels": np.arange(120) % 4},
    "known": {"labels": Y},
    "known, least": {"labels": Y, "min_cluster_size": 27},
    "known, most, the cut": {"labels": Y, "max_cluster_size": 0.3, "objective": "ncut"},
    "weights": {"sample_weight": 1.0 + np.arange(120) % 3, "max_cluster_size": 70, "min_cluster_size": 40},
    "weights and known": {"sample_weight": np.linspace(0, 2, 120), "labels": Y},
}  # fmt: skip


@pytest.fixture(scope="module")
def graph():
    A = planted(4, 29, 0.25, 0.04, 0)[0].to_scipy()
    A.resize(120, 120)  # four isolated nodes
    return Graph.from_scipy(A)


@pytest.mark.slow
@pytest.mark.parametrize("case", FITS)
def test_every_fit_keeps_to_what_was_asked(graph, case):
    options = {"n_clusters": 4, **FITS[case]}
    known = {name: options.pop(name, None) for name in ("labels", "sample_weight")}
    start = options.pop("initial_labels", None)
    if known["sample_weight"] is not None:
        known["sample_weight"] = np.asarray(known["sample_weight"])
    model, text = told(CoresetSpectralClustering(**options, random_state=0).fit, graph, **known, initial_labels=start)
    check_model(model, warned=text, **known)
    check_model(pickled(model), warned=text, **known)


def pickled(model):
    return pickle.loads(pickle.dumps(model))


def test_models_of_vectors_predict_what_is_most_probable():
    X, _ = make_blobs(150, centers=4, cluster_std=1.5, random_state=0)
    for options in ({}, {"objective": "ncut"}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, X[:100])
        check_model(model, warned=text, new=X)


@pytest.mark.slow
def test_a_huge_graph_keeps_to_its_limits(graph, limits):
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=0)
    for options in ({"min_cluster_size": 25}, {"max_cluster_size": 33}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, graph)
        assert model.clustering_.settings.max_drafts == 1
        check_model(model, warned=text)


# -- what is checked of all labels -------------------------------------------------------------------------------------


def test_the_check_of_all_labels_finds_what_is_not_kept(graph):
    model = told(CoresetSpectralClustering(4, random_state=0).fit, graph)[0]
    labels, rows, asked = model.labels_, graph.rows, model.clustering_.settings
    check_clusters(labels, rows, asked)
    for wrong in (np.where(labels == 3, 4, labels), np.zeros_like(labels), np.full_like(labels, -1)):
        with pytest.raises(InputError, match="nodes with an edge have a cluster, 0 to 3, and others -1"):
            check_clusters(wrong, rows, asked)
    held = np.where(np.arange(120) == 7, (labels + 1) % 4, -1).astype(np.int32)
    with pytest.raises(InputError, match=f"node 7 was given the label {(labels[7] + 1) % 4}, which stays"):
        check_clusters(labels, rows, asked, fixed=held)
    model = told(CoresetSpectralClustering(4, random_state=0, max_cluster_size=29, min_cluster_size=29).fit, graph)[0]
    moved = model.labels_.copy()
    moved[0] = (moved[0] + 1) % 4
    with pytest.raises(InputError, match="keep to max_cluster_size=29"):
        check_clusters(moved, rows, model.clustering_.settings)
    model = told(CoresetSpectralClustering(4, random_state=0, min_cluster_size=29).fit, graph)[0]
    with pytest.warns(GraphWarning, match="1 of n_clusters=4 clusters are smaller than min_cluster_size=29"):
        check_clusters(moved, rows, model.clustering_.settings)


def test_a_file_whose_labels_do_not_keep_to_what_it_says_is_refused(graph, tmp_path):
    model = told(CoresetSpectralClustering(4, random_state=0).fit, graph, labels=Y)[0]
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = dict(archive)
    x = int(np.flatnonzero((Y >= 0) & (graph.degrees > 0))[0])
    arrays["labels"][x] = (Y[x] + 1) % 4
    np.savez(tmp_path / "model.npz", **arrays)
    with pytest.raises(InputError, match=f"node {x} was given the label"):
        graphcore.load(tmp_path / "model.npz")


# -- all small graphs --------------------------------------------------------------------------------------------------

# Every graph of up to 6 nodes with an edge, up to isomorphism, isolated nodes included: 202.
SMALL = [nx.to_numpy_array(g) for g in nx.graph_atlas_g() if g.number_of_nodes() <= 6 and g.number_of_edges()]
EXTREMES = np.array([1.0, 1e-300, 1e300, 1e-30, 1e30, 3.0])


def weighted(A, kind, number):
    """Weights 1; all alike and extreme; or of any of some orders, drawn by the graph's number."""
    if kind == "ones":
        return A
    if kind == "alike":
        return A * EXTREMES[1 + number % 2]
    W = np.random.default_rng(number).choice(EXTREMES, A.shape)
    return A * (np.triu(W) + np.triu(W, 1).T)


def small_cases():
    """(number of the graph, weights, options) of all fits of small graphs."""
    for number, A in enumerate(SMALL):
        every = ({},) if len(A) == 6 else ({}, {"effort": 6})
        for k in range(1, np.count_nonzero(A.any(axis=1)) + 1):
            for objective, options, kind in product(OBJECTIVES, every, ("ones", "alike", "mixed")):
                yield number, kind, {"n_clusters": k, "objective": objective, **options}


def check_small(cases):
    n_cases = 0
    for number, kind, options in cases:
        A = weighted(SMALL[number], kind, number)
        model = CoresetSpectralClustering(**options, affinity="precomputed", random_state=number % 5)
        _, text = told(model.fit, A)
        if kind == "ones":
            check_model(model, warned=text)
        else:
            check_labels(A, model.labels_, options["n_clusters"], warned=text)
        n_cases += 1
    return n_cases


@pytest.mark.slow
def test_some_small_graphs():
    assert check_small(islice(small_cases(), 0, None, 211)) > 40


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12) if "GRAPHCORE_EXHAUSTIVE" in os.environ else range(0, 12, 6))
def test_all_small_graphs(part):
    assert check_small(islice(small_cases(), part, None, 12)) > 800
