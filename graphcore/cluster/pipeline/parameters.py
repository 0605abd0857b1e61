"""What there is to set: a run's settings, and the steps of the published algorithm; declared here, and checked.

Kept free of long imports, so that the command line can show its help at once.
"""

from dataclasses import dataclass, field, fields
from typing import Any, Self

from ...exceptions import ParameterError
from ..partition.objectives import OBJECTIVES

# Nodes with an edge, where there is no graph yet.
_ANY_NUMBER = 2**62


@dataclass(frozen=True)
class Parameter:
    """One setting of a run."""

    name: str  # as a keyword; on the command line with hyphens
    default: object
    kind: str  # "integer", "real", "choice", "flag", or "size": a number of nodes, or their share as a float in (0, 1]
    help: str = ""  # one line, for the command line
    choices: tuple = ()  # words of a "choice", or what a number may be instead; None is no choice on the command line
    low: float | None = None  # least value of a number or a size
    high: float | None = None
    open_low: bool = False  # whether the least value itself is not among them
    metavar: str = "N"  # placeholder of the value on the command line

    def check(self, value):
        """The value, if it is in range; sizes stay as they were given: shares are of a graph."""
        from ...base import validation as is_fine  # with numpy, which the command line's help does without

        name, kind, choices = self.name, self.kind, self.choices
        if kind in ("choice", "flag"):
            return is_fine.check_choice(name, value, choices) if kind == "choice" else is_fine.check_flag(name, value)
        if value is None and None in choices:
            return None
        if isinstance(value, str) and any(choices):
            others = "or a number" + ", or a share as a decimal number" * (kind == "size")
            return is_fine.check_choice(name, value, choices, others)
        if kind == "size":
            is_fine.check_size(name, value, _ANY_NUMBER, "", low=self.low)
            return value
        if kind == "integer":
            return is_fine.check_integer(name, value, low=self.low)
        return is_fine.check_real(name, value, low=self.low, high=self.high, open_low=self.open_low)


PARAMETERS = (
    Parameter("objective", "information", "choice", f"What merging and refinement raise: {', '.join(OBJECTIVES)}.",
              choices=tuple(OBJECTIVES), metavar="NAME"),
    Parameter("balance", "auto", "real", "How even clusters are to be: 1 even where they can, less: less so, or auto.",
              choices=("auto",), low=0, high=1, open_low=True, metavar="NUMBER"),
    Parameter("outliers", None, "real", "For vectors: rows far from others get no cluster; their share, or auto.",
              choices=(None, "auto"), low=0, high=1, open_low=True, metavar="SHARE"),
    Parameter("min_cluster_size", 1, "size", "Least nodes in a cluster, or their share as a decimal number.",
              low=0, metavar="NUMBER"),
    Parameter("max_cluster_size", None, "size", "Most nodes in a cluster, or their share as a decimal number.",
              choices=(None,), low=1, metavar="NUMBER"),
    Parameter("max_share", None, "real", "Largest volume (sum of degrees) of a cluster, in mean volumes: a balance.",
              choices=(None,), low=1, metavar="FACTOR"),
    Parameter("effort", "default", "real", "How long to look: fast, default, high, best, or a number of drafts.",
              choices=("fast", "default", "high", "best"), low=1, metavar="EFFORT"),
    Parameter("time_limit", None, "real", "Seconds after which the search ends; alone, it means effort best.",
              choices=(None,), low=0, metavar="SECONDS"),
    Parameter("resolution", None, "real", "Instead of K: nats of labels for a nat of information; that of modularity.",
              choices=(None,), low=0, metavar="NUMBER"),
)  # fmt: skip


def _step(default, kind, *choices, **bounds):
    return field(default=default, metadata={"kind": kind, "choices": choices, **bounds})


