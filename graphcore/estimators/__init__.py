"""scikit-learn classes: they validate, call the plain functions, and store attributes."""

from .._lazy import import_scikit_learn

import_scikit_learn()
