"""Findings of campaigns: as text, on record, and as the table of docs/reliability.md."""

import json
import platform
from collections import Counter
from xml.etree import ElementTree

from .harness import ROOT, Findings, load

__all__ = ["record", "record_suite", "text_of", "write"]

RECORD = ROOT / "docs" / "tables" / "campaigns.json"
PAGE = ROOT / "docs" / "reliability.md"
_BEGIN, _END = "<!-- figures: begin -->", "<!-- figures: end -->"


def text_of(found: Findings) -> str:
    """Return a run in lines: cases, outcomes, failures by kind with the first case of each."""
    counts = ", ".join(f"{kind} {n:,}" for kind, n in found.outcomes.most_common())
    lines = [f"{found.name}: {found.cases:,} cases in {found.seconds:.0f} s ({counts})"]
    lines += [f"  {n:,} x {kind} (first: case {found.first[kind]})" for kind, n in found.failures.most_common()]
    return "\n".join([*lines, f"  {sum(found.failures.values()):,} failures"])


def record(found, *, bounds_check=False, afresh=False):
    """Add a run to those of its name and kind of compilation on record, or start their sums anew.

    A seed that is on record already adds nothing: its cases are the same.
    """
    runs = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    name = f"{found.name}, bounds checked" if bounds_check else found.name
    kept = {} if afresh else runs.get(name, {})
    if found.seed in kept.get("seeds", ()):
        return
    runs[name] = {
        "campaign": found.name,
        "cases": found.cases + kept.get("cases", 0),
        "seeds": [*kept.get("seeds", ()), found.seed],
        "outcomes": dict((found.outcomes + Counter(kept.get("outcomes"))).most_common()),
        "failures": dict((found.failures + Counter(kept.get("failures"))).most_common()),
        "seconds": round(found.seconds) + kept.get("seconds", 0),
        "python": platform.python_version(),
    }
    _save(runs)


def record_suite(path):
    """Keep the results of pytest with the bounds check, from XML."""
    found = ElementTree.parse(path).getroot().find("testsuite").attrib
    failed, skipped = int(found["failures"]) + int(found["errors"]), int(found["skipped"])
    runs = json.loads(RECORD.read_text())
    runs["suite, bounds checked"] = {
        "campaign": "suite",
        "cases": int(found["tests"]),
        "outcomes": {"passed": int(found["tests"]) - failed - skipped, "skipped, or expected to fail": skipped},
        "failures": {"failed": failed} if failed else {},
        "seconds": round(float(found["time"])),
        "python": platform.python_version(),
    }
    _save(runs)


def _save(runs):
    RECORD.write_text(json.dumps(dict(sorted(runs.items())), indent=1) + "\n")


def write():
    """Write the table into the page, between its two marks."""
    runs = json.loads(RECORD.read_text())
    rows = ["| campaign | a case | cases | outcomes | failures |", "| --- | --- | --- | --- | --- |"]
    for name, run in runs.items():
        outcomes = ", ".join(f"{kind} {n:,}" for kind, n in run["outcomes"].items())
        failures = ", ".join(f"{kind} {n:,}" for kind, n in run["failures"].items()) or "0"
        about = "a test of the whole suite" if name.startswith("suite") else load(run["campaign"]).about
        rows.append(f"| {name} | {about} | {run['cases']:,} | {outcomes} | {failures} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    PAGE.write_text(f"{before}{_BEGIN}\n{chr(10).join(rows)}\n{_END}{after}", encoding="utf-8")
    return 0
