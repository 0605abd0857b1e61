"""The report: a page that stands alone, says what is so, and runs nothing but its own script."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import graphcore
from graphcore.base.colors import COLORS
from graphcore.cluster.pipeline import cluster_graph
from graphcore.cluster.settings import resolve_settings
from graphcore.metrics import conductance, normalized_cut
from graphcore.report import About, gather_facts, write_report

from .page import TRIANGLES, Page, written

EVIL = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</td></table><b>", "a&amp;b", "'quoted'",
    "\x00\x1b[2J\udc80", "javascript:alert(3)", "\u202eabc",
]  # fmt: skip


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
def test_pictures_are_there_and_take_all_colours_but_those_of_clusters_from_the_page(planted, tmp_path):
    graph, run = planted
    page = written(tmp_path / "out.html", graph, run.labels, clustering=run, pictures=True)
    told = [attrs["aria-label"] for tag, attrs in page.tags if tag == "svg"]
    assert told == ["Sizes and conductance", "Clusters and the links between them", "The graph", "Tree of the clusters"]
    drawings = "".join(re.findall(r"<svg.*?</svg>", page.source, re.DOTALL))
    used = set(re.findall(r"var\((--\w+)\)", drawings))
    assert {"--ink", "--step0"} <= used
    for block in re.findall(r":root \{(.*?)\}", page.styles[0], re.DOTALL):
        assert used <= set(re.findall(r"(--\w+):", block))  # both for light and for dark
    assert "scale(0.015625)" in drawings  # letters are as large as their places
    # Clusters, and the numbers on them, have the same colours on both.
    assert set(re.findall(r"(?:fill|stroke): ?(#[0-9a-f]{6})", drawings)) <= {*COLORS, "#ffffff"}


@pytest.mark.parametrize("k", [1, *(pytest.param(k, marks=pytest.mark.slow) for k in (10, 5000))])
def test_any_number_of_clusters(k, tmp_path):
    n = max(4 * k, 40)
    ring = np.arange(n)
    graph = graphcore.Graph.from_edges(np.r_[ring, ring], np.r_[(ring + 1) % n, (ring + 2) % n])
    page = written(tmp_path / "out.html", graph, ring * k // n, n_clusters=k, pictures=True)
    page.assert_alone()
    assert len(page.clusters) == k
    assert f"Clusters {k:,} " in page.text
    assert len(page.source) < 1.5e6


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
    gaps = gather_facts(graph, np.where(labels >= 0, 2 * labels + 1, -1))
    assert (gaps.normalized_cut, gaps.chance_cut) == pytest.approx((facts.normalized_cut, facts.chance_cut))


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


@pytest.mark.parametrize(("labels", "said"), [([0, 1] * 3, "Hardly more edges"), ([0] * 6, "there is no division")])
def test_the_verdict_of_clusters_that_are_none(tmp_path, labels, said):
    page = written(tmp_path / "out.html", TRIANGLES, labels)
    assert said in page.text


@pytest.mark.slow
def test_a_browser_runs_the_page_without_an_error_and_shows_what_needs_its_script(planted, tmp_path):
    graph, clustering = planted
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium")
    page = tmp_path / "out.html"
    write_report(page, graph, clustering.labels, clustering=clustering)
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
         "--enable-logging=stderr", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr  # what the browser says of scripts and styles that it refuses, or that fail
    assert '<div class="tools" hidden data-script>' in page.read_text()
    assert '<div class="tools" data-script="">' in done.stdout  # the finder of nodes comes when its data are unpacked


@pytest.mark.parametrize("given", [(), ("ids",), ("sample_weight", "labels", "ids"), ("initial_labels",)])
def test_the_program_of_the_page_passes_what_the_fit_was_given(tmp_path, given):
    X, truth = make_blobs(60, centers=3, random_state=0)
    labels = np.where(np.arange(60) < 9, truth, -1)
    arrays = {"sample_weight": np.arange(60) % 3 + 1, "labels": labels, "ids": range(60), "initial_labels": truth}
    passed = {name: arrays[name] for name in given}
    model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(X, **passed)
    model.report(tmp_path / "out.html", title="Three blobs", pictures=False)
    page = Page((tmp_path / "out.html").read_text())
    assert "Three blobs" in page.text
    (command,) = re.findall(r"import graphcore.*?\.fit\(.*?\)", "".join(page.words), re.DOTALL)
    assert re.findall(r"(\w+)=\1\b", command) == list(given)
    assert ("The program also needs " + ", ".join(given) in page.text) == bool(given)
    namespace = arrays | {"X": X}
    exec(command, namespace)
    assert np.array_equal(namespace["model"].labels_, model.labels_)
