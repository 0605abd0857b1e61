"""GraphML, GEXF, GML and adjacency lists: read as graphs of networkx; the first three written piece by piece."""

import re
from functools import partial
from numbers import Real
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..exceptions import FormatError, InputError, ParameterError, warn_user
from ..graphs.columns import weight_column
from ..graphs.from_libraries import OWN, edge_attribute, some_values
from ..graphs.graph import Graph
from ..graphs.ids import is_numbered
from ._fields import is_id
from ._format import Format
from ._markup_read import is_multiline, read_adjlist, read_gml, read_multiline, read_xml
from ._source import check_size
from .atomic import as_text
from .edge_list import record_columns, upper_edges

_PIECE = 1 << 16
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
# Attributes of a few nodes each make long columns: as many cells may be there, or as many for every value.
_FEW_CELLS, _CELLS_PER_VALUE = 1 << 22, 64
# Types of attributes in GraphML and GEXF by numpy's kinds; all others are text.
_TYPES = {"i": "long", "u": "long", "f": "double", "b": "boolean"}
# Characters that XML cannot hold, or does not give back unchanged.
_UNFIT = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Names of attributes that GML allows, and other names for those that GML itself gives to every node.
_GML_NAME, _GML_OWN = re.compile("[A-Za-z][A-Za-z0-9_]*"), {"id": "node_id", "label": "node_label"}
_FROM_GML = {name: own for own, name in _GML_OWN.items()}
# Lines that may stand before the graph of a GML file.
_BEFORE_GML = re.compile(rb"#|(creator|version|comment)\b")


# -- read --------------------------------------------------------------------------------------------------------------


