"""The settings of a run: declared here, and checked.

Kept free of long imports, so that the command line can show its help at once.
"""

from dataclasses import dataclass

from ..partition.objectives import OBJECTIVES

_SAMPLING, _SOLVERS = ("importance", "degree", "uniform"), ("power", "exact")
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
        """Return the value, if it is in range; sizes stay as they were given: shares are of a graph."""
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
    Parameter("objective", "information", "choice", f"Quality measure to maximise: {', '.join(OBJECTIVES)}.",
              choices=tuple(OBJECTIVES), metavar="NAME"),
    Parameter("balance", "auto", "real", "Preference for clusters of equal size, from 1 down to 0, or auto.",
              choices=("auto",), low=0, high=1, open_low=True, metavar="NUMBER"),
    Parameter("outliers", None, "real", "For vectors: share of rows, far from others, that get no cluster; or auto.",
              choices=(None, "auto"), low=0, high=1, open_low=True, metavar="SHARE"),
    Parameter("min_cluster_size", 1, "size", "Smallest number of nodes in a cluster, or a share (as 0.01).",
              low=0, metavar="NUMBER"),
    Parameter("max_cluster_size", None, "size", "Largest number of nodes in a cluster, or a share (as 0.1).",
              choices=(None,), low=1, metavar="NUMBER"),
    Parameter("max_share", None, "real", "Largest volume (sum of degrees) of a cluster, as a multiple of the mean.",
              choices=(None,), low=1, metavar="FACTOR"),
    Parameter("effort", "default", "real", "How long to search: fast, default, high, best, or a number of drafts.",
              choices=("fast", "default", "high", "best"), low=1, metavar="EFFORT"),
    Parameter("time_limit", None, "real", "Seconds after which the search ends; alone, it means --effort best.",
              choices=(None,), low=0, metavar="SECONDS"),
    Parameter("coreset_size", "auto", "size", "Number of nodes in the coreset, or a share (as 0.1).",
              choices=("auto",), low=1, metavar="NUMBER"),
    Parameter("sampling", "auto", "choice", f"How the coreset is drawn: {', '.join(_SAMPLING)}.",
              choices=("auto", *_SAMPLING), metavar="NAME"),
    Parameter("eigen_solver", "power", "choice", f"How the coreset graph is embedded: {', '.join(_SOLVERS)}.",
              choices=_SOLVERS, metavar="NAME"),
    Parameter("published", False, "flag", "Run the algorithm of the paper: induced coreset graph, no moves."),
    Parameter("resolution", None, "real", "In place of -k: larger gives more clusters; or that of modularity.",
              choices=(None,), low=0, metavar="NUMBER"),
)  # fmt: skip


def defaults():
    """Return every setting by its name, with its default."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}
