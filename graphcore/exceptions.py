"""Errors and warnings that graphcore raises on purpose."""

__all__ = ["FormatError", "GraphWarning", "InputError", "ParameterError"]


class InputError(ValueError):
    """The data given cannot be used: the message says what is wrong and what to do."""


class ParameterError(InputError, TypeError):
    """A parameter has a value or a type that cannot be used."""


class FormatError(InputError):
    """A file's content does not follow the format it is read as."""


class GraphWarning(UserWarning):
    """The graph was changed or is unusual in a way that its owner should know about."""