def _read(source, reading, parse, warn=True):
    """Read an open Source as its Reading says; `parse` makes a graph of networkx, `warn` if its directions are known.

    Nodes are named by their ids, in GML by their labels, unless some have none or share one.
    """
    weight = reading.weight_column
    if weight is not None and not isinstance(weight, str):
        raise ParameterError(f"weight_column={weight!r} must be the name of an edge attribute, 'auto' or None")
    try:
        G = parse(source, reading)
    except (MemoryError, FormatError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise FormatError("networkx cannot read it: its lists are nested too deep") from None
    except Exception as error:  # networkx has no common class for damage
        raise FormatError(f"networkx cannot read it: {error or type(error).__name__}") from None
    if not len(G):
        raise FormatError("the graph is empty: it has no nodes")
    if G.size():
        attributes = some_values(data for *_, data in G.edges(data=True))
        chosen = edge_attribute(attributes, weight, "weight_column")
        others = [name for name in attributes if name not in (chosen, *OWN)]
        if chosen != "weight":  # numbers, and names of weights, are told of by then
            others = [name for name in others if _is_no_weight(name, attributes[name])]
        if others and weight == "auto":
            warn_user(f"{source.name}: attributes of edges not kept: {', '.join(map(str, others))[:200]}")
        weight = chosen
    record_columns(("source", "target", *([weight] if G.size() and weight else [])))
    attributes = _node_attributes(source, G)  # before columns are made
    graph = Graph.from_networkx(G, weight=weight if G.size() else None, symmetrize=reading.symmetrize, warn=warn)
    lost = [str(name) for name in attributes if name not in graph.attributes]
    if lost:
        warn_user(f"{source.name}: attributes of nodes not kept: {', '.join(lost)[:200]}")
    names = graph.node_names
    # Ids are text here; if all are integers they become integers, as in other formats.
    if all(isinstance(name, str) and is_id(name) for name in G):
        numbers = list(map(int, G))
        names = None if is_numbered(numbers) else numbers
    ids = list(map(str, G))  # which networkx writes for labels, too, where there are none
    kept = {name: v for name, v in graph.attributes.items() if (name, v.tolist()) != ("label", ids)}
    return graph._by_names(names, {_FROM_GML.get(name, name): values for name, values in kept.items()})


def _is_no_weight(name, value):
    return weight_column([name]) is None and (isinstance(value, bool) or not isinstance(value, Real))


def _node_attributes(source, G):
    """Return names of the attributes of nodes, and refuse so many that columns of them would be nearly empty."""
    names = some_values(data for _, data in G.nodes(data=True))
    n_values, n_cells = sum(len(data) for _, data in G.nodes(data=True)), len(names) * len(G)
    said = f"nodes have {len(names)} different attributes, but only {n_values} values"
    check_size(n_cells, _CELLS_PER_VALUE * n_values, _FEW_CELLS, said, source.any_size)
    return names


def _is_gml(source):
    """Return whether a text begins with `graph [`, after comments and some keys."""
    lines = [line for line in map(bytes.strip, source.text_head.splitlines()) if line]
    first = next((i for i, line in enumerate(lines) if not _BEFORE_GML.match(line)), len(lines))
    rest = b" ".join(lines[first : first + 2])
    return rest.startswith(b"graph") and rest[5:].lstrip().startswith(b"[")


def _is_xml(source, kind):
    return source.text_head.startswith(b"<") and re.search(rf"<(\w+:)?{kind}\b".encode(), source.text_head) is not None


# -- write -------------------------------------------------------------------------------------------------------------


# Each function returns the text before the nodes, a node's line by (number, name, values), the text between nodes and
# edges, an edge's line by (number, (number, name) of both ends, weight or None), and the text after the edges.


def _graphml(attributes, weighted):
    keys = [
        f'<key id="d{i}" for="node" attr.name={quoteattr(name)} attr.type="{_type(values)}"/>\n'
        for i, (name, values) in enumerate(attributes.items())
    ]
    if weighted:
        keys.append('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
    head = (
        f'{_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{"".join(keys)}'
        '<graph edgedefault="undirected">\n'
    )

    def node(_, name, values):
        data = (f'<data key="d{i}">{escape(value)}</data>' for i, value in enumerate(values) if value is not None)
        return f"<node id={quoteattr(name)}>{''.join(data)}</node>\n"

    def edge(_, source, target, weight):
        data = "" if weight is None else f'<data key="weight">{weight}</data>'
        return f"<edge source={quoteattr(source[1])} target={quoteattr(target[1])}>{data}</edge>\n"

    return head, node, "", edge, "</graph>\n</graphml>\n"


def _gexf(attributes, _weighted):
    place = list(attributes).index("label") if "label" in attributes else None  # GEXF has a place of its own for it
    keys = "".join(
        f'<attribute id="{i}" title={quoteattr(name)} type="{_type(values)}"/>\n'
        for i, (name, values) in enumerate(attributes.items()) if i != place
    )  # fmt: skip
    head = (
        f'{_HEAD}<gexf xmlns="http://gexf.net/1.3" version="1.3">\n<graph defaultedgetype="undirected">\n'
        f'<attributes class="node">\n{keys}</attributes>\n<nodes>\n'
    )

    def node(_, name, values):
        label = (place is not None and values[place]) or name
        held = ((i, value) for i, value in enumerate(values) if value is not None and i != place)
        data = "".join(f'<attvalue for="{i}" value={quoteattr(value)}/>' for i, value in held)
        return f"<node id={quoteattr(name)} label={quoteattr(label)}><attvalues>{data}</attvalues></node>\n"

    def edge(number, source, target, weight):
        data = "" if weight is None else f' weight="{weight}"'
        return f'<edge id="{number}" source={quoteattr(source[1])} target={quoteattr(target[1])}{data}/>\n'

    return head, node, "</nodes>\n<edges>\n", edge, "</edges>\n</graph>\n</gexf>\n"


def _gml(attributes, _weighted):
    forms = [
        (_GML_OWN.get(key, key), _gml_text if _type(v) == "string" else _gml_number) for key, v in attributes.items()
    ]

    def node(number, name, values):
        data = (f" {key} {form(v)}" for (key, form), v in zip(forms, values, strict=True) if v is not None)
        return f"node [ id {number} label {_gml_text(name)}{''.join(data)} ]\n"

    def edge(_, source, target, weight):
        data = "" if weight is None else f" weight {_gml_number(str(weight))}"
        return f"edge [ source {source[0]} target {target[0]}{data} ]\n"

    return "graph [\n", node, "", edge, "]\n"


def check_columns(graph, attributes, kind):
    """Return (names of nodes as text, columns by name), or raise an error if a file of this kind cannot hold them."""
    n_nodes, given = graph.n_nodes, attributes or {}
    own = {name: values for name, values in graph.attributes.items() if name not in given}
    attributes = {str(name): np.asarray(values) for name, values in (given | own).items() if name != "node"}
    unfit = next((name for name in attributes if kind == "gml" and not _GML_NAME.fullmatch(name)), None)
    if unfit is not None:
        raise InputError(
            f"attribute {unfit!r}: GML knows only names of letters and digits that begin with a letter; write .graphml"
        )
    for name, values in attributes.items():
        if values.shape != (n_nodes,):
            raise ParameterError(f"attribute {name!r} has shape {values.shape}; a value for each node is needed")
    names = list(map(str, graph.names_of(np.arange(n_nodes)).tolist()))
    if "node" in given and list(map(str, np.asarray(given["node"]).tolist())) != names:
        raise ParameterError(
            "column 'node' of the attributes is not in the order of the graph's nodes; Graph.with_nodes takes a table "
            "in any order, if 'node' holds the names"
        )
    if len(set(names)) < len(names):
        raise InputError(f"two nodes have the same name, which {kind} files take for one node; write .npz instead")
    columns = (list(map(str, values.tolist())) for values in attributes.values() if _type(values) == "string")
    texts = [names, list(attributes), *columns]
    unfit = next((text for column in texts for text in column if _UNFIT.search(text)), None)
    if unfit is not None:
        raise InputError(f"{unfit!r} has characters that {kind} files cannot hold; write .npz instead")
    return names, attributes


def _write(graph, stream, attributes, lines):
    """Write a graph to a binary stream, with a dictionary of columns that nodes get as attributes; NaN is left out."""
    names, attributes = check_columns(graph, attributes, lines.__name__[1:])
    n_nodes = graph.n_nodes
    head, node, between, edge, foot = lines(attributes, graph.is_weighted)
    with as_text(stream) as text:
        text.write(head)
        for start in range(0, n_nodes, _PIECE):
            columns = [_texts(values[start : start + _PIECE]) for values in attributes.values()]
            rows = zip(*columns, strict=True) if columns else iter(lambda: (), None)
            piece = zip(names[start : start + _PIECE], rows, strict=False)
            text.writelines(node(i, name, row) for i, (name, row) in enumerate(piece, start))
        text.write(between)
        number = 0
        for sources, targets, weights in upper_edges(graph):
            values = [None] * len(sources) if weights is None else weights.tolist()
            for u, v, weight in zip(sources.tolist(), targets.tolist(), values, strict=True):
                text.write(edge(number, (u, names[u]), (v, names[v]), weight))
                number += 1
        text.write(foot)


def _type(values):
    return _TYPES.get(values.dtype.kind, "string")


def _texts(values):
    """Convert values to text, None where a value is missing."""
    if values.dtype.kind == "b":
        return ["true" if value else "false" for value in values.tolist()]
    if values.dtype.kind != "f":
        return [None if value is None else str(value) for value in values.tolist()]
    # astype writes the fewest digits that give the number back.
    return [text if known else None for text, known in zip(values.astype(str), np.isfinite(values), strict=True)]


def _gml_number(text):
    """Return a number as GML writes it, with a decimal point unless it is an integer."""
    text = {"true": "1", "false": "0"}.get(text, text)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _gml_text(text):
    """Return text in quotes and ASCII, as networkx reads it."""
    text = escape(text, {'"': "&quot;"})
    return '"' + "".join(c if " " <= c <= "~" else f"&#{ord(c)};" for c in text) + '"'


def _format(kind, sniff, parse, lines):
    return Format(
        kind, (f".{kind}",), sniff=sniff, read=partial(_read, parse=parse), write=partial(_write, lines=lines),
        attributes=True,
    )  # fmt: skip


GRAPHML = _format("graphml", partial(_is_xml, kind="graphml"), partial(read_xml, kind="graphml"), _graphml)
GEXF = _format("gexf", partial(_is_xml, kind="gexf"), partial(read_xml, kind="gexf"), _gexf)
GML = _format("gml", _is_gml, read_gml, _gml)
ADJLIST = Format("adjlist", also_read=(".adjlist",), read=partial(_read, parse=read_adjlist))
MULTILINE = Format(
    "multiline-adjlist", also_read=(".multiline_adjlist",), sniff=is_multiline,
    read=partial(_read, parse=read_multiline, warn=False),
)  # fmt: skip
