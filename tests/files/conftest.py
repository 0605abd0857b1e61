"""Fixtures of tests of files."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Return a function that writes text or bytes to a file of some name, and returns its path."""

    def write(content, name="edges.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
