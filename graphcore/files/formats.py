"""The table of all file formats of graphs; a new format adds its file here, by one line."""

import os
import re

from ..base.validation import check_choice, check_path
from ..exceptions import FormatError, ParameterError
from .atomic import ending_of
from .bvgraph import BVGRAPH
from .dimacs import DIMACS
from .edge_list import CSV, EDGE_LIST, KONECT, TSV
from .markup import ADJLIST, GEXF, GML, GRAPHML, MULTILINE
from .matrix_market import MATRIX_MARKET
from .metis import METIS
from .npz import NPZ
from .pajek import LGL, PAJEK
from .parquet import PARQUET

# Content is tried in this order.
FORMATS = {
    format.name: format
    for format in (
        EDGE_LIST, KONECT, TSV, CSV, MATRIX_MARKET, METIS, NPZ,
        GRAPHML, GEXF, GML, ADJLIST, MULTILINE, PAJEK, DIMACS, LGL,
        PARQUET, BVGRAPH,
    )
}  # fmt: skip
READABLE = tuple(name for name, format in FORMATS.items() if format.read)
# A store is a folder, written by the package `store`.
WRITABLE = (*(name for name, format in FORMATS.items() if format.write), "store")

# Text formats of other programs that could be taken for edges, with a way to convert each.
_COMMENTS = rb"(?:\s|[#%][^\n]*|//[^\n]*|/\*.*?\*/)*+"
_NETWORKX = "read it with networkx: graphcore.Graph.from_networkx(networkx.{}(path))"
_FOREIGN = {
    rb"dl[\s,]+n[rcm]?\s*=":
        "a UCINET (DL) file; read it with igraph: graphcore.Graph.from_igraph(igraph.Graph.Read_DL(path))",
    rb"(strict\s+)?(di)?graph\b\s*(\"[^\"]*\"|[\w.-]+)?\s*\{":
        "a graph in Graphviz's language (DOT); make GML of it with Graphviz: gv2gml graph.dot > graph.gml",
    rb"\*(node|tie)\s+(data|properties)\b": "a NetDraw file (VNA); save the lines under its '*tie data' as a table",
    rb"nodedef\s*>": "a GDF file; export GEXF of it from Gephi, or save the lines under its edgedef as CSV",
    rb"leda\.graph\b": f"a LEDA graph; {_NETWORKX.format('read_leda')}",
    rb">>(di)?graph6<<": f"a graph in graph6; {_NETWORKX.format('read_graph6')}",
    rb">>sparse6<<|:[?-~]+[ \t\r]*(\n|\Z)": f"a graph in sparse6; {_NETWORKX.format('read_sparse6')}",
    rb"\(tlp\s": "a Tulip file; export GML or GraphML of it from Tulip",
    rb"33d32945\s+stp": "a SteinLib file (STP); save its lines 'E 1 2 3' without the E as edges",
    rb"[-+]?[\d.]+([ \t]+qid:\d+)?([ \t]+\d+:[-+.\de]+){2,}\s":
        "a table in LIBSVM's format, which sklearn.datasets.load_svmlight_file(path) reads as vectors; write weighted "
        "neighbours one edge a line",
    rb"(<\w+:[^<>\s]+>|_:\S+)\s+<\w+:[^<>\s]+>\s+[<\"_]|@(prefix|base)\s[^\n]*<":
        "RDF; write subject and object as two columns",
    rb"(weighted)?adjacencygraph\s+\d+\s": "a graph of Ligra; make a matrix of its offsets and edges with scipy.sparse",
    rb"@relation\s+\S+\s+@attribute\s": "a table of vectors (ARFF), which scipy.io.arff.loadarff(path) reads",
    rb"(c\b[^\n]*\n)*p\s+(w?cnf|aux)\s": "a formula (CNF) or coordinates of DIMACS, and no graph",
    rb"(graph|flowchart)\s+(td|tb|bt|lr|rl)\s*;?\s*\n[^\n]*--": "a Mermaid diagram; write its arrows as two columns",
    rb"(t\s+#[^\n]*\n)?(v\s+\S+[^\n]*\n)+e\s+\S+\s+\S+":
        "lines of vertices and edges (gSpan); save those of edges without the e",
    rb"\([^\n]*\)[^\n(),]*;\s*\Z": "a tree in Newick's format; write its edges as two columns",
}  # fmt: skip
# Those that only their endings tell.
_FOREIGN_ENDINGS = {
    ".hgr": "a hypergraph (hMETIS), and edges have two ends; write an edge for each pair of their ends",
    ".g6": _FOREIGN[rb">>(di)?graph6<<"], ".s6": f"a graph in sparse6; {_NETWORKX.format('read_sparse6')}",
}  # fmt: skip


def _is_trivial(text):
    """Return whether lines are nodes and their labels, then a `#`, then edges of these nodes (trivial graph format)."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if [b"#"] not in lines:
        return False
    nodes, edges = lines[: lines.index([b"#"])], lines[lines.index([b"#"]) + 1 :]
    names = {words[0] for words in nodes}
    # An edge list may hold a blank comment, too; there, the second words are such names as the first.
    labels = {words[1] for words in nodes if len(words) > 1} - names
    labels = {label for label in labels if not (label.isdigit() and all(map(bytes.isdigit, names)))}
    return bool(
        len(names) == len(nodes) and (labels or all(len(words) == 1 for words in nodes))
        and all(len(words) > 1 and names.issuperset(words[:2]) for words in edges[:-1] or edges)
    )  # fmt: skip


def guess_format(source, encoding="utf-8"):
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
        source.require_text(encoding)
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
    what = next((what for mark, what in _FOREIGN.items() if re.match(_COMMENTS + mark, text, re.DOTALL)), None)
    if what is None and _is_trivial(text):
        what = "a graph in the trivial graph format (TGF); save the lines behind the # as edges"
    what = what or _FOREIGN_ENDINGS.get(source.suffix)
    if what is not None:
        raise FormatError(f"this is {what}, or pass format='edgelist' if its lines are edges")
    if text.startswith(b"<"):
        raise FormatError("this is XML or HTML, but neither GraphML nor GEXF; export one of these, or edges as CSV")
    if text.startswith((b"{", b"[")):
        raise FormatError(
            "this looks like JSON, which is not read; of networkx's node-link data give graphcore.Graph.from_networkx("
            "networkx.node_link_graph(data)), or pass format='edgelist' if it is an edge list"
        )
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
