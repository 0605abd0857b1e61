"""Edge lists: one edge a line, as SNAP, KONECT, networkx and spreadsheets write them; whole, or block by block."""

import csv
import os
from dataclasses import replace
from functools import partial

import numpy as np

from ..base.progress import record
from ..exceptions import FormatError, InputError, warn_user
from ..graphs.columns import doubtful_names
from ..graphs.from_edges import graph_from_ends
from ..graphs.graph import Graph
from ..graphs.ids import Numbering, compact_ids
from ..graphs.weights import counted
from ._dialect import guess_dialect
from ._format import Format, block_size, check_node_count, first_unfit, row_pieces, unfit_reason
from ._lines import parse
from ._source import Source
from .atomic import as_text

# Characters that are parsed at once, at most; parsing takes about ten bytes for each.
CHUNK = 1 << 24
# Bytes of a line like "1 2".
_SHORTEST_EDGE = 4


def read_edge_list(source, reading):
    """Read an open Source as its Reading says."""
    dialect = guess_dialect(source, reading)
    for note in dialect.notes:
        warn_user(f"{source.name}: {note}")
    record_columns(dialect.called)
    ends, weights, names = parse(source, dialect)
    if not len(ends):  # the sampled lines were no edges in the encoding of integers
        raise FormatError("there are no edges")
    first_line = _FirstLine(source, dialect, reading)
    first_line.add(ends, weights)
    first_line.warn()
    weights = counted(np.empty(0, dtype=np.float32) if weights is None else weights, len(ends), reading.count_repeats)
    if names is not None:
        warn_of_names(source, names, dialect)
        unfit = first_unfit(names) or next((name for name in names if "\n" in name), None)
        if unfit is not None:
            raise FormatError(f"the node name {unfit!r} has control characters or line ends; is a quote not closed?")
    if reading.bipartite:
        return _bipartite_graph(ends, weights, names, reading)
    n_nodes = dialect.n_nodes if names is None else None
    if n_nodes is not None:
        if ends.max() >= n_nodes or ends.min() < 0:
            raise FormatError(f"a comment says that nodes are 0 to {n_nodes - 1}, but there are edges of other nodes")
        check_node_count(n_nodes, len(ends), source.any_size)
        ends = ends.astype(np.int32, copy=False)
    return graph_of(ends, weights, names, reading, n_nodes)


def graph_of(ends, weights, names, reading, n_nodes=None):
    """Build the graph of edges, whose ends are indices of names, numbers below n_nodes, or integers with gaps."""
    if names is None and n_nodes is None:
        numbers, names = compact_ids(ends.ravel())
        ends = numbers.reshape(-1, 2)
    n_nodes = int(ends.max()) + 1 if n_nodes is None else n_nodes
    return graph_from_ends(
        Graph, ends, weights, n_nodes, node_names=names, symmetrize=reading.symmetrize, warn=True,
        on_repeats=partial(tell_of_repeats, reading),
    )  # fmt: skip


def tell_of_repeats(reading, n_repeats):
    """Tell of lines without weights that repeat an edge in the same direction, unless weights were declined."""
    if n_repeats and reading.weight_column is not None:
        said = "1 line repeats an edge and is" if n_repeats == 1 else f"{n_repeats} lines repeat an edge and are"
        warn_user(
            f"{said} left out; pass count_repeats=True (--count-repeats) to have an edge weigh as many as it has "
            "lines, or weight_column=None to say that it counts once"
        )


def _bipartite_graph(ends, weights, names, reading):
    """Build a bipartite graph, in which names of different columns are different nodes."""
    import scipy.sparse as sp

    (rows, i), (columns, j) = (np.unique(side, return_inverse=True) for side in ends.T)
    names = [ids if names is None else [names[x] for x in ids.tolist()] for ids in (rows, columns)]
    values = counted(weights, len(ends), True)
    matrix = sp.csr_array((values, (i, j)), shape=(len(rows), len(columns)))
    if not len(weights):  # repeated edges count once
        tell_of_repeats(reading, len(ends) - matrix.nnz)
        matrix.data[:] = 1.0
    return Graph.from_biadjacency(matrix, row_names=names[0], column_names=names[1])


