"""Common parts of the cases of kernel k-means: vectors with classes, agreement, runs over seeds, memory."""

import sys
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .harness import Method, Outcome
from .infinite_mnist import load_mnist

CLUSTERS = 10


def mnist(data, part="train"):
    """Return pixels from 0 to 1 as float32, and the digits; None if they are not there."""
    if not (Path(data) / "mnist").exists():
        return None
    images, labels = load_mnist(data, part)
    return images.astype(np.float32) / 255, labels


def pendigits(data):
    """Return the 7,494 training rows of PenDigits, float64, and the digits; None if they are not there."""
    path = Path(data) / "pendigits" / "pendigits.tra"
    if not path.exists():
        return None
    table = np.loadtxt(path, delimiter=",")
    return table[:, :-1], table[:, -1].astype(np.int64)


def letter(data):
    """Return the 20,000 rows of Letter, float32, and the letters; None if they are not there."""
    path = next(iter(sorted((Path(data) / "letter").glob("letter*.data"))), None)
    if path is None:
        return None
    rows = [line.split(",") for line in path.read_text().split()]
    return np.array([row[1:] for row in rows], dtype=np.float32), np.array([ord(row[0]) for row in rows])


def avila(data):
    """Return 20,772 of the 20,867 rows of Avila, float64, and the 12 scribes; None if absent."""
    path = Path(data) / "avila" / "avila.csv.gz"
    if not path.exists():
        return None
    table = np.loadtxt(path, delimiter=",", dtype=str)
    return table[:, :-1].astype(np.float64), np.unique(table[:, -1], return_inverse=True)[1]


def bank_notes(data):
    """Return the 1,372 rows of banknote authentication, four numbers, and two classes; None if they are not there."""
    path = Path(data) / "banknotes" / "banknotes.csv"
    if not path.exists():
        return None
    table = np.loadtxt(path, delimiter=",")
    return table[:, :-1], table[:, -1].astype(np.int64)


def mushrooms(data):
    """Return the 8,124 mushrooms as zeros and ones, and two classes; None if absent.

    The class is the last column of the file. The stalk's root, missing in many, is left out: 112 columns.
    """
    path = Path(data) / "mushrooms" / "agaricus-lepiota.csv.gz"
    if not path.exists():
        return None
    table = np.loadtxt(path, delimiter=",", dtype=str)
    attributes = [column[:, None] == np.unique(column) for column in np.delete(table[:, :-1], 11, axis=1).T]
    return np.hstack(attributes).astype(np.float64), np.unique(table[:, -1], return_inverse=True)[1]


def agreement(labels, truth):
    """Return ARI, Rand index and NMI with the geometric mean of the entropies, as in the papers."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score

    return {
        "nmi": float(normalized_mutual_info_score(truth, labels, average_method="geometric")),
        "ari": float(adjusted_rand_score(truth, labels)),
        "rand": float(rand_score(truth, labels)),
    }


def over_seeds(title, dataset, run, score, seeds):
    """Return an outcome of `run(seed)`, timed, and `score(result)`, a dict, for every seed from 0."""
    print(f"{dataset}: {title} ...", file=sys.stderr, end="", flush=True)
    outcome = Outcome(Method(title, title, "graphcore"), dataset, CLUSTERS, "ok", n_asked=seeds)
    for seed in range(seeds):
        start, cpu = time.perf_counter(), time.process_time()
        with quiet():
            result = run(seed)
        outcome.seconds.append(time.perf_counter() - start)
        outcome.cpu_seconds.append(time.process_time() - cpu)
        outcome.scores.append(score(result))
    # Scores are kept too, for an hour-long run that fails later.
    found = "".join(f", {name} {spread(outcome, name)}" for name in outcome.scores[-1])
    print(f" {np.mean(outcome.seconds):.3g} s{found}", file=sys.stderr, flush=True)
    return outcome


@contextmanager
def quiet():
    """Suppress the warnings of degenerate draws, which the tables count instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def spread(outcome, measure, digits=3):
    """Return the mean and deviation over the seeds that have a measure, "-" if none has."""
    values = [row[measure] for row in outcome.scores if row.get(measure) is not None]
    if not values:
        return "-"
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


class AnonymousMemory:
    """The highest anonymous memory of this process while a block runs (Linux), without pages of mapped files.

    The kernel keeps a high-water mark of all resident memory only, in which a mapped file counts although its pages can
    be dropped at any time; so the figure is looked up ten times a second.
    """

    def __enter__(self):
        self.peak = self._now()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._stop.set()
        self._thread.join()

    def _watch(self):
        while not self._stop.wait(0.1):
            self.peak = max(self.peak, self._now())

    @staticmethod
    def _now():
        try:
            status = Path("/proc/self/status").read_text()
            return int(status.split("RssAnon:")[1].split()[0]) * 1024
        except (OSError, IndexError):
            return 0
