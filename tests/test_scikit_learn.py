"""scikit-learn's contract: its own checks for every class, and which of them fail, and why."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import graphcore

# Degenerate data of the checks are warned about in many ways.
pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

SEEDED = {"random_state": 0}
QUICK = [
    graphcore.CoresetSpectralClustering(3, effort="fast", **SEEDED),
    graphcore.KernelKMeans(3, n_init=2, **SEEDED),
    graphcore.KFlats(3, 1, n_init=2, **SEEDED),
]
# The other classes, and settings whose rows mean something else.
OTHERS = [
    graphcore.NystromKernelKMeans(2, **SEEDED),
    graphcore.CoresetKernelKMeans(3, n_init=2, **SEEDED),
    graphcore.NystromFeatures(**SEEDED),
    graphcore.GaussianSketchFeatures(5, **SEEDED),
    graphcore.GaussianSketchKernelKMeans(3, **SEEDED),
    graphcore.KernelKFlats(3, 1, n_init=2, **SEEDED),
    graphcore.KernelKMeans(3, kernel="precomputed", n_init=2, **SEEDED),
    graphcore.NystromFeatures(kernel="precomputed", **SEEDED),
    graphcore.KernelKFlats(3, 1, kernel="precomputed", n_init=2, **SEEDED),
    graphcore.CoresetSpectralClustering(3, affinity="precomputed", **SEEDED),
    graphcore.CoresetSpectralClustering(3, affinity="nearest_neighbors", n_jobs=2, **SEEDED),
]


def expected_failures(estimator):
    """Names of the checks that fail, and why."""
    why, failures = {}, {}
    weights = [f"sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    if isinstance(estimator, graphcore.CoresetSpectralClustering):
        why["coresets are drawn by the numbers of rows, and copies of vectors have other neighbours"] = weights
        why["asks for the two or four columns of a classifier"] = ["estimator_sparse_array", "estimator_sparse_matrix"]
        if estimator.affinity == "precomputed":
            why["fits vectors with negative entries, which are no adjacency matrix"] = ["clustering"]
        if estimator.affinity != "nearest_neighbors":
            kind = "not_overwritten" if estimator.affinity == "precomputed" else "pandas_series"
            pairs = "sample_weights_shape", f"sample_weights_{kind}"
            why["fits two columns of integers, which may be edges"] = pairs
    if getattr(estimator, "kernel", None) == "precomputed":
        why["fits a matrix with a negative diagonal, which is no kernel"] = ["positive_only_tag_during_fit"]
        if hasattr(estimator, "n_clusters"):
            of_rows = [] if isinstance(estimator, graphcore.KernelKFlats) else weights
            why["fits vectors, which are no square matrix"] = ["clustering", *of_rows]
        if not isinstance(estimator, graphcore.KernelKMeans):
            why["rounds a kernel to float32, and gives it as float64 with negative eigenvalues"] = ["estimators_dtypes"]
    for reason, names in why.items():
        failures |= {f"check_{name}": reason for name in names}
    return failures


@pytest.mark.parametrize("model", [*QUICK, *(pytest.param(each, marks=pytest.mark.slow) for each in OTHERS)], ids=str)
def test_scikit_learns_checks(model):
    expected = expected_failures(model)
    done = check_estimator(model, expected_failed_checks=expected, on_skip=None, on_fail=None)
    is_pairwise = model.__sklearn_tags__().input_tags.pairwise  # which leaves some checks out
    assert len(done) > 40 and (is_pairwise or {*expected} <= {each["check_name"] for each in done})
    assert all(isinstance(each["exception"], AssertionError | ValueError) for each in done if each["status"] == "xfail")
    # One that passes is no better than one that fails, where it is expected to fail.
    wrong = {"passed": True, "failed": False}
    assert [each for each in done if wrong.get(each["status"]) == each["expected_to_fail"]] == []


@pytest.mark.parametrize(
    "make", [graphcore.CoresetSpectralClustering, graphcore.KernelKMeans, graphcore.CoresetKernelKMeans]
)
def test_a_graph_has_no_feature_names(make):
    frame = pytest.importorskip("pandas").DataFrame(make_blobs(60, random_state=0)[0], columns=["height", "weight"])
    model = make(3, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == ["height", "weight"]
    assert not hasattr(model.fit(graphcore.datasets.load_karate().graph), "feature_names_in_")


@pytest.mark.parametrize("model", [*QUICK, *OTHERS[:-2]], ids=lambda model: type(model).__name__)
def test_a_fit_that_failed_is_none(model):
    wrong = {"n_clusters": 100} if hasattr(model, "n_clusters") else {"n_components": 0}
    model = clone(model).set_params(**wrong)
    with pytest.raises(graphcore.ParameterError, match=r"n_clusters=100|n_components=0"):
        model.fit(np.eye(60))
    with pytest.raises(NotFittedError):
        (model.predict if hasattr(model, "predict") else model.transform)(np.eye(60))
