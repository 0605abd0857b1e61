"""Runs of a campaign's cases in a process with limits; the files to repeat each failure are kept."""

import importlib
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

NAMES = ("files", "stores", "lifecycles", "threads", "interrupts")


class Failure(Exception):
    """A forbidden outcome of a case: a kind in a few words, by which failures are counted, and the details."""

    def __init__(self, kind, detail=""):
        super().__init__(kind, detail)
        self.kind, self.detail = kind, detail


@dataclass
class Case:
    """One case: its random draws come from `rng`, its files go to `folder`."""

    number: int
    rng: np.random.Generator
    folder: Path
    prepared: Any


class Campaign(NamedTuple):
    """A campaign: the constant CAMPAIGN of a module of this package.

    `case` returns its outcome in a word ("accepted", "refused"), which is counted. A `Failure` and every other
    exception that it lets through are failures, as are the death of its process and what goes beyond the limits.
    """

    case: Callable[[Case], str]
    prepare: Callable[[], Any] = lambda: None  # once for each process
    seconds: float = 10.0  # for one case; beyond it hangs
    megabytes: int = 2048  # of address space, above what the process has after `prepare`; 0 for no limit
    short: int = 20  # cases of the run in the tests: some seconds


@dataclass
class Findings:
    """Outcomes and failures of a run."""

    name: str
    seed: int
    outcomes: Counter = field(default_factory=Counter)
    failures: Counter = field(default_factory=Counter)  # by kind
    first: dict = field(default_factory=dict)  # kind: number of its first case
    seconds: float = 0.0

    def __str__(self):
        cases, failed = self.outcomes.total() + self.failures.total(), self.failures.total()
        counts = ", ".join(f"{kind} {n:,}" for kind, n in self.outcomes.most_common())
        lines = [f"{self.name}: {cases:,} cases in {self.seconds:.0f} s ({counts})"]
        lines += [f"  {n:,} x {kind} (first: case {self.first[kind]})" for kind, n in self.failures.most_common()]
        return "\n".join([*lines, f"  {failed:,} failures"])


def load(name):
    """Return the campaign of this name."""
    return importlib.import_module(f"{__package__}.{name}").CAMPAIGN


def run_one(name, seed, number, folder, prepared):
    """Run one case in this process; raises what the case raises."""
    return load(name).case(Case(number, np.random.default_rng([seed, number]), folder, prepared))


def run(name, cases, seed=0, *, keep=None):
    """Run cases 0, 1, ... of a campaign; files to repeat a failure are kept in the folder `keep`.

    A process that dies or hangs is ended, and another one goes on with the next case.
    """
    found, begun, number = Findings(name, seed), time.monotonic(), 0
    context, campaign = multiprocessing.get_context("spawn"), load(name)
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as scratch:
        while number < cases:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(name, seed, range(number, cases), theirs, Path(scratch)))
            process.start()
            theirs.close()
            try:
                ours.recv()  # it is made ready, which takes as long as it takes
                while number < cases:
                    kind, detail = ours.recv() if ours.poll(campaign.seconds) else ("hangs", None)
                    if detail is None and kind != "hangs":
                        found.outcomes[kind] += 1
                    else:
                        _count(found, number, kind, detail or "", scratch, keep)
                    number += 1
                    if kind == "hangs":
                        process.kill()
                        break
            except EOFError:
                process.join()
                _count(found, number, f"process ended with {process.exitcode}", "", scratch, keep)
                number += 1
            process.join()
    found.seconds = time.monotonic() - begun
    return found


def _work(name, seed, numbers, reports, folder):
    """Run cases in a worker process; report each as (outcome, None) or (kind of failure, detail)."""
    campaign, place = load(name), folder / "case"
    prepared = campaign.prepare()
    if campaign.megabytes:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + (campaign.megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    reports.send(None)
    for number in numbers:
        while place.exists():  # a thread that a case has left may still write compiled loops
            shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            report = run_one(name, seed, number, place, prepared), None
        except Exception as error:
            kind = error.kind if isinstance(error, Failure) else f"{type(error).__name__} from {_origin(error)}"
            detail = error.detail if isinstance(error, Failure) else ""
            report = kind, f"{detail}\n\n{traceback.format_exc()}"
        reports.send(report)


def _origin(error):
    """Return the innermost place of the package in a traceback, by which failures are told apart."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f"{os.sep}graphcore{os.sep}" in f.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "the campaign"


def _count(found, number, kind, detail, scratch, keep):
    """Count a failure, and keep the files of its case and what happened."""
    found.failures[kind] += 1
    found.first.setdefault(kind, number)
    if keep is not None:
        target = Path(keep) / f"{found.name}-{found.seed}-{number}"
        case = Path(scratch) / "case"
        if case.exists():
            shutil.copytree(
                case, target, symlinks=True, dirs_exist_ok=True,
                ignore=lambda folder, names: [name for name in names if (Path(folder) / name).is_fifo()],
            )  # fmt: skip
        target.mkdir(parents=True, exist_ok=True)
        again = f"python -m bench.campaigns {found.name} --seed {found.seed} --case {number}"
        (target / "failure.txt").write_text(f"{kind}\n{again}\n\n{detail}\n", encoding="utf-8", errors="replace")
