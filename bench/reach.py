"""Modules of graphcore that the tests run: `python -m bench.reach` for the quick run; more arguments go to pytest.

A module counts when one of its functions was called, or one of its compiled loops, beyond what its import does; a
module without functions has nothing to call. Ends with 1 when a module is not reached.
"""

import ast
import os
import sys
import threading
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "graphcore"

_called = set()


def modules_with_functions():
    """Return files of the package that define a function which can be called."""
    return {
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }


def _profile(frame, event, _):
    if event == "call":
        _called.add(frame.f_code)


def reached():
    """Return files of which a function was called in this process."""
    files = {code.co_filename for code in _called if code.co_name != "<module>" and not _is_class_body(code)}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "graphcore":
            for value in list(vars(module).values()):
                loop = getattr(value, "dispatcher", None)
                if loop is not None and loop.signatures:
                    files.add(loop.py_func.__code__.co_filename)
    return {str(Path(file).resolve()) for file in files if file.startswith(str(PACKAGE) + os.sep)}


def _is_class_body(code):
    return "__qualname__" in code.co_names and not code.co_flags & 0x2  # not optimised: no function


# -- as a plugin of pytest ---------------------------------------------------------------------------------------------

_files = set()


def pytest_runtest_setup():
    # Python takes a profile function away that an interrupt ends, as tests of interrupts may.
    threading.setprofile(_profile)
    sys.setprofile(_profile)


def pytest_sessionfinish(session):
    sys.setprofile(None)
    threading.setprofile(None)
    _files.update(reached())
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["reached"] = sorted(_files)
    elif missing() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _files.update(getattr(node, "workeroutput", {}).get("reached", []))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("reach")
    terminalreporter.line(f"modules with functions: {len(modules_with_functions())}; not run: {len(missing())}")
    for path in missing():
        terminalreporter.line(str(path.relative_to(PACKAGE.parent)))


def missing():
    """Return files that no process has run."""
    return sorted(path for path in modules_with_functions() if str(path.resolve()) not in _files)


if __name__ == "__main__":
    sys.exit(pytest.main(["-p", "bench.reach", *sys.argv[1:]]))
