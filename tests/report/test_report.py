"""The report: a page that stands alone, says what is so, and runs nothing but its own script."""

import base64
import hashlib
import pickle
import re
import time
from dataclasses import replace

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs

import graphcore
from graphcore.cluster.pipeline import Trial, cluster_graph
from graphcore.cluster.settings import resolve_settings
from graphcore.exceptions import InputError, ParameterError
from graphcore.metrics import Robustness, central_nodes, conductance, normalized_cut
from graphcore.report import About, figures, gather_facts, write_report

from ..depth import examples
from ..strategies import graphs, labellings
from .page import TRIANGLES, Page, written

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</td></table><b>",
    "a&amp;b",
    "'quoted'",
    "\x00\x1b[2J\udc80",
    "javascript:alert(3)",
    "\u202eabc",
]


@pytest.fixture(scope="module")
def planted():
    """A planted partition of 6 clusters with two isolated nodes, and its clustering."""
    graph, _ = graphcore.datasets.planted_partition(6, 50, 0.3, 0.02, random_state=0)
    indptr = np.concatenate([graph.indptr, [graph.indptr[-1]] * 2])
    names = [f"person {i}" for i in range(graph.n_nodes + 2)]
    graph = graphcore.Graph(indptr, graph.indices, node_names=names)
    with pytest.warns(graphcore.GraphWarning, match="isolated"):
        clustering = cluster_graph(graph, resolve_settings(graph, 6), random_state=0)
    return graph, clustering


# -- what it says ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_page_is_well_formed_alone_and_true(planted, tmp_path):
    graph, run = planted
    about = About(
        "My clusters", "friends.txt", "graphcore cluster friends.txt -k 6", "Seed 0.", ("take care",), {"read": 1.5}
    )
    page = written(tmp_path / "out.html", graph, run.labels, n_clusters=6, clustering=run, about=about, pictures=True)
    page.assert_alone()
    assert page.source.startswith("<!DOCTYPE html>\n<html lang=")
    expected = ["My clusters", "friends.txt", "302 nodes", "2 isolated", "graphcore cluster friends.txt -k 6"]
    for words in [*expected, "Seed 0.", "take care", "read 1.50", "coreset size", graphcore.__version__]:
        assert words in page.text, words
    assert f"{normalized_cut(graph, run.labels):.4f}" in page.text
    stability = float(run.node_stability[run.labels >= 0].mean())
    assert f"Stability over seeds {stability:.2f}" in page.text
    sizes = np.bincount(run.labels[run.labels >= 0])
    by_cluster = {int(row["cluster"]): row for row in page.clusters}
    assert sorted(by_cluster) == list(range(6))
    assert [int(row["nodes"]) for row in page.clusters] == sorted(sizes, reverse=True)
    for c, value in enumerate(conductance(graph, run.labels)):
        row = by_cluster[c]
        assert int(row["nodes"]) == sizes[c]
        assert float(row["conductance"]) == pytest.approx(value, abs=5e-5)
        assert float(row["stability over seeds"]) == pytest.approx(run.cluster_stability[c], abs=5e-3)
        names = row["most central nodes"].split(", ")
        assert len(names) == 5
        assert all(run.labels[int(name.split()[1])] == c for name in names)
    assert sum(float(row["volume"].split()[0]) for row in page.clusters) == pytest.approx(100, abs=0.1)


@pytest.mark.slow
def test_pictures_are_there_and_take_their_colours_from_the_page(planted, tmp_path):
    graph, run = planted
    write_report(tmp_path / "out.html", graph, run.labels, clustering=run)
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    labels = [attrs["aria-label"] for tag, attrs in page.tags if tag == "svg"]
    assert labels[0] == "Sizes and conductance"
    assert sorted(labels[1:]) == [
        "Choice of the balance",
        "Clusters and the links between them",
        "Map of the coreset",
        "Progress of the objective",
        "The graph",
        "Tree of the clusters",
    ]
    drawings = "".join(re.findall(r"<svg.*?</svg>", page.source, re.DOTALL))
    used = set(re.findall(r"var\((--\w+)\)", drawings))
    assert {"--ink", "--step0", "--shade0"} <= used
    for block in re.findall(r":root \{(.*?)\}", page.styles[0], re.DOTALL):
        assert used <= set(re.findall(r"(--\w+):", block))  # both for light and for dark
    assert not re.findall(r"(?:fill|stroke): ?#[0-9a-f]{6}", drawings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken", "scores", "said"),
    [
        (1.0, (0.6, 0.5), None),
        (1.0, (0.56, 0.6), "The best score is 0.040 higher. So small a difference may be due to chance"),
        (0.5, (0.6, 0.4), "Another value scores higher; this one was given."),
    ],
)
def test_a_balance_that_does_not_score_best_is_explained(planted, tmp_path, taken, scores, said):
    graph, run = planted
    trials = tuple(Trial(b, 1.0, 1.8, 0.1, score, 1.0) for b, score in zip((1.0, 0.5), scores, strict=True))
    run = replace(run, balances=trials, settings=replace(run.settings, balance=taken))
    page = written(tmp_path / "out.html", graph, run.labels, clustering=run, pictures=True)
    assert f"At {taken:g}, the value used, the clusters hold 1.00 nats of information, of 1.80 possible." in page.text
    assert (said is None) == ("higher. So" not in page.text and "scores higher" not in page.text)
    assert said is None or said in page.text


