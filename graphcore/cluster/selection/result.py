"""Result of a choice of the number of clusters, and its picture."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.types import Array, Axes, Sequence


@dataclass(frozen=True, eq=False)
class KSelection:
    """The chosen number of clusters, with the scores of all candidates.

    Attributes
    ----------
    best : int
        The candidate with the largest score, the first of equal ones. Where "information" finds no corner, the
        candidate that is best at the least price of labels.
    method : str
        That of `select_n_clusters`; for a fit also "resolution", or "modularity" where "information" found one cluster
        and ``n_clusters="auto"`` took modularity's number, which is `best`, as far as limits allow.
    candidates : ndarray of shape (n_candidates,), int64
        Ascending.
    scores : ndarray of shape (n_candidates,), float64
        Larger is better; NaN for candidates without a score.
    curves : dict of ndarray of shape (n_candidates,), float64
        Values from which the scores were computed, by name; NaN where nothing was computed.
    clear : bool or None
        For "information", whether `best` stands out, see `select_n_clusters`; None for other methods.
    """

    best: int
    method: str
    candidates: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)
    curves: dict = field(repr=False)
    clear: bool | None = None

    def plot(self, axes: Sequence[Axes] | None = None) -> Array:
        """Draw the curves, all but the first dashed, above the scores, with the number chosen marked.

        Needs matplotlib.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, optional
            Where to draw; by default a new figure is made.

        Returns
        -------
        ndarray of two matplotlib Axes

        Examples
        --------
        >>> import graphcore
        >>> choice = graphcore.select_n_clusters(graphcore.datasets.load_digits().data)  # doctest: +SKIP
        >>> choice.plot()[0].figure.savefig("choice.png")  # doctest: +SKIP
        """
        from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

        if axes is None:
            from matplotlib.figure import Figure

            # A figure of its own, without pyplot: nothing is left open, and no display is needed.
            axes = Figure(figsize=(6, 5), layout="constrained").subplots(2, 1, sharex=True)
        panels = np.asarray(axes)
        upper, lower = panels
        few = len(self.candidates) <= 40
        for number, (name, curve) in enumerate(self.curves.items()):
            style: dict[str, Any] = {"lw": 1, "ls": "--", "color": "0.5"} if number else {"color": "k", "lw": 1.5}
            if not number and few:
                style |= {"marker": "o", "ms": 4}
            upper.plot(self.candidates, curve, label=name, **style)
        if len(self.curves) > 1:
            upper.legend(frameon=False)
        else:
            upper.set_ylabel(next(iter(self.curves)))
        shown = np.isfinite(self.scores)
        lower.plot(self.candidates[shown], self.scores[shown], color="k", lw=1, marker="o", ms=4 if few else 2)
        lower.set(xlabel="number of clusters k", ylabel=f"score ({self.method.replace('modularity', 'information')})")
        for ax in panels:
            ax.axvline(self.best, color="#b5547a", lw=1, zorder=0)
            if self.candidates[-1] > 20:
                ax.set_xscale("log")
                ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
                ax.xaxis.set_minor_locator(NullLocator())
        upper.set_title(f"k = {self.best}")
        return panels


def how_chosen(method, clear):
    """Say how a number of clusters was chosen."""
    doubt = {"modularity": ": the edges do not clearly support a division"}.get(method, "; it does not stand out")
    return f"chosen by {method}{doubt * (clear is False)}"


def selection(method, candidates, scores, curves):
    """Return a KSelection whose `best` is the first candidate of the largest score; NaN scores are passed over."""
    scores = np.asarray(scores, dtype=np.float64)
    judged = np.where(np.isnan(scores), -np.inf, scores)
    return KSelection(int(candidates[int(np.argmax(judged))]), method, candidates, scores, curves)
