"""Compiled loops on disk: damaged ones are compiled anew, and where none can be kept all goes on, with one warning."""

import errno
import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import FunctionType
from unittest import mock

import numpy as np
import pytest
from numba.core import caching, config
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from graphcore import GraphWarning
from graphcore.base import loop_cache
from graphcore.base.compiling import compiled
from graphcore.cluster.refine._merge_loops import agglomerate

VALUES = np.arange(4.0)
_FACTOR = 2.0


def part(x):
    return x + 1.0


def total(values):
    out = 0.0
    for i in range(len(values)):
        out += _FACTOR * part(values[i])
    return out


WANT = 20.0


@pytest.fixture
def new(limits, tmp_path):
    """Makes the loop as another process would, with a folder of its own, and says where that is."""
    if config.DISABLE_JIT:
        pytest.skip("loops are not compiled")
    limits(config, CACHE_DIR=str(tmp_path))
    limits(loop_cache, _warned=[])

    def make(function=total, **other):
        names = function.__globals__ | {"part": compiled(part)} | other
        loop = compiled(FunctionType(function.__code__, names, function.__name__)).dispatcher
        loop.folder = Path(loop._cache.cache_path)
        return loop

    return make


@pytest.fixture
def kept(new):
    """The one file of a loop that was compiled."""
    loop = new()
    assert loop(VALUES) == WANT
    (path,) = loop.folder.glob("*.total-*.nbc")
    return path


def is_loaded(loop):
    assert loop(VALUES) == WANT
    return bool(loop.stats.cache_hits)


def test_what_is_kept_is_loaded(new, kept):
    assert is_loaded(new())
    assert not list(kept.parent.glob("*.nbi"))


@pytest.mark.slow
def test_no_changed_byte_is_loaded(new, kept):
    whole, rng = kept.read_bytes(), np.random.default_rng(0)
    cache, context, loop = new()._cache, cpu_target.target_context, new()
    assert is_loaded(loop)
    (signature,) = loop.overloads
    assert cache.load_overload(signature, context) is not None
    for place in [*range(40), *rng.integers(len(whole), size=500)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        kept.write_bytes(damaged)
        assert cache.load_overload(signature, context) is None, place
    for damaged in (b"", whole[:16], whole[:32], whole[:-1], whole + b"\0", whole[32:], bytes(len(whole))):
        kept.write_bytes(damaged)
        assert cache.load_overload(signature, context) is None
    assert not is_loaded(new())
    assert is_loaded(new())  # it was written anew


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "unreadable"])
def test_what_is_no_file_is_not_loaded(new, kept, kind):
    if kind == "folder":
        kept.unlink()
        kept.mkdir()
        with pytest.warns(GraphWarning, match="cannot be kept"):
            assert not is_loaded(new())
    else:
        with mock.patch.object(Path, "read_bytes", failing(errno.EIO)):
            assert not is_loaded(new())
        assert is_loaded(new())


def failing(number, before=lambda *_: None):
    def fail(*args, **_):
        before(*args)
        raise OSError(number, os.strerror(number))

    return fail


