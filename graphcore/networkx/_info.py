"""Description of the backend for networkx, which imports this module early: plain data, no imports."""

_SEARCH = (
    "Drafts are improved and recombined, as by graphcore.CoresetSpectralClustering with objective='modularity'. "
    "Communities are connected, the largest comes first, and a seed means other communities than in networkx. "
)
FUNCTIONS = {
    "leiden_communities": _SEARCH + "`max_level` is the number of drafts at most.",
    "louvain_communities": _SEARCH + "Directed graphs, `max_level` and another `threshold` are left to networkx.",
    "modularity": "",
    "partition_quality": "",
}


def get_info():
    """Describe the backend, for the entry point ``networkx.backend_info``."""
    return {
        "backend_name": "graphcore", "package": "graphcore", "project": "graphcore",
        "short_summary": "Communities by modularity, and the quality of partitions, on compressed sparse rows.",
        "functions": {name: {"additional_docs": text} if text else {} for name, text in FUNCTIONS.items()},
    }  # fmt: skip
