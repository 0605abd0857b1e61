"""scikit-learn classes: they validate, call the plain functions, and store attributes."""

from ..base.lazy import import_scikit_learn

import_scikit_learn()
