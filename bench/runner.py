"""One run of one method on one graph, in a process of its own: ``python -m bench.runner JOB.json``.

This file serves graphcore's environment and the peers', so it imports numpy alone. The time is that of one call of the
method on a graph (or vectors) that is loaded and in the method's own format, without imports, reading the file,
conversion, and warm-up runs. The result file is written before every step, so that it shows where a process died.
"""

import ctypes
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import numpy as np

# A first run shorter than this is a warm-up too (caches, page faults) and is repeated; a longer one counts.
WARM_UP_SECONDS = 10.0


def main(path):
    """Run the job, and leave ``result.json`` and one ``run-I.npz`` for each run beside it."""
    job = json.loads(Path(path).read_text())
    folder, source = Path(path).parent, Path(job["graph"])
    if n_bytes := job["memory_bytes"]:  # a method that wants too much fails, and does not drag the machine down
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    result = {"status": f"> {job['timeout']:g} s", "step": "import", "seconds": [], "cpu_seconds": [], "parts": []}

    def note(step):
        result["step"] = step
        (folder / "result.json").write_text(json.dumps(result))

    try:
        note("import")
        module = importlib.import_module(f"bench.methods_{job['side']}")
        prepare, run = module.METHODS[job["method"]]
        params, k, threads = job["params"], job["k"], job["threads"]
        note("warm-up")
        small = prepare(*small_input(source), params)
        result["warm_up_seconds"], _, _ = timed(job["timeout"], run, small, 4, 0, params, threads)
        del small

        note("loading")
        given = load(source)
        result["prepare_seconds"], _, graph = timed(job["timeout"], prepare, *given, params)
        del given
        loaded = result["loaded_bytes"] = reset_peak()

        seeds = list(job["seeds"])
        note("run")
        seconds, cpu_seconds, output = timed(job["timeout"], run, graph, k, seeds[0], params, threads)
        result["first_seconds"] = seconds
        if seconds < WARM_UP_SECONDS:
            output = None
        for i, seed in enumerate(seeds):
            if sum(result["seconds"]) > job["timeout"]:
                break
            if i or output is None:
                note(f"run {i + 1}")
                seconds, cpu_seconds, output = timed(job["timeout"], run, graph, k, seed, params, threads)
            labels, parts, arrays = output
            result["seconds"].append(seconds)
            result["cpu_seconds"].append(cpu_seconds)
            result["parts"].append(parts)
            result["peak_bytes"] = peak_bytes() - loaded
            np.savez(folder / f"run-{i}.npz", labels=np.asarray(labels), **arrays)
        result["status"] = "ok"
    except ModuleNotFoundError as error:
        result["status"] = f"not installed ({error.name})"
    except Exception as error:
        result["status"] = f"failed: {type(error).__name__}: {error}"
    note(result["step"])


def timed(timeout, function, *arguments):
    """Return seconds, processor seconds of all threads, and the result of a call.

    The alarm ends the whole process, also inside foreign code that runs for ever.
    """
    signal.setitimer(signal.ITIMER_REAL, timeout)
    start, cpu_start = time.perf_counter(), time.process_time()
    out = function(*arguments)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    signal.setitimer(signal.ITIMER_REAL, 0)
    return seconds, cpu_seconds, out


def load(source):
    """Return the input of `prepare`: (indptr, indices) or (vectors,)."""
    with np.load(source) as file:
        return (file["X"],) if "X" in file else (file["indptr"], file["indices"])


def small_input(source):
    """Return a small input of the same kind, for warm-up."""
    with np.load(source) as file:
        if "X" not in file:
            return small_graph()
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.normal(size=(4, 16)), 500, axis=0)
    return ((centres + rng.normal(size=centres.shape)).astype(np.float32),)


def small_graph(n_blocks=4, size=500, degree=12):
    """Return the adjacency of a small graph with blocks, whose run compiles and imports for the real one."""
    rng = np.random.default_rng(0)
    n = n_blocks * size
    source = np.repeat(np.arange(n), degree)
    shift = rng.integers(1, size, len(source))
    target = source // size * size + (source + shift) % size
    across = rng.random(len(source)) < 0.05
    target[across] = (source[across] + size) % n
    keys = np.unique(np.concatenate([source * n + target, target * n + source]))
    indptr = np.searchsorted(keys // n, np.arange(n + 1))
    return indptr, (keys % n).astype(np.int32)


def reset_peak():
    """Forget the peak so far and return the resident bytes (Linux; elsewhere the peak stays that of the process).

    Memory freed by the warm-up is returned to the system first, or the runs would use it again uncounted.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak_bytes()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes():
    """Return the highest resident memory since :func:`reset_peak`."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main(sys.argv[1])
