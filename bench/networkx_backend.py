"""networkx's functions on its own dictionaries and on graphcore's backend.

``python -m bench.networkx_backend --page docs/tables/networkx.md`` writes the table of the docs. A graph of some
200,000 edges (``--edges`` for another number) with planted clusters of 200 nodes; CPU seconds, the median of three
calls, each with another seed. The first call on the backend converts the graph; later calls find the conversion.
"""

import argparse
import datetime
import statistics
import time
import warnings

import networkx as nx
import numpy as np

from graphcore.datasets import degree_corrected_partition
from graphcore.networkx import BackendGraph, backend

from . import machine

_CALLS = 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", type=int, default=200_000)
    parser.add_argument("--page", help="file to write the table to")
    arguments = parser.parse_args()
    lines = table(arguments.edges)
    if arguments.page:
        command = f"python -m bench.networkx_backend --page {arguments.page}"
        note = f"*Written by `{command}` on {datetime.date.today()}; do not edit; {machine.versions()}.*"
        with open(arguments.page, "w", encoding="utf-8") as page:
            page.write("\n".join([*lines, "", note, ""]))
    else:
        print("\n".join(lines))


def table(n_edges):
    k = max(2, n_edges // 2000)
    planted, labels = degree_corrected_partition(k, 200, mean_degree=20, mixing=0.3, random_state=0)
    G = planted.to_networkx()
    parts = [set(np.flatnonzero(labels == label).tolist()) for label in range(k)]
    warm = BackendGraph.from_networkx(nx.path_graph(3))
    backend.louvain_communities(warm, seed=0)  # loops are compiled, or read from the disk

    without, _ = measured(lambda _: BackendGraph.from_networkx(G))
    weighted, converted = measured(lambda _: BackendGraph.from_networkx(G, {"weight": 1}))
    lines = [
        f"A graph of {G.number_of_nodes():,} nodes and {G.number_of_edges():,} edges with {k} planted clusters, which "
        "are the partition of the last two; CPU seconds on a busy machine of two cores, medians of three calls. The "
        f"conversion takes {weighted:.3f} with weights and {without:.3f} without, which the last one does not need.",
        "",
        "| function | networkx | converted graph | times faster | with the conversion | modularity |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    calls = {
        "leiden_communities": lambda seed: {"seed": seed},
        "louvain_communities": lambda seed: {"seed": seed},
        "modularity": lambda seed: {"communities": parts},
        "partition_quality": lambda seed: {"partition": parts},
    }
    for name, options in calls.items():
        own, function = getattr(backend, name), getattr(nx.community, name).orig_func
        ours, found = measured(lambda seed, own=own, options=options: own(converted, **options(seed)))
        if name == "leiden_communities":
            lines.append(f"| `{name}` | none | {ours:.3f} | | | {nx.community.modularity(G, found):.4f} |")
            continue
        theirs, expected = measured(lambda seed, function=function, options=options: function(G, **options(seed)))
        reached = ""
        if name == "louvain_communities":
            values = [f"{nx.community.modularity(G, each):.4f}" for each in (found, expected)]
            reached = f"{values[0]}; networkx {values[1]}"
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-9)
        both = theirs / (ours + (without if name == "partition_quality" else weighted))
        lines.append(f"| `{name}` | {theirs:.3f} | {ours:.3f} | {theirs / ours:.0f} | {both:.1f} | {reached} |")
    return lines


def measured(function):
    """Return the median of the CPU seconds of some calls with seeds 0, 1, ..., and the last result."""
    spent = []
    for seed in range(_CALLS):
        start = time.process_time()
        result = function(seed)
        spent.append(time.process_time() - start)
    return statistics.median(spent), result


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
