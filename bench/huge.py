"""Graphs of any size on disk, with planted communities of uneven size and skewed degrees.

    python bench/huge.py OUT.store                                          # 65 million nodes, 1.8 billion edges
    python bench/huge.py OUT.store --nodes 1000000 --edges 27700000 --clusters 500
    python bench/huge.py OUT.store --fit                                    # or as much of it as the disk has room for

The model is that of graphcore.datasets.degree_corrected_partition; community sizes follow a power law too. The
community of every node is written to OUT.truth.npy. Nodes are numbered at random, so that the neighbours of a
node lie all over the disk; with `--order clustered`, community after community.

Nothing is sorted as a whole, and no edge is stored before it is in its place: nodes are cut into blocks, and the edges
between two blocks are drawn from a random stream of that pair alone. They are drawn twice, once for the rows of each of
the two blocks, and only the rows of one block are held in memory at a time (of one for each thread). Another number of
blocks is another graph, drawn from the same model.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np
from numba import njit

from graphcore.files.store.build import anonymous_memory, parse_memory
from graphcore.files.store.folder import atomic_folder
from graphcore.files.store.format import ArrayWriter, Meta, write_meta
from graphcore.graphs.ids import id_dtype

# Bytes for an entry while the rows of a block are made: its key, its place in the result, and a reserve.
_BYTES_PER_ENTRY = 14
_LARGEST_COMMUNITY = 50  # times the smallest
_GOLDEN, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


class Model(NamedTuple):
    """The random graph model, and its blocks.

    borders: first node of every block. weights: expected degrees, summed for each block and community. starts: first
    place of each community among a block's members. members: Walker's alias table of each community within a block,
    three numbers for each place, so that one look draws a node in proportion to its expected degree: a share of 2**32,
    the node, and the node that is drawn for the rest. communities: a table of the same kind for each block, which draws
    one of its communities.
    """

    n_nodes: int
    n_edges: float
    mixing: float
    seed: int
    borders: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    communities: np.ndarray


@njit(cache=True, nogil=True)
def _random(state):
    """Return the next state and 64 random bits (SplitMix64)."""
    state += _GOLDEN
    z = state
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return state, z ^ (z >> _S31)


@njit(cache=True, nogil=True)
def _alias_tables(starts, weights, things, out):
    """Write Walker's alias tables (Vose's method) for each span: a share of 2**32, the element, its alias."""
    small = np.empty(len(weights), dtype=np.int64)
    large = np.empty(len(weights), dtype=np.int64)
    scaled = np.empty(len(weights))
    for c in range(len(starts) - 1):
        first, size = starts[c], starts[c + 1] - starts[c]
        total = 0.0
        for i in range(first, first + size):
            total += weights[i]
        n_small, n_large = 0, 0
        for i in range(first, first + size):
            out[i, 1] = things[i]
            scaled[i] = weights[i] * size / total
            if scaled[i] < 1:
                small[n_small] = i
                n_small += 1
            else:
                large[n_large] = i
                n_large += 1
        while n_small and n_large:
            i, j = small[n_small - 1], large[n_large - 1]
            out[i, 0] = np.uint32(min(scaled[i] * 4294967296.0, 4294967295.0))
            out[i, 2] = things[j]
            scaled[j] -= 1 - scaled[i]
            n_small -= 1
            if scaled[j] < 1:
                n_large -= 1
                small[n_small] = j
                n_small += 1
        for left, count in ((small, n_small), (large, n_large)):
            for i in range(count):
                out[left[i], 0] = np.uint32(4294967295)
                out[left[i], 2] = things[left[i]]


@njit(cache=True, nogil=True)
def _draw(bits, first, size, table):
    """Draw one element of a span: 32 bits choose a place, 32 whether its alias is meant."""
    place = first + np.int64(((bits >> _S32) * np.uint64(size)) >> _S32)
    return np.int64(table[place, 1 + (np.uint32(bits & _LOW_HALF) >= table[place, 0])])


@njit(cache=True, nogil=True)
def _pair(state, inside, n_outside, rows_first, same, tables_a, tables_b, keys, position):
    """Draw the edges between blocks a and b and append those entries whose rows are in one of them.

    Tables are (first node, starts, members, communities). `rows_first` says that the rows are a's; `same` that a and b
    are one block, whose rows get both entries. Returns the new end of keys.
    """
    base_a, starts_a, members_a, communities_a = tables_a
    base_b, starts_b, members_b, communities_b = tables_b
    n_inside = 0
    for c in range(len(inside)):
        n_inside += inside[c]
    community, left = -1, 0
    for e in range(n_inside + n_outside):
        if e < n_inside:
            while left == 0:
                community += 1
                left = inside[community]
            left -= 1
            c, d = community, community
        else:
            state, bits = _random(state)
            c = _draw(bits, 0, len(inside), communities_a)
            state, bits = _random(state)
            d = _draw(bits, 0, len(inside), communities_b)
        state, bits = _random(state)
        u = _draw(bits, starts_a[c], starts_a[c + 1] - starts_a[c], members_a)
        state, bits = _random(state)
        v = _draw(bits, starts_b[d], starts_b[d + 1] - starts_b[d], members_b)
        if same and u == v:
            continue
        if rows_first or same:
            keys[position] = (u << 32) | (base_b + v)
            position += 1
        if not rows_first or same:
            keys[position] = (v << 32) | (base_a + u)
            position += 1
    return position


@njit(cache=True, nogil=True)
def _compress(keys, counts, indices):
    """Write columns of sorted keys without repeats, and the counts of rows; returns their number."""
    length = 0
    for e in range(len(keys)):
        if e == 0 or keys[e] != keys[e - 1]:
            counts[keys[e] >> 32] += 1
            indices[length] = keys[e] & 0xFFFFFFFF
            length += 1
    return length


def plan(folder, options, n_blocks):
    """Draw communities and expected degrees, and write the tables; returns (Model, communities)."""
    n, k = options.nodes, options.clusters
    borders = np.linspace(0, n, n_blocks + 1).astype(np.int64)
    sizes = _power_law(np.random.default_rng([options.seed, 0]).random(k), 2.0, _LARGEST_COMMUNITY)
    shares = np.cumsum(sizes / sizes.sum())
    shares[-1] = 1.0
    truth = np.lib.format.open_memmap(os.path.join(folder, "truth.npy"), mode="w+", dtype=np.int32, shape=(n,))
    members = np.memmap(os.path.join(folder, "members"), mode="w+", dtype=np.uint32, shape=(n, 3))
    communities = np.empty((n_blocks, k, 3), dtype=np.uint32)
    weights, starts = np.empty((n_blocks, k)), np.empty((n_blocks, k + 1), dtype=np.int64)
    for b in range(n_blocks):
        span = slice(borders[b], borders[b + 1])
        rng = np.random.default_rng([options.seed, 1, b])
        size = span.stop - span.start
        place = rng.random(size) if options.order == "shuffled" else (np.arange(span.start, span.stop) + 0.5) / n
        community = np.searchsorted(shares, place, side="right").astype(np.int32)
        degrees = _power_law(rng.random(size), options.exponent, options.degree_ratio)
        order = np.argsort(community, kind="stable").astype(np.int32)
        starts[b] = np.searchsorted(community[order], np.arange(k + 1))
        weights[b] = np.bincount(community, weights=degrees, minlength=k)
        truth[span] = community
        _alias_tables(starts[b], degrees[order], order, members[span])
        _alias_tables(np.array([0, k]), weights[b], np.arange(k, dtype=np.int32), communities[b])
    model = Model(n, options.edges, options.mixing, options.seed, borders, weights, starts, members, communities)
    return model, truth


def block_rows(model, block):
    """Return the rows of a block: (number of entries in each, columns)."""
    n_blocks = len(model.borders) - 1
    in_community, in_block, total = model.weights.sum(axis=0), model.weights[block].sum(), model.weights.sum()
    expected = 2 * model.n_edges * in_block / total
    keys = np.empty(int(expected + 10 * np.sqrt(expected) + 1000), dtype=np.int64)
    length = 0
    community_edges = (1 - model.mixing) * model.n_edges / total / np.maximum(in_community, 1e-300)
    for other in range(n_blocks):
        a, b = min(block, other), max(block, other)
        both = 1 if a == b else 2
        rng = np.random.default_rng([model.seed, 2, a, b])
        inside = rng.poisson(community_edges * both * model.weights[a] * model.weights[b])
        mean = model.mixing * model.n_edges * both * model.weights[a].sum() * model.weights[b].sum() / total**2
        n_outside = int(rng.poisson(mean))
        state = rng.integers(0, 2**64, dtype=np.uint64)
        length = _pair(state, inside, n_outside, block == a, a == b, _tables(model, a), _tables(model, b), keys, length)
    keys = keys[:length]
    keys.sort()
    counts = np.zeros(model.borders[block + 1] - model.borders[block], dtype=np.int64)
    indices = np.empty(length, dtype=id_dtype(model.n_nodes))
    return counts, indices[: _compress(keys, counts, indices)]


def generate(out, options, tell=lambda share: None):
    """Write the graph and its truth; returns facts about them."""
    n_blocks = options.blocks or enough_blocks(options)
    parent = os.path.dirname(os.path.abspath(out))
    peak, total, isolated = 0, 0, 0
    temporary = tempfile.TemporaryDirectory(prefix=".huge-", dir=parent)
    with temporary as work, atomic_folder(out) as folder, ExitStack() as files:
        model, truth = plan(work, options, n_blocks)
        dtypes = {"indptr": np.int64, "indices": id_dtype(options.nodes), "degrees": np.float64}
        writers = {name: ArrayWriter(files, folder, name, dtype) for name, dtype in dtypes.items()}
        writers["indptr"].append(np.zeros(1, dtype=np.int64))
        pool, waiting = ThreadPoolExecutor(options.threads), deque()
        largest = 0
        try:
            for block in range(n_blocks + options.threads):
                if block < n_blocks:
                    waiting.append(pool.submit(block_rows, model, block))
                if block < options.threads - 1 or not waiting:
                    continue
                counts, indices = waiting.popleft().result()
                peak = max(peak, anonymous_memory())
                writers["indices"].append(indices)
                writers["degrees"].append(counts.astype(np.float64))
                writers["indptr"].append(np.cumsum(counts) + total)
                total += len(indices)
                largest = max(largest, int(counts.max()))
                isolated += int(np.count_nonzero(counts == 0))
                del counts, indices
                tell((block + 1 - options.threads) / n_blocks)
        finally:
            pool.shutdown(cancel_futures=True)
        facts = {name: writer.finish() for name, writer in writers.items()}
        write_meta(folder, Meta(options.nodes, total, 0, isolated, facts))
        truth.flush()
        os.replace(os.path.join(work, "truth.npy"), truth_path(out))
    return {
        "nodes": options.nodes, "edges": total // 2, "clusters": options.clusters, "largest degree": largest,
        "isolated": isolated, "blocks": n_blocks, "peak anonymous bytes": peak,
    }  # fmt: skip


def enough_blocks(options):
    """Return the least number of blocks for which those in work at the same time fit in memory."""
    wanted = np.ceil(2 * options.edges * _BYTES_PER_ENTRY * (options.threads + 1) / options.memory_bytes)
    return max(1, min(int(wanted), options.nodes // 2))


def truth_path(out):
    """Return the path of the communities of OUT.store."""
    return os.fspath(out).removesuffix(".store") + ".truth.npy"


def disk_bytes(n_nodes, n_edges):
    """Return the bytes that the store, the truth and the tables take."""
    return 8 * n_edges + 32 * n_nodes + 2**20


def _power_law(uniform, exponent, ratio):
    """Return values from 1 to `ratio` with a density that falls with the power -exponent."""
    power = 1 - exponent
    return (1 - uniform * (1 - ratio**power)) ** (1 / power)


def _tables(model, b):
    span = slice(model.borders[b], model.borders[b + 1])
    return model.borders[b], model.starts[b], model.members[span], model.communities[b]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT.store")
    parser.add_argument("--nodes", type=int, default=65_000_000)
    parser.add_argument("--edges", type=int, default=1_800_000_000)
    parser.add_argument("--clusters", type=int, default=5_000)
    parser.add_argument("--mixing", type=float, default=0.2, help="share of edges placed without regard to communities")
    parser.add_argument("--exponent", type=float, default=2.5, help="of the power law of expected degrees")
    parser.add_argument("--degree-ratio", type=float, default=100.0, help="largest over smallest expected degree")
    parser.add_argument("--order", choices=["shuffled", "clustered"], default="shuffled")
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--blocks", type=int, help="default: as many as fit in the memory given")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fit", action="store_true", help="shrink the graph to 80 %% of the free disk")
    options = parser.parse_args()
    options.memory_bytes = parse_memory(options.memory)
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(options.out))).free
    share = 0.8 * free / disk_bytes(options.nodes, options.edges)
    if share < 1 and not options.fit:
        sys.exit(f"there is room for {share:.0%} of this graph (20 % of the disk stay free); --fit makes it as large")
    if share < 1:
        options.nodes, options.edges = int(share * options.nodes), int(share * options.edges)
        options.clusters = max(1, int(share * options.clusters))
    wall, processor = time.perf_counter(), time.process_time()
    facts = generate(options.out, options, lambda done: print(f"\r{done:6.1%}", end="", file=sys.stderr, flush=True))
    facts |= {"seconds": time.perf_counter() - wall, "processor seconds": time.process_time() - processor}
    print("\r", end="", file=sys.stderr)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
