"""``graphcore build`` and ``graphcore check``: graphs on disk."""

import click

from .console import Console, Job
from .inputs import reading_options

__all__ = ["build", "check"]


@click.command(cls=Job, short_help="Build a graph on disk, larger than memory.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.argument("output", metavar="OUT.graph")
@click.option(
    "--memory", metavar="SIZE", default="4G", show_default=True, help="Limit on this process's memory, like 500M or 4G."
)
@click.option("--resume", is_flag=True, help="Go on with a build that was interrupted.")
@reading_options
def build(inputs, output, memory, resume, **reading):
    """Build a graph on disk from edge lists or Parquet tables, without holding it in memory.

    The other commands take OUT.graph as their INPUT.
    """
    from ..graphs.store import build_store

    console = Console()
    with console.listening():
        graph = build_store(
            inputs if len(inputs) > 1 else inputs[0],
            output,
            memory=memory,
            resume=resume,
            stages=console.stages,
            **reading,
        )
    _report(output, graph, console)


@click.command(cls=Job, short_help="Verify a graph on disk.")
@click.argument("path", metavar="OUT.graph")
def check(path):
    """Read a graph on disk from end to end and say what is wrong with it, if anything."""
    from ..graphs.store import check_store

    console = Console()
    with console.listening():
        graph = check_store(path, stages=console.stages)
    _report(path, graph, console)


def _report(path, graph, console):
    from .summary import table

    kind = "weighted" if graph.is_weighted else "unweighted"
    seconds = ", ".join(f"{stage} {spent:.2f}" for stage, spent in console.stages.seconds.items())
    lines = [
        ("graph", f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges, {kind}"),
        ("on disk", f"{graph.nbytes / 2**20:,.1f} MiB in {path}"),
        ("seconds", seconds),
    ]
    click.echo(table(lines))
