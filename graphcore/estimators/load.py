"""Models that no class has fitted: those loaded from files, and those of the command line."""

from .._typing import PathLike
from ._predicted import Reference
from .coreset_spectral import CoresetSpectralClustering
from .model_file import read_model


def load(path: PathLike, *, any_size: bool = False) -> CoresetSpectralClustering:
    """Load a model that :meth:`CoresetSpectralClustering.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file. Nothing in it is run, and everything is checked: it may come from anywhere.
    any_size : bool, default False
        Whether to believe what the file says about sizes, see :func:`graphcore.read_graph`.

    Returns
    -------
    CoresetSpectralClustering
        Fitted: it predicts, updates, reports and is saved as the one that was saved.

    Raises
    ------
    FormatError
        If the file is no model, or damaged.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import graphcore
    >>> model = graphcore.load("model.npz")  # doctest: +SKIP
    """
    return read_model(path, CoresetSpectralClustering, any_size)


def model_of(fit, n_clusters, **params):
    """The fitted CoresetSpectralClustering that a Fit of a graph comes to."""
    model = CoresetSpectralClustering(n_clusters, **params)
    model.n_features_in_ = fit.graph.n_nodes
    return model._take(fit, Reference("edges"), is_given=True)
