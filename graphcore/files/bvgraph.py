"""BVGraph, the format of the WebGraph framework with a few bits for an arc; read whole, or block by block.

Boldi, Vigna, "The WebGraph framework I: compression techniques", WWW 2004. A graph is `NAME.graph`, a stream of bits
with the list of every node, which may be copied in parts from a list before it; `NAME.properties`, which says how it is
written; and `NAME.offsets`, where the lists begin. With these, blocks of nodes are read at the same time, each with
the lists before it that it needs; without, or where chains of copies may be of any length, from the front.
"""

import os
from itertools import islice, pairwise

import numpy as np

from ..base.threads import map_items
from ..exceptions import FormatError
from ..graphs.graph import Graph
from ..graphs.rows import Rows, check_directions, made_of, symmetrize_rows
from . import _bit_loops as bits
from . import _bvgraph_loops as loops
from ._bvgraph_properties import read_properties
from ._format import FULL_MEMORY, Format, block_size, check_node_count
from ._source import check_size, has_properties

# Nodes, bits and arcs of a block, which a thread reads at once. The arcs take 24 MB with the arrays made of them.
_NODES, _BITS, _ARCS = 1 << 15, 1 << 26, 1 << 20
# Blocks that are in memory at the same time.
_AT_ONCE = 4
# The largest number of lists before a block that it may refer to; beyond, the graph is read sequentially.
_MOST_LEAD = 1 << 10
# Web graphs take a bit or more for an arc. A file whose arcs take less than a hundredth of a byte is a bomb, or very
# regular; files of a few million arcs are always read.
_ARCS_PER_BYTE, _ALWAYS_FINE = 100, 1 << 22

_DAMAGE = {
    bits.ENDS: "its list runs on beyond the end of the file",
    bits.NO_NUMBER: "its list has bits that are no number",
    loops.DEGREE: "its list is longer than there are nodes",
    loops.REFERENCE: "its list is copied from one that is before the first, or further away than allowed",
    loops.BLOCKS: "more is copied to its list than there is",
    loops.INTERVALS: "the intervals of its list are longer than the list",
    loops.RANGE: "its list names a node that does not exist",
    loops.TWICE: "its list names a node twice",
    loops.BORDER: "its list does not end where the .offsets file says",
}


class _Stream:
    """A file as bits."""

    def __init__(self, path):
        self.path, self.n_bits = path, 8 * os.path.getsize(path)

    def piece(self, first, last):
        """Read at least the bits `first` to `last`; return (words, position of their first bit, number of bits)."""
        start = first >> 3
        with open(self.path, "rb") as stream:
            stream.seek(start)
            data = np.fromfile(stream, dtype=np.uint8, count=((last + bits.SLACK + 7) >> 3) - start)
        padded = np.zeros((len(data) + 7 >> 3 << 3) + (bits.SLACK >> 3), dtype=np.uint8)
        padded[: len(data)] = data
        return padded.view(">u8").astype(np.uint64), 8 * start, 8 * len(data)