@dataclass(frozen=True, repr=False)
class Published:
    """The algorithm of the paper, with its values or others, for `published` of :class:`CoresetSpectralClustering`.

    Parameters
    ----------
    coreset_size : int, float or "auto", default "auto"
        Draws for the coreset, or their share of the nodes. "auto" is 50 for every cluster, at least 1,000, and at least
        3 % of the nodes or 100,000, whichever is less (without importance sampling and `overcluster` ten and 500).
    eps : float or None, default None
        Instead of a size, the relative error of the cost that the coreset is to have, above 0 and at most 1: rounds of
        importance sampling (Algorithm 4 of the paper), whose sizes its formula says, at most all nodes.
    sampling : {"importance", "degree", "uniform"}, default "importance"
        How the coreset is drawn. "importance" draws as the authors' program does: nearly by degree.
    n_seeds : int or "auto", default "auto"
        D2 seeds of importance sampling; "auto" is twice the number of clusters, as in the authors' program. The paper
        draws one more than clusters.
    self_loop : float, default 1.0
        Weight of a loop on every node inside the kernel, as a multiple of the mean weight; 1 is as published for
        graphs without weights.
    eigen_solver : {"power", "exact"}, default "power"
        How the coreset graph is embedded.
    coreset_degrees : {"row-sums", "weights"}, default "row-sums"
        Degrees by which the coreset graph is normalised. "weights" are the coreset's own, as Theorem 1 of the paper has
        it; the experiments there take row sums, which find better clusters. Needs ``eigen_solver="exact"``.
    overcluster : float or None, default 1.0
        The coreset graph is cut by spectral clustering into this many clusters for each one asked for, which are merged
        after their labels went to all nodes. None makes every coreset node a cluster of its own.
    refine : bool, default False
        Whether nodes are moved on the whole graph while that raises the objective, one by one and in groups, and drafts
        recombined.

    Notes
    -----
    scikit-learn reaches the parameters by ``published__sampling`` and so on, in `set_params` and searches.
    Without `published` the class does what ``Published(sampling="degree", overcluster=None, refine=True)`` does.

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> published = graphcore.Published(sampling="degree", self_loop=2.0)
    >>> published
    Published(sampling='degree', self_loop=2.0)
    >>> model = graphcore.CoresetSpectralClustering(2, published=published, random_state=0).fit(karate.graph)
    >>> model.set_params(published__sampling="uniform").published
    Published(sampling='uniform', self_loop=2.0)
    """

    coreset_size: float | str = _step("auto", "size", "auto", low=1)
    eps: float | None = _step(None, "real", None, low=0, high=1, open_low=True)
    sampling: str = _step("importance", "choice", "degree", "uniform", "importance")
    n_seeds: int | str = _step("auto", "integer", "auto", low=1)
    self_loop: float = _step(1.0, "real", low=0)
    eigen_solver: str = _step("power", "choice", "power", "exact")
    coreset_degrees: str = _step("row-sums", "choice", "row-sums", "weights")
    overcluster: float | None = _step(1.0, "real", None, low=1)
    refine: bool = _step(False, "flag")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter by its name.

        Parameters
        ----------
        deep : ignored

        Returns
        -------
        dict

        Examples
        --------
        >>> import graphcore
        >>> graphcore.Published(overcluster=2.0).get_params()["overcluster"]
        2.0
        """
        return {step.name: getattr(self, step.name) for step in STEPS}

    def set_params(self, **params: Any) -> Self:
        """Change parameters in place, as scikit-learn does.

        Parameters
        ----------
        **params

        Returns
        -------
        self : Published

        Raises
        ------
        ParameterError
            If there is no parameter of a name.

        Examples
        --------
        >>> import graphcore
        >>> graphcore.Published().set_params(overcluster=2.0)
        Published(overcluster=2.0)
        """
        for name, value in params.items():
            if name not in self.get_params():
                raise ParameterError(f"Published has no parameter {name!r}; there are {', '.join(self.get_params())}")
            object.__setattr__(self, name, value)
        return self

    def __repr__(self):
        changed = (f"{step.name}={getattr(self, step.name)!r}" for step in STEPS if not self._is_default(step))
        return f"Published({', '.join(changed)})"

    def _is_default(self, step):
        return repr(getattr(self, step.name)) == repr(step.default)


# The method of the library, in the terms of the published one: `published` None.
METHOD = Published(sampling="degree", overcluster=None, refine=True)
STEPS = tuple(Parameter(step.name, step.default, **step.metadata) for step in fields(Published))


def steps_of(published):
    """The steps of a run, checked: those of the library's method for None, or of the published algorithm."""
    if isinstance(published, Published):
        return _checked(published)
    if not (published is None or isinstance(published, bool)):
        raise ParameterError(
            f"published={published!r} must be None, True or graphcore.Published(), which takes other values than the "
            "paper's"
        )
    return Published() if published else METHOD


def defaults():
    """Every setting by its name, with its default."""
    return {parameter.name: parameter.default for parameter in PARAMETERS} | {"published": None}


def _checked(published):
    """The same steps, if every value is in range and none contradicts another."""
    steps = Published(**{step.name: step.check(getattr(published, step.name)) for step in STEPS})
    eps, size = steps.eps, steps.coreset_size
    if eps is not None and size != "auto":
        raise ParameterError(f"eps={eps} and coreset_size={size} both say how large a coreset is: leave one out")
    if eps is not None and steps.sampling != "importance":
        raise ParameterError(f"eps={eps} is for importance sampling; sampling={steps.sampling!r} takes a size")
    if steps.coreset_degrees == "weights" and steps.eigen_solver == "power":
        raise ParameterError(
            "coreset_degrees='weights' needs eigen_solver='exact': the power method has to know the first "
            "eigenvector, and does so only with row sums"
        )
    return steps


def idle_steps(steps):
    """Names of steps that do nothing beside the others, and what they would be for."""
    draws, spectral = steps.sampling == "importance", steps.overcluster is not None
    idle = {
        "n_seeds": not draws and "importance sampling",
        "eigen_solver": not spectral and "the spectral step (overcluster)",
        "coreset_degrees": not spectral and "the spectral step (overcluster)",
    }
    return {name: purpose for name, purpose in idle.items() if purpose}
