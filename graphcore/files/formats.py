"""The table of all file formats of graphs; a new format adds its file here, by one line."""

import os
import re

from ..base.validation import check_choice, check_path
from ..exceptions import FormatError, ParameterError
from .atomic import ending_of
from .bvgraph import BVGRAPH
from .edge_list import CSV, EDGE_LIST, KONECT, TSV
from .markup import ADJLIST, GEXF, GML, GRAPHML, MULTILINE
from .matrix_market import MATRIX_MARKET
from .metis import METIS
from .npz import NPZ
from .parquet import PARQUET

# Content is tried in this order.
FORMATS = {
    format.name: format
    for format in (
        EDGE_LIST, KONECT, TSV, CSV, MATRIX_MARKET, METIS, NPZ,
        GRAPHML, GEXF, GML, ADJLIST, MULTILINE,
        PARQUET, BVGRAPH,
    )
}  # fmt: skip
READABLE = tuple(name for name, format in FORMATS.items() if format.read)
# A store is a folder, written by the package `store`.
WRITABLE = (*(name for name, format in FORMATS.items() if format.write), "store")

# Text formats of other programs that could be taken for edges, with a way to convert each.
_COMMENTS = rb"(?:\s|[#%][^\n]*|//[^\n]*|/\*.*?\*/)*+"
_FOREIGN = {
    rb"\*(network|vertices|arcs|edges|matrix)\b":
        "a Pajek network; read it with igraph: graphcore.Graph.from_igraph(igraph.Graph.Read_Pajek(path))",
    rb"dl[\s,]+n[rcm]?\s*=":
        "a UCINET (DL) file; read it with igraph: graphcore.Graph.from_igraph(igraph.Graph.Read_DL(path))",
    rb"(strict\s+)?(di)?graph\b\s*(\"[^\"]*\"|[\w.-]+)?\s*\{":
        "a graph in Graphviz's language (DOT); make GML of it with Graphviz: gv2gml graph.dot > graph.gml",
}  # fmt: skip


def guess_format(source):
    """Return the Format of an open Source, by its first bytes, then by its name.

    A FormatError, where the content cannot be text, names the file that a WebGraph graph lacks.
    """
    found = next((format for format in FORMATS.values() if format.sniff(source)), None)
    if found is not None and not found.is_text:
        return found
    base, name = os.path.splitext(source.path)[0], os.path.basename(source.path)
    if source.suffix in (".properties", ".offsets") and os.path.exists(f"{base}.graph"):
        raise FormatError(f"this is a part of a WebGraph graph; give its other file, {os.path.basename(base)}.graph")
    try:
        source.require_text()
    except FormatError as error:
        if source.suffix != ".graph" or not source.head:
            raise
        raise FormatError(
            f"{error}; a graph of WebGraph's is read where its properties lie beside it, as "
            f"{name.partition('.graph')[0]}.properties, both of them not compressed"
        ) from None
    if found is not None:
        return found
    text = source.text_head
    if text.startswith(b"<"):
        raise FormatError("this is XML or HTML, but neither GraphML nor GEXF")
    for mark, what in _FOREIGN.items():
        if re.match(_COMMENTS + mark, text, re.DOTALL):
            raise FormatError(f"this is {what}, or pass format='edgelist' if its lines are edges")
    if text.startswith((b"{", b"[")):
        raise FormatError("this looks like JSON, which is not read; pass format='edgelist' if it is an edge list")
    named = (f for f in FORMATS.values() if f.read and source.suffix in (*f.suffixes, *f.also_read))
    return next(named, EDGE_LIST)


def ending_format(path):
    """Return (name of the output format by the ending of a path, or None; the compression's ending, or "")."""
    ending, compression = ending_of(path)
    found = (name for name, format in FORMATS.items() if format.write and ending in format.suffixes)
    return "store" if ending == ".store" else next(found, None), compression


def output_format(path, format=None):
    """Return (name of the format, compression) of a graph file to be written, or raise a ParameterError."""
    check_choice("format", format, (None, *WRITABLE))
    check_path(path)
    by_name, compression = ending_format(path)
    name = format or by_name
    if name is None:
        raise ParameterError(
            f"the ending {ending_of(path)[0]!r} of {str(path)!r} has no format; pass format=NAME, one of "
            f"{', '.join(WRITABLE)} (Gephi and Cytoscape open gexf and graphml)"
        )
    if name == "store" and compression:
        raise ParameterError(f"{str(path)!r} cannot be compressed: a graph on disk is mapped as it is")
    return name, compression
