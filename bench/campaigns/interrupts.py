"""Ctrl-C at a random moment: KeyboardInterrupt within half a second, no half-written file, and a process that works.

One warm process is interrupted many times in a row, so that a case costs little more than the wait.
"""

import contextlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from .harness import ROOT, Campaign, Failure

_LATE = 0.5
_PATIENCE = 8.0


class _Child:
    """The process that is interrupted; begun anew when it has ended."""

    def __init__(self):
        self._process = None

    def ask(self, job, folder, seconds):
        """Have a job done over and over, interrupt it after some seconds; returns the outcome."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "bench.campaigns.interrupts"]
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, text=True, bufsize=1)
            self._line(140)  # it is warm
        self._process.stdin.write(json.dumps([job, str(folder)]) + "\n")
        self._line(_PATIENCE)
        time.sleep(seconds)
        sent = time.monotonic()
        self._process.send_signal(signal.SIGINT)
        answer = self._line(_PATIENCE)
        return answer, answer["at"] - sent

    def _line(self, seconds):
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self._process.kill()
            self._process.wait()
            raise Failure("the signal was lost or the process hangs")
        line = self._process.stdout.readline()
        if not line:
            raise Failure(f"the process ended with {self._process.wait()}")
        return json.loads(line)


def case(given):
    """Interrupt work of one kind within its first 0.4 seconds, or soon after its second beginning."""
    job = str(given.rng.choice(list(JOBS)))
    answer, late = given.prepared.ask(job, given.folder, float(given.rng.random()) ** 2 * 0.4)
    if answer["kind"] != "KeyboardInterrupt":
        raise Failure(f"{job}: {answer['kind']} instead of KeyboardInterrupt", answer["traceback"])
    if answer["fault"]:
        raise Failure(f"{job}: {answer['fault']}", answer["traceback"])
    if late > _LATE:
        raise Failure(f"{job}: noticed late", f"{late:.2f} s\n{answer['traceback']}")
    return job


CAMPAIGN = Campaign(
    "a fit, choice of k, reading, writing, report, build or command, interrupted at a random moment",
    case,
    _Child,
    seconds=150.0,
    short=40,
)


# -- the process that is interrupted -----------------------------------------------------------------------------------


def _work():
    """Prepare warm input for the jobs: a graph, its file and its labels."""
    import numpy as np

    import graphcore

    planted = graphcore.datasets.planted_partition(6, 500, 0.05, 0.002, random_state=0)
    return np, graphcore, planted.graph


def _fit(n_jobs):
    return lambda core, graph, _: core.CoresetSpectralClustering(6, random_state=0, n_jobs=n_jobs).fit(graph).labels_


def _write(core, graph, folder):
    core.write_graph(graph, folder / "graph.npz")
    core.write_graph(graph, folder / "graph.txt.gz")


def _page(core, graph, folder):
    labels = [node // 500 for node in range(graph.n_nodes)]
    core.report.write_report(folder / "page.html", graph, labels, pictures=False)


def _command(core, graph, folder):
    from graphcore.cli.app import run

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        files = str(folder.parent / "graph.txt"), "-o", str(folder / "labels.tsv")
        code = run(["cluster", "--quiet", *files, "-k", "6"])
    if code == 130 and said.getvalue().splitlines()[-1:] == ["graphcore: interrupted"]:
        raise KeyboardInterrupt
    if code:
        raise RuntimeError(f"exit code {code}: {said.getvalue()}")


JOBS = {
    "fit": _fit(1),
    "fit in two threads": _fit(2),
    "choice of k": lambda core, graph, _: core.select_n_clusters(graph, range(2, 9), random_state=0),
    "reading": lambda core, _, folder: core.read_graph(folder.parent / "graph.txt"),
    "writing": _write,
    "report": _page,
    "build": lambda core, _, folder: core.build_store(folder.parent / "graph.txt", folder / "store.graph", resume=True),
    "command line": _command,
}


def _fault(core, folder):
    """Return what an interrupt left behind and should not have."""
    for path in sorted(folder.iterdir()):
        if "store" in path.name:
            continue  # an unfinished build is kept, and continues at the next call
        if path.suffix in (".npz", ".gz"):
            core.read_graph(path)
        elif path.name == "page.html" and not path.read_text("utf-8").rstrip().endswith("</html>"):
            return "a half-written page"
        elif path.name == "labels.tsv" and len(path.read_text().splitlines()) < 3000:
            return "half-written labels"
        elif path.name not in ("page.html", "labels.tsv"):
            return f"left {path.name} behind"
    return ""


def main():
    """Do the requested job until it is interrupted, and report the outcome."""
    np, core, graph = _work()
    with tempfile.TemporaryDirectory() as folder:
        core.write_graph(graph, Path(folder) / "graph.txt")
        place = Path(folder) / "out"
        place.mkdir()
        for job in JOBS.values():
            job(core, graph, place)
    expected = JOBS["fit"](core, graph, None)
    print(json.dumps("warm"), flush=True)
    for line in sys.stdin:
        job, folder = json.loads(line)
        base = Path(folder)
        core.write_graph(graph, base / "graph.txt")
        place = base / "out"
        place.mkdir(parents=True)
        kind, text = "nothing", ""
        try:
            print(json.dumps("begun"), flush=True)
            while True:
                JOBS[job](core, graph, place)
        except BaseException as error:
            kind, at, text = type(error).__name__, time.monotonic(), traceback.format_exc()
        fault = _fault(core, place)
        if job == "build" and JOBS[job](core, graph, place).n_edges != graph.n_edges:
            fault = "another graph built afterwards"
        if not np.array_equal(JOBS["fit"](core, graph, None), expected):
            fault = "other labels afterwards"
        print(json.dumps({"kind": kind, "at": at, "fault": fault, "traceback": text}), flush=True)
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
