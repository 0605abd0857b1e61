"""Build a graph on disk from edges that do not fit in memory, which come in block by block."""

import contextlib
import os
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from .._progress import Stages
from .._typing import PathLike, Sequence
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import FormatError, InputError, ParameterError
from ..graphs.graph import Graph
from ..graphs.ids import as_ids
from ..graphs.rows import BY_PAIR, DIRECTED
from ..graphs.weights import edge_weights
from ..io._format import Reading
from ..io._source import Source, naming, open_source
from ..io.formats import guess_format
from . import _loops
from .folder import check_replaceable
from .frame import FrameEdges, is_frame
from .journal import Limit, parse_memory, working_folder
from .open import open_graph
from .steps import Build


def build_store(
    source: object, out: PathLike, *, memory: str | int = "4G", symmetrize: str = "max", n_nodes: int | None = None,
    resume: bool = False, delimiter: str | None = None, comments: str | Sequence[str] = ("#", "%"),
    header: bool | None = None, columns: tuple[int, int] = (0, 1), weight_column: int | str | None = "auto",
    ids: str = "auto", encoding: str = "utf-8", any_size: bool = False, parts: int | None = None, stages: object = None,
) -> Graph:  # fmt: skip
    """Build a graph on disk from edges that need not fit in memory.

    The result is the same as that of :func:`graphcore.read_graph` (of all files, one after the other) or
    :meth:`Graph.from_edges` (of all blocks). Edges are read once into a temporary file, spread over buckets by row,
    and each bucket is sorted in memory. Temporary files lie beside the output and take 24 to 56 bytes per edge.

    Parameters
    ----------
    source : str, path-like, list of them, iterable of tuples, or dask.dataframe
        Files of edges: text, plain or compressed, Parquet (needs pyarrow), or BVGraph. Or blocks of edges,
        (sources, targets) or (sources, targets, weights), each as for :meth:`Graph.from_edges`. Or a dask.dataframe,
        which gives what a Parquet table with its columns would: Dask's workers read it, a few partitions at a time.
    out : str or path-like
        ``NAME.store``. A graph on disk that is there is replaced, once the new one is complete.
    memory : str or int, default "4G"
        Limit on the whole process's own memory (page cache apart), in bytes or like "500M" and "2G".
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        What becomes of the two directions of a pair, see :meth:`Graph.from_edges`.
    n_nodes : int, optional
        For blocks: the number of nodes. Default: largest id + 1.
    resume : bool, default False
        Go on with a build of the same input that was interrupted, if there is one. Blocks must come again in the same
        order; those known already are skipped.
    delimiter, comments, header, columns, weight_column, ids, encoding, any_size
        How files are read, see :func:`graphcore.read_graph`. In Parquet tables columns are counted from 0 too.
    parts : int, optional
        Cut the rows into so many ranges, each in a folder of its own (``part-0``, ``part-1``, ...) that need only lie
        where the Dask worker is that goes through these rows. Until they are cut, the disk holds the entries twice.
    stages : Stages, optional
        Where time is measured and progress shown.

    Returns
    -------
    Graph
        The graph, as :func:`graphcore.open_graph` opens it.

    Raises
    ------
    FormatError
        If a file does not follow its format; the message names it, and the line.
    InputError
        If the edges cannot be used, or the limit on memory is too low for them.
    OSError
        If something cannot be read or written, or the disk is full. What was done is kept for `resume`.
    ParameterError
        If an option is not known.

    Notes
    -----
    Node names that are text are kept in memory while they are numbered, about 150 bytes each. Node ids that are
    integers take at most a bit each. There can be 2**31 nodes at most.

    Weights of edges that are listed several times are added in ascending order, so that the result does not depend on
    the order of the input.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import graphcore
    >>> blocks = ((np.arange(i, i + 10), np.arange(i + 1, i + 11)) for i in range(0, 100, 10))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     graphcore.build_store(blocks, os.path.join(folder, "path.store"))
    Graph(n_nodes=101, n_edges=100, unweighted)
    """
    if symmetrize in DIRECTED:
        raise ParameterError(
            f"symmetrize={symmetrize!r} needs the whole graph in memory; choose another policy, or read_graph and "
            "write_graph (graphcore convert)"
        )
    check_choice("symmetrize", symmetrize, BY_PAIR)
    n_nodes = None if n_nodes is None else check_integer("n_nodes", n_nodes, low=1)
    parts = None if parts is None else check_integer("parts", parts, low=1)
    given = source if isinstance(source, (list, tuple)) else [source]
    out = check_replaceable(out, reads=[path for path in given if isinstance(path, (str, os.PathLike))])
    stages = stages or Stages()
    reading = Reading(
        delimiter=delimiter, comments=comments, header=header, columns=columns, weight_column=weight_column, ids=ids,
        encoding=encoding, symmetrize=symmetrize,
    )  # fmt: skip
    _loops.warm_up()
    with _open_inputs(source, n_nodes, reading, parse_memory(memory), any_size) as given:
        limit = Limit(memory)
        options = {
            "inputs": given.identity, "memory": limit.total, "n_nodes": n_nodes, "parts": parts, "any_size": any_size,
            **asdict(reading),
        }  # fmt: skip
        with working_folder(out, options, resume) as journal:
            Build(journal, given, limit, symmetrize, out, stages, parts).run()
    return open_graph(out)


