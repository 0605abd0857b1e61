"""GraphML, GEXF, GML and adjacency lists, read by networkx."""

import io
import re
import warnings

from .._warn import warn_user
from ..exceptions import FormatError
from ..graphs.graph import Graph

OF_NETWORKX = ("graphml", "gexf", "gml", "adjlist")
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")


def read_by_networkx(source, kind, *, weight, symmetrize):
    """Read an open Source; see :func:`graphcore.read_graph`.

    Nodes are named by their ids, in GML by their labels, unless some have none or share one.
    """
    import networkx as nx

    source.require_text()
    with source.open() as stream:
        content = stream.read()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            G = _read_gml(content) if kind == "gml" else getattr(nx, f"read_{kind}")(io.BytesIO(content))
        except MemoryError:
            raise
        except RecursionError:
            raise FormatError("networkx cannot read it: its lists are nested too deep") from None
        except Exception as error:  # networkx, the parser of XML and codecs have no common class for damage
            raise FormatError(f"networkx cannot read it: {error or type(error).__name__}") from None
    for message in dict.fromkeys(str(warning.message) for warning in told):
        warn_user(f"{source.name}: networkx says: {message}")
    if not len(G):
        raise FormatError("the graph is empty: it has no nodes")
    # Ids are text; numbers among them are meant as numbers, as in other files.
    if all(isinstance(name, str) and _INTEGER.fullmatch(name) for name in G):
        G = nx.relabel_nodes(G, {name: int(name) for name in G})
    if weight == "auto":
        present = {key for *_, data in G.edges(data=True) for key in data}
        weight = next((key for key in ("weight", "value") if key in present), None)
    return Graph.from_networkx(G, weight=weight, symmetrize=symmetrize)


def _read_gml(content):
    import networkx as nx

    try:
        return nx.read_gml(io.BytesIO(content))
    except nx.NetworkXError as error:
        if "label" not in str(error):
            raise
        return nx.read_gml(io.BytesIO(content), label="id")
