"""Wang, Gittens, Mahoney, JMLR 2019: rank-restricted Nystrom features for kernel k-means."""

from ..exhibit import Paper
from . import large, medium

_EXHIBITS = {exhibit.name: exhibit for exhibit in (*medium.EXHIBITS, *large.EXHIBITS)}
_ORDER = (
    "figure-1",
    "figure-2",
    "table-3",
    "figure-3",
    "figure-4",
    "figure-5",
    "table-4",
    "figure-6",
    "table-5",
    "figure-7",
)

PAPER = Paper(
    name="rank_restricted",
    title="Rank-restricted Nyström, measured again",
    source=(
        "Wang, Gittens, Mahoney, *Scalable Kernel K-Means Clustering with Nyström Approximation: Relative-Error "
        "Bounds*, JMLR 20 (2019)."
    ),
    intro="""
Every figure and table of the paper with numbers, measured again; a page of its own has [its
claims](../theory/rank_restricted_nystrom.md), and the guide describes [landmark methods](../nystrom.md). The kernel is
Gaussian; its sigma is beta times the root mean square distance, with beta = 1 unless stated. c is the number of
landmarks, s that of features. NMI is normalised by the geometric mean of the entropies.
""",
    exhibits=tuple(_EXHIBITS[name] for name in (*_ORDER, "table-6", "figure-8")),
)