@pytest.mark.slow
def test_making_pictures_parts_of_the_page_costs_less_than_drawing_them(tmp_path, monkeypatch):
    graph, labels = graphcore.datasets.planted_partition(50, 60, 0.2, 0.002, random_state=0)
    seconds = dict.fromkeys(("savefig", "_svg"), 0.0)

    def timed(function):
        def timing(*args, **options):
            start = time.process_time()
            try:
                return function(*args, **options)
            finally:
                seconds[function.__name__] += time.process_time() - start

        return timing

    monkeypatch.setattr(Figure, "savefig", timed(Figure.savefig))
    monkeypatch.setattr(figures, "_svg", timed(figures._svg))
    write_report(tmp_path / "out.html", graph, labels)
    assert 0.0 < seconds["_svg"] < 1.6 * seconds["savefig"]


def test_pictures_can_be_left_out(planted, tmp_path, monkeypatch):
    graph, run = planted
    page = written(tmp_path / "out.html", graph, run.labels, clustering=run)
    assert "svg" not in {tag for tag, _ in page.tags}
    monkeypatch.setattr("graphcore.report.page.find_spec", lambda _: None)
    page = written(tmp_path / "out.html", graph, run.labels, clustering=run, pictures="auto")
    assert "svg" not in {tag for tag, _ in page.tags}
    assert "pip install matplotlib (or '.[plot]'" in page.text
    with pytest.raises(InputError, match="matplotlib"):
        write_report(tmp_path / "out.html", graph, run.labels, pictures=True)
    with pytest.raises(ParameterError, match="pictures='maybe'"):
        write_report(tmp_path / "out.html", graph, run.labels, pictures="maybe")


def test_labels_alone_have_a_page_that_claims_no_stability(tmp_path):
    karate = graphcore.datasets.load_karate()
    page = written(tmp_path / "out.html", karate.graph, karate.labels, pictures=True)
    page.assert_alone()
    assert {row["stability over seeds"] for row in page.clusters} == {"\u2013"}
    assert "so their stability is not known" in page.text
    assert [attrs["aria-label"] for tag, attrs in page.tags if tag == "svg"] == [
        "Sizes and conductance",
        "The graph",
        "Clusters and the links between them",
    ]


@pytest.mark.slow
def test_the_same_clustering_makes_the_same_page(planted, tmp_path):
    graph, run = planted
    told = {"clustering": run, "about": About("t"), "pictures": True}
    first, second = (written(tmp_path / "out.html", graph, run.labels, **told) for _ in range(2))
    assert first.source == second.source


