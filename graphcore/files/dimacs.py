"""DIMACS files: colouring (`e 1 2`), shortest paths, flows and matchings (`a 1 2 803`), tree decompositions (`1 2`)."""

from itertools import islice

import numpy as np

from ..exceptions import FormatError, warn_user
from ..graphs.graph import Graph
from ._dialect import Dialect
from ._fields import is_number
from ._format import Format, check_node_count, header_sizes
from ._lines import number_of_line, parse

# Lines that are neither the header nor an edge begin with one of these: comments, nodes and their values, bounds.
_OTHERS = ("c", "n", "v", "d", "x")
# Lines that are searched for the header and the first edge.
_SAMPLE = 100_000


def _opening(lines):
    """Return (kind, nodes, edges, words of the first edge, number of its line from 0); None if it is no DIMACS file."""
    header = None
    for number, line in enumerate(islice(lines, _SAMPLE)):
        words = line.split()
        if header is None and words and not words[0].startswith("c"):
            sizes = header_sizes(words[2:])
            if words[0] != "p" or sizes is None or len(sizes) != 2 or words[1] in ("cnf", "wcnf"):
                return None
            header = words[1], *sizes
        elif header is None or not words or words[0] == "c":
            continue
        elif words[0] in _OTHERS:
            if not all(map(is_number, words[1:2])):
                return None
        else:
            ends = header_sizes(words[words[0] in ("a", "e") :][:2])
            return None if ends is None or len(ends) < 2 else (*header, words, number)
    return header and (*header, None, 0)


def read_dimacs(source, reading):
    """Read an open Source as its Reading says; nodes are named 1 to n."""
    weighted = reading.weighted
    with source.text("latin-1") as text:
        opening = _opening(text)
    if opening is None:
        raise FormatError("a DIMACS file begins with a line like 'p edge 4 5', and then come lines like 'e 1 2'")
    kind, n_nodes, n_edges, first, skip = opening
    if n_nodes == 0:
        raise FormatError("the graph is empty: its header says 0 nodes")
    if first is None and n_edges:
        raise FormatError(f"Truncated: the header promises {n_edges} edges, and there are none")
    ends, weights = np.empty((0, 2), dtype=np.int64), None
    if first is not None:
        at = int(first[0] in ("a", "e"))
        weight = at + (3 if kind == "min" else 2)  # a flow of least cost has a lower bound before the capacity
        weighted = weighted and weight < len(first)
        dialect = Dialect(comments=_OTHERS, skip=skip, columns=(at, at + 1), weight_column=weight if weighted else None)
        ends, weights, _ = parse(source, dialect)
        wrong = ((ends < 1) | (ends > n_nodes)).any(axis=1)
        if wrong.any():
            number, named = number_of_line(source, dialect, int(np.argmax(wrong))), ends[np.argmax(wrong)].tolist()
            raise FormatError(f"line {number}: an edge between {named[0]} and {named[1]}, but nodes are 1 to {n_nodes}")
    check_node_count(n_nodes, len(ends), source.any_size)
    if n_edges not in (len(ends), 2 * len(ends), len(ends) / 2):  # an undirected edge may be counted once or twice
        warn_user(f"{source.name}: the header says {n_edges} edges, and there are {len(ends)}")
    if weights is not None and kind in ("sp", "asn"):
        warn_user(
            f"{source.name}: the weights are lengths or costs, and large weights tie nodes together; pass "
            "weight_column=None to leave them out"
        )
    names = np.arange(1, n_nodes + 1)
    return Graph.from_edges(*(ends.T - 1), weights, n_nodes, node_names=names, symmetrize=reading.symmetrize)


DIMACS = Format(
    "dimacs", sniff=lambda source: _opening(source.text_head.decode("latin-1").split("\n")) is not None,
    read=read_dimacs,
)  # fmt: skip
