"""networkx's planted partition model, in time proportional to nodes and edges."""

import numpy as np

__all__ = ["planted_partition_graph"]


def planted_partition_graph(l, k, p_in, p_out, seed=None, directed=False):  # noqa: E741
    """Draw a graph of l groups of k nodes, as a networkx graph."""
    import networkx as nx

    from ..datasets.planted import planted_partition

    if directed:
        raise NotImplementedError("directed random graphs are not made by graphcore")
    for name, value in (("p_in", p_in), ("p_out", p_out)):
        if not 0.0 <= value <= 1.0:
            raise nx.NetworkXError(f"{name} must be in [0,1]")
    graph, labels = planted_partition(l, k, p_in, p_out, random_state=seed.randrange(2**31))
    G = nx.Graph(name="stochastic_block_model", partition=[set(range(i * k, (i + 1) * k)) for i in range(l)])
    G.add_nodes_from((node, {"block": block}) for node, block in enumerate(labels.tolist()))
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    kept = rows < graph.indices
    G.add_edges_from(zip(rows[kept].tolist(), graph.indices[kept].tolist(), strict=True))
    return G
