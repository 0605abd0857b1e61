"""Bytes that a fuzzer guided by coverage makes, for each parser that is written in Python; the corpus is checked in.

    pip install atheris                                              (CPython 3.11 to 3.13, Linux)
    python -m bench.campaigns.fuzz metis --seconds 600              10 minutes; failures are kept in campaign-failures/
    python -m bench.campaigns.fuzz metis --seconds 600 --grow       and inputs that reach new lines join the corpus
    python -m bench.campaigns.fuzz metis --file crash-0123          one input, with its traceback

For any bytes, the outcome is a sound graph (or labels, vectors, a model), or one line of error.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
import zlib
from functools import cache
from pathlib import Path

import numpy as np

import graphcore
from graphcore import Graph
from graphcore.cli.vectors import read_vectors
from graphcore.files.labels import read_labels
from graphcore.files.nodes import read_nodes

from . import models, readers, stores

__all__ = ["CORPUS", "TARGETS", "replay"]

CORPUS = Path(__file__).parent / "corpus"
# Modules that the fuzzer watches; compiled loops would not compile.
_WATCHED = [
    "graphcore.files", "graphcore.cli.vectors", "graphcore.files.store.format", "graphcore.estimators.read_model",
]  # fmt: skip
_LARGEST = 4096


def _file(ending, read=graphcore.read_graph):
    """Return a target whose bytes are a whole file of this ending."""

    def target(data, folder):
        path = folder / f"x{ending}"
        path.write_bytes(data)
        return readers.judged(lambda: read(str(path)), str(path), np.random.default_rng(0), folder)

    return target


def _named(path):
    return Graph.from_edges([0, 1], [1, 2]).with_nodes(read_nodes(path))


def _numpy_file(ending):
    """Return a target whose bytes are a file of numpy's, read as vectors."""
    return _file(ending, read_vectors)


@cache
def _store():
    """Return a sound store: its folder, and its meta.json."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-")) / "s.store"
    graphcore.write_graph(Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 0.5], node_names=list("äbcd")), folder)
    return folder, (folder / "meta.json").read_bytes()


def _meta(data, folder):
    """Take the bytes as the header of a store, with the checksum that fits."""
    path = folder / "s.store"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(_store()[0], path)
    try:
        facts = json.loads(data)
        facts["crc32"] = zlib.crc32(json.dumps({k: facts[k] for k in facts if k != "crc32"}, sort_keys=True).encode())
        data = json.dumps(facts).encode()
    except (ValueError, TypeError, RecursionError):
        pass  # bytes that are no description are tried as they are
    (path / "meta.json").write_bytes(data)
    found = stores.looked_at(path)
    if found is not None:
        stores.require_graph(found, "meta.json")
    return "refused" if found is None else "accepted"


def _description(data, folder):
    """Take the bytes as the description of a model, whose arrays are sound."""
    path = folder / "m.npz"
    with open(path, "wb") as stream:
        np.savez(stream, **models.sound()[0] | {"model": np.frombuffer(data, dtype=np.uint8)})
    return models.judged(path)


TARGETS = {
    "edges": _file(".txt"), "csv": _file(".csv"), "metis": _file(".metis"), "mtx": _file(".mtx"),
    "markup": _file(".gml"), "adjlist": _file(".adjlist"), "labels": _file(".tsv", read_labels),
    "nodes": _file(".tsv", _named),
    "npz": _file(".npz"), "npy": _numpy_file(".npy"), "store": _meta, "model": _description,
}  # fmt: skip


def replay(name, data, folder):
    """Run one input of a target; return "accepted" or "refused", and let other exceptions through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TARGETS[name](data, folder)


