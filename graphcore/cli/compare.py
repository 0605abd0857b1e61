"""``graphcore compare``: two labellings of the same nodes."""

from collections import Counter

import click

from ..exceptions import InputError
from .console import Console, Job
from .files import INPUT
from .inputs import READING_OPTIONS, graph_options, load_graph


@click.command(
    cls=Job,
    short_help="Compare labels with the truth, or with other labels.",
    examples=[
        ("labels against known classes", "graphcore compare labels.tsv classes.tsv"),
        ("two runs, and which one cuts less", "graphcore compare a.tsv b.tsv --graph edges.txt.gz"),
        ("straight from a run", "graphcore cluster edges.txt.gz -k 9 --quiet -o - | graphcore compare - classes.tsv"),
    ],
)
@click.argument("labels", metavar="LABELS", type=INPUT)
@click.argument("truth", metavar="OTHER", type=INPUT)
@click.option("--graph", "graph_path", metavar="FILE", type=INPUT, help="Graph of the nodes: adds the normalised cut.")
@graph_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(labels, truth, graph_path, as_json, **options):
    """Say how far LABELS agree with OTHER: known classes, or the labels of another run.

    Both files hold lines of node and label, which are matched by node, or lines of a label alone, in the same order.
    Nodes of label -1 in either file belong to no cluster and are left out. A "-" stands for standard input.
    """
    console = Console()
    with console.listening():
        graph = None
        if graph_path is not None:
            graph = load_graph(graph_path, console.stages, **{name: options[name] for name in READING_OPTIONS})
        with console.stages("read"):
            first, second, facts = _aligned(labels, truth, graph, options["any_size"])
        with console.stages("score"):
            facts |= _scores(first, second)
            if graph is not None:
                from ..metrics import normalized_cut

                facts["normalized_cut"] = normalized_cut(graph, first)
                facts["normalized_cut_other"] = normalized_cut(graph, second)
    from .summary import show

    show(facts | {"warnings": console.warned}, _lines(facts), as_json)


def _aligned(labels, truth, graph, any_size):
    """Both labellings in the order of the same nodes, as numbers with -1 for none."""
    from ..io.labels import read_label_lines, read_labels

    facts = {"labels": labels, "other": truth}
    if graph is not None:
        found = [read_labels(path, graph, any_size=any_size).tolist() for path in (labels, truth)]
        return _numbers(found[0]), _numbers(found[1]), facts
    (nodes, first), (others, second) = (read_label_lines(path, any_size=any_size) for path in (labels, truth))
    if nodes is None or others is None:
        if len(first) != len(second):
            raise InputError(
                f"{labels} has {len(first)} labels and {truth} {len(second)}; without nodes in both files their lines "
                "must match"
            )
        return _numbers(first), _numbers(second), facts
    place = {node: i for i, node in enumerate(others)}
    for path, names in ((labels, nodes), (truth, others)):
        if len(set(names)) < len(names):
            raise InputError(f"{path}: node {Counter(names).most_common(1)[0][0]!r} has two labels")
    common = [i for i, node in enumerate(nodes) if node in place]
    if not common:
        raise InputError(f"{labels} and {truth} have no node in common")
    facts["only_in_labels"], facts["only_in_other"] = len(nodes) - len(common), len(others) - len(common)
    return _numbers([first[i] for i in common]), _numbers([second[place[nodes[i]]] for i in common]), facts


def _numbers(labels):
    """Clusters numbered from 0 in the order of their names; "-1" is no cluster."""
    import numpy as np

    from ..graphs.ids import as_names

    values = as_names([str(label) for label in labels], len(labels))
    names, numbers = np.unique(values, return_inverse=True)
    none = np.flatnonzero(names == "-1")
    if len(none):
        numbers = np.where(numbers == none[0], -1, numbers - (numbers > none[0]))
    return numbers.astype(np.int64)


def _scores(first, second):
    from sklearn.metrics import homogeneity_completeness_v_measure

    from ..metrics import agreement

    scores = agreement(first, second)
    kept = (first >= 0) & (second >= 0)
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(second[kept], first[kept])
    return {
        "n_clusters": len(set(first[kept].tolist())), "n_other": len(set(second[kept].tolist())), **scores,
        "homogeneity": float(homogeneity), "completeness": float(completeness),
    }  # fmt: skip


def _lines(facts):
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
    alone = facts.get("only_in_labels", 0), facts.get("only_in_other", 0)
    if any(alone):
        lines.append(("left out", f"{alone[0]:,} nodes that only LABELS has, {alone[1]:,} that only OTHER has"))
    return lines
