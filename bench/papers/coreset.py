"""Coreset spectral clustering: figures 2 to 7, Lemma 4.2, and the authors' program."""

from .coreset_authors import AUTHORS
from .coreset_construction import FIGURE_2
from .coreset_lemma import LEMMA
from .coreset_neighbors import FIGURES
from .coreset_planted import FIGURE_4
from .exhibit import Paper

PAPER = Paper(
    name="coreset",
    title="Coreset spectral clustering, measured again",
    source="Jourdan, Schwartzman, Macgregor, Sun, *Coreset Spectral Clustering*.",
    intro="""
[Where every algorithm and claim is in the code](../theory/coreset_spectral_clustering.md). Published figures are
curves; the text states few numbers, and those are set beside ours. Times are processor seconds of all threads.
""",
    exhibits=(AUTHORS, LEMMA, FIGURE_2, FIGURES[0], FIGURE_4, *FIGURES[1:]),
)
