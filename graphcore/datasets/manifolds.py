"""Points on curves and surfaces, for methods that cover them by points or flats."""

from typing import NamedTuple

import numpy as np

from .._random import Streams
from .._typing import Floats, RandomState, Sequence
from .._validation import check_choice, check_integer, check_real
from ..exceptions import ParameterError
from .results import LabeledVectors


class EmbeddedTrefoil(NamedTuple):
    """A closed chain of cubic arcs and points on it.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features), float64
    arcs : ndarray of shape (n_samples,), int32
        The arc that each point lies on.
    knots, tangents : ndarray of shape (n_knots, n_features), float64
        Where arcs meet, and the directions of the curve there.
    """

    data: np.ndarray
    arcs: np.ndarray
    knots: np.ndarray
    tangents: np.ndarray


def trefoil(n_samples: int, *, noise: float = 0.0, random_state: RandomState = None) -> Floats:
    """Draw points on a trefoil knot, ``((2 + cos 3t) cos 2t, (2 + cos 3t) sin 2t, sin 3t)``.

    Parameters
    ----------
    n_samples : int
    noise : float, default 0
        Standard deviation of Gaussian noise on each coordinate.
    random_state : int, numpy Generator, RandomState or None, default None
        t is uniform in [0, 2 pi].

    Returns
    -------
    ndarray of shape (n_samples, 3), float64

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.trefoil(100, random_state=0).shape
    (100, 3)
    """
    n_samples, rng = _drawing("trefoil", n_samples, random_state)
    t = rng.uniform(0, 2 * np.pi, n_samples)
    w = 2 + np.cos(3 * t)
    return _noisy(np.stack([w * np.cos(2 * t), w * np.sin(2 * t), np.sin(3 * t)], axis=1), noise, rng)


def embedded_trefoil(
    n_samples: int, n_knots: int = 5, *, n_features: int = 10, t: str = "uniform", random_state: RandomState = None,
) -> EmbeddedTrefoil:  # fmt: skip
    """Draw points on a closed, smooth chain of cubic arcs through random knots on a unit sphere.

    Parameters
    ----------
    n_samples : int
    n_knots : int, default 5
        Knots, and arcs between them.
    n_features : int, default 10
        Dimension of the space; at least 2.
    t : {"uniform", "normal"}, default "uniform"
        How places on an arc are drawn. The report prints normal ones, which leave the arcs and reach far outside.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    EmbeddedTrefoil

    Examples
    --------
    >>> import graphcore
    >>> curve = graphcore.datasets.embedded_trefoil(100, 5, n_features=20, random_state=0)
    >>> curve.data.shape, curve.knots.shape
    ((100, 20), (5, 20))
    """
    n_samples, rng = _drawing("embedded trefoil", n_samples, random_state)
    n_knots = check_integer("n_knots", n_knots, low=1)
    n_features = check_integer("n_features", n_features, low=2)
    check_choice("t", t, ("uniform", "normal"))
    knots, tangents = _on_sphere(n_knots, n_features, rng), _on_sphere(n_knots, n_features, rng)
    arcs = rng.integers(0, n_knots, n_samples, dtype=np.int32)
    place = (rng.random(n_samples) if t == "uniform" else rng.normal(size=n_samples))[:, None]
    following = (arcs + 1) % n_knots
    data = (1 - place) ** 3 * knots[arcs]
    data += 3 * (1 - place) ** 2 * place * (knots[arcs] + tangents[arcs] / 3)
    data += 3 * (1 - place) * place**2 * (knots[following] - tangents[following] / 3)
    data += place**3 * knots[following]
    return EmbeddedTrefoil(data, arcs, knots, tangents)


def sphere(n_samples: int, n_features: int, *, random_state: RandomState = None) -> Floats:
    """Draw points uniformly on the unit sphere.

    Parameters
    ----------
    n_samples : int
    n_features : int
        Dimension of the space around the sphere.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    ndarray of shape (n_samples, n_features), float64

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.sphere(100, 25, random_state=0).shape
    (100, 25)
    """
    n_samples, rng = _drawing("sphere", n_samples, random_state)
    return _on_sphere(n_samples, check_integer("n_features", n_features, low=1), rng)


