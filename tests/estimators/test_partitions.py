"""Every path that ends in labels, looked at by the independent checker: fits, updates, files, and all small graphs."""

import json
import os
import pickle
import tempfile
import warnings
from itertools import islice, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sklearn.datasets import make_blobs

import graphcore
from graphcore import CoresetSpectralClustering, CoresetSpectralCoclustering, Graph, GraphWarning, InputError
from graphcore.cli.app import run
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.settings import NOTHING, Known

from ..depth import examples
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
    "published": {"published": True},
    "exact": {"eigen_solver": "exact"},
    "published, the cut": {"objective": "ncut", "published": True},
    "uniform": {"sampling": "uniform"},
    "degree": {"objective": "ncut", "sampling": "degree"},
    "auto": {"n_clusters": "auto"},
    "resolution": {"n_clusters": None, "resolution": 2.0},
    "least": {"min_cluster_size": 25},
    "most": {"max_cluster_size": 33},
    "balanced": {"max_share": 1.05, "min_cluster_size": 0.2},
    "start": {"initial_labels": np.arange(120) % 4},
    "known": {"y": Y},
    "known, least": {"y": Y, "min_cluster_size": 27},
    "known, most, the cut": {"y": Y, "max_cluster_size": 0.3, "objective": "ncut"},
    "weights": {"sample_weight": 1.0 + np.arange(120) % 3, "max_cluster_size": 70, "min_cluster_size": 40},
    "weights and known": {"sample_weight": np.linspace(0, 2, 120), "y": Y},
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
    known = {name: options.pop(name, None) for name in ("y", "sample_weight")}
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
    for options in ({}, {"published": True}, {"objective": "ncut"}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, X[:100])
        check_model(model, warned=text, new=X)


@pytest.mark.slow
def test_a_huge_graph_keeps_to_its_limits(graph, limits):
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=0)
    for options in ({"min_cluster_size": 25}, {"max_cluster_size": 33}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, graph)
        assert model.clustering_.settings.max_drafts == 1
        check_model(model, warned=text)


def test_rows_and_columns_are_partitions_and_communities_of_networkx():
    M = graphcore.datasets.planted_blocks([30, 20], [40, 10], [[400, 20], [20, 200]], random_state=0).matrix
    for options in ({}, {"objective": "ncut"}, {"min_cluster_size": 45}):
        model, text = told(CoresetSpectralCoclustering(2, random_state=0, **options).fit, M)
        labels = np.concatenate([model.row_labels_, model.column_labels_])
        least = options.get("min_cluster_size", 1)
        check_labels(model.graph_.to_scipy().toarray(), labels, 2, min_size=least, warned=text)
    G = nx.karate_club_graph()
    parts = graphcore.networkx.coreset_spectral_communities(G, 3, weight=None, seed=0, min_cluster_size=8)
    labels = np.full(34, -1, dtype=np.int32)
    for c, part in enumerate(parts):
        labels[sorted(part)] = c
    check_labels(nx.to_numpy_array(G, weight=None), labels, 3, min_size=8)


def test_the_command_line_keeps_to_what_was_asked(graph, here, capsys):
    a, b = np.nonzero(np.triu(graph.to_scipy().toarray()))
    Path("edges.txt").write_text("".join(f"{x} {y}\n" for x, y in zip(a, b, strict=True)))
    known = np.flatnonzero((Y >= 0) & (graph.degrees > 0))
    Path("known.tsv").write_text("".join(f"{x}\t{Y[x]}\n" for x in known))
    command = "cluster edges.txt -k 4 --seed 0 --max-cluster-size 31 --labels known.tsv -o out.tsv --model model.npz"
    assert run([*command.split(), "--json"]) == 0
    model = graphcore.load("model.npz")
    numbers = {int(name): i for i, name in enumerate(model.graph_.names_of(np.arange(model.graph_.n_nodes)))}
    y = np.full(len(numbers), -1)
    y[[numbers[x] for x in known]] = Y[known]
    told_then = " ".join(json.loads(capsys.readouterr().out)["warnings"])
    check_model(model, y=y, warned=told_then)
    Path("new.txt").write_text("".join(f"{x} {z}\n" for x in known[:3] for z in range(5, 40, 3)))
    assert run(["update", "model.npz", "new.txt"]) == 0
    check_model(graphcore.load("model.npz"), y=y, is_updated=True)


# -- what is checked of all labels -------------------------------------------------------------------------------------


