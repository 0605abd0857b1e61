"""The networkx backend: networkx's own tests, its definitions on random graphs, what networkx does with it."""

import random
import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore.networkx import BackendGraph, backend
from graphcore.networkx._info import FUNCTIONS, get_info

from ..depth import examples
from .conftest import ROOT

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
MEASURES = ["cut_size", "conductance", "normalized_cut_size", "edge_expansion", "mixing_expansion"]


@st.composite
def graphs(draw, kinds=KINDS):
    """A networkx graph with self-loops, strange names, weights missing on some edges, and two sets of its nodes."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(1, 9))
    names = draw(st.sampled_from([list(range(n)), [f"n{i}" for i in range(n)], [(i, "x") for i in range(n)]]))
    names = draw(st.permutations(names))
    weights = draw(st.sampled_from([st.integers(-3, 9), st.floats(-2, 5).map(lambda x: round(x, 3)), st.none()]))
    G = kind()
    G.add_nodes_from(names)
    for _ in range(draw(st.integers(0, 20))):
        u, v, w = draw(st.sampled_from(names)), draw(st.sampled_from(names)), draw(weights)
        G.add_edge(u, v, **({} if w is None else {"w": w}))
    sets = st.lists(st.sampled_from([*names, "stranger"]), max_size=n + 2)
    return G, draw(sets), draw(st.none() | sets)


def outcome(function, *arguments, **options):
    """Result, or the kind of error."""
    try:
        return function(*arguments, **options)
    except (ZeroDivisionError, nx.NetworkXError) as error:
        return type(error)


def same(ours, theirs):
    if isinstance(theirs, type) or isinstance(ours, type):
        return ours is theirs
    return ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@examples(300)
@given(graphs(), st.sampled_from(["w", None, "unknown"]))
def test_cuts_agree_with_networkx(drawn, weight):
    G, S, T = drawn
    ours = BackendGraph.from_networkx(G, None if weight is None else {weight: 1})
    assert ours.number_of_edges() == G.number_of_edges()
    for name in MEASURES:
        if name in ("cut_size", "mixing_expansion") and T is None and G.is_directed():
            with pytest.raises(NotImplementedError, match="networkx itself fails"):
                getattr(backend, name)(ours, S, T, weight)
            continue
        theirs = outcome(getattr(nx, name), G, S, T, weight)
        assert same(outcome(getattr(backend, name), ours, S, T, weight), theirs), name
    assert backend.volume(ours, S, weight) == pytest.approx(nx.volume(G, S, weight), rel=1e-12, abs=1e-12)
    assert outcome(backend.node_expansion, ours, S) == outcome(nx.node_expansion, G, S)
    assert outcome(backend.boundary_expansion, ours, S) == outcome(nx.boundary_expansion, G, S)


@given(graphs(kinds=[nx.Graph, nx.MultiGraph]))
def test_components_agree_with_networkx(drawn):
    G = drawn[0]
    ours = BackendGraph.from_networkx(G)
    assert list(backend.connected_components(ours)) == list(nx.connected_components(G))
    assert backend.number_connected_components(ours) == nx.number_connected_components(G)
    assert backend.is_connected(ours) is nx.is_connected(G)
    node = next(iter(G))
    assert backend.node_connected_component(ours, node) == nx.node_connected_component(G, node)
    with pytest.raises(KeyError, match="stranger"):
        backend.node_connected_component(ours, "stranger")


@examples(150)
@given(graphs(), st.integers(0, 2**32 - 1), st.sampled_from(["w", None]), st.sampled_from([1, 0.3, 2]))
def test_partitions_agree_with_networkx(drawn, seed, weight, resolution):
    G = drawn[0]
    rng = random.Random(seed)
    partition = [set() for _ in range(3)]
    for node in G:
        rng.choice(partition).add(node)
    ours = BackendGraph.from_networkx(G, None if weight is None else {weight: 1})
    assert backend.is_partition(ours, iter(partition))
    arguments = partition, weight, resolution
    theirs = outcome(nx.community.modularity, G, *arguments)
    assert same(outcome(backend.modularity, ours, *arguments), theirs)
    theirs = outcome(nx.community.partition_quality, G, partition)
    assert same(outcome(backend.partition_quality, ours, partition), theirs)


@pytest.mark.parametrize("communities", [[{0, 1}], [{0, 1}, {1, 2}], [{0, 1, 2, "x"}], [{0, 1}, {2}, {"x"}], []])
def test_what_is_no_partition_is_refused_as_networkx_does(communities):
    ours = BackendGraph.from_networkx(nx.path_graph(3))
    with pytest.raises(nx.community.quality.NotAPartition, match="not a valid partition"):
        backend.modularity(ours, communities)
    with pytest.raises(nx.NetworkXError, match="not a valid partition"):
        backend.partition_quality(ours, communities)
    assert backend.is_partition(ours, communities) is nx.community.is_partition(nx.path_graph(3), communities) is False


def test_integers_stay_integers():
    G = nx.barbell_graph(3, 0)
    for weight in (None, "weight"):
        ours = BackendGraph.from_networkx(G, {"weight": 1})
        assert repr(backend.cut_size(ours, {0, 1, 2}, weight=weight)) == "1"
        assert repr(backend.volume(ours, {0, 1, 2}, weight)) == "7"


def test_self_loops_count_twice_in_volumes_and_once_in_matrices():
    G = nx.Graph([(0, 0), (0, 1)])
    ours = BackendGraph.from_networkx(G)
    assert backend.volume(ours, [0]) == nx.volume(G, [0]) == 3
    assert graphcore.Graph.from_networkx(G).degrees[0] == 2


@pytest.mark.parametrize("value", ["heavy", None, 1j, 2**70, 2**61])
def test_weights_that_are_no_numbers_of_64_bits_are_left_to_networkx(value):
    G = nx.path_graph(4)
    G[0][1]["weight"] = value
    with pytest.raises(NotImplementedError):
        BackendGraph.from_networkx(G, {"weight": 1})
    assert backend.cut_size(BackendGraph.from_networkx(G), [0]) == 1


def test_integers_too_large_for_compiled_loops_are_left_to_networkx():
    G = nx.path_graph(2)
    G[0][1]["weight"] = 2**55
    ours = BackendGraph.from_networkx(G, {"weight": 1})
    assert backend.cut_size(ours, [0], weight="weight") == 2**55
    with pytest.raises(NotImplementedError, match="not exact"):
        backend.modularity(ours, [{0, 1}])


def test_the_null_graph():
    ours = BackendGraph.from_networkx(nx.Graph())
    assert list(backend.connected_components(ours)) == []
    assert backend.number_connected_components(ours) == 0
    with pytest.raises(nx.NetworkXPointlessConcept):
        backend.is_connected(ours)


def test_a_graphcore_graph_in_networkx_functions():
    names = ["a", "b", "c", "d", "e"]
    graph = graphcore.Graph.from_edges([0, 1, 3], [1, 2, 4], [1.0, 2.0, 0.5], node_names=names)
    wrapped = BackendGraph.wrap(graph)
    assert backend.volume(wrapped, ["b", "d"], "weight") == 3.5
    assert backend.volume(wrapped, ["b", "d"]) == 3
    assert [sorted(nodes) for nodes in backend.connected_components(wrapped)] == [["a", "b", "c"], ["d", "e"]]
    with pytest.raises(graphcore.InputError, match="got Graph"):
        BackendGraph.wrap(nx.path_graph(3))


@given(graphs(kinds=[nx.Graph, nx.DiGraph]))
def test_there_and_back(drawn):
    G = drawn[0]
    back = BackendGraph.from_networkx(G, {"w": 1}).to_networkx()
    assert type(back) is type(G)
    assert list(back) == list(G)
    assert nx.utils.edges_equal(
        list(back.edges(data="w")), list(G.edges(data="w", default=1)), directed=G.is_directed()
    )


def test_parallel_edges_do_not_come_back():
    with pytest.raises(NotImplementedError, match="parallel"):
        BackendGraph.from_networkx(nx.MultiGraph([(0, 1), (0, 1)])).to_networkx()


def test_what_networkx_is_told():
    info = get_info()
    assert info["package"] == "graphcore"
    assert set(info["functions"]) == set(FUNCTIONS) == set(backend.__all__) - {
        "can_run", "should_run", "convert_from_nx", "convert_to_nx"
    }  # fmt: skip
    assert all(callable(getattr(backend, name)) for name in FUNCTIONS)


def test_what_is_left_to_networkx():
    G = nx.path_graph(3)
    assert "NodeView is no graph" in backend.can_run("is_partition", (G.nodes, [{0, 1, 2}]), {})
    assert backend.can_run("is_partition", (), {"G": G}) is True
    assert "directed" in backend.can_run("planted_partition_graph", (2, 3, 0.5, 0.1, None, True), {})

    class Rows(nx.Graph):
        def adjacency(self):
            return ((node, set(row)) for node, row in super().adjacency())

    rows = Rows(G)
    assert backend.is_connected(backend.convert_from_nx(rows))
    with pytest.raises(NotImplementedError, match="no edge attributes"):
        backend.convert_from_nx(rows, edge_attrs={"weight": 1})
    with pytest.raises(NotImplementedError, match="all edge attributes"):
        backend.convert_from_nx(G, preserve_edge_attrs=True)


def test_small_graphs_and_single_sets_are_left_to_networkx_unless_it_is_asked_for_graphcore():
    small, large = nx.path_graph(10), nx.gnm_random_graph(100, 3000, seed=0)
    assert "fewer than" in backend.should_run("connected_components", (small,), {})
    assert backend.should_run("connected_components", (), {"G": large}) is True
    assert "single measure" in backend.should_run("cut_size", (large, {0}), {})
    assert backend.should_run("cut_size", (BackendGraph.from_networkx(large), {0}), {}) is True


def test_planted_partitions():
    """The share of the pairs inside and between groups is within 5 standard deviations: fails once in 800,000 runs."""
    G = backend.planted_partition_graph(3, 100, 0.2, 0.02, seed=random.Random(1))
    assert [len(part) for part in G.graph["partition"]] == [100] * 3
    assert all(G.nodes[node]["block"] == block for block, part in enumerate(G.graph["partition"]) for node in part)
    inside = sum(G.nodes[u]["block"] == G.nodes[v]["block"] for u, v in G.edges)
    pairs_in, pairs_out = 3 * 4950, 3 * 10_000
    assert abs(inside - 0.2 * pairs_in) < 5 * np.sqrt(pairs_in * 0.2 * 0.8)
    assert abs(G.number_of_edges() - inside - 0.02 * pairs_out) < 5 * np.sqrt(pairs_out * 0.02 * 0.98)
    again = backend.planted_partition_graph(3, 100, 0.2, 0.02, seed=random.Random(1))
    assert nx.utils.graphs_equal(G, again)


# -- through networkx itself -------------------------------------------------------------------------------------------

# Each function has tests here; those of generators want networkx's own random numbers.
MODULES = [
    "networkx.algorithms.tests.test_cuts",
    "networkx.algorithms.components.tests.test_connected",
    "networkx.algorithms.community.tests.test_quality",
]


@pytest.mark.slow
def test_networkxs_own_tests_pass(run_python, tmp_path):
    """What the tests need beside the backend's functions falls back to networkx; the log tells that these do not."""
    out = run_python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "log_file=calls.log", "-o", "log_file_level=DEBUG",
        "--pyargs", *MODULES, NETWORKX_TEST_BACKEND="graphcore", NETWORKX_FALLBACK_TO_NX="1",
    )  # fmt: skip
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) (\w+)", out.splitlines()[-1])}
    assert counts.pop("passed") >= 30, out
    assert not counts.keys() & {"failed", "error", "errors", "xfailed", "skipped"}, out
    log = (tmp_path / "calls.log").read_text()
    ran = set(re.findall(r"Using backend 'graphcore' for call to '(\w+)'", log))
    fell_back = set(re.findall(r"'networkx' instead of 'graphcore' backend for call to '(\w+)'", log))
    assert ran == set(FUNCTIONS) - {"planted_partition_graph"}
    assert "convert_node_labels_to_integers" in fell_back
    assert not fell_back & ran
    assert "raised when calling" not in log


