"""Programs in a process whose networkx knows the backend."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run_python(tmp_path):
    """Run Python with the backend at hand; returns what it printed."""
    if not all(list(entry_points(group=f"networkx.{of}", name="graphcore")) for of in ("backends", "backend_info")):
        pytest.skip("graphcore is not installed, so that networkx does not know the backend")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NETWORKX_")}

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, *arguments], env=kept | environment, cwd=tmp_path, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    return run
