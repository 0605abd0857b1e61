"""Dask's workers give the labels of threads, for any number of them and after deaths of some, and keep no data."""

import contextlib
import os
import pickle
import re
import signal
import time
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import graphcore
from graphcore import InputError
from graphcore.cli.app import run
from graphcore.datasets import degree_corrected_partition
from graphcore.distributed import passes, worker
from graphcore.distributed.cluster import current_client
from graphcore.files import write_graph
from graphcore.files.store import build_store, open_graph
from graphcore.graphs import passes as graph_passes
from graphcore.graphs.passes import executor, map_passes
from graphcore.metrics import agreement, conductance, normalized_cut, outside_share
from tests.files.store.test_store import failing

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")]

K = 6
LOCAL = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="module")
def cluster():
    cluster = distributed.LocalCluster(n_workers=2, **LOCAL)
    yield cluster
    # The closing cluster looks up every worker that it was told of, killed ones too.
    with contextlib.suppress(KeyError):
        cluster.close()


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(1, timeout=60)  # of a worker killed before, the next may not be there yet
        yield client


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Write a graph to disk; return it as it is opened, and its clusters."""
    graph, truth = degree_corrected_partition(K, 250, mean_degree=24, mixing=0.2, random_state=0)
    path = tmp_path_factory.mktemp("store") / "planted.store"
    write_graph(graph, path)
    return open_graph(path), truth


@pytest.fixture
def huge(stored, limits):
    """Return the stored graph, treated as huge, and in many blocks."""
    graph = stored[0]
    entries = {"_MANY_ENTRIES": graph.n_entries - 1, "_SAMPLED_ENTRIES": graph.n_entries // 2}
    limits("graphcore.cluster.refine.problem", **entries)
    limits(graph_passes, _ENTRIES_PER_BLOCK=2000, _FEW_BLOCKS=6)
    limits("graphcore.cluster.refine.moves", SWEEP_TURNS=4)
    return graph


def fitted(graph):
    return graphcore.CoresetSpectralClustering(K, random_state=0, coreset_size=150).fit(graph)


def chunk_labels(model, X):
    return model.fit(X).labels_.compute()


def in_threads(fit, *arguments):
    with dask.config.set(scheduler="threads"):  # as for Dask's collections
        assert current_client() is None
        return fit(*arguments)


def scaled(cluster, client, n_workers):
    cluster.scale(n_workers)
    client.wait_for_workers(n_workers, timeout=60)
    while len(client.scheduler_info()["workers"]) > n_workers:
        time.sleep(0.05)


def assert_nothing_is_left(client):
    """Assert that workers hold no keys, labels or graphs, after a moment that the scheduler takes to free them."""
    for _ in range(200):
        keys, kept = sum(map(len, client.has_what().values())), sum(client.run(_kept).values())
        if (keys, kept) == (0, 0):
            return
        time.sleep(0.05)
    pytest.fail(f"{keys} keys and {kept} arrays are left")


def _kept():
    return len(worker._held) + len(worker._opened)


def test_a_huge_graph_gets_the_labels_of_threads_and_leaves_nothing(huge, stored, cluster, client):
    expected = in_threads(fitted, huge)
    measured = in_threads(lambda: [normalized_cut(huge, expected.labels_), *conductance(huge, expected.labels_)])
    assert agreement(expected.labels_, stored[1])["ari"] > 0.9
    for n_workers in (1, 2, 3):
        scaled(cluster, client, n_workers)
        model = fitted(huge)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.outside_share_, expected.outside_share_)
        assert model.clustering_.history == expected.clustering_.history
    assert [normalized_cut(huge, model.labels_), *conductance(huge, model.labels_)] == measured
    np.testing.assert_array_equal(outside_share(huge, model.labels_), expected.outside_share_)
    assert_nothing_is_left(client)
    cluster.scale(2)


@pytest.fixture
def at_submit(client, monkeypatch):
    """Return a function that acts once, just before the first task of a stage, and returns the list of its acts."""

    def act_at(stage, act):
        submit, called = client.submit, []

        def acting(function, *args, key, **options):
            if key.startswith(stage) and not called:
                called.append(True)
                act()
            return submit(function, *args, key=key, **options)

        monkeypatch.setattr(client, "submit", acting)
        return called

    return act_at


def kill_one(client):
    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def add_one(client):
    n_workers = len(client.nthreads()) + 1
    client.cluster.scale(n_workers)
    client.wait_for_workers(n_workers, timeout=60)


STAGES = ["spread_part", "assign_block", "sample_part", "move_part", "sums_part"]


@pytest.mark.parametrize(("stage", "act"), [*((stage, kill_one) for stage in STAGES), ("move_part", add_one)])
def test_a_worker_killed_or_added_in_any_stage_changes_no_label(huge, cluster, client, at_submit, stage, act):
    expected = in_threads(fitted, huge).labels_
    acted = at_submit(stage, lambda: act(client))
    np.testing.assert_array_equal(fitted(huge).labels_, expected)
    assert acted
    client.wait_for_workers(1, timeout=60)
    assert_nothing_is_left(client)
    cluster.scale(2)


@pytest.fixture
def in_parts(huge, client, tmp_path):
    """Return the huge graph in two parts, of which each of two workers finds one."""
    sources = np.repeat(np.arange(huge.n_nodes), np.diff(huge.indptr))
    once = sources < huge.indices
    edges = sources[once], huge.indices[once].astype(np.int64)
    build_store([edges], tmp_path / "parts.graph", n_nodes=huge.n_nodes, parts=2)
    client.wait_for_workers(2, timeout=60)
    for part, address in enumerate(sorted(client.nthreads())):
        client.run(_have, [part % 2], workers=[address])
    yield open_graph(tmp_path / "parts.graph", trusted=True)
    client.run(_have, None)


def test_each_worker_needs_its_own_part_of_a_graph_alone(huge, in_parts, client):
    expected = in_threads(fitted, huge).labels_
    np.testing.assert_array_equal(in_threads(fitted, in_parts).labels_, expected)
    np.testing.assert_array_equal(fitted(in_parts).labels_, expected)
    with passes.on_workers(in_parts):
        assert len(executor.get()._part_owners()[0]) == 1
    assert_nothing_is_left(client)


def test_a_part_that_is_lost_with_its_only_worker_is_one_clear_error(in_parts, client, tmp_path, limits, at_submit):
    limits(passes, _GIVEN_UP=1, PATIENCE=0.5)
    _, (_, pid) = sorted(client.run(os.getpid).items())

    def lose():
        os.rename(tmp_path / "parts.graph" / "part-1", tmp_path / "part-1")
        os.kill(pid, signal.SIGKILL)

    called = at_submit("assign_block", lose)
    with pytest.raises(InputError, match=r"no worker has part-1 of the graph; put part-1 into"):
        fitted(in_parts)
    assert called
    assert_nothing_is_left(client)


def _have(parts):
    """Let a worker find these parts of any graph, or with None all that are there."""
    from graphcore.files.store import open as module
    from graphcore.files.store import parts as original

    module.parts_here = original.parts_here if parts is None else lambda *_: parts


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="only Linux says what of a file is in memory")
def test_a_worker_gives_back_what_it_has_read_after_every_block(stored):
    reopen = pickle.dumps(stored[0])
    labels = np.zeros(stored[0].n_nodes, dtype=np.int32)
    given = worker.run_blocks(reopen, _mapped, [(0, 500), (500, 1500)], ("once", 1, labels, [], []), ())
    worker.forget("once", reopen)
    (_, read), (after, _) = given
    assert read > 0
    assert after == 0


def _mapped(rows, first, last, labels):
    """Return kilobytes of the indices in this process's memory, before and after they are read."""
    before = _resident(rows.indices)
    assert rows.indices[rows.indptr[first] : rows.indptr[last]].max() > 0
    return before, _resident(rows.indices)


