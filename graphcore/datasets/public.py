"""Public data sets: fetched into a folder, and loaded from one."""

import io
import os
import zipfile
from dataclasses import dataclass

import numpy as np

from ..base.types import PathLike
from ..base.validation import check_path
from ..exceptions import FormatError, InputError, missing_package, one_line
from ..files._source import open_source
from .catalogue import find_dataset
from .results import LabeledGraph, LabeledVectors

_RETRIES, _TIMEOUT, _PIECE = 2, 60, 1 << 20
# Anything but the bytes themselves would spoil checksums.
_HEADERS = {"User-Agent": "graphcore", "Accept-Encoding": "identity"}


@dataclass(frozen=True)
class Downloaded:
    """A file that is there."""

    path: str
    size: int  # bytes
    sha256: str
    is_verified: bool  # whether the checksum is the published one; False where none is published
    n_received: int  # bytes that came over the network this time


def default_folder():
    """Return the folder of data sets: ``$GRAPHCORE_DATASETS``, or ``graphcore`` in the user's cache folder."""
    if os.environ.get("GRAPHCORE_DATASETS"):
        return os.environ["GRAPHCORE_DATASETS"]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "graphcore")


def fetch(name: str, folder: PathLike | None = None, *, progress: bool = False) -> list[Downloaded]:
    """Download the files of a public data set; existing files are not downloaded again.

    Needs the package pooch. A file gets its name when it is whole and checked.

    Parameters
    ----------
    name : str
        One of ``graphcore.datasets.CATALOGUE``, in any case of letters: "email-Eu-core", "com-DBLP",
        "com-LiveJournal", "com-Friendster", "wiki-topcats", "MNIST", "PenDigits", "Letter" or "HAR". Their owners'
        terms stand on the pages given there.
    folder : str or path-like, optional
        Where each data set gets a folder of its name. Default: ``$GRAPHCORE_DATASETS``, or ``graphcore`` in the user's
        cache folder.
    progress : bool, default False
        Whether a bar for each file is shown.

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
    InputError
        If pooch is missing.
    OSError
        If a server cannot be reached, does not have a file any more, or breaks off three times; the next call fetches
        what is missing.

    Examples
    --------
    >>> import graphcore
    >>> files = graphcore.datasets.fetch("Letter")  # doctest: +SKIP
    >>> data, labels = graphcore.datasets.load("Letter")  # doctest: +SKIP
    """
    dataset = find_dataset(name)
    folder = default_folder() if folder is None else check_path(folder)
    there = [_there([file.name], folder, dataset) for file in dataset.files]
    new = os.path.join(folder, dataset.name)
    return [
        _fetched(file, path or os.path.join(new, file.name), progress)
        for file, path in zip(dataset.files, there, strict=True)
    ]


def _fetched(file, path, progress):
    try:
        from pooch import file_hash
    except ImportError:
        raise InputError(missing_package("downloading data sets", "pooch", "datasets")) from None
    is_new = not os.path.exists(path)
    if is_new:
        _download(file, path, progress)
    digest, size = file_hash(path), os.path.getsize(path)
    if file.sha256 not in (None, digest):
        raise FormatError(
            f"{path}: the sha256 is {digest}, but {file.sha256} is published; delete it to fetch it again"
        )
    return Downloaded(path, size, digest, file.sha256 is not None, size if is_new else 0)


def _download(file, path, progress):
    import pooch
    from requests import RequestException
    from tqdm import tqdm

    folder, name = os.path.split(os.path.abspath(path))
    pooch.get_logger().setLevel("WARNING")  # it tells of every download on stderr
    shelf = pooch.create(folder, "", registry={name: file.sha256}, urls={name: file.url}, retry_if_failed=_RETRIES)
    # pooch asks whether the bar is true, which one without a total does not say; it then sets the total.
    with tqdm(total=1, desc=name, unit="B", unit_scale=True, disable=not progress) as bar:
        try:
            shelf.fetch(name, downloader=pooch.HTTPDownloader(bar, _PIECE, headers=_HEADERS, timeout=_TIMEOUT))
        except RequestException as error:
            raise OSError(
                f"{file.url}: {one_line(error)}; run this again, see whether the file has moved, or put it into "
                f"{folder} yourself"
            ) from None
        except ValueError as error:  # of another checksum, or a length that is no number
            raise FormatError(f"{file.url}: {error}") from None
    os.chmod(path, 0o644)  # pooch leaves it to its owner alone


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
    folder = default_folder() if folder is None else check_path(folder)
    paths = [_find(file, folder, dataset) for file in dataset.files]
    return _load_graph(dataset, paths) if dataset.kind == "graph" else _load_vectors(dataset, paths)


