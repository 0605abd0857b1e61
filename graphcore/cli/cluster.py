"""``graphcore cluster``: a graph or vectors in, labels out."""

import time
from dataclasses import asdict

import click
from click.shell_completion import CompletionItem

from ..exceptions import FormatError
from ..pipeline.parameters import PARAMETERS, STEPS, Published, idle_steps
from .console import Console, Job, show
from .files import INPUT, OUTPUT, check_target, labels_target, output_kind, tell_of_missing_pictures, write_clusters
from .inputs import READING, READING_OPTIONS, check_there, holds_vectors, input_options, load
from .labels import PAGE, page_about, read_truth, truth_option
from .warm_up import help_compiling


class _Value(click.ParamType):
    """An int, a float, or else a word, which the settings then check."""

    name = "value"

    def __init__(self, words=()):
        self.words = words

    def shell_complete(self, ctx, param, incomplete):
        """Offer the words that begin so."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]

    def convert(self, value, param, ctx):
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
        return value


class _Step(_Value):
    """NAME=VALUE: a parameter of the published algorithm."""

    name = "step"

    def __init__(self):
        self.known = {step.name: [word for word in step.choices if word] for step in STEPS}
        super().__init__([f"{name}={word}" for name, words in self.known.items() for word in words or [""]])

    def convert(self, value, param, ctx):
        name, _, text = value.partition("=")
        name = name.strip().replace("-", "_")
        if name not in self.known:
            return self.fail(f"{value!r} sets none of {', '.join(self.known)}.", param, ctx)
        if not text:
            return self.fail(f"{value!r} has no value; write {name}=VALUE.", param, ctx)
        constants = {"true": True, "false": False, "none": None}
        text = text.strip()
        return name, constants[text.lower()] if text.lower() in constants else super().convert(text, param, ctx)


class _Clusters(click.ParamType):
    """A number of clusters, or auto."""

    name = "clusters"

    def convert(self, value, param, ctx):
        if value == "auto":
            return value
        try:
            return int(value)
        except ValueError:
            return self.fail(f"{value!r} is neither an integer nor auto.", param, ctx)


def clustering_options(command):
    """Add -k and an option for each setting to a command; what is not given is left to the library."""
    kind = _Step()
    names = (name + (f" ({', '.join(words)})" if words else "") for name, words in kind.known.items())
    command = click.option(
        "--published-option", "steps", type=kind, multiple=True, metavar="NAME=VALUE",
        help=f"The same with another value, as sampling=degree; may be repeated: {', '.join(names)}.",
    )(command)  # fmt: skip
    command = click.option("--published", is_flag=True, default=None, help="The algorithm of the paper.")(command)
    for parameter in reversed(PARAMETERS):
        command = _option(parameter)(command)
    return click.option(
        "-k", "--clusters", "n_clusters", type=_Clusters(), metavar="K",
        help="Number of clusters; auto to choose it. Needed, unless there is a --resolution or modularity is raised.",
    )(command)  # fmt: skip


def _option(parameter):
    """The option of one setting, which check_settings then checks."""
    text = parameter.help + (f" [default: {parameter.default}]" if parameter.default is not None else "")
    name = parameter.name.replace("_", "-")
    words = tuple(word for word in parameter.choices if word is not None)
    return click.option(f"--{name}", type=_Value(words), metavar=parameter.metavar, help=text)


# The help's headings; under the last one is what no other names.
_SECTIONS = {
    "Clusters": (
        "n_clusters", "resolution", "min_cluster_size", "max_cluster_size", "max_share", "objective", "effort",
        "time_limit",
    ),
    "Output": (
        "output", "report", "truth", "robustness", "tree", "membership", "model", "as_json", "spreadsheet", "quiet",
    ),
    "What is known of nodes": ("labels", "initial_labels", "node_weights"),
    "Input": ("vectors", "n_neighbors", "metric", *READING_OPTIONS, "any_size"),
    "The published algorithm": ("published", "steps"),
    "Run": (),
}  # fmt: skip


@click.command(
    cls=Job,
    made_up=labels_target,
    sections=_SECTIONS,
    short_help="Cluster a graph or vectors.",
    examples=[
        ("labels of 100 clusters, and a page that says how good they are",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --report report.html"),
        ("vectors, through the graph of their 15 nearest neighbours",
         "graphcore cluster vectors.npy -k 10 --neighbors 15 -o labels.tsv"),
        ("no cluster below 20 nodes, and a steadier result; labels go to edges.txt.gz.clusters.tsv",
         "graphcore cluster edges.txt.gz -k 50 --min-cluster-size 20 --effort high"),
        ("parts of equal size, for a graph that is to be distributed",
         "graphcore cluster edges.txt.gz -k 16 --max-share 1.03"),
        ("a model that follows the graph when it changes (see update)",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --model model.npz"),
        ("exactly the algorithm of the paper", "graphcore cluster graph.npz -k 10 --published"),
        ("no idea of k: by resolution, with the tree of all sizes",
         "graphcore cluster edges.txt.gz --resolution 3 --tree tree.nwk"),
        ("for Gephi or Cytoscape", "graphcore cluster edges.txt.gz -k 50 -o clusters.gexf"),
        ("in a pipe, for a script", "zcat edges.txt.gz | graphcore cluster - -k 9 --json -o labels.tsv"),
    ],
)  # fmt: skip
@click.argument("input", metavar="INPUT", type=INPUT)
@clustering_options
@input_options
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT,
    help="Write node and label, tab between them (.npy: labels alone; .parquet: a table; .graphml, .gexf, .gml: the "
    "graph with clusters as attributes); - is standard output. [default: INPUT.clusters.tsv in this folder, if it is "
    "not there yet; for standard input, standard output]",
)  # fmt: skip
@click.option(
    "--spreadsheet", is_flag=True,
    help="In -o and --membership, put a ' before names that spreadsheets take for formulas.",
)  # fmt: skip
@click.option(
    "--tree", metavar="FILE", type=OUTPUT,
    help="Write the tree of clusters of all sizes: .nwk (Newick), .csv, .tsv, .parquet, .npy (scipy's linkage).",
)  # fmt: skip
@click.option("--report", metavar="FILE", type=PAGE, help="Write a page (HTML) that says how good the clusters are.")
@click.option(
    "--labels", "labels", metavar="FILE", type=INPUT, help="Node and label: what is named there keeps its label."
)
@click.option(
    "--initial-labels", metavar="FILE", type=INPUT, help="Node and label: start from these, not from coresets."
)
@click.option("--node-weights", metavar="FILE", type=INPUT, help="Node and weight: as how many nodes it counts, or 1.")
@click.option(
    "--membership", metavar="FILE", type=OUTPUT,
    help="Write node, cluster and probability for all clusters around each node (.npz: a sparse matrix).",
)  # fmt: skip
@truth_option
@click.option(
    "--robustness", is_flag=True,
    help="Measure what the data support, for the summary and the report: cluster again with edges drawn anew.",
)  # fmt: skip
@click.option(
    "--model", metavar="FILE", type=OUTPUT, help="Save the model (.npz) with its graph, for graphcore update."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option(
    "--scheduler", metavar="ADDRESS",
    help="Address of a Dask scheduler, as tcp://HOST:8786, whose workers go through a huge graph on disk, which they "
    "see under the same path.",
)  # fmt: skip
@click.option("--workers", type=int, metavar="N", help="The same with N processes of this machine for workers.")
@click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress.")
def cluster(
    input, n_clusters, output, spreadsheet, tree, report, truth, robustness, model, membership, as_json, quiet,
    scheduler, workers, **options,
):  # fmt: skip
    """Cluster a graph, or vectors through their kNN graph.

    INPUT is an edge list, Parquet, Matrix Market, METIS, scipy .npz, GraphML, GEXF, GML or BVGraph file; a graph on
    disk (see build); vectors (.npy, or another file with --vectors); or "-", standard input. Nodes without an edge
    belong to no cluster and get label -1.
    """
    known = {name: options.pop(name) for name in ("labels", "initial_labels", "node_weights")}
    if truth is not None and report is None:
        raise click.UsageError("--truth is compared with on the page: name one with --report FILE")
    start = time.perf_counter()
    reading = {name: options.pop(name) for name in READING}
    seed, jobs, steps = (options.pop(name) for name in ("random_state", "n_jobs", "steps"))
    given = {name: value for name, value in options.items() if value is not None}
    if steps:
        given["published"] = Published(**dict(steps))
    if given.get("objective") != "modularity" and (n_clusters is None) == ("resolution" not in given):
        wrong = "Missing option '-k'" if n_clusters is None else "-k and --resolution both say how many clusters"
        raise click.UsageError(f"{wrong}: give a number of clusters, auto, or a --resolution.")
    console = Console(quiet, n_after=1 + robustness + sum(file is not None for file in (report, tree, membership)))
    asked = _check(console, n_clusters, given, output, tree, report, (model, membership))
    check_there(truth, *known.values())
    help_compiling()  # while this process imports and reads
    from ..distributed.cluster import client_of
    from ..fit import fit_graph, robustness_of
    from ..io.labels import write_memberships
    from ..report import write_report
    from ..selection.cluster_tree import tree_of

    with console.listening(), client_of(scheduler, workers):
        graph = load(input, console.stages, **reading, random_state=seed, n_jobs=jobs)
        classes = None if truth is None else read_truth(truth, graph, reading["any_size"])
        known = _known(graph, **known, any_size=reading["any_size"])
        fit = fit_graph(graph, asked, **known, random_state=seed, n_jobs=jobs, stages=console.stages)
        graph = fit.graph
        is_text = output_kind(output) == "text" or not (membership or ".npz").lower().endswith(".npz")
        _warn_of_idle(asked, dict(steps), spreadsheet and not is_text)
        _warn_of_idle_workers(graph, scheduler, workers)
        result, found = fit.clustering, None
        written = {"output": output, "tree": tree, "report": report, "membership": membership, "model": model}
        with console.stages("write"):
            write_clusters(fit, output, spreadsheet)
            if model is not None:
                from ..estimators.load import model_of

                model_of(fit, n_clusters, random_state=seed, n_jobs=jobs, **given).save(model)
        if robustness:
            found = robustness_of(graph, result, random_state=seed, n_jobs=jobs, stages=console.stages)
        memberships = None if report is None and membership is None else fit.memberships()
        if membership is not None:
            with console.stages("membership"):
                write_memberships(memberships, membership, graph, spreadsheet=spreadsheet)
        if tree is not None:
            with console.stages("write the tree"):
                tree_of(result, graph.node_names).write(tree)
        if report is not None:
            with console.stages("report"):
                about = page_about(
                    console, input, truth=truth, of_vectors=holds_vectors(input, reading["vectors"]),
                    note=f"The random seed was {seed}; the number of threads changes nothing.",
                )  # fmt: skip
                write_report(
                    report, graph, result.labels, n_clusters=result.settings.n_clusters, clustering=result,
                    membership=memberships, truth=classes, robustness=found, about=about, random_state=seed,
                    n_jobs=jobs,
                )  # fmt: skip
    facts = _facts(input, fit, seed, found) | written | {"warnings": console.warned}
    facts["seconds"] = {**console.stages.seconds, "total": time.perf_counter() - start}
    if as_json or not quiet:
        from .summary import cluster_lines, graph_lines

        show(facts, graph_lines(facts) + cluster_lines(facts), as_json)


def _check(console, n_clusters, given, output, tree, report, others):
    """Find mistakes in options before any work; returns the settings that are Asked for."""
    from ..io import check_writable
    from ..pipeline.settings import check_settings

    asked = check_settings(n_clusters, given)
    if tree is not None:
        from ..selection.cluster_tree import tree_format

        if tree_format(tree) == "parquet":
            from ..io.parquet import check_parquet

            check_parquet()
    for path in (tree, *others):
        if path is not None:
            check_writable(path)
    if report is not None:
        from ..report.page import check_page

        check_page(report)
        tell_of_missing_pictures(console)
    check_target(output)
    return asked


def _known(graph, labels, initial_labels, node_weights, any_size):
    """What the files say of the nodes, for fit_graph."""
    from ..io import read_labels
    from ..io.labels import read_node_weights

    known = {}
    for name, path in (("labels", labels), ("initial_labels", initial_labels)):
        if path is not None:
            known[name] = read_labels(path, graph, partial=True, any_size=any_size)
            if known[name].dtype.kind != "i":
                given = known[name].tolist()
                word = next((label for label in given if not label.removeprefix("-").isdigit()), given[0])
                raise FormatError(f"{path}: labels that number clusters must be integers, and {word!r} is none")
    if node_weights is not None:
        known["sample_weight"] = read_node_weights(node_weights, graph, any_size=any_size)
    return known


def _warn_of_idle(asked, steps, idle_quotes):
    """Name the options that did nothing in this run."""
    from .._warn import warn_user

    for name, purpose in idle_steps(asked.steps).items():
        if name in steps:
            warn_user(f"--published-option {name} does nothing here: for {purpose}")
    if idle_quotes:
        warn_user("--spreadsheet does nothing here: it is for files of text")


def _warn_of_idle_workers(graph, scheduler, workers):
    """Say so where a graph was no work for them."""
    from .._warn import warn_user
    from ..partition.quotient import goes_to_workers

    if (scheduler or workers) and not goes_to_workers(graph):
        option = "--scheduler" if scheduler else "--workers"
        warn_user(f"{option} does nothing here: for graphs on disk of more than 2^28 entries (134 million edges)")


def _facts(path, fit, seed, robustness):
    """What a run came to, ready for JSON."""
    from .. import __version__
    from .summary import graph_facts, size_facts

    result, chosen = fit.clustering, fit.selection
    settings, stability = result.settings, result.node_stability
    return graph_facts(path, fit.graph) | {
        "n_clusters": settings.n_clusters,
        "chosen": None if chosen is None else {"method": chosen.method, "clear": chosen.clear},
        "seed": seed,
        "settings": asdict(settings),
        "coreset": {"nodes": len(result.coreset), "draws": result.coreset.n_draws},
        "normalized_cut": float(fit.sums.conductance.mean()),
        "cluster_sizes": size_facts(result.labels, settings.n_clusters),
        "unreached": result.n_unreached,
        "stability": None if stability is None else float(stability[result.labels >= 0].mean()),
        "unsure_clusters": result.n_unsure,
        "robustness": None if robustness is None else robustness.figures(),
        "version": __version__,
    }
