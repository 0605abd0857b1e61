"""Errors and warnings that graphcore raises on purpose."""

__all__ = ["FormatError", "GraphWarning", "InputError", "NonPositiveDegreeError", "ParameterError"]


class InputError(ValueError):
    """The input data cannot be used; the message names the problem and a remedy."""


class ParameterError(InputError, TypeError):
    """A parameter has a value or a type that cannot be used."""


class FormatError(InputError):
    """A file's content does not follow the format it is read as."""


class NonPositiveDegreeError(InputError):
    """Spectral clustering cannot normalise: some degrees, exact or approximate, are not positive.

    Attributes
    ----------
    indices : ndarray of shape (n_bad,)
        The points.
    degrees : ndarray of shape (n_bad,)
    """

    def __init__(self, indices, degrees):
        super().__init__(
            f"{len(indices)} points have a degree that is not positive (the first is point {indices[0]}, "
            f"{degrees[0]:.3g}), and spectral clustering divides by its root. If the kernel is approximated, draw "
            "again or take more landmarks; kernel k-means on the same features has no such need"
        )
        self.indices = indices
        self.degrees = degrees

    def __reduce__(self):
        """Errors travel between processes: by their arguments, not by their message."""
        return type(self), (self.indices, self.degrees)


class GraphWarning(UserWarning):
    """The graph was changed, or has an unusual property."""
