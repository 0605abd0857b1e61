"""Graphs of networkx from the text of GraphML, GEXF, GML and networkx's adjacency lists.

XML is read from its tree, because networkx refuses versions and mixtures that common programs write.
"""

import re
from itertools import chain
from xml.etree import ElementTree

from ..exceptions import FormatError, warn_user
from ._format import header_sizes

# Types of attributes that hold numbers, also where the type is missing.
_NUMBERS = frozenset(["", "int", "integer", "long", "short", "byte", "float", "double", "bigdecimal", "biginteger"])
_WHOLE = frozenset(["int", "integer", "long", "short", "byte"])
_SEVERAL = "several values over time"
# Elements of nodes that are read, or hold nothing that could be lost.
_PARTS = frozenset(["attvalues", "data", "graph", "nodes", "edges", "port", "desc"])
_ONCE, _OFTEN = " multigraph 0 ", " multigraph 1 "
# Parts of GML that networkx reads otherwise than programs write them: comments, text over several lines, the opening of
# the graph, repeated edges, names with marks, whole numbers with an exponent, and numbers that are not finite.
_GML = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<text>"[^"]*")|(?P<graph>\bgraph\s*\[)|(?P<multi>\bmultigraph\s+[01]\b)'
    r"|(?<![\w.])(?P<whole>[-+]?\d+)(?P<exponent>[eE][-+]?\d+)\b"
    r"|(?<!\S)(?P<infinite>(?i:nan|[-+]?inf(?:inity)?))(?!\S)|(?<!\S)(?P<name>[A-Za-z]\w*[.:@$-][\w.:@$-]*)"
)


def read_xml(source, reading, kind):
    """Return the networkx graph of an open Source of kind "graphml" or "gexf"."""
    with source.open() as stream:
        content = stream.read()
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise FormatError(f"it cannot be read as XML: {error}") from None
    space = root.tag[: root.tag.rfind("}") + 1]  # of any version, or none
    graphs = root.findall(f"{space}graph")
    if root.tag != space + kind or not graphs:
        raise FormatError(f"this is XML without <{kind}> and <graph>")
    if len(graphs) > 1:
        warn_user(f"{source.name}: the first of {len(graphs)} graphs is read")
    if next(graphs[0].iter(f"{space}hyperedge"), None) is not None:
        raise FormatError("it has hyperedges, and edges have two ends; write an edge for each pair of their ends")
    edges, values = (_graphml_edges, _graphml_values) if kind == "graphml" else (_gexf_edges, _gexf_values)
    lost: dict = {}
    G = _graph(_nodes(root, space, values(root, space, "node"), lost), edges(root, space))
    if lost:
        warn_user(f"{source.name}: attributes of nodes not kept: {', '.join(lost)[:200]}")
    return G


def _graphml_values(root, space, of):
    """Return a function from a node or an edge, as `of` says, to its attributes by name."""
    keys = [key for key in root.findall(f"{space}key") if key.get("for", "all") in (of, "all")]
    names, defaults = _names(keys, "attr.name", "attr.type", space)

    def values(element):
        # Data with elements inside are drawings.
        data = ((d.get("key"), d.text) for d in element.findall(f"{space}data") if not len(d))
        return _values(element, data, names, defaults)

    return values


def _gexf_values(root, space, of):
    """Do as `_graphml_values`."""
    keys = (keys for keys in root.iterfind(f"{space}graph/{space}attributes") if keys.get("class") == of)
    names, defaults = _names(chain.from_iterable(keys), "title", "type", space)

    def values(element):
        found = element.iterfind(f"{space}attvalues/{space}attvalue")
        data = ((value.get("for", value.get("id")), value.get("value")) for value in found)
        return _values(element, data, names, defaults)

    return values


def _graphml_edges(root, space):
    """Yield (source, target, whether it is directed, attributes) of every edge, those of nested graphs included."""
    values = _graphml_values(root, space, "edge")
    for graph in root.find(f"{space}graph").iter(f"{space}graph"):
        default = {"directed": "true"}.get(graph.get("edgedefault"), "false")
        for (source, target), edge in _ends(graph.findall(f"{space}edge"), "edge", "source", "target"):
            yield source, target, edge.get("directed", default) in ("true", "1"), values(edge)


def _gexf_edges(root, space):
    """Yield edges as `_graphml_edges` does; those in both directions are undirected."""
    graph, values = root.find(f"{space}graph"), _gexf_values(root, space, "edge")
    default = graph.get("defaultedgetype")
    for (source, target), edge in _ends(graph.iter(f"{space}edge"), "edge", "source", "target"):
        yield source, target, edge.get("type", default) == "directed", values(edge)


