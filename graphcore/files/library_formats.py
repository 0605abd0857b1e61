"""Formats that networkx and scipy read and write: GraphML, GEXF, GML, Pajek, networkx's own lists, Matrix Market."""

import contextlib
import os
import re
import shutil
import tempfile
from io import BytesIO

import numpy as np

from ..base.colors import color_of, components
from ..base.validation import is_missing
from ..exceptions import FormatError, InputError, ParameterError
from ..graphs.columns import without_levels
from ..graphs.from_edges import is_numbered
from ..graphs.from_libraries import edge_attribute, node_attributes, some_values
from ..graphs.graph import Graph
from .edge_list import check_node_count, record_columns
from .source import refusing
from .text import is_id, refuse_unfit

# Other readers of a format, for files that networkx cannot read.
_OTHERWISE = {
    "graphml": "igraph.Graph.Read_GraphML(path) reads more of them, for Graph.from_igraph",
    "gexf": "export GraphML or a table of edges from Gephi",
    "gml": "igraph.Graph.Read_GML(path) reads more of them, for Graph.from_igraph",
    "pajek": "igraph.Graph.Read_Pajek(path) reads more of them, for Graph.from_igraph",
    "adjlist": "its lines are a node and its neighbours, with blanks between",
    "networkx": "its lines are two nodes and a dictionary, as networkx.write_edgelist writes them",
}
# -- networkx ----------------------------------------------------------------------------------------------------------


def read_networkx(source, reading, kind):
    """Read an open Source as its Reading says; nodes are named by their ids, in GML and Pajek by their labels."""
    weight = reading.weight_column
    if weight is not None and not isinstance(weight, str):
        raise ParameterError(f"weight_column={weight!r} must be the name of an edge attribute, 'auto' or None")
    G = _parsed(source, reading.encoding, kind)
    if not len(G):
        raise FormatError("the graph is empty: it has no nodes")
    if G.size() and weight is not None:
        values = some_values(data for *_, data in G.edges(data=True))
        found = edge_attribute(values, weight, "weight_column")
        weight = "weight" if found is None else found  # parallel edges without a weight count 1 each
    graph = Graph.from_networkx(G, weight="weight" if weight == "auto" else weight, symmetrize=reading.symmetrize)
    record_columns(("source", "target", *([weight] if graph.is_weighted else [])))
    # Ids are text here; if all are integers they become integers, as in other formats.
    names, ids = graph.node_names, list(map(str, G))
    if all(map(is_id, ids)):
        names = None if is_numbered(list(map(int, ids))) else list(map(int, ids))
    # networkx itself gives nodes their ids for labels.
    kept = {name: v for name, v in graph.attributes.items() if (name, list(map(str, v.tolist()))) != ("label", ids)}
    return graph._by_names(names, kept)


def attribute_columns(source, encoding, kind):
    """Return the nodes of an open Source and their attributes as lists of text, each below its name."""
    G = _parsed(source, encoding, kind)
    columns = [[name, *map(str, values.tolist())] for name, values in node_attributes(G).items() if name != "label"]
    if not columns:
        raise FormatError("the nodes of this graph have no attribute, such as 'cluster'")
    return [["node", *map(str, G)], *columns]


def _parsed(source, encoding, kind):
    import networkx as nx

    with refusing(f"networkx cannot read this {kind} file", f"; {_OTHERWISE[kind]}"):
        if kind in ("graphml", "gexf"):
            with source.open() as stream:
                content = stream.read()
            # Gephi names the format 1.3, which networkx knows since its version 3.6 by another name; others name none.
            content = re.sub(rb"http://(www\.)?gexf\.net/1\.3", b"http://www.gexf.net/1.2draft", content)
            content = re.sub(rb"<gexf(?![^>]*xmlns=)", b'<gexf xmlns="http://www.gexf.net/1.2draft"', content, count=1)
            # networkx refuses edges of both types in one graph; here directions are combined anyway.
            content = re.sub(rb'(<edge\b[^>]*?)\stype="(un)?directed"', rb"\1", content)
            if kind == "gexf":
                return nx.read_gexf(BytesIO(content))
            with contextlib.suppress(ValueError):  # of a key of integers that holds fractions
                return nx.parse_graphml(content)
            return nx.parse_graphml(re.sub(rb'attr\.type="(int|long)"', b'attr.type="double"', content))
        with source.text(encoding) as text:
            lines = text.read()
        if kind != "gml":
            parse = {"pajek": nx.parse_pajek, "adjlist": nx.parse_adjlist, "networkx": _parsed_edges}[kind]
            return parse(lines.split("\n"))
        try:
            return nx.parse_gml(lines)
        except nx.NetworkXError as error:
            if "label" not in str(error):  # a node has none
                raise
            return nx.parse_gml(lines, label="id")


def _parsed_edges(lines):
    import networkx as nx

    G = nx.parse_edgelist(lines, create_using=nx.MultiDiGraph)
    # Lines do not say whether edges are directed, unless there are two between the same nodes.
    return G if any(u != v and G.has_edge(v, u) for u, v in G.edges()) else G.to_undirected()


