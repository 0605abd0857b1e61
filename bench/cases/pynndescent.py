"""The own search for neighbours beside pynndescent, each in fresh processes, with all that these have to compile.

Seconds of the first search of a process, its imports included, and of the second; the own one also where no compiled
loops are on the disk yet. Recall of the 10 nearest, and the highest memory beside the vectors.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from .. import harness, vectors
from ..harness import Method
from ..neighbors import manifold, uniform
from ..report import Report, page, table
from ..vectors import over_seeds

SEEDS = 3
LARGE = ("clusters, 100,000 x 128",)
OWN, OWN_COLD, OTHER = "graphcore", "graphcore, nothing on the disk", "pynndescent"
# A process that searches twice in the vectors of a file, and prints what it measured.
_PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
X = np.load(sys.argv[1])
def memory(which):
    return int(Path("/proc/self/status").read_text().partition(which + ":")[2].split()[0])
seconds, before = [], memory("VmRSS")
for _ in range(2):
    start = time.perf_counter()
    from graphcore.neighbors.search import nearest_neighbors
    found = nearest_neighbors(X, 10, algorithm=sys.argv[2], random_state=0, n_jobs=int(sys.argv[3]))
    seconds.append(time.perf_counter() - start)
    more = memory("VmHWM") - before
from bench.neighbors import recall
print(json.dumps({"seconds": seconds, "MB": more / 1000, "recall": float(recall(X, found.distances))}))
"""


def run(options):
    """Measure each set of vectors, a row for each search."""
    outcomes, missing, sets = [], [], _sets(options.data)
    for name in harness.wanted(sets, options, LARGE):
        X = sets[name]()
        if X is None:
            missing.append(name)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "X.npy")
            np.save(path, X)
            chosen = [t for t in (OWN, OWN_COLD, OTHER) if harness.chosen([Method(t, t)], options)]
            outcomes += [_outcome(title, name, path, options) for title in chosen]
    rows = [
        [o.graph, o.method.title, *(o.median(what) for what in ("first", "second")), f"{o.median('recall'):.3f}",
         o.median("MB")]
        for o in outcomes
    ]  # fmt: skip
    header = ["vectors", "search", "s, first in a process", "s, second", "recall", "MB"]
    sections = [*([table(header, rows)] if rows else []), *options.absent(missing)]
    return Report("Neighbours in fresh processes", sections, outcomes, page=page(sections))


def _sets(data):
    """Return the sets of vectors, by name, each made on request."""
    return {
        "MNIST's test set, 10,000 x 784": lambda: vectors.mnist(data, "t10k")[0],
        "clusters, 20,000 x 128": lambda: manifold(20_000),
        "clusters, 100,000 x 128": lambda: manifold(100_000),
        "uniform, 20,000 x 64": lambda: uniform(20_000, 64),
    }


def _outcome(title, name, path, options):
    def find(_seed):
        with tempfile.TemporaryDirectory() as empty:
            environment = dict(os.environ) | ({"NUMBA_CACHE_DIR": empty} if title == OWN_COLD else {})
            algorithm = "pynndescent" if title == OTHER else "approximate"
            command = [sys.executable, "-W", "ignore", "-c", _PROGRAM, path, algorithm, str(options.threads)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def score(found):
        first, second = found["seconds"]
        return {"first": first, "second": second, "recall": found["recall"], "MB": found["MB"]}

    return over_seeds(title, name, find, score, options.seeds)
