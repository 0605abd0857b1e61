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
