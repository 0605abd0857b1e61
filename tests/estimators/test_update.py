"""Models that follow a graph that changes, and models in files."""

import copy
import gzip
import io
import json
import pickle
import re
from dataclasses import asdict
from operator import attrgetter
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from graphcore.estimators.update import describe_update

import graphcore
from graphcore import CoresetSpectralClustering, FormatError, Graph, InputError
from graphcore.cli.app import run
from graphcore.cluster.refine.moves import move_locally
from graphcore.metrics import agreement

from ..strategies import problem_of


@pytest.fixture(scope="module")
def planted():
    return graphcore.datasets.planted_partition(6, 60, 0.25, 0.01, random_state=0)


@pytest.fixture(scope="module")
def fitted(planted):
    return CoresetSpectralClustering(6, random_state=0).fit(planted.graph)


@pytest.fixture
def model(fitted):
    """A model of its own for each test; an update exchanges attributes, and changes the reference alone in place."""
    again = copy.copy(fitted)
    again._graph, again.clustering_ = fitted._graph, fitted.clustering_
    again._reference = copy.copy(fitted._reference)
    return again


def block(low, high, p, seed=0):
    """Pairs of nodes from low to high, each with probability p."""
    pairs = np.argwhere(np.triu(np.random.default_rng(seed).random((high - low,) * 2) < p, k=1)) + low
    return tuple(pairs.T)


def edges_of(graph, inside):
    """Edges whose two ends are told by `inside` of their arrays."""
    a, b = sp.triu(graph.to_scipy(), k=1, format="coo").coords
    kept = inside(a, b)
    return a[kept], b[kept]


# -- moves -------------------------------------------------------------------------------------------------------------


def test_moves_begin_at_active_nodes_and_spread(planted):
    problem = problem_of(planted.graph, 6)
    start = planted.labels.copy()
    start[:15] = 1  # a part of cluster 0 is in 1 by mistake
    nowhere = start.copy()
    assert move_locally(problem, nowhere, active=np.zeros(360, dtype=bool))[1] == 0
    active = np.arange(360) == 5
    labels = start.copy()
    sums, moves = move_locally(problem, labels, active=active)
    expected = problem.sums(labels)
    np.testing.assert_allclose(sums.internal, expected.internal)
    np.testing.assert_array_equal(sums.size, expected.size)
    assert moves > 1  # from one node to its neighbours, and theirs
    assert active.sum() == 1
    everywhere = start.copy()
    move_locally(problem, everywhere, active=np.ones(360, dtype=bool))
    whole = start.copy()
    move_locally(problem, whole)
    assert agreement(everywhere, whole)["ari"] > 0.99


def test_a_node_that_changes_sides_moves_alone(model, planted):
    before, target = model.labels_.copy(), model.labels_[200]
    done = model.update()  # without a change nothing moves
    assert (len(done.moved), done.n_added, done.n_removed, done.splits, done.unions) == (0, 0, 0, {}, {})
    removed = edges_of(planted.graph, lambda a, b: (a == 3) | (b == 3))
    friends = np.flatnonzero(before == target)[:12]
    done = model.update(added=(np.full(12, 3), friends), removed=removed)
    assert done.moved.tolist() == [3]
    assert model.labels_[3] == target
    np.testing.assert_array_equal(np.delete(model.labels_, 3), np.delete(before, 3))
    assert (done.n_added, done.n_removed) == (12, len(removed[0]))


