"""Campaigns from the command line.

    python -m bench.campaigns readers --cases 10000 --seed 1     10,000 damaged files
    python -m bench.campaigns readers --seed 1 --case 77          that one again, here, with its traceback
    python -m bench.campaigns page                                docs/reliability.md from the runs on record
    python -m bench.campaigns suite                               the whole suite under numba's bounds check

Failures are counted by kind; the files of each are kept in campaign-failures/. With --record, the figures are added
to those of the page.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import page
from .harness import NAMES, ROOT, load, run, run_one


def main(arguments=None):
    """Run what the arguments say; 1 if anything failed."""
    given = _parser().parse_args(arguments)
    if given.bounds_check or given.name == "suite":
        # Loops compiled with the check are kept apart from those without.
        os.environ["NUMBA_BOUNDSCHECK"] = "1"
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "graphcore-bounds-check")
    if given.name == "page":
        return page.write()
    if given.name == "suite":
        return _run_suite(given)
    if given.case is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(run_one(given.name, given.seed, given.case, Path(folder), load(given.name).prepare()))
        return 0
    found = run(
        given.name, given.cases, given.seed, processes=given.processes, keep=given.keep, progress=_Progress(given.cases)
    )
    print("\r", page.text_of(found), sep="")
    if given.record:
        page.record(found, bounds_check=given.bounds_check, afresh=given.afresh)
    return int(bool(found.failures))


def _run_suite(given):
    with tempfile.NamedTemporaryFile(suffix=".xml") as results:
        code = subprocess.call(
            [sys.executable, "-m", "pytest", "-m", "", f"--junit-xml={results.name}", *given.rest], cwd=ROOT
        )
        if given.record:
            page.record_suite(results.name)
    return code


def _parser():
    parser = argparse.ArgumentParser("python -m bench.campaigns", description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=[*NAMES, "page", "suite"])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="only this one, in this process")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--bounds-check", action="store_true", help="loops compiled with numba's bounds check")
    parser.add_argument("--keep", type=Path, default=Path("campaign-failures"), help="folder for what failed")
    parser.add_argument("--record", action="store_true", help="add the figures to those of docs/reliability.md")
    parser.add_argument("--afresh", action="store_true", help="with --record: forget the earlier runs of this campaign")
    parser.add_argument("rest", nargs="*", help="for suite: arguments of pytest")
    return parser


class _Progress:
    """Cases and failures so far, on a terminal."""

    def __init__(self, cases):
        self._cases = cases

    def __call__(self, found):
        if sys.stderr.isatty():
            failed = sum(found.failures.values())
            print(f"\r{found.cases} of {self._cases} cases, {failed} failures", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
