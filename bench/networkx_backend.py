"""networkx's functions on its own dictionaries and on graphcore's backend.

``python -m bench.networkx_backend --page docs/tables/networkx.md`` writes the table of the docs. A random graph of
1,000,000 edges (``--edges`` for another number), a set of half its nodes, a partition into 20 parts; CPU seconds of one
thread, the least of three calls. The first call on the backend converts the graph; later calls find the conversion in
``G.__networkx_cache__``. What an earlier call kept beside the rows (components, the matrix) is forgotten between calls.
"""

import argparse
import datetime
import time
import warnings

import networkx as nx
import numpy as np

from graphcore.networkx import BackendGraph, backend


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--page", help="file to write the table to")
    arguments = parser.parse_args()
    lines = table(arguments.edges)
    if arguments.page:
        command = f"python -m bench.networkx_backend --page {arguments.page}"
        note = f"*Written by `{command}` on {datetime.date.today()}; do not edit.*"
        with open(arguments.page, "w", encoding="utf-8") as page:
            page.write("\n".join([*lines, "", note, ""]))
    else:
        print("\n".join(lines))


def table(n_edges):
    n_nodes = n_edges // 10
    rng = np.random.default_rng(0)
    G = nx.Graph()
    G.add_nodes_from(range(n_nodes))
    while G.number_of_edges() < n_edges:
        ends = rng.integers(0, n_nodes, (n_edges - G.number_of_edges(), 2))
        G.add_edges_from(ends[ends[:, 0] != ends[:, 1]].tolist())
    half = set(range(0, n_nodes, 2))
    parts = [set(range(i, n_nodes, 20)) for i in range(20)]
    small = BackendGraph.from_networkx(nx.path_graph(3))
    backend.is_connected(small), backend.modularity(small, [{0, 1, 2}])  # loops are compiled, or read from the disk

    converting, converted = least(lambda: BackendGraph.from_networkx(G))
    weighted_converting, _ = least(lambda: BackendGraph.from_networkx(G, {"weight": 1}))
    lines = [
        f"A random graph of {G.number_of_nodes():,} nodes and {G.number_of_edges():,} edges, a set of half its nodes, "
        f"a partition into {len(parts)} parts; CPU seconds of one thread. The conversion takes {converting:.2f}, "
        f"with a weight {weighted_converting:.2f}.",
        "",
        "| function | networkx | converted graph | times faster | with the conversion |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    calls = {
        "cut_size": (half,),
        "volume": (half,),
        "conductance": (half,),
        "normalized_cut_size": (half,),
        "node_expansion": (half,),
        "connected_components": (),
        "is_connected": (),
        "modularity": (parts,),
        "partition_quality": (parts,),
    }
    for name, arguments in calls.items():
        function = nx.utils.backends._registered_algorithms[name].orig_func

        def call(name=name, arguments=arguments):
            converted._matrices.clear()
            converted.__dict__.pop("components", None)
            return finish(getattr(backend, name)(converted, *arguments))

        ours, result = least(call)
        theirs, expected = least(lambda function=function, arguments=arguments: finish(function(G, *arguments)))
        np.testing.assert_allclose(result, expected, rtol=1e-9)
        both = theirs / (ours + converting)
        lines.append(f"| `{name}` | {theirs:.3f} | {ours:.4f} | {theirs / ours:.0f} | {both:.1f} |")
    return lines


def finish(result):
    return [len(part) for part in result] if hasattr(result, "__next__") else result


def least(function, calls=3):
    spent = []
    for _ in range(calls):
        start = time.process_time()
        result = function()
        spent.append(time.process_time() - start)
    return min(spent), result


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
