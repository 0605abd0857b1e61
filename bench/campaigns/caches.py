"""Commands whose compiled loops on disk are damaged, or whose environment is odd."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from .harness import ROOT, Campaign, Failure

_COMMAND = (sys.executable, "-m", "graphcore", "cluster", "graph.txt", "-k", "3", "--seed", "1", "-o", "labels.tsv")
_ODD = ("", "0", "1", "-1", "3", "x", "1e9", "é", " ", "/dev/null", "/nowhere/at/all", "/proc", "a:b", "99999999999999")
_FOLDERS = ("NUMBA_CACHE_DIR", "TMPDIR", "HOME", "XDG_CACHE_HOME", "GRAPHCORE_DATA")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_PROC_BIND")
_OTHERS = ("PYTHONOPTIMIZE", "COLUMNS", "LANG", "LC_ALL", "TERM", "NO_COLOR", "TZ",
           "NUMBA_OPT", "NUMBA_BOUNDSCHECK", "DASK_SCHEDULER")  # fmt: skip


def prepare():
    """Prepare a folder with a graph, its labels, and a cache that holds all loops that they take."""
    folder = Path(mkdtemp(prefix="caches-"))
    (folder / "graph.txt").write_text(
        "".join(f"{i} {i // 20 * 20 + (i + d) % 20}\n" for i in range(60) for d in (1, 2))
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    _run(folder, environment)
    return folder, environment, (folder / "labels.tsv").read_bytes()


def case(given):
    """Run one command, which gives the same labels or names the wrong variable in one line."""
    folder, environment, labels = given.prepared
    shutil.copytree(folder, given.folder, dirs_exist_ok=True)
    (given.folder / "labels.tsv").unlink()
    environment = environment | {"NUMBA_CACHE_DIR": str(given.folder / "cache")}
    if given.rng.random() < 0.5:
        kind = _damage(given.rng, sorted(given.folder.rglob("*.nbc")))
    else:
        kind = "environment"
        for name in given.rng.choice([*_FOLDERS, *_THREADS, *_OTHERS], size=given.rng.integers(1, 4), replace=False):
            environment[str(name)] = str(given.rng.choice(_ODD))
        for name in _FOLDERS[1:]:
            if given.rng.random() < 0.1:
                environment.pop(name, None)
    done = _run(given.folder, environment)
    said = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    # numba itself reports a value that it cannot read, in a warning that quotes a traceback.
    own = done.stderr.replace("The parse failed with exception:\nTraceback", "")
    if "Traceback" in own or done.returncode not in (0, 2):
        raise Failure(f"{kind}: ended with {done.returncode}", f"{said}\n{done.stderr}")
    if done.returncode == 2:
        if not any(name in done.stderr for name in said):
            raise Failure(f"{kind}: refused without naming a variable", f"{said}\n{done.stderr}")
        return f"{kind}, refused"
    if (given.folder / "labels.tsv").read_bytes() != labels:
        raise Failure(f"{kind}: other labels", f"{said}\n{done.stderr}")
    return kind


def _damage(rng, files):
    """Damage some of the files of compiled loops; says how."""
    kind = ("bits", "bits", "bits", "cut", "empty", "longer", "exchanged", "folder")[rng.integers(8)]
    for path in rng.choice(files, size=rng.integers(1, 6), replace=False):
        content = bytearray(path.read_bytes())
        if kind == "bits":
            for _ in range(rng.integers(1, 4)):
                content[rng.integers(len(content))] ^= 1 << rng.integers(8)
        elif kind == "cut":
            del content[rng.integers(len(content)) :]
        elif kind == "longer":
            content += bytes(rng.integers(1, 100))
        elif kind == "exchanged":  # a whole half of another file
            other = files[rng.integers(len(files))].read_bytes()
            content[len(content) // 2 :] = other[len(other) // 2 :]
        path.unlink()
        if kind == "folder":
            path.mkdir()
        else:
            path.write_bytes(b"" if kind == "empty" else content)
    return kind


def _run(folder, environment):
    done = subprocess.run(
        _COMMAND, cwd=folder, env=environment | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    done.stderr = re.sub(r"\x1b\[\w*", "", done.stderr)
    return done


CAMPAIGN = Campaign(
    "a command that finds its compiled loops damaged (bits, cut, exchanged, folders in their place), or odd values of "
    "up to three environment variables (folders, threads, numba): the same labels, or a line that names the variable",
    case,
    prepare,
    seconds=120.0,
    megabytes=0,
    short=6,
)
