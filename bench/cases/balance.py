"""Parts of about equal size: edge cut and NC at the imbalance that METIS reaches, with sizes and with volumes limited.

METIS balances numbers of nodes by default, and volumes where nodes weigh their degrees. graphcore is given the largest
part of METIS's median run as `max_cluster_size`, or its largest volume as `max_share`. ``--page
docs/tables/balance.md`` writes the table of the docs.
"""

import numpy as np

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, cell, score_cell, table, verdict
from .quality import GRAPHS as ALL
from .quality import LARGE, graph_path

SEEDS = 3
# Limits, and the peer that balances each.
KINDS = {"sizes": Method("METIS", "metis"), "volumes": Method("METIS, degrees as weights", "metis_volumes")}
OURS = "graphcore, "
GRAPHS = (
    "mnist-nn10", "har", "pendigits-nn10", "letter-nn10", "email", "fbpages", "lfr-10000-0.3", "dblp",
    "pendigits-nn250", "planted 250 x 1,000",
)  # fmt: skip
MEASURES = {"sizes": "size", "volumes": "share"}


def run(options):
    """Measure all graphs."""
    outcomes, missing = [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path, k = graph_path(graph, options.data), ALL[graph]
        if path is None:
            missing.append(graph)
            continue
        for kind, metis in KINDS.items():
            peer = harness.measure(metis, graph, path, k, options, score=score)
            outcomes.append(peer)
            if peer.status != "ok":
                continue
            measure = MEASURES[kind]
            limit = {"kind": measure, "most": peer.median(measure) * (1 + 1e-9), "n": inputs.shape(path)[0]}
            method = Method(OURS + kind, "balanced", "graphcore", limit)
            ours = harness.measure(method, graph, path, k, options, score=score)
            outcomes.append(ours)
    sections = [page(outcomes)]
    sections += options.absent(missing)
    return Report(
        f"Balance: medians over {options.seeds} seeds", sections, outcomes, ("cut", "nc", "cpu_seconds"),
        page=sections[0] if outcomes else "",
    )  # fmt: skip


def page(outcomes):
    """Return the table, from outcomes measured now or earlier: a row for each graph and limit."""
    found, rows = {(o.graph, o.method.title): o for o in outcomes}, []
    for graph in dict.fromkeys(o.graph for o in outcomes):
        for kind, metis in KINDS.items():
            peer, ours = found.get((graph, metis.title)), found.get((graph, OURS + kind))
            if peer is not None and ours is not None:
                rows.append(row(graph, peer.k, kind, peer, ours))
    header = ["graph", "k", "balanced", "imbalance", "edge cut, METIS", "graphcore", "NC, METIS", "graphcore"]
    return table([*header, "CPU s, METIS", "graphcore", "both at most METIS's"], rows)


def score(path, run, k, own_k):
    """Return NC, the cut edges, and the largest size and volume in means."""
    indptr, indices, _ = scoring.load(path)
    degrees = np.diff(indptr)
    labels = np.where(degrees > 0, run["labels"], -1)
    places = np.where(labels < 0, k, labels)
    inside = np.repeat(places, degrees) == places[indices]
    sizes, volumes = (np.bincount(places, weights=w, minlength=k + 1)[:k] for w in (None, degrees))
    return {
        "nc": scoring.normalized_cut(indptr, indices, labels, k),
        "cut": int(np.count_nonzero(~inside)) // 2,
        "size": float(sizes.max() / sizes.mean()),
        "share": float(volumes.max() / volumes.mean()),
    }


def row(graph, k, kind, peer, ours):
    """Return a line of the table: medians of both, and whether graphcore is no worse in either."""
    measure = MEASURES[kind]
    found = [graph, k, kind, f"{peer.median(measure):.3f}"]
    if ours.status != "ok":
        return [*found, peer.median("cut"), ours.remark, score_cell(peer.median("nc")), "-", "-", "-", "-"]
    holds = all(ours.median(name) <= peer.median(name) for name in ("cut", "nc"))
    kept = max(row[measure] for row in ours.scores) <= peer.median(measure) * (1 + 1e-6)
    found += [peer.median("cut"), ours.median("cut"), score_cell(peer.median("nc")), score_cell(ours.median("nc"))]
    return [*found, cell(peer.median("cpu_seconds")), cell(ours.median("cpu_seconds")), verdict(holds and kept)]
