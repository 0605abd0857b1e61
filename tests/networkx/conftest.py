"""Where networkx finds the backend of these sources, also if an older installation does not announce it."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GROUPS = ("networkx.backends", "networkx.backend_info")


def is_announced():
    return all(list(entry_points(group=group, name="graphcore")) for group in GROUPS)


@pytest.fixture(scope="session")
def backend_environment(tmp_path_factory):
    """Environment of a process whose networkx knows the backend as pyproject.toml announces it."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    if not is_announced():
        announced = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
        folder = tmp_path_factory.mktemp("announcement")
        info = folder / "graphcore_announcement-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: graphcore-announcement\nVersion: 0\n")
        lines = [f"[{group}]\ngraphcore = {announced[group]['graphcore']}\n" for group in GROUPS]
        (info / "entry_points.txt").write_text("\n".join(lines))
        paths.insert(0, str(folder))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NETWORKX_")}
    return kept | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


@pytest.fixture
def run_python(backend_environment, tmp_path):
    """Run Python with the backend at hand; returns what it printed."""

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, *arguments], env=backend_environment | environment, cwd=tmp_path, capture_output=True,
            text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    return run
