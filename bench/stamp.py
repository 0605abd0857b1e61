"""Stamps of records and tables: a hash of the packages ("rooms") of graphcore that were measured.

Comments, docstrings and layout do not count. A stamp names its rooms, so that it can be compared with the present code;
a stamp that differs is older than the code. An older stamp is no error: figures are measured again on request.
"""

import ast
import hashlib
import json
import re
from functools import cache
from pathlib import Path

import graphcore

from .harness import ROOT

SOURCE = Path(graphcore.__file__).parent
# Packages of a default fit, from rows to labels.
ROOMS = ("base", "graphs", "kernels", "cluster")
BEFORE, OLDER, OF_TODAY = "before stamps", "older than the code", "of today"
_FORM = re.compile(r"code (?:([0-9a-f]{12}) of ([\w/]+(?:, [\w/]+)*)|before stamps)", re.IGNORECASE)
# The table of claims is made from the pages of theory.
_NOT_MEASURED = ("claims.md",)


def stamp(rooms=ROOMS, source=SOURCE):
    """Return twelve digits, a hash of rooms (packages), and these: "0123456789ab of base, kernels"."""
    code = hashlib.sha256()
    for room in rooms:
        if not (source / room).is_dir():
            raise ValueError(f"there is no room {room!r} in graphcore; rooms are the folders of its source")
        for path in sorted((source / room).rglob("*.py")):
            code.update(path.relative_to(source).as_posix().encode())
            code.update(_meaning(path.read_text(encoding="utf-8")))
    return f"{code.hexdigest()[:12]} of {', '.join(rooms)}"


def line(found):
    """Return a stamp, processor and BLAS in words, of a record or of a description of the machine."""
    return "; ".join(
        [f"code {found.get('code', BEFORE)}", *(found[key] for key in ("processor", "BLAS") if key in found)]
    )


def states(root=ROOT):
    """Return (place, stamp, age) of all records and tables of the docs."""
    found = []
    for path in sorted((root / "docs" / "papers").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        found += [(f"papers/{path.stem} {name}", f"code {entry.get('code', BEFORE)}") for name, entry in record.items()]
    for path in sorted((root / "docs" / "tables").glob("*.md")):
        if path.name not in _NOT_MEASURED:
            told = _FORM.search(path.read_text(encoding="utf-8"))
            found.append((f"tables/{path.stem}", told[0] if told else ""))
    return [(where, told, _state(told)) for where, told in found]


@cache
def _state(told):
    read = _FORM.fullmatch(told)
    if read is None:
        return "without a stamp"
    if read[1] is None:
        return BEFORE
    try:
        now = stamp(read[2].split(", "))
    except ValueError:  # the rooms have other names by now
        return OLDER
    return OF_TODAY if now == f"{read[1]} of {read[2]}" else OLDER


@cache  # most stamps share most files
def _meaning(text):
    return repr(_plain(ast.parse(text))).encode()


def _plain(node):
    """Return a tree of names and values, equal for all versions of Python that know its nodes."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and _is_text(node.body[:1]):
        fields["body"] = node.body[1:]
    if isinstance(node, ast.JoinedStr):  # Python 3.12 ends some with an empty text
        fields["values"] = [each for each in node.values if getattr(each, "value", None) != ""]
    return [type(node).__name__, *((name, _plain(value)) for name, value in fields.items() if value not in (None, []))]


def _is_text(body):
    return any(isinstance(each, ast.Expr) and isinstance(getattr(each.value, "value", None), str) for each in body)
