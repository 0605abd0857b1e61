"""Options for reading a file, and the graph that is read."""

import os

import click

from ..exceptions import InputError, warn_user
from .console import adding
from .files import INPUT
from .vectors import read_rows

# Keywords of graphcore.read_graph, and those for vectors.
READING_OPTIONS = (
    "format", "bipartite", "count_repeats", "delimiter", "comments", "header", "columns", "weight_column", "ids",
    "encoding", "symmetrize",
)  # fmt: skip
READING = (*READING_OPTIONS, "nodes", "any_size", "vectors", "n_neighbors", "metric")


def _columns(_ctx, param, text):
    names = None if text is None else [_column_of(name.strip()) for name in text.split(",")]
    if names is not None and (len(names) != 2 or "" in names):
        raise click.BadParameter(f"{text!r} is not two columns with a comma between them, such as 0,1", param=param)
    return names and tuple(names)


def _column_of(text):
    return int(text) if text.isdecimal() and len(text) < 10 else text


def _weight_column(_ctx, _param, text):
    return "auto" if text is None else None if text == "none" else _column_of(text)


_SEED = click.IntRange(0)
_SEED.name = "integer"  # in messages
any_size_option = click.option("--any-size", is_flag=True, help="Allow decompressed data and node counts of any size.")
encoding_option = click.option(
    "--encoding", metavar="NAME", default="utf-8", show_default=True, help="Encoding of text files."
)
# Options for edge lists.
reading_options = adding(
    click.option(
        "--delimiter", metavar="CHAR", callback=lambda _ctx, _param, text: "\t" if text == r"\t" else text,
        help=r"Separator of the columns of an edge list; \t is a tab. [default: guessed]",
    ),
    click.option(
        "--comments", metavar="MARKS", callback=lambda _ctx, _param, text: ("#", "%") if text is None else text.split(),
        help="Marks that begin comment lines in an edge list; '' for none. [default: '# %']",
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns. [default: guessed]"
    ),
    click.option(
        "--columns", metavar="A,B", callback=_columns,
        help="Names of the columns that hold the nodes, or numbers from 0. [default: guessed]",
    ),
    click.option(
        "--weight-column", metavar="NAME", callback=_weight_column,
        help="Name or number of the column with weights; none for no weights. [default: guessed]",
    ),
    click.option(
        "--ids", metavar="KIND", default="auto", show_default=True,
        help="Type of the node ids in an edge list: integer, string, or auto.",
    ),
    encoding_option,
    click.option(
        "--symmetrize", metavar="POLICY", default="max", show_default=True,
        help="How directed edges are made symmetric: max, average, sum, min, or error.",
    ),
    click.option(
        "--nodes", metavar="FILE", type=INPUT,
        help="Table of nodes: ids, names and attributes, also of nodes without an edge; or names only, in the order of "
        "the nodes.",
    ),
    any_size_option,
    click.option("--count-repeats", is_flag=True, help="Without weights: an edge weighs the number of its lines."),
    heading="Input",
)  # fmt: skip
# Options of graphcore.read_graph.
graph_options = adding(
    click.option("--format", metavar="NAME", help="Format of a graph file. [default: guessed from name and content]"),
    click.option(
        "--bipartite", is_flag=True,
        help="Rows and columns of a matrix, or the two columns of an edge list, are nodes of two kinds.",
    ),
    reading_options,
    heading="Input",
)  # fmt: skip
run_options = adding(
    click.option("--seed", "random_state", metavar="N", type=_SEED, default=0, show_default=True, help="Random seed."),
    click.option("--jobs", "n_jobs", metavar="N", type=int, default=-1, show_default=True, help="Threads; -1 is all."),
    heading="Run",
)
# Options of `load`.
input_options = adding(
    graph_options,
    click.option("--vectors", is_flag=True, help="INPUT holds vectors, as .npy always does; their kNN graph is built."),
    click.option(
        "--neighbors", "n_neighbors", metavar="N", type=int, default=10, show_default=True,
        help="Number of neighbours of a vector.",
    ),
    click.option("--metric", default="euclidean", show_default=True, metavar="NAME", help="Distance between vectors."),
    run_options,
    heading="Input",
)  # fmt: skip


def check_output(path, format):
    """Check, before the work, that a graph can be written to `path` in this format (None: by its name)."""
    from ..files import check_writable
    from ..files.formats import output_format
    from ..files.store import check_replaceable

    try:
        kind, _ = output_format(path, format)
    except InputError as error:  # --format is how a graph is read
        raise type(error)(str(error).replace("format=", "to_format=")) from None
    (check_replaceable if kind == "store" else check_writable)(path)


