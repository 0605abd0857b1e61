"""``graphcore convert``: a graph from one file format to another."""

import click

from .console import Console, Job
from .files import INPUT, OUTPUT
from .inputs import check_output, input_options, load


class _Convert(Job):
    """The command, whose help names the formats that there are."""

    def format_help_text(self, ctx, formatter):
        """Take the list from where files are written, which takes longer to import than help should."""
        from ..io.formats import WRITABLE

        self.help = (self.help or "").replace("FORMATS", f"{', '.join(WRITABLE[:-1])} and {WRITABLE[-1]}")
        super().format_help_text(ctx, formatter)


@click.command(
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
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def convert(input, output, to_format, as_json, **options):
    """Read the graph in IN (or make the kNN graph of its vectors) and write it to OUT.

    The formats of OUT are FORMATS; an ending .gz, .bz2, .xz or .zst compresses. A store is a graph on disk, see build.
    A "-" stands for standard input or output.
    """
    from ..io import write_graph

    check_output(output, to_format)
    console = Console()
    with console.listening():
        console.expect(2)
        graph = load(input, console.stages, **options)
        with console.stages("write"):
            write_graph(graph, output, format=to_format)
    from .summary import graph_summary

    graph_summary(graph, input, output, console, as_json)
