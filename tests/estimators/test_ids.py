"""Names of the rows of vectors, the table of cells of an AnnData object, and pipelines in files of joblib."""

import warnings
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import graphcore
from graphcore import CoresetSpectralClustering, GraphWarning, InputError, ParameterError

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


def test_a_column_of_a_table_names_its_rows():
    table = pytest.importorskip("pandas").DataFrame(X[:100], columns=["x", "y"]).assign(name=IDS[:100])
    model = CoresetSpectralClustering(3, random_state=0).fit(table.drop(columns="name"), ids=table["name"])
    assert model.graph_.node_names.tolist() == IDS[:100]
    np.testing.assert_array_equal(model.labels_, fitted().labels_)


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


def test_the_index_of_new_rows_names_them_unless_it_is_there_already():
    pandas = pytest.importorskip("pandas")
    model = CoresetSpectralClustering(3, random_state=0).fit(pandas.DataFrame(X[:100], index=IDS[:100]))
    model.update(pandas.DataFrame(X[100:110], index=IDS[100:110]))
    model.update(pandas.DataFrame(X[110:120]))
    model.update(pandas.DataFrame(X[120:], index=IDS[:10]))
    assert model.graph_.node_names.tolist() == IDS[:110] + [str(i) for i in range(110, 130)]
    plain = fitted()
    plain.update(pandas.DataFrame(X[100:], index=IDS[100:]))
    assert plain.graph_.node_names is None
    numbered = CoresetSpectralClustering(3, random_state=0).fit(X[:100], ids=range(500, 600))
    numbered.update(pandas.DataFrame(X[100:110], index=IDS[100:110]))
    assert numbered.graph_.node_names[99:102].tolist() == [599, 100, 101]


def test_rows_of_a_shuffled_split_are_clustered_predicted_and_added_in_any_dress(tmp_path):
    table = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"]).sample(frac=1, random_state=0)
    model = CoresetSpectralClustering(3, random_state=0).fit(table[:100])
    model.save(tmp_path / "model.npz")
    for again in (model, graphcore.load(tmp_path / "model.npz")):
        for new in (table[100:110], table[110:120].reset_index(drop=True)):
            labels = again.predict(new)
            again.update(new)
            np.testing.assert_array_equal(labels, again.labels_[-10:])


@pytest.mark.parametrize("saved", [False, True])
def test_ids_of_new_rows(saved, tmp_path):
    model, plain = fitted(IDS[:100]), fitted()
    if saved:
        model.save(tmp_path / "model.npz")
        model = graphcore.load(tmp_path / "model.npz")
    model.update(X[100:120], ids=IDS[100:120])
    plain.update(X[100:120])
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.graph_.node_names.tolist() == IDS[:120]
    model.update(X[120:])
    assert model.graph_.node_names[-1] == "129"
    plain.update(X[120:])
    assert (model.graph_.to_scipy() != plain.graph_.to_scipy()).nnz == 0


@pytest.mark.parametrize(
    ("ids", "said"), [(IDS[:99], "99 values"), (3, "ids is 3"), (["a"] * 100, "stands in rows 0 and 1")]
)
def test_ids_that_are_none(ids, said):
    with pytest.raises(InputError, match=said):
        fitted(ids)


def test_what_has_no_ids():
    graph = graphcore.datasets.load_karate().graph
    with pytest.raises(ParameterError, match=r"Graph\.with_nodes"):
        CoresetSpectralClustering(2).fit(graph, ids=range(34))
    with pytest.raises(ParameterError, match="fitted with ids"):
        fitted().update(X[100:], ids=IDS[100:])
    model = fitted(np.arange(100) + 20)
    with pytest.raises(InputError, match="stands in rows") as caught:  # row 100 would be called as row 80 is
        model.update(X[100:])
    assert caught.value.__notes__ == ["ids= of update names the new rows"]
    assert len(model.labels_) == 100


def test_clusters_in_the_table_of_an_annotated_object():
    pandas = pytest.importorskip("pandas")
    model = fitted(IDS[:100], outliers=0.05)
    adata = SimpleNamespace(obs=pandas.DataFrame({"batch": 1}, index=IDS[:100]))
    model.write_obs(adata, "k3")
    assert adata.obs.columns.tolist() == ["batch", "k3", "k3_stability"]
    assert adata.obs["k3"].cat.categories.tolist() == ["0", "1", "2"]
    np.testing.assert_array_equal(adata.obs["k3"].cat.codes, model.labels_)
    assert adata.obs["k3"].isna().sum() == (model.labels_ < 0).sum() > 0
    np.testing.assert_array_equal(adata.obs["k3_stability"], model.stability_)
    for other in (SimpleNamespace(), SimpleNamespace(obs=adata.obs[::-1]), SimpleNamespace(obs=adata.obs[:50]), 3):
        with pytest.raises(InputError, match="adata"):
            model.write_obs(other)


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
        scaled = model[0].transform(new[:20])
        for key, column in model[-1].summary().items():
            assert [*map(str, again[-1].summary()[key])] == [*map(str, column)]
        assert (again[-1].membership_ != model[-1].membership_).nnz == 0
        again[-1].update(scaled)
        np.testing.assert_array_equal(again[-1].labels_, (model[-1].update(scaled), model[-1].labels_)[1])


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


def test_noise_in_y_is_warned_of_where_outliers_are_looked_for():
    X, y = make_blobs(100, centers=2, random_state=0)
    y[:5] = -1
    with pytest.warns(GraphWarning, match="y has -1, which means unknown.*labels=y"):
        CoresetSpectralClustering(2, outliers="auto", random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphWarning)
        CoresetSpectralClustering(2, outliers="auto", random_state=0).fit(X, labels=y)
        CoresetSpectralClustering(2, random_state=0).fit(X, y)
