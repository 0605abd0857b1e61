"""The cases of the bench that start from text and from vectors: what both sides make of a file, and their tables."""

import sys
import types
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from bench import clocks, harness, inputs, methods_graphcore, methods_peers, quality_page, report, runner
from bench.cases import from_file, knn_path, vectors
from bench.harness import Method, Outcome
from graphcore.cluster.settings import resolve_settings


@pytest.fixture
def options(options, tmp_path, limits):
    limits(inputs, CACHE=tmp_path / "inputs")
    return options


def adjacency(path):
    with np.load(path) as file:
        return sp.csr_array((np.ones(len(file["indices"])), file["indices"], file["indptr"])).toarray()


def test_the_text_holds_each_edge_once(graph):
    text = inputs.edge_list(graph)
    edges = np.loadtxt(text, dtype=int)
    A = adjacency(graph)
    assert len(edges) == A.sum() / 2
    assert text.read_text()[0].isdigit()  # no heading that would tell one reader more than the other
    B = np.zeros_like(A)
    B[edges[:, 0], edges[:, 1]] = 1
    np.testing.assert_array_equal(B + B.T, A)
    written = text.stat().st_mtime_ns
    assert inputs.edge_list(graph) == text
    assert text.stat().st_mtime_ns == written


@pytest.mark.parametrize("n_init", [1, 10])
def test_our_side_reads_text_and_writes_labels(graph, tmp_path, n_init):
    text = inputs.edge_list(graph)
    prepare, run = methods_graphcore.METHODS["cluster_file"]
    model = {"published": True, "sampling": "degree", "coreset_size": 150}
    files = prepare(*runner.load(text, tmp_path), {})
    labels, parts, _ = run(files, 3, 0, {"model": model, "n_init": n_init}, 1)
    nodes, written = np.loadtxt(tmp_path / "labels.tsv", dtype=int).T
    np.testing.assert_array_equal(nodes, np.arange(300))
    np.testing.assert_array_equal(written, labels)
    blocks = written.reshape(3, 100)
    assert np.mean(blocks == np.median(blocks, axis=1, keepdims=True)) > 0.8
    assert set(parts) == {"read", "fit without k-means", "k-means", "write"}
    assert min(parts.values()) > 0


def test_the_reference_is_given_the_same_graph(graph, tmp_path, monkeypatch):
    """A module that stands for coreset-sc keeps the matrix: symmetric, each edge of weight 1, with loops."""
    seen = {}

    class Model:
        def __init__(self, k, coreset_ratio, ignore_warnings):
            seen.update(k=k, share=coreset_ratio)

        def fit(self, A):
            seen["matrix"] = A
            self.labels_ = np.arange(A.shape[0], dtype=np.uint64) % 7
            return self

    monkeypatch.setitem(sys.modules, "coreset_sc", types.SimpleNamespace(CoresetSpectralClustering=Model))
    text = inputs.edge_list(graph)
    lines = text.read_text().splitlines()
    again = ["\t".join(reversed(line.split("\t"))) for line in lines[:50]]
    text.write_text("\n".join([*lines, *again, *lines[100:120]]) + "\n")  # both directions, and repeated ones
    prepare, run = methods_peers.METHODS["coreset_sc_file"]
    labels, parts, _ = run(prepare(*runner.load(text, tmp_path), {}), 3, 0, {"size": 0.5}, 1)
    assert isinstance(seen["matrix"], sp.csr_matrix)
    assert seen["matrix"].dtype == np.float64
    assert (seen["k"], seen["share"]) == (3, 0.5)
    np.testing.assert_array_equal(seen["matrix"].toarray(), adjacency(graph) + np.eye(300))
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "labels.tsv", dtype=int)[:, 1], labels)
    assert list(parts) == ["read", "matrix", "fit without k-means", "write"]


