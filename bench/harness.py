"""Processes, one for each method and graph, and their measurements."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import scoring

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
PEERS_ENVIRONMENT = ROOT / ".venv-peers"
_THREAD_VARIABLES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON")
# Fields that an outcome takes from the result file of the runner.
_MEASURED = ("seconds", "cpu_seconds", "parts", "peak_bytes", "loaded_bytes", "warm_up_seconds", "prepare_seconds")


def default_data():
    """Return the folder of real data: GRAPHCORE_DATA, or the one beside the checkout."""
    given = os.environ.get("GRAPHCORE_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


@dataclass(frozen=True)
class Method:
    """A method: a function of ``methods_graphcore.py`` or ``methods_peers.py`` with parameters, under a title."""

    title: str
    name: str
    side: str = "peers"
    params: dict = field(default_factory=dict)
    own_k: bool = False  # finds its own number of clusters


@dataclass
class Options:
    """Options of the command line."""

    data: Path
    peers: Path
    seeds: int
    threads: int
    timeout: float
    memory_bytes: int
    quick: bool = False
    graphs: list | None = None
    methods: list | None = None
    journal: Path | None = None
    folder: Path | None = None

    def absent(self, names):
        """Return a list of one sentence about missing data; empty if nothing is missing."""
        return [f"Not in the data folder ({self.data}): {', '.join(names)}."] if names else []


@dataclass
class Outcome:
    """Measurements of one method on one graph, a list entry for each seed."""

    method: Method
    graph: str
    k: int
    status: str
    seconds: list = field(default_factory=list)
    cpu_seconds: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    scores: list = field(default_factory=list)
    peak_bytes: int | None = None
    loaded_bytes: int | None = None
    warm_up_seconds: float | None = None
    prepare_seconds: float | None = None
    n_asked: int = 0

    @property
    def remark(self):
        """Return the status, and how many runs there were if not all."""
        short = self.status == "ok" and len(self.seconds) < self.n_asked
        return f"{len(self.seconds)} of {self.n_asked} runs" if short else self.status

    def median(self, measure):
        """Return the median over the seeds; None if it was not measured.

        `measure` is "seconds", "cpu_seconds", "megabytes" (above what was loaded), "MB in all", a score ("nc",
        "ari", ...) or a part.
        """
        if self.status != "ok":
            return None
        if measure in ("seconds", "cpu_seconds"):
            values = getattr(self, measure)
        elif measure == "megabytes":
            values = [self.peak_bytes / 1e6]
        elif measure == "MB in all":
            values = [(self.peak_bytes + self.loaded_bytes) / 1e6]
        else:
            values = [row[measure] for row in (*self.scores, *self.parts) if measure in row]
        return float(np.median(values)) if values else None

    def as_dict(self):
        """Return all fields, for the JSON file."""
        return {**vars(self), "method": vars(self.method)}

    @classmethod
    def from_dict(cls, found):
        """Return the outcome of a dict by :meth:`as_dict`."""
        return cls(**{**found, "method": Method(**found["method"])})


def measure(method, graph, path, k, options, *, score=scoring.score_run):
    """Run a method on the graph of a file, once for every seed, and score what it returns.

    `score(path, run, k, own_k)` gets the arrays of one run and returns a dict of numbers.
    """
    python = Path(sys.executable) if method.side == "graphcore" else options.peers
    print(f"{graph}: {method.title} ...", file=sys.stderr, end="", flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        folder = Path(made)
        job = {
            "side": method.side,
            "method": method.name,
            "params": method.params,
            "graph": str(Path(path).resolve()),
            "k": k,
            "seeds": list(range(options.seeds)),
            "threads": options.threads,
            "timeout": options.timeout,
            "memory_bytes": options.memory_bytes,
        }
        (folder / "job.json").write_text(json.dumps(job))
        found = _run(python, folder, options.threads) if python.exists() else {"status": "not installed"}
        outcome = Outcome(method, graph, k, found["status"])
        for name in _MEASURED:
            if name in found:
                setattr(outcome, name, found[name])
        if outcome.status == "ok":
            outcome.n_asked = options.seeds
            for i in range(len(outcome.seconds)):
                with np.load(folder / f"run-{i}.npz") as run:
                    outcome.scores.append(score(path, dict(run), k, method.own_k))
    if options.journal is not None:
        # A long run that is cut off leaves its measurements so far.
        with open(options.journal, "a") as lines:
            lines.write(json.dumps(outcome.as_dict()) + "\n")
    seconds = outcome.median("seconds")
    print(f" {outcome.remark}" + (f", {seconds:.3g} s" if seconds is not None else ""), file=sys.stderr, flush=True)
    return outcome


def measure_all(methods, graph, path, k, options, *, too_slow, score=scoring.score_run):
    """Measure each method that is asked for; `too_slow` names graphs that a method does not finish."""
    return [
        skipped(method, graph, k, "does not finish")
        if graph in too_slow.get(method.name, ())
        else measure(method, graph, path, k, options, score=score)
        for method in chosen(methods, options)
    ]


def skipped(method, graph, k, reason):
    """Return an outcome for a method left out, with the reason for the tables."""
    return Outcome(method, graph, k, f"skipped: {reason}")


def chosen(methods, options):
    """Return the methods that the command line selects."""
    return [m for m in methods if holds(m.title, options.methods)]


def wanted(graphs, options, large=()):
    """Return the graphs that the command line selects, without the large ones in a quick run."""
    return [g for g in graphs if holds(g, options.graphs) and not (options.quick and g in large)]


def holds(title, words):
    """Return whether a title has one of the words, if there are any."""
    return not words or any(word.lower() in title.lower() for word in words)


def _run(python, folder, threads):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    env.update({f"{name}_NUM_THREADS": str(threads) for name in _THREAD_VARIABLES})
    with open(folder / "log", "w+") as log:
        code = subprocess.run(
            [python, "-m", "bench.runner", folder / "job.json"], cwd=ROOT, env=env, stdout=log, stderr=log, check=False
        ).returncode
        log.seek(0)
        last_words = (log.read().strip().splitlines() or [""])[-1]
    result = folder / "result.json"
    found = json.loads(result.read_text()) if result.exists() else {"step": "start", "status": "failed"}
    if code == -signal.SIGALRM:
        found["status"] += "" if found["step"].startswith("run") else f" ({found['step']})"
    elif code < 0:
        found["status"] = f"failed: killed by {signal.Signals(-code).name} during {found['step']}"
    elif code > 0:
        found["status"] = f"failed: {last_words}"
    return found
