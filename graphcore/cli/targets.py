"""Where a command writes: labels are never lost, and nothing is replaced that was not named."""

import os

import click

from ..exceptions import InputError
from .files import on_stdout

# What opens files of these names would not take text for one.
_NO_LABELS = (".xlsx", ".xls", ".ods", ".json", ".html", ".pdf")


def labels_target(given):
    """Make up where labels go without -o: to INPUT.clusters.tsv in the current folder, which must not be there yet.

    For standard input and pipes: to standard output, unless something else goes there.
    """
    from ..io._source import is_stream

    if given["output"] is not None:
        return {}
    stream = is_stream(given["input"])
    if stream and not on_stdout(click.get_current_context().command, given):
        return {"output": "-"}
    output = f"{'standard-input' if stream else os.path.basename(os.path.abspath(given['input']))}.clusters.tsv"
    if os.path.lexists(output):
        raise InputError(f"{output}: is there already; -o {output} replaces it, -o FILE writes elsewhere")
    return {"output": output}


def check_target(output):
    """Find out, before the work, that labels can be written to `output`."""
    from ..io import check_writable

    if output.lower().endswith(_NO_LABELS):
        raise InputError(
            f"{output}: labels are written as text (.tsv, .csv), .npy, .parquet, or in a graph (.graphml, .gexf, .gml)"
        )
    if output_kind(output) == "parquet":
        from ..io.parquet import check_parquet

        check_parquet()
    check_writable(output)


def output_kind(output):
    """What labels are written as: "text", "npy", "parquet", or "graph" with labels as attributes."""
    from ..io.formats import FORMATS, ending_format

    ending = os.path.splitext(output.lower())[1]
    if ending in (".npy", ".parquet"):
        return ending[1:]
    found = FORMATS.get(ending_format(output)[0])
    return "graph" if found is not None and found.attributes else "text"


def write_clusters(fit, output, spreadsheet):
    """Write the labels of a fit, and what else is known of its nodes where there is a place for it."""
    from ..fit import node_columns
    from ..io import write_graph, write_labels
    from ..io.parquet import write_table

    found, graph, kind = fit.clustering, fit.graph, output_kind(output)
    columns = node_columns(found.labels, graph.node_names, found.node_stability, fit.outside_shares)
    if kind == "graph":
        write_graph(graph, output, attributes=columns)
    elif kind == "parquet":
        write_table(columns, output)
    else:
        write_labels(found.labels, output, graph, spreadsheet=spreadsheet)


def tell_of_missing_pictures(console):
    """Say before the work that a report will have no pictures, if matplotlib is missing."""
    from importlib.util import find_spec

    from ..plot._style import NEEDED

    if find_spec("matplotlib") is None:
        console.say(f"warning: the report will have no pictures: {NEEDED}")