def test_everything_known_is_that_of_the_changed_graph(model, planted):
    added = np.r_[0:30, 360], np.r_[300:330, 5]
    removed = edges_of(planted.graph, lambda a, b: (a < 40) & (b == a + 7))
    assert len(removed[0]) > 0
    model.update(added, removed)
    A = planted.graph.to_scipy().tolil()
    A.resize((361, 361))
    for (a, b), weight in ((removed, 0), (added, 1)):
        A[a, b] = A[b, a] = weight
    expected = Graph.from_scipy(A.tocsr())
    np.testing.assert_array_equal(model.graph_.to_scipy().toarray(), expected.to_scipy().toarray())
    np.testing.assert_array_equal(model.outside_share_, graphcore.metrics.outside_share(expected, model.labels_))
    assert model.labels_[360] == model.labels_[5]
    assert np.isnan(model.stability_[360])
    assert model.n_features_in_ == len(model.to_table()["node"]) == 361
    assert model.predict(expected).shape == (361,)
    assert model.summary()["size"].sum() == 361
    assert model.graph_.n_components == 1
    assert [len(set(model.tree_.labels_at(k).tolist())) for k in (1, 3)] == [1, 3]
    assert model.tree_.leaf_of[360] not in model.tree_.leaf_of[:360]  # what is new is a leaf of its own


def test_nodes_come_and_go(model, planted):
    far = ([360, 361, 362, 363], [361, 362, 363, 17])  # a chain of new nodes, and a pair apart from all
    apart = ([364], [365])
    gone = edges_of(planted.graph, lambda a, b: (a == 50) | (b == 50))
    done = model.update(tuple(np.r_[x, y] for x, y in zip(far, apart, strict=True)), gone)
    assert done.new_nodes.tolist() == [360, 361, 362, 363, 364, 365]
    assert model.labels_[50] == -1
    assert 50 in done.moved
    assert (model.labels_[360:364] == model.labels_[17]).all()
    assert model.labels_[364] == model.labels_[365] >= 0


def test_splits_and_unions_are_found_and_told(model, planted):
    of = [np.bincount(model.labels_[planted.labels == c]).argmax() for c in range(6)]
    # The first community falls into halves; the second and the third become one.
    removed = edges_of(planted.graph, lambda a, b: (a < 30) & (b >= 30) & (b < 60))
    fresh = [block(0, 30, 0.4), block(30, 60, 0.4), block(60, 180, 0.3, seed=1)]
    done = model.update(tuple(np.concatenate(side) for side in zip(*fresh, strict=True)), removed)
    truth = planted.labels.copy()
    truth[:30], truth[60:180] = 6, 1
    assert agreement(model.labels_, truth)["ari"] > 0.95
    assert set(done.splits) == {of[0]}
    (survivor, united), *others = done.unions.items()
    assert not others
    assert sorted(united) == sorted(of[1:3])
    assert survivor in united
    for c in range(3, 6):  # the others keep their numbers
        assert (model.labels_[planted.labels == c] == of[c]).mean() > 0.95
    assert set(done.formed_anew) >= set(of[:3])
    before = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, -1, 3])
    after = np.array([0, 0, 3, 3, 1, 1, 1, 1, 1, 1, 2, -1])
    moved, splits, unions = describe_update(before, after, 4)
    assert moved.tolist() == [2, 3, 8, 9, 11]
    assert splits == {0: (0, 3)}
    assert unions == {1: (1, 2)}


@pytest.mark.slow
def test_a_stream_stays_near_fits_from_scratch():
    from bench.cases.changing import Stream

    stream = Stream("drift", 30, 0)
    first = Graph.from_edges(*stream.edges.T, n_nodes=stream.n)
    model = CoresetSpectralClustering(20, random_state=0).fit(first)
    for _ in range(10):
        added, removed = stream.step()
        model.update(tuple(added.T), tuple(removed.T))
    now = Graph.from_edges(*stream.edges.T, n_nodes=stream.n)
    assert abs(now.to_scipy() - model.graph_.to_scipy()).sum() == 0
    fit = CoresetSpectralClustering(20, random_state=0).fit(now)
    found, expected = (agreement(each.labels_, stream.labels)["ari"] for each in (model, fit))
    assert found > expected - 0.05  # .01 on the bench's graphs, which are larger
    assert found > 0.6


