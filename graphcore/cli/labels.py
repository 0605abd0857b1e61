"""Commands about given labels: the agreement of two labellings, and a page about one."""

import os
import shlex
from collections import Counter
from itertools import repeat

import click
import numpy as np

from ..exceptions import FormatError, InputError, warn_user
from .console import INPUT, OUTPUT, command, count, examples, warn_of_idle
from .graphs import READING, graph_options, input_options, load, load_graph

truth_option = click.option(
    "--truth", metavar="FILE", type=INPUT,
    help="Known classes to compare with, as lines of node and class. Nodes without a line, or of class -1, are left "
    "out.",
)  # fmt: skip
_IDS_AND_NAMES = "--graph matches ids and names (with --nodes, a table of both, if the edges have ids alone)"


@command(
    short_help="Compare labels with known classes or other labels.",
    epilog=examples(
        ("labels against known classes", "graphcore compare labels.tsv classes.tsv"),
        ("nested levels against classes", "graphcore compare levels.tsv classes.tsv"),
        ("two runs, and which one cuts less", "graphcore compare a.tsv b.tsv --graph edges.txt.gz"),
        ("straight from a run", "graphcore cluster edges.txt.gz -k 9 --quiet -o - | graphcore compare - classes.tsv"),
    ),
)
@click.argument("labels", metavar="LABELS", type=INPUT)
@click.argument("truth", metavar="OTHER", type=INPUT)
@click.option(
    "--graph", "graph_path", metavar="FILE", type=INPUT,
    help="Graph of the nodes, to compute normalised cut and modularity; edges to nodes in no cluster count as cut.",
)  # fmt: skip
@graph_options
def compare(console, labels, truth, graph_path, **options):
    """Measure the agreement of LABELS with OTHER: known classes, or the labels of another run.

    Both files hold lines of node and label, which are matched by node, or lines of a label alone, in the same order.
    Of several columns of labels, nested levels, each is compared with each; what comes first is of the last. Nodes of
    label -1 in either file belong to no cluster and are left out, and so are nodes that one of the files, or the graph
    of --graph, does not have. A "-" stands for standard input.
    """
    graph = None
    if graph_path is None:
        warn_of_idle(READING - {"encoding"}, "the file of --graph")
    else:
        graph = load_graph(graph_path, console.stages, options)
    with console.stages("read"):
        *found, alone = _aligned(labels, truth, graph, options["encoding"])
        first, second = (as_numbers(each.reshape(len(each), -1)).T for each in found)
    with console.stages("score"):
        pairs = [
            {"level": i, "other_level": j} | _scores(one, other, graph)
            for i, one in enumerate(first, 1) for j, other in enumerate(second, 1)
        ]  # fmt: skip
    finest = {name: value for name, value in pairs[-1].items() if name not in ("level", "other_level")}
    facts = {"labels": labels, "other": truth} | alone | finest
    return (facts if len(pairs) == 1 else facts | {"levels": pairs}), _lines(facts, pairs)


def _aligned(labels, truth, graph, encoding):
    """Read both labellings, in the order of the nodes that both have; count the nodes that only one has."""
    from ..files.tables import read_label_lines, read_labels

    if graph is not None:
        return *(read_labels(path, graph, partial=True, encoding=encoding) for path in (labels, truth)), {}
    (nodes, first), (others, second) = (read_label_lines(path, encoding=encoding) for path in (labels, truth))
    if nodes is None or others is None:
        if len(first) != len(second):
            raise InputError(
                f"{labels} has {len(first)} labels and {truth} {len(second)}; without nodes in both files their lines "
                "must match"
            )
        return first, second, {}
    is_same = nodes == others  # then there is no need to look for each
    for path, names in ((labels, nodes), (truth, others))[: 1 if is_same else 2]:
        if len(set(names)) < len(names):
            raise InputError(f"{path}: node {Counter(names).most_common(1)[0][0]!r} has two labels")
    lines = np.arange(len(nodes))
    if not is_same:
        line_of = dict(zip(others, range(len(others)), strict=True))
        lines = np.fromiter(map(line_of.get, nodes, repeat(-1)), dtype=np.int64, count=len(nodes))
    kept = lines >= 0
    if not kept.any():
        first = ", ".join(map(repr, [*nodes[:1], *others[:1]]))
        raise InputError(f"{labels} and {truth} have no node in common; their first ones are {first}; {_IDS_AND_NAMES}")
    n_common = int(kept.sum())
    alone = {"only_in_labels": len(nodes) - n_common, "only_in_other": len(others) - n_common}
    if 2 * n_common < min(len(nodes), len(others)):
        warn_user(
            f"only {count(n_common, 'node')} of {labels} ({len(nodes):,}) and {truth} ({len(others):,}) match by name; "
            f"{_IDS_AND_NAMES}"
        )
    return first[kept], second[lines[kept]], alone


