"""Write a graph."""

from ..base.types import AnyGraph, ArrayLike, Mapping, PathLike
from ..exceptions import ParameterError, warn_user
from ..graphs.as_graph import as_graph
from .atomic import atomic_output, compressed
from .formats import FORMATS, output_format


def write_graph(
    graph: AnyGraph, path: PathLike, format: str | None = None, *, attributes: Mapping[str, ArrayLike] | None = None,
) -> None:  # fmt: skip
    """Write a graph to a file that :func:`read_graph` reads back, atomically.

    Parameters
    ----------
    graph : Graph, or what :meth:`CoresetSpectralClustering.fit` takes for one
    path : str or path-like
        Output file; "-" is standard output. An ending .gz, .bz2, .xz or .zst compresses.
    format : {"tsv", "csv", "matrix-market", "metis", "npz", "graphml", "gexf", "gml", "store"}, optional
        Default: by the ending (.tsv, .txt, .edges, .csv, .mtx, .metis, .npz, .graphml, .gexf, .gml, .store). Edge lists
        ("tsv" and "csv") hold each edge once, with node names; isolated nodes come back only if the graph has no names.
        "metis" holds integer weights, no self-loops and no names, "matrix-market" no names; "npz" holds everything, and
        ``scipy.sparse.load_npz`` reads it too. "store" holds everything as well, in a folder that
        :func:`graphcore.open_graph` opens without reading it. "graphml", "gexf" and "gml" are for other programs, such
        as Gephi and Cytoscape.
    attributes : dict of array-like of shape (n_nodes,), optional
        Attributes of the nodes in GraphML, GEXF and GML, such as ``model.to_table()``; a column "node" is left out, as
        the names are written anyway, and so is NaN.

    Raises
    ------
    OSError
        If the file cannot be written.
    InputError
        If the format cannot hold the graph, or `path` is the graph on disk that `graph` is mapped from.
    ParameterError
        If the format is not known.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 1], [1, 2], n_nodes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.mtx.gz")
    ...     graphcore.write_graph(graph, path)
    ...     graphcore.read_graph(path)
    Graph(n_nodes=4, n_edges=2, unweighted)
    """
    graph = as_graph(graph)
    name, compression = output_format(path, format)
    if not isinstance(attributes, (Mapping, type(None))):
        raise ParameterError(f"attributes must be a dictionary of columns, got {type(attributes).__name__}")
    takes_attributes = name != "store" and FORMATS[name].attributes
    if attributes and not takes_attributes:
        raise ParameterError(f"attributes are for graphml, gexf and gml; {name} files have no place for them")
    if name == "store":
        # This import is late because the store itself imports the readers of files.
        from .store import write_store

        write_store(graph, path)
        return
    if graph.node_names is not None and not FORMATS[name].names:
        warn_user(f"{name} files hold no node names; nodes are numbered from 1, in their order")
    with atomic_output(path) as raw, compressed(raw, compression) as stream:
        FORMATS[name].write(graph, stream, *([attributes] if takes_attributes else []))
