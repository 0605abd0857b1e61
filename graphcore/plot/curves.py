"""Curves: the objective after each stage, scores against k."""

from collections import abc

import numpy as np

from ..base.types import ArrayLike, Axes, Mapping, Sequence
from ..exceptions import InputError
from ._style import INK, MIDDLE, PAPER, axes_of, legend, mark, open_frame, picture, plain_numbers

# Lines differ in dash and marker, not in shade alone.
_LOOKS = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."), ("v", (0, (5, 1, 1, 1, 1, 1))), ("P", (0, (1, 3))))
_GREYS = (INK, MIDDLE)


@picture
def objective_history(history: Sequence[tuple[str, float]], *, ax: Axes | None = None) -> Axes:
    """Draw the objective after each stage of a fit; larger is better.

    Parameters
    ----------
    history : sequence of (str, float)
        Such as ``model.clustering_.history``.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> ax = graphcore.plot.objective_history([("merging", 0.5), ("refinement", 0.6)])
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['merging', 'refinement']
    """
    if len(history) == 0:
        raise InputError("the history is empty: the published algorithm follows no objective")
    ax = axes_of(ax, (5.6, 0.9 + 0.4 * len(history)))
    names, values = zip(*history, strict=True)
    places = np.arange(len(values))
    # Stages run down the page, where names of any length have room.
    ax.plot(values, places, "-", color=INK, lw=1, zorder=2)
    ax.plot(values, places, "o", color=INK, ms=5, zorder=3)
    low, high = min(values), max(values)
    room = max(high - low, 1e-3 * max(abs(high), 1e-300))
    ax.set_xlim(low - 0.1 * room, high + 0.45 * room)
    ax.set_ylim(len(values) - 0.5, -0.5)
    for place, value in zip(places, values, strict=True):
        ax.annotate(
            f"{value:.5g}", (value, place), (4, 3), textcoords="offset points", va="bottom", color=INK, fontsize=8
        )
    ax.set_yticks(places, names)
    ax.set_xlabel("objective (larger is better)")
    ax.locator_params(axis="x", nbins=4)
    open_frame(ax)
    return ax


@picture
def balance_choice(trials: Sequence, *, chosen: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the balances that a fit tried: the score of each, and the share of edge weight cut at it.

    Parameters
    ----------
    trials : sequence of Trial
        Such as ``model.clustering_.balances``.
    chosen : float, optional
        A balance to mark, such as ``model.balance_``.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(graphcore.datasets.load_karate().graph)
    >>> ax = graphcore.plot.balance_choice(model.clustering_.balances, chosen=model.balance_)
    >>> ax.get_xlabel()
    'balance (1: clusters as even as can be)'
    """
    if len(trials) == 0:
        raise InputError("no balance was tried: it was given as 1, or the objective has none")
    ax = axes_of(ax, (5.6, 3))
    ax.plot([each.balance for each in trials], [each.score for each in trials], "o-", color=INK, ms=5, lw=1)
    for each in trials:
        ax.annotate(
            f"cut {each.cut_share:.1%}", (each.balance, each.score), (0, 5), textcoords="offset points", ha="center",
            va="bottom", color=MIDDLE, fontsize=8,
        )  # fmt: skip
    if chosen is not None:
        mark(ax, chosen, f"taken: {chosen:g}", (2, 2))
    ax.set_xticks([each.balance for each in trials])
    ax.margins(0.15, 0.3)
    ax.invert_xaxis()
    ax.set(xlabel="balance (1: clusters as even as can be)", ylabel="score")
    open_frame(ax)
    return ax


@picture
def k_sweep(
    ks: ArrayLike, scores: ArrayLike | Mapping[str, ArrayLike], *,
    errors: ArrayLike | Mapping[str, ArrayLike] | None = None, chosen: int | None = None, label: str = "score",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw scores against the number of clusters.

    Parameters
    ----------
    ks : array-like of shape (n_ks,), integer
    scores : array-like of shape (n_ks,), or dict of str to such
        One curve, or several with their names; not-a-number leaves a gap.
    errors : as `scores`, optional
        Half the length of the bars around the points.
    chosen : int, optional
        A number of clusters to mark.
    label : str, default "score"
        Label of the vertical axis.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> ax = graphcore.plot.k_sweep([2, 3, 4], {"normalised cut": [0.1, 0.3, 0.4]}, chosen=2)
    >>> ax.get_xlabel()
    'number of clusters k'
    """
    ks = np.asarray(ks)
    if ks.ndim != 1 or len(ks) == 0:
        raise InputError(f"the horizontal axis needs one number per point, got shape {ks.shape}")
    order = np.argsort(ks, kind="stable")
    ks = ks[order]
    ax = axes_of(ax, (6, 3.6))
    curves, bars = _named(scores, len(ks), "scores"), _named({} if errors is None else errors, len(ks), "errors")
    if not set(bars) <= set(curves):
        raise InputError(f"errors are of {', '.join(map(repr, bars))}, and scores of {', '.join(map(repr, curves))}")
    for i, (name, values) in enumerate(curves.items()):
        marker, dash = _LOOKS[i % len(_LOOKS)]
        bar = bars.get(name)
        ax.errorbar(
            ks, values[order], yerr=None if bar is None else bar[order], marker=marker, ls=dash, ms=5, lw=1.2,
            capsize=2, mfc=PAPER, color=_GREYS[i % 2], label=name,
        )  # fmt: skip
    if chosen is not None:
        mark(ax, chosen, f"k = {chosen}", (2, 2))
    # Ticks stand at the values where these have room, otherwise at round whole numbers.
    if ks[0] > 0 and ks[-1] / ks[0] > 20:
        ax.set_xscale("log")
        plain_numbers(ax.xaxis, "{x:,.0f}")
    elif len(ks) <= 12:
        ax.set_xticks(ks, [str(k) for k in ks])
    else:
        from matplotlib.ticker import MaxNLocator, ScalarFormatter

        ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))
        ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.set(xlabel="number of clusters k", ylabel=label)
    open_frame(ax)
    if set(curves) != {None}:
        legend(ax)
    return ax


def _named(curves, length, what):
    """Return curves as a dict of arrays; a single one has the name None."""
    curves = dict(curves) if isinstance(curves, abc.Mapping) else {None: curves}
    curves = {name: np.asarray(values, dtype=float) for name, values in curves.items()}
    for name, values in curves.items():
        if values.shape != (length,):
            of = "" if name is None else f" of {name!r}"
            raise InputError(f"{what}{of} have shape {values.shape}; one for each of {length} points is needed")
    return curves
