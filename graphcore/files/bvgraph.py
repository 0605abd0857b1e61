"""BVGraph, the format of the WebGraph framework with a few bits for an arc; read whole, or block by block.

Boldi, Vigna, "The WebGraph framework I: compression techniques", WWW 2004. A graph is `NAME.graph`, a stream of bits
with the list of every node, which may be copied in parts from a list before it; and `NAME.properties`, which says how
it is written.
"""

import os
from typing import NamedTuple

import numpy as np

from ..exceptions import FormatError
from ..graphs.graph import Graph
from ..graphs.rows import Rows, check_directions, made_of, symmetrize_rows
from . import _bvgraph_loops as loops
from .edge_list import FULL_MEMORY, block_size, check_node_count
from .source import has_properties

# Nodes and arcs of a block. The arcs take 24 MB with the arrays made of them.
_NODES, _ARCS = 1 << 15, 1 << 20


# -- properties --------------------------------------------------------------------------------------------------------

_CODES = {code: getattr(loops, code) for code in ("UNARY", "GAMMA", "DELTA", "ZETA")}
# Codes of the numbers in lists, in the order of `_bvgraph_loops.py`, and of the file that says where lists begin.
_DEFAULTS = {
    "OUTDEGREES": loops.GAMMA, "REFERENCES": loops.UNARY, "BLOCK_COUNT": loops.GAMMA, "BLOCKS": loops.GAMMA,
    "INTERVALS": loops.GAMMA, "RESIDUALS": loops.ZETA, "OFFSETS": loops.GAMMA,
}  # fmt: skip


class _Properties(NamedTuple):
    """The values of NAME.properties."""

    n_nodes: int
    n_arcs: int
    window: int
    least: int  # the shortest interval, 0 for none
    k: int  # of zeta codes
    codes: tuple[int, ...]


def _read_properties(path):
    """Read the _Properties in a file, or raise a FormatError."""
    name, said = os.path.basename(path), {}
    with open(path, encoding="latin-1") as stream:
        for line in map(str.strip, stream.read(1 << 20).splitlines()):
            if line and line[0] not in "#!":
                key, _, value = line.replace(":", "=", "=" not in line).partition("=")
                said[key.strip()] = value.replace("\\", "").strip()
    kind = said.get("graphclass", "").rpartition(".")[2].strip()
    found = (kind, said.get("version", "0"), said.get("endianness", "big").lower())
    if found != ("BVGraph", "0", "big"):
        raise FormatError(
            f"{name} speaks of {said.get('graphclass', 'no graphclass')[:80]!r}, version {found[1][:20]}, endianness "
            f"{found[2][:20]}, and BVGraph, 0, big are read; store the graph anew with WebGraph, or give the graph "
            "under it, or pass format='metis' (--format metis) if the .graph is METIS's"
        )

    def number(key, default=None, low=0, high=10**18):
        text = said.get(key, default)
        if text is None or not (text.isdecimal() and len(text) <= 18 and low <= int(text) <= high):
            raise FormatError(f"{name} says {str(text)[:40]!r} for {key!r}, which is a whole number from {low} on")
        return int(text)

    codes = dict(_DEFAULTS)
    for flag in filter(None, map(str.strip, said.get("compressionflags", "").split("|"))):
        what, _, code = flag.rpartition("_")
        if what not in codes or code not in _CODES:
            raise FormatError(
                f"{name} has the compression flag {flag[:40]!r}, which is not read; store the graph anew without it"
            )
        codes[what] = _CODES[code]
    return _Properties(
        number("nodes"), number("arcs"), number("windowsize"), number("minintervallength"),
        number("zetak", "3", 1, 40), tuple(codes.values())[:-1],
    )  # fmt: skip


# -- lists -------------------------------------------------------------------------------------------------------------