def test_models_that_cannot_be_updated():
    one_way = sp.csr_array(np.triu(np.ones((6, 6)), k=1))
    with pytest.raises(InputError, match="fit the changed graph again"):
        CoresetSpectralClustering(2, symmetrize="random-walk", random_state=0).fit(one_way).update(([0], [1]))
    pair = CoresetSpectralClustering(1, random_state=0).fit(Graph.from_edges([0], [1]))
    with pytest.raises(InputError, match="no edge is left"):
        pair.update(removed=([0], [1]))


# -- files -------------------------------------------------------------------------------------------------------------


def saved(model, folder):
    model.save(folder / "model.npz")
    return folder / "model.npz"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [("graph", {}), ("names", {}), ("vectors", {}), ("sparse vectors", {}), ("graph", {"n_clusters": "auto"}),
     ("graph", {"published": True}), ("graph", {"published": True, "coreset_size": 0.5}), ("graph", {"effort": 6}),
     ("graph", {"n_clusters": None, "resolution": 2.0}), ("graph", {"max_share": 1.5}),
     ("weighed graph", {})],
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
    if weights is not None:
        with pytest.raises(InputError, match="without sample_weight"):
            again.update(added=([0], [1]))
    elif "vectors" not in kind:
        np.testing.assert_array_equal(again.update().moved, model.update().moved)
    again.report(tmp_path / "page.html", pictures=False)


@pytest.mark.parametrize("dtype", [">f8", "f2"])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_vectors_of_another_byte_order_or_width_are_loaded(kind, dtype, tmp_path):
    X = np.random.default_rng(0).integers(0, 9, (30, 3)) / 8
    model = CoresetSpectralClustering(2, random_state=0).fit(kind(X))
    path = saved(model, tmp_path)
    with np.load(path) as archive:
        name = "vectors_data" if "vectors_data" in archive else "vectors"
        vectors = archive[name].astype(dtype)
    damaged(path, **{name: vectors})
    np.testing.assert_array_equal(graphcore.load(path).predict(X), model.predict(X))


def test_more_clusters_than_coreset_nodes_and_levels_in_an_array_are_loaded(tmp_path):
    pairs = Graph.from_edges(np.arange(0, 3000, 2), np.arange(1, 3000, 2))
    for k, graph in ((None, pairs), (np.array([2, 4]), graphcore.datasets.load_karate().graph)):
        objective = {} if k is not None else {"objective": "modularity"}
        model = CoresetSpectralClustering(k, random_state=0, **objective).fit(graph)
        np.testing.assert_array_equal(graphcore.load(saved(model, tmp_path)).labels_, model.labels_)
    assert model.clustering_.settings.coreset_size >= 4


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_and_pickles_are_whole(model, tmp_path, copied):
    again = copied(model)
    np.testing.assert_array_equal(again.membership_.toarray(), model.membership_.toarray())
    np.testing.assert_array_equal(graphcore.load(saved(again, tmp_path)).labels_, model.labels_)
    np.testing.assert_equal(again.summary(), model.summary())
    again.update(([0], [1]))
    assert again.labels_.shape == model.labels_.shape


