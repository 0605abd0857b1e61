"""Measurements of the exhibits of a paper, kept in ``docs/papers/NAME.json``."""

import datetime
import json
import os
import sys
import time

from .. import machine
from ..harness import ROOT
from .exhibit import MissingData, Settings, grouped

FOLDER = ROOT / "docs" / "papers"


def load(name, folder=FOLDER):
    """Return the record of a paper, a dict by names of exhibits; empty if there is none."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def measure(paper, settings, only=None, folder=FOLDER):
    """Measure the exhibits, or those named by `only`, and save each when it ends."""
    for exhibit in paper.exhibits:
        if exhibit.measure is None or (only and exhibit.name not in only):
            continue
        print(f"{paper.name}: {exhibit.name}", file=sys.stderr, flush=True)
        try:
            entry = _measured(paper, exhibit, settings)
        except MissingData as missing:
            print(f"  not measured: {missing}", file=sys.stderr, flush=True)
            continue
        # Another process may have saved its exhibits meanwhile.
        record = load(paper.name, folder)
        record[exhibit.name] = entry
        save(paper, record, folder)


def _measured(paper, exhibit, settings):
    load_before, start, cpu = os.getloadavg()[0], time.perf_counter(), time.process_time()
    rows, complete = [], True
    try:
        for row in exhibit.measure(settings):
            rows.append(row)
            shown = ", ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values())
            print(f"  {time.perf_counter() - start:6.0f} s  {shown}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        # Rows measured until then are kept, and the page marks them as incomplete.
        complete = False
    return {
        "command": " ".join(
            [f"python -m bench paper {paper.name} --only {exhibit.name}"]
            + ["--quick"] * settings.quick
            + [f"--repetitions {settings.repetitions}"] * bool(settings.repetitions)
            + [f"--rows {settings.rows}"] * bool(settings.rows)
            + [f"--seed {settings.seed}"] * bool(settings.seed)
            + [f"--limit {settings.limit:g}"] * (settings.limit != Settings.limit)
        ),
        "complete": complete,
        "date": f"{datetime.datetime.now():%Y-%m-%d}",
        "processor": machine.processor(),
        "BLAS": machine.blas(),
        "cores": machine.cores(),
        "busy": load_before > 0.5 * machine.cores(),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "seconds": round(time.perf_counter() - start, 1),
        "versions": machine.versions(),
        "rows": grouped(exhibit, rows),
    }


def save(paper, record, folder=FOLDER):
    """Write the record in the order of the exhibits, one line for each group of rows."""
    parts = []
    for exhibit in paper.exhibits:
        if exhibit.name in record:
            entry = dict(record[exhibit.name])
            rows = ",\n".join(json.dumps(row) for row in entry.pop("rows"))
            head = json.dumps(entry, indent=1)[:-2]
            parts.append(f'"{exhibit.name}": {head},\n "rows": [\n{rows}\n]}}')
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{paper.name}.json"
    unfinished = path.with_suffix(".part")
    unfinished.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    unfinished.replace(path)
