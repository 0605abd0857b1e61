"""Graphs of any size on disk, with planted communities of uneven size and skewed degrees.

The model is that of graphcore.datasets.degree_corrected_partition; community sizes follow a power law too. The
community of every node is written to OUT.truth.npy. Nodes are numbered at random, so that the neighbours of a node lie
all over the disk.

Nothing is sorted as a whole, and no edge is stored before it is in its place: nodes are cut into blocks, and the edges
between two blocks are drawn from a random stream of that pair alone. They are drawn twice, once for the rows of each of
the two blocks, and only the rows of one block are held in memory at a time (of one for each thread). Another number of
blocks is another graph, drawn from the same model.
"""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from graphcore.files.store.folder import atomic_folder
from graphcore.files.store.format import ArrayWriter, Meta, write_meta

# Entries of the rows of a block that are drawn at the same time, and bytes of each while they are.
_ENTRIES, _SHARE_OUTSIDE = 1 << 25, 0.2
_LARGEST_COMMUNITY, _DEGREE_RATIO = 50, 100  # times the smallest
_COMMUNITY_EXPONENT, _DEGREE_EXPONENT = 2.0, 2.5  # of power laws


class Model(NamedTuple):
    """The random graph model, and its blocks.

    borders: first node of every block. weights: expected degrees, summed for each block and community. starts: first
    place of each community among a block's members. members: nodes of each block by community. sums: cumulative
    expected degrees of the members of each block.
    """

    n_edges: float
    seed: int
    borders: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    sums: np.ndarray

    def draw(self, rng, b, communities):
        """Draw a node of a block, by its number there, from each of some communities (-1: from all)."""
        span = slice(self.borders[b], self.borders[b + 1])
        sums, members, starts = self.sums[span], self.members[span], self.starts[b]
        first = np.where(communities < 0, 0, starts[communities])
        last = np.where(communities < 0, len(sums), starts[communities + 1])
        below = np.where(first > 0, sums[first - 1], 0.0)
        at = below + rng.random(len(communities)) * (sums[last - 1] - below)
        return members[np.clip(np.searchsorted(sums, at, side="right"), first, last - 1)].astype(np.int64)


def plan(folder, n, n_edges, k, seed, n_blocks):
    """Draw communities and expected degrees; returns (Model, communities), whose large arrays are on disk."""
    borders = np.linspace(0, n, n_blocks + 1).astype(np.int64)
    sizes = _power_law(np.random.default_rng([seed, 0]).random(k), _COMMUNITY_EXPONENT, _LARGEST_COMMUNITY)
    shares = np.cumsum(sizes / sizes.sum())
    shares[-1] = 1.0
    truth = np.lib.format.open_memmap(os.path.join(folder, "truth.npy"), mode="w+", dtype=np.int32, shape=(n,))
    members, sums = (
        np.memmap(os.path.join(folder, name), mode="w+", dtype=dtype, shape=(n,))
        for name, dtype in (("members", np.int32), ("sums", np.float64))
    )
    weights, starts = np.empty((n_blocks, k)), np.empty((n_blocks, k + 1), dtype=np.int64)
    for b in range(n_blocks):
        span = slice(borders[b], borders[b + 1])
        rng = np.random.default_rng([seed, 1, b])
        community = np.searchsorted(shares, rng.random(span.stop - span.start), side="right").astype(np.int32)
        degrees = _power_law(rng.random(len(community)), _DEGREE_EXPONENT, _DEGREE_RATIO)
        order = np.argsort(community, kind="stable")
        starts[b] = np.searchsorted(community[order], np.arange(k + 1))
        weights[b] = np.bincount(community, weights=degrees, minlength=k)
        truth[span], members[span], sums[span] = community, order, np.cumsum(degrees[order])
    return Model(n_edges, seed, borders, weights, starts, members, sums), truth


def block_rows(model, block):
    """Return the rows of a block: (number of entries in each, columns)."""
    in_community, total, keys = model.weights.sum(axis=0), model.weights.sum(), []
    of_community = (1 - _SHARE_OUTSIDE) * model.n_edges / total / np.maximum(in_community, 1e-300)
    for other in range(len(model.borders) - 1):
        a, b = min(block, other), max(block, other)
        both = 1 if a == b else 2
        rng = np.random.default_rng([model.seed, 2, a, b])
        inside = rng.poisson(of_community * both * model.weights[a] * model.weights[b])
        mean = _SHARE_OUTSIDE * model.n_edges * both * model.weights[a].sum() * model.weights[b].sum() / total**2
        communities = np.concatenate([np.repeat(np.arange(len(inside)), inside), np.full(rng.poisson(mean), -1)])
        u, v = model.draw(rng, a, communities), model.draw(rng, b, communities)
        if a == b:
            u, v = np.concatenate([u, v]), np.concatenate([v, u])
            u, v = u[u != v], v[u != v]
        mine, theirs = (u, v) if block == a else (v, u)
        keys.append((mine << 32) | (model.borders[other] + theirs))
    keys = np.unique(np.concatenate(keys))
    counts = np.bincount(keys >> 32, minlength=model.borders[block + 1] - model.borders[block])
    return counts, (keys & 0xFFFFFFFF).astype(np.int32)


def generate(out, n, n_edges, k, seed=0, threads=2, n_blocks=None):
    """Write the graph and its truth; returns facts about them."""
    n_blocks = n_blocks or max(1, -(-2 * n_edges // _ENTRIES))
    parent = os.path.dirname(os.path.abspath(out))
    temporary = tempfile.TemporaryDirectory(prefix=".huge-", dir=parent)
    total, isolated, largest = 0, 0, 0
    with temporary as work, atomic_folder(out) as folder, ExitStack() as files:
        model, truth = plan(work, n, n_edges, k, seed, n_blocks)
        dtypes = {"indptr": np.int64, "indices": np.int32, "degrees": np.float64}
        writers = {name: ArrayWriter(files, folder, name, dtype) for name, dtype in dtypes.items()}
        writers["indptr"].append(np.zeros(1, dtype=np.int64))
        pool = files.enter_context(ThreadPoolExecutor(threads))
        waiting = []
        for block in range(n_blocks + threads - 1):
            if block < n_blocks:
                waiting.append(pool.submit(block_rows, model, block))
            if block < threads - 1:
                continue
            counts, indices = waiting.pop(0).result()
            writers["indices"].append(indices)
            writers["degrees"].append(counts.astype(np.float64))
            writers["indptr"].append(np.cumsum(counts) + total)
            total, largest = total + len(indices), max(largest, int(counts.max()))
            isolated += int(np.count_nonzero(counts == 0))
        write_meta(folder, Meta(n, total, 0, isolated, {name: writer.finish() for name, writer in writers.items()}))
        truth.flush()
        os.replace(os.path.join(work, "truth.npy"), os.fspath(out).removesuffix(".store") + ".truth.npy")
    return {"nodes": n, "edges": total // 2, "clusters": k, "largest degree": largest, "isolated": isolated}


def _power_law(uniform, exponent, ratio):
    """Return values from 1 to `ratio` with a density that falls with the power -exponent."""
    power = 1 - exponent
    return (1 - uniform * (1 - ratio**power)) ** (1 / power)
