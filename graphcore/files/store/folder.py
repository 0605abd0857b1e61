"""Atomic folders of stores, and the writing of a graph in memory as a store."""

import contextlib
import os
import shutil
from collections.abc import Iterable

from ...base.types import PathLike
from ...base.validation import check_path
from ...exceptions import InputError, ParameterError
from ...graphs.graph import Graph
from ..atomic import Use, check_apart, check_folder, hidden_beside, naming_file, sync_folder
from .arrays import names_as_arrays, write_array
from .format import SUFFIX, SUFFIXES, Meta, is_store, write_meta


def check_replaceable(path: PathLike, reads: Iterable[PathLike] = ()) -> str:
    """Check that a store can be written at `path`, and return the path as a string.

    Only stores are replaced, and none that is, or holds, one of the inputs `reads`.
    """
    path = os.path.normpath(check_path(path))
    if not path.endswith(SUFFIXES) or os.path.basename(path) in SUFFIXES:
        raise ParameterError(f"the output is {path!r}, but graphs on disk are called NAME{SUFFIX}")
    check_folder(path, written=True)
    if os.path.lexists(path) and not is_store(path):
        raise InputError(f"{path} is there and is no graph on disk, so it is not replaced; choose another name")
    check_apart([*(Use(f"the input {each}", each, False) for each in reads), Use(f"the output {path}", path, True)])
    return path


@contextlib.contextmanager
def atomic_folder(path, reads=()):
    """Yield a new folder that becomes `path` when the block ends without an error, and goes away otherwise."""
    path = check_replaceable(path, reads)
    temporary = hidden_beside(path)
    try:
        with naming_file(path, temporary):
            os.mkdir(temporary)
            yield temporary
            put_in_place(temporary, path, hidden_beside(path))
    except BaseException:  # an interrupt too must leave nothing behind
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def put_in_place(folder, path, aside):
    """Rename a finished folder to `path`; a store there is moved to `aside` first and removed afterwards."""
    path = os.path.realpath(path)
    sync_folder(folder)
    if os.path.lexists(path):
        # Folders cannot be replaced in one step: for a moment there is none, but never an incomplete one.
        os.rename(path, aside)
        try:
            os.rename(folder, path)
        finally:
            if not os.path.lexists(path):
                os.rename(aside, path)
            else:  # also where an interrupt came when all was done
                shutil.rmtree(aside)
    else:
        os.rename(folder, path)
    sync_folder(os.path.dirname(path))


def write_store(graph: Graph, path: PathLike) -> None:
    """Write a graph as a folder ``NAME.store``, atomically; only a store is replaced.

    A graph that is mapped from a store is not written over that store, which its pickles open by the path.
    """
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights, "degrees": graph.degrees}
    if graph.node_names is not None:
        arrays |= names_as_arrays(graph.node_names)
    with atomic_folder(path, reads=[] if graph.origin is None else graph.origin[1]) as folder:
        facts = {name: write_array(folder, name, a.dtype, [a]) for name, a in arrays.items() if a is not None}
        write_meta(folder, Meta(graph.n_nodes, graph.n_entries, graph.n_self_loops, graph.n_isolated, facts))
