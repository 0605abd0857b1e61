"""The table of a run's settings: what there is to set. Class, checks and command line are made from it.

Kept free of long imports, so that the command line can show its help at once.
"""

from dataclasses import dataclass

from ..partition.objectives import OBJECTIVES


@dataclass(frozen=True)
class Parameter:
    """One setting of a run."""

    name: str  # as a keyword; on the command line with hyphens
    default: object
    kind: str  # "integer", "real", "choice", "flag", or "size": a number of nodes, or their share as a float in (0, 1]
    help: str  # one line, for the command line
    choices: tuple = ()  # words of a "choice", or what a number may be instead; None is no choice on the command line
    low: int | None = None  # least value of a number or a size
    auto: str = ""  # what "auto" (or None, where that is the default) comes to, in words
    metavar: str = "N"  # placeholder of the value on the command line


PARAMETERS = (
    Parameter("coreset_size", "auto", "size", "Nodes in a coreset, or their share as a decimal number.",
              low=1, auto="by n and K", metavar="NUMBER"),
    Parameter("eps", None, "real", "Instead of a size: relative error that importance sampling aims at, up to 1.",
              choices=(None,), low=0, metavar="SHARE"),
    Parameter("sampling", "auto", "choice", "How a coreset is drawn: degree, uniform or importance.",
              choices=("degree", "uniform", "importance"), auto="degree", metavar="NAME"),
    Parameter("walk_steps", "auto", "integer", "Steps of the walk behind the kernel; 1 is the plain kernel.", low=1,
              auto="by n and degree"),
    Parameter("row_budget", "auto", "integer", "Entries kept of a walk from one node.", low=2, auto="150"),
    Parameter("overcluster", "auto", "real", "Spectral clusters for each of the K, merged afterwards.",
              choices=(None,), low=1, auto="no spectral step", metavar="FACTOR"),
    Parameter("objective", "information", "choice", f"What merging and refinement raise: {', '.join(OBJECTIVES)}.",
              choices=tuple(OBJECTIVES), metavar="NAME"),
    Parameter("refine", "auto", "flag", "Move single nodes at the end.", auto="yes"),
    Parameter("min_cluster_size", 1, "size", "Least nodes in a cluster, or their share as a decimal number.",
              low=0, metavar="NUMBER"),
    Parameter("max_cluster_size", None, "size", "Most nodes in a cluster, or their share as a decimal number.",
              choices=(None,), low=1, metavar="NUMBER"),
    Parameter("max_share", None, "real", "Largest volume (sum of degrees) of a cluster, in mean volumes: a balance.",
              choices=(None,), low=1, metavar="FACTOR"),
    Parameter("self_loop", "auto", "real", "Loop on every node inside the plain kernel, in mean weights.", low=0,
              auto="1", metavar="FACTOR"),
    Parameter("n_seeds", "auto", "integer", "D2 seeds of importance sampling.", low=1, auto="2 K"),
    Parameter("eigen_solver", "power", "choice", "How the coreset graph is embedded: power or exact.",
              choices=("power", "exact"), metavar="NAME"),
    Parameter("coreset_degrees", "row-sums", "choice", "Degrees in the coreset graph: row-sums or weights.",
              choices=("row-sums", "weights"), metavar="NAME"),
    Parameter("effort", "default", "real", "How long to look: fast, default, high, best, or a number of drafts.",
              choices=("fast", "default", "high", "best"), low=1, metavar="EFFORT"),
    Parameter("time_limit", None, "real", "Seconds after which the search ends; alone, it means effort best.",
              choices=(None,), low=0, metavar="SECONDS"),
    Parameter("resolution", None, "real", "Instead of K: nats of labels for a nat of information; that of modularity.",
              choices=(None,), low=0, metavar="NUMBER"),
    Parameter("preset", None, "choice", "published: what is not given is as in the paper.",
              choices=(None, "published"), metavar="NAME"),
)  # fmt: skip


def defaults():
    """Every setting by its name, with its default."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}