def _seeds(name):
    """Return the first inputs of a fuzzer whose corpus is empty."""
    prepared = readers.prepare().seeds
    if name == "store":
        return [_store()[1]]
    if name == "model":
        return [models.sound()[1]]
    kinds = {"csv": "edges", "markup": ("gml", "graphml")}.get(name, name)
    found = [data for kind in ([kinds] if isinstance(kinds, str) else kinds) for data in prepared.get(kind, ())]
    if name == "adjlist":
        found = [b"# c\n0 1 2\n1 3\n2\n", b"a b\nb c d\n"]
    return [data for data in found if len(data) <= _LARGEST]


def _fuzz(name, corpus, keep, seconds):
    """Run atheris in this process, which it ends."""
    import atheris

    # Instrumented now, for these were imported before.
    for module in sorted(m for m in sys.modules if any(m == each or m.startswith(f"{each}.") for each in _WATCHED)):
        for value in list(vars(sys.modules[module]).values()):
            for function in [value, *vars(value).values()] if isinstance(value, type) else [value]:
                if getattr(function, "__module__", None) == module and hasattr(function, "__code__"):
                    function.__code__ = atheris.instrument_func(function).__code__
    place = Path(tempfile.mkdtemp(prefix="fuzz-"))
    limits = [f"-max_total_time={seconds}", f"-max_len={_LARGEST}", "-timeout=10", "-rss_limit_mb=3000"]
    atheris.Setup(
        [sys.argv[0], *limits, f"-artifact_prefix={keep}/{name}-", "-print_final_stats=1", str(corpus)],
        lambda data: replay(name, data, place) and None,
    )
    atheris.Fuzz()


def main(arguments=None):
    """Run what the arguments say; libFuzzer's exit code."""
    parser = argparse.ArgumentParser("python -m bench.campaigns.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument(
        "--grow", action="store_true", help="add inputs that reach new lines to the corpus, and thin it"
    )
    parser.add_argument("--file", type=Path, help="only this input")
    parser.add_argument("--keep", type=Path, default=Path("campaign-failures"))
    parser.add_argument("--merge", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.file is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(replay(given.name, given.file.read_bytes(), Path(folder)))
        return 0
    given.keep.mkdir(exist_ok=True)
    if given.merge is not None:
        return _fuzz(given.name, given.merge, given.keep, given.seconds)
    with tempfile.TemporaryDirectory() as scratch:
        old = CORPUS / given.name
        inputs = [file.read_bytes() for file in sorted(old.glob("*"))] if old.is_dir() else []
        for i, data in enumerate(inputs or _seeds(given.name)):
            (Path(scratch) / f"{i}").write_bytes(data)
        command = [sys.executable, "-m", "bench.campaigns.fuzz", given.name, "--seconds", str(given.seconds)]
        code = subprocess.call([*command, "--keep", given.keep, "--merge", scratch])
        if given.grow:
            _thin(given.name, Path(scratch), old)
    return code


def _thin(name, grown, corpus):
    """Keep the inputs that reach lines which no smaller one reaches, and those that once failed (found-...)."""
    reached, kept = set(), {file.name: file.read_bytes() for file in corpus.glob("found-*")}
    with tempfile.TemporaryDirectory() as folder:
        for data in sorted((file.read_bytes() for file in grown.iterdir()), key=lambda data: (len(data), data)):
            lines = _lines_of(name, data, Path(folder))
            if not lines <= reached:
                reached |= lines
                kept[f"{zlib.crc32(data):08x}"] = data
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    for file, data in kept.items():
        (corpus / file).write_bytes(data)
    print(f"{name}: {len(kept)} inputs, {sum(map(len, kept.values())):,} bytes, {len(reached)} lines")


def _lines_of(name, data, folder):
    """Return lines of the watched modules that an input runs."""
    paths = tuple(str(Path(graphcore.__file__).parents[1] / each.replace(".", "/")) for each in _WATCHED)
    found = set()

    def line(frame, event, _):
        if event == "line":
            found.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    sys.settrace(lambda frame, event, _: line if frame.f_code.co_filename.startswith(paths) else None)
    try:
        replay(name, data, folder)
    finally:
        sys.settrace(None)
    return found


if __name__ == "__main__":
    sys.exit(main())
