"""The networkx backend: networkx's own tests, its definitions on random graphs, what networkx does with it."""

import os
import random
import re
import subprocess
import sys
from importlib.metadata import entry_points

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore.networkx import BackendGraph, backend
from graphcore.networkx._info import FUNCTIONS, get_info

from ..depth import examples

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


@st.composite
def graphs(draw):
    """Draw a networkx graph with self-loops, strange names, weights missing on some edges."""
    kind = draw(st.sampled_from(KINDS))
    n = draw(st.integers(1, 9))
    names = draw(st.sampled_from([list(range(n)), [f"n{i}" for i in range(n)], [(i, "x") for i in range(n)]]))
    names = draw(st.permutations(names))
    weights = draw(st.sampled_from([st.integers(-3, 9), st.floats(-2, 5).map(lambda x: round(x, 3)), st.none()]))
    G = kind()
    G.add_nodes_from(names)
    for _ in range(draw(st.integers(0, 20))):
        u, v, w = draw(st.sampled_from(names)), draw(st.sampled_from(names)), draw(weights)
        G.add_edge(u, v, **({} if w is None else {"w": w}))
    return G


def outcome(function, *arguments):
    """Return the result, or the kind of error."""
    try:
        return function(*arguments)
    except (ZeroDivisionError, nx.NetworkXError) as error:
        return type(error)


def same(ours, theirs):
    if isinstance(theirs, type) or isinstance(ours, type):
        return ours is theirs
    return ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@examples(150)
@given(graphs(), st.integers(0, 2**32 - 1), st.sampled_from(["w", "unknown", None]), st.sampled_from([1, 0.3, 2]))
def test_partitions_agree_with_networkx(G, seed, weight, resolution):
    rng = random.Random(seed)
    partition = [set() for _ in range(3)]
    for node in G:
        rng.choice(partition).add(node)
    ours = BackendGraph.from_networkx(G, None if weight is None else {weight: 1})
    assert ours.number_of_edges() == G.number_of_edges()
    arguments = partition, weight, resolution
    theirs = outcome(nx.community.modularity, G, *arguments)
    assert same(outcome(backend.modularity, ours, *arguments), theirs)
    theirs = outcome(nx.community.partition_quality, G, partition)
    assert same(outcome(backend.partition_quality, ours, iter(partition)), theirs)


@pytest.mark.parametrize("communities", [[{0, 1}], [{0, 1}, {1, 2}], [{0, 1, 2, "x"}], [{0, 1}, {2}, {"x"}], []])
def test_what_is_no_partition_is_refused_as_networkx_does(communities):
    ours = BackendGraph.from_networkx(nx.path_graph(3))
    with pytest.raises(nx.community.quality.NotAPartition, match="not a valid partition"):
        backend.modularity(ours, communities)
    with pytest.raises(nx.NetworkXError, match="not a valid partition"):
        backend.partition_quality(ours, communities)


@pytest.mark.parametrize("value", ["heavy", None, 1j, 2**70])
def test_weights_that_are_no_numbers_of_64_bits_are_left_to_networkx(value):
    G = nx.path_graph(4)
    G[0][1]["weight"] = value
    with pytest.raises(NotImplementedError):
        BackendGraph.from_networkx(G, {"weight": 1})
    assert backend.modularity(BackendGraph.from_networkx(G), [{0, 1, 2, 3}]) == 0


def test_a_graphcore_graph_in_networkx_functions():
    names = ["a", "b", "c", "d", "e"]
    graph = graphcore.Graph.from_edges([0, 1, 3], [1, 2, 4], [1.0, 2.0, 0.5], node_names=names)
    wrapped, parts = BackendGraph.wrap(graph), [{"a", "b", "c"}, {"d", "e"}]
    expected = nx.community.modularity(graph.to_networkx(), parts)
    assert nx.community.modularity(wrapped, parts) == pytest.approx(expected)
    assert nx.community.leiden_communities(wrapped, seed=0) == parts


# -- what networkx asks ------------------------------------------------------------------------------------------------


def test_networkx_is_told_what_there_is_and_keeps_small_graphs_unless_it_is_asked_for_graphcore():
    asked = {"can_run", "should_run", "convert_from_nx", "convert_to_nx"}
    assert set(get_info()["functions"]) == set(FUNCTIONS) == set(backend.__all__) - asked
    assert all(callable(getattr(backend, name)) for name in FUNCTIONS)
    assert "fewer than" in backend.should_run("modularity", (SMALL,), {})
    assert backend.should_run("modularity", (), {"G": LARGE}) is True
    assert backend.should_run("louvain_communities", (BackendGraph.from_networkx(SMALL),), {}) is True
    assert backend.should_run("leiden_communities", (SMALL,), {}) is True  # networkx has none


