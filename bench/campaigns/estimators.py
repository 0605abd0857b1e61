"""Every public estimator on small odd graphs and vectors, with valid and invalid options."""

import copy
import warnings
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import graphcore as gc

from .harness import Campaign, Failure

_LIMIT = 400  # characters of a message


def case(given):
    """Draw an estimator, its options and an input; fit; look at all that it left behind."""
    rng = given.rng
    over_graph = rng.random() < 0.6
    name = str(rng.choice(_GRAPHS if over_graph else _VECTORS))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gc.GraphWarning)
            X = (_graph_input if over_graph else _vector_input)(rng, given.folder, name)
    except gc.InputError as error:
        _one_line(error)
        return "refused as a graph"
    options = _options(rng, name, over_graph)
    (given.folder / "input.txt").write_text(f"{name}({options})\n{X!r}\n")
    before = copy.deepcopy(X) if not isinstance(X, gc.Graph) else None
    model, said, refused = _fitted(name, options, X)
    if before is not None and not _same(before, X):
        raise Failure("input changed", name)
    if refused:
        return "refused"
    _look_at(model, said, X)
    _use(model, X)
    if rng.random() < 0.1:
        again = _fitted(name, options, X)[0]
        for what in ("labels_", "embedding_", "feature_map_"):
            if what == "labels_" and hasattr(model, what) and not np.array_equal(model.labels_, again.labels_):
                raise Failure("labels of a second run differ", name)
    return "fitted with a warning" if said else "fitted"


def _stages(X, n_clusters, **options):
    """Return the result of the function of the five stages, as a fitted model."""
    labels = gc.coreset_spectral_clustering(X, n_clusters, **options).labels
    return SimpleNamespace(labels_=labels, n_clusters=n_clusters, affinity="precomputed", symmetrize="max")