@pytest.mark.parametrize("k", [1, 10, pytest.param(5000, marks=pytest.mark.slow)])
def test_any_number_of_clusters(k, tmp_path):
    n = max(4 * k, 40)
    ring = np.arange(n)
    graph = graphcore.Graph.from_edges(np.r_[ring, ring], np.r_[(ring + 1) % n, (ring + 2) % n])
    page = written(tmp_path / "out.html", graph, ring * k // n, n_clusters=k, pictures=True)
    page.assert_alone()
    assert len(page.clusters) == k
    assert f"Clusters {k:,} " in page.text
    assert len(page.source) < 1.5e6


def test_empty_clusters_and_nodes_without_a_label(tmp_path):
    page = written(tmp_path / "out.html", TRIANGLES, [0, 0, -1, 3, 3, 3], n_clusters=5, pictures=True)
    rows = {int(row["cluster"]): row for row in page.clusters}
    assert [rows[c]["nodes"] for c in range(5)] == ["2", "0", "0", "3", "0"]
    assert rows[1]["conductance"] == rows[1]["nearest"] == "\u2013"
    assert rows[1]["most central nodes"] == ""
    assert "3 more are empty" in page.text
    assert "1 without a label" in page.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sources", "targets", "labels", "conductances"),
    [
        ([0, 1, 2, 4], [1, 2, 3, 5], [0, -1, -1, 1, 2, 2], [1, 1, 0]),
        ([0, 2], [1, 3], [0, -1, 1, -1], [1, 1]),
        ([0, 2, 4], [1, 3, 5], [0, -1, 1, -1, 2, -1], [1, 1, 1]),
    ],
)
def test_edges_that_all_end_at_nodes_without_a_label(tmp_path, sources, targets, labels, conductances):
    graph = graphcore.Graph.from_edges(sources, targets)
    page = written(tmp_path / "out.html", graph, labels, pictures=True)
    found = sorted(page.clusters, key=lambda row: row["cluster"])
    assert [float(row["conductance"]) for row in found] == conductances


@pytest.mark.slow
@examples(20)
@hypothesis.given(st.data())
def test_any_labelling_of_any_graph_has_a_page(tmp_path_factory, data):
    graph, A = data.draw(graphs(max_nodes=9))
    labels = data.draw(labellings(len(A)))
    hypothesis.assume(((labels >= 0) & (A.sum(axis=1) > 0)).any())
    path = tmp_path_factory.mktemp("page") / "out.html"
    page = written(path, graph, labels, pictures=True)
    page.assert_alone()
    sizes = np.bincount(labels[(labels >= 0) & (A.sum(axis=1) > 0)], minlength=len(page.clusters))
    assert [int(row["nodes"]) for row in page.clusters] == sorted(sizes, reverse=True)
    assert "nan" not in page.text and "inf" not in page.text.replace("information", "")


# -- nothing from outside becomes code ---------------------------------------------------------------------------------


