"""Runs of a campaign's cases in worker processes with limits; the files to repeat each failure are kept."""

import faulthandler
import importlib
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NAMES", "ROOT", "Campaign", "Case", "Failure", "Findings", "load", "run", "run_one"]

ROOT = Path(__file__).parents[2]

NAMES = (
    "readers",
    "estimators",
    "structures",
    "stores",
    "models",
    "kills",
    "interrupts",
    "threads",
    "scale",
    "report",
    "memory",
    "descriptors",
    "caches",
    "webgraphs",
    "lifecycles",
    "small_graphs",
    "sizes",
    "workers",
)


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

    about: str  # the description of a case on the page, a sentence
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
    cases: int = 0
    outcomes: Counter = field(default_factory=Counter)
    failures: Counter = field(default_factory=Counter)  # by kind
    first: dict = field(default_factory=dict)  # kind: number of its first case
    seconds: float = 0.0


def load(name):
    """Return the campaign of this name."""
    return importlib.import_module(f"{__package__}.{name}").CAMPAIGN


def run_one(name, seed, number, folder, prepared):
    """Run one case in this process; raises what the case raises."""
    return load(name).case(Case(number, np.random.default_rng([seed, number]), folder, prepared))


def run(name, cases, seed=0, *, processes=1, keep=None, progress=None):
    """Run cases 0, 1, ... of a campaign; files to repeat a failure are kept in the folder `keep`."""
    found, begun = Findings(name, seed), time.monotonic()
    campaign, context = load(name), multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as scratch:
        workers = [_Worker(context, campaign, found, Path(scratch), keep) for _ in range(processes)]
        for i, worker in enumerate(workers):
            worker.start(range(i, cases, processes))
        while workers:
            workers = [worker for worker in workers if worker.step()]
            if progress is not None:
                progress(found)
            time.sleep(0.05)
    found.seconds = time.monotonic() - begun
    return found


class _Worker:
    """A process that works on some of the cases, begun anew after the case that ended it."""

    def __init__(self, context, campaign, found, scratch, keep):
        self._context, self._campaign, self._found, self._keep = context, campaign, found, keep
        self._folder = Path(tempfile.mkdtemp(dir=scratch))

    def start(self, numbers):
        self._numbers, self._counted = numbers, 0
        if not numbers:
            self._process = None
            return
        # Number of the case and when it began; -1 while the process is made ready.
        self._state = self._context.Array("d", [-1.0, time.monotonic()])
        self._reports, theirs = self._context.Pipe(duplex=False)
        args = self._found.name, self._found.seed, numbers, self._state, theirs, self._folder, self._keep
        self._process = self._context.Process(target=_work, args=args, daemon=False)
        self._process.start()
        theirs.close()

    def step(self):
        """Receive reports, and end a process that hangs; return whether there is more to do."""
        if self._process is None:
            return False
        over = self._take_in()
        number, since = self._state[:]
        if not over and number >= 0 and time.monotonic() - since > self._campaign.seconds:
            os.kill(self._process.pid, signal.SIGABRT)  # faulthandler writes where it was
            self._process.join()
            self._take_in()
            self._ended("hangs", int(number))
        elif not over and not self._process.is_alive():
            if not self._take_in():
                if number < 0:
                    raise RuntimeError(f"campaign {self._found.name}: its process ended before the first case")
                self._ended(f"process ended with {self._process.exitcode}", int(number))
        elif over:
            self._process.join()
            self._process = None
        return self._process is not None

    def _take_in(self):
        """Return whether the process has said that it is done."""
        try:
            while self._reports.poll():
                what, *rest = self._reports.recv()
                if what == "done":
                    return True
                if what == "tally":
                    self._found.cases += rest[0]
                    self._counted += rest[0]
                    self._found.outcomes += rest[1]
                else:
                    self._fail(*rest)
        except EOFError:
            pass  # it died; its exit code says how
        return False

    def _fail(self, kind, number):
        self._found.failures[kind] += 1
        self._found.first.setdefault(kind, number)

    def _ended(self, kind, number):
        self._fail(kind, number)
        # Cases that it had not yet reported are lost too.
        position = self._numbers.index(number) + 1
        self._found.cases += position - self._counted
        where = self._folder / "fault.txt"
        _keep_case(self._keep, self._found, number, kind, where.read_text() if where.exists() else "", self._folder)
        self.start(self._numbers[position:])


def _work(name, seed, numbers, state, reports, folder, keep):
    """Run cases in a worker process."""
    with open(folder / "fault.txt", "w") as fault:
        faulthandler.enable(fault)
        campaign, found = load(name), Findings(name, seed)
        prepared = campaign.prepare()
        if campaign.megabytes:
            limit = _address_space() + (campaign.megabytes << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        n_done, outcomes, said = 0, Counter(), time.monotonic()
        for number in numbers:
            place = folder / "case"
            while place.exists():  # a thread that a case has left may still compile, and write compiled loops
                shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            state[:] = number, time.monotonic()
            try:
                outcomes[run_one(name, seed, number, place, prepared)] += 1
            except Exception as error:
                kind = error.kind if isinstance(error, Failure) else f"{type(error).__name__} from {_origin(error)}"
                detail = error.detail if isinstance(error, Failure) else ""
                _keep_case(keep, found, number, kind, f"{detail}\n\n{traceback.format_exc()}", folder)
                reports.send(("failure", kind, number))
            n_done += 1
            if time.monotonic() - said > 0.5:
                reports.send(("tally", n_done, outcomes))
                n_done, outcomes, said = 0, Counter(), time.monotonic()
        reports.send(("tally", n_done, outcomes))
        reports.send(("done",))


def _origin(error):
    """Return the innermost place of the package in a traceback, by which failures are told apart."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f"{os.sep}graphcore{os.sep}" in f.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "the campaign"


def _no_pipes(folder, names):
    return [name for name in names if (Path(folder) / name).is_fifo()]


def _address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _keep_case(keep, found, number, kind, detail, folder):
    """Keep the files of a case and what happened, but for kinds that were kept often enough."""
    if keep is None:
        return
    target = Path(keep) / f"{found.name}-{found.seed}-{number}"
    shutil.copytree(folder / "case", target, symlinks=True, ignore=_no_pipes, dirs_exist_ok=True)
    again = f"{Path(sys.executable).name} -m bench.campaigns {found.name} --seed {found.seed} --case {number}"
    (target / "failure.txt").write_text(f"{kind}\n{again}\n\n{detail}\n", encoding="utf-8", errors="replace")