def _fitted(name, options, X):
    """Return the fitted model, its warnings, and whether it refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = _stages(X, **options) if name == _FUNCTION else getattr(gc, name)(**options).fit(X)
        except ValueError as error:
            _one_line(error)
            if not _is_own(error):
                raise
            return None, [], True
    said = [w for w in caught if not issubclass(w.category, (DeprecationWarning, PendingDeprecationWarning))]
    for warning in said:
        if issubclass(warning.category, RuntimeWarning):
            raise Failure("RuntimeWarning", f"{warning.filename}:{warning.lineno}: {warning.message}")
        if not issubclass(warning.category, (gc.GraphWarning, ConvergenceWarning)):
            raise Failure(f"foreign {warning.category.__name__}", str(warning.message))
        _one_line(warning.message)
    return model, [str(w.message) for w in said], False


def _is_own(error):
    """Return whether an error is the package's own, or one of scikit-learn's validation."""
    if isinstance(error, gc.InputError):
        return True
    traceback, modules = error.__traceback__, []
    while traceback is not None:
        modules.append(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    return modules[-1].startswith("sklearn.utils")


def _one_line(message):
    text = str(message)
    # Messages of scikit-learn about NaN and shapes have several lines.
    if type(message).__module__.startswith("graphcore") and ("\n" in text or len(text) > _LIMIT):
        raise Failure("message of several lines or very long", text)


def _compile():
    """Fit estimators whose loops take long to compile, because the bounds check has no cache yet."""
    for weights in (np.float32, np.float64, np.bool_):
        A = sp.csr_array(np.kron(np.eye(2), np.ones((4, 4))).astype(weights) * weights(2))
        for options in ({}, {"published": True}, {"n_clusters": "auto"}):
            _fitted("CoresetSpectralClustering", {"n_clusters": 2, **options}, A)
        for name in ("KernelKMeans", "CoresetKernelKMeans"):
            _fitted(name, {"n_clusters": 2}, A)
        _fitted("KernelKFlats", {"n_clusters": 2}, gc.Graph.from_scipy(A))


# -- inputs ----------------------------------------------------------------------------------------------------------


def _graph_input(rng, folder, name):
    n = int(rng.integers(1, 40))
    A = _adjacency(rng, n)
    form = 1 if name == "KernelKFlats" else rng.integers(10)
    if form in _FORMS:
        return _FORMS[form](A, folder)
    if form == 6 and A.max() < 100:
        A = A.astype(rng.choice([np.float32, np.int64, np.int8, np.bool_]))
    A = sp.csr_array(A)
    if form == 7 and len(A.data):
        A.data[rng.integers(len(A.data), size=2)] = rng.choice([0.0, np.nan, np.inf, -1.0, 5e-324])
    return A


def _of_networkx(A, folder):
    import networkx as nx

    return nx.from_numpy_array(A)


def _stored(A, folder):
    gc.write_graph(gc.Graph.from_scipy(A), folder / "stored.store")
    return gc.open_graph(folder / "stored.store")


def _adjacency(rng, n):
    shape = rng.integers(8)
    if shape == 0:  # a star
        links = np.zeros((n, n), dtype=bool)
        links[0] = True
    elif shape == 1:  # components
        part = rng.integers(0, max(1, n // 4), n)
        links = part[:, None] == part
    elif shape == 2:  # a path
        links = np.eye(n, k=1, dtype=bool)
    elif shape == 3:
        links = np.ones((n, n), dtype=bool)
    else:
        links = rng.random((n, n)) < rng.random() ** 2
    if rng.random() < 0.3:
        links[rng.integers(0, n, 1 + n // 5)] = False  # isolated nodes, or nearly
    kind = rng.integers(7)
    if kind == 0:
        weights = np.ones((n, n))
    elif kind == 1:
        weights = 10.0 ** rng.integers(-300, 300, (n, n))
    elif kind == 2:
        weights = np.full((n, n), rng.choice([5e-324, 1e-310, 1e-170, 1e-20, 1e20, 1e200, 1e300, 1e308]))
    elif kind == 3:
        weights = rng.random((n, n)) * 2.0 ** rng.integers(-1070, 1000)
    elif kind == 4:
        weights = rng.choice([1.0, 1e16, 1e-16, 1e40], size=(n, n))
    elif kind == 5:
        weights = rng.integers(0, 5, (n, n)).astype(float)
    else:
        weights = rng.random((n, n))
    A = np.triu(links * weights, 0 if rng.random() < 0.3 else 1)
    return A if rng.random() < 0.05 else A + np.triu(A, 1).T


def _vector_input(rng, folder, name):
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
    kind = rng.integers(8)
    if kind == 0:
        X = np.repeat(rng.standard_normal((1, d)), n, axis=0)
    elif kind == 1:
        X = rng.integers(0, 3, (n, d)).astype(float)  # equal rows
    elif kind == 2:
        X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-310, 308)
    elif kind == 3:
        X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-40, 40, (n, d))
    elif kind == 4:
        X = rng.standard_normal((n, d)) * 1e-8 + 10.0 ** rng.integers(0, 12)
    else:
        X = rng.standard_normal((n, d)) + 4 * rng.integers(0, 3, (n, 1))
    form = rng.integers(9)
    if form == 0:
        X = sp.csr_array(X)
    elif form == 1:
        X = np.asfortranarray(X)
    elif form == 2:
        with np.errstate(over="ignore", under="ignore"):
            X = X.astype(np.float32)
    elif form == 3:
        X.setflags(write=False)
    elif form == 4:
        X = _mapped(X, folder)
    elif form == 5:
        X = (np.abs(X) < 1) if rng.random() < 0.5 else np.clip(X, -100, 100).astype(np.int64)
    elif form == 6 and rng.random() < 0.3:
        X[rng.integers(n), rng.integers(d)] = rng.choice([np.nan, np.inf, -np.inf])
    elif form == 7 and "precomputed" not in name:
        X = X.tolist()
    return X


def _mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


_FORMS = {
    0: _of_networkx,
    1: lambda A, folder: gc.Graph.from_scipy(A),
    2: _mapped,
    3: _stored,
    4: lambda A, folder: sp.coo_array(A),
    5: lambda A, folder: sp.csc_matrix(A),
}


# -- options ---------------------------------------------------------------------------------------------------------

_FUNCTION = "coreset_spectral_clustering"
_GRAPHS = ("CoresetSpectralClustering",) * 3 + (_FUNCTION, "KernelKMeans", "CoresetKernelKMeans", "KernelKFlats")
_VECTORS = (
    "CoresetSpectralClustering", "KernelKMeans", "CoresetKernelKMeans", "KernelKFlats", "KFlats", "NystromFeatures",
    "NystromKernelKMeans", "GaussianSketchFeatures", "GaussianSketchKernelKMeans",
)  # fmt: skip
_KERNELS = ("gaussian", "laplacian", "polynomial", "sigmoid", "cosine", "linear", "rbf", "poly")
# Choices that are valid for the class, all of them cheap; each is taken now and then.
_STAGES = {
    "sampling": ("degree", "uniform", "importance"), "coreset_size": (1, 5, 20, 0.5, 1.0), "eigen_solver": ("exact",),
}  # fmt: skip
_CHOICES = {
    "CoresetSpectralClustering": {
        "objective": ("ncut", "information"), "published": (True,), "effort": (1, 2, 3),
        "min_cluster_size": (0, 2, 5, 0.1), "n_clusters": ("auto",),
        "symmetrize": ("max", "sum", "average", "min"), "n_neighbors": (1, 3, 100), "max_share": (1.0, 1.3, 50.0),
        "max_cluster_size": (3, 0.4, 1.0), **_STAGES,
    },
    _FUNCTION: {
        "self_loop": (0, 0.1, 1.0, 1e10, 1e-300), "eps": (0.5, 1.0), "coreset_degrees": ("row-sums", "weights"),
        "n_seeds": (1, 3, 50), **_STAGES,
    },
    "KernelKMeans": {
        "init": ("random", "k-means++"), "n_init": (1, 3), "shift": (0.0, "psd", 1.0), "self_loop": (0, 1.0, 1e3),
        "on_empty": ("farthest", "drop", "error"), "max_iter": (1, 300), "tol": (0.0, 0.1),
    },
    "CoresetKernelKMeans": {
        "init": ("random", "k-means++"), "n_init": (1,), "self_loop": (0, 1.0, 1e-6), "coreset_size": (2, 10, 0.5),
        "sampling": ("importance", "uniform"), "seeding": ("naive", "fast"), "n_seeds": (1, 10),
        "on_empty": ("farthest", "drop", "error"),
    },
    "KernelKFlats": {
        "n_dims": (0, 1, 2, 3), "shift": (0.0, 1.0), "init": ("k-means++", "spectral"), "n_init": (1,),
        "on_empty": ("farthest", "error"), "on_degenerate": ("reduce", "error"), "on_indefinite": ("error", "warn"),
    },
    "KFlats": {"n_dims": (0, 1, 2), "n_init": (1, 2), "init": ("random", "k-means++"), "max_iter": (1, 300)},
    "NystromFeatures": {
        "n_components": (1, 3, None), "n_landmarks": (1, 5, 0.5), "sampling": ("uniform",), "rtol": (1e-6,),
        "on_indefinite": ("error", "clip"), "dtype": ("auto", "float32", "float64"),
    },
    "NystromKernelKMeans": {
        "n_components": (1, 3, "auto"), "n_landmarks": (1, 5, 0.5), "solver": ("lloyd",), "n_init": (1,),
    },
    "GaussianSketchFeatures": {
        "n_components": (1, 4, "auto"), "n_subsample": (2, 5, 0.5), "center": (True, False),
        "scale": ("unit", "theory"),
    },
    "GaussianSketchKernelKMeans": {
        "n_components": (1, 4, "auto"), "n_subsample": (2, 5, 0.5), "center": (True, False), "n_init": (1,),
    },
}  # fmt: skip
# More of these is more work, as asked.
_WORK = ("effort", "n_init", "max_iter")
_BAD = (-1, 0, 10**9, 2.5, np.nan, np.inf, "no", None, True, [], 1e-320)


def _options(rng, name, over_graph):
    options = {"random_state": int(rng.integers(1000))}
    if "Features" not in name:
        options["n_clusters"] = int(rng.integers(1, 6))
    if name in ("KernelKMeans", "CoresetKernelKMeans", "KernelKFlats"):
        options["n_init"] = 2
        if over_graph:
            options["kernel"] = "normalized_cut"
    if not over_graph and name not in ("CoresetSpectralClustering", "KFlats"):
        options["kernel"] = str(rng.choice(_KERNELS))
        if rng.random() < 0.3:
            options[str(rng.choice(["bandwidth", "gamma"]))] = 10.0 ** rng.integers(-200, 200)
    if name == "CoresetSpectralClustering" and over_graph:
        options["affinity"] = "precomputed"
    if name == _FUNCTION:
        options["coreset_graph"] = str(rng.choice(["contracted", "induced"]))
    return options | _chosen(rng, name)


def _chosen(rng, name):
    options = {}
    for choice, values in _CHOICES[name].items():
        if rng.random() < 0.15:
            options[choice] = values[rng.integers(len(values))]
    if rng.random() < 0.1:
        choice, value = str(rng.choice(list(_CHOICES[name]))), _BAD[rng.integers(len(_BAD))]
        if choice not in _WORK or not (isinstance(value, int) and value > 1000):
            options[choice] = value
    return options


# -- requirements ----------------------------------------------------------------------------------------------------


def _look_at(model, said, X):
    n = X.n_nodes if isinstance(X, gc.Graph) else len(X) if hasattr(X, "__len__") and not sp.issparse(X) else X.shape[0]
    for what, value in vars(model).items():
        if what.endswith("_") and not what.startswith("_") and what not in ("outside_share_",) and _has_nan(value):
            raise Failure(f"NaN in {type(model).__name__}.{what}", repr(value)[:500])
    if not hasattr(model, "labels_"):
        return
    labels = model.labels_
    if n == 2 and hasattr(model, "graph_"):  # two rows of integers are edges
        n = model.graph_.n_nodes
    if labels.shape != (n,) or labels.dtype != np.int32:
        raise Failure("labels of another shape or type", f"{labels.shape} {labels.dtype}")
    k = getattr(model, "n_clusters_", model.n_clusters)
    isolated = _isolated(model, X, n)
    if ((labels == -1) != isolated).any() or labels.max() >= k or labels.min() < -1:
        raise Failure("labels out of range", f"{labels} {isolated}")
    n_found = len(np.unique(labels[labels >= 0]))
    if n_found != k and not said and getattr(model, "on_empty", None) != "drop":
        raise Failure("fewer clusters without a word", f"{type(model).__name__}: {n_found} of {k}")


def _isolated(model, X, n):
    of_graph = getattr(model, "kernel", None) == "normalized_cut" or getattr(model, "affinity", None) == "precomputed"
    if not of_graph:
        return np.zeros(n, dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = X if isinstance(X, gc.Graph) else gc.graphs.as_graph.as_graph(X, symmetrize=model.symmetrize)
    return graph.degrees == 0


def _has_nan(value):
    if isinstance(value, float):
        return np.isnan(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isnan(value).any())
    return False


def _use(model, X):
    """Call the methods of a fitted model."""
    if isinstance(X, gc.Graph):
        X = X.to_scipy()
    elif hasattr(X, "adj"):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", gc.GraphWarning)
        for what in ("predict", "transform", "score"):
            if hasattr(model, what):
                try:
                    out = getattr(model, what)(X)
                except ValueError as error:
                    if not _is_own(error):
                        raise
                    continue
                if np.isnan(getattr(out, "data", out) if sp.issparse(out) else out).any():
                    raise Failure(f"NaN from {type(model).__name__}.{what}")


def _same(before, after):
    if sp.issparse(before):
        return all(np.array_equal(getattr(before, a), getattr(after, a), equal_nan=True) for a in _PARTS[before.format])
    if hasattr(before, "adj"):
        return before.adj == after.adj
    return np.array_equal(before, after, equal_nan=isinstance(before, np.ndarray) and before.dtype.kind == "f")


_PARTS = {"csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col")}


CAMPAIGN = Campaign(
    "an estimator with random options, fitted to a small odd graph or odd vectors: labels that hold, or one line that "
    "says why not",
    case,
    _compile,
    seconds=30.0,
    short=150,
)
