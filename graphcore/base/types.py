"""Types that public signatures share, under names that fit into them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

# A Graph, sparse matrix, networkx or igraph graph, table of edges; or vectors: a type for them all would have to import
# their libraries, and some have no types.
AnyGraph = Any
AnyData = Any
# A dictionary of columns, or a data frame of the library asked for.
Table = Any
# By its name, as a function of two vectors or of two arrays of them, or an object that has parameters of its own.
KernelLike = object
Stream = IO[Any]
PathLike = str | os.PathLike[str]
Bandwidth = float | str | tuple[str, float] | None

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from networkx import DiGraph
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]
    Floats = NDArray[np.float64]
    Floats32 = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Labels = NDArray[np.int32]
    RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
else:  # these libraries are imported when they are needed
    Axes = DiGraph = ArrayLike = csr_array = Array = Floats = Floats32 = Integers = Labels = RandomState = Any

__all__ = [
    "AnyData", "AnyGraph", "Array", "ArrayLike", "Axes", "Bandwidth", "Callable", "DiGraph", "Floats", "Floats32",
    "Integers", "Iterable", "KernelLike", "Labels", "Mapping", "PathLike", "RandomState", "Sequence", "Stream", "Table",
    "csr_array",
]  # fmt: skip
