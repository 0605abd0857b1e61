"""GraphML, GEXF and GML files with attributes of nodes, written piece by piece."""

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..exceptions import InputError, ParameterError
from .edge_list import upper_edges

_PIECE = 1 << 16
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
# What attributes of numpy's kinds are called in GraphML and GEXF; all others are text.
_TYPES = {"i": "long", "u": "long", "f": "double", "b": "boolean"}
# What XML cannot hold, or gives back as something else.
_UNFIT = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _GraphML:
    """A GraphML file, line by line."""

    between = ""
    foot = "</graph>\n</graphml>\n"

    def __init__(self, attributes, weighted):
        self._keys = [f"d{i}" for i in range(len(attributes))]
        keys = [
            f'<key id="d{i}" for="node" attr.name={quoteattr(name)} attr.type="{_type(values)}"/>\n'
            for i, (name, values) in enumerate(attributes.items())
        ]
        if weighted:
            keys.append('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        self.head = (
            f'{_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{"".join(keys)}'
            '<graph edgedefault="undirected">\n'
        )

    def node(self, _, name, values):
        data = "".join(f'<data key="{key}">{escape(value)}</data>' for key, value in
                       zip(self._keys, values, strict=True) if value is not None)  # fmt: skip
        return f"<node id={quoteattr(name)}>{data}</node>\n"

    def edge(self, _, source, target, weight):
        data = "" if weight is None else f'<data key="weight">{weight}</data>'
        return f"<edge source={quoteattr(source[1])} target={quoteattr(target[1])}>{data}</edge>\n"


class _GEXF:
    """A GEXF file, line by line."""

    between = "</nodes>\n<edges>\n"
    foot = "</edges>\n</graph>\n</gexf>\n"

    def __init__(self, attributes, weighted):
        keys = "".join(
            f'<attribute id="{i}" title={quoteattr(name)} type="{_type(values)}"/>\n'
            for i, (name, values) in enumerate(attributes.items())
        )
        self.head = (
            f'{_HEAD}<gexf xmlns="http://gexf.net/1.3" version="1.3">\n<graph defaultedgetype="undirected">\n'
            f'<attributes class="node">\n{keys}</attributes>\n<nodes>\n'
        )

    def node(self, _, name, values):
        data = "".join(f'<attvalue for="{i}" value={quoteattr(value)}/>' for i, value in enumerate(values)
                       if value is not None)  # fmt: skip
        return f"<node id={quoteattr(name)} label={quoteattr(name)}><attvalues>{data}</attvalues></node>\n"

    def edge(self, number, source, target, weight):
        data = "" if weight is None else f' weight="{weight}"'
        return f'<edge id="{number}" source={quoteattr(source[1])} target={quoteattr(target[1])}{data}/>\n'


class _GML:
    """A GML file, line by line; it is ASCII."""

    head = "graph [\n"
    between = ""
    foot = "]\n"

    def __init__(self, attributes, weighted):
        self._names = list(attributes)
        self._is_text = [_type(values) == "string" for values in attributes.values()]
        unfit = next((name for name in self._names if not (name.isascii() and name.replace("_", "a").isalnum())), None)
        if unfit is not None:
            raise InputError(f"attribute {unfit!r}: GML knows only names of letters and digits; write .graphml")

    def node(self, number, name, values):
        data = "".join(f" {key} {_gml_text(value) if is_text else _gml_number(value)}" for key, is_text, value in
                       zip(self._names, self._is_text, values, strict=True) if value is not None)  # fmt: skip
        return f"node [ id {number} label {_gml_text(name)}{data} ]\n"

    def edge(self, _, source, target, weight):
        data = "" if weight is None else f" weight {_gml_number(str(weight))}"
        return f"edge [ source {source[0]} target {target[0]}{data} ]\n"


MARKUP: dict[str, Any] = {"graphml": _GraphML, "gexf": _GEXF, "gml": _GML}


def write_markup(graph, stream, format, attributes=None):
    """Write a graph to a text stream, with a dictionary of columns that nodes get as attributes; NaN is left out."""
    attributes = {str(name): np.asarray(values) for name, values in (attributes or {}).items()}
    for name, values in attributes.items():
        if values.shape != (graph.n_nodes,):
            raise ParameterError(f"attribute {name!r} has shape {values.shape}; a value for each node is needed")
    names = np.arange(graph.n_nodes) if graph.node_names is None else graph.node_names
    names = list(map(str, names.tolist()))
    if len(set(names)) < len(names):
        raise InputError(f"two nodes have the same name, which {format} files take for one node; write .npz instead")
    texts = [names, *(list(map(str, values.tolist())) for values in attributes.values() if _type(values) == "string")]
    unfit = next((text for column in texts for text in column if _UNFIT.search(text)), None)
    if unfit is not None:
        raise InputError(f"{unfit!r} has characters that {format} files cannot hold; write .npz instead")
    writer = MARKUP[format](attributes, graph.is_weighted)
    stream.write(writer.head)
    for start in range(0, graph.n_nodes, _PIECE):
        columns = [_texts(values[start : start + _PIECE]) for values in attributes.values()]
        rows = zip(*columns, strict=True) if columns else iter(lambda: (), None)
        piece = zip(names[start : start + _PIECE], rows, strict=False)
        stream.writelines(writer.node(i, name, row) for i, (name, row) in enumerate(piece, start))
    stream.write(writer.between)
    number = 0
    for sources, targets, weights in upper_edges(graph):
        values = [None] * len(sources) if weights is None else weights.tolist()
        for u, v, weight in zip(sources.tolist(), targets.tolist(), values, strict=True):
            stream.write(writer.edge(number, (u, names[u]), (v, names[v]), weight))
            number += 1
    stream.write(writer.foot)


def _type(values):
    return _TYPES.get(values.dtype.kind, "string")


def _texts(values):
    """Values as text, None where there is none."""
    if values.dtype.kind == "b":
        return ["true" if value else "false" for value in values.tolist()]
    if values.dtype.kind != "f":
        return list(map(str, values.tolist()))
    # As few digits as the kind of number needs.
    return [text if known else None for text, known in zip(values.astype(str), np.isfinite(values), strict=True)]


def _gml_number(text):
    """A number in GML, which asks for a point in all that are not integers."""
    text = {"true": "1", "false": "0"}.get(text, text)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _gml_text(text):
    """Text in quotes and ASCII: networkx reads nothing else."""
    text = escape(text, {'"': "&quot;"})
    return '"' + "".join(c if " " <= c <= "~" else f"&#{ord(c)};" for c in text) + '"'
