"""The bench runs: its cases import, a peer is scored, tables say what did not work, campaigns find nothing."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from bench import __main__ as command
from bench import harness, networkx_backend, quality_page, runner, scoring
from bench.campaigns.harness import NAMES, load, run
from bench.cases import ablation
from bench.harness import Method
from graphcore import Graph
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums
from tests.metrics.oracles import conductances


@pytest.fixture
def options(tmp_path):
    """Options of a run in which graphcore stands for its peers."""
    return harness.Options(
        data=tmp_path, peers=harness.Path(sys.executable), seeds=2, threads=1, timeout=300.0, memory_bytes=0
    )


@pytest.fixture
def graph(tmp_path):
    """The file of a graph with three blocks."""
    indptr, indices = runner.small_graph(3, 100)
    np.savez(tmp_path / "g.npz", indptr=indptr, indices=indices, labels=np.repeat(np.arange(3), 100))
    return tmp_path / "g.npz"


@pytest.mark.parametrize("name", command.CASES)
def test_a_case_says_what_it_measures_and_how_often(name):
    case = command._case(name)
    assert case.__doc__ and case.SEEDS > 0 and callable(case.run)


def test_a_method_is_measured_in_a_process_of_its_own_and_scored_or_what_did_not_work_is_told(graph, options):
    ours = Method("graphcore", "cluster", "graphcore")
    outcome = harness.measure(ours, "g", graph, 3, options)
    assert outcome.status == "ok" and len(outcome.seconds) == 2
    assert outcome.median("ari") > 0.9 and 0 < outcome.median("nc") < 0.3 and outcome.median("j") > 0
    page = quality_page.page([outcome, harness.skipped(Method("peer", "peer"), "g", 3, "does not finish")])
    assert "**" in page and "| - |" in page
    outcome = harness.measure(Method("no_such", "no_such"), "g", graph, 3, options)
    assert outcome.status.startswith("failed: KeyError") and outcome.median("nc") is None


def test_a_peer_is_scored_like_graphcore(graph, options):
    pytest.importorskip("igraph")
    outcome = harness.measure(Method("Leiden", "igraph_leiden", own_k=True), "g", graph, 3, options)
    assert outcome.status == "ok" and outcome.median("ari") > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_scores_by_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((40, 40)) < 0.1, 1)
    A = sp.csr_array((A | A.T).astype(float))
    labels = np.where(A.sum(axis=1) > 0, rng.integers(0, 4, 40), -1).astype(np.int32)
    expected = conductances(A.toarray(), labels, 6).mean()
    assert scoring.normalized_cut(A.indptr, A.indices, labels, 6) == pytest.approx(expected, abs=1e-12)
    expected = cluster_sums(Graph.from_scipy(A, warn=False).rows, labels, 4).value(OBJECTIVES["information"])
    assert scoring.information(A.indptr, A.indices, labels, 4) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("make", [ablation.steps, ablation.constants])
def test_what_the_ablation_changes_is_there(make):
    assert [variant.title for variant in make() if variant.missing] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_short_campaign_finds_nothing(name, tmp_path):
    found = run(name, load(name).short, seed=1, keep=tmp_path)
    assert not found.failures, "\n\n".join(path.read_text() for path in sorted(tmp_path.glob("*/failure.txt")))
    assert found.outcomes.total() == load(name).short


def test_the_table_of_networkx():
    assert len(networkx_backend.table(4000)) == 8


def test_a_page_has_the_latest_of_each_method_on_each_graph(tmp_path):
    def outcome(title, ari, **about):
        scores = {"ari": ari, "nc": 0.5, "j": 1.0, "modularity": 0.5, "clusters": 3}
        return harness.Outcome(Method(title, title, **about), "g", 3, "ok", [1.0], [1.0], [{}], [scores])

    old, new, page = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "page.md"
    quality_page.write_rows(old, [outcome("graphcore", 0.25), outcome("METIS", 0.5)])
    quality_page.write_rows(new, [outcome("graphcore", 0.75)])
    command.main(["page", "quality", str(old), str(new), "--page", str(page)])
    ari = {o.method.title: o.median("ari") for o in quality_page.read_rows(page.with_suffix(".csv"))}
    assert ari == {"graphcore": 0.75, "METIS": 0.5}
    assert "| Leiden | its own | - |" in quality_page.page([outcome("Leiden", 0.5, own_k=True)])
