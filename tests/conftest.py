"""Fixtures shared by all tests, and how deep property tests go."""

import gc
import os
import sys
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest

from . import depth  # noqa: F401  (declares the profiles)

gc.disable()  # until all tests are collected, a quarter of whose time it would take

ROOT = Path(__file__).parents[1]
LEFT_OUT = {ROOT / "tests" / name for name in ("bench", "distributed", "docs")}
# The first test of tests/base compiles loops that these need, and the other process reads if it takes these later.
LATER = "cli", "cluster", "files/test_faults.py", "graphs/test_magnitude.py", "neighbors/test_neighbors.py"
LATER = {ROOT / "tests" / name for name in LATER}

# Programs that tests start are to run the code under test, whatever else is installed, with the loops compiled for it.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run all tests in two processes, and named tests in one."""
    option, is_all = config.option, config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if hasattr(config, "workerinput"):
        return  # a process started for the tests starts no others
    if is_all and option.numprocesses is None and not (option.usepdb or option.collectonly):
        option.numprocesses = 2
    if option.numprocesses:  # with two threads each they would hold one another up; numpy reads this when imported
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config):
    """Leave out LEFT_OUT and shorten property tests where slow tests are left out, in each process anew."""
    option, is_quick = config.option, "not slow" in config.option.markexpr
    if is_quick and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        option.ignore = [*(option.ignore or ()), *map(str, LEFT_OUT)]
    if option.hypothesis_profile is None:
        hypothesis.settings.load_profile("quick" if is_quick else "full")


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Order the tests; let a run of the slow ones have those that a run of the quick ones leaves out."""
    items.sort(key=lambda item: not LATER.isdisjoint([item.path, *item.path.parents]))
    if config.option.markexpr == "slow":
        for item in items:
            if not LEFT_OUT.isdisjoint(item.path.parents):
                item.add_marker("slow")


def data_folder():
    """Where the real data sets lie, if they are there."""
    given = os.environ.get("GRAPHCORE_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the real data sets, which are no part of the repository."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set GRAPHCORE_DATA to their folder")
    return folder


@pytest.fixture(autouse=True, scope="module")
def no_scheduler_is_left():
    """Clients that are closed in another order than they were made leave Dask a scheduler that is gone."""
    yield
    if "dask" in sys.modules:
        sys.modules["dask"].config.set(scheduler=None)


@pytest.fixture
def limits(monkeypatch):
    """A function that sets constants of a module, or of a module by its name, for one test."""

    def set_limits(module, **values):
        module = import_module(module) if isinstance(module, str) else module
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)

    return set_limits


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(here):
    """A folder to work in, with a small graph of two triangles."""
    (here / "graph.txt").write_text("a b\nb c\nc a\nc x\nx y\ny z\nz x\n")
    return here
