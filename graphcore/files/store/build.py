"""Build a graph on disk, block by block, from edges that do not fit in memory."""

import contextlib
import os
from dataclasses import asdict
from itertools import islice

import numpy as np

from ...base.progress import Stages
from ...base.types import PathLike, Sequence
from ...base.validation import check_choice, check_integer
from ...exceptions import FormatError, InputError, warn_user
from ...graphs.graph import Graph
from ...graphs.ids import count_nodes
from ...graphs.nodes import RowOf
from ...graphs.rows import SYMMETRIZE, SYMMETRY_TOLERANCE, check_directions, policy_code
from ...graphs.weights import counted
from .._format import Reading
from ..edge_list import tell_of_repeats
from ..nodes import read_table_of
from . import _loops
from .arrays import RowWriter, names_as_arrays, write_array
from .buckets import Buckets, Spool, choose_borders
from .folder import check_replaceable, put_in_place
from .format import ArrayFacts, Meta, array_path, write_meta
from .inputs import check_nodes, identity_of, open_inputs
from .journal import Limit, need_disk, parse_memory, working_folder
from .numbering import number_ids, same
from .open import open_graph
from .parts import cut_into_parts


def build_store(
    source: object, out: PathLike, *, memory: str | int = "4G", symmetrize: str = "max", n_nodes: int | None = None,
    resume: bool = False, delimiter: str | None = None, comments: str | Sequence[str] = ("#", "%"),
    header: bool | None = None, columns: tuple[int | str, int | str] | None = None,
    weight_column: int | str | None = "auto", ids: str = "auto", count_repeats: bool = False, encoding: str = "utf-8",
    any_size: bool = False, nodes: object = None, parts: int | None = None, stages: object = None,
) -> Graph:  # fmt: skip
    """Build a graph on disk from edges that need not fit in memory.

    The result is that of :func:`graphcore.read_graph` (of all files, one after the other) or :meth:`Graph.from_edges`
    (of all blocks). Temporary files lie beside the output and take 24 to 56 bytes per edge.

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
        How the two directions of a pair are combined, see :meth:`Graph.from_edges`.
    n_nodes : int, optional
        For blocks: the number of nodes. Default: largest id + 1.
    resume : bool, default False
        Go on with an interrupted build of the same input, if there is one. Blocks must be given in the same order.
    delimiter, comments, header, columns, weight_column, ids, count_repeats, encoding, any_size
        How files are read, see :func:`graphcore.read_graph`.
    nodes : path, or what :meth:`Graph.with_nodes` takes, optional
        Names and attributes of the nodes, as for :func:`graphcore.read_graph`; held in memory.
    parts : int, optional
        Cut the rows into so many ranges, each in a folder of its own (``part-0``, ``part-1``, ...) that need only lie
        where the Dask worker is that goes through these rows. Until they are cut, the disk holds the rows twice, too.
    stages : Stages, optional
        Object that measures time and shows progress.

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
        If something cannot be read or written, or the disk is full. The finished steps are kept for `resume`.
    ParameterError
        If an option is not known.

    Notes
    -----
    While they are numbered, node names that are text take about 150 bytes of memory each, integers at most a bit.
    There can be 2**31 nodes at most. Weights of an edge that is listed several times are added in ascending order, so
    that the result does not depend on the order of the input.

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
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    n_nodes = None if n_nodes is None else check_integer("n_nodes", n_nodes, low=1)
    parts = None if parts is None else check_integer("parts", parts, low=1)
    given = source if isinstance(source, (list, tuple)) else [source]
    out = check_replaceable(out, reads=[path for path in given if isinstance(path, (str, os.PathLike))])
    stages = stages or Stages()
    reading = Reading(
        delimiter=delimiter, comments=comments, header=header, columns=columns, weight_column=weight_column, ids=ids,
        count_repeats=count_repeats, encoding=encoding, symmetrize=symmetrize,
    )  # fmt: skip
    table = read_table_of(nodes, encoding, any_size)
    _loops.warm_up()
    with contextlib.ExitStack() as opened:
        with stages("read"):  # which records what the columns are called
            given = opened.enter_context(open_inputs(source, n_nodes, reading, parse_memory(memory), any_size))
        limit = Limit(memory)
        if table is not None:
            check_nodes(table, given)
            lost = [name for name, values in table.columns.items() if values is not table.ids]
            if lost:
                warn_user(f"a graph on disk holds no attributes of nodes: {', '.join(lost)[:200]} not written")
        options = {
            "inputs": given.identity, "nodes": table and identity_of(table), "memory": limit.total, "n_nodes": n_nodes,
            "parts": parts, "any_size": any_size, "layout": 2,  # version of the journal and of the temporary files
            **asdict(reading),
        }  # fmt: skip
        with working_folder(out, options, resume) as journal:
            build = _Build(journal, given, table, limit, reading, stages)
            build.run(parts)
            if os.path.exists(build.store):  # it is gone if an interruption came after the renaming
                put_in_place(build.store, out, os.path.join(journal.folder, "replaced"))
    return open_graph(out)


class _Build:
    """The steps of a build, from blocks of edges to a store; the journal notes every step that is finished."""

    def __init__(self, journal, given, nodes, limit, reading, stages):
        self._journal, self._notes, self._given, self._limit = journal, journal.notes, given, limit
        self._nodes, self._reading, self._stages = nodes, reading, stages
        self.store = os.path.join(journal.folder, "store")
        path = {"path": os.path.join(journal.folder, "edges")}
        self._spool = Spool(**self._notes.get("read", {}).get("spool", {}) | path)

    def run(self, n_parts):
        """Do every step that is not done yet."""
        if self._notes.get("finished"):
            return
        os.makedirs(self.store, exist_ok=True)
        if "spread" not in self._notes:
            with self._stages("read"):
                self._read()
            with self._stages("number"):
                n_nodes, number = self._number()
            with self._stages("spread"):
                self._spread(n_nodes, number)
                del number
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._spool.path)
        with self._stages("sort"):
            meta = self._sort()
            write_meta(self.store, meta if n_parts is None else cut_into_parts(self.store, meta, n_parts))
            self._notes["finished"] = True
            self._journal.save()

    def _read(self):
        read, names = self._notes.get("read"), self._given.names
        if read is None or (names is not None and not read["done"]):  # names are noted only when complete
            self._spool = Spool(self._spool.path)
            read = self._notes["read"] = {"position": [0, 0], "names": None, "done": False}
        if read["done"]:
            return
        with self._spool.writing():
            for ends, weights, position, share in self._given.blocks(*read["position"], self._journal.folder):
                self._tell("read", share)
                self._spool.append(ends, counted(weights, len(ends), self._reading.count_repeats))
                read |= {"spool": asdict(self._spool), "position": list(position)}
                if names is not None and self._limit.exceeded():
                    raise InputError(
                        f"the names of {len(names):,} nodes fill the memory given, and more may follow; "
                        "give more memory, or number the nodes first"
                    )
                if self._journal.due:
                    self._spool.sync()
                    self._journal.save()
            self._spool.sync()
        if names is not None:
            if not names:
                raise FormatError("there are no edges")
            if self._nodes is not None and len(names) > len(self._nodes):
                raise self._nodes.lacks(next(islice(names, len(self._nodes), None)))
            if self._nodes is None:
                read["names"] = self._named(np.array(list(names), dtype=object))
        read["done"] = True
        self._journal.save()

    def _named(self, names):
        """Write the arrays of names to the store, and return their facts."""
        arrays = {} if names is None else names_as_arrays(names)
        return {key: asdict(write_array(self.store, key, a.dtype, [a])) for key, a in arrays.items()}

    def _number(self):
        """Return (number of nodes, function from ids to node numbers), and note the names of the nodes."""
        names, spool, given = self._notes["read"]["names"], self._spool, self._given
        low, high = (0, -1) if spool.low is None else (spool.low, spool.high)
        number, self._notes["names"] = same, names or {}
        if self._nodes is not None:
            self._notes["names"], n_nodes = self._named(self._nodes.called), len(self._nodes)
            if given.names is None:  # names were numbered in the order of the table while they were read
                in_order = np.array_equal(self._nodes.ids_among(text=False), np.arange(n_nodes))
                number = same if in_order and low >= 0 and high < n_nodes else RowOf(self._nodes)
        elif names is not None:
            n_nodes = len(given.names) or high + 1
        elif given.compact:
            if spool.n_edges == 0:
                raise FormatError("there are no edges")
            n_nodes, number, facts = number_ids(spool, self.store, self._journal.folder, self._limit.free // 2)
            self._notes["names"] = {} if facts is None else {"node_names": asdict(facts)}
        else:
            n_nodes = count_nodes(low, high, spool.n_edges, given.n_nodes)
        if n_nodes > 2**31:
            raise InputError(f"there are {n_nodes:,} nodes; a build takes 2**31 at most")
        return n_nodes, number

    @property
    def _kind(self):
        """The source of weights, a `kind` of Buckets."""
        if self._spool.weighted:
            return "file"
        return "ones" if self._reading.symmetrize in ("average", "sum") else "none"

    def _spread(self, n_nodes, number):
        n_edges = self._spool.n_edges
        need_disk(self._journal.folder, n_edges * (40 if self._kind == "file" else 16) + 16 * n_nodes)
        borders = choose_borders(self._spool, number, self._kind, self._limit.free)
        buckets = Buckets(self._journal.folder, len(borders) + 1, self._kind)
        buckets.fill(self._spool, number, borders, lambda share: self._tell("spread", share))
        self._notes["spread"] = {"borders": borders.tolist(), "n_nodes": n_nodes}
        self._journal.save()

    def _sort(self):
        """Sort and merge the buckets in order into the rows of the store; return the Meta."""
        spread, found = self._notes["spread"], np.zeros(4, dtype=np.int64)
        lasts, policy = [*spread["borders"], spread["n_nodes"]], policy_code(self._reading.symmetrize)
        buckets = Buckets(self._journal.folder, len(lasts), self._kind)
        weight_dtype = self._given.ones if self._kind == "ones" else None
        if self._kind == "file":
            weight_dtype = np.float32 if self._spool.narrow else np.float64
        with contextlib.ExitStack() as stack:
            rows = RowWriter(stack, self.store, spread["n_nodes"], weight_dtype)
            for bucket, last in enumerate(lasts):
                self._tell("sort", bucket / len(lasts))
                keys, weights = buckets.load(bucket, self._limit.free)
                length = _loops.merge_entries(keys, weights, policy, SYMMETRY_TOLERANCE, found)
                rows.append(keys[:length], weights[:length], last)
                del keys, weights
            both, single, different, n_self_loops = found.tolist()
            check_directions(both // 2, single // 2, single + different > 0, self._reading.symmetrize, True)
            if self._kind != "file" and self._given.of_lines:
                tell_of_repeats(self._reading, self._spool.n_edges - both - single // 2 - n_self_loops)
            arrays = rows.finish()
        if rows.all_ones and arrays.pop("weights", None):
            os.unlink(array_path(self.store, "weights"))
        arrays |= {name: ArrayFacts(**facts) for name, facts in self._notes["names"].items()}
        return Meta(arrays["degrees"].length, arrays["indices"].length, n_self_loops, rows.n_isolated, arrays)

    def _tell(self, step, share):
        with self._stages(f"{step} {share:.0%}", total=False):
            pass
