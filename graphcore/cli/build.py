"""``graphcore build`` and ``graphcore check``: graphs on disk."""

import click

from .console import Console, Job
from .files import INPUT, OUTPUT
from .inputs import reading_options


@click.command(
    cls=Job,
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
@click.option("--resume", is_flag=True, help="Go on with a build that was interrupted.")
@click.option(
    "--parts", metavar="P", type=int, help="Cut the rows into P folders, each for the Dask worker where it lies."
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def build(inputs, output, memory, resume, parts, as_json, **reading):
    """Build a graph on disk from edge lists or Parquet tables, without holding it in memory.

    The other commands take OUT.store as their INPUT.
    """
    from ..store import build_store

    console = Console()
    with console.listening():
        graph = build_store(
            list(inputs), output, memory=memory, resume=resume, parts=parts,
            stages=console.stages, **reading,
        )  # fmt: skip
    _report(output, graph, console, as_json)


@click.command(
    cls=Job,
    short_help="Verify a graph on disk.",
    examples=[("after a copy from another machine", "graphcore check edges.store")],
)
@click.argument("path", metavar="OUT.store", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def check(path, as_json):
    """Read a graph on disk from end to end and say what is wrong with it, if anything."""
    from ..store import check_store

    console = Console()
    with console.listening():
        graph = check_store(path, stages=console.stages)
    _report(path, graph, console, as_json)


def _report(path, graph, console, as_json):
    from .summary import show

    facts = {"output": path, "nodes": graph.n_nodes, "edges": graph.n_edges, "weighted": graph.is_weighted}
    facts |= {"bytes": graph.nbytes, "warnings": console.warned, "seconds": dict(console.stages.seconds)}
    kind = "weighted" if graph.is_weighted else "unweighted"
    seconds = ", ".join(f"{stage} {spent:.2f}" for stage, spent in console.stages.seconds.items())
    lines = [
        ("graph", f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges, {kind}"),
        ("on disk", f"{graph.nbytes / 2**20:,.1f} MiB in {path}"),
        ("seconds", seconds),
    ]
    show(facts, lines, as_json)
