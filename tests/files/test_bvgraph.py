"""BVGraph files of a plain writer come back, whole and by blocks; an error names the node of a damaged list."""

import gzip

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError, build_store, read_graph
from graphcore.cli.app import app
from graphcore.files import _bit_loops, bvgraph
from graphcore.files._format import Reading
from graphcore.files._source import Source

from .bvgraphs import CODES, USUAL, encode, gamma, graph_files, packed, properties, signed, unary, write_files, zeta
from .store.test_store import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:.*directed")
LISTS = [[1, 2, 3, 4, 9], [1, 2, 4, 9], [], [0, 3], [1, 2, 3, 4, 5, 6, 8], [4], [0, 1, 2, 4, 9], [1, 2, 4], [8], [9]]


def said(files):
    return dict(line.split("=", 1) for line in files[1].decode("latin-1").splitlines()[1:])


def edges_of(path):
    return bvgraph.BVGraphEdges(Source(str(path), str(path)), Reading(), 1 << 30)


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
@given(case=written(), nodes=st.integers(1, 5), arcs=st.integers(1, 9), with_offsets=st.booleans())
def test_any_lists_written_in_any_way(tmp_path_factory, case, nodes, arcs, with_offsets):
    lists, how = case
    files = graph_files(lists, **how)
    path = write_files(tmp_path_factory.mktemp("trip"), files if with_offsets else (*files[:2], None))
    with pytest.MonkeyPatch.context() as small:  # blocks that begin within chains of copies
        small.setattr(bvgraph, "_NODES", nodes)
        small.setattr(bvgraph, "_ARCS", arcs)
        assert rows_of(path) == lists
        assert_same(read_graph(path), graph_of(lists))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("k", [1, 2, 3, 7, 31, 40, 1000, 2**31 - 1])
def test_numbers_of_all_sizes(code, k):
    if code == "ZETA" and k > 40:
        pytest.skip("no zeta code of WebGraph's has such a k")
    largest = {"UNARY": 200, "GOLOMB": 200 * k, "ZETA": 2**40 - 2 * (k == 40)}.get(code, 2**40)
    rng = np.random.default_rng(k)
    numbers = [*range(70), *(2**i + j for i in range(3, 41) for j in (-2, -1, 0, 1)), *rng.integers(0, 2**32, 50)]
    numbers = [int(n) for n in numbers if n <= largest]
    bits = "".join(encode(n, code, k) for n in numbers)
    data = packed(bits + "0" * _bit_loops.SLACK + "0" * (-(len(bits) + _bit_loops.SLACK) % 64))
    words = np.frombuffer(data, dtype=">u8").astype(np.uint64)
    sums = np.empty(len(numbers), dtype=np.int64)
    found, position, ended = _bit_loops.add_gaps(words, 0, len(bits), getattr(_bit_loops, code), k, 0, sums)
    assert (found, position, ended) == (len(numbers), len(bits), _bit_loops.DONE)
    assert np.diff(sums, prepend=0).tolist() == numbers
    *_, ended = _bit_loops.add_gaps(words, 0, len(bits) - 1, getattr(_bit_loops, code), k, 0, sums)
    assert ended == _bit_loops.ENDS


@pytest.mark.parametrize("modulus", [1, 3, 2**31 - 1])
def test_golomb_codes_that_are_no_number(tmp_path, modulus):
    """A long run of zeros times a large modulus: no node is that far away, and no product overflows."""
    how = {"zetak": modulus, "compressionflags": "RESIDUALS_GOLOMB"}
    for path in crafted(tmp_path, [gamma(1) + unary(0) + gamma(0) + unary(3000)], 6, **how):
        with pytest.raises(FormatError, match=r"node 0: .*(no number|does not exist)"):
            read_graph(path)


@pytest.mark.slow
@pytest.mark.parametrize("chain", [3, 25, -1])
@pytest.mark.parametrize("with_offsets", [True, False])
@pytest.mark.parametrize("policy", ["max", "average", "sum", "min", "random-walk"])
def test_a_store_is_built_by_blocks_into_the_same_graph(tmp_path, limits, chain, with_offsets, policy):
    rng = np.random.default_rng(0)
    lists = [sorted({*rng.integers(0, 300, 6).tolist(), *range(x, min(300, x + x % 9))}) for x in range(300)]
    for x in range(1, 300):
        lists[x] = lists[x] if x % 3 else sorted({*lists[x - 1], x})
    files = graph_files(lists, chain=chain, choose=lambda x, allowed: allowed[-1] if x % 50 else allowed[0])
    path = write_files(tmp_path, files if with_offsets else (*files[:2], None))
    expected = graph_of(lists, symmetrize=policy)
    limits(bvgraph, _NODES=70, _ARCS=200)
    assert_same(read_graph(tmp_path / "web", symmetrize=policy), expected, kinds=False)
    if policy != "random-walk":  # it needs the whole graph in memory
        assert_same(build_store(path, tmp_path / "a.store", symmetrize=policy, memory="2G"), expected, kinds=False)
        # Another file of edges beside it; and blocks that an interrupted build has taken already.
        (tmp_path / "more.txt").write_text("0 299\n299 5\n")
        both = build_store([path, tmp_path / "more.txt"], tmp_path / "b.store")
        assert both.n_nodes == 300
        edges = edges_of(path)
        blocks = list(edges.blocks(0, None))
        assert len(blocks) > 5 and blocks[-1][2] == 1
        for block, again in zip(blocks[3:], edges.blocks(3, None), strict=True):
            np.testing.assert_array_equal(block[0], again[0])


