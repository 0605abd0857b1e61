"""``graphcore info``: what is in a file."""

import click

from .console import Console, Job
from .files import INPUT
from .inputs import input_options, load


@click.command(
    cls=Job,
    short_help="Count what a graph holds.",
    examples=[
        ("before clustering: components, isolated nodes, degrees", "graphcore info edges.txt.gz"),
        ("an edge list in the middle of a table", "graphcore info table.csv --columns 2,3 --weight-column 5"),
        ("for a script", "graphcore info graph.npz --json"),
    ],
)
@click.argument("input", metavar="INPUT", type=INPUT)
@input_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(input, as_json, **options):
    """Count what a graph holds: nodes, edges, components, degrees.

    Vectors are counted through their kNN graph. INPUT may be "-", standard input.
    """
    console = Console()
    with console.listening():
        graph = load(input, console.stages, **options)
        with console.stages("count"):
            facts = _facts(input, graph)
    from .summary import count, graph_lines, show

    degrees = facts["degrees"]
    spread = ", ".join(f"{value:,.6g} ({name})" for name, value in degrees.items())
    lines = [
        ("degrees", spread),
        ("largest", f"{count(facts['largest_component'], 'node')} in the largest component"),
        ("memory", f"{facts['bytes'] / 2**20:,.1f} MiB" if facts["bytes"] >= 2**20 else f"{facts['bytes']:,} bytes"),
    ]
    show(facts | {"warnings": console.warned}, graph_lines(facts) + lines, as_json)


def _facts(path, graph):
    import numpy as np

    from .summary import graph_facts

    degrees = graph.degrees
    return graph_facts(path, graph) | {
        "degrees": {name: float(getattr(np, name)(degrees)) for name in ("min", "median", "mean", "max")},
        "largest_component": int(np.bincount(graph.connected_components()).max()),
        "bytes": graph.nbytes,
    }
