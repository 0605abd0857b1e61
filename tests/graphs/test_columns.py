"""Columns by their names: ends, weights, an index, the rows of an adjacency frame."""

import numpy as np
import pytest

from graphcore import (
    CoresetKernelKMeans,
    CoresetSpectralClustering,
    Graph,
    GraphWarning,
    InputError,
    KernelKMeans,
    ParameterError,
)  # fmt: skip
from graphcore.graphs.columns import (
    doubtful_names,
    edge_columns,
    in_row_order,
    is_index,
    left_out,
    two_kinds,
    weight_column,
)  # fmt: skip


@pytest.mark.parametrize(
    ("names", "ends", "weight"),
    [
        (["Id", "Source", "Target", "Type", "Weight"], ("Source", "Target"), "Weight"),
        (["weight", "to", "from"], ("from", "to"), "weight"),
        (["ts", "amount", "from_acct", "to_acct"], ("from_acct", "to_acct"), None),  # a sum is none by itself
        (["acct_from", "acct_to"], ("acct_from", "acct_to"), None),
        (["FromNodeId", "ToNodeId"], ("FromNodeId", "ToNodeId"), None),
        (["Person 1", "Person 2", "Edge Weight"], ("Person 1", "Person 2"), "Edge Weight"),
        (["count", "u", "v", "w"], ("u", "v"), "w"),  # the surest name of a weight, in any place
        (["x1", "x2", "y"], None, None),
        ([0, 1, 2], None, None),
        (["target", "x"], None, None),
    ],
)
def test_roles_by_name(names, ends, weight):
    assert edge_columns(names) == ends
    assert weight_column(names) == weight


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        (
            ["fee", "ts", "amount (EUR)"],
            "pass weight='amount (EUR)' if it holds the edges' weights (of sums of money or the like rather their "
            "logarithm, in a column of its own), weight=None to say",
        ),
        (["timestamp", "fee"], "pass weight='fee' if"),
        (["ts", "trade_date"], "pass weight=None to say that no column holds the edges' weights"),
    ],
)
def test_sums_are_offered_first_and_times_never(columns, remedy):
    said = left_out(columns, "weight", {name: name for name in columns})
    assert remedy in said and said.startswith(f"columns {', '.join(columns)} not read; ")


def transfers(library):
    """A table as banks have it: times, sums, and two ends whose names share a word."""
    module = pytest.importorskip(library)
    ends = np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [2, 3]]).T + 10**17
    times = np.datetime64("2024-01-01T00:00:00", "us") + np.arange(7)
    table = {"ts": times, "amount": 10.0 ** np.arange(7), "from_acct": ends[0], "to_acct": ends[1]}
    return module.table(table) if library == "pyarrow" else module.DataFrame(table)


def some(table, names):
    """The table with these columns alone."""
    return table.select(names) if hasattr(table, "select") else table[names]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_transfers_are_no_vectors(library):
    table, ends = transfers(library), ["from_acct", "to_acct"]
    model = CoresetSpectralClustering(2, random_state=0)
    remedy = r"'amount'; for edges give graphcore.Graph.from_table\(table, 'from_acct', 'to_acct', weight=...\)"
    for names in (["ts", "amount", *ends], [*ends, "amount"]):
        for fitted in (model, CoresetKernelKMeans(2)):
            with pytest.raises(InputError, match=remedy):
                fitted.fit(some(table, names))
    with pytest.raises(
        InputError, match=r"column 'ts' holds times; .* graphcore.Graph.from_table\(X, source=..., target"
    ):
        model.fit(some(table, ["ts", "amount"]))
    for names in (ends, ["ts", *ends]):  # no column may be a weight
        assert model.fit(some(table, names)).graph_.n_edges == 7
    with pytest.warns(GraphWarning, match="^columns ts, amount not read; pass weight='amount' if"):
        assert not Graph.from_table(table).is_weighted
    with pytest.warns(GraphWarning, match="^column ts not read; pass weight=None to say that no column holds"):
        assert not Graph.from_table(some(table, ["ts", *ends])).is_weighted


def test_columns_beside_that_of_weights_are_told_without_a_remedy():
    table = {"source": [0, 1], "target": [1, 2], "ts": [1, 2], "amount": [5.0, 90.0], "weight": [1.5, 2.0]}
    with pytest.warns(GraphWarning, match="^columns ts, amount not read; weights are those of 'weight', weight= takes"):
        assert Graph.from_table(table).weights.tolist() == [1.5, 1.5, 2.0, 2.0]


def test_ends_that_share_a_word_are_vectors_where_they_hold_fractions():
    X = np.random.default_rng(0).normal(size=(40, 2))
    pd = pytest.importorskip("pandas")
    model = CoresetSpectralClustering(2, random_state=0).fit(pd.DataFrame(X, columns=["from_x", "to_x"]))
    assert model.graph_.n_nodes == 40
    with pytest.raises(InputError, match=r"from_table\(X, source='payer', target='payee'\)"):
        model.fit(pd.DataFrame({"payer": [1, 2], "payee": [2, 3], "ts": pd.to_datetime(["2024-01-01"] * 2)}))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_an_update_takes_the_tables_that_from_table_takes(library):
    table = transfers(library)
    model = CoresetSpectralClustering(2, random_state=0).fit(Graph.from_table(table, weight="amount"))
    added = some(table, ["ts", "amount", "from_acct", "to_acct"])
    with pytest.warns(GraphWarning, match=r"^added, as read by .*from_table: columns ts, amount not read; .*'amount'"):
        assert model.update(added).n_added == 0  # they are there
    with pytest.raises(InputError, match=r"^added: no columns .* it has 'ts', 'amount'; .*from_table\(table, source="):
        model.update(some(table, ["ts", "amount"]))
    model.update(removed=some(table, ["from_acct", "to_acct"])[:1])
    assert model.graph_.n_edges == 6


