"""Errors and warnings that graphcore raises on purpose, each one line of bounded length."""

import sys
import warnings
from types import FrameType

_LONGEST = 480
_LONGEST_WORD = 200


class InputError(ValueError):
    """The input data cannot be used; the message names the problem and a remedy."""

    def __init__(self, message: str = "", *others: object) -> None:
        super().__init__(one_line(message), *others)


class ParameterError(InputError, TypeError):
    """A parameter has a value or a type that cannot be used.

    Attributes
    ----------
    name : str or None
        The parameter, where the fault is that of one.
    value : object
        The value given.
    """

    def __init__(self, message: str = "", *others: object, name: str | None = None, value: object = None) -> None:
        super().__init__(message, *others)
        self.name, self.value = name, value


class FormatError(InputError):
    """A file's content does not follow the format it is read as."""


class GraphWarning(UserWarning):
    """The graph was changed, or it, a choice or the result is unusual."""


def missing_package(what, package, extra):
    """The message where an optional package is missing; `extra` of the distribution installs it.

    The distribution is on no index yet: the extra is that of a checkout.
    """
    return f"{what} needs the package {package}: pip install {package} (or '.[{extra}]' in a checkout of graphcore)"


def one_line(message):
    """A message as one printable line, whatever it repeats of the input: long words and long texts lose their middle.

    The beginning stays, which says where and what, and the end, which says what to do.
    """
    text = _without_middle(str(message), 2 * _LONGEST, 2 * _LONGEST, 4 * _LONGEST)  # the rest looks at every character
    text = printable("".join(" " if c in "\t\n\v\f\r" else c for c in text))
    words = (_without_middle(word, _LONGEST_WORD // 2, _LONGEST_WORD // 4, _LONGEST_WORD) for word in text.split(" "))
    return _without_middle(" ".join(words), 2 * _LONGEST // 3, _LONGEST // 4, _LONGEST)


def printable(text):
    """Return a text whose control characters, but for line ends, are escaped, as a terminal would obey them."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _without_middle(text, first, last, longest):
    return text if len(text) <= longest else f"{text[:first]}...{text[-last:]}"


# Packages whose frames lie between a user's line and the cause of a warning.
_PASSED_ON = ("graphcore", "sklearn", "contextlib")


def warn_user(message, category=GraphWarning):
    """Warn at the innermost line of a user, however deep the cause lies."""
    level = 1
    frame: FrameType | None = sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED_ON:
        frame = frame.f_back
        level += 1
    warnings.warn(one_line(message), category, stacklevel=level)