def _nodes(root, space, values, lost):
    """Yield (id, attributes) of every node, and add what is not kept of them to the dictionary `lost`."""
    for (name,), node in _ends(root.find(f"{space}graph").iter(f"{space}node"), "node", "id"):
        data, drawn = values(node), [part for part in node if _local(part) not in _PARTS]
        for held in node.findall(f"{space}data"):
            drawn += held
            labels = (part.text or "" for part in held.iter() if _local(part) == "NodeLabel")  # of yEd
            label = next(filter(None, map(str.strip, labels)), None)
            data |= {} if label is None else {"label": label}
        several = [key for key, value in data.items() if value == _SEVERAL]
        lost.update(dict.fromkeys([*map(_local, drawn), *several]))
        label = {} if node.get("label") is None else {"label": node.get("label")}
        yield name, {key: value for key, value in (data | label).items() if key not in several}


def _local(element):
    return element.tag.rpartition("}")[2]


def _ends(elements, what, *attributes):
    """Yield (values of these XML attributes, element) of every element; each must have all of them."""
    for number, element in enumerate(elements):
        values = [element.get(attribute) for attribute in attributes]
        if None in values:
            raise FormatError(f"{what} {number} (counted from 0) has no {attributes[values.index(None)]}")
        yield values, element


def _names(keys, name, kind, space):
    """Return (name, type) of every attribute by its key, and the defaults by name."""
    names, defaults = {}, {}
    for key in keys:
        names[key.get("id")] = key.get(name) or key.get("id"), key.get(kind, "").lower()
        default = key.findtext(f"{space}default")
        if default:
            defaults[names[key.get("id")][0]] = _value(default, names[key.get("id")][1])
    return names, defaults


def _values(edge, data, names, defaults):
    """Return the attributes of an edge or a node by name."""
    values = {}
    for key, text in data:
        name, kind = names.get(key, (key, ""))
        if text:
            values[name] = _SEVERAL if name in values else _value(text, kind)
    if edge.get("weight") is not None:
        values["weight"] = _value(edge.get("weight"), "")
    return defaults | values


def _value(text, kind):
    try:
        return (int if kind in _WHOLE else float)(text) if kind in _NUMBERS else text
    except ValueError:  # an integer that is written as a float, or an error only if it is the weight
        return _value(text, "float") if kind in _WHOLE else text


def _graph(nodes, edges):
    """Return a networkx graph, directed if some edge is; then those that are not go both ways."""
    import networkx as nx

    edges = list(edges)
    directed = any(edge[2] for edge in edges)
    pairs = [(u, v, data) for u, v, _, data in edges]
    if directed:
        pairs += [(v, u, data) for u, v, one_way, data in edges if not one_way and u != v]
    several = len({(u, v) if directed or u < v else (v, u) for u, v, _ in pairs}) < len(pairs)
    kinds = (nx.MultiGraph, nx.MultiDiGraph) if several else (nx.Graph, nx.DiGraph)
    G = kinds[directed]()
    G.add_nodes_from(nodes)
    G.add_edges_from(pairs)
    return G


def read_gml(source, reading):
    """Return the networkx graph of an open Source of GML; nodes are named by labels, unless some lack or share one."""
    import networkx as nx

    with source.text(reading.encoding) as text:
        content = _GML.sub(_gml_part, text.read())
    label = "label"
    while True:
        try:
            return nx.parse_gml(content.split("\n"), label=label)
        except nx.NetworkXError as error:
            if "duplicated" in str(error) and str(error).startswith("edge") and _ONCE in content:
                content = content.replace(_ONCE, _OFTEN, 1)
            elif "label" in str(error) and label == "label":
                label = "id"
            else:
                raise


def _gml_part(part):
    """Return a part of GML as networkx reads it."""
    kind = part.lastgroup
    if kind == "text":
        return part[0].replace("\n", " ")
    if kind == "graph":
        return part[0] + _ONCE
    if kind == "exponent":
        return f"{part['whole']}.0{part['exponent']}"
    if kind == "infinite":
        return part[0].upper().replace("INITY", "")
    return re.sub(r"\W", "_", part[0]) if kind == "name" else " "


def read_adjlist(source, reading):
    """Return the networkx graph of an open Source whose lines are a node and its neighbours."""
    import networkx as nx

    with source.text(reading.encoding) as text:
        return nx.parse_adjlist(text)


def read_multiline(source, reading):
    """Return the networkx graph of an open Source of `networkx.write_multiline_adjlist`.

    Whether it was directed is not said there: each edge has the direction in which it stands, which makes parallel
    edges add up and directions combine as in a list of edges.
    """
    import networkx as nx

    with source.text(reading.encoding) as text:
        return nx.parse_multiline_adjlist(map(str.strip, text), create_using=nx.MultiDiGraph)


def is_multiline(source):
    """Return whether lines are a node and a number, then that many neighbours with braces behind them."""
    left, found = 0, False
    for line in source.text_head.splitlines()[:200]:
        words = line.split(b"#")[0].split(None, 2)
        if words and left:
            if len(words) < 2 or not words[1].startswith(b"{"):
                return False
            left, found = left - 1, True
        elif words:
            sizes = header_sizes(words[1:])
            if not sizes or len(sizes) > 1:
                return False
            left = sizes[0]
    return found
