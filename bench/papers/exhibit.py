"""One figure or table of a paper: its measurement, its published values, and a picture of both."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path

import numpy as np

from .. import harness

# Origins of the values of a published row.
TEXT, PLOT = "text", "read off the plot"


class MissingData(Exception):
    """Data that an exhibit needs are not in the data folder."""


@dataclass(frozen=True)
class Settings:
    """Settings of a run: `quick` takes seconds and small input; `repetitions` replaces the number of each exhibit.

    `limit` is for one run of another program, in seconds; `rows` is how many images exhibits on millions of them take.
    """

    quick: bool = False
    seed: int = 0
    repetitions: int | None = None
    threads: int = 2
    limit: float = 7200.0
    data: Path = field(default_factory=harness.default_data)
    rows: int | None = None

    def seeds(self, usual, quick=2):
        """Return seeds of the repetitions: `usual` many, `quick` in a quick run."""
        count = self.repetitions or (quick if self.quick else usual)
        return range(self.seed, self.seed + count)


@dataclass(frozen=True)
class Exhibit:
    """A figure or table of a paper.

    Attributes
    ----------
    name, title : str
        Such as "figure-2", and its subject.
    by, values : dict
        Keys of a row for the setting, and for the values, each with its heading in the table.
    measure : function
        ``measure(settings)`` gives rows: dicts of plain values, one for each repetition. A value that is missing or
        None was not measured.
    why : str
        A sentence on how the measured values compare with the published ones.
    published : tuple of dict
        Keys of `by` and of `values`, with "source": TEXT or PLOT. Empty if no value can be read.
    draw : function, optional
        ``draw(groups, published)`` returns a matplotlib figure. A group is an element of :func:`grouped`.
    check : function, optional
        ``check(groups)`` asserts the claim of the exhibit. The tests call it for a quick run and for the record.
    stand_in, unavailable : str
        The stand-in for unavailable data; the reason why an exhibit is not measured (`measure` is None then).
    slow : bool
        Whether the quick version takes more than a second.
    """

    name: str
    title: str
    by: dict
    values: dict
    measure: Callable | None
    why: str
    published: tuple = ()
    draw: Callable | None = None
    check: Callable | None = None
    stand_in: str = ""
    unavailable: str = ""
    slow: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper: its `name` on the command line, title, source, an introduction in Markdown, and its exhibits."""

    name: str
    title: str
    source: str
    intro: str
    exhibits: tuple

    def exhibit(self, name):
        """Return the exhibit of a name."""
        return next(exhibit for exhibit in self.exhibits if exhibit.name == name)


def grouped(exhibit, rows):
    """Group rows of one setting: the keys of `by`, and a list of all repetitions for each value."""
    groups = {}
    for row in rows:
        setting = {key: row[key] for key in exhibit.by if key in row}
        group = groups.setdefault(tuple(setting.items()), setting)
        for key in exhibit.values:
            if row.get(key) is not None:
                group.setdefault(key, []).append(_short(row[key]))
    return list(groups.values())


def _short(value):
    """Return a plain value rounded to five significant digits."""
    if isinstance(value, str | bool):
        return value
    return int(value) if float(value).is_integer() else float(f"{value:.5g}")


def kept(measure):
    """Return a `measure` whose rows are kept in this process, for exhibits that share them."""
    found = {}

    @wraps(measure)
    def rows(*args):
        if args in found:
            yield from found[args]
            return
        new = []
        for row in measure(*args):
            new.append(row)
            yield row
        found[args] = new

    return rows


def timed(function, *args, **kwargs):
    """Return the result of a function, and its processor seconds in all threads."""
    start = time.process_time()
    result = function(*args, **kwargs)
    return result, time.process_time() - start


def mean(group, key):
    """Return the mean of a value over the repetitions of a group, nan if it was not measured."""
    return float(np.mean(group[key])) if group.get(key) else float("nan")


def chosen(groups, **setting):
    """Return the groups with these settings."""
    return [group for group in groups if all(group.get(key) == value for key, value in setting.items())]
