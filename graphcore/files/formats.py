"""The table of file formats of graphs, and how a file's own is told; a new format adds its line here."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..base.validation import check_choice, check_path
from ..exceptions import FormatError, InputError, ParameterError, warn_user
from ..graphs.columns import edge_columns
from .atomic import ending_of
from .bvgraph import BVGraphEdges, read_bvgraph
from .edge_list import BadLines, TextEdges, graph_of_blocks, record_columns, write_edge_list
from .library_formats import read_matrix_market, read_networkx, write_matrix_market, write_networkx
from .metis import read_metis, write_metis
from .npz import NPZ_MAGIC, read_npz, write_npz
from .parquet import ParquetEdges
from .source import Source, has_properties, is_stream, naming, open_source, parts_of


@dataclass(frozen=True)
class Format:
    """A file format: its name, endings, reader and writer."""

    name: str
    suffixes: tuple[str, ...] = ()  # endings of its files, where the content is of no other format
    also_read: tuple[str, ...] = ()  # endings of its files that are read, but not written
    sniff: Callable[[Any], bool] = lambda source: False  # whether the first bytes of a Source are of this format
    read: Any = None  # read(source, reading): a Graph
    write: Any = None  # write(graph, binary stream), where `attributes` are taken with them as the third argument
    edges: Any = None  # edges(source, reading, memory): blocks of edges for a store, with the attributes of TextEdges
    is_text: bool = True
    names: bool = True  # whether it holds names of nodes
    isolated: bool = True  # whether it holds nodes without an edge
    attributes: bool = False  # whether `write` takes columns of values of the nodes


_GML_OPENING = re.compile(rb"(?:(?:#|creator\b|version\b|comment\b)[^\n]*\s+)*graph\s*\[")
_NETWORKX_OPENING = re.compile(rb"(?:\S+ \S+ \{\}\s+)*\S+ \S+ \{'[^\n]*\}\r?\n")
_PAJEK_OPENING = re.compile(rb"(?:%[^\n]*\s+)*\*(?:vertices[ \t]+\d|(?:network|arcs|edges|matrix)\b)")


def is_markup(source, kind):
    """Return whether a Source begins as files of this kind do."""
    head = source.text_head
    if kind in ("graphml", "gexf"):
        return head.startswith(b"<") and re.search(rf"<(\w+:)?{kind}\b".encode(), head) is not None
    opening = {"gml": _GML_OPENING, "pajek": _PAJEK_OPENING, "networkx": _NETWORKX_OPENING}.get(kind)
    return opening is not None and opening.match(head) is not None


def _markup(kind, also_read=(), written=True):
    return Format(
        kind, (f".{kind}",) if written else (), also_read, sniff=partial(is_markup, kind=kind),
        read=partial(read_networkx, kind=kind), write=partial(write_networkx, kind=kind) if written else None,
        attributes=written,
    )  # fmt: skip


def _read_edges(source, reading, edges):
    """Read an open Source of edges as its Reading says."""
    return graph_of_blocks(Tables([edges(source, reading)]), reading, source.name)


# Content is tried in this order. The comment of write_graph comes before other formats: its first nodes may be called
# "graph" and "[", as GML begins.
FORMATS = {format.name: format for format in (
    Format("edgelist", sniff=lambda source: source.text_head.startswith(b"# graphcore edge list;"),
           read=partial(_read_edges, edges=TextEdges), edges=TextEdges, isolated=False),
    Format("tsv", (".tsv", ".txt", ".edges", ".el", ".edgelist", ""), write=partial(write_edge_list, delimiter="\t")),
    Format("csv", (".csv",), write=partial(write_edge_list, delimiter=",")),
    Format("matrix-market", (".mtx", ".mm"), sniff=lambda source: source.text_head.startswith(b"%%matrixmarket"),
           read=read_matrix_market, write=write_matrix_market, names=False),
    Format("metis", (".metis",), (".graph",), read=read_metis, write=write_metis, names=False),
    Format("npz", (".npz",), sniff=lambda source: source.head.startswith(NPZ_MAGIC), read=read_npz, write=write_npz,
           is_text=False),
    _markup("graphml"), _markup("gexf"), _markup("gml"),
    _markup("pajek", (".net", ".paj"), written=False), _markup("adjlist", (".adjlist",), written=False),
    _markup("networkx", written=False),
    Format("parquet", sniff=lambda source: source.begins_with(b"PAR1"), read=partial(_read_edges, edges=ParquetEdges),
           edges=ParquetEdges, is_text=False, isolated=False),
    Format("bvgraph", sniff=lambda source: has_properties(source.path), read=read_bvgraph, edges=BVGraphEdges,
           is_text=False, names=False),
)}  # fmt: skip
READABLE = tuple(name for name, format in FORMATS.items() if format.read)
# A store is a folder, written by the package `store`.
WRITABLE = (*(name for name, format in FORMATS.items() if format.write), "store")


def guess_format(source, encoding):
    """Return the Format of an open Source, by its first bytes, then by its name."""
    found = next((format for format in FORMATS.values() if format.sniff(source)), None)
    if found is not None and not found.is_text:
        return found
    if source.suffix == ".graph" and not has_properties(source.path) and b"\0" in source.head:
        raise FormatError("a graph of WebGraph's is read where its properties lie beside it, both not compressed")
    source.require_text(encoding)
    if found is not None:
        return found
    source.require_lines()
    named = (f for f in FORMATS.values() if f.read and source.suffix in (*f.suffixes, *f.also_read))
    return next(named, FORMATS["edgelist"])


def output_format(path, format=None):
    """Return (name of the format, compression) of a graph file to be written, or raise a ParameterError."""
    check_choice("format", format, (None, *WRITABLE))
    check_path(path)
    ending, compression = ending_of(path)
    endings = {".store": "store"} | {each: f.name for f in FORMATS.values() if f.write for each in f.suffixes}
    name = format or endings.get(ending)
    if name is None:
        raise ParameterError(
            f"the ending {ending!r} of {str(path)!r} has no format; pass format=NAME, one of "
            f"{', '.join(WRITABLE)} (Gephi and Cytoscape open gexf and graphml)"
        )
    if name == "store" and compression:
        raise ParameterError(f"{str(path)!r} cannot be compressed: a graph on disk is mapped as it is")
    return name, compression


# -- several files as one list of edges --------------------------------------------------------------------------------


@contextlib.contextmanager
def open_tables(paths, reading, memory):
    """Yield the Tables of files and folders of edges; a part that holds the header of others alone is empty."""
    with contextlib.ExitStack() as stack:
        sources = [_source(stack, file) for path in paths for file in parts_of(os.fspath(path))]
        first = {source: source.head.strip().partition(b"\n")[0].strip() for source in sources}
        has_one = {source: source.head.strip() == first[source] for source in sources}
        tables = {source: _opened(source, reading, memory) for source in sources if not has_one[source]}
        headers = {first[source] for source, table in tables.items() if all(isinstance(c, str) for c in table.called)}
        others = [source for source in sources if has_one[source] and first[source] not in headers]
        tables |= {source: _opened(source, reading, memory) for source in others}
        yield Tables([tables[source] for source in sources if source in tables])


def _source(stack, path):
    """Open a file; a stream is kept as a copy, until all is done."""
    if is_stream(path):
        return stack.enter_context(open_source(path))
    if os.path.isdir(path):
        raise InputError(f"{path} is a graph on disk, which no edges are added to: build it from all files of edges")
    with naming(path):
        return Source(path, path)


def _opened(source, reading, memory):
    with naming(source.name):
        kind = guess_format(source, reading.encoding)
        if kind.edges is None:
            raise FormatError(
                f"this is a {kind.name} file; several files, and files to build from, are edge lists, Parquet tables "
                "or BVGraphs. What fits in memory can be written with graphcore.write_graph (graphcore convert)"
            )
        return kind.edges(source, reading, memory)


class Tables:
    """One or several tables, one after the other, as one input: TextEdges, ParquetEdges or BVGraphEdges.

    `numbering` numbers names of nodes, and is None where ids are integers; `compact` says whether these may have gaps;
    `n_nodes` is None where it is not known; `ones` is the type of weights where each edge counts once, as for a graph
    in memory; `of_lines`, whether an edge is a line of a file.
    """

    ones, of_lines = np.float32, True

    def __init__(self, tables):
        self._tables, first, self.bad = tables, tables[0], BadLines()
        self.numbering, weighted = first.numbering, first.weighted
        for table in tables:
            if (table.numbering is None) != (self.numbering is None):
                kinds = ["integers" if one.numbering is None else "names" for one in (first, table)]
                raise InputError(
                    f"the nodes of {first.source.name} are {kinds[0]}, those of {table.source.name} {kinds[1]}; pass "
                    "ids='string' to read all of them as names"
                )
            if table.weighted != weighted:
                has, has_none = (first, table) if weighted else (table, first)
                raise InputError(
                    f"{has.source.name} has weights and {has_none.source.name} has none; pass weight_column=None to "
                    "leave them out"
                )
        if first.called:
            record_columns(first.called)
        self.called = first.called
        said: set = set()
        n_told = Counter(note for table in tables for note in table.notes)
        for table in tables:
            if [*table.called] != [*first.called]:
                called = (f"{', '.join(map(str, one.called))} of {one.source.name}" for one in (first, table))
                said_of = f"the columns {' and '.join(called)} are read"
                both = first.called and table.called
                if both and type(table) is not type(first):
                    raise InputError(f"{said_of}, files of two kinds; give those that hold edges")
                ends = {first.called[:2], table.called[:2]}
                is_named = all(isinstance(name, str) for name in (*first.called, *table.called))
                if is_named and (len(ends) == 1 or all(map(edge_columns, ends))):
                    warn_user(said_of)
                elif both and (is_named or table.places != first.places):
                    raise InputError(f"{said_of}; give all parts the same header, or none, or pass columns= by number")
            for note in (note for note in table.notes if note not in said):  # of many parts, once
                more = f" and {n_told[note] - 1} more" if n_told[note] > 1 else ""
                warn_user(f"{table.source.name}{more}: {note}")
            said.update(table.notes)
            table.numbering, table.bad = self.numbering, self.bad  # all tables share one numbering
        known = [table.n_nodes for table in tables]
        self.n_nodes = None if None in known else max(known)
        self.compact = self.n_nodes is None and self.numbering is None

    def blocks(self):
        """Yield (ends (n_edges, 2), weights of length 0 for none, share of the input read) of every block."""
        sizes = [os.stat(table.source.path).st_size for table in self._tables]
        total, before = max(1, sum(sizes)), 0
        for table, size in zip(self._tables, sizes, strict=True):
            with naming(table.source.name):
                for ends, weights, share in table.blocks():
                    yield ends, weights, (before + share * size) / total
            before += size