def test_calls_are_clocked_apart_and_made_as_told(monkeypatch):
    class Model:
        n_init = 10

        def fit(self, rows):
            now[0] += 5.0
            return self.n_init, rows

    def started(model, rows):
        model.n_init = 3
        return (model, rows + 1), {}

    fit, now = Model.fit, [0.0]
    monkeypatch.setattr(clocks.time, "perf_counter", lambda: now[0])
    clock = clocks.Clock()
    with clocks.clocked(clock, Model, "fit", "k-means", started):
        now[0] += 1.0
        assert Model().fit(6) == (3, 7)
        assert Model().fit(8) == (3, 9)
    with clocks.clocked(clock, Model, "fit", "k-means"):
        assert Model().fit(6) == (10, 6)
    now[0] += 2.0
    clock.lap("rest")
    assert clock.laps == {"k-means": 15.0, "rest": 3.0}
    assert Model.fit is fit


@pytest.mark.slow
def test_from_file_measures_a_graph(options, limits):
    limits(from_file, GRAPHS={"R-MAT small": (10, 5_000, 200, (3,))})
    options = replace(options, seeds=1, methods=["coreset-sc", from_file.OURS])
    text = from_file.run(options).markdown()
    assert "5,000" not in text.split("lines")[0].split("(")[-1]  # edges drawn twice are one line
    lines = {line.split(" | ")[0]: line.split(" | ")[1:] for line in text.splitlines() if line.startswith("| ")}
    assert lines["| coreset-sc"][-1] == "not installed |"
    factors = [line for line in text.splitlines() if "| seconds |" in line]
    assert factors == [f"| {title} | seconds | - | - | - |" for title in list(from_file.PAIRS)[:2]]
    parts = [line for line in text.splitlines() if line.startswith(f"| {from_file.OURS} | k-means |")]
    assert len(parts) == 1
    assert from_file.run(replace(options, graphs=["none"])).sections == []
    assert from_file.run(replace(options, methods=["none"])).sections == []


def outcome(method, seconds, status="ok", **rest):
    peaks = {"peak_bytes": 30_000_000, "loaded_bytes": 10_000_000}
    return Outcome(method, "g", 3, status, **{"seconds": seconds, **peaks, **rest})


def test_the_warm_up_of_from_file_can_draw_its_share():
    """As many draws as of the large graph are more than the small graph of the warm-up has nodes."""
    _, _, draws, _ = from_file.GRAPHS[from_file.LARGE[0]]
    assert draws > len(runner.small_graph()[0]) - 1
    theirs, ours, *_ = from_file.methods(draws, draws, 2_000_000)
    small = graphcore.Graph(*runner.small_graph())
    settings = resolve_settings(small, 4, **ours.params["model"])
    assert settings.coreset_size == theirs.params["size"] * small.n_nodes == 100


def test_factors_of_from_file():
    theirs, ours, *_ = from_file.methods(10, 8, 100)
    parts = [{"k-means": 2.0}] * 3
    found = [
        outcome(theirs, [9.0, 10.0, 20.0], parts=parts, peak_bytes=70_000_000),
        outcome(ours, [1.0, 3.0, 4.0], parts=parts),
    ]
    rows = from_file.factors(found, True).splitlines()[2:]
    assert rows == [
        f"| {from_file.OURS} | seconds | 3.33 | 3 | yes |",
        f"| {from_file.OURS} | seconds without k-means | 8 | - | - |",
        f"| {from_file.OURS} | MB in all | 2 | 2 | yes |",
    ]
    found[0] = replace(found[0], seconds=[8.0], parts=parts[:1], peak_bytes=60_000_000)
    rows = from_file.factors(found, True).splitlines()[2:]
    assert [row.split(" | ")[-1] for row in rows] == ["NO |", "- |", "NO |"]
    rows = from_file.factors(found, False).splitlines()[2:]
    assert [row.split(" | ")[-1] for row in rows] == ["- |", "- |", "- |"]


def test_a_peer_that_was_stopped_takes_at_least_so_long():
    method = Method("a", "m")
    assert outcome(method, [1.0, 2.0, 9.0]).seconds_at_least() == 2
    assert outcome(method, [], "> 600 s").seconds_at_least() == 600
    assert outcome(method, [500.0], "> 600 s").seconds_at_least() == 500
    for status in ("> 600 s (warm-up)", "> 600 s (loading)", "failed: MemoryError", "not installed"):
        assert outcome(method, [], status).seconds_at_least() is None
    assert report.factor_cells(10.0, 600.0, 5.0, stopped=True) == ["at least 60", 5.0, "yes"]
    assert report.factor_cells(200.0, 600.0, 5.0, stopped=True) == ["at least 3", 5.0, "-"]
    assert report.factor_cells(200.0, 600.0, 5.0) == [3.0, 5.0, "NO"]
    assert report.factor_cells(None, 600.0, 5.0, stopped=True) == [None, 5.0, "-"]
    assert report.factor_cells(10.0, None, 5.0, stopped=True) == [None, 5.0, "-"]


