"""``python -m bench``: run a case or a paper, write its page, list cases, fetch data, install peers."""

import argparse
import datetime
import json
import shlex
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import graphcore

from . import fetch, harness, machine, papers, quality_page
from .report import Report, page

CASES = (
    "quality", "vectors", "ablation", "speed", "neighbors", "pynndescent", "known-k", "uneven", "levels", "outliers",
    "modularity", "distributed", "huge",
)  # fmt: skip


def main(arguments=None):
    options = _parser().parse_args(arguments)
    commands = {
        "run": _run, "list": _list, "page": _page, "paper": _paper, "peers": _peers,
        "fetch": lambda given: print(*fetch.fetch(given.name, given.data), sep="\n"),
    }  # fmt: skip
    return commands[options.command](options)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name the cases")
    peers = commands.add_parser("peers", help="make the peers' environment from bench/peers.txt")
    peers.add_argument("--folder", type=Path, default=harness.PEERS_ENVIRONMENT)
    peers.add_argument("--python", default=sys.executable, help="its interpreter; numpy 1 has wheels up to Python 3.12")
    fetched = commands.add_parser("fetch", help="download a public data set into a folder of the data folder")
    fetched.add_argument("name", choices=fetch.CATALOGUE)
    page = commands.add_parser("page", help="write the tables of the docs from a run's JSON file")
    page.add_argument("case", choices=("quality", "vectors", "modularity"))
    page.add_argument("json", type=Path, nargs="+", help="runs; of a method on a graph the last counts")
    page.add_argument("--page", type=Path, required=True)
    paper = commands.add_parser("paper", help="measure the figures and tables of a paper, and write its page")
    paper.add_argument("name", choices=papers.NAMES)
    paper.add_argument("--only", nargs="+", metavar="EXHIBIT", help="such as figure-2")
    paper.add_argument("--seed", type=int, default=0)
    paper.add_argument("--repetitions", type=int, help="instead of the number of each exhibit")
    paper.add_argument("--rows", type=int, help="images, of exhibits on millions of them")
    paper.add_argument("--limit", type=float, default=7200.0, help="seconds for one run of another program")
    paper.add_argument(
        "--page", action="store_true", help="only write docs/papers/NAME.md and its pictures, and the table of claims"
    )
    run = commands.add_parser("run", help="measure one case")
    run.add_argument("case", choices=CASES)
    run.add_argument("--json", type=Path, help="also write all measurements here")
    run.add_argument("--seeds", type=int, help="runs of each method, with seeds 0, 1, ...")
    run.add_argument("--peers", type=Path, default=harness.PEERS_ENVIRONMENT / "bin" / "python", metavar="PYTHON")
    run.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of a method")
    run.add_argument("--memory", type=float, default=0.6 * machine.memory() / 2**30, help="GiB that a method may use")
    run.add_argument("--graphs", nargs="+", metavar="WORD", help="only graphs with these words in the name")
    run.add_argument("--methods", nargs="+", metavar="WORD", help="only methods with these words in the title")
    run.add_argument("--page", type=Path, help="also write the tables of the docs here, where the case has any")
    run.add_argument("--folder", type=Path, help="for huge and distributed: where the generated graph is kept")
    for command in (fetched, paper, run):
        command.add_argument("--data", type=Path, default=harness.default_data(), help="folder of the real data")
    for command in (paper, run):
        command.add_argument("--quick", action="store_true", help="small input, or no large graphs")
        command.add_argument("--threads", type=int, default=machine.cores(), help="threads for every method")
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
    for path in filter(None, (given.json, stem.with_suffix(".json"))):
        path.write_text(report.json())
    if given.page:
        _write_page(given.page, report, sys.argv[1:], case)
    print(f"written: {stem}.md, .json", file=sys.stderr)


def _page(given):
    runs = [_earlier(path, given.case) for path in given.json]
    # Peers that are as they were need not run again: a later run of a method on a graph replaces the earlier one.
    latest = {(o["graph"], o["method"]["title"]): o for run in runs for o in run["outcomes"]}
    outcomes = [harness.Outcome.from_dict(o) for o in latest.values()]
    report = Report(runs[-1]["title"], [], outcomes, machine=runs[-1]["machine"], page=_case(given.case).page(outcomes))
    names = [path.name for path in given.json]
    _write_page(given.page, report, ["page", given.case, *names, "--page", str(given.page)], _case(given.case))


def _paper(given):
    from .papers import claims, record
    from .papers import page as paper_page
    from .papers.exhibit import Settings

    paper = papers.paper(given.name)
    unknown = set(given.only or ()) - {exhibit.name for exhibit in paper.exhibits}
    if unknown:
        names = ", ".join(exhibit.name for exhibit in paper.exhibits)
        raise SystemExit(f"bench: no exhibit {sorted(unknown)[0]!r}; there are {names}")
    settings = Settings(given.quick, given.seed, given.repetitions, given.threads, given.limit, given.data, given.rows)
    # A quick run prints its results, and leaves the record unchanged.
    if not given.page:
        with tempfile.TemporaryDirectory() as made:
            record.measure(paper, settings, given.only, Path(made) if given.quick else record.FOLDER)
    if given.page or not given.quick:
        paper_page.write(paper)
        claims.write()


def _earlier(path, case):
    """Return an earlier run, read from its JSON file, its journal, or the CSV file beside a page."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".csv":
        outcomes = [outcome.as_dict() for outcome in quality_page.read_rows(path)]
    else:
        outcomes = [json.loads(line) for line in path.read_text().splitlines()]
    seeds = max(len(outcome["seconds"]) for outcome in outcomes)
    date = datetime.datetime.fromtimestamp(path.stat().st_mtime).isoformat()
    return {
        "title": f"{case.capitalize()}: medians over {seeds} seeds",
        "machine": {"date": date},
        "outcomes": outcomes,
    }


def _write_page(path, report, arguments, case):
    """Write the file that the docs include, with its origin; all sections, where a case has no page of its own."""
    text = report.page or page(report.sections)
    if not (report.page or report.outcomes):
        raise SystemExit(f"bench: nothing was measured, so {path} is not written")
    command = f"python -m bench {shlex.join(_telling(arguments))}"
    origin = f"*{report.title}. Written by `{command}` on {report.machine['date'][:10]}; do not edit; "
    told = [report.machine[key] for key in ("processor", "BLAS") if key in report.machine]
    origin += f"{'; '.join([f'graphcore {graphcore.__version__}', *told])}.*"
    if "busy" in report.machine.get("load at the start", ""):
        origin += "\n\nOther programs were at work on the machine: seconds are noisy, scores are not."
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{origin}\n\n{text}\n")
    if hasattr(case, "write_rows"):
        case.write_rows(path.with_suffix(".csv"), report.outcomes)


def _telling(arguments):
    """Return arguments without those that only say where files lie on one machine."""
    kept, places = [], ("--data", "--peers", "--json", "--folder")
    given = iter(arguments)
    for word in given:
        if word in places:
            next(given, None)
        elif not word.startswith(tuple(f"{place}=" for place in places)):
            kept.append(word)
    if "--page" in kept[:-1]:
        at = kept.index("--page") + 1
        kept[at] = f"docs/tables/{Path(kept[at]).name}"
    return kept


def _list(given):
    for name in CASES:
        print(f"{name:14}", _case(name).__doc__.splitlines()[0])


def _peers(given):
    subprocess.run([given.python, "-m", "venv", given.folder], check=True)
    wanted = Path(__file__).parent / "peers.txt"
    return subprocess.run([given.folder / "bin" / "pip", "install", "-r", wanted], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
