"""The objectives that merging, moves and recombination raise, and what is particular about each."""

from dataclasses import dataclass

from .._validation import check_choice
from . import _objective_loops

__all__ = ["OBJECTIVES", "Objective", "objective_code"]


@dataclass(frozen=True)
class Objective:
    """One objective; its terms are in :mod:`graphcore.partition._objective_loops`, by its code."""

    code: int  # by which compiled loops know it
    min_share: float  # of the mean volume that moves leave every cluster: it must not lose its nodes one by one
    is_per_cluster: bool  # whether a term is a share of its cluster's volume: an edge is worth k times as much
    spread: float  # share of itself by which drafts differ as a rule, before anything is known of a graph


OBJECTIVES = {
    "information": Objective(_objective_loops.INFORMATION, min_share=0.1, is_per_cluster=False, spread=5e-4),
    # Its smallest clusters are its answer.
    "ncut": Objective(_objective_loops.NCUT, min_share=0.0, is_per_cluster=True, spread=1e-2),
}


def objective_code(objective):
    """Number by which compiled loops know an objective."""
    check_choice("objective", objective, tuple(OBJECTIVES))
    return OBJECTIVES[objective].code
