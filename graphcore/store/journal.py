"""The folder in which a build works, and what it notes there so that it can go on after an interruption."""

import contextlib
import errno
import json
import os
import shutil
import time

from .._warn import warn_user
from ..exceptions import InputError
from ..io.atomic import sync_folder

_NAME = "journal.json"
# Seconds of work that an interruption may cost, while input is read; bringing data to the disk takes time too.
INTERVAL = 10.0


class Journal:
    """Notes on a build's progress; a dictionary that :meth:`save` writes in one step."""

    def __init__(self, folder, options):
        self.folder = folder
        self.notes = {"options": options}
        self._saved = time.monotonic()

    def save(self):
        """Write the notes, after whoever calls has brought to the disk what they speak of."""
        path = os.path.join(self.folder, _NAME)
        with open(f"{path}.new", "w", encoding="utf-8") as stream:
            json.dump(self.notes, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(f"{path}.new", path)
        sync_folder(self.folder)
        self._saved = time.monotonic()

    @property
    def due(self):
        """Whether enough time has passed to save again."""
        return time.monotonic() - self._saved >= INTERVAL

    def load(self):
        """Take over the notes of an interrupted build; False if there are none that are whole."""
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

    It goes away when the block ends well, or because the input is at fault. After an interruption or an error of the
    system it stays, so that the build can be resumed; where `resume` is None nothing could go on with it, and it goes
    away however the block ends.
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
        except BaseException as error:
            if resume is None or isinstance(error, InputError):
                shutil.rmtree(folder, ignore_errors=True)
            elif isinstance(error, OSError):
                raise type(error)(
                    error.errno,
                    f"{error.strerror} (what was done so far is kept; resume=True or --resume goes on with it)",
                    error.filename if error.filename is not None else folder,
                ) from error
            raise
        _take_away(folder)


def _empty(folder, resume):
    left = [entry for entry in os.scandir(folder) if entry.name != _LOCK]
    if left and resume is False:
        warn_user("an interrupted build was there and is started over; resume=True (--resume) would have gone on")
    # The journal first: it must never speak of what is gone.
    for entry in sorted(left, key=lambda entry: entry.name != _NAME):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)


_LOCK = "lock"


@contextlib.contextmanager
def _locked(folder):
    """Keep a second build of the same output out; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        os.makedirs(folder, exist_ok=True)
        yield
        return
    with _lock(folder, lambda stream: fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)):
        yield


def _lock(folder, take):
    """An open file that is locked, in the folder of that name.

    A build that is just done takes its folder away with the lock in it: whoever opened that one tries again.
    """
    while True:
        os.makedirs(folder, exist_ok=True)
        with contextlib.ExitStack() as stack, contextlib.suppress(FileNotFoundError):
            stream = stack.enter_context(open(os.path.join(folder, _LOCK), "w"))
            try:
                take(stream)
            except BlockingIOError:
                raise InputError(f"another build of the same output is running in {folder}") from None
            if os.path.samestat(os.fstat(stream.fileno()), os.stat(stream.name)):
                stack.pop_all()
                return stream


def _take_away(folder):
    """Delete the folder; another build may have begun in it as soon as the lock is gone."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
            raise
