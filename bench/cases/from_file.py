"""Edge-list text to labels on disk, beside numpy.loadtxt, scipy and coreset-sc: here reading and writing count.

Both sides have coresets of as many nodes, drawn by degree, and the published settings (coreset-sc draws with
replacement, graphcore without). Each is measured with its own starts of k-means and with one. k-means is scikit-learn's
on both sides and is timed apart: coreset-sc makes ten starts, graphcore fewer where a single one takes long. graphcore
without any settings is a further row.
"""

import statistics

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, factor_cells, table
from .construction import distinct

SEEDS = 3
ROOMS = ("base", "graphs", "files", "kernels", "cluster")
# Scale and edges of the R-MAT graph, draws, numbers of clusters; the small one has the same proportions.
GRAPHS = {
    "R-MAT 2^22, 40 M edges": (22, 40_000_000, 100_000, (100, 1_000)),
    "R-MAT 2^16, 625,000 edges": (16, 625_000, 1_562, (16,)),
}
LARGE = ("R-MAT 2^22, 40 M edges",)
OURS, THEIRS, DEFAULT = "graphcore, published", "coreset-sc", "graphcore, default settings"
ONE_START = ", one start"
# Each of graphcore's methods, and its peer.
PAIRS = {OURS: THEIRS, OURS + ONE_START: THEIRS + ONE_START, DEFAULT: THEIRS}
# "Seconds without k-means" is shown, and has no target; neither have the small graph and graphcore as it comes.
TARGETS = {"seconds": 3.0, "seconds without k-means": None, "MB in all": 2.0}


def run(options):
    """Measure all graphs."""
    outcomes, sections = [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        scale, n_edges, draws, sweep = GRAPHS[graph]
        path = inputs.rmat(scale, n_edges)
        for k in sweep:
            found = compare(graph, path, draws, k, options)
            if found:
                sections.append(section(graph, found, path, draws))
            outcomes += found
    title = f"From file: medians over {options.seeds} runs"
    return Report(title, sections, outcomes, ("seconds", "MB in all"))


def methods(draws, n_distinct, n_nodes):
    """Return both sides with their own starts of k-means and with one, and graphcore without any settings."""
    # Shares on both sides, since the warm-up's graph has fewer nodes than there are draws.
    share = draws / n_nodes
    model = {"published": True, "sampling": "degree", "coreset_size": n_distinct / n_nodes}
    return [
        Method(THEIRS, "coreset_sc_file", params={"size": share}),
        Method(OURS, "cluster_file", "graphcore", {"model": model}),
        Method(THEIRS + ONE_START, "coreset_sc_file", params={"size": share, "n_init": 1}),
        Method(OURS + ONE_START, "cluster_file", "graphcore", {"model": model, "n_init": 1}),
        Method(DEFAULT, "cluster_file", "graphcore", {"model": {}}),
    ]


def compare(graph, path, draws, k, options):
    """Measure the methods on the text of a graph file; scores are those on the graph itself."""

    def score(text, run, k, own_k):
        return scoring.score_run(path, run, k, own_k)

    wanted = harness.chosen(methods(draws, distinct(path, draws), inputs.shape(path)[0]), options)
    text = inputs.edge_list(path) if wanted else None
    return [harness.measure(method, graph, text, k, options, score=score) for method in wanted]


def without_kmeans(outcome):
    """Return the median of the seconds that are not k-means."""
    if outcome.status != "ok":
        return None
    rest = [s - parts.get("k-means", 0.0) for s, parts in zip(outcome.seconds, outcome.parts, strict=True)]
    return statistics.median(rest)


def section(graph, found, path, draws):
    """Return tables of the methods, of their parts, and of the targets."""
    n, entries = inputs.shape(path)
    size = inputs.edge_list(path).stat().st_size / 1e6
    header = ["method", "s", "s without k-means", "CPU s", "MB in all", "MB above what was loaded", "NC", "outcome"]
    rows = []
    for o in found:
        figures = [o.median("seconds"), without_kmeans(o), o.median("cpu_seconds")]
        figures += [o.median("MB in all"), o.median("megabytes"), o.median("nc")]
        rows.append([o.method.title, *figures, o.remark])
    parts = [[o.method.title, name, o.median(name)] for o in found if o.parts for name in o.parts[0]]
    text = f"## {graph} ({n:,} nodes, {entries // 2:,} lines, {size:,.0f} MB), {draws:,} draws, k = {found[0].k}"
    starts = "coreset-sc makes ten starts of k-means, graphcore fewer where a single one takes long."
    tables = [starts, table(header, rows), table(["method", "part", "s"], parts), factors(found, graph in LARGE)]
    return "\n\n".join([text, *filter(None, tables)])


def factors(found, aimed):
    """Return a table of the factors by which graphcore is ahead; `aimed`: whether there are targets."""
    header = ["method", "measure", "times less than coreset-sc", "at least", "holds"]
    named = {o.method.title: o for o in found}
    rows = []
    for ours, theirs in ((named.get(a), named.get(b)) for a, b in PAIRS.items()):
        for measure, least in TARGETS.items() if ours and theirs else ():
            stopped = theirs.status != "ok"
            cells = factor_cells(
                figure(ours, measure),
                theirs.seconds_at_least() if stopped and measure == "seconds" else figure(theirs, measure),
                least if aimed and ours.method.title != DEFAULT else None,
                stopped=stopped,
            )
            rows.append([ours.method.title, measure, *cells])
    return table(header, rows) if rows else ""


def figure(outcome, measure):
    """Return the median of one of the TARGETS' measures."""
    return without_kmeans(outcome) if measure == "seconds without k-means" else outcome.median(measure)
