"""Clusters a graph on disk with default settings, and draws coresets of it: seconds, memory, quality.

    python bench/huge.py OUT.store && python -m bench.huge_cluster OUT.store
    python -m bench.huge_cluster OUT.store --clusters 100 --coresets 100 1000 5000

Memory is anonymous memory, read ten times a second (Linux only): what the system keeps of the graph in its page
cache is not counted. The communities that bench/huge.py planted are read from OUT.truth.npy; without --clusters there
are to be as many clusters. `--coresets` draws coresets of 100,000 points by importance sampling, with 2 k seeds for
each k given: figure 2 of the coreset paper at its real size. Labels go to OUT.labels.npy.
"""

import argparse
import json
import os
import sys
import time
import warnings

import numpy as np

import graphcore
from graphcore.base.progress import Stages
from graphcore.cluster.pipeline.cluster import cluster_graph
from graphcore.cluster.pipeline.settings import resolve_settings
from graphcore.metrics import agreement, normalized_cut

from .vectors import AnonymousMemory


def warm_up():
    """Load or compile the loops, so that this is not counted."""
    ends = np.arange(40)
    graph = graphcore.Graph.from_edges(ends, (ends + 1) % 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster_graph(
            graph,
            resolve_settings(graph, 2, effort="fast"),
            random_state=0,
            n_jobs=2,
        )
        graphcore.build_coreset(graph, 2, size=10, method="importance", random_state=0)


def cluster(path, graph, k, options):
    """Cluster with default settings; returns figures."""

    def tell(stage):
        print(f"{time.perf_counter() - start:6.0f} s  {stage}", file=sys.stderr, flush=True)

    with AnonymousMemory() as memory:
        start, processor = time.perf_counter(), time.process_time()
        found = cluster_graph(
            graph, resolve_settings(graph, k), random_state=options.seed, n_jobs=options.threads, stages=Stages(tell)
        )
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
    tell("scores")
    np.save(path.removesuffix(".store") + ".labels.npy", found.labels)
    truth = path.removesuffix(".store") + ".truth.npy"
    return {
        "n_clusters": k,
        "coreset": len(found.coreset),
        "seconds": seconds,
        "processor seconds": processor,
        "stages": found.seconds,
        "peak anonymous bytes": memory.peak,
        "normalized cut": normalized_cut(graph, found.labels, k, n_jobs=options.threads),
        "history": found.history,
        **(agreement(found.labels, np.load(truth, mmap_mode="r")) if os.path.exists(truth) else {}),
    }


def coreset(graph, k, options):
    """Draw one coreset by importance sampling; returns figures."""
    with AnonymousMemory() as memory:
        start, processor = time.perf_counter(), time.process_time()
        found = graphcore.build_coreset(graph, k, size=options.size, method="importance", random_state=options.seed)
        return {
            "n_clusters": k,
            "coreset": len(found),
            "seconds": time.perf_counter() - start,
            "processor seconds": time.process_time() - processor,
            "peak anonymous bytes": memory.peak,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="OUT.store")
    parser.add_argument("--clusters", type=int, help="default: as many as were planted; 0 for none")
    parser.add_argument("--coresets", type=int, nargs="*", default=[], metavar="K")
    parser.add_argument("--size", type=int, default=100_000, help="points of these coresets")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    path = options.path.rstrip("/")
    graph = graphcore.open_graph(path)
    k = options.clusters
    if k is None:
        k = int(np.load(path.removesuffix(".store") + ".truth.npy", mmap_mode="r").max()) + 1
    warm_up()
    facts = {"nodes": graph.n_nodes, "edges": graph.n_edges}
    if k:
        facts["clustering"] = cluster(path, graph, k, options)
    facts["coresets"] = [coreset(graph, count, options) for count in options.coresets]
    print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
