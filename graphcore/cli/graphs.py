"""Commands about graphs in files: counts, other formats, neighbour graphs, graphs on disk."""

import click

from .console import Command, command
from .files import INPUT, OUTPUT
from .inputs import any_size_option, check_output, input_options, load, one_or_all, reading_options, run_options
from .summary import count, graph_facts, graph_lines


@command(
    short_help="Describe a graph: nodes, edges, components.",
    examples=[
        ("before clustering: components, isolated nodes, degrees", "graphcore info edges.txt.gz"),
        ("an edge list in the middle of a table", "graphcore info table.csv --columns 2,3 --weight-column 5"),
        ("for a script", "graphcore info graph.npz --json"),
    ],
)
@click.argument("input", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@input_options
def info(console, input, **options):
    """Count the nodes, edges and components of a graph, and describe its degrees.

    Vectors are counted through their kNN graph. INPUT may be "-", standard input.
    """
    import numpy as np

    input = one_or_all(input)
    graph = load(input, console.stages, **options)
    with console.stages("count"):
        degrees = {name: float(getattr(np, name)(graph.degrees)) for name in ("min", "median", "mean", "max")}
        largest = int(np.bincount(graph.connected_components()).max())
    facts = graph_facts(input, graph)
    facts |= {"degrees": degrees, "largest_component": largest, "bytes": graph.nbytes}
    lines = [
        ("degrees", ", ".join(f"{value:,.6g} ({name})" for name, value in degrees.items())),
        ("largest", f"{count(largest, 'node')} in the largest component"),
        ("memory", f"{graph.nbytes / 2**20:,.1f} MiB" if graph.nbytes >= 2**20 else f"{graph.nbytes:,} bytes"),
    ]
    return facts, graph_lines(facts) + lines


class _Convert(Command):
    """The command, whose help names all formats."""

    def format_help_text(self, ctx, formatter):
        """Import the list of formats when it is shown, as help is to begin at once."""
        from ..files.formats import WRITABLE

        self.help = (self.help or "").replace("FORMATS", f"{', '.join(WRITABLE[:-1])} and {WRITABLE[-1]}")
        super().format_help_text(ctx, formatter)


@command(
    cls=_Convert,
    short_help="Write a graph in another file format.",
    examples=[
        ("a text file that is clustered many times", "graphcore convert edges.txt.gz graph.npz"),
        ("for METIS", "graphcore convert edges.txt.gz graph.metis"),
        ("through a pipe", "zcat edges.txt.gz | graphcore convert - - --to csv > edges.csv"),
    ],
)
@click.argument("input", metavar="IN", type=INPUT)
@click.argument("output", metavar="OUT", type=OUTPUT)
@input_options
@click.option("--to", "to_format", metavar="NAME", help="Format of OUT. [default: by its name]")
def convert(console, input, output, to_format, **options):
    """Read the graph in IN (or make the kNN graph of its vectors) and write it to OUT.

    The formats of OUT are FORMATS; an ending .gz, .bz2, .xz or .zst compresses. A store is a graph on disk, see build.
    A "-" stands for standard input or output.
    """
    check_output(output, to_format)
    console.expect(2)
    return _written(load(input, console.stages, **options), console, input, output, to_format)


@command(
    needs="neighbors.neighbors",
    short_help="Build the nearest-neighbour graph of vectors.",
    examples=[
        ("ten neighbours of each vector, by Euclidean distance", "graphcore knn vectors.npy graph.npz"),
        ("embeddings, by the angle between them", "graphcore knn table.csv graph.npz -n 15 --metric cosine"),
        ("then cluster that graph with several k", "graphcore cluster graph.npz -k 10 -o labels.tsv"),
    ],
)
@click.argument("input", metavar="VECTORS", type=INPUT)
@click.argument("output", metavar="GRAPH", type=OUTPUT)
@click.option(
    "-n",
    "--neighbors",
    "n_neighbors",
    type=int,
    default=10,
    show_default=True,
    metavar="N",
    help="Number of neighbours.",
)
@click.option(
    "--metric", default="euclidean", show_default=True, metavar="NAME",
    help="Distance: euclidean, cosine, manhattan, correlation, chebyshev, canberra or braycurtis; between vectors of 0 "
    "and 1 hamming or jaccard; or any of pynndescent's.",
)  # fmt: skip
@click.option(
    "--mode", default="union", show_default=True, metavar="NAME",
    help="Join two vectors if one lists the other (union), if both do (mutual), or by the average of both directions.",
)  # fmt: skip
@click.option(
    "--weighting", default="binary", show_default=True, metavar="NAME",
    help="Weights of edges: binary (none), gaussian, self-tuning, shared or fuzzy.",
)  # fmt: skip
@click.option(
    "--algorithm", default="auto", show_default=True, metavar="NAME",
    help="How to search: exact, approximate or pynndescent.",
)  # fmt: skip
@click.option("--to", "to_format", metavar="NAME", help="Format of GRAPH. [default: by its name]")
@any_size_option
@run_options
def knn(console, input, output, n_neighbors, to_format, any_size, random_state, **options):
    """Join every vector to its nearest neighbours, and write the graph.

    VECTORS is a .npy array, a .npz, a Parquet table, or a text table of numbers. `graphcore cluster` does the same by
    itself; a graph in a file serves for several clusterings. A "-" stands for standard input or output.
    """
    from ..base.streams import Streams
    from ..graphs.nodes import with_ids
    from ..neighbors.neighbors import knn_graph
    from .vectors import read_rows

    check_output(output, to_format)
    console.expect(3)
    with console.stages("read"):
        X, ids = read_rows(input, any_size)
    with console.stages("neighbours"):
        # The stream's name is the estimator's, so that both make the same graph for the same seed.
        graph = knn_graph(X, n_neighbors, random_state=Streams(random_state).child("neighbours"), **options)
    graph = graph if ids is None else with_ids(graph, ids)
    return _written(graph, console, input, output, to_format)


def _written(graph, console, input, output, to_format):
    """Write a graph; returns facts and lines about it."""
    from ..files import write_graph

    with console.stages("write"):
        write_graph(graph, output, format=to_format)
    facts = graph_facts(input, graph) | {"output": output}
    return facts, [*graph_lines(facts), ("output", output)]


@command(
    needs="files.store",
    short_help="Build a graph on disk, larger than memory.",
    examples=[
        ("edge lists in several files, within 2 GB of memory",
         "graphcore build part1.txt.gz part2.txt.gz edges.store --memory 2G"),
        ("go on after an interruption", "graphcore build edges.txt.gz edges.store --resume"),
        ("then cluster it", "graphcore cluster edges.store -k 100 -o labels.tsv"),
    ],
)  # fmt: skip
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@click.argument("output", metavar="OUT.store", type=OUTPUT)
@click.option(
    "--memory", metavar="SIZE", default="4G", show_default=True, help="Limit on this process's memory, like 500M or 4G."
)
@click.option("--resume", is_flag=True, help="Continue an interrupted build.")
@click.option(
    "--parts", metavar="P", type=int, help="Cut the rows into P folders, for Dask workers with disks of their own."
)
@reading_options
def build(console, inputs, output, memory, resume, parts, **reading):
    """Build a graph on disk from edge lists, Parquet tables or web graphs (BVGraph), without holding it in memory.

    The other commands take OUT.store as their INPUT.
    """
    from ..files.store import build_store

    graph = build_store(
        list(inputs), output, memory=memory, resume=resume, parts=parts, stages=console.stages, **reading
    )
    return _stored(output, graph, console)


@command(
    short_help="Verify a graph on disk.",
    examples=[("after a copy from another machine", "graphcore check edges.store")],
)
@click.argument("path", metavar="OUT.store", type=INPUT)
def check(console, path):
    """Read a graph on disk from end to end and report defects."""
    from ..files.store import check_store

    return _stored(path, check_store(path, stages=console.stages), console)


def _stored(path, graph, console):
    facts = {"output": path, "nodes": graph.n_nodes, "edges": graph.n_edges, "weighted": graph.is_weighted}
    kind = "weighted" if graph.is_weighted else "unweighted"
    lines = [
        ("graph", f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges, {kind}"),
        ("on disk", f"{graph.nbytes / 2**20:,.1f} MiB in {path}"),
        ("seconds", ", ".join(f"{stage} {spent:.2f}" for stage, spent in console.stages.seconds.items())),
    ]
    return facts | {"bytes": graph.nbytes}, lines
