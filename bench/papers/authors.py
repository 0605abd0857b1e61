"""The program of the coreset paper's authors, coreset-sc, beside ours in the figures of their paper."""

import tempfile
from pathlib import Path

import numpy as np

from .. import harness

NAME = "the authors' program"


def runs(indptr, indices, k, share, settings, usual, score):
    """Run coreset-sc, a row for each seed: the scores by `score(labels, run)`, and processor seconds.

    `run` are the arrays of a run: `coreset` and `coreset_labels`. None in quick runs, or where it is not installed.
    """
    if settings.quick:
        return
    options = harness.Options(
        settings.data, harness.PEERS_ENVIRONMENT / "bin" / "python", len(settings.seeds(usual)), settings.threads,
        settings.limit, 0,
    )  # fmt: skip
    method = harness.Method(NAME, "coreset_sc_stages", params={"size": share, "n_init": 10})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, indptr=indptr, indices=indices)
        outcome = harness.measure(
            method, "graph", path, k, options, score=lambda path, run, k, own_k: score(run["labels"], run)
        )
    for scores, seconds in zip(outcome.scores, outcome.cpu_seconds, strict=False):
        yield {"method": NAME, "seconds": seconds, **scores}
