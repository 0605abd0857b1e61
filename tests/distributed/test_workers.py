"""Dask's workers give the labels of threads, for any number of them and after deaths of some, and keep no data."""

import asyncio
import contextlib
import gc
import os
import pickle
import re
import signal
import time
from functools import partial

import numpy as np
import pytest

import graphcore
from graphcore import InputError
from graphcore import distributed as passes
from graphcore.datasets import degree_corrected_partition
from graphcore.distributed import current_client
from graphcore.files import write_graph
from graphcore.files.store import open_graph
from graphcore.graphs import rows as graph_passes
from graphcore.graphs.rows import executor, map_passes
from graphcore.metrics import agreement, conductance, normalized_cut, outside_share
from tests.files.store.test_store import failing

dask = pytest.importorskip("dask")
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
    limits("graphcore.cluster.refine.improve", SWEEP_TURNS=4)
    return graph


def fitted(graph):
    return graphcore.CoresetSpectralClustering(K, random_state=0, coreset_size=150).fit(graph)


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
        gc.collect()  # futures may hang in a cycle
        keys, kept = sum(map(len, client.has_what().values())), sum(client.run(_kept).values())
        if (keys, kept) == (0, 0):
            return
        time.sleep(0.05)
    pytest.fail(f"{keys} keys and {kept} arrays are left")


def _kept():
    return len(passes._held) + len(passes._opened)


def test_a_huge_graph_gets_the_labels_of_threads_and_leaves_nothing(huge, stored, cluster, client):
    expected = in_threads(fitted, huge)
    measured = in_threads(lambda: [normalized_cut(huge, expected.labels_), *conductance(huge, expected.labels_)])
    assert agreement(expected.labels_, stored[1])["ari"] > 0.9
    for n_workers in (1, 3):
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


# In the first pass, and in one in which workers are sent changes of labels alone.
@pytest.mark.parametrize(("stage", "act"), [("spread_part", kill_one), ("move_part", kill_one), ("move_part", add_one)])
def test_a_worker_killed_or_added_changes_no_label(huge, cluster, client, at_submit, stage, act):
    expected = in_threads(fitted, huge).labels_
    acted = at_submit(stage, lambda: act(client))
    np.testing.assert_array_equal(fitted(huge).labels_, expected)
    assert acted
    client.wait_for_workers(1, timeout=60)
    assert_nothing_is_left(client)
    cluster.scale(2)


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="only Linux says what of a file is in memory")
def test_a_worker_gives_back_what_it_has_read_after_every_block(stored):
    reopen = pickle.dumps(stored[0])
    labels = np.zeros(stored[0].n_nodes, dtype=np.int32)
    given = passes.run_blocks(reopen, _mapped, [(0, 500), (500, 1500)], ("once", 1, labels, [], []), ())
    passes.forget("once", reopen)
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


def test_a_client_that_cannot_be_used_is_told(huge, cluster):
    closed = distributed.Client(cluster)
    closed.close()
    with dask.config.set(scheduler=closed), pytest.raises(InputError, match="client is closed; make a new"):
        fitted(huge)

    async def fit_within():
        async with (
            distributed.LocalCluster(n_workers=1, asynchronous=True, **LOCAL) as other,
            distributed.Client(other, asynchronous=True),
        ):
            with pytest.raises(InputError, match=r"make a distributed\.Client without asynchronous=True"):
                fitted(huge)

    asyncio.run(fit_within())


def _after(act, submit, *args, **options):
    act()
    return submit(*args, **options)


def test_a_cluster_without_workers_is_told(huge, limits, monkeypatch):
    limits(passes, _SECONDS=1, _PATIENCE=0.5)
    told = pytest.raises(InputError, match=r"no worker for 1 seconds; start one \(cluster\.scale\(2\)")
    with distributed.LocalCluster(n_workers=0, **LOCAL) as cluster, distributed.Client(cluster), told:
        fitted(huge)
    with distributed.LocalCluster(n_workers=1, **LOCAL) as cluster, distributed.Client(cluster) as client:
        monkeypatch.setattr(client, "submit", partial(_after, partial(cluster.scale, 0), client.submit))
        with told:
            fitted(huge)


def test_the_client_behind_a_scheduler(huge):
    """That of Dask's scheduler, of which Dask has no public name."""
    with dask.config.set(scheduler="dask.distributed"):  # as a client leaves it that is closed
        assert current_client() is None
    assert current_client() is None
    with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
        assert current_client() is client
        found = conductance(huge, np.arange(huge.n_nodes) % 3)
    assert current_client() is None
    np.testing.assert_array_equal(found, conductance(huge, np.arange(huge.n_nodes) % 3))
