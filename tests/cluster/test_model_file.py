"""Models in files: what is loaded is what was saved, and what is damaged or forged is refused."""

import copy
import io
import json
import pickle
from dataclasses import asdict
from operator import attrgetter

import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore import CoresetSpectralClustering, FormatError, Graph, InputError


@pytest.fixture(scope="module")
def planted():
    return graphcore.datasets.planted_partition(6, 60, 0.25, 0.01, random_state=0)


@pytest.fixture(scope="module")
def fitted(planted):
    return CoresetSpectralClustering(6, random_state=0).fit(planted.graph)


@pytest.fixture
def model(fitted):
    """A model of its own for each test."""
    return copy.copy(fitted)


def saved(model, folder):
    model.save(folder / "model.npz")
    return folder / "model.npz"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [("graph", {}), ("names", {}), ("vectors", {}), ("sparse vectors", {}), ("graph", {"n_clusters": "auto"}),
     ("graph", {"effort": 6}), ("graph", {"n_clusters": None, "resolution": 2.0}), ("graph", {"max_cluster_size": 70}),
     ("graph", {"objective": "modularity", "resolution": 10**100, "effort": "fast"}), ("weighed graph", {})],
)  # fmt: skip
def test_what_is_loaded_is_what_was_saved(kind, options, planted, tmp_path):
    X = np.random.default_rng(0).random((60, 3)).round(1)
    given = {
        "vectors": X, "sparse vectors": sp.csr_array(X),
        "names": Graph.from_edges(["ä", "b", "c", "ä"], ["b", "c", "ä", "d"], [1.0, 2, 3, 4]),
    }.get(kind, planted.graph)  # fmt: skip
    weights = np.random.default_rng(0).integers(1, 4, 360) if kind == "weighed graph" else None
    model = CoresetSpectralClustering(
        **{"n_clusters": 6 if "graph" in kind else 2, "random_state": np.int64(3)} | options
    )
    start = None if weights is None else np.arange(360) // 60
    again = graphcore.load(saved(model.fit(given, sample_weight=weights, initial_labels=start), tmp_path))
    assert model.get_params() == again.get_params()
    for of in ("labels_", "outside_share_", "stability_", "clustering_.coreset.indices", "clustering_.coreset_labels",
               "clustering_.coreset.self_loop", "clustering_.coreset.shift",
               "graph_.node_names", "tree_.leaf_of"):  # fmt: skip
        np.testing.assert_array_equal(attrgetter(of)(again), attrgetter(of)(model))
    assert again.clustering_.settings == model.clustering_.settings
    assert again.clustering_.history == model.clustering_.history
    np.testing.assert_equal(*(m.selection_ and asdict(m.selection_) for m in (again, model)))
    np.testing.assert_array_equal(again.tree_.to_linkage(), model.tree_.to_linkage())
    for each in ("graph_", "membership_"):
        of_both = [getattr(m, each) for m in (again, model)]
        np.testing.assert_array_equal(*((m.to_scipy() if each == "graph_" else m).toarray() for m in of_both))
    new = X[:4] if "vectors" in kind else np.eye(model.n_features_in_)[:2]
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    assert again.score(new) == model.score(new)
    again.report(tmp_path / "page.html", pictures=False)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_and_pickles_are_whole(model, tmp_path, copied):
    again = copied(model)
    np.testing.assert_array_equal(again.membership_.toarray(), model.membership_.toarray())
    np.testing.assert_array_equal(graphcore.load(saved(again, tmp_path)).labels_, model.labels_)
    np.testing.assert_equal(again.summary(), model.summary())


def damaged(path, **changes):
    """The arrays of a file with some exchanged; what is None is left out."""
    with np.load(path) as archive:
        arrays = dict(archive) | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def described(path, **changes):
    with np.load(path) as archive:
        facts = json.loads(archive["model"].tobytes()) | changes
    damaged(path, model=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8))


ARRAYS = [
    ({"labels": np.zeros(3, int)}, "labels is int64 of shape"),
    ({"labels": np.full(360, -1)}, "nodes with an edge have a cluster"),
    ({"indices": np.full(1, 10**6)}, "indptr ends at|names column"),
    ({"indptr": None}, "no array indptr"),
    ({"node_names": np.array([b"x"] * 360, dtype=object)}, "allow_pickle"),
    ({"model": np.frombuffer(b"[1]", dtype=np.uint8)}, "no model that graphcore saved"),
    ({"model": None}, "no model that graphcore saved"),
]
CHOICE = {"best": 6, "method": "information", "clear": True, "curves": []}
FACTS = [
    ({"version": 1}, "version '1'"),
    ({"format": "other"}, "no model"),
    *(({name: value}, f"no valid {name}") for name, value in (("params", 3), ("settings", {}), ("n_features", "many"),
                                                              ("history", [["a", "b"]]))),
    ({"n_features": 359}, "6 clusters of 360 nodes and 359 features"),
    ({"kind": "vectors", "n_neighbors": 10**9, "metric": "euclidean"}, "no valid n_neighbors"),
    ({"history": [["a" * 2**20, 1.0]]}, "description has 1,[0-9,]+ characters"),
    ({"params": {"n_clusters": 0}}, "parameters that no fit takes: n_clusters=0"),
    *(({"selection": told}, message) for told, message in (
        ({"best": 6}, "no valid selection"), (CHOICE | {"clear": "yes"}, "no valid selection"),
        (CHOICE, "no array candidates"))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "changes", "message"), [(damaged, *case) for case in ARRAYS] + [(described, *case) for case in FACTS]
)
def test_arrays_and_the_description_are_checked(model, tmp_path, damage, changes, message):
    path = saved(model, tmp_path)
    damage(path, **changes)
    with pytest.raises(FormatError if damage is described else InputError, match=message):
        graphcore.load(path)


@pytest.mark.slow
def test_sizes_in_a_model_file_are_not_believed_nor_the_width_of_sparse_vectors(model, tmp_path):
    path = saved(model, tmp_path)
    with np.load(path) as archive:
        arrays = dict(archive)
    zeros = {"indptr": np.zeros(2**22 + 1, np.int8), "labels": np.full(2**22, -1, np.int8)}
    np.savez_compressed(path, **arrays | zeros | {"indices": np.zeros(0, np.int8)})
    with pytest.raises(FormatError, match=r"4194304 nodes, but there are only 0 edges"):
        graphcore.load(path)
    np.savez_compressed(path, **arrays | {"labels": np.zeros(2**20, np.int8)})
    with pytest.raises(FormatError, match="labels is int8"):
        graphcore.load(path)
    model = CoresetSpectralClustering(2, random_state=0).fit(sp.csr_array(np.random.default_rng(0).random((30, 3))))
    path = saved(model, tmp_path)
    described(path, n_features=2**31)
    with pytest.raises(FormatError, match="says 2147483648 features, and its vectors have others"):
        graphcore.load(path)


def test_a_file_that_was_cut_off_and_one_that_is_none(model, tmp_path):
    path = saved(model, tmp_path)
    whole = path.read_bytes()
    for length in (0, 100, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            graphcore.load(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(FormatError, match="no model"):
        graphcore.load(path)
    with pytest.raises(FileNotFoundError):
        graphcore.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="path must be"):
        model.save(io.BytesIO())
