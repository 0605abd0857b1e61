"""Blocks depend on the data alone, results come in block order, errors come through."""

import threading
import time

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import ParameterError
from graphcore.base.threads import effective_jobs, limited_libraries, map_blocks, map_items, row_blocks


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), st.integers(1, 300))
def test_blocks_cover_all_rows_once_and_are_even(lengths, entries):
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    n = len(lengths)
    borders = row_blocks(indptr, entries)
    assert borders.dtype == np.int64
    assert (borders[0], borders[-1]) == (0, n)
    assert (np.diff(borders) > 0).all()
    work = np.array(lengths) + 1
    n_blocks = max(1, min(256, work.sum() // entries, n))
    assert len(borders) - 1 <= n_blocks
    # No block holds more than its share and one row.
    shares = np.add.reduceat(work, borders[:-1])
    assert (shares <= work.sum() / n_blocks + work.max() + 1).all()


def test_empty_rows_are_work_too():
    indptr = np.concatenate([[0], np.full(1_000_000, 10)]).astype(np.int64)  # one row with entries, then empty ones
    borders = row_blocks(indptr, 10_000)
    assert np.diff(borders).max() <= 10_001


def test_one_row_no_entries_and_the_largest_number_of_blocks():
    assert row_blocks(np.array([0, 10**9])).tolist() == [0, 1]
    assert row_blocks(np.zeros(5, dtype=np.int64)).tolist() == [0, 4]
    assert len(row_blocks(np.arange(0, 10**6, 10), 1)) == 257


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_results_come_in_block_order(n_jobs):
    def work(start, stop):
        time.sleep(0.002 if start == 0 else 0)  # the first block finishes last
        return start, stop

    assert map_blocks(work, np.array([0, 3, 5, 9]), n_jobs) == [(0, 3), (3, 5), (5, 9)]


def test_threads_are_used():
    barrier = threading.Barrier(2, timeout=20)  # both blocks must be running at once to pass it
    map_blocks(lambda a, b: barrier.wait(), [0, 1, 2], 2)


def test_one_job_runs_in_the_callers_thread():
    assert map_blocks(lambda a, b: threading.get_ident(), [0, 1, 2], 1) == [threading.get_ident()] * 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_block_comes_through_and_stops_the_rest(n_jobs):
    started = []

    def work(start, stop):
        started.append(start)
        if start == 0:
            raise ZeroDivisionError("block 0")
        time.sleep(0.01)

    with pytest.raises(ZeroDivisionError, match="block 0"):
        map_blocks(work, np.arange(201), n_jobs)
    assert len(started) < 100


def test_effective_jobs():
    assert effective_jobs(None) == 1
    assert effective_jobs(1) == 1
    assert effective_jobs(3) == 3
    assert effective_jobs(np.int64(2)) == 2
    assert effective_jobs(-1) == joblib.cpu_count()
    assert effective_jobs(-1000) == 1


def test_a_joblib_context_sets_the_default():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert effective_jobs(None) == 2
        assert effective_jobs(1) == 1


@pytest.mark.parametrize(
    ("n_jobs", "message"), [(0, "n_jobs=0")] + [(bad, "must be an integer") for bad in (1.5, "2", True, np.ones(2))]
)
def test_bad_n_jobs(n_jobs, message):
    with pytest.raises(ParameterError, match=message):
        effective_jobs(n_jobs)


def test_limited_libraries_may_be_asked_for_again_inside_and_others_wait():
    entered = []

    def enter():
        with limited_libraries():
            entered.append(1)

    other = threading.Thread(target=enter, daemon=True)
    with limited_libraries():
        enter()
        other.start()
        other.join(0.05)
        assert len(entered) == 1
    other.join(20)
    assert len(entered) == 2


def test_openmp_may_have_more_threads_than_blas():
    import sklearn.cluster  # noqa: F401  brings OpenMP
    from threadpoolctl import threadpool_info

    def threads():
        found = {(pool["user_api"], pool["num_threads"]) for pool in threadpool_info()}
        return {pair for pair in found if pair[0] in ("blas", "openmp")}

    with limited_libraries(openmp=2):
        assert threads() == {("blas", 1), ("openmp", 2)}
    found = []

    def limited():
        with limited_libraries():
            found.append(threads())

    limited()
    other = threading.Thread(target=limited)  # libraries may hold their limits for the thread that set them
    other.start()
    other.join()
    assert found == [{("blas", 1), ("openmp", 1)}] * 2


@pytest.mark.parametrize("n_jobs", [None, 1, 3])
def test_items_are_handed_out_one_by_one(n_jobs):
    assert map_items(str, range(3, 8), n_jobs) == ["3", "4", "5", "6", "7"]
    assert map_items(len, [[], [1]], n_jobs) == [0, 1]
    assert map_items(str, (), n_jobs) == []
