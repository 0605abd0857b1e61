"""Files of edges, one after the other, as one list: of a build, and of :func:`graphcore.read_graph`."""

import contextlib
import os
from collections import Counter
from typing import NamedTuple

import numpy as np

from ...exceptions import FormatError, InputError, warn_user
from ..edge_list import record_columns
from ..formats import guess_format
from ..source import Source, is_stream, naming, open_source, parts_of


class _Table(NamedTuple):
    """A file with its blocks of edges: TextEdges, ParquetEdges or BVGraphEdges."""

    name: str
    size: int
    edges: object


@contextlib.contextmanager
def open_tables(paths, reading, memory):
    """Yield the Tables of files and folders of edges."""
    with contextlib.ExitStack() as stack:
        files = [file for path in paths for file in parts_of(os.fspath(path))]
        yield Tables([_opened(stack, file, reading, memory) for file in files])


def _opened(stack, path, reading, memory):
    if is_stream(path):
        source = stack.enter_context(open_source(path))  # a copy of it, until all is done
    else:
        with naming(path):
            source = Source(path, path)
    with naming(source.name):
        kind = guess_format(source)
        if kind.edges is None:
            raise FormatError(
                f"this is a {kind.name} file; several files, and files to build from, are edge lists, Parquet tables "
                "or BVGraphs. What fits in memory can be written with graphcore.write_graph (graphcore convert)"
            )
        return _Table(source.name, os.stat(source.path).st_size, kind.edges(source, reading, memory))


class Tables:
    """Several tables, one after the other, as one input.

    `names` numbers the nodes' names, and is None where ids are integers; `compact` says whether these may have gaps;
    `n_nodes` is None where it is not known; `ones` is the type of weights where each edge counts once, as for a graph
    in memory; `of_lines`, whether an edge is a line of a file.
    """

    ones, of_lines = np.float32, True

    def __init__(self, tables):
        self._tables, first = tables, tables[0]
        self.names, weighted = first.edges.numbering, first.edges.weighted
        for table in tables:
            if (table.edges.numbering is None) != (self.names is None):
                kinds = ["integers" if one.edges.numbering is None else "names" for one in (first, table)]
                raise InputError(
                    f"the nodes of {first.name} are {kinds[0]}, those of {table.name} {kinds[1]}; pass ids='string' to "
                    "read all of them as names"
                )
            if table.edges.weighted != weighted:
                has, has_none = (first, table) if weighted else (table, first)
                raise InputError(
                    f"{has.name} has weights and {has_none.name} has none; pass weight_column=None to leave them out"
                )
        if first.edges.called:
            record_columns(first.edges.called)
        self.called, self.notes, self.numbering = first.edges.called, (), self.names
        said: set = set()
        n_told = Counter(note for table in tables for note in table.edges.notes)
        for table in tables:
            if [*table.edges.called] != [*first.edges.called]:
                kinds = (f"{', '.join(map(str, one.edges.called))} of {one.name}" for one in (first, table))
                warn_user(f"the columns {' and '.join(kinds)} are read")
            for note in (note for note in table.edges.notes if note not in said):  # of many parts, once
                more = f" and {n_told[note] - 1} more" if n_told[note] > 1 else ""
                warn_user(f"{table.name}{more}: {note}")
            said.update(table.edges.notes)
            table.edges.numbering = self.names  # all tables share one numbering
        known = [table.edges.n_nodes for table in tables]
        self.n_nodes = None if None in known else max(known)
        self.compact = self.n_nodes is None and self.names is None

    def blocks(self, folder):
        """Yield (ends (n_edges, 2), weights of length 0 for none, share of the input read) of every block.

        Temporary files lie in `folder`.
        """
        total, before = max(1, sum(table.size for table in self._tables)), 0
        for table in self._tables:
            with naming(table.name):
                for ends, weights, share in table.edges.blocks(folder):
                    yield ends, weights, (before + share * table.size) / total
            before += table.size