def test_one_long_list_among_few_bits(tmp_path, limits):
    """A list longer than a block has room for, and than the bits that are read at once; a copy of it; runs of zeros."""
    limits(bvgraph, _NODES=4, _ARCS=8)
    n = 900
    lists = [[]] * 5 + [list(range(0, n, 3)), list(range(n)), [], list(range(0, n, 3))] + [[x] for x in range(n - 9)]
    files = graph_files(lists, flags={"RESIDUALS": "UNARY"})
    for given_files in (files, (*files[:2], None)):
        assert rows_of(write_files(tmp_path, given_files)) == lists


def test_options_and_names_on_the_command_line(tmp_path):
    path = write_files(tmp_path, graph_files(LISTS))
    run = CliRunner().invoke
    assert "10 nodes" in run(app, ["info", str(tmp_path / "web")]).output
    result = run(app, ["build", str(path), str(tmp_path / "out.store")])
    assert result.exit_code == 0, result.output
    assert_same(graphcore.open_graph(tmp_path / "out.store"), graph_of(LISTS))
    result = run(app, ["cluster", str(path), "-k", "2", "-o", str(tmp_path / "labels.tsv")])
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "labels.tsv").read_text().splitlines()) == 10
    before = {file.name: file.read_bytes() for file in tmp_path.glob("web.*")}
    for name in before:  # files that are read are no outputs, even if only their common name is given
        result = run(app, ["cluster", str(tmp_path / "web"), "-k", "2", "-o", str(tmp_path / name)])
        assert result.exit_code and "are the same file" in str(result.output)
    assert {file.name: file.read_bytes() for file in tmp_path.glob("web.*")} == before
    with pytest.warns(GraphWarning, match="directed"):
        read_graph(path)
    with pytest.raises(InputError, match="look directed"):
        read_graph(path, symmetrize="error")
    with pytest.raises(ParameterError, match="bipartite"):
        read_graph(path, bipartite=True)


def test_a_stream_that_begins_like_compressed_data(tmp_path):
    """The list of node 0 is so long that its bits are gzip's mark."""
    lists = [list(range(14)), *[[]] * 16]
    files = graph_files(lists, window=0, least=0, flags={"RESIDUALS": "NIBBLE"})
    assert files[0][:1] == b"\x1f"
    path = write_files(tmp_path, (b"\x1f\x8b" + files[0][2:], *files[1:]))
    with pytest.raises(FormatError, match="node 0"):
        read_graph(path)


