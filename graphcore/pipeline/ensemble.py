"""Several coresets of one graph: how many, how far they agree, and their consensus."""

from dataclasses import dataclass

import numpy as np

from .._progress import Stages
from .._threads import effective_jobs, map_items
from ..partition.cluster_sums import cluster_sums
from ..partition.consensus import consensus, stability
from ..partition.quotient import apply_labels, common_refinement
from .run import CoresetRun, grow_clusters, limits, max_links, refine_labels, run_coreset

__all__ = ["Ensemble", "consensus_labels", "has_doubts", "is_settled", "run_coresets"]

# A consensus of more groups than this is not looked for: it would be as large a problem as the graph.
_MAX_GROUPS = 20_000
_MAX_GROUPS_SHARE = 0.25
# Two coresets that agree on more of the nodes leave little to settle; on graphs of few entries it is settled all the
# same, as that takes no time. Where they agree on less, more of them settle nothing, and moves of groups go further:
# on graphs of many entries the best of the two is where those begin.
_SETTLED, _UNSETTLED = 0.95, 0.5
_FEW_ENTRIES = 1 << 19


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Runs of several coresets, or the only one."""

    runs: list[CoresetRun]
    best: CoresetRun
    groups: tuple | None = None  # (labels of nodes that are together in all runs, their number), if worth a consensus
    agreement: float = np.nan  # share of the nodes on which the first two agree; NaN if there is one


def is_settled(graph, agreement):
    """Whether two coresets agree on so many nodes of a large graph that nothing more is tried."""
    return agreement >= _SETTLED and graph.n_entries > _FEW_ENTRIES


def has_doubts(graph, agreement):
    """Whether two coresets of a large graph agree on most nodes, but not on nearly all: some clusters may be wrong."""
    return _UNSETTLED < agreement < _SETTLED and graph.n_entries > _FEW_ENTRIES


def run_coresets(graph, settings, constraints, streams, n_jobs, stages):
    """One run for each coreset, as an Ensemble; of `constraints` only the counts are used.

    Left to itself, the number of coresets ends at two where these agree on nearly all or on too little.
    """
    n_runs = settings.n_coresets
    if n_runs == 1:
        run = run_coreset(graph, settings, streams, effective_jobs(n_jobs), stages, constraints)
        return Ensemble([run], run)

    def wave(first, last):
        # Coresets are worked on side by side, each by one thread and with a clock of its own.
        clocks = [Stages() for _ in range(last)]
        with stages(f"coreset {last}" if last == first + 1 else f"coresets {first + 1} to {last}", total=False):
            made = map_items(
                lambda r: run_coreset(graph, settings, streams.child("run", r), 1, clocks[r], constraints),
                range(first, last),
                n_jobs,
            )
        for clock in clocks:
            for name, seconds in clock.seconds.items():
                stages.seconds[name] = stages.seconds.get(name, 0.0) + seconds
        return made

    k = settings.n_clusters
    runs = wave(0, 2)
    agreement = float(stability(runs[0].labels, [runs[1].labels], k, n_jobs)[0].sum()) / max(
        1, graph.n_nodes - graph.n_isolated
    )
    is_unsettled = settings.may_stop_early and agreement <= _UNSETTLED
    if n_runs > 2 and not is_unsettled and not (settings.may_stop_early and is_settled(graph, agreement)):
        runs += wave(2, n_runs)
    best = max(runs, key=lambda run: run.value)
    for run in runs:
        if run is not best:  # the tree is made of the best
            run.groups = run.group_labels = run.group_graph = None  # each as large as labels
    if is_unsettled and settings.n_cycles and graph.n_entries > _FEW_ENTRIES:
        return Ensemble(runs, best, agreement=agreement)
    groups, n_groups = common_refinement([run.labels for run in runs], k)
    max_groups = max(_MAX_GROUPS, round(_MAX_GROUPS_SHARE * graph.n_nodes))
    return Ensemble(runs, best, (groups, n_groups) if k < n_groups <= max_groups else None, agreement)


def consensus_labels(rows, ensemble, settings, constraints, streams, n_jobs, stages):
    """Labels of the best run, or of the consensus where there is one; and (stage, objective)s."""
    best, history = ensemble.best, list(ensemble.best.history)
    if ensemble.groups is None:
        return best.labels.copy(), history
    groups, n_groups = ensemble.groups
    with stages("consensus"):
        group_labels, _ = consensus(
            rows, groups, n_groups, best.labels, settings.n_clusters, rng=streams.generator("consensus"),
            n_jobs=n_jobs, max_entries=max_links(rows), constraints=constraints, **limits(settings),
        )  # fmt: skip
        labels = apply_labels(group_labels, groups)
        grow_clusters(rows, labels, settings, constraints)
        sums = cluster_sums(rows, labels, settings.n_clusters, n_jobs, counts=constraints.counts)
        history.append(("consensus", sums.value(settings.objective)))
    with stages("refinement"):
        sums = refine_labels(rows, labels, settings, constraints, sums, n_jobs)
        history.append(("refinement of the consensus", sums.value(settings.objective)))
    return labels, history
