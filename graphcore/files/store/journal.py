"""The working folder of a build: the journal of its progress, its lock, and its limits of memory and disk."""

import contextlib
import errno
import json
import os
import re
import shutil
import time

from ...base.validation import check_integer
from ...exceptions import InputError, ParameterError, warn_user
from ..atomic import sync_folder
from .format import write_json

_NAME, _LOCK = "journal.json", "lock"
# Seconds of reading that an interruption may cost; each save flushes data to the disk, which takes time, too.
INTERVAL = 10.0
_KEPT = "what was done so far is kept; resume=True or --resume goes on with it"
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Memory of Python, numpy and compiled loops, where the system does not report it.
_ASSUMED = 250 << 20
# Memory for line buffers and for freed blocks that allocators keep.
_SPARE = 32 << 20
_MIN_FREE = 64 << 20


class Journal:
    """Notes on a build's progress; a dictionary that :meth:`save` writes in one step."""

    def __init__(self, folder, options):
        self.folder = folder
        self.notes = {"options": options}
        self._saved = time.monotonic()

    def save(self):
        """Write the notes atomically; the caller has flushed the files that they describe."""
        write_json(os.path.join(self.folder, _NAME), self.notes)
        sync_folder(self.folder)
        self._saved = time.monotonic()

    @property
    def due(self):
        """Whether enough time has passed to save again."""
        return time.monotonic() - self._saved >= INTERVAL

    def load(self):
        """Load the notes of an interrupted build; return False if there are none, or they are damaged."""
        try:
            with open(os.path.join(self.folder, _NAME), encoding="utf-8") as stream:
                notes = json.load(stream)
        except (FileNotFoundError, ValueError):
            return False
        if notes.get("options") != json.loads(json.dumps(self.notes["options"])):
            raise InputError(
                "the interrupted build had other inputs or options, or its inputs have changed since; repeat them, or "
                "start over with resume=False (no --resume)"
            )
        self.notes = notes
        return True


@contextlib.contextmanager
def working_folder(out, options, resume):
    """Yield the Journal of a build, in a hidden folder beside its output.

    The folder is removed when the block succeeds, or fails because of its input. After an interruption or an error of
    the system it stays, so that the build can be resumed.
    """
    parent, name = os.path.split(os.path.realpath(out))
    folder = os.path.join(parent, f".{name}.building")
    with _locked(folder):
        journal = Journal(folder, options)
        fresh = not (resume and journal.load())
        if fresh:
            _empty(folder, resume)
        try:
            if fresh:
                journal.save()
            yield journal
        except InputError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        except OSError as error:
            raise type(error)(
                error.errno,
                f"{error.strerror} ({_KEPT})",
                error.filename if error.filename is not None else folder,
            ) from error
        except BaseException as interrupt:
            interrupt.add_note(_KEPT)
            raise
        try:
            shutil.rmtree(folder)
        except OSError as error:  # another build may have started in the folder as soon as the lock was gone
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise


def _empty(folder, resume):
    left = [entry for entry in os.scandir(folder) if entry.name != _LOCK]
    if left and not resume:
        warn_user("an interrupted build was there and is started over; resume=True (--resume) would have gone on")
    # The journal is removed first, so that it never describes missing files.
    for entry in sorted(left, key=lambda entry: entry.name != _NAME):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)


@contextlib.contextmanager
def _locked(folder):
    """Lock the folder against a second build of the same output; the system releases the lock with the process."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        os.makedirs(folder, exist_ok=True)
        yield
        return
    path, held = os.path.join(folder, _LOCK), False
    with contextlib.ExitStack() as stack:
        while not held:
            os.makedirs(folder, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # a build that ends may remove its folder at this moment
                stream = stack.enter_context(open(path, "w"))
                try:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise InputError(f"another build of the same output is running in {folder}") from None
                held = os.path.samestat(os.fstat(stream.fileno()), os.stat(path))
        yield


def parse_memory(memory):
    """Return bytes of "4G", "500 MB", "2GiB" or an integer; K, M, G and T are powers of 1,024."""
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", memory, re.IGNORECASE)
        if match is None:
            raise ParameterError(f"memory={memory!r} is no size; write it like '4G' or '500M'")
        return int(float(match[1]) * _UNITS[match[2].upper()])
    return check_integer("memory", memory, low=1)


def anonymous_memory():
    """Return the bytes of this process's own memory, without pages of mapped files."""
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
        """Return whether the memory of the process leaves no room for buffers."""
        return anonymous_memory() > self.total - _SPARE


def need_disk(folder, n_bytes):
    """Raise an OSError if the disk of a folder has less than `n_bytes` free."""
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise OSError(
            errno.ENOSPC,
            f"the build needs about {n_bytes / 1e9:,.1f} GB more on this disk, which has {free / 1e9:,.1f} GB free",
            folder,
        )
