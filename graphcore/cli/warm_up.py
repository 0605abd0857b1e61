"""``graphcore warm-up``: compile the loops before they are needed; and a second process that helps a first run."""

import os
import subprocess
import sys

import click

from .console import Command


@click.command(
    "warm-up",
    cls=Command,
    short_help="Compile the loops, so that no later run has to.",
    examples=[
        ("after an installation, or in a container's recipe", "graphcore warm-up"),
        ("one process at a time", "graphcore warm-up --jobs 1"),
    ],
)
@click.option("--jobs", "n_jobs", metavar="N", type=int, default=-1, show_default=True, help="Processes; -1 is all.")
def warm_up(console, n_jobs):
    """Compile what `cluster`, `knn` and choosing k need, once for this machine and version; later runs read it."""
    from ..base import compiling
    from ..base.threads import effective_jobs, map_items
    from ..cluster.partition._agglomerate_loops import agglomerate

    n_jobs = effective_jobs(n_jobs)
    folder = compiling.kept_in(agglomerate)
    if folder is None:
        raise click.ClickException(
            "compiled loops cannot be kept: neither graphcore's folder nor the user's cache can be written; "
            "set NUMBA_CACHE_DIR to a folder that can"
        )
    with console.stages("compiling"):
        failed = [said for said in map_items(_run_case, list(_CASES), n_jobs) if said]
    if failed:
        raise click.ClickException(failed[0])
    lines = [("compiled", f"in {console.stages.seconds['compiling']:.1f} s"), ("kept in", str(folder.parent))]
    return {"folder": str(folder.parent)}, lines


def help_compiling():
    """Have another process compile what a run needs, unless it is there.

    The run takes what is ready when it gets there. It may be over before, if it is so small that it compiles little:
    then the other process goes on, and the next run finds everything.
    """
    from ..base import compiling
    from ..cluster.partition._agglomerate_loops import agglomerate

    if compiling.kept_in(agglomerate) is not None and not compiling.is_kept(agglomerate):
        _begin("merging", "clustering", "weighted", stderr=subprocess.DEVNULL)


def _run_case(case):
    """Compile a case's loops in a process of its own; returns what went wrong."""
    process = _begin(case, stderr=subprocess.PIPE)
    said = process.communicate()[1].decode(errors="replace").strip()
    return process.returncode and f"compiling for {case} failed: {said.rpartition(chr(10))[2]}"


def _begin(*cases, stderr):
    from ..base import compiling

    code = f"import gc; gc.disable(); from graphcore.cli.warm_up import _CASES\nfor case in {cases}: _CASES[case]()"
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
        env=os.environ | {compiling.AT_ONCE: "1"},
    )  # fmt: skip


def _graph(weighted=False):
    import numpy as np

    from ..graphs.graph import Graph

    rng = np.random.default_rng(0)
    ends = rng.integers(0, 240, (2, 3000))
    ends = ends[:, (ends[0] % 6 == ends[1] % 6) & (ends[0] != ends[1])]
    return Graph.from_edges(
        ends[0], ends[1], weights=rng.integers(1, 4, ends.shape[1]).astype(float) if weighted else None
    )


def _merging():
    """What a first fit can do without least, on arrays made by hand: nothing that a fit begins with is needed."""
    import numpy as np

    from ..base.arrays import read_only
    from ..cluster.partition.constraints import Constraints
    from ..cluster.partition.cycles import subgroups
    from ..cluster.partition.local_moving import heat, move_locally
    from ..cluster.partition.merge import agglomerate
    from ..cluster.partition.problem import Problem
    from ..cluster.partition.quotient import GraphRows, quotient

    n, rng = 120, np.random.default_rng(0)
    node = np.arange(n, dtype=np.int32)
    ring = np.stack([(node - 1) % n, (node + 1) % n], axis=1).ravel()
    rows = GraphRows(*map(read_only, (2 * np.arange(n + 1), ring, np.ones(2 * n), np.full(n, 2.0))))
    sizes, clusters = np.ones(n, dtype=np.int64), node // 20
    # Those that take longest as Python first.
    problem = Problem(rows, 6, constraints=Constraints(counts=sizes))
    move_locally(problem, clusters)
    agglomerate(rows, sizes, 6)
    quotient(rows, clusters, 6)
    subgroups(rows, clusters, np.ones(6), rng, max_entries=n)
    heat(problem, clusters, np.ones(2), rng)


def _clustering(n_clusters, weighted=False, **settings):
    from ..cluster.pipeline.settings import check_settings
    from ..estimators.fit import fit_graph

    graph = _graph(weighted)
    fit_graph(graph, check_settings(n_clusters, settings), random_state=0)
    _ = graph.n_components, graph.n_self_loops  # for the summary


def _neighbors():
    import numpy as np

    from ..neighbors.neighbors import knn_graph

    knn_graph(np.random.default_rng(0).normal(size=(60, 3)), random_state=0)


def _vectors():
    import numpy as np
    import scipy.sparse as sp

    from ..neighbors.neighbors import knn_graph
    from ..neighbors.search_walk import WalkSearcher

    rng = np.random.default_rng(0)
    X = (rng.normal(size=(60, 3)) @ rng.normal(size=(3, 150))).astype(np.float32)
    graph = knn_graph(X, algorithm="approximate", random_state=0, weighting="self-tuning")
    for vectors in (X, X.astype(np.float64)):  # for predict
        WalkSearcher(vectors, graph, 10, "euclidean", 1).kneighbors(vectors[:9])
    knn_graph(sp.csr_array(X), algorithm="approximate", random_state=0)


def _files():
    import tempfile
    from pathlib import Path

    from ..files import read_graph, write_graph

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "edges.txt")
        for weighted in (False, True):
            write_graph(_graph(weighted), path)
            read_graph(path)


def _bvgraph():
    from ..files._bvgraph_loops import warm_up

    warm_up()


# Those that take longest first.
_CASES = {
    "merging": _merging,
    "clustering": lambda: _clustering(5),
    "vectors": _vectors,
    "weighted": lambda: _clustering(5, weighted=True),
    "choice of k": lambda: _clustering("auto"),
    "published": lambda: _clustering(5, published=True),
    "neighbors": _neighbors,
    "bvgraph": _bvgraph,
    "files": _files,
}
