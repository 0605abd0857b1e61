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
Every figure and table with numbers. [Claims and corrections](../theory/rank_restricted_nystrom.md) are on a page of
their own; [landmark methods](../nystrom.md) are for use. The kernel is Gaussian, its sigma beta times the root mean
square distance, beta = 1 where nothing else is said. NMI is taken with the geometric mean of the entropies.
""",
    rooms=("base", "kernels", "kernel_methods"),
    exhibits=tuple(_EXHIBITS[name] for name in (*_ORDER, "table-6", "figure-8")),
)
