"""``graphcore cluster``: a graph or vectors in, labels out."""

import time
from contextlib import suppress
from types import SimpleNamespace

import click

from ..cluster.refine.objectives import OBJECTIVES
from ..cluster.settings import PARAMETERS, defaults
from ..exceptions import FormatError
from .console import adding, command, telling_of
from .files import (
    INPUT,
    OUTPUT,
    check_membership_target,
    check_names,
    check_target,
    labels_target,
    output_kind,
    tell_of_missing_pictures,
    write_clusters,
)
from .inputs import (
    READING,
    check_there,
    graph_for,
    input_options,
    one_or_all,
    read_input,
    read_node_table,
    warn_of_idle,
)  # fmt: skip
from .labels import PAGE, as_numbers, page_about, read_one_label, truth_option
from .summary import cluster_facts, cluster_lines, graph_lines


def _value(text):
    """Parse an int, a float, or else a word, which the settings then check."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _numbers(text):
    """Parse one value, or a list of values with commas between them."""
    found = [_value(part) for part in text.split(",")]
    return found if len(found) > 1 else found[0]


def _offered(words):
    """Return a function that completes a value in a shell."""
    return lambda _ctx, _param, incomplete: [word for word in words if word.startswith(incomplete)]


def _of_setting(parameter):
    """Make the option of one parameter, whose value `check_settings` checks."""
    if parameter.kind == "flag":
        return click.option(f"--{parameter.name}", is_flag=True, default=None, help=parameter.help)
    text = parameter.help + (f" [default: {parameter.default}]" if parameter.default is not None else "")
    words = [word for word in parameter.choices if word is not None]
    name = parameter.name.replace("_", "-")
    return click.option(
        f"--{name}", type=_value, shell_complete=_offered(words), metavar=parameter.metavar, help=text
    )  # fmt: skip


# Objectives that say how many clusters there are.
_FIND_K = [name for name, each in OBJECTIVES.items() if each.resolution is not None]
# Options of the stages, under a heading of their own.
_STAGES = ("coreset_size",)
# Settings that the class has.
_OFFERED = [
    name for name in defaults() if name not in ("sampling", "eigen_solver", "published", "max_share", "time_limit")
]


@command(
    needs="cluster.estimator",
    made_up=labels_target,
    headings=("Clusters", "Output", "Known about nodes", "Input", "Coreset", "Run"),
    short_help="Cluster a graph or vectors.",
    examples=[
        ("labels of 100 clusters, and a page that says how good they are",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --report report.html"),
        ("vectors, through the graph of their 15 nearest neighbours",
         "graphcore cluster vectors.npy -k 10 --neighbors 15 -o labels.tsv"),
        ("no cluster below 20 nodes, and a steadier result; labels go to edges.txt.gz.clusters.tsv",
         "graphcore cluster edges.txt.gz -k 50 --min-cluster-size 20 --effort high"),
        ("a model, for `graphcore predict`",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --model model.npz"),
        ("clusters in clusters: columns of nested labels, coarse to fine",
         "graphcore cluster edges.txt.gz --levels 10,100,1000 -o levels.tsv"),
        ("k is not known: by resolution, with the tree of all sizes",
         "graphcore cluster edges.txt.gz --resolution 3 --tree tree.nwk"),
        ("people with names and attributes, for Gephi or Cytoscape",
         "graphcore cluster edges.txt.gz --nodes people.csv -k 50 -o clusters.gexf"),
        ("in a pipe, for a script", "zcat edges.txt.gz | graphcore cluster - -k 9 --json -o labels.tsv"),
    ],
)  # fmt: skip
@click.argument("input", metavar="INPUT...", nargs=-1, required=True, type=INPUT)
@adding(
    click.option(
        "-k", "--clusters", "--levels", "n_clusters", type=_numbers, metavar="K", shell_complete=_offered(["auto"]),
        help="Number of clusters; several numbers, as 10,100,1000, for nested levels; auto to choose it. "
        f"Required, unless --resolution or --objective {' or '.join(_FIND_K)} is given.",
    ),
    *(_of_setting(each) for each in PARAMETERS if each.name in _OFFERED and each.name not in _STAGES),
    heading="Clusters",
)  # fmt: skip
@adding(*(_of_setting(each) for each in PARAMETERS if each.name in _STAGES), heading="Coreset")
@input_options
@adding(
    click.option(
        "-o", "--output", metavar="FILE", type=OUTPUT,
        help="Write node and label, separated by a tab (.csv: a comma; .npy: labels only; .parquet: a table; .graphml, "
        ".gexf, .gml: the graph with clusters as attributes); - is standard output. [default: INPUT.clusters.tsv in "
        "the current folder, unless it exists; for standard input, standard output]",
    ),
    click.option("--spreadsheet", is_flag=True, help="In -o and --membership, put a ' before names that spreadsheets "
                 "take for formulas."),
    click.option("--tree", metavar="FILE", type=OUTPUT, help="Write the tree of clusters of all sizes: .nwk (Newick), "
                 ".csv, .tsv, .parquet, .npy (scipy's linkage)."),
    click.option("--report", metavar="FILE", type=PAGE, help="Write a page (HTML) with pictures and the quality of the "
                 "clusters."),
    truth_option,
    click.option("--membership", metavar="FILE", type=OUTPUT, help="Write node, cluster and probability for every "
                 "node and the clusters near it (.npz: a sparse matrix)."),
    click.option("--model", metavar="FILE", type=OUTPUT, help="Save the model (.npz) with its graph, for `graphcore "
                 "predict`."),
    click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress."),
    heading="Output",
)  # fmt: skip
@adding(
    click.option("--labels", metavar="FILE", type=INPUT, help="Lines of node and label: the labels that nodes keep."),
    click.option("--initial-labels", metavar="FILE", type=INPUT, help="Lines of node and label: start from these, "
                 "not from coresets."),
    click.option("--node-weights", metavar="FILE", type=INPUT, help="Lines of node and weight: a node counts as "
                 "so many. [default: 1]"),
    heading="Known about nodes",
)  # fmt: skip
@click.option(
    "--scheduler", metavar="ADDRESS",
    help="Address of a Dask scheduler, as tcp://HOST:8786, whose workers read a huge graph on disk, under the same "
    "path.",
)  # fmt: skip
@click.option("--workers", type=int, metavar="N", help="The same with N processes of this machine as workers.")
def cluster(console, input, **options):
    """Cluster a graph, or vectors through their kNN graph.

    INPUT is an edge list, Parquet, Matrix Market, METIS, scipy .npz, GraphML, GEXF, GML or BVGraph file; several edge
    lists or Parquet tables, or a folder of them, parts of one; a graph on disk (see build); vectors (.npy, or another
    file with --vectors); or "-", standard input. Nodes without an edge belong to no cluster and get label -1.
    """
    input = one_or_all(input)
    start, stages, given = time.perf_counter(), console.stages, SimpleNamespace(**options)
    settings = {name: options[name] for name in _OFFERED if options[name] is not None}
    files = {name: options[name] for name in ("output", "tree", "report", "membership", "model")}
    console.n_after = 1 + sum(files[name] is not None for name in ("report", "tree", "membership"))
    params = _check(console, given, settings, files)
    drawn = {"random_state": given.random_state, "n_jobs": given.n_jobs}
    from ..base.streams import Streams
    from ..cluster.estimator import CoresetSpectralClustering
    from ..cluster.refine.problem import goes_to_workers
    from ..distributed.cluster import client_of
    from ..graphs.graph import Graph
    from ..metrics.truth import agreement

    with client_of(given.scheduler, given.workers):
        nodes = read_node_table(given.nodes, stages, given.encoding, given.any_size)
        reading = {name: options[name] for name in READING} | {"nodes": nodes}
        X, ids = read_input(input, stages, outliers=settings.get("outliers"), **reading, **drawn)
        search = {"affinity": "nearest_neighbors", "n_neighbors": given.n_neighbors, "metric": given.metric}
        made = {"symmetrize": given.symmetrize} if isinstance(X, Graph) else search
        model = CoresetSpectralClustering(given.n_clusters, **made, **drawn, **settings)
        streams = Streams(given.random_state)
        graph, reference, kinds = graph_for(model, X, ids, streams, stages, nodes, given.encoding, given.any_size)
        truth = None if given.truth is None else read_one_label(given.truth, graph, given.any_size, given.encoding)
        check_names(graph, given.output)
        model._fit_graph(graph, reference, params, streams, stages, kinds=kinds, **_known(graph, given))
        if output_kind(given.output) != "text" and (given.membership or ".npz").lower().endswith(".npz"):
            warn_of_idle(("spreadsheet",), "files of text")
        if not goes_to_workers(model.graph_):
            warn_of_idle(("scheduler", "workers"), "graphs on disk of more than 2^28 entries (134 million edges)")
        with stages("write"):
            write_clusters(model, given.output, given.spreadsheet)
            if given.model is not None:
                model.save(given.model)
        with telling_of(given.output):
            _measure(console, given, input, model, truth, drawn)
    facts = cluster_facts(input, model) | {"seed": given.random_state} | files
    facts["truth"] = None if truth is None else agreement(model.labels_, as_numbers(truth), model.graph_)
    facts["seconds"] = {**stages.seconds, "total": time.perf_counter() - start}
    return facts, graph_lines(facts) + cluster_lines(facts)


def _measure(console, given, input, model, truth, drawn):
    """Write what is measured of the fitted model besides its labels."""
    stages = console.stages
    memberships = None if given.report is None and given.membership is None else model.membership_
    if given.membership is not None:
        from ..files.labels import write_memberships

        with stages("membership"):
            write_memberships(memberships, given.membership, model.graph_, spreadsheet=given.spreadsheet)
    if given.tree is not None:
        with stages("write the tree"):
            model.tree_.write(given.tree)
    if given.report is not None:
        from ..report.page import columns_of, write_report

        with stages("report"):
            about = page_about(
                console, input, truth=given.truth, n_features=columns_of(model),
                is_clear=model.selection_ and model.selection_.clear,
                note=f"The random seed was {given.random_state}. Labels do not depend on the number of threads.",
            )  # fmt: skip
            write_report(
                given.report, model.graph_, model.labels_, n_clusters=model.n_clusters_, membership=memberships,
                clustering=model.clustering_, truth=truth, about=about, **drawn,
            )  # fmt: skip


def _check(console, given, settings, files):
    """Find mistakes in options before any work; return the Validated parameters."""
    if given.objective not in _FIND_K and (given.n_clusters is None) == (given.resolution is None):
        wrong = "Missing option '-k'" if given.n_clusters is None else "-k and --resolution both say how many clusters"
        raise click.UsageError(f"{wrong}: give a number of clusters, auto, or a --resolution.")
    if isinstance(given.n_clusters, str) and given.n_clusters != "auto":
        raise click.UsageError(f"-k {given.n_clusters!r} is neither an integer nor auto.")
    from ..cluster.settings import check_settings
    from ..files import check_writable

    params = check_settings(given.n_clusters, settings)
    if given.tree is not None:
        from ..cluster.cluster_tree import tree_format

        if tree_format(given.tree) == "parquet":
            from ..files.parquet import check_parquet

            check_parquet()
    for name, check in (("tree", check_writable), ("model", check_writable), ("membership", check_membership_target)):
        if files[name] is not None:
            check(files[name])
    if given.report is not None:
        from ..report.page import check_page

        check_page(given.report)
        tell_of_missing_pictures(console)
    check_target(given.output)
    check_there(given.nodes, given.truth, given.labels, given.initial_labels, given.node_weights)
    return params


def _known(graph, given):
    """Read the files of labels and node weights, as arguments of a fit."""
    from ..files.labels import read_node_weights

    known = {}
    for name, path in (("labels", given.labels), ("initial_labels", given.initial_labels)):
        if path is not None:
            known[name] = read_one_label(path, graph, given.any_size, given.encoding)
            if known[name].dtype.kind != "i":
                found = known[name].tolist()
                word = next((label for label in found if not label.removeprefix("-").isdigit()), found[0])
                raise FormatError(f"{path}: labels that number clusters must be integers, and {word!r} is none")
    if given.node_weights is not None:
        known["sample_weight"] = read_node_weights(
            given.node_weights, graph, any_size=given.any_size, encoding=given.encoding
        )
    return known
