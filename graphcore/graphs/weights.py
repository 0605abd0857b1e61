"""Moved to `rows.py`."""

from .rows import (  # noqa: F401
    NO_WEIGHTS,
    as_float_weights,
    counted,
    edge_weights,
    edges_in_range,
    first_bad_weight,
    given_unit,
    in_range,
)


def without_ones(weights):
    """None for weights that are all 1."""
    from .rows import are_ones

    return None if are_ones(weights) else weights
