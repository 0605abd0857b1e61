"""Pajek's networks (.net, .mat), and LGL files: sections of lines, whose first lines say what follows."""

import re

import numpy as np

from ..exceptions import FormatError, warn_user
from ..graphs.graph import Graph
from ._fields import is_id, is_number
from ._format import Format, check_node_count, header_sizes

_WORD = re.compile(r'"([^"]*)"|(\S+)')
_OPENING = re.compile(rb"(?:\s|[#%/][^\n]*)*+\*(?:vertices[ \t]+\d|(?:network|arcs|edges|matrix)\b)")
_SECTIONS = ("*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix")


class _Edges:
    """Edges that are collected line by line."""

    def __init__(self):
        self.ends, self.weights, self.one_way, self.any_weight = [], [], [], False

    def add(self, source, target, weight=None, one_way=False):
        """Add an edge between two numbers; text that is no number is no weight."""
        weighted = weight is not None and is_number(weight)
        self.any_weight |= weighted
        self.ends.append((source, target))
        self.weights.append(float(weight) if weighted else 1.0)
        self.one_way.append(one_way)

    def graph(self, n_nodes, names, reading):
        """Return the Graph; undirected edges go both ways beside directed ones, and add up where there are none."""
        ends, weights = np.array(self.ends, dtype=np.int64).reshape(-1, 2), np.array(self.weights)
        one_way = np.array(self.one_way, dtype=bool)
        if one_way.any():
            back = ~one_way & (ends[:, 0] != ends[:, 1])
            ends, weights = np.concatenate([ends, ends[back, ::-1]]), np.concatenate([weights, weights[back]])
        else:
            ends.sort(axis=1)
        weights = weights if self.any_weight and reading.weighted else None
        names = list(map(int, names)) if all(map(is_id, names)) else names
        return Graph.from_edges(*ends.T, weights, n_nodes, node_names=names, symmetrize=reading.symmetrize)


# -- Pajek -------------------------------------------------------------------------------------------------------------


def read_pajek(source, reading):
    """Read an open Source as its Reading says; nodes are named by their labels, or 1 to n if two share one."""
    n_nodes, labels, edges, section, row = None, {}, None, "", 0
    with source.text(reading.encoding) as text:
        for number, line in enumerate(text, 1):
            words = [quoted or word for quoted, word in _WORD.findall(line)] if '"' in line else line.split()
            if not words or words[0].startswith(("%", "#", "/")):
                continue
            if words[0].startswith("*"):
                section, row = words[0].lower(), 0
                if n_nodes is not None and section in ("*network", "*vertices"):
                    warn_user(f"{source.name}: line {number} begins another object, which is not read")
                    break
                if section == "*vertices":
                    n_nodes = (header_sizes(words[1:2]) or [0])[0]
                    if not n_nodes:
                        raise FormatError(f"line {number}: {line.strip()!r} is no line like '*Vertices 4'")
                elif section in _SECTIONS:
                    edges = edges or _Edges()
                elif section != "*network":
                    warn_user(f"{source.name}: line {number} begins {words[0]}, which is not read")
            elif section == "*vertices":
                labels[_node(words[0], n_nodes, number)] = words[1] if len(words) > 1 else ""
            elif section in _SECTIONS:
                row += 1
                _add_line(edges, section, words, n_nodes, number, row)
    if n_nodes is None or edges is None:
        raise FormatError("there is no network: '*Vertices n' and then '*Arcs', '*Edges' or '*Matrix' are needed")
    check_node_count(n_nodes, len(edges.ends), source.any_size)
    names = [labels.get(node) or str(node + 1) for node in range(n_nodes)]
    if len(set(names)) < n_nodes:
        warn_user(f"{source.name}: nodes share a label; they are named by their numbers, 1 to {n_nodes}")
        names = [str(node + 1) for node in range(n_nodes)]
    return edges.graph(n_nodes, names, reading)


def _add_line(edges, section, words, n_nodes, number, row):
    """Add the edges of a line, the `row`-th of its section."""
    if section == "*matrix":
        source = _node(str(row), n_nodes, number)
        for target, weight in enumerate(words):
            if not is_number(weight):
                raise FormatError(f"line {number}: {weight!r} is no number")
            if float(weight):
                edges.add(source, _node(str(target + 1), n_nodes, number), weight, one_way=True)
        return
    nodes = [_node(word, n_nodes, number) for word in (words if section.endswith("list") else words[:2])]
    if len(nodes) < 2:
        raise FormatError(f"line {number}: an edge has two ends: {' '.join(words)!r}")
    weight = words[2] if len(words) > 2 and not section.endswith("list") else None
    for target in nodes[1:]:
        edges.add(nodes[0], target, weight, one_way=section.startswith("*arcs"))


def _node(word, n_nodes, number):
    """Return the number of a node, from 0; `number` is that of the line."""
    node = header_sizes([word])
    if node is None or n_nodes is None or not 1 <= node[0] <= n_nodes:
        nodes = "'*Vertices n' must come before" if n_nodes is None else f"nodes are 1 to {n_nodes}"
        raise FormatError(f"line {number}: {word!r} is no node; {nodes}")
    return node[0] - 1


# -- LGL ---------------------------------------------------------------------------------------------------------------


def read_lgl(source, reading):
    """Read an open Source as its Reading says: lines `# name`, and after each its neighbours, perhaps with weights."""
    edges, numbers, head = _Edges(), {}, None
    with source.text(reading.encoding) as text:
        for number, line in enumerate(text, 1):
            words = line.split()
            if words and words[0] == "#" and len(words) == 2:
                head = numbers.setdefault(words[1], len(numbers))
            elif words:
                if head is None or len(words) > 2 or (len(words) == 2 and not is_number(words[1])):
                    raise FormatError(f"line {number}: {line.strip()!r} is neither '# name' nor a neighbour's name")
                edges.add(head, numbers.setdefault(words[0], len(numbers)), *words[1:])
    if not numbers:
        raise FormatError("the graph is empty: it has no nodes")
    return edges.graph(len(numbers), list(numbers), reading)


def _is_lgl(source):
    """Return whether lines are stars whose centres are neighbours elsewhere, and no edges with comments among them.

    A name and a number after a comment could be an edge; they are none only if they cannot both be names of nodes.
    """
    lines = source.text_head.decode("latin-1").split("\n")
    heads, neighbors, head, are_names = set(), set(), None, False
    for words in map(str.split, lines[:-1] if len(lines) > 1 else lines):
        if words and words[0] == "#" and len(words) == 2 and words[1] not in heads:
            head = words[1]
            heads.add(head)
        elif words:
            if head in (None, words[0]) or words[0][0] == "#" or len(words) > 2 or not all(map(is_number, words[1:])):
                return False
            neighbors.add(words[0])
            are_names |= not all(map(is_id, words)) or len(words) == 1
    return len(heads) > 1 and are_names and not heads.isdisjoint(neighbors)


PAJEK = Format(
    "pajek", also_read=(".net", ".paj"), sniff=lambda source: _OPENING.match(source.text_head) is not None,
    read=read_pajek,
)  # fmt: skip
LGL = Format("lgl", also_read=(".lgl",), sniff=_is_lgl, read=read_lgl)
