"""How even clusters are to be: what a nat of their entropy costs, chosen by how sure the clusters are."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..partition.improve import merged_halfway, merged_on, moved_as_groups

# What is tried where nobody says: 1 is information alone, which asks for clusters of one size where it can.
BALANCES = (1.0, 0.7, 0.5, 0.3)
# What a logarithm of doubt counts, and the least doubt that is told from none. On 69 generated sets and 20 real ones
# weights of .1 to .2 do the same to a thousandth of the mean ARI (docs/uneven.md).
_DOUBT, _LEAST_DOUBT = 0.15, 0.01
# Scores that differ by less do so by chance: without this the choice went by the seed on 54 of these 89 sets, now on 8.
_NOISE = 0.02


class Trial(NamedTuple):
    """What one balance makes of a graph's micro-clusters."""

    balance: float
    information: float  # J, in nats
    entropy: float  # H of the clusters' shares of volume, in nats
    cut_share: float
    score: float  # log J - 0.15 log(1 - J / H)


@dataclass(frozen=True, eq=False)
class Choice:
    """A balance, with the price that it means on this graph, what else was tried, and what merging made at it."""

    balance: float
    price: float  # of a nat of entropy, in nats of information
    trials: tuple  # of Trial
    table: np.ndarray = field(repr=False)  # (n_groups,) int32: clusters of the micro-clusters


def choose_balance(coarse, balance, rng, n_jobs=None):
    """The Choice for a graph between micro-clusters: of `BALANCES` for "auto", otherwise the given one's.

    At balance a the objective is ``J - (1 - a) (J_1 / H_1) H`` with the J and H of merging by J alone: each nat of
    labels has to earn so much of what they earn in the mean. Of what merging then makes the one is taken that has the
    largest ``log J - 0.15 log(1 - J / H)``, or the most even one of several that have nearly that. ``1 - J / H`` is the
    doubt about a node's cluster that is left by the cluster of a neighbour, as a share of the doubt before. A cut
    through a large cluster is paid for by J, and leaves doubt; a border between two clusters does not.
    """
    if len(coarse.rows.degrees) <= coarse.fewest:
        parts, between = np.arange(len(coarse.rows.degrees), dtype=np.int32), coarse
    else:
        parts, between = merged_halfway(coarse, rng, n_jobs)
    table = merged_on(between)
    trials, tables = [_trial(1.0, between, table)], {1.0: table}
    worth = trials[0].information / trials[0].entropy if trials[0].entropy > 0.0 else 0.0
    for other in others(balance):
        tables[other] = merged_on(replace(between, objective=coarse.record.at(price=(1.0 - other) * worth)))
        trials.append(_trial(other, between, tables[other]))
    best = trials[most_even([trial.score for trial in trials])].balance if balance == "auto" else balance
    price = (1.0 - best) * worth
    priced = replace(coarse, objective=coarse.record.at(price=price))
    table = moved_as_groups(priced, tables[best][parts], between.n_clusters, rng)
    return Choice(best, price, tuple(trials), table)


def others(balance):
    """The balances below 1 to try for one that is given, or for "auto"."""
    return BALANCES[1:] if balance == "auto" else (balance,) if balance < 1.0 else ()


def certainty(information, entropy):
    """``log J - 0.15 log(1 - J / H)``: large where clusters say much, and leave little doubt."""
    if information <= 0.0:
        return -np.inf
    return float(np.log(information) - _DOUBT * np.log(max(1.0 - information / entropy, _LEAST_DOUBT)))


def most_even(scores):
    """The first of the scores, which are those of ever less even partitions, that is nearly the largest."""
    return next(i for i, score in enumerate(scores) if score >= max(scores) - _NOISE)


def _trial(balance, coarse, table):
    sums = coarse.sums(table)
    total, information = sums.volume.sum(), sums.value("information")
    shares = sums.volume[sums.volume > 0.0] / total
    entropy = float(-(shares * np.log(shares)).sum())
    score = certainty(information, entropy) if entropy > 0.0 else -np.inf
    return Trial(balance, information, entropy, float(1.0 - sums.internal.sum() / total), score)
