"""Names that are imported when they are first used."""

import sys

import pytest

from graphcore.base.lazy import _StandIn, lazy_names
from tests.base.test_loops import posix


@posix
@pytest.mark.parametrize(
    "make", [lambda: lazy_names("late", {"value": ".module"})[0], lambda: _StandIn("late.module").__getattr__]
)
def test_an_import_is_not_cut_short_by_an_interrupt(make, tmp_path, monkeypatch):
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "__init__.py").touch()
    (tmp_path / "late" / "module.py").write_text("import os\nos.kill(os.getpid(), 2)\nvalue = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("late", "late.module"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    __import__("late")
    find = make()
    with pytest.raises(KeyboardInterrupt):
        find("value")
    assert sys.modules["late.module"].value == find("value") == 7
