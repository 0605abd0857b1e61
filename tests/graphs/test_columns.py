"""Columns by their names: ends, weights, an index, the rows of an adjacency frame."""

import numpy as np
import pytest

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError
from graphcore.graphs.columns import doubtful_names, edge_columns, is_index, left_out, two_kinds, weight_column


@pytest.mark.parametrize(
    ("names", "ends", "weight"),
    [
        (["weight", "to", "from"], ("from", "to"), "weight"),
        (["ts", "amount", "from_acct", "to_acct"], ("from_acct", "to_acct"), None),  # a sum is none by itself
        (["acct_from", "acct_to"], ("acct_from", "acct_to"), None),
        (["FromNodeId", "ToNodeId"], ("FromNodeId", "ToNodeId"), None),
        ([":START_ID", "weight:double", ":END_ID"], (":START_ID", ":END_ID"), "weight:double"),
        (["count", "u", "v", "w"], ("u", "v"), "w"),  # the surest name of a weight, in any place
        (["protein1", "protein2", "combined_score"], None, "combined_score"),
        (["tx_id", "sender_id", "receiver_id"], ("sender_id", "receiver_id"), None),
        (["tx_id", "channel", "payer_account", "payee_account"], ("payer_account", "payee_account"), None),
        (["x1", "x2", "y"], None, None),
        ([0, 1, 2], None, None),
        (["target", "x"], None, None),
    ],
)
def test_roles_by_name(names, ends, weight):
    assert edge_columns(names) == ends
    assert weight_column(names) == weight


def test_names_that_no_column_of_vectors_has_are_certain():
    assert edge_columns(["source", "target"], certain=True) == ("source", "target")
    assert edge_columns(["start", "end"], certain=True) is None
    assert all(map(is_index, ("", " ", "Unnamed: 0", "Unnamed: 0.1", "__index_level_0__")))
    assert not any(map(is_index, ("id", 0, "{}", None)))
    assert two_kinds("userId", "movieId") and two_kinds("customer_id", "Product_ID")
    assert not two_kinds("from_id", "to_id") and not two_kinds("id", "id") and not two_kinds(0, 1)


def test_what_is_left_out_and_what_nodes_hardly_are_is_said_and_times_and_ids_are_offered_for_no_weights():
    for columns, remedy in ((["time", "tx_id", "fee"], "pass weight='fee' if"), (["ts"], "pass weight=None to say")):
        said = left_out(columns, "weight", {name: name for name in columns})
        assert remedy in said and f"{', '.join(columns)} not read; " in said
    table = {"source": [0, 1], "target": [1, 2], "ts": [1, 2], "amount": [5.0, 90.0], "weight": [1.5, 2.0]}
    with pytest.warns(GraphWarning, match="^columns ts, amount not read; weights are those of 'weight', weight= takes"):
        assert Graph.from_table(table).weights.tolist() == [1.5, 1.5, 2.0, 2.0]
    with pytest.warns(GraphWarning, match="nodes are called 'nan'"):
        Graph.from_table({"source": ["a", "b"], "target": ["b", "nan"]})
    with pytest.warns(GraphWarning, match="share values; if they are two kinds of nodes"):
        Graph.from_table({"userId": [1, 2], "movieId": [1, 3]}, "userId", "movieId")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "NaN", "None", r"\N"], r"are called 'NaN', 'None', '\\N', as missing"),
        (["a", float("nan")], "as missing"),
        (["a", "a"], "have the same name"),
        (["2.0", "2"], "'2.0' and '2'; write the names alike"),
        (["a ", "a"], "'a ' and 'a'"),
        ([1, "1"], "1 and '1'"),
        (["99999", "1e+05", "100000"], "'1e+05' and '100000'"),
        (["300000.0", "3e+05"], "write the names alike"),
        (["1.000e+00", "2.000e+00"], "if whole numbers are meant"),
        (["a", "Nancy", "b "], None),
        (["1E10", "2E5", "3E1"], None),
        (["1.0.0", "1.0.1"], None),
    ],
)
def test_doubtful_names(names, said):
    found = doubtful_names(names)
    assert found is None if said is None else said in found


def test_columns_of_an_adjacency_frame_follow_its_rows_and_tables_have_names_of_other_kinds():
    pd = pytest.importorskip("pandas")
    A = np.kron(np.eye(2), np.ones((6, 6))) - np.eye(12)
    A[0, 6] = A[6, 0] = 1
    names = [f"n{i}" for i in range(12)]
    frame = pd.DataFrame(A, names, names)
    other = frame[np.random.default_rng(0).permutation(names)]
    assert not np.array_equal(other.to_numpy(), A)
    np.testing.assert_array_equal(Graph.from_scipy(other).to_scipy().toarray(), A)
    assert Graph.from_scipy(other).node_names.tolist() == names
    model = CoresetSpectralClustering(2, affinity="precomputed", random_state=0)
    np.testing.assert_array_equal(model.fit(other).labels_, model.fit(frame).labels_)
    with pytest.warns(GraphWarning, match="row 'b' of the matrix has no column of its name"):
        Graph.from_scipy(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "c"]))
    assert Graph.from_scipy(pd.DataFrame(np.eye(3), list("aab"), list("aab"))).n_edges == 3
    turned = pd.DataFrame([[1.0, 2.0], [0.0, 4.0]], ["a", "b"], ["b", "a"])  # columns are nodes of their own
    assert Graph.from_biadjacency(turned).degrees.tolist() == [3.0, 4.0, 1.0, 6.0]
    assert Graph.from_scipy(frame.convert_dtypes()).n_edges == 31
    frame = pd.DataFrame([[1, 2, 0.5], [2, 3, 0.25]])
    assert Graph.from_table(frame, 0, 1, 2).weights.tolist() == [0.5, 0.5, 0.25, 0.25]
    with pytest.warns(GraphWarning, match="column 2 not read; pass weight=2"):
        assert not Graph.from_table(frame, 0, 1).is_weighted
    nodes = pd.DataFrame({"id": [0, 1, 2], 1: ["a", "b", "c"]})
    assert Graph.from_edges([0, 1], [1, 2]).with_nodes(nodes).n_nodes == 3
    with pytest.raises(InputError, match="two columns of the table have one name"):
        Graph.from_table(pd.DataFrame([[1, 2, 3, 4]], columns=["source", "target", "x", "x"]))
    index = pd.DataFrame({"Unnamed: 0": [0, 1], "Source": ["a", "b"], "Target": ["b", "c"]})
    assert Graph.from_table(index).n_edges == 2