def test_names_titles_and_files_cannot_inject_anything(tmp_path):
    n = len(EVIL)
    graph = graphcore.Graph.from_edges(range(n), [(i + 1) % n for i in range(n)], node_names=EVIL)
    for evil in EVIL:
        about = About(evil, evil, f"graphcore cluster {evil}", evil, (evil,), {evil: 1.0})
        page = written(tmp_path / "out.html", graph, np.arange(n) // 4, about=about)
        page.assert_alone()
        tags = [tag for tag, _ in page.tags]
        assert tags.count("script") == 2 and "b" not in tags
        assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
        shown = evil.replace("\x00", "\ufffd").replace("\x1b", "\ufffd").replace("\udc80", "\ufffd")
        assert f"graphcore cluster {shown}" in "".join(page.words)
    names = ", ".join(row["most central nodes"] for row in page.clusters)
    for evil in EVIL[:5]:
        assert evil in names


def test_the_policy_allows_the_pages_own_script_and_no_other(planted, tmp_path):
    graph, run = planted
    page = written(tmp_path / "out.html", graph, run.labels)
    policy = next(attrs["content"] for tag, attrs in page.tags if "http-equiv" in attrs)
    (script,) = re.findall(r"<script>(.*?)</script>", page.source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy
    assert "innerHTML" not in script and "eval" not in script


def test_a_long_name_is_cut(tmp_path):
    graph = graphcore.Graph.from_edges([0], [1], node_names=["x" * 5000, "b"])
    page = written(tmp_path / "out.html", graph, [0, 0])
    assert len(page.clusters[0]["most central nodes"]) < 100


# -- the file ----------------------------------------------------------------------------------------------------------


def test_a_failure_leaves_what_was_there(planted, tmp_path, monkeypatch):
    graph, run = planted
    path = tmp_path / "out.html"
    path.write_text("before")

    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("os.fsync", broken)
    with pytest.raises(ZeroDivisionError):
        write_report(path, graph, run.labels, pictures=False)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["out.html"]


# -- figures -----------------------------------------------------------------------------------------------------------


def test_facts_against_dense_computations(planted):
    graph, run = planted
    facts = gather_facts(graph, run.labels, clustering=run)
    A, labels = graph.to_scipy().toarray(), run.labels
    same = (labels[:, None] == labels[None, :]) & (labels >= 0)[:, None]
    assert facts.coverage == pytest.approx(A[same].sum() / A.sum())
    d = A.sum(axis=1)
    volumes = np.array([d[labels == c].sum() for c in range(6)])
    assert facts.chance_cut == pytest.approx(np.mean(1 - volumes / d.sum()))
    assert facts.modularity == pytest.approx(((A - np.outer(d, d) / d.sum()) * same).sum() / A.sum())
    assert facts.normalized_cut == pytest.approx(normalized_cut(graph, labels))


@pytest.mark.parametrize("seed", range(5))
def test_central_nodes_against_a_dense_computation(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.integers(0, 3, (30, 30)) * (rng.random((30, 30)) < 0.3), 1)
    A = (A + A.T).astype(float)
    labels = rng.integers(-1, 4, 30)
    found = central_nodes(A, labels, 5, count=3)
    labels = np.where(A.sum(axis=1) > 0, labels, -1)
    inside = np.array([A[i, labels == labels[i]].sum() for i in range(30)])
    for c in range(5):
        members = np.flatnonzero(labels == c)
        best = sorted(members, key=lambda i: (-inside[i], A[i].sum() - inside[i], i))[:3]
        assert found[c].tolist() == best


@pytest.mark.parametrize(
    ("stability", "said"),
    [
        ([0.1, 0.2, 0.9, 0.99, 0.99, 0.99], "6 clusters, 3 of them stable over seeds; "),
        ([0.96] * 6, "6 clusters, all of them stable over seeds; "),
        ([0.1, 0.2, 0.3, 0.4, 0.9, 0.9], "Most of them change with the seed; fewer clusters may be more stable."),
    ],
)
def test_the_verdict_calls_agreement_of_seeds_by_its_name(planted, tmp_path, stability, said):
    graph, run = planted
    shaken = replace(run, cluster_stability=np.array(stability))
    page = written(tmp_path / "out.html", graph, run.labels, clustering=shaken)
    assert said in page.text
    assert "expected by chance. Less than half as many edges lead out" in page.text
    unsure = sum(value < 0.5 for value in stability)
    assert (f"{unsure} of 6 clusters have a stability below 0.5" in page.text) == (unsure > 0)
    assert "of them robust" not in page.text
    assert "Robustness was not measured: model.robustness() and graphcore cluster --robustness cluster" in page.text


@pytest.mark.parametrize(
    ("clusters", "inside", "said"),
    [
        ([1.0] * 6, True, "6 clusters, all of them robust; "),
        ([1.0, 0.75, 0.74, 0.6, 0.6, 0.6], True, "6 clusters, 2 of them robust; "),
        ([0.2, 0.2, 0.5, 1.0, 1.0, 1.0], True, "Most of them dissolve when edges are resampled"),
        ([1.0] * 6, False, "6 clusters, 0 of them robust; "),  # most of their weight leads out
    ],
)
def test_clusters_are_robust_by_robustness_and_conductance_never_by_seeds(planted, tmp_path, clusters, inside, said):
    graph, run = planted
    steady = replace(run, cluster_stability=np.ones(6))
    nodes = np.full(graph.n_nodes, 0.5, dtype=np.float32)
    nodes[:2] = np.nan
    found = Robustness(np.array([0.5, 0.7]), np.array(clusters), nodes)
    if not inside:
        steady = replace(steady, labels=np.where(run.labels < 0, -1, np.arange(302) % 6).astype(np.int32))
    page = written(tmp_path / "out.html", graph, steady.labels, clustering=steady, robustness=found)
    page.assert_alone()
    assert said in page.text
    assert "Robustness 0.60" in page.text
    assert "stable over seeds" not in page.text
    assert [float(row["robustness"]) for row in sorted(page.clusters, key=lambda row: int(row["cluster"]))] == clusters
    assert page.data["robustness"] == [-1, -1] + [50] * 300


def test_robustness_of_other_labels_is_refused(planted, tmp_path):
    graph, run = planted
    found = Robustness(np.ones(1), np.ones(5), np.ones(302))
    with pytest.raises(InputError, match="robustness is of 5 clusters of 302 nodes, and these are 6 of 302"):
        write_report(tmp_path / "out.html", graph, run.labels, robustness=found)


@pytest.mark.parametrize(("labels", "said"), [([0, 1] * 3, "Hardly more edges"), ([0] * 6, "there is no division")])
def test_the_verdict_of_clusters_that_are_none(tmp_path, labels, said):
    page = written(tmp_path / "out.html", TRIANGLES, labels)
    assert said in page.text
    assert "of them robust" not in page.text


# -- the estimator -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_model_report(tmp_path):
    karate = graphcore.datasets.load_karate()
    model = graphcore.CoresetSpectralClustering(n_clusters=2, effort=3, random_state=0).fit(karate.graph)
    path = tmp_path / "karate.html"
    facts = model.report(path, title="A karate club")
    page = Page(path.read_text(encoding="utf-8"))
    page.assert_alone()
    assert "A karate club" in page.text
    assert facts.normalized_cut == normalized_cut(karate.graph, model.labels_)
    # The command on the page gives the labels of the page.
    (command,) = re.findall(r"import graphcore.*?\.fit\(X\)", "".join(page.words), re.DOTALL)
    assert "effort=3" in command and "affinity" not in command
    namespace = {"X": karate.graph}
    exec(command, namespace)
    assert np.array_equal(namespace["model"].labels_, model.labels_)
    assert "was not an integer" not in page.text and "vector" not in page.text


def test_model_report_of_vectors_and_an_unknown_seed(tmp_path):
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = graphcore.CoresetSpectralClustering(n_clusters=3).fit(X)
    model.report(tmp_path / "out.html", pictures=False)
    page = Page((tmp_path / "out.html").read_text())
    assert "X holds the vectors that were clustered. random_state was not an integer" in page.text
    assert "3 clusters of vectors 60 vectors of 2 columns, each a node of the graph of nearest neighb" in page.text


@pytest.mark.parametrize("given", [(), ("ids",), ("sample_weight", "labels", "ids")])
def test_the_program_of_the_page_passes_what_the_fit_was_given(tmp_path, given):
    X, truth = make_blobs(60, centers=3, random_state=0)
    labels = np.where(np.arange(60) < 9, truth, -1)
    arrays = {"sample_weight": np.arange(60) % 3 + 1, "labels": labels, "ids": range(60)}
    passed = {name: arrays[name] for name in given}
    model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(X, **passed)
    model.report(tmp_path / "out.html", pictures=False)
    page = Page((tmp_path / "out.html").read_text())
    (command,) = re.findall(r"import graphcore.*?\.fit\(.*?\)", "".join(page.words), re.DOTALL)
    assert re.findall(r"(\w+)=\1\b", command) == list(given)
    assert ("The program also needs " + ", ".join(given) in page.text) == bool(given)
    namespace = arrays | {"X": X}
    exec(command, namespace)
    assert np.array_equal(namespace["model"].labels_, model.labels_)


def test_a_page_of_outliers_has_the_mean_stability_of_the_others(tmp_path):
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = graphcore.CoresetSpectralClustering(n_clusters=3, outliers=0.2, random_state=0).fit(X)
    mean = model.stability_[model.labels_ >= 0].mean()
    assert model.report(tmp_path / "out.html", pictures=False).stability == pytest.approx(mean)
    assert (model.stability_[model.labels_ < 0] == 0).all() and model.stability_.mean() < mean
    said = Page((tmp_path / "out.html").read_text()).text
    assert f"Stability over seeds {mean:.2f} mean over nodes in clusters" in said


@pytest.mark.parametrize("published", [False, True])
def test_settings_that_have_no_effect_are_not_listed(tmp_path, published):
    model = graphcore.CoresetSpectralClustering(2, published=published, random_state=0)
    model.fit(graphcore.datasets.load_karate().graph).report(tmp_path / "out.html", pictures=False)
    text = Page((tmp_path / "out.html").read_text()).text
    assert "coreset size" in text and ("max drafts" in text) == ("balance" in text) == (not published)


def test_a_pickled_model_writes_the_same_page(tmp_path):
    karate = graphcore.datasets.load_karate()
    model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(karate.graph)
    again = pickle.loads(pickle.dumps(model))
    again.report(tmp_path / "again.html", pictures=False)
    model.report(tmp_path / "model.html", pictures=False)
    tables = [Page((tmp_path / f"{name}.html").read_text()).clusters for name in ("again", "model")]
    assert tables[0] == tables[1]
    with pytest.raises(InputError, match="shape"):
        again.report(tmp_path / "out.html", graphcore.Graph.from_edges([0], [1]))
