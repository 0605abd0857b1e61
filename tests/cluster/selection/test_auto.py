"""``n_clusters="auto"`` of the estimator and ``-k auto`` of the command line."""

import json
import re

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

import graphcore
from graphcore import CoresetSpectralClustering, KSelection
from graphcore.cli.app import run

CAVEMEN = nx.connected_caveman_graph(6, 10)


def test_auto_chooses_and_fits():
    model = CoresetSpectralClustering("auto", random_state=0).fit(CAVEMEN)
    assert isinstance(model.selection_, KSelection)
    assert model.n_clusters_ == model.selection_.best == 6
    assert "choice of k" in model.seconds_
    assert model.clustering_.settings.n_clusters == 6
    # The fit is the one that the number chosen gives.
    given = CoresetSpectralClustering(6, random_state=0).fit(CAVEMEN)
    np.testing.assert_array_equal(model.labels_, given.labels_)
    assert (given.n_clusters_, given.selection_) == (6, None)
    assert clone(model).n_clusters == "auto"


def test_auto_of_vectors():
    X, truth = make_blobs(400, 4, centers=5, cluster_std=0.6, random_state=1)
    model = CoresetSpectralClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 5
    assert graphcore.metrics.agreement(model.labels_, truth)["ari"] == 1


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize(("parameters", "most"), [({"min_cluster_size": 20}, 3), ({"coreset_size": 4}, 4), ({}, 15)])
def test_other_parameters_bound_the_candidates(parameters, most):
    model = CoresetSpectralClustering("auto", random_state=0, **parameters).fit(CAVEMEN)
    assert model.selection_.candidates.tolist() == list(range(1, most + 1))
    assert model.n_clusters_ <= most


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize(
    ("parameters", "most"), [pytest.param({}, 500, marks=pytest.mark.slow), ({"min_cluster_size": 100}, 100)]
)
def test_auto_and_a_resolution_look_equally_far(parameters, most):
    graph, _ = graphcore.datasets.planted_partition(4, 2500, 2e-3, 4e-5, random_state=0)
    linked = graph.n_nodes - graph.n_isolated
    for chosen in ({"n_clusters": "auto"}, {"n_clusters": None, "resolution": 2}):
        model = CoresetSpectralClustering(random_state=0, **chosen, **parameters).fit(graph)
        assert model.selection_.candidates[-1] == linked // parameters.get("min_cluster_size", 20)
        assert abs(model.selection_.candidates[-1] - most) < 5


@pytest.fixture
def folder(here):
    nx.write_edgelist(CAVEMEN, "graph.txt", data=False)
    return here


