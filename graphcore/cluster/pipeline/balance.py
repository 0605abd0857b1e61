"""Choose the balance, the price of the entropy of cluster sizes, by the residual uncertainty of the clusters."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.threads import map_items
from ..partition.coreset_graph import random_micro_clusters
from ..partition.improve import merged, moved_as_groups
from ..partition.merge import agglomerate
from .drafts import PARTS, spectral_parts

# The candidates of balance="auto". At 1 the objective is the information alone, whose entropy favours even clusters.
BALANCES = (1.0, 0.7, 0.5, 0.3)
# The weight of the logarithm of residual uncertainty, and the least uncertainty that is told from none. On 69 generated
# sets and 20 real ones weights of .1 to .2 do the same to a thousandth of the mean ARI (docs/uneven.md).
_DOUBT, _LEAST_DOUBT = 0.15, 0.01
# What agreement counts. On 132 generated sets and 23 real ones a weight of .5 gains another .03 where there is noise,
# and gives up clusters of letters (docs/uneven.md).
_AGREEMENT = 0.3
# Scores that differ by less do so by chance: where draws agree on little, it is a little more at each step.
_NOISE = 0.05


class Trial(NamedTuple):
    """Scores of the partition of a coreset graph at one balance."""

    balance: float
    information: float  # J, in nats
    entropy: float  # H of the clusters' shares of volume, in nats
    cut_share: float
    score: float  # log J - 0.15 log(1 - J / H) + 0.3 agreement
    # With clusters merged from groups drawn anew: 1 for the same ones, 0 by chance. Earlier model files know none.
    agreement: float = np.nan


class Choice(NamedTuple):
    """A balance, with the price that it means on this graph, what else was tried, and what merging made at it."""

    balance: float
    price: float  # of a nat of entropy, in nats of information
    trials: tuple  # of Trial
    table: np.ndarray  # (n_groups,) int32: clusters of the micro-clusters


def choose_balance(coarse, balance, streams, *, eigen_solver="power", n_jobs=None):
    """Return the Choice for a coreset graph: of `BALANCES` for "auto", otherwise the given one's.

    At balance a the objective is ``J - (1 - a) (J_1 / H_1) H`` with the J and H of merging by J alone. Of what merging
    then makes the one is taken that has the largest ``log J - 0.15 log(1 - J / H) + 0.3 A``, or the most even one of
    several that nearly have it. The ratio ``1 - J / H`` is the doubt about a node's cluster that is left by the cluster
    of a neighbour, and A the agreement with what is merged from groups that grow from random nodes (parts of the same
    spectrum would agree on every cut). A cut through a large cluster is paid for by J, leaves doubt, and lies elsewhere
    in every draw; a border between two clusters stays where it is.
    """
    makers = [lambda: spectral_parts(coarse, streams, eigen_solver=eigen_solver, n_jobs=n_jobs)]
    if balance == "auto":
        makers.append(lambda: _merged_parts(coarse, streams.generator("groups"), n_jobs))
    views = map_items(lambda make: make(), makers, n_jobs)
    worth, trials, tables = 0.0, [], {}
    for some in ((1.0,), others(balance)):  # the others are counted in what is found at 1
        records = [coarse.record.at(price=(1.0 - each) * worth) for each in some]
        jobs = [replace(between, objective=record) for record in records for _, between in views]
        of_parts = iter(map_items(merged, jobs, n_jobs))
        for each in some:
            table_of_parts, *_ = own = [next(of_parts) for _ in views]
            found = [table[parts] for table, (parts, _) in zip(own, views, strict=True)]
            agreement = _agreement(found[0], found[-1], coarse.rows.degrees)
            trials.append(_trial(each, views[0][1], table_of_parts, agreement))
            tables[each] = found[0]
        if trials[0].entropy > 0.0:
            worth = trials[0].information / trials[0].entropy
    best = trials[most_even([trial.score for trial in trials])].balance if balance == "auto" else balance
    price = (1.0 - best) * worth
    priced = replace(coarse, objective=coarse.record.at(price=price))
    table = moved_as_groups(priced, tables[best], streams.generator("merging"), n_jobs)
    return Choice(best, price, tuple(trials), table)


def others(balance):
    """Return the balances below 1 to try for one that is given, or for "auto"."""
    return BALANCES[1:] if balance == "auto" else (balance,) if balance < 1.0 else ()


def certainty(information, entropy):
    """``log J - 0.15 log(1 - J / H)``: large where clusters say much, and leave little doubt."""
    if information <= 0.0:
        return -np.inf
    return float(np.log(information) - _DOUBT * np.log(max(1.0 - information / entropy, _LEAST_DOUBT)))


def most_even(scores):
    """Return the first of the scores, which are those of ever less even partitions, that is nearly the largest."""
    return next(i for i, score in enumerate(scores) if score >= max(scores) - _NOISE)


def _merged_parts(coarse, rng, n_jobs):
    """As many parts, merged by J from groups that grow from half of the nodes, drawn at random."""
    groups, n_groups = random_micro_clusters(coarse, rng, n_jobs)
    between = coarse.between(groups, n_groups, n_jobs)
    n_parts = min(n_groups, PARTS * coarse.n_clusters)
    parts, _, _ = agglomerate(between.rows, between.constraints.counts, n_parts, linkage=coarse.record.at())
    return parts[groups], between.between(parts, n_parts, n_jobs)


def _agreement(one, other, volumes):
    """Adjusted Rand index, between nodes drawn by volume, of two partitions of groups."""
    shares = sp.csr_array((volumes / volumes.sum(), (one, other)))
    both, first, second = (np.square(x).sum() for x in (shares.data, shares.sum(axis=1), shares.sum(axis=0)))
    chance = first * second
    spare = (first + second) / 2 - chance
    return float((both - chance) / spare) if spare > 0.0 else 1.0


def _trial(balance, coarse, table, agreement):
    sums = coarse.sums(table)
    total, information = sums.volume.sum(), sums.value("information")
    shares = sums.volume[sums.volume > 0.0] / total
    entropy = float(-(shares * np.log(shares)).sum())
    score = certainty(information, entropy) + _AGREEMENT * agreement if entropy > 0.0 else -np.inf
    return Trial(balance, information, entropy, float(1.0 - sums.internal.sum() / total), score, agreement)
