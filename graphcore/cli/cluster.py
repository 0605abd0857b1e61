"""``graphcore cluster``: a graph or vectors in, labels out."""

import json
import time

import click

from .console import Console, Job
from .inputs import READING, input_options, load

__all__ = ["cluster", "clustering_options"]

# An option here is a keyword of graphcore.settings.resolve_settings, which also checks it.
_SETTINGS = (
    click.option(
        "--coreset-size",
        type=str,
        default="auto",
        metavar="SIZE",
        help="Nodes in the coreset, or their share of all nodes if it has a decimal point. [default: by n and K]",
    ),
    click.option("--sampling", default="auto", metavar="NAME", help="degree, uniform or importance. [default: degree]"),
    click.option("--n-seeds", type=int, metavar="N", help="D2 seeds of importance sampling. [default: 2 K]"),
    click.option("--self-loop", type=float, metavar="WEIGHT", help="Loop on every node inside the kernel."),
    click.option("--eigen-solver", metavar="NAME", help="power or exact. [default: power]"),
    click.option("--preset", metavar="NAME", help="published: all of the above as in the paper, unless given."),
)


def clustering_options(command):
    """Add -k and the options of the settings to a command."""
    for option in reversed(_SETTINGS):
        command = option(command)
    return click.option("-k", "--clusters", "n_clusters", type=int, required=True, metavar="K", help="Clusters.")(
        command
    )


@click.command(cls=Job)
@click.argument("input", metavar="INPUT")
@clustering_options
@input_options
@click.option("-o", "--output", metavar="FILE", help="Write node and label, tab between them; - is standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress.")
def cluster(input, n_clusters, output, as_json, quiet, **options):
    """Cluster a graph, or vectors through their kNN graph.

    INPUT is an edge list, Matrix Market, METIS, scipy .npz, GraphML or GML file; or vectors (.npy, or another file with
    --vectors). Nodes without an edge belong to no cluster and get label -1.
    """
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output; write the labels to a file")
    from ..graphs.files import check_writable

    if output not in (None, "-"):
        check_writable(output)
    start = time.perf_counter()
    reading = {name: options.pop(name) for name in READING}
    seed, jobs = options.pop("random_state"), options.pop("n_jobs")
    console = Console(quiet)
    with console.listening():
        graph = load(input, console.stages, **reading, random_state=seed, n_jobs=jobs)
        facts, labels = _cluster(graph, input, n_clusters, seed, jobs, console, options)
        facts |= {"output": output, "warnings": console.warned}
        if output is not None:
            with console.stages("write"):
                _write(output, labels, graph)
    facts["seconds"] = {**console.stages.seconds, "total": time.perf_counter() - start}
    if as_json:
        click.echo(json.dumps(facts))
    elif not quiet:
        from .summary import cluster_lines, graph_lines, table

        click.echo(table(graph_lines(facts) + cluster_lines(facts)), err=output == "-")


def _cluster(graph, path, n_clusters, seed, jobs, console, options):
    from .. import __version__
    from ..metrics import normalized_cut
    from ..pipeline import cluster_graph
    from ..settings import resolve_settings
    from .summary import graph_facts, size_facts

    options["coreset_size"] = _number(options["coreset_size"])
    # What is not given is left to the library, so that its defaults stand in one place.
    settings = resolve_settings(graph, n_clusters, **{name: v for name, v in options.items() if v is not None})
    result = cluster_graph(graph, settings, random_state=seed, n_jobs=jobs, stages=console.stages)
    with console.stages("score"):
        facts = graph_facts(path, graph) | {
            "n_clusters": n_clusters,
            "seed": seed,
            "coreset": {
                "nodes": len(result.coreset),
                "draws": result.coreset.n_draws,
                "sampling": settings.sampling,
            },
            "normalized_cut": normalized_cut(graph, result.labels),
            "cluster_sizes": size_facts(result.labels, n_clusters),
            "unreached": result.n_unreached,
            "version": __version__,
        }
    return facts, result.labels


def _number(text):
    """An int, a float, or the text itself, which the settings then check."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _write(output, labels, graph):
    from ..graphs.files import write_labels

    write_labels(click.get_binary_stream("stdout") if output == "-" else output, labels, graph)
