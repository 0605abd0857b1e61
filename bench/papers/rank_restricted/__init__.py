"""Wang, Gittens, Mahoney, JMLR 2019: rank-restricted Nystrom features for kernel k-means."""

from ..exhibit import Paper
from . import large, medium

_EXHIBITS = {exhibit.name: exhibit for exhibit in (*medium.EXHIBITS, *large.EXHIBITS)}
_ORDER = ("figure-1", "table-3", "figure-3", "figure-4", "figure-5", "table-5", "table-6")

PAPER = Paper(
    name="rank_restricted",
    title="Rank-restricted Nyström, measured again",
    source=(
        "Wang, Gittens, Mahoney, *Scalable Kernel K-Means Clustering with Nyström Approximation: Relative-Error "
        "Bounds*, JMLR 20 (2019)."
    ),
    intro="""
The figures and tables of the paper, measured again, but for those of clusters of machines (table 4 and figure 6) and
those that draw the values of tables 5 and 6 once more (figures 2, 7 and 8); a page of its own has [its
claims](../theory/rank_restricted_nystrom.md), and the guide describes [landmark methods](../nystrom.md). The kernel is
Gaussian; its sigma is beta times the root mean square distance, with beta = 1 unless stated. c is the number of
landmarks, s that of features. NMI is normalised by the geometric mean of the entropies.
""",
    exhibits=tuple(_EXHIBITS[name] for name in _ORDER),
)
