"""BVGraph files of a plain writer come back, whole and by blocks; an error names the node of a damaged list."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import FormatError, Graph, GraphWarning, InputError, build_store, read_graph
from graphcore.base.loops import compiled
from graphcore.files import _bvgraph_loops as loops
from graphcore.files import bvgraph
from graphcore.files.source import Source

from .bvgraphs import CODES, USUAL, encode, gamma, graph_files, packed, properties, signed, unary, write_files, zeta
from .store.test_store import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:.*directed")
LISTS = [[1, 2, 3, 4, 9], [1, 2, 4, 9], [], [0, 3], [1, 2, 3, 4, 5, 6, 8], [4], [0, 1, 2, 4, 9], [1, 2, 4], [8], [9]]


def said(files):
    return dict(line.split("=", 1) for line in files[1].decode("latin-1").splitlines()[1:])


def edges_of(path):
    return bvgraph.BVGraphEdges(Source(str(path), str(path)), None, 1 << 30)


def rows_of(path):
    indptr, indices = edges_of(path).rows()
    return [row.tolist() for row in np.split(indices, indptr[1:-1])]


def graph_of(lists, **options):
    sources = np.repeat(np.arange(len(lists)), list(map(len, lists)))
    targets = np.array([y for row in lists for y in row], dtype=np.int64)
    return Graph.from_edges(sources, targets, n_nodes=len(lists), warn=False, **options)


@st.composite
def written(draw):
    """Draw lists, many of them similar to lists before, and options of writing them."""
    n = draw(st.integers(1, 14))
    lists = []
    for x in range(n):
        nodes = set(draw(st.lists(st.integers(0, n - 1), max_size=5)))
        if x and draw(st.booleans()):
            nodes ^= set(lists[draw(st.integers(0, x - 1))])
        left = draw(st.integers(0, n - 1))
        lists.append(sorted(nodes | set(range(left, min(n, left + draw(st.integers(0, 4)))))))
    how = {
        "window": draw(st.integers(0, 9)), "chain": draw(st.integers(-1, 4)), "least": draw(st.integers(0, 5)),
        "k": draw(st.integers(1, 12)),
        "flags": draw(st.dictionaries(st.sampled_from(list(USUAL)), st.sampled_from(list(CODES)))),
    }  # fmt: skip
    return lists, how | {"choose": lambda _, allowed: draw(st.sampled_from(allowed))}


@pytest.mark.slow
@given(case=written(), nodes=st.integers(1, 5), arcs=st.integers(1, 9))
def test_any_lists_written_in_any_way(tmp_path_factory, case, nodes, arcs):
    lists, how = case
    path = write_files(tmp_path_factory.mktemp("trip"), graph_files(lists, **how))
    with pytest.MonkeyPatch.context() as small:  # blocks that begin within chains of copies
        small.setattr(bvgraph, "_NODES", nodes)
        small.setattr(bvgraph, "_ARCS", arcs)
        assert rows_of(path) == lists
        assert_same(read_graph(path), graph_of(lists))


@compiled
def read_numbers(words, bits, code, k, found):
    position = np.int64(0)
    for i in range(len(found)):
        found[i], position = loops._number(words, position, bits, code, k)
    return position


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("k", [1, 2, 3, 7, 31, 40])
def test_numbers_of_all_sizes(code, k):
    largest = {"UNARY": 200, "ZETA": 2**40 - 2 * (k == 40)}.get(code, 2**40)
    rng = np.random.default_rng(k)
    numbers = [*range(70), *(2**i + j for i in range(3, 41) for j in (-2, -1, 0, 1)), *rng.integers(0, 2**32, 50)]
    numbers = [int(n) for n in numbers if n <= largest]
    bits = "".join(encode(n, code, k) for n in numbers)
    data = packed(bits + "0" * loops.SLACK + "0" * (-(len(bits) + loops.SLACK) % 64))
    words, found = np.frombuffer(data, dtype=">u8").astype(np.uint64), np.empty(len(numbers), dtype=np.int64)
    assert read_numbers(words, len(bits), getattr(loops, code), k, found) == len(bits)
    assert found.tolist() == numbers


@pytest.mark.slow
@pytest.mark.parametrize("chain", [3, -1])
@pytest.mark.parametrize("policy", ["max", "average", "sum", "min"])
def test_a_store_is_built_by_blocks_into_the_same_graph(tmp_path, limits, chain, policy):
    rng = np.random.default_rng(0)
    lists = [sorted({*rng.integers(0, 300, 6).tolist(), *range(x, min(300, x + x % 9))}) for x in range(300)]
    for x in range(1, 300):
        lists[x] = lists[x] if x % 3 else sorted({*lists[x - 1], x})
    path = write_files(tmp_path, graph_files(lists, chain=chain, choose=lambda x, allowed: allowed[-1]))
    expected = graph_of(lists, symmetrize=policy)
    limits(bvgraph, _NODES=70, _ARCS=200)
    assert_same(read_graph(tmp_path / "web", symmetrize=policy), expected, kinds=False)
    assert_same(build_store(path, tmp_path / "a.store", symmetrize=policy, memory="2G"), expected, kinds=False)
    (tmp_path / "more.txt").write_text("0 299\n299 5\n")
    assert build_store([path, tmp_path / "more.txt"], tmp_path / "b.store").n_nodes == 300
    blocks = list(edges_of(path).blocks())
    assert len(blocks) > 5 and blocks[-1][2] == 1


def test_one_long_list_among_few_bits(tmp_path, limits):
    """A list longer than a block has room for, and than the bits that are read at once; a copy of it; runs of zeros."""
    limits(bvgraph, _NODES=4, _ARCS=8)
    n = 900
    lists = [[]] * 5 + [list(range(0, n, 3)), list(range(n)), [], list(range(0, n, 3))] + [[x] for x in range(n - 9)]
    assert rows_of(write_files(tmp_path, graph_files(lists, flags={"RESIDUALS": "UNARY"}))) == lists


def test_options(tmp_path):
    path = write_files(tmp_path, graph_files(LISTS))
    with pytest.warns(GraphWarning, match="both directions"):
        read_graph(path)
    with pytest.raises(InputError, match="not symmetric"):
        read_graph(path, symmetrize="error")


# -- wrong files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"graphclass": "it.unimi.dsi.webgraph.EFGraph"}, "speaks of 'it.unimi.dsi.webgraph.EFGraph'.*BVGraph, 0, big"),
        ({"graphclass": None}, "no graphclass.*format='metis'"),
        ({"endianness": "little"}, "endianness little"),
        ({"nodes": None}, "'None' for 'nodes'"),
        ({"windowsize": "-1"}, "'-1' for 'windowsize'"),
        ({"compressionflags": "RESIDUALS_GOLOMB"}, "'RESIDUALS_GOLOMB', which.*store the graph anew"),
        ({"nodes": "0", "arcs": "0"}, "empty"),
        ({"nodes": "1000000"}, "1000000 nodes, but the file has only \\d+ bits"),
        ({"arcs": "20"}, "20 arcs, and there are more"),
        ({"arcs": "200"}, "200 arcs, and there are 29"),
        ({"nodes": "9"}, "node \\d|arcs"),
        ({"nodes": "11"}, "node 10"),
    ],
)  # fmt: skip
def test_properties_that_are_wrong(tmp_path, change, message):
    files = graph_files(LISTS)
    facts = {key: value for key, value in (said(files) | change).items() if value is not None}
    path = write_files(tmp_path, (files[0], properties(facts), None))
    with pytest.raises(FormatError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
    with pytest.raises(FormatError, match=message):
        build_store(path, tmp_path / "out.store")
    assert not (tmp_path / "out.store").exists()


def test_properties_as_java_writes_them(tmp_path):
    files = graph_files(LISTS, flags={"RESIDUALS": "DELTA", "REFERENCES": "GAMMA"})
    facts = said(files)
    text = "#BVGraph\n!a comment\r\n" + "".join(f" {k} : {v}\r\n" for k, v in facts.items() if k != "version")
    text = text.replace("|", " | ").replace("it.unimi", "class it.unimi") + "note=caf\xe9 a\\=b\nendianness=big\n"
    assert rows_of(write_files(tmp_path, (files[0], text.encode("latin-1"), files[2]))) == LISTS


def test_files_that_are_not_there(tmp_path):
    files = graph_files(LISTS)
    path = write_files(tmp_path, (files[0] + b"\0\xff", None, None))
    with pytest.raises(FormatError, match=r"web\.graph: .*properties lie beside it"):
        read_graph(path)
    with pytest.raises(FormatError, match=r"there is no web\.properties.*put it beside it"):
        read_graph(path, format="bvgraph")
    write_files(tmp_path, files)
    (tmp_path / "web.graph.gz").write_bytes(gzip.compress(files[0] + b"\0"))
    with pytest.raises(FormatError, match=r"both not compressed"):
        read_graph(tmp_path / "web.graph.gz")
    # A METIS file beside properties of something else.
    (tmp_path / "web.graph").write_text("2 1\n2\n1\n")
    (tmp_path / "web.properties").write_text("colour=red\n")
    with pytest.raises(FormatError, match="format='metis'"):
        read_graph(tmp_path / "web.graph")
    assert read_graph(tmp_path / "web.graph", format="metis").n_edges == 1


PLAIN = gamma(3) + unary(0) + gamma(0) + zeta(signed(0), 3) + 2 * zeta(1, 3)  # 0, 2 and 4 are neighbours of node 0


@pytest.mark.parametrize(
    "second",
    [
        gamma(50),
        gamma(2) + unary(2) + gamma(0),
        gamma(2) + unary(4) + gamma(0),
        gamma(2) + unary(1) + gamma(0),
        gamma(3) + unary(1) + gamma(1) + gamma(4),
        gamma(3) + unary(1) + gamma(5) + gamma(0) * 5,
        gamma(3) + unary(1) + gamma(2) + gamma(2) + gamma(9),
        gamma(3) + unary(0) + gamma(2) + gamma(0) * 4,
        gamma(3) + unary(0) + gamma(1) + gamma(0) + gamma(2),
        gamma(2) + unary(0) + gamma(1) + gamma(signed(-2)) + gamma(0),
        gamma(2) + unary(0) + gamma(1) + gamma(signed(4)) + gamma(0),
        gamma(1) + unary(0) + gamma(0) + zeta(signed(5), 3),
        gamma(1) + unary(0) + gamma(0) + zeta(signed(-2), 3),
        gamma(2) + unary(0) + gamma(0) + zeta(signed(0), 3) + zeta(2**33, 3),
        gamma(4) + unary(1) + gamma(0) + gamma(0) + zeta(signed(1), 3),
        gamma(3) + unary(0) + gamma(1) + gamma(signed(1)) + gamma(0) + zeta(signed(2), 3),
        "0" * 70,
        gamma(1) + unary(0) + gamma(0) + "0" * 45,
    ],
)  # fmt: skip
def test_lists_that_no_writer_makes_are_refused_by_their_node(tmp_path, second):
    facts = {"nodes": 6, "arcs": 10**6, "windowsize": 3, "maxrefcount": 2, "minintervallength": 2, "zetak": 3,
             "graphclass": "BVGraph", "version": 0}  # fmt: skip
    bits = packed(PLAIN + second + 4 * gamma(0) + "0" * 400)
    with pytest.raises(FormatError, match="node 1: its list cannot be read"):
        read_graph(write_files(tmp_path, (bits, properties(facts), None)))


@pytest.mark.slow
@given(data=st.data())
def test_any_bits_are_a_graph_or_an_error(tmp_path_factory, data):
    files = graph_files(LISTS, flags=data.draw(st.sampled_from([{}, {"RESIDUALS": "GAMMA", "BLOCKS": "DELTA"}])))
    damaged = bytearray(files[0])
    for at in data.draw(st.lists(st.integers(0, 8 * len(damaged) - 1), min_size=1, max_size=4)):
        damaged[at >> 3] ^= 1 << (at & 7)
    damaged = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    path = write_files(tmp_path_factory.mktemp("trip"), (damaged, *files[1:]))
    try:
        assert read_graph(path).n_nodes == 10
    except FormatError as error:
        assert str(error).startswith(str(path)) and str(error).isprintable()


@pytest.mark.slow
def test_a_real_web_graph(shared_data):
    path = shared_data / "webgraph" / "cnr-2000.graph"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    graph = read_graph(path)
    assert (graph.n_nodes, graph.n_edges - graph.n_self_loops) == (325_557, 2_738_969)
