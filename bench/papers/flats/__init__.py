"""El Ghazzal, internship report 2012: k-flats, kernel k-flats and the penalised choice of k."""

from ..exhibit import Paper
from . import choosing, errors, shapes

PAPER = Paper(
    name="flats",
    title="k-flats and model selection, measured again",
    source=(
        "S. El Ghazzal, *Learning data representation and piece-wise estimation* (internship report, supervisor L. "
        "Rosasco, 2012)."
    ),
    intro="""
The figures of the report, but for three pictures of shapes (1, 3 and 12), and its propositions on the choice of k,
measured again; a page of its own has [its claims](../theory/flats_and_model_selection.md), and the guide describes
[k-flats](../flats.md). The report has no tables and describes its curves in words.
""",
    exhibits=(*shapes.FIGURES, *errors.FIGURES, shapes.FIGURE_11, *choosing.EXHIBITS),
)
