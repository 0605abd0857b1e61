"""Names of the rows of vectors, the table of cells of an AnnData object, and pipelines in files of joblib."""

import warnings

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import graphcore
from graphcore import CoresetSpectralClustering, InputError

X, Y = make_blobs(130, centers=3, cluster_std=0.5, random_state=0)
IDS = [f"gene {i}" for i in range(130)]


def fitted(ids=None, **parameters):
    return CoresetSpectralClustering(3, random_state=0, **parameters).fit(X[:100], ids=ids)


@pytest.mark.parametrize("make", [list, np.array, tuple])
def test_ids_name_the_rows_in_all_that_is_said_of_them(make, tmp_path):
    model = fitted(make(IDS[:100]))
    np.testing.assert_array_equal(model.labels_, fitted().labels_)
    assert model.graph_.node_names.tolist() == IDS[:100]
    assert set(np.concatenate(model.summary()["central"])) <= set(IDS)
    graphcore.write_labels(model.labels_, tmp_path / "labels.tsv", model.graph_)
    assert (tmp_path / "labels.tsv").read_text().splitlines()[7] == f"gene 7\t{model.labels_[7]}"
    model.report(tmp_path / "page.html", pictures=False)
    assert model.summary()["central"][0][0] in (tmp_path / "page.html").read_text()


INDICES = {
    "texts": (IDS[:100], IDS[:100]),
    "integers": (range(7, 107), None),
    "integers as text": ([*map(str, range(7, 107))], None),
    "row numbers": (range(100), None),
    "repeats": (["a"] * 100, None),
    "pairs": ([("a", i) for i in range(100)], None),
    "fractions": (np.arange(100) / 2, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", INDICES)
def test_the_index_of_a_data_frame_names_its_rows(case):
    index, names = INDICES[case]
    table = pytest.importorskip("pandas").DataFrame(X[:100], index=index)
    model = CoresetSpectralClustering(3, random_state=0).fit(table)
    found = model.graph_.node_names
    assert (None if found is None else found.tolist()) == names
    np.testing.assert_array_equal(model.labels_, fitted().labels_)
    assert model.fit(table, ids=IDS[:100]).graph_.node_names.tolist() == IDS[:100]


@pytest.mark.parametrize(
    ("ids", "said"), [(IDS[:99], "99 values"), (3, "ids is 3"), (["a"] * 100, "stands in rows 0 and 1")]
)
def test_ids_that_are_none(ids, said):
    with pytest.raises(InputError, match=said):
        fitted(ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["CoresetSpectralClustering", "KernelKMeans", "CoresetKernelKMeans", "NystromKernelKMeans",
     "GaussianSketchKernelKMeans", "KFlats", "KernelKFlats"],
)  # fmt: skip
def test_pipelines_in_files_of_joblib_answer_as_before(name, tmp_path):
    points, _ = make_blobs(1000, centers=12, n_features=30, cluster_std=8, random_state=0)
    new = points + np.random.default_rng(0).normal(0, 4, points.shape)
    model = make_pipeline(StandardScaler(), getattr(graphcore, name)(12, random_state=0)).fit(points)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    if name == "CoresetSpectralClustering":
        for key, column in model[-1].summary().items():
            assert [*map(str, again[-1].summary()[key])] == [*map(str, column)]
        assert (again[-1].membership_ != model[-1].membership_).nnz == 0


def test_a_saved_model_knows_the_columns_of_a_data_frame(tmp_path):
    table = load_iris(as_frame=True).data
    model = CoresetSpectralClustering(3, random_state=0).fit(table)
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.feature_names_in_, model.feature_names_in_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(again.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table.iloc[:, ::-1])