def test_the_check_of_all_labels_finds_what_is_not_kept(graph):
    model = told(CoresetSpectralClustering(4, random_state=0).fit, graph)[0]
    labels, degrees, asked = model.labels_, graph.degrees, model.clustering_.settings
    NOTHING.check(labels, degrees, asked)
    for wrong in (np.where(labels == 3, 4, labels), np.zeros_like(labels), np.full_like(labels, -1)):
        with pytest.raises(InputError, match="nodes with an edge have a cluster, 0 to 3, and others -1"):
            NOTHING.check(wrong, degrees, asked)
    held = Known(np.where(np.arange(120) == 7, (labels + 1) % 4, -1).astype(np.int32))
    with pytest.raises(InputError, match=f"node 7 was given the label {(labels[7] + 1) % 4}, which stays"):
        held.check(labels, degrees, asked)
    model = told(CoresetSpectralClustering(4, random_state=0, max_cluster_size=29, min_cluster_size=29).fit, graph)[0]
    moved = model.labels_.copy()
    moved[0] = (moved[0] + 1) % 4
    with pytest.raises(InputError, match="keep to max_cluster_size=29"):
        NOTHING.check(moved, degrees, model.clustering_.settings)
    model = told(CoresetSpectralClustering(4, random_state=0, min_cluster_size=29).fit, graph)[0]
    with pytest.warns(GraphWarning, match="1 of n_clusters=4 clusters are smaller than min_cluster_size=29"):
        NOTHING.check(moved, degrees, model.clustering_.settings)


# -- updates -----------------------------------------------------------------------------------------------------------


def test_labels_that_stay_do_in_updates_and_files(tmp_path):
    # Two blocks of 20 with labels across them; and a node without an edge whose label is known.
    blocks = nx.disjoint_union(nx.complete_graph(20), nx.complete_graph(20))
    ends = np.array([*blocks.edges, (5, 25)]).T
    y = np.full(42, -1)
    y[[0, 1, 20, 21, 40]] = [1, 0, 1, 0, 1]
    model = told(CoresetSpectralClustering(2, random_state=0).fit, Graph.from_edges(*ends, n_nodes=42), y)[0]
    check_model(model, y=y)
    model.save(tmp_path / "model.npz")
    for each in (model, graphcore.load(tmp_path / "model.npz"), pickled(model)):
        done = each.update(added=([0, 1], [5, 6]))
        check_model(each, y=y, is_updated=True)
        assert not set(done.moved) & {0, 1, 20, 21}
        into = int(each.labels_[y < 0][0])
        friends = np.flatnonzero(each.labels_ != 1)[:4]
        done = each.update(added=(np.full(4, 40), friends))  # it gets its label, whatever its friends have
        assert 40 in done.new_nodes and each.labels_[40] == 1
        assert into == each.labels_[y < 0][0]
        each.update(removed=(np.full(4, 40), friends))
        assert each.labels_[40] == -1
        check_model(each, y=y, is_updated=True)


def test_a_file_whose_labels_do_not_keep_to_what_it_says_is_refused(graph, tmp_path):
    model = told(CoresetSpectralClustering(4, random_state=0).fit, graph, Y)[0]
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = dict(archive)
    x = int(np.flatnonzero((Y >= 0) & (graph.degrees > 0))[0])
    arrays["labels"][x] = (Y[x] + 1) % 4
    np.savez(tmp_path / "model.npz", **arrays)
    with pytest.raises(InputError, match=f"node {x} was given the label"):
        graphcore.load(tmp_path / "model.npz")


def test_limits_that_a_changed_graph_cannot_keep_are_refused_and_can_be_widened(graph):
    model = told(CoresetSpectralClustering(4, max_cluster_size=29, random_state=0).fit, graph)[0]
    before = model.labels_.copy()
    with pytest.raises(InputError, match="max_cluster_size=29 is too small: 4 clusters of that size hold fewer"):
        model.update(added=([120], [0]))
    np.testing.assert_array_equal(model.labels_, before)
    model.set_params(max_cluster_size=30).update(added=([120], [0]))
    check_model(model, is_updated=True)
    assert model.clustering_.settings.max_cluster_size == 30
    # A share is one of the nodes that there are now.
    model.set_params(max_cluster_size=0.25).update(added=([116, 117, 118], [0, 1, 2]))
    assert model.clustering_.settings.max_cluster_size == 30
    model.update(added=(np.arange(121, 141), np.arange(20)))
    assert model.clustering_.settings.max_cluster_size == 35
    check_model(model, is_updated=True)


