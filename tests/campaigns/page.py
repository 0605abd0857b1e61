"""What campaigns found, as text, on record, and as the table of docs/reliability.md."""

import json
import platform

from .harness import ROOT, Findings, load

__all__ = ["record", "text_of", "write"]

RECORD = ROOT / "docs" / "tables" / "campaigns.json"
PAGE = ROOT / "docs" / "reliability.md"
_BEGIN, _END = "<!-- figures: begin -->", "<!-- figures: end -->"


def text_of(found: Findings) -> str:
    """A run in lines: cases, outcomes, failures by kind with the first case of each."""
    counts = ", ".join(f"{kind} {n:,}" for kind, n in found.outcomes.most_common())
    lines = [f"{found.name}: {found.cases:,} cases in {found.seconds:.0f} s ({counts})"]
    lines += [f"  {n:,} x {kind} (first: case {found.first[kind]})" for kind, n in found.failures.most_common()]
    return "\n".join([*lines, f"  {sum(found.failures.values()):,} failures"])


def record(found, *, bounds_check=False):
    """Keep a run for the page: the latest of its name, seed and kind of compilation."""
    runs = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    name = f"{found.name}, bounds checked" if bounds_check else found.name
    runs[name] = {
        "campaign": found.name,
        "cases": found.cases,
        "seed": found.seed,
        "outcomes": dict(found.outcomes.most_common()),
        "failures": dict(found.failures.most_common()),
        "seconds": round(found.seconds),
        "python": platform.python_version(),
    }
    RECORD.write_text(json.dumps(dict(sorted(runs.items())), indent=1) + "\n")


def write():
    """Write the table into the page, between its two marks."""
    runs = json.loads(RECORD.read_text())
    rows = ["| campaign | a case | cases | outcomes | failures |", "| --- | --- | --- | --- | --- |"]
    for name, run in runs.items():
        outcomes = ", ".join(f"{kind} {n:,}" for kind, n in run["outcomes"].items())
        failures = ", ".join(f"{kind} {n:,}" for kind, n in run["failures"].items()) or "0"
        rows.append(f"| {name} | {load(run['campaign']).about} | {run['cases']:,} | {outcomes} | {failures} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    PAGE.write_text(f"{before}{_BEGIN}\n{chr(10).join(rows)}\n{_END}{after}", encoding="utf-8")
    return 0
