"""Numbers in the prose on the exhibits of Calandriello and Rosasco."""

import math

from . import PUBLISHED, SETTING, deviation, value


def _at_the_root(groups):
    last = max(group["m"] for group in groups)
    cost, exact = (value(groups, key, m=245) / value(groups, key, m=last) for key in ("held out", "partition"))
    return math.ceil(math.sqrt(groups[0]["n"])) == 245 and cost < 1.05 and abs(exact - 1) < 0.001


def _gain(groups):
    """Return whether NMI grows by less from 400 to 800 landmarks than runs scatter."""
    return value(groups, "nmi", m=800) - value(groups, "nmi", m=400) < value(groups, "nmi", deviation, m=400)


SAID = {
    "figure-1": {
        "245 landmarks, the square root of n, is within some percent of its final value": _at_the_root,
        "a 95 % interval of the mean of 10 runs": PUBLISHED,
    },
    "figure-2": {
        "More than 400 landmarks gain nothing": _gain,
        "[2,952 seconds": PUBLISHED,
        "over one and a half": PUBLISHED,
        "the last eleventh": SETTING,
    },
}
