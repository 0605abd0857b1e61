"""8.1 million images: Nystrom features and labels, seconds, memory and NMI beside the published ones.

Rows come from ``bench/infinite_mnist.py`` and are kept in ``--folder`` (default: the bench's cache of inputs, 6.4 GB).
``--rows`` takes fewer; where the disk has no room for them, as many as fit are taken. A quarter and a sixteenth of the
rows are measured first: time should be linear in n. ``--quick`` is 240,000 rows.
"""

import sys
import time

import numpy as np

from .. import infinite_mnist, inputs
from ..harness import Method, Outcome
from ..papers.rank_restricted.large import MACHINES, TABLE_4, TABLE_4_NMI
from ..report import Report, table
from ..runner import peak_bytes, reset_peak
from ..vectors import AnonymousMemory, agreement, quiet

SEEDS = 1
ROOMS = ("base", "kernels", "kernel_methods")
LANDMARKS, RANKS, CLUSTERS, MAX_ITER = 400, (20, 80), 10, 100
QUICK_ROWS, LIMIT_GB, LIMIT_SECONDS = 240_000, 8.0, 600.0
# Seconds on 32 machines of 32 cores and NMI: Wang, Gittens, Mahoney, JMLR 2019.
PUBLISHED = {s: (*(stage[MACHINES.index(32)] for stage in stages), TABLE_4_NMI[s]) for s, stages in TABLE_4.items()}


