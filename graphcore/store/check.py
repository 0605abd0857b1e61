"""Read a graph on disk from end to end, and say what is wrong with it."""

from .._progress import Stages
from .._typing import PathLike
from .._validation import check_path
from .._warn import warn_user
from ..graphs.graph import Graph
from ..io._source import naming
from .format import CHECKED, files_of
from .open import map_graph
from .record import note, state_of
from .verify import verify


def check_store(path: PathLike, *, stages: object = None) -> Graph:
    """Verify a graph on disk: checksums of all arrays, sorted rows, symmetry, degrees and counts.

    Parameters
    ----------
    path : str or path-like
        ``NAME.store``.
    stages : Stages, optional
        Where time is measured and progress shown.

    Returns
    -------
    Graph
        The graph, in which nothing is wrong.

    Raises
    ------
    FormatError
        If something is; the message says what, and in which array.
    OSError
        If the folder is missing or may not be read.

    Notes
    -----
    Takes 8 bytes of memory per node. What was found sound is noted in the folder where it is larger than what
    :func:`graphcore.open_graph` verifies by itself: sizes, times of change and numbers of the files.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.store")
    ...     graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), path)
    ...     graphcore.check_store(path)
    Graph(n_nodes=3, n_edges=2, unweighted)
    """
    stages = stages or Stages()
    path = check_path(path)
    graph, meta = map_graph(path, trusted=False)
    with naming(path):
        before = state_of(path, files_of(meta))
        verify(path, graph, meta, stages)
        if meta.nbytes > CHECKED and not _noted(path, before):
            graph = map_graph(path, trusted=True)[0]
    return graph


def _noted(path, state):
    """Note that a graph is sound, for later openings; False, with a warning, where the folder cannot be written."""
    try:
        note(path, state)
    except OSError as error:
        warn_user(
            f"{path}: the graph is sound, but this cannot be noted in its folder ({error.strerror}); open_graph takes "
            "it with trusted=True only"
        )
        return False
    return True