@pytest.mark.slow
def test_knn_path_measures_both_sides(options):
    # This interpreter has scikit-learn too, and stands for the peers'.
    options = replace(options, graphs=["digits"], seeds=1, peers=harness.Path(sys.executable))
    options.methods = ["graphcore", knn_path.THEIRS]
    found = knn_path.run(options)
    assert [o.status for o in found.outcomes] == ["ok", "ok"]
    ours, theirs = found.outcomes
    assert 0.8 < ours.median("ari") <= 1
    assert 0.5 < theirs.median("ari") <= 1
    assert ours.median("clusters") == theirs.median("clusters") == 10
    assert ours.median("MB in all") > ours.median("megabytes") >= 0
    assert ours.median("seconds") >= ours.median("neighbour graph") + ours.median("clustering") > 0
    assert ours.warm_up_seconds > 0
    text = found.markdown()
    assert "Not in the data folder" in text  # pendigits, whose name holds the word too
    assert "| graphcore | times as fast as scikit-learn |" in text


def test_targets_of_knn_path():
    ours, theirs = (outcome(m, [1.0], scores=[{"ari": 0.6}]) for m in knn_path.methods("auto"))

    def judged(other, aimed=True):
        return [row.split(" | ")[2:] for row in knn_path.targets([ours, other], aimed).splitlines()[2:]]

    assert judged(replace(theirs, seconds=[5.0])) == [["5", "5", "yes |"], ["0.6000", "0.6000", "yes |"]]
    worse = replace(theirs, seconds=[4.9], scores=[{"ari": 0.61}])
    assert judged(worse) == [["4.9", "5", "NO |"], ["0.6000", "0.6100", "NO |"]]
    assert judged(worse, aimed=False) == [["4.9", "-", "- |"], ["0.6000", "0.6100", "- |"]]
    stopped = replace(theirs, seconds=[], scores=[], status="> 600 s")
    assert judged(stopped) == [["at least 600", "5", "yes |"], ["0.6000", "-", "- |"]]
    failed = replace(stopped, status="failed: MemoryError")
    assert judged(failed) == [["-", "5", "- |"], ["0.6000", "-", "- |"]]


def test_vectors_of_the_data_folder(shared_data, options):
    with np.load(inputs.labelled_vectors("pendigits", shared_data)) as file:
        X, labels = file["X"], file["labels"]
    assert (X.shape, X.dtype, labels.shape) == ((7494, 16), np.float32, (7494,))
    assert inputs.labelled_vectors("mnist", options.data) is None


@pytest.mark.slow
def test_vectors_beside_peers(options, tmp_path):
    # This interpreter has k-means and HDBSCAN, and stands for the peers'; EVoC is missing in it.
    options = replace(options, graphs=["iris", "avila"], seeds=1, peers=harness.Path(sys.executable))
    options.methods = ["graphcore", "k-means", "HDBSCAN (", "EVoC"]
    found = vectors.run(options)
    statuses = {o.method.title: o.status.split(" (")[0] for o in found.outcomes if o.graph == "iris"}
    absent = {title for title, status in statuses.items() if status == "not installed"}
    assert absent == {"UMAP, k-means", "EVoC"}
    assert set(statuses) - absent == {"graphcore", "graphcore, k by itself", "k-means", "HDBSCAN (scikit-learn)"}
    assert "Not in the data folder" in found.markdown()  # avila
    vectors.write_rows(tmp_path / "vectors.csv", found.outcomes)
    again = quality_page.page(list(quality_page.read_rows(tmp_path / "vectors.csv")))
    assert again == found.page
    assert "Normalised cut" not in again
