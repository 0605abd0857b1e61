"""Files that crashed or hung a reader once, kept with the real data: each is read, or refused in one line, at once."""

import subprocess
import sys

import pytest

from tests.conftest import data_folder

FOLDER = data_folder() / "bad_inputs"
FILES = sorted(path.name for path in FOLDER.glob("*") if path.is_file()) if FOLDER.is_dir() else []

# Everything in one process, for starting one takes longer than reading; what it said last tells where it ended.
READ = """
import sys, tempfile, time, warnings
from pathlib import Path
import numpy as np
import graphcore
from graphcore.cli.vectors import read_vectors
warnings.simplefilter("error")

def read(path):
    if path.name.startswith("vec"):
        return graphcore.knn_graph(read_vectors(str(path)), 3)
    if path.name.startswith("lab"):
        return graphcore.files.read_labels(path)
    if "build" in path.name:
        with tempfile.TemporaryDirectory() as folder:
            return graphcore.build_store(path, Path(folder) / "g.graph")
    graphcore.read_graph(path, weight_column=None)
    return graphcore.read_graph(path)

# Libraries are loaded, and loops compiled or loaded, before the clock runs.
graph = graphcore.knn_graph(np.eye(9), 3)
with tempfile.TemporaryDirectory() as folder:
    for ending in ("npz", "txt"):
        graphcore.write_graph(graph, f"{folder}/a.{ending}")
        graphcore.read_graph(f"{folder}/a.{ending}", weight_column=None)
    graphcore.build_store(f"{folder}/a.txt", f"{folder}/a.graph")
for name in sys.argv[2:]:
    begun = time.perf_counter()
    try:
        said = repr(read(Path(sys.argv[1]) / name))
    except (graphcore.InputError, graphcore.GraphWarning) as error:
        said = "refused " + ascii(str(error))
    print(name, time.perf_counter() - begun, said, sep="\\t", flush=True)
"""


@pytest.fixture(scope="module")
def said():
    """What reading each file said, and the seconds that it took."""
    run = subprocess.run(
        [sys.executable, "-c", READ, FOLDER, *FILES], capture_output=True, text=True, check=False, timeout=300
    )
    return {line.split("\t")[0]: line.split("\t")[1:] for line in run.stdout.splitlines()}, run.stderr


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_or_refused_in_one_line_at_once(shared_data, said, name):
    assert name in said[0], said[1][-3000:]
    seconds, text = said[0][name]
    assert "\\n" not in text
    assert len(text) < 1000
    assert float(seconds) < 1.0


def test_files_that_crashed_are_there(shared_data):
    assert not (shared_data / "bad_inputs").is_dir() or len(FILES) > 30
