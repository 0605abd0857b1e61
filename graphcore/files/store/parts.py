"""Stores in parts: each a range of rows in a folder of its own, on the machine of the worker that handles these rows.

Indices and weights are cut. A part holds the bytes of its rows as they stand in the whole array, from the start of a
page on, so that the files of all parts can be mapped one behind the other, as one array. Parts that are missing read as
zeros; passes on workers never access these.
"""

import ctypes
import mmap
import os
from contextvars import ContextVar
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...base.arrays import read_only
from ...base.threads import row_blocks
from ...exceptions import FormatError, InputError
from ...graphs.passes import pass_spans
from ..atomic import naming_file, to_disk
from .arrays import map_array
from .format import PARTED, array_path, part_path

# Whether a graph may lack some of its parts, as in the process of a worker, which sets it while it opens the graph.
may_lack_parts: ContextVar = ContextVar("graphcore_may_lack_parts", default=False)
# Files are mapped at multiples of the largest page of any system that Python runs on.
_PAGE = 1 << 16
_FIXED = 0x10  # MAP_FIXED, of Linux and macOS


def cut_into_parts(folder, meta, n_parts):
    """Replace whole arrays of a store by parts; return the new Meta."""
    indptr = map_array(folder, "indptr", meta.arrays["indptr"])
    # A block of a pass must not need rows of two parts.
    starts = np.array([first for first, _ in pass_spans(indptr, few=True)])
    if len(starts) < n_parts:  # a graph too small for workers has fewer blocks
        starts = row_blocks(indptr, max(1, meta.n_entries // n_parts))[:-1]
    if len(starts) < n_parts:
        raise InputError(f"{meta.n_nodes:,} nodes cannot be cut into parts={n_parts}; give fewer")
    chosen = starts[np.linspace(0, len(starts), n_parts + 1).astype(int)[:-1]]
    meta = replace(meta, parts=chosen.tolist())
    for name in PARTED & set(meta.arrays):
        facts = meta.arrays[name]
        whole = map_array(folder, name, facts).view(np.uint8)
        for part, (first, last) in enumerate(_spans(meta, facts, indptr)):
            path = part_path(folder, part, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as stream:
                stream.write(whole[first:last].data)
                to_disk(stream)
        del whole
        os.unlink(array_path(folder, name))
    return meta


def parts_here(folder, meta):
    """Return the numbers of the parts whose files are in the folder."""
    names = PARTED & set(meta.arrays)
    return [p for p in range(len(meta.parts)) if all(os.path.exists(part_path(folder, p, name)) for name in names)]


def map_parts(folder, name, meta, indptr, here):
    """Map the parts of an array that are present, as one read-only array."""
    facts = meta.arrays[name]
    size = facts.length * np.dtype(facts.dtype).itemsize
    if size == 0:
        return read_only(np.empty(0, dtype=facts.dtype))
    spans = _spans(meta, facts, indptr)
    for part in here:
        path, (first, last) = part_path(folder, part, name), spans[part]
        if os.path.getsize(path) != last - first:
            raise FormatError(f"{os.path.relpath(path, folder)} has {os.path.getsize(path)} bytes, not {last - first}")
    if not hasattr(mmap, "MAP_ANONYMOUS"):  # Windows: in memory
        out = np.zeros(size, dtype=np.uint8)
        for part in here:
            with naming_file(part_path(folder, part, name)):
                out[slice(*spans[part])] = np.fromfile(part_path(folder, part, name), dtype=np.uint8)
        return read_only(out.view(facts.dtype))
    # Files are mapped over one anonymous map for all parts, which is freed with the array.
    with naming_file(folder):
        room = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
    array = np.frombuffer(room, dtype=np.uint8)
    place = ctypes.CDLL(None, use_errno=True).mmap
    place.restype = ctypes.c_void_p
    place.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for part in here:
        first, last = spans[part]
        with open(part_path(folder, part, name), "rb") as stream:
            at = array.ctypes.data + first
            flags = mmap.MAP_SHARED | _FIXED
            if last > first and place(at, last - first, mmap.PROT_READ, flags, stream.fileno(), 0) != at:
                raise OSError(ctypes.get_errno(), "a part of the graph cannot be mapped", stream.name)
    return array.view(facts.dtype)


def _spans(meta, facts, indptr):
    """Return first and last byte of every part in the whole array; adjacent parts overlap by less than a page."""
    borders = indptr[np.array([*meta.parts, meta.n_nodes])] * np.dtype(facts.dtype).itemsize
    return [(first - first % _PAGE, last) for first, last in pairwise(borders.tolist())]