def run(options):
    """Measure a sixteenth, a quarter and all of the rows."""
    folder = options.folder or inputs.CACHE
    folder.mkdir(parents=True, exist_ok=True)
    if not (options.data / "mnist").exists():
        return Report("MNIST8M", [f"Not in the data folder ({options.data}): mnist."], [])
    asked = options.rows or (QUICK_ROWS if options.quick else infinite_mnist.ROWS)
    there = infinite_mnist.paths(folder, asked)[0].exists()
    rows = asked if there else infinite_mnist.fitting_rows(folder, asked)
    start = time.perf_counter()
    where, where_labels = infinite_mnist.generate(folder, rows, options.data)
    generated = time.perf_counter() - start
    X = np.memmap(where, np.uint8, "r").reshape(rows, infinite_mnist.PIXELS)
    truth = np.load(where_labels)
    sizes = sorted({max(CLUSTERS * LANDMARKS, rows // 16), max(CLUSTERS * LANDMARKS, rows // 4), rows})
    outcomes = []
    measure(X[: sizes[0]], truth[: sizes[0]], RANKS[0], options)  # imports, page faults
    for n in (n for n in sizes if n <= rows):
        for s in RANKS:
            outcomes.append(measure(X[:n], truth[:n], s, options))
    notes = f"Rows: {rows:,}, generated in {generated:.0f} s (or there already)."
    if rows < asked:
        notes += f" {asked:,} were asked for; the disk has no room for more."
    return Report(
        f"{rows:,} MNIST-like images", [notes, stages(outcomes), verdicts(outcomes, rows)], outcomes, ("seconds",)
    )


def measure(X, truth, s, options):
    """Measure features and labels for every seed."""
    from graphcore.kernel_methods.features.nystrom import nystrom_features
    from graphcore.kernel_methods.kmeans.linear import linear_kmeans
    from graphcore.kernels.bandwidths import rule_bandwidth
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel

    n = len(X)
    print(f"{n:,} rows, s = {s} ...", file=sys.stderr, end="", flush=True)
    outcome = Outcome(Method(f"s = {s}", "nystrom", "graphcore"), f"{n:,} rows", CLUSTERS, "ok", n_asked=options.seeds)
    base = reset_peak()
    for seed in range(options.seeds):
        with AnonymousMemory() as memory, quiet():
            clock, cpu = [time.perf_counter()], time.process_time()
            # The rule over some 100,000 rows: its error is that of a mean, below 1 %.
            function = kernel_function(
                "gaussian", bandwidth=rule_bandwidth(np.array(X[:: max(1, n // 100_000)]), "rms")
            )
            clock.append(time.perf_counter())
            kernel = VectorKernel(X, function, np.dtype(np.float32))
            found = nystrom_features(
                kernel, LANDMARKS, s, truncation="half", random_state=seed, n_jobs=options.threads
            ).features
            clock.append(time.perf_counter())
            labels = linear_kmeans(found, CLUSTERS, n_init=1, max_iter=MAX_ITER, random_state=seed)
            clock.append(time.perf_counter())
            cpu = time.process_time() - cpu
        laps = dict(zip(("bandwidth", "features", "k-means"), np.diff(clock).tolist(), strict=True))
        outcome.seconds.append(clock[-1] - clock[0])
        outcome.cpu_seconds.append(cpu)
        outcome.parts.append({**laps, "anonymous": memory.peak, "iterations": labels.n_iter})
        outcome.scores.append(agreement(labels.labels, truth))
        del found
    outcome.peak_bytes = peak_bytes() - base
    print(f" {outcome.median('seconds'):.3g} s", file=sys.stderr, flush=True)
    return outcome


def stages(outcomes):
    """Return a row for every size and rank, the published ones last."""
    header = ["rows", "s", "bandwidth s", "features s", "k-means s", "passes", "total s", "CPU s"]
    header += ["GB of memory", "with mapped pages", "NMI", "ARI"]
    rows = []
    for o in outcomes:
        parts = [o.median(name) for name in ("bandwidth", "features", "k-means", "iterations", "seconds")]
        memory = [o.median("anonymous") / 1e9, (o.peak_bytes + 0.0) / 1e9]
        scores = [f"{o.median(name):.3f}" for name in ("nmi", "ari")]
        rows.append([o.graph.split()[0], o.method.title, *parts, o.median("cpu_seconds"), *memory, *scores])
    for s, (features, reduction, kmeans, total, nmi) in PUBLISHED.items():
        name = f"s = {s}, published"
        rows.append(["8,100,000", name, "-", features + reduction, kmeans, "-", total, "-", "-", "-", nmi, "-"])
    text = (
        f"Gaussian kernel, sigma the root mean square distance, c = {LANDMARKS} uniform landmarks, l = c / 2, k-means "
        f"with one start and at most {MAX_ITER} passes. Published: 32 machines of 32 cores. Memory is anonymous "
        "memory; pages of the mapped file, which the system may drop, are in the column beside it."
    )
    return f"## Stages\n\n{text}\n\n" + table(header, rows)


def verdicts(outcomes, rows):
    """Return whether time, memory and linearity meet their targets, extrapolated from fewer rows if needed."""
    lines = []
    for s in RANKS:
        found = [o for o in outcomes if o.method.title == f"s = {s}"]
        n = np.array([int(o.graph.split()[0].replace(",", "")) for o in found])
        features = np.array([o.median("features") for o in found])
        slope = np.polyfit(np.log(n), np.log(features), 1)[0] if len(n) > 1 else float("nan")
        total, memory, cpu = (
            extrapolated(n, [o.median(what) for o in found]) for what in ("seconds", "anonymous", "cpu_seconds")
        )
        how = "measured" if rows == infinite_mnist.ROWS else f"extrapolated from {rows:,} rows"
        lines.append(
            f"- s = {s}: 8.1 million rows in {total:.0f} s (aim {LIMIT_SECONDS:.0f}: "
            f"{'yes' if total <= LIMIT_SECONDS else 'NO'}) and {memory / 1e9:.1f} GB (aim {LIMIT_GB:.0f}: "
            f"{'yes' if memory <= LIMIT_GB * 1e9 else 'NO'}), {how}, {cpu:.0f} CPU s; seconds of the features "
            f"grow like n to the {slope:.2f}"
        )
    return "## Against the aims\n\n" + "\n".join(lines)


def extrapolated(n, values):
    """Return the last value, or the line through the last two at 8.1 million rows, if it rises."""
    if n[-1] == infinite_mnist.ROWS or len(n) == 1:
        return values[-1] * infinite_mnist.ROWS / n[-1]
    return values[-1] + max(0.0, values[-1] - values[-2]) / (n[-1] - n[-2]) * (infinite_mnist.ROWS - n[-1])