def _there(names, folder, dataset):
    """Path of the first of these files of a data set that is there; None if none is."""
    places = [os.path.join(folder, dataset.name), os.path.join(folder, dataset.name.lower()), folder]
    paths = (os.path.join(place, name) for place in places for name in names)
    return next(filter(os.path.isfile, paths), None)


def _find(file, folder, dataset):
    path = _there([file.name, file.name.removesuffix(".gz"), *file.also], folder, dataset)
    if path is not None:
        return path
    raise InputError(
        f"{file.name} of {dataset.name} is not in {folder}; graphcore.datasets.fetch({dataset.name!r}) or "
        f"`graphcore fetch {dataset.name}` downloads it, or take it from {dataset.page}"
    )


def _load_graph(dataset, paths):
    import warnings

    from ..exceptions import GraphWarning
    from ..files import read_graph, read_labels

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*looks? directed|.*is directed", GraphWarning)  # its description says so
        graph = read_graph(paths[0])
    _check(dataset, "nodes", graph.n_nodes, dataset.n_rows)
    _check(dataset, "edges", graph.n_edges, dataset.n_edges)
    labels = read_labels(paths[1], graph) if dataset.n_classes else None
    return LabeledGraph(graph, None if labels is None else _classes(dataset, labels))


def _load_vectors(dataset, paths):
    read = {"MNIST": _read_mnist, "PenDigits": _read_pendigits, "Letter": _read_letter, "HAR": _read_har}
    data, labels = read[dataset.name](*paths)
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


# -- files of vectors, each in the format of its collection; readers give (data, labels) -----------------------------


def _read_mnist(train_images, train_labels, test_images, test_labels):
    """Digits of 28 x 28 pixels, training part first."""
    images = [read_idx(path).reshape(-1, 784).astype(np.float32) for path in (train_images, test_images)]
    return np.concatenate(images), np.concatenate([read_idx(train_labels), read_idx(test_labels)])


def _read_pendigits(train, test):
    """Sixteen coordinates and the digit, between commas."""
    table = np.concatenate([np.loadtxt(path, delimiter=",", dtype=np.float32) for path in (train, test)])
    return table[:, :-1], table[:, -1].astype(np.int64)


def _read_letter(path):
    """The letter and sixteen numbers, between commas."""
    table = np.loadtxt(path, delimiter=",", dtype=str)
    return table[:, 1:].astype(np.float32), table[:, 0]


def _read_har(source):
    """The archive of the collection, which may hold another archive; training part first."""
    with zipfile.ZipFile(source) as archive:
        inner = [name for name in archive.namelist() if name.endswith("UCI HAR Dataset.zip")]
        if inner:
            return _read_har(io.BytesIO(archive.read(inner[0])))

        def both(kind, dtype):
            names = [f"UCI HAR Dataset/{side}/{kind}_{side}.txt" for side in ("train", "test")]
            return np.concatenate([np.loadtxt(io.BytesIO(archive.read(n)), dtype=dtype, ndmin=2) for n in names])

        return both("X", np.float32), both("y", np.int64).ravel()


def read_idx(path):
    """An array of bytes in the IDX format, compressed by gzip or not."""
    with open_source(path) as source, source.open() as stream:
        content = stream.read()
    if len(content) < 4 or content[:3] != b"\x00\x00\x08" or len(content) < 4 + 4 * content[3]:
        raise FormatError(f"{path}: this is no IDX file of bytes")
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4).astype(np.int64)
    if len(content) != 4 + 4 * n_axes + shape.prod():
        raise FormatError(f"{path}: {len(content)} bytes are not those of an array of shape {tuple(shape.tolist())}")
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)
