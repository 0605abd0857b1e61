"""``graphcore knn``: vectors in, their nearest-neighbour graph out."""

import click

from .console import Console, Job
from .files import INPUT, OUTPUT
from .inputs import any_size_option, check_output, run_options


@click.command(
    cls=Job,
    short_help="Make the nearest-neighbour graph of vectors.",
    examples=[
        ("ten neighbours of each vector, by Euclidean distance", "graphcore knn vectors.npy graph.npz"),
        ("embeddings, by the angle between them", "graphcore knn table.csv graph.npz -n 15 --metric cosine"),
        ("then cluster that graph with several k", "graphcore cluster graph.npz -k 10 -o labels.tsv"),
    ],
)
@click.argument("input", metavar="VECTORS", type=INPUT)
@click.argument("output", metavar="GRAPH", type=OUTPUT)
@click.option(
    "-n", "--neighbors", "n_neighbors", type=int, default=10, show_default=True, metavar="N", help="Neighbours."
)
@click.option(
    "--metric", default="euclidean", show_default=True, metavar="NAME",
    help="Distance: euclidean, cosine, manhattan, correlation, chebyshev, canberra or braycurtis; between vectors of 0 "
    "and 1 hamming or jaccard.",
)  # fmt: skip
@click.option(
    "--mode", default="union", show_default=True, metavar="NAME",
    help="Join two vectors if one lists the other (union), both do (mutual), or by the average of the two directions.",
)  # fmt: skip
@click.option(
    "--weighting", default="binary", show_default=True, metavar="NAME",
    help="Weights of edges: binary (none), gaussian, self-tuning, shared or fuzzy.",
)  # fmt: skip
@click.option(
    "--algorithm", default="auto", show_default=True, metavar="NAME", help="How to search: exact or approximate."
)
@click.option("--to", "to_format", metavar="NAME", help="Format of GRAPH. [default: by its name]")
@any_size_option
@run_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def knn(input, output, n_neighbors, to_format, any_size, random_state, as_json, **options):
    """Join every vector to its nearest neighbours, and write the graph.

    VECTORS is a .npy array, a .npz, a Parquet table, or a text table of numbers. `graphcore cluster` does the same by
    itself; a graph in a file serves for several clusterings. A "-" stands for standard input or output.
    """
    from .._random import Streams
    from ..io import write_graph
    from ..knn.neighbors import knn_graph
    from .vectors import read_vectors

    check_output(output, to_format)
    console = Console()
    with console.listening():
        console.expect(3)
        with console.stages("read"):
            X = read_vectors(input, any_size)
        with console.stages("neighbours"):
            # The stream's name is the estimator's, so that both make the same graph for the same seed.
            graph = knn_graph(X, n_neighbors, random_state=Streams(random_state).child("neighbours"), **options)
        with console.stages("write"):
            write_graph(graph, output, format=to_format)
    from .summary import graph_summary

    graph_summary(graph, input, output, console, as_json)
