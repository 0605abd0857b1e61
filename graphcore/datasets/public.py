"""Public data sets: fetched into a folder, and loaded from one."""

import os

import numpy as np

from .._typing import Callable, PathLike
from ..exceptions import FormatError, InputError
from .catalogue import find_dataset
from .download import Downloaded, download
from .results import LabeledGraph, LabeledVectors


def default_folder():
    """Return the folder of data sets: ``$GRAPHCORE_DATASETS``, or ``graphcore`` in the user's cache folder."""
    if os.environ.get("GRAPHCORE_DATASETS"):
        return os.environ["GRAPHCORE_DATASETS"]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "graphcore")


def fetch(
    name: str, folder: PathLike | None = None, *, progress: Callable[..., object] | None = None,
) -> list[Downloaded]:  # fmt: skip
    """Download the files of a public data set; existing files are not downloaded again.

    Parameters
    ----------
    name : str
        One of ``graphcore.datasets.CATALOGUE``, in any case of letters: "email-Eu-core", "com-DBLP",
        "com-LiveJournal", "com-Friendster", "wiki-topcats", "MNIST", "PenDigits", "Letter" or "HAR". Their owners'
        terms stand on the pages given there.
    folder : str or path-like, optional
        Where each data set gets a folder of its name. Default: ``$GRAPHCORE_DATASETS``, or ``graphcore`` in the user's
        cache folder.
    progress : callable, optional
        Called with the name of the file, the bytes there so far and the bytes in all (None if not known).

    Returns
    -------
    list of Downloaded
        Path, size and sha256 of every file. `is_verified` is False where no checksum is published.

    Raises
    ------
    ParameterError
        If there is no such data set.
    FormatError
        If a file is not the published one.
    OSError
        If a server cannot be reached. What has come is kept, and the next call continues there.

    Examples
    --------
    >>> import graphcore
    >>> files = graphcore.datasets.fetch("Letter")  # doctest: +SKIP
    >>> data, labels = graphcore.datasets.load("Letter")  # doctest: +SKIP
    """
    dataset = find_dataset(name)
    folder = os.path.join(default_folder() if folder is None else os.fspath(folder), dataset.name)
    os.makedirs(folder, exist_ok=True)
    out = []
    for file in dataset.files:

        def report(there, total, name=file.name):
            progress(name, there, total)

        path, telling = os.path.join(folder, file.name), None if progress is None else report
        out.append(download(file.url, path, size=file.size, sha256=file.sha256, progress=telling))
    return out


def load(name: str, folder: PathLike | None = None) -> LabeledGraph | LabeledVectors:
    """Load a public data set from a folder of downloaded files.

    Parameters
    ----------
    name : str
        See :func:`fetch`.
    folder : str or path-like, optional
        The folder with the files (compressed or not), or the one above it. Default: where :func:`fetch` puts them.

    Returns
    -------
    LabeledGraph or LabeledVectors
        Vectors are float32, training part first. Labels are int32 from 0, and None for graphs whose nodes have no
        single class (the communities of the ``com-`` graphs overlap). Directed graphs are made undirected.

    Raises
    ------
    InputError
        If a file is missing; the message says how to get it.
    FormatError
        If there are not as many nodes, edges, rows or columns as the data set has.

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.load("email-Eu-core")  # doctest: +SKIP
    """
    dataset = find_dataset(name)
    folder = default_folder() if folder is None else os.fspath(folder)
    paths = [_find(file, folder, dataset) for file in dataset.files]
    return _load_graph(dataset, paths) if dataset.kind == "graph" else _load_vectors(dataset, paths)


def _find(file, folder, dataset):
    names = [file.name, file.name.removesuffix(".gz"), *file.also]
    places = [os.path.join(folder, dataset.name), os.path.join(folder, dataset.name.lower()), folder]
    for place in places:
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                return path
    raise InputError(
        f"{file.name} of {dataset.name} is not in {folder}; graphcore.datasets.fetch({dataset.name!r}) or "
        f"`graphcore fetch {dataset.name}` downloads it, or take it from {dataset.page}"
    )


def _load_graph(dataset, paths):
    import warnings

    from ..exceptions import GraphWarning
    from ..io import read_graph, read_labels

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*looks? directed|.*is directed", GraphWarning)  # its description says so
        graph = read_graph(paths[0])
    _check(dataset, "nodes", graph.n_nodes, dataset.n_rows)
    _check(dataset, "edges", graph.n_edges, dataset.n_edges)
    labels = read_labels(paths[1], graph) if dataset.n_classes else None
    return LabeledGraph(graph, None if labels is None else _classes(dataset, labels))


def _load_vectors(dataset, paths):
    from . import vector_files

    reader = {
        "MNIST": vector_files.read_mnist, "PenDigits": vector_files.read_pendigits,
        "Letter": vector_files.read_letter, "HAR": vector_files.read_har,
    }[dataset.name]  # fmt: skip
    data, labels = reader(*paths)
    _check(dataset, "rows", len(data), dataset.n_rows)
    _check(dataset, "columns", data.shape[1], dataset.n_columns)
    _check(dataset, "labels", len(labels), dataset.n_rows)
    return LabeledVectors(data.astype(np.float32, copy=False), _classes(dataset, labels))


def _classes(dataset, labels):
    names, numbers = np.unique(labels, return_inverse=True)
    _check(dataset, "classes", len(names), dataset.n_classes)
    return numbers.astype(np.int32)


def _check(dataset, what, found, expected):
    if expected is not None and found != expected:
        raise FormatError(
            f"these files hold {found} {what}, but {dataset.name} has {expected}: they are incomplete or of another "
            "data set; delete them and fetch them again"
        )