def _resident(array):
    """Return kilobytes in memory of the array's mapping; other tests' mappings of the file may come and go."""
    address = array.__array_interface__["data"][0]
    with open("/proc/self/smaps") as maps:
        for part in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", maps.read())[1:]:
            first, last = (int(end, 16) for end in part.split(" ", 1)[0].split("-"))
            if first <= address < last:
                return int(part.partition("Rss:")[2].split()[0])
    raise AssertionError("the array is in no mapping")


def test_edges_of_a_frame_are_shuffled_to_the_same_store(client, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 60, (2, 500)) * 3
    table = pd.DataFrame({"from": ends[0].astype(str), "to": ends[1].astype(str), "weight": rng.random(500)})
    table.to_parquet(tmp_path / "edges.parquet")
    frame = dd.from_pandas(table, npartitions=4, sort=False)
    whole = build_store(tmp_path / "edges.parquet", tmp_path / "a.graph", symmetrize="sum")
    build_store(frame, tmp_path / "b.graph", symmetrize="sum")
    assert whole.n_nodes == 60
    for name in os.listdir(tmp_path / "a.graph"):
        assert (tmp_path / "a.graph" / name).read_bytes() == (tmp_path / "b.graph" / name).read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.graph", "b.graph", "edges.parquet"]
    assert_nothing_is_left(client)