def half(path, content):
    with open(path, "wb") as file:
        file.write(content[: len(content) // 2])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owner", "name", "before", "number"),
    [(Path, "mkdir", None, errno.EROFS), (Path, "write_bytes", None, errno.EIO), (os, "replace", None, errno.EIO),
     (Path, "write_bytes", half, errno.ENOSPC), (Path, "open", None, errno.EACCES)],
)  # fmt: skip
def test_where_nothing_can_be_kept_loops_work_and_one_warning_says_so(new, owner, name, before, number):
    fails = failing(number, *filter(None, [before]))
    with mock.patch.object(owner, name, fails), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            loop = new()
            assert loop(VALUES) == WANT
    (warning,) = seen
    assert warning.category is GraphWarning
    assert f"cannot be kept in {loop.folder} ({os.strerror(number)})" in str(warning.message)
    assert "NUMBA_CACHE_DIR" in str(warning.message)
    assert {path.suffix for path in loop.folder.iterdir()} <= {".nbc"}  # nothing half-written is left
    assert loop(VALUES) == WANT
    new()(VALUES)
    assert is_loaded(new())


def test_a_loop_is_new_when_anything_that_it_is_made_from_has_changed(new, kept):
    others = [
        new(_FACTOR=3.0),
        new(part=compiled(FunctionType(part.__code__, {"__name__": "elsewhere"} | {"x": 1}, "part"))),
        new(part=compiled(lambda x: x - 1.0)),
    ]
    stems = {loop._cache._stem for loop in [new(), others[0]]}
    assert len(stems) == 2 and new()._cache._stem == kept.name.rpartition(".nbc")[0].rpartition(".")[0]
    assert others[0](VALUES) == 30.0
    assert [path.name.startswith(others[0]._cache._stem) for path in kept.parent.glob("*.total-*")] == [True]


def test_loops_compiled_with_other_settings_of_numba_are_kept_apart(new, limits):
    usual = new()._cache._stem
    limits(config, BOUNDSCHECK=1)
    assert new()._cache._stem != usual


def test_the_private_names_of_numba_that_the_cache_uses():
    # A failure means that numba has changed, and that base/compiling.py and base/loop_cache.py have to follow.
    assert list(inspect.signature(caching.FunctionCache.load_overload).parameters) == ["self", "sig", "target_context"]
    assert list(inspect.signature(caching.FunctionCache.save_overload).parameters) == ["self", "sig", "data"]
    assert list(inspect.signature(caching.FunctionCache._index_key).parameters) == ["self", "sig", "codegen"]
    assert list(inspect.signature(caching._hash_source_file).parameters) == ["path", "st_mtime", "st_size"]
    assert "FunctionCache(self.py_func)" in inspect.getsource(Dispatcher.enable_caching)
    assert "self._cache = " in inspect.getsource(Dispatcher.enable_caching)
    source = inspect.getsource(Dispatcher.compile)
    assert "self._cache.load_overload(sig, self.targetctx)" in source
    assert "self._cache.save_overload(sig, cres)" in source
    for name in ("reduce", "rebuild", "check_cachable", "filename_base", "locator"):
        assert hasattr(caching.CompileResultCacheImpl, name)
    from numba.core.compiler_lock import global_compiler_lock

    assert callable(global_compiler_lock.acquire) and callable(global_compiler_lock.release)
    if not config.DISABLE_JIT:
        assert agglomerate._numba_type_.dispatcher is agglomerate.dispatcher
    assert "dispatcher=self" in source and 'trigger_event("numba:compile", data=ev_details)' in source


def test_private_names_of_numba_stand_in_two_files():
    # cgutils is what numba's own manual of extensions has them written with.
    private = re.compile(r"numba\.core(?! import cgutils)|\._cache\b|_numba_type_")
    files = Path(loop_cache.__file__).parents[1].rglob("*.py")
    found = {path.name for path in files if private.search(path.read_text(encoding="utf-8"))}
    assert found == {"compiling.py", "loop_cache.py"}


def test_loops_of_the_package_are_kept_in_this_way_alone():
    if config.DISABLE_JIT:
        pytest.skip("loops are not compiled")
    assert type(agglomerate.dispatcher._cache) is loop_cache.LoopCache
    root = Path(loop_cache.__file__).parents[1]
    assert [path for path in root.rglob("*.py") if "cache=True" in path.read_text(encoding="utf-8")] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "not a folder"])
def test_a_command_needs_no_cache(tmp_path, kind):
    import resource

    (tmp_path / "ring.txt").write_text("".join(f"{i} {(i + d) % 30}\n" for i in range(30) for d in (1, 2)))
    folder = tmp_path / "cache"
    if kind == "not a folder":
        folder.touch()

    def limit():
        if kind == "full":  # what a loop takes has no room, labels have
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = subprocess.run(
        [sys.executable, "-m", "graphcore", "cluster", "ring.txt", "-k", "2", "-o", "labels.tsv"],
        cwd=tmp_path, env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        preexec_fn=limit, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "labels.tsv").read_text().splitlines()) == 30
    assert done.stderr.count("cannot be kept") == (kind == "full")
