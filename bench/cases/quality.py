"""NC and ARI of graphcore and its peers on real and planted graphs, medians over seeds, and the targets.

One set of default parameters for all graphs. Peers that are given the same k are METIS, scikit-learn, stag and
coreset-sc; Leiden and Louvain find their own, and are averaged over their own clusters.
``--page docs/tables/quality.md`` writes the tables of the docs.
"""

from .. import harness, inputs, quality_page
from ..harness import Method
from ..report import Report, score_cell, table, verdict

SEEDS = 5
DEFAULT, PURE, METIS = "graphcore", "graphcore, pure NC", "METIS"
GRAPHS = {
    "mnist-nn10": 10,
    "har": 6,
    "pendigits-nn10": 10,
    "letter-nn10": 26,
    "email": 42,
    "fbpages": 4,
    "lfr-10000-0.3": 120,
    "dblp": 100,
    "pendigits-nn250": 10,
    "planted 250 x 1,000": 250,
}
LARGE = ("dblp", "planted 250 x 1,000")
METHODS = [
    Method(DEFAULT, "cluster", "graphcore"),
    Method(PURE, "cluster", "graphcore", {"objective": "ncut"}),
    Method("graphcore, published", "cluster", "graphcore", {"published": {}}),
    Method(METIS, "metis"),
    Method("sklearn, k-means", "sklearn", params={"assign_labels": "kmeans"}),
    Method("sklearn, cluster_qr", "sklearn", params={"assign_labels": "cluster_qr"}),
    Method("stag", "stag"),
    Method("coreset-sc 1 %", "coreset_sc", params={"size": 0.01}),
    Method("coreset-sc 10 %", "coreset_sc", params={"size": 0.1}),
    Method("Leiden (igraph)", "igraph_leiden", own_k=True),
    Method("Leiden (leidenalg)", "leiden", own_k=True),
    Method("Louvain (igraph)", "louvain", own_k=True),
    Method("Louvain (scikit-network)", "sknetwork_louvain", own_k=True),
]
# The default, with another coreset.
_STEPS = {"sampling": "degree", "overcluster": None, "refine": True}
ONE_PERCENT = Method("graphcore, coreset 1 %", "cluster", "graphcore", {"published": {"coreset_size": 0.01, **_STEPS}})
SPECTRAL_PEERS = ("sklearn, k-means", "sklearn, cluster_qr", "stag", "coreset-sc 1 %", "coreset-sc 10 %")
# What is known not to finish is not tried: k eigenvectors of a large, nearly disconnected graph.
TOO_SLOW = {
    "sklearn": ("mnist-nn10", "dblp", "planted 250 x 1,000"),
    "stag": ("dblp", "planted 250 x 1,000"),
}
PURE_TARGETS = ("har", "pendigits-nn10", "pendigits-nn250", "email")