def record_columns(called):
    """Record what the columns of a table of edges are called: those of the two ends, and of the weights if any."""
    record("columns", {"ends": list(called[:2]), "weight": called[2] if len(called) > 2 else None})


def warn_of_names(source, names, dialect=None):
    """Warn of names that stand for missing values, or that repeat the header of a Dialect between edges."""
    note = doubtful_names(names)
    if note is None and dialect is not None and dialect.has_header and all(end in names for end in dialect.called[:2]):
        source_name, target_name = dialect.called[:2]
        note = (
            f"nodes are called {source_name!r} and {target_name!r}, as the columns are; is the header repeated below?"
        )
    if note is not None:
        warn_user(f"{source.name}: {note}")


class _FirstLine:
    """The first edge of lines, which may be the numbers of nodes and edges, or of rows, columns and entries."""

    def __init__(self, source, dialect, reading):
        self._source, self._stated, self._n_edges, self._largest = source, None, 0, 0
        self._may_be = dialect.ids != "string" and not dialect.has_header and reading.header is None

    def add(self, ends, weights):
        """Take the next edges."""
        if self._may_be and self._stated is None:
            first, second = ends[0].tolist()
            self._stated = first, second if first != second or weights is None else weights[0]
            ends = ends[1:]
        self._n_edges += len(ends)
        self._largest = max(self._largest, int(ends.max(initial=0))) if self._may_be else 0

    def skip(self, n_blocks):
        """Know nothing of the first line where its block is left out."""
        self._may_be = self._may_be and n_blocks == 0

    def warn(self):
        """Warn where the first line states the number of the others, and as many nodes as they have, or more."""
        if (
            self._stated is not None
            and self._n_edges > 1
            and self._stated[1] == self._n_edges
            and (self._stated[0] >= self._largest)
        ):
            warn_user(
                f"{self._source.name}: the first line has {self._stated[0]} and {self._n_edges}, and {self._n_edges} "
                "lines follow; pass header=True (--header) if it states the numbers of nodes and edges"
            )


