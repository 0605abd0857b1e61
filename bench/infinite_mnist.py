"""MNIST-like images by the million: every digit of MNIST many times over, each time with another small deformation.

Writes FOLDER/mnist-ROWS.u8 (rows of 784 bytes, to be mapped by numpy.memmap) and FOLDER/mnist-ROWS.labels.npy. The
recipe is that of Loosli, Canu and Bottou, "Training invariant support vector machines using selective sampling", 2007,
from which the set known as MNIST8M comes: an image moves along smooth random displacement fields, to first order, and
is made thicker or thinner. Row i is training image ``i mod 60,000``; the first 60,000 rows are the images as they are.
Here every image has fields of its own, where the original draws from a fixed list; the rows are not those of MNIST8M,
but of the same kind.
"""

import gzip
import shutil
from pathlib import Path

import numpy as np

SIDE, PIXELS = 28, 784
# Rows of one random stream: files depend on it and on the seed only.
BLOCK = 10_000
# A file is not begun unless this much would be left.
SPARE_BYTES = 2 << 30
# Displacements are sums of this many by this many Gaussian bumps, and about one pixel long.
BUMPS, BUMP_WIDTH, DISPLACEMENT = 6, 4.0, 1.1
THICKNESS = 0.12


def load_mnist(data, part="train"):
    """Return the images (n, 784) as uint8, and labels as int64, from the idx files of a folder."""
    folder = Path(data) / "mnist"
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, PIXELS)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8).astype(np.int64)
    return images, labels


def bumps():
    """Return Gaussian bumps on a grid, (BUMPS squared, 784); sums with normal weights have deviation 1."""
    centres = np.linspace(0, SIDE - 1, BUMPS)
    line = np.exp(-0.5 * ((np.arange(SIDE) - centres[:, None]) / BUMP_WIDTH) ** 2)
    basis = np.einsum("ai,bj->abij", line, line).reshape(BUMPS**2, PIXELS)
    return (basis / np.sqrt(np.square(basis).sum(axis=0))).astype(np.float32)


def gradients(images):
    """Return central differences along rows and columns, zero at the border, float32."""
    square = images.reshape(-1, SIDE, SIDE).astype(np.float32)
    down, right = np.zeros_like(square), np.zeros_like(square)
    down[:, 1:-1] = (square[:, 2:] - square[:, :-2]) / 2
    right[:, :, 1:-1] = (square[:, :, 2:] - square[:, :, :-2]) / 2
    return down.reshape(-1, PIXELS), right.reshape(-1, PIXELS)


def deform(images, rng, basis):
    """Deform every image at random, uint8."""
    n = len(images)
    down, right = gradients(images)
    weights = (DISPLACEMENT * rng.standard_normal((2, n, len(basis)), dtype=np.float32)).astype(np.float32)
    out = np.sqrt(down**2 + right**2)
    out *= THICKNESS * rng.standard_normal((n, 1), dtype=np.float32)
    out += images
    down *= weights[0] @ basis
    out += down
    right *= weights[1] @ basis
    out += right
    np.rint(out, out=out)
    return np.clip(out, 0, 255, out=out).astype(np.uint8)


def paths(folder, rows):
    """Return the paths of images and labels."""
    return Path(folder) / f"mnist-{rows}.u8", Path(folder) / f"mnist-{rows}.labels.npy"


def fitting_rows(folder, rows):
    """Return at most `rows`, as many as fit in the free space of the folder's disk."""
    free = shutil.disk_usage(folder).free - SPARE_BYTES
    return max(0, min(rows, free // (PIXELS + 1)))


def generate(folder, rows, data, *, seed=0):
    """Write the files, unless they are there; returns their paths. Blocks of rows, so that memory stays small."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    where, where_labels = paths(folder, rows)
    if where.exists() and where_labels.exists() and where.stat().st_size == rows * PIXELS:
        return where, where_labels
    if fitting_rows(folder, rows) < rows:
        raise SystemExit(
            f"{rows:,} rows need {rows * PIXELS / 1e9:.1f} GB, and the disk of {folder} has room for "
            f"{fitting_rows(folder, rows):,}; ask for fewer (--rows) or give another folder"
        )
    images, labels = load_mnist(data)
    basis = bumps()
    unfinished = where.with_suffix(".part")
    with open(unfinished, "wb") as file:
        for start in range(0, rows, BLOCK):
            stop = min(start + BLOCK, rows)
            of = np.arange(start, start + BLOCK) % len(images)
            rng = np.random.default_rng([seed, start // BLOCK])
            block = images[of] if start < len(images) else deform(images[of], rng, basis)
            file.write(np.ascontiguousarray(block[: stop - start]).data)
    np.save(where_labels, labels[np.arange(rows) % len(labels)].astype(np.uint8))
    unfinished.replace(where)
    return where, where_labels
