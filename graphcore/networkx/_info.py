"""What networkx asks of a backend while it is imported: plain data, nothing heavy."""

__all__ = ["FUNCTIONS", "get_info"]

FUNCTIONS = {
    "boundary_expansion": "", "conductance": "", "connected_components": "", "cut_size": "", "edge_expansion": "",
    "is_connected": "", "is_partition": "", "mixing_expansion": "", "modularity": "", "node_connected_component": "",
    "node_expansion": "", "normalized_cut_size": "", "number_connected_components": "", "partition_quality": "",
    "planted_partition_graph": "Runs in O(nodes + edges). The same seed gives another graph than networkx's own code.",
    "volume": "",
}  # fmt: skip


def get_info():
    """Describe the backend, for the entry point ``networkx.backend_info``."""
    return {
        "backend_name": "graphcore", "package": "graphcore", "project": "graphcore",
        "short_summary": "Cuts, components and partition quality on compressed sparse rows.",
        "functions": {name: {"additional_docs": text} if text else {} for name, text in FUNCTIONS.items()},
    }  # fmt: skip