def check_there(*paths):
    """Check, before the work, that files are there; None and standard input are."""
    for path in paths:
        if path not in (None, "-"):
            os.stat(path)


def one_or_all(paths):
    """Return the only path of an argument that takes several, or the list of them."""
    return paths[0] if len(paths) == 1 else list(paths)


def load_graph(path, stages, **reading):
    """Read a graph; `reading` is for :func:`graphcore.read_graph`."""
    from ..files import read_graph

    with stages("read"):
        return read_graph(path, **reading)


def read_node_table(path, stages, encoding, any_size):
    """Read the NodeTable of a file, if one is given."""
    from ..files import read_nodes

    if path is None:
        return None
    with stages("nodes"):
        return read_nodes(path, encoding=encoding, any_size=any_size)


def read_input(path, stages, *, vectors, outliers=None, nodes, n_neighbors, metric, n_jobs, random_state, **reading):
    """Read a graph or vectors, after a check of the options for both; a .npy file holds vectors."""
    from ..base.threads import effective_jobs
    from ..base.validation import check_integer
    from ..files.atomic import ending_of
    from ..graphs.as_graph import is_graph, refuse_as_vectors
    from ..neighbors.outliers import refuse_outliers
    from ..neighbors.search import check_metric

    check_integer("n_neighbors", n_neighbors, low=1)
    check_metric(metric)
    effective_jobs(n_jobs)
    if isinstance(path, list) and (vectors or any(ending_of(part)[0] == ".npy" for part in path)):
        raise InputError(f"{path[0]}: several files are parts of one graph; write vectors to one file")
    if not (vectors or (isinstance(path, str) and ending_of(path)[0] == ".npy")):
        refuse_outliers(outliers)
        warn_of_idle(("n_neighbors", "metric"), "vectors, and this input is read as a graph")
        return load_graph(path, stages, nodes=nodes, **reading), None
    # Labels and nodes have this encoding, too.
    warn_of_idle(set(READING_OPTIONS) - {"encoding"}, "files of graphs, and this input is read as vectors")
    with stages("read"):
        X, ids = read_rows(path, reading["any_size"], reading["encoding"])
        if not vectors:
            refuse_as_vectors(X, "--vectors")
            if X.shape[0] == 2 and is_graph(X):
                raise InputError(
                    f"{path}: two rows of integers are edges (ends of each in a column), and as vectors two points; "
                    "write edges as text, or say --vectors"
                )
    if X.shape[0] < 2:
        raise InputError(f"{path}: {X.shape[0]} vector; a kNN graph needs at least two")
    return X, ids


def graph_for(model, X, ids, streams, stages, nodes, encoding, any_size):
    """Return what `graphcore.cluster.fit.graph_of` does, with names of vectors from `nodes` or `ids`."""
    import numpy as np

    from ..cluster.fit import graph_of
    from ..files.nodes import read_table_of
    from ..files.read_write import of_nodes
    from ..graphs.graph import Graph
    from ..graphs.nodes import with_ids

    graph, reference, kinds = graph_of(model, X, streams, stages)
    table = None if isinstance(X, Graph) else read_table_of(nodes, encoding, any_size)
    if table is None:
        return graph if ids is None else with_ids(graph, ids), reference, kinds
    if not np.array_equal(table.ids_among(text=False), np.arange(len(table))):
        raise table.error("vectors are numbered from 0 and keep their order; give their nodes in the same order")
    return of_nodes(graph, table), reference, kinds


def load(path, stages, *, nodes=None, **options):
    """Read a graph, or read vectors and build their kNN graph."""
    from ..graphs.graph import Graph

    X, ids = read_input(path, stages, nodes=nodes, **options)
    if isinstance(X, Graph):
        return X
    from ..base.streams import Streams
    from ..cluster.estimator import CoresetSpectralClustering

    search = {name: options[name] for name in ("n_neighbors", "metric", "random_state", "n_jobs")}
    model = CoresetSpectralClustering(affinity="nearest_neighbors", **search)
    streams = Streams(model.random_state)
    return graph_for(model, X, ids, streams, stages, nodes, options["encoding"], options["any_size"])[0]


def is_typed(name):
    """Return whether a parameter of the present command was typed, and has not just its default."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def warn_of_idle(names, purpose):
    """Warn of the options among `names` that were typed and do nothing in this run."""
    idle = [p.opts[0] for p in click.get_current_context().command.params if p.name in names and is_typed(p.name)]
    if idle:
        warn_user(f"{', '.join(idle)} {'does' if len(idle) == 1 else 'do'} nothing here: for {purpose}")
