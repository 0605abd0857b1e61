"""Build a graph on disk from edges that do not fit in memory."""

import os

from .._progress import Stages
from .._typing import PathLike, Sequence
from .._validation import check_choice, check_integer
from ..exceptions import ParameterError
from ..graphs.graph import Graph
from ..graphs.rows import BY_PAIR, DIRECTED
from . import _loops
from .blocks import open_inputs
from .folder import check_replaceable
from .frame import is_frame
from .journal import working_folder
from .limit import Limit, parse_memory
from .open import open_graph
from .parquet import EdgeTable
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
        Files of edges: text, plain or compressed, or Parquet (needs pyarrow). Or blocks of edges, (sources, targets) or
        (sources, targets, weights), each as for :meth:`Graph.from_edges`. Or a dask.dataframe, which gives what a
        Parquet table with its columns would: Dask reads, sorts and merges it, in a temporary folder beside the output
        that all workers see.
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
        If something cannot be read or written, or the disk is full. What was done is kept for `resume`, but for a
        dask.dataframe.
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
    reading = {
        "delimiter": delimiter, "comments": comments, "header": header, "columns": columns,
        "weight_column": weight_column, "ids": ids, "encoding": encoding, "any_size": any_size,
    }  # fmt: skip
    _loops.warm_up()
    if is_frame(source):
        for name, given in (("resume", resume), ("n_nodes", n_nodes)):
            if given:
                raise ParameterError(f"{name}={given} is not for a dask.dataframe; leave it out")
        with working_folder(out, {}, None) as journal:
            build = Build(journal, None, Limit(memory), symmetrize, out, stages, parts)
            build.shuffle(source, EdgeTable.of_frame(source, columns, weight_column, ids))
            build.run()
        return open_graph(out)
    with open_inputs(source, n_nodes, reading | {"memory": parse_memory(memory)}) as given:
        limit = Limit(memory)
        options = {
            "inputs": given.identity, "memory": limit.total, "symmetrize": symmetrize, "n_nodes": n_nodes,
            "parts": parts, **reading,
        }  # fmt: skip
        with working_folder(out, options, resume) as journal:
            Build(journal, given, limit, symmetrize, out, stages, parts).run()
    return open_graph(out)
