"""Types that public signatures share, under names that fit into them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from networkx import DiGraph
    from scipy.sparse import csr_array
else:  # heavy, and perhaps not installed
    Axes = DiGraph = csr_array = Any

__all__ = [
    "AnyData", "AnyGraph", "Array", "ArrayLike", "Axes", "Bandwidth", "Callable", "DiGraph", "Floats", "Integers",
    "Iterable", "KernelLike", "Labels", "Mapping", "PathLike", "RandomState", "Sequence", "Table", "csr_array",
]  # fmt: skip

# A Graph, sparse matrix, networkx or igraph graph, table of edges; or vectors: a type for them all would have to import
# their libraries, and some have no types.
AnyGraph = Any
AnyData = Any
Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.int32]
PathLike = str | os.PathLike[str]
RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
# A dictionary of columns, or a data frame of the library asked for.
Table = Any
# By its name, as a function of two vectors or of two arrays of them, or an object that has parameters of its own.
KernelLike = object
Bandwidth = float | str | tuple[str, float] | None
