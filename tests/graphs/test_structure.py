"""Structure that does not go together is refused before compiled code, scipy's included, reads or writes by it."""

import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore import Graph, InputError
from graphcore.graphs.from_matrix import check_given

RING = sp.csr_array(np.eye(5, k=1) + np.eye(5, k=-1))


def changed(kind, **arrays):
    """A sound matrix of some format with other arrays, as no constructor of scipy lets them in."""
    X = getattr(sp, kind)(RING.tocoo())
    for name, array in arrays.items():
        setattr(X, name, array)
    return X


def with_value(array, place, value):
    array = array.copy()
    array[place] = value
    return array


DAMAGED = {
    "column too large": changed("csr_array", indices=with_value(RING.indices, 3, 2**31 - 1)),
    "column negative": changed("csr_matrix", indices=with_value(RING.indices, 3, -7)),
    "indptr beyond the end": changed("csr_array", indptr=with_value(RING.indptr, 2, 10**9)),
    "indptr falls": changed("csr_array", indptr=with_value(RING.indptr, 2, 0)),
    "indptr starts late": changed("csr_array", indptr=with_value(RING.indptr, 0, 1)),
    "indptr too long": changed("csr_array", indptr=np.append(RING.indptr, 8).astype(np.int32)),
    "indptr empty": changed("csr_array", indptr=RING.indptr[:0]),
    "indptr of floats": changed("csr_array", indptr=RING.indptr.astype(float)),
    "indices of one byte": changed("csr_array", indices=RING.indices.astype(np.uint8)),
    "indices in two dimensions": changed("csr_array", indices=RING.indices[None]),
    "data cut": changed("csr_array", data=RING.data[:3]),
    "data of other bytes": changed("csr_array", data=RING.data.astype(">f8")),
    "data of half precision": changed("csr_array", data=RING.data.astype(np.float16)),
    "csc": changed("csc_array", indices=with_value(RING.indices, 0, 99)),
    "coo row": changed("coo_array", coords=(np.full(8, 9), RING.tocoo().col)),
    "coo length": changed("coo_array", coords=(np.zeros(3, dtype=int), RING.tocoo().col)),
    "bsr blocks": changed("bsr_array", data=np.ones((8, 2, 1))),
    "one dimension": sp.coo_array(np.ones(4)),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_damaged_matrices_are_refused_wherever_matrices_are_taken(how):
    for use in (
        Graph.from_scipy, lambda X: Graph.from_scipy(X, check=False), graphcore.CoresetSpectralClustering(2).fit,
        graphcore.KernelKMeans(2, kernel="precomputed").fit, graphcore.KernelKMeans(2, kernel="rbf").fit,
        graphcore.knn_graph, lambda X: graphcore.metrics.normalized_cut(X, [0, 0, 0, 1, 1]),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            use(DAMAGED[how])
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sound_matrices_pass(kind, index):
    X = RING.asformat(kind)
    if kind in ("csr", "csc", "bsr"):
        X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    check_given(X)
    for dtype in (float, bool, np.int8, np.uint64, np.float32):
        np.testing.assert_array_equal(Graph.from_scipy(X.astype(dtype)).to_scipy().toarray(), RING.toarray())
    check_given(getattr(sp, f"{kind}_array")((3, 4)))
    check_given(np.eye(3))


def test_unchecked_arrays_are_safe():
    with pytest.raises(InputError, match="names column 9"):
        Graph([0, 1, 2], [1, 9], check=False)
    # The difference of two of these overflows, to a number above 0.
    for indptr in ([0, 5, 2], [0, 2**63 - 1, -(2**63), 2]):
        with pytest.raises(InputError, match="never fall"):
            Graph(indptr, [1, 0], check=False)


@pytest.mark.slow
def test_what_only_seems_canonical_and_arrays_longer_than_the_rows():
    K = sp.csr_array((np.array([1.0, 2.0, 1.0, 2.0]), np.array([1, 0, 0, 1]), np.array([0, 2, 4])), shape=(2, 2))
    K.has_canonical_format = K.has_sorted_indices = True
    K.indices.flags.writeable = K.data.flags.writeable = False
    graphcore.KernelKMeans(2, kernel="precomputed", random_state=0).fit(K)
    assert K.indices.tolist() == [1, 0, 0, 1]
    X = changed("csr_array", indices=np.append(RING.indices, 99).astype(np.int32), data=np.append(RING.data, 1))
    np.testing.assert_array_equal(Graph.from_scipy(X).to_scipy().toarray(), RING.toarray())