def circles(
    n_samples: int, radii: Sequence[float] = (1.0, 10.0), *, noise: float = 0.0, random_state: RandomState = None,
) -> LabeledVectors:  # fmt: skip
    """Draw points on concentric circles, about as many on each.

    Parameters
    ----------
    n_samples : int
        At least one for each circle.
    radii : sequence of float, default (1, 10)
    noise : float, default 0
        Standard deviation of Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, and the circle of each.

    Examples
    --------
    >>> import graphcore
    >>> points, labels = graphcore.datasets.circles(100, (1, 10), random_state=0)
    >>> points.shape, labels.max()
    ((100, 2), np.int32(1))
    """
    radii = [check_real("radii", radius, low=0, open_low=True) for radius in radii]
    if not radii:
        raise ParameterError("radii=() is empty; give one radius or more")
    n_samples, rng = _drawing("circles", n_samples, random_state, low=len(radii))
    labels = _shuffled_labels(n_samples, len(radii), rng)
    angles = rng.uniform(0, 2 * np.pi, n_samples)
    points = np.asarray(radii)[labels, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return LabeledVectors(_noisy(points, noise, rng), labels)


def cone(
    n_samples: int, *, slope: float = 10.0, height: float = 1.0, noise: float = 0.0, random_state: RandomState = None,
) -> Floats:  # fmt: skip
    """Draw points on a double cone ``x**2 + y**2 = slope z**2``, uniform by height and angle.

    Parameters
    ----------
    n_samples : int
    slope : float, default 10
    height : float, default 1
        z is uniform in [-height, height].
    noise : float, default 0
        Standard deviation of Gaussian noise on each coordinate.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    ndarray of shape (n_samples, 3), float64

    Examples
    --------
    >>> import graphcore
    >>> x, y, z = graphcore.datasets.cone(100, random_state=0).T
    >>> bool(abs(x**2 + y**2 - 10 * z**2).max() < 1e-12)
    True
    """
    n_samples, rng = _drawing("cone", n_samples, random_state)
    slope = check_real("slope", slope, low=0, open_low=True)
    height = check_real("height", height, low=0, open_low=True)
    z = rng.uniform(-height, height, n_samples)
    angles = rng.uniform(0, 2 * np.pi, n_samples)
    radius = np.sqrt(slope) * np.abs(z)
    return _noisy(np.stack([radius * np.cos(angles), radius * np.sin(angles), z], axis=1), noise, rng)


def noisy_triangle(n_samples: int, *, noise: float = 0.05, random_state: RandomState = None) -> LabeledVectors:
    """Draw points near the sides of an equilateral triangle with corners on the unit circle.

    Parameters
    ----------
    n_samples : int
        At least 3.
    noise : float, default 0.05
        Standard deviation of Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, and the side of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.noisy_triangle(99, random_state=0).data.shape
    (99, 2)
    """
    n_samples, rng = _drawing("noisy triangle", n_samples, random_state, low=3)
    labels = _shuffled_labels(n_samples, 3, rng)
    angles = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    t = rng.random((n_samples, 1))
    return LabeledVectors(_noisy((1 - t) * corners[labels] + t * corners[(labels + 1) % 3], noise, rng), labels)


def crossing_lines(
    n_samples: int, *, angle: float = 60.0, noise: float = 0.01, random_state: RandomState = None,
) -> LabeledVectors:  # fmt: skip
    """Draw points near two segments of length 2 that cross in their middles.

    Parameters
    ----------
    n_samples : int
        At least 2.
    angle : float, default 60
        Degrees between the segments.
    noise : float, default 0.01
        Standard deviation of Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, and the segment of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.crossing_lines(100, random_state=0).data.shape
    (100, 2)
    """
    n_samples, rng = _drawing("crossing lines", n_samples, random_state, low=2)
    turn = np.deg2rad(check_real("angle", angle))
    labels = _shuffled_labels(n_samples, 2, rng)
    directions = np.array([[1.0, 0.0], [np.cos(turn), np.sin(turn)]])
    return LabeledVectors(_noisy(rng.uniform(-1, 1, (n_samples, 1)) * directions[labels], noise, rng), labels)


def _drawing(name, n_samples, random_state, low=1):
    return check_integer("n_samples", n_samples, low=low), Streams(random_state).generator(name)


def _on_sphere(n_points, n_features, rng):
    points = rng.normal(size=(n_points, n_features))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _noisy(points, noise, rng):
    noise = check_real("noise", noise, low=0)
    return points + noise * rng.normal(size=points.shape) if noise else points


def _shuffled_labels(n_samples, n_labels, rng):
    """Labels that occur equally often, give or take one, in random order."""
    return rng.permutation(np.arange(n_samples, dtype=np.int32) % n_labels)