# -- wrong files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"graphclass": "it.unimi.dsi.webgraph.EFGraph"}, "says that it is a '.*EFGraph'.* BVGraph is read"),
        ({"graphclass": "x.BitStreamArcLabelledImmutableGraph", "underlyinggraph": "web-base"}, "web-base.graph"),
        ({"graphclass": None}, "names no graphclass.*format='metis'"),
        ({"version": "1"}, "of version '1'"),
        ({"endianness": "little"}, "'little' order"),
        ({"nodes": None}, "does not say 'nodes'"),
        ({"arcs": "many"}, "'many' for 'arcs'"),
        ({"windowsize": "-1"}, "'-1' for 'windowsize'"),
        ({"maxrefcount": "-2"}, "'-2' for 'maxrefcount'"),
        ({"zetak": "0"}, "'0' for 'zetak'"),
        ({"nodes": "9" * 30}, "'nodes', and it is a whole number"),
        ({"zetak": "41"}, "'41' for 'zetak'.* from 1 to 40"),
        ({"compressionflags": "RESIDUALS_GOLOMB", "zetak": "0"}, "'0' for 'zetak'.* from 1 to 2147483647"),
        ({"compressionflags": "RESIDUALS_SKEWED_GOLOMB"}, "'RESIDUALS_SKEWED_GOLOMB', which.*store the graph anew"),
        ({"compressionflags": "NONSENSE"}, "'NONSENSE'"),
        ({"nodes": "0", "arcs": "0"}, "empty"),
        ({"nodes": "1000000"}, "1000000 nodes, but the file has only \\d+ bits"),
        ({"nodes": "3000000000"}, "3000000000 nodes"),
        ({"arcs": "20"}, "more than the 20 arcs"),
        ({"arcs": "200"}, "200 arcs, but there are 29"),
        ({"arcs": str(10**15)}, "any_size=True"),
        ({"nodes": "9"}, "node \\d|arcs"),
        ({"nodes": "11"}, "offsets ends too early|node 10"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("with_offsets", [True, False])
def test_properties_that_are_wrong(tmp_path, change, message, with_offsets):
    files = graph_files(LISTS)
    facts = {key: value for key, value in (said(files) | change).items() if value is not None}
    path = write_files(tmp_path, (files[0], properties(facts), files[2] if with_offsets else None))
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
    path = write_files(tmp_path, (files[0] + b"\0\xff", None, files[2]))
    with pytest.raises(FormatError, match=r"web\.graph: .*web\.properties"):
        read_graph(path)
    with pytest.raises(FormatError, match=r"there is no web\.properties.*put it beside it"):
        read_graph(path, format="bvgraph")
    write_files(tmp_path, files)
    (tmp_path / "web.graph.gz").write_bytes(gzip.compress(files[0]))
    with pytest.raises(FormatError, match=r"give the \.graph .*not compressed"):
        read_graph(tmp_path / "web.graph.gz", format="bvgraph")
    with pytest.raises(FormatError, match=r"web\.properties, both of them not compressed"):
        read_graph(tmp_path / "web.graph.gz")
    for ending in ("properties", "offsets"):
        with pytest.raises(FormatError, match=r"part of a WebGraph graph; give its other file, web\.graph"):
            read_graph(tmp_path / f"web.{ending}")
    (tmp_path / "web.graph").unlink()
    for name in ("web", "web.graph"):
        with pytest.raises(FileNotFoundError):
            read_graph(tmp_path / name)
    # A METIS file beside properties of something else.
    (tmp_path / "web.graph").write_text("2 1\n2\n1\n")
    (tmp_path / "web.properties").write_text("colour=red\n")
    with pytest.raises(FormatError, match="format='metis'"):
        read_graph(tmp_path / "web.graph")
    assert read_graph(tmp_path / "web.graph", format="metis").n_edges == 1


def test_offsets_of_another_graph(tmp_path):
    files, other = graph_files(LISTS), graph_files([[y for y in row if y != 4] for row in LISTS])
    path = write_files(tmp_path, (*files[:2], other[2]))
    with pytest.raises(FormatError, match=r"node \d: .* files beside it are of another graph"):
        read_graph(path)
    for offsets, message in (
        (b"", "ends too early .at node 0"), (files[2][:3], "ends too early .at node"), (bytes(99), "ends too early"),
        (packed(gamma(1)) + files[2], "does not fit"), (packed("".join(map(gamma, [0, 10**9]))), "ends too early|fit"),
        (packed("".join(map(gamma, [0, 0, *[5] * 10]))), r"node 0: .*\.offsets file says.* moved away"),
    ):  # fmt: skip
        with pytest.raises(FormatError, match=message):
            read_graph(write_files(tmp_path, (*files[:2], offsets)))
    (tmp_path / "web.offsets").unlink()
    assert rows_of(path) == LISTS


def crafted(tmp_path, lists, n, **how):
    """Write lists given as bits, of n nodes, with offsets and without; the last nodes have no neighbours."""
    lists = [*lists, *[gamma(0)] * (n - len(lists))]
    facts = {"nodes": n, "arcs": 10**6, "windowsize": 3, "maxrefcount": 2, "minintervallength": 2, "zetak": 3,
             "graphclass": "BVGraph", "version": 0} | how  # fmt: skip
    gaps = [0, *map(len, lists)]
    files = packed("".join(lists) + "0" * 400), properties(facts), packed("".join(map(gamma, gaps)))
    return write_files(tmp_path, files), write_files(tmp_path, (*files[:2], None), "front")


PLAIN = gamma(3) + unary(0) + gamma(0) + zeta(signed(0), 3) + 2 * zeta(1, 3)  # 0, 2 and 4 are neighbours of node 0


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (gamma(50), "longer than there are nodes"),
        (gamma(2) + unary(2) + gamma(0), "before the first, or further away"),
        (gamma(2) + unary(4) + gamma(0), "before the first, or further away"),
        (gamma(2) + unary(1) + gamma(0), "more is copied"),
        (gamma(3) + unary(1) + gamma(1) + gamma(4), "more is copied"),
        (gamma(3) + unary(1) + gamma(5) + gamma(0) * 5, "more is copied"),
        (gamma(3) + unary(1) + gamma(2) + gamma(2) + gamma(9), "more is copied"),
        (gamma(3) + unary(0) + gamma(2) + gamma(0) * 4, "intervals"),
        (gamma(3) + unary(0) + gamma(1) + gamma(0) + gamma(2), "intervals"),
        (gamma(2) + unary(0) + gamma(1) + gamma(signed(-2)) + gamma(0), "does not exist"),
        (gamma(2) + unary(0) + gamma(1) + gamma(signed(4)) + gamma(0), "does not exist"),
        (gamma(1) + unary(0) + gamma(0) + zeta(signed(5), 3), "does not exist"),
        (gamma(1) + unary(0) + gamma(0) + zeta(signed(-2), 3), "does not exist"),
        (gamma(2) + unary(0) + gamma(0) + zeta(signed(0), 3) + zeta(2**33, 3), "does not exist"),
        (gamma(4) + unary(1) + gamma(0) + gamma(0) + zeta(signed(1), 3), "names a node twice"),
        (gamma(3) + unary(0) + gamma(1) + gamma(signed(1)) + gamma(0) + zeta(signed(2), 3), "names a node twice"),
        ("0" * 70, "no number|end of the file"),
        (gamma(1) + unary(0) + gamma(0) + "0" * 45, "no number|end of the file"),
    ],
)  # fmt: skip
def test_lists_that_no_writer_makes_are_refused_by_their_node(tmp_path, second, message):
    for path in crafted(tmp_path, [PLAIN, second], 6):
        with pytest.raises(FormatError, match=f"node 1: .*({message}|offsets file says)"):
            read_graph(path)


