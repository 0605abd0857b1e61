"""The generator of huge graphs draws what it says, and the measurement of builds compares with graphs in memory."""

import argparse
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bench import huge, huge_build
from graphcore import check_store

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def options(**given):
    values = {
        "nodes": 20_000, "edges": 300_000, "clusters": 12, "mixing": 0.25, "exponent": 2.5, "degree_ratio": 20.0,
        "order": "shuffled", "threads": 1, "seed": 3, "blocks": 5, "memory_bytes": 1 << 30,
    }  # fmt: skip
    return argparse.Namespace(**values | given)


@pytest.mark.parametrize("order", ["shuffled", "clustered"])
def test_a_planted_graph_as_asked_for(tmp_path, order):
    asked = options(order=order)
    facts = huge.generate(tmp_path / "g.store", asked)
    graph, truth = check_store(tmp_path / "g.store"), np.load(tmp_path / "g.truth.npy")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.store", "g.truth.npy"]
    assert (graph.n_nodes, graph.n_edges, graph.n_self_loops) == (asked.nodes, facts["edges"], 0)
    # Repeated edges are merged: some 2 percent here, where the largest expected degrees meet in small communities.
    assert 0.95 * asked.edges < graph.n_edges <= asked.edges + 6 * np.sqrt(asked.edges)
    sizes = np.bincount(truth, minlength=asked.clusters)
    assert sizes.min() > 0
    assert sizes.max() > 2 * np.median(sizes)
    assert graph.degrees.max() > 5 * np.median(graph.degrees)
    assert (np.diff(truth) >= 0).all() == (order == "clustered")
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    same = (truth[rows] == truth[graph.indices]).mean()
    # Placed at random, an edge lies inside a community with the probability that both ends are in it.
    volumes = np.bincount(truth, weights=graph.degrees) / graph.degrees.sum()
    expected = 1 - asked.mixing + asked.mixing * (volumes**2).sum()
    # 6 standard deviations, and two points for merged edges, which lie inside more often.
    assert abs(same - expected) < 6 * np.sqrt(0.25 / graph.n_edges) + 0.02
    if order == "shuffled":  # no block is like another, none of them differs
        halves = graph.degrees.reshape(2, -1).mean(axis=1)
        assert abs(halves[0] / halves[1] - 1) < 0.1


def test_two_threads_draw_the_same_graph(tmp_path):
    for threads in (1, 2):
        huge.generate(tmp_path / f"{threads}.store", options(threads=threads))
    one, two = check_store(tmp_path / "1.store"), check_store(tmp_path / "2.store")
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.indptr, two.indptr)


def test_expected_degrees(tmp_path):
    """Mean degrees over 40 graphs lie by the expected ones; 3 blocks, so that all kinds of pairs of blocks occur."""
    asked = options(nodes=300, edges=1500, clusters=3, degree_ratio=3.0, blocks=3)
    model, truth = huge.plan(tmp_path, asked, 3)
    weights = np.zeros(300)
    for b in range(3):
        span = slice(model.borders[b], model.borders[b + 1])
        shares = implied_shares(model.starts[b], model.members[span])
        communities = np.repeat(np.arange(3), np.diff(model.starts[b]))
        weights[span][model.members[span, 1]] = model.weights[b][communities] * shares[model.members[span, 1]]
    total = weights.sum()
    volumes = np.bincount(truth, weights=weights)
    means = (
        2
        * asked.edges
        * (
            (1 - asked.mixing) * (truth[:, None] == truth) * np.outer(weights, weights) / volumes[truth] / total
            + asked.mixing * np.outer(weights, weights) / total**2
        )
    )
    probability = 1 - np.exp(-means)
    np.fill_diagonal(probability, 0)
    expected, variance = probability.sum(axis=1), (probability * (1 - probability)).sum(axis=1)
    found = np.zeros(300)
    for seed in range(40):
        for b in range(3):
            found[model.borders[b] : model.borders[b + 1]] += huge.block_rows(model._replace(seed=seed), b)[0]
    z = (found / 40 - expected) / np.sqrt(variance / 40)
    # 300 nearly normal values: one beyond 5 by chance has probability below 0.0002, a mean beyond 0.35 still less.
    assert np.abs(z).max() < 5
    assert abs(z.mean()) < 0.35


def implied_shares(starts, table):
    """Compute the share of each item in the draws of its span by an alias table."""
    shares = np.zeros(len(table))
    for first, last in pairwise(starts):
        for share, thing, alias in table[first:last]:
            own = (float(share) + (share == 2**32 - 1)) / 2**32
            shares[thing] += own / (last - first)
            shares[alias] += (1 - own) / (last - first)
    return shares


def test_alias_tables():
    rng = np.random.default_rng(0)
    starts = np.array([0, 1, 1, 40, 100])
    weights, things = rng.random(100) ** 4 + 1e-6, rng.permutation(100).astype(np.int32)
    weights[50] = 0.0
    table = np.empty((100, 3), dtype=np.uint32)
    huge._alias_tables(starts, weights, things, table)
    totals = np.concatenate([np.full(b - a, weights[a:b].sum()) for a, b in pairwise(starts)])
    np.testing.assert_array_equal(table[:, 1], things)
    np.testing.assert_allclose(implied_shares(starts, table)[things], weights / totals, atol=1e-8)
    # The least and the greatest draw of every place and span.
    for first, size in [(0, 1), (1, 39), (40, 60)]:
        for bits, place in [(0, first), (2**64 - 1, first + size - 1)]:
            drawn = huge._draw(np.uint64(bits), first, size, table)
            assert drawn == table[place, 1 if np.uint32(bits & (2**32 - 1)) < table[place, 0] else 2]


def run_huge(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "bench" / "huge.py", *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_command_line(tmp_path):
    shape = [tmp_path / "g.store", "--nodes", "2000", "--clusters", "5", "--edges"]
    run = run_huge(*shape, "9000")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["nodes"] == 2000
    run = run_huge(*shape, str(10**15))
    assert run.returncode == 1
    assert "there is room for" in run.stderr


def test_formatted_lines(tmp_path):
    ends = np.array([[0, 10], [123456789012, 7]])
    out = np.empty(100, dtype=np.uint8)
    assert bytes(out[: huge_build.format_lines(ends, out)]) == b"0\t10\n123456789012\t7\n"
    huge_build.write_edges(tmp_path / "e.txt", 5000, block=700)
    table = np.loadtxt(tmp_path / "e.txt", dtype=np.int64)
    assert table.shape == (5000, 2)
    huge_build.head(tmp_path / "e.txt", tmp_path / "h.txt", 1234)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "h.txt", dtype=np.int64), table[:1234])


@pytest.mark.filterwarnings("ignore:the input is directed")
def test_a_measured_build(tmp_path):
    huge_build.write_edges(tmp_path / "e.txt", 3000)
    facts = huge_build.build(str(tmp_path / "e.txt"), str(tmp_path / "e.store"), "500M")
    assert huge_build.compare(tmp_path / "e.txt", tmp_path / "e.store")
    assert facts["store bytes"] > 8 * 2000  # four bytes for each end of an edge
    assert facts["seconds"] > 0