SCRIPT = """
import warnings
import networkx as nx
G = nx.gnm_random_graph(300, 6000, seed=0)
S = set(range(100))
plain = nx.conductance(G, S, backend="networkx")
assert nx.conductance(G, S, backend="graphcore") == plain
kept, = G.__networkx_cache__["backends"]["graphcore"].values()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert nx.conductance(G, S, weight="weight", backend="graphcore") == plain
    assert nx.cut_size(G, S, backend="graphcore") == nx.cut_size(G, S, backend="networkx")
held, = G.__networkx_cache__["backends"]["graphcore"].values()  # weights are needed now, and do for both
assert held is not kept and len(G.__networkx_cache__["backends"]["graphcore"]) == 1
G.add_edge(0, 299)
assert not G.__networkx_cache__.get("backends")
try:
    nx.pagerank(G, backend="graphcore")
except NotImplementedError as error:
    assert "graphcore" in str(error)
else:
    raise AssertionError("pagerank is not there")
assert "graphcore :" in nx.conductance.__doc__

# Nobody asked by name: large graphs go to the backend, small ones do not.
nx.config.backend_priority.algos = ["graphcore"]
assert nx.number_connected_components(G) == 1
assert "graphcore" in G.__networkx_cache__["backends"]
small = nx.path_graph(3)
assert nx.is_connected(small) and not small.__networkx_cache__.get("backends")
assert nx.pagerank(small)

import graphcore
wrapped = graphcore.networkx.BackendGraph.wrap(graphcore.Graph.from_edges([0, 1], [1, 2]))
assert nx.volume(wrapped, [1]) == 2

# networkx's own test of the generator, on graphs of this backend.
nx.config.backend_priority.generators = ["graphcore"]
from networkx.generators.tests.test_community import test_planted_partition_graph
test_planted_partition_graph()
print("done")
"""


def test_networkx_uses_the_backend(run_python):
    assert "done" in run_python("-c", SCRIPT)


def test_importing_networkx_does_not_import_what_is_heavy(run_python):
    code = "import networkx, sys; print([name for name in ('numba', 'scipy', 'sklearn') if name in sys.modules])"
    assert run_python("-c", code).strip() == "[]"


def test_the_page_about_networkx(run_python, tmp_path):
    page = (ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    assert code.count("backend=") == 2
    for function in FUNCTIONS:
        assert f"`{function}`" in page
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    run_python("-c", code)
