"""Seconds, memory and disk of `graphcore build` on a text edge list, beside numpy.loadtxt.

    python bench/huge_build.py                           # 200 million edges, --memory 2G, in a temporary folder
    python bench/huge_build.py --edges 5000000 --memory 500M --check
    python bench/huge_build.py --file edges.txt.gz

The edges are random, with a few nodes of very high degree; ids have gaps, edges repeat, some are loops. The graph is
built in a process of its own, whose anonymous memory is read every few milliseconds (Linux only), and so is the size of
its temporary files. numpy.loadtxt reads the first lines of the same file, and its time is scaled to all of them.
`--check` compares with the graph that is built in memory.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from numba import njit

LOADTXT = """
import sys, time
import numpy as np
start = time.process_time()
table = np.loadtxt(sys.argv[1], dtype=np.int64)
print(len(table), time.process_time() - start)
"""


@njit(cache=True)
def format_lines(ends, out):
    """Write "source TAB target NEWLINE" for each row of ends into out; returns the number of bytes."""
    digits = np.empty(20, dtype=np.uint8)
    position = 0
    for e in range(len(ends)):
        for c in range(2):
            value, n_digits = ends[e, c], 0
            while value > 0 or n_digits == 0:
                digits[n_digits] = 48 + value % 10
                value //= 10
                n_digits += 1
            for d in range(n_digits - 1, -1, -1):
                out[position] = digits[d]
                position += 1
            out[position] = 9 if c == 0 else 10
            position += 1
    return position


def write_edges(path, n_edges, seed=0, block=1 << 20):
    """Write random edges; the degree of a node falls with the root of its rank."""
    n_nodes = max(10, n_edges // 20)
    out = np.empty(block * 24, dtype=np.uint8)
    with open(path, "wb") as stream:
        for number, start in enumerate(range(0, n_edges, block)):
            rng = np.random.default_rng([seed, number])
            ranks = rng.random((min(block, n_edges - start), 2)) ** 2 * n_nodes
            # Ids have gaps, and do not follow the degrees.
            ids = (ranks.astype(np.int64) * 2654435761 % n_nodes) * 3 + 5
            stream.write(out[: format_lines(ids, out)].data)


def head(path, target, n_lines):
    """Copy the first lines of a file."""
    with open(path, "rb") as source, open(target, "wb") as stream:
        left = n_lines
        while left > 0 and (piece := source.readlines(1 << 24)):
            stream.writelines(piece[:left])
            left -= len(piece)


def folder_bytes(folder):
    """Return the bytes that the files in a folder take."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # just deleted
                continue
    return total


def build(path, out, memory):
    """Run `graphcore build`; returns its seconds and bytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "graphcore", "build", path, out, "--memory", memory])
    peak, disk, looked = 0, 0, 0.0
    work = os.path.join(os.path.dirname(os.path.abspath(out)), f".{os.path.basename(out)}.building")
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
        except OSError:
            found = None
        peak = max(peak, int(found[1]) << 10 if found else 0)
        if time.perf_counter() - looked > 1:
            disk, looked = max(disk, folder_bytes(work)), time.perf_counter()
        time.sleep(0.005)
    if process.returncode:
        sys.exit(process.returncode)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": time.perf_counter() - start,
        "processor seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        "peak anonymous bytes": peak,
        "peak temporary bytes": disk,
        "store bytes": folder_bytes(out),
    }


def loadtxt_seconds(path, folder, n_lines):
    """Return the processor seconds of numpy.loadtxt for each line."""
    part = os.path.join(folder, "part.txt")
    head(path, part, n_lines)
    run = subprocess.run([sys.executable, "-c", LOADTXT, part], capture_output=True, text=True, check=True)
    os.unlink(part)
    lines, seconds = run.stdout.split()
    return float(seconds) / int(lines)


def compare(path, out):
    """Return whether the store equals the graph that is built in memory."""
    import graphcore

    there, stored = graphcore.read_graph(path), graphcore.open_graph(out)
    pairs = [(getattr(there, name), getattr(stored, name)) for name in ("indptr", "indices", "degrees", "node_names")]
    return all((a is None and b is None) or np.array_equal(a, b) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=200_000_000)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--file", help="an edge list that is there already")
    parser.add_argument("--folder", help="where the files lie; default: a temporary folder")
    parser.add_argument("--lines", type=int, default=5_000_000, help="that numpy.loadtxt reads; 0 for none")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, out = options.file or os.path.join(folder, "edges.txt"), os.path.join(folder, "edges.store")
        if options.file is None:
            write_edges(path, options.edges)
        facts = {"file bytes": os.path.getsize(path), "memory": options.memory} | build(path, out, options.memory)
        with open(os.path.join(out, "meta.json")) as stream:
            meta = json.load(stream)
        facts |= {"nodes": meta["n_nodes"], "entries": meta["n_entries"]}
        if options.file is None:
            facts["edges per second"] = round(options.edges / facts["seconds"])
            if options.lines:
                n_lines = min(options.lines, options.edges)
                facts["numpy.loadtxt, processor seconds"] = loadtxt_seconds(path, folder, n_lines) * options.edges
        if options.check:
            facts["equals the graph in memory"] = compare(path, out)
        print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