def test_what_is_saved_is_what_was_fitted(model, tmp_path):
    fitted = model.get_params()
    model.set_params(resolution=1.0, n_clusters=None)
    again = graphcore.load(saved(model, tmp_path))
    assert again.get_params() == fitted
    np.testing.assert_array_equal(again.labels_, model.labels_)


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
    ({"labels": np.full(360, 6)}, "labels must be from -1 to 5"),
    ({"labels": np.full(360, -1)}, "nodes with an edge have a cluster"),
    ({"labels": np.zeros(360)}, "labels is float64"),
    ({"indices": np.full(1, 10**6)}, "indptr ends at|names column"),
    ({"indptr": None}, "no array indptr"),
    ({"coreset_weights": np.full(360, np.inf)}, "coreset_weights (holds values that are not finite|is)"),
    ({"unrest": np.zeros(5)}, "unrest is"),
    ({"coreset_indices": np.full(360, 400)}, "coreset_indices must be from 0 to 359"),
    ({"stability": np.full(360, np.inf, np.float32)}, "stability holds"),
    ({"node_names": np.array([b"x"] * 360, dtype=object)}, "Python objects"),
    ({"model": np.frombuffer(b"{", dtype=np.uint8)}, "no JSON"),
    ({"model": np.frombuffer(b"[1]", dtype=np.uint8)}, "no model that graphcore saved"),
    ({"model": None}, "no model that graphcore saved"),
]
CHOICE = {"best": 6, "method": "information", "clear": True, "curves": []}
FACTS = [
    ({"version": 1}, "version '1'"),
    ({"format": "other"}, "no model"),
    ({"params": {"n_clusters": 2, "odd": 1}}, "a parameter 'odd'"),
    *(({name: value}, f"no valid {name}") for name, value in (("params", 3), ("settings", {}), ("n_features", "many"),
                                                              ("history", [["a", "b"]]))),
    ({"kind": "pickle"}, "no valid kind"),
    ({"n_features": 359}, "6 clusters of 360 nodes and 359 features"),
    ({"exponent": 2**31}, "no valid evidence or exponent"),
    ({"evidence": 1e308, "exponent": -2000}, "no valid evidence"),
    ({"kind": "vectors", "n_neighbors": 10**9, "metric": "euclidean"}, "no valid n_neighbors"),
    ({"kind": "vectors", "n_neighbors": 5, "metric": "none"}, "no valid n_neighbors and metric"),
    ({"history": [["a" * 2**20, 1.0]]}, "description has 1,[0-9,]+ characters"),
    ({"params": {"n_clusters": 2, "objective": "none"}}, "parameters that no fit takes: objective='none'"),
    ({"params": {"n_clusters": 0}}, "parameters that no fit takes: n_clusters=0"),
    ({"n_updates": -1}, "no valid n_updates"),
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


def test_settings_are_checked(model, tmp_path):
    path = saved(model, tmp_path)
    with np.load(path) as archive:
        settings = json.loads(archive["model"].tobytes())["settings"]
    described(path, params=model.get_params(deep=False) | {"semi_supervised": "auto"})  # of files of earlier versions
    assert graphcore.load(path).get_params() == model.get_params()
    wrongs = [("n_clusters", True), ("n_clusters", 1000), ("objective", "other"), ("min_cluster_size", -1)]
    wrongs += [("coreset_size", "a"), ("published", 7.5), ("published", 1), ("laziness", float("nan")), ("price", -1)]
    for wrong in (dict([wrong]) for wrong in wrongs):
        described(path, settings=settings | wrong)
        with pytest.raises(FormatError, match=r"no valid|1000 clusters of 360|objective=.other. is not known"):
            graphcore.load(path)


@pytest.mark.slow
def test_sizes_in_a_model_file_are_not_believed_nor_the_width_of_sparse_vectors(model, tmp_path):
    path = saved(model, tmp_path)
    with np.load(path) as archive:
        arrays = dict(archive)
    zeros = {"indptr": np.zeros(2**22 + 1, np.int8), "labels": np.full(2**22, -1, np.int8)}
    np.savez_compressed(path, **arrays | zeros | {"indices": np.zeros(0, np.int8)})
    with pytest.raises(FormatError, match=r"4194304 nodes, but there are only 0 edges; pass any_size=True"):
        graphcore.load(path)
    np.savez_compressed(path, **arrays | {"labels": np.zeros(2**27, np.int8)})
    assert path.stat().st_size < 2**18
    with pytest.raises(FormatError, match=r"says that its arrays have 134,.*any_size=True"):
        graphcore.load(path)
    with pytest.raises(FormatError, match="labels is int8"):
        graphcore.load(path, any_size=True)
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


# -- command line ------------------------------------------------------------------------------------------------------


def test_the_command_follows_a_file(here, capsys):
    (here / "edges.txt").write_text("a b\nb c\nc a\nd e\ne f\nf d\nc d\n")
    (here / "new.txt").write_text("g e\ng f\n")
    (here / "gone.txt").write_text("d c\n")
    assert run(["cluster", "edges.txt", "-k", "2", "-o", "labels.tsv", "--model", "model.npz", "--quiet"]) == 0
    first = graphcore.load("model.npz")
    command = "update model.npz new.txt --removed gone.txt --save changed.npz -o changed.tsv --json"
    assert run(command.split()) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["nodes"], told["edges"], told["added"], told["removed"], told["new_nodes"]) == (7, 8, 2, 1, 1)
    labels = dict(line.split("\t") for line in (here / "changed.tsv").read_text().splitlines())
    assert labels["g"] == labels["e"] != labels["a"]
    assert graphcore.load("model.npz").graph_.n_nodes == first.graph_.n_nodes == 6
    assert run(["update", "model.npz", "--removed", "gone.txt"]) == 0
    assert "6 edges (0 new, 1 gone)" in capsys.readouterr().out
    assert graphcore.load("model.npz").graph_.n_edges == 6


