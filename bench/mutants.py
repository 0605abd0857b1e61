"""Mutation tests of the loops: `python -m bench.mutants 50` changes the code in 50 places, one at a time.

Each mutant is one small change of one line: another comparison, sign, factor, index, a left out statement. The tests of
its file run with it, uncompiled (numba would need half a minute for each), until one fails. Surviving mutants are
printed, to be judged: some are equivalent, others show a missing test. pytest does not collect this file, and it needs
a system that forks.
"""

import argparse
import ast
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # before numba is imported

import numba
import pytest

ROOT = Path(__file__).parents[1]

# Compiled loops and their callers, with the tests about them.
TESTS = {
    "cluster/coresets/_loops.py": "cluster/coresets/test_seeding.py cluster/coresets/test_sampling_tree.py",
    "cluster/coresets/seeding.py": "cluster/coresets/test_seeding.py cluster/coresets/test_importance.py",
    "kernel_methods/features/leverage.py": "kernel_methods/features/test_leverage.py",
    "kernel_methods/flats/_loops.py": "kernel_methods/flats/test_kernel_k_flats.py",
    "kernel_methods/flats/alternation.py": "kernel_methods/kmeans/test_lloyd.py kernel_methods/flats/test_policies.py",
    "graphs/_loops.py": "graphs/test_build.py graphs/test_graph.py graphs/test_convert.py",
    "kernels/_loops.py": (
        "kernels/test_graph.py kernels/test_forms.py kernel_methods/kmeans/test_lloyd.py "
        "cluster/partition/test_nearest.py"
    ),
    "kernel_methods/kmeans/centroids.py": "kernel_methods/kmeans/test_lloyd.py kernel_methods/kmeans/test_coreset.py",
    "kernel_methods/kmeans/linear.py": "kernel_methods/kmeans/test_linear.py",
    "cluster/partition/_agglomerate_loops.py": "cluster/partition/test_merge.py",
    "cluster/partition/_annealing_loops.py": "cluster/partition/test_improve.py",
    "cluster/partition/_block_loops.py": "cluster/partition/test_blocks.py cluster/partition/test_local_moving.py",
    "cluster/partition/_constraint_loops.py": "cluster/partition/test_constraints.py",
    "cluster/partition/_group_loops.py": (
        "cluster/partition/test_micro_clusters.py cluster/partition/test_cycles.py cluster/partition/test_blocks.py"
    ),
    "cluster/partition/_local_moving_loops.py": (
        "cluster/partition/test_local_moving.py cluster/partition/test_improve.py"
    ),
    "cluster/partition/_quotient_loops.py": "cluster/partition/test_quotient.py cluster/partition/test_improve.py",
    "cluster/partition/_objective_loops.py": (
        "cluster/partition/test_local_moving.py cluster/partition/test_nearest.py cluster/partition/test_theorem.py"
    ),
    "cluster/spectral/_power_loops.py": "cluster/spectral/test_power.py",
    "files/store/_loops.py": "files/store/test_build.py files/store/test_store.py",
}

# Arithmetic that wraps around, which Python's does not: these loops are compiled, for every mutant anew.
COMPILED = ("cluster/partition/test_quotient.py",)

_SECONDS = 1.5  # of the processor; a test that takes longer uncompiled is left out
_LIMIT = 300  # of a mutant, in processor seconds; one that takes longer runs in circles and counts as noticed

_SWAPPED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def _changes(node):
    """Yield functions that change this node in place, one for each mutant."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in _SWAPPED:
        yield lambda n: setattr(n, "op", _SWAPPED[type(n.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
        yield lambda n: n.ops.__setitem__(0, _SWAPPED[type(n.ops[0])]())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield lambda n: setattr(n, "value", n.value + 1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield lambda n: setattr(n, "op", ast.UAdd() if isinstance(n.op, ast.USub) else ast.Not()) or _twice(n)
    if isinstance(node, ast.If):
        yield lambda n: setattr(n, "test", ast.Constant(False))


def _twice(node):
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _countable(function):
    """Yield the function's nodes, in a fixed order, without docstrings and messages."""
    for statement in function.body:
        for node in ast.walk(statement):
            if not isinstance(statement, ast.Raise | ast.Import | ast.ImportFrom):
                yield node


def _functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def places_of(path):
    """Return (function, node, change) as three numbers for every mutant of a file."""
    return [
        (i, j, k)
        for i, function in enumerate(_functions(ast.parse(path.read_text(encoding="utf-8"))))
        for j, node in enumerate(_countable(function))
        for k in range(len(list(_changes(node))))
    ]


