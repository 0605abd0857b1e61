"""The work done is counted, and bounded: what a change makes slower shows here, whatever the clock says."""

import threading

import numpy as np
import pytest

from graphcore.base.progress import count, counted
from graphcore.cluster.pipeline import cluster_graph
from graphcore.cluster.settings import resolve_settings

from ..oracles import planted

pytestmark = pytest.mark.filterwarnings("ignore:.*isolated.*:graphcore.GraphWarning")


def sparse(n_clusters):
    """Clusters of 200 nodes, average degree about 10."""
    graph, _ = planted(n_clusters, 200, 0.04, 0.4 / (200 * n_clusters), 0)
    return graph


def work_of(graph, k, **given):
    with counted() as work:
        cluster_graph(graph, resolve_settings(graph, k, **given), random_state=0)
    return work


def test_everybody_listening_counts_what_all_threads_do():
    count("things", 5)  # nobody listens
    with counted() as outer:
        count("things", 1)
        with counted() as inner:
            threads = [threading.Thread(target=count, args=("things", 2)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        count("other", np.int64(3))
    count("things", 100)
    assert inner == {"things": 16} and outer == {"things": 17, "other": 3}


@pytest.mark.parametrize("n_clusters", [10, 40])
def test_one_draft_takes_a_few_passes_over_the_graph(n_clusters):
    # Nodes are moved over twice between micro-clusters and a few times between clusters; each is a part of a pass,
    # because nodes inside a cluster are passed over. Sums are taken once for micro-clusters and twice for clusters (at
    # the end for the shares outside), on the graph and on the graph between micro-clusters. A cycle of moves by groups
    # joins nodes, groups them, and moves them, at every level, each smaller than the last: two passes of each. With few
    # coreset nodes, nodes settle between larger micro-clusters.
    graph = sparse(n_clusters)
    # To choose a balance, micro-clusters are merged and moved at three more.
    chosen = work_of(graph, n_clusters, effort="fast")
    assert chosen["entries moved over"] < 9 * graph.n_entries
    work = work_of(graph, n_clusters, effort="fast", balance=1.0)
    per_entry = {name: amount / graph.n_entries for name, amount in work.items()}
    assert per_entry["entries moved over"] < 5.5
    assert per_entry["entries summed"] < 4.5
    assert per_entry["entries grouped"] < 6.5
    assert per_entry["entries joined"] < 3


def test_work_grows_with_the_entries():
    few, many = sparse(10), sparse(40)
    first, second = (work_of(graph, k, effort="fast") for graph, k in ((few, 10), (many, 40)))
    growth = many.n_entries / few.n_entries
    for name in ("entries moved over", "entries summed", "entries grouped"):
        assert second[name] / first[name] < 1.25 * growth, name
