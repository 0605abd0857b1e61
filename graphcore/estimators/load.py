"""Load models from files."""

from ..base.types import PathLike
from .coreset_spectral import CoresetSpectralClustering
from .read_model import read_model


def load(path: PathLike, *, any_size: bool = False) -> CoresetSpectralClustering:
    """Load a model that :meth:`CoresetSpectralClustering.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file. No code in it is run, and everything is checked, so it may come from an untrusted source.
    any_size : bool, default False
        Whether to accept sizes of any magnitude that the file states, see :func:`graphcore.read_graph`.

    Returns
    -------
    CoresetSpectralClustering
        The fitted model, with all methods of the one that was saved.

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
    return read_model(CoresetSpectralClustering, path, any_size)