SMALL, LARGE = nx.path_graph(10), nx.gnm_random_graph(100, 3000, seed=0)


@pytest.mark.parametrize(
    ("name", "arguments", "options", "reason"),
    [
        ("modularity", (), {"G": SMALL}, None),
        ("leiden_communities", (SMALL, "weight", 2, 3), {}, None),
        ("louvain_communities", (SMALL, "weight", 2), {"seed": 1}, None),
        ("louvain_communities", (nx.DiGraph(SMALL),), {}, "directed"),
        ("louvain_communities", (SMALL,), {"resolution": 0}, "not positive"),
        ("louvain_communities", (SMALL, "weight", 1, 0.3), {}, "level"),
        ("louvain_communities", (SMALL, "weight", 1, 1e-7, 2), {}, "level"),
        ("louvain_communities", (), {"G": SMALL, "max_level": 2}, "level"),
    ],
)
def test_what_is_left_to_networkx(name, arguments, options, reason):
    found = backend.can_run(name, arguments, options)
    assert found is True if reason is None else reason in found


# -- through networkx itself -------------------------------------------------------------------------------------------


@pytest.fixture
def run_python(tmp_path):
    """Run Python with the backend at hand; returns what it printed."""
    if not all(list(entry_points(group=f"networkx.{of}", name="graphcore")) for of in ("backends", "backend_info")):
        pytest.skip("graphcore is not installed, so that networkx does not know the backend")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NETWORKX_")}

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, *arguments], env=kept | environment, cwd=tmp_path, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    return run


# These ask for the list that networkx's own code happens to find: in its order, or (of graphs that differ by a weight)
# the same for both, where the best ones found here differ, and both have a higher modularity.
BY_LIST = "karate_club_partition or undirected_selfloops or none_weight_param or test_multigraph"
MODULES = [f"networkx.algorithms.community.tests.test_{name}" for name in ("leiden", "louvain", "quality")]


@pytest.mark.slow
def test_networkxs_own_tests_pass(run_python, tmp_path):
    """Functions that the backend lacks fall back to networkx; the log tells that its own do not."""
    out = run_python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "log_file=calls.log", "-o", "log_file_level=DEBUG",
        "-k", f"not ({BY_LIST})", "--pyargs", *MODULES, NETWORKX_TEST_BACKEND="graphcore", NETWORKX_FALLBACK_TO_NX="1",
    )  # fmt: skip
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) (\w+)", out.splitlines()[-1])}
    assert counts.pop("passed") >= 24, out
    assert counts.pop("skipped") == 2, out  # those about leiden_partitions
    assert not counts.keys() & {"failed", "error", "errors", "xpassed"}, out
    log = (tmp_path / "calls.log").read_text()
    assert set(re.findall(r"Using backend 'graphcore' for call to '(\w+)'", log)) == set(FUNCTIONS)
    assert "raised when calling" not in log


SCRIPT = """
import warnings
import networkx as nx
G = nx.gnm_random_graph(300, 6000, seed=0)
parts = [set(range(100)), set(range(100, 300))]
plain = nx.community.modularity(G, parts, weight=None, backend="networkx")
assert abs(nx.community.modularity(G, parts, weight=None, backend="graphcore") - plain) < 1e-12
with warnings.catch_warnings(action="ignore"):
    assert abs(nx.community.modularity(G, parts, backend="graphcore") - plain) < 1e-12
    found = nx.community.leiden_communities(G, seed=0, backend="graphcore")
    assert nx.community.louvain_communities(G, seed=0, backend="graphcore") == found
G.add_edge(0, 299)
assert not G.__networkx_cache__.get("backends")

# Nobody asked by name: large graphs go to the backend, small ones do not, nor what it cannot run.
nx.config.backend_priority.algos = ["graphcore"]
assert len(nx.community.louvain_communities(G, seed=1)) > 1
assert "graphcore" in G.__networkx_cache__["backends"]
small = nx.path_graph(3)
assert nx.community.louvain_communities(small) and not small.__networkx_cache__.get("backends")
assert nx.community.louvain_communities(G, max_level=1, seed=1)
print("done")
"""


@pytest.mark.slow
def test_networkx_uses_the_backend_and_imports_little_before(run_python):
    heavy = "print('heavy', [name for name in ('numba', 'scipy', 'sklearn') if name in sys.modules])\n"
    told = run_python("-c", f"import networkx, sys\n{heavy}{SCRIPT}")
    assert "done" in told
    assert "heavy []" in told  # importing networkx imports none of these
