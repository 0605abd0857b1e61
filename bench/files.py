"""Seconds and memory of reading edge lists, beside numpy.loadtxt on the same file.

    python bench/files.py [FILE ...]

Without files, ten million random edges are made in a temporary folder: plain, with ids far apart, and weighted. Every
measurement runs in a process of its own, `--repeat` times; the smallest is shown. Memory is the peak above that of the
process before reading (Linux only).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ONE = """
import json, re, sys, time, warnings
import numpy as np
import graphcore
def status(key):
    return int(re.search(key + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
warnings.simplefilter("ignore")
how, path, small = sys.argv[1:]
graphcore.read_graph(small)
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
wall, processor = time.perf_counter(), time.process_time()
if how == "read_graph":
    size = graphcore.read_graph(path).nbytes
else:
    size = np.loadtxt(path, dtype=how.removeprefix("loadtxt ")).nbytes
wall, processor = time.perf_counter() - wall, time.process_time() - processor
print(json.dumps({"wall": wall, "processor": processor, "peak": status("VmHWM") - before, "size": size}))
"""


def measure(how, path, small, repeat):
    """Return the smallest figures of `repeat` runs; None if the file is not for this reader."""
    runs = []
    for _ in range(repeat):
        run = subprocess.run([sys.executable, "-c", ONE, how, path, small], capture_output=True, text=True, check=False)
        if run.returncode:
            return None
        runs.append(json.loads(run.stdout))
    return {key: min(run[key] for run in runs) for key in runs[0]}


def make(folder, n_edges, n_nodes=1_000_000):
    """Write the three generated files; returns their paths."""
    rng = np.random.default_rng(0)
    ids = rng.choice(2**31 - 1, n_nodes, replace=False)
    paths = [os.path.join(folder, name) for name in ("plain.tsv", "far-apart.tsv", "weighted.tsv")]
    for path in paths:
        open(path, "w").close()
    for _ in range(0, n_edges, 100_000):
        a, b = rng.integers(0, n_nodes, (2, 100_000))
        weights = rng.random(100_000).round(4)
        for path, columns in zip(paths, [(a, b), (ids[a], ids[b]), (a, b, weights)], strict=True):
            rows = zip(*(column.tolist() for column in columns), strict=True)
            with open(path, "a") as file:
                file.write("\n".join("\t".join(map(str, row)) for row in rows) + "\n")
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.tsv")
        with open(small, "w") as file:
            file.write("0\t1\n1\t2\n")
        for path in options.files or make(folder, options.edges):
            for how in ("loadtxt int64", "loadtxt float64", "read_graph"):
                best = measure(how, path, small, options.repeat)
                if best is None:
                    print(f"{os.path.basename(path):20} {how:16} cannot read it")
                    continue
                ratio = best["peak"] / best["size"]
                print(
                    f"{os.path.basename(path):20} {how:16} {best['wall']:6.2f} s, {best['processor']:6.2f} s of "
                    f"processor, peak {best['peak'] / 1e6:5.0f} MB = {ratio:.2f} times the result",
                    flush=True,
                )


if __name__ == "__main__":
    main()
