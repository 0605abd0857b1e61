"""Compiled loops: which thread calls them, and the notices of their compilation."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numba import config

from graphcore.base import compiling
from graphcore.base.compiling import compiled

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="loops are not compiled")


@compiled
def total(values):
    """Add up an array."""
    out = 0.0
    for i in range(len(values)):
        out += values[i]
    return out


@compiled
def _part(x):
    return 2.0 * x


def test_arrays_in_tuples_count_as_well():
    assert compiling._bytes_of((np.zeros(2), 1, (np.zeros(3), 2.0, (np.zeros(1),)))) == 48


@pytest.mark.parametrize(("pace", "is_away"), [(1.0, True), (1e-9, False)])
def test_long_calls_run_in_another_thread(limits, pace, is_away):
    callers = []
    limits(total, dispatcher=lambda _: callers.append(threading.get_ident()), _pace=pace)
    total(np.ones(3))
    assert (callers != [threading.get_ident()]) == is_away


def test_parts_of_loops_are_not_called_from_python():
    with pytest.raises(TypeError, match="not callable"):
        _part(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("has_folder", [True, False])
def test_one_notice_says_that_loops_are_compiled(tmp_path, has_folder):
    code = (
        "import numpy as np, numba.core.caching as caching\n"
        f"if not {has_folder}: caching.CacheImpl._locator_classes = []\n"
        "from graphcore.base.compiling import compilation_notices\n"
        "from graphcore.base._loops import nth_largest\n"
        "said = []\n"
        "with compilation_notices(said.append):\n"
        "    for kind in (np.float64, np.float32): assert nth_largest(np.arange(5, dtype=kind), 5, 2) == 3\n"
        "print(said)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout == f"{[compiling.NOTICE if has_folder else compiling.NOTICE_UNKEPT]}\n", done.stderr
