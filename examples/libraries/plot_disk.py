"""
A graph on disk
===============

Graphs larger than memory lie in a folder, are opened at once, and are used like any other.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import graphcore

folder = Path(tempfile.mkdtemp())


def blocks():
    """Edges as they might come from a stream, a block at a time: 40 groups of 100 nodes."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        sources = rng.integers(0, 4000, 5000)
        inside = sources // 100 * 100 + rng.integers(0, 100, 5000)
        targets = np.where(rng.random(5000) < 0.8, inside, rng.integers(0, 4000, 5000))
        yield np.minimum(sources, targets), np.maximum(sources, targets)


graphcore.build_store(blocks(), folder / "stream.store", memory="4G")
graph = graphcore.open_graph(folder / "stream.store")
model = graphcore.CoresetSpectralClustering(n_clusters=40, random_state=0).fit(graph)

# %%

sizes = {path.stem: path.stat().st_size / 1e6 for path in (folder / "stream.store").glob("*.npy")}
plt.barh(list(sizes), list(sizes.values()), color="#777777")
plt.xlabel("MB on disk")
print(graphcore.metrics.agreement(model.labels_, np.arange(4000) // 100))