class BVGraphEdges:
    """The arcs of an open Source by blocks; the attributes are those of `TextEdges`."""

    weighted, numbering, called, notes = False, None, (), ()

    def __init__(self, source, _reading, memory):
        base, self.source = os.path.splitext(source.path)[0], source
        if not has_properties(source.path):
            raise FormatError(
                f"there is no {os.path.basename(base)}.properties; put it beside it (a graph of WebGraph's is "
                "NAME.graph with NAME.properties beside it, not compressed)"
            )
        said = self._said = _read_properties(f"{base}.properties")
        self._arcs, self._n_bits = block_size(_ARCS, memory), 8 * os.path.getsize(source.path)
        self.n_nodes = said.n_nodes
        if said.n_nodes == 0:
            raise FormatError("the graph is empty: its .properties say 0 nodes")
        if said.n_nodes > self._n_bits:
            raise FormatError(
                f"the .properties say {said.n_nodes} nodes, but the file has only {self._n_bits} bits; one of them is "
                "damaged, or of another graph"
            )
        check_node_count(said.n_nodes, said.n_arcs)
        loops.warm_up()

    def blocks(self):
        """Yield (ends, no weights, share of the nodes read)."""
        for first, degrees, neighbors in self._lists():
            ends = np.empty((len(neighbors), 2), dtype=np.int32)
            ends[:, 0] = np.repeat(np.arange(first, first + len(degrees), dtype=np.int32), degrees)
            ends[:, 1] = neighbors
            yield ends, np.empty(0), (first + len(degrees)) / self.n_nodes

    def rows(self):
        """Read all lists; return (indptr, neighbours)."""
        indptr, parts = np.zeros(self.n_nodes + 1, dtype=np.int64), []
        for first, degrees, neighbors in self._lists():
            indptr[first + 1 : first + 1 + len(degrees)] = degrees
            parts.append(neighbors)
        return np.cumsum(indptr, out=indptr), np.concatenate(parts)

    def _lists(self):
        """Yield (first node, degrees, neighbours) of every block; the lists within the window stay in memory."""
        said, total, window = self._said, 0, min(self._said.window, self._said.n_nodes)
        node, position, room, n_bits = 0, 0, self._arcs, 64 * _NODES
        kept, starts = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        while node < said.n_nodes:
            # There is room for at least as much as is kept, or the kept lists would be copied too often.
            lead, room = len(starts) - 1, max(room, len(kept))
            n_more = min(max(_NODES, lead), said.n_nodes - node)
            words, start, there = self._piece(position, position + max(n_bits, 64 * n_more))
            is_last = start + there == self._n_bits
            starts = np.concatenate([starts, np.empty(n_more, dtype=np.int64)])
            lists = np.concatenate([kept, np.empty(room, dtype=np.int32)])
            how = there if is_last else there - loops.SLACK, said.codes, said.k, said.n_nodes, window, said.least
            nodes = node - lead, lead, lead + n_more
            read, after, ended = loops.read_lists(words, position - start, how, nodes, starts, lists)
            starts = starts[: read + 1]
            if ended not in (loops.DONE, loops.FULL, loops.ENDS) or (ended == loops.ENDS and is_last):
                raise FormatError(
                    f"node {node - lead + read}: its list cannot be read; the file is damaged, or the .properties are "
                    "of another graph"
                )
            if read == lead:  # too little room, or too few bits, for a single list
                room, n_bits = (min(2 * room, said.n_nodes), n_bits) if ended == loops.FULL else (room, 2 * n_bits)
                continue
            total += int(starts[-1] - starts[lead])
            if total > said.n_arcs:
                break
            yield node, np.diff(starts[lead:]), lists[starts[lead] : starts[-1]]
            node, position = node + read - lead, start + int(after)
            starts = starts[max(0, len(starts) - 1 - window) :]
            kept, starts = lists[starts[0] : starts[-1]].copy(), starts - starts[0]
        if total != said.n_arcs:
            raise FormatError(
                f"the .properties say {said.n_arcs} arcs, and there are {'more' if total > said.n_arcs else total}: "
                "one of the files is damaged, or of another graph"
            )

    def _piece(self, first, last):
        """Read at least the bits `first` to `last`; return (words, position of their first bit, number of bits)."""
        start = first >> 3
        with open(self.source.path, "rb") as stream:
            stream.seek(start)
            data = np.fromfile(stream, dtype=np.uint8, count=((last + loops.SLACK + 7) >> 3) - start)
        padded = np.zeros((len(data) + 7 >> 3 << 3) + (loops.SLACK >> 3), dtype=np.uint8)
        padded[: len(data)] = data
        return padded.view(">u8").astype(np.uint64), 8 * start, 8 * len(data)


def read_bvgraph(source, reading):
    """Read an open Source as its Reading says."""
    indptr, indices = BVGraphEdges(source, reading, FULL_MEMORY).rows()
    rows, symmetrize = Rows(indptr, indices, np.empty(0, dtype=np.float32)), reading.symmetrize
    rows, both, single = symmetrize_rows(rows, "max" if symmetrize == "error" else symmetrize)
    check_directions(both, single, single > 0, symmetrize, True)
    return made_of(Graph, rows, None)
