"""Files of vectors in the formats of their collections; each reader gives (data, labels)."""

import gzip
import io
import zipfile

import numpy as np

from ..exceptions import FormatError


def read_mnist(train_images, train_labels, test_images, test_labels):
    """Digits of 28 x 28 pixels, training part first."""
    images = [read_idx(path).reshape(-1, 784).astype(np.float32) for path in (train_images, test_images)]
    return np.concatenate(images), np.concatenate([read_idx(train_labels), read_idx(test_labels)])


def read_pendigits(train, test):
    """Sixteen coordinates and the digit, between commas."""
    table = np.concatenate([np.loadtxt(path, delimiter=",", dtype=np.float32) for path in (train, test)])
    return table[:, :-1], table[:, -1].astype(np.int64)


def read_letter(path):
    """The letter and sixteen numbers, between commas."""
    table = np.loadtxt(path, delimiter=",", dtype=str)
    return table[:, 1:].astype(np.float32), table[:, 0]


def read_har(path):
    """The archive of the collection, which may hold another archive; training part first."""
    with zipfile.ZipFile(path) as archive:
        inner = [name for name in archive.namelist() if name.endswith("UCI HAR Dataset.zip")]
        if inner:
            with zipfile.ZipFile(io.BytesIO(archive.read(inner[0]))) as nested:
                return _read_har(nested)
        return _read_har(archive)


def _read_har(archive):
    def both(kind, dtype):
        parts = []
        for side in ("train", "test"):
            with archive.open(f"UCI HAR Dataset/{side}/{kind}_{side}.txt") as stream:
                parts.append(np.loadtxt(stream, dtype=dtype, ndmin=2))
        return np.concatenate(parts)

    return both("X", np.float32), both("y", np.int64).ravel()


def read_idx(path):
    """An array of bytes in the IDX format, compressed by gzip or not."""
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if compressed else open(path, "rb") as stream:
            content = stream.read()
    except (EOFError, gzip.BadGzipFile) as error:
        raise FormatError(f"{path}: {error}") from None
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise FormatError(f"{path}: this is no IDX file of bytes")
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4).astype(np.int64)
    if len(content) != 4 + 4 * n_axes + shape.prod():
        raise FormatError(f"{path}: {len(content)} bytes are not those of an array of shape {tuple(shape.tolist())}")
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)
