"""``graphcore cluster``: a graph or vectors in, labels out; and ``graphcore predict``: labels of new vectors."""

import os
import time
import warnings
from contextlib import suppress

import click
import numpy as np

from .. import __version__
from ..exceptions import InputError
from .console import INPUT, OUTPUT, adding, command, count, examples
from .graphs import graph_facts, graph_lines, input_options, one_or_all, read_input
from .labels import agreement_line, as_numbers, page_about, read_one_label, truth_option
from .vectors import in_order_of, read_rows

# Sizes of more clusters are summed up.
_FEW_CLUSTERS = 20

# Endings of formats in which labels are attributes of the nodes of the graph.
_GRAPHS = (".graphml", ".gexf", ".gml")


def _value(text):
    """Parse an int, a float, or else a word, which the class then checks."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _numbers(text):
    """Parse one value, or a list of values with commas between them."""
    found = [_value(part) for part in text.split(",")]
    return found if len(found) > 1 else found[0]


# Parameters of the class; without an option its default holds.
_SETTINGS = {
    "objective": ("NAME", "Quality measure to maximise: information, ncut, modularity."),
    "outliers": ("SHARE", "For vectors: share of rows, far from others, that get no cluster; or auto."),
    "min_cluster_size": ("NUMBER", "Smallest number of nodes in a cluster, or a share (as 0.01)."),
    "max_cluster_size": ("NUMBER", "Largest number of nodes in a cluster, or a share (as 0.1)."),
    "effort": ("EFFORT", "How long to search: fast, default, high, best, or a number of drafts."),
    "resolution": ("NUMBER", "In place of -k: larger gives more clusters; or that of modularity."),
}


@command(
    labels_of="input",
    short_help="Cluster a graph or vectors.",
    epilog=examples(
        ("labels of 100 clusters, and a page that says how good they are",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --report report.html"),
        ("vectors, through the graph of their 15 nearest neighbours",
         "graphcore cluster vectors.npy -k 10 --neighbors 15 -o labels.tsv"),
        ("no cluster below 20 nodes, and a steadier result; labels go to edges.txt.gz.clusters.tsv",
         "graphcore cluster edges.txt.gz -k 50 --min-cluster-size 20 --effort high"),
        ("the graph has changed: start from the clusters that it had",
         "graphcore cluster new.txt.gz -k 100 --initial-labels labels.tsv -o new.tsv"),
        ("clusters in clusters: columns of nested labels, coarse to fine",
         "graphcore cluster edges.txt.gz --levels 10,100,1000 -o levels.tsv"),
        ("k is not known: by resolution, with the tree of all sizes",
         "graphcore cluster edges.txt.gz --resolution 3 --tree tree.nwk"),
        ("people with names and attributes, for Gephi or Cytoscape",
         "graphcore cluster edges.txt.gz --nodes people.csv -k 50 -o clusters.gexf"),
        ("in a pipe, for a script", "zcat edges.txt.gz | graphcore cluster - -k 9 --json -o labels.tsv"),
    ),
)  # fmt: skip
@click.argument("input", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@click.option(
    "-k", "--clusters", "--levels", "n_clusters", type=_numbers, metavar="K",
    help="Number of clusters; several numbers, as 10,100,1000, for nested levels; auto to choose it. Required, unless "
    "--resolution or --objective modularity is given.",
)  # fmt: skip
@adding(*(
    click.option(f"--{name.replace('_', '-')}", type=_value, metavar=metavar, help=text)
    for name, (metavar, text) in _SETTINGS.items()
))  # fmt: skip
@input_options
@click.option("--initial-labels", metavar="FILE", type=INPUT, help="Lines of node and label to start from.")
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT,
    help="Write node and label, separated by a tab (.csv: a comma; .npy: labels only; .parquet: a table; .graphml, "
    ".gexf, .gml: the graph with clusters as attributes); - is standard output. [default: INPUT.clusters.tsv in "
    "the current folder, unless it exists; for standard input, standard output]",
)  # fmt: skip
@click.option("--tree", metavar="FILE", type=OUTPUT, help="Write the tree of clusters of all sizes: .nwk (Newick), "
              ".csv, .tsv, .parquet, .npy (scipy's linkage).")  # fmt: skip
@click.option("--report", metavar="FILE", type=OUTPUT, help="Write a page (HTML) with pictures and the quality of the "
              "clusters.")  # fmt: skip
@truth_option
@click.option("--model", metavar="FILE", type=OUTPUT, help="Save the model (.npz), for `graphcore predict`.")
def cluster(console, input, n_clusters, output, tree, report, truth, model, **options):
    """Cluster a graph, or vectors through their kNN graph.

    INPUT is an edge list or a file of another format (see docs/files.md); several edge lists or Parquet tables, or a
    folder of them, parts of one; a graph on disk (see convert); vectors (.npy, or another file with --vectors); or "-",
    standard input. Nodes without an edge belong to no cluster and get label -1.
    """
    start, stages, input = time.perf_counter(), console.stages, one_or_all(input)
    if n_clusters is None and options["resolution"] is None and options["objective"] in (None, "information", "ncut"):
        raise click.UsageError(
            "Missing option '-k': give a number of clusters, auto, a --resolution, or --objective modularity."
        )
    _check_outputs(output, tree, report, model)
    from .. import CoresetSpectralClustering, Graph
    from ..cluster.settings import DEFAULTS, check_settings
    from ..files.atomic import ending_of
    from ..files.library_formats import checked_attributes
    from ..metrics import agreement

    given = {name: options[name] for name in _SETTINGS if options[name] is not None}
    # before the input is read, which may take long
    check_settings({"n_clusters": n_clusters} | {name: value for name, value in given.items() if name in DEFAULTS})
    X, ids, columns = read_input(input, stages, options)
    is_graph = isinstance(X, Graph)
    if is_graph and (ending := ending_of(output)[0]) in _GRAPHS:  # which may not hold the names and attributes of nodes
        checked_attributes(X, None, ending[1:])
    # Lines of labels are matched by the names of nodes; rows of vectors are nodes, too.
    nodes = X if is_graph else Graph.from_edges([], [], n_nodes=X.shape[0])
    nodes = nodes if ids is None else nodes.with_nodes(ids)
    initial, classes = (
        None if path is None else as_numbers(read_one_label(path, nodes, options["encoding"]))
        for path in (options["initial_labels"], truth)
    )
    # Idle options of the search have been warned about, and the class refuses a metric for a graph.
    search = {} if is_graph else {name: options[name] for name in ("n_neighbors", "metric")}
    fitted = CoresetSpectralClustering(
        n_clusters, affinity="precomputed" if is_graph else "nearest_neighbors",
        random_state=options["random_state"], n_jobs=options["n_jobs"], **search, **given,
    )  # fmt: skip
    with stages("cluster"):
        fitted.fit(X, ids=ids, initial_labels=initial)
        if columns is not None and all(columns):
            fitted.feature_names_in_ = np.array(columns, dtype=object)
    with stages("write"):
        _write_clusters(fitted, output)
        if model is not None:
            fitted.save(model)
        if tree is not None:
            fitted.tree_.write(tree)
    if report is not None:
        with stages("report"):
            _write_page(console, report, input, fitted, truth, classes)
    facts = _facts(input, fitted, options["random_state"])
    facts |= {"output": output, "tree": tree, "report": report, "model": model}
    facts["truth"] = None if classes is None else agreement(fitted.labels_, classes, fitted.graph_)
    seconds = {"read": stages.seconds["read"], **fitted.seconds_, **stages.seconds}
    del seconds["cluster"]  # the sum of its stages
    facts["seconds"] = {**seconds, "total": time.perf_counter() - start}
    return facts, graph_lines(facts) + _lines(facts)


def _check_outputs(output, tree, report, model):
    """Check, before the work, that all outputs can be written."""
    from ..files import check_writable

    check_labels_target(output)
    if tree is not None:
        from ..cluster.cluster_tree import tree_format

        tree_format(tree)
    if report is not None:
        from ..report.page import check_page

        check_page(report)
    for path in filter(None, (tree, model)):
        check_writable(path)


def _write_page(console, path, input, fitted, truth, classes):
    from ..report.page import write_report

    about = page_about(
        console, input, truth=truth, n_features=None if fitted.affinity_ == "precomputed" else fitted.n_features_in_,
        is_clear=fitted.selection_ and fitted.selection_.clear,
        note=f"The random seed was {fitted.random_state}. Labels do not depend on the number of threads.",
    )  # fmt: skip
    write_report(
        path, fitted.graph_, fitted.labels_, n_clusters=fitted.n_clusters_, membership=fitted.membership_,
        clustering=fitted.clustering_, truth=classes, about=about, n_jobs=fitted.n_jobs,
    )  # fmt: skip


# -- where labels go ---------------------------------------------------------------------------------------------------


def check_labels_target(output, in_graph=True):
    """Check, before the work, that labels can be written to `output`; `in_graph`: formats of graphs are allowed."""
    from ..files import check_writable
    from ..files.atomic import ending_of
    from ..files.tables import NO_TEXT

    ending, compression = ending_of(output)
    allowed = (".npy", ".parquet") + _GRAPHS * in_graph
    if ending in NO_TEXT and (ending not in allowed or (ending == ".parquet" and compression)):
        raise InputError(f"{output}: labels are written as text (.tsv, .csv), or {', '.join(allowed)}")
    if ending == ".parquet":
        from ..files.parquet import check_parquet

        check_parquet()
    check_writable(output)


def _write_clusters(fitted, output):
    """Write the labels of a model, with attributes of its nodes where the format has a place for them."""
    from ..files import write_graph, write_labels
    from ..files.atomic import ending_of
    from ..files.parquet import write_table

    ending, _ = ending_of(output)
    graph, levels = fitted.graph_, fitted.level_labels_
    if ending == ".parquet":
        write_table(fitted.to_table(), output)
    elif ending in _GRAPHS:
        write_graph(graph, output, attributes=fitted.to_table())
    else:
        write_labels(levels.T if len(levels) > 1 else fitted.labels_, output, graph)


# -- the summary -------------------------------------------------------------------------------------------------------


def _facts(path, fitted, seed):
    """Collect the facts about a fitted model, ready for JSON."""
    labels, stability, chosen = fitted.labels_, fitted.stability_, fitted.selection_
    return graph_facts(path, fitted.graph_) | {
        "n_clusters": fitted.n_clusters_,
        "chosen": None if chosen is None else {"method": chosen.method, "clear": chosen.clear},
        "coreset": {"nodes": len(fitted.coreset_), "draws": fitted.coreset_.n_draws},
        "balance": float(fitted.balance_),
        "normalized_cut": float(fitted.conductance_.mean()),
        "modularity": fitted.clustering_.history[-1][1] if fitted.objective == "modularity" else None,
        "resolution": fitted.clustering_.settings.record.resolution or fitted.resolution,
        "outliers": None if fitted.outliers is None else fitted.graph_.n_isolated,
        "cluster_sizes": np.bincount(labels[labels >= 0], minlength=fitted.n_clusters_).tolist(),
        "stability": None if stability is None else float(stability[labels >= 0].mean()),
        "unsure_clusters": fitted.clustering_.n_unsure,
        "seed": seed,
        "version": __version__,
    }


def _lines(facts):
    """Return pairs of heading and text about a clustering."""
    from ..cluster.n_clusters import how_chosen

    coreset, chosen, stability = (facts[name] for name in ("coreset", "chosen", "stability"))
    draws = "" if coreset["draws"] == coreset["nodes"] else f" from {coreset['draws']:,} draws"
    lines = {
        "coreset": f"{count(coreset['nodes'], 'node')}{draws}",
        "k": chosen and f"{facts['n_clusters']}, {how_chosen(**chosen)}{'; it stands out' * bool(chosen['clear'])}",
        "clusters": sizes_line(facts["cluster_sizes"]),
        "balance": facts["balance"] < 1 and f"{facts['balance']:g}; below 1, clusters may be of uneven size",
        "outliers": facts["outliers"] is not None
        and f"{facts['outliers']:,} with label -1, far from all others; NC is without them",
        "modularity": facts["modularity"] is not None
        and f"{facts['modularity']:.4f} at resolution {facts['resolution']:g}; higher is better",
        "NC": f"{facts['normalized_cut']:.4f}, the normalised cut; lower is better",
        "stability": "not known after a single draft; --effort 4 makes four"
        if stability is None
        else f"{stability:.2f}, the share of drafts from the same edges that agree with a label",
        "truth": facts["truth"] and agreement_line(facts["truth"]),
        "verdict": facts["unsure_clusters"] and _verdict(facts),
        "seconds": ", ".join(f"{stage} {spent:.2f}" for stage, spent in facts["seconds"].items()),
        "labels": "standard output" if facts["output"] == "-" else facts["output"],
    }
    lines |= {name: facts[name] for name in ("tree", "report", "model")}
    return [(heading, text) for heading, text in lines.items() if text]


def _verdict(facts):
    """Explain a low stability, and suggest a remedy."""
    unsure, filled = facts["unsure_clusters"], sum(size > 0 for size in facts["cluster_sizes"])
    found = f"{unsure:,} of {count(filled, 'cluster')} {'changes' if unsure == 1 else 'change'} with the seed"
    if 2 * unsure < filled:
        return found
    if facts["modularity"] is not None:
        return f"{found}; try a smaller --resolution or -k, or a larger --effort"
    return f"{found}; {'give a smaller -k' if facts['chosen'] else 'try a smaller -k or -k auto'}"


def sizes_line(sizes):
    """Write the number of clusters and their sizes."""
    if len(sizes) <= _FEW_CLUSTERS:
        return f"{len(sizes)}, of sizes {' '.join(str(size) for size in sorted(sizes, reverse=True))}"
    empty = sizes.count(0)
    note = f", {empty} empty" if empty else ""
    return f"{len(sizes)}, of sizes {min(sizes):,} (min), {np.median(sizes):,.0f} (median), {max(sizes):,} (max){note}"


# -- predict -----------------------------------------------------------------------------------------------------------


@command(
    labels_of="input",
    short_help="Label new vectors by a saved model.",
    epilog=examples(
        ("a model to begin with", "graphcore cluster vectors.npy -k 10 -o labels.tsv --model model.npz"),
        ("clusters of new vectors", "graphcore predict model.npz new.npy -o new.tsv"),
        ("in a pipe", "zcat new.csv.gz | graphcore predict model.npz - --quiet -o -"),
    ),
)
@click.argument("model", metavar="MODEL", type=INPUT)
@click.argument("input", metavar="VECTORS", type=INPUT)
@click.option("--encoding", metavar="NAME", default="utf-8", show_default=True, help="Encoding of text files.")
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT,
    help="Write row and label, separated by a tab (.csv: a comma; .npy: labels only; .parquet: a table); - is standard "
    "output. [default: VECTORS.clusters.tsv in the current folder, unless it exists; for standard input, standard "
    "output]",
)  # fmt: skip
def predict(console, model, input, encoding, output):
    """Write the clusters of new VECTORS, by those of MODEL, which stays as it is.

    MODEL is a file written by `graphcore cluster --model` or `model.save`. VECTORS is a .npy array, a .npz, a Parquet
    table, or a text table of numbers, with the columns that were clustered, by name or in their order. For a model of a
    graph a row is a new node and holds the weights of its edges to the nodes of that graph, in their order. Outliers,
    and rows without an edge, belong to no cluster and get label -1.
    """
    from .. import load
    from ..files import write_labels
    from ..files.parquet import write_table

    check_labels_target(output, in_graph=False)
    with console.stages("model"):
        fitted = load(model)
    with console.stages("read"):
        X, ids, columns = read_rows(input, encoding)
        X = in_order_of(X, columns, getattr(fitted, "feature_names_in_", None))
    with console.stages("predict"), warnings.catch_warnings():
        # A data frame that was fitted had names of columns, and a file may have none.
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        try:
            labels = fitted.predict(X)
        except ValueError as error:  # of scikit-learn, too
            said = str(error).partition("\n")[0].rstrip(".")
            raise InputError(f"{input}: {said}") from error
    with console.stages("write"):
        if os.path.splitext(output.lower())[1] == ".parquet":
            write_table({"node": np.arange(len(labels)) if ids is None else np.array(ids), "cluster": labels}, output)
        else:
            write_labels(labels, output, ids)
    sizes = np.bincount(labels[labels >= 0], minlength=fitted.n_clusters_).tolist()
    facts = {
        "model": model, "input": input, "rows": len(labels), "without_label": len(labels) - sum(sizes),
        "n_clusters": fitted.n_clusters_, "cluster_sizes": sizes, "output": output,
    }  # fmt: skip
    lines = [
        ("input", input),
        ("rows", f"{count(len(labels), 'row')}, {facts['without_label']:,} of label -1"),
        ("clusters", sizes_line(sizes)),
        ("labels", "standard output" if output == "-" else output),
    ]
    return facts, lines