def run(options):
    """Measure all rows."""
    outcomes, sections, missing = [], [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        k = GRAPHS[graph]
        path = inputs.planted(250, 1000, 0.5, 0.001 / 250) if "planted" in graph else inputs.real(graph, options.data)
        if path is None:
            missing.append(graph)
            continue
        methods = [*METHODS[:1], ONE_PERCENT, *METHODS[1:]] if "planted" in graph else METHODS
        found = []
        for method in harness.chosen(methods, options):
            if graph in TOO_SLOW.get(method.name, ()):
                found.append(harness.skipped(method, graph, k, "does not finish"))
            else:
                found.append(harness.measure(method, graph, path, k, options))
        n, entries = inputs.shape(path)
        sections.append(f"## {graph}: {n:,} nodes, {entries // 2:,} edges, k = {k}\n\n" + details(found))
        outcomes += found
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    title = f"Quality: medians over {options.seeds} seeds"
    return Report(
        title,
        [targets(outcomes), *sections],
        outcomes,
        ("nc", "ari", "seconds"),
        page=page(outcomes) if outcomes else "",
    )


def page(outcomes):
    """The tables of the docs, from outcomes measured now or earlier."""
    return quality_page.page(outcomes, judge)


def details(found):
    """One graph's table, a row for each method."""
    header = ["method", "NC", "ARI", "NMI", "clusters", "smallest", "s", "CPU s", "MB above the graph", "outcome"]
    rows = []
    for o in found:
        scores = [score_cell(o.median(name)) for name in ("nc", "ari", "nmi")]
        plain = [o.median(name) for name in ("clusters", "smallest", "seconds", "cpu_seconds", "megabytes")]
        rows.append([o.method.title, *scores, *plain, o.remark])
    return table(header, rows)


def targets(outcomes):
    """The table of the targets: each graph's peers, measured in the same run, and whether graphcore meets them."""
    header = ["graph", "k", "METIS", "best spectral peer", "best same-k ARI", "own k"]
    header += [DEFAULT, "NC target", "ARI target", PURE, "pure NC target"]
    rows = []
    for graph in dict.fromkeys(o.graph for o in outcomes):
        by_title = {o.method.title: o for o in outcomes if o.graph == graph}
        judged = judge(graph, by_title)
        spectral = best(by_title, SPECTRAL_PEERS, "nc", min)
        own = [f"{pair(o)} ({o.median('clusters'):.0f})" for o in by_title.values() if o.method.own_k and o.scores]
        rows.append(
            [
                graph,
                next(iter(by_title.values())).k,
                pair(by_title.get(METIS)),
                f"{pair(spectral)} ({spectral.method.title})" if spectral else "-",
                score_cell(judged["best_ari"]),
                ", ".join(own) or "-",
                pair(by_title.get(DEFAULT)),
                judged["nc"],
                judged["ari"],
                pair(by_title.get(PURE)),
                judged["pure"],
            ]
        )
    text = (
        "NC / ARI. NC target: at most 1.02 x METIS. ARI target: at least the best of METIS and the spectral peers "
        "minus 0.01 (pendigits-nn250: also at least 0.68). Pure NC target: at most 1.05 x the best spectral peer."
    )
    return f"## Targets\n\n{text}\n\n" + table(header, rows)


def judge(graph, by_title):
    """Whether the targets hold on one graph: "yes", "NO", or "-" where a side was not measured."""

    def median(title, measure):
        return by_title[title].median(measure) if title in by_title else None

    peer = best(by_title, (METIS, *SPECTRAL_PEERS), "ari", max)
    best_ari = peer.median("ari") if peer else None
    nc, metis, ari = median(DEFAULT, "nc"), median(METIS, "nc"), median(DEFAULT, "ari")
    ari_floor = None if best_ari is None else best_ari - 0.01
    if graph == "pendigits-nn250" and ari_floor is not None:
        ari_floor = max(ari_floor, 0.68)
    spectral = best(by_title, SPECTRAL_PEERS, "nc", min)
    pure, pure_limit = median(PURE, "nc"), None if spectral is None else 1.05 * spectral.median("nc")
    pure_holds = verdict(None if pure is None or pure_limit is None else pure <= pure_limit)
    return {
        "nc": verdict(None if nc is None or metis is None else nc <= 1.02 * metis),
        "ari": verdict(None if ari is None or ari_floor is None else ari >= ari_floor),
        "pure": pure_holds if graph in PURE_TARGETS else f"({pure_holds})",
        "best_ari": best_ari,
    }


def best(by_title, titles, measure, choose):
    """The outcome whose median is best among some methods, None if none was measured."""
    measured = [by_title[t] for t in titles if t in by_title and by_title[t].median(measure) is not None]
    return choose(measured, key=lambda o: o.median(measure)) if measured else None


def pair(outcome):
    """NC / ARI of an outcome, or its status."""
    if outcome is None:
        return "-"
    if outcome.status != "ok":
        return outcome.status
    return f"{score_cell(outcome.median('nc'))} / {score_cell(outcome.median('ari'))}"
