"""GraphML, GEXF and GML files, read by networkx."""

import re
import warnings

from .._warn import warn_user
from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph

__all__ = ["read_gexf", "read_gml", "read_graphml"]

_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")


def read_graphml(source, *, weight, symmetrize):
    """Read an open Source; see :func:`graphcore.read_graph`."""
    import networkx as nx

    return _read(source, nx.read_graphml, weight, symmetrize)


def read_gexf(source, *, weight, symmetrize):
    """Read an open Source; nodes are named by their ids."""
    import networkx as nx

    return _read(source, nx.read_gexf, weight, symmetrize)


def read_gml(source, *, weight, symmetrize):
    """Read an open Source; nodes are named by their labels, or by their ids if some have none or share one."""
    import networkx as nx

    def read(stream):
        try:
            return nx.read_gml(stream)
        except nx.NetworkXError as error:
            if "label" not in str(error):
                raise
            stream.seek(0)
            return nx.read_gml(stream, label="id")

    return _read(source, read, weight, symmetrize)


def _read(source, reader, weight, symmetrize):
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    source.require_text()
    with source.open() as stream, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            G = reader(stream)
        except InputError:
            raise
        except (nx.NetworkXError, ParseError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise FormatError(f"networkx cannot read it: {error}") from None
        except RecursionError:
            raise FormatError("networkx cannot read it: its lists are nested too deep") from None
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
