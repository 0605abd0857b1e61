"""scikit-learn classes: they validate, call the plain functions, and store attributes."""
