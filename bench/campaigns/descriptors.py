"""Commands whose standard streams are closed, full or files: their output is whole, and nothing else is written."""

import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from .harness import Campaign, Failure

_EDGES = "a b\nb c\nc a\nc x\nx y\ny z\nz x\n"
# Files that a command writes, and whether its input is valid; {} is where labels or a graph may go to a stream.
_COMMANDS = (
    ("cluster e.txt -k 2 -o out.tsv --membership m.tsv", True),
    ("cluster d.txt -k 1 -o out.tsv --json", True),  # with a warning
    ("cluster e.txt -k 2 -o -", True),
    ("cluster - -k 2 -o out.tsv", True),
    ("cluster e.txt -k 2 -o out.tsv --report page.html", True),
    ("convert e.txt out.mtx", True),
    ("convert - - --to csv", True),
    ("info e.txt", True),
    ("compare l.tsv l.tsv --json", True),
    ("build e.txt out.graph", True),
    ("cluster e.txt -k 0 -o out.tsv", False),
    ("cluster missing.txt -k 2 -o out.tsv", False),
    ("convert e.txt e.txt", False),
    ("info d.npy", False),
)
_MODES = ("open", "open", "closed", "closed", "full", "file")


def _fill(folder):
    (folder / "e.txt").write_text(_EDGES)
    (folder / "d.txt").write_text("1 2\n2 1\n2 3\n")
    (folder / "l.tsv").write_text("a\t0\nb\t0\nc\t1\n")
    (folder / "d.npy").write_text("no array")


def prepare():
    """Record the files and output of each command with all streams open."""
    found = {}
    for typed, _ in _COMMANDS:
        folder = Path(mkdtemp(prefix="descriptors-"))
        _fill(folder)
        done = _run(typed, folder, ("open", "open", "open"))
        found[typed] = done.returncode, _labels(done.stdout), _files(folder)
    return found


def case(given):
    """Run one command with its streams each in some state."""
    rng = given.rng
    typed, good = _COMMANDS[rng.integers(len(_COMMANDS))]
    modes = tuple(str(mode) for mode in rng.choice(_MODES, 3))
    modes = ("open" if modes[0] == "full" else modes[0], *modes[1:])
    _fill(given.folder)
    done = _run(typed, given.folder, modes)
    code, printed, files = given.prepared[typed]
    what = f"{typed}, streams {modes}: {done.returncode} {done.stderr}"
    if code != (0 if good else 2):
        raise Failure("a command ends otherwise than it should with open streams", what)
    reads, writes = " - " in f"{typed} ", typed.endswith(("-o -", "--to csv"))
    unread = reads and not typed.endswith("-o -") and modes[0] == "closed"
    lost = modes[1] == "full" or (writes and modes[1] == "closed")
    if done.returncode != (2 if unread or lost else code):
        raise Failure("another exit code", what)
    if "Traceback" in done.stderr or "Fatal" in done.stderr:
        raise Failure("a traceback", what)
    now = _files(given.folder)
    if any(content != files.get(name) for name, content in now.items()):
        raise Failure("another file than with open streams, or half of one", f"{what} {sorted(now)}")
    if done.returncode == 0 and now != files:
        raise Failure("a file is missing", f"{what} {sorted(now)}")
    if done.returncode == 0 and writes and _labels(done.stdout) != printed:
        raise Failure("labels on standard output are others", what)
    return "accepted" if done.returncode == 0 else "refused"


def _run(typed, folder, modes):
    """Run a command; a stream that is a file is one beside the folder."""
    stdin, stdout, stderr = modes
    ends = {
        "open": (" < e.txt", "", ""), "closed": (" <&-", " >&-", " 2>&-"), "full": ("", " >/dev/full", " 2>/dev/full"),
        "file": (" < e.txt", " >../printed", " 2>../said"),
    }  # fmt: skip
    (folder.parent / "printed").unlink(missing_ok=True)
    line = f"{sys.executable} -m graphcore {typed}{ends[stdin][0]}{ends[stdout][1]}{ends[stderr][2]}"
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if stdout == "file":
        done.stdout = (folder.parent / "printed").read_text()
    return done


def _labels(printed):
    return [line for line in printed.splitlines() if "\t" in line or line.count(",") == 1]


def _files(folder):
    """Return the files of a folder; of a page, whose times differ, its end."""
    return {
        str(path.relative_to(folder)): path.read_bytes()[-10:] if path.suffix == ".html" else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


CAMPAIGN = Campaign(
    "a command whose standard streams are closed, on a full device or in files: it ends with 0 and writes the same as "
    "with open streams, or with 2 where something that was asked for cannot be read or written",
    case,
    prepare,
    seconds=120.0,
    megabytes=0,
    short=5,
)
