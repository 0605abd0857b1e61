"""``graphcore cluster``: a graph or vectors in, labels out."""

import json
import time
from dataclasses import asdict

import click

from .console import Console, Job
from .inputs import READING, input_options, load

__all__ = ["cluster", "clustering_options"]

# Every option here is a keyword of graphcore.settings.resolve_settings, which checks it and holds the default.
_SETTINGS = (
    ("--coreset-size", "NUMBER", "Nodes in a coreset, or their share of all nodes if below 1. [default: by n and K]"),
    ("--sampling", "NAME", "How it is drawn: degree, uniform or importance. [default: degree]"),
    ("--n-coresets", "N", "Coresets to cluster by and agree on."),
    ("--walk-steps", "N", "Steps of the walk behind the kernel; 1 is the plain kernel."),
    ("--row-budget", "N", "Entries kept of a walk from one node."),
    ("--overcluster", "FACTOR", "Spectral clusters for each of the K, merged afterwards. [default: no spectral step]"),
    ("--objective", "NAME", "What merging and refinement raise: information or ncut. [default: information]"),
    ("--min-cluster-size", "NUMBER", "Least nodes in a cluster, or their share of all nodes if below 1."),
    ("--self-loop", "WEIGHT", "Loop on every node inside the kernel."),
    ("--n-seeds", "N", "D2 seeds of importance sampling. [default: 2 K]"),
    ("--eigen-solver", "NAME", "power or exact. [default: power]"),
    ("--preset", "NAME", "published: what is not given is as in the paper."),
)


class _Value(click.ParamType):
    """An int, a float, or else a word, which the settings then check."""

    name = "value"

    def convert(self, value, param, ctx):
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
        return value


def clustering_options(command):
    """Add -k and the options of the settings to a command."""
    command = click.option("--refine/--no-refine", default=None, help="Move single nodes at the end. [default: yes]")(
        command
    )
    for name, metavar, text in reversed(_SETTINGS):
        command = click.option(name, type=_Value(), metavar=metavar, help=text)(command)
    return click.option(
        "-k", "--clusters", "n_clusters", type=int, required=True, metavar="K", help="Number of clusters."
    )(command)


@click.command(cls=Job, short_help="Cluster a graph or vectors.")
@click.argument("input", metavar="INPUT")
@clustering_options
@input_options
@click.option("-o", "--output", metavar="FILE", help="Write node and label, tab between them; - is standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress.")
def cluster(input, n_clusters, output, as_json, quiet, **options):
    """Cluster a graph, or vectors through their kNN graph.

    INPUT is an edge list, Matrix Market, METIS, scipy .npz, GraphML or GML file; a graph on disk (see build); or
    vectors (.npy, or another file with --vectors). Nodes without an edge belong to no cluster and get label -1.
    """
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output; write the labels to a file")
    from ..graphs.files import check_writable, write_labels

    if output is not None:
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
                write_labels(output, labels, graph)
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

    # What is not given is left to the library, so that its defaults stand in one place.
    settings = resolve_settings(graph, n_clusters, **{name: v for name, v in options.items() if v is not None})
    result = cluster_graph(graph, settings, random_state=seed, n_jobs=jobs, stages=console.stages)
    stability = result.node_stability
    with console.stages("score"):
        facts = graph_facts(path, graph) | {
            "n_clusters": n_clusters,
            "seed": seed,
            "settings": asdict(settings),
            "coreset": {"nodes": len(result.coreset), "draws": result.coreset.n_draws},
            "normalized_cut": normalized_cut(graph, result.labels, n_clusters),
            "cluster_sizes": size_facts(result.labels, n_clusters),
            "unreached": result.n_unreached,
            "stability": None if stability is None else float(stability[result.labels >= 0].mean()),
            "version": __version__,
        }
    return facts, result.labels
