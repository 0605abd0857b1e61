"""Summaries of a run: a dictionary, and a few aligned lines."""

from dataclasses import asdict

# Sizes of more clusters are summed up.
_FEW_CLUSTERS = 20


def graph_facts(path, graph):
    """Collect the facts about a graph, ready for JSON."""
    return {
        "input": path, "nodes": graph.n_nodes, "edges": graph.n_edges, "weighted": graph.is_weighted,
        "self_loops": graph.n_self_loops, "components": graph.n_components, "isolated": graph.n_isolated,
    }  # fmt: skip


def cluster_facts(path, model):
    """Collect the facts about a fitted model, ready for JSON."""
    import numpy as np

    from .. import __version__

    result, chosen = model.clustering_, model.selection_
    settings, stability, labels, search = result.settings, result.node_stability, result.labels, result.search
    return graph_facts(path, model.graph_) | {
        "n_clusters": settings.n_clusters,
        "chosen": None if chosen is None else {"method": chosen.method, "clear": chosen.clear},
        "settings": asdict(settings),
        "coreset": {"nodes": len(result.coreset), "draws": result.coreset.n_draws},
        "drafts": None if search is None else {"number": search.n_drafts, "seconds": float(search.seconds[-1])},
        "normalized_cut": float(model.conductance_.mean()),
        "outliers": None if settings.outliers is None else model.graph_.n_isolated,
        "cluster_sizes": np.bincount(labels[labels >= 0], minlength=settings.n_clusters).tolist(),
        "unreached": result.n_unreached,
        "stability": None if stability is None else float(stability[labels >= 0].mean()),
        "unsure_clusters": result.n_unsure,
        "version": __version__,
    }


def graph_lines(facts):
    """Return pairs of heading and text about a graph."""
    kind, given = "weighted" if facts["weighted"] else "unweighted", facts["input"]
    outliers = facts.get("outliers")  # have a line of their own
    parts = [count(facts["components"] - (outliers or 0), "component")]
    if facts["isolated"] and outliers is None:
        parts.append(f"{facts['isolated']:,} isolated")
    if facts["self_loops"]:
        parts.append(count(facts["self_loops"], "self-loop"))
    return [
        ("input", given if isinstance(given, str) else f"{given[0]} and {count(len(given) - 1, 'more file')}"),
        ("graph", f"{count(facts['nodes'], 'node')}, {count(facts['edges'], 'edge')}, {kind}, {', '.join(parts)}"),
    ]


def cluster_lines(facts):
    """Return pairs of heading and text about a clustering."""
    from ..cluster.n_clusters import how_chosen

    coreset, settings, chosen, truth = (facts[name] for name in ("coreset", "settings", "chosen", "truth"))
    draws = "" if coreset["draws"] == coreset["nodes"] else f" from {coreset['draws']:,} draws"
    unreached = facts["unreached"] if settings["published"] else 0
    lines = {
        "coreset": f"{count(coreset['nodes'], 'node')}{draws}, {settings['sampling']} sampling",
        "k": chosen and f"{facts['n_clusters']}, {how_chosen(**chosen)}{'; it stands out' * bool(chosen['clear'])}",
        "clusters": sizes_line(facts["cluster_sizes"]),
        "balance": settings["balance"] < 1 and f"{settings['balance']:g}; below 1, clusters may be of uneven size",
        "outliers": facts["outliers"] is not None and f"{facts['outliers']:,} with label -1, far from all others",
        "drafts": settings["time_limit"] and _search(settings["time_limit"], **facts["drafts"]),
        "NC": f"{facts['normalized_cut']:.4f}, the normalised cut; lower is better",
        "stability": facts["stability"] is not None
        and f"{facts['stability']:.2f}, the share of drafts from the same edges that agree with a label",
        "truth": truth and agreement_line(truth),
        "verdict": facts["unsure_clusters"] and _verdict(facts),
        "unreached": unreached and f"{count(unreached, 'node')} without an edge to the coreset, put into one cluster",
        "seconds": ", ".join(f"{stage} {spent:.2f}" for stage, spent in facts["seconds"].items()),
        "labels": "standard output" if facts["output"] == "-" else facts["output"],
    }
    lines |= {name: facts[name] for name in ("tree", "report", "membership", "model")}
    return [(heading, text) for heading, text in lines.items() if text]


def _search(limit, number, seconds):
    """Tell a search that its limit ended from one that gained nothing more."""
    from ..cluster.pipeline import drafts_within

    end = ", before" if drafts_within(limit, number, seconds) >= 1 else "; another would have ended after"
    return f"{number:,} in {seconds:.2f} seconds{end} the limit of {limit:g}"


def _verdict(facts):
    """Explain a low stability, and suggest a remedy."""
    unsure, filled = facts["unsure_clusters"], sum(size > 0 for size in facts["cluster_sizes"])
    found = f"{unsure:,} of {count(filled, 'cluster')} {'changes' if unsure == 1 else 'change'} with the seed"
    if 2 * unsure < filled:
        return found
    chosen = facts["chosen"] is not None
    return f"{found}; try a smaller -k{'' if chosen else ' or -k auto'}"


def sizes_line(sizes):
    """Write the number of clusters and their sizes."""
    if len(sizes) <= _FEW_CLUSTERS:
        return f"{len(sizes)}, of sizes {' '.join(str(size) for size in sorted(sizes, reverse=True))}"
    import numpy as np

    empty = sizes.count(0)
    note = f", {empty} empty" if empty else ""
    return f"{len(sizes)}, of sizes {min(sizes):,} (min), {np.median(sizes):,.0f} (median), {max(sizes):,} (max){note}"


def agreement_line(scores):
    """Write the agreement with known classes."""
    compared = count(scores["n_compared"], "node")
    return f"ARI {scores['ari']:.4f}, NMI {scores['nmi']:.4f} over {compared} with a class and a cluster"


def count(number, noun):
    """Write a number of things, as "1 node" or "2 nodes"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