def _scores(first, second, graph):
    from ..metrics import agreement, modularity, normalized_cut

    kept = (first >= 0) & (second >= 0)
    scores = {
        "without_label": int(len(kept) - kept.sum()), "n_clusters": len(np.unique(first[kept])),
        "n_other": len(np.unique(second[kept])), **agreement(first, second),
    }  # fmt: skip
    if graph is not None:
        for measure in (normalized_cut, modularity):
            name = measure.__name__
            scores |= {name: measure(graph, first), f"{name}_other": measure(graph, second)}
    return scores


def _lines(facts, pairs):
    lines = [
        ("compared",
         f"{facts['n_compared']:,} nodes; {facts['n_clusters']:,} clusters, {facts['n_other']:,} in the other"),
        ("ARI", f"{facts['ari']:.4f}, 1 for the same clusters, about 0 for unrelated ones"),
        ("NMI", f"{facts['nmi']:.4f}"),
        ("homogeneity", f"{facts['homogeneity']:.4f}, 1 if every cluster lies within one of the other"),
        ("completeness", f"{facts['completeness']:.4f}, 1 if every one of the other lies within one cluster"),
    ]  # fmt: skip
    if "normalized_cut" in facts:
        lines.append(("NC", f"{facts['normalized_cut']:.4f}, {facts['normalized_cut_other']:.4f} of the other"))
        lines.append(("modularity", f"{facts['modularity']:.4f}, {facts['modularity_other']:.4f} of the other"))
    left = [f"{facts['without_label']:,} without a label in one of the two"] if facts["without_label"] else []
    if facts.get("only_in_labels") or facts.get("only_in_other"):
        left[:0] = [
            f"{facts['only_in_labels']:,} nodes that only LABELS has", f"{facts['only_in_other']:,} that only OTHER has"
        ]  # fmt: skip
    if left:
        lines.append(("left out", ", ".join(left)))
    if len(pairs) > 1:  # the lines above are about the last pair
        lines += [
            (f"columns {pair['level']}, {pair['other_level']}",
             f"ARI {pair['ari']:.4f}, NMI {pair['nmi']:.4f}, homogeneity {pair['homogeneity']:.4f}, completeness "
             f"{pair['completeness']:.4f}; {pair['n_clusters']:,} clusters, {pair['n_other']:,} in the other")
            for pair in pairs
        ]  # fmt: skip
    return lines