def test_names_that_no_column_of_vectors_has_are_certain():
    assert edge_columns(["source", "target"], certain=True) == ("source", "target")
    assert edge_columns(["start", "end"], certain=True) is None
    assert all(map(is_index, ("", " ", "Unnamed: 0", "Unnamed: 0.1", "__index_level_0__")))
    assert not any(map(is_index, ("id", 0, "{}", None)))
    assert two_kinds("userId", "movieId") and two_kinds("customer_id", "Product_ID")
    assert not two_kinds("user1", "user2") and not two_kinds(0, 1)
    assert doubtful_names(["a", "NaN", "None"]).startswith("nodes are called 'NaN', 'None'")
    assert doubtful_names(["a", "Nancy"]) is None


def test_tables_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 2, 0.5], [2, 3, 0.25]])
    assert Graph.from_table(frame, 0, 1, 2).weights.tolist() == [0.5, 0.5, 0.25, 0.25]
    with pytest.warns(GraphWarning, match="column 2 not read; pass weight=2"):
        assert not Graph.from_table(frame, 0, 1).is_weighted
    nodes = pd.DataFrame({"id": [0, 1, 2], 1: ["a", "b", "c"]})
    assert Graph.from_edges([0, 1], [1, 2]).with_nodes(nodes).n_nodes == 3
    with pytest.raises(InputError, match="two columns of the table have one name"):
        Graph.from_table(pd.DataFrame([[1, 2, 3, 4]], columns=["source", "target", "x", "x"]))
    with pytest.raises(ParameterError, match="source and target are both 'a'"):
        Graph.from_table({"a": [1], "b": [2]}, "a", "a")
    assert Graph.from_table({"source": [b"a"], "target": [b"b"]}).node_names.tolist() == ["a", "b"]
    index = pd.DataFrame({"Unnamed: 0": [0, 1], "Source": ["a", "b"], "Target": ["b", "c"]})
    assert Graph.from_table(index).n_edges == 2


def test_names_that_differ_in_kind_alone_are_told():
    with pytest.warns(GraphWarning, match="nodes are called 1 and '1'; write the names alike if these are one node"):
        Graph.from_table({"source": np.array([1, "a"], dtype=object), "target": np.array(["1", 2], dtype=object)})
    mixed = {"source": np.array([1, "a"], dtype=object), "target": np.array(["a", 2], dtype=object)}
    assert Graph.from_table(mixed).node_names.tolist() == [1, "a", 2]


def test_vectors_that_hold_numbers_as_text_say_so():
    with pytest.raises(InputError, match=r"X holds numbers as text \('1.5'\); give X.astype\(float\)"):
        CoresetSpectralClustering(2).fit(np.array([["1.5", "2"], ["3", "4"]], dtype=object))


@pytest.mark.parametrize("missing", [None, float("nan"), "pandas.NA", "pandas.NaT"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_missing_ends_are_no_nodes(missing, as_frame):
    pd = pytest.importorskip("pandas")
    missing = getattr(pd, missing.removeprefix("pandas.")) if isinstance(missing, str) else missing
    table = {"source": ["a", "b"], "target": np.array(["b", missing], dtype=object)}
    with pytest.raises(InputError, match=r"column 'target' has no value in row 1 \(1 such rows\)"):
        Graph.from_table(pd.DataFrame(table) if as_frame else table)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"source": ["a", "b"], "target": ["b", "nan"]}, "nodes are called 'nan', as missing values are written"),
        ({"userId": [1, 2], "movieId": [1, 3]}, "share values; if they are two kinds of nodes"),
    ],
)
def test_what_nodes_hardly_are_is_said(table, said):
    with pytest.warns(GraphWarning, match=said):
        Graph.from_table(table, *list(table)[:2])


def test_columns_of_an_adjacency_frame_follow_its_rows():
    pd = pytest.importorskip("pandas")
    A = np.kron(np.eye(2), np.ones((6, 6))) - np.eye(12)
    A[0, 6] = A[6, 0] = 1
    names = [f"n{i}" for i in range(12)]
    frame = pd.DataFrame(A, names, names)
    other = frame[np.random.default_rng(0).permutation(names)]
    assert not np.array_equal(other.to_numpy(), A)
    np.testing.assert_array_equal(in_row_order(other), A)
    np.testing.assert_array_equal(Graph.from_scipy(other).to_scipy().toarray(), A)
    for model in (
        CoresetSpectralClustering(2, affinity="precomputed", random_state=0),
        KernelKMeans(2, kernel="precomputed", random_state=0),
    ):
        np.testing.assert_array_equal(model.fit(other).labels_, model.fit(frame).labels_)


def test_an_index_among_vectors_is_said():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["x", "y"])
    X.insert(0, "Unnamed: 0", range(40))
    with pytest.warns(GraphWarning, match=r"leave it out with X.drop\(columns='Unnamed: 0'\)"):
        CoresetSpectralClustering(2, random_state=0).fit(X)
