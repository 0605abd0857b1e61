"""The files of the top-level datasets/ folder: what make.py writes, and readable by the readers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphcore
from graphcore import datasets
from graphcore.cli.vectors import read_vectors
from graphcore.files import read_labels

FOLDER = Path(__file__).parents[2] / "datasets"
FILES = ("karate.txt", "karate-labels.tsv", "digits.csv", "digits-labels.tsv")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the datasets/ folder is not beside the tests")


@pytest.mark.slow
def test_files_are_what_the_script_writes(tmp_path):
    subprocess.run([sys.executable, FOLDER / "make.py", tmp_path], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_files_are_small_and_described():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in FILES)
    assert sum((FOLDER / name).stat().st_size for name in FILES) < 500_000


def test_files_are_the_loaded_data():
    graph = graphcore.read_graph(FOLDER / "karate.txt")
    want = datasets.load_karate(weighted=True).graph
    order = np.argsort(graph.node_names)
    np.testing.assert_array_equal(graph.node_names[order], np.arange(1, 35))
    np.testing.assert_array_equal(graph.to_scipy()[order][:, order].toarray(), want.to_scipy().toarray())
    np.testing.assert_array_equal(read_vectors(str(FOLDER / "digits.csv")), datasets.load_digits().data)
    graph = graphcore.read_graph(FOLDER / "karate.txt")
    sides = read_labels(FOLDER / "karate-labels.tsv", graph)
    want = np.array(["Mr. Hi", "Officer"])[datasets.load_karate().labels]
    np.testing.assert_array_equal(sides, want[graph.node_names - 1])
    np.testing.assert_array_equal(read_labels(FOLDER / "digits-labels.tsv"), datasets.load_digits().labels)
