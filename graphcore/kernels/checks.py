"""What a kernel matrix must be, and what counts as rounding in it."""

import numpy as np

from ..exceptions import InputError

# Beyond these, products of kernel values overflow, and sums of squares vanish.
_LARGEST = {"f": 1e30}
_MANY = 1e60
# A matrix whose two halves differ by less than this share of its largest entry is symmetric up to rounding.
_SYMMETRY_TOLERANCE = {"f": 1e-4}


def noise_of(dtype):
    """Relative rounding of squared distances between points whose kernel values have this type."""
    return 2e-6 if dtype == np.float32 else 1e-12


def eigenvalue_noise(n_points, dtype):
    """Share of the largest eigenvalue below which negative ones may be the rounding of kernel values of this type.

    The rounding of n x n values has eigenvalues up to about n times the machine epsilon. 1e-8 is for what went into the
    values before: they are seldom exact to the last digit.
    """
    return max(1e-8, n_points * float(np.finfo(dtype).eps))


def clearly_negative(eigenvalues, dtype, n_points):
    """Whether the least of some eigenvalues is more negative than rounding of n x n values of this type explains."""
    smallest, largest = float(np.min(eigenvalues)), float(np.abs(eigenvalues).max())
    return smallest < -eigenvalue_noise(n_points, dtype) * largest


def check_precomputed(K):
    """Refuse what has not the shape or type of a precomputed kernel."""
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise InputError(f"a precomputed kernel is a square matrix, and not empty; this one has shape {K.shape}")
    if K.dtype.kind not in "biuf":
        raise InputError(f"a precomputed kernel has real numbers, got {K.dtype}")


def check_symmetric(difference, largest, dtype):
    """Refuse a matrix whose halves differ by more than rounding."""
    check_magnitude("the kernel matrix", largest, dtype)
    if difference > _SYMMETRY_TOLERANCE.get(dtype.char, 1e-8) * largest:
        raise InputError(
            f"the kernel matrix is not symmetric: entries differ by up to {difference:.3g} across the diagonal; "
            "use (K + K.T) / 2 if that is what is meant"
        )


def check_magnitude(what, largest, dtype):
    """Refuse values whose largest size leads beyond what floating-point numbers can hold."""
    limit = _LARGEST.get(np.dtype(dtype).char, _MANY)
    if largest > limit or 0 < largest < 1 / limit:
        raise InputError(
            f"{what} has values of size {largest:.3g}; products of them need it between {1 / limit:.0e} and "
            f"{limit:.0e}: rescale"
        )


def check_diagonal(diagonal):
    """Refuse a diagonal that no inner product has."""
    if not np.isfinite(diagonal).all():
        raise InputError("the kernel overflows on its diagonal: rescale the vectors, or lower degree or gamma")
    if (diagonal < 0).any():
        x = int(np.argmin(diagonal))
        raise InputError(
            f"the kernel has a negative diagonal ({np.count_nonzero(diagonal < 0)} entries; K[{x}, {x}] is "
            f"{diagonal[x]:.3g}), so it is no inner product: add a multiple of the identity, or choose another kernel"
        )
