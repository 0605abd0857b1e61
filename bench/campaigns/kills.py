"""Builds that are killed, run out of disk, or meet another build of the same output."""

import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import graphcore
from graphcore import InputError
from graphcore.files import edge_list
from graphcore.files.store import buckets, journal

from .harness import Campaign, Failure

# Reports of a process about its end.
_DONE, _REFUSED, _NO_SPACE, _WRONG = 0, 3, 4, 5


def prepare():
    """Prepare lists of edges of several kinds: (file, options, number of calls in a build, files of the store)."""
    # Many blocks and buckets, a note after each, and no waiting for the disk.
    edge_list.CHUNK, buckets._MIN_BUCKETS, journal.INTERVAL = 1 << 10, 6, 0.0
    os.fsync = lambda _: None
    rng = np.random.default_rng(0)
    folder, made = Path(mkdtemp(prefix="kills-")), []
    for kind in ("plain", "weighted", "names", "gaps", "ones"):
        ends = rng.integers(0, 80, (400, 2)) * (10**7 if kind == "gaps" else 1)
        lines = [f"{a} {b}" for a, b in ends]
        if kind == "names":
            lines = [f"é{a} {'x' * 70}{b}" for a, b in ends]
        if kind in ("weighted", "ones"):
            weights = rng.integers(1, 9, 400) / 8 if kind == "weighted" else np.ones(400)
            lines = [f"{line} {w}" for line, w in zip(lines, weights, strict=True)]
        file, out = folder / f"{kind}.txt", folder / f"{kind}.store"
        file.write_text("\n".join(lines), encoding="utf-8")
        options = {"weight_column": 2, "symmetrize": "min"} if kind == "ones" else {}
        _build(file, out, options)
        calls = calls_of(lambda file=file, out=out, options=options: _build(file, out, options))
        made.append((file, options, calls, _content(out)))
    return made


def case(given):
    """Disturb one build, resume it, and compare the store."""
    rng = given.rng
    file, options, calls, content = given.prepared[rng.integers(len(given.prepared))]
    out = given.folder / "g.store"
    if rng.random() < 0.3:  # a graph that is there stays until the new one is whole
        graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), out)
    kind = ("killed", "killed", "killed", "no space", "two")[rng.integers(5)]
    if kind == "killed":
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(calls))
            _ended(_started(lambda at=at: _killed_at(at, file, out, options)), {_DONE, -signal.SIGKILL})
            _require_whole(out)
    elif kind == "no space":
        limit = int(rng.integers(1, 12_000))
        _ended(_started(lambda: _with_limit(limit, file, out, options)), {_DONE, _NO_SPACE})
        _require_whole(out)
    else:
        both = [_started(lambda: _build(file, out, options)) for _ in range(2)]
        ends = [_ended(one, {_DONE, _REFUSED}) for one in both]
        if _DONE not in ends:
            raise Failure("neither of two builds is done", f"{ends}")
    _build(file, out, options | {"resume": True})
    if _content(out) != content:
        raise Failure(f"{kind}: other bytes than of a build that was left alone")
    left = sorted(os.listdir(given.folder))
    if left != ["g.store"]:
        raise Failure(f"{kind}: something is left", f"{left}")
    return kind


def _build(file, out, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graphcore.build_store(file, out, **options)


def _content(out):
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def _require_whole(out):
    """Check that the file under the output's name is whole at any time."""
    if out.exists():
        graphcore.check_store(out)


def _started(work):
    """Start a copy of this process that does some work; return its number."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(_DONE)
    except InputError as error:
        os._exit(_REFUSED if "another build of the same output" in str(error) else _said())
    except OSError as error:
        os._exit(_NO_SPACE if "what was done so far is kept" in str(error) else _said())
    except BaseException:
        os._exit(_said())


def _said():
    traceback.print_exc()
    return _WRONG


def _ended(child, allowed):
    """Return how a process ended, if it is one of the ways that are allowed."""
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if end not in allowed:
        raise Failure("a build ended in another way", f"{end}, and not one of {allowed}")
    return end


def _killed_at(at, file, out, options):
    kill_at(at)
    _build(file, out, options | {"resume": True})


def kill_at(call):
    """Have this process killed when it has made so many calls of functions, builtin ones included."""
    left = call

    def profile(_frame, event, _arg):
        nonlocal left
        left -= event in ("call", "c_call")
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(profile)


def _with_limit(limit, file, out, options):
    """Build with a limit of file size: as on a full disk, but for the number of the error."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    _build(file, out, options)


def calls_of(work):
    """Count the calls of functions, builtin ones included, in some work."""
    count = 0

    def profile(_frame, event, _arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


CAMPAIGN = Campaign(
    "a build of a graph on disk that is killed up to three times at any moment, or has no room for its files, or meets "
    "a second one of the same output: taken up again, it gives the same bytes as one that was left alone",
    case,
    prepare,
    seconds=60.0,
    short=20,
)