class BVGraphEdges:
    """The arcs of an open Source by blocks; the attributes are those of `TextEdges`."""

    weighted, numbering, called = False, None, ()

    def __init__(self, source, reading, memory):
        self._base = os.path.splitext(source.path)[0]
        self._arcs = block_size(_ARCS, memory)
        if not has_properties(source.path):
            lacks = f"there is no {os.path.basename(self._base)}.properties; put it beside it"
            lacks = lacks if source.path.endswith(".graph") else "this is none; give the .graph"
            raise FormatError(
                f"{lacks} (a graph of WebGraph's is NAME.graph with NAME.properties beside it, not compressed)"
            )
        self._stream = _Stream(source.path)
        self._said = said = read_properties(f"{self._base}.properties")
        self.n_nodes, self.n_arcs, self.notes = said.n_nodes, said.n_arcs, []
        if said.n_nodes == 0:
            raise FormatError("the graph is empty: its .properties say 0 nodes")
        if said.n_nodes > self._stream.n_bits:
            raise FormatError(
                f"the .properties say {said.n_nodes} nodes, but the file has only {self._stream.n_bits} bits; one of "
                "them is damaged, or of another graph"
            )
        check_node_count(said.n_nodes, said.n_arcs, source.any_size)
        arcs = f"the .properties say {said.n_arcs} arcs, more than {_ARCS_PER_BYTE} for every byte of the file"
        check_size(said.n_arcs, _ARCS_PER_BYTE * self._stream.n_bits // 8, _ALWAYS_FINE, arcs, source.any_size)
        self._window = min(said.window, said.n_nodes)
        self._how = said.codes, said.k, said.n_nodes, self._window, said.least
        lead = 0 if self._window == 0 else self._window * said.chain
        self._lead = lead if 0 <= lead <= _MOST_LEAD else None
        offsets = f"{self._base}.offsets"
        if self._lead is None or not os.path.isfile(offsets):
            self._lists = self._from_the_front
        else:
            self._offsets, self._lists = _Stream(offsets), self._at_once
        loops.warm_up()

    def blocks(self, skip, _folder):
        """Yield (ends, no weights, share of the nodes read), leaving out the first `skip` blocks."""
        for first, degrees, neighbors in self._lists(skip, _AT_ONCE):
            ends = np.empty((len(neighbors), 2), dtype=np.int32)
            ends[:, 0] = np.repeat(np.arange(first, first + len(degrees), dtype=np.int32), degrees)
            ends[:, 1] = neighbors
            yield ends, np.empty(0), (first + len(degrees)) / self.n_nodes

    def rows(self):
        """Read all lists; return (indptr, neighbours)."""
        indptr, parts = np.zeros(self.n_nodes + 1, dtype=np.int64), []
        for first, degrees, neighbors in self._lists(0, None):
            indptr[first + 1 : first + 1 + len(degrees)] = degrees
            parts.append(neighbors)
        return np.cumsum(indptr, out=indptr), np.concatenate(parts)

    # -- blocks at the same time --------------------------------------------------------------------------------------

    def _at_once(self, skip, together):
        """Yield (first node, degrees, neighbours) of every block, with `together` blocks in memory (None for all)."""
        spans = islice(self._spans(), skip, None)
        while some := list(islice(spans, together)):
            yield from map_items(self._read, some, -1 if len(some) > 1 else 1)
        self._complete(self._found)

    def _spans(self):
        """Yield blocks with the lists before them that they may copy: (first list, number before, borders, degrees).

        Degrees are read ahead, so that no block has too many arcs.
        """
        total = 0
        borders, degrees = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)  # of this chunk, lists before first
        for first, more in self._chunks():
            lead = len(degrees)
            borders = np.concatenate([borders, more])
            words, start, n_bits = self._stream.piece(int(borders[lead]), int(borders[-1]))
            degrees = np.concatenate([degrees, np.empty(len(more), dtype=np.int64)])
            found, ended = loops.read_degrees(words, borders[lead:] - start, (n_bits, *self._how), degrees[lead:])
            if ended:
                raise self._damage(first + found, ended)
            before = np.concatenate([[0], np.cumsum(degrees)])
            total = self._added(total, int(before[-1] - before[lead]))
            begin = lead
            while begin < len(degrees):
                low = max(0, begin - self._lead)
                # A block has at least as many arcs as the lists before it, or these would be read again too often.
                most = before[begin] + max(self._arcs, before[begin] - before[low])
                end = max(begin + 1, int(np.searchsorted(before, most, side="right")) - 1)
                yield first - lead + low, begin - low, borders[low : end + 1], degrees[low:end]
                begin = end
            kept = max(0, len(degrees) - self._lead)
            borders, degrees = borders[kept:], degrees[kept:]
        self._found = total

    def _chunks(self):
        """Yield (first node, ends of the lists of its chunk of nodes) for every chunk of the .offsets file."""
        said, name, position = self._said, os.path.basename(self._offsets.path), 0
        node, last = -1, 0  # the first number, 0, says where the first list begins
        while node < said.n_nodes:
            words, start, n_bits = self._offsets.piece(position, position + 64 * _NODES)
            is_last = start + n_bits == self._offsets.n_bits
            ends = np.empty(min(_NODES, said.n_nodes - node) if node >= 0 else 1, dtype=np.int64)
            found, after, ended = bits.add_gaps(
                words, position - start, n_bits if is_last else n_bits - bits.SLACK, said.offsets_code, said.k,
                last, ends,
            )  # fmt: skip
            if ended == bits.ENDS and found and not is_last:
                ends = ends[:found]
            if found < len(ends) or ends[-1] > self._stream.n_bits or (node < 0 and ends[0] != 0):
                problem = "ends too early" if found < len(ends) else "does not fit"
                raise FormatError(
                    f"{name} {problem} (at node {max(0, node + found)}): it is damaged, or of another graph; move it "
                    "away, and the graph is read without it"
                )
            if node >= 0:
                cuts = np.searchsorted(ends, np.arange(last + _BITS, ends[-1], _BITS))
                for begin, end in pairwise(np.unique([0, *cuts, len(ends)]).tolist()):
                    yield node + begin, ends[begin:end]
            node, last, position = node + len(ends) if node >= 0 else 0, int(ends[-1]), start + int(after)

    def _read(self, span):
        """Read a block; return (first node, degrees, neighbours)."""
        first, lead, borders, degrees = span
        words, start, n_bits = self._stream.piece(int(borders[0]), int(borders[-1]))
        how, nodes = (min(n_bits, int(borders[-1]) - start), *self._how), (first, lead, len(degrees))
        known, starts = np.ones(len(degrees), dtype=bool), np.zeros(len(borders), dtype=np.int64)
        lists = np.empty(int(degrees.sum()), dtype=np.int32)
        read, _, ended = loops.read_lists(words, 0, borders - start, how, nodes, known, starts, lists)
        if ended:
            raise self._damage(first + read, loops.BORDER if ended == bits.ENDS else ended)
        return first + lead, degrees[lead:], lists[starts[lead] : starts[-1]]

    # -- from the front -----------------------------------------------------------------------------------------------

    def _from_the_front(self, skip, _together):
        """Yield what `_at_once` yields, read sequentially; the lists within the window stay in memory."""
        said, total, number = self._said, 0, 0
        node, position, room, n_bits = 0, 0, self._arcs, 64 * _NODES
        kept, starts, no_borders = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        while node < said.n_nodes:
            # There is room for at least as much as is kept, or the kept lists would be copied too often.
            lead, room = len(starts) - 1, max(room, len(kept))
            n_more = min(max(_NODES, lead), said.n_nodes - node)
            words, start, there = self._stream.piece(position, position + max(n_bits, 64 * n_more))
            is_last = start + there == self._stream.n_bits
            starts = np.concatenate([starts, np.empty(n_more, dtype=np.int64)])
            lists = np.concatenate([kept, np.empty(room, dtype=np.int32)])
            how, nodes = (there if is_last else there - bits.SLACK, *self._how), (node - lead, lead, lead + n_more)
            known = np.ones(lead + n_more, dtype=bool)
            read, after, ended = loops.read_lists(words, position - start, no_borders, how, nodes, known, starts, lists)
            starts = starts[: read + 1]
            if ended not in (bits.DONE, loops.FULL, bits.ENDS) or (ended == bits.ENDS and is_last):
                raise self._damage(node - lead + read, ended)
            if read == lead:  # too little room, or too few bits, for a single list
                room, n_bits = (min(2 * room, said.n_nodes), n_bits) if ended == loops.FULL else (room, 2 * n_bits)
                continue
            total = self._added(total, int(starts[-1] - starts[lead]))
            if number >= skip:
                yield node, np.diff(starts[lead:]), lists[starts[lead] : starts[-1]]
            number, node, position = number + 1, node + read - lead, start + int(after)
            starts = starts[max(0, len(starts) - 1 - self._window) :]
            kept, starts = lists[starts[0] : starts[-1]].copy(), starts - starts[0]
        self._complete(total)

    # -- errors -------------------------------------------------------------------------------------------------------

    def _added(self, total, more):
        if total + more > self.n_arcs:
            raise FormatError(
                f"there are more than the {self.n_arcs} arcs that the .properties say: one of the files is damaged, or "
                "of another graph"
            )
        return total + more

    def _complete(self, total):
        if total != self.n_arcs:
            raise FormatError(
                f"the .properties say {self.n_arcs} arcs, but there are {total}: one of the files is damaged, or of "
                "another graph"
            )

    def _damage(self, node, ended):
        if ended == loops.BORDER:
            return FormatError(
                f"node {node}: {_DAMAGE[ended]}: one of the two is damaged, or of another graph; with the .offsets "
                "moved away the graph is read without it"
            )
        return FormatError(f"node {node}: {_DAMAGE[ended]}; it is damaged, or the files beside it are of another graph")


def read_bvgraph(source, reading):
    """Read an open Source as its Reading says."""
    edges = BVGraphEdges(source, reading, FULL_MEMORY)
    indptr, indices = edges.rows()
    rows, symmetrize = Rows(indptr, indices, np.empty(0, dtype=np.float32)), reading.symmetrize
    rows, both, single = symmetrize_rows(rows, "max" if symmetrize == "error" else symmetrize)
    check_directions(both, single, single > 0, symmetrize, True)
    return made_of(Graph, rows, None)


BVGRAPH = Format(
    "bvgraph", sniff=lambda source: has_properties(source.path), read=read_bvgraph, edges=BVGraphEdges, is_text=False,
    names=False,
)  # fmt: skip
