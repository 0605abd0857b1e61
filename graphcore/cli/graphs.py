"""Options for reading a graph or vectors; commands about graphs in files: counts, and other formats."""

import re

import click
import numpy as np

from ..exceptions import InputError, ParameterError
from .console import INPUT, OUTPUT, adding, command, count, examples, is_typed, warn_of_idle
from .vectors import read_rows

# -- options, and what they read ---------------------------------------------------------------------------------------


class _Column(click.ParamType):
    """A name of a column, or a number from 0; "none" is no column."""

    name = "column"

    def convert(self, value, param, ctx):
        if value == "none":
            return None
        return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 10 else value


class _Ends(_Column):
    """Two columns with a comma between them."""

    def convert(self, value, param, ctx):
        columns = [super(_Ends, self).convert(part.strip(), param, ctx) for part in value.split(",")]
        if len(columns) != 2 or "" in columns:
            self.fail(f"{value!r} is not two columns with a comma between them, such as 0,1", param, ctx)
        return tuple(columns)


# Options of graphcore.read_graph.
_READING = (
    click.option("--format", metavar="NAME", help="Format of a graph file. [default: guessed from name and content]"),
    click.option("--delimiter", metavar="CHAR", help=r"Separator of the columns of an edge list. [default: guessed]"),
    click.option(
        "--comments", metavar="MARKS", default="# %", show_default=True,
        callback=lambda *given: tuple(given[-1].split()),
        help="Marks that begin comment lines in an edge list; '' for none.",
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns. [default: guessed]"
    ),
    click.option(
        "--columns", metavar="A,B", type=_Ends(),
        help="Names of the columns that hold the nodes, or numbers from 0. [default: guessed]",
    ),
    click.option(
        "--weight-column", metavar="NAME", type=_Column(), default="auto",
        help="Name or number of the column with weights; none for no weights. [default: guessed]",
    ),
    click.option(
        "--ids", metavar="KIND", default="auto", show_default=True,
        help="Type of the node ids in an edge list: integer, string, or auto.",
    ),
    click.option("--encoding", metavar="NAME", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option(
        "--symmetrize", metavar="POLICY", default="max", show_default=True,
        help="How directed edges are made symmetric: max, average, sum, min, or error.",
    ),
    click.option("--count-repeats", is_flag=True, help="Without weights: an edge weighs the number of its lines."),
    click.option(
        "--nodes", metavar="FILE", type=INPUT,
        help="Table of nodes: ids, names and attributes, also of nodes without an edge; or names only, in the order of "
        "the nodes.",
    ),
)  # fmt: skip
READING = frozenset([
    "format", "delimiter", "comments", "header", "columns", "weight_column", "ids", "encoding", "symmetrize",
    "count_repeats", "nodes",
])  # fmt: skip
graph_options = adding(*_READING)
# Options of `read_input` and `load`.
input_options = adding(
    *_READING,
    click.option("--vectors", is_flag=True, help="INPUT holds vectors, as .npy always does; their kNN graph is built."),
    click.option(
        "--neighbors", "n_neighbors", metavar="N", type=int, default=10, show_default=True,
        help="Number of neighbours of a vector.",
    ),
    click.option("--metric", default="euclidean", show_default=True, metavar="NAME", help="Distance between vectors."),
    click.option("--seed", "random_state", metavar="N", type=click.IntRange(0), default=0, show_default=True,
                 help="Random seed."),
    click.option("--jobs", "n_jobs", metavar="N", type=int, default=-1, show_default=True, help="Threads; -1 is all."),
)  # fmt: skip


def one_or_all(paths):
    """Return the only path of an argument that takes several, or the list of them."""
    return paths[0] if len(paths) == 1 else list(paths)


def load_graph(path, stages, options):
    """Read a graph; the `options` of a command have those of :func:`graphcore.read_graph`."""
    from ..files import read_graph

    with stages("read"):
        return read_graph(path, **{name: options[name] for name in (*READING, "on_bad_lines") if name in options})


def read_input(path, stages, options):
    """Return (a Graph, None, None), or vectors and the names of their rows and columns, None where there are none."""
    if not (options["vectors"] or re.search(r"\.npy(\.\w+)?$", path if isinstance(path, str) else path[0])):
        graph = load_graph(path, stages, options)
        warn_of_idle(("n_neighbors", "metric"), "vectors, and this input is read as a graph")
        return graph, None, None
    if not isinstance(path, str):
        raise InputError(f"{path[0]}: several files are parts of one graph; write vectors to one file")
    # Labels have this encoding, too.
    warn_of_idle(READING - {"encoding"}, "files of graphs, and this input is read as vectors")
    with stages("read"):
        X, ids, columns = read_rows(path, options["encoding"])
        if not options["vectors"]:
            from ..graphs.as_graph import refuse_as_vectors

            refuse_as_vectors(X, "--vectors")
    return X, ids, columns


def load(path, stages, options):
    """Read a graph, or read vectors and build their kNN graph, as `graphcore cluster` does."""
    from ..graphs.graph import Graph

    X, ids, _ = read_input(path, stages, options)
    if isinstance(X, Graph):
        return X
    from ..base.streams import Streams
    from ..neighbors.neighbors import knn_graph

    with stages("neighbours"):
        # The stream's name is the estimator's, so that both make the same graph for the same seed.
        stream = Streams(options["random_state"]).child("neighbours")
        graph = knn_graph(
            X, options["n_neighbors"], metric=options["metric"], random_state=stream, n_jobs=options["n_jobs"]
        )
    return graph if ids is None else graph.with_nodes(ids)


def graph_facts(path, graph):
    """Collect the facts about a graph, ready for JSON."""
    return {
        "input": path, "nodes": graph.n_nodes, "edges": graph.n_edges, "weighted": graph.is_weighted,
        "self_loops": graph.n_self_loops, "components": graph.n_components, "isolated": graph.n_isolated,
    }  # fmt: skip


def graph_lines(facts):
    """Return pairs of heading and text about a graph."""
    kind, given = "weighted" if facts["weighted"] else "unweighted", facts["input"]
    outliers = facts.get("outliers")  # have a line of their own
    parts = [count(facts["components"] - (outliers or 0), "component")]
    if facts["isolated"] and outliers is None:
        parts.append(f"{facts['isolated']:,} isolated")
    if facts["self_loops"]:
        parts.append(count(facts["self_loops"], "self-loop"))
    return [
        ("input", given if isinstance(given, str) else f"{given[0]} and {count(len(given) - 1, 'more file')}"),
        ("graph", f"{count(facts['nodes'], 'node')}, {count(facts['edges'], 'edge')}, {kind}, {', '.join(parts)}"),
    ]


# -- the commands ------------------------------------------------------------------------------------------------------


@command(
    short_help="Describe a graph: nodes, edges, components.",
    epilog=examples(
        ("before clustering: components, isolated nodes, degrees", "graphcore info edges.txt.gz"),
        ("an edge list in the middle of a table", "graphcore info table.csv --columns 2,3 --weight-column 5"),
        ("a graph on disk, after a copy from another machine", "graphcore info edges.store --verify"),
    ),
)
@click.argument("input", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@click.option("--verify", is_flag=True, help="Of a graph on disk, also compare the checksums of all arrays.")
@input_options
def info(console, input, verify, **options):
    """Count the nodes, edges and components of a graph, and describe its degrees.

    Vectors are counted through their kNN graph. INPUT may be "-", standard input.
    """
    input = one_or_all(input)
    if verify:
        from ..files.store import looks_like_store, verify_store

        if verify := isinstance(input, str) and looks_like_store(input):
            with console.stages("verify"):
                verify_store(input)
        else:
            warn_of_idle(["verify"], "graphs on disk; other files are checked when they are read")
    graph = load(input, console.stages, options)
    with console.stages("count"):
        degrees = {name: float(getattr(np, name)(graph.degrees)) for name in ("min", "median", "mean", "max")}
        largest = int(np.bincount(graph.connected_components()).max())
    facts = graph_facts(input, graph) | {"degrees": degrees, "largest_component": largest, "bytes": graph.nbytes}
    lines = [
        ("degrees", ", ".join(f"{value:,.6g} ({name})" for name, value in degrees.items())),
        ("largest", f"{count(largest, 'node')} in the largest component"),
        ("memory", f"{graph.nbytes / 2**20:,.1f} MiB" if graph.nbytes >= 2**20 else f"{graph.nbytes:,} bytes"),
    ]
    return facts, graph_lines(facts) + lines + [("verified", "from end to end")] * verify


@command(
    short_help="Write a graph in another file format, or on disk.",
    epilog=examples(
        ("a text file that is clustered many times", "graphcore convert edges.txt.gz graph.npz"),
        ("a graph larger than memory, from edges in several files, within 2 GB",
         "graphcore convert part1.txt.gz part2.txt.gz edges.store --memory 2G"),
        ("rows without an end or a weight left out, and counted",
         "graphcore convert payments.parquet graph.npz --on-bad-lines skip"),
        ("the graph of the ten nearest neighbours of each vector",
         "graphcore convert vectors.npy graph.npz --neighbors 10"),
        ("through a pipe", "zcat edges.txt.gz | graphcore convert - - --to csv > edges.csv"),
    ),
)  # fmt: skip
@click.argument("input", metavar="IN...", nargs=-1, required=True, type=INPUT)
@click.argument("output", metavar="OUT", type=OUTPUT)
@input_options
@click.option("--to", "to_format", metavar="NAME", help="Format of OUT. [default: by its name]")
@click.option(
    "--on-bad-lines", metavar="HOW", default="error", show_default=True,
    help="Lines without an end, or without a weight where others have one: error, or skip (with a count).",
)  # fmt: skip
@click.option("--memory", metavar="SIZE", help="Build OUT.store from edges within this memory, like 500M or 4G.")
def convert(console, input, output, to_format, memory, **options):
    """Read the graph in IN (or make the kNN graph of its vectors) and write it to OUT.

    The format goes by the ending of OUT, such as .csv, .npz or .graphml; .gz, .bz2 or .xz behind it compresses.
    OUT.store is a graph on disk, which the other commands open without reading it; with --memory its edges need not fit
    in memory, and --columns, --weight-column, --ids, --symmetrize, --count-repeats and --on-bad-lines say how they are
    read. A "-" stands for standard input or output.
    """
    from ..files import check_writable, write_graph
    from ..files.formats import output_format
    from ..files.store import build_store, check_replaceable

    try:
        kind, _ = output_format(output, to_format)
    except InputError as error:  # --format is how a graph is read
        raise type(error)(str(error).replace("format=", "to_format=")) from None
    (check_replaceable if kind == "store" else check_writable)(output)
    if memory is None:
        graph = load(one_or_all(input), console.stages, options)
        with console.stages("write"):
            write_graph(graph, output, format=to_format)
    else:
        if kind != "store":
            raise ParameterError(f"memory={memory!r} is for building a graph on disk: call it NAME.store")
        building = ("columns", "weight_column", "ids", "symmetrize", "count_repeats", "on_bad_lines")
        typed = {name: options[name] for name in options if is_typed(name)}
        given = {name: typed.pop(name) for name in building if name in typed}
        for name, value in typed.items():
            raise ParameterError(f"{name}={value!r} is for a graph that fits in memory: leave it out, or memory=")
        with console.stages("build"):
            graph = build_store(list(input), output, memory=memory, **given)
    facts = graph_facts(one_or_all(input), graph) | {"output": output, "bytes": graph.nbytes}
    return facts, [*graph_lines(facts), ("output", output)]
