"""Compiling beforehand: the command, the second process of a first run, and folders that cannot be written."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from graphcore.base import compiling
from graphcore.cli import warm_up
from graphcore.cli.app import app
from graphcore.cluster.partition._agglomerate_loops import agglomerate


def test_what_was_compiled_for_another_version_is_not_kept(tmp_path, monkeypatch):
    folder = compiling.kept_in(agglomerate)
    if folder is None:
        pytest.skip("loops are not compiled, or not kept")
    cache = agglomerate.dispatcher._cache
    monkeypatch.setattr(cache, "_cache_path", str(tmp_path))
    assert not compiling.is_kept(agglomerate)
    (tmp_path / f"{cache._impl.filename_base}.of-another-version.0.nbc").touch()
    assert not compiling.is_kept(agglomerate)
    (tmp_path / f"{cache._stem}.0.nbc").touch()
    assert compiling.is_kept(agglomerate)


def test_a_second_process_helps_only_a_first_run(monkeypatch):
    begun = []
    monkeypatch.setattr(warm_up, "_begin", lambda *cases, stderr: begun.extend(cases))
    cases = ["merging", "clustering", "weighted"]
    for kept, folder, want in ((True, "there", []), (False, None, []), (False, "there", cases)):
        monkeypatch.setattr(compiling, "is_kept", lambda _, kept=kept: kept)
        monkeypatch.setattr(compiling, "kept_in", lambda _, folder=folder: folder)
        warm_up.help_compiling()
        assert begun == want


def test_a_case_that_fails_and_nowhere_to_keep_loops_are_told(monkeypatch):
    monkeypatch.setattr(warm_up, "_CASES", {"nothing": None})  # the other process knows no such case
    done = CliRunner().invoke(app, ["warm-up", "--jobs", "1"])
    assert (done.exit_code, "compiling for nothing failed: KeyError: 'nothing'" in done.output) == (1, True)
    monkeypatch.setattr(compiling, "kept_in", lambda _: None)
    done = CliRunner().invoke(app, ["warm-up"])
    assert (done.exit_code, "set NUMBA_CACHE_DIR" in done.output) == (1, True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_every_case_runs_in_this_process():
    for name, case in warm_up._CASES.items():
        if name != "choice of k":  # the longest, and tested where k is chosen
            case()


@pytest.mark.slow
def test_without_a_folder_loops_are_compiled_in_every_run(tmp_path):
    code = (
        "import numba.core.caching as c; c.CacheImpl._locator_classes = []\n"
        "from graphcore.base.compiling import compilation_notices, kept_in\n"
        "from graphcore.base.largest import nth_largest; import numpy as np\n"
        "said = []\n"
        "with compilation_notices(said.append): assert nth_largest(np.arange(5.0), 5, 2) == 3\n"
        "assert kept_in(nth_largest) is None; print(said)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert "in every run" in done.stdout, done.stderr
    assert "NUMBA_CACHE_DIR" in done.stdout
