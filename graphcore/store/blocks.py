"""Edges come in, block by block: from files of several kinds, or from an iterator."""

import contextlib
import os
from typing import NamedTuple

import numpy as np

from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..graphs.ids import as_ids
from ..graphs.weights import edge_weights
from ..io._source import Source, naming, open_source
from .parquet import MAGIC, open_parquet
from .text import open_text


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


@contextlib.contextmanager
def open_inputs(source, n_nodes, options):
    """Yield the Input of what `build_store` is given: paths, or an iterator of blocks of edges."""
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    listed = isinstance(source, (list, tuple)) and len(source) > 0
    if not (listed and all(isinstance(path, (str, os.PathLike)) for path in source)):
        if not hasattr(source, "__iter__") or isinstance(source, np.ndarray):
            raise ParameterError(
                f"source must be a path, a list of paths or an iterator of blocks of edges, got {type(source).__name__}"
            )
        yield Input(_iterator_blocks(source), [], None, False, n_nodes, np.float64)
        return
    if n_nodes is not None:
        raise ParameterError(f"n_nodes={n_nodes} is for edge blocks; the nodes of files are those that occur in them")
    with contextlib.ExitStack() as stack:
        files = [_open(stack, os.fspath(path), options) for path in source]
        yield _together(files)


def _open(stack, path, options):
    options = dict(options)
    any_size = options.pop("any_size")
    if path == "-":
        opened = stack.enter_context(open_source(path, any_size))  # a copy of standard input, until all is done
    else:
        with naming(path):
            opened = Source(path, path, any_size)
    with naming(opened.name):
        return (open_parquet if opened.begins_with(MAGIC) else open_text)(opened, **options)


def _together(files):
    first = files[0]
    for file in files[1:]:
        if (file.numbering is None) != (first.numbering is None):
            kinds = ["integers" if f.numbering is None else "names" for f in (first, file)]
            raise InputError(
                f"the nodes of {first.name} are {kinds[0]}, those of {file.name} {kinds[1]}; pass ids='string' to read "
                "all of them as names"
            )
        if file.weighted != first.weighted:
            has, has_none = (first, file) if first.weighted else (file, first)
            raise InputError(
                f"{has.name} has weights and {has_none.name} has none; pass weight_column=None to leave them out"
            )
    numbering = first.numbering
    for file in files:
        for note in file.notes:
            warn_user(f"{file.name}: {note}")
        file.numbering = numbering  # one for all files
    known = [file.n_nodes for file in files]
    n_nodes = None if None in known else max(known)
    sizes = [file.size for file in files]
    identity = [[file.name, file.size, file.modified] for file in files]

    def blocks(first, skip, folder):
        total, before = max(1, sum(sizes)), sum(sizes[:first])
        for i, file in enumerate(files[first:], first):
            skipped = skip if i == first else 0
            with naming(file.name):
                for j, (ends, weights, share) in enumerate(file.blocks(skipped, folder), skipped + 1):
                    yield Block(ends, weights, (i, j), (before + share * file.size) / total)
            before += file.size

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
