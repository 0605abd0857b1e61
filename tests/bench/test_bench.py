"""The bench: scoring against oracles, one process for each method, and what tables say of what did not work."""

import importlib.util
import inspect
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from bench import __main__ as command
from bench import harness, inputs, quality_page, report, runner, scoring
from bench.cases import (
    ablation,
    choose_k,
    clusters,
    construction,
    growth,
    known_k,
    order,
    pipeline,
    quality,
    search,
    speed,
)
from bench.harness import Method, Outcome
from bench.lfr import lfr
from graphcore import Graph, datasets
from graphcore.cluster.refine.problem import cluster_sums
from tests.metrics.oracles import conductances


def random_graph(n, density, seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < density, 1)
    return sp.csr_array((A | A.T).astype(float))


@given(st.integers(2, 30), st.floats(0.05, 0.5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_information_is_the_objective_of_the_library(n, density, k, seed):
    A = random_graph(n, density, seed)
    labels = np.random.default_rng(seed).integers(0, k, n).astype(np.int32)
    labels[A.sum(axis=1) == 0] = -1
    assume((labels >= 0).any())
    expected = cluster_sums(Graph.from_scipy(A).rows, labels, k).value("information")
    assert scoring.information(A.indptr, A.indices, labels, k) == pytest.approx(expected, abs=1e-9)


@given(st.integers(2, 30), st.floats(0, 0.5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_normalized_cut_is_the_mean_conductance(n, density, k, seed):
    A = random_graph(n, density, seed)
    labels = np.random.default_rng(seed).integers(-1, k, n)
    expected = conductances(A.toarray(), labels, k).mean()
    for chunk in (7, scoring._CHUNK):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "_CHUNK", chunk)
            assert scoring.normalized_cut(A.indptr, A.indices, labels, k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_shared_script(shared_data, seed):
    path = shared_data.parent / "measure" / "score.py"
    if not path.exists():
        pytest.skip(f"no scoring script at {path}")
    spec = importlib.util.spec_from_file_location("score", path)
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    A = random_graph(60, 0.04, seed)  # with isolated nodes
    rng = np.random.default_rng(seed)
    labels, truth = rng.integers(0, 5, (2, 60))
    expected = theirs.score(A, labels, 6, truth)
    found = scoring.score(A.indptr, A.indices, labels, 6, truth)
    del found["j"], found["modularity"]  # which the script does not know
    assert found == pytest.approx(expected, abs=1e-12)


def test_more_labels_than_asked_for_count_missing_ones_count_one_and_own_ones_are_averaged(tmp_path):
    A = sp.block_diag([np.ones((3, 3)) - np.eye(3), [[0.0]], np.ones((3, 3)) - np.eye(3)], format="csr")
    np.savez(tmp_path / "g.npz", indptr=A.indptr, indices=A.indices)
    run = {"labels": np.array([7, 7, 7, 9, 4, 4, 4])}
    found = scoring.score_run(tmp_path / "g.npz", run, 50, True)
    assert (found["nc"], found["clusters"], found["smallest"]) == (0.0, 2, 3)
    A = random_graph(20, 0.4, 1)
    labels = np.arange(20) % 3
    three = scoring.normalized_cut(A.indptr, A.indices, labels, 2)
    assert three == pytest.approx(np.mean(list(conductances(A, labels, 3))))
    assert scoring.normalized_cut(A.indptr, A.indices, labels, 6) == pytest.approx((3 * three + 3) / 6)


@pytest.mark.parametrize("seed", range(3))
def test_coreset_score_is_the_cut_of_the_dense_coreset_graph(tmp_path, seed):
    A = random_graph(30, 0.3, seed)
    rng = np.random.default_rng(seed)
    nodes = np.sort(rng.choice(30, 12, replace=False))
    weights, labels = rng.random(12) + 0.5, rng.integers(0, 3, 12)
    np.savez(tmp_path / "g.npz", indptr=A.indptr, indices=A.indices)
    looped = A.toarray() + np.eye(30)
    degrees = looped.sum(axis=1)
    H = weights[:, None] * (looped / np.outer(degrees, degrees))[np.ix_(nodes, nodes)] * weights
    expected = []
    for j in range(3):
        mine = labels == j
        expected.append(H[np.ix_(mine, ~mine)].sum() / H[mine].sum() if mine.any() else 1.0)
    run = {"coreset": nodes, "weights": weights, "coreset_labels": labels}
    found = scoring.score_coreset(tmp_path / "g.npz", run, 3)
    assert found == pytest.approx({"coreset_nc": np.mean(expected), "coreset_nodes": 12})


def canonical(indptr, indices):
    A = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1,) * 2)
    assert A.has_canonical_format
    assert (A != A.T).nnz == 0
    assert not A.diagonal().any()
    return A


def test_generated_graphs_are_canonical(tmp_path, limits):
    limits(inputs, CACHE=tmp_path)
    A = canonical(*runner.small_graph())
    assert A.shape[0] == 2000
    path = inputs.rmat(10, 4000)
    indptr, indices, truth = scoring.load(path)
    degrees = canonical(indptr, indices).sum(axis=1)
    assert degrees.min() > 0
    assert degrees[:50].mean() > 3 * degrees.mean()  # as one quadrant gets most edges
    assert truth is None
    assert inputs.rmat(10, 4000) == path
    graph, truth = lfr(1000, mixing=0.15, average_degree=10, random_state=0)
    canonical(graph.indptr, graph.indices)
    assert 20 <= np.bincount(truth).min() <= np.bincount(truth).max() <= 100
    assert np.mean(np.repeat(truth, np.diff(graph.indptr)) != truth[graph.indices]) < 0.3
    indptr, indices, truth = scoring.load(inputs.planted(4, 100, 0.5, 0.002))
    assert canonical(indptr, indices).shape[0] == len(truth) == 400


OURS = Method("graphcore", "cluster", "graphcore", {"published": True, "sampling": "degree", "coreset_size": 0.5})


@pytest.mark.slow
def test_measure_runs_every_seed_in_another_process(options, graph):
    found = harness.measure(OURS, "g", graph, 3, options)
    assert found.status == "ok"
    assert len(found.seconds) == len(found.cpu_seconds) == len(found.scores) == len(found.parts) == 2
    assert all(second > 0 for second in found.seconds + found.cpu_seconds)
    assert found.median("ari") > 0.9
    assert 0 < found.median("nc") < 0.2
    assert "published algorithm" in found.parts[0]
    assert found.median("no such measure") is None


@pytest.mark.slow
def test_stages_and_seeds_of_the_construction_case(options, graph):
    method = construction.stage_methods(0.3, 2, ("degree",))[1]
    found = construction.compare("g", graph, 3, [method], options)[0]
    assert found.status == "ok"
    assert found.median("coreset_nodes") == 90
    split = construction.split(found)
    laps = [found.median(name) for name in ("sampling", "coreset graph", "embedding")]
    assert split["with k-means"] - split["without k-means"] == pytest.approx(found.median("k-means"))
    assert split["without k-means"] == pytest.approx(sum(laps), rel=0.5)
    assert "90" in construction.section("g", [found], [("labelling", 1.0)], graph)
    line = construction.contract(found, 300)
    assert line[1] > 90 and line[3] == pytest.approx((64 * 300 + 32 * line[1]) / 1e6)


def test_a_coreset_of_the_reference_is_clustered_again_and_distinct_nodes_of_draws_are_counted(graph):
    # Nodes come in any order; with all of them and degrees as weights the coreset graph is the graph with loops.
    indptr, _, truth = scoring.load(graph)
    order = np.random.default_rng(0).permutation(len(truth))
    run = {"coreset": order, "weights": np.diff(indptr)[order] + 1.0, "coreset_labels": truth[order]}
    known = scoring.score_coreset(graph, run, 3)["coreset_nc"]
    assert 0 < construction.reclustered_nc(graph, run, 3, 5, 1) <= 1.05 * known
    with np.load(graph) as file:
        degrees = np.diff(file["indptr"]) + 1.0
    rng = np.random.default_rng(0)
    found = [len(np.unique(rng.choice(len(degrees), 150, p=degrees / degrees.sum()))) for _ in range(200)]
    # Standard error about 0.4; off by 2 with probability below 1e-5.
    assert construction.distinct(graph, 150) == pytest.approx(np.mean(found), abs=2)


@pytest.mark.slow
def test_what_does_not_work_is_said(options, graph, tmp_path):
    assert harness.measure(Method("METIS", "metis"), "g", graph, 3, options).status == "not installed"
    bad = replace(OURS, params={"published": "nonsense"})
    assert harness.measure(bad, "g", graph, 3, options).status.startswith("failed: ParameterError: published=")
    assert harness.measure(OURS, "g", tmp_path / "no.npz", 3, options).status.startswith("failed: FileNotFoundError")
    options.timeout = 1e-4
    assert harness.measure(OURS, "g", graph, 3, options).status == "> 0.0001 s (warm-up)"


def test_a_missing_library_is_not_installed(options, graph, tmp_path):
    # This interpreter, with one library hidden from it, stands for a peers' environment that lacks it.
    bare = tmp_path / "python"
    hide = "import runpy, sys; sys.modules['pymetis'] = None; sys.argv = sys.argv[2:]; "
    code = f"{hide}runpy.run_module('bench.runner', {{}}, '__main__')"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" $@\n')
    bare.chmod(0o755)
    options.peers = bare
    assert harness.measure(Method("METIS", "metis"), "g", graph, 3, options).status == "not installed (pymetis)"


def outcome(title, nc, ari, *, k=4, status="ok"):
    method = next(m for m in quality.METHODS if m.title == title)
    scores = [{"nc": nc, "ari": ari, "clusters": k, "smallest": 1}]
    return Outcome(method, "email", k, status, [1.0], [0.5], [{}], scores, 1000, 0.1)


def test_the_summary_counts_graphs_where_a_method_is_best_or_level():
    rows = [
        replace(outcome(title, 0.1, ari), graph=graph)
        for graph, ours, theirs in (("a", 0.5, 0.505), ("b", 0.5, 0.6), ("c", 0.7, 0.2))
        for title, ari in ((quality.DEFAULT, ours), ("METIS", theirs))
    ]
    found = replace(outcome("Leiden (igraph)", 0.1, 0.9), graph="a", cpu_seconds=[1.0])
    text = quality_page.summary([*rows, found])
    assert f"| {quality.DEFAULT} | the same | 2 of 3 | 0.567 | 1 |" in text  # .5 and .505 are level
    assert "| METIS | the same | 2 of 3 | 0.435 | 1 |" in text
    assert "| Leiden (igraph) | its own | - | 0.900 | 2 |" in text


def test_rows_that_others_add_are_on_the_page(tmp_path):
    path = tmp_path / "quality.csv"
    quality_page.write_rows(path, [outcome("METIS", 0.1, 0.5), outcome("stag", 0, 0, status="> 9 s")])
    with open(path, "a") as file:
        file.write("email,4,another,0,ok,4,.7,.05,,,3\n")
    page = tmp_path / "quality.md"
    command.main(["page", "quality", str(path), "--page", str(page)])
    assert "| email | 4 | .500 | > 9 s | **.700** |" in page.read_text()
    assert len(path.read_text().splitlines()) == 4  # written anew


def test_reports_hold_every_outcome(tmp_path):
    found = [outcome("METIS", 0.1, 0.5), outcome(quality.DEFAULT, 0.2, 0.6), outcome("stag", 0, 0, status="> 9 s")]
    # A method that was stopped after some of its runs.
    stopped = outcome("Leiden (igraph)", 0.1, 0.5, status="> 9 s")
    found.append(replace(stopped, method=replace(stopped.method, own_k=True), seconds=[1.0], scores=[]))
    text = quality.details(found)
    assert "> 9 s" in text
    assert "| METIS | 0.1000 | 0.5000 |" in text
    whole = report.Report("Title", [text], found, ("nc", "ari"), {"processor": "some"})
    assert whole.markdown().startswith("# Title\n\n- processor: some\n\n")
    assert '"status": "> 9 s"' in whole.json()
    pytest.importorskip("matplotlib", reason="plots need matplotlib (bench extra)")
    assert whole.plot(tmp_path / "plot.png")
    assert replace(whole, measures=("no such measure", "nc")).plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 0
    assert not report.Report("Title", [], found[2:]).plot(tmp_path / "none.png")


def test_command_lists_the_cases_and_writes_results(tmp_path, limits, capsys, options):
    command.main(["list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(command.CASES)
    limits(harness, RESULTS=tmp_path / "results")
    out = tmp_path / "out.json"
    command.main(f"run speed --quick --data {tmp_path} --peers {tmp_path}/no --json {out}".split())
    assert "no environment" in out.read_text()
    assert "# Speed" in capsys.readouterr().out
    assert len(list((tmp_path / "results").glob("speed-*.md"))) == 1
    for case in (quality, ablation, speed, search):
        options.quick = True
        assert "Not in the data folder" in case.run(options).markdown()


@pytest.fixture
def blocks(tmp_path, limits):
    """A data folder in which "har" is six clear blocks; results go there, too."""
    (tmp_path / "graphs").mkdir()
    indptr, indices = runner.small_graph(n_blocks=6, size=100)
    np.savez(tmp_path / "graphs" / "har.npz", indptr=indptr, indices=indices, labels=np.repeat(np.arange(6), 100))
    limits(harness, RESULTS=tmp_path / "results")


@pytest.mark.slow
def test_ablation_writes_the_tables_of_the_docs(blocks, tmp_path, monkeypatch):
    page = tmp_path / "docs" / "table.md"
    shared = ["run", "ablation", "--seeds", "1", "--data", str(tmp_path), "--page", str(page)]
    settings = '[{"effort": 1}, {"coreset_size": 0}]'
    monkeypatch.setattr(sys, "argv", ["bench", *shared, "--settings", settings])
    command.main(sys.argv[1:])
    lines = page.read_text().splitlines()
    assert "python -m bench run ablation --seeds 1" in lines[0]
    tables = [[cells.strip("| ").split(" | ") for cells in part.split("\n")[2:]]
              for part in page.read_text().strip().split("\n\n") if part.startswith("| ")]  # fmt: skip
    names = ["default", "`effort=1`", "`coreset_size=0`"]
    assert [[row[0] for row in rows] for rows in tables] == [names] * 3  # J, ARI, CPU seconds
    values = [[row[1] for row in rows] for rows in tables]
    assert values[0][2] == values[1][2] == values[2][2] == "-"  # refused: no coreset
    assert float(values[1][0]) == 1.0 and float(values[0][1]) <= 0.0
    with pytest.raises(SystemExit, match="not written"):
        command.main([*shared, "--graphs", "nothing"])


@pytest.mark.parametrize("make", [ablation.steps, ablation.long_steps, ablation.constants, ablation.alone])
def test_every_switch_of_the_ablation_is_used_and_put_back(make):
    """A patched name that is gone raises; it must be looked up when the function runs, not when it is defined."""
    graph = datasets.planted_partition(4, 150, 0.1, 0.01, random_state=0).graph
    first = ablation.Variant("").fit(graph, 4, 0, 1)
    for variant in make():
        for where, *new in variant.patches:
            module, _, name = f"graphcore.cluster.{where}".rpartition(".")
            if len(new) == 1 and name != "__defaults__":
                assert re.search(rf"^ .*\b{name}\b", inspect.getsource(importlib.import_module(module)), re.MULTILINE)
        if dict(variant.params).get("effort") != 16:
            assert len(variant.fit(graph, 4, 0, 1)) == 600
    np.testing.assert_array_equal(ablation.Variant("").fit(graph, 4, 0, 1), first)


@pytest.mark.slow
def test_quality_writes_the_tables_of_the_docs_now_and_later(blocks, tmp_path, monkeypatch):
    pages, out = [tmp_path / "now" / "quality.md", tmp_path / "later" / "quality.md"], tmp_path / "out.json"
    told = ["run", "quality", "--seeds", "2", "--graphs", "har", "--methods", "graphcore, n", "METIS"]
    arguments = [*told, "--data", str(tmp_path), "--peers", str(tmp_path / "none"), "--json", str(out)]
    monkeypatch.setattr(sys, "argv", ["bench", *arguments, "--page", str(pages[0])])
    command.main(sys.argv[1:])
    command.main(["page", "quality", str(out), "--page", str(pages[1])])
    first, *now = pages[0].read_text().splitlines()
    assert "2 seeds. Written by `python -m bench run quality --seeds 2 --graphs har" in first
    assert str(tmp_path) not in first
    assert "`python -m bench page quality out.json --page docs/tables/quality.md`" in pages[1].read_text()
    assert pages[1].read_text().splitlines()[1:] == now
    assert "| graph | k | graphcore, ncut | METIS |" in now
    assert next(line for line in now if line.startswith("| har | 6 |")) == "| har | 6 | **1.000** | not installed |"


@pytest.mark.slow
def test_the_stages_alone_and_their_embeddings_are_in_tables(blocks, tmp_path, capsys):
    command.main(f"run pipeline --seeds 1 --graphs har --methods contracted default --data {tmp_path}".split())
    lines = capsys.readouterr().out.splitlines()
    assert "| graph | k | contracted | default |" in lines
    assert "| mean of the 1 graphs where all ran |  | 1.0000 | 1.0000 |" in lines
    assert any(line.startswith("| har, 10 % | 6 | 0.") for line in lines)
    assert any(line.startswith("| mean, exact is 1 |  | 1.000 | ") for line in lines)


def test_means_are_of_graphs_where_all_methods_ran():
    found = [
        replace(outcome(title, nc, 0.5, status=status), graph=graph)
        for graph, nc, status in (("a", 0.1, "ok"), ("b", 0.3, "ok"), ("c", 0.9, "> 9 s"))
        for title, status in (("METIS", "ok"), ("stag", status))
    ]
    assert "| c | 4 | 0.9000 | - |\n| mean of the 2 graphs where all ran |  | 0.2000 | 0.2000 |" in (
        pipeline.scores(found, "nc")
    )


def test_of_a_graph_in_two_files_the_last_counts(tmp_path):
    files = []
    for i, graphs in enumerate((("email", "har"), ("email",))):
        found = [replace(outcome("METIS", 0.1 + i, 0.5), graph=graph, k=6) for graph in graphs]
        files.append(tmp_path / f"{i}.json")
        files[-1].write_text(report.Report("Title", [], found, machine={"date": "2026-01-01"}).json())
    # The record of a run that broke off.
    files[-1] = tmp_path / "broken.jsonl"
    files[-1].write_text("".join(json.dumps(o.as_dict()) + "\n" for o in found))
    page = tmp_path / "page.md"
    command.main(["page", "quality", *map(str, files), "--page", str(page)])
    assert "| har | 6 | **.100** |" in page.read_text()
    assert "| email | 6 | **1.100** |" in page.read_text()
    assert page.read_text().startswith("*Quality: medians over 1 seeds. Written by")


@pytest.mark.slow
def test_choose_k_writes_the_tables_of_the_docs(blocks, tmp_path):
    page = tmp_path / "table.md"
    told = f"run choose-k --seeds 2 --data {tmp_path} --page {page} --graphs har --methods information"
    command.main(told.split())
    picks, seconds = (line for line in page.read_text().splitlines() if line.startswith("| har"))
    assert picks == "| har | 6 | 6 |"
    assert all(float(text.strip(" |")) > 0 for text in seconds.split(" | ")[1:])


@pytest.mark.slow
def test_known_numbers_are_counted_by_halves(blocks, tmp_path):
    page = tmp_path / "table.md"
    arguments = ["run", "known-k", "--seeds", "2", "--data", str(tmp_path), "--page", str(page)]
    command.main([*arguments, "--graphs", "planted 5", "planted 20", "avila"])
    lines = page.read_text().splitlines()
    assert "| held out, generated | 2 | 1.00 | 1.00 | 1.00 | 1.000 |" in lines  # blocks: 5 and 50
    assert "| held out | planted 5 | 5 | 5 | 2 | 2 |" in lines
    assert "| calibration | planted 20 | 20 | 20 | 2 | 2 |" in lines
    assert not any("avila" in line for line in lines)  # not in the data folder


def test_shares_of_sets_with_a_clear_choice():
    found = [outcome("METIS", 0.1, 0.5), outcome("METIS", 0.1, 0.5)]
    verdicts = [(True, True, True), (True, True, False)], [(True, False, False), (False, True, False)]
    for one, rows in zip(found, verdicts, strict=True):
        one.scores = [{"clear": clear, "within 2": near, "right": right} for clear, near, right in rows]
    assert known_k.counted(found) == [2, "0.25", "0.75", "0.75", "0.333"]
    assert known_k.picked(replace(found[0], scores=[row | {"k": 7, "best": best} for best, row in
                                                    zip((7, 14), found[0].scores, strict=True)])) == [
        "7", "7 to 14", 2, 1,
    ]  # fmt: skip


def test_picks_are_counted():
    found = outcome("METIS", 0.1, 0.5)
    found.scores = [{"best": best, "clear": clear} for best, clear in ((9, 1), (10, 1), (10, 1), (4, 0))]
    assert choose_k.pick(found) == "10 (2), 4? (1), 9 (1)"
    found.scores = [{"best": 7, "clear": -1}] * 3
    assert choose_k.pick(found) == "7"
    assert choose_k.pick(replace(found, status="> 9 s")) == "> 9 s"
    found = outcome("METIS", 0.1, 0.5)  # fewer runs than asked for are said
    assert (found.remark, replace(found, n_asked=3).remark) == ("ok", "1 of 3 runs")
    assert replace(found, status="> 9 s", n_asked=3).remark == "> 9 s"


def test_slopes_floors_and_exponents_of_growth():
    method = growth.METHOD
    sizes = [(5_000, 100_000), (50_000, 1_000_000), (500_000, 10_000_000)]
    parts = [[{"coreset graph": 1e-12 * m**2, "entries moved over": 3 * m, "entries summed": m}] for _, m in sizes]
    outcomes = [
        Outcome(method, "g", 50, "ok", cpu_seconds=[3e-7 * m], parts=part, peak_bytes=40 * n)
        for (n, m), part in zip(sizes, parts, strict=True)
    ]
    assert growth.slope(outcomes, sizes, "coreset graph") == pytest.approx(2)
    assert growth.slope(outcomes, sizes, "cpu_seconds") == pytest.approx(1)
    assert growth.slope(outcomes[:2], sizes[:2], "coreset graph") is None
    memory = {"bytes_per_second": 4e9, "gather_seconds": {1: 1e-9, 4: 9e-9}}
    # 4 bytes in order and one look among the labels of 50,000 nodes for each of four entries an entry: 2 ns each.
    line = growth.floor(outcomes[1], *sizes[1], memory)
    assert line[1:] == pytest.approx([3, 1, 0, 0, 0, 40, 8e-3, 0.3, 0.3 / 8e-3])
    assert growth.contract(outcomes[1], 50_000)[1:] == [50_000, 0, 0, 2.0, 3.2, "yes"]
    found = [(k, Outcome(growth.METHOD, "g", k, "ok", cpu_seconds=[k**0.5])) for k in (10, 100, 1000)]
    assert clusters.exponent(found) == pytest.approx(0.5)
    assert clusters.exponent(found[:1]) is None


def test_another_numbering_is_the_same_graph():
    A = random_graph(30, 0.2, 0)
    anew = np.random.default_rng(0).permutation(30)
    B = order._numbered(A, anew)
    np.testing.assert_array_equal(B.toarray(), A.toarray()[anew][:, anew])
    assert B.has_sorted_indices