def test_names_of_a_later_file_that_all_look_like_numbers_are_those_of_the_graph(here):
    (here / "edges.txt").write_text("a 1\n1 2\n2 a\n")
    (here / "new.txt").write_text("1 2\n2 3\n")
    assert run(["cluster", "edges.txt", "-k", "1", "-o", "labels.tsv", "--model", "model.npz", "--quiet"]) == 0
    assert run(["update", "model.npz", "new.txt", "-o", "changed.csv.gz"]) == 0
    assert sorted(graphcore.load("model.npz").graph_.node_names.tolist()) == ["1", "2", "3", "a"]
    lines = gzip.decompress((here / "changed.csv.gz").read_bytes()).decode().split()
    assert lines == ["node,cluster", "a,0", "1,0", "2,0", "3,0"]


@pytest.fixture
def by_integers(here):
    """A file model.npz, of a graph without weights whose nodes are named by integers; its bytes."""
    (here / "edges.csv").write_text("source,target\n10,20\n20,30\n30,10\n30,40\n")
    assert run(["cluster", "edges.csv", "-k", "1", "-o", "labels.tsv", "--model", "model.npz", "--quiet"]) == 0
    return (here / "model.npz").read_bytes()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_ids_of_another_kind_are_refused_and_the_model_stays(here, by_integers, capsys, kind):
    if kind == "csv":
        (here / "new.csv").write_text("a,b\nfoo,bar\n")
    else:
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(
            pa.table({"source": ["10", "20"], "target": ["40", "40"]}), "new.parquet"
        )
    assert run(["update", "model.npz", f"new.{kind}", "-o", "after.tsv"]) == 2
    assert "text, as '10'" in (said := capsys.readouterr().err) or "text, as 'a'" in said
    assert "by integers, as 10; convert the names to integers" in said
    assert (here / "model.npz").read_bytes() == by_integers and not (here / "after.tsv").exists()