def random_model(rng, **more):
    """(model, labels that stay or None, warnings) of a graph with random constraints; None if they are refused."""
    n, k = int(rng.integers(12, 50)), int(rng.integers(2, 5))
    truth = rng.integers(0, k, n)
    a, b = np.nonzero(np.triu(rng.random((n, n)) < np.where(truth[:, None] == truth, 0.4, 0.08), 1))
    weights = None if rng.random() < 0.6 else rng.random(len(a)) + 0.1
    options = {
        "max_cluster_size": int(-(-n // k) + rng.integers(4)) if rng.random() < 0.7 else float(1 / k + 0.1),
        "max_share": float(1.05 + 0.6 * rng.random()),
        "min_cluster_size": int(rng.integers(2, max(3, n // k // 2 + 1))),
    }  # fmt: skip
    options = {name: value for name, value in options.items() if rng.random() < 0.5} | more
    y = np.where(rng.random(n) < 0.15, rng.integers(0, k, n), -1) if rng.random() < 0.5 else None
    y = None if more.get("published") else y  # which keeps no labels
    model = CoresetSpectralClustering(k, random_state=int(rng.integers(99)), **options)
    try:
        return model, y, told(model.fit, told(Graph.from_edges, a, b, weights, n_nodes=n)[0], y)[1]
    except InputError as error:
        assert any(word in str(error) for word in ("clusters", "weights")), error
        return None


def random_change(model, rng):
    """(added, removed) edges of a fitted graph, new nodes among them."""
    a, b = np.nonzero(np.triu(model.graph_.to_scipy().toarray(), 1))
    gone = rng.random(len(a)) < rng.choice([0.0, 0.05, 0.3])
    n = model.graph_.n_nodes + int(rng.integers(4)) * int(rng.integers(2))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 25))))
    ends = ends[:, ends[0] != ends[1]]
    return tuple(ends), (a[gone], b[gone])


def changed(model, y, rng):
    """Update a model at random, check it; whether that was done."""
    added, removed = random_change(model, rng)
    before, graph = model.labels_.copy(), model.graph_
    try:
        done, text = told(model.update, added if len(added[0]) else None, removed if len(removed[0]) else None)
    except InputError:
        np.testing.assert_array_equal(model.labels_, before)
        assert model.graph_ is graph
        return False
    n = model.graph_.n_nodes
    before = np.append(before, np.full(n - len(before), -1))
    np.testing.assert_array_equal(done.moved, np.flatnonzero((before >= 0) & (model.labels_ != before)))
    np.testing.assert_array_equal(done.new_nodes, np.flatnonzero((before < 0) & (model.labels_ >= 0)))
    known = None if y is None else np.append(y, np.full(n - len(y), -1))
    check_model(model, y=known, warned=text, is_updated=True)
    return True


def random_updates(seeds):
    done = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        made = random_model(rng)
        if made is not None:
            check_model(made[0], y=made[1], warned=made[2])
            done += sum(changed(*made[:2], rng) for _ in range(3))
    return done


@pytest.mark.slow
def test_random_updates_keep_to_all_constraints():
    assert random_updates(range(10)) > 15


@pytest.mark.slow
def test_two_thousand_random_updates_keep_to_all_constraints():
    assert random_updates(range(1000, 1800)) > 2000


class Life(RuleBasedStateMachine):
    """A model's life: fitted, changed, put away and taken out again; whatever came before, it keeps to its word."""

    model = None

    @initialize(seed=st.integers(0, 10**6), published=st.booleans(), objective=st.booleans())
    def fit(self, seed, published, objective):
        more = {"objective": "ncut" if objective else "information"}
        if published:  # whose moves are left out, and limits with them
            more |= {"published": True, "max_cluster_size": None, "max_share": None, "min_cluster_size": 1}
        made = random_model(np.random.default_rng(seed), **more)
        if made is not None:
            self.model, self.y, self.text = made
            self.is_updated = False

    @rule(seed=st.integers(0, 10**6))
    def update(self, seed):
        if self.model is not None and changed(self.model, self.y, np.random.default_rng(seed)):
            self.is_updated = True
            self.y = self.y if self.y is None else np.append(self.y, np.full(len(self.model.labels_) - len(self.y), -1))

    @rule()
    def save_and_load(self):
        if self.model is not None:
            with tempfile.TemporaryDirectory() as folder:
                self.model.save(Path(folder) / "model.npz")
                again = told(graphcore.load, Path(folder) / "model.npz")[0]
            self._same(again)
            self.model = again

    @rule()
    def pickle(self):
        if self.model is not None:
            again = pickled(self.model)
            self._same(again)
            self.model = again

    def _same(self, again):
        np.testing.assert_array_equal(again.tree_.leaf_of, self.model.tree_.leaf_of)
        for name in ("labels_", "outside_share_", "stability_"):
            np.testing.assert_array_equal(getattr(again, name), getattr(self.model, name))
        assert again.get_params() == self.model.get_params()
        graph = self.model.graph_
        np.testing.assert_array_equal(again.predict_proba(graph), self.model.predict_proba(graph))

    @rule(seed=st.integers(0, 10**6))
    def predict(self, seed):
        if self.model is not None:
            rows = np.random.default_rng(seed).integers(0, 2, (5, self.model.n_features_in_)).astype(float)
            labels, shares = self.model.predict(rows), self.model.transform(rows)
            assert (shares[np.flatnonzero(labels >= 0), labels[labels >= 0]] > 0).all()

    @rule(share=st.floats(0, 1))
    def levels(self, share):
        if self.model is not None:
            k = 1 + round(share * (self.model.tree_.n_leaves - 1))
            fine, coarse = self.model.tree_.labels_at(k), self.model.tree_.labels_at(max(1, k - 1))
            assert len({*zip(fine.tolist(), coarse.tolist(), strict=True)}) == len(set(fine.tolist()))

    @invariant()
    def holds(self):
        if self.model is not None:
            found = self.model.clustering_
            text = told(found.known.check, self.model.labels_, self.model.graph_.degrees, found.settings)[1]
            check_model(self.model, y=self.y, warned=text, is_updated=self.is_updated)


TestLife = Life.TestCase
TestLife.settings = settings(examples(40), stateful_step_count=6)


# -- all small graphs --------------------------------------------------------------------------------------------------

# Every graph of up to 6 nodes with an edge, up to isomorphism, isolated nodes included: 202.
SMALL = [nx.to_numpy_array(g) for g in nx.graph_atlas_g() if g.number_of_nodes() <= 6 and g.number_of_edges()]
EXTREMES = np.array([1.0, 1e-300, 1e300, 1e-30, 1e30, 3.0])
SAMPLINGS = tuple({"sampling": name} for name in ("degree", "uniform", "importance"))
# Of graphs of up to 5 nodes.
OTHERS = {"published": True}, {"effort": 6}, {"eigen_solver": "exact"}


def weighted(A, kind, number):
    """Weights 1; all alike and extreme; or of any of some orders, drawn by the graph's number."""
    if kind == "ones":
        return A
    if kind == "alike":
        return A * EXTREMES[1 + number % 2]
    W = np.random.default_rng(number).choice(EXTREMES, A.shape)
    return A * (np.triu(W) + np.triu(W, 1).T)


def small_cases():
    """(number of the graph, weights, options) of all fits of small graphs, 33,888."""
    for number, A in enumerate(SMALL):
        every = SAMPLINGS if len(A) == 6 else (*SAMPLINGS, *OTHERS)
        for k in range(1, np.count_nonzero(A.any(axis=1)) + 1):
            for objective, options, kind in product(OBJECTIVES, every, ("ones", "alike", "mixed")):
                if options.get("published") and objective == "modularity":
                    continue  # is for moves, and refused
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
    assert check_small(islice(small_cases(), 0, None, 499)) > 40


@pytest.mark.slow
@pytest.mark.parametrize("part", range(36) if "GRAPHCORE_EXHAUSTIVE" in os.environ else range(0, 36, 3))
def test_all_small_graphs(part):
    # All 36 parts take a quarter of an hour on two cores: a third of them unless the environment asks for all.
    assert check_small(islice(small_cases(), part, None, 36)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_k_means_over_eigenvectors_that_are_alike(k):
    # Ends of a path have the same row of eigenvectors: there may be fewer different rows than clusters.
    graph = told(Graph.from_edges, [0, 1], [1, 2], n_nodes=4)[0]
    for seed in range(20):
        model = CoresetSpectralClustering(k, objective="ncut", random_state=seed, eigen_solver="exact")
        _, text = told(model.fit, graph)
        check_model(model, warned=text)
