"""Files as tests need them."""

from contextlib import contextmanager

import pytest


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file of some name, and returns its path."""

    def write(content, name="edges.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def interrupted(monkeypatch):
    """A context in which a function is interrupted, at its first call unless another is given in its place."""

    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    @contextmanager
    def interrupted_at(owner, name, function=interrupt):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(owner, name, function)
            yield

    return interrupted_at
