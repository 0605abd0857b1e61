"""Probabilities against how often they were right."""

import numpy as np

from .._typing import Axes
from ..exceptions import InputError
from ..metrics.truth import Calibration
from ._style import FAINT, INK, SHADES, axes_of, open_frame


def calibration(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw a dot for each bin of probabilities: its mean, and the share that was right; on the diagonal they agree.

    Parameters
    ----------
    found : Calibration
        From :func:`graphcore.metrics.calibration`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given. Several can be drawn into one.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `found` is something else.

    Examples
    --------
    >>> import graphcore
    >>> found = graphcore.metrics.calibration([0.9, 0.9, 0.9, 0.5], [True, True, True, False])
    >>> graphcore.plot.calibration(found).get_xlabel()
    'probability'
    """
    if not hasattr(found, "probability"):
        raise InputError(
            "calibration draws what graphcore.metrics.calibration(probabilities, right) returns, got "
            f"{type(found).__name__}"
        )
    ax = axes_of(ax, (4.4, 4))
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1, zorder=1)
    shade = SHADES[len(ax.collections) % len(SHADES)]
    area = 15 + 150 * np.sqrt(found.count / found.count.sum())
    ax.plot(found.probability, found.right, color=shade, lw=1, zorder=2, clip_on=False)
    ax.scatter(found.probability, found.right, s=area, c=shade, edgecolors=INK, linewidths=0.6, zorder=3, clip_on=False)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="probability", ylabel="share that is right", aspect="equal")
    open_frame(ax)
    return ax
