"""``graphcore convert``: a graph from one file format to another."""

import click

from .console import Console, Job
from .inputs import input_options, load

__all__ = ["convert"]


@click.command(cls=Job, short_help="Write a graph in another file format.")
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT")
@input_options
@click.option("--to", "to_format", metavar="NAME", help="Format of OUT. [default: by its name]")
def convert(input, output, to_format, **options):
    """Read the graph in IN (or make the kNN graph of its vectors) and write it to OUT."""
    from ..graphs.files import check_writable, write_graph
    from ..graphs.store import check_replaceable

    if to_format == "store" or (to_format is None and output.endswith(".graph")):
        check_replaceable(output)
    else:
        check_writable(output)
    console = Console()
    with console.listening():
        graph = load(input, console.stages, **options)
        with console.stages("write"):
            write_graph(graph, output, format=to_format)
    from .summary import graph_facts, graph_lines, table

    summary = table([*graph_lines(graph_facts(input, graph)), ("output", output)])
    click.echo(summary, err=output == "-")
