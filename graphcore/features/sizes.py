"""How many landmarks and how many features: the rules of the papers."""

import math

from .._validation import check_choice, check_integer, check_real

_RULES = ("auto", "sqrt", "sqrt_nk", "theory")


def suggest_rank(n_clusters, n_landmarks, *, coherence=1.0, highest=None):
    """Number of features s that balances the two errors, ``ceil(sqrt(k c / mu))``, between k and c.

    Parameters
    ----------
    n_clusters, n_landmarks : int
        k and c.
    coherence : float, default 1
        mu, at least 1.
    highest : int, optional
        Upper limit; default `n_landmarks`.

    Returns
    -------
    int

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 2019, Remark 3.

    Examples
    --------
    >>> from graphcore.features.sizes import suggest_rank
    >>> suggest_rank(10, 1600)
    127
    """
    k = check_integer("n_clusters", n_clusters, low=1)
    c = check_integer("n_landmarks", n_landmarks, low=1)
    mu = check_real("coherence", coherence, low=1.0)
    return max(1, min(max(math.ceil(math.sqrt(k * c / mu)), k), c if highest is None else highest))


def suggest_landmarks(n, n_clusters, rule="auto", *, n_components=None, kappa_squared=1.0):
    """Number of landmarks c.

    Parameters
    ----------
    n, n_clusters : int
        Number of points; k.
    rule : {"auto", "sqrt", "sqrt_nk", "theory"} or int, default "auto"
        - "sqrt": ``ceil(sqrt(n))``, where measured costs level off
        - "auto": ``2 ceil(sqrt(n))``, and at least 10 for each cluster (or feature, where `n_components` is given):
          within 5 % of the plateau of the cost in the subspace too
        - "sqrt_nk": ``ceil(sqrt(n k))``
        - "theory": :func:`theory_landmarks` for ``gamma = sqrt(n)``

        A number is checked and returned.
    n_components : int, optional
        s.
    kappa_squared : float, default 1
        Largest value on the diagonal of the kernel, for "theory".

    Returns
    -------
    int
        At least k (and s) where n allows it, at most n.

    References
    ----------
    Calandriello, Rosasco, NeurIPS 2018, Theorem 1 and section 6.

    Examples
    --------
    >>> from graphcore.features.sizes import suggest_landmarks
    >>> suggest_landmarks(60000, 10, "sqrt")
    245
    """
    n = check_integer("n", n, low=1)
    k = check_integer("n_clusters", n_clusters, low=1)
    if not isinstance(rule, str):
        return check_integer("n_landmarks", rule, low=1, high=n, why_high="the number of points")
    check_choice("n_landmarks", rule, _RULES)
    smallest = max(k, n_components or 1)
    if rule == "theory":
        return max(theory_landmarks(n, math.sqrt(n), kappa_squared=kappa_squared), min(n, smallest))
    root = math.ceil(math.sqrt(n))
    c = {"sqrt": root, "auto": max(2 * root, 10 * smallest), "sqrt_nk": math.ceil(math.sqrt(n * k))}[rule]
    return min(n, max(c, smallest))


def theory_landmarks(n, gamma, *, kappa_squared=1.0, eps=0.5, delta=0.1, effective_dimension=None):
    """Landmarks for which the theory promises a gamma-preserving dictionary.

    ``12 kappa^2 (n / gamma) log(n / delta) / eps^2`` for uniform sampling, with the effective dimension in place of
    ``n / gamma`` for ridge leverage scores. The constant is far from what is needed in practice: measure instead.

    Parameters
    ----------
    n : int
    gamma : float
        Accuracy, positive; ``sqrt(n)`` keeps the rate of exact kernel k-means.
    kappa_squared : float, default 1
        Largest value on the diagonal of the kernel.
    eps, delta : float
        Relative error and probability of failure, between 0 and 1.
    effective_dimension : float, optional

    Returns
    -------
    int
        At most n.

    References
    ----------
    Calandriello, Rosasco, NeurIPS 2018, Lemmas 1 and 3.

    Examples
    --------
    >>> from graphcore.features.sizes import theory_landmarks
    >>> theory_landmarks(1_000_000, 1000.0, eps=0.9)
    238787
    """
    n = check_integer("n", n, low=1)
    gamma = check_real("gamma", gamma, low=0.0, open_low=True)
    kappa_squared = check_real("kappa_squared", kappa_squared, low=0.0, open_low=True)
    eps = check_real("eps", eps, low=0.0, open_low=True, high=1, open_high=True)
    delta = check_real("delta", delta, low=0.0, open_low=True, high=1, open_high=True)
    size = n / gamma if effective_dimension is None else check_real("effective_dimension", effective_dimension, low=0.0)
    return max(1, min(n, math.ceil(12 * kappa_squared * size * math.log(n / delta) / eps**2)))