@pytest.mark.slow
def test_command_line(folder, capsys):
    assert run(["cluster", "graph.txt", "-k", "auto", "--json", "-o", "labels.tsv", "--seed", "2"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["n_clusters"] == 6
    assert facts["chosen"] == {"method": "information", "clear": True}
    assert facts["cluster_sizes"] == [10] * 6
    model = CoresetSpectralClustering("auto", random_state=2).fit(graphcore.read_graph("graph.txt"))
    written = [int(line.split("\t")[1]) for line in (folder / "labels.tsv").read_text().splitlines()]
    assert written == model.labels_.tolist()
    assert run(["cluster", "graph.txt", "-k", "auto", "--report", "page.html"]) == 0
    assert re.search(r"^k +6, chosen by information; it stands out$", capsys.readouterr().out, re.MULTILINE)
    assert "The number of clusters was chosen, and stands out." in (folder / "page.html").read_text()


@pytest.mark.slow
def test_command_line_says_when_the_edges_support_no_division(folder, capsys):
    nx.write_weighted_edgelist(nx.les_miserables_graph(), "graph.txt", delimiter="\t")
    assert run(["cluster", "graph.txt", "-k", "auto", "--report", "page.html"]) == 0
    captured = capsys.readouterr()
    doubt = "the edges do not clearly support a division"
    assert re.search(rf"^k +6, chosen by modularity: {doubt}$", captured.out, re.MULTILINE)
    assert f"warning: {doubt}" in captured.err and "modularity gives 6" in captured.err
    assert doubt in (folder / "page.html").read_text()


def test_command_line_says_when_nothing_stands_out(folder, capsys):
    nx.write_edgelist(nx.complete_graph(20), "graph.txt", data=False)
    assert run(["cluster", "graph.txt", "-k", "auto"]) == 0
    captured = capsys.readouterr()
    assert re.search(r"^k +1, chosen by information; it does not stand out$", captured.out, re.MULTILINE)
    assert "warning: k = 1, the least of the candidates" in captured.err


GRAPHS = {
    "Les Miserables": nx.les_miserables_graph, "Florentine families": nx.florentine_families_graph,
    "Davis": nx.davis_southern_women_graph, "tree": lambda: nx.balanced_tree(2, 6), "path": lambda: nx.path_graph(100),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_the_number_of_modularity_is_taken_where_the_edges_support_no_division(name):
    G = GRAPHS[name]()
    with pytest.warns(graphcore.GraphWarning, match="do not clearly support a division.*modularity gives") as caught:
        model = CoresetSpectralClustering("auto", random_state=0).fit(G)
    chosen, k = model.selection_, model.n_clusters_
    assert (chosen.best, chosen.method, chosen.clear) == (k, "modularity", False)
    assert f"modularity gives {k}, and k = {k} is taken" in str(caught[0].message)
    fits = [CoresetSpectralClustering(None, objective="modularity", random_state=i).fit(G) for i in range(3)]
    assert k in {fit.n_clusters_ for fit in fits}  # Davis has 3 or 4: two partitions are all but equally good
    with pytest.warns(graphcore.GraphWarning, match=f"k = 1, the least of the candidates.*; modularity gives {k}$"):
        assert graphcore.select_n_clusters(G, random_state=0).best == 1


def test_a_report_says_how_the_number_was_chosen(here):
    with pytest.warns(graphcore.GraphWarning, match="do not clearly support a division"):
        CoresetSpectralClustering("auto", random_state=0).fit(GRAPHS["path"]()).report("page.html", pictures=False)
    assert "chosen by modularity: the edges do not clearly support a division." in (here / "page.html").read_text()


def test_modularity_of_a_huge_graph_takes_one_draft(limits):
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=1)
    with pytest.warns(graphcore.GraphWarning, match=r"modularity gives \d+$"):
        found = graphcore.select_n_clusters(nx.gnm_random_graph(500, 4000, seed=0), n_coresets=2, random_state=0)
    assert found.best == 1


def test_limits_hold_where_modularity_has_more():
    with pytest.warns(graphcore.GraphWarning, match="modularity gives 6, and k = 3 is taken"):
        model = CoresetSpectralClustering("auto", min_cluster_size=20, random_state=0).fit(nx.les_miserables_graph())
    assert model.n_clusters_ == 3


def test_a_resolution_that_finds_one_cluster_says_how_to_find_more():
    graph = graphcore.Graph.from_networkx(nx.les_miserables_graph())
    with pytest.warns(graphcore.GraphWarning, match="resolution=1 finds one cluster.*larger resolution.*objective="):
        assert CoresetSpectralClustering(None, resolution=1, random_state=0).fit(graph).n_clusters_ == 1
    G = nx.disjoint_union(nx.les_miserables_graph(), nx.Graph([(0, 0, {"weight": 1.0}), (1, 1, {"weight": 1.0})]))
    with pytest.warns(graphcore.GraphWarning, match="'modularity' finds one cluster of more than one node.*give a lar"):
        model = CoresetSpectralClustering(None, objective="modularity", resolution=0.01, random_state=0).fit(G)
    assert model.n_clusters_ == 3


def test_command_line_refuses_other_words(folder, capsys):
    assert run(["cluster", "graph.txt", "-k", "many"]) == 2
    message = capsys.readouterr().err
    assert "'many' is neither an integer nor auto" in message
    assert "-k" in message
