"""Which files of a store graphcore itself has written or verified: a note beside them, that fits nothing but them."""

import json
import os

RECORD = "verified.json"
_LARGEST = 1 << 16


def note(folder, state):
    """Note in a folder the state of its files, found by :func:`state_of` before they were verified."""
    path = os.path.join(folder, RECORD)
    with open(f"{path}.new", "w", encoding="ascii") as stream:
        json.dump(state, stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(f"{path}.new", path)


def is_noted(folder, names):
    """Whether the files are those that were noted: not written to, replaced, copied or unpacked since."""
    path = os.path.join(folder, RECORD)
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
            return False
        with open(path, "rb") as stream:
            return json.loads(stream.read()) == state_of(folder, names)
    except (FileNotFoundError, ValueError, RecursionError):
        return False


def state_of(folder, names):
    """Size, times of change and number on the disk of each file."""
    # The time of the last change of a file's status cannot be set by any program, nor its number on the disk be known
    # before it is there: a folder that comes from elsewhere cannot bring a note that fits.
    found = {name: os.stat(os.path.join(folder, name)) for name in names}
    return {name: [s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino] for name, s in found.items()}
