"""Sparse matrices and arrays whose structure is damaged, at every public function and class that takes them."""

import pickle
import warnings

import numpy as np
import scipy.sparse as sp

import graphcore
from graphcore import Graph, InputError, metrics

from .harness import Campaign, Failure

FORMATS = ("csr_array", "csr_array", "csr_matrix", "csc_array", "coo_array", "bsr_array", "dia_array", "lil_array")
NUMBERS = (-1, 0, 1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 10**9, 7)
TYPES = ("i1", "u1", "i4", "u4", "i8", "u8", ">i4", ">i8", "f4", "f8", "f2", "g", "c16", "?", "O", "U3", "M8[s]")


def prepare():
    """Prepare entry points by name, each a function of a matrix; models are fitted to sound data."""
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((30, 30)) < 0.2, 1)
    sound = sp.csr_array((A + A.T).astype(float))
    K = sp.csr_array(sound + 20 * sp.eye_array(30))
    labels = np.arange(30) % 3
    made = {
        "coreset": graphcore.CoresetSpectralClustering(3, random_state=0, effort="fast"),
        "kernel": graphcore.KernelKMeans(3, kernel="precomputed", random_state=0, n_init=1),
        "kernel graph": graphcore.KernelKMeans(3, kernel="normalized_cut", random_state=0, n_init=1),
        "kernel vectors": graphcore.KernelKMeans(3, kernel="rbf", random_state=0, n_init=1),
        "coreset kernel": graphcore.CoresetKernelKMeans(3, kernel="precomputed", random_state=0, n_init=1),
        "nystrom": graphcore.NystromKernelKMeans(3, kernel="precomputed", random_state=0, n_init=1),
        "nystrom features": graphcore.NystromFeatures(5, kernel="rbf", random_state=0),
        "sketch": graphcore.GaussianSketchKernelKMeans(3, kernel="precomputed", random_state=0, n_init=1),
        "sketch features": graphcore.GaussianSketchFeatures(kernel="precomputed", random_state=0),
        "flats": graphcore.KFlats(2, 1, random_state=0, n_init=1),
        "kernel flats": graphcore.KernelKFlats(2, 1, kernel="precomputed", random_state=0, n_init=1),
        "neighbours": graphcore.CoresetSpectralClustering(
            3, affinity="precomputed_nearest_neighbors", n_neighbors=2, random_state=0, effort="fast"
        ),
        "knn": graphcore.CoresetSpectralClustering(
            3, affinity="nearest_neighbors", n_neighbors=3, random_state=0, effort="fast"
        ),
    }
    out = {
        "from_scipy": Graph.from_scipy,
        "from_scipy unchecked": lambda X: Graph.from_scipy(X, check=False),
        "knn_graph": lambda X: graphcore.knn_graph(X, 3, random_state=0),
        "build_coreset": lambda X: graphcore.build_coreset(X, 8, random_state=0),
        "select": lambda X: graphcore.select_n_clusters(X, candidates=[2, 3], random_state=0),
        "normalized_cut": lambda X: metrics.normalized_cut(X, labels),
        "quotient_graph": lambda X: metrics.quotient_graph(X, labels),
        "kernel_kmeans_cost": lambda X: metrics.kernel_kmeans_cost(X, labels),
    }
    for name, model in made.items():
        out[f"fit {name}"] = lambda X, model=model: pickle.loads(pickle.dumps(model)).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = sp.csr_array(sp.diags_array(np.arange(1.0, 31.0)) @ sound)  # a symmetric matrix would be a graph
        fitted = {"coreset": sound, "kernel": K, "kernel vectors": sound, "flats": vectors, "nystrom features": sound}
        for name, X in fitted.items():
            model = made[name].fit(X)
            out[f"new points {name}"] = getattr(model, "predict", None) or model.transform
    return sound, K, out


def case(given):
    """Try one matrix, one damage, one entry point."""
    rng, (sound, K, entries) = given.rng, given.prepared
    name = sorted(entries)[rng.integers(len(entries))]
    what = entries[name]
    if rng.random() < 0.2:
        return _arrays(rng, sound)
    X = _damaged(rng, K if "kernel" in name or "sketch" in name or "nystrom" in name else sound)
    if X is None:
        return "refused by scipy"
    return _outcome(name, lambda: what(X), X.shape)


def _arrays(rng, sound):
    """Pass the arrays of rows to the constructor itself, with check and without."""
    parts = {"indptr": sound.indptr.copy(), "indices": sound.indices.copy(), "weights": sound.data * 2}
    for _ in range(rng.integers(1, 3)):
        name = ("indptr", "indices", "weights")[rng.integers(3)]
        if parts[name].dtype.kind in "iuf":
            parts[name] = _damage(rng, parts[name])
    check = bool(rng.random() < 0.7)

    def use():
        graph = Graph(parts["indptr"], parts["indices"], parts["weights"], check=check)
        if check:
            graphcore.CoresetSpectralClustering(3, random_state=0, effort="fast").fit(graph)
        return graph.n_components

    return _outcome("Graph", use, None)


