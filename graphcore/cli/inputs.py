"""Options that say how a file is read, and the graph that comes out."""

import click

from ..exceptions import InputError
from .vectors import read_vectors

__all__ = ["READING", "input_options", "load"]

READING = ("format", "delimiter", "symmetrize", "vectors", "n_neighbors", "metric")

_OPTIONS = (
    click.option("--format", metavar="NAME", help="Format of a graph file. [default: guessed from name and content]"),
    click.option("--delimiter", metavar="CHAR", help="Between the columns of an edge list. [default: guessed]"),
    click.option(
        "--symmetrize",
        metavar="POLICY",
        default="max",
        show_default=True,
        help="What becomes of directed edges: max, average, sum, min, or error to refuse them.",
    ),
    click.option("--vectors", is_flag=True, help="INPUT holds vectors (.npy always does); their kNN graph is made."),
    click.option(
        "--neighbors",
        "n_neighbors",
        metavar="N",
        type=int,
        default=10,
        show_default=True,
        help="Neighbours of a vector.",
    ),
    click.option("--metric", default="euclidean", show_default=True, metavar="NAME", help="Distance between vectors."),
    click.option("--seed", "random_state", metavar="N", type=int, default=0, show_default=True, help="Random seed."),
    click.option("--jobs", "n_jobs", metavar="N", type=int, default=-1, show_default=True, help="Threads; -1 is all."),
)


def input_options(command):
    """Add the options that :func:`load` takes to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def load(path, stages, *, format, delimiter, symmetrize, vectors, n_neighbors, metric, random_state, n_jobs):
    """Read a graph, or vectors and make their kNN graph.

    Parameters
    ----------
    path : str
    stages : Stages
    format, delimiter, symmetrize, vectors, n_neighbors, metric, random_state, n_jobs
        The options.

    Returns
    -------
    Graph
    """
    if not vectors and not path.endswith(".npy"):
        from ..graphs.files import read_graph

        with stages("read"):
            return read_graph(path, format=format, delimiter=delimiter, symmetrize=symmetrize)
    with stages("read"):
        X = read_vectors(path)
    if X.shape[0] < 2:
        raise InputError(f"{path}: {X.shape[0]} vector; a kNN graph needs at least two")
    from .._random import Streams
    from ..graphs.neighbors import knn_graph

    with stages("neighbours"):
        # The stream's name is the estimator's, so that both give the same labels for the same seed.
        return knn_graph(
            X,
            min(n_neighbors, X.shape[0] - 1),
            metric=metric,
            random_state=Streams(random_state).child("neighbours"),
            n_jobs=n_jobs,
        )