class Block(NamedTuple):
    """Edges as they come in."""

    ends: np.ndarray  # (n_edges, 2) int32 or int64
    weights: np.ndarray  # of length 0 for none
    position: tuple  # number of the file, number of the next block in it
    share: float  # how much of all input has been read


class Input(NamedTuple):
    """Where edges come from."""

    # blocks(file, skip, folder for temporary files): yields Blocks from this file on, without the first `skip` of it.
    blocks: object
    identity: list  # tells this input from another
    names: dict | None  # numbers of the nodes' names; None where ids are integers
    compact: bool  # whether ids may have gaps
    n_nodes: int | None  # where it is known
    ones: type  # of weights where each edge counts once, as for a graph in memory


class _Table(NamedTuple):
    """A file or a frame that edges come from by blocks: TextEdges, ParquetEdges, BVGraphEdges or FrameEdges."""

    name: str
    size: int
    modified: int
    edges: object


@contextlib.contextmanager
def _open_inputs(source, n_nodes, reading, memory, any_size):
    """Yield the Input of what `build_store` is given: paths, a dask.dataframe, or an iterator of blocks of edges."""
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    listed = isinstance(paths, (list, tuple)) and len(paths) > 0
    listed = listed and all(isinstance(path, (str, os.PathLike)) for path in paths)
    if not (listed or is_frame(source)):
        if not hasattr(source, "__iter__") or isinstance(source, np.ndarray):
            raise ParameterError(
                f"source must be a path, a list of paths or an iterator of blocks of edges, got {type(source).__name__}"
            )
        yield Input(_iterator_blocks(source), [], None, False, n_nodes, np.float64)
        return
    if n_nodes is not None:
        raise ParameterError(f"n_nodes={n_nodes} is for edge blocks; the nodes of files are those that occur in them")
    with contextlib.ExitStack() as stack:
        if listed:
            tables = [_opened(stack, os.fspath(path), reading, memory, any_size) for path in paths]
        else:
            tables = [_Table("the dask.dataframe", source.npartitions, 0, FrameEdges(source, reading))]
        yield _together(tables)


def _opened(stack, path, reading, memory, any_size):
    if path == "-":
        source = stack.enter_context(open_source(path, any_size))  # a copy of standard input, until all is done
    else:
        with naming(path):
            source = Source(path, path, any_size)
    with naming(source.name):
        kind = guess_format(source)
        if kind.edges is None:
            raise FormatError(
                f"this is a {kind.name} file; edge lists, Parquet tables and BVGraphs can be built from. What fits in "
                "memory can be written with graphcore.write_graph (graphcore convert)"
            )
        facts = os.stat(source.path)
        return _Table(source.name, facts.st_size, facts.st_mtime_ns, kind.edges(source, reading, memory))


def _together(tables):
    """The Input of several tables, one after the other."""
    first = tables[0]
    numbering, weighted = first.edges.numbering, first.edges.weighted
    for table in tables[1:]:
        if (table.edges.numbering is None) != (numbering is None):
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
    for table in tables:
        for note in table.edges.notes:
            warn_user(f"{table.name}: {note}")
        table.edges.numbering = numbering  # one for all
    known = [table.edges.n_nodes for table in tables]
    n_nodes = None if None in known else max(known)
    total = max(1, sum(table.size for table in tables))

    def blocks(start, skip, folder):
        before = sum(table.size for table in tables[:start])
        for i, table in enumerate(tables[start:], start):
            skipped = skip if i == start else 0
            with naming(table.name):
                for j, (ends, weights, share) in enumerate(table.edges.blocks(skipped, folder), skipped + 1):
                    yield Block(ends, weights, (i, j), (before + share * table.size) / total)
            before += table.size

    identity = [list(table[:3]) for table in tables]
    return Input(blocks, identity, numbering, n_nodes is None and numbering is None, n_nodes, np.float32)


def _iterator_blocks(source):
    def blocks(_file, skip, _folder):
        weighted = None
        for i, block in enumerate(source):
            ends, weights = _as_block(i, block)
            if weighted not in (None, len(block) == 3):
                raise InputError(f"block {i} has {'' if not weighted else 'no '}weights, unlike those before it")
            weighted = len(block) == 3
            if i >= skip:
                yield Block(ends, weights, (0, i + 1), 0.0)

    return blocks


def _as_block(i, block):
    if not isinstance(block, tuple) or len(block) not in (2, 3):
        raise InputError(f"block {i} must be a tuple (sources, targets) or (sources, targets, weights)")
    sources, targets = as_ids("sources", block[0]), as_ids("targets", block[1])
    if len(sources) != len(targets):
        raise InputError(f"block {i}: {len(sources)} sources and {len(targets)} targets: there must be as many of each")
    weights = edge_weights(block[2] if len(block) == 3 else None, len(sources))
    return np.stack([sources, targets], axis=1), weights