class TextEdges:
    """The edges of an open Source by blocks: pieces of the text, each parsed as a whole file would be.

    `notes` are warnings about columns that are not read; `called` is what those that are read are called; `n_nodes` is
    None unless the file states it; `numbering` numbers names, and is None where ids are integers.
    """

    def __init__(self, source, reading, memory):
        self._source, self._dialect = source, guess_dialect(source, reading)
        self._first_line = _FirstLine(source, self._dialect, reading)
        self._chunk = block_size(CHUNK, memory)
        self.notes, self.n_nodes = self._dialect.notes, self._dialect.n_nodes
        self.weighted, self.called = self._dialect.weight_column is not None, self._dialect.called
        self.numbering = Numbering() if self._dialect.ids == "string" else None
        if self.n_nodes is not None:
            check_node_count(self.n_nodes, source.size // _SHORTEST_EDGE, source.any_size)

    def blocks(self, skip, folder):
        """Yield (ends, weights, share of the file read), leaving out the first `skip` blocks."""
        dialect = replace(self._dialect, skip=0)
        piece = _Piece(os.path.join(folder, "piece"), self._source)
        piece.first_line = self._dialect.skip
        self._first_line.skip(skip)
        for number, (text, share) in enumerate(self._texts()):
            if number >= skip:
                with open(piece.path, "w", encoding=dialect.text_encoding, newline="") as stream:
                    stream.write(text)
                ends, weights, names = parse(piece, dialect)
                self._first_line.add(ends, weights)
                if names is not None:
                    ends = self.numbering.of(names, len(names))[ends]
                elif ends.dtype == np.int64:
                    dialect = replace(dialect, wide=True)  # later pieces need not be tried with 32 bits
                yield ends, np.empty(0) if weights is None else weights, share
            piece.first_line += text.count("\n")
        self._first_line.warn()
        warn_of_names(self._source, self.numbering or (), dialect)

    def _texts(self):
        """Yield (whole lines of about a chunk, share of the file read)."""
        size = max(1, os.stat(self._source.path).st_size)
        with self._source.text(self._dialect.text_encoding) as text:
            # The share is measured in the compressed file, if it is one.
            file = getattr(text.buffer.raw, "compressed", text.buffer)
            for _ in range(self._dialect.skip):
                text.readline()
            while chunk := text.read(self._chunk):
                try:
                    share = os.lseek(file.fileno(), 0, os.SEEK_CUR) / size
                except OSError:
                    share = 0.0
                yield chunk + text.readline(), share


class _Piece(Source):
    """A piece of decompressed text in a temporary file."""

    def __init__(self, path, source):
        self.path, self.name = path, source.name
        self.compression, self.direct, self.head, self.any_size = None, True, b"", False


def write_edge_list(graph, stream, delimiter):
    """Write each edge once, lower node first, to a text stream; a graph without names notes its node count."""
    names = graph.node_names
    if names is not None and graph.n_isolated:
        warn_user(
            f"{graph.n_isolated} isolated nodes are not in the edge list, which has no place for their names; .npz has"
        )
    # Other programs cannot read comments in CSV, so there the comment is written only when nodes would be lost.
    if delimiter == "\t" or (names is None and graph.n_isolated):
        kind = "integer" if names is None or names.dtype.kind in "iu" else "string"
        count = graph.n_nodes if names is None else "named"
        weights = "no" if graph.weights is None else "yes"
        stream.write(f"# graphcore edge list; nodes: {count}; ids: {kind}; weights: {weights}\n")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    if delimiter == ",":
        writer.writerow(["source", "target", *([] if graph.weights is None else ["weight"])])
    if names is not None:
        names = _checked_names(names, delimiter)
    for sources, targets, weights in upper_edges(graph):
        ends = [ids.tolist() if names is None else names[ids].tolist() for ids in (sources, targets)]
        writer.writerows(zip(*ends, strict=True) if weights is None else zip(*ends, weights.tolist(), strict=True))


def upper_edges(graph):
    """Yield (sources, targets, weights or None) of the edges listed from their lower end, some rows at a time."""
    for first, last in row_pieces(graph):
        span = slice(graph.indptr[first], graph.indptr[last])
        sources = np.repeat(np.arange(first, last), np.diff(graph.indptr[first : last + 1]))
        kept = sources <= graph.indices[span]
        weights = None if graph.weights is None else graph.weights[span][kept]
        yield sources[kept], graph.indices[span][kept], weights


def _checked_names(names, delimiter):
    """Return names as they are written; refuse blank or repeated ones and those with line ends or some quotes."""
    names = np.array(list(map(str, names.tolist())), dtype=object) if names.dtype.kind == "O" else names
    if len(set(names.tolist())) < len(names):
        raise InputError("two nodes have the same name, and an edge list would make one of them; write .npz instead")
    if names.dtype.kind in "iu":
        return names
    reason = unfit_reason(names.tolist())
    if reason is not None:
        raise InputError(f"{reason}; write .npz instead")
    forbidden = '\n\r"' if delimiter == "," else '\n\r\t"'
    for name in map(str, names.tolist()):
        if not name or name != name.strip() or name[0] in "#%" or any(mark in name for mark in forbidden):
            raise InputError(f"node name {name!r} cannot be written to an edge list; write .npz instead")
    return names


def _write(graph, stream, delimiter):
    with as_text(stream) as text:
        write_edge_list(graph, text, delimiter)


# The comment of write_graph comes before other formats: its first nodes may be called "graph" and "[", as GML begins.
EDGE_LIST = Format(
    "edgelist", sniff=lambda source: source.text_head.startswith(b"# graphcore edge list;"), read=read_edge_list,
    edges=TextEdges, isolated=False, bipartite=True, idle=(),
)  # fmt: skip
KONECT = replace(EDGE_LIST, name="konect", sniff=lambda source: False)
TSV = Format("tsv", (".tsv", ".txt", ".edges", ".el", ".edgelist", ""), write=partial(_write, delimiter="\t"))
CSV = Format("csv", (".csv",), write=partial(_write, delimiter=","))
