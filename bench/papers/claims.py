"""The number of claims of the papers that hold, and the claims that do not, from the tables of ``docs/theory/``."""

import re

from ..harness import ROOT
from ..report import table

THEORY, TABLE = ROOT / "docs" / "theory", ROOT / "docs" / "tables" / "claims.md"
PAGES = (
    "coreset_spectral_clustering",
    "nystrom_kernel_kmeans",
    "rank_restricted_nystrom",
    "gaussian_sketch",
    "flats_and_model_selection",
)
STATUS = ("held", "held with a correction", "not held", "on a stand-in")


def claims(page):
    """Return rows of a page's table: the claim, its place in the code, its evidence, its status."""
    text = (THEORY / f"{page}.md").read_text(encoding="utf-8").split("## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return rows[2:]


def markdown():
    """Return the number of claims with each status, and the claims that were not confirmed."""
    found = {page: claims(page) for page in PAGES}
    parts = ["*Written by `python -m bench paper NAME --page` from the tables of the pages on claims; do not edit.*"]
    counts = []
    for page, rows in found.items():
        told = [sum(row[3] == status for row in rows) for status in STATUS]
        counts.append([f"[{_title(page)}](../theory/{page}.md)", len(rows), *told])
    counts.append(["all", *(sum(column) for column in list(zip(*counts, strict=True))[1:])])
    parts.append(table(["paper", "claims", *STATUS], counts))
    for page, rows in found.items():
        unconfirmed = [(claim, status, evidence) for claim, _, evidence, status in rows if status in STATUS[2:]]
        if unconfirmed:
            lines = ["| claim not confirmed | status | evidence |", "| --- | --- | --- |"]
            lines += [f"| {' | '.join(row)} |" for row in unconfirmed]
            parts.append(f"**{_title(page)}**\n\n{{.claims}}\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _title(page):
    return re.match(r"# (.+)", (THEORY / f"{page}.md").read_text(encoding="utf-8"))[1]


def write():
    """Write ``docs/tables/claims.md``, which the first page of the papers includes."""
    TABLE.write_text(markdown(), encoding="utf-8")
