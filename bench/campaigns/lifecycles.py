"""Lifecycles of estimators: fits, failed fits, parameters, clones, copies, pickles, files and pages, in any order."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import graphcore as gc

from .harness import Campaign, Failure

_STEPS = 25


def _ring(n):
    """Return the matrix of cliques of four nodes in a ring."""
    A = np.kron(np.eye(n // 4), np.ones((4, 4))) - np.eye(n)
    for first in range(0, n, 4):
        A[first, first - 1] = A[first - 1, first] = 1
    return sp.csr_array(A)


_POINTS = np.random.default_rng(0).normal(size=(40, 3)) + np.repeat([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], 10, 0)
_VECTORS = _POINTS, _POINTS[:24, :2].astype(np.float32), sp.csr_array(np.abs(_POINTS[::2]))
_GRAPHS = _ring(16), _ring(24) * 3.0, gc.Graph.from_scipy(_ring(12), node_names=[f"n{i}" for i in range(12)])
# Estimators with what they are fitted to, and parameters that may be set, the last of them wrong.
_TWO, _MANY, _NO_KERNEL = {"n_clusters": 2}, {"n_clusters": 99}, {"kernel": "x"}
KINDS = {
    "CoresetSpectralClustering": (
        lambda: gc.CoresetSpectralClustering(3, random_state=0), (*_GRAPHS, *_VECTORS),
        ({"n_clusters": 2}, {"objective": "ncut"}, {"effort": "fast"}, {"resolution": 1.0}, {"n_clusters": None},
         {"max_cluster_size": 5}, {"outliers": 0.1}, {"n_clusters": -1}),
    ),
    "KernelKMeans": (
        lambda: gc.KernelKMeans(3, random_state=0), (*_VECTORS, _GRAPHS[0]),
        ({"n_clusters": 2}, {"kernel": "linear"}, {"kernel": "no kernel"}),
    ),
    "CoresetKernelKMeans": (
        lambda: gc.CoresetKernelKMeans(3, random_state=0), (*_VECTORS, _GRAPHS[0]), (_TWO, _MANY),
    ),
    "NystromKernelKMeans": (
        lambda: gc.NystromKernelKMeans(3, random_state=0), _VECTORS, (_TWO, _MANY),
    ),
    "GaussianSketchKernelKMeans": (
        lambda: gc.GaussianSketchKernelKMeans(3, random_state=0), _VECTORS, (_TWO, _MANY),
    ),
    "KFlats": (lambda: gc.KFlats(3, 1, random_state=0), _VECTORS[:2], (_TWO, _MANY)),
    "KernelKFlats": (lambda: gc.KernelKFlats(2, 1, random_state=0), _VECTORS[:2], ({"n_clusters": 3}, _MANY)),
    "NystromFeatures": (lambda: gc.NystromFeatures(5, random_state=0), _VECTORS, ({"n_components": 4}, _NO_KERNEL)),
    "GaussianSketchFeatures": (
        lambda: gc.GaussianSketchFeatures(5, random_state=0), _VECTORS, ({"n_components": 4}, _NO_KERNEL),
    ),
}  # fmt: skip


class Life:
    """An estimator, and whether it is to be fitted; every step ends with a check of both."""

    def __init__(self, kind, folder):
        self._make, self.inputs, self.settings = KINDS[kind]
        self.model, self.X, self._folder = self._make(), None, Path(folder)

    def fit(self, which):
        """Fit to one of the inputs, which may be refused."""
        X = self.inputs[which % len(self.inputs)]
        try:
            self.model.fit(X)
            self.X = X
        except gc.InputError:
            self.X = None
        self.check()

    def fail(self, which):
        """Fit to something that no estimator takes."""
        wrong = (np.full((6, 2), np.nan), "text", np.zeros((0, 3)), [[1, 2], [3]])[which % 4]
        try:
            self.model.fit(wrong)
        except (ValueError, TypeError):
            self.X = None
        else:
            raise Failure("a fit that cannot be", f"{type(self.model).__name__} of {wrong!r}")
        self.check()

    def set_params(self, which):
        """Set one of the parameters, which changes nothing that was fitted."""
        self.model.set_params(**self.settings[which % len(self.settings)])
        self.check()

    def renew(self):
        """Begin again with the parameters that every estimator can be fitted with."""
        self.model, self.X = self._make(), None

    def clone(self):
        """Replace the model by its clone."""
        self.model, self.X = clone(self.model), None
        self.check()

    def copy(self, how):
        """Replace the model by a copy, which answers as it did."""
        before = self._answers()
        self.model = (copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)))[how % 3](self.model)
        self.check(before)

    def save(self):
        """Replace the model by what is loaded from its file."""
        if self.X is None or not hasattr(self.model, "save"):
            return
        before, path = self._answers(), self._folder / "model.npz"
        self.model.save(path)
        self.model = gc.load(path)
        self.check(before)

    def report(self):
        """Write a page about the model."""
        if self.X is not None and isinstance(self.model, gc.CoresetSpectralClustering):
            self.model.report(self._folder / "page.html", pictures=False)

    def _answers(self):
        if self.X is None:
            return None
        answers = [getattr(self.model, "labels_", None)]
        if hasattr(self.model, "membership_"):
            answers.append(self.model.membership_.toarray())
        for name in ("predict", "transform"):
            rows = self.model.graph_.to_scipy() if hasattr(self.model, "graph_") and _is_graph(self.X) else self.X
            if hasattr(self.model, name) and not _is_graph(rows):
                answers.append(np.asarray(getattr(self.model, name)(rows)))
        return [answer for answer in answers if answer is not None]

    def check(self, before=None):
        """Raise a Failure if the model is half fitted, its labels are none, or it does not answer as `before`."""
        model, name = self.model, type(self.model).__name__
        fitted = sorted(a for a in vars(model) if a.endswith("_") and not a.startswith("_"))
        try:
            check_is_fitted(model)
            is_fitted = True
        except NotFittedError:
            is_fitted = False
        if is_fitted != (self.X is not None) or (fitted and not is_fitted):
            raise Failure("half a fit", f"{name} has {fitted}")
        if is_fitted and hasattr(model, "labels_"):
            labels, k = model.labels_, int(np.max(model.labels_)) + 1
            n = self.X.n_nodes if isinstance(self.X, gc.Graph) else self.X.shape[0]
            if labels.shape != (n,) or labels.min() < -1 or not 1 <= k <= n:
                raise Failure("labels that are none", f"{name}: {labels}")
        if before is not None:
            after = self._answers()
            if not all(np.allclose(a, b, equal_nan=True) for a, b in zip(before, after, strict=True)):
                raise Failure("other answers", name)


def _is_graph(X):
    return isinstance(X, gc.Graph) or (sp.issparse(X) and X.shape[0] == X.shape[1])


def case(given):
    """Live one life of random steps."""
    rng = given.rng
    kind = str(rng.choice(list(KINDS)))
    life = Life(kind, given.folder)
    steps = (
        lambda: life.fit(int(rng.integers(9))), lambda: life.fit(int(rng.integers(9))),
        lambda: life.fail(int(rng.integers(9))), lambda: life.set_params(int(rng.integers(9))),
        lambda: life.copy(int(rng.integers(3))), life.renew, life.clone, life.save, life.report,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(_STEPS):
            steps[int(rng.integers(len(steps)))]()
    return kind


CAMPAIGN = Campaign(case, seconds=60.0, short=20)
