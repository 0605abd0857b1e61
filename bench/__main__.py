"""``python -m bench``: run a case, list the cases, or install the peers."""

import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from . import harness, inputs, machine

CASES = (
    "quality",
    "ablation",
    "speed",
    "construction",
    "growth",
    "paper-construction",
    "paper-knn",
    "paper-planted",
    "choose-k",
    "kernel-features",
    "heldout",
    "sketch",
    "mnist8m",
)


def main(arguments=None):
    options = _parser().parse_args(arguments)
    return {"run": _run, "list": _list, "peers": _peers}[options.command](options)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name the cases")
    peers = commands.add_parser("peers", help="make the peers' environment from bench/peers.txt")
    peers.add_argument("--folder", type=Path, default=harness.PEERS_ENVIRONMENT)
    peers.add_argument("--python", default=sys.executable, help="its interpreter; numpy 1 has wheels up to Python 3.12")
    run = commands.add_parser("run", help="measure one case")
    run.add_argument("case", choices=CASES)
    run.add_argument("--json", type=Path, help="also write all measurements here")
    run.add_argument("--seeds", type=int, help="runs of each method, with seeds 0, 1, ...")
    run.add_argument("--data", type=Path, default=inputs.default_data(), help="folder of the real data")
    run.add_argument("--peers", type=Path, default=harness.PEERS_ENVIRONMENT / "bin" / "python", metavar="PYTHON")
    run.add_argument("--threads", type=int, default=_cores(), help="threads for every method")
    run.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of a method")
    run.add_argument("--memory", type=float, default=0.6 * _memory() / 2**30, help="GiB that a method may use")
    run.add_argument("--quick", action="store_true", help="leave out the large graphs")
    run.add_argument("--graphs", nargs="+", metavar="WORD", help="only graphs with these words in the name")
    run.add_argument("--methods", nargs="+", metavar="WORD", help="only methods with these words in the title")
    run.add_argument("--page", type=Path, help="for ablation and choose-k: also write the tables of the docs here")
    run.add_argument("--settings", type=json.loads, help="for ablation: a JSON list of settings")
    run.add_argument("--rows", type=int, help="for mnist8m and heldout: rows of the data")
    run.add_argument("--folder", type=Path, help="for mnist8m: where the generated rows are kept (6.4 GB)")
    return parser


def _case(name):
    return import_module(f"bench.cases.{name.replace('-', '_')}")


def _run(given):
    case = _case(given.case)
    options = harness.Options(
        data=given.data,
        peers=given.peers,
        seeds=given.seeds or case.SEEDS,
        threads=given.threads,
        timeout=given.timeout,
        memory_bytes=int(given.memory * 2**30),
        quick=given.quick,
        graphs=given.graphs,
        methods=given.methods,
        settings=given.settings,
        rows=given.rows,
        folder=given.folder,
    )
    described = machine.describe(options)
    harness.RESULTS.mkdir(parents=True, exist_ok=True)
    stem = harness.RESULTS / f"{given.case}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    options.journal = stem.with_suffix(".jsonl")
    report = case.run(options)
    report.machine = described
    if not report.outcomes:
        print("nothing was measured: no graph or method fits, or no data", file=sys.stderr)
    print(report.markdown())
    stem.with_suffix(".md").write_text(report.markdown())
    if given.page:
        _write_page(given.page, report)
    for path in filter(None, (given.json, stem.with_suffix(".json"))):
        path.write_text(report.json())
    try:
        drawn = report.plot(stem.with_suffix(".png"))
        print(f"written: {stem}.md, .json" + (", .png" if drawn else ""), file=sys.stderr)
    except ModuleNotFoundError as error:
        print(f"written: {stem}.md, .json; no plot: {error.name} is not installed (bench extra)", file=sys.stderr)


def _write_page(path, report):
    """What the docs include, with a word on where it comes from."""
    if not report.page:
        raise SystemExit(f"bench: no tables for the docs were made, so {path} is not written")
    command = f"python -m bench {shlex.join(sys.argv[1:])}"
    origin = f"*{report.title}. Written by `{command}` on {report.machine['date'][:10]}; do not edit.*"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{origin}\n\n{report.page}\n")


def _list(given):
    for name in CASES:
        print(f"{name:14}", _case(name).__doc__.splitlines()[0])


def _peers(given):
    subprocess.run([given.python, "-m", "venv", given.folder], check=True)
    wanted = Path(__file__).parent / "peers.txt"
    return subprocess.run([given.folder / "bin" / "pip", "install", "-r", wanted], check=False).returncode


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


if __name__ == "__main__":
    sys.exit(main())
