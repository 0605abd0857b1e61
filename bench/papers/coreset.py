"""Coreset spectral clustering: figures 2 to 7, the abstract, Lemma 4.2, and the authors' program."""

from .coreset_authors import AUTHORS
from .coreset_construction import ABSTRACT, FIGURE_2
from .coreset_lemma import LEMMA
from .coreset_neighbors import FIGURES
from .coreset_planted import FIGURE_4
from .exhibit import Paper

PAPER = Paper(
    name="coreset",
    title="Coreset spectral clustering, measured again",
    source="Jourdan, Schwartzman, Macgregor, Sun, *Coreset Spectral Clustering*.",
    intro="""
The figures of the paper, measured again; a page of its own has [its claims](../theory/coreset_spectral_clustering.md).
"CSC" is coreset spectral clustering. The published figures are curves, of which the text states few numbers; where it
does, they are shown beside those measured here. Times are processor seconds of all threads.
""",
    exhibits=(AUTHORS, LEMMA, ABSTRACT, FIGURE_2, FIGURES[0], FIGURE_4, *FIGURES[1:]),
)
