"""``graphcore update``: a saved model follows its graph."""

import os
import re
import warnings

import click

from ..exceptions import GraphWarning, InputError, ParameterError, warn_user
from .console import command
from .files import INPUT, OUTPUT, FilePath, check_target, write_clusters
from .inputs import READING_OPTIONS, graph_options, is_typed, load_graph, warn_of_idle
from .vectors import by_order_of_columns, read_rows


@command(
    needs="estimators.load",
    made_up=lambda given: {"save": given["save"] or given["model"]},
    short_help="Update a saved model with new edges or vectors.",
    examples=[
        ("a model to begin with", "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --model model.npz"),
        ("new edges", "graphcore update model.npz new.txt -o labels.tsv"),
        ("new vectors, for a model of vectors", "graphcore update model.npz today.npy -o labels.tsv"),
        ("remove edges, and keep the old model",
         "graphcore update model.npz --removed gone.txt --save changed.npz"),
    ],
)  # fmt: skip
@click.argument("model", metavar="MODEL", type=INPUT)
@click.argument("edges", metavar="[EDGES]", type=INPUT, required=False)
@graph_options
@click.option("--removed", metavar="FILE", type=INPUT, help="Edges to remove, before others are added.")
@click.option(
    "--save", metavar="FILE", type=FilePath(written=True, replaces="model"),
    help="File of the changed model. [default: MODEL]",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=OUTPUT, help="Write node and label; - is standard output.")
@click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress.")
def update(console, model, edges, removed, save, output, quiet, **reading):
    """Add the edges of EDGES to the graph of MODEL, and change the labels that this affects.

    MODEL is a file written by `graphcore cluster --model` or `model.save`. For a model of vectors, EDGES holds new
    vectors, which are numbered after the others and joined to their nearest neighbours.

    Nodes are identified by their names, as in the file that was clustered; new names are new nodes. Weights are read if
    the graph of MODEL has some, and both directions of an edge become one as in the fit, unless --symmetrize says how;
    other options of the fit for its file have to be given again. Clusters keep their numbers.
    """
    if edges is None and removed is None:
        raise click.UsageError("there is nothing to do: give EDGES, or --removed FILE")
    from ..estimators.load import load
    from ..files import check_writable
    from ..graphs.rows import BY_PAIR

    check_writable(save)
    if output is not None:
        check_target(output)
    console.expect(3 + (edges is not None) + (removed is not None))
    with console.stages("model"):
        fitted = load(model, any_size=reading["any_size"])
    if fitted.affinity_ == "nearest_neighbors":
        if removed is not None:
            raise InputError(f"--removed {removed}: {model} is a model of vectors, of which none are taken out")
        idle = (*(each for each in READING_OPTIONS if each != "encoding"), "nodes")
        warn_of_idle(idle, "files of graphs, and this model is one of vectors")
        with console.stages("read"):
            X, ids = read_rows(edges, reading["any_size"], reading["encoding"])
            given, options = [X], {} if fitted.graph_.node_names is None else {"ids": ids}
    else:
        options = {}
        if not is_typed("symmetrize") and fitted.symmetrize in BY_PAIR:
            reading["symmetrize"] = fitted.symmetrize
        given = [_read(console, model, fitted.graph_, path, path is edges, reading) for path in (edges, removed)]
        if given[0] is not None and given[0].attributes:
            warn_user(f"models hold no attributes of nodes: {', '.join(given[0].attributes)[:200]} not written")
    with console.stages("update"), by_order_of_columns():
        done = fitted.update(*given, **options)
    with console.stages("write"):
        if output is not None:  # before the model, so that an update that fails here can be repeated
            write_clusters(fitted, output, spreadsheet=False)
        fitted.save(save)
    n_nodes, n_edges = fitted.graph_.n_nodes, fitted.graph_.n_edges
    facts = {
        "model": save, "nodes": n_nodes, "edges": n_edges, "added": done.n_added,
        "removed": done.n_removed, "new_nodes": len(done.new_nodes), "moved": len(done.moved), "splits": done.splits,
        "unions": done.unions, "output": output,
    }  # fmt: skip
    lines = [
        ("graph", f"{n_nodes:,} nodes, {n_edges:,} edges ({done.n_added:,} new, {done.n_removed:,} gone)"),
        ("moved", f"{len(done.moved):,} nodes, and {len(done.new_nodes):,} are new"),
        *(("split", f"cluster {c} is in {_listed(parts)} now") for c, parts in done.splits.items()),
        *(("union", f"cluster {c} holds most of {_listed(parts)}") for c, parts in done.unions.items()),
        *([] if output is None else [("labels", "standard output" if output == "-" else output)]),
        ("model", save),
    ]
    return facts, lines


def _read(console, model, known, path, is_added, reading):
    """Read the edges of a file, with weights if they are `is_added` to a `known` graph that has some."""
    if path is None:
        return None
    column = reading["weight_column"]
    reading = reading if is_added else reading | {"symmetrize": "max"}  # what is removed may be listed once
    has_weights = column is not None or reading["count_repeats"]
    if is_added and column != "auto" and has_weights != known.is_weighted:
        has = "weights, and edges without any would weigh 1 each" if known.is_weighted else "no weights"
        raise ParameterError(f"weight_column={column!r}: the graph of {model} has {has}; leave the option out")
    try:
        if column == "auto" and not (is_added and known.is_weighted):
            left = _weights_of(path, reading) if is_added else ()
            if left:
                warn_user(f"{path}: column {left[0]} not read, as the graph of {model} has no weights")
            reading = reading | {"weight_column": None}
        with warnings.catch_warnings():
            warnings.filterwarnings("error", ".*taken for names of nodes; if .*--vectors", GraphWarning)
            return _named_as(known, load_graph(path, console.stages, **reading))
    except (InputError, GraphWarning) as error:
        if not re.search("--vectors|graphcore knn", str(error)):
            raise
        why = f"{path} seems to hold vectors, and {model} is a model of a graph, which takes edges"
        raise InputError(f"{why}; --ids string takes any numbers for names of nodes") from error


def _weights_of(path, reading):
    """Return what the column of weights of a file is called, as a tuple, which is empty if there is none."""
    from ..files._format import FULL_MEMORY, Reading
    from ..files._source import open_source
    from ..files.formats import guess_format

    if not os.path.isfile(path):  # a stream cannot be read twice
        return ()
    names = ("delimiter", "comments", "header", "columns", "ids", "encoding")
    with open_source(path, reading["any_size"]) as source:
        kind = guess_format(source)
        edges = kind.edges and kind.edges(source, Reading(**{name: reading[name] for name in names}), FULL_MEMORY)
        return tuple(edges.called[2:]) if edges else ()


def _named_as(known, graph):
    """Give a graph names as text where the `known` graph has such, even if all of them look like numbers."""
    from ..graphs.graph import Graph

    if known.node_names is None or known.node_names.dtype.kind in "iu":
        return graph
    names = graph.names_of(range(graph.n_nodes))
    if names.dtype.kind not in "iu":
        return graph
    return Graph(graph.indptr, graph.indices, graph.weights, node_names=names.astype(str))


def _listed(numbers):
    return " and ".join(map(str, numbers))
