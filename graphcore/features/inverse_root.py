"""The root of the pseudo-inverse of a landmark matrix, and whether the kernel is positive semi-definite there."""

from dataclasses import dataclass

import numpy as np

from .._threads import away
from .._validation import check_choice, check_integer, check_real
from ..exceptions import InputError
from ..kernels.checks import clearly_negative
from ..kernels.definiteness import report_indefinite

# What helps against an indefinite kernel, beside another one.
CLIP = "add a multiple of the identity, or on_indefinite='clip' to drop the negative part"


@dataclass(frozen=True, eq=False)
class InverseRoot:
    """Z with ``Z Z^T = W^+``, or the pseudo-inverse of W truncated to a lower rank."""

    root: np.ndarray  # (c, rank) float64: Z
    eigenvalues: np.ndarray  # (c,) float64: of W, descending, before anything was cut off
    rank: int
    cut: float  # eigenvalues up to this were taken for zero
    indefinite: bool  # whether eigenvalues were dropped that are negative beyond rounding


def inverse_root(W, *, truncation=None, rtol=None, on_indefinite="error", precision=np.float64):
    """Root of the pseudo-inverse of a positive semi-definite matrix W (c, c), which is symmetrised; an InverseRoot.

    Eigenvalues up to `rtol` times the largest are taken for zero, by default c times the machine epsilon of
    `precision`, which kernel values were computed in; `truncation` is the largest rank kept. A W with NaN or infinity,
    of zeros, or with clearly negative eigenvalues is an InputError, unless "clip" drops the latter.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "clip"))
    W = np.asarray(W, dtype=np.float64)
    c = len(W)
    if truncation is not None:
        truncation = check_integer("truncation", truncation, low=1, high=c, why_high="the number of landmarks")
    rtol = c * float(np.finfo(precision).eps) if rtol is None else check_real("rtol", rtol, low=0.0, high=1.0)
    if not np.isfinite(W).all():
        raise InputError("kernel values among the landmarks hold NaN or infinity; check the data and the kernel")
    values, vectors = away(np.linalg.eigh, (W + W.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    if not values.any():
        raise InputError(
            "kernel values among the landmarks are all zero, so nothing can be learnt from them; choose other "
            "landmarks (sampling='leverage', more of them) or check the kernel"
        )
    negative = clearly_negative(values, precision, c)
    if negative:
        report_indefinite((values[-1], values[0]), on_indefinite, where="among the landmarks", remedy=CLIP)
    cut = rtol * max(float(values[0]), 0.0)
    rank = int((values > cut).sum())
    if rank == 0:
        raise InputError("kernel values among the landmarks have no positive eigenvalue; use another kernel")
    if truncation is not None:
        rank = min(rank, truncation)
    return InverseRoot(vectors[:, :rank] / np.sqrt(values[:rank]), values, rank, cut, negative)
