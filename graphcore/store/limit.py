"""How much memory a build may take, and how much is left of it; how much it needs on the disk."""

import errno
import re
import shutil

from .._validation import check_integer
from ..exceptions import ParameterError

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Where the system does not tell: what Python, numpy and compiled loops take.
_ASSUMED = 250 << 20
# Freed memory that allocators keep, line buffers, and the like.
_SPARE = 32 << 20
_MIN_FREE = 64 << 20


def parse_memory(memory):
    """Return bytes of "4G", "500 MB", "2GiB" or an integer; K, M, G and T are powers of 1,024."""
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", memory, re.IGNORECASE)
        if match is None:
            raise ParameterError(f"memory={memory!r} is no size; write it like '4G' or '500M'")
        return int(float(match[1]) * _UNITS[match[2].upper()])
    return check_integer("memory", memory, low=1)


def anonymous_memory():
    """Bytes of this process's own memory; pages of mapped files are not in it."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
    except OSError:
        found = None
    return int(found[1]) << 10 if found else _ASSUMED


class Limit:
    """A limit on the memory of the whole process: `total` bytes, `free` for arrays beside what the process holds."""

    def __init__(self, memory):
        self.total = parse_memory(memory)
        held = anonymous_memory()
        self.free = self.total - held - _SPARE
        if self.free < _MIN_FREE:
            raise ParameterError(
                f"memory={memory!r} is too little: this process holds {held >> 20} MiB already, and a build needs "
                f"{(held + _SPARE + _MIN_FREE) >> 20} MiB"
            )

    def exceeded(self):
        """Whether the process holds so much that there is no room for buffers any more."""
        return anonymous_memory() > self.total - _SPARE


def need_disk(folder, n_bytes):
    """Raise an OSError if the disk that holds a folder has not so many bytes free."""
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise OSError(
            errno.ENOSPC,
            f"the build needs about {n_bytes / 1e9:,.1f} GB more on this disk, which has {free / 1e9:,.1f} GB free",
            folder,
        )