def _outcome(name, use, shape):
    """Return whether an entry point took what it was given, or refused it in one line."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            use()
    except InputError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            raise Failure("message of several lines", str(error)) from error
        return "refused"
    except (ValueError, TypeError) as error:
        # Errors of scikit-learn's validation; the package itself raises InputError.
        if not _by_scikit_learn(error):
            raise Failure(f"{type(error).__name__} at {name}", f"{error} {shape}") from error
        return "refused by scikit-learn"
    return "accepted"


def _by_scikit_learn(error):
    """Return whether an error was raised while scikit-learn looked at the input."""
    step, names = error.__traceback__, []
    while step is not None:
        names.append((step.tb_frame.f_globals.get("__name__", ""), step.tb_frame.f_code.co_name))
        step = step.tb_next
    return any(module == "sklearn.utils.validation" for module, _ in names)


def _damaged(rng, sound):
    """Return a damaged matrix; None if scipy refuses to make it."""
    kind = FORMATS[rng.integers(len(FORMATS))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            X = getattr(sp, kind)(sound.tocoo() if kind != "dia_array" else sp.eye_array(30).todia())
            if kind == "lil_array":
                return _damaged_lists(rng, X)
            names = {
                "coo": ("data", "coords"), "dia": ("data", "offsets"),
            }.get(X.format, ("data", "indices", "indptr"))  # fmt: skip
            for _ in range(rng.integers(1, 3)):
                name = names[rng.integers(len(names))]
                if name == "coords":
                    axis = rng.integers(2)
                    X.coords = tuple(_damage(rng, c) if i == axis else c for i, c in enumerate(X.coords))
                else:
                    setattr(X, name, _damage(rng, getattr(X, name)))
            if rng.random() < 0.15:  # which scipy accepts unchecked
                X.has_canonical_format = X.has_sorted_indices = True
            if rng.random() < 0.1:
                X._shape = tuple(int(n) for n in rng.choice([0, 1, 29, 30, 31, 60], 2))
            return X
    except (ValueError, TypeError, AttributeError, OverflowError, IndexError):
        return None


def _damaged_lists(rng, X):
    row = int(rng.integers(X.shape[0]))
    lists = (X.rows, X.data)[rng.integers(2)]
    choice = rng.integers(4)
    if choice == 0:
        lists[row] = [*lists[row], int(rng.choice(NUMBERS))]
    elif choice == 1:
        X.rows[row], X.data[row] = [*X.rows[row], int(rng.choice(NUMBERS))], [*X.data[row], 1.0]
    elif choice == 2:
        lists[row] = (None, "x", 5, [[1]], [None])[rng.integers(5)]
    else:
        X.rows = X.rows[: rng.integers(30)]
    return X


def _damage(rng, array):
    """Return a changed copy of an array: values, length, type, shape, memory."""
    array, choice = array.copy(), rng.integers(9)
    if choice <= 2 and array.size:  # a value
        place = rng.integers(array.size)
        values = NUMBERS if array.dtype.kind in "iu" else (np.nan, np.inf, -1.0, 0.0, 1e300, 5e-324)
        value = values[rng.integers(len(values))]
        if array.dtype.kind in "iu":
            value = int(np.clip(value, np.iinfo(array.dtype).min, np.iinfo(array.dtype).max))
        array.flat[place] = value
    elif choice == 3:
        array = array[: rng.integers(len(array) + 1)]
    elif choice == 4:
        array = np.concatenate([array, array[: rng.integers(1, 5)]])
    elif choice == 5 and array.dtype.kind != "M":  # numpy itself fails with times as text
        with np.errstate(all="ignore"):
            array = array.astype(TYPES[rng.integers(len(TYPES))])
    elif choice == 6:
        array = (array[None], array[..., None], array[::-1], np.repeat(array, 2, axis=0)[::2], array[:0])[
            rng.integers(5)
        ]
    elif choice == 7:
        rng.shuffle(array)
    else:
        array = np.roll(array, 1, axis=0)
    array.flags.writeable = rng.random() < 0.7
    return array


CAMPAIGN = Campaign(
    "a sparse matrix or the arrays of a graph with damaged structure, types or lengths, given to an estimator, a "
    "constructor or a measure: refused in one line, or worked with",
    case,
    prepare,
    seconds=60.0,  # some loops are compiled for a type of their own
    short=150,
)