def write_networkx(graph, stream, attributes, kind):
    """Write a graph to a binary stream, with columns that nodes get as attributes; NaN and blanks are left out."""
    import networkx as nx

    names, attributes = checked_attributes(graph, attributes, kind)
    G = nx.relabel_nodes(
        graph.to_networkx(), dict(zip(graph.names_of(np.arange(graph.n_nodes)).tolist(), names, strict=True))
    )
    for _, data in G.nodes(data=True):
        data.clear()
    for name, values in attributes.items():
        given = dict(zip(names, values.tolist(), strict=True))
        nx.set_node_attributes(G, {node: one for node, one in given.items() if one != "" and not is_missing(one)}, name)
    clusters = attributes.get("cluster", np.empty(0))
    if kind == "gexf" and clusters.dtype.kind == "i":  # Gephi shows them in these colours as it opens the file
        for name, cluster in zip(names, clusters.tolist(), strict=True):
            G.nodes[name]["viz"] = {"color": dict(zip("rgb", components(color_of(cluster)), strict=True))}
    try:
        {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml}[kind](G, stream)
    except (nx.NetworkXException, TypeError, ValueError) as error:
        raise InputError(f"networkx cannot write this graph as {kind}: {error}; write .npz instead") from None


def checked_attributes(graph, attributes, kind):
    """Return (names of nodes as text, columns by name), or raise an error if a file of this kind cannot hold them."""
    given = {str(name): np.asarray(values) for name, values in (attributes or {}).items()}
    names = list(map(str, graph.names_of(np.arange(graph.n_nodes)).tolist()))
    if list(map(str, given.pop("node", np.array(names, dtype=object)).tolist())) != names:
        raise ParameterError(
            "column 'node' of the attributes is not in the order of the graph's nodes; Graph.with_nodes takes a table "
            "in any order"
        )
    columns = {**(without_levels(graph.attributes) if "cluster" in given else graph.attributes), **given}
    if kind == "graphml" and "id" in columns:  # which igraph would take in place of the names
        columns["node_id"] = columns.pop("id")
    for name, values in columns.items():
        if values.shape != (graph.n_nodes,):
            raise ParameterError(f"attribute {name!r} has shape {values.shape}; a value for each node is needed")
        if kind == "gml" and not re.fullmatch("[A-Za-z][0-9A-Za-z_]*", name):
            raise InputError(f"GML names attributes by letters, digits and _, not {name!r}; write .graphml instead")
        if values.dtype.kind in "mM":  # networkx writes no times
            columns[name] = np.where(np.isnat(values), None, values.astype(str))
    if len(set(names)) < len(names):
        raise InputError("two nodes have the same name, which these files take for one node; write .npz instead")
    for texts in (names, *(values.tolist() for values in columns.values() if values.dtype.kind not in "biuf")):
        refuse_unfit(list(dict.fromkeys(map(str, texts))))
    return names, columns


# -- Matrix Market -----------------------------------------------------------------------------------------------------


def read_matrix_market(source, reading):
    """Read an open Source as its Reading says."""
    import scipy.sparse as sp
    from scipy.io import mminfo, mmread

    weighted = reading.weighted
    with refusing("scipy cannot read this Matrix Market file"), _plain_file(source) as path:
        n_rows, n_columns, n_entries, layout, field, _ = mminfo(path)
        check_node_count(max(n_rows, n_columns), n_entries)
        matrix = mmread(path, spmatrix=False)
    if 0 in matrix.shape:
        raise FormatError(f"the graph is empty: its matrix has shape {matrix.shape}")
    if field == "pattern" or not weighted:  # repeated entries of a pattern are one edge
        matrix = (
            sp.coo_array((matrix.data != 0, matrix.coords), matrix.shape) if layout == "coordinate" else matrix != 0
        )
    return graph_of_matrix(matrix, reading)


@contextlib.contextmanager
def _plain_file(source):
    """Yield the path of a file with the decompressed bytes; damage in a Python stream makes scipy end the process."""
    if source.compression is None and source.path.endswith(".mtx"):
        yield source.path
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.mtx")
        with source.open() as stream, open(path, "wb") as copy:
            shutil.copyfileobj(stream, copy)
        yield path


def graph_of_matrix(matrix, reading, names=None):
    """Make the graph of a matrix from a file as its Reading says."""
    if matrix.shape[0] != matrix.shape[1]:
        raise FormatError(
            f"an adjacency matrix is square; this one has shape {matrix.shape}; if its columns are other nodes "
            "give Graph.from_biadjacency the matrix"
        )
    return Graph.from_scipy(matrix, node_names=names, symmetrize=reading.symmetrize)


def write_matrix_market(graph, stream):
    """Write the lower triangle as a symmetric matrix; a graph without weights as a pattern."""
    from scipy.io import mmwrite
    from scipy.sparse import tril

    matrix = tril(graph.to_scipy(), format="coo")
    with tempfile.TemporaryFile() as whole:  # scipy seeks, which compressed streams refuse
        mmwrite(whole, matrix, field="pattern" if graph.weights is None else "real", symmetry="symmetric")
        whole.seek(0)
        shutil.copyfileobj(whole, stream)