def test_a_chain_of_copies_that_is_longer_than_allowed(tmp_path, limits):
    """Read from the front there is no need to refuse it; a block that begins behind it cannot be read."""
    limits(bvgraph, _NODES=4)
    copy = gamma(3) + unary(1) + gamma(0)
    for length in (8, 9):
        lists = [PLAIN, *[copy] * (length - 1), gamma(0)]
        whole, front = crafted(tmp_path, lists, length + 1, arcs=3 * length, windowsize=1)
        assert rows_of(front) == [[0, 2, 4]] * length + [[]]
        with pytest.raises(FormatError, match=r"node 4: .*copied from one"):
            read_graph(whole)
    whole, _ = crafted(tmp_path, lists, length + 1, arcs=3 * length, windowsize=1, maxrefcount=-1)
    assert rows_of(whole) == [[0, 2, 4]] * length + [[]]


def test_files_that_grow_without_end_are_refused_before_they_do(tmp_path):
    """A thousand copies of the same long list, in a few bits each."""
    n = 10_000
    copy = gamma(n) + unary(1) + gamma(0)
    lists = [gamma(n) + unary(0) + gamma(1) + gamma(0) + gamma(n - 2), *[copy] * (n - 1)]
    for path in crafted(tmp_path, lists, n, arcs=n * n, windowsize=1):
        with pytest.raises(FormatError, match="any_size=True"):
            read_graph(path)
    for path in crafted(tmp_path, lists, n, arcs=4_000_000, windowsize=1):
        with pytest.raises(FormatError, match="more than the 4000000 arcs"):
            read_graph(path)


@pytest.mark.slow
@pytest.mark.parametrize("with_offsets", [True, False])
@given(data=st.data())
def test_any_bits_are_a_graph_or_an_error(tmp_path_factory, with_offsets, data):
    flags = [{}, {"RESIDUALS": "NIBBLE", "BLOCKS": "DELTA"}, {"RESIDUALS": "GOLOMB", "INTERVALS": "GOLOMB"}]
    files = graph_files(LISTS, flags=data.draw(st.sampled_from(flags)))
    which = data.draw(st.sampled_from([0, 0, 2]))
    damaged = bytearray(files[which])
    for at in data.draw(st.lists(st.integers(0, 8 * len(damaged) - 1), min_size=1, max_size=4)):
        damaged[at >> 3] ^= 1 << (at & 7)
    files = [
        bytes(damaged[: data.draw(st.integers(0, len(damaged)))]) if i == which else f for i, f in enumerate(files)
    ]
    path = write_files(tmp_path_factory.mktemp("trip"), files if with_offsets else (*files[:2], None))
    try:
        assert read_graph(path).n_nodes == 10
    except FormatError as error:
        assert str(error).startswith(str(path)) and str(error).isprintable()


def test_a_real_web_graph(shared_data):
    path = shared_data / "webgraph" / "cnr-2000.graph"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    graph = read_graph(path)
    assert (graph.n_nodes, graph.n_edges - graph.n_self_loops) == (325_557, 2_738_969)
    edges = edges_of(path)
    indptr, indices = edges.rows()
    assert indptr[-1] == 3_216_152
    edges._lists = edges._from_the_front
    for one, other in zip(edges.rows(), (indptr, indices), strict=True):
        np.testing.assert_array_equal(one, other)