@command(
    short_help="Write a page about existing labels.",
    epilog=examples(
        ("a page about the labels of an earlier run", "graphcore report edges.txt.gz labels.tsv -o report.html"),
        ("with stability and progress, made by the run itself",
         "graphcore cluster edges.txt.gz -k 9 --report out.html"),
        ("beside known classes", "graphcore report edges.txt.gz labels.tsv --truth classes.tsv -o report.html"),
    ),
)  # fmt: skip
@click.argument("input", metavar="GRAPH", type=INPUT)
@click.argument("labels", metavar="LABELS", type=INPUT)
@input_options
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, required=True, help="The page, HTML; - is standard output."
)
@truth_option
@click.option("--pictures/--no-pictures", default=True, help="Whether to draw pictures. [default: yes]")
def report(console, input, labels, output, truth, pictures, **options):
    """Write one HTML page about the LABELS of a GRAPH: their quality, every cluster, pictures.

    The page needs no other file and no network. LABELS are lines of node and label, or a label for each node in order;
    several columns are nested levels, coarse to fine, of which the page has a map. Labels that are not numbers are
    numbered in alphabetical order; -1 is no cluster. Figures that depend on how the labels were computed,
    such as stability, are only in the report of `graphcore cluster --report`.
    """
    from ..files import read_labels
    from ..report.page import check_page, write_report

    check_page(output)
    graph = load(input, console.stages, options)
    with console.stages("labels"):
        found = as_numbers(read_labels(labels, graph, encoding=options["encoding"]))
    with console.stages("report"):
        facts = write_report(
            output, graph, found,
            truth=None if truth is None else read_one_label(truth, graph, options["encoding"]),
            about=page_about(console, input, labels, truth), pictures=pictures, n_jobs=options["n_jobs"],
        )  # fmt: skip
    figures = {
        "input": input, "labels": labels, "report": output, "n_clusters": len(facts.filled),
        "normalized_cut": facts.normalized_cut, "coverage": facts.coverage, "modularity": facts.modularity,
    }  # fmt: skip
    lines = [
        ("clusters", f"{len(facts.filled):,}"),
        ("NC", f"{facts.normalized_cut:.4f}, {facts.chance_cut:.4f} by chance"),
        ("modularity", f"{facts.modularity:.4f}"),
        ("report", output),
    ]
    if facts.comparison is not None:
        scores = facts.comparison.scores
        figures |= scores
        lines.insert(3, ("truth", agreement_line(scores)))
    return figures, lines


def page_about(console, source, labels=None, truth=None, **fields):
    """Describe the origin of a clustering without the folders of this machine, as a page is sent to others."""
    from ..report import About

    given, more = (source[0], f" and {len(source) - 1} more") if isinstance(source, list) else (source, "")
    called = {path: "standard input" if path == "-" else os.path.basename(os.path.abspath(path))
              for path in (given, labels, truth) if path is not None}  # fmt: skip
    typed = click.get_current_context().find_root().obj
    paths = [path for word in typed for path in (word, word.partition("=")[2]) if os.path.isabs(path)]

    def local(text):
        for path in paths:
            text = text.replace(path, os.path.basename(path.rstrip(os.sep)))
        return text

    return About(
        title=f"Clusters of {called[given]}{more}", **fields,
        source=called[given] + more + ("" if labels is None else f", labels of {called[labels]}"),
        command=shlex.join(map(local, typed)), warnings=tuple(map(local, console.warned)),
        seconds=dict(console.stages.seconds),
    )  # fmt: skip


def read_one_label(path, graph, encoding):
    """Read one label for each node, -1 where the file has none."""
    from ..files import read_labels

    found = read_labels(path, graph, partial=True, encoding=encoding)
    if found.ndim == 2:
        raise FormatError(
            f"{path}: there are {found.shape[1]} columns beside the nodes, and one of labels is needed: call that "
            "'cluster' in the header, or drop the others"
        )
    return found


def agreement_line(scores):
    """Write the agreement with known classes."""
    compared = count(scores["n_compared"], "node")
    return f"ARI {scores['ari']:.4f}, NMI {scores['nmi']:.4f} over {compared} with a class and a cluster"


def as_numbers(labels):
    """Number labels from 0, unless they number clusters already; below 0, and the text -1, are nodes of no cluster."""
    from ..metrics.quality import class_numbers

    if labels.ndim == 2:
        return np.column_stack([as_numbers(level) for level in labels.T])
    if labels.dtype.kind == "i" and labels.min() >= -1 and labels.max() < max(10 * len(labels), 1000):
        return labels
    return class_numbers(labels)[1]