def test_weights_of_a_later_file_are_read_as_the_model_has_them(here, by_integers, capsys):
    (here / "new.csv").write_text("source,target,weight\n10,40,0\n50,40,7\n")
    assert run(["update", "model.npz", "new.csv", "--weight-column", "weight"]) == 2
    assert "--weight-column weight: the graph of model.npz has no weights" in capsys.readouterr().err
    assert run(["update", "model.npz", "new.csv", "--save", "after.npz"]) == 0
    told = capsys.readouterr()
    assert "new.csv: column weight not read, as the graph of model.npz has no weights" in told.err
    assert "(2 new, 0 gone)" in told.out and "no weight" in told.out
    assert not graphcore.load("after.npz").graph_.is_weighted
    assert run(["update", "model.npz", "edges.csv", "--save", "same.npz"]) == 0
    assert capsys.readouterr().err == ""  # no column is left out
    assert run(["cluster", "new.csv", "-k", "1", "-o", "l.tsv", "--model", "weighted.npz", "--quiet"]) == 0
    assert run(["update", "weighted.npz", "edges.csv", "--weight-column", "none"]) == 2
    assert "--weight-column none: the graph of weighted.npz has weights" in capsys.readouterr().err
    assert run(["update", "weighted.npz", "edges.csv", "--save", "twice.npz"]) == 0
    assert "there are no weights, so that every edge weighs 1" in capsys.readouterr().err
    assert run(["update", "weighted.npz", "edges.csv", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_file_of_vectors_for_a_model_of_a_graph(here, by_integers, capsys):
    X = np.random.default_rng(0).random((9, 3))
    np.save("x.npy", X)
    np.savetxt("x.csv", X, delimiter=",")
    for path in ("x.npy", "x.csv"):
        assert run(["update", "model.npz", path]) == 2
        said = capsys.readouterr().err
        assert f"{path} seems to hold vectors, and model.npz is a model of a graph" in said and "--vectors" not in said
    assert (here / "model.npz").read_bytes() == by_integers


@pytest.mark.slow
def test_a_model_whose_graph_was_made_of_directed_links_cannot_be_updated(here, capsys):
    (here / "links.txt").write_text("a b\nb c\nc a\nd a\nd b\n")
    command = "cluster links.txt -k 1 --symmetrize degree-discounted -o labels.tsv --model model.npz"
    assert run(command.split()) == 0
    assert run(["update", "model.npz", "links.txt"]) == 2
    assert "fit the changed graph again" in capsys.readouterr().err


def test_labels_that_cannot_be_written_leave_the_model_as_it_was(model, here, limits, capsys):
    (here / "new.txt").write_text("0 360\n")
    before = saved(model, here).read_bytes()
    limits("graphcore.files", write_labels=Mock(side_effect=OSError(28, "full")))
    for output, said in (("l.xlsx", "labels are written as text"), ("l.tsv", "full")):
        assert run(["update", "model.npz", "new.txt", "-o", output]) != 0
        assert said in capsys.readouterr().err
        assert (here / "model.npz").read_bytes() == before


def test_wrong_use_of_the_command(here, capsys):
    CoresetSpectralClustering(1, random_state=0).fit(Graph.from_edges(["a"], ["b"])).save("model.npz")
    (here / "new.txt").write_text("x y\n")
    for command, message in (
        ("update model.npz", "nothing to do"),
        ("update none.npz new.txt", "none.npz"),
        ("update new.txt new.txt", "no model"),
        ("update model.npz new.txt -o - --json", "both want standard output"),
        ("update model.npz --removed new.txt", "removed: there is no node"),
    ):
        assert run(command.split()) == 2
        assert message in capsys.readouterr().err


def test_updates_keep_to_limits(planted):
    model = CoresetSpectralClustering(6, max_cluster_size=62, random_state=0).fit(planted.graph)
    evidence = np.ldexp(model._reference.evidence, -model._reference.exponent)
    rng = np.random.default_rng(0)
    first = np.flatnonzero(model.labels_ == 0)
    others = np.flatnonzero(model.labels_ == 1)[:20]
    model.update(added=(rng.choice(first, 400), rng.choice(others, 400)))
    assert np.bincount(model.labels_).max() <= 62
    assert np.ldexp(model._reference.evidence, -model._reference.exponent) == evidence


def test_a_report_tells_of_updates_since_the_fit_also_of_a_loaded_model(tmp_path):
    A = graphcore.datasets.load_karate().graph.to_scipy()
    model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(A)
    for number, (edge, times) in enumerate([(None, None), ((0, 9), "once"), ((0, 14), "2 times")]):
        if edge is not None:
            model.update(added=([edge[0]], [edge[1]]))
        again = graphcore.load(saved(model, tmp_path))
        again.report(tmp_path / "page.html", pictures=False)
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        told = re.findall(r"The clusters were updated (.*?) since", page)
        assert (again.clustering_.n_updates, told) == (number, [times] if times else [])
