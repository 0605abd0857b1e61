"""Numbers in the prose of ``docs/papers/*.md``, and where each comes from.

A phrase with numbers stands in :mod:`bench.papers.said`, beside a function of the record: its values must be the
numbers as they are printed, or it says whether the phrase holds. Others stand in formulas, are names, places or
values of parameters, or are marked there as published or as settings. Tables, and the lines on how they were
measured, are what the record gives.
"""

import re

import numpy as np

from .. import papers
from .page import markdown
from .record import FOLDER, load
from .said import said

_NUMBER = r"(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_POINTED = r"\d+(?:\.\d+)*"
_ALONE = rf"(?<![\w.,^-])(?:{_NUMBER})(?!\w)"
_WORDS = r"\b(?:ten|twenty|hundreds|half|(?:third|tenth|eleventh|twelfth|hundredth|thousandth)s?)\b"
_EITHER = re.compile(f"{_ALONE}|{_WORDS}")
_PLACE = r"(?:figure|table|section|equation|proposition|lemma|algorithm|theorem)s? "


def _several(form):
    return rf"(?:{form})(?:(?:,|,? and|,? to) (?:{form}))*"


# Numbers that are no results: the rule, and its form.
RULES = {
    "formula": r"\$[^$]+\$",
    "code": r"`[^`]+`",
    "place": rf"\]\([^)]*\)|\b{_PLACE}{_several(_POINTED)}",
    "parameter": rf"\b[A-Za-z]+ = {_several(_NUMBER)}(?!\w)",
}
UNKNOWN, UNLIKE, ABSENT = "no record", "unlike its record", "not in the prose"


def found(folder=FOLDER):
    """Return (place, number or phrase, source, fault) for all prose of the pages; a fault is "" where there is none."""
    rows = []
    for path in sorted(folder.glob("*.md")):
        paper = papers.paper(path.stem) if path.stem in papers.NAMES else None
        record, text = load(path.stem, folder), path.read_text(encoding="utf-8")
        if paper and text != markdown(paper, record):
            rows.append((path.name, "tables", f"{path.stem}.json", UNLIKE))
        for name, prose in _sections(text):
            groups = record.get(name, {}).get("rows", [])
            source = f"{path.stem}.json {name}" if name else path.name
            phrases = said(path.stem).get(name, {}) if paper else {}
            rows += _of_prose(prose.replace(paper.source, "") if paper else prose, phrases, groups, source)
    return rows


def _sections(text):
    """Yield the name of each exhibit and its prose; "" for what stands before them."""
    parts = re.split(r"^\(\w+-([\w.-]+)\)=\n## .*\n", text, flags=re.MULTILINE)
    for name, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        lines = re.sub(r"^```.*?^```", "", part, flags=re.MULTILINE | re.DOTALL).splitlines()
        yield name, " ".join(line for line in lines if not re.match(r"\||#|\*(Measured|Written)", line))


def _of_prose(prose, phrases, groups, source):
    for phrase, of in phrases.items():
        if phrase not in prose:
            yield source, phrase, "", ABSENT
            continue
        prose = prose.replace(phrase, " ")
        if isinstance(of, str):
            yield source, phrase, of, ""
            continue
        try:
            value = of(groups)
        except (LookupError, ValueError):  # the record has no such rows
            yield source, phrase, "", UNKNOWN
        else:
            yield source, phrase, _told(value), "" if _agrees(phrase, value) else UNLIKE
    names = {str(value) for group in groups for value in group.values() if isinstance(value, str)}
    for name in names:
        prose = prose.replace(name, " ") if re.search(r"\d", name) else prose
    for form in RULES.values():
        prose = re.sub(form, " ", prose, flags=re.IGNORECASE)
    for match in _EITHER.finditer(prose):
        start, end = match.span()
        yield source, f"{match[0]} in '{prose[max(0, start - 30) : end + 20].strip()}'", "", UNKNOWN


def _told(value):
    if isinstance(value, bool | np.bool_):
        return "holds" if value else "does not hold"
    return ", ".join(f"{each:.5g}" for each in np.atleast_1d(value))


def _agrees(phrase, value):
    """Return whether a phrase holds, or its numbers are these values to the digits printed."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    printed, values = re.findall(_ALONE, phrase), np.atleast_1d(value)
    return len(printed) == len(values) and all(
        abs(float(text.replace(",", "")) - each) <= 0.5001 * 10.0 ** -len(text.partition(".")[2])
        for text, each in zip(printed, values, strict=True)
    )
