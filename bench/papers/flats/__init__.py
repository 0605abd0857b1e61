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
All figures, and the propositions on the choice of k. [Claims and corrections](../theory/flats_and_model_selection.md)
are on a page of their own; [k-flats](../flats.md) and [the penalised error](../choose_k.md#penalised-error) are for
use. The report has no tables, and describes its curves in words: what it says of the best k is beside ours.
""",
    rooms=("base", "kernels", "kernel_methods/flats", "cluster/selection"),
    exhibits=(*shapes.FIGURES, *errors.FIGURES, shapes.FIGURE_11, *choosing.EXHIBITS),
)
