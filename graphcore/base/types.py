"""Types that public signatures share, under names that fit into them."""

import os
from types import GenericAlias
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import IO

    import numpy as np
    from matplotlib.axes import Axes
    from networkx import DiGraph
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array

    # A Graph, sparse matrix, networkx or igraph graph, table of edges; or vectors: a type for them all would have to
    # import their libraries, and some have no types.
    AnyGraph = Any
    AnyData = Any
    Array = NDArray[Any]
    Floats = NDArray[np.float64]
    Floats32 = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Labels = NDArray[np.int32]
    RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
    # A dictionary of columns, or a data frame of the library asked for.
    Table = Any
    # By its name, as a function of two vectors or of two arrays of them, or an object that has parameters of its own.
    KernelLike = object
    Stream = IO[Any]
else:  # Python shows the types of a signature by what they consist of; so help() has their names

    def _named(name):
        return type(name, (), {"__module__": "builtins", "__class_getitem__": classmethod(GenericAlias)})

    Callable, Iterable, Mapping, Sequence = map(_named, ("Callable", "Iterable", "Mapping", "Sequence"))
    Axes, DiGraph, ArrayLike, csr_array = map(_named, ("Axes", "DiGraph", "ArrayLike", "csr_array"))
    AnyGraph, AnyData, Table, KernelLike = map(_named, ("AnyGraph", "AnyData", "Table", "KernelLike"))
    Array, Floats, Integers, Labels = map(_named, ("Array", "Floats", "Integers", "Labels"))
    RandomState, Stream, Floats32 = map(_named, ("RandomState", "Stream", "Floats32"))

__all__ = [
    "AnyData", "AnyGraph", "Array", "ArrayLike", "Axes", "Bandwidth", "Callable", "DiGraph", "Floats", "Floats32",
    "Integers", "Iterable", "KernelLike", "Labels", "Mapping", "PathLike", "RandomState", "Sequence", "Stream", "Table",
    "csr_array",
]  # fmt: skip

PathLike = str | os.PathLike[str]
Bandwidth = float | str | tuple[str, float] | None
