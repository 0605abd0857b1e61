"""Small data through networkx and scikit-learn, and as files of the datasets/ folder; parameters of generators."""

import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import load_digits

import graphcore
from graphcore import ParameterError, datasets
from graphcore.cli.vectors import read_rows
from graphcore.files import read_labels

FOLDER = Path(__file__).parents[2] / "datasets"
FILES = ("karate.txt", "karate-labels.tsv", "digits.csv", "digits-labels.tsv")

beside = pytest.mark.skipif(not FOLDER.is_dir(), reason="the datasets/ folder is not beside the tests")


def test_crossing_lines():
    points, labels = datasets.crossing_lines(200, angle=60, noise=0, random_state=0)
    np.testing.assert_allclose(points[labels == 0, 1], 0, atol=0)
    np.testing.assert_allclose(points[labels == 1, 1], np.sqrt(3) * points[labels == 1, 0], atol=1e-12)
    assert np.linalg.norm(points, axis=1).max() <= 1
    noisy, same = datasets.crossing_lines(200, noise=0.1, random_state=0)
    np.testing.assert_array_equal(labels, same)
    assert np.std(noisy - points) == pytest.approx(0.1, rel=0.1)


# Parameters that can be used, and values of each that cannot.
USABLE = {
    "planted_partition": {"n_clusters": 2, "cluster_size": 10, "p_in": 0.5, "p_out": 0.1},
    "degree_corrected_partition": {"n_clusters": 2, "cluster_size": 5},
    "crossing_lines": {"n_samples": 5},
}
WRONG = {
    "planted_partition": {"cluster_size": [0, [3, 4, 5], 2**31], "p_in": [1.5], "p_out": [np.nan]},
    "degree_corrected_partition": {"mixing": [1.1], "exponent": [1], "expected_degrees": [[1.0, 2.0], [-1.0] * 10]},
    "crossing_lines": {"n_samples": [5.0], "random_state": ["x"]},
}


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [(function, name, value) for function, wrong in WRONG.items() for name in wrong for value in wrong[name]],
)
def test_wrong_parameters_are_named(function, name, value):
    with pytest.raises(ParameterError, match=rf"\b{name}\b"):
        getattr(datasets, function)(**USABLE[function] | {"random_state": 0, name: value})


def test_karate_and_digits_and_that_all_return_named_tuples_of_data_and_labels():
    club = nx.karate_club_graph()
    for weight in (None, "weight"):
        graph, labels = datasets.load_karate(weighted=weight is not None)
        np.testing.assert_array_equal(graph.to_scipy().toarray(), nx.to_numpy_array(club, weight=weight))
        assert graph.is_weighted == (weight is not None)
    assert [club.nodes[i]["club"] for i in range(34)] == np.array(["Mr. Hi", "Officer"])[labels].tolist()
    data, labels = datasets.load_digits()
    np.testing.assert_array_equal(data, load_digits().data)
    np.testing.assert_array_equal(labels, load_digits().target)
    assert (data.dtype, labels.dtype) == (np.float32, np.int32)
    made = [getattr(datasets, name)(**given) for name, given in USABLE.items()]
    for found in [*made, datasets.load_karate(), datasets.load_digits()]:
        assert found._fields in {("graph", "labels"), ("data", "labels"), ("matrix", "row_labels", "column_labels")}


@beside
@pytest.mark.slow
def test_files_are_what_the_script_writes(tmp_path):
    subprocess.run([sys.executable, FOLDER / "make.py", tmp_path], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


@beside
def test_files_are_the_loaded_data():
    graph = graphcore.read_graph(FOLDER / "karate.txt")
    want = datasets.load_karate(weighted=True).graph
    order = np.argsort(graph.node_names)
    np.testing.assert_array_equal(graph.node_names[order], np.arange(1, 35))
    np.testing.assert_array_equal(graph.to_scipy()[order][:, order].toarray(), want.to_scipy().toarray())
    np.testing.assert_array_equal(read_rows(str(FOLDER / "digits.csv"))[0], datasets.load_digits().data)
    sides = read_labels(FOLDER / "karate-labels.tsv", graph)
    want = np.array(["Mr. Hi", "Officer"])[datasets.load_karate().labels]
    np.testing.assert_array_equal(sides, want[graph.node_names - 1])
    np.testing.assert_array_equal(read_labels(FOLDER / "digits-labels.tsv"), datasets.load_digits().labels)