def test_an_interrupted_fit_leaves_nothing(huge, client, monkeypatch):
    monkeypatch.setattr(client, "gather", failing(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        fitted(huge)
    assert_nothing_is_left(client)


def test_a_pass_that_kills_its_workers_ends_in_one_clear_error(huge, client):
    message = r"died again and again in the pass 'die'.*give workers more memory"
    with passes.on_workers(huge), pytest.raises(MemoryError, match=message):
        map_passes(_die, executor.get().rows, [(0, 10)], np.zeros(huge.n_nodes, dtype=np.int32))
    client.wait_for_workers(1, timeout=60)


def _die(rows, first, last, labels):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_graph_that_workers_do_not_see_is_one_line(huge, client, monkeypatch):
    opener, (path,) = huge.origin
    monkeypatch.setitem(huge.__dict__, "origin", (opener, (path + ".elsewhere",)))
    with pytest.raises(InputError, match="a worker cannot open the graph"):
        fitted(huge)


@pytest.fixture(scope="module")
def vectors():
    """Return a model, and vectors in twelve blocks that tasks make."""
    X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=0)
    model = graphcore.NystromKernelKMeans(5, n_landmarks=50, n_init=2, max_iter=5, random_state=0)
    return model, da.from_array(X, chunks=(50, -1))


def test_coresets_of_chunks_give_the_same_labels_from_any_number_of_workers(vectors, cluster, client):
    model = graphcore.CoresetKernelKMeans(5, coreset_size=60, n_init=2, random_state=0)
    expected = in_threads(chunk_labels, model, vectors[1])
    for n_workers in (3, 1, 2):
        scaled(cluster, client, n_workers)
        np.testing.assert_array_equal(chunk_labels(model, vectors[1]), expected)
    model.labels_ = model.result_ = None
    assert_nothing_is_left(client)


def test_vectors_get_the_same_labels_from_any_number_of_workers_in_few_tasks(vectors, cluster, client, monkeypatch):
    model, X = vectors
    expected = in_threads(chunk_labels, model, X)
    submit, keys = client.submit, []
    monkeypatch.setattr(client, "submit", lambda *a, key, **rest: keys.append(key) or submit(*a, key=key, **rest))
    for n_workers in (3, 1, 2):
        scaled(cluster, client, n_workers)
        keys.clear()
        np.testing.assert_array_equal(chunk_labels(model, X), expected)
        of_iterations = [key for key in keys if key.startswith("lloyd_sums")]
        n_passes = len({key.rpartition("-")[0] for key in of_iterations})
        assert 2 <= n_passes <= len(of_iterations) <= n_workers * n_passes  # and not 12 for each
    model.labels_ = None
    assert_nothing_is_left(client)


@pytest.mark.parametrize("how", ["in memory", "half in memory", "with work in common"])
def test_blocks_that_workers_hold_or_that_have_work_in_common(vectors, client, how):
    model, X = vectors
    expected = in_threads(chunk_labels, model, X)
    given = X.persist() if "memory" in how else X.rechunk((100, -1)).rechunk((50, -1))
    given = 2 * (given / 2) if how == "half in memory" else given
    np.testing.assert_array_equal(chunk_labels(model, given), expected)
    model.labels_ = given = None
    assert_nothing_is_left(client)


@pytest.mark.parametrize("stage", ["gram_of_chunk", "lloyd_sums"])
def test_a_worker_killed_while_vectors_are_gone_through_changes_no_label(vectors, client, at_submit, stage):
    model, X = vectors
    expected = in_threads(chunk_labels, model, X)
    client.wait_for_workers(2, timeout=60)
    killed = at_submit(stage, lambda: kill_one(client))
    np.testing.assert_array_equal(chunk_labels(model, X), expected)
    assert killed
    client.wait_for_workers(1, timeout=60)
    np.testing.assert_array_equal(model.predict(X).compute(), expected)
    model.labels_ = None
    assert_nothing_is_left(client)


def test_the_command_line_takes_workers_and_a_scheduler(stored, cluster, tmp_path, capsys):
    path = stored[0].origin[1][0]
    command = ["cluster", path, "-k", str(K), "--quiet", "--seed", "0"]
    out, written = tmp_path / "a.npy", []
    for options in ([], ["--scheduler", cluster.scheduler_address], ["--workers", "1"]):
        assert run([*command, "-o", str(out), *options]) == 0
        written.append(np.load(out))
        np.testing.assert_array_equal(written[0], written[-1])
    for options, message in ((["--workers", "0"], "--workers"), (["--workers", "1", "--scheduler", "x"], "not both")):
        assert run([*command, "-o", str(tmp_path / "c.npy"), *options]) == 2
        assert message in capsys.readouterr().err


def chunked(X):
    return graphcore.NystromKernelKMeans(2, kernel="rbf", n_components=10, random_state=0).fit(X)


def test_a_client_that_is_closed_is_told(huge, cluster, monkeypatch):
    X = da.from_array(np.random.default_rng(0).normal(size=(40, 3)), chunks=(10, 3))
    fits = [lambda: fitted(huge), lambda: chunked(X)]
    closed = distributed.Client(cluster)
    held = X.persist()
    closed.close()
    told = pytest.raises(InputError, match=r"client is closed; make a new distributed\.Client")
    with told:
        chunked(held)
    with dask.config.set(scheduler=closed):
        for fit in fits:
            with told:
                fit()
    with distributed.Client(cluster) as client:  # closed in the midst of a fit
        monkeypatch.setattr(client, "gather", lambda *_: client.close() or client.nothing)
        with pytest.raises(InputError, match="client is closed"):
            fitted(huge)


def test_a_client_for_coroutines_is_told(huge):
    import asyncio

    X = da.zeros((40, 3), chunks=(10, 3))

    async def fit_within():
        async with (
            distributed.LocalCluster(n_workers=1, asynchronous=True, **LOCAL) as cluster,
            distributed.Client(cluster, asynchronous=True),
        ):
            for fit in (lambda: fitted(huge), lambda: chunked(X)):
                with pytest.raises(InputError, match=r"make a distributed\.Client without asynchronous=True"):
                    fit()

    asyncio.run(fit_within())


def test_a_cluster_without_workers_is_told(huge, limits):
    limits("graphcore.distributed.cluster", _SECONDS=1)
    with (
        distributed.LocalCluster(n_workers=0, **LOCAL) as cluster,
        distributed.Client(cluster),
        pytest.raises(InputError, match=r"no worker for 1 seconds; start one \(cluster\.scale\(2\)"),
    ):
        fitted(huge)


def _after(act, submit, *args, **options):
    act()
    return submit(*args, **options)


def test_workers_that_all_die_and_do_not_come_back_are_told(huge, vectors, limits, monkeypatch):
    limits("graphcore.distributed.cluster", _SECONDS=1, PATIENCE=0.5)
    for fit in (lambda: fitted(huge), lambda: chunk_labels(*vectors)):
        with distributed.LocalCluster(n_workers=1, **LOCAL) as cluster, distributed.Client(cluster) as client:
            losing = partial(_after, partial(cluster.scale, 0), client.submit)
            monkeypatch.setattr(client, "submit", losing)
            with pytest.raises(InputError, match=r"no worker for 1 seconds; start one"):
                fit()