def mutant(path, place):
    """Return (function, line, old text, new text, source of the whole file) of a mutant."""
    i, j, k = place
    before = ast.parse(path.read_text(encoding="utf-8"))
    after = ast.parse(path.read_text(encoding="utf-8"))
    function = _functions(after)[i]
    node = list(_countable(function))[j]
    list(_changes(node))[k](node)
    source = ast.unparse(ast.fix_missing_locations(after))
    lines = zip(ast.unparse(before).splitlines(), source.splitlines(), strict=False)
    was, becomes = next(pair for pair in lines if pair[0] != pair[1])
    return function.name, node.lineno, was.strip(), becomes.strip(), source


def draw(n, seed):
    """Draw `n` mutants with their files; every file has the same chance, and no line is changed twice."""
    rng = random.Random(seed)
    paths = [ROOT / "graphcore" / name for name in TESTS]
    pools = {path: places_of(path) for path in paths}
    out, seen = [], set()
    while len(out) < n:
        path = rng.choice(paths)
        found = mutant(path, rng.choice(pools[path]))
        if (path, found[1]) not in seen:
            seen.add((path, found[1]))
            out.append((path.relative_to(ROOT), *found))
    return out


class _Watch:
    """Plugin of pytest: stops slow tests, and keeps which tests failed."""

    def __init__(self, skipped=()):
        self.skipped, self.failed = set(skipped), []

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.skipped]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self):
        def stop(*_):
            raise TimeoutError("too slow uncompiled")

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, _SECONDS if numba.config.DISABLE_JIT else 20)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)


def _run_tests(folder, tests, arguments, skipped=()):
    """Run tests in a forked process with the package in `folder`; return (exit code, failed tests)."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.chdir(folder)
        sys.path[:] = [str(folder), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
        for name in [name for name in sys.modules if name.split(".")[0] in ("graphcore", "tests", "bench")]:
            del sys.modules[name]
        sys.dont_write_bytecode = True
        if any(test.endswith(COMPILED) for test in tests):
            numba.config.DISABLE_JIT = 0
        resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT, _LIMIT))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        watch = _Watch(skipped)
        options = [
            "--tb=native",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-o",
            "addopts=--strict-markers",
            "-m",
            "not slow",
        ]
        code = pytest.main([*options, *arguments, *tests], plugins=[watch])
        os.write(write, json.dumps(watch.failed).encode()[:60_000])
        os._exit(int(code))
    os.close(write)
    with open(read, "rb") as pipe:
        text = pipe.read()
    status = os.waitpid(pid, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    if code > 1:  # less than 0 is a crash, or the limit
        raise SystemExit(f"pytest could not run {tests}: exit code {code}")
    return code, json.loads(text) if text else []


def main():
    """Draw the mutants, run them, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="mutants that were run before")
    given = parser.parse_args()
    # Imported once, before the processes fork.
    import hypothesis
    import networkx
    import scipy.sparse.linalg
    import sklearn.cluster
    import sklearn.metrics
    import sklearn.utils.estimator_checks

    del hypothesis, networkx, scipy, sklearn
    drawn = draw(given.n, given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("graphcore", "tests", "bench"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        left_out, survived = {}, 0
        for path, function, line, was, becomes, source in drawn[given.skip :]:
            tests = tuple(f"tests/{name}" for name in TESTS["/".join(path.parts[1:])].split())
            if tests not in left_out:
                left_out[tests] = _run_tests(folder, tests, [])[1]
                print(f"# {' '.join(tests)}: without {len(left_out[tests])} that are slow uncompiled", flush=True)
            original = (folder / path).read_text(encoding="utf-8")
            (folder / path).write_text(source, encoding="utf-8")
            start = time.perf_counter()
            code, failed = _run_tests(folder, tests, ["-x"], left_out[tests])
            (folder / path).write_text(original, encoding="utf-8")
            survived += code == 0
            verdict = "SURVIVED" if code == 0 else failed[0].split("::")[-1][:60] if failed else f"killed ({code})"
            print(f"{path}:{line} {function}\n    - {was}\n    + {becomes}")
            print(f"    {verdict} ({time.perf_counter() - start:.0f} s)", flush=True)
    print(f"{survived} of {len(drawn) - given.skip} mutants survived")


if __name__ == "__main__":
    main()
