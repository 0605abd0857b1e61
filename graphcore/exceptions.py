"""Errors and warnings that graphcore raises on purpose."""

__all__ = ["FormatError", "GraphWarning", "InputError", "ParameterError"]


class InputError(ValueError):
    """The input data cannot be used; the message names the problem and a remedy."""


class ParameterError(InputError, TypeError):
    """A parameter has a value or a type that cannot be used."""


class FormatError(InputError):
    """A file's content does not follow the format it is read as."""


class GraphWarning(UserWarning):
    """The graph was changed, or has an unusual property."""
