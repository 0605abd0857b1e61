"""Sizes that a file's header states, against what the file can hold: nothing is allocated on a header's word alone."""

from ..exceptions import FormatError

NOT_SQUARE = "an adjacency matrix is square; this one has shape {}; pass bipartite=True if its columns are other nodes"

# So many nodes cost little; beyond, most of them should have edges.
_FEW_NODES = 1 << 20
_NODES_PER_EDGE = 32


def header_sizes(words):
    """The integers that words (text or bytes) of a header are, or None if one is none or has more than 18 digits."""
    return [int(word) for word in words] if all(map(_is_size, words)) else None


def _is_size(word):
    return word.isdigit() and word.isascii() and len(word) <= 18


def check_node_count(n_nodes, n_edges, any_size):
    """Refuse a number of nodes, as a header states it, that so many edges do not make plausible."""
    if n_nodes >= 2**31:
        raise FormatError(f"the header says {n_nodes} nodes; there can be less than 2**31")
    if not any_size and n_nodes > max(_FEW_NODES, _NODES_PER_EDGE * n_edges):
        raise FormatError(
            f"the header says {n_nodes} nodes, but there are only {n_edges} edges; pass any_size=True (--any-size) if "
            "so many nodes without an edge are meant"
        )
