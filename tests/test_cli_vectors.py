"""Files of vectors that hold something else, or are damaged: one line that names the file."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import InputError, knn_graph
from graphcore.cli.vectors import read_vectors


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 2), dtype="M8[s]"), "datetime64"),
        (np.zeros((3, 2), dtype=complex), "complex128"),
        (np.zeros((3, 2), dtype="U3"), "<U3"),
        (np.zeros((3, 2), dtype=[("a", int)]), "neither numbers nor text"),
        (np.array([[1, None]], dtype=object), "Python objects"),
        (np.zeros((0, 5)), r"shape \(0, 5\)"),
        (np.zeros((5, 0)), r"shape \(5, 0\)"),
        (np.zeros(5), r"shape \(5,\)"),
    ],
)
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_what_are_no_vectors(tmp_path, array, message, ending):
    path = tmp_path / f"x.{ending}"
    (np.save if ending == "npy" else np.savez)(path, array)
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(4, 2)", b"(4, 9999999999)"),
        (b"(4, 2)", b"(-4, -2)"),
        (b"(4, 2)", b"((((((" * 9),
        (b"'<f8'", b"'|O'"),
        (b"'descr'", b"7"),
        (b"NUMPY", b"NUMPX"),
        (b"(4, 2)", b"(4, 2L)" + b"_" * 40),
    ],
)
def test_damaged_headers(tmp_path, old, new):
    np.save(tmp_path / "a.npy", np.ones((4, 2)))
    head, data = np.split(np.fromfile(tmp_path / "a.npy", np.uint8), [128])
    changed = head.tobytes().replace(old, new)
    start, _, text = changed[:10], changed[10:10], changed[10:]
    (tmp_path / "a.npy").write_bytes(start + text.rstrip(b" \n")[:117].ljust(117) + b"\n" + data.tobytes())
    with pytest.raises(InputError) as caught:
        read_vectors(str(tmp_path / "a.npy"))
    assert "\n" not in str(caught.value)


def test_sparse_vectors_in_both_layouts_of_scipy(tmp_path):
    X = sp.random_array((6, 4), density=0.5, rng=np.random.default_rng(0))
    for kind in ("csr", "csc", "coo"):
        sp.save_npz(tmp_path / "x.npz", X.asformat(kind))
        np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.npz")).toarray(), X.toarray())
    np.save(tmp_path / "x.npy", np.asfortranarray(X.toarray()))
    np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.npy")), X.toarray())


def test_vectors_that_only_a_wider_type_holds():
    X = np.ones((5, 2), dtype=np.longdouble)
    X[2, 1] = np.longdouble("1e4000")
    with pytest.raises(InputError, match=r"rescale|must be finite"):
        knn_graph(X, 2)
