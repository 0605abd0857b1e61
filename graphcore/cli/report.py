"""``graphcore report``: a page about labels that are there already."""

import os
import shlex

import click

from .console import Console, Job, typed_command
from .files import INPUT, FilePath
from .inputs import check_there, input_options, load
from .targets import tell_of_missing_pictures

PAGE = FilePath(written=True, beside=(".nodes.tsv",))

truth_option = click.option(
    "--truth", metavar="FILE", type=INPUT,
    help="Known classes, as lines of node and class; the page compares. Nodes without a line, or of class -1, are left "
    "out.",
)  # fmt: skip


@click.command(
    cls=Job,
    short_help="Make a page about labels that are there already.",
    examples=[
        ("a page about the labels of an earlier run", "graphcore report edges.txt.gz labels.tsv -o report.html"),
        ("with stability and progress, made by the run itself",
         "graphcore cluster edges.txt.gz -k 9 --report out.html"),
        ("beside known classes", "graphcore report edges.txt.gz labels.tsv --truth classes.tsv -o report.html"),
    ],
)  # fmt: skip
@click.argument("input", metavar="GRAPH", type=INPUT)
@click.argument("labels", metavar="LABELS", type=INPUT)
@input_options
@click.option("-o", "--output", metavar="FILE", type=PAGE, required=True, help="The page, HTML; - is standard output.")
@truth_option
@click.option("--title", metavar="TEXT", help="Heading of the page. [default: by the file]")
@click.option("--central", "n_central", type=click.IntRange(0), default=5, show_default=True, metavar="N",
              help="Central nodes named for each cluster.")  # fmt: skip
@click.option("--pictures/--no-pictures", default=True, help="Whether to draw pictures. [default: yes]")
@click.option("--json", "as_json", is_flag=True, help="Print the figures of the page as one JSON object.")
def report(input, labels, output, truth, title, n_central, pictures, as_json, **options):
    """Make one HTML page about the LABELS of a GRAPH: how good they are, each cluster, pictures.

    The page needs no other file and no network. LABELS are lines of node and label, or a label for each node in order;
    labels that are no numbers are numbered in the order of the alphabet. What depends on how the labels were made, such
    as stability, is only known to `graphcore cluster --report`.
    """
    from ..io import read_labels
    from ..report.page import check_page, write_report

    check_page(output)
    console = Console()
    if pictures:
        tell_of_missing_pictures(console)
    check_there(input, labels, truth)
    seed, jobs = options["random_state"], options["n_jobs"]
    with console.listening():
        console.expect(3)
        graph = load(input, console.stages, **options)
        with console.stages("labels"):
            found = _as_numbers(read_labels(labels, graph, any_size=options["any_size"]))
        with console.stages("report"):
            facts = write_report(
                output, graph, found, truth=None if truth is None else read_truth(truth, graph, options["any_size"]),
                about=page_about(console, input, labels, truth, title=title),
                pictures="auto" if pictures else False, n_central=n_central, random_state=seed, n_jobs=jobs,
            )  # fmt: skip
    figures = {
        "input": input, "labels": labels, "report": output, "n_clusters": facts.n_clusters,
        "normalized_cut": facts.normalized_cut, "coverage": facts.coverage, "modularity": facts.modularity,
        "warnings": console.warned,
    }  # fmt: skip
    if facts.comparison is not None:
        figures |= facts.comparison.scores
    from .summary import show

    lines = [
        ("clusters", f"{len(facts.filled):,}"),
        ("NC", f"{facts.normalized_cut:.4f}, {facts.chance_cut:.4f} by chance"),
        ("report", output),
    ]
    if facts.comparison is not None:
        scores = facts.comparison.scores
        said = f"ARI {scores['ari']:.4f}, NMI {scores['nmi']:.4f} over {scores['n_compared']:,} nodes"
        lines.insert(2, ("truth", said))
    show(figures, lines, as_json)


def page_about(console, source, labels=None, truth=None, *, title=None, note="", of_vectors=False):
    """Where a clustering of a file came from, without the folders of this machine: a page is sent to others."""
    from ..report import About

    paths = [path for path in (source, labels, truth) if path is not None]

    def called(path):
        return "standard input" if path == "-" else os.path.basename(path)

    def without_folders(text):
        for path in filter(os.path.isabs, paths):
            text = text.replace(path, os.path.basename(path))
        return text

    return About(
        title=title or f"Clusters of {called(source)}", note=note,
        source=called(source) + ("" if labels is None else f", labels of {called(labels)}"),
        command=shlex.join(map(_without_folder, shlex.split(typed_command()))),
        warnings=tuple(map(without_folders, console.warned)), seconds=dict(console.stages.seconds),
        of_vectors=of_vectors,
    )  # fmt: skip


def _without_folder(argument):
    """An argument of a command; an absolute path, also after --option=, loses its folders."""
    option, equals, value = argument.rpartition("=") if argument.startswith("-") else ("", "", argument)
    return f"{option}{equals}{os.path.basename(value.rstrip(os.sep))}" if os.path.isabs(value) else argument


def read_truth(path, graph, any_size):
    """Classes of the nodes; -1 where a file has none."""
    from ..io import read_labels

    return read_labels(path, graph, partial=True, any_size=any_size)


def _as_numbers(labels):
    """Labels as they are if they can number clusters, otherwise numbered from 0."""
    import numpy as np

    if labels.dtype.kind == "i" and labels.min() >= -1 and labels.max() < max(10 * len(labels), 1000):
        return labels
    names, numbers = np.unique(labels, return_inverse=True)
    if labels.dtype.kind == "i" and names[0] < 0:  # below 0 is no cluster, whatever the number
        below = int(np.count_nonzero(names < 0))
        return np.where(labels < 0, -1, numbers - below)
    return numbers
