"""Diagnostics of kernel features: approximation error, and the choice of landmarks."""

from dataclasses import dataclass

import numpy as np

from ...distributed.chunks import map_chunks
from .leverage import effective_dimension

# Points of which less than a tenth is kept are not covered by the landmarks.
_UNCOVERED = 0.9
# Residuals below this share of the trace are rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class FeatureDiagnostics:
    """How good features B of a kernel matrix K are, as far as it can be said in O(n s)."""

    n: int  # points
    n_landmarks: int  # drawn, or columns of a sketch
    n_components: int
    rank: int  # of the landmark matrix that was used
    trace: float  # mean of the diagonal of K
    residual: float  # mean of ``K_ii - |b_i|^2``, which is ``alpha / n``
    residual_max: float
    # The features leave out at most ``1 + eps_hat`` times what the best of their rank would: an upper bound of
    # ``alpha / |K - K_s|_* - 1``, from the singular values of the landmark approximation after the s-th. Infinite, so
    # no statement, where there are none, and for a kernel that is not positive semi-definite.
    eps_hat: float
    n_uncovered: int  # points of which the features keep less than a tenth, ``K_ii - |b_i|^2 > 0.9 K_ii``
    n_zero_rows: int  # points with a kernel value of zero to every landmark
    # Of the left singular vectors of B, an estimate of the coherence of the top eigenvectors of K: from 1, where
    # uniform landmarks do, to n / s.
    coherence: float
    ridge: float  # gamma of the effective dimension: ``sqrt(n)`` times the mean of the diagonal
    effective_dimension: tuple[float, float]  # lower and upper bound of ``sum_j lambda_j / (lambda_j + gamma)``
    # Largest eigenvalue of the landmark matrix ``P^T K P`` and the smallest in use; P is scaled so that they estimate
    # eigenvalues of K. None where there are no landmarks.
    landmark_spectrum: tuple[float, float] | None
    indefinite: bool  # whether the kernel is not positive semi-definite, as far as it was seen: then nothing is certain

    @property
    def share_kept(self):
        """Share of the trace of K that the features keep."""
        return 1.0 - self.residual / self.trace if self.trace > 0 else 1.0

    def lines(self):
        """Return the findings as (what, value) pairs of text."""
        low, high = self.effective_dimension
        best = f"at most {1 + self.eps_hat:.3g} times" if np.isfinite(self.eps_hat) else "unknown, against"
        lines = [
            ("points", f"{self.n:,}"),
            ("landmarks", f"{self.n_landmarks:,}, of rank {self.rank:,}"),
            ("features", f"{self.n_components:,}, which keep {100 * self.share_kept:.2f} % of the trace"),
            ("residual", f"mean {self.residual:.3g}, largest {self.residual_max:.3g}"),
            ("left out", f"{best} what the best {self.n_components:,} features leave out"),
            ("uncovered", f"{self.n_uncovered:,} points (less than a tenth kept)"),
            ("no landmark near", f"{self.n_zero_rows:,} points"),
            ("coherence", f"{self.coherence:.3g} of at most {self.n / self.n_components:.3g}"),
            ("effective dimension", f"{low:.3g} to {high:.3g} at ridge {self.ridge:.3g}"),
        ]
        if self.landmark_spectrum is not None:
            top, bottom = self.landmark_spectrum
            lines.append(("landmark eigenvalues", f"{top:.3g} down to {bottom:.3g}"))
        return lines

    def __str__(self):
        return as_text(self.lines())


def as_text(lines):
    """Write pairs of text in two columns."""
    width = max(len(what) for what, _ in lines)
    return "\n".join(f"{what:<{width}}  {value}" for what, value in lines)


def diagnose(found):
    """Judge KernelFeatures.

    ``B B^T <= K`` bounds the effective dimension from below; what is left out adds at most its trace over the ridge.
    Wang, Gittens, Mahoney, JMLR 20 (2019), section 2 (coherence); Calandriello, Rosasco, NeurIPS 2018, Definition 3.
    """
    B, residuals, diagonal = found.features, found.residuals, found.diagonal
    n, s = B.shape
    sigma = found.singular_values[:s]
    mean = found.trace / n
    ridge = float(np.sqrt(n)) * mean
    seen = effective_dimension(sigma**2, ridge)
    missing = float((found.singular_values[s:] ** 2).sum())  # below the least error of s features
    if found.indefinite:
        excess = np.inf
    elif found.sampling == "kernel-pca" or found.alpha <= _ROUNDING * found.trace:
        excess = 0.0
    else:
        excess = max(0.0, found.alpha / missing - 1.0) if missing > _ROUNDING * found.trace else np.inf
    root = found.landmark_root
    spectrum = None if root is None else (float(root.eigenvalues[0]), float(root.eigenvalues[root.rank - 1]))
    return FeatureDiagnostics(
        n=n,
        n_landmarks=found.n_landmarks,
        n_components=s,
        rank=s if root is None else root.rank,
        trace=mean,
        residual=found.alpha / n,
        residual_max=float(max(map_chunks(np.max, residuals))),
        eps_hat=excess,
        n_uncovered=sum(map_chunks(_n_uncovered, residuals, each=diagonal)),
        n_zero_rows=found.n_zero_rows,
        coherence=n / s * max(map_chunks(_longest, B, sigma)),
        ridge=ridge,
        effective_dimension=(seen, seen + found.alpha / ridge),
        landmark_spectrum=spectrum,
        indefinite=found.indefinite,
    )


def _n_uncovered(residuals, diagonal):
    return int((residuals > _UNCOVERED * diagonal).sum())


def _longest(B, sigma):
    """Compute the largest squared length of a row of the left singular vectors, in blocks of rows."""
    largest, step = 0.0, max(1, (1 << 22) // B.shape[1])
    for start in range(0, len(B), step):
        rows = np.asarray(B[start : start + step], dtype=np.float64) / sigma
        largest = max(largest, float(np.einsum("ij,ij->i", rows, rows).max()))
    return largest
