"""Stamps of records and tables: what they count, and that nothing measured is without one."""

import ast
import json
import re
from types import SimpleNamespace

import pytest

from bench import __main__ as command
from bench import machine, papers, stamp

CODE = '"""A module."""\n\nX = 1\n\n\ndef f(a, *, b=None):\n    """Say."""\n    return f"{a} {b}"  # why\n'


@pytest.fixture
def source(tmp_path):
    (tmp_path / "room" / "inner").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "room" / "inner" / "a.py").write_text(CODE)
    return tmp_path


def test_a_stamp_names_its_rooms_and_counts_their_code_only(source):
    file, first = source / "room" / "inner" / "a.py", stamp.stamp(("room", "other"), source)
    assert re.fullmatch("[0-9a-f]{12} of room, other", first)
    file.write_text('# new\nX = (\n    1\n)\ndef f(a, *, b=None):\n    return f"{a} {b}"\n')
    assert stamp.stamp(("room", "other"), source) == first
    seen = {first}
    for old, new in (
        ("X = 1", "X = 2"),
        ("X = 1", "Y = 1"),
        ("b=None", "b"),
        ('return f"', 'return "'),
        ("def", "async def"),
    ):
        file.write_text(CODE.replace(old, new))
        seen.add(stamp.stamp(("room", "other"), source))
    file.write_text(CODE)
    (source / "other" / "b.py").write_text("")
    seen.add(stamp.stamp(("room", "other"), source))
    assert len(seen) == 7
    with pytest.raises(ValueError, match="no room 'attic'"):
        stamp.stamp(("attic",), source)


def test_a_stamp_is_the_same_for_each_python():
    """Python 3.12 ends the format of a value with an empty text, 3.11 and 3.13 do not."""
    tree = ast.parse('f"{a:{b}}"')
    form = tree.body[0].value.values[0].format_spec
    form.values = form.values[:1]
    plain = stamp._plain(tree)
    form.values.append(ast.Constant(""))
    assert stamp._plain(tree) == plain


def test_every_record_and_table_says_what_it_was_measured_with():
    assert {state for *_, state in stamp.states()} <= {stamp.OF_TODAY, stamp.OLDER, stamp.BEFORE}


def test_cases_and_papers_name_rooms_that_are_there():
    for name in command.CASES:
        assert stamp.stamp(getattr(command._case(name), "ROOMS", stamp.ROOMS))
    for name in papers.NAMES:
        assert stamp.stamp(papers.paper(name).rooms)


def test_old_ones_are_listed(tmp_path, monkeypatch, capsys):
    now = stamp.stamp(("base", "kernels"))
    rows = {
        "new": {"code": now},
        "old": {"code": "0123456789ab of base, kernels"},
        "gone": {"code": "0123456789ab of attic"},
        "first": {},
    }
    (tmp_path / "docs" / "papers").mkdir(parents=True)
    (tmp_path / "docs" / "tables").mkdir()
    (tmp_path / "docs" / "papers" / "x.json").write_text(json.dumps(rows))
    (tmp_path / "docs" / "tables" / "y.md").write_text(f"*Written; do not edit; {stamp.line({'code': now})}.*\n")
    (tmp_path / "docs" / "tables" / "z.md").write_text("| a |\n")
    states = stamp.states(tmp_path)
    assert [state for *_, state in states] == [
        stamp.OF_TODAY, stamp.OLDER, stamp.OLDER, stamp.BEFORE, stamp.OF_TODAY, "without a stamp"
    ]  # fmt: skip
    monkeypatch.setattr(stamp, "states", lambda: states)
    command.main(["stale"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=2)[2] == "older than the code: code 0123456789ab of base, kernels"
    assert lines[-1] == "2 of 6 are of today" and len(lines) == 5


def test_a_line_says_processor_and_library():
    found = {"code": stamp.stamp(("base",)), "processor": machine.processor(), "BLAS": machine.blas()}
    assert stamp.line(found) == f"code {found['code']}; {found['processor']}; {found['BLAS']}"
    assert "threads" in found["BLAS"]
    assert stamp.line({}) == "code before stamps"


def test_all_measures_what_is_older_than_the_code(monkeypatch, capsys):
    states = [
        ("papers/sketch table-1", "", stamp.OLDER), ("tables/known_k", "", stamp.BEFORE),
        ("papers/sketch table-2", "", stamp.BEFORE), ("papers/sketch figure-2", "", stamp.OF_TODAY),
        ("tables/distributed", "", stamp.OLDER), ("tables/quality", "", stamp.OF_TODAY),
        ("tables/networkx", "", stamp.OLDER),
    ]  # fmt: skip
    ran = []

    def run(arguments, **options):
        ran.append(arguments[2:])
        return SimpleNamespace(returncode="paper" in arguments)

    monkeypatch.setattr(stamp, "states", lambda: states)
    monkeypatch.setattr(command.subprocess, "run", run)
    sketch = "bench paper sketch --threads 1 --limit 600 --only table-1 table-2"
    assert command.main(["all", "--jobs", "1"]) == f"bench: failed: {sketch}"
    known_k = "bench run known-k --threads 1 --timeout 120 --page docs/tables/known_k.md"
    networkx = "bench.networkx_backend --page docs/tables/networkx.md"
    distributed = "bench run distributed --resume --page docs/tables/distributed.md"
    assert [" ".join(arguments) for arguments in ran] == [sketch, known_k, networkx, distributed]
    assert "2 of 7 are of today" in capsys.readouterr().out
