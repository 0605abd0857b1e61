"""The table of file formats of graphs, and how a file's own is told; a new format adds its line here."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..base.validation import check_choice, check_path
from ..exceptions import FormatError, ParameterError
from .atomic import ending_of
from .bvgraph import BVGraphEdges, read_bvgraph
from .edge_list import TextEdges, read_edge_list, write_edge_list
from .library_formats import is_markup, read_matrix_market, read_networkx, write_matrix_market, write_networkx
from .metis import read_metis, write_metis
from .npz import NPZ_MAGIC, read_npz, write_npz
from .parquet import ParquetEdges, read_parquet
from .source import has_properties


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
    bipartite: bool = False  # whether `read` supports bipartite graphs
    attributes: bool = False  # whether `write` takes columns of values of the nodes


def _markup(kind, also_read=(), written=True):
    return Format(
        kind, (f".{kind}",) if written else (), also_read, sniff=partial(is_markup, kind=kind),
        read=partial(read_networkx, kind=kind), write=partial(write_networkx, kind=kind) if written else None,
        attributes=written,
    )  # fmt: skip


# Content is tried in this order. The comment of write_graph comes before other formats: its first nodes may be called
# "graph" and "[", as GML begins.
FORMATS = {format.name: format for format in (
    Format("edgelist", sniff=lambda source: source.text_head.startswith(b"# graphcore edge list;"),
           read=read_edge_list, edges=TextEdges, isolated=False, bipartite=True),
    Format("tsv", (".tsv", ".txt", ".edges", ".el", ".edgelist", ""), write=partial(write_edge_list, delimiter="\t")),
    Format("csv", (".csv",), write=partial(write_edge_list, delimiter=",")),
    Format("matrix-market", (".mtx", ".mm"), sniff=lambda source: source.text_head.startswith(b"%%matrixmarket"),
           read=read_matrix_market, write=write_matrix_market, names=False, bipartite=True),
    Format("metis", (".metis",), (".graph",), read=read_metis, write=write_metis, names=False),
    Format("npz", (".npz",), sniff=lambda source: source.head.startswith(NPZ_MAGIC), read=read_npz, write=write_npz,
           is_text=False, bipartite=True),
    _markup("graphml"), _markup("gexf"), _markup("gml"),
    _markup("pajek", (".net", ".paj"), written=False), _markup("adjlist", (".adjlist",), written=False),
    Format("parquet", sniff=lambda source: source.begins_with(b"PAR1"), read=read_parquet, edges=ParquetEdges,
           is_text=False, isolated=False, bipartite=True),
    Format("bvgraph", sniff=lambda source: has_properties(source.path), read=read_bvgraph, edges=BVGraphEdges,
           is_text=False, names=False),
)}  # fmt: skip
READABLE = tuple(name for name, format in FORMATS.items() if format.read)
# A store is a folder, written by the package `store`.
WRITABLE = (*(name for name, format in FORMATS.items() if format.write), "store")
# Text of other programs that could be taken for edges: how it begins, and what reads it.
_OTHERS = {
    rb"[{\[]":
        "JSON; make a graph of it with networkx.readwrite.json_graph for Graph.from_networkx, or a table with "
        "pandas.read_json for Graph.from_table",
    rb"<": "XML or HTML, but neither GraphML nor GEXF; export one of these, or edges as CSV",
    rb"(c\b[^\n]*\n)*p\s+\w+\s+\d+\s+\d+\s|\*\w|(strict\s+)?(di)?graph\b[^\n{]*\{|dl\s+n"
    rb"|(#[^\n]*\n)*\S+ \d+\n\S+ \{":
        "a file of another program; networkx or igraph (Graph.Read_DIMACS and others) may read it for "
        "Graph.from_networkx or Graph.from_igraph, or save the lines of its edges alone",
}  # fmt: skip


def guess_format(source, encoding="utf-8"):
    """Return the Format of an open Source, by its first bytes, then by its name."""
    found = next((format for format in FORMATS.values() if format.sniff(source)), None)
    if found is not None and not found.is_text:
        return found
    if source.suffix == ".graph" and not has_properties(source.path) and b"\0" in source.head:
        raise FormatError("a graph of WebGraph's is read where its properties lie beside it, both not compressed")
    source.require_text(encoding)
    if found is not None:
        return found
    what = next((what for begins, what in _OTHERS.items() if re.match(begins, source.text_head)), None)
    if what is not None:
        raise FormatError(f"this is {what}; or pass format='edgelist' if its lines are edges")
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
