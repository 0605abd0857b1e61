"""Numbers in the prose on each exhibit, with their origin: a module for each paper, `SAID` by exhibits and phrases.

An origin is ``f(groups)`` of the record, which returns the numbers as they are printed or whether the phrase holds;
PUBLISHED, for what the paper says; or SETTING, for what the measurement takes.
"""

from importlib import import_module

import numpy as np

from ..exhibit import chosen, mean

PUBLISHED, SETTING = "published", "a setting"


def said(name):
    """Return the phrases of a paper's exhibits."""
    return import_module(f"{__name__}.{name}").SAID


def value(groups, key, of=np.mean, **setting):
    """Return the mean of a value over the repetitions of the first group of a setting, or what `of` makes of them."""
    return float(of(chosen(groups, **setting)[0][key]))


def values(groups, key, **setting):
    """Return the means of a value of all groups of a setting that have it."""
    return np.array([mean(group, key) for group in chosen(groups, **setting) if group.get(key)])


def deviation(found):
    """Return the standard deviation of repetitions."""
    return np.std(found, ddof=1)
