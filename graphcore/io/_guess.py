"""What a graph's file is written in, by its first bytes and its name."""

import os
import re

from ..exceptions import FormatError

NPZ_MAGIC = b"PK\x03\x04"
MATRIX_MARKET_BANNER = b"%%matrixmarket"
_OWN_HEADER = b"# graphcore edge list;"
_SUFFIXES = {
    ".mtx": "matrix-market", ".mm": "matrix-market", ".graph": "metis", ".metis": "metis", ".npz": "npz",
    ".graphml": "graphml", ".gexf": "gexf", ".gml": "gml", ".adjlist": "adjlist",
}  # fmt: skip
# What other programs write and would pass for edges, and what makes of it something that is read.
_COMMENTS = rb"(?:\s|[#%][^\n]*|//[^\n]*|/\*.*?\*/)*+"
_FOREIGN = {
    rb"\*(network|vertices|arcs|edges|matrix)\b":
        "a Pajek network; read it with igraph: graphcore.Graph.from_igraph(igraph.Graph.Read_Pajek(path))",
    rb"dl[\s,]+n[rcm]?\s*=":
        "a UCINET (DL) file; read it with igraph: graphcore.Graph.from_igraph(igraph.Graph.Read_DL(path))",
    rb"(strict\s+)?(di)?graph\b\s*(\"[^\"]*\"|[\w.-]+)?\s*\{":
        "a graph in Graphviz's language (DOT); make GML of it with Graphviz: gv2gml graph.dot > graph.gml",
}  # fmt: skip
# Lines that may stand before the graph of a GML file.
_BEFORE_GML = re.compile(rb"#|(creator|version|comment)\b")


def guess_format(source):
    """Name the format of an open Source by its first bytes, then by its name."""
    head = source.head
    if head.startswith(NPZ_MAGIC) or source.begins_with(b"PAR1"):
        return "npz" if head.startswith(NPZ_MAGIC) else "parquet"
    if source.suffix == ".graph" and os.path.exists(f"{os.path.splitext(source.path)[0]}.properties"):
        raise FormatError(
            "this is a WebGraph file, for a .properties lies beside it; make a list of edges of it with WebGraph: "
            "java it.unimi.dsi.webgraph.ArcListASCIIGraph BASENAME edges.txt"
        )
    source.require_text()
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(MATRIX_MARKET_BANNER):
        return "matrix-market"
    if text.startswith(b"<"):
        for kind in ("graphml", "gexf"):
            if f"<{kind}".encode() in text:
                return kind
        raise FormatError("this is XML or HTML, but neither GraphML nor GEXF")
    if text.startswith(_OWN_HEADER):
        return "edgelist"  # whose first nodes may be called "graph" and "["
    if _is_gml(text):
        return "gml"
    for mark, what in _FOREIGN.items():
        if re.match(_COMMENTS + mark, text, re.DOTALL):
            raise FormatError(f"this is {what}, or pass format='edgelist' if its lines are edges")
    if text.startswith((b"{", b"[")):
        raise FormatError("this looks like JSON, which is not read; pass format='edgelist' if it is an edge list")
    if source.suffix == ".npz":
        raise FormatError("this is no .npz archive (which begins with 'PK')")
    return _SUFFIXES.get(source.suffix, "edgelist")


def _is_gml(text):
    """Whether a text, in small letters, begins with `graph [`, comments and some keys before it left out."""
    lines = [line for line in map(bytes.strip, text.splitlines()) if line]
    first = next((i for i, line in enumerate(lines) if not _BEFORE_GML.match(line)), len(lines))
    rest = b" ".join(lines[first : first + 2])
    return rest.startswith(b"graph") and rest[5:].lstrip().startswith(b"[")
